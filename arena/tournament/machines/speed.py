"""Measure the speed of this machine by random games of arena, without bots."""

from __future__ import annotations

import time
from typing import Any, Final

import msgspec

from arena.games.base import CHANCE, NOBODY, Rules
from arena.games.luck import Luck, derive_key
from arena.games.registry import GAMES, make_rules, rules_spec

SECONDS: Final = 0.5


class Speed(msgspec.Struct, frozen=True):
    """Speed of one core."""

    game: str
    rate: float
    """Random games per second of processor time."""
    share: float
    """Share of the elapsed time in which this process had the core, from 0 to 1."""


def measured(seconds: float = SECONDS) -> Speed:
    """Measure the speed by random games, the same on every machine. Raises RulesError."""
    game = GAMES.default
    rules = make_rules(rules_spec(game))
    _play(rules, 0)  # leave out one-time set-up
    games = 0
    began, spent = time.monotonic(), time.process_time()
    while time.monotonic() < began + seconds:
        games += 1
        _play(rules, games)
    passed, spent = time.monotonic() - began, time.process_time() - spent
    return Speed(game, games / spent, min(1.0, spent / passed))


def _play(rules: Rules[Any, Any], number: int) -> None:
    luck = Luck(derive_key("speed", number))
    state, ply = rules.initial_state(), 0
    while (seat := rules.to_act(state)) != NOBODY:
        if seat == CHANCE:
            action = rules.chance(state, luck)
        else:
            legal = rules.legal_actions(state)
            action = legal[luck.below("choice", ply, len(legal))]
        state = rules.apply(state, action)
        ply += 1
