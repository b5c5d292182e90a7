"""Where the dry run says that a value comes from: what a file says is no default, all else is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from arena.runs.config.texts import resolved_yaml
from arena.runs.config.tournament import load_tournament
from arena.values.problems import ConfigError

ROOT: Final = Path(__file__).parents[3]
_SHOWN: Final = re.compile(r"```yaml[^\n]*\n(.*?)```", re.DOTALL)
MORE: Final = {
    "stages": """
game: dragonheart
schedule:
  stages: [{kind: swiss, rounds: 2}, {kind: knockout}]
""",
    "stages of a game": """
game:
  rules: dragonheart
  schedule:
    stages: [{kind: knockout}]
""",
    "stages with their kind": """
game: dragonheart
schedule:
  kind: stages
  stages: [{kind: knockout}]
""",
    "isolation in a word": "game: dragonheart\nisolation: none\n",
    "isolation with more": "game: dragonheart\nisolation:\n  level: limits\n  readable: [/usr]\n",
    "several games": """
games:
  - dragonheart
  - {rules: dragonkrak, seats: 1, schedule: {deals: 3}}
  - rules: dragonkrak
    name: another
    options: {hero_value: declared}
schedule:
  deals: 7
  max_pairings: 1
""",
    "what is the default": """
game: dragonheart
names: shown
schedule: {kind: round_robin, deals: 50}
clock:
  pondering: on
  startup: 10 s
""",
    "a bank": "game: dragonheart\nclock: {bank: 5 s, increment: 1 s}\n",
}


def samples() -> dict[str, str]:
    """Tournament files, by where they stand: examples, those that pages show, and some more."""
    found = {path.name: path.read_text() for path in (ROOT / "tournaments").glob("*.yaml")}
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        for number, text in enumerate(_SHOWN.findall(page.read_text()), 1):
            if "arena: 1\n" in text and "\nentrants:" in text:
                found[f"{page.stem} {number}"] = text
    bots = "entrants: [{bot: ../bots/random}, {bot: ../bots/greedy}]\n"
    return found | {name: f"arena: 1\n{text}{bots}" for name, text in MORE.items()}


SAMPLES: Final = samples()


def leaves(node: yaml.Node, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], int]]:
    """The path of each value, games by their numbers, and the line it begins in, from 1."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield from leaves(value, (*path, key.value))
    elif isinstance(node, yaml.SequenceNode) and path == ("games",):
        for number, value in enumerate(node.value):
            yield from leaves(value, (*path, str(number)))
    else:
        yield path, node.start_mark.line + 1


def wanted(path: tuple[str, ...], written: dict[tuple[str, ...], int]) -> int | None:
    """The line of the file that a value of the dry run comes from; None: it is a default."""
    places = [path]
    if path[0] == "games":
        own = path[2:]
        places += [("game", *own)] if path[1] == "0" else []
        if own == ("rules",):
            places += [path[:2], ("game",)]
        if own[0] == "schedule":
            places.append(own)
        if own == ("schedule", "kind"):
            stages = (*own[:-1], "stages")
            places += [(*path[:2], *stages), ("game", *stages), stages]
    if path == ("isolation", "level"):
        places.append(("isolation",))
    return next((written[place] for place in places if place in written), None)


@pytest.mark.parametrize("name", SAMPLES)
def test_what_a_file_says_is_called_so_and_all_else_a_default(name: str, tmp_path: Path) -> None:
    for folder in ("bots", "tournaments"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    home = tmp_path / "cups"
    home.mkdir()
    (home / "bots").symlink_to(ROOT / "bots")
    file = home / "cup.yaml"
    file.write_text(SAMPLES[name])
    try:
        tournament = load_tournament(file)
    except ConfigError as error:
        if "needs the extension" in str(error):
            pytest.skip("a kind of schedule that is not here")
        assert name not in MORE
        assert not name.endswith(".yaml")
        pytest.skip("a file of a page with bots that are not here")
    written = dict(leaves(yaml.compose(SAMPLES[name])))
    text = resolved_yaml(tournament)
    lines = text.splitlines()
    told: dict[str, Any] = {}
    for path, line in leaves(yaml.compose(text)):
        if path[0] == "entrants":
            continue
        origin = lines[line - 1].rpartition("  # ")[2]
        number = wanted(path, written)
        if number is None:
            assert origin == "default", path
        else:
            assert re.fullmatch(rf".*:{number}", origin), (path, origin)
        told[origin] = path
    assert len(told) > 2
