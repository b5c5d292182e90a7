from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.extensions.rounds.pairing.tables import (
    EXACT,
    FinishedRound,
    TableContender,
    TableResult,
    Tables,
    contenders,
    meetings,
    shares,
    tables,
)
from arena.games.luck import Luck

LUCK = Luck(b"tables")


@pytest.fixture(autouse=True, scope="module")
def _few_moves() -> Iterator[None]:
    """Fields this small need no more."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("arena.extensions.rounds.pairing.tables.MOVES", 20_000)
        yield


FIELDS = st.tuples(st.integers(3, EXACT), st.sampled_from((3, 4)), st.integers(0, 2**32))


def names(count: int) -> list[str]:
    return [f"bot-{number:03}" for number in range(count)]


def play(
    players: int, seats: int, rounds: int, seed: int
) -> Iterator[tuple[list[FinishedRound], Tables]]:
    """What was before each round, and its tables."""
    chance = random.Random(seed)
    done: list[FinishedRound] = []
    for number in range(1, rounds + 1):
        there = names(players)[: players if number > 1 else max(seats, players - 2)]
        found = tables(contenders(there, done), meetings(done), seats, LUCK, number=number)
        yield list(done), found
        results = tuple(
            TableResult(each, shares([chance.randint(0, 9) for _ in each])) for each in found.tables
        )
        done.append(FinishedRound(results, found.byes))


@given(st.lists(st.integers(0, 3), min_size=2, max_size=4))
def test_shares_weigh_all_tables_alike(scores: list[int]) -> None:
    found = shares(scores)
    assert sum(found) == Fraction(len(scores), 2)
    assert all(0 <= each <= 1 for each in found)
    assert shares([3, 2, 1]) == (1, Fraction(1, 2), 0)
    assert shares([5, 5, 1, 0]) == (Fraction(5, 6), Fraction(5, 6), Fraction(1, 3), 0)


@pytest.mark.slow
@given(st.integers(3, 30), st.sampled_from((3, 4)), st.integers(0, 2**32))
@settings(max_examples=10, deadline=None)
def test_everybody_sits_once_and_byes_go_round(players, seats, seed) -> None:
    byes: Counter[str] = Counter()
    for done, found in play(players, seats, 3, seed):
        here = [name for table in found.tables for name in table]
        there = len(here) + len(found.byes)
        assert len({*here, *found.byes}) == there
        assert [*map(len, found.tables)] == [seats] * (there // seats)
        fewest = min(byes[name] for name in [*here, *found.byes]) if done else 0
        byes.update(found.byes)
        assert all(byes[name] <= fewest + 1 for name in found.byes)


@given(FIELDS)
@settings(max_examples=12, deadline=None)
def test_small_fields_have_the_best_tables_there_are(field: tuple[int, int, int]) -> None:
    """Against every partition, with the objective computed anew from its words."""
    players, seats, seed = field[0] % 6 + 4, field[1], field[2]
    for done, found in play(players, seats, 3, seed):
        there = sorted(name for table in found.tables for name in table)
        known = {each.name: each for each in contenders(there, done)}
        met = meetings(done)

        def cost(
            partition: list[tuple[str, ...]],
            known: dict[str, TableContender] = known,
            met: Counter[frozenset[str]] = met,
        ) -> tuple[Fraction, ...]:
            pairs = [pair for table in partition for pair in combinations(table, 2)]
            return (
                Fraction(sum(met[frozenset(pair)] for pair in pairs)),
                Fraction(sum(known[a].is_new and known[b].is_new for a, b in pairs)),
                sum((abs(known[a].score - known[b].score) for a, b in pairs), Fraction()),
            )

        assert cost(list(found.tables)) == min(map(cost, partitions(there, seats)))


def partitions(left: list[str], seats: int) -> Iterator[list[tuple[str, ...]]]:
    if not left:
        yield []
        return
    first, *others = left
    for rest in combinations(others, seats - 1):
        table = (first, *rest)
        for more in partitions([each for each in left if each not in table], seats):
            yield [table, *more]


def test_larger_fields_do_not_meet_again_where_they_need_not() -> None:
    done: list[FinishedRound] = []
    for done, found in play(26, 4, 5, 7):
        met = meetings(done)
        assert all(
            not met[frozenset(pair)] for table in found.tables for pair in combinations(table, 2)
        )
    assert len(done) == 4


def test_scores_at_a_table_are_close() -> None:
    """Nobody has met: the tables are the table of scores cut in pieces."""
    players = [TableContender(name, Fraction(n)) for n, name in enumerate(names(16))]
    found = tables(players, {}, 4, LUCK, number=3)
    assert [sorted(table) for table in found.tables] == [
        names(16)[12:],
        names(16)[8:12],
        names(16)[4:8],
        names(16)[:4],
    ]


def test_newcomers_sit_apart() -> None:
    players = [
        TableContender(name, Fraction(n > 3), is_new=n < 3) for n, name in enumerate(names(12))
    ]
    found = tables(players, {}, 4, LUCK, number=2)
    assert all(len(set(table) & set(names(3))) == 1 for table in found.tables)


@pytest.mark.parametrize("players", [8, 26])
def test_the_first_round_is_a_draw_from_the_seed(players: int) -> None:
    fresh = contenders(names(players), [])
    found = tables(fresh, {}, 4, LUCK, number=1)
    assert found == tables(fresh, {}, 4, Luck(b"tables"), number=1)
    assert found != tables(fresh, {}, 4, Luck(b"another"), number=1)
    assert found != tables(fresh, {}, 4, LUCK, number=2)
