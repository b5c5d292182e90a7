"""The bracket of a knockout: as data for tables and JSON, as lines of text, and as a drawing.

A bracket consists of a few trees: the winners', the losers', the final, the third place. The first
ties of a tree are at the left; the tie of two winners stands between their ties, one column further
right.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import msgspec
from markupsafe import Markup
from wcwidth import wcswidth

from arena.extensions.rounds.pairing.heats import round_of
from arena.values import clean
from arena.values.numbers import trimmed
from arena.values.titles import called as entitled
from arena.views.tables import Sign


class TieSide(msgspec.Struct, frozen=True):
    """A side of a tie."""

    name: str
    """Present name of the bot; empty if it is not known yet."""
    seed: int | None
    points: float | None
    """Points of its games, a win 1; None if nothing was played."""
    tie: str = ""
    """Name of the tie from which the side comes; empty for a seeded side."""
    is_loser: bool = False
    """True if the side comes as the loser of that tie."""


class TieData(msgspec.Struct, frozen=True):
    """A tie of a knockout."""

    name: str
    sides: tuple[TieSide, ...]
    order: tuple[str, ...]
    """Names from the best; empty if the tie is not decided."""
    by: str
    """Rule that decided the tie: a key of ``knockout.BY``; empty if none was needed."""
    deals: int
    rounds: int
    """Number of rounds in which the tie was played."""


class PlaceData(msgspec.Struct, frozen=True):
    """A line of the table of places."""

    place: int
    """Place; bots that went out in the same round share it."""
    name: str
    seed: int
    last: str
    """Name of the last tie that the bot was in."""
    elo: float | None


class KnockoutData(msgspec.Struct, frozen=True):
    """The JSON form of a knockout."""

    lives: int
    seats: int
    advance: int
    is_over: bool
    winner: str | None
    places: tuple[PlaceData, ...]
    """Places of the bots that are out; at the end, of all."""
    ties: tuple[TieData, ...]
    """Ties in the order of the rounds; at two seats, including those to come."""


_WIDEST: Final = (20, 12, 8)
"""Most columns of a name, tried in this order until the bracket fits the terminal."""
_DEEP: Final = 5
"""Most rounds of a tree that are drawn; of more rounds the first are left out."""
_DEEP_OF_LOSERS: Final = 8
_MARKS: Final = {
    **{by: by for by in ("test", "unbeaten", "deals", "seed", "forfeit")},
    "sudden_death": "sudden death",
}
"""Words beside a winner that was not decided by points, by rule."""
_BOX: Final = 168
_GAP: Final = 36
_ROW: Final = 22
_STEP: Final = 58
"""Distance between ties of the first round, in pixels; a box is two rows high."""
_HEAD: Final = 30
_LETTERS: Final = 18
"""Most columns of a name in a box."""


class _Node(NamedTuple):
    """A tie as drawn, with the ties before it that are in the same tree."""

    tie: TieData
    below: tuple[_Node | None, ...]

    @property
    def depth(self) -> int:
        return 1 + max((each.depth for each in self.below if each is not None), default=0)


def is_drawn(data: KnockoutData) -> bool:
    """Return whether a bracket is drawn; at tables of three and four only a list is shown."""
    return data.seats == 2 and any(len(tie.sides) == 2 for tie in data.ties)


def bracket_lines(data: KnockoutData, width: int | None) -> Sequence[str]:
    """Return the bracket as lines of text, or none if it is wider than ``width`` columns."""
    for most in _WIDEST:
        lines = [line for root in _roots(data) for line in _text(root, data, most)]
        if width is None or all(wcswidth(line) <= width for line in lines):
            return lines[:-1]
    return ()


def bracket_svg(data: KnockoutData) -> Markup:
    """Return the bracket as an SVG element of fixed size, in the colour of the text around it.

    The page must let it scroll, and show the ties as a table or list beside it.
    """
    parts: list[Markup] = []
    top, right = 0, 0
    for root in _roots(data):
        own = _BoxTree(root, data, top)
        parts += own.parts
        top, right = own.bottom, max(right, own.right)
    what = f"Bracket with {len(data.ties)} ties" + (
        f"; {entitled(data.winner)} wins" if data.winner else ""
    )
    return Markup(
        '<svg class="r-bracket" width="{0}" height="{1}" viewBox="0 0 {0} {1}" role="img" '
        'font-size="13" fill="currentColor"><title>{2}</title>{3}</svg>'
    ).format(right, top, what, Markup("").join(parts))


class BracketFigure(NamedTuple):
    """The bracket of a knockout, as a drawing of a block."""

    data: KnockoutData
    signs: Sequence[Sign] = ()

    def lines(self, width: int | None) -> Sequence[str]:
        """Return it as lines of text, see ``bracket_lines``."""
        return bracket_lines(self.data, width)

    def svg(self) -> Markup:
        """Return it as an element that scrolls."""
        title = f"Bracket with {len(self.data.ties)} ties"
        return Markup(
            '<div class="r-scroll" role="group" tabindex="0" aria-label="{}">{}</div>'
        ).format(title, bracket_svg(self.data))


def _group(name: str, data: KnockoutData) -> str:
    """Return the name of the tree of a tie."""
    if data.lives == 2:
        return name.partition(" ")[0] if name.startswith(("winners", "losers")) else name
    return "third place" if name == "third place" else ""


def _roots(data: KnockoutData) -> list[_Node]:
    """Return the last tie of each tree with the ties before it."""
    ties = {tie.name: tie for tie in data.ties if len(tie.sides) == 2}

    def before(side: TieSide, own: TieData) -> TieData | None:
        """Return the tie in the same tree whose winner takes this side, or None."""
        tie = ties.get(side.tie)
        is_own = tie is not None and _group(tie.name, data) == _group(own.name, data)
        return tie if is_own and not side.is_loser else None

    def node(tie: TieData, deep: int) -> _Node:
        below = []
        for side in tie.sides:
            found = before(side, tie) if deep > 1 else None
            below.append(None if found is None else node(found, deep - 1))
        return _Node(tie, tuple(below))

    followed = {found.name for tie in ties.values() for s in tie.sides if (found := before(s, tie))}
    roots = [tie for name, tie in ties.items() if name not in followed]
    if data.lives == 1:
        roots.sort(key=lambda tie: tie.name == "third place")
    deep = {tie.name: _DEEP_OF_LOSERS if tie.name.startswith("losers") else _DEEP for tie in roots}
    return [node(tie, deep[tie.name]) for tie in roots]


def _titles(root: _Node) -> dict[int, str]:
    """Return the names of the rounds by column, from the left."""
    found: dict[int, str] = {}

    def go(node: _Node, column: int) -> None:
        found[column] = round_of(node.tie.name)
        for each in node.below:
            if each is not None:
                go(each, column - 1)

    go(root, root.depth - 1)
    return found


def _called(side: TieSide, *, is_joined: bool) -> str:
    """Return the name of a side; of an open side its source, unless a line leads to the source."""
    if side.name or not side.tie or is_joined:
        return entitled(side.name)
    return f"{'loser' if side.is_loser else 'winner'}: {side.tie}"


def _points(side: TieSide) -> str:
    return "" if side.points is None else trimmed(side.points)


def _mark(tie: TieData) -> str:
    return _MARKS.get(tie.by, "")


def _text(root: _Node, data: KnockoutData, most: int) -> Iterator[str]:
    """Yield the lines of a tree, and an empty one."""
    cells: dict[tuple[int, int], str] = {}
    """Texts by row and column."""
    ties: list[tuple[int, int, int, int]] = []
    """Column of each tie, and its first, middle and last row."""
    free = 0

    def put(node: _Node, column: int) -> int:
        """Place ``node`` and the ties before it, and return the row of its winner."""
        nonlocal free
        rows = []
        for side, below in zip(node.tie.sides, node.below, strict=True):
            if below is None:
                row, free = free, free + 2
            else:
                row = put(below, column - 1)
            rows.append(row)
            called = _called(side, is_joined=below is not None)
            shown = clean.cut(called, most)
            cells[row, column] = f"{shown} {_points(side)}".rstrip()
        middle = sum(rows) // 2
        ties.append((column, rows[0], middle, rows[1]))
        return middle

    last = root.depth
    end = put(root, last - 1)
    if root.tie.order:
        mark = f" ({_mark(root.tie)})" if _mark(root.tie) else ""
        cells[end, last] = clean.cut(entitled(root.tie.order[0]), most) + mark
    joints: dict[tuple[int, int], str] = {}
    for column, top, middle, bottom in ties:
        joints |= {(row, column): " │ " for row in range(top + 1, bottom)}
        joints |= {(top, column): "─┐ ", (middle, column): " ├─", (bottom, column): "─┘ "}
    titles = _titles(root)
    widths = [
        max(
            *(wcswidth(text) for (_, at), text in cells.items() if at == column),
            min(wcswidth(titles[column]), most + 4),
        )
        for column in range(last)
    ]
    heads = (_padded(clean.cut(titles[c], widths[c]), widths[c] + 5) for c in range(last))
    yield "".join(heads).rstrip()
    for row in range(free - 1):
        parts = [
            f"{_padded(cells.get((row, c), ''), widths[c])} {joints.get((row, c), '   ')} "
            for c in range(last)
        ]
        yield ("".join(parts) + cells.get((row, last), "")).rstrip()
    yield ""


def _padded(text: str, width: int) -> str:
    return text + " " * (width - wcswidth(text))


class _BoxTree:
    """A tree drawn in boxes."""

    def __init__(self, root: _Node, data: KnockoutData, top: int) -> None:
        self.parts: list[Markup] = []
        self._free = float(top + _HEAD)
        self._top = top
        self._columns = root.depth
        for column, title in _titles(root).items():
            self.parts.append(
                Markup('<text x="{}" y="{}" font-size="12" opacity=".75">{}</text>').format(
                    self._x(column) + 2, top + _HEAD - 12, title
                )
            )
        self._put(root, root.depth - 1)
        self.bottom = round(self._free)
        self.right = self._x(root.depth - 1) + _BOX + 2

    def _x(self, column: int) -> int:
        return 1 + column * (_BOX + _GAP)

    def _put(self, node: _Node, column: int) -> float:
        """Draw ``node`` and the ties before it, and return the height of its middle, in pixels."""
        found = [None if each is None else self._put(each, column - 1) for each in node.below]
        heights = [each for each in found if each is not None]
        if heights:
            middle = sum(heights) / len(heights)
        else:
            middle = self._free + _ROW
            self._free += _STEP
        left = self._x(column)
        for place, each in enumerate(found):
            if each is not None:
                self._joint(left, each, middle + (place - 0.5) * _ROW)
        self._box(node, left, middle)
        return middle

    def _joint(self, left: int, start: float, end: float) -> None:
        half = _GAP / 2
        path = f"M{left - _GAP} {start:g}H{left - half:g}V{end:g}H{left}"
        self.parts.append(
            Markup('<path d="{}" fill="none" stroke="currentColor" stroke-opacity=".4"/>').format(
                path
            )
        )

    def _box(self, node: _Node, left: int, middle: float) -> None:
        tie = node.tie
        called = [
            _called(side, is_joined=below is not None)
            for side, below in zip(tie.sides, node.below, strict=True)
        ]
        title = f"{tie.name}: {' v '.join(each or '?' for each in called)}"
        if tie.order:
            by = f" by {_mark(tie)}" if _mark(tie) else ""
            title += f"; {entitled(tie.order[0])} wins{by}"
        rows = Markup("").join(
            self._side(tie, side, called[place], left, middle + (place - 0.5) * _ROW)
            for place, side in enumerate(tie.sides)
        )
        self.parts.append(
            Markup(
                '<g><title>{}</title><rect x="{}" y="{:g}" width="{}" height="{}" rx="4" '
                'fill="none" pointer-events="all" stroke="currentColor" stroke-opacity=".4"/>'
                '<path d="M{} {:g}h{}" stroke="currentColor" stroke-opacity=".2"/>{}</g>'
            ).format(
                *(title, left, middle - _ROW, _BOX, 2 * _ROW),
                *(left, middle, _BOX, rows),
            )
        )

    def _side(self, tie: TieData, side: TieSide, called: str, left: int, middle: float) -> Markup:
        is_first = bool(tie.order) and side.name == tie.order[0]
        style = Markup(' class="r-strong" font-weight="600"') if is_first else Markup("")
        if not side.name or (tie.order and not is_first):
            style = Markup(' opacity=".75"')
        points = _points(side)
        if is_first and (mark := _mark(tie)):
            points = f"{points} {mark}".strip()
        name = clean.cut(called, _LETTERS - max(0, len(points) - 3))
        text = '<text x="{}" y="{:g}"{}>{}</text>'
        row = middle + 4.5
        return Markup(text).format(left + 7, row, style, name) + Markup(
            '<text x="{}" y="{:g}" text-anchor="end"{}>{}</text>'
        ).format(left + _BOX - 7, row, style, points)
