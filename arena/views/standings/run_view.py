"""Places of a kind of run, and its rounds as pages show them.

A kind of run names its view in ``RunKind.table``; an extension may bring one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from arena import extensions
from arena.ratings.counting.tally import Tally
from arena.runs.growth.kinds import RoundResults, RunKind
from arena.runs.reader import StoredRun
from arena.runs.withdrawals import WithdrawalState

if TYPE_CHECKING:
    from arena.ratings.elo.rating import RatingFit
    from arena.views.standings.headline import Headline
    from arena.views.standings.tables import Section


class PairedMeeting(NamedTuple):
    """Bots that were paired in a round, or a bot with a bye."""

    bots: tuple[str, ...]
    """Names, the more successful first."""
    points: tuple[float, ...]
    """Points of the match; empty where only games count, and before its end."""
    games: tuple[float, ...]
    """Points of games so far, 1 for a win; empty for a bye."""
    is_played: bool
    """False for a bye, or if a bot forfeited."""
    note: str
    """Note on it, such as ``forfeit``; may be empty."""
    title: str = ""
    """Its group, or its part of a knockout; empty where all of the round have one title."""


class PairedRound(NamedTuple):
    """A round that follows from results."""

    label: str
    """Label in the ids of its games."""
    is_over: bool
    stage: int
    """Number of the stage, from 0."""
    title: str
    """Name of the round, such as ``semi-final``; empty if it has none."""
    meetings: Sequence[PairedMeeting]


class Ranked(NamedTuple):
    """A bot in the order of places."""

    name: str
    place: int | None
    """Place, which equal bots share; None if it has none yet."""
    value: str
    """Its points, rating or mean in words, or in a knockout its last tie."""


class RunView:
    """The view of a run whose ratings decide the places."""

    def placed(
        self, run: StoredRun, section: Section, tally: Tally, ratings: RatingFit | None
    ) -> Section:
        """Return a section in which the bots that still play have places."""
        from arena.ratings.elo.rating import superiority
        from arena.ratings.elo.scores import score_superiority
        from arena.ratings.elo.standings import placed

        left = run.manifest.field.left
        names = {row.name for row in section.standings.rows}
        if names.isdisjoint(left):
            return section
        if ratings is None:
            ahead = partial(score_superiority, tally.solo[section.title])
        else:
            ahead = partial(superiority, ratings)
        return section._replace(standings=placed(section.standings, names - left, ahead))

    def main(
        self,
        run: StoredRun,
        section: Section,
        ratings: RatingFit | None,
        played: RoundResults | None,
        verdict: WithdrawalState,
    ) -> Section:
        """Return the main section of a run, which has places, with its headline."""
        from arena.views.standings.headline import by_standings

        is_whole = run.manifest.shard is None and verdict.stopped is None
        has_won = section.games.is_through and is_whole
        return section._replace(headline=by_standings(section.standings, has_won=has_won))

    def places(self, section: Section) -> Mapping[str, tuple[int, str]]:
        """Return place and points by entrant in a main section; empty if ratings decide."""
        return {}

    def ranking(self, section: Section) -> Sequence[Ranked]:
        """Return the bots of a main section, the first place first."""
        from arena.views.standings.headline import value_words

        rows, unit = section.standings.rows, section.standings.unit
        values = ("" if row.value is None else value_words(row.value, unit) for row in rows)
        return [Ranked(row.name, row.rank, value) for row, value in zip(rows, values, strict=True)]

    def rounds(
        self, run: StoredRun, played: RoundResults | None, verdict: WithdrawalState
    ) -> Sequence[PairedRound]:
        """Return the rounds that follow from results, in order."""
        return ()

    def leaders(
        self,
        run: StoredRun,
        played: RoundResults | None,
        verdict: WithdrawalState,
        wanted: Collection[str],
    ) -> Mapping[str, Headline]:
        """Return the leader after each finished round in ``wanted``, by label, where one is known.

        ``wanted``: the labels, because each takes a whole table.
        """
        return {}


class UnplacedView(RunView):
    """The view of a run that has no headline."""

    def main(
        self,
        run: StoredRun,
        section: Section,
        ratings: RatingFit | None,
        played: RoundResults | None,
        verdict: WithdrawalState,
    ) -> Section:
        """Return the section as it is."""
        return section


VIEWS: Final[dict[str, RunView]] = {"ratings": RunView(), "unplaced": UnplacedView()}
"""Views by ``RunKind.table``; those of extensions are added when they are first asked for."""


def view_of(kind: RunKind) -> RunView:
    """Return the view of a kind of run. Raises BadInput if no extension brings it."""
    if kind.table not in VIEWS:
        VIEWS[kind.table] = extensions.need(f"a table by {kind.table}", "run_views", kind.table)()
    return VIEWS[kind.table]
