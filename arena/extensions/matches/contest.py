"""Terms of a match before its first block: sides, games, and when to stop."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol, TypeAlias, TypeVar

import msgspec

from arena.extensions.matches.statistics.blocks import MatchDiscipline
from arena.extensions.matches.statistics.match import Decision, Match
from arena.extensions.matches.statistics.report import Criteria, MatchReport, Measure
from arena.extensions.matches.terms import lineup_text
from arena.games.base import RulesInfo, titles
from arena.games.registry import make_rules
from arena.schedule.keys import Discipline
from arena.values.bad_input import BadInput

Measures: TypeAlias = Measure | Mapping[str, Measure] | None
"""Measure of all disciplines, or by name; the usual one of a discipline where it is left out."""


class DecidedContest(Protocol):
    """Contest that the games of a run decide."""

    games: int
    """Number of games that count."""

    @property
    def decision(self) -> Decision | None:
        """Decision by the games so far; None while it is open."""

    @property
    def out(self) -> frozenset[str]:
        """Names of entrants that need no further games."""

    def next_games(self) -> int:
        """Return the least number of games that are played at one time."""


class MatchTerms(msgspec.Struct, frozen=True):
    """Terms by which a match is judged."""

    candidate: str
    baseline: str
    test: Criteria
    measures: dict[str, Measure]
    """Measure of each discipline."""
    called: tuple[str, str] | None = None
    """Names of both sides in a verdict; None: their own names."""

    @classmethod
    def of(cls, found: Match | MatchReport) -> MatchTerms:
        """Return the terms of a match, or of the report of a match."""
        if isinstance(found, Match):
            return cls(*found.names, found.test, found.measures, found.called)
        measures = {game.discipline: game.measure for game in found.games}
        first, second = found.candidate, found.baseline
        called = (first.called, second.called)
        return cls(first.name, second.name, found.test, measures, called)

    def match(self, disciplines: Sequence[Discipline]) -> Match:
        """Return the match before its first block. Raises ValueError for unfit terms."""
        tables = tables_of(disciplines, self.measures)
        return Match(self.candidate, self.baseline, tables, self.test, self.called)


def match_of(
    disciplines: Sequence[Discipline],
    names: Sequence[str],
    called: Sequence[str],
    test: Criteria,
    measures: Measures,
) -> Match:
    """Return the match of two before its first block. Raises ValueError for an unfit test.

    ``called``: names of the bots for display.
    """
    tables = tables_of(disciplines, measures)
    return Match(names[0], names[1], tables, test, (called[0], called[1]))


_TERM: Final = re.compile(r"\b(alpha|beta|gap|elo[01])\b")
"""Options of a test in the words of a refusal."""


def bad_test(error: ValueError) -> BadInput:
    """Return the refusal of a test, which names the option first that ``error`` is about."""
    found = _TERM.search(str(error))
    return BadInput(f"--{found[0] if found else 'elo0'}: {error}")


C = TypeVar("C", bound=DecidedContest)


def checked(contest_of: Callable[[], C], part: str, max_games: int) -> C:
    """Return a contest. Raises BadInput if its test does not allow one.

    ``part``: word for the least that is played. ``max_games``: most games that may be played.
    """
    try:
        contest = contest_of()
    except ValueError as error:
        raise bad_test(error) from None
    if (least := contest.next_games()) > max_games:
        raise BadInput(f"--max-games: found {max_games}, expected at least {least}, one {part}")
    return contest


def tables_of(disciplines: Sequence[Discipline], measure: Measures) -> list[MatchDiscipline]:
    """Return the tables by which blocks of ``disciplines`` are judged.

    Raises BadInput, see ``_table``.
    """
    infos = {each.name: make_rules(each.rules).info for each in disciplines}
    own = titles(infos)
    found = []
    for each in disciplines:
        by = measure.get(each.name) if isinstance(measure, Mapping) else measure
        table = _table(each, infos[each.name], by)
        found.append(msgspec.structs.replace(table, title=own[each.name]))
    return found


def _table(discipline: Discipline, info: RulesInfo, measure: Measure | None) -> MatchDiscipline:
    """Return the table of one discipline. ``measure`` is None for the usual one.

    Raises BadInput for margins of
    games that may end by agreement: these have no scores, and a bot could choose which they are.
    """
    from arena.schedule.kinds.registry import seatings

    if measure is Measure.MARGIN and discipline.adjudicate:
        raise BadInput("--by: found margin with adjudicate, expected places")

    seats = discipline.rules.seats
    return MatchDiscipline(
        discipline=discipline.name,
        seats=seats,
        lineup=lineup_text(discipline),
        block_games=seatings(2, seats, discipline.schedule),
        measure=measure or (Measure.MARGIN if seats == 1 else Measure.PLACES),
        less_is_better=info.less_is_better,
        worst_score=info.worst_score,
    )
