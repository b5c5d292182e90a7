"""What docs/simulator.md shows works, and its tables have every field of a state."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from arena.games.base import Rules
from arena.games.registry import GAMES, make_rules, rules_spec
from arena.studies.vectors.cases import Layer, Wanted, cases
from tests.cli.shell import arena, bot

PAGE: Final = (Path(__file__).parents[2] / "docs" / "simulator.md").read_text("utf-8")
PROGRAMS: Final = dict(re.findall(r"^```python (\S+)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE))


@pytest.mark.process
def test_the_first_example_plays_a_game() -> None:
    code = PROGRAMS["simulator.py"]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert re.fullmatch(r"\(\d+, \d+\)\n", done.stdout)


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
    [case] = cases(rules, Wanted(layer, "1", 1))
    row = re.search(rf"^\| `{layer.value}` \|(.*)\|(.*)\|$", PAGE, re.MULTILINE)
    assert row is not None
    asked, answered = (set(re.findall(r"`(\w+)`", part)) for part in row.groups())
    where = {"rules", "seats", "options", "game", "ply", "deal"}
    assert case.question.keys() - where == asked
    assert case.answer.keys() == answered


@pytest.mark.parametrize("name", GAMES)
def test_every_field_of_a_state_is_described(name: str) -> None:
    title = GAMES[name].title
    [section] = re.findall(rf"^### {title}\n(.*?)(?=^##|\Z)", PAGE, re.DOTALL | re.MULTILINE)
    rows = re.findall(r"^\|(.*?)\|", section, re.MULTILINE)
    described = {word for row in rows for word in re.findall(r"`(\w+)`", row)}
    found: set[str] = set()
    for seats in GAMES[name].seats:
        rules = make_rules(rules_spec(name, seats))
        for case in cases(rules, Wanted(Layer.STEPS, "page", 300)):
            found.update(_fields(_without_events(case.answer["next"])))
    assert found == described


def _without_events(state: dict[str, Any]) -> dict[str, Any]:
    """Dragonrealm's incidents are events, which protocol.md describes."""
    return state | {"incidents": []} if "incidents" in state else state


def _fields(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _fields(each)
