"""Questions for a model of a game, with the answers of arena's own rules.

All cases follow from the rules and the seed; a smaller number gives the first cases of a larger.

A full state is plain JSON, every field by its name. docs/games/ has the fields of arena's own
games. Actions, observations and events are written as bots receive them.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import fields, is_dataclass
from enum import Enum
from itertools import count, islice, zip_longest
from numbers import Number
from typing import Any, Final, NamedTuple

import msgspec

from arena.extensions.authors.vectors.exploring import (
    ExploredStep,
    Layer,
    Shares,
    StepIndex,
    kind_of,
    random_game,
    telling_steps,
)
from arena.games.base import CHANCE, NOBODY, Action, InvalidActionError, Json, Rules
from arena.referee.records.perspective import plain
from arena.values.bad_input import BadInput
from arena.values.results import Outcome


def written_state(state: Any) -> Json:
    """Return the state in plain JSON; equal states are written alike.

    A named tuple, a struct or a dataclass becomes an object of all its fields, another object an
    object of its attributes. Another tuple, list or iterable becomes an array, a set a sorted
    array, None null, a member of an enumeration its value. A struct with a tag is an event that the
    state keeps, and is written as bots receive it.

    Raises BadInput for a value that cannot be written, in a state of a game from elsewhere.
    """
    try:
        return _written(state)
    except RecursionError:
        raise BadInput("a state cannot be written: it holds itself") from None


def _written(state: Any) -> Json:
    if (names := _fields(state)) is not None:
        return {name: _written(getattr(state, name)) for name in names}
    if isinstance(state, tuple | list):
        return [_written(value) for value in state]
    if isinstance(state, set | frozenset):
        return sorted((_written(value) for value in state), key=in_order)
    if isinstance(state, Mapping):
        return {str(_written(key)): _written(value) for key, value in state.items()}
    if isinstance(state, Enum):
        return _written(state.value)
    if state is None or isinstance(state, str | int | float):
        return state
    with suppress(TypeError):
        return plain(state)
    if isinstance(state, Iterable):
        return [_written(value) for value in state]
    if isinstance(state, Number) and hasattr(state, "item"):  # a number of numpy
        return _written(state.item())
    if attributes := _attributes(state):
        return {name: _written(value) for name, value in sorted(attributes.items())}
    kind = type(state).__name__
    raise BadInput(f"a state holds what cannot be written: an object of type {kind}")


def _fields(value: Any) -> Sequence[str] | None:
    """Return the names of the fields of ``value``; None if it has none."""
    if isinstance(value, tuple):
        return getattr(value, "_fields", None)
    if isinstance(value, msgspec.Struct):
        return None if value.__struct_config__.tag is not None else value.__struct_fields__
    if is_dataclass(value):
        return [field.name for field in fields(value)]
    return None


def _attributes(value: object) -> dict[str, Any]:
    """Return the attributes of an object, those in slots included."""
    slots = [name for each in type(value).__mro__ for name in getattr(each, "__slots__", ())]
    found = {name: getattr(value, name) for name in slots if hasattr(value, name)}
    return found | getattr(value, "__dict__", {})


def in_order(value: Json) -> bytes:
    """Return a key that sorts and compares plain JSON, regardless of the order of its keys."""
    return msgspec.json.encode(value, order="deterministic")


NEEDED: Final[Mapping[Layer, tuple[str, ...]]] = {
    Layer.STEPS: ("next", "legal"),
    Layer.COUNTS: ("counts",),
    Layer.GAMES: ("scores",),
}
"""Members that every answer must have, by layer; other members are compared if present."""


_LOOKED_AT: Final = 8
"""Number of games from which one is chosen while a type of action has less than its share."""
_MOST_LOOKED_AT: Final = 40
"""Most games searched for a position with such a type, if none has one."""


class Case(NamedTuple):
    """One question and its answer, both in plain JSON."""

    question: dict[str, Json]
    answer: dict[str, Json]
    kinds: Mapping[str, int]
    """Occurrences of each type of action; COUNTS: 1 for each that is legal in a sequence."""

    @property
    def line(self) -> dict[str, Json]:
        """Question and answer as one object."""
        return self.question | self.answer


class CaseSelection(NamedTuple):
    """Choice of the cases of a layer."""

    layer: Layer
    seed: str
    number: int
    """Number of steps, deals or games."""
    depth: int = 1
    """Longest sequences of COUNTS."""
    divide: bool = False
    """True if each first action of COUNTS also gets a case of its own."""


def cases(rules: Rules[Any, Action], wanted: CaseSelection) -> Iterator[Case]:
    """Yield the cases in a fixed order."""
    kinds: dict[Layer, Callable[..., Iterator[Case]]] = {
        Layer.STEPS: _steps,
        Layer.COUNTS: _counts,
        Layer.GAMES: _games,
    }
    return kinds[wanted.layer](rules, wanted)


def _of(rules: Rules[Any, Action], **where: int) -> dict[str, Json]:
    """Return the members with which every question about ``rules`` begins."""
    spec = rules.spec
    return {"rules": spec.name, "seats": spec.seats, "options": plain(spec.options), **where}


def _steps(rules: Rules[Any, Action], wanted: CaseSelection) -> Iterator[Case]:
    for place, step in islice(telling_steps(rules, wanted.seed), wanted.number):
        yield _step(rules, step, place)


def _step(rules: Rules[Any, Action], step: ExploredStep, place: StepIndex) -> Case:
    before, legal, action, after = step
    question = {
        **_of(rules, **place._asdict()),
        "state": written_state(before),
        "action": _in_any_order(rules, action) if legal and place.ply % 2 else plain(action),
    }
    answer = {
        "seat": rules.to_act(before) if legal else None,
        "legal": plain(legal),
        "next": written_state(after),
        "observations": [plain(rules.observe(after, seat)) for seat in range(rules.spec.seats)],
        "events": plain(rules.describe(before, action, after)),
        **_ending(rules.outcome(after)),
    }
    return Case(question, answer, {kind_of(action): 1})


def _in_any_order(rules: Rules[Any, Action], action: Action) -> Json:
    """Return the action with its lists reversed, if it is still the same action."""
    written: dict[str, Json] = plain(action)
    turned = {
        name: value[::-1] if isinstance(value, list) else value for name, value in written.items()
    }
    try:
        return turned if rules.decode_action(turned) == action else written
    except InvalidActionError:
        return written


def _games(rules: Rules[Any, Action], wanted: CaseSelection) -> Iterator[Case]:
    """Yield random games.

    While types of actions occur too rarely, yield the one of several games with most such types.
    """
    shares, numbers = Shares(rules, wanted.layer), count()
    for _ in range(wanted.number):
        found = []
        for game in islice(numbers, _LOOKED_AT if shares.short else 1):
            steps = [*random_game(rules, wanted.seed, game)]
            found.append((game, steps, Counter(kind_of(step.action) for step in steps)))
        game, steps, met = max(found, key=lambda each: len(shares.short & each[2].keys()))
        shares.add(met)
        question = {
            **_of(rules, game=game),
            "actions": [plain(step.action) for step in steps],
        }
        yield Case(question, _ending(rules.outcome(steps[-1].after)), met)


def _ending(outcome: Outcome | None) -> dict[str, Json]:
    """Return scores and places; null while the game continues."""
    if outcome is None:
        return {"scores": None, "places": None}
    return {"scores": [*outcome.scores], "places": [*outcome.places]}


def _counts(rules: Rules[Any, Action], wanted: CaseSelection) -> Iterator[Case]:
    shares, numbers = Shares(rules, wanted.layer), count()
    for number in range(wanted.number):
        deal, ply, start = _position(rules, wanted, number, shares.short, numbers)
        where = _of(rules, deal=deal, ply=ply)
        question = {**where, "state": written_state(start), "depth": wanted.depth}
        types: set[type[Action]] = set()
        answer: dict[str, Json] = {"counts": sequences(rules, start, wanted.depth, types)}
        met = dict.fromkeys((str(each.__struct_config__.tag) for each in types), 1)
        yield Case(question, answer, met)
        shares.add(met)
        if wanted.divide and wanted.depth > 1 and rules.to_act(start) >= 0:
            for action in rules.legal_actions(start):
                after = rules.apply(start, action)
                question = {
                    **where,
                    "first": plain(action),
                    "state": written_state(after),
                    "depth": wanted.depth - 1,
                }
                yield Case(question, {"counts": sequences(rules, after, wanted.depth - 1)}, {})


def _position(
    rules: Rules[Any, Action],
    wanted: CaseSelection,
    number: int,
    short: Set[str],
    deals: Iterator[int],
) -> tuple[int, int, Any]:
    """Return a deal, a number of actions and the position after them.

    Position 0 is the first decision of a game. While ``short`` has types of actions, a position is
    chosen in which some of them are legal. Otherwise the game has ``wanted.depth`` decisions from
    the position on.
    """
    if number == 1 or (number and not short):
        deal = next(deals)
        decisions = deque[tuple[int, Any]](maxlen=wanted.depth)
        for ply, step in enumerate(random_game(rules, wanted.seed, deal)):
            if step.legal:
                decisions.append((ply, step.before))
        return deal, *decisions[0]
    best = -1
    found: tuple[int, int, Any] = (0, 0, None)
    for looked_at, deal in enumerate(islice(deals, _MOST_LOOKED_AT if number else 1)):
        if looked_at >= _LOOKED_AT and best > 0:
            break
        for ply, step in enumerate(random_game(rules, wanted.seed, deal)):
            new = len(short & set(map(kind_of, step.legal))) if number else 0
            if step.legal and new > best:
                best, found = new, (deal, ply, step.before)
            if step.legal and not number:
                break
    return found


def sequences(
    rules: Rules[Any, Action], state: Any, depth: int, met: set[type[Action]] | None = None
) -> list[int]:
    """Return how many sequences of 1, 2, … ``depth`` decisions can follow ``state``.

    Sequences end at a chance event or the end of the game, so the numbers do not depend on chance.
    The classes of the actions in them are added to ``met``.
    """
    if rules.to_act(state) in (CHANCE, NOBODY):
        return [0] * depth
    legal = rules.legal_actions(state)
    if met is not None:
        met.update(map(type, legal))
    below = (
        sequences(rules, rules.apply(state, action), depth - 1, met)
        for action in (legal if depth > 1 else ())
    )
    return [len(legal), *map(sum, zip_longest(*below, fillvalue=0))]
