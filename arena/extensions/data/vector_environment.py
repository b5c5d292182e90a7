"""Several games in one process with the vector interface of Gymnasium, imported here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from arena.extensions.data.api.errors import Error, as_error, seed_of
from arena.extensions.data.environment import Environment, begin_game

Batch: TypeAlias = dict[str, NDArray[Any]]
"""Observations of all games, with a row for each."""
_KEYS: Final = ("observation", "action_mask")


class VectorEnvironment(VectorEnv):  # type: ignore[misc, unused-ignore]  # Any where it is not installed
    """Games of several ``Environment``, each of which is one of the sub-environments.

    One step applies an action in each game: that of the agent whose turn it is. The observation of
    a game, and its mask, are those of the agent to act next. A game that ends begins again in the
    same step. ``infos`` has ``seat``, that of the agent to act next in each game, and ``rewards``,
    a row for each game with the rewards of all its agents. ``rewards`` itself are those of the
    agents that acted. ``final_obs`` and ``final_info`` are of games that ended.
    """

    metadata: dict[str, Any]

    def __init__(self, games: Sequence[Environment]) -> None:
        """``games``: at least one, equal, and used by nothing else from now on."""
        self.games: Final = tuple(games)
        """The environments, for ``infos``, ``action_of``, ``number_of`` and ``vector``."""
        first = self.games[0]
        self.num_envs = len(self.games)
        self.metadata = first.metadata | {"autoreset_mode": AutoresetMode.SAME_STEP}
        self.single_observation_space = first.observation_space(first.possible_agents[0])
        self.single_action_space = first.action_space(first.possible_agents[0])
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._is_begun = False

    @as_error()
    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Batch, dict[str, Any]]:
        """Begin all games; return observations and infos.

        ``seed``: of the first game, that of each other is greater by one than that of the game
        before; or the seeds of all. Each game continues with those that follow from its seed.
        """
        seeds = _seeds(seed, self.num_envs)
        self._is_begun = False
        for games, each in zip(self.games, seeds, strict=True):
            begin_game(games, each)
        self._is_begun = True
        rewards = np.zeros((self.num_envs, len(self.games[0].possible_agents)))
        return self._seen(), self._infos(rewards)

    @as_error()
    def step(
        self, actions: Any
    ) -> tuple[Batch, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Apply an action in each game; see VectorEnv.

        Raises Error, and applies none, if one of them is missing or not legal.
        """
        self.games[0].check_open("step")
        if not self._is_begun:
            raise Error("step: no games are being played, expected a call of reset before it")
        chosen = [*actions] if isinstance(actions, Iterable) else [actions]
        if len(chosen) != self.num_envs:
            raise Error(f"step: found {actions!r:.100}, expected {self.num_envs} actions")
        for games, action in zip(self.games, chosen, strict=True):
            games.check(action)
        self._is_begun = False  # until no opponent can fail any more
        rewards = np.zeros((self.num_envs, len(self.games[0].possible_agents)))
        own, ended = np.zeros(self.num_envs), np.zeros(self.num_envs, np.bool_)
        final: dict[str, Any] = {}
        for number, (games, action) in enumerate(zip(self.games, chosen, strict=True)):
            agent = games.agent_selection
            games.step(action)
            if games.terminations[agent]:
                rewards[number] = [games.rewards[each] for each in games.possible_agents]
                own[number], ended[number] = games.rewards[agent], True
                ending = {"final_obs": games.observe(agent), "final_info": games.infos[agent]}
                final = self._add_info(final, ending, number)
                begin_game(games, None)
        self._is_begun = True
        return self._seen(), own, ended, np.zeros_like(ended), self._infos(rewards) | final

    def _seen(self) -> Batch:
        """Return the observations of the agents to act."""
        seen = [games.observe(games.agent_selection) for games in self.games]
        return {key: np.stack([each[key] for each in seen]) for key in _KEYS}

    def _infos(self, rewards: NDArray[np.float64]) -> dict[str, Any]:
        seat = np.array([games.seat for games in self.games])
        every = np.ones(self.num_envs, np.bool_)  # which games have an info, as in Gymnasium
        return {"seat": seat, "_seat": every, "rewards": rewards, "_rewards": every}

    def close_extras(self, **kwargs: Any) -> None:
        """See VectorEnv."""
        for games in self.games:
            games.close()


def _seeds(seed: Any, count: int) -> Sequence[int | None]:
    """Return the seed of each game. Raises Error."""
    if seed is None:
        return [None] * count
    if not isinstance(seed, Iterable) or isinstance(seed, str) or not getattr(seed, "ndim", 1):
        return range(first := seed_of(seed), first + count)
    found = [None if each is None else seed_of(each) for each in seed]
    if len(found) != count:
        raise Error(f"seed: found {len(found)} in a list, expected {count}")
    return found
