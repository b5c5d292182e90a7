"""The check that seats which decide at once do so independently of each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from arena.extensions.authors.contract.play import ContractError, PlayedGame
from arena.games.base import Rules, action_texts
from arena.games.game import Game
from arena.games.luck import Luck, derive_key
from arena.games.simultaneous import deciders
from arena.values.results import Seat

_PLIES: Final = 8
"""Plies of each game at which others choose otherwise."""
_TIMES: Final = 6
"""Random choices of all who decide at such a ply."""
_SHOWN: Final = 200


def simultaneous(played: PlayedGame, game: Game) -> int:
    """Check that no choice of a seat changes a question to those that decide at once."""
    luck, tested = Luck(derive_key("simultaneous", played.seed)), 0
    for number in luck.shuffle("plies", 0, range(len(played.plies)))[:_PLIES]:
        ply = played.plies[number]
        if ply.actor < 0:
            continue
        seats = deciders(played.rules, ply.before)
        if [*seats] != sorted({*seats} & {*played.seats}) or seats[0] != ply.actor:
            expected = f"seats of the table, ascending from {ply.actor}, which is to act"
            raise ContractError(f"ply {number}: simultaneous: found {seats}, expected {expected}")
        for time in range(_TIMES if seats[1:] else 0):

            def choose(seat: Seat, legal: int, stream: str = f"{number}:{time}") -> int:
                return luck.below(stream, seat, legal)

            _decide(played.rules, ply.before, seats, choose, number)
            tested += len(seats)
    return tested


def _decide(
    rules: Rules[Any, Any],
    start: Any,
    seats: Sequence[Seat],
    choose: Callable[[Seat, int], int],
    number: int,
) -> None:
    """Let ``seats`` choose, and compare each question with that which the referee puts.

    The referee asks each seat as if all before it had taken their first legal action.
    """
    asked = state = start
    chosen: list[str] = []
    for at, seat in enumerate(seats):

        def same(what: str, found: Any, expected: Any, seat: Seat = seat) -> None:
            if found != expected:
                words = f"found {found!r:.{_SHOWN}}, expected {expected!r:.{_SHOWN}}"
                raise ContractError(
                    f"ply {number}, seat {seat}: {what} depends on what others choose at once: "
                    f"{words}, after {', '.join(chosen)} in {start!r:.{_SHOWN}}"
                )

        same("to_act", rules.to_act(state), seat)
        same("to_act", rules.to_act(asked), seat)
        same("simultaneous", (*deciders(rules, state),), (*seats[at:],))
        legal, first = [*rules.legal_actions(state)], [*rules.legal_actions(asked)]
        same("legal_actions", legal, first)
        same("observe", rules.observe(state, seat), rules.observe(asked, seat))
        texts = action_texts(rules, asked, first)
        same("action_text", action_texts(rules, state, legal), texts)
        action = legal[choose(seat, len(legal))]
        after = rules.apply(state, action)
        chosen.append(f"seat {seat}: {action!r}")
        if later := seats[at + 1 :]:
            events = rules.describe(state, action, after)
            for each in later:
                same("describe", events[each], None, each)
            asked = rules.apply(asked, first[0])
        state = after
