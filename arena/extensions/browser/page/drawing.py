"""Drawings of a page as SVG: axes, strips in tables, curves over deals, and clouds of deals.

A strip is as wide as its cell, so that rows can be compared. Its places are in percent and its
heights in pixels, so it fits any width and its text stays legible. The facts of a drawing are also
written beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil, floor, log10
from typing import Final, NamedTuple

import markupsafe
from markupsafe import Markup

from arena.values import clean
from arena.values.numbers import PlotScale, short_duration
from arena.values.titles import called
from arena.views.cells import Axis, Bar, Bins, Strip
from arena.views.tables import Sign

_STEPS: Final = (1, 2, 5, 10)


def log_over(values: Sequence[float]) -> PlotScale:
    """Return a logarithmic scale that holds all values, from and to a power of ten."""
    above = [value for value in values if value > 0] or [1.0]
    first, last = floor(log10(min(above)) + 1e-9), ceil(log10(max(above)) - 1e-9)
    return PlotScale(10.0**first, 10.0 ** max(last, first + 1), is_log=True)


def ticks(scale: PlotScale, most: int = 6) -> list[float]:
    """Return at most ``most`` round numbers on a scale; powers of ten if it is logarithmic."""
    if scale.is_log:
        powers = range(round(log10(scale.low)), round(log10(scale.high)) + 1)
        every = -(-len(powers) // most)
        return [10.0**power for power in powers[::every]]
    step = _round_step((scale.high - scale.low) / max(1, most - 1))
    first = ceil(scale.low / step - 1e-9)
    last = floor(scale.high / step + 1e-9)
    return [k * step + 0.0 for k in range(first, last + 1)]


def _round_step(least: float) -> float:
    power = 10.0 ** floor(log10(least))
    return next(step * power for step in _STEPS if step * power >= least * (1 - 1e-9))


def tick_text(value: float) -> str:
    """Return a number of an axis as text, without needless zeros."""
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:g}"


def escape(text: str) -> Markup:
    """Return text as HTML, without characters that a browser obeys; Markup is HTML already."""
    return text if isinstance(text, Markup) else markupsafe.escape(clean.shown(text))


def markup(pattern: str, *values: object) -> Markup:
    """Return ``Markup(pattern).format(…)`` in a third of the time.

    Values are strings and numbers. Strings are escaped, except for Markup.
    """
    found = [escape(value) if isinstance(value, str) else value for value in values]
    return Markup(pattern.format(*found))


def svg(kind: str, size: str, title: str, parts: Iterable[Markup]) -> Markup:
    """Return a drawing with its title; ``size``: attributes that say how large it is."""
    return markup(
        '<svg class="{}" {} role="img" aria-label="{}"><title>{}</title>{}</svg>',
        *(kind, Markup(size), title, title, Markup("").join(parts)),
    )


_STRIP: Final = 22
_TALL: Final = 34
_LEAST_BAR: Final = 1.5
"""Least height of a bar that is not empty, in pixels."""


def _svg(parts: Sequence[Markup], title: str, height: int = _STRIP) -> Markup:
    return svg("r-strip", f'width="100%" height="{height}"', title, parts)


def _line(x1: float, x2: float, y1: float, y2: float, kind: str) -> Markup:
    return markup(
        '<line class="{}" x1="{:.2f}%" x2="{:.2f}%" y1="{:g}" y2="{:g}"/>', kind, x1, x2, y1, y2
    )


def axis(head: Axis) -> Markup:
    """Return the numbers above a column of strips, with their unit."""
    scale, unit, most, are_times = head
    write = short_duration if are_times else tick_text
    marks = ticks(scale, most)
    parts = [
        markup(
            '<text class="{}" x="{:.2f}%" y="14" text-anchor="{}">{}</text>',
            "r-tick r-odd" if k % 2 and len(marks) > 3 else "r-tick",
            scale.at(mark),
            _anchor(scale.at(mark)),
            write(mark),
        )
        for k, mark in enumerate(marks)
    ]
    body = Markup("").join(parts)
    title = f"axis from {write(marks[0])} to {write(marks[-1])} {unit}" if marks else "axis"
    return markup(
        '<svg class="r-strip r-axis" width="100%" height="18" role="img" aria-label="{}">{}</svg>',
        title.strip(),
        body,
    )


def _anchor(place: float) -> str:
    if place < 8:
        return "start"
    return "end" if place > 92 else "middle"


def _grid(scale: PlotScale, height: int) -> list[Markup]:
    return [_line(scale.at(mark), scale.at(mark), 0, height, "r-grid") for mark in ticks(scale)]


def interval(strip: Strip) -> Markup:
    """Return a value with its interval; an end that is None gets an arrow to the edge."""
    scale, value, low, high, words, is_open, anchor = strip
    middle = _STRIP / 2
    parts = _grid(scale, _STRIP)
    if anchor is not None:
        parts.append(_line(scale.at(anchor), scale.at(anchor), 0, _STRIP, "r-anchor"))
    if value is not None:
        place = scale.at(value)
        left = 0.5 if low is None else scale.at(low)
        right = 99.5 if high is None else scale.at(high)
        if is_open or not (low is None and high is None):
            parts.append(_line(left, right, middle, middle, "r-reach"))
            parts += _ends(left, right, low, high, middle)
        kind = "r-dot r-open" if is_open else "r-dot"
        dot = f'<circle class="{{}}" cx="{place:.2f}%" cy="{middle:g}" r="4.5"/>'
        parts.append(markup(dot, kind))
    return _svg(parts, words)


def _ends(
    left: float, right: float, low: float | None, high: float | None, middle: float
) -> list[Markup]:
    """Return a bar for each end of an interval, and an arrow for each open side."""
    found = []
    for place, end, anchor, arrow in ((left, low, "start", "◂"), (right, high, "end", "▸")):
        if end is not None:
            found.append(_line(place, place, middle - 4, middle + 4, "r-reach"))
        else:
            where = f'x="{place:.2f}%" y="{middle + 4.5:g}" text-anchor="{anchor}"'
            found.append(markup(f'<text class="r-open-end" {where}>{{}}</text>', arrow))
    return found


def histogram(own: Bins) -> Markup:
    """Return bars, the largest at full height, with lines at the mean and the limit."""
    scale = own.scale
    most = max((count for _, _, count in own.bins), default=0)
    parts = _grid(scale, _TALL)
    for low, high, count in own.bins:
        if count:
            tall = max(_LEAST_BAR, (_TALL - 2) * count / most)
            left, right = scale.at(low), scale.at(high)
            wide = max(0.4, right - left - 0.15)
            shape = '<rect class="r-bar" x="{:.2f}%" width="{:.2f}%" y="{:.1f}" height="{:.1f}"/>'
            parts.append(markup(shape, left, wide, _TALL - tall, tall))
    for kind, place in (("r-mean", own.mean), ("r-limit", own.limit)):
        if place is not None:
            parts.append(_line(scale.at(place), scale.at(place), 0, _TALL, kind))
    return _svg(parts, own.words, _TALL)


def bar(own: Bar) -> Markup:
    """Return a bar over a share of the width."""
    width = 100 * min(1.0, max(0.0, own.share))
    rect = markup(f'<rect class="r-bar" x="0" y="3" width="{width:.2f}%" height="{_STRIP - 6}"/>')
    return _svg([rect], own.words)


_PLOT: Final = 230
_TOP: Final = 12
_BOTTOM: Final = 24
_SIDE: Final = 300
_ASIDE: Final = 40
"""Left end of the names of levels in pixels, beside the numbers."""
_UNIT: Final = 1000
"""Width and height of the inside of a plot of any size, in its own units."""
SERIES: Final = 8
"""Number of curves with colours and patterns of their own; further ones are grey."""


class Curve(NamedTuple):
    """A curve with its name."""

    name: str
    points: Sequence[tuple[float, float]]
    """Points, ascending by their first number."""
    kind: int | None = None
    """Colour and pattern, 0 to SERIES - 1; None: grey."""


class LevelLine(NamedTuple):
    """A line across a plot."""

    value: float
    label: str


class Curves(NamedTuple):
    """Curves in a frame of full width, with numbers on two axes."""

    across: PlotScale
    up: PlotScale
    curves: Sequence[Curve]
    title: str
    below: str
    """Unit of the numbers below."""
    levels: Sequence[LevelLine] = ()
    """Lines across the frame."""
    signs: Sequence[Sign] = ()

    def svg(self) -> Markup:
        """Return the drawing."""
        across, up = self.across, self.up
        feet = ticks(across, 5)
        inside = [
            *(_level(up, mark, "r-grid") for mark in ticks(up, 5)),
            *(_level(up, level.value, "r-bound") for level in self.levels),
            *(_curve(across, up, line) for line in self.curves),
        ]
        frame = (
            f'<svg y="{_TOP}" width="100%" height="{_PLOT - _TOP - _BOTTOM}" '
            f'viewBox="0 0 {_UNIT} {_UNIT}" preserveAspectRatio="none">{{}}</svg>'
        )
        parts = [
            markup(frame, Markup("").join(inside)),
            *(_side_number(up, mark) for mark in ticks(up, 5)),
            *(_level_name(up, level) for level in self.levels),
            *(_foot(across, mark, self.below if mark == feet[-1] else "") for mark in feet),
        ]
        return svg("r-plot", f'width="100%" height="{_PLOT}"', self.title, parts)

    def lines(self, width: int | None) -> Sequence[str]:
        """Return no lines: a terminal has the tables alone."""
        return ()


def _height(up: PlotScale, value: float) -> float:
    """Return the distance from the top, in units of the inside."""
    return _UNIT * (1 - up.at(value) / 100)


def _level(up: PlotScale, value: float, kind: str) -> Markup:
    y = f"{_height(up, value):.1f}"
    line = f'x1="0" x2="{_UNIT}" y1="{y}" y2="{y}" vector-effect="non-scaling-stroke"'
    return markup(f'<line class="{{}}" {line}/>', kind)


def _curve(across: PlotScale, up: PlotScale, line: Curve) -> Markup:
    points = " ".join(
        f"{_UNIT * across.at(x) / 100:.1f},{_height(up, y):.1f}" for x, y in line.points
    )
    kind = "r-other" if line.kind is None else f"r-series{line.kind}"
    drawn = f'class="r-curve {kind}" points="{points}" vector-effect="non-scaling-stroke"'
    return markup(f"<polyline {drawn}><title>{{}}</title></polyline>", called(line.name))


def _pixels(up: PlotScale, value: float) -> float:
    return _TOP + (_PLOT - _TOP - _BOTTOM) * _height(up, value) / _UNIT


def _side_number(up: PlotScale, mark: float) -> Markup:
    y = _pixels(up, mark) - 3
    return markup(f'<text class="r-tick" x="0" y="{y:.1f}">{{}}</text>', tick_text(mark))


def _level_name(up: PlotScale, level: LevelLine) -> Markup:
    """Return the name of a level, at the left, where curves are far from all levels."""
    y = _pixels(up, level.value) - 4
    return markup(
        f'<text class="r-tick r-strong" x="{_ASIDE}" y="{y:.1f}">{{}}</text>', level.label
    )


def _foot(across: PlotScale, mark: float, unit: str) -> Markup:
    place = across.at(mark)
    anchor = "end" if unit and place > 85 else "middle"
    where = f'x="{place:.2f}%" y="{_PLOT - 6}" text-anchor="{anchor}"'
    return markup(f'<text class="r-tick" {where}>{{}}</text>', f"{tick_text(mark)} {unit}".strip())


def _cloud_grid(scale: PlotScale, mark: float, room: int) -> list[Markup]:
    """Return a number on both axes, and its lines."""
    x = 34 + room * scale.at(mark) / 100
    y = 4 + room * (1 - scale.at(mark) / 100)
    kind = "r-zero" if mark == 0 else "r-grid"
    upright = f'x1="{x:.1f}" x2="{x:.1f}" y1="4" y2="{4 + room}"'
    level = f'x1="34" x2="{34 + room}" y1="{y:.1f}" y2="{y:.1f}"'
    below = f'x="{x:.1f}" y="{18 + room}" text-anchor="middle"'
    beside = f'x="30" y="{y + 4:.1f}" text-anchor="end"'
    return [
        *(markup(f'<line class="{{}}" {line}/>', kind) for line in (upright, level)),
        *(
            markup(f'<text class="r-tick" {at}>{{}}</text>', tick_text(mark))
            for at in (below, beside)
        ),
    ]


class Cloud(NamedTuple):
    """Dots (across, up, label) on one scale both ways."""

    scale: PlotScale
    dots: Sequence[tuple[float, float, str]]
    title: str
    below: str
    """Label of the axis below; ``beside``: of the other."""
    beside: str
    signs: Sequence[Sign] = ()

    def svg(self) -> Markup:
        """Return the drawing."""
        scale, room = self.scale, _SIDE - 40
        parts = [line for mark in ticks(scale, 5) for line in _cloud_grid(scale, mark, room)]
        for across, up, what in self.dots:
            x, y = 34 + room * scale.at(across) / 100, 4 + room * (1 - scale.at(up) / 100)
            dot = f'class="r-mote" cx="{x:.1f}" cy="{y:.1f}" r="2.6"'
            parts.append(markup(f"<circle {dot}><title>{{}}</title></circle>", what))
        at_foot = f'x="{34 + room / 2}" y="{33 + room}"'
        at_side = f'transform="translate(8 {4 + room / 2}) rotate(-90)"'
        parts += [
            markup(f'<text class="r-tick" {at} text-anchor="middle">{{}}</text>', label)
            for at, label in ((at_foot, self.below), (at_side, self.beside))
        ]
        return svg("r-cloud", f'viewBox="0 0 {_SIDE} {_SIDE}"', self.title, parts)

    def lines(self, width: int | None) -> Sequence[str]:
        """Return no lines: a terminal has the tables alone."""
        return ()
