"""The contract of a game: every check on random games, at each table size, with each option."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, Final, NamedTuple
from unittest import SkipTest

from arena.extensions.authors.contract.action_space import action_space
from arena.extensions.authors.contract.checks import (
    CHECKS,
    CheckFunction,
    limit_of,
    nothing_to_test,
)
from arena.extensions.authors.contract.play import ContractError, play, raised
from arena.extensions.authors.contract.simultaneous import simultaneous
from arena.games.base import CHANCE, NOBODY, Rules, written
from arena.games.game import Game
from arena.games.luck import Luck, derive_key
from arena.games.registry import built

GAMES: Final = 50
"""Random games for each table."""
PLAY: Final = "play"
"""Name of the check that a game can be played to its end."""


def checks(rules: Rules[Any, Any]) -> tuple[CheckFunction, ...]:
    """Return the checks of ``rules``, in their order."""
    optional = [check for check in (simultaneous, action_space) if hasattr(rules, check.__name__)]
    return (*CHECKS, *optional)


def names(rules: Rules[Any, Any]) -> list[str]:
    """Return the names of all checks of ``rules``, in their order."""
    return [PLAY, *(check.__name__ for check in checks(rules))]


class ContractResult(NamedTuple):
    """The result of one check in all games of a table."""

    check: str
    tested: int
    """Number of comparisons; 0 means that there was nothing to test."""
    problem: str = ""
    """The first failure: the seed of the game, the ply, what was found; "" without a failure."""
    why: str = ""
    """Why nothing was tested."""
    limit: str = ""
    """Sentence on what the check cannot find in this game, and for want of what; or ""."""

    @property
    def words(self) -> str:
        """The problem, the reason why nothing was tested, or ""."""
        if self.problem or self.tested:
            return self.problem
        return f"not tested: {self.why}"


class Table(NamedTuple):
    """Rules that are tested: one table size with one set of options."""

    label: str
    """Readable and unique within the game: ``2``, ``3-side=alley``."""
    rules: Rules[Any, Any]


class Check:
    """One check of one table, to be called by a test; its name is the id that pytest shows."""

    def __init__(
        self, table: str, name: str, found: Callable[[], Mapping[str, ContractResult]]
    ) -> None:
        """``found``: function that runs the checks of the table once and returns the results."""
        self.__name__ = f"{table}-{name}"
        self._name, self._found = name, found

    def __call__(self) -> None:
        """Run the checks of the table, at the first call, and report this one.

        Raises ContractError with the first failure, and SkipTest, which pytest reports as a skipped
        test, if there was nothing to test.
        """
        result = self._found()[self._name]
        if result.problem:
            raise ContractError(result.problem)
        if not result.tested:
            raise SkipTest(result.words)


def contract(game: Game, games: int = GAMES) -> list[Check]:
    """Return all checks of a game as parameters for ``pytest.mark.parametrize``.

    ``games``: random games for each table size with default options, and for each other choice of
    an option alone. Raises RulesError if the rules cannot be built.
    """
    found_by = []
    for table in tables(game):

        @cache
        def found(rules: Rules[Any, Any] = table.rules) -> dict[str, ContractResult]:
            return {each.check: each for each in results(rules, game, games)}

        found_by += [Check(table.label, name, found) for name in names(table.rules)]
    return found_by


def tables(game: Game) -> Iterator[Table]:
    """Yield every table size with default options, then with each other choice alone.

    Raises RulesError if the rules cannot be built.
    """
    for seats in game.seats:
        yield Table(str(seats), built(game, seats))
        for option in game.options:
            for value in option.samples if option.applies(seats) else ():
                if value != option.default:
                    label = f"{seats}-{option.name}={written(value)}"
                    yield Table(label, built(game, seats, {option.name: value}))


def results(
    rules: Rules[Any, Any],
    game: Game,
    games: int = GAMES,
    on_game: Callable[[int], object] = lambda number: None,
) -> list[ContractResult]:
    """Play random games and return what each check found.

    ``on_game`` gets the number of games after each one. A check that failed is not run again; if a
    game cannot be played to its end, no further one is played.
    """
    tested = dict.fromkeys(names(rules), 0)
    problems: dict[str, str] = {}
    for number in range(games):
        seed = f"contract-{number}"
        try:
            played = play(rules, seed)
        except ContractError as error:
            problems[PLAY] = f"game {seed}, {error}"
            break
        tested[PLAY] += 1
        for check in checks(rules):
            name = check.__name__
            if name in problems:
                continue
            try:
                tested[name] += check(played, game)
            except ContractError as error:
                problems[name] = f"game {seed}, {error}"
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # whatever a package of others does
                problems[name] = f"game {seed}: raised {raised(error)}"
        on_game(number + 1)
    return [
        ContractResult(
            name,
            number,
            problems.get(name, ""),
            nothing_to_test(name, rules, game) if tested[PLAY] else "no game could be played",
            limit_of(name, game),
        )
        for name, number in tested.items()
    ]


def speed(rules: Rules[Any, Any], seconds: float = 1.0) -> float:
    """Return how many decisions a second of CPU time the rules allow in random games.

    ``seconds``: of CPU time that is spent, at least one game. Raises ContractError if the rules
    raise an exception.
    """
    try:
        return _speed(rules, seconds)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever a package of others does
        raise ContractError(f"{type(rules).__name__} raised {raised(error)}") from error


def _speed(rules: Rules[Any, Any], seconds: float) -> float:
    decisions = number = 0
    begin = time.process_time()
    while not number or time.process_time() - begin < seconds:
        luck, choices = (Luck(derive_key(what, number)) for what in ("deal", "choices"))
        state, ply = rules.initial_state(), 0
        while (actor := rules.to_act(state)) != NOBODY:
            if actor == CHANCE:
                action = rules.chance(state, luck)
            else:
                legal = rules.legal_actions(state)
                action = legal[choices.below("choice", ply, len(legal))]
                decisions += 1
            state, ply = rules.apply(state, action), ply + 1
        number += 1
    return decisions / (time.process_time() - begin)
