"""``arena standings``, and the tables that ``arena run`` writes."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from arena.cli.console import BadInput, has_color, out
from arena.tournament.problems import quote
from arena.tournament.store import (
    GAMES,
    StoreError,
    cannot_write,
    read_manifest,
    stored_games,
    write_atomically,
)

if TYPE_CHECKING:
    from arena.ratings.standings import Standings

FORMS = ("txt", "md", "csv", "json")


class Table(NamedTuple):
    """The standings of a run with what has to be said about them."""

    run: str
    standings: Standings
    notices: tuple[str, ...]


def table_of(folder: Path) -> Table:
    """Compute the standings from the stored games. Raises StoreError."""
    from arena.ratings.fit import fit
    from arena.ratings.standings import standings
    from arena.ratings.tally import Tally

    manifest = read_manifest(folder)
    tally = Tally(manifest.entrants)
    games = 0
    for stored in stored_games(folder):
        games += 1
        try:
            tally.add(stored.result)
        except ValueError as error:
            raise StoreError(f"{folder}/{GAMES}:{games}: no game of this run: {error}") from None
    elo = 1000.0 if manifest.anchor_elo is None else manifest.anchor_elo
    ratings = fit(tally, anchor=manifest.anchor, anchor_elo=elo)
    notices = []
    status = manifest.rules.data.get("status")
    if status:
        notices.append(f"played with {status} card data ({manifest.rules.data.get('deck_id')})")
    planned = _planned(manifest.entrants, manifest.rules.seats, manifest.deals)
    if games < planned:
        notices.append(f"{games} of {planned} games played so far")
    return Table(manifest.name, standings(tally, ratings), tuple(notices))


def _planned(entrants: Sequence[str], seats: int, deals: int) -> int:
    from math import comb

    return comb(len(entrants), seats) * deals * seats


def render(table: Table, form: str, *, for_terminal: bool = False) -> str:
    """The table in one of FORMS; ``for_terminal`` fits the text to the terminal's width."""
    from arena.report import tables

    match form:
        case "txt":
            bold = for_terminal and has_color(sys.stdout)
            return tables.text(
                table.standings,
                width=shutil.get_terminal_size().columns if for_terminal else None,
                notices=table.notices,
                emphasis=tables.Emphasis.BOLD if bold else tables.Emphasis.PLAIN,
            )
        case "md":
            return tables.markdown(table.standings, notices=table.notices)
        case "csv":
            return tables.csv_text(table.standings)
        case "json":
            return tables.json_text(table.standings, run=table.run, warnings=table.notices)
        case _:
            raise BadInput(f"--format: found {quote(form)}, expected {', '.join(FORMS)}")


def write_tables(folder: Path, table: Table, forms: Sequence[str]) -> None:
    """Write ``standings.FORM`` for each form, each replaced as a whole. Raises StoreError."""
    for form in forms:
        path = folder / f"standings.{form}"
        try:
            write_atomically(path, render(table, form).encode())
        except OSError as error:
            raise cannot_write(path, error) from error


def print_table(table: Table, form: str) -> None:
    """Print the answer of ``run`` and ``standings``."""
    out(render(table, form, for_terminal=sys.stdout.isatty()).rstrip("\n"))


def print_standings(folder: Path, form: str) -> None:
    """``arena standings``."""
    if form not in FORMS:
        raise BadInput(f"--format: found {quote(form)}, expected {', '.join(FORMS)}")
    print_table(table_of(folder), form)
