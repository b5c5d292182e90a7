"""Output of ``arena check``: text for people and a document for programs."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from arena.extensions.authors.check.finding import (
    CaseOutcome,
    CheckCase,
    Finding,
    FindingText,
    Name,
    Report,
    Weight,
    Where,
)
from arena.hosting.sandbox.isolation import Level
from arena.values import clean
from arena.values.numbers import count
from arena.values.schema import CommandAnswer

_SKIPPED_SHOWN: Final = 3
SEED: Final = "1"
"""Seed of a check unless another is given."""


_NOT_IN_LINES: Final = frozenset(
    {
        *(Name.LINES_TOGETHER, Name.IN_PIECES, Name.SMALL_PIPE, Name.DELAYED),
        *(Name.NOT_REPEATABLE, Name.WANTS_UNUSED, Name.STAYS_AFTER_BYE, Name.LEAVES_PROCESSES),
    }
)
"""Findings that a file of recorded lines cannot reproduce."""


def again(bot: str, report: Report, finding: Finding, kept: Mapping[Name, str]) -> str:
    """Return the command that reproduces a finding.

    ``kept``: files of exchanges, by finding.
    """
    if finding.name in _NOT_IN_LINES or (finding.name not in kept and finding.where is None):
        return case(bot, report, finding)
    words = ["arena", "try", bot, "--isolation", report.level.value]
    if finding.name in kept:
        words += ["--feed", kept[finding.name]]
    elif finding.where is not None:
        words += ["--game", finding.where.rules, "--seats", str(finding.where.seats)]
    return shlex.join(words)


def case(bot: str, report: Report, finding: Finding) -> str:
    """Return the command that runs only the case of a finding."""
    words = ["arena", "check", bot, "--isolation", report.level.value, "--case", finding.case]
    words += [word for game in report.games for word in ("--game", game)]
    words += ["--clock", report.clock] if report.clock else []
    return shlex.join([*words, *(["--seed", report.seed] if report.seed != SEED else [])])


@clean.safe_lines
def lines(bot: str, report: Report, kept: Mapping[Name, str]) -> Iterator[str]:
    """Yield the report for people.

    ``bot``: as named on the command line. ``kept``: files of exchanges, by finding.
    """
    written = f", {report.language}" if report.language else ""
    yield f"{report.bot} at {report.level}{written}, seed {report.seed}"
    for finding in report.findings:
        yield ""
        yield from _finding_lines(bot, report, finding, kept)
    yield ""
    yield from _summary(report).split("\n")


def _finding_lines(
    bot: str, report: Report, finding: Finding, kept: Mapping[Name, str]
) -> Iterator[str]:
    yield f"{finding.weight}: {finding.name}"
    where = "" if finding.where is None else f" ({finding.where})"
    tried = case(bot, report, finding)
    rows = [
        ("what", finding.what),
        ("when", f"{finding.case}{where}"),
        ("why", finding.why),
        ("mend", finding.mend),
        ("code", finding.code),
        ("see", finding.link),
        *([("again", shown)] if (shown := again(bot, report, finding, kept)) != tried else []),
        ("check", tried),
    ]
    said = finding.said.splitlines()
    rows[1:1] = [("said", line) for line in said if line not in finding.what]
    for title, text in rows:
        for line in text.splitlines():
            yield f"  {title:6}{line}"
            title = ""


def in_one_line(bot: str, report: Report) -> str:
    """Return one line on ``bot``, one of several: whether it passed, and its findings."""
    names: dict[str, None] = {}
    for finding in report.findings:
        names[f"{finding.weight} {finding.name}"] = None
    found = ", ".join(names)
    return f"{'pass' if report.passed else 'FAIL'}  {bot}{found and ': '}{found}"


def refused_line(bot: str, problems: Sequence[str]) -> str:
    """Return one line on ``bot``, one of several, with the reasons why it could not be checked.

    The output of a failed build is left out.
    """
    found = "; ".join(problem.partition("\n")[0] for problem in problems)
    return f"FAIL  {bot}: {found.removeprefix(f'{bot}: ')}"


def _summary(report: Report) -> str:
    passed = sum(case.outcome is CaseOutcome.PASSED for case in report.cases)
    skipped = [case.name for case in report.cases if case.outcome is CaseOutcome.SKIPPED]
    cases = f"{passed} of {count(len(report.cases), 'case')} passed"
    if skipped:
        few = f" ({'; '.join(skipped)})" if len(skipped) <= _SKIPPED_SHOWN else ""
        cases += f", {len(skipped)} skipped{few}"
    faults = sum(finding.weight is Weight.FAULT for finding in report.findings)
    hints = len(report.findings) - faults
    found = ", ".join(count(n, word) for n, word in ((faults, "fault"), (hints, "hint")) if n)
    verdict = "it would lose games" if faults else "it would lose no game by a fault"
    return f"{cases}\n{found + ': ' if found else ''}{verdict}"


class ShownFinding(FindingText, frozen=True, kw_only=True):
    """A finding in JSON, with the commands that reproduce it."""

    where: Where | None
    again: str
    """Command that reproduces the finding."""
    check: str
    """Command that runs only its case."""
    exchange: str | None
    """File of the exchange that ends with the finding; None: not kept."""


class CheckDocument(CommandAnswer, frozen=True, kw_only=True, tag="arena.check/1"):
    """All results of a check in JSON."""

    bot: str
    isolation: Level
    seed: str
    language: str
    """Recognised language; else ""."""
    passed: bool
    """True if no finding loses games."""
    findings: tuple[ShownFinding, ...]
    cases: tuple[CheckCase, ...]


def document(bot: str, report: Report, kept: Mapping[Name, str]) -> CheckDocument:
    """Return the report for programs."""
    findings = (
        ShownFinding(
            **{name: getattr(finding, name) for name in FindingText.__struct_fields__},
            where=finding.where,
            again=again(bot, report, finding, kept),
            check=case(bot, report, finding),
            exchange=kept.get(finding.name),
        )
        for finding in report.findings
    )
    return CheckDocument(
        bot=report.bot,
        isolation=report.level,
        seed=report.seed,
        language=report.language,
        passed=report.passed,
        findings=tuple(findings),
        cases=report.cases,
    )
