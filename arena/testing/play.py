"""Random games of any rules, kept action by action."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from arena.games.base import CHANCE, NOBODY, Rules, Transition, wrong_info
from arena.games.luck import Luck, derive_key

_ARENA: Final = str(Path(__file__).parents[1])
"""Folder of arena's own code."""


class ContractError(AssertionError):
    """Rules break their contract; the text says where in a game, and what was found."""


class PlayedGame(NamedTuple):
    """A finished game of random legal actions."""

    rules: Rules[Any, Any]
    seed: str
    """Seed from which ``play`` plays the same game again."""
    plies: tuple[Transition, ...]

    @property
    def states(self) -> tuple[Any, ...]:
        """The states, the first and the last one included."""
        return (self.plies[0].before, *(ply.after for ply in self.plies))

    @property
    def seats(self) -> range:
        """The seats of the table."""
        return range(self.rules.info.seats)


class _LuckOnce(Luck):
    """The luck of one game, in which no number is drawn twice.

    An order may be: a deck that is shuffled once gives its cards one by one.
    """

    __slots__ = ("_drawn",)

    def __init__(self, key: bytes) -> None:
        super().__init__(key)
        self._drawn = set[tuple[str, int]]()

    def below(self, stream: str, counter: int, bound: int) -> int:
        if (stream, counter) in self._drawn:
            raise ContractError(
                f"chance: found below({stream!r}, {counter}, …) again, which gives the same luck; "
                "expected another counter for each number of a game"
            )
        self._drawn.add((stream, counter))
        return super().below(stream, counter, bound)


def play(rules: Rules[Any, Any], seed: str) -> PlayedGame:
    """Play a game of uniformly random legal actions.

    ``seed``: names its deal and its choices. Raises ContractError if the rules raise an exception,
    if their ``info`` has a value of a wrong type, if chance draws a number twice, if nobody and
    nothing is to act, or if the game is longer than ``info.max_plies``.
    """
    luck = _LuckOnce(derive_key("deal", seed))
    choices = Luck(derive_key("choices", seed))
    plies: list[Transition] = []
    with _at(plies, rules):
        if wrong := wrong_info(rules.info):
            raise ContractError(f"info: expected {wrong}")
        state = rules.initial_state()
        while (actor := rules.to_act(state)) != NOBODY:
            if actor != CHANCE and actor not in range(rules.info.seats):
                seats = f"a seat below {rules.info.seats}, CHANCE or NOBODY"
                raise ContractError(f"to_act: found {actor!r}, expected {seats}")
            if len(plies) == rules.info.max_plies:
                expected = f"the end after at most {rules.info.max_plies} plies (info.max_plies)"
                raise ContractError(f"to_act: found {actor!r}, expected {expected}")
            if actor == CHANCE:
                action = rules.chance(state, luck)
            else:
                legal = rules.legal_actions(state)
                if not legal:
                    raise ContractError(f"legal_actions: found none for seat {actor}")
                action = legal[choices.below("choice", len(plies), len(legal))]
            after = rules.apply(state, action)
            plies.append(Transition(actor, state, action, after))
            state = after
        if not plies:
            raise ContractError("to_act: found NOBODY in the initial state, expected a game")
    return PlayedGame(rules, seed, tuple(plies))


@contextmanager
def _at(plies: list[Transition], rules: Rules[Any, Any]) -> Iterator[None]:
    """Raise ContractError with the ply at which the rules went wrong."""
    try:
        yield
    except ContractError as error:
        raise ContractError(f"ply {len(plies)}: {error}") from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever a package of others does
        what = f"{type(rules).__name__} raised {raised(error)}"
        raise ContractError(f"ply {len(plies)}: {what}") from error


def raised(error: BaseException) -> str:
    """Return an exception in words, with the place that raised it or called what did.

    The place is the innermost one outside of arena, if there is one.
    """
    frames = traceback.extract_tb(error.__traceback__)
    outside = [frame for frame in frames if not frame.filename.startswith(_ARENA)]
    place = (outside or frames)[-1]
    where = f"{Path(place.filename).name}:{place.lineno} in {place.name}"
    text = f": {error}" if str(error) else ""
    return f"{type(error).__name__}{text} ({where})"
