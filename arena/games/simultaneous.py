"""Decisions that several seats make at once, each without knowing those of the others.

Rules say so by an optional method, ``simultaneous(state)``. It returns the seats that decide
independently of each other in ``state``, in ascending order, the seat to act first. Afterwards each
of them acts in this order, without chance in between. An action that is not the last one of them
changes nothing for those still to decide: neither their observations, legal actions and texts nor
the seats that ``simultaneous`` returns. No event of it is for them: theirs is None.

So the question to each of them can be made before anybody has answered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from arena.games.base import Rules
from arena.games.installed import GameError
from arena.values.results import Seat


class JointQuestion(NamedTuple):
    """A question to a seat that decides at once with others."""

    seat: Seat
    state: Any
    """A state that looks to the seat as the true one does."""
    legal: Sequence[Any]


def deciders(rules: Rules[Any, Any], state: Any) -> Sequence[Seat]:
    """Return the seats that decide in ``state``, in which a seat is to act, in ascending order."""
    method = getattr(rules, "simultaneous", None)
    seats = tuple(method(state)) if method else ()
    return seats or (rules.to_act(state),)


def questions(rules: Rules[Any, Any], state: Any) -> Iterator[JointQuestion]:
    """Yield the questions that are put at once in ``state``; none where no seat is to act.

    Each seat is asked as if the seats before it had chosen their first legal actions. Raises
    GameError if another seat is to act than ``simultaneous`` says.
    """
    if rules.to_act(state) < 0:
        return
    for number, seat in enumerate(seats := deciders(rules, state)):
        if (actor := rules.to_act(state)) != seat:
            name, found = rules.info.name, f"simultaneous returned {seats}"
            raise GameError(f"{name} failed: {found}, but to_act {actor} in place of {seat}")
        yield JointQuestion(seat, state, legal := rules.legal_actions(state))
        if number + 1 < len(seats):
            state = rules.apply(state, legal[0])
