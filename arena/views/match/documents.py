"""A match for programs: the whole report, and a badge."""

from __future__ import annotations

from typing import Any, Final

from arena.ratings.match.report import MatchReport, Verdict
from arena.text import clean
from arena.views.match.words import line, strength

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
