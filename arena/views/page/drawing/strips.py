"""Drawings of one row of a table, as wide as their cell, so that rows can be compared.

Places are in percent and heights in pixels, so a strip fits any width and its text stays legible.
The facts of a drawing are also written in the row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from markupsafe import Markup

from arena.views.page.drawing.scale import PlotScale, made, number, svg, ticks

HEIGHT: Final = 22
TALL: Final = 34
_LEAST_BAR: Final = 1.5
"""Least height of a bar that is not empty, in pixels."""


def _svg(parts: Sequence[Markup], title: str, height: int = HEIGHT) -> Markup:
    return svg("r-strip", f'width="100%" height="{height}"', title, parts)


def _line(x1: float, x2: float, y1: float, y2: float, kind: str) -> Markup:
    return made(
        '<line class="{}" x1="{:.2f}%" x2="{:.2f}%" y1="{:g}" y2="{:g}"/>', kind, x1, x2, y1, y2
    )


def axis(
    scale: PlotScale, unit: str = "", most: int = 6, write: Callable[[float], str] = number
) -> Markup:
    """Return the numbers above a column of strips: at most ``most`` marks, with the ``unit``.

    ``write``: function that writes one number.
    """
    marks = ticks(scale, most)
    parts = [
        made(
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
    return made(
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


def interval(
    scale: PlotScale,
    value: float | None,
    low: float | None,
    high: float | None,
    title: str,
    *,
    anchor: float | None = None,
    is_open: bool = False,
) -> Markup:
    """Return a value with its interval; an end that is None gets an arrow to the edge.

    Without a value only the grid is drawn. ``anchor``: place of a line that all rows share.
    ``is_open``: whether a missing end means an unlimited interval, not an unknown one.
    """
    middle = HEIGHT / 2
    parts = _grid(scale, HEIGHT)
    if anchor is not None:
        parts.append(_line(scale.at(anchor), scale.at(anchor), 0, HEIGHT, "r-anchor"))
    if value is not None:
        place = scale.at(value)
        left = 0.5 if low is None else scale.at(low)
        right = 99.5 if high is None else scale.at(high)
        if is_open or not (low is None and high is None):
            parts.append(_line(left, right, middle, middle, "r-reach"))
            parts += _ends(left, right, low, high, middle)
        kind = "r-dot r-open" if is_open else "r-dot"
        dot = f'<circle class="{{}}" cx="{place:.2f}%" cy="{middle:g}" r="4.5"/>'
        parts.append(made(dot, kind))
    return _svg(parts, title)


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
            found.append(made(f'<text class="r-open-end" {where}>{{}}</text>', arrow))
    return found


def histogram(
    scale: PlotScale,
    bins: Sequence[tuple[float, float, int]],
    title: str,
    *,
    marks: Mapping[str, float | None],
) -> Markup:
    """Return bars from (low, high, count), the largest at full height.

    ``marks``: places of lines by class.
    """
    most = max((count for _, _, count in bins), default=0)
    parts = _grid(scale, TALL)
    for low, high, count in bins:
        if count:
            tall = max(_LEAST_BAR, (TALL - 2) * count / most)
            left, right = scale.at(low), scale.at(high)
            wide = max(0.4, right - left - 0.15)
            shape = '<rect class="r-bar" x="{:.2f}%" width="{:.2f}%" y="{:.1f}" height="{:.1f}"/>'
            parts.append(made(shape, left, wide, TALL - tall, tall))
    for kind, place in marks.items():
        if place is not None:
            parts.append(_line(scale.at(place), scale.at(place), 0, TALL, kind))
    return _svg(parts, title, TALL)


def bar(share: float, title: str) -> Markup:
    """Return a bar over ``share``, 0 to 1, of the width."""
    width = 100 * min(1.0, max(0.0, share))
    rect = made(f'<rect class="r-bar" x="0" y="3" width="{width:.2f}%" height="{HEIGHT - 6}"/>')
    return _svg([rect], title)
