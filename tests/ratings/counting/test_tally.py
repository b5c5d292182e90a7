import random
from fractions import Fraction

import pytest

from arena.ratings.counting.arrays import arrays_of
from arena.ratings.counting.counts import CODES, MISSING, NO_ROW
from arena.ratings.counting.counts import DRAW as HALF
from arena.ratings.counting.counts import LOSS as ZERO
from arena.ratings.counting.counts import WIN as ONE
from arena.ratings.counting.scored import FORFEIT
from arena.values.results import FaultKind, Termination
from tests.ratings.made_games import DRAW, LOSS, WIN, game, mirrored, replaced, solo, tally


def cells(tally_, discipline="d-2"):
    return tally_.counts[discipline].pairs.cells()


BOTH = game("ab", DRAW, faulty=(0, 1), termination=Termination.FORFEITED)
ONE_FAULTY = game("ab", LOSS, faulty=(0,), termination=Termination.FORFEITED)


@pytest.mark.parametrize(
    ("games", "expected"),
    [
        (mirrored("x", "a", "b", WIN, DRAW), {(ONE, HALF): 1}),
        (mirrored("x", "a", "b", WIN, WIN), {(ONE, ZERO): 1}),
        (mirrored("x", "b", "a", WIN, DRAW), {(HALF, ZERO): 1}),
        (mirrored("x", "a", "b", WIN, LOSS) + mirrored("y", "b", "a", LOSS, WIN), {(ONE, ONE): 2}),
        ([game("ab", WIN)], {(ONE, MISSING): 1}),
        ([game("ba", WIN)], {(MISSING, ZERO): 1}),
        ([BOTH], {(NO_ROW, MISSING): 1}),
        ([BOTH, game("ba", WIN)], {(NO_ROW, ZERO): 1}),
        ([ONE_FAULTY], {(ZERO, MISSING): 1}),
    ],
)
def test_a_block_is_one_cell_from_the_first_name(games, expected):
    """Two faulty seats compare nobody, one loses."""
    counts = tally(games + mirrored("z", "c", "a", WIN, WIN))
    found = cells(counts)
    assert found.keys() == {("a", "b"), ("a", "c")}
    assert {divmod(k, CODES): n for k, n in enumerate(found["a", "b"]) if n} == expected
    for seat, name in enumerate("ab"):
        faults = sum(seat in (f.seat for f in g.faults) for g in games)
        assert counts.faults(name) == ({FaultKind.CRASH: faults} if faults else {})


def test_reading_the_cells_does_not_close_open_blocks():
    half = tally([game("ab", WIN)])
    cells(half)
    half.add(game("ba", WIN))
    assert cells(half)["a", "b"][CODES * ONE + ZERO] == 1


def test_void_games_and_unknown_names_leave_no_trace():
    counts = tally([game("ab", WIN, faulty=(0,), termination=Termination.VOID)])
    assert (counts.entrants, counts.counts, counts.disciplines) == ((), {}, ())
    assert (counts.faults("a"), counts.record("a").games) == ({}, 0)


@pytest.mark.parametrize("entrants", ["ab", "ca", "ac"])
def test_a_block_of_other_entrants_or_one_seating_twice_is_refused(entrants):
    counts = tally([game("ab", WIN)])
    with pytest.raises(ValueError, match=r"block 'b': expected \('a', 'b'\) with seats swapped"):
        counts.add(game(entrants, WIN))
    assert cells(counts) == cells(tally([game("ab", WIN)]))


def test_listed_and_met_entrants_are_sorted():
    assert tally([game("db", WIN)], ["z", "a"]).entrants == ("a", "b", "d", "z")


@pytest.mark.parametrize(
    ("places", "faulty", "points", "result"),
    [
        ((1, 2, 3), (), 1, (1, 0, 0)),
        ((2, 1, 3), (), Fraction(1, 2), (0, 0, 1)),
        ((3, 1, 1), (), 0, (0, 0, 1)),
        ((1, 1, 3), (), Fraction(3, 4), (0, 1, 0)),
        ((1, 1, 1), (), Fraction(1, 2), (0, 1, 0)),
        ((1, 1, 1), (0, 1, 2), 0, (0, 0, 1)),
    ],
)
def test_at_larger_tables_points_are_the_mean_score_against_the_others(
    places, faulty, points, result
):
    record = tally([game("abc", places, faulty=faulty)]).record("a")
    assert record.points == points
    assert (record.wins, record.draws, record.losses) == result


def test_an_entrant_on_two_seats_plays_one_game_and_not_against_itself():
    counts = tally([game("aabb", (1, 2, 3, 4))])
    assert (counts.record("a").games, counts.record("a").points) == (1, 1)
    assert (counts.record("b").games, counts.record("b").losses) == (1, 1)
    assert tally([game("aabb", (1, 1, 3, 4))]).record("a").wins == 1


def test_a_stopped_larger_game_compares_only_with_the_faulty():
    stopped = game("abc", (1, 1, 3), faulty=(2,), termination=Termination.FORFEITED)
    assert list(tally([stopped]).counts["d-3"].tables.codes) == [NO_ROW, ONE, ONE]
    finished = game("abc", (1, 1, 3), faulty=(2,))
    assert list(tally([finished]).counts["d-3"].tables.codes) == [HALF, ONE, ONE]


@pytest.mark.parametrize(("entrants", "places"), [("aa", WIN), ("aaa", (1, 2, 3))])
def test_a_game_of_one_entrant_counts_but_compares_nobody(entrants, places):
    counts = tally([game(entrants, places, faulty=(0,))])
    record = counts.record("a")
    assert (record.games, record.wins + record.draws + record.losses) == (1, 0)
    played = counts.counts[f"d-{len(entrants)}"]
    assert (played.pairs.cells(), len(played.tables.blocks)) == ({}, 0)
    assert counts.faults("a") == {FaultKind.CRASH: 1}


def apart(seed):
    """Games in two halves, no block in both, of every kind; the second with names of its own."""
    rng = random.Random(seed)
    ways = (WIN, DRAW, LOSS)
    halves = []
    for half in "xy":
        games = []
        for k in range(9):
            one, other = rng.sample("abc", 2)
            games += mirrored(f"{half}{k}", one, other, rng.choice(ways), rng.choice(ways))
            places = rng.sample([1, 2, 3], 3)
            table, faulty = rng.sample("abc", 3), [0][: k % 2]
            games.append(game(table, places, block=f"{half}t{k}", faulty=faulty))
            games += [solo(name, f"{half}s{k}", rng.choice([None, 3, 8])) for name in "ab"]
        games.append(game("ab", WIN, block=f"{half}open", faulty=[1]))
        games.append(game("cc", DRAW, block=f"{half}self"))
        halves.append(games)
    return halves


def numbers(counted):
    arrays = arrays_of(counted)
    return (
        counted.entrants,
        counted.disciplines,
        [counted.faults(name) for name in counted.entrants],
        [vars(counted.record(name)) for name in counted.entrants],
        cells(counted),
        [column.tolist() for column in arrays.rows],
        [deals.values.tolist() for deals in arrays.deals],
        [(games.block.tolist(), games.codes.tolist()) for games in arrays.games],
    )


@pytest.mark.parametrize("seed", range(3))
def test_a_tally_that_absorbs_others_is_that_of_all_their_games(seed):
    one, other = apart(seed)
    together = tally([])
    together.absorb(tally(one), str, {}, "")
    together.absorb(tally(other), str, {}, "")
    assert numbers(together) == numbers(tally(one + other))


def test_what_is_absorbed_goes_by_other_names():
    games = mirrored("x", "a", "b", WIN, DRAW)
    games += [game("abc", (1, 2, 3)), game("ba", WIN, faulty=[1])]
    renamed = []
    for each in games:
        seated = tuple(name.replace("a", "z") for name in each.spec.entrants)
        renamed.append(replaced(each, spec=replaced(each.spec, entrants=seated)))
    together = tally([])
    together.absorb(tally(games), lambda name: "z" if name == "a" else name, {}, "")
    assert numbers(together) == numbers(tally(renamed))
    called = tally([])
    called.absorb(tally(games), str, {"d-2": "chess"}, "")
    assert called.disciplines == ("chess", "d-3")


def test_equal_blocks_of_two_sources_are_two():
    games = [game("abc", (1, 2, 3), block="x"), solo("a", "s", 1)]
    together = tally([])
    for scope in ("0/", "1/"):
        together.absorb(tally(games), str, {}, scope)
    assert len(together.counts["d-3"].tables.block_ids) == 2
    assert together.solo["solo"].deals == ("0/s", "1/s")


def test_scores_that_are_better_the_other_way_get_the_other_sign():
    together = tally([solo("a", "s", 4)])
    more = [solo("b", "s", 7), solo("b", "t", None)]
    together.absorb(tally(more, less_is_better=False), str, {}, "")
    assert list(together.solo["solo"].scores("b")) == [-7, FORFEIT]


def test_other_table_sizes_cannot_be_absorbed():
    with pytest.raises(ValueError, match="3 seats in discipline 'd', not 2"):
        tally([game("ab", WIN, discipline="d")]).absorb(
            tally([game("abc", (1, 2, 3), discipline="d")]), str, {}, ""
        )


def test_two_that_met_need_two_names():
    with pytest.raises(ValueError, match="'a' and 'b' are both 'z'"):
        tally([]).absorb(tally([game("ab", WIN)]), lambda _: "z", {}, "")
