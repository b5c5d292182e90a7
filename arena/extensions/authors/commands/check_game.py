"""``arena check-game``: test a game by the contract of all rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Final

import msgspec
import typer

from arena.cli.command import command
from arena.cli.common import AsJson, GameName, check_game
from arena.cli.terminal.console import Exit, ignoring_closed_output, out, print_document
from arena.cli.terminal.progress import counting
from arena.extensions.authors.contract.tables import ContractResult, results, speed, tables
from arena.games.installed import GameError
from arena.games.registry import GAMES, built
from arena.values.numbers import count
from arena.values.option import Opt
from arena.values.schema import CommandAnswer

_GAMES: Final = 20


class ContractCheck(msgspec.Struct, frozen=True):
    """One check of the rules in all games of a table."""

    check: str
    tested: int
    """Number of comparisons."""
    problem: str | None


class ContractTable(msgspec.Struct, frozen=True):
    """The checks of one table size with one set of options."""

    table: str
    speed: float | None
    """Decisions a second, divided by those of the default game; None for broken rules."""
    checks: tuple[ContractCheck, ...]


class ContractDocument(CommandAnswer, frozen=True, kw_only=True, tag="arena.contract/1"):
    """The contract of rules, as tested for a game."""

    game: str
    passed: bool
    tables: tuple[ContractTable, ...]


@dataclass(frozen=True, kw_only=True)
class CheckGameOptions:
    """Test a game by the contract of all rules.

    Plays random games at each table size, with default options and with each other choice alone,
    and checks flow, outcome, legal actions, JSON, replay, views, and that no seat is shown what it
    cannot know. Also states how fast the rules are. Exit codes: 0 the contract is kept, 1 it is
    broken, 2 bad input.

    \b
    arena check-game kuhn
    arena check-game kuhn --count 1000
    """

    name: GameName
    count: Annotated[int, Opt("Random games for each table size and option.", least=1)] = _GAMES
    as_json: AsJson = False


def test_game(options: CheckGameOptions) -> None:
    """Test the game and print what each check found. Raises typer.Exit if one failed."""
    check_game(options.name)
    game = GAMES[options.name]
    yardstick = _yardstick()
    found: dict[str, Sequence[ContractResult]] = {}
    rates: dict[str, float] = {}
    for table in tables(game):
        with counting(f"of {options.count} games  {table.label}", 1) as show:
            found[table.label] = results(table.rules, game, options.count, show)
        if not any(each.problem for each in found[table.label]):
            try:
                rate = speed(table.rules)
                rates |= {table.label: rate / yardstick} if yardstick else {}
            except AssertionError as error:  # a ContractError
                last = ContractResult("speed", 0, f"in a further game, {error}")
                found[table.label] = (*found[table.label], last)
    failed = sum(bool(each.problem) for table in found.values() for each in table)
    with ignoring_closed_output():
        if options.as_json:
            tested_tables = tuple(_tables(found, rates))
            print_document(
                ContractDocument(game=options.name, passed=not failed, tables=tested_tables)
            )
        else:
            for line in _lines(found, rates):
                out(line)
            tested = f"{options.name}: {count(len(found), 'table')} of {options.count} games"
            out(f"{tested}: " + (f"{count(failed, 'check')} failed" if failed else "contract kept"))
    if failed:
        raise typer.Exit(Exit.DIFFERENCE)


def _yardstick() -> float | None:
    """Return the speed of arena's own game; None if it is not here."""
    try:
        return speed(built(GAMES[GAMES.default]))
    except GameError:
        return None


def _lines(found: dict[str, Sequence[ContractResult]], rates: dict[str, float]) -> Iterator[str]:
    for label, all_results in found.items():
        yield f"table {label}"
        for each in all_results:
            state = "FAILED " + each.problem if each.problem else each.words
            yield f"  {each.check:<18}{state or f'{each.tested:,} comparisons'}"
        if label in rates:
            yield f"  {'speed':<18}{rates[label]:.2g} × the decisions a second of {GAMES.default}"
    limits = (f"{each.check}: {each.limit}" for row in found.values() for each in row if each.limit)
    yield from dict.fromkeys(limits)


def _tables(
    found: dict[str, Sequence[ContractResult]], rates: dict[str, float]
) -> Iterator[ContractTable]:
    for label, all_results in found.items():
        checks = (ContractCheck(r.check, r.tested, r.problem or None) for r in all_results)
        yield ContractTable(label, rates.get(label), tuple(checks))


COMMAND: Final = command(test_game)
