"""A match for programs and web pages: JSON, badge, Markdown, JUnit XML."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from typing import Final

import msgspec
import pytest

from arena.extensions.matches.show.documents import badge_text, junit_text, markdown_text
from arena.extensions.matches.statistics.report import MatchReport, MatchSide
from arena.values import clean
from tests.extensions.matches.show.reports import (
    ALONE,
    FAIL,
    HOSTILE,
    HOSTILE_NAME,
    INCONCLUSIVE,
    INVALID,
    PAIR,
    PASS,
    REPORTS,
    TABLE,
    WON_ALL,
    changed,
)

CHILDREN: Final = {
    "testsuites": {"testsuite"},
    "testsuite": {"properties", "testcase"},
    "properties": {"property"},
    "testcase": {"failure", "error", "system-out"},
}
ATTRIBUTES: Final = {
    "testsuite": ({"name", "tests", "failures", "errors"}, {"skipped", "time"}),
    "property": ({"name", "value"}, set()),
    "testcase": ({"name", "classname"}, {"time"}),
    "failure": ({"type", "message"}, set()),
    "error": ({"type", "message"}, set()),
}
"""By element: those that must be there and those that may, of the schema of Jenkins."""


@pytest.mark.parametrize("kind", [kind for kind in REPORTS if kind != "hostile"])
def test_json_is_the_whole_report(kind: str) -> None:
    shown = clean.json_document(REPORTS[kind])
    assert shown.endswith("}\n")
    assert msgspec.json.decode(shown, type=MatchReport) == REPORTS[kind]


def test_json_of_anything_is_ascii_where_it_matters_and_has_no_nan() -> None:
    shown = clean.json_document(HOSTILE)
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    found = json.loads(shown)["candidate"]["name"]
    assert found == HOSTILE_NAME.encode("utf-8", "backslashreplace").decode()
    assert json.loads(clean.json_document(changed(llr=float("nan"))))["llr"] is None


@pytest.mark.parametrize(
    ("report", "message", "color"),
    [
        (PASS, "pass, Elo +185 (+132 to +249)", "brightgreen"),
        (FAIL, "fail, Elo -36 (-62 to -9.7)", "red"),
        (INCONCLUSIVE, "inconclusive", "yellow"),
        (INVALID, "invalid", "lightgrey"),
        (WON_ALL, "pass, Elo > +516", "brightgreen"),
        (changed(games=(ALONE,)), "pass, margin +3.29 (+1.42 to +5.16)", "brightgreen"),
    ],
)
def test_badge(report: MatchReport, message: str, color: str) -> None:
    badge = json.loads(badge_text(report))
    assert badge.pop("isError", False) is (report is INVALID)
    label = f"{report.candidate.name} v {report.baseline.name}"
    assert badge == {"schemaVersion": 1, "label": label, "message": message, "color": color}


def test_badge_of_hostile_names() -> None:
    badge = json.loads(badge_text(HOSTILE))
    assert len(badge["label"]) <= 48
    assert badge["label"].isprintable()


def test_markdown_shows_verdict_and_table_and_folds_the_rest() -> None:
    shown = markdown_text(PASS)
    assert shown.startswith(
        "### PASS: greedy is stronger than random: Elo +185 (+132 to +249) in 168 games\n\n"
        "LLR **2.97** between -2.94 and 2.94; 168 games in 84 blocks;"
    )
    top, _, rest = shown.partition("<details>\n\n<summary>Details</summary>\n\n")
    cells = [cell.strip() for cell in rows(top)[2].strip("|").split("|")]
    assert cells == [
        "dragonheart-2", "84", "121 – 8 – 39", "74.4 % (68.1 % to 80.7 %)",
        "+185 (+132 to +249)", "+201 (+133 to +270)", "more than 99.9 %",
    ]  # fmt: skip
    assert rest.endswith("\n\n</details>\n")
    assert "- faults of random: 3 timeout in 168 games\n" in rest
    assert "LW, DD" in rest


def test_every_form_calls_a_bot_as_it_was_given() -> None:
    old = msgspec.structs.replace(PASS.baseline, given="@v2")
    report = changed(FAIL, baseline=old)
    assert "is weaker than @<!-- -->v2: " in markdown_text(report)
    assert json.loads(badge_text(report))["label"] == "mine v @v2"
    assert json.loads(clean.json_document(report))["baseline"]["given"] == "@v2"
    root = ET.fromstring(junit_text(report).encode())
    (failure,) = root.iter("failure")
    assert "is weaker than @v2: " in failure.attrib["message"]
    found = properties_of(report)
    assert (found["baseline"], found["baseline.given"]) == ("random", "@v2")
    assert "candidate.given" not in found


def test_markdown_has_a_row_for_each_game() -> None:
    table = rows(markdown_text(INCONCLUSIVE).partition("<details>")[0])
    assert len(table) == 2 + len(INCONCLUSIVE.games)
    assert {row.count("|") for row in table} == {9}
    assert "margin (95 %)" in table[0]
    assert "margin (95 %)" not in markdown_text(PASS)


def test_markdown_of_hostile_text_stays_text() -> None:
    shown = markdown_text(HOSTILE)
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert re.findall(r"<(?!!-- -->|/?details>|/?summary>)", shown) == []
    assert "@all" not in shown
    assert [line for line in shown.splitlines() if line.strip().startswith("::")] == []
    assert {re.sub(r"\\\|", "", row).count("|") for row in rows(shown.partition("<det")[0])} == {8}
    shown.encode()


def rows(shown: str) -> list[str]:
    return [line for line in shown.splitlines() if line.startswith("|")]


@pytest.mark.parametrize("kind", REPORTS)
def test_junit_has_the_structure_that_ci_systems_read(kind: str) -> None:
    shown = junit_text(REPORTS[kind])
    assert shown.startswith('<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n')
    root = ET.fromstring(shown.encode())
    assert root.tag == "testsuites"
    for element in root.iter():
        assert {child.tag for child in element} <= CHILDREN.get(element.tag, set())
        must, may = ATTRIBUTES.get(element.tag, (set(), set()))
        assert must <= element.attrib.keys() <= must | may
    names = [each.attrib["name"] for each in root.iter("property")]
    assert len(set(names)) == len(names)
    for time in (each.attrib["time"] for each in root.iter() if "time" in each.attrib):
        assert re.fullmatch(r"\d+\.\d{3}", time)


@pytest.mark.parametrize(
    ("report", "element", "counts"),
    [
        (PASS, None, ("0", "0")),
        (FAIL, "failure", ("1", "0")),
        (INCONCLUSIVE, "error", ("0", "1")),
        (INVALID, "error", ("0", "1")),
    ],
)
def test_only_pass_is_green(report, element, counts) -> None:
    root = ET.fromstring(junit_text(report).encode())
    suite, cases = root[0], list(root.iter("testcase"))
    assert (suite.attrib["failures"], suite.attrib["errors"]) == counts
    assert (suite.attrib["tests"], suite.attrib["skipped"]) == ("1", "0")
    assert len(cases) == 1
    child = cases[0][0]
    assert (child.text or "").startswith(f"{report.verdict.upper()}  ")
    if element is None:
        assert child.tag == "system-out"
    else:
        assert (child.tag, child.attrib["type"]) == (element, report.verdict.value)


def properties_of(report: MatchReport) -> dict[str, str]:
    found = ET.fromstring(junit_text(report).encode()).iter("property")
    return {each.attrib["name"]: each.attrib["value"] for each in found}


def test_junit_has_the_numbers_in_full() -> None:
    found = properties_of(FAIL)
    assert found["llr.upper"] == "2.944438979166441"
    assert float(found["dragonkrak-4.elo.low"]) == TABLE.elo.low
    assert found["baseline.revision"] == "34" * 20
    assert "candidate.digest" not in found
    times = [ET.fromstring(junit_text(each).encode())[0].get("time") for each in (FAIL, PASS)]
    assert times == ["61.250", None]


def test_junit_names_a_comparison_alike_every_time() -> None:
    (case,) = ET.fromstring(junit_text(PASS).encode()).iter("testcase")
    assert case.attrib["name"] == "greedy against random, gain, dragonheart-2"
    later = changed(games=(msgspec.structs.replace(PAIR, blocks=99),), blocks=99, run="elsewhere")
    (again,) = ET.fromstring(junit_text(later).encode()).iter("testcase")
    assert again.attrib == case.attrib


def test_junit_leaves_the_commit_out_of_the_name() -> None:
    named = [
        changed(FAIL, baseline=MatchSide(f"mine-{commit[:8]}", {}, 2, revision=commit))
        for commit in ("ab" * 20, "cd" * 20)
    ]
    cases = [next(ET.fromstring(junit_text(each).encode()).iter("testcase")) for each in named]
    assert {case.attrib["name"] for case in cases} == {
        "mine against mine at a revision, no-regression, dragonkrak-4"
    }
    unnamed = changed(FAIL, baseline=MatchSide("mine-abababab", {}, 2))
    assert "mine against mine-abababab, no" in junit_text(unnamed)


def test_junit_attaches_no_files() -> None:
    assert "[[ATTACHMENT|" in HOSTILE.candidate.name
    assert "[[" not in junit_text(HOSTILE)


@pytest.mark.parametrize(
    "code", [*range(0x20), 0x7F, 0x85, 0x2028, 0xD800, 0xFFFE, 0xFFFF, 0x1FFFF]
)
def test_junit_is_valid_whatever_a_reason_holds(code: int) -> None:
    report = changed(INVALID, reason=f"a{chr(code)}b & <c> ]]>")
    (error,) = ET.fromstring(junit_text(report).encode()).iter("error")
    assert error.attrib["message"].endswith("b & <c> ]]>")
