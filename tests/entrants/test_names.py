"""Bots that come with arena: found by name, the same in a clone and in a wheel."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Final

import pytest

from arena.entrants import names
from arena.entrants.folders import folder_digest
from arena.entrants.names import BUILTIN, NAMES, players
from arena.extensions.matches.options import PlaySettings
from arena.extensions.matches.terms import match_terms
from arena.games.registry import GAMES
from arena.hosting.workspace.trees import is_foreign
from arena.runs.config.texts import resolved_yaml
from arena.runs.config.tournament import Tournament, load_tournament, quick_tournament
from arena.values.problems import ConfigError
from tests.games.games import OWN

ROOT: Final = Path(__file__).parents[2]


def of_file(folder: Path) -> Tournament:
    (folder / "cup.yaml").write_text(
        "arena: 1\ngame: dragonheart\nentrants: "
        "[{bot: builtin:greedy, name: rival}, {bot: builtin:greedy, options: {slips: 0.5}}]\n"
    )
    return load_tournament(folder / "cup.yaml")


def test_a_wheel_has_the_bots_that_can_be_named() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel["only-include"] == ["arena", *(f"bots/{name}" for name in NAMES)]
    assert wheel["sources"] == {"bots": "arena/bots"}


def test_they_are_bots_wherever_a_bot_is_named(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    both = ["builtin:greedy", "builtin:random"]
    file = tmp_path / "cup.yaml"
    found = {
        "command line": quick_tournament("dragonheart", both).entrants[0],
        "file": of_file(tmp_path).entrants[0],
        "match": match_terms(both, PlaySettings(games=("dragonheart",))).tournament.entrants[0],
        "match of a file": match_terms(both, PlaySettings(file=file)).tournament.entrants[0],
    }
    digest = folder_digest(ROOT / "bots" / "greedy", is_foreign)
    for where, entrant in found.items():
        assert (entrant.given, entrant.digest) == ("builtin:greedy", digest), where
        assert entrant.version, where
    names = [each.name for each in of_file(tmp_path).entrants]
    assert names == ["rival", "greedy"]
    assert 'bot: "builtin:greedy"' in resolved_yaml(of_file(tmp_path))


def test_a_wheel_has_them_in_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "arena"
    (package / "bots").mkdir(parents=True)
    monkeypatch.setattr(names.arena, "__file__", str(package / "__init__.py"))
    assert names.builtin_folder("builtin:random") == package / "bots" / "random"


@pytest.mark.parametrize(
    ("game", "bots", "message"),
    [
        ("dragonheart", ["builtin:gredy"] * 2, 'sampler, ismcts (did you mean "builtin:greedy"?)'),
        (
            "dragonheart",
            ["builtin:"] * 2,
            'found "builtin:", expected builtin: and one of random, first-legal, collector, '
            "greedy, sampler, ismcts",
        ),
        (
            "dragonheart",
            ["builtin:greedy@v1", "builtin:random"],
            'found "builtin:greedy@v1", expected "builtin:greedy": a builtin bot has no revisions',
        ),
        ("dragonheart", ["bots/random"] * 2, '(did you mean "builtin:random"?)'),
        (
            "dragonkrak",
            ["builtin:collector", "builtin:random"],
            'bot "collector" does not play dragonkrak at 2 seats (by its bot.yaml not at all; of '
            "the builtin bots random, first-legal, greedy, sampler, ismcts play it)",
        ),
    ],
)
def test_what_cannot_be_had_is_one_line(game, bots, message, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError) as caught:
        quick_tournament(game, bots)
    lines = str(caught.value.problems[0]).splitlines()
    assert len(lines) == 1
    assert message in lines[0]


def test_builtin_bots_play_every_game() -> None:
    for game in OWN:
        for seats in GAMES[game].seats:
            assert {*players(game, seats)} >= {*NAMES} - {"collector"}
    assert players("kuhn", 2) == ["random", "first-legal"]


def test_a_folder_with_such_a_name_is_reached_by_a_path(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    home = tmp_path / f"{BUILTIN}mine"
    home.mkdir()
    (home / "bot.yaml").write_text("bot: 1\nname: mine\ncommand: [python3, main.py]\n")
    found = quick_tournament("dragonheart", [f"./{BUILTIN}mine", "builtin:random"])
    assert [each.name for each in found.entrants] == ["mine", "random"]
