"""Matches for CI systems: Markdown for summaries, a badge, and JUnit XML reports.

In JUnit XML a match is one suite with one test case, which is the verdict; several candidates are
one test case for the best, or one for each test. Only ``pass`` is a passed test. Jenkins and GitLab
leave a build with skipped tests green, so a match without a verdict or an invalid one is an
``error``: the test could not answer. ``failure`` is reserved for a candidate that failed the test.
Only a match of the same files is skipped, if its caller allows that.
Single games have no verdict, and a second test case would only dilute the first: their figures are
properties.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from math import isfinite
from typing import Any, Final, NamedTuple

from arena.extensions.matches.show import words
from arena.extensions.matches.show.text import text
from arena.extensions.matches.show.words import signed_digits
from arena.extensions.matches.statistics.report import (
    DisciplineReport,
    MatchReport,
    MatchSide,
    Measure,
    Range,
    Verdict,
)
from arena.values import clean
from arena.values.clean import markdown as shown
from arena.values.numbers import NOTHING, likelihood
from arena.views.cells import Share
from arena.views.tables import Column, markdown_list, markdown_table


def markdown_text(report: MatchReport) -> str:
    """Return the verdict, one table, and everything else folded, with a final newline."""
    verdict = report.verdict.upper()
    lower, upper = report.bounds
    counted = shown(words.counted(report))
    parts = [
        f"### {verdict}: {shown(words.sentence(report, words.line))}",
        f"LLR **{report.llr:.2f}** between {lower:.2f} and {upper:.2f}; {counted}",
    ]
    if said := words.average(report):
        parts.append(f"Estimate: {shown(said)}")
    if report.games:
        parts.append(markdown_table(_columns(report.games)))
    parts += ["<details>", "<summary>Details</summary>", *_details(report), "</details>"]
    return "\n\n".join(parts) + "\n"


def _columns(games: tuple[DisciplineReport, ...]) -> list[Column]:
    margins = any(game.measure is Measure.MARGIN for game in games)
    return [
        Column("game", "left", [words.line(game.title or game.discipline) for game in games]),
        Column("blocks", "right", [game.blocks for game in games]),
        Column("won – drawn – lost", "right", [_record(game) for game in games]),
        Column("score", "right", [_places(game, game.mean, words.score) for game in games]),
        Column("Elo (95 %)", "right", [_places(game, game.elo, words.elo) for game in games]),
        Column("nElo (95 %)", "right", [words.range_words(game.nelo, words.elo) for game in games]),
        *([Column("margin (95 %)", "right", [_margin(game) for game in games])] * margins),
        Column("LOS", "right", [_los(game) for game in games]),
    ]


def _record(game: DisciplineReport) -> str:
    return f"{game.wins} – {game.draws} – {game.losses}"


def _places(game: DisciplineReport, found: Range, write: words.Write) -> str:
    return words.range_words(found, write) if game.measure is Measure.PLACES else NOTHING


def _margin(game: DisciplineReport) -> str:
    return words.range_words(
        game.mean if game.measure is Measure.MARGIN else game.margin, signed_digits
    )


def _los(game: DisciplineReport) -> str:
    return NOTHING if game.los is None else likelihood(game.los)


def _details(report: MatchReport) -> Iterator[str]:
    sides = (report.candidate, report.baseline)
    lines = [
        f"test: {words.settings_words(report.test)}",
        *(f"faults of {words.faults(side, words.line)}" for side in sides),
        *(words.origin(side, words.line) for side in sides),
        *words.remarks(report),
        f"run: {words.line(report.run)}" if report.run else "",
    ]
    yield markdown_list(filter(None, lines)).rstrip()
    for game in report.games:
        yield f"**{shown(words.title(game))}**"
        if rows := words.bins(game):
            columns = [
                Column("block", "left", [row.label for row in rows]),
                Column("number", "right", [row.blocks for row in rows]),
                Column("share", "right", [Share(row.share, 1, unit=" %") for row in rows]),
            ]
            yield markdown_table(columns)
        if figures := [f"{fact.label}: {fact.value}" for fact in words.facts(game)]:
            yield markdown_list(figures).rstrip()


_COLOR: Final = {
    Verdict.PASS: "brightgreen",
    Verdict.FAIL: "red",
    Verdict.INCONCLUSIVE: "yellow",
    Verdict.INVALID: "lightgrey",
}
_LABEL_COLUMNS: Final = 48


def badge_text(report: MatchReport) -> str:
    """Return a badge for the endpoint of shields.io, as JSON with a final newline."""
    label = f"{words.line(report.candidate.called)} v {words.line(report.baseline.called)}"
    document: dict[str, Any] = {
        "schemaVersion": 1,
        "label": clean.cut(label, _LABEL_COLUMNS),
        "message": ", ".join(filter(None, (report.verdict.value, words.strength(report)))),
        "color": _COLOR[report.verdict],
    }
    if report.verdict is Verdict.INVALID:
        document["isError"] = True
    return clean.json_document(document)


_LEAST_DIGITS: Final = 7
"""Fewest digits of a commit in a name."""


class TestCase(NamedTuple):
    """A test case of a JUnit report."""

    name: str
    verdict: Verdict
    message: str
    page: str
    """Full report in text."""


def junit_text(report: MatchReport, *, skipped: bool = False) -> str:
    """Return the report as JUnit XML, see ``junit_of``."""
    said = words.sentence(report, words.line)
    case = TestCase(_case(report), report.verdict, said, text(report))
    return junit_of([case], report.seconds, list(_properties(report)), skipped=skipped)


def junit_of(
    cases: Sequence[TestCase],
    seconds: float | None,
    properties: Sequence[tuple[str, str]] = (),
    *,
    skipped: bool = False,
) -> str:
    """Return JUnit XML, with declaration and final newline; always valid XML 1.0.

    ``seconds``: time of all cases together. ``skipped``: whether the test counts as skipped instead
    of as an error.
    """
    verdicts = [case.verdict for case in cases]
    errors = 0 if skipped else sum(verdict in _ERRORS for verdict in verdicts)
    counts = {
        "tests": len(cases),
        "failures": verdicts.count(Verdict.FAIL),
        "errors": errors,
        "skipped": int(skipped),
    }
    time = {} if seconds is None else {"time": f"{max(0.0, seconds):.3f}"}
    suites = ET.Element("testsuites")
    attributes = {name: str(number) for name, number in counts.items()}
    suite = ET.SubElement(suites, "testsuite", {"name": "arena compare", **attributes, **time})
    if properties:
        listed = ET.SubElement(suite, "properties")
        for key, value in properties:
            ET.SubElement(listed, "property", {"name": key, "value": value})
    for name, verdict, message, page in cases:
        attributes = {"classname": "arena.compare", "name": name}
        case = ET.SubElement(suite, "testcase", attributes | (time if properties else {}))
        if skipped:
            ET.SubElement(case, "skipped", {"message": message})
        elif verdict is Verdict.PASS:
            ET.SubElement(case, "system-out").text = page
        else:
            kind = "error" if verdict in _ERRORS else "failure"
            ET.SubElement(case, kind, {"type": verdict.value, "message": message}).text = page
    ET.indent(suites)
    body = ET.tostring(suites, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def _case(report: MatchReport) -> str:
    """Return a name that is equal in every run of a comparison: CI systems follow tests by name."""
    games = ", ".join(words.line(game.discipline) for game in report.games)
    pair = f"{_steady(report.candidate)} against {_steady(report.baseline)}"
    return ", ".join(filter(None, (pair, words.line(report.test.mode), games)))


def _steady(side: MatchSide) -> str:
    """Return a contestant as it was given, without the commit at its end."""
    given, joint = (side.given, "@") if side.given else (side.name, "-")
    stem, is_joined, digits = given.rpartition(joint)
    if is_joined and len(digits) >= _LEAST_DIGITS and side.revision.startswith(digits):
        return f"{words.line(stem)} at a revision"
    return words.line(given)


def _properties(report: MatchReport) -> Iterator[tuple[str, str]]:
    test = report.test
    yield "verdict", report.verdict.value
    yield "reason", words.line(report.reason)
    yield from _number("llr", report.llr)
    yield from _number("llr.lower", report.bounds[0])
    yield from _number("llr.upper", report.bounds[1])
    yield "mode", words.line(test.mode)
    yield "scale", test.scale.value
    for key in ("elo0", "elo1", "alpha", "beta"):
        yield from _number(key, getattr(test, key))
    yield "blocks", str(report.blocks)
    yield "games.counted", str(report.games_counted)
    yield "games.stored", str(report.games_stored)
    for word, side in (("candidate", report.candidate), ("baseline", report.baseline)):
        yield word, words.line(side.name)
        if side.given:
            yield f"{word}.given", words.line(side.given)
        yield f"{word}.faults", str(sum(side.faults.values()))
        if side.digest:
            yield f"{word}.digest", words.line(side.digest)
        if side.revision:
            yield f"{word}.revision", words.line(side.revision)
    yield "run", words.line(report.run)
    if report.estimate is not None and len(report.games) > 1:
        yield from _range("estimate.nelo", report.estimate.nelo)
        yield from _number("estimate.los", report.estimate.los)
    for game in report.games:
        yield from _figures(game)


def _figures(game: DisciplineReport) -> Iterator[tuple[str, str]]:
    prefix = words.line(game.discipline)
    for key in ("blocks", "games", "wins", "draws", "losses", "llr", "los"):
        yield from _number(f"{prefix}.{key}", getattr(game, key))
    if game.distinct is not None:
        for key in ("games", "blocks", "effective"):
            yield from _number(f"{prefix}.distinct.{key}", getattr(game.distinct, key))
    for key in ("mean", "elo", "nelo", "margin", "correlation"):
        yield from _range(f"{prefix}.{key}", getattr(game, key))


def _range(name: str, found: Range) -> Iterator[tuple[str, str]]:
    yield from _number(name, found.value)
    yield from _number(f"{name}.low", found.low)
    yield from _number(f"{name}.high", found.high)


def _number(name: str, value: float | None) -> Iterator[tuple[str, str]]:
    """Yield a property that readers of JSON take for a number; nothing for other values."""
    if value is not None and isfinite(value):
        yield name, f"{value!r}"


_ERRORS: Final = (Verdict.INCONCLUSIVE, Verdict.INVALID)
