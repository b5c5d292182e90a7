"""The cloud of deals: a bot's results in one game of a deal against its other games of the deal.

From each number the mean of its kind is subtracted, so neither strength nor the seat moves a dot.
Where the cards decide and seats change, dots lie along the falling diagonal.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from arena.views.page.drawing.thin import thinned


class Seen(NamedTuple):
    """A game with scores."""

    game: str
    entrants: tuple[str, ...]
    scores: tuple[int, ...]


class Dot(NamedTuple):
    """A bot on a deal, in the unit of the rules; more is better."""

    name: str
    game: str
    across: float
    """Gain over the usual in its first game; in solo games, that of the others on the same deal."""
    up: float
    """Gain over the usual in its other games of the deal; in solo games, in its own game."""


class _Margin(NamedTuple):
    name: str
    kind: Hashable
    """Key of the group whose mean is subtracted."""
    value: float
    game: str


def dots(blocks: Mapping[int, Sequence[Seen]], seats: int, less_is_better: bool) -> list[Dot]:
    """Return at most POINTS dots in the order of the schedule.

    ``blocks``: by number, with games in any order.
    """
    sign = -1 if less_is_better else 1
    make = _solo if seats == 1 else _seated
    ordered = [sorted(blocks[number]) for number in sorted(blocks)]
    margins = [list(make(games, sign)) for games in ordered if len(games) > 1]
    means = _means(margin for block in margins for margin in block)
    apart = [[m._replace(value=m.value - means[m.kind]) for m in block] for block in margins]
    join = _across_bots if seats == 1 else _across_games
    return thinned([dot for block in apart for dot in join(block, only_first=seats == 2)])


def _seated(games: Sequence[Seen], sign: int) -> Iterator[_Margin]:
    """Yield each bot's margin over the others at its table, except for bots with several seats."""
    for game in games:
        table = tuple(sorted(game.entrants))
        for seat, name in enumerate(game.entrants):
            if table.count(name) == 1:
                others = _mean([s for other, s in enumerate(game.scores) if other != seat])
                value = sign * (game.scores[seat] - others)
                yield _Margin(name, (table, name, seat), value, game.game)


def _solo(games: Sequence[Seen], sign: int) -> Iterator[_Margin]:
    for game in games:
        yield _Margin(game.entrants[0], game.entrants[0], sign * float(game.scores[0]), game.game)


def _across_games(block: Sequence[_Margin], *, only_first: bool) -> Iterator[Dot]:
    """Yield each bot's first game against its other games.

    Of two bots, one is the mirror image of the other: ``only_first`` leaves it out.
    """
    names = sorted({margin.name for margin in block})
    for name in names[:1] if only_first else names:
        own = [margin for margin in block if margin.name == name]
        if len(own) > 1:
            yield Dot(name, own[0].game, own[0].value, _mean([each.value for each in own[1:]]))


def _across_bots(block: Sequence[_Margin], *, only_first: bool) -> Iterator[Dot]:
    for own in block:
        others = [each.value for each in block if each.name != own.name]
        if others:
            yield Dot(own.name, own.game, _mean(others), own.value)


def _means(margins: Iterable[_Margin]) -> dict[Hashable, float]:
    values: dict[Hashable, list[float]] = {}
    for margin in margins:
        values.setdefault(margin.kind, []).append(margin.value)
    return {kind: _mean(own) for kind, own in values.items()}


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
