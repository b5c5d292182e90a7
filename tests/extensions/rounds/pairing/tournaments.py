"""Random Swiss tournaments: late entries, withdrawals, byes that are asked for, forfeits."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from math import exp
from pathlib import Path
from typing import Final

import msgspec

from arena.extensions.rounds.pairing import dutch
from arena.extensions.rounds.pairing.history import (
    Colour,
    History,
    Pairs,
    Player,
    PlayerRound,
    Points,
    Result,
)
from tests.extensions.rounds.pairing.trf_reader import read

VECTORS: Final = sorted((Path(__file__).parent / "vectors").glob("*.trf"))
"""Finished tournaments that were made as here, of which bbpPairings 6.0.0 (Bierema Boyz
Programming) has given each round the same pairings, and found no fault with the whole."""

FORFEITS: Final = (
    (Result.FORFEIT_WIN, Result.FORFEIT_LOSS),
    (Result.FORFEIT_LOSS, Result.FORFEIT_WIN),
    (Result.FORFEIT_LOSS, Result.FORFEIT_LOSS),
)


def start(players: int, rounds: int, points: Points | None = None) -> History:
    """Before the first round."""
    entered = tuple(Player(n, (), f"Player {n}", 2700 - n) for n in range(1, players + 1))
    return History(entered, rounds, points or Points())


def won_by_the_better(pairs: Pairs) -> dict[tuple[int, int], tuple[Result, Result]]:
    """The results of a round in which the lower number always wins."""
    won = (Result.WIN, Result.LOSS)
    return {(a, b): won if a < b else (won[1], won[0]) for a, b in pairs.pairs}


def play(
    seed: int, players: int, rounds: int, pair: Callable[[History], Pairs] = dutch.pair
) -> Iterator[tuple[History, Pairs]]:
    """What is known before each round, and its pairs; until nobody can be paired."""
    chance = random.Random(seed)
    points = chance.choice([Points(), Points(), Points(win=30, draw=10, bye=30), Points(bye=5)])
    draws, forfeits, byes, quits = (
        chance.choice(each) for each in ((0, 0.2, 0.5), (0, 0.05), (0, 0.1), (0, 0.05))
    )
    late = {n: chance.randint(1, 2) for n in range(1, players + 1) if chance.random() < 0.08}
    strength = [chance.gauss(-n / players, 0.7) for n in range(players + 1)]
    gone: set[int] = set()

    def away(number: int) -> dict[int, Result]:
        found = {}
        for n in range(1, players + 1):
            if n in gone or late.get(n, 0) > number:
                found[n] = Result.ZERO_BYE
            elif chance.random() < byes:
                found[n] = chance.choice([Result.HALF_BYE, Result.HALF_BYE, Result.FULL_BYE])
            elif number and chance.random() < quits:
                gone.add(n)
                found[n] = Result.ZERO_BYE
        return found

    history = msgspec.structs.replace(
        start(players, rounds, points), first=chance.choice(list(Colour)), away=away(0)
    )
    for number in range(1, rounds + 1):
        try:
            pairs = pair(history)
        except dutch.NoPairing:
            return
        yield history, pairs
        results = {}
        for a, b in pairs.pairs:
            even = 1 / (1 + exp(2 * (strength[b] - strength[a])))
            if chance.random() < forfeits:
                results[a, b] = chance.choice(FORFEITS)
            elif chance.random() < draws:
                results[a, b] = (Result.DRAW, Result.DRAW)
            elif chance.random() < even:
                results[a, b] = (Result.WIN, Result.LOSS)
            else:
                results[a, b] = (Result.LOSS, Result.WIN)
        history = after(history, pairs, results, away=away(number) if number < rounds else None)


def after(
    history: History,
    pairs: Pairs,
    results: Mapping[tuple[int, int], tuple[Result, Result]],
    *,
    colours: bool = True,
    away: Mapping[int, Result] | None = None,
) -> History:
    """The history with one more round; ``away``: who is not to be paired after it."""
    turns = {number: PlayerRound(result) for number, result in history.away.items()}
    if pairs.bye is not None:
        turns[pairs.bye] = PlayerRound(Result.BYE)
    for pair in pairs.pairs:
        for number, opponent, result, colour in zip(
            pair, reversed(pair), results[pair], Colour, strict=True
        ):
            turns[number] = PlayerRound(result, opponent, colour if colours else None)
    players = tuple(
        msgspec.structs.replace(player, turns=(*player.turns, turns[player.number]))
        for player in history.players
    )
    return msgspec.structs.replace(history, players=players, away=dict(away or {}))


def before(history: History, number: int) -> History:
    """What was known before that round, from 1, of a tournament that went on."""
    return msgspec.structs.replace(
        history,
        players=tuple(
            msgspec.structs.replace(each, turns=each.turns[: number - 1])
            for each in history.players
        ),
        away={
            each.number: each.turns[number - 1].result
            for each in history.players
            if each.turns[number - 1].result in (Result.FULL_BYE, Result.HALF_BYE, Result.ZERO_BYE)
        },
    )


def paired(history: History, number: int) -> tuple[set[tuple[int, int]], int | None]:
    """Who met whom in that round, white first, and who had the bye."""
    turns = [(each.number, each.turns[number - 1]) for each in history.players]
    pairs = {
        (n, turn.opponent)
        for n, turn in turns
        if turn.opponent is not None and turn.colour is Colour.WHITE
    }
    return pairs, next((n for n, turn in turns if turn.result is Result.BYE), None)


def vector(path: Path) -> History:
    return read(path.read_text())
