"""The table of a Swiss tournament: scores and tie-breaks, for two seats and for three or four.

Two seats: FIDE Handbook C.07, edition of August 2024, also for rounds without a game (article 16).
For the player itself such a round counts as a game against an opponent with its own score. For
its opponents, the rounds that it missed after the last one not missed by choice count as draws. A
cut removes rounds missed by choice first.

Three and four seats: there is no standard. Equal scores are ordered by the opponents' scores, then
by the points of blocks, and last by a lot from the seed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from fractions import Fraction
from itertools import groupby

import msgspec

from arena.extensions.rounds.pairing.history import History, Player, PlayerRound, Result
from arena.extensions.rounds.pairing.tables import FinishedRound, contenders
from arena.games.luck import Luck


class TieBreak(StrEnum):
    """The tie-breaks for players with equal scores; more is better in all."""

    BUCHHOLZ_CUT_1 = "buchholz_cut_1"
    """Sum of the opponents' scores without the lowest one."""
    DIRECT_ENCOUNTER = "direct_encounter"
    """Points among the tied players, if these decide regardless of unplayed games."""
    BLOCKS = "blocks"
    """Mean of the block points in the matches that were played."""


class RankedPlayer(msgspec.Struct, frozen=True):
    """One line of the table at two seats: the score and tie-breaks of a player."""

    number: int
    score: int
    """Score in tenths of a point."""
    values: tuple[Fraction, ...]
    """Values of the tie-breaks, in tenths of points.

    The direct encounter has the place among the tied, counted down from 0.
    """
    by_lot: bool
    """True if only the lot separates it from a neighbour."""


def standings(
    history: History, luck: Luck, order: Sequence[TieBreak] = tuple(TieBreak)
) -> tuple[RankedPlayer, ...]:
    """Return the table, best first: by score, tie-breaks in order, and a lot from the seed."""
    players = {player.number: player for player in history.players}
    scores = {number: history.score(player) for number, player in players.items()}
    values: dict[int, list[Fraction]] = {number: [] for number in players}
    groups = _split([list(players)], lambda number: Fraction(scores[number]))
    for each in order:
        if each is TieBreak.DIRECT_ENCOUNTER:
            split = [_by_encounters(history, group) for group in groups]
            for parts in split:
                place = 0
                for part in parts:
                    for number in part:
                        values[number].append(Fraction(-place))
                    place += len(part)
            groups = [part for parts in split for part in parts]
        else:
            found = numbers(history, each)
            for number in players:
                values[number].append(found[number])
            groups = _split(groups, found.__getitem__)
    lot = {number: place for place, number in enumerate(luck.shuffle("lot", 0, sorted(players)))}
    return tuple(
        RankedPlayer(number, scores[number], tuple(values[number]), len(group) > 1)
        for group in groups
        for number in sorted(group, key=lot.__getitem__)
    )


def numbers(history: History, tie_break: TieBreak) -> dict[int, Fraction]:
    """Return the value of ``tie_break`` for every player, by number.

    Raises ValueError for the direct encounter, which depends on the tied players.
    """
    if tie_break is TieBreak.DIRECT_ENCOUNTER:
        raise ValueError("the direct encounter has no number without the players that are tied")
    value = _blocks if tie_break is TieBreak.BLOCKS else _buchholz(history)
    return {player.number: Fraction(value(player)) for player in history.players}


def is_voluntary(turn: PlayerRound) -> bool:
    """Return whether the player missed a round that it could have played: article 16.2."""
    return turn.result in (Result.HALF_BYE, Result.ZERO_BYE, Result.FORFEIT_LOSS)


def _buchholz(history: History) -> Callable[[Player], int]:
    """Return the function that adds up the scores of a player's opponents, but the lowest."""
    adjusted = {each.number: _adjusted(history, each) for each in history.players}

    def score(player: Player, turn: PlayerRound) -> int:
        if turn.is_played and turn.opponent is not None:
            return adjusted[turn.opponent]
        return history.score(player)

    def value(player: Player) -> int:
        scores = sorted((score(player, turn), is_voluntary(turn)) for turn in player.turns)
        missed = [each for each in scores if each[1]]
        return sum(each for each, _ in scores) - next((each for each, _ in missed or scores), 0)

    return value


def _adjusted(history: History, player: Player) -> int:
    """Return the score of ``player`` as it counts in the tie-breaks of its opponents.

    Byes after the last round that was not missed by choice count as draws.
    """
    last = max(
        (place for place, turn in enumerate(player.turns, 1) if not is_voluntary(turn)), default=0
    )
    byes = (turn for turn in player.turns[last:] if turn.opponent is None)
    return history.score(player) + sum(
        history.points.draw - history.points.of(turn.result) for turn in byes
    )


def _blocks(player: Player) -> Fraction:
    played = [turn.blocks for turn in player.turns if turn.is_played]
    return Fraction(sum(played), len(played) or 1)


def _split(groups: Sequence[Sequence[int]], value: Callable[[int], Fraction]) -> list[list[int]]:
    """Return each group cut into parts of equal ``value``, the greatest value first."""
    return [
        list(part)
        for group in groups
        for _, part in groupby(sorted(group, key=value, reverse=True), value)
    ]


def _by_encounters(history: History, group: Sequence[int]) -> list[list[int]]:
    """Return the tied players of ``group`` in parts, as far as their games decide: article 6."""
    if len(group) == 1:
        return [list(group)]
    won = {number: _won_from(history, number, group) for number in group}
    points = {number: sum(each.values(), Fraction()) for number, each in won.items()}
    missing = {number: len(group) - 1 - len(won[number]) for number in group}
    if not any(missing.values()):
        parts = _split([group], points.__getitem__)
    else:
        most = {number: points[number] + missing[number] * history.points.win for number in group}
        parts = list(_ahead(group, points, most))
    if len(parts) == 1:
        return parts
    return [small for part in parts for small in _by_encounters(history, part)]


def _ahead(
    group: Sequence[int], points: Mapping[int, Fraction], most: Mapping[int, Fraction]
) -> Iterator[list[int]]:
    """Yield each player who stays ahead regardless of unplayed games; then the rest."""
    left = sorted(group, key=lambda number: (-points[number], -most[number], number))
    while len(left) > 1 and points[left[0]] > max(most[number] for number in left[1:]):
        yield [left.pop(0)]
    yield left


def _won_from(history: History, number: int, group: Sequence[int]) -> dict[int, Fraction]:
    """Return the mean points from each of the other members of ``group`` that it has played."""
    found: dict[int, list[int]] = {}
    for turn in history.players[number - 1].turns:
        if turn.is_played and turn.opponent in group and turn.opponent is not None:
            found.setdefault(turn.opponent, []).append(history.points.of(turn.result))
    return {other: Fraction(sum(all_), len(all_)) for other, all_ in found.items()}


class Placing(msgspec.Struct, frozen=True):
    """One line of the table at three and four seats: the score and tie-breaks of a player."""

    name: str
    score: Fraction
    """Sum over the rounds: 0 to 1 for each table, 1 for a bye."""
    opponents: Fraction
    """Mean score of the others at its table, summed over the rounds.

    In a round without a game, its own score counts.
    """
    blocks: Fraction
    """Mean of the block points at the tables that were played."""
    by_lot: bool
    """True if only the lot separates it from a neighbour."""


def placings(
    names: Sequence[str], rounds: Sequence[FinishedRound], luck: Luck
) -> tuple[Placing, ...]:
    """Return the table, best first."""
    scores = {each.name: each.score for each in contenders(names, rounds)}
    opponents = dict.fromkeys(names, Fraction())
    blocks: dict[str, list[int]] = {name: [] for name in names}
    for each in rounds:
        met = {
            name: [other for other in table.names if other != name]
            for table in each.tables
            if table.is_played
            for name in table.names
        }
        for name in names:
            others = met.get(name, [name])
            opponents[name] += sum((scores[other] for other in others), Fraction()) / len(others)
        for table in each.tables:
            for name, points in zip(table.names, table.blocks, strict=True):
                blocks[name] += [points] * table.is_played
    values = {
        name: (scores[name], opponents[name], Fraction(sum(own), len(own) or 1))
        for name, own in blocks.items()
    }
    lot = {name: place for place, name in enumerate(luck.shuffle("lot", 0, sorted(names)))}
    order = sorted(names, key=lambda name: (*(-value for value in values[name]), lot[name]))
    alike = list(values.values())
    return tuple(Placing(name, *values[name], alike.count(values[name]) > 1) for name in order)
