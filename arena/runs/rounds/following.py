"""What follows in a run when a round is over: a pure function of its field, its seed and results.

A run whose schedule ``grows`` begins without a pairing. Each round is a change of its own in
entries.jsonl, and so is that nothing follows any more. Whoever has the folder and the seed can
derive them all again: nothing but what stood there before is looked at.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from itertools import accumulate
from typing import Final, NamedTuple

import msgspec

from arena.documents.problems import printable
from arena.runs.field import Change, Field, Following, label_of
from arena.runs.manifest import Manifest
from arena.runs.rounds import swiss
from arena.runs.rounds.pairing import Met, Now
from arena.runs.rounds.played import Played, paired, player_of, players
from arena.runs.withdrawals import Verdict
from arena.schedule.keys import ScheduleKind
from arena.schedule.pairings import Pairing
from arena.schedule.schedule import Discipline, Schedule
from arena.schedule.seeds import Seeds


class _Kind(NamedTuple):
    rules: Callable[[Discipline], str]
    """The name of the rules of pairing: another edition has another one."""
    pair: Callable[[Now], Met | None]
    """None: nothing follows any more."""


_KINDS: Final[dict[ScheduleKind, _Kind]] = {
    ScheduleKind.SWISS: _Kind(swiss.rules, swiss.pair),
}
"""Those that grow."""


def following(
    field: Field, schedule: Schedule, played: Played, verdict: Verdict, seeds: Seeds
) -> tuple[Following, dict[str, tuple[Pairing, ...]]]:
    """What follows when all games of the last round are played that will be.

    ``seeds``: of the run. No pairings: nothing does.
    """
    (discipline,) = field.rounds[0]
    before = paired(field, schedule, played, verdict)
    over = len(before)
    brought = msgspec.json.encode([each.round for each in before], enc_hook=str)
    end = schedule.numbers_of(label_of(over - 1)).stop if over else 0
    out = {each.name for each in verdict.withdrawn.values() if each.at < end} if over else set()
    there = {
        player_of(name): name
        for name in field.identities
        if name not in field.left and name not in out
    }
    luck = seeds.rounds(discipline.name)
    kind = _KINDS[discipline.schedule.kind]
    met = kind.pair(Now(discipline, players(field), there, before, played, luck))
    tables, byes = met or Met(())
    follows = Following(
        over,
        tuple(there[name] for name in byes),
        hashlib.sha256(brought).hexdigest(),
        kind.rules(discipline),
    )
    pairings = tuple(tuple(sorted(there[name] for name in table)) for table in tables)
    return follows, {discipline.name: pairings} if met else {}


def differing(
    manifest: Manifest, schedule: Schedule, played: Played, verdict: Verdict, seeds: Seeds
) -> Iterator[tuple[int, str]]:
    """Each round of a run that is not what follows: its line of entries.jsonl, and what differs."""
    first = Field.first(manifest.identity.entrants, manifest.identity.disciplines)
    fields = accumulate(manifest.changes, Field.then, initial=first)
    for number, (field, change) in enumerate(zip(fields, manifest.changes, strict=False), 1):
        if isinstance(change.follows, Following):
            expected, met = following(field, schedule, played, verdict, seeds)
            if differs := _differs(change, change.follows, expected, met):
                yield number, differs


def _differs(
    change: Change,
    follows: Following,
    expected: Following,
    met: Mapping[str, tuple[Pairing, ...]],
) -> str:
    name = f"round {follows.over + 1}"
    if follows.by != expected.by:
        return f"{name} was paired by {printable(follows.by)}, this arena has {expected.by}"
    if follows.results != expected.results:
        return f"{name} was paired by other results than those of the games"
    if change.pairings != met:
        found = [each for own in change.pairings.values() for each in own]
        wanted = [each for own in met.values() for each in own]
        other = next((each for each in found if each not in wanted), None)
        if other is not None:
            return f"{name}: {' and '.join(other)} meet, which does not follow from the results"
        return f"{name}: its pairings are not those that follow from the results"
    if follows.byes != expected.byes:
        return f"{name}: its byes are not those that follow from the results"
    return ""
