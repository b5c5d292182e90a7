"""The view of each seat: what it sees and is asked, during play and from the record.

The data of a seat is listed here and nowhere else; nothing is copied from a record and then hidden.
Values are those of the rules, as the protocol encodes them. ``plain`` converts them to what a bot
reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import compress, count
from operator import attrgetter, is_, is_not
from typing import Any, Final, NamedTuple

import msgspec

from arena.games.base import Action, Json, Rules, action_texts
from arena.games.board import shared
from arena.referee.records.format import Record
from arena.referee.records.replay import Step
from arena.values.results import Fault, FaultKind, Seat

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
        self._kept = [(seat, self.of[seat]) for seat in seats]

    def add(self, before: Any, action: Action, after: Any) -> None:
        """Add the events of an applied action."""
        if not self._kept:
            return
        events = self._describe(before, action, after)
        for seat, seen in self._kept:
            event = events[seat]
            if event is not None:
                seen.append(event)


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
    if fault is not None and rules.to_act(state) == seat:
        yield look(len(record.plies), rules.legal_actions(state), None, 0, fault)
    yield look(len(record.plies), ())


def fault_of(record: Record, seat: Seat) -> Fault | None:
    """Return the fault that the seat committed, or None; a seat can commit only one."""
    return next((fault for fault in record.end.faults if fault.seat == seat), None)


class PlyInformation(NamedTuple):
    """The information that one viewer got from one ply."""

    event: Json
    """Event that the viewer saw; None if the viewer saw nothing of the ply.

    The event of the seat that decided also has a member ``words``, the text of its action, if the
    rules have texts. Other seats may not know the action.
    """
    observation: Json
    """Observation after the ply."""
    changed: Sequence[str] = ()
    """Members of the observation that the ply changed, added or removed.

    For a seat, without those that it changed for the spectator, who sees the same of them. All
    other members are identical objects in the observation before. Also empty for observations that
    are no JSON objects.
    """


class GameViews(NamedTuple):
    """The views of every seat and a spectator at each ply of a game, in plain JSON.

    A value that several seats see alike, or that stays the same, is one object, which callers must
    not change.
    """

    start: Mapping[Seat, Json]
    """Observations before the first ply, by seat and SPECTATOR."""
    plies: tuple[Mapping[Seat, PlyInformation], ...]
    legal: tuple[Sequence[Json], ...]
    """Actions that the deciding seat could choose from, by ply; empty for chance.

    Each has a member ``words`` if the rules have texts for their actions.
    """
    chosen: tuple[int, ...]
    """Index of the chosen action among them, by ply; 0 for chance."""

    def before(self, ply: int, seat: Seat) -> Json:
        """Return the observation of ``seat``, which may be SPECTATOR, before ``ply``."""
        return self.plies[ply - 1][seat].observation if ply else self.start[seat]


def game_views(steps: Iterable[Step], rules: Rules[Any, Action]) -> GameViews:
    """Return the views of all seats and of a spectator.

    ``steps``: a record applied to the rules.
    """
    watch = ObservationTracker(rules)
    watch.look(rules.initial_state())
    start = dict(watch.seen)
    plies: list[dict[Seat, PlyInformation]] = []
    legal: list[Sequence[Json]] = []
    chosen: list[int] = []
    actions: dict[bytes, Json] = {}
    make = partial(tuple.__new__, PlyInformation)  # at half the cost of calling it
    for step in steps:
        told = _plain_events(step, rules)
        changed = watch.look(step.after)
        possible: Sequence[Json] = _plain_actions(step.legal, actions) if step.legal else ()
        chosen.append(step.legal.index(step.action) if step.legal else 0)
        if texts := action_texts(rules, step.before, step.legal):
            possible = [{**each, "words": text} for each, text in zip(possible, texts, strict=True)]
            if isinstance(told[step.seat], dict):
                told[step.seat] = {"words": texts[chosen[-1]], **told[step.seat]}
        legal.append(possible)
        trios = zip(told, watch.seen.values(), changed.values(), strict=True)
        plies.append(dict(zip(watch.seen, map(make, trios), strict=True)))
    return GameViews(start, tuple(plies), tuple(legal), tuple(chosen))


def _plain_actions(actions: Sequence[Action], known: dict[bytes, Json]) -> list[Json]:
    """Return actions as ``plain`` does; ``known`` caches them, because games repeat actions."""
    found: list[Json] = []
    for text in _encode_lines(actions).splitlines():
        action = known.get(text)
        if action is None:
            action = known[text] = _decode(text)
        found.append(action)
    return found


def public_event(step: Step, rules: Rules[Any, Action]) -> dict[str, Json] | None:
    """Return a ply's public event in plain JSON, or None if not all at the table saw it."""
    event: dict[str, Json] | None = _plain_events(step, rules)[-1]
    return event


def _plain_events(step: Step, rules: Rules[Any, Action]) -> list[Json]:
    """Return the events by seat, then the public part; equal events are one object."""
    events = rules.describe(step.before, step.action, step.after)
    first = events[0]
    if all(event is first for event in events):
        seen = plain(first)
        return [*[seen] * len(events), seen if isinstance(seen, dict) else None]
    kinds: list[Json] = []
    which: list[int] = []
    for event in events:
        if event not in kinds:
            kinds.append(event)
        which.append(kinds.index(event))
    known = plain(kinds)
    public = shared(known)
    return [*[known[kind] for kind in which], public if isinstance(public, dict) else None]


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


class _Removed:
    """A marker for the value of a member that no longer exists."""


_REMOVED: Final = _Removed()
_ATOMS: Final = frozenset((int, str, bool, type(None)))
"""Types whose values are plain JSON already; of a tuple of them ``list`` makes plain JSON."""
_are_atoms: Final = _ATOMS.issuperset
_PARTS: Final = (msgspec.Struct, tuple)
"""Types of items whose JSON is kept as long as they are the same objects."""


class ObservationTracker:
    """The observations of every seat and a spectator over successive states, in plain JSON.

    Only changes are computed and encoded: most of an observation stays the same, and most of the
    rest is equal for all seats.
    """

    def __init__(self, rules: Rules[Any, Action]) -> None:
        self._observe = rules.observe
        self._public = rules.info.public
        self._seats = range(rules.spec.seats)
        self._form: _Form | None = None
        self._kind: type | None = None
        self._values: dict[Seat, tuple[Any, ...]] = {}
        self.seen: dict[Seat, Json] = {}
        """Observations of the latest state, by seat and SPECTATOR."""

    def look(self, state: Any) -> dict[Seat, Sequence[str]]:
        """Observe the next state and return the members that changed, see ``PlyInformation``."""
        observe = self._observe
        given = [observe(state, seat) for seat in self._seats]
        form, kind = self._form, self._kind
        if form is None or any(type(each) is not kind for each in given):
            return self._look_at_all(given)
        shared, have_left = self._news(SPECTATOR, form.public, form.public.read(given[0]))
        changed: dict[Seat, Sequence[str]] = {}
        for seat, values in enumerate(map(form.own.read, given)):
            if all(map(is_, values, self._values[seat])):
                self._take(seat, shared, have_left, form.names)
                changed[seat] = ()
                continue
            own, own_left = self._news(seat, form.own, values)
            self._take(seat, {**shared, **own}, have_left or own_left, form.names)
            changed[seat] = tuple(own)
        self._take(SPECTATOR, shared, have_left, form.public.names)
        changed[SPECTATOR] = tuple(shared)
        return changed

    def _news(
        self, seat: Seat, part: _FieldGroup, values: tuple[Any, ...]
    ) -> tuple[dict[str, Json], bool]:
        """Return the fields of the part that changed, and whether any are left out now.

        Fields that are left out now have the value _REMOVED.
        """
        before = self._values[seat]
        self._values[seat] = values
        news: dict[str, Json] = {}
        others: dict[str, Any] = {}
        have_left = False
        for at in compress(count(), map(is_not, values, before)):
            value, old = values[at], before[at]
            if value == old and _is_alike(value, old):
                continue
            name, default = part.names[at], part.defaults[at]
            if value is default or (default is type(value) and not value):
                news[name] = _REMOVED
                have_left = True
            elif type(value) in _ATOMS:
                news[name] = value
            elif type(value) is tuple and _are_atoms(map(type, value)):
                news[name] = list(value)
            elif _has_kept(value, old):
                news[name] = _partly(value, old, self.seen[seat][name])
            else:
                news[name] = others[name] = value
        if others:
            news |= plain(others)
        return news, have_left

    def _take(
        self, seat: Seat, news: Mapping[str, Json], have_left: bool, names: Sequence[str]
    ) -> None:
        """Merge ``news`` into the observation; members stay in the order of the fields."""
        if not news:
            return
        before = self.seen[seat]
        merged = {**before, **news}
        if len(merged) > len(before):
            merged = {name: merged[name] for name in names if name in merged}
        if have_left:
            merged = {name: value for name, value in merged.items() if value is not _REMOVED}
        self.seen[seat] = merged

    def _look_at_all(self, given: Sequence[Json]) -> dict[Seat, Sequence[str]]:
        """Observe the first state, or a state whose observations have several types.

        Whole observations are compared.
        """
        found: dict[Seat, Json] = dict(enumerate(map(plain, given)))
        # members at their default are left out, as always
        first = found[0] if isinstance(found[0], dict) else {}
        found[SPECTATOR] = {name: first[name] for name in self._public if name in first}
        changed = {seat: _differing(self.seen.get(seat), new) for seat, new in found.items()}
        for seat in self._seats:
            changed[seat] = [each for each in changed[seat] if each not in changed[SPECTATOR]]
        self.seen = found
        kind: Any = type(given[0])
        self._kind = kind
        is_one = all(type(each) is kind for each in given)
        self._form = form = _form(kind, self._public) if is_one else None
        if form is not None:
            self._values = {seat: form.own.read(each) for seat, each in enumerate(given)}
            self._values[SPECTATOR] = form.public.read(given[0])
        return changed


def _has_kept(value: Any, old: Any) -> bool:
    """Return whether encoding only some items of a field is worthwhile."""
    if type(value) is not tuple or type(old) is not tuple or len(value) != len(old):
        return False
    return isinstance(value[0], _PARTS) and any(map(is_, value, old))


def _partly(value: Sequence[Any], old: Sequence[Any], known: Sequence[Json]) -> Json:
    """Return the JSON of ``value``; ``known`` is the JSON of ``old``, of which items are reused."""
    others = [item for item, before in zip(value, old, strict=True) if item is not before]
    is_flat = all(type(item) is tuple and _are_atoms(map(type, item)) for item in others)
    new = map(list, others) if is_flat else iter(plain(others))
    trios = zip(value, old, known, strict=True)
    return [same if item is before else next(new) for item, before, same in trios]


def _is_alike(value: Any, old: Any) -> bool:
    """Return whether equal values also have their members in the same order."""
    return type(value) is not dict or [*value] == [*old]


def _differing(before: Json, after: Json) -> Sequence[str]:
    if not (isinstance(before, dict) and isinstance(after, dict)):
        return ()
    names = dict.fromkeys((*before, *after))
    return [
        name
        for name in names
        if name not in before or name not in after or before[name] != after[name]
    ]


_encode: Final = msgspec.json.Encoder().encode
_encode_lines: Final = msgspec.json.Encoder().encode_lines
_decode: Final = msgspec.json.Decoder().decode


def plain(value: Any) -> Json:
    """Return the value exactly as a bot reads it."""
    return _decode(_encode(value))
