"""Options that choose games, and the list of games of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final

from arena.cli.common import AsJson, Quiet, RunFolder, form_option
from arena.cli.terminal.console import columns, is_colored, out_text
from arena.cli.terminal.progress import PreparedGames
from arena.runs.disk import StoreError
from arena.runs.growth.rulings import told
from arena.runs.manifest import Manifest
from arena.runs.reader import StoredRun
from arena.values.bad_input import BadInput, NothingToDo
from arena.values.numbers import count
from arena.values.option import Opt
from arena.values.problems import check_entrant, check_one_of
from arena.values.results import FaultKind
from arena.views.game.find import read_range
from arena.views.game.list_text import GameList, render
from arena.views.game.rows import (
    GameFilter,
    GameOrder,
    GameOutcome,
    GameRow,
    GameRows,
    game_rows,
    ordered,
    with_lead,
)

FIELDS: Final = "bots against result discipline faults fault margin plies"
"""Names of the fields, for the panels of a command."""


@dataclass(frozen=True, kw_only=True)
class GameFilterOptions:
    """Conditions on games."""

    bots: Annotated[
        tuple[str, ...],
        Opt("Only games of this bot. Repeatable: of any.", "--bot", metavar="NAME"),
    ] = ()
    against: Annotated[
        tuple[str, ...],
        Opt("Only games against this bot. Repeatable: any.", metavar="NAME"),
    ] = ()
    result: Annotated[GameOutcome | None, Opt("Only games with this result for --bot.")] = None
    discipline: Annotated[
        str | None,
        Opt("Only games of this discipline, e.g. dragonkrak-4.", metavar="NAME"),
    ] = None
    faults: Annotated[bool, Opt("Only games with a fault, of --bot if it is given.")] = False
    fault: Annotated[
        tuple[FaultKind, ...],
        Opt(
            "Only games with such a fault, of --bot if it is given: timeout, crash, illegal "
            "and so on. Repeatable: of any of these kinds.",
            metavar="KIND",
        ),
    ] = ()
    margin: Annotated[
        str | None,
        Opt(
            "Only games with this final margin of the first place over the best other bot: "
            "5, 1-20, 5- or -20.",
            metavar="A-B",
        ),
    ] = None
    plies: Annotated[
        str | None,
        Opt("Only games of this length in plies: 5, 1-20, 5- or -20.", metavar="A-B"),
    ] = None


def given_filters(options: GameFilterOptions) -> list[str]:
    """Return the flags of the conditions that were given."""
    flags = {"bots": "--bot"}
    names = [name for name in FIELDS.split() if getattr(options, name)]
    return [flags.get(name, f"--{name}") for name in names]


def read_filter(options: GameFilterOptions, manifests: Sequence[Manifest]) -> GameFilter:
    """Return the conditions of the options, for games of these runs. Raises BadInput."""
    entrants = [name for manifest in manifests for name in manifest.entrants]
    for option, names in (("--bot", options.bots), ("--against", options.against)):
        for name in names:
            check_entrant(option, name, entrants, "a bot of this run")
    if options.discipline is not None:
        known = {each.name: None for manifest in manifests for each in manifest.disciplines}
        check_one_of("--discipline", options.discipline, [*known])
    if options.result is not None and not options.bots:
        raise BadInput("--result: found without --bot, expected with it")
    return GameFilter(
        bots=options.bots,
        against=options.against,
        outcome=options.result,
        faults=_kinds(options),
        discipline=options.discipline or "",
        margin=read_range("--margin", options.margin),
        plies=read_range("--plies", options.plies),
    )


def _kinds(options: GameFilterOptions) -> frozenset[FaultKind] | None:
    """Return the kinds of faults asked for; None if games without faults are listed too."""
    if options.fault:
        return frozenset(options.fault)
    return frozenset(FaultKind) if options.faults else None


@dataclass(frozen=True, kw_only=True)
class GamesOptions(GameFilterOptions):
    """List the games of a run, and find some of them.

    Each game has the number that arena replay takes. A game is listed if one bot in it meets the
    conditions on bot, opponent, result and fault together. A run that is still being played is
    shown with the games so far. Exit code 5 if there is no game yet.

    \b
    arena games runs/quickstart --bot greedy --result lost
    arena games runs/quickstart --sort margin --reverse --limit 5
    arena games runs/quickstart --faults
    arena games runs/quickstart --sort decided --limit 3 --json
    """

    folder: RunFolder
    decided: Annotated[
        bool,
        Opt(
            "Also show since which ply the winner led alone, and the largest swing of the "
            "lead. Replays the records, which takes time."
        ),
    ] = False
    sort: Annotated[
        GameOrder,
        Opt(
            "Sort by number (the default), or by another column, the largest first; decided "
            "and swing replay the records.",
            shows_default=False,
        ),
    ] = GameOrder.NUMBER
    is_reversed: Annotated[bool, Opt("Sort the other way round.", "--reverse")] = False
    limit: Annotated[int | None, Opt("List at most N games. Default: all.", least=1)] = None
    form: Annotated[str, form_option(("txt", "md", "csv", "json"))] = "txt"
    quiet: Quiet = False
    as_json: AsJson = False


def list_games(options: GamesOptions) -> None:
    """Print the games that meet the conditions. Raises BadInput, NothingToDo or StoreError."""
    run = StoredRun(options.folder)
    found = game_rows(run, read_filter(options, [run.manifest]).keeps)
    folder = str(run.folder)
    if not found.games:
        raise NothingToDo(f"{folder}: no game of this run is stored yet")
    rows, notes = _listed(run, options, found)
    unknown = sum(row.slowest_us is None and row.plies > 0 for row in rows)
    if unknown:
        notes.append(f"the slowest move of {count(unknown, 'game')} is unknown: it is not stored")
    listed = GameList(
        run=run.manifest.title,
        folder=folder,
        rows=rows,
        fitting=len(found.rows),
        games=found.games,
        planned=run.planned,
        titles=run.titles,
        has_leads=options.decided or options.sort.needs_records,
        order=options.sort,
        notes=notes,
    )
    out_text(render(listed, options.form, width=columns(), color=is_colored()).rstrip("\n"))


def _listed(
    run: StoredRun, options: GamesOptions, found: GameRows
) -> tuple[Sequence[GameRow], list[str]]:
    """Return the rows to list, and sentences on what is unknown of them.

    Records are replayed before the order needs them, else of the listed games alone.
    """
    rows: Sequence[GameRow] = found.rows
    made = run.manifest.field.made
    of_games = {number for number, ruling in made if ruling.game}
    notes = [words for number, words in told(made) if number in of_games]
    if options.sort.needs_records:
        rows, notes = _replayed(run, rows, found, quiet=options.quiet)
    rows = ordered(rows, options.sort, is_reversed=options.is_reversed)[: options.limit]
    if options.decided and not options.sort.needs_records:
        rows, notes = _replayed(run, rows, found, quiet=options.quiet)
    return rows, notes


def _replayed(
    run: StoredRun, rows: Sequence[GameRow], found: GameRows, *, quiet: bool
) -> tuple[list[GameRow], list[str]]:
    """Return the rows with the courses of their leads, and sentences on what is unknown."""
    told: list[GameRow] = []
    expired, damaged = 0, list[str]()
    with PreparedGames(len(rows), quiet=quiet) as counter:
        for row in rows:
            stored = found.stored[row.number]
            if run.is_expired(stored.record):
                expired += 1
                told.append(row)
            else:
                try:
                    told.append(with_lead(run, row, stored))
                except StoreError as problem:
                    damaged.append(str(problem))
                    told.append(row)
            counter.step()
    notes = []
    if expired:
        have = "it has no record" if expired == 1 else "they have no records"
        notes.append(f"the course of {count(expired, 'game')} is unknown: {have} any more")
    if damaged:
        games = count(len(damaged), "game")
        notes.append(f"the course of {games} is unknown: {damaged[0]}")
    return told, notes
