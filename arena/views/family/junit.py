"""Several candidates as a JUnit XML report: one test case for the best, or one for each test.

As in the report of a match, only ``pass`` is a passed test; a missing verdict is an error.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from typing import Final

from arena.ratings.family.report import BestReport, FamilyReport
from arena.ratings.match.report import Verdict
from arena.views.family.text import sentence, text
from arena.views.match.text import text as match_text
from arena.views.match.words import line
from arena.views.match.words import sentence as match_sentence

_ERRORS: Final = (Verdict.INCONCLUSIVE, Verdict.INVALID)


def junit(report: FamilyReport) -> str:
    """Return the document with its declaration and a final newline."""
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
        yield "the best one", report.verdict, sentence(report, line), text(report)
        return
    for test in report.tests:
        name = f"{line(test.candidate.name)} against {line(test.baseline.name)}"
        yield name, test.verdict, match_sentence(test, line), match_text(test)
