"""What seats see of a game and what they are asked: while it is played, and from its record.

What a seat was given is listed here and nowhere else; nothing is copied from a record and then
hidden. Values are those of the rules, as the protocol encodes them; ``plain`` makes of them what
a bot reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from arena.games.base import CHANCE, Action, Json, Rules
from arena.records.format import Record
from arena.records.replay import Step
from arena.results import Fault, FaultKind, Seat

SPECTATOR: Final[Seat] = -3
"""Stands where a seat can: whoever sees what everybody at the table sees."""


class Events:
    """What seats have seen since they were last asked, kept while a game goes on."""

    __slots__ = ("_describe", "_kept", "of")

    def __init__(self, rules: Rules[Any, Action], seats: Iterable[Seat]) -> None:
        """``seats``: those for which they are kept; the others have none."""
        self._describe = rules.describe
        self.of: list[list[Json]] = [[] for _ in range(rules.spec.seats)]
        """By seat, oldest first. Whoever has asked a seat clears its list."""
        self._kept = [(seat, self.of[seat]) for seat in seats]

    def add(self, before: Any, action: Action, after: Any) -> None:
        """An action was applied."""
        if not self._kept:
            return
        events = self._describe(before, action, after)
        for seat, seen in self._kept:
            event = events[seat]
            if event is not None:
                seen.append(event)


class Look(NamedTuple):
    """What a seat saw when it was asked or the autopilot decided for it; and at the end."""

    ply: int
    """Of the decision; at the end the number of plies."""
    observation: Json
    events: tuple[Json, ...]
    """Since the look before; a look that goes on with the same decision has none."""
    legal: Sequence[Action]
    """Empty at the end."""
    step: Step | None = None
    """What was decided; None: nothing, because of a fault or of the end."""
    think_us: int = 0
    fault: Fault | None = None
    """What the bot did instead of answering. If the game goes on, the next look has the same ply:
    the autopilot's."""


def looks(
    record: Record, steps: Iterable[Step], rules: Rules[Any, Action], seat: Seat
) -> Iterator[Look]:
    """All looks of a seat, the last one that at the end.

    ``steps``: the record applied to the rules; of a state only what the seat may observe is used.
    A bot that could not be started was asked nothing: there is no look for its fault.
    """
    fault = fault_of(record, seat)
    if fault is not None and fault.kind is FaultKind.STARTUP:
        fault = None
    events = Events(rules, (seat,))
    seen = events.of[seat]
    state = rules.initial_state()

    def look(ply: int, legal: Sequence[Action], *what: Any) -> Look:
        taken = tuple(seen)
        seen.clear()
        return Look(ply, rules.observe(state, seat), taken, legal, *what)

    for step, think_us in zip(steps, record.measured.think_us, strict=True):
        if step.seat == seat:
            state, ply = step.before, step.ply.ply
            legal = rules.legal_actions(state)
            if fault is not None and fault.ply == ply:
                yield look(ply, legal, None, 0, fault)
                fault = None
            yield look(ply, legal, step, think_us)
        events.add(step.before, step.action, step.after)
        state = step.after
    if fault is not None and rules.to_act(state) == seat:
        yield look(len(record.plies), rules.legal_actions(state), None, 0, fault)
    yield look(len(record.plies), ())


def fault_of(record: Record, seat: Seat) -> Fault | None:
    """The fault that the seat committed; no seat can commit two."""
    return next((fault for fault in record.end.faults if fault.seat == seat), None)


class Glimpse(NamedTuple):
    """What somebody got from one ply."""

    event: Json
    """None: he saw nothing of it."""
    observation: Json
    """After the ply."""


class Sights(NamedTuple):
    """What every seat, and a spectator, saw of each ply of a game, in plain JSON."""

    start: Mapping[Seat, Json]
    """Observations before the first ply, by seat and SPECTATOR."""
    plies: tuple[Mapping[Seat, Glimpse], ...]
    legal: tuple[tuple[Json, ...], ...]
    """By ply the actions that whoever decided could choose from; empty for chance."""


def sights(steps: Iterable[Step], rules: Rules[Any, Action]) -> Sights:
    """``steps``: a record applied to the rules."""
    seats, public = range(rules.spec.seats), rules.info.public

    def observed(state: Any) -> dict[Seat, Json]:
        found = {seat: plain(rules.observe(state, seat)) for seat in seats}
        # those at their default are left out, as always
        return found | {SPECTATOR: {name: found[0][name] for name in public if name in found[0]}}

    plies: list[dict[Seat, Glimpse]] = []
    legal: list[tuple[Json, ...]] = []
    for step in steps:
        events = plain(rules.describe(step.before, step.action, step.after))
        seen = dict(enumerate(events)) | {SPECTATOR: _public_part(events)}
        plies.append({s: Glimpse(seen[s], one) for s, one in observed(step.after).items()})
        choices = () if step.seat == CHANCE else rules.legal_actions(step.before)
        legal.append(tuple(plain(choices)))
    return Sights(observed(rules.initial_state()), tuple(plies), tuple(legal))


def public_event(step: Step, rules: Rules[Any, Action]) -> dict[str, Json] | None:
    """What everybody at the table saw of a ply, in plain JSON; None: not everybody saw it."""
    return _public_part(plain(rules.describe(step.before, step.action, step.after)))


def _public_part(events: Sequence[Json]) -> dict[str, Json] | None:
    event = shared(events)
    return event if isinstance(event, dict) else None


class _Unshared:
    """Stands for a value that not all have."""


UNSHARED: Final = _Unshared()


def shared(values: Sequence[Json]) -> Json:
    """The part of several JSON values that all have: UNSHARED if they have nothing.

    Of objects the keys that all have with what is shared of their values; of lists all or
    nothing, unless they are lists of as many objects.
    """
    first, *others = values
    if all(other == first for other in others):
        return first
    if all(isinstance(value, dict) for value in values):
        common = (key for key in first if all(key in other for other in others))
        parts = {key: shared([value[key] for value in values]) for key in common}
        return {key: part for key, part in parts.items() if part is not UNSHARED}
    if _are_alike(values):
        parts_of = [shared(items) for items in zip(*values, strict=True)]
        return UNSHARED if UNSHARED in parts_of else parts_of
    return UNSHARED


def _are_alike(values: Sequence[Json]) -> bool:
    """Whether they are lists of equally many objects."""
    return (
        all(isinstance(value, list) for value in values)
        and len({len(value) for value in values}) == 1
        and all(isinstance(item, dict) for value in values for item in value)
    )


def plain(value: Any) -> Json:
    """Exactly what a bot reads."""
    return msgspec.json.decode(msgspec.json.encode(value))
