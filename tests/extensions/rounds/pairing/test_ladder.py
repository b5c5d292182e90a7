"""One round of a ladder."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.extensions.rounds.pairing.ladder import (
    CHEAP_US,
    COSTLY,
    EXTRA_EACH,
    PLACED,
    UNIFORM,
    Age,
    PairableBot,
    draw,
    newcomers,
    owner_of,
    too_costly,
)
from arena.schedule.seeds import Seeds

LUCK = Seeds.of("seed").rounds("toy")


def field(size: int, **kept: int) -> list[PairableBot]:
    """Bots that have been there for long, the strongest first."""
    return [PairableBot(f"b{k:03}", 1000 - 10 * k, 50, 100, 40, **kept) for k in range(size)]


@pytest.mark.parametrize(
    ("name", "owner"),
    [
        ("anna.greedy", "anna"),
        ("anna.greedy@2", "anna"),
        ("anna.greedy.v2", "anna"),
        ("greedy", "greedy"),
        ("greedy@2", "greedy@2"),
        ("stockfish-16.1", "stockfish-16.1"),
        ("v1.0", "v1.0"),
        ("anna.", "anna."),
    ],
)
def test_owners(name: str, owner: str) -> None:
    assert owner_of(name) == owner


def test_newcomers_came_later_than_most_and_have_played_little() -> None:
    old = {f"o{k}": Age(20, 40) for k in range(5)}
    assert newcomers({}) == newcomers(old) == frozenset()
    assert newcomers({f"o{k}": Age(0, 0) for k in range(5)}) == frozenset()
    ages = {**old, "new": Age(9, PLACED - 1), "placed": Age(9, PLACED), "there": Age(10, 10)}
    assert newcomers(ages) == {"new"}


def test_who_takes_much_of_the_processor_sits_out() -> None:
    minute = CHEAP_US + 1
    tables = {f"b{k}": 1 for k in range(10)}
    others = dict.fromkeys(tables, 1_000_000)
    assert too_costly({}, {}) == frozenset()
    assert too_costly({**others, "b0": minute}, tables) == {"b0"}
    assert too_costly({**others, "b0": CHEAP_US}, tables) == frozenset()
    assert too_costly(dict.fromkeys(tables, minute), tables) == frozenset()
    # at several tables, as a newcomer has them, it may take as much at each
    several = {**tables, "b0": 4}
    share = minute // COSTLY
    assert too_costly({**dict.fromkeys(tables, share), "b0": minute * 2}, several) == frozenset()
    assert too_costly({"b0": minute}, {"b1": 1}) == frozenset()  # it had no table


def test_all_have_one_table_and_the_rest_sits_out() -> None:
    found = draw(field(11), {}, 4, LUCK, 1)
    assert [len(table) for table in found.tables] == [4, 4]
    assert len(found.out) == 3
    assert draw(field(11), {}, 4, LUCK, 1) == found
    assert draw(field(11), {}, 4, LUCK, 2) != found
    assert draw(field(3), {}, 4, LUCK, 1) == ((), ("b000", "b001", "b002"))


def test_who_has_waited_or_had_few_tables_does_not_sit_out() -> None:
    bots = field(5)
    bots[2] = bots[2]._replace(waited=2, lead=3)
    bots[3] = bots[3]._replace(lead=-1)
    bots[4] = bots[4]._replace(lead=1)
    for number in range(20):
        assert draw(bots, {}, 2, LUCK, number).out == ("b004",)
        assert draw([*bots, *field(5)[:0]], {}, 4, LUCK, number).out == ("b004",)


def test_opponents_are_near_on_both_sides_but_at_some_tables() -> None:
    gaps: Counter[int] = Counter()
    far = tables = 0
    for number in range(200):
        for one, other in draw(field(60), {}, 2, LUCK, number).tables:
            gap = int(other[1:]) - int(one[1:])
            gaps[(gap > 0) - (gap < 0)] += 1
            far += abs(gap) > 12
            tables += 1
    assert 0.4 < gaps[1] / tables < 0.6
    assert 0.05 < far / tables < 2 * UNIFORM / 100


def test_an_anchor_meets_anybody() -> None:
    bots = [bot._replace(is_anchor=bot.name == "b000") for bot in field(40)]
    met = {
        other
        for number in range(200)
        for table in draw(bots, {}, 2, LUCK, number).tables
        if "b000" in table
        for other in table
    }
    assert len(met) >= 39


def test_nobody_meets_again_as_long_as_it_can_be_avoided() -> None:
    bots = field(6)
    known = {(0, 1), (2, 3), (4, 5), (0, 2), (1, 3)}
    met: dict[str, set[str]] = {bot.name: set() for bot in bots}
    for one, other in known:
        met[f"b{one:03}"].add(f"b{other:03}")
        met[f"b{other:03}"].add(f"b{one:03}")
    for number in range(50):
        for one, other in draw(bots, met, 2, LUCK, number).tables:
            assert other not in met[one]
    all_met = {bot.name: {each.name for each in bots} - {bot.name} for bot in bots}
    assert len(draw(bots, all_met, 2, LUCK, 1).tables) == 3


def test_two_of_one_author_never_meet() -> None:
    bots = [PairableBot(f"anna.b{k}", 1000 + k, 50) for k in range(4)]
    bots += [PairableBot(f"bert.b{k}", 1000 + k, 50) for k in range(3)] + [
        PairableBot("carla", 1000, 50)
    ]
    for number in range(30):
        found = draw(bots, {}, 2, LUCK, number)
        assert len(found.tables) == 4
        assert all(owner_of(one) != owner_of(other) for one, other in found.tables)
    alone = [bot for bot in bots if owner_of(bot.name) == "anna"]
    assert draw(alone, {}, 2, LUCK, 1).tables == ()
    # more of one author than of all others: some of them sit out, and the others do not
    found = draw([*alone, bots[-1]], {}, 2, LUCK, 1)
    assert [len(table) for table in found.tables] == [2]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_newcomers_have_tables_of_their_own_on_top(seats: int) -> None:
    old = field(24)
    for count in (1, 3):
        new = [PairableBot(f"n{k}", 0, 300, 0, 0) for k in range(count)]
        found = draw([*old, *new], {}, seats, LUCK, 7)
        full = (24 + count) // seats
        extra = found.tables[full:]
        assert 1 <= len(extra) <= -(-full * 25 // 100)
        sat = Counter(name for table in found.tables for name in table)
        assert all(1 <= sat[bot.name] <= 1 + EXTRA_EACH for bot in new)
        assert all(sat[bot.name] <= 2 for bot in old)
        assert all(sum(name[0] == "n" for name in table) <= 1 for table in found.tables)
        assert len({frozenset(table) for table in found.tables}) == len(found.tables)


BOTS = st.lists(
    st.builds(
        PairableBot,
        st.sampled_from(["a.x", "a.y", "a.z", "b.x", "b.y", "c.x", "d", "e", "f", "g", "h", "i"]),
        st.integers(-500, 500),
        st.integers(10, 400),
        st.integers(0, 80),
        st.integers(0, 40),
        st.integers(0, 2),
        st.integers(-3, 3),
        st.booleans(),
    ),
    unique_by=lambda bot: bot.name,
    max_size=12,
)


@settings(max_examples=300, deadline=None)
@given(BOTS, st.integers(2, 4), st.integers(0, 99), st.sets(st.tuples(*[st.integers(0, 11)] * 2)))
def test_any_round(bots, seats, number, known) -> None:
    names = [bot.name for bot in bots]
    met: dict[str, set[str]] = {name: set() for name in names}
    for i, j in known:
        if i != j and max(i, j) < len(names):
            met[names[i]].add(names[j])
            met[names[j]].add(names[i])
    found = draw(bots, met, seats, LUCK, number)
    assert found == draw(list(reversed(bots)), met, seats, LUCK, number)
    playing = {name for table in found.tables for name in table}
    assert playing.isdisjoint(found.out)
    assert playing | set(found.out) == set(names)
    full = len(bots) // seats
    assert len(found.tables) <= full + -(-full * 25 // 100)
    for table in found.tables:
        assert len(table) == seats
        assert len({owner_of(name) for name in table}) == seats
    assert len({frozenset(table) for table in found.tables}) == len(found.tables)
    sat = Counter(name for table in found.tables for name in table)
    new = newcomers({bot.name: Age(bot.rounds, bot.blocks) for bot in bots})
    assert all(count <= (1 + EXTRA_EACH if name in new else 2) for name, count in sat.items())
    if len({owner_of(name) for name in names}) == len(names):
        assert len(found.tables) >= full
        assert len(found.out) < seats or not full


def test_nobody_is_paired_with_itself_in_any_size() -> None:
    for size in range(2, 40):
        for seats in (2, 3, 4):
            for table in draw(field(size), {}, seats, LUCK, 1).tables:
                assert all(one != other for one, other in combinations(table, 2))


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("lead", range(-3, 4))
def test_a_ladder_goes_on_as_long_as_there_are_authors_enough(seats: int, lead: int) -> None:
    """Whoever has had most tables: it may be the only one whom the others can meet."""
    alone = [PairableBot(f"b{k}", 1000, 50, 100, 40, lead=lead) for k in range(seats - 1)]
    several = [PairableBot(f"anna.{letter}", 1000, 50, 100, 40) for letter in "xy"]
    found = draw([*alone, *several], {}, seats, LUCK, 1)
    assert found.tables
    assert all(len({owner_of(name) for name in table}) == seats for table in found.tables)
    assert draw(several, {}, seats, LUCK, 1).tables == ()
