"""The view of each seat: what it sees and is asked, during play and from the record.

What the rules show to a seat is listed here and nowhere else; nothing is copied from a record and
then hidden. The id of a question and the time left are added by ``ask``.
Values are those of the rules, as the protocol encodes them. ``plain`` converts them to what a bot
reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from itertools import chain, compress, count, islice, pairwise, repeat
from operator import attrgetter, is_not, sub
from typing import Any, Final, NamedTuple, TypeVar, overload

import msgspec

from arena.games.base import Action, Json, Rules, action_texts
from arena.games.board import shared
from arena.games.simultaneous import questions
from arena.referee.records.format import Record
from arena.referee.records.replay import Step
from arena.values.results import Fault, FaultKind, Seat

T = TypeVar("T")
SPECTATOR: Final[Seat] = -3
"""Pseudo-seat of a viewer who sees only what all players at the table see."""


class Events:
    """The events that seats have seen since they were last asked, collected during a game."""

    __slots__ = ("_describe", "_kept", "of")

    def __init__(self, rules: Rules[Any, Action], seats: Iterable[Seat]) -> None:
        """``seats``: the seats whose events are collected; the others have none."""
        self._describe = rules.describe
        self.of: list[list[Json]] = [[] for _ in range(rules.spec.seats)]
        """Events by seat, oldest first; the caller clears a seat's list after asking the seat."""
        self._kept = [(seat, self.of[seat].append) for seat in seats]

    def add(self, before: Any, action: Action, after: Any) -> None:
        """Add the events of an applied action."""
        if not self._kept:
            return
        events = self._describe(before, action, after)
        for seat, keep in self._kept:
            if (event := events[seat]) is not None:
                keep(event)


class SeatView(NamedTuple):
    """View of a seat at one decision, its own or the autopilot's for it, or at the end."""

    ply: int
    """Ply of the decision; at the end the number of plies."""
    observation: Json
    events: tuple[Json, ...]
    """Events since the view before; empty for a second view of the same decision."""
    legal: Sequence[Action]
    """Legal actions; empty at the end."""
    step: Step | None = None
    """Decision that was taken; None after a fault and at the end."""
    think_us: int = 0
    fault: Fault | None = None
    """Fault that the bot committed instead of answering.

    If the game continues, the next view has the same ply and is the autopilot's.
    """


def seat_views(
    record: Record, steps: Iterable[Step], rules: Rules[Any, Action], seat: Seat
) -> Iterator[SeatView]:
    """Yield all views of ``seat``; the last one is at the end of the game.

    ``steps``: the record applied to the rules; of a state only what the seat may observe is used. A
    bot that could not be started was never asked, so its fault has no view.
    """
    fault = fault_of(record, seat)
    if fault is not None and fault.kind is FaultKind.STARTUP:
        fault = None
    events = Events(rules, (seat,))
    seen = events.of[seat]
    state = rules.initial_state()

    def look(ply: int, legal: Sequence[Action], *what: Any) -> SeatView:
        taken = tuple(seen)
        seen.clear()
        return SeatView(ply, rules.observe(state, seat), taken, legal, *what)

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
    last = state
    for asked in questions(rules, state) if fault is not None else ():
        if asked.seat == seat:
            state = asked.state
            yield look(len(record.plies), asked.legal, None, 0, fault)
    state = last
    yield look(len(record.plies), ())


def fault_of(record: Record, seat: Seat) -> Fault | None:
    """Return the fault that the seat committed, or None; a seat can commit only one."""
    return next((fault for fault in record.end.faults if fault.seat == seat), None)


class _Absent:
    """A marker for the value of a member that is left out."""


ABSENT: Final = _Absent()


class ValueRuns(NamedTuple):
    """The values of one member of the observations of a viewer."""

    starts: Sequence[int]
    """Positions at which values begin; the first is 0."""
    values: Sequence[Json]
    """Values that begin there, each different from the one before; ABSENT if left out."""
    by_position: Sequence[Json]
    """Value at each position."""


class Observer(Sequence[Json]):
    """The observations of one viewer by position, which is the number of plies applied.

    They are made on access. A value that stays the same, or that several viewers see alike, is one
    object, which callers must not change.
    """

    def __init__(
        self, positions: int, columns: Mapping[str, ValueRuns] | None, made: Sequence[Json] = ()
    ) -> None:
        """Take the columns by member, or observations ``made`` already, with columns if objects."""
        self.columns = columns
        self._made = dict(enumerate(made))
        begun = chain.from_iterable(each.starts for each in (columns or {}).values())
        self._starts: Sequence[int] = range(positions) if made else sorted({0, *begun})
        self._start_of = _spread(self._starts, self._starts, positions)

    def __len__(self) -> int:
        return len(self._start_of)

    @overload
    def __getitem__(self, at: int) -> Json: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Json]: ...
    def __getitem__(self, at: int | slice) -> Json:
        if isinstance(at, slice):
            return [self[each] for each in range(len(self))[at]]
        start = self._start_of[at]
        if start not in self._made:
            members = zip(self.columns or (), self._rows[start], strict=True)
            self._made[start] = {name: value for name, value in members if value is not ABSENT}
        return self._made[start]

    @cached_property
    def _rows(self) -> Sequence[Sequence[Json]]:
        """Values of all members by position; spectators of a game without public ones see none."""
        if not self.columns:
            return [()] * len(self)
        return [*zip(*(each.by_position for each in self.columns.values()), strict=True)]

    def each(self, read: Callable[[Json], T]) -> list[T]:
        """Return ``read`` of each observation, called once where nothing changes."""
        return _spread([read(self[start]) for start in self._starts], self._starts, len(self))


def _spread(values: Iterable[T], starts: Sequence[int], positions: int) -> list[T]:
    """Return the value at each of ``positions`` positions; ``values`` begin at ``starts``."""
    lengths = map(sub, [*starts[1:], positions], starts)
    return [*chain.from_iterable(map(repeat, values, lengths))]


def observers_of(states: Sequence[Any], rules: Rules[Any, Action]) -> list[Observer]:
    """Return the observers of a game by seat, then the spectator, who sees public members alone.

    ``states``: those of all positions.
    """
    seats, observe = range(rules.spec.seats), rules.observe
    given = [[observe(state, seat) for seat in seats] for state in states]
    kinds = set(map(type, chain.from_iterable(given)))
    form = _form(kinds.pop(), rules.info.public) if len(kinds) == 1 else None
    by_seat = [*zip(*given, strict=True)]
    if form is None:
        return _observers_of_any(by_seat, rules.info.public)
    public = _columns(form.public, by_seat[0])
    found = []
    for observations in by_seat:
        columns = public | _columns(form.own, observations)
        found.append(Observer(len(states), {name: columns[name] for name in form.names}))
    return [*found, Observer(len(states), public)]


def _observers_of_any(by_seat: Sequence[Sequence[Json]], public: Sequence[str]) -> list[Observer]:
    """Return the observers of observations that have several types or are no structs."""
    made: list[list[Json]] = [plain(each) for each in by_seat]
    first = [each if isinstance(each, dict) else {} for each in made[0]]
    # members at their default are left out, as always
    made.append([{name: each[name] for name in public if name in each} for each in first])
    return [Observer(len(each), _columns_of_objects(each), each) for each in made]


def _columns_of_objects(observations: Sequence[Json]) -> dict[str, ValueRuns] | None:
    """Return the columns of JSON objects, or None if any is something else."""
    if not all(isinstance(each, dict) for each in observations):
        return None
    columns = {}
    for name in dict.fromkeys(chain.from_iterable(observations)):
        values = [each.get(name, ABSENT) for each in observations]
        starts = [0, *(at for at, (old, new) in enumerate(pairwise(values), 1) if old != new)]
        columns[name] = ValueRuns(starts, [values[at] for at in starts], values)
    return columns


class _FieldGroup(NamedTuple):
    """Some fields of the observations of one type."""

    names: tuple[str, ...]
    """Names in JSON."""
    read: Callable[[Any], tuple[Any, ...]]
    defaults: tuple[Any, ...]
    """Values for which a field is left out of the JSON, or the types of empty ones."""


class _Form(NamedTuple):
    """The fields of the observations of one type."""

    names: tuple[str, ...]
    public: _FieldGroup
    own: _FieldGroup


@cache
def _form(kind: type, public: tuple[str, ...]) -> _Form | None:
    """Return the fields, or None unless objects become JSON objects field by field."""
    if not issubclass(kind, msgspec.Struct):
        return None
    config, fields = kind.__struct_config__, msgspec.structs.fields(kind)
    if config.array_like or config.tag is not None:
        return None

    def part(chosen: Sequence[msgspec.structs.FieldInfo]) -> _FieldGroup:
        names = [field.name for field in chosen]
        return _FieldGroup(
            tuple(field.encode_name for field in chosen),
            attrgetter(*names) if len(names) > 1 else _read_few(names),
            tuple(_default(field) if config.omit_defaults else msgspec.UNSET for field in chosen),
        )

    return _Form(
        tuple(field.encode_name for field in fields),
        part([field for field in fields if field.encode_name in public]),
        part([field for field in fields if field.encode_name not in public]),
    )


def _read_few(names: Sequence[str]) -> Callable[[Any], tuple[Any, ...]]:
    return lambda value: tuple(getattr(value, name) for name in names)


def _default(field: msgspec.structs.FieldInfo) -> Any:
    if field.default is not msgspec.NODEFAULT:
        return field.default
    return field.default_factory if field.default_factory in (list, dict, set) else msgspec.UNSET


def _columns(part: _FieldGroup, observations: Iterable[Any]) -> dict[str, ValueRuns]:
    """Return the columns of some fields by their names in JSON."""
    fields = zip(*map(part.read, observations), strict=True)
    told = zip(part.names, fields, part.defaults, strict=True)
    return {name: _column(values, default) for name, values, default in told}


def _column(values: Sequence[Any], default: Any) -> ValueRuns:
    """Return the column of a field; ``default``: that of ``_FieldGroup``."""
    starts = [0]
    for at in compress(count(1), map(is_not, values, values[1:])):
        old, new = values[at - 1], values[at]
        if old != new or (type(new) is dict and [*old] != [*new]):
            starts.append(at)
    found: Sequence[Json] = [values[at] for at in starts]
    if default is msgspec.UNSET:
        found = _plain_values(found)
    else:
        shown = [
            each is not default and (bool(each) or default is not type(each)) for each in found
        ]
        told = iter(_plain_values([*compress(found, shown)]))
        found = [next(told) if is_shown else ABSENT for is_shown in shown]
    return ValueRuns(starts, found, _spread(found, starts, len(values)))


_ATOMS: Final = frozenset((int, str, bool, type(None)))
"""Types whose values are plain JSON already."""


def _plain_values(values: Sequence[Any]) -> Sequence[Json]:
    """Return the plain JSON of each value; items of tuples that are one object stay one object."""
    kinds = set(map(type, values))
    if kinds <= _ATOMS:
        return values
    if kinds != {tuple}:
        found: list[Json] = plain(values)
        return found
    if _ATOMS.issuperset(map(type, chain.from_iterable(values))):
        return [*map(list, values)]
    items = {id(item): item for item in chain.from_iterable(values)}
    known = dict(zip(items, _plain_values([*items.values()]), strict=True))
    return [[known[id(item)] for item in value] for value in values]


class GameViews(NamedTuple):
    """The views of every seat and a spectator at each ply of a game, in plain JSON.

    A value that several seats see alike, or that stays the same, is one object, which callers must
    not change.
    """

    observers: Mapping[Seat, Observer]
    """Observations by seat and SPECTATOR."""
    events: Sequence[Mapping[Seat, Json]]
    """Events that viewers saw by ply; None for one that saw nothing of the ply.

    The event of the seat that decided also has a member ``words``, the text of its action, if the
    rules have texts. Other seats may not know the action.
    """
    legal: Sequence[Sequence[Json]]
    """Actions that the deciding seat could choose from, by ply; empty for chance.

    Each has a member ``words`` if the rules have texts for their actions.
    """
    chosen: Sequence[int]
    """Index of the chosen action among them, by ply; 0 for chance."""


def game_views(steps: Iterable[Step], rules: Rules[Any, Action]) -> GameViews:
    """Return the views of all seats and of a spectator.

    ``steps``: a record applied to the rules.
    """
    taken = [*steps]
    states = [rules.initial_state(), *(step.after for step in taken)]
    viewers = [*range(rules.spec.seats), SPECTATOR]
    events = _plain_events(taken, rules)
    legal = _plain_actions([step.legal for step in taken])
    chosen = [step.legal.index(step.action) if step.legal else 0 for step in taken]
    for at, step in enumerate(taken):
        if texts := action_texts(rules, step.before, step.legal):
            pairs = zip(legal[at], texts, strict=True)
            legal[at] = [{**each, "words": text} for each, text in pairs]
            if isinstance(event := events[at][step.seat], dict):
                events[at][step.seat] = {"words": texts[chosen[at]], **event}
    return GameViews(
        dict(zip(viewers, observers_of(states, rules), strict=True)),
        [dict(zip(viewers, seen, strict=True)) for seen in events],
        legal,
        chosen,
    )


def _plain_actions(lists: Sequence[Sequence[Action]]) -> list[Sequence[Json]]:
    """Return actions as ``plain`` does; equal ones are one object, because games repeat actions."""
    texts = _encode_lines([*chain.from_iterable(lists)]).splitlines()
    kinds = dict.fromkeys(texts)
    known = dict(zip(kinds, _decode(b"[%s]" % b",".join(kinds)), strict=True))
    actions = map(known.__getitem__, texts)
    return [[*islice(actions, len(each))] for each in lists]


def public_event(step: Step, rules: Rules[Any, Action]) -> dict[str, Json] | None:
    """Return a ply's public event in plain JSON, or None if not all at the table saw it."""
    event: dict[str, Json] | None = _plain_events([step], rules)[0][-1]
    return event


def _plain_events(steps: Iterable[Step], rules: Rules[Any, Action]) -> list[list[Json]]:
    """Return the events of each ply by seat, then the public part; one event is one object."""
    described = [rules.describe(step.before, step.action, step.after) for step in steps]
    events = {id(event): event for event in chain.from_iterable(described)}
    known = dict(zip(events, plain([*events.values()]), strict=True))
    found = []
    for seen in described:
        told = [known[id(event)] for event in seen]
        public = shared(told)
        found.append([*told, public if isinstance(public, dict) else None])
    return found


_encode: Final = msgspec.json.Encoder().encode
_encode_lines: Final = msgspec.json.Encoder().encode_lines
_decode: Final = msgspec.json.Decoder().decode


def plain(value: Any) -> Json:
    """Return the value exactly as a bot reads it."""
    return _decode(_encode(value))
