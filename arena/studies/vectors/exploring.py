"""Which steps of random games are worth asking: those that have two facts together for the first
time.

A fact is a coarse word on one field of the state, the action, the events or the result: nothing,
one, more, true, this text, changed. No game is known here. Faults sit where two conditions meet
that seldom do (a theft, and an empty pile), so pairs of facts are what is collected (pairwise
testing). Half of the games begin where something new was met late, which leads to what is rarer
still. Each type of action has a least share of the steps, whether it brings anything new or not.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from itertools import chain, count, islice
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec

from arena.games.base import CHANCE, NOBODY, Action, Json, Rules
from arena.games.luck import Luck, derive_key
from arena.records.perspective import plain
from arena.studies.vectors.shares import STEPS_PER_KIND

Fact: TypeAlias = tuple[object, ...]

_WINDOW: Final = 40
"""Of so many steps one is taken; of fewer at first, one more every ``_WIDENS`` lines."""
_WIDENS: Final = 5
_WEIGHTS: Final = (100, 10, 3, 1)
"""What it counts if two facts were met together never, once and so on."""
_POOL: Final = 50
"""How many that were not taken are kept for the next choice, those with most that is new."""
_FOLLOWED: Final = 10
"""How far the game of the last one taken is looked at in the next window, too."""
_KEPT: Final = 10
"""Latest steps of each type of action from which that share is taken."""
_REMEMBERED: Final = 64
"""How many of the latest steps with something new games may begin from."""
_WIDE: Final = 6
"""Of a longer sequence only the length counts, and of parts deeper than ``_DEEP`` nothing."""
_DEEP: Final = 3
_MANY: Final = 2


_Facts: TypeAlias = tuple[list[int], int]
"""Numbers of what happened, and bits of all that was so."""


class Step(NamedTuple):
    """An action of a random game; ``legal`` is empty for chance."""

    before: Any
    legal: Sequence[Action]
    action: Action
    after: Any


def kind_of(action: Action) -> str:
    """Return the type of the action, as in JSON."""
    return str(action.__struct_config__.tag)


class Place(NamedTuple):
    """Where a step was met: in which game, and after how many actions from its first state."""

    game: int
    ply: int


def luck_of(seed: str, *path: str | int) -> Luck:
    """Whatever is drawn for vectors of this seed."""
    return Luck(derive_key("vectors", seed, *path))


def random_game(
    rules: Rules[Any, Action], seed: str, game: int, state: Any = None
) -> Iterator[Step]:
    """From ``state``, or from the first one; every legal action is equally likely."""
    luck, choices = luck_of(seed, "deal", game), luck_of(seed, "choices", game)
    state = rules.initial_state() if state is None else state
    for ply in count():
        if (seat := rules.to_act(state)) == NOBODY:
            return
        legal: Sequence[Action] = () if seat == CHANCE else rules.legal_actions(state)
        if legal:
            action = legal[choices.below("choice", ply, len(legal))]
        else:
            action = rules.chance(state, luck)
        after = rules.apply(state, action)
        yield Step(state, legal, action, after)
        state = after


def telling_steps(rules: Rules[Any, Action], seed: str) -> Iterator[tuple[Place, Step]]:
    """Yield without end: of each window of steps the one with most that is new.

    If a type of action has less than its share by then, one of its latest steps is yielded.
    """
    met, games = _Met(rules), count()
    taken: Counter[str] = Counter()
    kept: dict[str, deque[_Found]] = defaultdict(lambda: deque(maxlen=_KEPT))
    late: list[tuple[Place, Any]] = []
    steps = chain.from_iterable(_game(rules, seed, game, late[-_REMEMBERED:]) for game in games)
    pool: list[_Found] = []
    for number in count():
        window = [*islice(steps, min(_WINDOW, 1 + number // _WIDENS))]
        if len(window) > _FOLLOWED:
            window += islice(_game(rules, seed, next(games), late[-1:]), _FOLLOWED)
        fresh = [_Found(met.facts(step), place, step) for place, step in window]
        for each in fresh:
            kept[kind_of(each.step.action)].append(each)
        pool = [*fresh, *pool]
        ranked = sorted(((met.new(each.facts), -at) for at, each in enumerate(pool)), reverse=True)
        chosen = pool[-ranked[0][1]]
        short = [
            kind for kind, found in kept.items() if found and taken[kind] * STEPS_PER_KIND <= number
        ]
        if short:
            rarest = kept[min(short, key=taken.__getitem__)]
            chosen = max(rarest, key=lambda each: met.new(each.facts))
        facts, place, step = chosen
        pool = [pool[-at] for new, at in ranked[: _POOL + 1] if new and pool[-at] is not chosen]
        kind = kind_of(step.action)
        taken[kind] += 1
        kept[kind] = deque((each for each in kept[kind] if each is not chosen), _KEPT)
        met.add(facts)
        if rules.to_act(step.after) != NOBODY:
            late = [*late[-_REMEMBERED:], (place, step.after)]
        yield place, step


def _game(
    rules: Rules[Any, Action], seed: str, game: int, late: Sequence[tuple[Place, Any]]
) -> Iterator[tuple[Place, Step]]:
    """Half of them begin at one of ``late``, if there is any; at the only one all do."""
    draw = luck_of(seed, "start", game)
    ply, state = 0, None
    if late and (len(late) == 1 or draw.below("again", 0, 2)):
        place, state = late[draw.below("where", 0, len(late))]
        ply = place.ply + 1
    for at, step in enumerate(random_game(rules, seed, game, state), ply):
        yield Place(game, at), step


class _Found(NamedTuple):
    """A step that can be chosen."""

    facts: _Facts
    place: Place
    step: Step


class _Met:
    """What pairs of facts were met so far."""

    def __init__(self, rules: Rules[Any, Action]) -> None:
        self._rules = rules
        self._numbers: dict[Fact, int] = {}
        self._with: list[list[int]] = []
        """By fact: together with which others it was met once, twice and so on, as bits."""

    def facts(self, step: Step) -> _Facts:
        happened, there = self._facts(step)
        numbers = [self._number(fact) for fact in happened]
        together = sum(1 << number for number in numbers)
        for fact in there:
            together |= 1 << self._number(fact)
        return numbers, together

    def new(self, facts: _Facts) -> int:
        """How much is new: a pair counts most for the first time, and less each time after."""
        numbers, together = facts
        return sum(
            (together & ~seen).bit_count() * weight
            for number in numbers
            for seen, weight in zip(self._with[number], _WEIGHTS, strict=True)
        )

    def add(self, facts: _Facts) -> None:
        """They are met now, once more."""
        numbers, together = facts
        for number in numbers:
            again = together
            for times, seen in enumerate(self._with[number]):
                self._with[number][times] = seen | again
                again &= seen

    def _number(self, fact: Fact) -> int:
        number = self._numbers.setdefault(fact, len(self._with))
        if number == len(self._with):
            self._with.append([0] * len(_WEIGHTS))
        return number

    def _facts(self, step: Step) -> tuple[set[Fact], set[Fact]]:
        """What happened, and what the state was before."""
        rules = self._rules
        before, after = _fields(step.before), _fields(step.after)
        happened: set[Fact] = {
            ("changed", at) for at in after if at not in before or after[at] != before[at]
        }
        kind = type(step.action).__name__
        happened.add(("action", kind))
        happened.update(
            ("action", kind, at, each if isinstance(each, str) else _word(each))
            for at, each in _fields(step.action).items()
        )
        happened.update(
            ("event", type(event).__name__, name)
            for event in rules.describe(step.before, step.action, step.after)
            if event is not None
            for name, value in _members(event)
            if value
        )
        if (outcome := rules.outcome(step.after)) is not None:
            happened.add(("ended", outcome.places, len({*outcome.scores}), outcome.ruling))
        return happened, {("was", at, _word(each)) for at, each in before.items()}


def _members(event: Json) -> Iterable[tuple[str, Any]]:
    """Return names and values of an event: a struct, or JSON that is an object."""
    if isinstance(event, msgspec.Struct):
        return msgspec.structs.asdict(event).items()
    found = plain(event)
    return found.items() if isinstance(found, dict) else ()


def _word(value: Any) -> object:
    """Coarse: nothing, one or more; a text is only there, except for that of an enumeration."""
    if isinstance(value, tuple):
        return min(len(value), _MANY)
    if isinstance(value, bool | Enum) or value is None:
        return value
    if isinstance(value, int):
        return min(value, _MANY)
    return bool(value)


def _fields(value: Any) -> dict[Fact, Any]:
    """By their paths, those of parts included."""
    found: dict[Fact, Any] = {}
    _collect(value, (), found)
    return found


def _collect(value: Any, at: Fact, found: dict[Fact, Any]) -> None:
    names = getattr(value, "_fields", None) or getattr(value, "__struct_fields__", None)
    if names is not None:
        for name in names:
            _collect(getattr(value, name), (*at, name), found)
        return
    found[at] = value
    if (
        isinstance(value, tuple)
        and len(at) < _DEEP
        and 0 < len(value) <= _WIDE
        and not isinstance(value[0], str)
    ):
        for index, each in enumerate(value):
            _collect(each, (*at, index), found)
