"""How fast games become tables, how large these are, and how much memory that takes.

    python -m benchmarks.tables [--plies N] [--game GAME] [--only TABLE] [--format FORM] [-j N]

Writes a run of N plies from 100 games of random choices of Dragonheart (or of GAME for two), whose
think times are drawn for each game, and exports it. The yardstick of each round is the time in
which the rules apply the same plies and list the legal actions, without records and files. Needs
pyarrow for Parquet.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from itertools import product
from pathlib import Path
from typing import Any, Final

import msgspec

from arena.games.base import CHANCE, NOBODY, Rules
from arena.games.luck import Luck, derive_key
from arena.games.registry import facts_of, make_rules, rules_spec
from arena.hosting.sandbox.isolation import Isolation, Level
from arena.referee.records.format import End, Header, Measured, Ply, Record, data_digest, pack
from arena.runs.config.keys import Names
from arena.runs.field import EntrantIdentity
from arena.runs.manifest import FORMAT, Identity, Machine, Manifest
from arena.runs.store import RECORDS, RecordLocation, Stored
from arena.schedule.keys import Discipline, Schedule
from arena.values.results import (
    BreakerPolicy,
    GameResult,
    GameSpec,
    Limits,
    OnFault,
    Termination,
    TimeControl,
)

_DIFFERENT: Final = 100
_FORMS: Final = ("parquet", "jsonl")
_CHILD: Final = """
import resource, sys
from arena.cli import main
code = 0
try:
    main()
except SystemExit as end:
    code = end.code
own, others = (resource.getrusage(of) for of in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
cpu = own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime
print(code, cpu, own.ru_maxrss / 1024, others.ru_maxrss / 1024, file=sys.stderr)
"""


def main() -> int:
    options = _options()
    with tempfile.TemporaryDirectory(prefix="arena-tables-") as scratch:
        folder = Path(scratch)
        plies = write_run(folder / "run", options.game, options.plies)
        print(f"{options.game}: {plies:,} plies, {sys.version.split()[0]}")
        for number in range(options.rounds):
            alone = rules_alone(options.game)
            print(f"round {number + 1}: rules alone {1e6 * alone:.1f} us a ply")
            for table in options.only or ("plies", "decisions"):
                for form, workers in product(options.format or _FORMS, options.workers or [1]):
                    _measure(folder, table, form, plies, alone, workers)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tables", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--plies", type=int, default=200_000, metavar="N")
    parser.add_argument("--game", default="dragonheart")
    parser.add_argument("--only", action="append", metavar="TABLE")
    parser.add_argument("--format", action="append", metavar="FORMAT")
    parser.add_argument("--workers", "-j", action="append", type=int, metavar="N")
    parser.add_argument("--rounds", type=int, default=1, metavar="N")
    return parser.parse_args()


def _measure(folder: Path, table: str, form: str, plies: int, alone: float, workers: int) -> None:
    target = folder / "data"
    began = time.perf_counter()
    command = [sys.executable, "-c", _CHILD, "export", str(folder / "run"), "--tables", table]
    done = subprocess.run(
        [*command, "--format", form, "-o", str(target), "--force", "-j", str(workers)],
        capture_output=True,
        text=True,
        check=True,
    )
    seconds = time.perf_counter() - began
    code, cpu, memory, others = done.stderr.splitlines()[-1].split()
    if code not in ("0", "None"):
        raise RuntimeError(done.stderr)
    rows = int(done.stdout.split()[-2])
    size = (target / f"{table}.{form}").stat().st_size
    seen = f"{rows / seconds:9,.0f} rows/s, {rows / float(cpu):9,.0f} a CPU second"
    ratio = f"{float(cpu) / plies / alone:5.2f} x the rules alone"
    print(f"  {table:9} {form:7} {seen}, {ratio}, {size / rows:7.1f} bytes a row")
    print(f"    {workers} workers: {seconds:.1f} s, {memory} MiB, each worker at most {others} MiB")


def write_run(folder: Path, game: str, plies: int) -> int:
    """Write a run of at least ``plies`` plies; return how many it has."""
    rules = make_rules(rules_spec(game, 2))
    played = [played_game(rules, number) for number in range(_DIFFERENT)]
    mean = sum(len(each[0]) for each in played) / len(played)
    discipline = Discipline(
        f"{game}-2",
        rules.spec,
        ("greedy", "random"),
        Schedule(deals=max(1, round(plies / mean / 2))),
    )
    manifest = _manifest(discipline)
    folder.mkdir()
    (folder / "records").mkdir()
    (folder / "run.json").write_bytes(msgspec.json.encode(manifest))
    (folder / "seed.json").write_text("{}")
    schedule, chance, total, offset = manifest.schedule(), random.Random(1), 0, 0
    with (folder / RECORDS).open("wb") as records, (folder / "games.jsonl").open("wb") as lines:
        for number in range(schedule.games):
            spec = schedule.game_at(number)
            moves, end = played[number % _DIFFERENT]
            times = tuple(_think_time(chance, ply) for ply in moves)
            packed, digest = pack(Record(_header(spec, rules), moves, end, _measured(times)))
            think = [0, 0]
            for ply, used in zip(moves, times, strict=True):
                think[ply.seat or 0] += used
            result = GameResult(
                spec, end.termination, end.places, end.plies, digest, end.scores, (), tuple(think)
            )
            stored = Stored(result, RecordLocation(RECORDS, offset, len(packed)), 0)
            lines.write(msgspec.json.encode(stored) + b"\n")
            records.write(packed)
            offset += len(packed)
            total += end.plies
    return total


def _think_time(chance: random.Random, ply: Ply) -> int:
    return 0 if ply.seat is None else round(chance.lognormvariate(6, 1))


def _measured(times: tuple[int, ...]) -> Measured:
    return Measured(times, sum(times))


def _header(spec: GameSpec, rules: Rules[Any, Any]) -> Header:
    own = rules.spec
    return Header(1, spec, own.name, own.options, data_digest(own), (1, 2), OnFault.AUTOPILOT)


def played_game(rules: Rules[Any, Any], number: int) -> tuple[tuple[Ply, ...], End]:
    """A game of random choices."""
    luck, choices = Luck(derive_key("deal", number)), random.Random(number)
    state, played = rules.initial_state(), list[Ply]()
    while (seat := rules.to_act(state)) != NOBODY:
        is_chance = seat == CHANCE
        action = (
            rules.chance(state, luck) if is_chance else choices.choice(rules.legal_actions(state))
        )
        played.append(Ply(len(played), msgspec.to_builtins(action), None if is_chance else seat))
        state = rules.apply(state, action)
    scores, places, ruling = rules.outcome(state) or ((), (), "")
    return tuple(played), End(len(played), Termination.COMPLETED, places, scores, (), ruling)


def rules_alone(game: str) -> float:
    """Seconds in which the rules apply a ply and list the legal actions."""
    rules = make_rules(rules_spec(game, 2))
    games = [
        [rules.decode_action(ply.action) for ply in played_game(rules, number)[0]]
        for number in range(_DIFFERENT)
    ]
    began, plies = time.process_time(), 0
    while time.process_time() < began + 1:
        for game_actions in games:
            state = rules.initial_state()
            for action in game_actions:
                if rules.to_act(state) >= 0:
                    rules.legal_actions(state)
                state = rules.apply(state, action)
            plies += len(game_actions)
    return (time.process_time() - began) / plies


def _manifest(discipline: Discipline) -> Manifest:
    bot = EntrantIdentity(digest="", command=(), options={}, isolation=Isolation.LIMITS, env={})
    return Manifest(
        format=FORMAT,
        arena="1",
        name="run",
        created="2000-01-01T00:00:00+00:00",
        commitment="c" * 64,
        identity=Identity(
            disciplines=(discipline,),
            entrants=dict.fromkeys(discipline.entrants, bot),
            clock=TimeControl(),
            pondering=True,
            limits=Limits(),
            readable=(),
            breaker=BreakerPolicy(),
            names=Names.SHOWN,
            on_fault=OnFault.AUTOPILOT,
            ratings=None,
            until=None,
        ),
        games=facts_of({discipline.name: make_rules(discipline.rules)}),
        source=None,
        machine=Machine(
            isolation=dict.fromkeys(discipline.entrants, Level.LIMITS),
            system="Linux",
            release="6",
            processor="x86_64",
            cores=2,
            python="3.11.0",
        ),
    )


if __name__ == "__main__":
    sys.exit(main())
