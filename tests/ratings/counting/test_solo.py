"""Solo tallies and tables, against direct formulas."""

import random

import numpy as np
import pytest
import scipy

from arena.ratings.counting.arrays import solo_deals
from arena.ratings.counting.scored import ABSENT, FORFEIT, SoloTally
from arena.ratings.elo.scores import score_pairs, score_standings
from arena.ratings.elo.standings import deal_records
from arena.values.results import FaultKind, Termination
from tests.ratings.made_games import game, replaced, solo, solo_tally


def played(**scores):
    """Scores by entrant, one per deal; "-" is a deal not played, None a forfeit."""
    return [
        solo(name, f"deal {k}", score)
        for name, own in scores.items()
        for k, score in enumerate(own)
        if score != "-"
    ]


def table(games, *, anchor=None, **options):
    return score_standings(solo_tally(games, **options), anchor=anchor)


def row(found, name):
    return next(row for row in found.rows if row.name == name)


def numbers(pair):
    return (pair.deals, pair.difference, pair.error, pair.better, pair.equal, pair.worse)


def drawn(deals, seed=1):
    """Three bots on the same deals, whose luck they share."""
    rng = np.random.default_rng(seed)
    luck = rng.normal(15, 5, deals)
    return {
        name: [round(x) for x in luck + rng.normal(k, 3, deals)] for k, name in enumerate("abc")
    }


def test_scores_are_kept_by_deal():
    counts = solo_tally(played(a=[3, None, 5], b=["-", 7]), ["listed"])
    assert counts.deals == ("deal 0", "deal 1", "deal 2")
    assert list(counts.scores("a")) == [3, FORFEIT, 5]
    assert list(counts.scores("b")) == [ABSENT, 7, ABSENT]
    assert list(counts.scores("listed")) == list(counts.scores("nobody")) == [ABSENT] * 3
    assert counts.entrants == ("a", "b", "listed")
    assert counts.faults("a") == {FaultKind.TIMEOUT: 1}
    assert counts.faults("b") == {}


def test_void_games_leave_no_trace():
    counts = solo_tally([replaced(solo("a", "x", None), termination=Termination.VOID)])
    assert (counts.entrants, counts.deals, counts.faults("a")) == ((), (), {})


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (game("ab", (1, 2)), r"expected a solo game, found entrants \('a', 'b'\)"),
        (solo("a", "x", 4), "deal 'x' was played by 'a' before"),
        (solo("a", "x", None), "deal 'x' was played by 'a' before"),
    ],
)
def test_games_that_do_not_belong_are_refused(result, message):
    counts = solo_tally([solo("a", "x", 3)])
    with pytest.raises(ValueError, match=message):
        counts.add(result)
    assert list(counts.scores("a")) == [3]
    assert counts.faults("a") == {}


def law_of(observations):
    return scipy.stats.t(observations - 1) if observations < 100 else scipy.stats.norm


def half_width(values):
    return law_of(len(values)).ppf(0.975) * scipy.stats.sem(values)


@pytest.mark.parametrize("deals", [2, 30, 99, 100, 500])
def test_means_differences_and_errors_are_those_of_scipy(deals):
    scores = drawn(deals)
    scores["d"] = [score + k % 3 if k % 7 else "-" for k, score in enumerate(scores["a"])]
    scores["d"] += [3, 5]  # on two deals that nobody else played
    games = played(**scores)
    found = table(games, anchor="b")
    for name in scores:
        standing, own = row(found, name), [score for score in scores[name] if score != "-"]
        assert standing.value == pytest.approx(np.mean(own), abs=1e-6)
        assert standing.standard_error == pytest.approx(scipy.stats.sem(own), abs=1e-6)
        assert standing.error == pytest.approx(half_width(own), abs=1e-6)
        assert (standing.best, standing.worst, standing.games) == (min(own), max(own), len(own))
    assert row(found, "b").paired is None
    likelihoods = {}
    for pair in score_pairs(solo_tally(games), tuple(scores)):
        common = zip(scores[pair.name], scores[pair.other], strict=False)
        ahead = np.array([x - y for x, y in common if "-" not in (x, y)])
        counts = ((ahead < 0).sum(), (ahead == 0).sum(), (ahead > 0).sum())  # fewer are better
        assert (pair.better, pair.equal, pair.worse, pair.deals) == (*counts, len(ahead))
        assert pair.difference == pytest.approx(ahead.mean(), abs=1e-6)
        if len(ahead) > 1:
            z, law = ahead.mean() / scipy.stats.sem(ahead), law_of(len(ahead))
            assert pair.error == pytest.approx(half_width(ahead), abs=1e-5)
            assert pair.p == pytest.approx(2 * law.sf(abs(z)), rel=1e-4)
            assert pair.superiority == pytest.approx(law.sf(z), abs=1e-5)
        assert pair.mirrored().mirrored() == pair
        for own in (pair, pair.mirrored()):
            likelihoods[own.name, own.other] = own.superiority
            if own.other == "b":
                assert numbers(row(found, own.name).paired) == numbers(own)
    assert len(likelihoods) == 4 * 3
    first, second = (each.name for each in found.rows[:2])
    assert found.first_over_second == pytest.approx(likelihoods[first, second], abs=1e-6)


def test_the_better_mean_may_be_the_worse_by_common_deals():
    # a leads by an easy deal that b did not play; where both played, b was better.
    games = played(a=[10, 11, 12, 0], b=[9, 9, 10, "-"])
    found = table(games)
    assert [r.name for r in found.rows] == ["a", "b"]
    assert found.first_over_second < 0.5
    expected = (3, -1.666667, pytest.approx(1.434218), 3, 0, 0)
    assert numbers(row(found, "b").paired) == expected
    assert not found.complete


def test_more_may_be_better():
    found = table(played(a=[1, 2, 9], b=[3, 4, 8]), less_is_better=False)
    assert [(r.name, r.best, r.worst) for r in found.rows] == [("b", 8, 3), ("a", 9, 1)]
    paired = row(found, "a").paired
    assert (paired.difference, paired.better, paired.worse) == (-1.0, 1, 2)
    assert found.first_over_second > 0.5


def test_a_forfeit_counts_the_worst_score():
    games = played(a=[3, None], b=[4, 40])
    a = row(table(games, worst_score=48), "a")
    assert (a.value, a.best, a.worst, a.games, a.forfeits) == (25.5, 3, 48, 2, 1)
    assert a.faults == {FaultKind.TIMEOUT: 1}
    assert (a.paired.difference, a.paired.better, a.paired.worse) == (3.5, 1, 1)
    (pair,) = score_pairs(solo_tally(games, ["idle"], worst_score=48), ("a", "b", "idle"))
    assert (pair.deals, pair.difference, pair.better, pair.worse) == (2, 3.5, 1, 1)


@pytest.mark.parametrize(
    ("anchor", "reference"), [(None, "b"), ("a", "a"), ("new", "b")],
    ids=["best mean", "anchor", "anchor without games"],
)  # fmt: skip
def test_reference(anchor, reference):
    found = table(played(a=[9, 8], b=[3, 4]), entrants=["new"], anchor=anchor)
    assert found.reference == reference
    assert [r.name for r in found.rows if r.paired] == list({"a", "b"} - {reference})


def test_an_unknown_anchor_is_refused():
    with pytest.raises(ValueError, match="anchor 'z' is not among the entrants"):
        table(played(a=[1]), anchor="z")


def test_equal_means_share_a_rank_and_the_unplayed_come_last():
    found = table(played(c=[1, 3], a=[2, 2], b=[3, 2]), entrants=["new"])
    assert [(r.rank, r.name) for r in found.rows] == [(1, "a"), (1, "c"), (3, "b"), (4, "new")]
    new = row(found, "new")
    assert (new.games, new.value, new.error, new.best, new.worst) == (0, None, None, None, None)
    assert new.paired is None
    assert found.complete


@pytest.mark.parametrize(
    "scores", [{"a": [5], "b": [6]}, {"a": [5, 5], "b": [6, 6]}], ids=["one deal", "all alike"]
)
def test_without_spread_there_is_no_interval(scores):
    found = table(played(**scores))
    assert [(r.standard_error, r.error) for r in found.rows] == [(None, None)] * 2
    assert (row(found, "b").paired.difference, row(found, "b").paired.error) == (1.0, None)
    assert found.first_over_second is None


def test_entrants_without_a_common_deal_are_not_paired():
    found = table(played(a=[5, 6, "-", "-"], b=["-", "-", 7, 8]))
    assert row(found, "b").paired is None
    assert found.first_over_second is None


def test_nobody_played():
    found = table([], entrants="ab")
    assert (found.reference, found.blocks, found.complete) == (None, 0, True)
    assert [r.rank for r in found.rows] == [1, 1]
    assert score_standings(SoloTally(score="x", less_is_better=False, worst_score=0)).rows == ()
    assert score_pairs(solo_tally([]), ()) == ()


def test_order_changes_no_bit():
    games = played(**drawn(40), d=[None, 3, "-", 4])
    expected = table(games)
    for seed in range(5):
        random.Random(seed).shuffle(games)
        assert table(games, entrants="dcba") == expected


def records(games, entrants, **options):
    parts = solo_deals(solo_tally(games, **options), tuple(entrants))
    found = {}
    for k, name in enumerate(entrants):
        own = [deal_records(part)[k] for part in parts]
        found[name] = tuple(
            sum(getattr(record, key) for record in own)
            for key in ("games", "wins", "draws", "losses", "points")
        )
    return found


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ({"a": [1], "b": [2], "c": [3]}, {"a": (1, 1, 0, 0, 1), "b": (1, 0, 0, 1, 0.5)}),
        ({"a": [1], "b": [1], "c": [3]}, {"a": (1, 0, 1, 0, 0.75), "c": (1, 0, 0, 1, 0)}),
        ({"a": [48], "b": [None]}, {"a": (1, 1, 0, 0, 1), "b": (1, 0, 0, 1, 0)}),
        ({"a": [None], "b": [None]}, {"a": (1, 0, 0, 1, 0), "b": (1, 0, 0, 1, 0)}),
        ({"a": [4, 1], "b": [5, "-"]}, {"a": (2, 1, 0, 0, 1), "b": (1, 0, 0, 1, 0)}),
        ({"a": [4], "b": [5], "c": ["-"]}, {"a": (1, 1, 0, 0, 1), "c": (0, 0, 0, 0, 0)}),
    ],
    ids=["first of three", "shared first", "a forfeit is below the worst score",
         "two forfeits", "alone on a deal", "absent"],
)  # fmt: skip
def test_a_solo_deal_is_a_game_of_all_who_played_it(scores, expected):
    found = records(played(**scores), sorted(scores))
    assert {name: found[name] for name in expected} == expected
