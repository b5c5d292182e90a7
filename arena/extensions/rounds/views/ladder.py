"""Tables of a ladder: one of the bots that play, and another of those that play no more."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import cast

from arena.extensions.rounds.following import paired
from arena.extensions.rounds.pairing.state import Played
from arena.extensions.rounds.views.paired import paired_rounds
from arena.extensions.rounds.views.points import how_gone, points_panel, state_column
from arena.ratings.counting.tally import Tally
from arena.ratings.elo.rating import Rated, RatingFit, superiority
from arena.ratings.elo.standings import apart, placed
from arena.runs.growth.kinds import RoundResults
from arena.runs.manifest import Manifest
from arena.runs.reader import StoredRun
from arena.runs.withdrawals import WithdrawalState
from arena.values.numbers import count
from arena.values.results import player_of
from arena.views.cells import Label, Quantity
from arena.views.standings.headline import by_standings
from arena.views.standings.ratings_table import interval_cell
from arena.views.standings.run_view import PairedRound, RunView
from arena.views.standings.tables import Section
from arena.views.tables import Blocks, Column, PageBlock


class LadderView(RunView):
    """The view of a ladder, whose ratings rank the bots that play."""

    def placed(
        self, run: StoredRun, section: Section, tally: Tally, ratings: RatingFit | None
    ) -> Section:
        """Return the section as it is."""
        return section

    def main(
        self,
        run: StoredRun,
        section: Section,
        ratings: RatingFit | None,
        played: RoundResults | None,
        verdict: WithdrawalState,
    ) -> Section:
        """Return the section with the tables of a ladder."""
        if ratings is None:
            return section
        section = _with_ladder(run, section, ratings, verdict)
        if run.manifest.disciplines[0].ranking:
            section = _with_points(run, section, cast(Played, played), verdict)
        return section

    def rounds(
        self, run: StoredRun, played: RoundResults | None, verdict: WithdrawalState
    ) -> Sequence[PairedRound]:
        """Return the rounds, in order."""
        return paired_rounds(run, played, verdict)


def _with_ladder(
    run: StoredRun, section: Section, ratings: RatingFit, verdict: WithdrawalState
) -> Section:
    """Return the section with the number of rounds, and a table of bots that play no more.

    Places go to the bots that the authors of the ladder have in the table, or without known authors
    to all bots that play. Raises StoreError.
    """
    manifest, authors = run.manifest, run.authors
    field = manifest.field
    shown, gone = apart(section.standings, ratings, away := field.left | verdict.withdrawn.keys())
    rated = {row.name for row in shown.rows if row.value is not None}
    holders = rated if authors is None else rated & authors.placed(manifest.entrants)
    shown = placed(shown, holders - away, partial(superiority, ratings))
    drawn = sum(each is not None for each in field.follows) - manifest.is_over
    planned = field.rounds[0][0].schedule.rounds
    notice = count(drawn, "round") if planned is None else f"{drawn} of {count(planned, 'round')}"
    notice += " played: it has ended" if manifest.is_over else " drawn so far"
    headline = by_standings(shown, has_won=manifest.is_over)
    panels: Blocks | None = partial(_panels, gone, manifest, verdict) if gone else None
    return section._replace(
        standings=shown,
        notices=(*section.notices, notice),
        gone=panels,
        headline=headline,
    )


def _with_points(
    run: StoredRun, section: Section, played: Played, verdict: WithdrawalState
) -> Section:
    """Return the section with a table by points of the bots that play, below the ratings."""
    field = run.manifest.field
    rounds = paired(field, run.schedule, played, verdict)
    matches = [table for each in rounds if each.is_over for table in each.round.tables]
    out = field.left | verdict.withdrawn.keys()
    called = {player_of(name): name for name in field.identities if name not in out}
    met = {name: name for table in matches for name in table.names}
    gone_by = how_gone(run.manifest, verdict)
    panel, _ = points_panel(run, matches, met | called, section, gone_by)
    gone = section.gone
    return section._replace(gone=lambda: [panel, *(() if gone is None else gone())])


def _panels(
    rows: Sequence[Rated], manifest: Manifest, verdict: WithdrawalState
) -> Sequence[PageBlock]:
    """Return the table of bots that play no more, marked unless a new version took their place."""
    gone = {n: how for n, how in how_gone(manifest, verdict).items() if how != "left"}
    columns = [
        Column("bot", "left", [Label(row.name) for row in rows]),
        Column("Elo", "right", [Quantity(row.value) for row in rows]),
        Column("95 %", "right", [interval_cell(row) for row in rows]),
        Column("games", "right", [row.games for row in rows]),
        *state_column([row.name for row in rows], gone),
    ]
    data = [
        {
            "name": row.name,
            "elo": row.value,
            "low": row.low,
            "high": row.high,
            "games": row.games,
            "withdrawn": row.name in verdict.withdrawn,
        }
        for row in rows
    ]
    remark = "their games still tell how strong the others are"
    return [PageBlock.of("gone", "who plays no more", columns, [remark], data)]
