"""Write the files of a match for CI systems and derive the exit code from its verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from arena.cli.terminal.console import Exit, annotate, warn
from arena.runs.disk import StoreError, cannot_write, write_named

if TYPE_CHECKING:
    from arena.ratings.match.report import FamilyReport, MatchReport, Verdict

_EXITS: Final = {
    "pass": Exit.DONE,
    "fail": Exit.FAIL,
    "inconclusive": Exit.INCONCLUSIVE,
    "invalid": Exit.INVALID_RUN,
}
_SUMMARY: Final = "GITHUB_STEP_SUMMARY"
"""Environment variable of GitHub, Gitea and Forgejo: path of the file shown as step summary."""
_LEVELS: Final = {"fail": "error", "inconclusive": "warning", "invalid": "error"}


def exit_code(verdict: Verdict, *, skipped: bool = False) -> Exit:
    """Return the exit code of a verdict; ``skipped``: as in ``write_outputs``."""
    return Exit.DONE if skipped else _EXITS[verdict.value]


def write_outputs(
    report: MatchReport,
    *,
    junit: Path | None,
    markdown: Path | None,
    badge: Path | None,
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
    from arena.views.match import documents
    from arena.views.match.documents import markdown as markdown_text
    from arena.views.match.words import line, sentence

    text = markdown_text(report)
    forms = [
        (junit, lambda: documents.junit(report, skipped=skipped)),
        (markdown, lambda: text),
        (badge, lambda: documents.badge_text(report)),
    ]
    level = "notice" if skipped else _LEVELS.get(report.verdict.value)
    said = f"{report.verdict.upper()}  {sentence(report, line)}"
    _write(forms, text, said, environ, level)


def write_family_outputs(
    report: FamilyReport, *, junit: Path | None, markdown: Path | None, environ: Mapping[str, str]
) -> None:
    """Write the files of a comparison of several candidates, as ``write_outputs`` does."""
    from arena.views.match import documents, family_text
    from arena.views.match.words import line

    text = family_text.markdown(report)
    forms = [(junit, lambda: documents.family_junit(report)), (markdown, lambda: text)]
    said = f"{report.verdict.upper()}  {family_text.sentence(report, line)}"
    _write(forms, text, said, environ, _LEVELS.get(report.verdict.value))


def _write(
    forms: Iterable[tuple[Path | None, Callable[[], str]]],
    summary: str,
    said: str,
    environ: Mapping[str, str],
    level: str | None,
) -> None:
    """Write each file that is requested, the step summary, and the annotation of GitHub Actions.

    ``level``: that of the annotation; None for no annotation. Raises StoreError.
    """
    problems = []
    for path, form in forms:
        if path is not None:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                write_named(path, form().encode())
            except OSError as error:
                problems.append(str(cannot_write(path, error)))
    if file := environ.get(_SUMMARY):
        _append(Path(file), summary)
    if environ.get("GITHUB_ACTIONS") == "true" and level is not None:
        annotate(level, "arena compare", said)
    if problems:
        raise StoreError("; ".join(problems))


def _append(path: Path, text: str) -> None:
    """Append a section. A failure is only a warning, because nobody named this file."""
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(f"\n{text}")
    except OSError as error:
        warn(str(cannot_write(path, error)))
