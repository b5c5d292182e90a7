"""Several candidates, from made games: who is out, who passes, what is said."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import msgspec
import pytest

from arena.extensions.matches.statistics.report import Verdict
from arena.extensions.studies.family.against import BaselineMatches, StepDown
from arena.extensions.studies.family.best import Best
from arena.extensions.studies.family.report import BestTest
from tests.extensions.matches.statistics.test_match import ALONE, FOUR, TEST, TWO, made, pair

BEST = BestTest(40.0, 0.05, 10_000, 0.01, 10, False)


def verdict(contest: Best | BaselineMatches) -> Verdict:
    assert contest.decision is not None
    return contest.decision.verdict


def best(names: str = "abc", test: BestTest = BEST) -> Best:
    return Best(list(names), [f"bots/{name}" for name in names], [TWO], test)


def play(contest: Best, texts: dict[str, str], rounds: int, faulty: str = "") -> None:
    """``texts`` by two names; who is ``faulty`` crashes in each of its games."""
    for _ in range(rounds):
        if contest.decision is not None:
            return
        left = [name for name in contest.names if name not in contest.out]
        contest.add(
            TWO.discipline,
            [
                pair(texts.get(a + b, "DW"), a, b, [k for k, n in enumerate((a, b)) if n == faulty])
                for a, b in combinations(left, 2)
            ],
        )


def test_the_best_is_chosen_and_all_is_told() -> None:
    contest = best()
    play(contest, {"ab": "LL", "ac": "WD", "bc": "WW"}, 200)
    assert verdict(contest) is Verdict.PASS
    found = {each.side.name: each for each in contest.contenders()}
    assert {name: each.state for name, each in found.items()} == {
        "a": "out", "b": "best", "c": "out",
    }  # fmt: skip
    assert found["c"].by == "b"
    assert found["a"].worse
    assert found["b"].nelo.value is None
    assert contest.out == {"a", "c"}
    assert contest.games == sum(pair.blocks for pair in contest.played()[0].pairs) * 2
    msgspec.json.encode((contest.contenders(), contest.played(), contest.ratio()))


def test_before_the_first_round_nothing_is_said_of_anybody() -> None:
    found = best().contenders()
    assert {each.state for each in found} == {"left"}
    assert not any(each.worse or each.nelo.value for each in found)


def test_a_cap_ends_it_without_a_decision() -> None:
    contest = best(test=BestTest(40.0, 0.05, 30, 0.01, 10, False))
    play(contest, {}, 100)
    assert verdict(contest) is Verdict.INCONCLUSIVE
    assert max(each.side.games for each in contest.contenders()) <= 30


def test_faults_put_a_candidate_out_and_the_others_go_on() -> None:
    contest = best()
    play(contest, {"ab": "WW", "ac": "WW", "bc": "WW"}, 400, faulty="c")
    assert verdict(contest) is Verdict.PASS
    states = {each.side.name: each.state for each in contest.contenders()}
    assert states == {"a": "best", "b": "out", "c": "faulty"}
    two = best("ab")
    play(two, {"ab": "WW"}, 400, faulty="b")
    assert verdict(two) is Verdict.INVALID


def test_candidates_that_play_alike_are_not_judged() -> None:
    for alike, expected in ((False, Verdict.INVALID), (True, Verdict.PASS)):
        contest = best("ab", BestTest(80.0, 0.05, 10_000, 0.01, 10, alike))
        play(contest, {"ab": "WL"}, 400)
        assert verdict(contest) is expected


def test_alone_all_play_the_same_deals() -> None:
    contest = Best(list("abc"), list("abc"), [ALONE], BEST)
    for deal in range(300):
        left = [name for name in "abc" if name not in contest.out]
        scores = {"a": 20 + deal % 7, "b": 15 + deal % 5, "c": 21 + deal % 3}
        contest.add(ALONE.discipline, [[made((name,), (1,), (scores[name],)) for name in left]])
        if contest.decision is not None:
            break
    assert contest.decision is not None
    assert [each.state for each in contest.contenders()] == ["out", "best", "out"]


def against(names: str = "abz", tables: Sequence = (TWO,)) -> BaselineMatches:
    return BaselineMatches(list(names), list(names), tables, TEST)


def meet(contest: BaselineMatches, texts: dict[str, str], rounds: int) -> None:
    for _ in range(rounds):
        blocks = [
            pair(texts[name], name, "z") for name in contest.matches if name not in contest.out
        ]
        if not blocks:
            return
        contest.add(TWO.discipline, blocks)


def test_each_has_a_verdict_and_one_pass_is_enough() -> None:
    contest = against()
    meet(contest, {"a": "WW", "b": "LL"}, 100)
    verdicts = [match.decision and match.decision.verdict for match in contest.matches.values()]
    assert verdicts == [Verdict.PASS, Verdict.FAIL]
    assert verdict(contest) is Verdict.PASS
    assert contest.passed() == ["a"]
    assert contest.out == {"a", "b", "z"}
    worse = against()
    meet(worse, {"a": "LL", "b": "LD"}, 100)
    assert verdict(worse) is Verdict.FAIL


def test_who_passes_makes_it_easier_for_the_others() -> None:
    """With one of two through, the other one may pass at alpha itself."""
    contest = against()
    high, low = (match.bounds[1] for match in against("az").matches.values()), 0.0
    [alone] = high
    both = contest.matches["b"].bounds[1]
    assert both == pytest.approx(alone + 0.693, abs=1e-3)
    for number in range(400):
        blocks = [pair("WL" if number % 3 else "WW", "b", "z")]
        if number == 40:
            low = contest.matches["b"].bounds[1]
        if "a" not in contest.out:
            blocks.append(pair("WL" if number % 2 else "WW", "a", "z"))
        contest.add(TWO.discipline, [each for each in blocks if each])
        if "b" in contest.out:
            break
    assert low == both or "a" in contest.out
    assert contest.matches["b"].bounds[1] == pytest.approx(alone)
    assert contest.matches["b"].llr < both


def test_tables_of_four_and_solo_deals_against_a_baseline() -> None:
    four = against(tables=(FOUR,))
    lineups = [("x", "z", "x", "z"), ("z", "x", "z", "x")]
    for _ in range(60):
        games = [
            [
                made(tuple(name if each == "x" else each for each in seats), places)
                for seats, places in zip(lineups, ((1, 3, 2, 4), (3, 1, 4, 2)), strict=True)
            ]
            for name in "ab"
            if name not in four.out
        ]
        four.add(FOUR.discipline, games)
    assert four.passed() == ["a", "b"]
    solo = against(tables=(ALONE,))
    for deal in range(60):
        left = [name for name in "abz" if name not in solo.out]
        scores = {"a": 10 + deal % 3, "b": 30, "z": 20 + deal % 5}
        solo.add(ALONE.discipline, [[made((name,), (1,), (scores[name],)) for name in left]])
        if solo.decision is not None:
            break
    assert solo.passed() == ["a"]


def test_steps() -> None:
    steps = StepDown(5, 0.05)
    assert steps.alpha == pytest.approx(0.01)
    steps.passed(3)
    assert steps.alpha == pytest.approx(0.025)
    steps.passed(2)
    assert steps.alpha == pytest.approx(0.05)
