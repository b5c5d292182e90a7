"""``arena compare --pairs`` and ``--wdl``: the sequential test of results counted elsewhere."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from arena import __version__
from arena.extensions.matches.commands.compare import CompareOptions
from arena.extensions.matches.show import words
from arena.extensions.matches.show.comparison import Comparison
from arena.extensions.matches.statistics.numbers import (
    elo_range,
    mean_range,
    moments,
    nelo_range,
    superiority_of,
)
from arena.extensions.matches.statistics.report import Hypotheses, Measure, Range, Scale, Verdict
from arena.extensions.matches.statistics.sprt import LEAST_BLOCKS, NELO, llr, verdict
from arena.extensions.studies.plan import lengths
from arena.extensions.studies.plan.planner import check, hypotheses
from arena.tournament.events import Listener
from arena.values.bad_input import BadInput
from arena.values.numbers import likelihood, signed_short
from arena.values.problems import quote

SCHEMA: Final = "arena.sprt/1"
_PAIRS: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Scores of LL, LD, DD and WL, WD, WW."""
_GAMES: Final = (1.0, 0.5, 0.0)
"""Scores of W, D, L."""
_DIGITS: Final = 12
_OF_TEST: Final = {
    *("pairs", "wdl", "mode", "elo0", "elo1", "scale", "alpha", "beta", "quiet", "as_json"),
}
"""Options that do not ask for play."""


class CountedReport(msgspec.Struct, frozen=True):
    """Report on counted results, from the side of the bot that may have gained."""

    schema: str
    arena: str
    verdict: Verdict
    """Verdict; ``inconclusive``: more games are needed."""
    llr: float
    bounds: tuple[float, float]
    elo0: float
    elo1: float
    scale: Scale
    alpha: float
    beta: float
    block_games: int
    blocks: int
    games: int
    histogram: tuple[tuple[float, int], ...]
    """Numbers of blocks by score, ascending."""
    score: Range
    elo: Range
    nelo: Range
    los: float | None
    games_left: int | None
    """Expected games to a verdict at the strength seen; None after a verdict, or without spread."""


def answer_of(counts: Mapping[float, int], size: int, test: Hypotheses) -> CountedReport:
    """Return the document for ``counts``, numbers of blocks of ``size`` games by score."""
    blocks = sum(counts.values())
    found = verdict(counts, size, test)
    ratio = llr(counts, size, test)
    seen = {value: number for value, number in counts.items() if number}
    return CountedReport(
        schema=SCHEMA,
        arena=__version__,
        verdict=found or Verdict.INCONCLUSIVE,
        llr=ratio,
        bounds=test.bounds,
        elo0=test.elo0,
        elo1=test.elo1,
        scale=test.scale,
        alpha=test.alpha,
        beta=test.beta,
        block_games=size,
        blocks=blocks,
        games=size * blocks,
        histogram=tuple(sorted(counts.items())),
        score=mean_range(seen),
        elo=elo_range(seen),
        nelo=nelo_range(seen, size, Measure.PLACES),
        los=superiority_of(seen, Measure.PLACES),
        games_left=None if found else _left(seen, size, test, ratio),
    )


def _left(counts: Mapping[float, int], size: int, test: Hypotheses, ratio: float) -> int | None:
    spread = moments(counts)
    if spread is None or spread.variance <= 0:
        return None
    deviation = (size * spread.variance) ** 0.5
    nelo = (spread.mean - 0.5) / deviation * NELO
    least = size * max(0, LEAST_BLOCKS - sum(counts.values()))
    return max(least, lengths.games_left(test, nelo, ratio, deviation=deviation, block_games=size))


def counts_of(pairs: str | None, games: str | None) -> tuple[dict[float, int], int]:
    """Return the numbers of blocks by score, and the games of a block.

    ``pairs`` and ``games`` are the texts of ``--pairs`` and ``--wdl``, of which one is given.
    Raises BadInput.
    """
    if (pairs is None) == (games is None):
        raise BadInput("found both --pairs and --wdl, expected one of them")
    if pairs is not None:
        numbers = _numbers("--pairs", pairs, "LL,LD,DD,WD,WW")
        return dict(zip(_PAIRS, numbers, strict=True)), 2
    numbers = _numbers("--wdl", games or "", "W,D,L")
    return dict(zip(_GAMES, numbers, strict=True)), 1


def _numbers(flag: str, text: str, form: str) -> list[int]:
    parts = [part.strip() for part in text.split(",")]
    wanted = form.count(",") + 1
    is_sound = all(part.isascii() and part.isdecimal() for part in parts)
    if len(parts) != wanted or not is_sound:
        raise BadInput(f"{flag}: found {quote(text)}, expected {wanted} whole numbers: {form}")
    if any(len(part) > _DIGITS for part in parts):
        raise BadInput(f"{flag}: found {quote(text)}, expected numbers of {_DIGITS} digits at most")
    numbers = [int(part) for part in parts]
    if not any(numbers):
        raise BadInput(f"{flag}: found no games in {quote(text)}, expected some")
    return numbers


def counted_lines(answer: CountedReport) -> Iterator[str]:
    """Yield the lines of the answer, the verdict first."""
    lower, upper = answer.bounds
    unit = "nElo" if answer.scale is Scale.NORMALIZED else "Elo"
    yield f"{answer.verdict.upper()}  {_reason(answer, unit)}"
    yield f"LLR     {answer.llr:.2f}, ends at {lower:.2f} and {upper:.2f}"
    yield (
        f"test    {signed_short(answer.elo0, 2)} against {signed_short(answer.elo1, 2)} {unit}, "
        f"alpha {answer.alpha:g}, beta {answer.beta:g}"
    )
    kind = "pairs" if answer.block_games == 2 else "games"
    shown = " ".join(f"{number:,}" for _, number in answer.histogram)
    yield f"{kind}   {answer.blocks:,}, from worst to best: {shown}"
    yield f"score   {words.range_words(answer.score, words.score)}"
    yield f"Elo     {words.range_words(answer.elo, words.elo)}"
    yield f"nElo    {words.range_words(answer.nelo, words.elo)}"
    if answer.los is not None:
        yield f"LOS     {likelihood(answer.los)}"
    if answer.verdict is not Verdict.INCONCLUSIVE:
        yield "a test that stops at its verdict shows more than there is: Elo is biased"


def _reason(answer: CountedReport, unit: str) -> str:
    low, high = signed_short(answer.elo0, 2), signed_short(answer.elo1, 2)
    match answer.verdict:
        case Verdict.PASS:
            return f"{high} {unit} is accepted against {low}"
        case Verdict.FAIL:
            return f"{low} {unit} is accepted against {high}"
    if answer.blocks < LEAST_BLOCKS:
        return f"no verdict before {LEAST_BLOCKS} blocks"
    if answer.games_left is None:
        return "more games are needed"
    return f"more games are needed, about {answer.games_left:,} at the strength seen"


class CountedComparison(Comparison[CountedReport]):
    """Answer on results that were counted elsewhere; it has no files."""

    has_files = False

    def headline(self, show: words.Show = words.name) -> str:
        """See Comparison."""
        return next(counted_lines(self.report))

    def text(self, *, width: int | None = None, color: bool = False) -> str:
        """See Comparison."""
        return "\n".join(counted_lines(self.report)) + "\n"


def compare_counted(options: CompareOptions, listener: Listener) -> Comparison[CountedReport]:
    """Apply the sequential test to results that were counted elsewhere. Raises BadInput."""
    names = [each.name for each in dataclasses.fields(options) if each.name not in _OF_TEST]
    for flag in options.given(["bots", *names]):
        given = "--pairs" if options.pairs is not None else "--wdl"
        raise BadInput(f"found {flag} beside {given}, expected no bots and nothing to play")
    bounds = options.elo0, options.elo1
    mode = options.mode if bounds == (None, None) else None
    test = hypotheses(mode, *bounds, options.scale, (options.alpha, options.beta))
    counts, size = counts_of(options.pairs, options.wdl)
    check(test, size)
    return CountedComparison(answer_of(counts, size, test))
