"""An environment with the parallel interface of PettingZoo, which this module imports.

Agents that decide at once act in one step. So this is for games whose rules say who does; in others
one agent acts in each step.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gymnasium import spaces
from pettingzoo import ParallelEnv

from arena.extensions.data.api.errors import Error, as_error
from arena.extensions.data.environment import Environment
from arena.extensions.data.numbering import position
from arena.values.problems import either, quote


class ParallelEnvironment(ParallelEnv):  # type: ignore[misc, unused-ignore]  # Any where it is not installed
    """The games of an ``Environment``, with its agents, spaces, observations and rewards.

    The mask of an agent that does not decide now is all zeros, and its action is not used. Its
    ``info`` is empty; that of the others is as in ``Environment``.
    """

    def __init__(self, games: Environment) -> None:
        """``games``: used by nothing else from now on."""
        self._games = games
        self.metadata, self.possible_agents = games.metadata, games.possible_agents
        self.observation_spaces, self.action_spaces = games.observation_spaces, games.action_spaces
        self.agents: list[str] = []

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """See ParallelEnv."""
        return self._games.observation_space(agent)

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """See ParallelEnv."""
        return self._games.action_space(agent)

    def close(self) -> None:
        """See ``Environment.close``."""
        self._games.close()
        self.agents = []

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin a game, see ``Environment.reset``; return observations and infos by agent."""
        self._games.reset(seed, options)
        self.agents = list(self.possible_agents)
        return self._seen()

    @as_error()
    def step(self, actions: dict[str, Any]) -> tuple[dict[str, Any], ...]:
        """Apply the actions of all agents that decide now, see ParallelEnv.

        Raises Error, and applies none, if one of them is missing or not legal.
        """
        self._games.check_open("step")
        if not isinstance(actions, Mapping):
            raise Error(f"step: found {quote(actions)}, expected a mapping of agents to actions")
        for agent in actions:
            if agent not in self.possible_agents:
                expected = either(self.possible_agents)
                raise Error(f"step: found {quote(agent)}, expected {expected}")
        if not self.agents:
            raise Error("step: no game is being played, expected a call of reset before it")
        games, deciding = self._games, self._games.asked()
        for agent, (_, _, numbers) in deciding.items():
            position(agent, actions.get(agent), numbers)
        for agent in deciding:
            games.step(actions[agent])
        observations, infos = self._seen()
        rewards, ends = dict(games.rewards), dict(games.terminations)
        if all(ends.values()):
            self.agents = []
        return observations, rewards, ends, dict(games.truncations), infos

    def _seen(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return observations and infos by agent."""
        games, deciding = self._games, self._games.asked()
        seen = {
            agent: deciding.get(agent) or (games.observe(agent), dict(games.infos[agent]), ())
            for agent in self.agents
        }
        return {each: seen[each][0] for each in seen}, {each: seen[each][1] for each in seen}
