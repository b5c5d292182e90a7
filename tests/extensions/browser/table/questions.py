"""What a person at a table is told, made by the rules alone: no bots, no referee."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec

from arena.extensions.browser.table.course import PersonsGame, Seated
from arena.games.base import CHANCE, NOBODY
from arena.games.luck import Luck, derive_key
from arena.games.registry import make_rules, rules_spec

NAMES = ("greedy", "random", "slow", "wild")


def plain(value: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value))


def game(rules: str, seats: int, seat: int = 0, notices: tuple[str, ...] = ()) -> PersonsGame:
    names = ("human" if each == seat else NAMES[each] for each in range(seats))
    return PersonsGame(rules_spec(rules, seats), tuple(names), seat, 1, notices)


@cache
def questions(rules: str, seats: int, seat: int = 0) -> tuple[Seated, ...]:
    """The person's state at each of his decisions; he and all others choose by chance."""
    return tuple(_asked(rules, seats, seat))


def _asked(rules: str, seats: int, seat: int) -> Iterator[Seated]:
    engine = make_rules(rules_spec(rules, seats))
    luck, choices = Luck(derive_key("deal")), Luck(derive_key("choices"))
    seated, events = Seated(game(rules, seats, seat)), list[Any]()
    state, ply = engine.initial_state(), 0
    while (actor := engine.to_act(state)) != NOBODY:
        if actor == CHANCE:
            action = engine.chance(state, luck)
        else:
            legal = engine.legal_actions(state)
            index = choices.shuffle("choice", ply, tuple(range(len(legal))))[0]
            action = legal[index]
            if actor == seat:
                message = {
                    "observation": plain(engine.observe(state, seat)),
                    "events": plain(events),
                    "legal": plain(legal),
                }
                seated = seated.act(message)
                yield seated
                seated, events = seated.decided(), []
        after = engine.apply(state, action)
        event = engine.describe(state, action, after)[seat]
        events += [] if event is None else [event]
        state, ply = after, ply + 1


def question(rules: str, seats: int, number: int, seat: int = 0) -> Seated:
    """The state at the decision of that number, from 0."""
    return questions(rules, seats, seat)[number]
