"""``arena compare --best`` and ``--baseline``: several candidates, in all forms of an answer."""

from __future__ import annotations

from collections.abc import Iterator

from arena.extensions.matches.commands.compare import CompareOptions
from arena.extensions.matches.show import words
from arena.extensions.matches.show.comparison import Comparison
from arena.extensions.matches.show.documents import TestCase, junit_of
from arena.extensions.matches.show.text import text as match_text
from arena.extensions.studies.family import text
from arena.extensions.studies.family.play import play_family
from arena.extensions.studies.family.report import BestReport, FamilyReport
from arena.schedule.keys import Lineup
from arena.tournament.events import Listener
from arena.values.bad_input import BadInput


class FamilyComparison(Comparison[FamilyReport]):
    """Several candidates; they have no badge."""

    def headline(self, show: words.Show = words.name) -> str:
        """See Comparison."""
        return f"{self.verdict.upper()}  {text.sentence(self.report, show)}"

    def text(self, *, width: int | None = None, color: bool = False) -> str:
        """See Comparison."""
        return text.text(self.report, width=width, color=color)

    def markdown(self) -> str:
        """See Comparison."""
        return text.markdown(self.report)

    def junit(self, *, skipped: bool) -> str:
        """See Comparison."""
        return junit_of(list(self._cases()), self.report.seconds, skipped=skipped)

    def _cases(self) -> Iterator[TestCase]:
        """Yield the test case for the best one, or one for each of several tests."""
        report = self.report
        if isinstance(report, BestReport):
            said = text.sentence(report, words.line)
            yield TestCase("the best one", report.verdict, said, text.text(report))
            return
        for test in report.tests:
            name = f"{words.line(test.candidate.name)} against {words.line(test.baseline.name)}"
            said = words.sentence(test, words.line)
            yield TestCase(name, test.verdict, said, match_text(test))


def compare_several(options: CompareOptions, listener: Listener) -> Comparison[FamilyReport]:
    """Play several candidates. Raises as ``play_family``."""
    _check(options)
    return FamilyComparison(play_family(options.checked(), listener))


def _check(options: CompareOptions) -> None:
    """Raise BadInput for options that do not fit a comparison of several candidates."""
    if options.best and options.baseline is not None:
        raise BadInput("--best: found --baseline beside it, expected one of them")
    if options.badge is not None or options.allow_unchanged:
        flag = "--badge" if options.badge is not None else "--allow-unchanged"
        raise BadInput(f"{flag}: found several candidates, expected a match of two")
    least = 2 if options.best else 1
    if len(options.bots) < least:
        found = "no candidate" if not options.bots else "one candidate"
        expected = "at least two to choose from" if options.best else "some to test"
        raise BadInput(f"BOT: found {found}, expected {expected}")
    if options.best:
        for flag in options.given(("mode", "elo0", "elo1", "scale", "beta")):
            raise BadInput(f"{flag}: found it beside --best, expected --gap and --alpha alone")
        if options.lineup is Lineup.ALONE:
            raise BadInput("--lineup: found alone beside --best, expected even, or --baseline")
