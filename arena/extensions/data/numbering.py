"""Numbers of actions: the index among the legal ones, or one that is the same in every state."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any, Protocol

from arena.extensions.data.api.errors import Error
from arena.games.base import Action, Rules, action_space
from arena.referee.records.perspective import plain
from arena.values.problems import quote


class Numbering(Protocol):
    """Numbers of the actions of a game, from 0."""

    size: int
    """Number of different numbers."""

    def of(self, legal: Sequence[Action]) -> Sequence[int]:
        """Return the number of each legal action of a state. Raises Error."""


class Indices:
    """Numbers of the legal actions of a state by their order."""

    def __init__(self, name: str, most: int) -> None:
        """``name``: of the game, for messages. ``most``: most legal actions of a state."""
        self._name, self.size = name, most

    def of(self, legal: Sequence[Action]) -> range:
        """See Numbering."""
        if len(legal) > self.size:
            found = f"{self._name}: a state has {len(legal)} legal actions"
            raise Error(f"{found}, the environment has {self.size}; raise actions=")
        return range(len(legal))


class FixedNumbers:
    """Numbers by the place in ``action_space`` of the rules, equal in every state and process."""

    def __init__(self, rules: Rules[Any, Action]) -> None:
        """Take the actions of ``rules``. Raises Error if they list none."""
        self._rules, self._name = rules, rules.info.name
        self._actions = tuple(action_space(rules))
        if not self._actions:
            found = f"the rules of {self._name} have no action_space"
            told = "then numbers are indices, and env.vector(action) describes actions to a learner"
            expected = "expected most legal actions of a state, such as 256"
            raise Error(f"actions: {found}, {expected}: {told}")
        self._numbers = {action: number for number, action in enumerate(self._actions)}
        self.size = len(self._actions)

    def of(self, legal: Sequence[Action]) -> list[int]:
        """See Numbering."""
        try:
            return [*map(self._numbers.__getitem__, legal)]
        except KeyError as missing:
            raise Error(f"{self._name}: action_space lacks {missing.args[0]!r:.200}") from None

    def action(self, number: int) -> Any:
        """Return the action of a number, as JSON. Raises Error."""
        return plain(
            self._actions[position("action_of", number, range(self.size), "number of an action")]
        )

    def number(self, action: Any) -> int:
        """Return the number of an action, which may be JSON. Raises Error."""
        try:
            found = action if isinstance(action, Action) else self._rules.decode_action(action)
            return self._numbers[found]
        except (ValueError, KeyError):
            raise Error(f"number_of: found {action!r:.200}, expected an action of a seat") from None


def position(
    who: str, choice: Any, numbers: Sequence[int], what: str = "index of a legal action"
) -> int:
    """Return where a chosen number stands among those of the legal actions. Raises Error.

    ``what``: what the numbers are if they are a range, for the message.
    """
    try:
        return numbers.index(index(choice))
    except (TypeError, ValueError):
        expected = f"the {what}, 0 to {len(numbers) - 1}"
        if not isinstance(numbers, range):
            expected = f"the number of a legal action, such as {numbers[0]}"
        raise Error(f"{who}: found {quote(choice):.200}, expected {expected}") from None
