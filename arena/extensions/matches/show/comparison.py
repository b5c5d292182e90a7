"""The interface of what ``arena compare`` finds, in all forms, and that of a match."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Generic, TypeVar

from arena.extensions.matches.show import words
from arena.extensions.matches.statistics.report import MatchReport, Verdict

R = TypeVar("R", bound=Any)


class Comparison(ABC, Generic[R]):
    """Answer of ``arena compare`` in all its forms."""

    has_files = True
    """True if it can be written to files, for CI systems too."""
    is_unchanged = False
    """True if nothing was played, because both are the same files."""

    def __init__(self, report: R) -> None:
        """Take the document of ``--json``, which has a verdict."""
        self.report = report

    @property
    def verdict(self) -> Verdict:
        """Verdict, from which the exit code follows."""
        found: Verdict = self.report.verdict
        return found

    @abstractmethod
    def headline(self, show: words.Show = words.name) -> str:
        """Return the verdict in capitals, and in a sentence without a full stop."""

    @abstractmethod
    def text(self, *, width: int | None = None, color: bool = False) -> str:
        """Return the text for a terminal of ``width`` columns (None: 80), with a final newline."""

    def markdown(self) -> str:
        """Return a summary for people, with a final newline."""
        return ""

    def junit(self, *, skipped: bool) -> str:
        """Return JUnit XML; ``skipped``: whether the test counts as skipped."""
        return ""

    def badge(self) -> str:
        """Return a badge; empty without one."""
        return ""


class MatchComparison(Comparison[MatchReport]):
    """A match of two."""

    @property
    def is_unchanged(self) -> bool:  # type: ignore[override]  # read from the report, never set
        """See Comparison."""
        return self.report.is_unchanged

    def headline(self, show: words.Show = words.name) -> str:
        """See Comparison."""
        return f"{self.verdict.upper()}  {words.sentence(self.report, show)}"

    def text(self, *, width: int | None = None, color: bool = False) -> str:
        """See Comparison."""
        from arena.extensions.matches.show.text import text

        return text(self.report, width=width, color=color)

    def markdown(self) -> str:
        """See Comparison."""
        from arena.extensions.matches.show.documents import markdown_text

        return markdown_text(self.report)

    def junit(self, *, skipped: bool) -> str:
        """See Comparison."""
        from arena.extensions.matches.show.documents import junit_text

        return junit_text(self.report, skipped=skipped)

    def badge(self) -> str:
        """See Comparison."""
        from arena.extensions.matches.show.documents import badge_text

        return badge_text(self.report)
