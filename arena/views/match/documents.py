"""Matches for programs: the whole report as JSON, a badge, and JUnit XML reports.

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
from collections.abc import Iterator
from math import isfinite
from typing import Any, Final

from arena.ratings.family.report import BestReport, FamilyReport
from arena.ratings.match.report import DisciplineReport, MatchReport, MatchSide, Range, Verdict
from arena.text import clean
from arena.views.match.family_text import sentence as family_sentence
from arena.views.match.family_text import text as family_text
from arena.views.match.text import text
from arena.views.match.words import line, sentence, strength

_COLOR: Final = {
    Verdict.PASS: "brightgreen",
    Verdict.FAIL: "red",
    Verdict.INCONCLUSIVE: "yellow",
    Verdict.INVALID: "lightgrey",
}
_LABEL_COLUMNS: Final = 48


def json_text(report: MatchReport) -> str:
    """Return the ``MatchReport`` as indented JSON with a final newline, numbers unrounded.

    Bytes that are not Unicode, as in the name of a folder, are written as escapes.
    """
    return clean.json_document(report)


def badge_text(report: MatchReport) -> str:
    """Return a badge for the endpoint of shields.io, as JSON with a final newline."""
    label = f"{line(report.candidate.called)} v {line(report.baseline.called)}"
    document: dict[str, Any] = {
        "schemaVersion": 1,
        "label": clean.cut(label, _LABEL_COLUMNS),
        "message": ", ".join(filter(None, (report.verdict.value, strength(report)))),
        "color": _COLOR[report.verdict],
    }
    if report.verdict is Verdict.INVALID:
        document["isError"] = True
    return clean.json_document(document)


_LEAST_DIGITS: Final = 7
"""Fewest digits of a commit in a name."""


def junit(report: MatchReport, *, skipped: bool = False) -> str:
    """Return the match as JUnit XML, with declaration and final newline; always valid XML 1.0.

    ``skipped``: whether the test counts as skipped instead of as an error.
    """
    is_failure = report.verdict is Verdict.FAIL
    is_error = report.verdict in _ERRORS and not skipped
    counts = {
        "tests": "1",
        "failures": str(int(is_failure)),
        "errors": str(int(is_error)),
        "skipped": str(int(skipped)),
    }
    time = {} if report.seconds is None else {"time": f"{max(0.0, report.seconds):.3f}"}
    suite = ET.Element("testsuite", {"name": "arena compare", **counts, **time})
    properties = ET.SubElement(suite, "properties")
    for key, value in _properties(report):
        ET.SubElement(properties, "property", {"name": key, "value": value})
    case = ET.SubElement(
        suite, "testcase", {"classname": "arena.compare", "name": _case(report), **time}
    )
    page = text(report)
    if skipped:
        ET.SubElement(case, "skipped", {"message": sentence(report, line)})
    elif is_failure or is_error:
        attributes = {"type": report.verdict.value, "message": sentence(report, line)}
        ET.SubElement(case, "failure" if is_failure else "error", attributes).text = page
    else:
        ET.SubElement(case, "system-out").text = page
    suites = ET.Element("testsuites")
    suites.append(suite)
    ET.indent(suites)
    body = ET.tostring(suites, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def _case(report: MatchReport) -> str:
    """Return a name that is equal in every run of a comparison: CI systems follow tests by name."""
    games = ", ".join(line(game.discipline) for game in report.games)
    pair = f"{_steady(report.candidate)} against {_steady(report.baseline)}"
    return ", ".join(filter(None, (pair, line(report.test.mode), games)))


def _steady(side: MatchSide) -> str:
    """Return the name of a contestant without the commit at its end."""
    stem, dash, digits = side.name.rpartition("-")
    if dash and len(digits) >= _LEAST_DIGITS and side.revision.startswith(digits):
        return f"{line(stem)} at a revision"
    return line(side.name)


def _properties(report: MatchReport) -> Iterator[tuple[str, str]]:
    test = report.test
    yield "verdict", report.verdict.value
    yield "reason", line(report.reason)
    yield from _number("llr", report.llr)
    yield from _number("llr.lower", report.bounds[0])
    yield from _number("llr.upper", report.bounds[1])
    yield "mode", line(test.mode)
    yield "scale", test.scale.value
    for key in ("elo0", "elo1", "alpha", "beta"):
        yield from _number(key, getattr(test, key))
    yield "blocks", str(report.blocks)
    yield "games.counted", str(report.games_counted)
    yield "games.stored", str(report.games_stored)
    for word, side in (("candidate", report.candidate), ("baseline", report.baseline)):
        yield word, line(side.name)
        if side.given:
            yield f"{word}.given", line(side.given)
        yield f"{word}.faults", str(sum(side.faults.values()))
        if side.digest:
            yield f"{word}.digest", line(side.digest)
        if side.revision:
            yield f"{word}.revision", line(side.revision)
    yield "run", line(report.run)
    if report.estimate is not None and len(report.games) > 1:
        yield from _range("estimate.nelo", report.estimate.nelo)
        yield from _number("estimate.los", report.estimate.los)
    for game in report.games:
        yield from _figures(game)


def _figures(game: DisciplineReport) -> Iterator[tuple[str, str]]:
    prefix = line(game.discipline)
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


def family_junit(report: FamilyReport) -> str:
    """Return the comparison as JUnit XML, with declaration and final newline."""
    cases = list(_cases(report))
    counts = {
        "tests": str(len(cases)),
        "failures": str(sum(verdict is Verdict.FAIL for _, verdict, _, _ in cases)),
        "errors": str(sum(verdict in _ERRORS for _, verdict, _, _ in cases)),
        "skipped": "0",
    }
    time = {} if report.seconds is None else {"time": f"{max(0.0, report.seconds):.3f}"}
    suites = ET.Element("testsuites")
    suite = ET.SubElement(suites, "testsuite", {"name": "arena compare", **counts, **time})
    for name, verdict, message, page in cases:
        case = ET.SubElement(suite, "testcase", {"classname": "arena.compare", "name": name})
        if verdict is Verdict.PASS:
            ET.SubElement(case, "system-out").text = page
        else:
            kind = "error" if verdict in _ERRORS else "failure"
            ET.SubElement(case, kind, {"type": verdict.value, "message": message}).text = page
    ET.indent(suites)
    body = ET.tostring(suites, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def _cases(report: FamilyReport) -> Iterator[tuple[str, Verdict, str, str]]:
    """Yield the name, verdict, message and full text of each test case."""
    if isinstance(report, BestReport):
        yield "the best one", report.verdict, family_sentence(report, line), family_text(report)
        return
    for test in report.tests:
        name = f"{line(test.candidate.name)} against {line(test.baseline.name)}"
        yield name, test.verdict, sentence(test, line), text(test)
