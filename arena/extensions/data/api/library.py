"""Rules, schemas and environments for learners by name; only the last need PettingZoo."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import signature
from typing import TYPE_CHECKING, Any, Literal

from arena.cli.documents import schema_of
from arena.extensions.data.api.errors import COUNT, checked
from arena.games.base import Action, Rules
from arena.games.registry import make_rules, rules_spec

if TYPE_CHECKING:
    from arena.extensions.data.environment import Environment, Opponent, Reward
    from arena.extensions.data.gym_environment import GymEnvironment
    from arena.extensions.data.parallel_environment import ParallelEnvironment
    from arena.extensions.data.vector_environment import VectorEnvironment


@checked()
def rules(name: str, seats: int | None = None, **options: Any) -> Rules[Any, Action]:
    """Return the rules of a game, with its interface as in docs/simulator.md.

    ``seats``: None for the usual number. ``options``: options of the rules. Raises Error.
    """
    return _rules("rules", name, seats, options)


def _rules(
    where: str, name: str, seats: int | None, options: Mapping[str, Any]
) -> Rules[Any, Action]:
    """Return the rules of a game; ``options`` may have any names.

    ``where``: the argument with the name. Raises BadInput or RulesError.
    """
    from arena.games.registry import GAMES
    from arena.values.problems import check_one_of

    if name not in GAMES:  # games of families are in it, but not in its list
        check_one_of(where, name, sorted(GAMES.similar(name)))
    return make_rules(rules_spec(name, seats, options))


@checked()
def schema(what: str) -> dict[str, Any]:
    """Return a JSON Schema, as ``arena schema`` prints it. Raises Error for an unknown name."""
    return schema_of(what, "schema")


@checked()
def env(
    game: str,
    *,
    seat: int | None = None,
    opponents: Sequence[Opponent | str] | None = None,
    seats: int | None = None,
    options: Mapping[str, Any] | None = None,
    actions: int | Literal["fixed"] = 256,
    width: int = 2048,
    reward: Reward = "place",
    settings: Sequence[str] = (),
) -> Environment:
    """Return an environment with the AEC interface of PettingZoo; games run in this process.

    ``seat``: the only seat that is an agent; None: every seat is one. ``opponents``: ``random``, a
    function, or a bot as for ``arena.play``, for each other seat, in the order of the seats; None:
    all play at random. A function takes an ``EnvQuestion`` and returns the index of a legal action,
    or the action. Bots that are no simple builtin ones are programs, which ``close`` ends;
    ``settings`` for these: as ``--set`` of ``arena run``, such as ``clock.move=2 s``; without
    ``isolation`` they are not confined. ``actions``: most legal actions of a state, or ``fixed``:
    an action has the same number in every state, see ``arena.games.base.action_space``. ``width``:
    length of the vectors. ``reward``: at the end of a game; ``place``: the share of the other seats
    that were beaten, less the share of those that won; ``score``: the score, negative if less is
    better; ``margin``: its distance to that of the best other seat. Alone and in cooperative games
    always the score. Needs the extra ``botarena[env]``. Raises Error.
    """
    engine = _rules("game", game, seats, options or {})
    from arena.extensions.data.environment import Environment
    from arena.extensions.data.opponents import players
    from arena.extensions.data.programs import Programs, table_of

    by_seat = players(engine.info.name, engine.info.seats, seat, opponents)
    bots = {each: who for each, who in by_seat.items() if isinstance(who, str) and who != "random"}
    programs = Programs(engine, bots, settings) if bots else None
    if settings and not bots:
        table_of(engine, {}, settings)  # finds a mistake in them without programs too
    return Environment(engine, by_seat, actions, width, reward, programs)


def _games(caller: str, game: str, settings: Mapping[str, Any]) -> Environment:
    """Return ``env`` for another function. Raises Error; TypeError for an unknown setting."""
    for name in settings:
        if name not in signature(env).parameters:
            raise TypeError(f"{caller}() got an unexpected keyword argument {name!r}")
    return env(game, **settings)


@checked()
def parallel_env(game: str, **settings: Any) -> ParallelEnvironment:
    """Return ``env`` with PettingZoo's parallel interface: seats that decide at once act at once.

    ``settings``: those of ``env``. Raises Error.
    """
    games = _games("parallel_env", game, settings)
    from arena.extensions.data.parallel_environment import ParallelEnvironment

    return ParallelEnvironment(games)


@checked()
def gym_env(game: str, *, seat: int = 0, **settings: Any) -> GymEnvironment:
    """Return ``env`` with Gymnasium's interface, for one learner at ``seat``.

    ``settings``: the others of ``env``. Raises Error.
    """
    games = _games("gym_env", game, {"seat": seat} | settings)
    from arena.extensions.data.gym_environment import GymEnvironment

    return GymEnvironment(games)


@checked(n=COUNT)
def envs(n: int, game: str, **settings: Any) -> VectorEnvironment:
    """Return ``n`` games of ``env`` with Gymnasium's vector interface: one call steps all.

    ``settings``: those of ``env``; with ``seat`` there is one learner, else all seats learn. Raises
    Error.
    """
    games = [_games("envs", game, settings) for _ in range(n)]
    from arena.extensions.data.vector_environment import VectorEnvironment

    return VectorEnvironment(games)
