"""An environment with the interface of Gymnasium for one learner, which this module imports."""

from __future__ import annotations

from typing import Any, Final

import gymnasium

from arena.extensions.data.api.errors import Error
from arena.extensions.data.environment import Environment

_MOST: Final = 1000
"""Number of games in succession without an action of the agent, after which there is an error."""


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

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin a game, see ``Environment.reset``; return observation and info."""
        super().reset(seed=seed)
        for _ in range(_MOST):
            self._games.reset(seed, options)
            observation, _, has_ended, _, info = self._games.last()
            if not has_ended:
                return observation, info
            seed = None
        raise Error(f"{self._agent} did not act in {_MOST} games")

    def step(self, action: Any) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Apply an action; see gymnasium.Env. Raises Error for one that is not legal."""
        self._games.step(action)
        return self._games.last()
