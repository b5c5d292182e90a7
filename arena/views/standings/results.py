"""The standings of results from anywhere: a file with an object per game and line."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from arena.config.disciplines import OVERALL
from arena.documents.bad_input import BadInput
from arena.documents.problems import did_you_mean, quote
from arena.ratings.counting.tally import Tally
from arena.views.standings.standings import Part, rated


def read_parts(path: Path, name: str, anchor: str | None, elo: float, *, full: bool) -> list[Part]:
    """One for each discipline, and for all together if there are several.

    ``name``: what the file is called. ``anchor``: whose Elo is ``elo``; None: the mean is.
    ``full``: more than the tables is wanted. Raises BadInput.
    """
    tally = _read(path, name)
    _check_anchor(anchor, tally)
    faulty = full and any(tally.faults(entrant) for entrant in tally.entrants)
    return list(_parts(tally, _read_clean(path) if faulty else None, anchor, elo))


def _read(path: Path, name: str) -> Tally:
    from arena.ratings.plain.read import ResultsError, read_results

    try:
        return read_results(path)
    except ResultsError as error:
        raise BadInput(str(error).replace(str(path), name, 1)) from None


def _read_clean(path: Path) -> Tally | None:
    """Without the blocks with faults; None if that leaves nothing."""
    from arena.ratings.plain.read import copy_clean, read_results

    with tempfile.NamedTemporaryFile(prefix="arena-results-") as kept:
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
    known = anchor if anchor in tally.entrants else None
    part = rated(title, tally, (known, elo), _notices(anchor, known, "the mean"))
    return part._replace(clean=clean)


def _notices(anchor: str | None, known: str | None, instead: str) -> tuple[str, ...]:
    if anchor is None or known is not None:
        return ()
    return (f"{anchor}, the anchor, has no games here: {instead} is the fixed point instead",)
