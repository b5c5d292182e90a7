"""Competitions that nobody played: run folders with rounds, games and records, made up.

``python -m tests.extensions.browser.site.competitions FOLDER [BOTS ROUNDS DEALS]`` makes a
large one.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from arena.games.registry import make_rules, rules_spec
from arena.referee.records.format import Record, pack
from arena.runs.disk import write_atomically
from arena.runs.field import EntrantIdentity, FieldChange, Following, add_change, last_link
from arena.runs.manifest import MANIFEST, Manifest
from arena.runs.store import SECRET, SEED, RecordLocation, Store, Stored, encoded
from arena.schedule.keys import Discipline, Schedule
from arena.schedule.seeds import Opening
from arena.values import results
from tests.runs.manifests import ENTRANT, identity_of, manifest_of
from tests.views.game.replays import record_of, rules_of

RULES: Final = rules_of()
HEART: Final = "dragonheart-2"
BEGAN: Final = 1_767_225_600
"""2026-01-01."""
HOUR: Final = 3600
DAY: Final = 24 * HOUR
OPENING: Final = Opening("the secret seed", "salt")
COMMITMENT: Final = "c0ffee" * 10 + "1234"


@cache
def templates(number: int) -> list[Record]:
    """Whole games of random choices, some of them won by each seat."""
    found = [record_of(RULES, f"template:{k}:0") for k in range(number)]
    assert {record.end.places for record in found} >= {(1, 2), (2, 1)}
    return found


class Competition:
    """A run of Dragonheart at two seats in a folder, which grows as it is told."""

    def __init__(
        self,
        folder: Path,
        bots: Sequence[str],
        *,
        rounds: int | None = None,
        deals: int = 2,
        disciplines: Sequence[Discipline] = (),
        records: Sequence[Record] = (),
        **identity: Any,
    ) -> None:
        """``rounds``: a Swiss tournament of so many; None: everybody against everybody."""
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        kind = "round_robin" if rounds is None else "swiss"
        plan = Schedule(kind=kind, deals=deals, rounds=rounds)
        own = Discipline(HEART, rules_spec("dragonheart"), tuple(bots), plan)
        made = identity_of(*(disciplines or (own,)), **identity)
        self.manifest: Manifest = manifest_of(made, COMMITMENT)
        text = msgspec.json.format(msgspec.json.encode(self.manifest), indent=2)
        write_atomically(folder / MANIFEST, text)
        write_atomically(folder / SEED, encoded(OPENING), SECRET)
        self._templates = list(records) or templates(12)
        self._changes: list[FieldChange] = []
        self._stored: set[str] = set()
        self.now = BEGAN

    def _grown(self) -> Manifest:
        return replace(self.manifest, changes=tuple(self._changes))

    def change(
        self,
        entered: Mapping[str, EntrantIdentity] | None = None,
        left: Sequence[str] = (),
        pairings: Sequence[Sequence[str]] = (),
        byes: Sequence[str] | None = None,
    ) -> None:
        """Bots come and go, or a round begins; ``byes``: of a round that follows from results."""
        follows: Any = msgspec.UNSET
        if byes is not None:
            over = sum(each.follows is not msgspec.UNSET for each in self._changes)
            follows = Following(over, tuple(byes), "", "dutch-2026")
        change = FieldChange(
            number=len(self._changes) + 1,
            created=f"2026-01-{len(self._changes) // 24 % 28 + 1:02}"
            f"T{len(self._changes) % 24:02}:00:00+00:00",
            before=last_link(COMMITMENT, self._changes),
            entered=dict(entered or {}),
            left=tuple(left),
            pairings={HEART: tuple(tuple(sorted(each)) for each in pairings)} if pairings else {},
            follows=follows,
        )
        add_change(self.folder, change)
        self._changes.append(change)

    def version(self, name: str, digest: str) -> dict[str, EntrantIdentity]:
        """To enter."""
        return {name: replace(ENTRANT, digest=digest)}

    def play(
        self,
        strength: Mapping[str, float] | None = None,
        *,
        most: int | None = None,
        faults: Mapping[str, results.FaultKind] | None = None,
        every: int = 60,
        stderr: str = "",
    ) -> int:
        """Store the games that are planned and missing, at most so many, one ``every`` seconds.

        ``strength``: Elo by name; 0 for others. Bots in ``faults`` lose by that fault. How many.
        """
        schedule = self._grown().schedule(Opening("x", "", (Opening("y", ""),) * 999))
        played = 0
        with Store(self.folder) as store:
            for block in schedule.blocks():
                for spec in block.games:
                    if spec.game_id in self._stored or played == most:
                        continue
                    self._stored.add(spec.game_id)
                    self.now += every
                    played += 1
                    record = self._record(spec, strength or {})
                    seeds = (1,) * len(spec.entrants)
                    header = replace(record.header, spec=spec, bot_seeds=seeds)
                    record = record._replace(header=header)
                    end = record.end
                    for seat, name in enumerate(spec.entrants):
                        if faults and name in faults:
                            fault = results.Fault(seat, faults[name], 3, f"secret detail of {name}")
                            end = replace(
                                end, termination=results.Termination.FORFEITED, scores=None,
                                places=results.forfeit_places({seat}, len(spec.entrants)),
                                faults=(fault,), plies=len(record.plies),
                            )  # fmt: skip
                            break
                    packed, digest = pack(record._replace(end=end))
                    result = results.GameResult(
                        spec, end.termination, end.places, end.plies, digest, end.scores, end.faults
                    )
                    spent = tuple(
                        results.SeatUsage((20, 30), 1500, 1, 50_000, 1 << 24) for _ in spec.entrants
                    )
                    stored = Stored(
                        result, RecordLocation("", 0, 0), spent=spent, played_at=self.now
                    )
                    said = [(name, stderr.encode()) for name in spec.entrants] if stderr else []
                    store.copy(stored, packed, said, {})
        return played

    def _record(self, spec: results.GameSpec, strength: Mapping[str, float]) -> Record:
        if spec.discipline != HEART:
            discipline = self.manifest.discipline(spec.discipline)
            assert discipline is not None
            made = record_of(make_rules(discipline.rules), spec.game_id, names=spec.entrants)
            plies = (ply if ply.seat is not None else replace(ply, info=None) for ply in made.plies)
            measured = replace(made.measured, wall_us=10**9)
            return made._replace(plies=tuple(plies), measured=measured)
        luck = Random(hashlib.sha256(spec.game_id.encode()).digest())
        first, second = (strength.get(name, 0.0) for name in spec.entrants)
        place = (1, 2) if luck.random() < 1 / (1 + 10 ** ((second - first) / 400)) else (2, 1)
        return luck.choice([each for each in self._templates if each.end.places == place])

    def round(self, pairings: Sequence[Sequence[str]], byes: Sequence[str] = ()) -> None:
        """One that follows from results."""
        self.change(pairings=pairings, byes=byes)

    def finish(self) -> None:
        """Nothing follows any more."""
        self.change(byes=())

    def publish(self) -> None:
        """As when the run is over."""
        (self.folder / SEED).chmod(0o644)


def circle(names: Sequence[str]) -> Iterator[list[tuple[str, str]]]:
    """Rounds in which no two meet twice; an even number of names."""
    head, *rest = names
    while True:
        table = [head, *rest]
        yield list(zip(table[: len(table) // 2], reversed(table[len(table) // 2 :]), strict=True))
        rest = [*rest[1:], rest[0]]


def swiss(
    folder: Path, bots: int, rounds: int, deals: int, *, planned: int | None = None, known: int = 12
) -> tuple[Competition, Iterator[list[tuple[str, str]]], dict[str, float]]:
    """A tournament with so many rounds played, the rounds to come, and how strong bots are."""
    names = [f"bot-{k:04}" for k in range(bots)]
    luck = Random(1)
    strength = {name: luck.gauss(0, 150) for name in names}
    made = Competition(
        folder, names, rounds=planned or rounds, deals=deals, records=templates(known)
    )
    order = circle(names)
    for _ in range(rounds):
        made.round(next(order))
        made.play(strength, every=2)
    return made, order, strength


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.extensions.browser.site.competitions")
    parser.add_argument("folder", type=Path)
    parser.add_argument("numbers", nargs="*", type=int, default=[1000, 50, 2])
    asked = parser.parse_args()
    bots, rounds, deals = asked.numbers
    made, order, strength = swiss(asked.folder, bots, rounds, deals, planned=rounds + 5, known=24)
    shutil.copytree(asked.folder, f"{asked.folder}-more", dirs_exist_ok=True)
    made.folder = Path(f"{asked.folder}-more")
    made.round(next(order))
    made.play(strength, every=2)


if __name__ == "__main__":
    main()
