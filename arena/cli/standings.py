"""``arena standings``, and the tables that ``arena run`` writes."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from arena.catalog import data_notice
from arena.cli.console import BadInput, has_color, out
from arena.rules import make_rules
from arena.tournament.disciplines import OVERALL
from arena.tournament.problems import quote
from arena.tournament.schedule import Discipline, Schedule
from arena.tournament.seeds import Seeds
from arena.tournament.store import (
    GAMES,
    Manifest,
    StoreError,
    cannot_write,
    read_manifest,
    stored_games,
    write_atomically,
)

if TYPE_CHECKING:
    from arena.ratings.solo import SoloTally
    from arena.ratings.tally import Tally
    from arena.report.tables import Section

FORMS = ("txt", "md", "csv", "json")


class Table(NamedTuple):
    """The standings of a run: a section for each discipline, and for all if there are several."""

    run: str
    sections: tuple[Section, ...]


def table_of(folder: Path) -> Table:
    """Compute the standings from the stored games. Raises StoreError."""
    from arena.ratings.tally import Tally

    manifest = read_manifest(folder)
    solo = {each.name: _solo(each) for each in manifest.disciplines if each.rules.seats == 1}
    tally = Tally(manifest.entrants, solo)
    games: Counter[str] = Counter()
    for line, stored in enumerate(stored_games(folder), 1):
        games[stored.result.spec.discipline] += 1
        try:
            if manifest.discipline(stored.result.spec.discipline) is None:
                raise ValueError("unknown discipline")
            tally.add(stored.result)
        except ValueError as error:
            raise StoreError(f"{folder}/{GAMES}:{line}: no game of this run: {error}") from None
    schedule = Schedule(manifest.disciplines, Seeds(b""))  # seeds do not change how many there are
    sections = []
    for discipline in manifest.disciplines:
        planned = schedule.games_of(discipline.name)
        progress = _progress(games[discipline.name], planned)
        sections.append(_section(discipline, tally, manifest, progress))
    if len(sections) > 1:
        cards = (data_notice(discipline.rules) for discipline in manifest.disciplines)
        progress = _progress(games.total(), schedule.games)
        notices = (*dict.fromkeys(filter(None, cards)), *progress)
        sections.append(_rated(OVERALL, tally, manifest, manifest.entrants, notices))
    return Table(manifest.name, tuple(sections))


def _solo(discipline: Discipline) -> SoloTally:
    """Where the games of a discipline with one seat are counted."""
    from arena.ratings.solo import SoloTally

    info = make_rules(discipline.rules).info
    return SoloTally(
        discipline.entrants,
        score=info.score,
        less_is_better=info.less_is_better,
        worst_score=info.worst_score,
    )


def _section(
    discipline: Discipline, tally: Tally, manifest: Manifest, progress: tuple[str, ...]
) -> Section:
    from arena.ratings.solo_standings import solo_standings
    from arena.report.tables import Section

    notice = data_notice(discipline.rules)
    notices = (*((notice,) if notice else ()), *progress)
    if discipline.rules.seats == 1:
        anchor = manifest.anchor if manifest.anchor in discipline.entrants else None
        standings = solo_standings(tally.solo[discipline.name], anchor=anchor)
        return Section(discipline.name, standings, notices)
    one = tally.only(discipline.name, discipline.entrants)
    return _rated(discipline.name, one, manifest, discipline.entrants, notices)


def _rated(
    title: str,
    tally: Tally,
    manifest: Manifest,
    entrants: Sequence[str],
    notices: tuple[str, ...],
) -> Section:
    from arena.ratings.fit import fit
    from arena.ratings.standings import standings
    from arena.report.tables import Section

    anchor = manifest.anchor if manifest.anchor in entrants else None
    elo = manifest.anchor_elo if anchor and manifest.anchor_elo is not None else 1000.0
    return Section(title, standings(tally, fit(tally, anchor=anchor, anchor_elo=elo)), notices)


def _progress(played: int, planned: int) -> tuple[str, ...]:
    return (f"{played} of {planned} games played so far",) if played < planned else ()


def render(table: Table, form: str, *, for_terminal: bool = False) -> str:
    """The table in one of FORMS; ``for_terminal`` fits the text to the terminal's width."""
    from arena.report import tables

    match form:
        case "txt":
            bold = for_terminal and has_color(sys.stdout)
            return tables.text(
                table.sections,
                width=shutil.get_terminal_size().columns if for_terminal else None,
                emphasis=tables.Emphasis.BOLD if bold else tables.Emphasis.PLAIN,
            )
        case "md":
            return tables.markdown(table.sections)
        case "csv":
            return tables.csv_text(table.sections)
        case "json":
            return tables.json_text(table.sections, run=table.run)
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
