from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from arena.documents.problems import ConfigError
from arena.entrants.history import CommitHistory, history
from tests.entrants.repositories import commit, git, repository
from tests.tournament.folders import write, write_bot

pytestmark = [pytest.mark.slow, pytest.mark.process, pytest.mark.usefixtures("leaves_nothing")]

MINE: Final = "bots/mine"


@pytest.fixture(autouse=True)
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    repo = repository(tmp_path / "repo")
    monkeypatch.chdir(repo)
    return repo


def put(repo: Path, *states: str) -> list[str]:
    """A commit for each state of the bot; ``-``: one that does not touch it."""
    return [_put(repo, state, number) for number, state in enumerate(states)]


def _put(repo: Path, state: str, number: int) -> str:
    if state == "-":
        write(repo / "README", f"{number}\n")
    else:
        write(repo / MINE / "main.py", f"print({state!r})\n")
    return commit(repo, f"{state} {number}")


def subjects(found: CommitHistory) -> list[str]:
    return [change.subject for change in found.changes]


def refusal(good: str, bad: str, folder: str = MINE) -> str:
    with pytest.raises(ConfigError) as caught:
        history(folder, good, bad)
    return str(caught.value.problems[0])


@pytest.mark.parametrize(
    ("states", "expected"),
    [
        ("ab", ["a 0", "b 1"]),
        ("-a-b-", ["a 1", "b 3"]),
        ("aab", ["a 0", "b 2"]),
        ("abc", ["a 0", "b 1", "c 2"]),
        ("abac", ["a 0", "b 1", "a 2", "c 3"]),
        ("acbc", ["a 0", "c 1"]),
    ],
)
def test_the_changes_of_the_folder(repo: Path, states: str, expected: Sequence[str]) -> None:
    put(repo, *states)
    found = history(MINE, "v1", "HEAD")
    assert subjects(found) == expected
    assert found.good.commit == git(repo, "rev-parse", "v1")
    assert found.good.subject == "Two bots"
    assert found.changes[0].author == "Ada"
    assert found.changes[0].date == git(repo, "log", "-1", "--format=%aI", found.changes[0].commit)


def test_a_return_to_the_good_state_is_a_new_start(repo: Path) -> None:
    good = put(repo, "a")[0]
    put(repo, "b", "c", "a", "d", "e")
    assert subjects(history(MINE, good, "HEAD")) == ["d 3", "e 4"]


def test_changes_that_were_undone_are_known(repo: Path) -> None:
    put(repo, *"abcad")
    assert [list(each) for each in history(MINE, "v1", "HEAD").repeated] == [[1, 2, 3]]


def test_a_merge_counts_as_one_change(repo: Path) -> None:
    put(repo, "a")
    git(repo, "checkout", "-q", "-b", "side")
    put(repo, "b", "c")
    git(repo, "checkout", "-q", "main")
    put(repo, "-")
    git(repo, "merge", "-q", "--no-ff", "-m", "Merge", "side")
    assert subjects(history(MINE, "v1", "HEAD")) == ["a 0", "Merge"]
    assert subjects(history(MINE, "side~1", "HEAD")) == ["Merge"], "good may lie beside"


def test_a_time_without_the_bot(repo: Path) -> None:
    shutil.rmtree(repo / MINE)
    commit(repo, "Gone")
    write_bot(repo / MINE)
    put(repo, "b")
    found = history(MINE, "v1", "HEAD")
    assert subjects(found) == ["Gone", "b 0"]
    assert not found.changes[0].tree


def test_the_whole_repository_and_names_like_patterns(repo: Path) -> None:
    write_bot(repo / "[a]*")
    write_bot(repo / "a1")
    good = commit(repo, "Names")
    write(repo / "a1" / "main.py", "x\n")
    commit(repo, "Not of the other")
    write(repo / "[a]*" / "main.py", "x\n")
    commit(repo, "Of the one")
    assert subjects(history("[a]*", good, "HEAD")) == ["Of the one"]
    assert subjects(history(".", good, "HEAD")) == ["Not of the other", "Of the one"]


def _sign(repo: Path) -> None:
    """Put a signature to the last commit."""
    head, _, message = git(repo, "cat-file", "commit", "HEAD").partition("\n\n")
    lines = ("gpgsig -----BEGIN PGP SIGNATURE-----", " ", " x", " -----END PGP SIGNATURE-----")
    signed = "\n".join([head, *lines, "", message, ""])
    name = git(repo, "hash-object", "-t", "commit", "-w", "--stdin", stdin=signed.encode())
    git(repo, "reset", "--soft", name)


@pytest.mark.parametrize("name", [":!odd", ":(top)odd", "-x", "two\nlines", "ünïcode"])
def test_a_name_that_git_would_read_in_another_way(repo: Path, name: str) -> None:
    write_bot(repo / name, (repo / MINE / "bot.yaml").read_text())
    good = commit(repo, "Names")
    put(repo, "a")
    write(repo / name / "main.py", "x\n")
    commit(repo, "Of this one")
    assert subjects(history(f"./{name}", good, "HEAD")) == ["Of this one"]


def test_what_a_repository_sets_does_not_matter(repo: Path, tmp_path: Path) -> None:
    mark = tmp_path / "started"
    script = write(tmp_path / "evil.sh", f"#!/bin/sh\ntouch {mark}\n")
    script.chmod(0o755)
    put(repo, "a", "b")
    _sign(repo)
    for key, value in {
        "log.showSignature": "true",
        "gpg.program": str(script),
        "core.pager": str(script),
        "diff.external": str(script),
        "log.follow": "true",
        "log.diffMerges": "on",
        "log.decorate": "full",
        "format.pretty": "fuller",
        "log.date": "relative",
    }.items():
        git(repo, "config", key, value)
    git(repo, "replace", "HEAD~1", "HEAD")
    assert subjects(history(MINE, "v1", "HEAD")) == ["a 0", "b 1"]
    assert not mark.exists()


def test_what_cannot_be_searched(repo: Path, tmp_path: Path) -> None:
    put(repo, "-")
    assert refusal("v1", "HEAD").endswith("the folder is as it was at v1, so nothing was lost")
    put(repo, "a")
    assert "(it is the other way round: good has to be the older one)" in refusal("HEAD", "v1")
    git(repo, "checkout", "-q", "-b", "side", "v1")
    put(repo, "b")
    assert '"main" is no ancestor of "side"' in refusal("main", "side")
    assert "no such revision" in refusal("v9", "side")
    assert 'there was no folder "bots/new" at' in refusal("v1", "side", "bots/new")


def test_the_other_side_of_a_merge_changed_nothing_here(repo: Path) -> None:
    git(repo, "checkout", "-q", "-b", "side")
    put(repo, "b")
    git(repo, "checkout", "-q", "main")
    put(repo, "-")
    git(repo, "merge", "-q", "-s", "ours", "-m", "Merge", "side")
    assert "no commit since side changed the folder on this branch" in refusal("side", "HEAD")
