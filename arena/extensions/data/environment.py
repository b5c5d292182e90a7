"""An environment with the AEC interface of PettingZoo, which this module imports.

Observations and actions of any game become vectors by ``features``.
"""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from arena.extensions.data.api.errors import Error, as_error, seed_of
from arena.extensions.data.features import LIMIT, Vector, features
from arena.extensions.data.numbering import FixedNumbers, Indices, Numbering, position
from arena.extensions.data.programs import Programs
from arena.games.base import CHANCE, NOBODY, Action, Rules
from arena.games.luck import Luck, derive_key
from arena.games.simultaneous import questions
from arena.referee.records.perspective import plain
from arena.values.problems import either, quote
from arena.values.results import Outcome, margins_of


class EnvQuestion(NamedTuple):
    """A question to an opponent."""

    seat: int
    """Seat of the opponent."""
    observation: Any
    """Observation of the seat, as JSON."""
    legal: list[Any]
    """All legal actions, as JSON."""
    events: list[Any]
    """Events that the seat saw since it was last asked, as JSON, oldest first."""


_LARGEST: Final = 1_000_000
"""Largest number of actions, and of entries of a vector."""
_MOST: Final = 1000
"""Number of games in succession without an action of an agent, after which there is an error."""
Opponent: TypeAlias = Callable[[EnvQuestion], Any]
"""Function that returns the index of a legal action, the action, or a pair of it and a remark."""
_Events: TypeAlias = list[tuple[Any, ...]]
Reward: TypeAlias = Literal["place", "score", "margin"]
"""Quantity that the reward of an agent counts."""


class Environment(AECEnv):  # type: ignore[misc, unused-ignore]  # Any where it is not installed
    """Games of one table, one after another. Agents are ``seat_0``, ``seat_1`` and so on.

    An action is an index into the legal actions of the state, or its fixed number. Observations
    have the keys ``observation``, a vector, and ``action_mask``. ``infos`` of the agent to act has
    the JSON: ``observation``, ``legal`` and ``events``, with the ``numbers`` of the legal actions;
    at the end every agent's has ``scores`` and ``places`` by seat.
    The reward comes at the end. Everything handed out is a copy. Methods called in the wrong order
    raise Error.
    """

    def __init__(
        self,
        rules: Rules[Any, Action],
        opponents: Mapping[int, Opponent | str],
        actions: int | Literal["fixed"],
        width: int,
        reward: Reward,
        programs: Programs | None = None,
    ) -> None:
        """``opponents``: by seat; the other seats are agents. ``reward``: what rewards count.

        ``programs``: the opponents that are neither functions nor ``random``.
        """
        for name, value, word in (("actions", actions, "fixed or "), ("width", width, "")):
            if not (word and value == "fixed") and not (
                type(value) is int and 1 <= value <= _LARGEST
            ):
                expected = f"{word}a number from 1 to {_LARGEST:,}"
                raise Error(f"{name}: found {quote(value)}, expected {expected}")
        if reward not in get_args(Reward):
            raise Error(f"reward: found {quote(reward)}, expected {either(get_args(Reward))}")
        super().__init__()
        self.rules = rules
        """Rules of the game."""
        self.metadata = {"name": f"{rules.info.name}_{rules.info.seats}", "render_modes": []}
        self._numbering: Numbering = (
            FixedNumbers(rules) if actions == "fixed" else Indices(rules.info.name, actions)
        )
        self._programs = programs
        self._opponents, self._width, self._features = opponents, width, features(width)
        learning = [seat for seat in range(rules.info.seats) if seat not in opponents]
        self._reward = reward
        self._seats = {f"seat_{seat}": seat for seat in learning}
        self._names = {seat: name for name, seat in self._seats.items()}
        self.possible_agents = list(self._seats)
        self.action_spaces = {name: spaces.Discrete(self._numbering.size) for name in self._seats}
        self.observation_spaces = {name: self._space() for name in self._seats}
        self._seed, self._episode = secrets.token_hex(16), 0
        self._is_closed = False
        self.agents: list[str] = []
        self._infos: dict[str, dict[str, Any]] | None = {}
        self._state: Any = None
        self._seen_by = {*range(rules.info.seats)} - {
            seat for seat, player in opponents.items() if player == "random"
        }

    def _space(self) -> spaces.Dict:
        seen = spaces.Box(-LIMIT, LIMIT, (self._width,), np.float32)
        mask = spaces.Box(0, 1, (self._numbering.size,), np.int8)
        return spaces.Dict({"observation": seen, "action_mask": mask})

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """See AECEnv."""
        self._check_agent("observation_space", agent)
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """See AECEnv."""
        self._check_agent("action_space", agent)
        return self.action_spaces[agent]

    def _check_agent(self, called: str, agent: object) -> None:
        """Raise Error unless this is the name of an agent. ``called``: the method."""
        if agent not in self.possible_agents:
            expected = either(self.possible_agents)
            raise Error(f"{called}: found {quote(agent)}, expected {expected}")

    def action_of(self, number: int) -> Any:
        """Return the action of a fixed number, as JSON. Raises Error."""
        return self._fixed().action(number)

    def number_of(self, action: Any) -> int:
        """Return the fixed number of an action, which may be JSON. Raises Error."""
        return self._fixed().number(action)

    def _fixed(self) -> FixedNumbers:
        if not isinstance(self._numbering, FixedNumbers):
            raise Error('actions: expected "fixed", here numbers are indices of legal actions')
        return self._numbering

    def vector(self, value: Any) -> Vector:
        """Return the vector of any JSON, such as a legal action; see this module."""
        return self._features.vector(value)

    @as_error()
    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game. Equal seeds give equal sequences of games; ``options`` are not used."""
        self.check_open("reset")
        if seed is not None:
            self._seed, self._episode = str(seed_of(seed)), 0
        key = derive_key("env", self._seed, self._episode)
        self._episode += 1
        self._luck, self._random = Luck(derive_key(key, "deal")), random.Random(key)
        self.agents = []  # until the game has begun
        if self._programs is not None:
            self._programs.begin(key)
        agent = self._advance(self.rules.initial_state(), [()] * self.rules.info.seats)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._skip_agent_selection = None
        self._inform(agent)

    @as_error()
    def step(self, action: Any) -> None:
        """Apply an action of the agent to act. Raises Error for an index that is not legal."""
        self._check_begun("step")
        agent = self.agent_selection
        if self.terminations[agent]:
            if action is not None:
                raise Error(f"{agent}: found {quote(action)}, expected None: its game has ended")
            self._was_dead_step(None)
            return
        chosen = self._legal[position(agent, action, self._numbers)]
        events = [*self._events]
        events[self._seats[agent]] = ()
        try:
            following = self._advance(*self._applied(self._state, chosen, events))
        except BaseException:
            if self._programs is not None:  # they have seen what followed
                self.agents = []
            raise
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._inform(following)

    def check(self, action: Any) -> None:
        """Raise Error unless ``step`` may apply ``action`` for the agent to act."""
        position(self.agent_selection, action, self._numbers)

    @property
    def seat(self) -> int:
        """Seat of the agent to act. Raises Error without a game."""
        self._check_begun("seat")
        return self._seats[self.agent_selection]

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """See AECEnv."""
        self._check_begun("last")
        found: tuple[Any, float, bool, bool, dict[str, Any]] = super().last(observe)
        return found

    def close(self) -> None:
        """End the opponents that are programs; afterwards no game can be played."""
        self._is_closed, self.agents = True, []
        if self._programs is not None:
            self._programs.close()

    def check_open(self, called: str) -> None:
        """Raise Error after ``close``. ``called``: the method, for the message."""
        if self._is_closed:
            raise Error(f"{called}: the environment was closed")

    def agent_iter(self, max_iter: int = 2**63) -> Any:
        """See AECEnv."""
        self._check_begun("agent_iter")
        return super().agent_iter(max_iter)

    @as_error()
    def observe(self, agent: str) -> dict[str, Any]:
        """See AECEnv. The mask of an agent that is not to act is all zeros."""
        self._check_agent("observe", agent)
        self.check_open("observe")
        if self._state is None:
            raise Error("observe: expected a call of reset before it")
        seen = self.rules.observe(self._state, self._seats[agent])
        return self._view(seen, self._numbers if agent == self.agent_selection else ())

    def _view(self, seen: Any, numbers: Sequence[int]) -> dict[str, Any]:
        mask = bytearray(self._numbering.size)
        for number in numbers:
            mask[number] = 1
        found = self._features.vector(seen)
        return {"observation": found, "action_mask": np.frombuffer(mask, np.int8)}

    def asked(self) -> dict[str, tuple[dict[str, Any], dict[str, Any], Sequence[int]]]:
        """Return what the agents that decide now are asked, the one to act first.

        That is observation, info and the numbers of the legal actions.
        """
        found = {}
        for seat, state, legal in questions(self.rules, self._state):
            if agent := self._names.get(seat):
                info = self._info(seat, state, legal, numbers := self._numbering.of(legal))
                found[agent] = self._view(info["observation"], numbers), info, numbers
        return found

    def _info(
        self, seat: int, state: Any, legal: Sequence[Action], numbers: Sequence[int]
    ) -> dict[str, Any]:
        seen, events = self.rules.observe(state, seat), self._events[seat]
        found = {"observation": seen, "legal": legal, "numbers": [*numbers], "events": events}
        told: dict[str, Any] = plain(found)
        return told

    @property
    def infos(self) -> dict[str, dict[str, Any]]:
        """Info of each agent, made when it is first read after a step."""
        if self._infos is None:
            self._infos = {each: {} for each in self.agents}
            if outcome := self.rules.outcome(self._state):
                for info in self._infos.values():
                    info |= {"scores": [*outcome.scores], "places": [*outcome.places]}
            elif self.agents:
                agent = self.agent_selection
                info = self._info(self._seats[agent], self._state, self._legal, self._numbers)
                self._infos[agent] = info
        return self._infos

    def _check_begun(self, called: str) -> None:
        """Raise Error unless a game is played."""
        self.check_open(called)
        if not self.agents:
            raise Error(f"{called}: no game is being played, expected a call of reset before it")

    def _applied(self, state: Any, action: Action, events: _Events) -> tuple[Any, _Events]:
        """Return the state after an action, and what the seats have seen."""
        after = self.rules.apply(state, action)
        told = self.rules.describe(state, action, after)
        return after, [
            (*seen, event) if event is not None and seat in self._seen_by else seen
            for seat, (seen, event) in enumerate(zip(events, told, strict=True))
        ]

    def _advance(self, state: Any, events: _Events) -> str | None:
        """Play chance and the opponents. Return the agent to act, None at the end of the game.

        ``events``: those that each seat has seen since it was last asked. An exception of the rules
        or of an opponent leaves the environment where it was.
        """
        rules, left = self.rules, self.rules.info.max_plies
        while (seat := rules.to_act(state)) != NOBODY:
            if (left := left - 1) < 0:
                raise Error(f"{rules.info.name}: more than {rules.info.max_plies} plies")
            if seat == CHANCE:
                state, events = self._applied(state, rules.chance(state, self._luck), events)
                continue
            legal = rules.legal_actions(state)
            if seat not in self._opponents:
                numbers = self._numbering.of(legal)
                self._state, self._legal, self._numbers = state, legal, numbers
                self._events = events
                return self._names[seat]
            chosen = legal[self._answer(state, seat, legal, events[seat])]
            events = [*events[:seat], (), *events[seat + 1 :]]
            state, events = self._applied(state, chosen, events)
        self._state, self._legal, self._numbers, self._events = state, (), (), events
        return None

    def _inform(self, agent: str | None) -> None:
        """Note who is to act, or the rewards at the end of the game if ``agent`` is None."""
        self._infos = None
        if agent is not None:
            self.agent_selection = agent
            return
        outcome = self.rules.outcome(self._state)
        if outcome is None:
            raise AssertionError("rules: nobody is to act and there is no outcome")
        if self._programs is not None:
            self._programs.over(outcome)
        self.agent_selection = self.agents[0]
        rewards = self._rewards(outcome)
        for each in self.agents:
            self.terminations[each] = True
            self.rewards[each] = float(rewards[self._seats[each]])
        self._accumulate_rewards()

    def _answer(self, state: Any, seat: int, legal: Any, events: tuple[Any, ...]) -> int:
        player = self._opponents[seat]
        if player == "random":
            return self._random.randrange(len(legal))
        if self._programs is not None and isinstance(player, str):
            return int(legal.index(self._programs.answer(seat, state, legal, events)))
        seen = plain((self.rules.observe(state, seat), legal, events))
        choice: Any = player(EnvQuestion(seat, *seen))  # type: ignore[operator]  # no text is left
        if isinstance(choice, tuple) and choice:
            choice = choice[0]
        if isinstance(choice, Mapping):
            actions = plain(list(legal))  # those of the question may have been changed
            if choice in actions:
                return int(actions.index(choice))
        return position(f"seat_{seat}", choice, range(len(legal)))

    def _rewards(self, outcome: Outcome) -> list[float]:
        """Return the reward of each seat; where seats are no opponents the score."""
        info, places = self.rules.info, outcome.places
        sign = -1 if info.less_is_better else 1
        if self._reward == "score" or info.is_cooperative or info.seats == 1:
            return [sign * score for score in outcome.scores]
        if self._reward == "margin":
            sides = info.teams or info.seats
            margins = margins_of(outcome.scores[:sides], less_is_better=info.less_is_better)
            return [margins[seat % sides] for seat in range(info.seats)]
        return [
            sum((own < each) - (own > each) for each in places) / (len(places) - 1)
            for own in places
        ]


def begin_game(games: Environment, seed: int | None) -> None:
    """Begin the next game in which an agent acts; ``seed``: see ``reset``. Raises Error."""
    for _ in range(_MOST):
        games.reset(seed)
        if not all(games.terminations.values()):
            return
        seed = None
    raise Error(f"{games.agent_selection} did not act in {_MOST} games")
