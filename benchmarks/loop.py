"""The referee's own part of a turn: rules and observation are made beforehand."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Sequence
from typing import Any, Final, cast

import msgspec

from arena.games.base import CHANCE, NOBODY, Action, Json, Rules, RulesInfo
from arena.games.luck import Luck, derive_key
from arena.games.registry import make_rules, rules_spec
from arena.hosting.process import BotProcess
from arena.hosting.sandbox.isolation import Launch
from arena.referee.compiled import channel_to
from arena.referee.play import GameConditions, play_game
from arena.referee.protocol import Act, encode
from arena.referee.session import BotSession, handshake
from arena.values.results import GameSpec, Limits, Outcome, Seat, TimeControl
from benchmarks.child import call, serve
from benchmarks.figures import Figure, Figures
from benchmarks.workshop import Workshop, pinned

_SEATS: Final = 2
_TURNS: Final = 70
_TOKEN: Final = "0" * 16
_LUCK: Final = Luck(derive_key("benchmark"))


class Games(msgspec.Struct, frozen=True):
    """How many games to play with which bot."""

    command: tuple[str, ...]
    count: int


class Cost(msgspec.Struct, frozen=True):
    """Own CPU per turn, µs."""

    cpu: float


class Position(msgspec.Struct, frozen=True):
    """All that a bot is told at one turn of a real game."""

    observation: Json
    legal: tuple[Action, ...]
    event: Json

    def size(self) -> int:
        """Bytes of the question, with the events of two turns as in a real game."""
        events = [self.event, self.event]
        return len(encode(Act(_TOKEN, 1.0, self.observation, events, self.legal)))


class StillRules:
    """One position of a real game at every turn: right messages, no work.

    The state is the number of turns played.
    """

    def __init__(self, rules: Rules[Any, Action], position: Position) -> None:
        self.spec = rules.spec
        self.info = RulesInfo("still", "Still", _SEATS, _TURNS, "points", 0)
        self._position = position
        self._events = (position.event,) * rules.spec.seats

    def initial_state(self) -> int:
        """See Rules."""
        return 0

    def to_act(self, state: int) -> Seat:
        """See Rules."""
        return state % _SEATS if state < _TURNS else NOBODY

    def legal_actions(self, state: int) -> tuple[Action, ...]:
        """See Rules."""
        return self._position.legal

    def apply(self, state: int, action: Action) -> int:
        """See Rules."""
        return state + 1

    def outcome(self, state: int) -> Outcome:
        """See Rules."""
        return Outcome((0, 0), (1, 1))

    def observe(self, state: int, seat: Seat) -> Json:
        """See Rules."""
        return self._position.observation

    def describe(self, before: int, action: Action, after: int) -> Sequence[Json]:
        """See Rules."""
        return self._events


def loop(shop: Workshop) -> Figures:
    """``play_game`` with a C bot on one core."""
    with pinned(0):
        cost = call(__name__, Games((shop.program("instant"),), shop.sizes.loop_games), Cost)
    return {Figure.LOOP_CPU: cost.cpu}


def middle_position(rules: Rules[Any, Action]) -> Position:
    """The position with the median question of a game in which the first legal action is played."""
    positions = []
    state = rules.initial_state()
    while (seat := rules.to_act(state)) != NOBODY:
        if seat == CHANCE:
            state = rules.apply(state, rules.chance(state, _LUCK))
            continue
        legal = tuple(rules.legal_actions(state))
        after = rules.apply(state, legal[0])
        event = rules.describe(state, legal[0], after)[seat]
        positions.append(Position(rules.observe(state, seat), legal, event))
        state = after
    return sorted(positions, key=Position.size)[len(positions) // 2]


def _measure(games: Games) -> Cost:
    real = make_rules(rules_spec("dragonheart", _SEATS))
    rules = cast("Rules[int, Action]", StillRules(real, middle_position(real)))
    sessions = [bot_session(games.command) for _ in range(_SEATS)]
    gc.freeze()
    _play(rules, sessions, max(1, games.count // 10))
    began = time.process_time()
    _play(rules, sessions, games.count)
    spent = time.process_time() - began
    for session in sessions:
        session.channel.close()
    return Cost(spent / games.count / _TURNS * 1e6)


def bot_session(command: tuple[str, ...]) -> BotSession:
    """Start a bot and let it introduce itself."""
    limits = Limits()
    process = BotProcess(Launch(command, os.getcwd()))
    session = handshake(channel_to(process, limits.reply, limits.stderr), TimeControl(), limits)
    if not isinstance(session, BotSession):
        raise RuntimeError(session.detail)
    return session


def _play(rules: Rules[int, Action], sessions: list[BotSession], games: int) -> None:
    terms = GameConditions(TimeControl(), _TOKEN, (1, 2), ({}, {}), None)
    for number in range(games):
        spec = GameSpec(f"a+b:{number}:0", f"a+b:{number}", f"a+b:{number}", 0, ("a", "b"))
        played = play_game(rules, sessions, spec, _LUCK, terms)
        if played.result.faults:
            raise RuntimeError(str(played.result.faults))


if __name__ == "__main__":
    serve(Games, _measure)
