"""Several candidates as text: the verdict in one sentence, then a line for each."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Final

from arena.extensions.matches.show.words import (
    COLORS,
    Show,
    distinct,
    elo,
    line,
    name,
    named,
    range_words,
    settings_words,
)
from arena.extensions.matches.statistics.report import MatchReport, Verdict
from arena.extensions.studies.family.against import BaselineMatches
from arena.extensions.studies.family.best import Best
from arena.extensions.studies.family.report import (
    AgainstReport,
    BestReport,
    Contender,
    FamilyReport,
)
from arena.values import clean
from arena.values.numbers import NOTHING, count, likelihood
from arena.views.tables import Column, draw_text, markdown_list, markdown_table

_STATES: Final = {
    "best": "best",
    "left": "not decided",
    "out": "out",
    "faulty": "out for faults",
}


def live(contest: Best | BaselineMatches) -> str:
    """Return the progress of candidates that are playing, as one line without a newline."""
    candidates = contest.matches if isinstance(contest, BaselineMatches) else contest.names
    left = sum(name not in contest.out for name in candidates)
    parts = [f"{left} of {len(candidates)} candidates left"]
    if isinstance(contest, BaselineMatches):
        parts.append(f"{len(contest.passed())} passed")
    return "  ".join([*parts, f"round {contest.rounds}", f"{contest.games:,} games"])


def sentence(report: FamilyReport, show: Show = name) -> str:
    """Return the verdict in words, without a full stop."""
    games = count(report.games_counted, "game")
    if isinstance(report, BestReport):
        return _best_sentence(report, show, games)
    if report.verdict is Verdict.PASS:
        *candidates, baseline = _names(report, show)
        tests = zip(report.tests, candidates, strict=True)
        who = ", ".join(each for test, each in tests if test.verdict is Verdict.PASS)
        return f"{who} against {baseline}: {line(report.reason)}; {games}"
    return f"{line(report.reason)}; {games}"


def _names(report: AgainstReport, show: Show) -> list[str]:
    """Return the candidates, then the baseline."""
    return named([*(test.candidate for test in report.tests), report.tests[0].baseline], show)


def _best_sentence(report: BestReport, show: Show, games: str) -> str:
    sides = named([each.side for each in report.candidates], show)
    found = [n for each, n in zip(report.candidates, sides, strict=True) if each.state == "best"]
    if not found or report.verdict is not Verdict.PASS:
        return f"no best one of {len(report.candidates)}: {line(report.reason)}"
    return f"{found[0]} is the best one: {line(report.reason)}; {games}"


def _head(report: FamilyReport) -> str:
    """Return the verdict, or BEST where a candidate was chosen: a choice is no passed test."""
    is_chosen = isinstance(report, BestReport) and report.verdict is Verdict.PASS
    return "BEST" if is_chosen else report.verdict.upper()


def text(report: FamilyReport, *, width: int | None = None, color: bool = False) -> str:
    """Return the report for a terminal, from the verdict or BEST to a final newline."""
    word = _head(report)
    shown = f"\x1b[{COLORS[report.verdict]}m{word}\x1b[0m" if color else word
    lines = [f"{shown}  {sentence(report)}", ""]
    lines += [draw_text(columns(report), width), "", *_tail(report)]
    return "\n".join(lines) + "\n"


def markdown(report: FamilyReport) -> str:
    """Return the report as GitHub Markdown, with a final newline."""
    head = f"### {_head(report)}: {clean.markdown(sentence(report, line))}"
    return "\n\n".join([head, markdown_table(columns(report, line)), markdown_list(_tail(report))])


def columns(report: FamilyReport, show: Show = name) -> list[Column]:
    """Return a table with a row for each candidate."""
    if isinstance(report, BestReport):
        return _of_best(report, show)
    tests = report.tests
    return [
        Column("candidate", "left", _names(report, show)[:-1]),
        Column("verdict", "left", [test.verdict.value for test in tests]),
        Column("games", "right", [test.games_counted for test in tests]),
        Column("Elo (95 %)", "right", [_elo(test) for test in tests]),
        Column("nElo (95 %)", "right", [_nelo(test) for test in tests]),
        Column("LOS", "right", [_los(test) for test in tests]),
        Column("LLR", "right", [f"{test.llr:.2f} ({_bounds(test)})" for test in tests]),
        Column("faults", "right", [sum(test.candidate.faults.values()) for test in tests]),
    ]


def _of_best(report: BestReport, show: Show) -> list[Column]:
    rows = sorted(
        report.candidates,
        key=lambda each: (each.state != "best", each.state != "left", -(each.round or 0)),
    )
    return [
        Column("candidate", "left", named([each.side for each in rows], show)),
        Column("state", "left", [_state(each) for each in rows]),
        Column("games", "right", [each.side.games for each in rows]),
        Column("nElo to the best", "right", [range_words(each.nelo, elo) for each in rows]),
        Column("out after round", "right", [each.round or NOTHING for each in rows]),
        Column("faults", "right", [sum(each.side.faults.values()) for each in rows]),
    ]


def _state(contender: Contender) -> str:
    if contender.worse and contender.state == "out":
        return "worse"
    return _STATES[contender.state]


def _elo(test: MatchReport) -> str:
    return NOTHING if test.estimate is None else range_words(test.estimate.elo, elo)


def _nelo(test: MatchReport) -> str:
    return NOTHING if test.estimate is None else range_words(test.estimate.nelo, elo)


def _los(test: MatchReport) -> str:
    return NOTHING if test.estimate is None else likelihood(test.estimate.los)


def _bounds(test: MatchReport) -> str:
    lower, upper = test.bounds
    return f"{lower:.2f} to {upper:.2f}"


def _tail(report: FamilyReport) -> Iterator[str]:
    if isinstance(report, BestReport):
        test = report.test
        yield (
            f"test: a gap of {test.gap:g} nElo, alpha {test.alpha:g} for all together; "
            f"{count(report.rounds, 'round')}"
        )
        yield "out: not better than the best by the gap; whether it is worse was not shown"
        yield (
            "nElo to the best: how much stronger than it, with - weaker; (< +15): by less than 15, "
            "and how much weaker is open"
        )
        for game in report.games:
            if game.distinct is not None:
                games = count(game.distinct, "game")
                called = line(game.title or game.discipline)
                yield f"{called}: {games} distinct, each counts once in errors"
        yield f"the intervals hold together with {100 * (1 - test.alpha):g} %, whenever one stops"
    else:
        yield f"test: {settings_words(report.tests[0].test)}; alpha for all together"
        yield "Elo, nElo and LOS allow for the stop"
        for each in report.tests:
            for one in each.games:
                if one.distinct is not None:
                    words = distinct(one, one.distinct)
                    yield f"{name(each.candidate.called)}: distinct: {words}"
            if each.verdict is Verdict.INVALID:
                yield f"{name(each.candidate.called)}: {line(each.reason)}"
    if report.run:
        again = "(the same command continues or answers from it)"
        yield f"run: {shlex.quote(line(report.run))} {again}"
