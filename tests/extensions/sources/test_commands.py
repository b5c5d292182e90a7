"""Bots at git revisions, as commands take them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.shell import BOT, arena, bot
from tests.entrants.repositories import commit, git

pytestmark = [pytest.mark.slow, pytest.mark.process]


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """Two bots that play, in a repository."""
    repo = tmp_path / "repo"
    repo.mkdir()
    git(repo, "init", "--quiet", "-b", "main")
    for name in ("anna", "berta"):
        bot(repo, name)
    (repo / ".gitignore").write_text("/runs/\n")
    commit(repo, "Two bots")
    git(repo, "tag", "v1")
    return repo


def games(folder: Path) -> list[set[str]]:
    lines = (folder / "games.jsonl").read_text().splitlines()
    return [set(json.loads(line)["result"]["spec"]["entrants"]) for line in lines]


def test_a_run_finds_the_same_bytes_again_and_a_moved_branch_is_a_new_version(repo) -> None:
    (repo / "cup.yaml").write_text(
        "arena: 1\ngame: dragonheart\nseed: 1\nschedule: {deals: 1}\n"
        "entrants: [{bot: anna@main}, {bot: berta@v1}]\n"
    )
    assert arena(repo, "run", "cup.yaml").code == 0
    run = repo / "runs/cup"
    first = games(run)
    assert first == [{"anna-main", "berta-v1"}] * 2
    # not committed, then committed elsewhere: neither is the bot of the branch
    (repo / "anna/main.py").write_text("raise SystemExit\n")
    for target in ("cup.yaml", "runs/cup"):
        done = arena(repo, "run", target)
        assert (done.code, "2 games are stored, 0 to play" in done.err) == (0, True), done.err
    (repo / "anna/main.py").write_text(BOT + "# better\n")
    commit(repo, "Better")
    shutil.rmtree(repo / "berta")
    done = arena(repo, "run", "runs/cup")
    assert done.code == 0, done.err
    assert "anna-main@2 enters: anna-main has changed since" in done.err
    assert games(run) == [*first, *[{"anna-main@2", "berta-v1"}] * 2]
    assert arena(repo, "verify", "runs/cup").code == 0
    asked = arena(repo, "try", "anna@v1", "--from", "runs/cup#1")
    assert asked.code == 0, asked.err


def test_a_bot_of_then_plays_and_is_checked_and_asked_again(repo: Path) -> None:
    (repo / "anna/bot.yaml").write_text("bot: 2\n")
    (repo / "anna/main.py").write_text("raise SystemExit\n")
    commit(repo, "Broken")
    done = arena(repo, "run", "-g", "dragonheart", "anna@v1", "berta", "-n", "1", "-q")
    assert (done.code, "anna-v1" in done.out) == (0, True), done.err
    assert arena(repo, "try", "anna@v1", "--against", "berta@main").code == 0
    good = arena(repo, "check", "anna@v1", "-g", "dragonheart")
    assert (good.code, "it would lose no game by a fault" in good.out) == (0, True), good.out
    bad = arena(repo, "check", "anna@main")
    assert (bad.code, "fault: bad-manifest" in bad.out) == (1, True), bad.out


def test_a_check_of_then_gives_the_advice_for_a_bot_of_new_bot(repo: Path) -> None:
    assert arena(repo, "new-bot", "mine", "--language", "python").code == 0
    path = repo / "mine/dragonheart.py"
    head = next(line for line in path.read_text().splitlines() if line.startswith("def choose"))
    path.write_text(path.read_text().replace(head, f"{head}\n    return 99\n"))
    commit(repo, "A bot")
    now, then = (
        arena(repo, "check", bot, "-g", "dragonheart").out.splitlines()
        for bot in ("mine", "mine@main")
    )
    advice = [line for line in now if line.startswith(("  mend", "  code"))]
    assert "  mend  let choose return an index into legal: from 0, below its length" in advice
    assert [line for line in then if line.startswith(("  mend", "  code"))] == advice


@pytest.mark.extensions("studies")
@pytest.mark.parametrize(
    "words",
    [
        ("run", "-g", "dragonheart", "anna@v2", "berta"),
        ("play", "dragonheart", "--against", "anna@v2"),
        ("try", "anna@v2"),
        ("check", "anna@v2"),
        ("compare", "anna@v2", "berta", "-g", "dragonheart"),
        ("compare", "anna", "berta", "--baseline", "anna@v2", "-g", "dragonheart"),
        ("compare", "anna", "anna@v2", "berta", "--best", "-g", "dragonheart"),
        ("tune", "anna@v2", "--param", "depth", "-g", "dragonheart"),
    ],
)
def test_a_revision_that_is_not_there(words: tuple[str, ...], repo: Path) -> None:
    done = arena(repo, *words)
    assert done.code == 2
    assert 'no such revision: "v2", expected a commit, branch or tag of ' in done.err
    assert "Traceback" not in done.err
