"""A match for a verdict: the decision, the course of the test, and the games behind it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from arena.ratings.match.report import DisciplineReport, MatchReport
from arena.text import clean
from arena.text.cells import Share
from arena.text.numbers import signed
from arena.views.match import words
from arena.views.page.blocks.block import Figure, GridCell, GridTable, Head, PageBlock
from arena.views.page.drawing import Curve, LevelLine, PlotScale, bar, curves, over
from arena.views.page.model import MatchPage

_LETTERS: Final = " A letter is a game: W won, D drawn, L lost."


def match_blocks(match: MatchPage) -> Iterator[PageBlock]:
    """Yield the verdict first, then each discipline."""
    report = match.report
    yield _verdict(report)
    yield from _ratio(match)
    for game in report.games:
        yield _game(game, len(report.games) > 1)


def _verdict(report: MatchReport) -> PageBlock:
    sides = (report.candidate, report.baseline)
    lines = [
        ("test", words.settings_words(report.test)),
        ("played", words.counted(report)),
        *(("faults", words.faults(side, clean.plain)) for side in sides),
        *(("bot", said) for side in sides if (said := words.origin(side, clean.plain))),
    ]
    return PageBlock(
        key="verdict",
        title=f"Verdict: {report.verdict.value}",
        tables=[_pairs("The verdict", lines)],
        remarks=list(words.remarks(report)),
    )


def _pairs(caption: str, lines: list[tuple[str, str]]) -> GridTable:
    heads = [Head("", is_sorted=False), Head("", is_sorted=False)]
    return GridTable(caption, heads, lines, "r-facts", 0)


def _ratio(match: MatchPage) -> Iterator[PageBlock]:
    lower, upper = match.report.bounds
    points = [(float(blocks), llr) for blocks, llr in match.pace]
    drawn = []
    if len(points) > 1:
        across = PlotScale(0.0, max(2.0, points[-1][0]))
        up = over([lower, upper, *(llr for _, llr in points)])
        levels = [LevelLine(upper, f"H1 at {upper:.2f}"), LevelLine(lower, f"H0 at {lower:.2f}")]
        line = Curve("log-likelihood ratio", [(0.0, 0.0), *points], 0)
        name = f"log-likelihood ratio over {match.report.blocks} blocks"
        drawn = [Figure(curves(across, up, [line], name, levels, below="blocks"))]
    yield PageBlock(
        key="llr",
        title="Log-likelihood ratio",
        intro=(
            f"After each block of games; it ended at {match.report.llr:.2f}. Above {upper:.2f} the "
            f"test accepts H1 (pass), below {lower:.2f} H0 (fail)."
        ),
        figures=drawn,
    )


def _game(game: DisciplineReport, has_share: bool) -> PageBlock:
    lines = [(fact.label, fact.value) for fact in words.facts(game)]
    if has_share:
        lines.append(("LLR", f"{signed(game.llr, 2)} of the whole"))
    rows = words.bins(game)
    most = max((row.blocks for row in rows), default=1) or 1
    heads = [
        Head("worth", is_sorted=False),
        Head("how often", is_sorted=False, kind="r-wide"),
        Head("blocks", "right"),
        Head("share", "right"),
    ]
    table = GridTable(
        "Blocks by what they were worth to the candidate",
        heads,
        [
            [
                row.label,
                GridCell("", plot=bar(row.blocks / most, f"{row.label}: {row.blocks} blocks")),
                row.blocks,
                Share(row.share, 1, unit=" %"),
            ]
            for row in rows
        ],
        "r-strips",
        0,
    )
    return PageBlock(
        key="games-of-match",
        title=words.title(game),
        intro=(
            "What a block was worth to the candidate: how often which result came out."
            + (_LETTERS if any(row.label.isupper() for row in rows) else "")
        ),
        tables=[*([table] if rows else []), _pairs("Figures", lines)],
    )
