"""Tables of a run by rounds, stage by stage.

For a knockout see ``knockout``; other stages show the places by points and tie-breaks, and the
pairings of the last round.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

import msgspec

from arena.ratings.elo.standings import Standings
from arena.runs.disk import StoreError
from arena.runs.manifest import Manifest
from arena.runs.reader import StoredRun
from arena.runs.rounds.following import stages
from arena.runs.rounds.pairing import Now
from arena.runs.rounds.played import Paired, Played, player_of
from arena.runs.rounds.swiss import order, planned
from arena.runs.store import read_opening
from arena.runs.withdrawals import Verdict
from arena.schedule.keys import ScheduleKind
from arena.schedule.seeds import Seeds
from arena.text.numbers import NOTHING, count, trimmed
from arena.text.tables import Column, Panel, Panels, Show, Style
from arena.views.standings.headline import Headline, by_knockout, by_points
from arena.views.standings.rounds.knockout import knockout_data, knockout_notices, knockout_panels

_HALVES: Final = 2
"""Points of a win as counted in blocks."""
_WORDS: Final = {
    "buchholz_cut_1": "the scores of the opponents without the lowest",
    "direct_encounter": "the place in the games between those with equal numbers so far",
    "opponents": "the mean score of those at the table, summed over the rounds",
    "blocks": "the points of games, a win 1, in the mean of the matches",
}


class Place(msgspec.Struct, frozen=True):
    """One line of the table of places."""

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


class Meeting(msgspec.Struct, frozen=True):
    """A table, or a bye, of one round."""

    round: int
    """Number of the round through all stages, as in ids of games."""
    names: tuple[str, ...]
    points: tuple[float, ...] | None
    """Points of the match; None before its end."""
    blocks: tuple[float, ...]
    """Points of its games so far, a win 1."""
    is_played: bool
    """False for a bye, or if a bot forfeited."""


class RoundsData(msgspec.Struct, frozen=True):
    """The JSON form of a stage."""

    over: int
    planned: int
    places: tuple[Place, ...]
    meetings: tuple[Meeting, ...]


def rounds_panels(
    run: StoredRun, played: Played, verdict: Verdict, elo: Standings
) -> tuple[Panels, list[str], Headline | None]:
    """Return the panels of a run by rounds, the notices on its progress, and its headline.

    The last stage comes first; the headline is that of the last stage.
    """
    manifest = run.manifest
    discipline = manifest.identity.disciplines[0]
    begun, is_known = begun_stages(run, played, verdict)
    several = len(discipline.schedule.parts) > 1
    called = {player_of(name): name for name in manifest.field.identities}
    elos = {row.name: row.elo for row in elo.rows}
    found: list[Panels] = []
    notices: list[str] = []
    keys: set[str] = set()
    headline = None
    for now in reversed(begun):
        plan = now.discipline.schedule
        kind = plan.kind.replace("_", " ")
        head = f"stage {now.stage + 1}, {kind}: " if several else ""
        is_last = now.stage + 1 == len(begun)
        is_final = now.stage + 1 == len(discipline.schedule.parts)
        if not is_known and (now.stage or plan.seeded is not None):
            notices.append(f"{head}its draw is a secret until it is over")
            continue
        key = "knockout" if plan.kind is ScheduleKind.KNOCKOUT else "rounds"
        key = f"{key}_{now.stage + 1}" if key in keys else key
        keys.add(key)
        if plan.kind is ScheduleKind.KNOCKOUT:
            data = knockout_data(now, called, elos)
            found.append(partial(knockout_panels, data, key, head))
            notices += knockout_notices(data, head)
            if is_last and data.winner is not None and is_final:
                headline = by_knockout(data.winner)
        else:
            own = _data(now, called, elos)
            out = {player_of(name) for name in verdict.withdrawn}.intersection(now.players)
            found.append(partial(_panels, own, key, head, is_last=is_last, has_out=bool(out)))
            if is_last and own.over:
                first = own.places[0]
                has_won = is_final and manifest.is_over
                headline = by_points(first.name, first.points, has_won=has_won)
            if is_last:
                notices.append(f"{head}{_notice(manifest, own)}")
    return lambda style: [panel for each in found for panel in each(style)], notices, headline


def begun_stages(run: StoredRun, played: Played, verdict: Verdict) -> tuple[list[Now], bool]:
    """Return each stage that has begun, and whether the seed of its draws is known."""
    manifest = run.manifest
    try:
        seeds, is_known = Seeds.of(read_opening(run.folder).seed), True
    except StoreError:  # the seed is a secret until the end of the run
        seeds, is_known = Seeds.of(manifest.commitment), False
    over = manifest.is_over
    return stages(manifest.field, run.schedule, played, verdict, seeds, is_over=over), is_known


def _notice(manifest: Manifest, data: RoundsData) -> str:
    if data.over == data.planned:
        return f"{count(data.over, 'round')} played: the places are final"
    if manifest.is_over:
        return f"{data.over} of {data.planned} rounds played: no further one could be paired"
    return f"{data.over} of {data.planned} rounds played so far"


def _data(now: Now, called: Mapping[str, str], elos: Mapping[str, float | None]) -> RoundsData:
    known = now.before
    over = [each for each in known if each.is_over]
    places = tuple(
        Place(
            place,
            called[each.name],
            each.points,
            each.tie_breaks,
            sum(each.name in one.round.byes for one in over),
            each.by_lot,
            elos.get(called[each.name]),
        )
        for place, each in enumerate(order(now._replace(before=over)), 1)
    )
    numbered = enumerate(known, now.earlier + 1)
    meetings = tuple(meeting for number, each in numbered for meeting in _meetings(number, each))
    return RoundsData(len(over), planned(now), places, meetings)


def _meetings(number: int, each: Paired) -> list[Meeting]:
    met = [
        Meeting(
            number,
            names,
            tuple(map(float, table.points)) if each.is_over else None,
            tuple(points / _HALVES for points in table.blocks),
            table.is_played,
        )
        for names, table in zip(each.pairings, each.round.tables, strict=True)
    ]
    points = (1.0,) if each.is_over else None
    return [*met, *(Meeting(number, (name,), points, (0.0,), False) for name in each.byes)]


def _panels(
    data: RoundsData, key: str, head: str, style: Style, *, is_last: bool, has_out: bool
) -> Sequence[Panel]:
    """Return the panels of a stage.

    ``is_last``: show the last round too. ``has_out``: whether a bot was withdrawn.
    """
    rounds = max((each.round for each in data.meetings), default=0)
    last = [each for each in data.meetings if each.round == rounds]
    panels = [
        Panel(
            key,
            f"{head}places after {data.over} of {data.planned} rounds",
            _columns(data.places, style.show),
            _remarks(data.places, has_out=has_out),
            data,
        )
    ]
    if last and is_last:
        panels.append(Panel("meetings", f"{head}round {rounds}", _met(last, style.show), [], None))
    return panels


def _columns(places: Sequence[Place], show: Show) -> list[Column]:
    kinds = list(places[0].tie_breaks) if places else []
    return [
        Column("#", "right", [str(each.place) for each in places]),
        Column("bot", "left", [show(each.name) for each in places]),
        Column("points", "right", [trimmed(each.points) for each in places]),
        *(
            Column(
                kind.replace("_", " "),
                "right",
                [trimmed(each.tie_breaks[kind]) for each in places],
            )
            for kind in kinds
        ),
        Column("byes", "right", [str(each.byes) for each in places]),
        Column(
            "Elo",
            "right",
            [NOTHING if each.elo is None else f"{each.elo:.0f}" for each in places],
        ),
    ]


def _remarks(places: Sequence[Place], *, has_out: bool) -> list[str]:
    kinds: Mapping[str, float] = places[0].tie_breaks if places else {}
    lines = [f"{kind.replace('_', ' ')}: {_WORDS[kind]}" for kind in kinds]
    if has_out:
        lines.append("who was withdrawn keeps the points of rounds that were over")
    if any(each.by_lot for each in places):
        lines.append("who is equal in all of these is ordered by a lot from the seed")
    return lines


def _met(meetings: Sequence[Meeting], show: Show) -> list[Column]:
    return [
        Column("table", "right", [str(number) for number, _ in enumerate(meetings, 1)]),
        Column("bots", "left", [" v ".join(map(show, each.names)) for each in meetings]),
        Column("points", "left", [_result(each) for each in meetings]),
        Column(
            "games",
            "left",
            ["" if len(each.names) == 1 else _sums(each.blocks) for each in meetings],
        ),
    ]


def _result(meeting: Meeting) -> str:
    if len(meeting.names) == 1:
        return "bye"
    if meeting.points is None:
        return "open"
    return _sums(meeting.points) + ("" if meeting.is_played else " (forfeit)")


def _sums(points: Sequence[float]) -> str:
    return " : ".join(map(trimmed, points))
