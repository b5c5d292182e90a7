"""The table by points of any schedule: criteria in order, for two seats and for more.

Two seats: FIDE Handbook C.07, edition of August 2024, also for rounds without a game (article 16).
For the player itself such a round counts as a game against an opponent with its own score. For
its opponents, the rounds that it missed after the last one not missed by choice count as draws. A
cut removes rounds missed by choice first.

Three and four seats: there is no standard. A match counts as one against each opponent at the
table, of equal parts, and adds the mean of their scores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Final, NamedTuple

from arena.extensions.rounds.pairing.history import History, PlayerRound, Points, Result
from arena.extensions.rounds.pairing.scoring import Scoring
from arena.extensions.rounds.pairing.tables import FinishedRound, TableResult
from arena.games.luck import Luck
from arena.schedule.keys import TieBreak

_TENTHS: Final = 10
HALVES: Final = 2
"""Number of points counted for a won game; a drawn one counts 1."""


class Turn(NamedTuple):
    """A match or a round without one, as the criteria count it for a player."""

    points: Fraction
    others: tuple[str, ...] = ()
    """Opponents in a match that was played."""
    won_from: tuple[Fraction, ...] = ()
    """Points from each of ``others``."""
    own_part: Fraction = Fraction()
    """Without opponents: points as ``won_from`` has them of a match with one."""
    is_win: bool = False
    """True if it has the points of a win, played or not."""
    is_voluntary: bool = False
    """True for a round that the player missed though it could have played: article 16.2."""
    as_draw: Fraction = Fraction()
    """Points that a bye counts more for opponents at the end of the tournament: article 16.3."""
    blocks: int = 0
    """Points of its games, a win 2."""
    margin: int = 0


def two_seat_turns(history: History) -> dict[str, list[Turn]]:
    """Return the turns of each player of a history, by name."""
    names = [player.name for player in history.players]
    return {
        player.name: [_turn(history.points, each, names) for each in player.turns]
        for player in history.players
    }


def _turn(points: Points, turn: PlayerRound, names: Sequence[str]) -> Turn:
    own, opponent = points.of(turn.result), turn.opponent
    value = Fraction(own + turn.bonus, _TENTHS)
    others = (names[opponent - 1],) if turn.is_played and opponent is not None else ()
    return Turn(
        value,
        others,
        (value,) * len(others),
        value,
        is_win=own >= points.win,
        is_voluntary=turn.result in (Result.HALF_BYE, Result.ZERO_BYE, Result.FORFEIT_LOSS),
        as_draw=Fraction(points.draw - own, _TENTHS) if opponent is None else Fraction(),
        blocks=turn.blocks if others else 0,
        margin=turn.margin if others else 0,
    )


def table_turns(
    names: Sequence[str],
    rounds: Sequence[FinishedRound],
    scoring: Scoring,
    *,
    has_rounds: bool = True,
) -> dict[str, list[Turn]]:
    """Return the turns of each player at more than two seats, by name.

    ``has_rounds``: False if nobody misses a round, because all matches are in one.
    """
    found: dict[str, list[Turn]] = {name: [] for name in names}
    for number, each in enumerate(rounds, 1):
        for table in each.tables:
            for place, points in enumerate(scoring.of(table)):
                found[table.names[place]].append(_seated(table, place, points))
        for name in each.byes:
            found[name].append(Turn(scoring.win, own_part=scoring.most, is_win=True))
        for own in found.values() if has_rounds else ():
            own += [Turn(Fraction(), is_voluntary=True)] * (number - len(own))
    return found


def _seated(table: TableResult, place: int, points: Fraction) -> Turn:
    share, is_played = table.points[place], table.is_played
    met = [k for k in range(len(table.names)) if k != place and is_played]
    return Turn(
        points,
        tuple(table.names[k] for k in met),
        tuple(Fraction((share > table.points[k]) * 2 + (share == table.points[k]), 2) for k in met),
        share,
        is_win=share == 1,
        blocks=table.blocks[place] if is_played else 0,
        margin=table.margins[place] if table.margins and is_played else 0,
    )


class Standing(NamedTuple):
    """A line of a table by points."""

    name: str
    points: Fraction
    tie_breaks: dict[TieBreak, Fraction]
    """Values in the order in which they decide; of the direct encounter the place."""
    by_lot: bool
    """True if only the lot separates the player from a neighbour."""


def standings(
    turns: Mapping[str, Sequence[Turn]],
    scoring: Scoring,
    luck: Luck,
    parts: Sequence[Sequence[str]] = (),
) -> list[Standing]:
    """Return the table, best first: by points, the tie-breaks in order, and a lot from the seed.

    ``turns``: of each player, in the order in which the lot is drawn. ``parts``: groups of players
    with a table of their own each, one after the other.
    """
    points = _sums(turns, lambda turn: turn.points)
    values: dict[str, dict[TieBreak, Fraction]] = {name: {} for name in turns}
    groups = _split(parts or [list(turns)], points.__getitem__)
    for each in scoring.order:
        if each is TieBreak.DIRECT_ENCOUNTER:
            split = [_by_encounters(turns, group, scoring.most) for group in groups]
            for parts in split:
                place = 1
                for part in parts:
                    for name in part:
                        values[name][each] = Fraction(place)
                    place += len(part)
            groups = [part for parts in split for part in parts]
        else:
            found = numbers(turns, each, scoring)
            for name in turns:
                values[name][each] = found[name]
            groups = _split(groups, found.__getitem__)
    lot = {name: place for place, name in enumerate(luck.shuffle("lot", 0, [*turns]))}
    return [
        Standing(name, points[name], values[name], len(group) > 1)
        for group in groups
        for name in sorted(group, key=lot.__getitem__)
    ]


def numbers(
    turns: Mapping[str, Sequence[Turn]], criterion: TieBreak, scoring: Scoring
) -> dict[str, Fraction]:
    """Return the value of ``criterion`` for every player, more is better.

    Raises ValueError for the direct encounter, which depends on the tied players.
    """
    match criterion:
        case TieBreak.DIRECT_ENCOUNTER:
            raise ValueError("the direct encounter has no number without the tied players")
        case TieBreak.POINTS:
            return _sums(turns, lambda turn: turn.points)
        case TieBreak.WINS:
            return _sums(turns, lambda turn: turn.is_win)
        case TieBreak.WON:
            return _sums(turns, lambda turn: turn.is_win and bool(turn.others))
        case TieBreak.MARGIN:
            return _sums(turns, lambda turn: turn.margin)
        case TieBreak.BLOCKS:
            played = {name: sum(bool(turn.others) for turn in own) for name, own in turns.items()}
            blocks = _sums(turns, lambda turn: turn.blocks)
            return {name: blocks[name] / HALVES / (played[name] or 1) for name in turns}
        case TieBreak.KOYA:
            points = _sums(turns, lambda turn: turn.points)
            good = {name: 2 * points[name] >= scoring.best * len(turns[name]) for name in turns}
            return _sums(turns, lambda turn: _from(turn, good))
        case TieBreak.SONNEBORN_BERGER:
            return _against(turns, _from, lambda turn, own: turn.own_part * own)
        case _:
            cut = criterion is TieBreak.BUCHHOLZ_CUT_1
            return _against(turns, _mean, lambda _, own: own, cut=cut)


def _from(turn: Turn, weights: Mapping[str, Fraction | int]) -> Fraction:
    """Return the points from each opponent, times its weight."""
    won = zip(turn.others, turn.won_from, strict=True)
    return sum((own * weights[name] for name, own in won), Fraction()) / (len(turn.others) or 1)


def _mean(turn: Turn, weights: Mapping[str, Fraction]) -> Fraction:
    return sum((weights[name] for name in turn.others), Fraction()) / len(turn.others)


def _against(
    turns: Mapping[str, Sequence[Turn]],
    played: Callable[[Turn, Mapping[str, Fraction]], Fraction],
    missed: Callable[[Turn, Fraction], Fraction],
    *,
    cut: bool = False,
) -> dict[str, Fraction]:
    """Return the sum over turns of a function of the opponents' scores.

    ``missed``: the same of a turn without opponents and the own score. ``cut``: without the least
    one, of rounds missed by choice if there are any.
    """
    points = _sums(turns, lambda turn: turn.points)
    adjusted = {name: points[name] + _adjustment(own) for name, own in turns.items()}
    found = {}
    for name, own in turns.items():
        scores = sorted(
            (played(turn, adjusted) if turn.others else missed(turn, points[name]), k)
            for k, turn in enumerate(own)
        )
        away = [score for score, k in scores if own[k].is_voluntary]
        least = (away or [score for score, _ in scores])[:1] if cut else []
        found[name] = sum((score for score, _ in scores), Fraction()) - sum(least)
    return found


def _adjustment(own: Sequence[Turn]) -> Fraction:
    """Return the points that the byes after the last round not missed by choice lack to draws."""
    last = max((place for place, turn in enumerate(own, 1) if not turn.is_voluntary), default=0)
    return sum((turn.as_draw for turn in own[last:]), Fraction())


def _sums(
    turns: Mapping[str, Sequence[Turn]], value: Callable[[Turn], Fraction | int]
) -> dict[str, Fraction]:
    return {name: Fraction(sum(map(value, own))) for name, own in turns.items()}


def _split(groups: Sequence[Sequence[str]], value: Callable[[str], Fraction]) -> list[list[str]]:
    """Return each group cut into parts of equal ``value``, the greatest value first."""
    return [
        list(part)
        for group in groups
        for _, part in groupby(sorted(group, key=value, reverse=True), value)
    ]


def _by_encounters(
    turns: Mapping[str, Sequence[Turn]], group: Sequence[str], most: Fraction
) -> list[list[str]]:
    """Return the tied players of ``group`` in parts, as far as their games decide: article 6."""
    if len(group) == 1:
        return [list(group)]
    won = {name: _won_from(turns[name], group) for name in group}
    points = {name: sum(each.values(), Fraction()) for name, each in won.items()}
    missing = {name: len(group) - 1 - len(won[name]) for name in group}
    if not any(missing.values()):
        parts = _split([group], points.__getitem__)
    else:
        best = {name: points[name] + missing[name] * most for name in group}
        parts = list(_ahead(group, points, best))
    if len(parts) == 1:
        return parts
    return [small for part in parts for small in _by_encounters(turns, part, most)]


def _ahead(
    group: Sequence[str], points: Mapping[str, Fraction], best: Mapping[str, Fraction]
) -> Iterator[list[str]]:
    """Yield each player who stays ahead regardless of unplayed games; then the rest."""
    left = sorted(group, key=lambda name: (-points[name], -best[name]))
    while len(left) > 1 and points[left[0]] > max(best[name] for name in left[1:]):
        yield [left.pop(0)]
    yield left


def _won_from(own: Sequence[Turn], group: Sequence[str]) -> dict[str, Fraction]:
    """Return the mean points from each of the other members of ``group`` that were met."""
    found: dict[str, list[Fraction]] = {}
    for turn in own:
        for other, points in zip(turn.others, turn.won_from, strict=True):
            if other in group:
                found.setdefault(other, []).append(points)
    return {other: sum(all_, Fraction()) / len(all_) for other, all_ in found.items()}
