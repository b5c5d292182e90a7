"""What docs/simulator.md shows works, and its tables have every call and every layer."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from arena.extensions.authors.vectors.cases import CaseSelection, cases
from arena.extensions.authors.vectors.exploring import Layer
from arena.games.base import Rules
from arena.games.registry import make_rules, rules_spec
from tests.cli.shell import arena, bot

PAGE: Final = (Path(__file__).parents[3] / "docs" / "simulator.md").read_text("utf-8")
PROGRAMS: Final = dict(re.findall(r"^```python (\S+)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE))


@pytest.mark.process
def test_the_first_example_plays_a_game() -> None:
    code = PROGRAMS["simulator.py"]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert re.fullmatch(r"\(\d+, \d+\)\n", done.stdout)


@pytest.mark.slow
@pytest.mark.process
def test_the_sampler_plays(tmp_path: Path) -> None:
    bot(tmp_path, "sampler", PROGRAMS["sampler.py"])
    bot(tmp_path, "dice")
    words = ("run", "-g", "dragonheart", "sampler", "dice", "-n", "1", "-o", "run", "-q", "-j", "1")
    done = arena(tmp_path, *words)
    assert done.code == 0, done.err
    assert (tmp_path / "run" / "games.jsonl").read_text().count('"completed"') == 2


def test_every_call_of_the_table_is_there() -> None:
    calls = set(re.findall(r"^\| `rules\.(\w+)\(", PAGE, re.MULTILINE))
    assert calls == {name for name in vars(Rules) if name[0] != "_"} - {
        *("info", "spec", "is_chance_possible")
    }


@pytest.mark.parametrize("layer", Layer)
def test_a_line_has_what_the_page_says(layer: Layer) -> None:
    rules = make_rules(rules_spec("dragonheart"))
    [case] = cases(rules, CaseSelection(layer, "1", 1))
    row = re.search(rf"^\| `{layer.value}` \|(.*)\|(.*)\|$", PAGE, re.MULTILINE)
    assert row is not None
    asked, answered = (set(re.findall(r"`(\w+)`", part)) for part in row.groups())
    where = {"rules", "seats", "options", "game", "ply", "deal"}
    assert case.question.keys() - where == asked
    assert case.answer.keys() == answered
