"""The strength of a bot from version to version, as a table with drawn intervals."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from arena.extensions.studies.plain.read import DateSpan
from arena.extensions.studies.several.changes import VersionChange, changes
from arena.extensions.studies.several.several import (
    PooledResults,
    ResultsSource,
    pooled,
    rated_parts,
)
from arena.extensions.studies.several.versions import SHORT
from arena.ratings.elo.rating import Rated, RatingFit
from arena.ratings.elo.scale import Anchor, Model
from arena.ratings.elo.standings import Standings
from arena.values.bad_input import BadInput
from arena.values.numbers import NOTHING, p_value
from arena.values.problems import check_entrant, quote
from arena.views.cells import Cell, Label, Quantity, Text
from arena.views.standings.ratings_table import difference_text, interval_cell, strips_of
from arena.views.standings.standings import SectionData
from arena.views.standings.tables import Section
from arena.views.tables import Blocks, Column, PageBlock

MARK = "*"
"""Mark of a change that is more than noise."""


class RatedVersion(NamedTuple):
    """A version of a bot with its rating."""

    rated: Rated
    digest: str
    """Digest of its files; empty if not known."""
    first: str
    """Time of its first game, UTC, ISO 8601; empty if not known."""
    last: str


class VersionHistory(NamedTuple):
    """Results of all versions, the oldest first."""

    bot: str
    versions: tuple[RatedVersion, ...]
    steps: tuple[VersionChange, ...]
    whole: VersionChange | None
    """Change from the first to the last of at least three versions; not tested."""


def versions_of(pool: PooledResults, bots: Sequence[str]) -> list[str]:
    """Return the labels of the versions of ``bots``, in the order in which they are shown.

    Versions of one bot are in the order of time; several bots in the order of ``bots``. Raises
    BadInput for an unknown bot, for a single version, and for games without a date.
    """
    names = [name for bot in bots for name in _own(pool, bot)]
    if len(names) < 2:
        raise BadInput(
            f"--history: found one version of {quote(bots[0])}, expected several: more runs, "
            "or --history again for each bot that is a version"
        )
    undated = sum(pool.dates[name].undated for name in names if name in pool.dates)
    if undated:
        raise BadInput(
            f"--history: found {undated} games of {quote(bots[0])} without a date, expected "
            '"played_at" in each line of the files'
        )
    return names


def _own(pool: PooledResults, bot: str) -> list[str]:
    order = {version.label: k for k, version in enumerate(pool.versions.labelled())}
    known = pool.tally.entrants
    own = [name for name in known if name == bot or name.rpartition("@")[0].rstrip("@") == bot]
    if not own:
        check_entrant("--history", bot, known, "a bot of the results")

    def when(name: str) -> tuple[int, int]:
        span = pool.dates.get(name, DateSpan())
        return order.get(name, len(order)), span.first

    return sorted(own, key=when)


def with_history(
    part: SectionData, pool: PooledResults, bots: Sequence[str], names: Sequence[str]
) -> Section:
    """Return the section with the history of ``bots`` below its own panels.

    ``names``: labels of their versions. Without several of them in the section, there is no
    history.
    """
    section = part.section
    section = section._replace(notices=(*section.notices, *_absent(pool, bots, names)))
    if part.ratings is None:
        return section
    playing = [name for name in names if name in part.ratings.entrants]
    if len(playing) < 2:
        return section._replace(panels=section.panels or _no_panels)
    found = history_of(section.standings, part.ratings, pool, bots, playing)
    own = section.panels or _no_panels
    return section._replace(panels=partial(_beside, own, found))


def _absent(pool: PooledResults, bots: Sequence[str], names: Sequence[str]) -> Iterator[str]:
    """Yield a notice for each version of these bots that has no place in the history."""
    for each in {each.name: each for each in pool.losses.withdrawn}.values():
        if each.name.partition("@")[0] in bots and each.name not in names:
            yield f"{each.name} was withdrawn: it is not in the history"


def combined(
    sources: Sequence[tuple[Path, str]],
    model_of: Callable[[Collection[str], Sequence[tuple[str, Anchor]]], Model],
    *,
    joined: bool = False,
    full: bool = False,
    history: Sequence[str] = (),
) -> list[SectionData]:
    """Return the sections of several sources together, see ``standings.Combining``."""
    given = [ResultsSource(*each) for each in sources]
    pool = pooled(given, joined=joined, full=full, dated=bool(history))
    names = versions_of(pool, history) if history else []
    parts = rated_parts(pool, model_of(pool.tally.entrants, pool.anchors))
    if not history:
        return parts
    return [part._replace(section=with_history(part, pool, history, names)) for part in parts]


def history_of(
    standings: Standings,
    ratings: RatingFit,
    pool: PooledResults,
    bots: Sequence[str],
    names: Sequence[str],
) -> VersionHistory:
    """Return the numbers of the history of ``bots``.

    ``names``: labels of their versions, see ``versions_of``.
    """
    rows = {row.name: row for row in standings.rows}
    digests = {version.label: version.digest for version in pool.versions.labelled()}
    versions = []
    for name in names:
        span = pool.dates.get(name, DateSpan())
        versions.append(
            RatedVersion(rows[name], digests.get(name, ""), _iso(span.first), _iso(span.last))
        )
    return VersionHistory(" and ".join(bots), tuple(versions), *changes(ratings, names))


def _iso(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds") if seconds else ""


def _no_panels() -> Sequence[PageBlock]:
    return ()


def _beside(own: Blocks, found: VersionHistory) -> Sequence[PageBlock]:
    return [*own(), history_panel(found)]


def history_panel(found: VersionHistory) -> PageBlock:
    """Return the versions from the oldest on, each with its interval on one scale."""
    points, rows = found.versions, [point.rated for point in found.versions]
    steps = {step.name: step for step in found.steps}
    strips = strips_of(rows)
    columns = [
        Column("version", "left", [Label(row.name) for row in rows]),
        Column("Elo", "right", [Quantity(row.value) for row in rows]),
        Column("95 %", "right", [interval_cell(row) for row in rows]),
        *([] if strips is None else [strips]),
        Column("change", "right", [change_cell(steps.get(row.name)) for row in rows]),
        Column("games", "right", [row.games for row in rows]),
        Column("played", "left", [when_words(point) for point in points]),
        Column("digest", "left", [point.digest[:SHORT] or NOTHING for point in points]),
    ]
    return PageBlock.of(
        key="history",
        title=f"strength of {found.bot} over time",
        columns=columns,
        remarks=[*words(found)],
        data=found._asdict() | {"versions": [*map(_data, points)]},
    )


def _data(point: RatedVersion) -> dict[str, Any]:
    """Return a version in JSON."""
    row = point.rated
    return {
        "name": row.name,
        "digest": point.digest,
        "first": point.first,
        "last": point.last,
        "games": row.games,
        "elo": row.value,
        "low": row.low,
        "high": row.high,
        "bound": row.bound,
        "limit": row.limit,
    }


def words(found: VersionHistory) -> Iterator[str]:
    """Yield the lines on what changed and on what may be noise."""
    changes = [step for step in found.steps if step.is_change]
    for step in changes:
        stronger = "stronger" if (step.elo or 0) > 0 else "weaker"
        p = p_value(step.p_holm or 0.0)
        yield (
            f"{step.name} is {stronger} than {step.other}: "
            f"{difference_text(step.elo, step.low, step.high)} Elo; {p} with all steps considered"
        )
    rest = len([step for step in found.steps if step.p is not None]) - len(changes)
    if rest and changes:
        yield f"{'the other step' if rest == 1 else 'the other steps'} may be noise"
    elif rest:
        yield "no step is more than noise may make it"
    for step in found.steps:
        if step.elo is None:
            both = f"{step.other} and {step.name}"
            yield f"results set no bound to the difference of {both}"
    if found.whole is not None and found.whole.low is not None:
        whole = found.whole
        change = difference_text(whole.elo, whole.low, whole.high)
        yield f"from {whole.other} to {whole.name}: {change} Elo"
    if changes:
        yield f"mark {MARK}: more than noise at the 5 % level, Holm over the steps"


def change_cell(step: VersionChange | None) -> Cell:
    """Return the difference to the version before, with MARK if it is more than noise."""
    if step is None or step.elo is None:
        return NOTHING
    change = difference_text(step.elo, step.low, step.high)
    return Text((MARK if step.is_change else "") + change, step.elo)


def when_words(point: RatedVersion) -> str:
    """Return the first and last day on which the version played."""
    first, last = point.first[:10], point.last[:10]
    return (first if first == last else f"{first} to {last}") or NOTHING
