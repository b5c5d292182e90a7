"""The matches of a stage by points, and the panel of its last round."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from arena.extensions.rounds.pairing.scoring import Scoring
from arena.extensions.rounds.pairing.state import Now, Paired
from arena.extensions.rounds.pairing.tiebreaks import HALVES
from arena.values.numbers import trimmed
from arena.values.titles import called
from arena.views.tables import Column, PageBlock


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


def meetings_of(now: Now, scoring: Scoring) -> tuple[Meeting, ...]:
    """Return the matches and byes of a stage, in the order of the rounds."""
    numbered = enumerate(now.before, now.earlier + 1)
    return tuple(met for number, each in numbered for met in _of_round(number, each, scoring))


def _of_round(number: int, each: Paired, scoring: Scoring) -> list[Meeting]:
    met = [
        Meeting(
            number,
            names,
            tuple(map(float, scoring.of(table))) if each.is_over else None,
            tuple(points / HALVES for points in table.blocks),
            table.is_played,
        )
        for names, table in zip(each.pairings, each.round.tables, strict=True)
    ]
    points = (float(scoring.win),) if each.is_over else None
    return [*met, *(Meeting(number, (name,), points, (0.0,), False) for name in each.byes)]


def last_round(meetings: Sequence[Meeting], head: str) -> list[PageBlock]:
    """Return the panel of the last round, if there is one; ``head``: beginning of its title."""
    number = max((each.round for each in meetings), default=0)
    last = [each for each in meetings if each.round == number]
    return [PageBlock.of("meetings", f"{head}round {number}", _met(last), [])][: len(last)]


def _met(meetings: Sequence[Meeting]) -> list[Column]:
    return [
        Column("table", "right", [number for number, _ in enumerate(meetings, 1)]),
        Column("bots", "left", [" v ".join(map(called, each.names)) for each in meetings]),
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
