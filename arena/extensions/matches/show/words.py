"""Words common to all forms of a match report: the verdict, the figures, the remarks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from math import floor, log10
from typing import Final, NamedTuple, TypeAlias

from arena.extensions.matches.statistics.match import LEAST_DISTINCT, NOTHING_NEW
from arena.extensions.matches.statistics.numbers import even_of
from arena.extensions.matches.statistics.report import (
    Criteria,
    DisciplineReport,
    Distinct,
    MatchReport,
    MatchSide,
    Measure,
    Range,
    Scale,
    Verdict,
)
from arena.values import clean
from arena.values.numbers import NOTHING, count, likelihood, percent, signed

NAME_COLUMNS: Final = 40
"""Most terminal columns of a contestant's name; longer names are cut."""
PENTANOMIAL: Final = {0.0: "LL", 0.25: "LD", 0.5: "LW, DD", 0.75: "DW", 1.0: "WW"}
"""Results of the two games of a deal, by the score of their block."""
MOST_ROWS: Final = 12
"""Most rows of a histogram; more values are grouped into bins."""

COLORS: Final = {
    Verdict.PASS: "1;32",
    Verdict.FAIL: "1;31",
    Verdict.INCONCLUSIVE: "1;33",
    Verdict.INVALID: "1;35",
}
"""Terminal attributes of a verdict."""

_DIGITS: Final = 12
"""Number of digits shown of a digest or a commit."""

Write = Callable[[float], str]
"""Function that formats a number for people."""
Show: TypeAlias = Callable[[str], str]
"""Function that shortens a name, or makes it harmless."""


class Bin(NamedTuple):
    """A row of a histogram."""

    label: str
    blocks: int
    share: float
    """Share of all blocks."""


class Fact(NamedTuple):
    """A figure with its label."""

    label: str
    value: str


def name(text: str) -> str:
    """Return a contestant's name for a terminal or plain file; a long path keeps its end."""
    return clean.cut(line(text)[::-1], NAME_COLUMNS)[::-1]


def named(sides: Sequence[MatchSide], show: Show = name) -> list[str]:
    """Return contestants as given by the user, equal ones with the digests of their files."""
    given = [show(side.called) for side in sides]
    return [
        f"{shown} ({show(side.digest[:_DIGITS])})" if given.count(shown) > 1 else shown
        for side, shown in zip(sides, given, strict=True)
    ]


def line(text: str) -> str:
    """Return the text on one line, harmless in a log too.

    CI systems execute lines that begin with ``::`` or contain ``##[`` as commands, and a wrapped
    text may begin a line anywhere; others attach the files named behind ``[[ATTACHMENT|``.
    """
    shown = clean.plain(text)
    for mark in ("::", "##[", "[["):
        while mark in shown:
            shown = shown.replace(mark, f"{mark[:-1]} {mark[-1]}")
    return shown


def claim(report: MatchReport, show: Show = name) -> str:
    """Return the claim of the verdict about the two contestants, without a full stop."""
    candidate, baseline = named((report.candidate, report.baseline), show)
    match report.verdict:
        case Verdict.PASS:
            return f"{candidate} {_above(report.test, baseline)}"
        case Verdict.FAIL:
            return f"{candidate} {_below(report.test, baseline)}"
        case Verdict.INCONCLUSIVE:
            return f"no verdict on {candidate} against {baseline}"
        case Verdict.INVALID:
            return f"{candidate} cannot be judged against {baseline}"


def _above(test: Criteria, baseline: str) -> str:
    """Return the claim if H0 is rejected: the candidate is better than ``elo0``."""
    by = elo_words(abs(test.elo0), test.scale)
    if test.elo0 == 0:
        return f"is stronger than {baseline}"
    if test.elo0 > 0:
        return f"is stronger than {baseline} by more than {by}"
    return f"is not weaker than {baseline} by {by}"


def _below(test: Criteria, baseline: str) -> str:
    """Return the claim if H1 is rejected: the candidate is worse than ``elo1``."""
    by = elo_words(abs(test.elo1), test.scale)
    if test.elo1 == 0:
        return f"is weaker than {baseline}"
    if test.elo1 < 0:
        return f"is weaker than {baseline} by more than {by}"
    return f"is not stronger than {baseline} by {by}"


def sentence(report: MatchReport, show: Show = name, reason: Show = line) -> str:
    """Return the claim and its evidence as a sentence to quote, without a full stop."""
    return f"{claim(report, show)}: {evidence(report, reason)}"


def evidence(report: MatchReport, show: Show = line) -> str:
    """Return what the claim rests on, without a full stop.

    That is the estimate and the games of a verdict, whose reason would repeat the claim, or else
    the reason.
    """
    if report.verdict not in (Verdict.PASS, Verdict.FAIL):
        return show(report.reason)
    games = count(report.games_counted, "game")
    if len(report.games) > 1:
        games += f" of {len(report.games)} disciplines"
    return show(" in ".join(filter(None, (strength(report), games))))


def elo_words(elo: float, scale: Scale) -> str:
    """Return a difference with its unit, such as ``40 nElo``."""
    return f"{elo:g} {'nElo' if scale is Scale.NORMALIZED else 'Elo'}"


def settings_words(test: Criteria) -> str:
    """Return words such as ``gain: H0 at most 0, H1 at least 40 nElo; alpha = beta = 0.05``."""
    high = elo_words(test.elo1, test.scale)
    errors = f"alpha = beta = {test.alpha:g}"
    if test.alpha != test.beta:
        errors = f"alpha = {test.alpha:g}, beta = {test.beta:g}"
    return f"{line(test.mode)}: H0 at most {test.elo0:g}, H1 at least {high}; {errors}"


def range_words(found: Range, write: Write) -> str:
    """Return words such as ``+35 (+7 to +64)``, ``> +530`` for a limit alone, or a dash.

    ``write``: function that writes one number.
    """
    low = None if found.low is None else write(found.low)
    high = None if found.high is None else write(found.high)
    if low is not None and high is not None:
        limits = f"{low} to {high}"
    elif low is not None:
        limits = f"> {low}"
    else:
        limits = NOTHING if high is None else f"< {high}"
    if found.value is None:
        return limits
    value = write(found.value)
    return value if limits == NOTHING else f"{value} ({limits})"


two_decimals: Final[Write] = partial(signed, decimals=2)
"""Formatter of numbers such as ``+0.25``."""


def elo(value: float) -> str:
    """Return an Elo such as ``+35``, with a decimal where it is significant."""
    return f"{value:+.1f}" if 0.05 <= abs(value) < 9.95 else f"{round(value):+d}"


def score(share: float) -> str:
    """Return a score in percent, cut to 0 to 100, because intervals may end outside."""
    return percent(min(1.0, max(0.0, share)))


def strength(report: MatchReport) -> str:
    """Return the strength in a few words; empty for several games and for an invalid match."""
    if len(report.games) != 1 or report.verdict is Verdict.INVALID:
        return ""
    game = report.games[0]
    if game.measure is Measure.MARGIN:
        return "" if game.mean.value is None else f"margin {range_words(game.mean, signed_digits)}"
    words = range_words(game.elo, elo)
    return "" if words == NOTHING else f"Elo {words}"


def average(report: MatchReport) -> str:
    """Return the strength over several disciplines; empty for one, or if nothing is known."""
    if (found := report.estimate) is None or len(report.games) == 1:
        return ""
    return f"nElo {range_words(found.nelo, elo)}, LOS {likelihood(found.los)}, on average"


def title(game: DisciplineReport) -> str:
    """Return a title such as ``Dragonheart, Kosmos edition: 1 v 1, 84 blocks of 2 games``."""
    blocks = f"{count(game.blocks, 'block')} of {count(game.block_games, 'game')}"
    return f"{name(game.title or game.discipline)}: {name(game.lineup)}, {blocks}"


def facts(game: DisciplineReport) -> Iterator[Fact]:
    """Yield the figures of one game that are known."""
    if game.measure is Measure.PLACES:
        yield from _known("score", game.mean, score)
        yield from _known("Elo", game.elo, elo)
    else:
        yield from _known("margin", game.mean, signed_digits)
    yield from _known("nElo", game.nelo, elo)
    if game.los is not None:
        yield Fact("LOS", likelihood(game.los))
    if played := game.wins + game.draws + game.losses:
        draws = percent(game.draws / played)
        unit = "games" if game.seats > 1 else "deals"
        yield Fact(unit, f"{game.wins} won, {game.draws} drawn ({draws}), {game.losses} lost")
    if any(seat.low is not None for seat in game.seats_worth):
        seats = ", ".join(_seat(seat) for seat in game.seats_worth)
        yield Fact("seats", f"{seats} % by seat, over all who sit there")
    if game.correlation.value is not None:
        yield Fact("luck", _luck(game))
    if game.measure is Measure.PLACES:
        yield from _known("margin", game.margin, signed_digits)
    if game.distinct is not None:
        yield Fact("unique", distinct(game, game.distinct))
    if game.unscored:
        yield Fact("besides", f"{count(game.unscored, 'block')} without a score")


def distinct(game: DisciplineReport, found: Distinct) -> str:
    """Return ``40 of 100 games, 20 of 50 blocks; errors and tests count 18.2 blocks``."""
    blocks = game.blocks + game.unscored
    words = f"{found.games:,} of {count(game.games, 'game')}, {found.blocks:,} of {blocks:,} blocks"
    return f"{words}; errors and tests count {found.effective:.1f} blocks"


def is_repeating(report: MatchReport) -> bool:
    """Return whether a match ended because further games would only repeat earlier ones."""
    return any(g.distinct is not None and g.distinct.since_new >= NOTHING_NEW for g in report.games)


def _known(label: str, found: Range, write: Write) -> Iterator[Fact]:
    words = range_words(found, write)
    if words != NOTHING:
        yield Fact(label, words)


def _seat(worth: Range) -> str:
    if worth.value is None:
        return NOTHING
    if worth.low is None or worth.high is None:
        return f"{100 * worth.value:.1f}"
    return f"{100 * worth.value:.1f} ±{50 * (worth.high - worth.low):.1f}"


def _luck(game: DisciplineReport) -> str:
    """Return the correlation in words; savings of mirrored deals only where they exceed chance."""
    found = game.correlation
    words = f"correlation {range_words(found, two_decimals)} in a block"
    if found.low is None or found.high is None or game.luck_ratio is None:
        return words
    if found.low <= 0 <= found.high:
        return f"{words}: 0 is not ruled out"
    saved = round(100 * (1 - game.luck_ratio))
    if saved > 0:
        return f"{words}: mirrored deals save {saved} % of the games"
    return words if saved == 0 else f"{words}: mirrored deals cost {-saved} % more games"


def bins(game: DisciplineReport) -> list[Bin]:
    """Return the histogram, ascending, in at most ``MOST_ROWS`` rows; empty without blocks."""
    total = sum(blocks for _, blocks in game.histogram)
    if not total:
        return []
    if len(game.histogram) > MOST_ROWS:
        return [Bin(label, blocks, blocks / total) for label, blocks in _wide(game)]
    return [Bin(_label(game, value), n, n / total) for value, n in game.histogram]


def _label(game: DisciplineReport, value: float) -> str:
    if game.measure is Measure.MARGIN:
        return "0" if value == 0 else signed_digits(value)
    pair = game.seats == 2 and game.block_games == 2
    return PENTANOMIAL.get(value, f"{value:.3g}") if pair else f"{value:.3f}"


def _wide(game: DisciplineReport) -> Iterator[tuple[str, int]]:
    """Yield bins of one round width; a bin that begins at the last value has this value alone."""
    first, last = game.histogram[0][0], game.histogram[-1][0]
    width = _round_width((last - first) / (MOST_ROWS - 1))
    start = _bin(first, width)
    found = [0] * (_bin(last, width) - start + 1)
    for value, blocks in game.histogram:
        found[_bin(value, width) - start] += blocks
    digits = max(0, -floor(log10(width) + 1e-9))
    sign = "+" if game.measure is Measure.MARGIN else ""
    for k, blocks in enumerate(found, start):
        low, high = (
            f"{each * width + 0.0:{sign if each else ''}.{digits}f}" for each in (k, k + 1)
        )
        yield low if abs(k * width - last) < width * 1e-6 else f"{low} to {high}", blocks


def _bin(value: float, width: float) -> int:
    return floor(value / width + 1e-9)


def _round_width(least: float) -> float:
    """Return the smallest of 1, 2, 5 times a power of ten that is not below ``least``."""
    power = 10.0 ** floor(log10(least))
    return next(k * power for k in (1, 2, 5, 10) if k * power >= least * (1 - 1e-9))


def faults(side: MatchSide, show: Show = name) -> str:
    """Return words such as ``greedy: 3 timeout, 1 crash in 168 games``."""
    kinds: Mapping[str, int] = side.faults
    shown = ", ".join(f"{number} {line(kind)}" for kind, number in kinds.items() if number)
    return f"{show(side.called)}: {shown or 'none'} in {count(side.games, 'game')}"


def counted(report: MatchReport) -> str:
    """Return words on how many games count, and how many more are stored."""
    words = f"{count(report.games_counted, 'game')} in {count(report.blocks, 'block')}"
    beyond = report.games_stored - report.games_counted
    if beyond > 0:
        words += f"; {beyond} more {'is' if beyond == 1 else 'are'} stored and not counted"
    return words


def remarks(report: MatchReport) -> Iterator[str]:
    """Yield sentences that explain the figures, without a full stop."""
    if report.verdict in (Verdict.PASS, Verdict.FAIL) and len(report.games) > 1:
        yield (
            "verdict and average are about all disciplines together and allow for the stop of the "
            "test; the figures of a single discipline do not"
        )
    if report.run and any(each.faults for each in (report.candidate, report.baseline)):
        yield f"what bots wrote to standard error: {line(report.run)}/logs"
    if _came_out_even(report):
        yield "--allow-identical judges them all the same"
    if report.verdict is Verdict.INCONCLUSIVE and report.games_left is not None:
        yield f"about {report.games_left:,} more games until a verdict, at the strength seen so far"


def _came_out_even(report: MatchReport) -> bool:
    """Return whether a match is invalid only because all its games ended even."""
    sides = (report.candidate, report.baseline)
    return (
        report.verdict is Verdict.INVALID
        and not report.test.may_be_alike
        and not any(sum(side.faults.values()) for side in sides)
        and all(game.mean.value == even_of(game.measure) for game in report.games)
        and all(g.distinct is None or g.distinct.blocks >= LEAST_DISTINCT for g in report.games)
    )


def origin(side: MatchSide, show: Show = name) -> str:
    """Return the name in tables and records, the commit and the files of a bot, as far as known."""
    parts = [show(side.name)] if side.called != side.name else []
    parts += [f"commit {line(side.revision)[:_DIGITS]}"] if side.revision else []
    parts += [f"files {line(side.digest)[:_DIGITS]}"] if side.digest else []
    return f"{show(side.called)}: {', '.join(parts)}" if parts else ""


def signed_digits(value: float) -> str:
    """Return ``+12.3``, with three significant digits."""
    digits = 2 if value == 0 else max(0, 2 - floor(log10(abs(value))))
    return f"{value:+,.{min(digits, 4)}f}"
