"""Groups that results do not connect, seats, forfeits."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from arena.extensions.studies.full.numbers import forfeit_list, seat_scores
from arena.extensions.studies.full.ranks import Lacks, group_list
from arena.ratings.counting.arrays import arrays_of
from arena.ratings.counting.encounters import encounters
from arena.ratings.elo.rating import Bound
from arena.ratings.elo.standings import standings
from arena.values.results import Termination
from tests.ratings.fits import fit
from tests.ratings.made_games import DRAW, LOSS, WIN, game, mirrored, pool, tally


def groups(games, entrants=(), anchor=None):
    counted = tally(games, entrants)
    ratings = fit(counted, anchor=anchor)
    return group_list(ratings, standings(counted, ratings), encounters(ratings.arrays))


def core():
    return [
        g
        for a, b in combinations("abc", 2)
        for k, (one, two) in enumerate([(WIN, WIN), (WIN, LOSS), (DRAW, WIN)])
        for g in mirrored(f"{a}{b}{k}", a, b, one, two)
    ]


def test_one_group_needs_no_games():
    assert groups(core()) == ()
    assert groups([]) == ()
    assert groups([], ["alone"]) == ()


def test_each_group_gets_the_pairing_that_would_connect_it():
    games = core() + mirrored("i", "x", "y", WIN, WIN)
    games += mirrored("u", "top", "a", WIN, LOSS) + mirrored("v", "top", "b", WIN, LOSS)
    games += mirrored("d", "low", "c", LOSS, WIN)
    found = {group.names: group for group in groups(games, ["idle"])}
    assert next(iter(found)) == ("a", "b", "c")
    assert found["a", "b", "c"].link is None
    links = {names: group.link for names, group in found.items() if group.link}
    told = {n: (link.name, link.other, link.blocks, link.lacks) for n, link in links.items()}
    assert told == {
        ("top",): ("top", "a", 1, Lacks.LOSS),
        ("low",): ("low", "c", 1, Lacks.WIN),
        ("x", "y"): ("y", "b", 0, Lacks.GAMES),
        ("idle",): ("idle", "b", 0, Lacks.GAMES),
    }
    marks = {names: group.bound for names, group in found.items()}
    assert marks["top",] is Bound.ABOVE
    assert marks["low",] is Bound.BELOW
    assert found["idle",].letter is None


def test_as_many_links_as_connect_everything():
    """Played out, with points both ways, they leave one group."""
    games = core() + mirrored("i", "x", "y", WIN, WIN) + mirrored("u", "top", "a", WIN, LOSS)
    for k, group in enumerate(groups(games, ["idle"])):
        if group.link is not None:
            games += mirrored(f"new{k}", group.link.name, group.link.other, WIN, WIN)
    assert groups(games, ["idle"]) == ()


def test_a_ladder_is_linked_step_by_step():
    games = [g for a, b in combinations("abcd", 2) for g in mirrored(a + b, a, b, WIN, LOSS)]
    found = groups(games)
    assert [group.names for group in found] == [("a",), ("b",), ("c",), ("d",)]
    assert [(g.link.name, g.link.other) for g in found[1:]] == [("b", "a"), ("c", "b"), ("d", "c")]
    assert {group.link.lacks for group in found[1:]} == {Lacks.WIN}


def test_points_of_others_may_connect_one_way_only():
    """Both beat a third: nothing is known of the two."""
    games = mirrored("1", "a", "c", WIN, LOSS) + mirrored("2", "b", "c", WIN, LOSS)
    found = groups(games)
    assert {group.link.lacks for group in found[1:]} <= {Lacks.POINTS, Lacks.WIN}
    assert len(found) == 3


def test_seats_as_counted_by_hand():
    rng = np.random.default_rng(3)
    strengths = {"a": 60.0, "b": 0.0, "c": -20.0, "d": 10.0}
    games = pool(strengths, blocks=5, rng=rng) + pool(strengths, blocks=4, rng=rng, seats=3)
    games = [g for g in games if rng.random() < 0.9]
    games.append(game(("a", "b"), (2, 2), faulty=(0, 1), termination=Termination.FORFEITED))
    expected = {}
    for g in games:
        for seat, name in enumerate(g.spec.entrants):
            scores = [g.pair_score(seat, k) for k in range(len(g.places)) if k != seat]
            scores = [score for score in scores if score is not None]
            if scores:
                own = expected.setdefault((g.spec.discipline, name, seat), [])
                own.append(sum(scores) / len(scores))
    found = {(s.discipline, s.name, s.seat): s for s in seat_scores(arrays_of(tally(games)))}
    assert found.keys() == expected.keys()
    for key, scores in expected.items():
        assert found[key].games == len(scores)
        assert found[key].score == pytest.approx(np.mean(scores), abs=1e-6)


def test_a_seat_never_taken():
    found = seat_scores(arrays_of(tally([game(("a", "b"), WIN)])))
    told = {(row.name, row.seat): (row.games, row.score) for row in found}
    assert told == {
        ("a", 0): (1, 1.0),
        ("a", 1): (0, None),
        ("b", 0): (0, None),
        ("b", 1): (1, 0.0),
    }


def forfeiting(share):
    """``bad`` wins what it plays to the end, and forfeits the first of these blocks."""
    games = core()
    for k in range(40):
        faulty = k < share * 40
        places = (LOSS, WIN) if faulty else ((WIN, LOSS) if k % 4 else (LOSS, WIN))
        first, second = mirrored(f"bad{k}", "bad", "a", *places)
        if faulty:
            first = game(first.spec.entrants, LOSS, block=f"bad{k}", faulty=(0,))
        games += [first, second]
    return games


def forfeits_of(games, entrants=(), anchor=None):
    """The fit, that of the blocks without faults, and the rows of both."""
    faulty = {g.spec.block for g in games if g.faults}
    rest = [g for g in games if g.spec.block not in faulty]
    counted = tally(games)
    ratings = fit(counted, anchor=anchor)
    clean = fit(tally(rest, entrants), anchor=anchor) if rest else None
    return ratings, clean, forfeit_list(standings(counted, ratings), ratings, clean)


@pytest.mark.parametrize(("share", "matters"), [(0.025, False), (0.5, True)])
def test_forfeits_matter_beyond_one_standard_error(share, matters):
    ratings, clean, rows = forfeits_of(forfeiting(share))
    [bad] = [row for row in rows if row.name == "bad"]
    assert (bad.forfeits, bad.games, bad.matters) == (40 * share, 80, matters)
    assert bad.shift == pytest.approx(clean.of("bad").value - ratings.of("bad").value, abs=1e-5)
    standard = ratings.of("bad").error / ratings.spread.quantile
    assert matters is (abs(bad.shift) > standard)


def faulty_blocks(faults, *ways):
    """Ten blocks of ``bad`` against a, in the first of which ``bad`` is at fault on seat 0."""
    games = []
    for k in range(10):
        first, second = mirrored(f"bad{k}", "bad", "a", *ways[k % len(ways)])
        if k < faults:
            first = game(first.spec.entrants, LOSS, block=f"bad{k}", faulty=(0,))
        games += [first, second]
    return games


def test_without_forfeits_a_bot_may_have_won_everything():
    *_, (row,) = forfeits_of(core() + faulty_blocks(3, (WIN, LOSS)))
    assert (row.name, row.forfeits) == ("bad", 3)
    assert (row.without, row.bound, row.matters) == (None, Bound.ABOVE, True)


@pytest.mark.parametrize("anchor", [None, "a", "bad"])
def test_the_level_is_that_of_the_table(anchor):
    """A bot that plays no clean game, be it the anchor, shifts nobody."""
    games = core() + faulty_blocks(10, (LOSS, WIN), (WIN, LOSS))
    games += [
        g
        for k in range(30)
        for a, b in combinations("abc", 2)
        for g in mirrored(f"{a}{b}{k}x", a, b, (WIN, LOSS, DRAW)[k % 3], (LOSS, WIN)[k % 2])
    ]
    *_, rows = forfeits_of(games, ["bad"], anchor)
    assert [(row.name, row.without) for row in rows] == [("bad", None)]


def test_forfeits_without_other_games():
    stopped = game(("a", "b"), LOSS, faulty=(0,), termination=Termination.FORFEITED)
    *_, (row,) = forfeits_of([stopped])
    assert (row.name, row.forfeits, row.matters) == ("a", 1, False)
    assert (row.without, row.shift) == (None, None)
