"""Bots at git revisions, named wherever a bot is."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Final

import pytest
import yaml

from arena.entrants.entrants import Entrant
from arena.entrants.folders import folder_digest
from arena.extensions.matches.options import PlaySettings
from arena.extensions.matches.terms import match_terms
from arena.runs.config.texts import resolved_yaml
from arena.runs.config.tournament import Tournament, load_tournament, quick_tournament
from arena.runs.identity import identity
from arena.values.problems import ConfigError
from tests.entrants.repositories import commit, git, repository
from tests.tournament.folders import lines, write

pytestmark = [pytest.mark.slow, pytest.mark.process]

GAME: Final = "arena: 1\ngame: dragonheart\n"


@pytest.fixture(autouse=True)
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose bot was changed after ``v1``, on the branch and again in the folder."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    repo = repository(tmp_path / "repo")
    write(repo / "bots/mine/main.py", "print('second')\n")
    commit(repo, "Better")
    write(repo / "bots/mine/main.py", "print('third')\n")
    monkeypatch.chdir(repo)
    return repo


def tournament(*bots: str) -> Tournament:
    entrants = "".join(f"  - bot: {bot}\n" for bot in bots)
    return load_tournament(write(Path("cups/cup.yaml"), f"{GAME}entrants:\n{entrants}"))


def source(entrant: Entrant) -> str:
    return Path(entrant.folder, "main.py").read_text()


def refusals(*bots: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        tournament(*bots)
    return lines(caught.value)


def test_in_a_tournament_file(repo: Path) -> None:
    old, new, now = tournament("../bots/mine@v1", "../bots/mine@main", f"{repo}/bots/mine").entrants
    assert [each.name for each in (old, new, now)] == ["mine-v1", "mine-main", "mine"]
    assert [source(each) for each in (old, new, now)] == [
        "print()\n", "print('second')\n", "print('third')\n",
    ]  # fmt: skip
    assert len({each.digest for each in (old, new, now)}) == 3
    assert old.digest == old.files == folder_digest(Path(old.folder))
    assert old.commit == git(repo, "rev-parse", "v1")
    assert (old.given, now.given) == (f"{repo}/bots/mine@{old.commit}", f"{repo}/bots/mine")
    assert now.commit == ""


def test_on_every_command_line(repo: Path) -> None:
    first = git(repo, "rev-parse", "v1")
    bots = ("bots/mine@v1", "bots/mine@HEAD~1", "bots/other")
    quick = quick_tournament("dragonheart", bots)
    assert [each.name for each in quick.entrants] == ["mine-v1", "mine-HEAD-1", "other"]
    terms = match_terms(("bots/other", "bots/mine@v1"), PlaySettings(games=("dragonheart",)))
    assert terms.commits == (git(repo, "rev-parse", "main"), first)
    assert [each.name for each in terms.tournament.entrants] == ["other", "mine-v1"]
    own = match_terms(("bots/mine", "@v1"), PlaySettings(games=("dragonheart",)))
    assert own.commits == ("", first)


def test_a_match_on_the_terms_of_a_file(repo: Path) -> None:
    tournament("../bots/mine@main", "../bots/other")
    file = Path("cups/cup.yaml")
    terms = match_terms(("mine-main", "@v1"), PlaySettings(file=file))
    assert terms.commits == (git(repo, "rev-parse", "main"), git(repo, "rev-parse", "v1"))
    assert [source(each) for each in terms.tournament.entrants] == [
        "print('second')\n",
        "print()\n",
    ]
    shutil.rmtree("bots/other")
    write(file, f"{GAME}entrants: [{{bot: ../bots/mine}}, {{bot: ../bots/mine, name: b}}]\n")
    gone = match_terms(("mine", "bots/other@v1"), PlaySettings(file=file))
    assert gone.tournament.entrants[1].name == "other-v1"


def test_the_same_bytes_are_the_same_bot_and_a_branch_that_moves_brings_new_ones(repo) -> None:
    before = identity(tournament("../bots/mine@main", "../bots/other@main")).entrants
    write(repo / "README", "nothing of the bots\n")
    git(repo, "stash", "--quiet")
    commit(repo, "Elsewhere")
    assert identity(tournament("../bots/mine@main", "../bots/other@main")).entrants == before
    write(repo / "bots/mine/main.py", "print('fourth')\n")
    commit(repo, "Better still")
    after = identity(tournament("../bots/mine@main", "../bots/other@main")).entrants
    assert after.keys() == before.keys() == {"mine-main", "other-main"}
    assert after["mine-main"].digest != before["mine-main"].digest
    assert after["other-main"] == before["other-main"]


def test_a_dry_run_names_the_commit(repo: Path) -> None:
    asked = tournament("../bots/mine@v1", "../bots/other@main")
    text = resolved_yaml(asked)
    first = git(repo, "rev-parse", "v1")
    assert yaml.safe_load(text)["entrants"][0]["bot"] == f"{repo}/bots/mine@{first}"
    again = load_tournament(write(Path("cups/again.yaml"), text))
    assert identity(again) == identity(asked)


def test_a_name_of_ones_own_and_equal_ones(repo: Path) -> None:
    entry = "{bot: ../bots/mine@v1, name: old, options: {samples: 7}}"
    path = write(Path("cups/cup.yaml"), f"{GAME}entrants: [{entry}, {{bot: ../bots/other}}]\n")
    old = load_tournament(path).entrants[0]
    assert (old.name, old.options) == ("old", {"samples": 7})
    twice = quick_tournament("dragonheart", ["bots/mine@v1", "bots/mine@v1"])
    assert [each.name for each in twice.entrants] == ["mine-v1", "mine-v1-2"]
    (found,) = refusals("../bots/mine@v1", "../bots/mine@v1")
    assert 'a second entrant is called "mine-v1"' in found


def test_a_folder_with_the_sign_in_its_name_is_a_folder(repo: Path) -> None:
    shutil.copytree("bots/other", "bots/other@v1")
    write(repo / "bots/other@v1/main.py", "print('this one')\n")
    other, _ = tournament("../bots/other@v1", "../bots/mine").entrants
    assert (source(other), other.name, other.commit) == ("print('this one')\n", "other", "")


REFUSED: Final = {
    "../bots/mine@v11": 'no such revision: "v11", expected a commit, branch or tag of {repo} '
    '(did you mean "v1"?)',
    "../bots/mine@": 'no such revision: "", expected a commit, branch or tag of {repo}',
    "../bots/gone@v1": 'there was no folder "bots/gone" at {first}',
    '"@v1"': 'found "@v1", expected a folder before the @, as in bots/mine@v1',
    "/@v1": '"/" is in no git repository',
    "../bots@v1": "there was no bot.yaml at {first} (only a folder with a bot.yaml can be taken "
    "from a revision)",
}


@pytest.mark.parametrize("bot", REFUSED)
def test_what_cannot_be_taken_out_is_said_with_its_place(bot: str, repo: Path) -> None:
    known = {"repo": str(repo), "first": git(repo, "rev-parse", "v1")[:12]}
    (line,) = refusals(bot, "../bots/other")
    assert line == f"cups/cup.yaml:4:10: entrants[0].bot: {REFUSED[bot].format(**known)}"


def test_without_git(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    python = shutil.which("python3")
    assert python is not None
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python3").symlink_to(python)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    (line,) = refusals("../bots/mine@v1", "../bots/other")
    assert line == "cups/cup.yaml:4:10: entrants[0].bot: git is not installed"


def test_a_manifest_of_then_is_named_as_it_was_asked_for(repo: Path) -> None:
    write(repo / "bots/mine/bot.yaml", "bot: 1\nname: mine\n")
    commit(repo, "Broken")
    broken = git(repo, "rev-parse", "HEAD")
    lines = refusals("../bots/mine@HEAD", "../bots/other")
    where = f"bots/mine@{broken}/bot.yaml:1:1"
    assert lines == [
        f"{where}: command: missing, expected [PROGRAM, ARGUMENT, …] or {{uci: PROGRAM}}"
    ]
