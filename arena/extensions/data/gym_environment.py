"""An environment with the interface of Gymnasium for one learner, which this module imports."""

from __future__ import annotations

from typing import Any

import gymnasium

from arena.extensions.data.api.errors import Error, as_error, seed_of
from arena.extensions.data.environment import Environment, begin_game


class GymEnvironment(gymnasium.Env):  # type: ignore[misc, unused-ignore]  # Any where it is not installed
    """The games of an ``Environment`` with one agent: its spaces, observations, infos, rewards.

    A game in which the agent never acts is not shown.
    """

    def __init__(self, games: Environment) -> None:
        """``games``: used by nothing else from now on. It has one agent."""
        self._games, [self._agent] = games, games.possible_agents
        self.metadata = games.metadata
        self.action_space = games.action_space(self._agent)
        self.observation_space = games.observation_space(self._agent)

    @property
    def games(self) -> Environment:
        """The environment, for ``action_of``, ``number_of`` and ``vector``."""
        return self._games

    def close(self) -> None:
        """See ``Environment.close``."""
        self._games.close()

    @as_error()
    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin a game, see ``Environment.reset``; return observation and info."""
        self._games.check_open("reset")
        super().reset(seed=None if seed is None else seed_of(seed))
        begin_game(self._games, seed)
        observation, _, _, _, info = self._games.last()
        return observation, info

    def step(self, action: Any) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Apply an action; see gymnasium.Env. Raises Error for one that is not legal."""
        if self._games.agents and self._games.terminations[self._agent]:
            raise Error("step: the game has ended, expected a call of reset before it")
        self._games.step(action)
        return self._games.last()
