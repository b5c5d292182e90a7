"""Result of a search for the revision that made a bot weaker, as text for people."""

from __future__ import annotations

from collections.abc import Iterator

from arena.documents.problems import printable
from arena.entrants.revisions import SHORT
from arena.ratings.match.report import Range, Verdict
from arena.studies.bisect.answer import Bisected, BisectOutcome, Commit, Tested
from arena.text.numbers import NOTHING
from arena.text.tables import Column, draw_text


def text(found: Bisected, width: int | None) -> str:
    """Return the text for a terminal of ``width`` columns; None for any width."""
    parts = ["\n".join(_head(found))]
    rows = [each for each in found.revisions if each.verdict is not None or each.skipped]
    if rows:
        parts.append(draw_text(_columns(rows), width))
    skipped = [
        f"{each.commit.commit[:SHORT]} was skipped: {printable(each.skipped)}"
        for each in rows
        if each.skipped
    ]
    counted = f"{found.games} games counted of at most {found.max_games}; run {found.run}"
    parts.append("\n".join([*skipped, counted]))
    return "\n\n".join(parts)


def _head(found: Bisected) -> Iterator[str]:
    match found.answer:
        case BisectOutcome.FOUND:
            yield f"first bad revision: {_named(found.suspects[0])}   ({_percent(found.sure)} sure)"
            yield f"  {found.suspects[0].author}, {found.suspects[0].date}"
        case BisectOutcome.NARROWED | BisectOutcome.INCONCLUSIVE if found.suspects:
            yield found.reason
            yield f"most likely ({_percent(found.sure)}):"
            yield from (f"  {_named(suspect)}" for suspect in found.suspects)
        case _:
            yield found.reason


def _named(commit: Commit) -> str:
    return f"{commit.commit[:SHORT]} {printable(commit.subject)}"


def _columns(rows: list[Tested]) -> list[Column]:
    elo = Column("Elo", "right", [_elo(each.elo) for each in rows])
    if all(each.elo.value is None for each in rows):  # no Elo where results are margins
        elo = Column("nElo", "right", [_elo(each.nelo) for each in rows])
    return [
        Column("revision", "left", [each.commit.commit[:SHORT] for each in rows]),
        Column("games", "right", [str(each.games) for each in rows]),
        Column("against good", "left", [_state(each) for each in rows]),
        Column("first bad", "right", [_percent(each.first_bad) for each in rows]),
        elo,
        Column("date", "left", [each.commit.date[:10] for each in rows]),
        Column("subject", "left", [printable(each.commit.subject)[:50] for each in rows]),
    ]


def _state(row: Tested) -> str:
    if row.skipped:
        return "skipped"
    states = {Verdict.PASS: "as good", Verdict.FAIL: "worse"}
    return NOTHING if row.verdict is None else states.get(row.verdict, "undecided")


def _elo(elo: Range) -> str:
    if elo.value is None:
        return NOTHING
    if elo.low is None or elo.high is None:
        return f"{elo.value:+.0f}"
    return f"{elo.value:+.0f} ({elo.low:+.0f} to {elo.high:+.0f})"


def _percent(share: float | None) -> str:
    if share is None:
        return NOTHING
    if share > 0.999:
        return "> 99.9 %"
    return f"{100 * share:.1f} %"
