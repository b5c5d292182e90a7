"""Drawings outside of tables: curves over deals, and clouds of deals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from markupsafe import Markup

from arena.views.page.drawing.scale import PlotScale, made, number, svg, ticks

HEIGHT: Final = 230
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


def curves(
    across: PlotScale,
    up: PlotScale,
    lines: Sequence[Curve],
    title: str,
    levels: Sequence[LevelLine] = (),
    *,
    below: str,
) -> Markup:
    """Return ``lines`` as curves in a frame of full width, with numbers on two axes.

    ``levels``: lines across the frame. ``below``: unit of the numbers below.
    """
    feet = ticks(across, 5)
    inside = [
        *(_level(up, mark, "r-grid") for mark in ticks(up, 5)),
        *(_level(up, level.value, "r-bound") for level in levels),
        *(_curve(across, up, line) for line in lines),
    ]
    frame = (
        f'<svg y="{_TOP}" width="100%" height="{HEIGHT - _TOP - _BOTTOM}" '
        f'viewBox="0 0 {_UNIT} {_UNIT}" preserveAspectRatio="none">{{}}</svg>'
    )
    parts = [
        made(frame, Markup("").join(inside)),
        *(_side_number(up, mark) for mark in ticks(up, 5)),
        *(_level_name(up, level) for level in levels),
        *(_foot(across, mark, below if mark == feet[-1] else "") for mark in feet),
    ]
    return svg("r-plot", f'width="100%" height="{HEIGHT}"', title, parts)


def _height(up: PlotScale, value: float) -> float:
    """Return the distance from the top, in units of the inside."""
    return _UNIT * (1 - up.at(value) / 100)


def _level(up: PlotScale, value: float, kind: str) -> Markup:
    y = f"{_height(up, value):.1f}"
    line = f'x1="0" x2="{_UNIT}" y1="{y}" y2="{y}" vector-effect="non-scaling-stroke"'
    return made(f'<line class="{{}}" {line}/>', kind)


def _curve(across: PlotScale, up: PlotScale, line: Curve) -> Markup:
    points = " ".join(
        f"{_UNIT * across.at(x) / 100:.1f},{_height(up, y):.1f}" for x, y in line.points
    )
    kind = "r-other" if line.kind is None else f"r-series{line.kind}"
    drawn = f'class="r-curve {kind}" points="{points}" vector-effect="non-scaling-stroke"'
    return made(f"<polyline {drawn}><title>{{}}</title></polyline>", line.name)


def _pixels(up: PlotScale, value: float) -> float:
    return _TOP + (HEIGHT - _TOP - _BOTTOM) * _height(up, value) / _UNIT


def _side_number(up: PlotScale, mark: float) -> Markup:
    y = _pixels(up, mark) - 3
    return made(f'<text class="r-tick" x="0" y="{y:.1f}">{{}}</text>', number(mark))


def _level_name(up: PlotScale, level: LevelLine) -> Markup:
    """Return the name of a level, at the left, where curves are far from all levels."""
    y = _pixels(up, level.value) - 4
    return made(f'<text class="r-tick r-strong" x="{_ASIDE}" y="{y:.1f}">{{}}</text>', level.label)


def _foot(across: PlotScale, mark: float, unit: str) -> Markup:
    place = across.at(mark)
    anchor = "end" if unit and place > 85 else "middle"
    where = f'x="{place:.2f}%" y="{HEIGHT - 6}" text-anchor="{anchor}"'
    return made(f'<text class="r-tick" {where}>{{}}</text>', f"{number(mark)} {unit}".strip())


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
        *(made(f'<line class="{{}}" {line}/>', kind) for line in (upright, level)),
        *(made(f'<text class="r-tick" {at}>{{}}</text>', number(mark)) for at in (below, beside)),
    ]


def cloud(
    scale: PlotScale, dots: Sequence[tuple[float, float, str]], title: str, below: str, beside: str
) -> Markup:
    """Draw ``dots`` (across, up, label) on one ``scale`` both ways.

    ``below`` and ``beside``: labels of the axes.
    """
    room = _SIDE - 40
    parts = [line for mark in ticks(scale, 5) for line in _cloud_grid(scale, mark, room)]
    for across, up, what in dots:
        x, y = 34 + room * scale.at(across) / 100, 4 + room * (1 - scale.at(up) / 100)
        dot = f'class="r-mote" cx="{x:.1f}" cy="{y:.1f}" r="2.6"'
        parts.append(made(f"<circle {dot}><title>{{}}</title></circle>", what))
    at_foot = f'x="{34 + room / 2}" y="{33 + room}"'
    at_side = f'transform="translate(8 {4 + room / 2}) rotate(-90)"'
    parts += [
        made(f'<text class="r-tick" {at} text-anchor="middle">{{}}</text>', label)
        for at, label in ((at_foot, below), (at_side, beside))
    ]
    return svg("r-cloud", f'viewBox="0 0 {_SIDE} {_SIDE}"', title, parts)
