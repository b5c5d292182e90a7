"""A match as GitHub Markdown: for pull requests and the summaries of CI systems."""

from __future__ import annotations

from collections.abc import Iterator

from arena.ratings.match.report import DisciplineReport, MatchReport, Measure, Range
from arena.text.clean import markdown as shown
from arena.text.numbers import NOTHING, likelihood, percent, signed_digits
from arena.text.tables import Column, draw
from arena.views.match.words import (
    Write,
    average,
    bins,
    counted,
    elo,
    facts,
    faults,
    line,
    origin,
    range_words,
    remarks,
    score,
    sentence,
    settings_words,
    title,
)


def markdown(report: MatchReport) -> str:
    """Return the verdict, one table, and everything else folded, with a final newline."""
    verdict = report.verdict.upper()
    lower, upper = report.bounds
    parts = [
        f"### {verdict}: {sentence(report, _safe, _safe)}",
        f"LLR **{report.llr:.2f}** between {lower:.2f} and {upper:.2f}; {shown(counted(report))}",
    ]
    if words := average(report):
        parts.append(f"Estimate: {shown(words)}")
    if report.games:
        parts.append(draw(_columns(report.games), "github"))
    parts += ["<details>", "<summary>Details</summary>", *_details(report), "</details>"]
    return "\n\n".join(parts) + "\n"


def _safe(text: str) -> str:
    return shown(line(text))


def _columns(games: tuple[DisciplineReport, ...]) -> list[Column]:
    margins = any(game.measure is Measure.MARGIN for game in games)
    return [
        Column("game", "left", [_safe(game.discipline) for game in games]),
        Column("blocks", "right", [str(game.blocks) for game in games]),
        Column("won – drawn – lost", "right", [_record(game) for game in games]),
        Column("score", "right", [_places(game, game.mean, score) for game in games]),
        Column("Elo (95 %)", "right", [_places(game, game.elo, elo) for game in games]),
        Column("nElo (95 %)", "right", [_cell(game.nelo, elo) for game in games]),
        *([Column("margin (95 %)", "right", [_margin(game) for game in games])] * margins),
        Column("LOS", "right", [_los(game) for game in games]),
    ]


def _record(game: DisciplineReport) -> str:
    return f"{game.wins} – {game.draws} – {game.losses}"


def _places(game: DisciplineReport, found: Range, write: Write) -> str:
    return _cell(found, write) if game.measure is Measure.PLACES else NOTHING


def _margin(game: DisciplineReport) -> str:
    return _cell(game.mean if game.measure is Measure.MARGIN else game.margin, signed_digits)


def _cell(found: Range, write: Write) -> str:
    return shown(range_words(found, write))


def _los(game: DisciplineReport) -> str:
    return NOTHING if game.los is None else shown(likelihood(game.los))


def _details(report: MatchReport) -> Iterator[str]:
    sides = (report.candidate, report.baseline)
    lines = [
        f"test: {settings_words(report.test)}",
        *(f"faults of {faults(side, line)}" for side in sides),
        *(origin(side, line) for side in sides),
        *remarks(report),
        f"run: {line(report.run)}" if report.run else "",
    ]
    yield _list(filter(None, lines))
    for game in report.games:
        yield f"**{shown(title(game))}**"
        if rows := bins(game):
            columns = [
                Column("block", "left", [shown(row.label) for row in rows]),
                Column("number", "right", [str(row.blocks) for row in rows]),
                Column("share", "right", [percent(row.share) for row in rows]),
            ]
            yield draw(columns, "github")
        if figures := [f"{fact.label}: {fact.value}" for fact in facts(game)]:
            yield _list(iter(figures))


def _list(lines: Iterator[str]) -> str:
    return "\n".join(f"- {shown(each)}" for each in lines)
