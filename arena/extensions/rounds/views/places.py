"""Tables of a run by rounds, stage by stage, its leaders after each round, and its report file.

For a knockout see ``knockout``; other stages show the places by points and tie-breaks, and the
pairings of the last round.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple, cast

import msgspec

from arena.extensions.rounds.following import stages
from arena.extensions.rounds.kinds.rounds import BY_POINTS, rounds_of
from arena.extensions.rounds.kinds.swiss import (
    SwissKind,
    history,
    order,
    planned,
    swiss,
)
from arena.extensions.rounds.pairing.history import write
from arena.extensions.rounds.pairing.scoring import scoring_of
from arena.extensions.rounds.pairing.state import Now, Played
from arena.extensions.rounds.views.bracket import KnockoutData
from arena.extensions.rounds.views.groups import GroupData, by_stage, group_panels, groups_data
from arena.extensions.rounds.views.knockout import (
    knockout_data,
    knockout_headline,
    knockout_notices,
    knockout_panels,
)
from arena.extensions.rounds.views.meetings import Meeting, last_round, meetings_of
from arena.extensions.rounds.views.paired import paired_rounds
from arena.extensions.rounds.views.points import (
    PlaceRow,
    first_tie,
    how_gone,
    leader,
    lots,
    place_columns,
    place_remarks,
    place_rows,
    points_words,
    state_column,
    tie_remark,
)
from arena.ratings.elo.rating import RatingFit
from arena.ratings.elo.standings import Standings
from arena.runs.growth.kinds import RoundResults
from arena.runs.manifest import Manifest
from arena.runs.reader import StoredRun
from arena.runs.withdrawals import WithdrawalState
from arena.schedule.kinds.registry import kind_of
from arena.values.bad_input import BadInput
from arena.values.numbers import NOTHING, count
from arena.values.results import player_of
from arena.views.cells import Label
from arena.views.standings.headline import Headline
from arena.views.standings.run_view import PairedRound, Ranked, RunView
from arena.views.standings.tables import Section, leading
from arena.views.tables import Blocks, Column, PageBlock


class RoundsData(msgspec.Struct, frozen=True):
    """The JSON form of a stage."""

    over: int
    planned: int
    places: tuple[PlaceRow, ...]
    meetings: tuple[Meeting, ...]


class StageView(NamedTuple):
    """A stage as it is shown: its panels, notices and headline."""

    panels: Blocks
    notices: Sequence[str]
    """Sentences on its progress."""
    headline: Headline | None
    """Leader or winner of the stage, if anybody leads."""


class StageContext(NamedTuple):
    """Data that the view of a stage needs besides its results."""

    manifest: Manifest
    verdict: WithdrawalState
    called: Mapping[str, str]
    """Present name of each player."""
    elos: Mapping[str, float | None]
    key: str
    """Key of the main panel."""
    head: str
    """Beginning of titles and notices; empty if the run has one stage."""
    is_last: bool
    """True for the last stage that has begun."""
    is_final: bool
    """True for the last stage of the tournament."""
    gone: Mapping[str, str]
    """How bots that play no more have gone, in one word."""


class RoundsView(RunView):
    """The view of a tournament by rounds, whose last stage decides the places."""

    def main(
        self,
        run: StoredRun,
        section: Section,
        ratings: RatingFit | None,
        played: RoundResults | None,
        verdict: WithdrawalState,
    ) -> Section:
        """Return the section with the panels of the rounds, notices and a headline."""
        own = cast(Played, played)
        panels, said, headline = rounds_panels(run, own, verdict, section.standings)
        notices = (*section.notices, *said)
        return section._replace(rounds=panels, notices=notices, headline=headline)

    def places(self, section: Section) -> Mapping[str, tuple[int, str]]:
        """Return place in the last stage and points, of entrants that have a place already.

        A knockout has no points.
        """
        found: dict[str, tuple[int, str]] = {}
        for data in next(by_stage(leading(section)), ()):
            if isinstance(data, RoundsData | GroupData):
                found |= {each.name: (each.place, f"{each.points:g}") for each in data.places}
            elif isinstance(data, KnockoutData):
                found |= {each.name: (each.place, "") for each in data.places}
        return found

    def ranking(self, section: Section) -> Sequence[Ranked]:
        """Return all bots, those of a later stage before those that only played an earlier one.

        Before those with a place in a knockout are those that are still in it.
        """
        return overall(leading(section))

    def rounds(
        self, run: StoredRun, played: RoundResults | None, verdict: WithdrawalState
    ) -> Sequence[PairedRound]:
        """Return the rounds, in order."""
        return paired_rounds(run, played, verdict)

    def leaders(
        self,
        run: StoredRun,
        played: RoundResults | None,
        verdict: WithdrawalState,
        wanted: Collection[str],
    ) -> Mapping[str, Headline]:
        """Return the leader by points after each finished round in ``wanted``."""
        return leaders_by_round(run, cast(Played, played), verdict, wanted)


def overall(panels: Sequence[PageBlock]) -> list[Ranked]:
    """Return all bots by the panels of the stages, of which the last comes first."""
    found: dict[str, Ranked] = {}
    for stage in by_stage(panels):
        rows = [row for data in stage for row in _ranked(data) if row.name not in found]
        rows.sort(key=lambda row: row.place or 0)
        places = [row.place or 0 for row in rows]
        ahead = len(found)
        for row in rows:
            before = sum(place < (row.place or 0) for place in places)
            place = None if row.place is None else ahead + before + 1
            found[row.name] = row._replace(place=place)
    return [*found.values()]


def _overall_panel(panels: Sequence[PageBlock], gone: Mapping[str, str]) -> PageBlock:
    """Return the panel with the places of all bots, after the last stage."""
    rows = overall(panels)
    columns = [
        Column("#", "right", [each.place or NOTHING for each in rows]),
        Column("bot", "left", [Label(each.name) for each in rows]),
        Column("by", "left", [each.value for each in rows]),
        *state_column([each.name for each in rows], gone),
    ]
    data = [{"place": each.place, "name": each.name, "by": each.value} for each in rows]
    return PageBlock.of("overall", "places of all stages", columns, [], data)


def _ranked(data: Any) -> list[Ranked]:
    """Return the bots of a stage by its panel, with their places in it; none for other panels."""
    if isinstance(data, RoundsData | GroupData):
        return [Ranked(each.name, each.place, points_words(each.points)) for each in data.places]
    if not isinstance(data, KnockoutData):
        return []
    out = {each.name for each in data.places}
    sides = [side.name for tie in data.ties for side in tie.sides if side.name]
    still = [Ranked(name, None, "") for name in dict.fromkeys(sides) if name not in out]
    return [*still, *(Ranked(each.name, each.place, each.last) for each in data.places)]


def rounds_panels(
    run: StoredRun, played: Played, verdict: WithdrawalState, elo: Standings
) -> tuple[Blocks, list[str], Headline | None]:
    """Return the panels of a run by rounds, the notices on its progress, and its headline.

    The last stage comes first; the headline is that of the last stage.
    """
    manifest = run.manifest
    parts = manifest.identity.disciplines[0].schedule.parts
    begun, is_known = begun_stages(run, played, verdict)
    called = {player_of(name): name for name in manifest.field.identities}
    elos = {row.name: row.value for row in elo.rows}
    found: list[Blocks] = []
    gone = how_gone(manifest, verdict)
    notices: list[str] = []
    keys: set[str] = set()
    headline = None
    for now in reversed(begun):
        plan = now.discipline.schedule
        head = f"stage {now.stage + 1}, {kind_of(plan).title}: " if len(parts) > 1 else ""
        is_last, is_final = (now.stage + 1 == len(each) for each in (begun, parts))
        if not is_known and (now.stage or rounds_of(plan).draws(plan)):
            notices.append(f"{head}its draw is a secret until it has ended")
            continue
        view = rounds_of(plan).view
        key = f"{view}_{now.stage + 1}" if view in keys else view
        keys.add(key)
        context = StageContext(manifest, verdict, called, elos, key, head, is_last, is_final, gone)
        stage = VIEWS[view](now, context)
        found.append(stage.panels)
        notices += stage.notices
        if is_last:
            headline = stage.headline

    def panels() -> list[PageBlock]:
        own = [panel for each in found for panel in each()]
        return [*own, _overall_panel(own, gone)] if len(parts) > 1 and manifest.is_over else own

    return panels, notices, headline


def _by_points(now: Now, context: StageContext) -> StageView:
    data = _data(now, context.called, context.elos)
    has_out = any(player_of(name) in now.players for name in context.verdict.withdrawn)
    is_asked = scoring_of(now.discipline).is_asked
    remarks = tie_remark(first_tie(data.places)) if is_asked else []
    remarks += place_remarks(data.places, has_out=has_out)
    panels = partial(_panels, data, context, remarks)
    headline = None
    if data.over:
        is_over = context.is_final and context.manifest.is_over
        table = order(now._replace(before=[each for each in now.before if each.is_over]))
        headline = leader(table, context.called, scoring_of(now.discipline), has_won=is_over)
    notices = [f"{context.head}{_notice(context.manifest, data)}"] if context.is_last else []
    return StageView(panels, notices, headline)


def _by_bracket(now: Now, context: StageContext) -> StageView:
    is_drawn = bool(now.before) or context.manifest.is_over or not context.is_last
    data = knockout_data(now, context.called, context.elos, is_drawn=is_drawn)
    headline = knockout_headline(data) if context.is_final else None
    notices = [] if headline is not None else knockout_notices(data, context.head)
    panels = partial(knockout_panels, data, context.key, context.head, context.gone)
    return StageView(panels, notices, headline)


def _by_groups(now: Now, context: StageContext) -> StageView:
    schedule, later = context.manifest.identity.disciplines[0].schedule, now.stage + 1
    plan = None if context.is_final else schedule.parts[later]
    first = None if context.is_final else schedule.stages[later].first
    found = groups_data(now, context.called, context.elos, plan, first)
    has_out = any(player_of(name) in now.players for name in context.verdict.withdrawn)
    remarks = place_remarks([row for each in found for row in each.places], has_out=has_out)

    def panels() -> list[PageBlock]:
        own = group_panels(found, context.key, context.head, context.gone, remarks)
        meetings = [met for each in found for met in each.meetings]
        return [*own, *(last_round(meetings, context.head) if context.is_last else ())]

    notices = [f"{context.head}{_notice(context.manifest, found[0])}"] if context.is_last else []
    return StageView(panels, notices, None)


VIEWS: Final = {BY_POINTS: _by_points, "groups": _by_groups, "knockout": _by_bracket}
"""Views of a stage, by ``Rounds.view``."""


def begun_stages(
    run: StoredRun, played: Played, verdict: WithdrawalState
) -> tuple[list[Now], bool]:
    """Return each stage that has begun, and whether the seed of its draws is known."""
    manifest = run.manifest
    seeds, is_known = lots(run)
    over = manifest.is_over
    return stages(manifest.field, run.schedule, played, verdict, seeds, is_over=over), is_known


def _notice(manifest: Manifest, data: RoundsData | GroupData) -> str:
    if data.over == data.planned:
        return f"{count(data.over, 'round')} played: the places are final"
    if manifest.is_over:
        return f"{data.over} of {data.planned} rounds played: no further one could be paired"
    return f"{data.over} of {data.planned} rounds played so far"


def _data(now: Now, called: Mapping[str, str], elos: Mapping[str, float | None]) -> RoundsData:
    over = [each for each in now.before if each.is_over]
    byes = Counter(name for each in over for name in each.round.byes)
    places = place_rows(order(now._replace(before=over)), called, elos, byes)
    scoring = scoring_of(now.discipline)
    return RoundsData(len(over), planned(now), places, meetings_of(now, scoring))


def _panels(data: RoundsData, context: StageContext, remarks: Sequence[str]) -> Sequence[PageBlock]:
    """Return the panels of a stage; of the last one with the last round."""
    title = f"{context.head}places after {data.over} of {data.planned} rounds"
    columns = place_columns(data.places, context.gone)
    panel = PageBlock.of(context.key, title, columns, remarks, data)
    return [panel, *(last_round(data.meetings, context.head) if context.is_last else ())]


def leaders_by_round(
    run: StoredRun, played: Played, verdict: WithdrawalState, wanted: Collection[str]
) -> dict[str, Headline]:
    """Return, by label of each finished round in ``wanted``, the leader by points after the round.

    ``wanted``: the labels, because each takes a whole table. Nobody leads a knockout before it is
    decided.
    """
    begun, is_known = begun_stages(run, played, verdict)
    then: dict[str, str] = {}
    """Name of the version of each player that met others last, or entered first."""
    for name in run.manifest.field.identities:
        then.setdefault(player_of(name), name)
    found = {}
    for now in begun:
        plan = now.discipline.schedule
        is_secret = not is_known and (now.stage or rounds_of(plan).draws(plan))
        if is_secret or rounds_of(plan).view != BY_POINTS:
            continue
        over = [each for each in now.before if each.is_over]
        entered: set[str] = set()
        for number, each in enumerate(over, 1):
            entered.update(each.there)
            met = (*(name for pairing in each.pairings for name in pairing), *each.byes)
            then |= {player_of(name): name for name in met}
            if each.label in wanted:
                known = [name for name in now.players if name in entered]
                table = order(now._replace(before=over[:number], players=known))
                scoring = scoring_of(now.discipline)
                found[each.label] = leader(table, then, scoring, has_won=False)
    return found


_COLOURS: Final = (
    "each match was played in both seatings: the format needs colours, but these say nothing, "
    "and no round was paired by them"
)


def report_file(run: StoredRun, played: RoundResults | None, verdict: WithdrawalState) -> str:
    """Return a Swiss run at two seats as FIDE's tournament report file.

    It has the finished rounds with the places of the table; of several stages, the first. Raises
    BadInput if the run is not Swiss at two seats, or too large for the format; StoreError.
    """
    discipline = run.manifest.identity.disciplines[0]
    first, seats = discipline.schedule.parts[0].kind, discipline.rules.seats
    if first != SwissKind.name or seats != 2 or not isinstance(played, Played):
        found = f"found trf for a run of the kind {first} at {seats} seat{'s'[: seats != 1]}"
        raise BadInput(f"--format: {found}, expected a swiss tournament at 2 seats")
    now = begun_stages(run, played, verdict)[0][0]
    over = [each for each in now.before if each.is_over]
    plan = msgspec.structs.replace(swiss(now.discipline), colours=True)
    number = {name: each for each, name in enumerate(now.players, 1)}
    ordered = order(now._replace(before=over))
    places = {number[each.name]: place for place, each in enumerate(ordered, 1)}
    try:
        known = history(now.players, [each.round for each in over], plan)
        return write(known, run.manifest.name, _COLOURS, places)
    except ValueError as error:
        raise BadInput(f"--format: found trf, but {error}") from None
