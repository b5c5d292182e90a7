"""A match on a terminal: the verdict in one sentence, then the figures behind it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from wcwidth import wcswidth

from arena.extensions.matches.show import words
from arena.extensions.matches.statistics.match import Match
from arena.extensions.matches.statistics.report import DisciplineReport, MatchReport, Range, Verdict
from arena.values import clean
from arena.values.numbers import NOTHING, fixed

_WIDTH: Final = 80
_WIDEST: Final = 100
"""Most columns of text, also on a wider terminal: long lines are hard to read."""
_NARROWEST: Final = 40
_INDENT: Final = 10
"""Columns of the labels."""
_BAR: Final = 32
_EIGHTHS: Final = " ▏▎▍▌▋▊▉"


def text(report: MatchReport, *, width: int | None = None, color: bool = False) -> str:
    """Return the report for a terminal of ``width`` columns (None: 80), with a final newline.

    The first line begins with the verdict in capitals. ``color``: with terminal escape codes.
    """
    columns = _WIDTH if width is None else max(_NARROWEST, min(width, _WIDEST))
    lines = [*_head(report, columns, color), ""]
    lines += _entry("LLR", ratio(report.llr, report.bounds, columns - _INDENT), columns)
    lines += _entry("test", words.settings_words(report.test), columns)
    lines += _entry("played", words.counted(report), columns)
    if said := words.average(report):
        lines += _entry("estimate", said, columns)
    for game in report.games:
        share = f"{game.llr:+.2f}" if len(report.games) > 1 else ""
        lines += [
            "",
            _styled(clean.cut(words.title(game), columns), "1", color),
            *_game(game, share, columns),
        ]
    lines += ["", *_tail(report, columns)]
    return "\n".join(lines) + "\n"


_AGAIN: Final = {
    Verdict.PASS: "the same command answers from it",
    Verdict.FAIL: "the same command answers from it",
    Verdict.INCONCLUSIVE: "the same command with more games or time continues",
    Verdict.INVALID: "the same command answers from it; to play again, delete it",
}


def match_line(match: Match) -> str:
    """Return the progress of a match as one line without a newline."""
    found = match.elo(), match.blocks, match.games_left()
    return live(match.llr, match.bounds, *found)


def live(
    llr: float, bounds: tuple[float, float], elo_found: Range, blocks: int, games_left: int | None
) -> str:
    """Return the progress of a match as one line without a newline.

    ``llr``: log-likelihood ratio between ``bounds``. ``elo_found``: Elo so far. ``games_left``:
    expected number until the verdict; None if unknown.
    """
    lower, upper = bounds
    parts = [f"LLR {fixed(llr, 2)} ({lower:.2f}, {upper:.2f})"]
    if said := _half_width(elo_found):
        parts.append(f"Elo {said}")
    parts.append(f"block {blocks}")
    if games_left is not None:
        parts.append(f"about {games_left:,} games left")
    return "  ".join(parts)


def _half_width(found: Range) -> str:
    """Return a range such as ``+35 ±28``; empty for an unknown one."""
    if found.value is None or found.low is None or found.high is None:
        shown = words.range_words(found, words.elo)
        return "" if shown == NOTHING else shown
    return f"{words.elo(found.value)} ±{(found.high - found.low) / 2:.0f}"


def _head(report: MatchReport, columns: int, color: bool) -> list[str]:
    word = report.verdict.upper()
    lines = _wrapped(words.sentence(report), columns - len(word) - 2)
    first = f"{_styled(word, words.COLORS[report.verdict], color)}  {lines[0]}"
    return [first, *(f"{'':{len(word)}}  {more}" for more in lines[1:])]


def ratio(llr: float, bounds: tuple[float, float], columns: int) -> str:
    """Return a text scale of at most ``columns`` columns that marks ``llr`` between ``bounds``.

    Without enough columns the numbers are returned in words.
    """
    lower, upper = bounds
    ends = f"{fixed(llr, 2)}   {lower:.2f} ", f" {upper:.2f}"
    cells = min(41, columns - sum(map(len, ends)))
    if cells < 11 or not lower < upper:
        return f"{fixed(llr, 2)} between {lower:.2f} and {upper:.2f}"
    axis = ["─"] * cells
    axis[_cell(0.0, bounds, cells)] = "┼"
    axis[_cell(llr, bounds, cells)] = "●"
    return "".join((ends[0], *axis, ends[1]))


def _cell(value: float, bounds: tuple[float, float], cells: int) -> int:
    lower, upper = bounds
    share = (value - lower) / (upper - lower)
    return round(min(1.0, max(0.0, share)) * (cells - 1))


def _game(game: DisciplineReport, share: str, columns: int) -> Iterator[str]:
    if game.blocks == 0 and not game.unscored:
        yield "  no block is finished"
        return
    rows = words.bins(game)
    most = max((row.blocks for row in rows), default=0)
    wide = max((wcswidth(row.label) for row in rows), default=0)
    digits = len(str(most))
    for row in rows:
        label = row.label + " " * (max(_INDENT - 4, wide) - wcswidth(row.label))
        bar = _bar(row.blocks / most)
        yield f"  {label}  {row.blocks:{digits}d}  {100 * row.share:5.1f} %  {bar}".rstrip()
    if game.blocks and not rows:
        yield "  more different values than can be shown"
    for fact in words.facts(game):
        yield from _entry(f"  {fact.label}", fact.value, columns)
    if share:
        yield from _entry("  LLR", f"{share} of the whole", columns)


def _bar(share: float) -> str:
    """Return a bar for ``share``, at least an eighth of a cell if ``share`` is above 0."""
    eighths = round(share * _BAR * 8)
    if share > 0:
        eighths = max(eighths, 1)
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


def _tail(report: MatchReport, columns: int) -> Iterator[str]:
    sides = (report.candidate, report.baseline)
    if any(sum(side.faults.values()) for side in sides):
        yield from _entries("faults", map(words.faults, sides), columns)
    else:
        yield from _entry("faults", "none", columns)
    yield from _entries("bots", filter(None, map(words.origin, sides)), columns)
    yield from _entries("note", words.remarks(report), columns)
    if report.run:
        run = shlex.quote(words.line(report.run))
        yield from _entry("run", f"{run} ({_again(report)})", columns)


def _again(report: MatchReport) -> str:
    if report.verdict is Verdict.INCONCLUSIVE and words.is_repeating(report):
        return _AGAIN[Verdict.FAIL]
    return _AGAIN[report.verdict]


def _entries(label: str, values: Iterable[str], columns: int) -> Iterator[str]:
    for k, value in enumerate(values):
        yield from _entry("" if k else label, value, columns)


def _entry(label: str, value: str, columns: int) -> list[str]:
    """Return a label with its value beside it, wrapped in its own column."""
    heads = [f"{label:{_INDENT}}", *[" " * _INDENT] * value.count(" ")]
    wrapped = _wrapped(value, columns - _INDENT)
    return [head + part for head, part in zip(heads, wrapped, strict=False)]


def _wrapped(value: str, columns: int) -> Sequence[str]:
    """Return lines of whole words; a word that is too long has its own line and is not cut."""
    lines: list[str] = []
    for word in value.split(" "):
        if lines and wcswidth(f"{lines[-1]} {word}") <= columns:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def _styled(shown: str, code: str, color: bool) -> str:
    return f"\x1b[{code}m{shown}\x1b[0m" if color else shown
