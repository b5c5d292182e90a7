"""``arena sprt``: a sequential test of results that were counted elsewhere."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Final

import msgspec
import typer

from arena import __version__
from arena.cli.terminal.console import Exit, out
from arena.documents.bad_input import BadInput
from arena.documents.problems import quote
from arena.ratings.match.numbers import elo_range, mean_range, moments, nelo_range, superiority_of
from arena.ratings.match.report import Measure, Range
from arena.ratings.match.sprt import LEAST_BLOCKS, NELO, Hypotheses, llr, verdict
from arena.ratings.match.verdicts import Scale, Verdict
from arena.ratings.planning import planner
from arena.studies.plan.planner import HypothesesOptions, check, hypotheses
from arena.text.numbers import NOTHING, signed_short

SCHEMA: Final = "arena.sprt/1"
_PAIRS: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Scores of LL, LD, DD and WL, WD, WW."""
_GAMES: Final = (1.0, 0.5, 0.0)
"""Scores of W, D, L."""
_MOST: Final = 10**12
_CODES: Final = {
    Verdict.PASS: Exit.DONE,
    Verdict.FAIL: Exit.FAIL,
    Verdict.INCONCLUSIVE: Exit.INCONCLUSIVE,
}


@dataclasses.dataclass(frozen=True, kw_only=True)
class SprtOptions(HypothesesOptions):
    """What was asked for on the command line."""

    pairs: str | None = None
    games: str | None = None


class Answer(msgspec.Struct, frozen=True):
    """The whole document. Everything from the side of the one that may have gained."""

    schema: str
    arena: str
    verdict: Verdict
    """``inconclusive``: more games are needed."""
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
    """Blocks by their score, ascending."""
    score: Range
    elo: Range
    nelo: Range
    los: float | None
    games_left: int | None
    """Expected at the strength seen so far; None once there is a verdict, or without spread."""


def print_test(options: SprtOptions) -> None:
    """Compute, print, and end with the code of the verdict. Raises BadInput."""
    errors = options.alpha, options.beta
    test = hypotheses(options.mode, options.elo0, options.elo1, options.scale, errors)
    counts, size = _counts(options)
    check(test, size)
    answer = answer_of(counts, size, test)
    if options.as_json:
        out(msgspec.json.format(msgspec.json.encode(answer), indent=2).decode())
    else:
        out("\n".join(_lines(answer)))
    if answer.verdict is not Verdict.PASS:
        raise typer.Exit(_CODES[answer.verdict])


def answer_of(counts: Mapping[float, int], size: int, test: Hypotheses) -> Answer:
    """The document for blocks of ``size`` games by their score."""
    blocks = sum(counts.values())
    found = verdict(counts, size, test)
    ratio = llr(counts, size, test)
    seen = {value: number for value, number in counts.items() if number}
    return Answer(
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
    least = size * max(0, LEAST_BLOCKS - spread.blocks)
    return max(least, planner.games_left(test, nelo, ratio, deviation=deviation, block_games=size))


def _counts(options: SprtOptions) -> tuple[dict[float, int], int]:
    """Blocks by their score, and how many games each has."""
    if (options.pairs is None) == (options.games is None):
        raise BadInput("expected either --pairs LL,LD,DD,WD,WW or --games W,D,L")
    if options.pairs is not None:
        numbers = _numbers("--pairs", options.pairs, "LL,LD,DD,WD,WW")
        return dict(zip(_PAIRS, numbers, strict=True)), 2
    numbers = _numbers("--games", options.games or "", "W,D,L")
    return dict(zip(_GAMES, numbers, strict=True)), 1


def _numbers(flag: str, text: str, form: str) -> list[int]:
    parts = [part.strip() for part in text.split(",")]
    wanted = form.count(",") + 1
    is_sound = all(part.isascii() and part.isdecimal() and len(part) <= 13 for part in parts)
    if len(parts) != wanted or not is_sound or max(map(int, parts)) > _MOST:
        raise BadInput(f"{flag}: found {quote(text)}, expected {wanted} whole numbers: {form}")
    numbers = [int(part) for part in parts]
    if not any(numbers):
        raise BadInput(f"{flag}: found no games in {quote(text)}, expected some")
    return numbers


def _lines(answer: Answer) -> Iterator[str]:
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
    yield f"score   {_range(answer.score, percent=True)}"
    yield f"Elo     {_range(answer.elo)}"
    yield f"nElo    {_range(answer.nelo)}"
    if answer.los is not None:
        yield f"LOS     {_likelihood(answer.los)}"
    if answer.verdict is not Verdict.INCONCLUSIVE:
        yield "a test that stops at its verdict shows more than there is: Elo is biased"


def _likelihood(los: float) -> str:
    if 0.001 <= los <= 0.999:
        return f"{100 * los:.1f} %"
    return "more than 99.9 %" if los > 0.5 else "less than 0.1 %"


def _reason(answer: Answer, unit: str) -> str:
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


def _range(found: Range, *, percent: bool = False) -> str:
    def shown(value: float) -> str:
        return f"{100 * value:.1f}" if percent else f"{value:+.1f}"

    unit = " %" if percent else ""
    low = None if found.low is None else shown(found.low)
    high = None if found.high is None else shown(found.high)
    if found.value is None:
        if low is None and high is None:
            return NOTHING
        return f"> {low}{unit}" if high is None else f"< {high}{unit}"
    if low is None or high is None:
        return f"{shown(found.value)}{unit}"
    return f"{shown(found.value)}{unit}, 95 %: {low} to {high}{unit}"
