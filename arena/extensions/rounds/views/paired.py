"""The rounds of a run as pages of a site show them: pairings, with points and notes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from arena.extensions.rounds.following import paired
from arena.extensions.rounds.kinds.rounds import rounds_of
from arena.extensions.rounds.pairing.heats import round_of
from arena.extensions.rounds.pairing.scoring import Scoring, scoring_of
from arena.extensions.rounds.pairing.state import Paired, Played
from arena.runs.growth.kinds import RoundResults
from arena.runs.reader import StoredRun
from arena.runs.withdrawals import WithdrawalState
from arena.schedule.keys import Schedule
from arena.schedule.kinds.registry import kind_of
from arena.views.standings.run_view import PairedMeeting, PairedRound

_HALVES = 2
"""Points of a win as counted in blocks."""


def paired_rounds(
    run: StoredRun, played: RoundResults | None, verdict: WithdrawalState
) -> list[PairedRound]:
    """Return the rounds in order; none if nothing was paired."""
    if not isinstance(played, Played):
        return []
    manifest = run.manifest
    stages = manifest.identity.disciplines[0].schedule.parts
    bye, scoring = manifest.kind.resting[-1], scoring_of(manifest.identity.disciplines[0])
    parts: Counter[str] = Counter()
    """Rounds so far, by tie."""
    found = []
    for each in paired(manifest.field, run.schedule, played, verdict):
        each = each._replace(is_over=each.is_over or manifest.is_over)
        parts.update(each.ties)
        names = _names(each, stages, parts)
        meetings = list(_meetings(each, stages[each.stage], bye, scoring, names))
        title = _title(each, stages, names)
        found.append(PairedRound(each.label, each.is_over, each.stage, title, meetings))
    return found


def _names(each: Paired, stages: Sequence[Schedule], parts: Counter[str]) -> list[str]:
    """Return the name of the group or the part of a knockout of each table; empty for others."""
    if not each.ties:
        return [""] * len(each.pairings)
    if kind_of(stages[each.stage]).ranks:
        return list(each.ties)
    return [_round_words(tie, parts[tie]) for tie in each.ties]


def _title(each: Paired, stages: Sequence[Schedule], names: Sequence[str]) -> str:
    """Return the names of its ties, else the kind of its stage, if there are several."""
    if each.ties and not kind_of(stages[each.stage]).ranks:
        return ", ".join(dict.fromkeys(names))
    return kind_of(stages[each.stage]).title if len(stages) > 1 else ""


def _round_words(tie: str, part: int) -> str:
    """Return ``semi-final``, or ``semi-final, part 2`` of a tie that is continued."""
    return round_of(tie) if part == 1 else f"{round_of(tie)}, part {part}"


def _meetings(
    each: Paired, plan: Schedule, bye: str, scoring: Scoring, titles: Sequence[str]
) -> Iterator[PairedMeeting]:
    """Yield the meetings of a round as they were paired.

    Points of single rounds mean nothing in a knockout, and a ladder has none. ``bye``: note on a
    bot without a table. ``titles``: by table.
    """
    shows_points = each.is_over and kind_of(plan).ranks and rounds_of(plan).view != ""
    differ = len(set(titles)) > 1
    for names, table, title in zip(each.pairings, each.round.tables, titles, strict=True):
        points, blocks, given = table.points, table.blocks, scoring.of(table)
        order = sorted(range(len(names)), key=lambda k: (-points[k], -blocks[k], k))
        note = "open" if not each.is_over else "" if table.is_played else "forfeit"
        yield PairedMeeting(
            tuple(names[k] for k in order),
            tuple(float(given[k]) for k in order if shows_points),
            tuple(blocks[k] / _HALVES for k in order),
            table.is_played,
            note,
            title if differ else "",
        )
    for name in each.byes:
        yield PairedMeeting((name,), (float(scoring.win),) if shows_points else (), (), False, bye)
