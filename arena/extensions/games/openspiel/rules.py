"""Rules of one game of OpenSpiel.

A game in which all act at once is played by OpenSpiel's own conversion, in which nobody sees a
choice before all are in. So the referee asks all at once.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
import pyspiel

from arena.extensions.games.openspiel.state import (
    EXTRAS,
    Action,
    Draw,
    Event,
    Move,
    Observation,
    SharedEngine,
    SpielGame,
    State,
    seat_of,
)
from arena.games.base import CHANCE, NOBODY, InvalidActionError, Json, RulesError, RulesInfo
from arena.games.luck import Luck
from arena.values.results import Outcome, RulesSpec, Seat

_PRECISION: Final = 1 << 53
_CHANCE: Final = -1
_ENDED: Final = -4
_CHANCE_MARGIN: Final = 4
"""Some games have up to three times as many chance events as OpenSpiel's bound allows."""
_TIE: Final = 9
"""Number of decimals in which returns differ if one seat is before another."""


class _Moves(dict[int, Move]):
    """Every move met so far, by its number."""

    def __missing__(self, number: int) -> Move:
        move = self[number] = Move(number)
        return move


class OpenSpielRules:
    """A game of OpenSpiel with its parameters. See ``arena.games.base.Rules``."""

    def __init__(
        self,
        facts: SpielGame,
        seats: int,
        options: Mapping[str, object],
        data: Mapping[str, object],
    ) -> None:
        """Build the rules. Raises RulesError for parameters that OpenSpiel refuses."""
        self.spec = RulesSpec(facts.name, seats, dict(options), dict(data))
        own = facts.parameters(seats, options)
        try:
            game = pyspiel.load_game(facts.member, own)
            game.new_initial_state()  # where some parameters are checked
        except Exception as error:  # its own, and those of C++ and of its bindings
            text = f"OpenSpiel refuses {own}: {_line(str(error))}"
            raise RulesError(("options",), text) from None
        if game.max_game_length() < 1:
            raise RulesError(("options",), f"OpenSpiel's game has no moves with {own}")
        if game.num_players() != seats:
            text = f"OpenSpiel's game has {game.num_players()} players with {own}, expected {seats}"
            raise RulesError(("options",), text)
        kind = game.get_type()
        is_sequential = kind.dynamics == pyspiel.GameType.Dynamics.SEQUENTIAL
        self._game = game if is_sequential else pyspiel.convert_to_turn_based(game)
        if not is_sequential:
            self.simultaneous = self._simultaneous
        self._is_open = is_sequential and (
            kind.information == pyspiel.GameType.Information.PERFECT_INFORMATION
        )
        self._has_observations = kind.provides_observation_string
        self._extras = {name: EXTRAS[name].method for name in facts.extras if options.get(name)}
        self._scale = facts.scale
        self._moves = _Moves()
        self._actions = self._game.num_distinct_actions()
        self.info = RulesInfo(
            name=facts.name,
            title=facts.title,
            seats=seats,
            max_plies=self._game.max_game_length()
            + _CHANCE_MARGIN * self._game.max_chance_nodes_in_history(),
            score="points" if facts.scale == 1 else "thousandths of a point",
            worst_score=math.floor(self._game.min_utility() * facts.scale),
            public=("player", "text", "history") if self._is_open else (),
            unused=() if self._game.max_chance_outcomes() else ("draw",),
            teams=facts.teams,
            is_cooperative=seats > 1 and kind.utility == pyspiel.GameType.Utility.IDENTICAL,
            can_determinize=False,
        )

    def initial_state(self) -> State:
        start = self._game.new_initial_state
        return State(start, SharedEngine(start()))

    def to_act(self, state: State) -> Seat:
        actor = state.actor
        if actor >= 0:
            return actor
        if actor == _CHANCE:
            return CHANCE
        if actor == _ENDED:
            return NOBODY
        raise ValueError(f"OpenSpiel's number of who acts is {actor}")

    def _simultaneous(self, state: State) -> Sequence[Seat]:
        inner = state.engine.simultaneous_game_state()
        if not inner.is_simultaneous_node():
            return ()
        seats = range(state.actor, self.info.seats)
        return [seat for seat in seats if inner.legal_actions(seat)]

    def legal_actions(self, state: State) -> Sequence[Move]:
        legal = state.legal
        if legal is None:
            moves = self._moves
            legal = state.legal = [moves[each] for each in state.engine.legal_actions()]
        return legal

    def action_space(self) -> Sequence[Move]:
        """Return all moves: the number of each is OpenSpiel's."""
        return [self._moves[number] for number in range(self._actions)]

    def chance(self, state: State, luck: Luck) -> Draw:
        outcomes = state.engine.chance_outcomes()
        shares = {share for _, share in outcomes}
        if len(shares) == 1:
            return Draw(outcomes[luck.below("chance", state.draws, len(outcomes))][0])
        point = luck.below("chance", state.draws, _PRECISION) / _PRECISION
        point *= math.fsum(share for _, share in outcomes)
        possible = [(number, share) for number, share in outcomes if share > 0]
        for number, share in possible:
            point -= share
            if point < 0:
                return Draw(number)
        return Draw(possible[-1][0])

    def is_chance_possible(self, state: State, action: Action) -> bool:
        if state.actor != _CHANCE or not isinstance(action, Draw):
            return False
        outcomes = state.engine.chance_outcomes()
        return any(number == action.id and share > 0 for number, share in outcomes)

    def apply(self, state: State, action: Action) -> State:
        return state.after(action.id)

    def outcome(self, state: State) -> Outcome | None:
        """Return the outcome: places by OpenSpiel's returns, which the scores round."""
        if state.actor != _ENDED:
            return None
        if state.outcome is None:
            returns = [round(each, _TIE) for each in state.engine.returns()]
            places = tuple(1 + sum(other > own for other in returns) for own in returns)
            scores = tuple(round(each * self._scale) for each in returns)
            state.outcome = Outcome(scores, places)
        return state.outcome

    def observe(self, state: State, seat: Seat) -> Observation:
        engine, player = state.engine, seat_of(state.actor)
        extras = {name: _value(getattr(engine, own)(seat)) for name, own in self._extras.items()}
        if self._is_open:
            return Observation(seat, player, str(engine), state.history, **extras)
        if self._has_observations:
            return Observation(seat, player, engine.observation_string(seat), **extras)
        return Observation(seat, player, engine.information_state_string(seat), **extras)

    def describe(self, before: State, action: Action, after: State) -> Sequence[Event | None]:
        seat = seat_of(before.actor)
        event = Event("draw" if seat is None else "move", action.id, seat)
        if self._is_open:
            return (event,) * self.info.seats
        return [event if each == seat else None for each in range(self.info.seats)]

    def action_text(self, state: State, action: Action) -> str:
        """Return the action in OpenSpiel's words, with its number where two have the same."""
        texts = state.texts
        if texts is None:
            engine, actor = state.engine, state.actor
            numbers = [action.id] if actor == _CHANCE else engine.legal_actions()
            words = {each: _line(engine.action_to_string(actor, each)) for each in numbers}
            often = Counter(words.values())
            texts = {
                each: text if text and often[text] == 1 else f"{text} ({each})".strip()
                for each, text in words.items()
            }
            if actor != _CHANCE:
                state.texts = texts
        return texts[action.id]

    def decode_action(self, data: Json) -> Action:
        is_draw = isinstance(data, dict) and data.get("type") == "draw"
        action: Action
        try:  # a union of both would be built again at each call
            action = msgspec.convert(data, Draw) if is_draw else msgspec.convert(data, Move)
        except msgspec.ValidationError as error:
            raise InvalidActionError(str(error)) from None
        if action.id < 0 or (action.id >= self._actions and not is_draw):
            raise InvalidActionError(f"expected the number of an action, got {action.id}")
        return action

    def determinize(self, observation: Json, luck: Luck) -> State:
        raise NotImplementedError  # as info.can_determinize says: OpenSpiel deals no other worlds


def _value(found: str | list[float]) -> Any:
    """Return a text, or a tensor as a value that nobody can change."""
    return found if isinstance(found, str) else tuple(found)


def _line(text: str) -> str:
    return " ".join(text.split())
