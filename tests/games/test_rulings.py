"""Every ruling on a title's page is named by a test of that title, and the other way round."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arena.games.registry import GAMES
from tests.games.games import OWN

_ROW = re.compile(r"^\| ([A-Z]+-\d\d) \|", re.MULTILINE)


@pytest.mark.parametrize("name", OWN)
def test_every_ruling_is_named_by_a_test(name: str) -> None:
    listed = _ROW.findall(GAMES[name].page())
    assert listed
    numbers = [int(ruling.partition("-")[2]) for ruling in listed]
    assert numbers == list(range(1, len(listed) + 1))
    letters = listed[0].partition("-")[0]
    named = re.compile(rf"\b{letters}-\d\d\b")
    tests = (Path(__file__).parents[1] / "extensions" / "games" / name).glob("test_*.py")
    tested = {ruling for path in tests for ruling in named.findall(path.read_text("utf-8"))}
    assert sorted(set(listed) - tested) == []
    assert sorted(tested - set(listed)) == []


@pytest.mark.parametrize("name", OWN)
def test_endings_are_rulings(name: str) -> None:
    page = GAMES[name].page()
    assert set(GAMES[name].endings) <= set(_ROW.findall(page))
