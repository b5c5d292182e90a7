"""The tournaments that docs/rounds.md shows, and the cup among the examples, are read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arena.runs.config.tournament import load_tournament
from arena.schedule.keys import Stage
from tests.docs.protocol_page import ROOT

PAGE = (ROOT / "docs" / "rounds.md").read_text()


@pytest.mark.parametrize("kind", ["stages"])
def test_tournaments_that_are_shown_are_read(kind: str, tmp_path: Path) -> None:
    """The Swiss one and the knockout are played."""
    (text,) = re.findall(rf"```yaml {kind}\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "cup.yaml").write_text(text)
    (tmp_path / "bots").symlink_to(ROOT / "bots")
    (discipline,) = load_tournament(tmp_path / "cup.yaml").disciplines
    assert discipline.schedule.kind == kind


def test_the_cup_among_the_examples_is_in_stages() -> None:
    (discipline,) = load_tournament(ROOT / "tournaments" / "cup.yaml").disciplines
    assert [each.kind for each in discipline.schedule.parts] == ["swiss", "knockout"]


def test_every_key_of_a_knockout_has_a_row() -> None:
    rows = set(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE))
    assert rows == {*Stage.__struct_fields__} - {"kind", "rounds", "first"}
