"""Start positions: rules whose games begin from a book, or after random moves.

Both are chance: they are plies of the record without a seat, drawn from the luck of the deal. All
seatings of a deal begin from the same position. Once it is set up, states are those of the game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

import msgspec

from arena.games.base import CHANCE, NOBODY, Action, InvalidActionError, Json, Rules, RulesInfo
from arena.games.luck import Luck, derive_key
from arena.values.results import Order, Outcome, Positions, RulesSpec, Seat

TAG: Final = "start_position"
_STREAM: Final = "arena:start"


class StartPosition(Action, frozen=True, tag=TAG):
    """Chance: the text of the book from which the game begins. Also the event of every seat."""

    text: str


def is_start_position(action: Any) -> bool:
    """Return whether ``action``, perhaps read from JSON, is a StartPosition."""
    return type(action) is StartPosition or (isinstance(action, dict) and action.get("type") == TAG)


def lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a book with their numbers, without blank lines and comments (``#``)."""
    for number, line in enumerate(text.splitlines(), 1):
        if (stripped := line.strip()) and not stripped.startswith("#"):
            yield number, stripped


class PositionBook(NamedTuple):
    """How a game reads books of start positions."""

    place: Callable[[Any, str], Any]
    """Returns the state in which a game begins, for the rules and a text of the book. Raises
    ValueError with the reason if the text is no position of these rules, or the game has ended
    there. Equal texts give equal states."""
    entries: Callable[[str], Iterator[tuple[int, str]]] = lines
    """Yields the texts in a file, each with the number of its line. Raises ValueError, whose text
    may begin with a line: ``line 3: found …``."""


class _Waiting(NamedTuple):
    """A state whose start position is still to be set up."""

    state: Any
    left: int = 0
    """Number of random decisions that are still to be drawn."""


def positioned(
    rules: Rules[Any, Any], positions: Positions, book: PositionBook | None
) -> Rules[Any, Any]:
    """Return ``rules`` with these start positions; ``book`` is needed for those of a book."""
    if positions.book and book is not None:
        return _BookRules(rules, positions, book)
    return _RandomRules(rules, positions)


class _StartRules:
    """Rules of a game with a start position; the parts that books and random moves share."""

    def __init__(self, rules: Rules[Any, Any], positions: Positions, more_plies: int) -> None:
        self._rules = rules
        self._positions = positions
        info = rules.info
        self.info: RulesInfo = msgspec.structs.replace(info, max_plies=info.max_plies + more_plies)
        self.spec: RulesSpec = msgspec.structs.replace(rules.spec, positions=positions)

    def __getattr__(self, name: str) -> Any:
        """Return an optional part of the game's own rules."""
        return getattr(self._rules, name)

    def to_act(self, state: Any) -> Seat:
        """See Rules."""
        return CHANCE if type(state) is _Waiting else self._rules.to_act(state)

    def legal_actions(self, state: Any) -> Sequence[Any]:
        """See Rules."""
        return self._rules.legal_actions(state)

    def outcome(self, state: Any) -> Outcome | None:
        """See Rules."""
        return None if type(state) is _Waiting else self._rules.outcome(state)

    def observe(self, state: Any, seat: Seat) -> Json:
        """See Rules."""
        return self._rules.observe(state.state if type(state) is _Waiting else state, seat)

    def decode_action(self, data: Json) -> Any:
        """See Rules."""
        return self._rules.decode_action(data)

    def determinize(self, observation: Json, luck: Luck) -> Any:
        """See Rules."""
        return self._rules.determinize(observation, luck)


class _BookRules(_StartRules):
    """Rules of a game that begins from a position of a book."""

    def __init__(self, rules: Rules[Any, Any], positions: Positions, book: PositionBook) -> None:
        super().__init__(rules, positions, 1)
        self._place = book.place
        self._texts = frozenset(positions.book)

    def initial_state(self) -> Any:
        """See Rules."""
        return _Waiting(self._rules.initial_state())

    def chance(self, state: Any, luck: Luck) -> Any:
        """See Rules."""
        if type(state) is not _Waiting:
            return self._rules.chance(state, luck)
        book, number = self._positions.book, luck.number
        if luck.order and number is not None:
            turn, at = divmod(number, len(book))
            if self._positions.order is Order.RANDOM:
                at = _shuffled(luck.order, turn, len(book))[at]
        else:
            at = luck.below(_STREAM, 0, len(book))
        return StartPosition(book[at])

    def apply(self, state: Any, action: Any) -> Any:
        """See Rules."""
        if type(state) is _Waiting:
            return self._place(self._rules, action.text)
        return self._rules.apply(state, action)

    def describe(self, before: Any, action: Any, after: Any) -> Sequence[Json]:
        """See Rules."""
        if type(before) is _Waiting:
            return [action] * self.info.seats
        return self._rules.describe(before, action, after)

    def decode_action(self, data: Json) -> Any:
        """See Rules."""
        if not is_start_position(data):
            return super().decode_action(data)
        try:
            return msgspec.convert(data, StartPosition)
        except msgspec.ValidationError as error:
            raise InvalidActionError(str(error)) from None

    def is_chance_possible(self, state: Any, action: Any) -> bool:
        """See Rules."""
        if type(state) is _Waiting:
            return type(action) is StartPosition and action.text in self._texts
        return self._rules.is_chance_possible(state, action)


class _RandomRules(_StartRules):
    """Rules of a game that begins with random legal actions, none of which ends the game."""

    def __init__(self, rules: Rules[Any, Any], positions: Positions) -> None:
        super().__init__(rules, positions, 0)

    def initial_state(self) -> Any:
        """See Rules."""
        return self._begun(self._rules.initial_state(), self._positions.random_plies)

    def chance(self, state: Any, luck: Luck) -> Any:
        """See Rules."""
        if type(state) is not _Waiting:
            return self._rules.chance(state, luck)
        if self._rules.to_act(state.state) == CHANCE:
            return self._rules.chance(state.state, luck)
        possible = self._continuing(state.state)
        return possible[luck.below(_STREAM, state.left, len(possible))]

    def apply(self, state: Any, action: Any) -> Any:
        """See Rules."""
        if type(state) is not _Waiting:
            return self._rules.apply(state, action)
        decided = self._rules.to_act(state.state) != CHANCE
        return self._begun(self._rules.apply(state.state, action), state.left - decided)

    def describe(self, before: Any, action: Any, after: Any) -> Sequence[Json]:
        """See Rules."""
        if type(before) is _Waiting:
            after = after.state if type(after) is _Waiting else after
            return self._rules.describe(before.state, action, after)
        return self._rules.describe(before, action, after)

    def is_chance_possible(self, state: Any, action: Any) -> bool:
        """See Rules."""
        if type(state) is not _Waiting:
            return self._rules.is_chance_possible(state, action)
        if self._rules.to_act(state.state) == CHANCE:
            return self._rules.is_chance_possible(state.state, action)
        return action in self._continuing(state.state)

    def _begun(self, state: Any, left: int) -> Any:
        """Return ``state``, waiting if random actions are left and can be drawn."""
        seat = self._rules.to_act(state)
        if not left or seat == NOBODY or (seat != CHANCE and not self._continuing(state)):
            return state
        return _Waiting(state, left)

    def _continuing(self, state: Any) -> list[Any]:
        """Return the legal actions that do not end the game."""
        rules = self._rules
        legal = rules.legal_actions(state)
        return [each for each in legal if rules.to_act(rules.apply(state, each)) != NOBODY]


@lru_cache(maxsize=8)
def _shuffled(key: bytes, turn: int, size: int) -> tuple[int, ...]:
    """Return the order in which the positions of a book are played at the ``turn``-th time."""
    return Luck(derive_key(key, "book", turn)).shuffle(_STREAM, 0, range(size))
