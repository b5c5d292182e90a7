"""Titles of entrants: which are refused, and that they decide nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.runs.config.tournament import Tournament, load_tournament
from arena.runs.identity import differences, identity, identity_digest
from arena.values.problems import ConfigError
from arena.values.titles import EXPECTED
from tests.tournament.folders import league, lines, write


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(league(tmp_path))


def load(first: str, second: str = "") -> Tournament:
    entrants = f"  - {{bot: ../bots/random{first}}}\n  - {{bot: ../bots/greedy{second}}}\n"
    text = f"arena: 1\ngame: dragonheart\nentrants:\n{entrants}"
    return load_tournament(write(Path("cups/t.yaml"), text))


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (f", title: {41 * 'x'}", "", f':4:34: entrants[0].title: found "{41 * "x"}", {EXPECTED}'),
        (', title: "a\\u202eb"', "", f':4:34: entrants[0].title: found "a\\u202eb", {EXPECTED}'),
        (', title: ""', "", f':4:34: entrants[0].title: found "", {EXPECTED}'),
        (
            ', title: "a\\x1b[1m"', "",
            f':4:34: entrants[0].title: found "a\\x1b[1m", {EXPECTED} (control characters are not '
            "allowed)",
        ),
        (
            ", title: 5", "",
            f":4:34: entrants[0].title: found 5, {EXPECTED} (in quotes it is text: '5')",
        ),
        (
            ", title: Änne", ", title: ÄNNE",
            ':5:34: entrants[1].title: found "ÄNNE" for "greedy", expected a title that does not '
            'look like "Änne" (random is called so)',
        ),
        (
            ", title: Greedy", "",
            ':4:34: entrants[0].title: found "Greedy" for "random", expected a title that does not '
            'look like "greedy" (greedy is called so)',
        ),
    ],
)  # fmt: skip
def test_what_is_refused(first: str, second: str, expected: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(first, second)
    shown = [line.removeprefix("cups/t.yaml") for line in lines(caught.value)]
    assert shown == [expected.replace(EXPECTED, f"expected {EXPECTED}")]


def test_a_pattern_of_folders_has_no_title() -> None:
    text = "arena: 1\ngame: dragonheart\nentrants: [{glob: ../bots/*, title: All}]\n"
    with pytest.raises(ConfigError, match=r"entrants\[0\].title: found a title, expected none"):
        load_tournament(write(Path("cups/t.yaml"), text))


def test_a_title_may_be_the_own_name_in_capitals_and_changes_nothing() -> None:
    plain, titled = identity(load("")), identity(load(", title: RANDOM", ", title: 日本"))
    assert titled.entrants["greedy"].title == "日本"
    assert differences(plain, titled) == []
    assert identity_digest(plain) == identity_digest(titled)
    assert all(each.is_same(titled.entrants[name]) for name, each in plain.entrants.items())
