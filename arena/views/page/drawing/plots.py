"""Drawings outside of tables: curves over deals, and clouds of deals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from markupsafe import Markup

from arena.views.page.drawing.scale import PlotScale, made, number, ticks

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
    parts = [
        made(
            '<svg y="{top}" width="100%" height="{height}" '
            'viewBox="0 0 {unit} {unit}" preserveAspectRatio="none">'
            "{inside}</svg>",
            top=_TOP,
            height=HEIGHT - _TOP - _BOTTOM,
            unit=_UNIT,
            inside=Markup("").join(inside),
        ),
        *(_side_number(up, mark) for mark in ticks(up, 5)),
        *(_level_name(up, level) for level in levels),
        *(_foot(across, mark, below if mark == feet[-1] else "") for mark in feet),
    ]
    return made(
        '<svg class="r-plot" width="100%" height="{}" role="img" aria-label="{}">'
        "<title>{}</title>{}</svg>",
        HEIGHT,
        title,
        title,
        Markup("").join(parts),
    )


def _height(up: PlotScale, value: float) -> float:
    """Return the distance from the top, in units of the inside."""
    return _UNIT * (1 - up.at(value) / 100)


def _level(up: PlotScale, value: float, kind: str) -> Markup:
    y = _height(up, value)
    return made(
        '<line class="{}" x1="0" x2="{}" y1="{:.1f}" y2="{:.1f}" '
        'vector-effect="non-scaling-stroke"/>',
        kind,
        _UNIT,
        y,
        y,
    )


def _curve(across: PlotScale, up: PlotScale, line: Curve) -> Markup:
    points = " ".join(
        f"{_UNIT * across.at(x) / 100:.1f},{_height(up, y):.1f}" for x, y in line.points
    )
    kind = "r-other" if line.kind is None else f"r-series{line.kind}"
    return made(
        '<polyline class="r-curve {}" points="{}" vector-effect="non-scaling-stroke">'
        "<title>{}</title></polyline>",
        kind,
        points,
        line.name,
    )


def _pixels(up: PlotScale, value: float) -> float:
    return _TOP + (HEIGHT - _TOP - _BOTTOM) * _height(up, value) / _UNIT


def _side_number(up: PlotScale, mark: float) -> Markup:
    return made(
        '<text class="r-tick" x="0" y="{:.1f}">{}</text>', _pixels(up, mark) - 3, number(mark)
    )


def _level_name(up: PlotScale, level: LevelLine) -> Markup:
    """Return the name of a level, at the left, where curves are far from all levels."""
    return made(
        '<text class="r-tick r-strong" x="{}" y="{:.1f}">{}</text>',
        _ASIDE,
        _pixels(up, level.value) - 4,
        level.label,
    )


def _foot(across: PlotScale, mark: float, unit: str) -> Markup:
    place = across.at(mark)
    return made(
        '<text class="r-tick" x="{:.2f}%" y="{}" text-anchor="{}">{}</text>',
        place,
        HEIGHT - 6,
        "end" if unit and place > 85 else "middle",
        f"{number(mark)} {unit}".strip(),
    )


def _cloud_grid(scale: PlotScale, mark: float, room: int) -> list[Markup]:
    """Return a number on both axes, and its lines."""
    x = 34 + room * scale.at(mark) / 100
    y = 4 + room * (1 - scale.at(mark) / 100)
    kind = "r-zero" if mark == 0 else "r-grid"
    return [
        made('<line class="{}" x1="{:.1f}" x2="{:.1f}" y1="4" y2="{}"/>', kind, x, x, 4 + room),
        made('<line class="{}" x1="34" x2="{}" y1="{:.1f}" y2="{:.1f}"/>', kind, 34 + room, y, y),
        made(
            '<text class="r-tick" x="{:.1f}" y="{}" text-anchor="middle">{}</text>',
            x,
            18 + room,
            number(mark),
        ),
        made(
            '<text class="r-tick" x="30" y="{:.1f}" text-anchor="end">{}</text>',
            y + 4,
            number(mark),
        ),
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
        parts.append(
            made(
                '<circle class="r-mote" cx="{:.1f}" cy="{:.1f}" r="2.6"><title>{}</title></circle>',
                34 + room * scale.at(across) / 100,
                4 + room * (1 - scale.at(up) / 100),
                what,
            )
        )
    parts += [
        made(
            '<text class="r-tick" x="{}" y="{}" text-anchor="middle">{}</text>',
            34 + room / 2,
            33 + room,
            below,
        ),
        made(
            '<text class="r-tick" transform="translate(8 {}) rotate(-90)" '
            'text-anchor="middle">{}</text>',
            4 + room / 2,
            beside,
        ),
    ]
    return made(
        '<svg class="r-cloud" viewBox="0 0 {} {}" role="img" aria-label="{}">'
        "<title>{}</title>{}</svg>",
        _SIDE,
        _SIDE,
        title,
        title,
        Markup("").join(parts),
    )
