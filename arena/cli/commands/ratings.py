"""``arena ratings``: tables of results from anywhere."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

from arena.config.disciplines import OVERALL
from arena.documents.bad_input import BadInput
from arena.documents.problems import did_you_mean, quote
from arena.views.standings.standings import Part, Table, check_form, print_table

if TYPE_CHECKING:
    from arena.ratings.counting.tally import Tally

_STANDARD_INPUT = "standard input"


@dataclass(frozen=True, kw_only=True)
class RatingsOptions:
    """What was asked for on the command line."""

    file: Path
    """Of results, ``-``: standard input."""
    anchor: str | None = None
    elo: float | None = None
    """Of the anchor, without one of the mean; None: 1000."""
    full: bool = True
    form: str = "txt"


def print_ratings(options: RatingsOptions) -> None:
    """Rate the results of a file. Raises BadInput."""
    check_form(options.form)
    elo = 1000.0 if options.elo is None else options.elo
    if not isfinite(elo) or abs(elo) > 1e6:
        raise BadInput(f"--elo: found {elo}, expected a number from -1000000 to 1000000")
    with _as_file(options.file) as (path, name):
        tally = _read(path, name)
        _check_anchor(options.anchor, tally)
        faulty = options.full and any(tally.faults(entrant) for entrant in tally.entrants)
        clean = _read_clean(path) if faulty else None
    parts = _parts(tally, clean, options.anchor, elo)
    if options.full:
        from arena.views.standings.panels import full_section

        sections = tuple(full_section(*part) for part in parts)
    else:
        sections = tuple(part.section for part in parts)
    print_table(Table(name, sections), options.form)


@contextmanager
def _as_file(path: Path) -> Iterator[tuple[Path, str]]:
    """(what to read, its name); standard input is kept, because it may be read twice."""
    if str(path) != "-":
        yield path, str(path)
        return
    with tempfile.NamedTemporaryFile(prefix="arena-ratings-") as kept:
        shutil.copyfileobj(sys.stdin.buffer, kept)
        kept.flush()
        yield Path(kept.name), _STANDARD_INPUT


def _read(path: Path, name: str) -> Tally:
    from arena.ratings.plain.read import ResultsError, read_results

    try:
        return read_results(path)
    except ResultsError as error:
        raise BadInput(str(error).replace(str(path), name, 1)) from None


def _read_clean(path: Path) -> Tally | None:
    """Without the blocks with faults; None if that leaves nothing."""
    from arena.ratings.full.clean_results import copy_clean
    from arena.ratings.plain.read import read_results

    with tempfile.NamedTemporaryFile(prefix="arena-ratings-") as kept:
        written = copy_clean(path, kept)
        kept.flush()
        return read_results(Path(kept.name)) if written else None


def _check_anchor(anchor: str | None, tally: Tally) -> None:
    if anchor is not None and anchor not in tally.entrants:
        hint = did_you_mean(anchor, tally.entrants)
        problem = f"--anchor: found {quote(anchor)}, expected a bot of the results"
        raise BadInput(f"{problem}; {hint}" if hint else problem)


def _parts(tally: Tally, clean: Tally | None, anchor: str | None, elo: float) -> Iterator[Part]:
    """One for each discipline, and for all together if there are several."""
    from arena.ratings.elo.solo_standings import solo_standings
    from arena.views.standings.tables import Section

    disciplines = tally.disciplines
    several = len(disciplines) > 1
    for name in disciplines:
        if name in tally.solo:
            solo = tally.solo[name]
            known = anchor if anchor in solo.entrants else None
            notices = _notices(anchor, known, "the leader") if several else ()
            yield Part(Section(name, solo_standings(solo, anchor=known), notices), tally, None)
        else:
            own = None if clean is None else clean.only(name)
            yield _rated(name, tally.only(name), own, anchor, elo)
    if several or not disciplines:
        yield _rated(OVERALL, tally, clean, anchor, elo)


def _rated(title: str, tally: Tally, clean: Tally | None, anchor: str | None, elo: float) -> Part:
    from arena.ratings.elo.fit import fit
    from arena.ratings.elo.standings import standings
    from arena.views.standings.tables import Section

    known = anchor if anchor in tally.entrants else None
    ratings = fit(tally, anchor=known, anchor_elo=elo)
    section = Section(title, standings(tally, ratings), _notices(anchor, known, "the mean"))
    return Part(section, tally, ratings, clean)


def _notices(anchor: str | None, known: str | None, instead: str) -> tuple[str, ...]:
    if anchor is None or known is not None:
        return ()
    return (f"{anchor}, the anchor, has no games here: {instead} is the fixed point instead",)
