"""The test of results that were counted elsewhere, as text for people."""

from __future__ import annotations

from collections.abc import Iterator

from arena.ratings.match.report import Range, Scale, Verdict
from arena.ratings.match.sprt import LEAST_BLOCKS
from arena.studies.match.counted import CountedReport
from arena.text.numbers import NOTHING, signed_short


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
