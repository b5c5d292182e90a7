"""No key of a tournament file is read and then forgotten: by the dry run, or by the identity."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec
import pytest

from arena.cli.documents import schema_tournament
from arena.entrants.manifest import EntrantFile, IsolationFile
from arena.games.registry import GAMES
from arena.runs.config.keys import (
    ClockFile,
    Execution,
    GameFile,
    OutputFile,
    PositionsFile,
    Ratings,
    TournamentFile,
)
from arena.runs.config.texts import resolved_yaml
from arena.runs.config.tournament import Tournament, load_tournament
from arena.runs.identity import differences, identity, identity_digest
from arena.runs.manifest import Identity
from arena.schedule.keys import SHARED_KEYS, Bonus, Ranking, Schedule, Stage, WinPoints
from arena.schedule.kinds.kind import KINDS
from arena.values.problems import ConfigError
from arena.values.results import Adjudicate, AgreedDraw, BreakerPolicy, Learning, Limits, Resign
from tests.nim.nim_game import GAME as NIM
from tests.tournament.folders import write, write_bot

CUP: Final = """\
arena: 1
games:
  - {rules: dragonkrak, seats: 2}
  - {rules: dragonkrak, seats: 2, name: more}
entrants:
  - {bot: ../bots/a}
  - {bot: ../bots/b}
  - {command: python3 main.py, name: c, cwd: ../bots/a}
seed: hush
"""

SECTIONS: Final[dict[str, type[msgspec.Struct]]] = {
    "": TournamentFile,
    "games.0": GameFile,
    "games.0.positions": PositionsFile,
    "games.0.adjudicate": Adjudicate,
    "games.0.adjudicate.resign": Resign,
    "games.0.adjudicate.draw": AgreedDraw,
    "entrants.0": EntrantFile,
    "schedule": Schedule,
    "schedule.stages.0": Stage,
    "clock": ClockFile,
    "limits": Limits,
    "isolation": IsolationFile,
    "breaker": BreakerPolicy,
    "execution": Execution,
    "learning": Learning,
    "output": OutputFile,
    "ratings": Ratings,
    "ranking": Ranking,
    "ranking.points": WinPoints,
    "ranking.bonus": Bonus,
}
"""Where the keys of each are written."""

ONE: Final = "entrants.0={command: python3 main.py, name: a, cwd: bots/a}"
TWO: Final = "entrants=[{bot: bots/a}, {bot: bots/b}]"

_MORE: Final = ", ".join(f"{{bot: bots/a, name: {name}}}" for name in "cdef")
SIX: Final = f"entrants=[{{bot: bots/a}}, {{bot: bots/b}}, {_MORE}]"

KNOCKOUT: Final = "schedule={kind: knockout}"
STAGES: Final = "schedule.stages=[{kind: knockout}]"
ONLY: Final = "games=[{rules: dragonkrak, seats: 2}]"

ALONE: Final = {
    "": {"name": "other", "notes": "for people", "seed": "else", "names": "hidden"}
    | {"on_fault": "end", "on_build_failure": "withdraw"},
    "games.0.": {"name": "other", "rules": "dragonrealm", "seats": "3", "entrants": "[a, b]"}
    | {"options": "{hero_value: declared}", "schedule": "{deals: 7}"},
    "entrants.0.": {"bot": "bots/other", "name": "z", "title": "Zet", "options": "{samples: 3}"}
    | {"env": "{KEY: value}", "isolation": "none"},
    "schedule.": {"deals": "7", "seatings": "all", "max_pairings": "2"},
    "clock.": {"move": "2 s", "bank": "20 s", "startup": "3 s", "pondering": "off"}
    | {"margin": "20 ms"},
    "limits.": {"reply": "1 KiB", "stderr": "1 KiB", "memory": "none", "processes": "3"}
    | {"cpu": "1 min", "disk": "none", "files": "99"},
    "isolation.": {"level": "none", "readable": "[bots]"},
    "breaker.": {"faults": "20 %", "after": "9", "starts": "9", "then": "stop"},
    "execution.": {"workers": "3", "pin": "false", "fresh": "true", "on": "dask"}
    | {"log_wire": "all"},
    "output.": {"folder": "elsewhere", "formats": "[md]"},
    "ratings.": {"anchor": "a"},
}
"""By section what may be set without anything else."""
OF_KNOCKOUTS: Final = {
    "lives": "2", "seeding": "equal_distance", "seeded": "0", "third_place": "true",
    "decide": "test", "most": "100", "sudden_death": "5",
}  # fmt: skip
OTHER: Final[dict[str, tuple[str, ...]]] = {
    **{f"{at}{key}": (f"{at}{key}={v}",) for at, own in ALONE.items() for key, v in own.items()},
    **{
        f"schedule.{key}": (ONLY, KNOCKOUT, f"schedule.{key}={v}")
        for key, v in OF_KNOCKOUTS.items()
    },
    **{
        f"schedule.stages.0.{key}": (
            ONLY,
            STAGES,
            f"schedule.stages=[{{kind: knockout, {key}: {v}}}]",
        )
        for key, v in {"deals": "7", **OF_KNOCKOUTS}.items()
    },
    "learning.size": (ONLY, KNOCKOUT, "learning.size=2 KiB"),
    "learning.files": (ONLY, KNOCKOUT, "learning.files=3"),
    "games.0.data": ("games.0={rules: dragonheart}", "games.0.data=deck.yaml"),
    "games.0.by": (ONLY, "games.0.by=margin"),
    "games.0.positions": ("games.0.positions={random_plies: 3}",),
    "games.0.positions.random_plies": (
        "games.0.positions={random_plies: 3}",
        "games.0.positions.random_plies=4",
    ),
    "games.0.adjudicate": ("games.0.adjudicate={resign: {moves: 3, eval: 6}}",),
    "games.0.adjudicate.resign": (
        "games.0.adjudicate={draw: {moves: 8, eval: 1}}",
        "games.0.adjudicate.resign={moves: 3, eval: 6}",
    ),
    "games.0.adjudicate.draw": (
        "games.0.adjudicate={resign: {moves: 3, eval: 6}}",
        "games.0.adjudicate.draw={moves: 8, eval: 1}",
    ),
    **{
        f"games.0.adjudicate.{end}.{key}": (
            f"games.0.adjudicate={{{end}: {{moves: 3, eval: 1}}}}",
            f"games.0.adjudicate.{end}.{key}=2",
        )
        for end, key in (
            ("resign", "moves"),
            ("resign", "eval"),
            ("draw", "moves"),
            ("draw", "eval"),
            ("draw", "after"),
        )
    },
    "games.0.positions.file": (
        "games.0={rules: nim, positions: {file: one.book}}",
        "games.0.positions.file=two.book",
    ),
    "games.0.positions.order": (
        "games.0={rules: nim, positions: {file: one.book}}",
        "games.0.positions.order=file",
    ),
    "entrants.0.glob": ("entrants.0={glob: bots/ot*}",),
    "entrants.0.command": (ONE, "entrants.0.command=python3 other.py"),
    "entrants.0.cwd": (ONE, "entrants.0.cwd=bots/b"),
    "schedule.kind": (TWO, "schedule.kind=match"),
    "schedule.lineup": (TWO, "schedule.kind=match", "schedule.lineup=even"),
    "schedule.focus": ("schedule={kind: gauntlet, focus: [a]}", "schedule.focus=[b]"),
    "schedule.pairings": (
        "schedule={kind: pairings, pairings: [[a, b], [b, c]]}",
        "schedule.pairings=[[a, b], [a, c]]",
    ),
    "schedule.rounds": (ONLY, "schedule={kind: swiss, rounds: 3}", "schedule.rounds=4"),
    "schedule.advance": ("games=[{rules: dragonkrak, seats: 3}]", KNOCKOUT, "schedule.advance=2"),
    "schedule.of": (ONLY, SIX, "schedule={kind: groups, of: 3}", "schedule.of=4"),
    "schedule.draw": (ONLY, SIX, "schedule={kind: groups, of: 3}", "schedule.draw=seeded"),
    "schedule.second_final": (
        ONLY,
        "schedule={kind: knockout, lives: 2}",
        "schedule.second_final=false",
    ),
    "schedule.stages": (ONLY, STAGES, "schedule.stages=[{kind: round_robin}]"),
    "schedule.stages.0.kind": (ONLY, STAGES, "schedule.stages=[{kind: round_robin}]"),
    "schedule.stages.0.first": (
        ONLY,
        "schedule.stages=[{kind: round_robin}, {kind: knockout}]",
        "schedule.stages=[{kind: round_robin}, {kind: knockout, first: 2}]",
    ),
    "schedule.stages.0.rounds": (
        ONLY,
        "schedule.stages=[{kind: swiss, rounds: 2}]",
        "schedule.stages=[{kind: swiss, rounds: 3}]",
    ),
    "schedule.stages.0.advance": (
        "games=[{rules: dragonkrak, seats: 3}]",
        STAGES,
        "schedule.stages=[{kind: knockout, advance: 2}]",
    ),
    **{
        f"schedule.stages.0.{key}": (
            *(ONLY, SIX, "schedule.stages=[{kind: groups, of: 4}]"),
            f"schedule.stages=[{{kind: groups, {value}}}]",
        )
        for key, value in {"of": "of: 3", "draw": "of: 4, draw: seeded"}.items()
    },
    "schedule.stages.0.second_final": (
        ONLY,
        "schedule.stages=[{kind: knockout, lives: 2}]",
        "schedule.stages=[{kind: knockout, lives: 2, second_final: false}]",
    ),
    "clock.increment": ("clock.bank=20 s", "clock.increment=1 s"),
    "clock.moves": ("clock.bank=20 s", "clock.moves=40"),
    "ratings.elo": ("ratings={anchor: a}", "ratings.elo=9"),
    "ranking.points": ("ranking.points={win: 3, draw: 1}",),
    **{
        f"ranking.points.{key}": ("ranking.points={win: 3, draw: 2}", f"ranking.points.{key}={v}")
        for key, v in {"win": "4", "draw": "1", "loss": "0.5"}.items()
    },
    "ranking.bonus": ("ranking.order=[PTS]", "ranking.bonus={margin: 5}"),
    **{
        f"ranking.bonus.{key}": ("ranking.bonus={margin: 5}", f"ranking.bonus.{key}=2")
        for key in ("points", "margin", "within")
    },
    "ranking.order": ("ranking.points={win: 3, draw: 1}", "ranking.order=[points, DE, BH-C1]"),
}
"""By key, overrides the last of which gives it another value than it had before that."""

NOT_SHOWN: Final = {"seed", "entrants.0.env"}
"""Secrets."""
CHANGE_NOTHING: Final = {
    *("name", "notes", "seed"),
    *("execution.workers", "execution.pin", "execution.fresh", "execution.on"),
    *("execution.log_wire", "on_build_failure"),
    *("output.folder", "output.formats", "entrants.0.cwd"),
    "entrants.0.title",
}
"""Keys after which a run goes on: no result depends on them."""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    options = "options: {samples: {type: int, default: 2}}\n"
    for name in ("a", "b", "other"):
        manifest = f"bot: 1\nname: {name}\ncommand: [python3, main.py]\n{options}"
        write_bot(Path("bots") / name, manifest)
    write(Path("cups/cup.yaml"), CUP)
    monkeypatch.setitem(GAMES.loaded, "nim", NIM)
    write(Path("one.book"), "7 0\n8 0\n")
    write(Path("two.book"), "7 0\n9 0\n")
    game = GAMES["dragonheart"]
    deck = game.text(str(game.data_file))
    write(Path("deck.yaml"), deck.replace("data_id: ", "data_id: my-"))


def load(overrides: tuple[str, ...]) -> Tournament:
    return load_tournament(Path("cups/cup.yaml"), overrides)


def shown(tournament: Tournament) -> list[str]:
    """The dry run without the origins of values."""
    return [line.partition("  # ")[0] for line in resolved_yaml(tournament).splitlines()]


def keys() -> list[str]:
    """Of the whole file, as ``--set`` names them, without those that only hold other keys."""
    above = {section.partition(".")[0] for section in SECTIONS} | {"arena", "game"}
    return [
        f"{section}.{field}".removeprefix(".")
        for section, struct in SECTIONS.items()
        for field in struct.__struct_fields__
        if section or field not in above
    ]


def test_every_key_has_another_value_here() -> None:
    mappings = {n for n, each in schema_tournament()["$defs"].items() if each.get("type")}
    assert {each.__name__ for each in SECTIONS.values()} == mappings | {"TournamentFile"}
    assert {*keys()} == {*OTHER}, "give OTHER what a new key may be set to"


@pytest.mark.extensions("rounds")
@pytest.mark.parametrize("section", SECTIONS)
def test_a_dry_run_shows_every_key_that_is_no_secret_and_the_identity_what_counts(
    section: str,
) -> None:
    """A run is another one with every key that may change a result."""
    own = [key for key in keys() if key.rpartition(".")[0] == section]
    assert own
    for key in own:
        *first, last = OTHER[key]
        before, after = load((*first,)), load((*first, last))
        assert (shown(before) == shown(after)) == (key in NOT_SHOWN), key
        found = differences(identity(before), identity(after))
        stored = msgspec.json.decode(msgspec.json.encode(identity(after)), type=Identity)
        assert identity_digest(stored) == identity_digest(identity(after)), f"{key}: in run.json"
        assert bool(found) == (key not in CHANGE_NOTHING), key


@pytest.mark.extensions("rounds")
def test_every_key_of_a_schedule_belongs_to_some_kind() -> None:
    own = (kind.keys for kind in KINDS.values())
    assert SHARED_KEYS.union(*own) == {*Schedule.__struct_fields__}


@pytest.mark.parametrize("kind", [*KINDS])
def test_a_key_of_another_kind_is_refused(kind: str) -> None:
    for key in sorted({*Schedule.__struct_fields__} - SHARED_KEYS - KINDS[kind].keys):
        path = f"schedule.{key}"
        written = next(each for each in reversed(OTHER[path]) if each.startswith(path))
        with pytest.raises(ConfigError) as caught:
            load((TWO, written, f"schedule.kind={kind}"))
        found = f"found {key} with the kind {kind}"
        assert (path, found) in {(each.path, each.found) for each in caught.value.problems}, key
