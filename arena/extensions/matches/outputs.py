"""Write the files of a match for CI systems and derive the exit code from its verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from arena.cli.terminal.console import Exit, annotate, warn
from arena.runs.disk import StoreError, cannot_write, write_named

if TYPE_CHECKING:
    from arena.extensions.matches.show.comparison import Comparison
    from arena.extensions.matches.statistics.report import Verdict

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
    found: Comparison[Any],
    *,
    junit: Path | None,
    markdown: Path | None,
    badge: Path | None,
    environ: Mapping[str, str],
    skipped: bool = False,
) -> None:
    """Write the requested files, and the summary and annotation of the CI system.

    Every file is tried before StoreError is raised for those that could not be written.

    ``environ``: environment variables, which name the CI system. ``skipped``: whether the match
    counts as a skipped test with a note and not by its verdict. Call this after the verdict has
    been printed. In GitHub Actions a verdict other than ``pass`` is also printed as an annotation
    on standard error.
    """
    from arena.extensions.matches.show.words import line

    summary = found.markdown()
    forms: list[tuple[Path | None, Callable[[], str]]] = [
        (junit, lambda: found.junit(skipped=skipped)),
        (markdown, lambda: summary),
        (badge, found.badge),
    ]
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
    level = "notice" if skipped else _LEVELS.get(found.verdict.value)
    if environ.get("GITHUB_ACTIONS") == "true" and level is not None:
        annotate(level, "arena compare", found.headline(line))
    if problems:
        raise StoreError("; ".join(problems))


def _append(path: Path, text: str) -> None:
    """Append a section. A failure is only a warning, because nobody named this file."""
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(f"\n{text}")
    except OSError as error:
        warn(str(cannot_write(path, error)))
