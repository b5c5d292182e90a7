"""Runs and shards of them that are played in memory: every game and fault follows from its id."""

from __future__ import annotations

import hashlib
from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from typing import Final

import msgspec

from arena.referee.channel import Silence
from arena.referee.play import GameConditions, play_game
from arena.runs.identity import identity_digest
from arena.runs.manifest import Manifest
from arena.runs.store import Store, begin
from arena.schedule.keys import Discipline
from arena.schedule.pairings import Shard
from arena.schedule.seeds import Opening, Seeds
from arena.tournament.executor import Lost
from arena.tournament.progress import Progress
from arena.tournament.run import Run
from arena.tournament.session import Session
from arena.values.results import BreakerPolicy, GameDone, GameSpec, GameVoid, TimeControl, VoidCause
from tests.referee.scripted import FakeTime, Scripted, seated
from tests.runs.manifests import identity_of, manifest_of
from tests.tournament.executors import InMemory
from tests.tournament.tables import discipline
from tests.toy import ToyRules

NAMES: Final = ("anna", "berta", "clara", "dora", "emil")
OPENING: Final = Opening("seed", "salt")
POLICY: Final = BreakerPolicy(faults=0.5, after=4, starts=3)


def toys(*tables: tuple[int, int], names: tuple[str, ...] = NAMES) -> tuple[Discipline, ...]:
    """``tables``: seats and deals of each discipline."""
    return tuple(
        discipline(*names, rules=ToyRules(seats).spec, name=f"d{k}-{seats}", deals=deals)
        for k, (seats, deals) in enumerate(tables)
    )


def manifest(
    disciplines: tuple[Discipline, ...], policy: BreakerPolicy = POLICY, opening: Opening = OPENING
) -> Manifest:
    """Of a run of these."""
    identity = identity_of(*disciplines, breaker=policy)
    return manifest_of(identity, opening.commitment(identity_digest(identity)))


class Table:
    """Plays, with faults and voids that are the same whoever plays."""

    def __init__(
        self,
        faulty: dict[str, float] | None = None,
        voids: float = 0.0,
        deadly: tuple[str, ...] = (),
        opening: Opening = OPENING,
    ) -> None:
        """``faulty``: of a bot, in what share of its games it has a fault. ``voids``: what share of

        games is void through the machine once. ``deadly``: bots that bring workers down.
        """
        self._faulty = faulty or {}
        self._voids = voids
        self._deadly = deadly
        self._seeds = Seeds.of(opening.seed)
        self._tries: Counter[str] = Counter()

    def play(self, spec: GameSpec) -> GameDone | GameVoid | Lost:
        """What an executor in memory calls."""
        self._tries[spec.game_id] += 1
        if not set(self._deadly).isdisjoint(spec.entrants):
            return Lost("died")
        if self._tries[spec.game_id] == 1 and _share(spec.game_id, "void") < self._voids:
            return GameVoid(spec.game_id, VoidCause.MACHINE, "busy")
        players = []
        for name in spec.entrants:
            fails = _share(spec.game_id, name) < self._faulty.get(name, 0.0)
            player = Scripted([0, Silence.TIMED_OUT] if fails else [len(spec.game_id) % 3])
            if _share(spec.game_id, f"says {name}") < 0.3:
                player.errors = f"{name} says\n== hello\nin {spec.game_id}\n"
            players.append(seated(player))
        seats = range(len(players))
        bot_seeds = tuple(self._seeds.bot(spec, seat) for seat in seats)
        terms = GameConditions(TimeControl(), "opaque", bot_seeds, tuple({} for _ in seats), None)
        deal = self._seeds.deal(spec.deal)
        done = play_game(ToyRules(len(players)), players, spec, deal, terms, FakeTime())
        wire = {fault.seat: spec.game_id.encode() for fault in done.result.faults}
        return GameDone(
            done.result, done.record, done.stderr, done.evidence, wire=wire, spent=done.spent
        )


def _share(*words: str) -> float:
    return int.from_bytes(hashlib.sha256("\0".join(words).encode()).digest()[:4], "big") / (1 << 32)


def played(
    folder: Path, own: Manifest, table: Table, most: int | None = None, opening: Opening = OPENING
) -> Progress:
    """Begin a run there, or go on with it; ``most``: games before it is stopped."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "run.json").exists():
        begin(folder, own, opening)
    schedule = own.schedule(opening)
    run = Run(folder, own, opening, schedule, resumed=False)
    executor = InMemory(1, table.play)
    with Store(folder) as store:
        session = Session(run, store)
        if most is not None:
            plays = executor._play
            left = iter(range(most))

            def until(spec: GameSpec) -> GameDone | GameVoid | Lost | None:
                if next(left, None) is None:
                    executor.stop()
                return plays(spec)

            executor = InMemory(1, until)
        if not session.is_done:
            session.play(nullcontext(executor), 60.0)
    return session.progress


def of_shard(own: Manifest, number: int, of: int) -> Manifest:
    return msgspec.structs.replace(own, shard=Shard(number, of))
