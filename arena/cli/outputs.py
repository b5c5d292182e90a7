"""Write the files of a match for CI systems and derive the exit code from its verdict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from arena.cli.terminal.console import Exit, annotate, warn
from arena.runs.disk import StoreError, cannot_write, write_named

if TYPE_CHECKING:
    from arena.ratings.family.report import FamilyReport
    from arena.ratings.match.report import MatchReport, Verdict
    from arena.studies.match.counted import CountedReport

_EXITS: Final = {
    "pass": Exit.DONE,
    "fail": Exit.FAIL,
    "inconclusive": Exit.INCONCLUSIVE,
    "invalid": Exit.INVALID_RUN,
}
_SUMMARY: Final = "GITHUB_STEP_SUMMARY"
"""Environment variable of GitHub, Gitea and Forgejo: path of the file shown as step summary."""
_LEVELS: Final = {"fail": "error", "inconclusive": "warning", "invalid": "error"}


def exit_code(report: MatchReport | FamilyReport | CountedReport, *, skipped: bool = False) -> Exit:
    """Return the exit code of ``arena compare``; ``skipped``: as in ``write_outputs``."""
    return Exit.DONE if skipped else exit_code_of(report.verdict)


def exit_code_of(verdict: Verdict) -> Exit:
    """Return the exit code of a verdict."""
    return _EXITS[verdict.value]


def write_outputs(
    report: MatchReport,
    *,
    junit: Path | None,
    markdown: Path | None,
    badge: Path | None,
    json: Path | None,
    environ: Mapping[str, str],
    skipped: bool = False,
) -> None:
    """Write the requested files, and the summary and annotation of the CI system.

    ``environ``: environment variables, which name the CI system. ``skipped``: whether the match
    counts as a skipped test with a note and not by its verdict. Call this after the verdict has
    been printed. Every file is tried before StoreError is raised for those that could not be
    written. In GitHub Actions a verdict other than ``pass`` is also printed as an annotation on
    standard error.
    """
    from arena.views.match.documents import badge_text, json_text
    from arena.views.match.documents import junit as junit_document
    from arena.views.match.markdown import markdown as markdown_text
    from arena.views.match.words import line, sentence

    junit_text = partial(junit_document, skipped=skipped)
    forms = ((junit, junit_text), (markdown, markdown_text), (badge, badge_text), (json, json_text))
    problems = list(_problems((path, form(report)) for path, form in forms if path is not None))
    level = "notice" if skipped else _LEVELS.get(report.verdict.value)
    _show(markdown_text(report), report.verdict, sentence(report, line), environ, level)
    if problems:
        raise StoreError("; ".join(problems))


def write_family_outputs(
    report: FamilyReport, *, junit: Path | None, markdown: Path | None, environ: Mapping[str, str]
) -> None:
    """Write the files of a comparison of several candidates, as ``write_outputs`` does."""
    from arena.views.match.documents import family_junit as junit_text
    from arena.views.match.family_text import markdown as markdown_text
    from arena.views.match.family_text import sentence
    from arena.views.match.words import line

    forms = ((junit, junit_text), (markdown, markdown_text))
    problems = list(_problems((path, form(report)) for path, form in forms if path is not None))
    level = _LEVELS.get(report.verdict.value)
    _show(markdown_text(report), report.verdict, sentence(report, line), environ, level)
    if problems:
        raise StoreError("; ".join(problems))


def _problems(files: Iterable[tuple[Path, str]]) -> Iterator[str]:
    """Write each file; yield a message for each one that could not be written."""
    for path, text in files:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_named(path, text.encode())
        except OSError as error:
            yield str(cannot_write(path, error))


def _show(
    markdown: str, verdict: Verdict, said: str, environ: Mapping[str, str], level: str | None
) -> None:
    """Write the step summary, and print the annotation of the verdict in GitHub Actions.

    ``level``: that of the annotation; None for no annotation.
    """
    if summary := environ.get(_SUMMARY):
        _append(Path(summary), markdown)
    if environ.get("GITHUB_ACTIONS") == "true" and level is not None:
        annotate(level, "arena compare", f"{verdict.upper()}  {said}")


def _append(path: Path, text: str) -> None:
    """Append a section. A failure is only a warning, because nobody named this file."""
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(f"\n{text}")
    except OSError as error:
        warn(str(cannot_write(path, error)))
