"""The table by points of any schedule, and the view of a league, whose places it decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, cast

import msgspec

from arena.extensions.rounds.following import match_of
from arena.extensions.rounds.kinds.swiss import table_of
from arena.extensions.rounds.pairing.scoring import LEAGUE, Scoring, scoring_of
from arena.extensions.rounds.pairing.state import Played
from arena.extensions.rounds.pairing.tables import FinishedRound, TableResult
from arena.extensions.rounds.pairing.tiebreaks import Standing
from arena.ratings.elo.rating import RatingFit
from arena.runs.disk import StoreError
from arena.runs.growth.kinds import RoundResults
from arena.runs.manifest import Manifest
from arena.runs.reader import StoredRun
from arena.runs.store import read_opening
from arena.runs.withdrawals import WithdrawalState
from arena.schedule.keys import FIDE_CODES, TieBreak
from arena.schedule.seeds import Seeds
from arena.values.numbers import trimmed
from arena.values.results import DISCIPLINE_JOINT, player_of
from arena.views.cells import Label, Quantity, Text
from arena.views.standings.headline import Criterion, Headline
from arena.views.standings.run_view import Ranked, RunView
from arena.views.standings.tables import Section, leading
from arena.views.tables import Column, PageBlock

_WORDS: Final[dict[str, str]] = {
    TieBreak.DIRECT_ENCOUNTER: "the place in the games between those with equal numbers so far",
    TieBreak.BUCHHOLZ: "the scores of the opponents",
    TieBreak.BUCHHOLZ_CUT_1: "the scores of the opponents without the lowest",
    TieBreak.SONNEBORN_BERGER: "the scores of the opponents, times the points won from each",
    TieBreak.WINS: "matches with the points of a win, byes and forfeits included",
    TieBreak.WON: "matches that were played and won",
    TieBreak.KOYA: "the points won from those with half of all points or more",
    TieBreak.MARGIN: "the sum of the margins of all games",
    TieBreak.OPPONENTS: "the mean score of those at the table, summed over the rounds",
    TieBreak.BLOCKS: "the points of games, a win 1, in the mean of the matches",
}
_CODES: Final = {name: code for code, name in FIDE_CODES.items()}


class PlaceRow(msgspec.Struct, frozen=True):
    """One line of a table by points."""

    place: int
    name: str
    """Present name of the bot, with its version."""
    points: float
    tie_breaks: dict[str, float]
    """Values of the tie-breaks by name, in the order in which they decide."""
    byes: int
    by_lot: bool
    """True if only the lot separates the bot from a neighbour."""
    elo: float | None


class PointsData(msgspec.Struct, frozen=True):
    """The JSON form of a league."""

    matches: int
    """Number of matches that count."""
    places: tuple[PlaceRow, ...]
    first_tie: str = ""
    """Tie-break that decided the first tie, or ``lot``; empty if no points are equal."""


def place_rows(
    table: Sequence[Standing],
    called: Mapping[str, str],
    elos: Mapping[str, float | None],
    byes: Mapping[str, int],
) -> tuple[PlaceRow, ...]:
    """Return the lines of a table; ``called``: present name of each player."""
    return tuple(
        PlaceRow(
            place,
            called[each.name],
            float(each.points),
            {kind.value: float(value) for kind, value in each.tie_breaks.items()},
            byes.get(each.name, 0),
            each.by_lot,
            elos.get(called[each.name]),
        )
        for place, each in enumerate(table, 1)
    )


def first_tie(places: Sequence[PlaceRow]) -> str:
    """Return the tie-break that decided the first tie, or ``lot``; empty if none are equal."""
    points = [each.points for each in places]
    tied = next((own for own in points if points.count(own) > 1), None)
    group = [each for each in places if each.points == tied]
    if not group:
        return ""
    broken = (
        kind for kind in group[0].tie_breaks if len({each.tie_breaks[kind] for each in group}) > 1
    )
    return next(broken, "lot")


def criterion_words(name: str) -> str:
    """Return the name of a tie-break with the code of FIDE: ``direct encounter (DE)``."""
    code = _CODES.get(TieBreak(name)) if name != "lot" else None
    return name.replace("_", " ") + (f" ({code})" if code else "")


def place_columns(
    places: Sequence[PlaceRow], gone: Mapping[str, str] | None = None, *, has_byes: bool = True
) -> list[Column]:
    """Return the columns of a table by points; ``gone``: how bots that play no more have gone."""
    kinds = list(places[0].tie_breaks) if places else []
    return [
        Column("#", "right", [each.place for each in places]),
        Column("bot", "left", [Label(each.name) for each in places]),
        Column("points", "right", [_points(each.points) for each in places]),
        *(
            Column(
                kind.replace("_", " "),
                "right",
                [_points(each.tie_breaks[kind]) for each in places],
            )
            for kind in kinds
        ),
        *[Column("byes", "right", [each.byes for each in places])][: 1 if has_byes else 0],
        Column("Elo", "right", [Quantity(each.elo) for each in places]),
        *state_column([each.name for each in places], gone or {}),
    ]


def how_gone(manifest: Manifest, verdict: WithdrawalState) -> dict[str, str]:
    """Return how bots that play no more have gone, in one word each."""
    found = dict.fromkeys(manifest.field.left, "left")
    found |= dict.fromkeys(verdict.withdrawn, "withdrawn")
    barred = manifest.rulings.barred
    return {n: "disqualified" if player_of(n) in barred else w for n, w in found.items()}


def state_column(names: Sequence[str], gone: Mapping[str, str]) -> list[Column]:
    """Return the column that says how bots have gone, if any of ``names`` has."""
    states = [gone.get(name, "") for name in names]
    return [Column("state", "left", states)] if any(states) else []


def _points(points: float) -> Text:
    return Text(trimmed(points), points)


def tie_remark(by: str) -> list[str]:
    """Return a line on what broke the first tie, see ``first_tie``."""
    return [f"the first tie is broken by {criterion_words(by)}"] if by else []


def place_remarks(places: Sequence[PlaceRow], *, has_out: bool) -> list[str]:
    """Return the lines below a table; ``has_out``: whether a bot was withdrawn in a round."""
    kinds: Mapping[str, float] = places[0].tie_breaks if places else {}
    lines = [f"{kind.replace('_', ' ')}: {_WORDS[kind]}" for kind in kinds]
    if has_out:
        lines.append("who was withdrawn keeps the points of rounds that had ended")
    if any(each.by_lot for each in places):
        lines.append("who is equal in all of these is ordered by a lot from the seed")
    return lines


def leader(
    table: Sequence[Standing], called: Mapping[str, str], scoring: Scoring, *, has_won: bool
) -> Headline:
    """Return the headline of a table; ``called``: present name of each player."""
    first, second = table[0], next(iter(table[1:]), None)
    name = called[first.name]
    value = points_words(float(first.points))
    if second is None or second.points < first.points:
        return Headline((name,), has_won, Criterion.POINTS, value)
    by = "lot" if first.by_lot else "tie-break"
    if scoring.is_asked:
        differing = (k for k, own in first.tie_breaks.items() if own != second.tie_breaks[k])
        by = criterion_words(next(differing, "lot"))
    behind = called[second.name]
    return Headline((name,), has_won, Criterion.POINTS, value, second=behind, decided=by)


def points_words(points: float) -> str:
    """Return ``1 point`` or ``2.5 points``."""
    return f"{points:g} {'point' if points == 1 else 'points'}"


def lots(run: StoredRun) -> tuple[Seeds, bool]:
    """Return the seeds of the lots of a run, and whether they are those of its open seed."""
    try:
        return Seeds.of(read_opening(run.folder).seed), True
    except StoreError:  # the seed is a secret until the end of the run
        return Seeds.of(run.manifest.commitment), False


class LeagueView(RunView):
    """The view of a tournament whose pairings are known, and whose points decide the places."""

    def main(
        self,
        run: StoredRun,
        section: Section,
        ratings: RatingFit | None,
        played: RoundResults | None,
        verdict: WithdrawalState,
    ) -> Section:
        """Return the section with the table by points, and its headline."""
        manifest = run.manifest
        matches = _matches(run, cast(Played, played), verdict)
        names = [name for name in manifest.entrants if name not in verdict.withdrawn]
        own, gone = {name: name for name in names}, how_gone(manifest, verdict)
        panel, headline = points_panel(run, matches, own, section, gone)
        is_whole = manifest.shard is None and verdict.stopped is None
        has_won = section.games.is_through and is_whole
        if headline is not None:
            headline = msgspec.structs.replace(headline, has_won=has_won)
        return section._replace(rounds=lambda: [panel], headline=headline)

    def places(self, section: Section) -> Mapping[str, tuple[int, str]]:
        """Return place and points by entrant."""
        return {each.name: (each.place, f"{each.points:g}") for each in _rows(section)}

    def ranking(self, section: Section) -> Sequence[Ranked]:
        """Return the bots, the first place first."""
        return [Ranked(each.name, each.place, points_words(each.points)) for each in _rows(section)]


def _rows(section: Section) -> Sequence[PlaceRow]:
    """Return the lines of the table of a league."""
    data = next((block.data for block in leading(section)), None)
    return data.places if isinstance(data, PointsData) else ()


def points_panel(
    run: StoredRun,
    matches: Sequence[TableResult],
    called: Mapping[str, str],
    section: Section,
    gone: Mapping[str, str],
) -> tuple[PageBlock, Headline | None]:
    """Return the table of matches without rounds, and the headline of its leader, if any.

    ``called``: present name of each player. ``gone``: see ``place_columns``.
    """
    discipline = min(run.manifest.disciplines, key=lambda each: each.name)
    scoring, luck = scoring_of(discipline, LEAGUE), lots(run)[0].rounds(discipline.name)
    rounds = [FinishedRound(tuple(matches))]
    table = table_of(sorted(called), rounds, scoring, luck, has_rounds=False)
    elos = {row.name: row.value for row in section.standings.rows}
    places = place_rows(table, called, elos, {})
    broken = tie_remark(first_tie(places)) if scoring.is_asked else []
    panel = PageBlock.of(
        "league",
        f"places after {len(matches)} match{'es'[: 2 * (len(matches) != 1)]}",
        place_columns(places, gone, has_byes=False),
        [*broken, *place_remarks(places, has_out=False)],
        PointsData(len(matches), places, first_tie(places)),
    )
    return panel, leader(table, called, scoring, has_won=False) if matches else None


def _matches(run: StoredRun, played: Played, verdict: WithdrawalState) -> list[TableResult]:
    """Return the matches that count: complete blocks without a bot that was withdrawn."""
    found = []
    for block, names in played.tables():
        games = run.schedule.seatings(block.partition(DISCIPLINE_JOINT)[0])
        if played.games(block, names) == games and verdict.withdrawn.keys().isdisjoint(names):
            margins = played.margins(block, names)
            found.append(match_of(names, played.points(block, names), margins=margins))
    return found
