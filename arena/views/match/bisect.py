"""What ``arena bisect`` found: the document, and the text for people."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Final

import msgspec

from arena.documents.problems import printable
from arena.entrants.revisions import SHORT
from arena.ratings.match.report import Range, Verdict
from arena.text.grid import Column, draw_text
from arena.text.numbers import NOTHING

SCHEMA: Final = "arena.bisect/1"


class Answer(StrEnum):
    """How a search ended."""

    FOUND = "found"
    NARROWED = "narrowed"
    """It is one of several, and no match can tell which: those between cannot be played."""
    INCONCLUSIVE = "inconclusive"
    """The games were used up before."""
    NO_LOSS = "no-loss"
    """The later revision was not shown to be worse."""
    INVALID = "invalid"
    """The two revisions could not be compared."""


class Commit(msgspec.Struct, frozen=True):
    """A revision as people know it."""

    commit: str
    subject: str
    author: str
    date: str
    """Of the author, ISO 8601."""


class Tested(msgspec.Struct, frozen=True):
    """A revision of the search."""

    commit: Commit
    games: int
    """That count; against the good revision."""
    elo: Range
    """From this revision's side; unknown for several games at once."""
    nelo: Range
    llr: float | None
    """Log-likelihood ratio of "as good" against "worse"; None if not played."""
    verdict: Verdict | None
    """Of the last match; None if not played."""
    skipped: str
    """Why it cannot be played; empty if it can."""
    first_bad: float | None
    """Probability that it brought the loss; None where nothing was searched."""


class Bisected(msgspec.Struct, frozen=True):
    """The whole document; everything in it follows from the games."""

    schema: str
    arena: str
    answer: Answer
    reason: str
    """One sentence without a full stop."""
    sure: float | None
    """Probability that the loss came with one of the suspects; None without a loss."""
    suspects: tuple[Commit, ...]
    """One, if the answer is ``found``."""
    good: Commit
    bad: Commit
    loss: float
    """That matters, in nElo."""
    searched: float | None
    """The loss that the search looked for, in nElo; None where nothing was searched."""
    games: int
    max_games: int
    revisions: tuple[Tested, ...]
    """Every one that changed the folder, oldest first; the last one is as ``bad``."""
    run: str


def text(found: Bisected, width: int | None) -> str:
    """For a terminal with so many columns; None: unbounded."""
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
        case Answer.FOUND:
            yield f"first bad revision: {_named(found.suspects[0])}   ({_percent(found.sure)} sure)"
            yield f"  {found.suspects[0].author}, {found.suspects[0].date}"
        case Answer.NARROWED | Answer.INCONCLUSIVE if found.suspects:
            yield found.reason
            yield f"most likely ({_percent(found.sure)}):"
            yield from (f"  {_named(suspect)}" for suspect in found.suspects)
        case _:
            yield found.reason


def _named(commit: Commit) -> str:
    return f"{commit.commit[:SHORT]} {printable(commit.subject)}"


def _columns(rows: list[Tested]) -> list[Column]:
    elo = Column("Elo", "right", [_elo(each.elo) for each in rows])
    if all(each.elo.value is None for each in rows):  # as of margins
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
