"""``arena standings``, and the tables that ``arena run`` writes."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from arena.cli.terminal.console import has_color, out
from arena.config.disciplines import OVERALL
from arena.documents.bad_input import BadInput
from arena.documents.problems import quote
from arena.games.base import RulesError
from arena.games.catalog import data_notice
from arena.games.registry import RULES
from arena.results import DISCIPLINE_JOINT, VoidCause
from arena.runs.disk import StoreError, cannot_write, write_atomically
from arena.runs.store import Manifest, read_manifest
from arena.runs.voids import Void, stored_voids
from arena.runs.withdrawals import Verdict, verdict_of
from arena.schedule.schedule import Discipline, Schedule
from arena.schedule.seeds import Seeds
from arena.views.standings.counted import BlockKey, Counted

if TYPE_CHECKING:
    from arena.ratings.counting.tally import Tally
    from arena.ratings.elo.rating import Ratings
    from arena.views.standings.tables import Section, Voids, Withdrawn


FORMS = ("txt", "md", "csv", "json")


class Table(NamedTuple):
    """Standings: a section for each discipline, and for all if there are several."""

    source: str
    """The run, or the file of results."""
    sections: tuple[Section, ...]


class Part(NamedTuple):
    """A section, what it was computed from, and the same without games with faults."""

    section: Section
    tally: Tally
    """Of the section alone."""
    ratings: Ratings | None
    """None for a solo discipline."""
    clean: Tally | None = None
    """Without the blocks with faults; None if there are none, or no others."""


def table_of(folder: Path) -> Table:
    """Compute the standings from the stored games. Raises StoreError."""
    with rules_of(folder):
        manifest, counted, verdict, voids = _read(folder)
        sections = sections_of(manifest, counted, verdict, voids)
        return Table(manifest.name, tuple(each.section for each in sections))


@contextmanager
def rules_of(folder: Path) -> Iterator[None]:
    """Turn RulesError, of a manifest with rules that are none, into StoreError."""
    try:
        yield
    except RulesError as error:
        path = ".".join(map(str, error.path))
        raise StoreError(f"{folder}/run.json: rules: {path}: {error}") from None


def _read(
    folder: Path, skipped: Set[BlockKey] = frozenset()
) -> tuple[Manifest, Counted, Verdict, list[Void]]:
    """What is stored, the games of withdrawn bots not counted. Raises StoreError, RulesError."""
    manifest = read_manifest(folder)
    voids = list(stored_voids(folder))
    again = {void.game for void in voids}
    counted = Counted(manifest, frozenset(), again, skipped)
    counted.read(folder)
    verdict = Verdict({}, None)
    if counted.screen.is_raised or any(void.cause is VoidCause.WORKER for void in voids):
        verdict = verdict_of(folder, manifest)
    if verdict.withdrawn:
        counted = Counted(manifest, verdict.withdrawn.keys(), again, skipped)
        counted.read(folder)
    return manifest, counted, verdict, voids


def parts_of(folder: Path, skipped: Set[BlockKey] = frozenset()) -> list[Part]:
    """The sections of the standings with what they were computed from.

    The games of blocks in ``skipped`` do not count. Raises StoreError.
    """
    with rules_of(folder):
        manifest, counted, verdict, voids = _read(folder, skipped)
        clean = _without_faults(folder, manifest, counted, verdict, skipped)
        parts = []
        for part in sections_of(manifest, counted, verdict, voids):
            own = clean if part.ratings is not None else None
            if own is not None and part.section.title != OVERALL:
                own = own.only(part.section.title, part.tally.entrants)
            parts.append(part._replace(clean=own))
        return parts


def _without_faults(
    folder: Path,
    manifest: Manifest,
    counted: Counted,
    verdict: Verdict,
    skipped: Set[BlockKey],
) -> Tally | None:
    """The games of blocks without a fault; None if there is no fault, or no other game."""
    if not counted.faulty:
        return None
    clean = Counted(manifest, verdict.withdrawn.keys(), set(), counted.faulty | skipped)
    clean.read(folder)
    return clean.tally if clean.games.total() else None


def sections_of(
    manifest: Manifest, counted: Counted, verdict: Verdict, voids: Sequence[Void]
) -> Iterator[Part]:
    """The sections of a run: one for each discipline, and one for all if there are several."""
    schedule = Schedule(manifest.disciplines, Seeds(b""))  # seeds do not change how many there are
    stopped = _stopped(verdict)
    cards: dict[str, None] = {}
    several = len(manifest.disciplines) > 1
    for discipline in manifest.disciplines:
        notice = data_notice(discipline.rules)
        notices: tuple[str, ...] = (notice,) if notice else ()
        cards |= dict.fromkeys(notices)
        prefix = f"{discipline.name}{DISCIPLINE_JOINT}"
        own = [void for void in voids if void.game.startswith(prefix)]
        losses = _losses(schedule, discipline.name, discipline.entrants, counted, verdict, own)
        planned = schedule.games_of(discipline.name) - losses.annulled
        progress = _progress(manifest, counted.games[discipline.name], planned)
        notices += tuple(_endings(discipline, counted))
        notices += _without_anchor(manifest, discipline, verdict)
        notices += progress if several else (*progress, *stopped)
        yield _section(discipline, counted.tally, manifest, verdict, notices, losses)
    if several:
        losses = _losses(schedule, None, manifest.entrants, counted, verdict, voids)
        planned = schedule.games - losses.annulled
        progress = _progress(manifest, counted.games.total(), planned)
        notices = (*cards, *_without_anchor(manifest, None, verdict), *progress, *stopped)
        entrants = [name for name in manifest.entrants if name not in verdict.withdrawn]
        yield _rated(OVERALL, counted.tally, manifest, entrants, notices, losses)


class _Losses(NamedTuple):
    """The last fields of a section."""

    withdrawn: tuple[Withdrawn, ...]
    annulled: int
    voids: dict[str, Voids]


def _losses(
    schedule: Schedule,
    discipline: str | None,
    entrants: Sequence[str],
    counted: Counted,
    verdict: Verdict,
    voids: Sequence[Void],
) -> _Losses:
    from arena.views.standings.tables import Withdrawn

    withdrawn = tuple(
        Withdrawn(each.name, each.ground, each.reason, each.games, each.faults)
        for each in verdict.withdrawn.values()
        if each.name in entrants
    )
    annulled = schedule.games_with(verdict.withdrawn.keys(), discipline)
    return _Losses(withdrawn, annulled, _voids(counted, verdict, voids))


def _voids(counted: Counted, verdict: Verdict, voids: Sequence[Void]) -> dict[str, Voids]:
    """By cause, those of withdrawn bots left out; a game is told by its last cause."""
    from arena.views.standings.tables import Voids

    counting = [void for void in voids if verdict.withdrawn.keys().isdisjoint(void.entrants)]
    times = Counter(void.cause for void in counting)
    last = {void.game: void.cause for void in counting}
    again = Counter(cause for game, cause in last.items() if game in counted.played_again)
    waiting = Counter(cause for game, cause in last.items() if game not in counted.played_again)
    return {
        cause.value: Voids(times[cause], again[cause], waiting[cause])
        for cause in VoidCause
        if times[cause]
    }


def _stopped(verdict: Verdict) -> tuple[str, ...]:
    stopped = verdict.stopped
    return () if stopped is None else (f"the run was stopped: {stopped.name}: {stopped.reason}",)


def _without_anchor(
    manifest: Manifest, discipline: Discipline | None, verdict: Verdict
) -> tuple[str, ...]:
    anchor = manifest.anchor
    if anchor not in verdict.withdrawn:
        return ()
    if discipline is None:
        return (f"{anchor}, the anchor, was withdrawn: the mean is the fixed point instead",)
    if anchor not in discipline.entrants:
        return ()
    instead = "the leader" if discipline.rules.seats == 1 else "the mean"
    return (f"{anchor}, the anchor, was withdrawn: {instead} is the fixed point instead",)


def _section(
    discipline: Discipline,
    tally: Tally,
    manifest: Manifest,
    verdict: Verdict,
    notices: tuple[str, ...],
    losses: _Losses,
) -> Part:
    from arena.ratings.elo.solo_standings import solo_standings
    from arena.views.standings.tables import Section

    entrants = [name for name in discipline.entrants if name not in verdict.withdrawn]
    if discipline.rules.seats == 1:
        anchor = manifest.anchor if manifest.anchor in entrants else None
        standings = solo_standings(tally.solo[discipline.name], anchor=anchor)
        section = Section(discipline.name, standings, notices, *losses)
        return Part(section, tally, None)
    one = tally.only(discipline.name, entrants)
    return _rated(discipline.name, one, manifest, entrants, notices, losses)


def _rated(
    title: str,
    tally: Tally,
    manifest: Manifest,
    entrants: Sequence[str],
    notices: tuple[str, ...],
    losses: _Losses,
) -> Part:
    from arena.ratings.elo.fit import fit
    from arena.ratings.elo.standings import standings
    from arena.views.standings.tables import Section

    anchor = manifest.anchor if manifest.anchor in entrants else None
    elo = manifest.anchor_elo if anchor and manifest.anchor_elo is not None else 1000.0
    ratings = fit(tally, anchor=anchor, anchor_elo=elo)
    section = Section(title, standings(tally, ratings), notices, *losses)
    return Part(section, tally, ratings)


def _endings(discipline: Discipline, counted: Counted) -> Iterator[str]:
    """How many games a ruling of ours ended, and not the rulebook."""
    games, endings = counted.games[discipline.name], RULES[discipline.rules.name].endings
    for (name, ruling), ended in sorted(counted.rulings.items()):
        if name == discipline.name:
            words = f": {endings[ruling]}" if ruling in endings else ""
            yield f"{ended} of {games} games ended by {ruling}{words}"


def _progress(manifest: Manifest, played: int, planned: int) -> tuple[str, ...]:
    if manifest.is_match:
        return (
            f"{played} games of a match; its verdict, which a few of them may come after, is "
            "told by arena compare",
        )
    if manifest.has_person:
        return ()
    return (f"{played} of {planned} games played so far",) if played < planned else ()


def check_form(form: str) -> None:
    """Raises BadInput for what is not one of FORMS."""
    if form not in FORMS:
        raise BadInput(f"--format: found {quote(form)}, expected {', '.join(FORMS)}")


def render(
    table: Table, form: str, *, for_terminal: bool = False, warnings: Sequence[str] = ()
) -> str:
    """The table in one of FORMS; ``for_terminal`` fits the text to the terminal's width.

    ``warnings`` go into the document only.
    """
    from arena.text.panel import Emphasis
    from arena.views.standings import tables

    match form:
        case "txt":
            bold = for_terminal and has_color(sys.stdout)
            width = shutil.get_terminal_size().columns if for_terminal else None
            emphasis = Emphasis.BOLD if bold else Emphasis.PLAIN
            return tables.text(table.sections, width=width, emphasis=emphasis)
        case "md":
            return tables.markdown(table.sections)
        case "csv":
            return tables.csv_text(table.sections)
        case _:
            return tables.json_text(table.sections, source=table.source, warnings=warnings)


def write_tables(folder: Path, table: Table, forms: Sequence[str]) -> None:
    """Write ``standings.FORM`` for each form, each replaced as a whole. Raises StoreError."""
    for form in forms:
        path = folder / f"standings.{form}"
        try:
            write_atomically(path, render(table, form).encode())
        except OSError as error:
            raise cannot_write(path, error, folder) from error


def print_table(table: Table, form: str, warnings: Sequence[str] = ()) -> None:
    """Print the answer of ``run``, ``standings`` and ``ratings``."""
    shown = render(table, form, for_terminal=sys.stdout.isatty(), warnings=warnings)
    out(shown.rstrip("\n"))


def print_standings(folder: Path, form: str) -> None:
    """``arena standings``."""
    check_form(form)
    print_table(table_of(folder), form)


def print_pages(folder: Path, form: str) -> None:
    """``arena standings --full``."""
    from arena.views.standings.panels import full_section

    check_form(form)
    run = read_manifest(folder).name
    print_table(Table(run, tuple(full_section(*part) for part in parts_of(folder))), form)
