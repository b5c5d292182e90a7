"""Selection of random-game steps for test vectors: steps with a new combination of two facts.

A fact is a coarse word on one field of the state, the action, the events or the result:
nothing, one, more, true, this text, changed. No game is known here. Faults sit where two rare
conditions meet (a theft, and an empty pile), so pairs of facts are collected (pairwise
testing). Half of the games begin where something new was met late, which leads to what is rarer
still. Each type of action has a least share of the steps, even if it adds nothing new.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum, StrEnum
from itertools import chain, count, islice
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec

from arena.games.base import CHANCE, NOBODY, Action, Json, Rules
from arena.games.luck import Luck, derive_key
from arena.games.registry import GAMES
from arena.referee.records.perspective import plain

STEPS_PER_KIND: Final = 100
"""Number of steps among which each type of action occurs at least once, if it ever occurs."""
_CASES_PER_KIND: Final = 10
"""Number of games or positions among which each type occurs once, if it can be found."""


class Layer(StrEnum):
    """Kind of cases: single actions, numbers of sequences, or whole games."""

    STEPS = "steps"
    """One action: what it leads to, and what every seat sees of it."""
    COUNTS = "counts"
    """Numbers of sequences of decisions that follow a position."""
    GAMES = "games"
    """A whole game: the scores to which its actions lead."""


def kinds(rules: Rules[Any, Action], layer: Layer) -> tuple[str, ...]:
    """Return the types of actions that can occur in ``layer``, in the order of the game."""
    game = GAMES[rules.spec.name]
    names = [str(each.__struct_config__.tag) for each in game.action_types]
    return tuple(
        name
        for name in names
        if name not in rules.info.unused and (layer is not Layer.COUNTS or name in game.decisions)
    )


class Shares:
    """Types of actions that have less than their share of the cases."""

    def __init__(self, rules: Rules[Any, Action], layer: Layer) -> None:
        self._cases = 0
        self._met = dict.fromkeys(kinds(rules, layer), 0)

    @property
    def short(self) -> frozenset[str]:
        """Types that have occurred in too few cases so far."""
        return frozenset(
            kind for kind, met in self._met.items() if met * _CASES_PER_KIND <= self._cases
        )

    def add(self, met: Iterable[str]) -> None:
        """Count a case with these types of actions."""
        self._cases += 1
        for kind in self._met.keys() & met:
            self._met[kind] += 1


Fact: TypeAlias = tuple[object, ...]

_WINDOW: Final = 40
"""Number of steps of which one is taken; at first fewer, one more every ``_WIDENS`` lines."""
_WIDENS: Final = 5
_WEIGHTS: Final = (100, 10, 3, 1)
"""Weights of a pair of facts that was met together never, once, and so on."""
_POOL: Final = 50
"""Number of steps not taken that are kept for the next choice: those with most new pairs."""
_FOLLOWED: Final = 10
"""Number of steps that the next window adds from a game that begins after the last step taken."""
_KEPT: Final = 10
"""Number of latest steps of each type of action from which its share is taken."""
_REMEMBERED: Final = 64
"""Number of latest steps taken after which games may begin."""
_WIDE: Final = 6
"""Length above which only the length of a sequence counts.

Parts deeper than ``_DEEP`` do not count.
"""
_DEEP: Final = 3
_MANY: Final = 2


_Facts: TypeAlias = tuple[list[int], int]
"""Numbers of the facts that happened, and bits of all facts that held."""


class ExploredStep(NamedTuple):
    """An action of a random game; ``legal`` is empty for chance."""

    before: Any
    legal: Sequence[Action]
    action: Action
    after: Any


def kind_of(action: Action) -> str:
    """Return the type of the action, as in JSON."""
    return str(action.__struct_config__.tag)


class StepIndex(NamedTuple):
    """Place of a step: its game, and the number of actions from the first state of the game."""

    game: int
    ply: int


def luck_of(seed: str, *path: str | int) -> Luck:
    """Return the source of chance for vectors of this seed and ``path``."""
    return Luck(derive_key("vectors", seed, *path))


def random_game(
    rules: Rules[Any, Action], seed: str, game: int, state: Any = None
) -> Iterator[ExploredStep]:
    """Yield the steps of a game from ``state`` or the start; legal actions are equally likely."""
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
        yield ExploredStep(state, legal, action, after)
        state = after


def telling_steps(rules: Rules[Any, Action], seed: str) -> Iterator[tuple[StepIndex, ExploredStep]]:
    """Yield steps of random games without end.

    From each window of steps, yield the one with the most new pairs of facts. If a type of action
    is below its share, yield one of its latest steps instead.
    """
    met, games = _Met(rules), count()
    taken: Counter[str] = Counter()
    kept: dict[str, deque[_Found]] = defaultdict(lambda: deque(maxlen=_KEPT))
    late: list[tuple[StepIndex, Any]] = []
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
    rules: Rules[Any, Action], seed: str, game: int, late: Sequence[tuple[StepIndex, Any]]
) -> Iterator[tuple[StepIndex, ExploredStep]]:
    """Yield the steps of random game number ``game``.

    Half of the games begin at one of the steps ``late``, if there are any. If there is one, every
    game begins there.
    """
    draw = luck_of(seed, "start", game)
    ply, state = 0, None
    if late and (len(late) == 1 or draw.below("again", 0, 2)):
        place, state = late[draw.below("where", 0, len(late))]
        ply = place.ply + 1
    for at, step in enumerate(random_game(rules, seed, game, state), ply):
        yield StepIndex(game, at), step


class _Found(NamedTuple):
    """A step that can be chosen."""

    facts: _Facts
    place: StepIndex
    step: ExploredStep


class _Met:
    """Pairs of facts met so far."""

    def __init__(self, rules: Rules[Any, Action]) -> None:
        self._rules = rules
        self._numbers: dict[Fact, int] = {}
        self._with: list[list[int]] = []
        """Facts met together with a fact once, twice and so on, as bits, by its number."""

    def facts(self, step: ExploredStep) -> _Facts:
        happened, there = self._facts(step)
        numbers = [self._number(fact) for fact in happened]
        together = sum(1 << number for number in numbers)
        for fact in there:
            together |= 1 << self._number(fact)
        return numbers, together

    def new(self, facts: _Facts) -> int:
        """Return the novelty of ``facts``: a pair counts most the first time, then less."""
        numbers, together = facts
        return sum(
            (together & ~seen).bit_count() * weight
            for number in numbers
            for seen, weight in zip(self._with[number], _WEIGHTS, strict=True)
        )

    def add(self, facts: _Facts) -> None:
        """Record one more occurrence of the facts."""
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

    def _facts(self, step: ExploredStep) -> tuple[set[Fact], set[Fact]]:
        """Return the facts that ``step`` changed or caused, and those of the state before it."""
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
    """Return a coarse word: nothing, one or more; of a text only its presence.

    Truth values, None and members of enumerations stand for themselves.
    """
    if isinstance(value, tuple):
        return min(len(value), _MANY)
    if isinstance(value, bool | Enum) or value is None:
        return value
    if isinstance(value, int):
        return min(value, _MANY)
    return bool(value)


def _fields(value: Any) -> dict[Fact, Any]:
    """Return the fields of a value by their paths, including fields of parts."""
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
