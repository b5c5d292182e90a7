"""The headline of a competition, and that every form says it in the same words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations, product
from random import Random
from statistics import mean
from typing import Any

import pytest

from arena.ratings.counting.tally import Tally
from arena.ratings.elo.standings import standings
from arena.views.standings.headline import (
    Criterion,
    Headline,
    by_standings,
    heading,
)
from arena.views.standings.tables import Section, markdown, text
from tests.ratings.fits import fit, result
from tests.views.standings.test_tables import PAIR

LED: Any = {"has_won": False, "by": Criterion.RATING, "value": "1042 Elo"}
WON: Any = {**LED, "has_won": True}
ABC = ("anna", "bo", "cy")
BO: Any = {"second": "bo"}
MEAN: Any = {"has_won": True, "by": Criterion.MEAN, "value": "a mean of 3.50 turns"}

SAID = [
    (Headline(("anna",), **LED), "anna leads", "with 1042 Elo"),
    (Headline(("anna",), **LED, is_provisional=True), "anna leads", "with 1042 Elo (provisional)"),
    (
        Headline(("anna",), **LED, is_provisional=True, **BO, likelihood=0.97),
        "anna leads",
        "with 1042 Elo; chance that it is stronger than bo: 97.0 %",
    ),
    (
        Headline(("anna",), **LED, is_provisional=True, **BO, likelihood=0.87),
        "no clear leader: anna is ahead of bo",
        "with 1042 Elo; chance that it is stronger: 87.0 %",
    ),
    (
        Headline(("anna",), **WON, **BO, likelihood=0.949),
        "no clear winner: anna is ahead of bo",
        "with 1042 Elo; chance that it is stronger: 94.9 %",
    ),
    (
        Headline(("anna",), **MEAN, **BO, likelihood=0.999765),
        "anna wins",
        "with a mean of 3.50 turns; chance that it is better than bo: more than 99.9 %",
    ),
    (Headline(ABC, **LED), "anna, bo and cy lead", "with 1042 Elo"),
    (Headline((*ABC, "di"), **LED), "4 bots share the lead", "with 1042 Elo"),
    (Headline((*ABC, "di"), **WON), "4 bots share the first place", "with 1042 Elo"),
    (Headline(ABC, **LED, is_level=True), "anna, bo and cy are level so far", "with 1042 Elo"),
    (Headline((*ABC, "di"), **WON, is_level=True), "4 bots are level", "with 1042 Elo"),
    (Headline(("anna",), True, Criterion.POINTS, "2.5 points"), "anna wins", "with 2.5 points"),
    (
        Headline(("anna",), False, Criterion.POINTS, "1 point", second="bo", decided="tie-break"),
        "anna leads",
        "with 1 point, ahead of bo by tie-break",
    ),
    (Headline(("anna",), True, Criterion.KNOCKOUT, ""), "anna wins the knockout", ""),
    (
        Headline(
            ("anna",),
            True,
            Criterion.KNOCKOUT,
            "final 3 : 3",
            second="bo",
            decided="better seed",
        ),
        "anna wins the knockout",
        "final 3 : 3, ahead of bo by better seed",
    ),
]


@pytest.mark.parametrize(("headline", "title", "evidence"), SAID)
def test_every_form_says_it_once_and_in_the_same_words(headline, title, evidence) -> None:
    assert (headline.title(), headline.evidence()) == (title, evidence)
    section = Section("dragonheart-2", PAIR, headline=headline)
    words = f"{title}{': ' if 'knockout' in title and evidence else ' '}{evidence}".rstrip()
    for form in (text([section]), markdown([section])):
        assert form.count(words) == 1
    head = heading(headline, "cup", is_over=headline.has_won)
    assert head.title.casefold() == title.casefold()
    assert head.evidence.casefold() == (f"{evidence}." if evidence else "").casefold()
    assert (head.mark == "") == (headline.has_won or headline.is_level)


def test_a_page_without_a_leader() -> None:
    assert heading(None, "cup", is_over=False).title == "No winner yet"
    assert heading(None, "cup", is_over=True).title == "cup"


def test_the_likelihood_is_that_of_the_only_leader_over_the_next() -> None:
    found = by_standings(PAIR)
    assert found is not None
    assert (found.names, found.second, found.likelihood) == (("greedy",), "random", 0.999765)
    shared = replace(PAIR, rows=tuple(replace(row, rank=1) for row in PAIR.rows))
    tied = by_standings(shared)
    assert tied is not None
    assert (tied.names, tied.second, tied.likelihood) == (("greedy", "random"), "", None)


def test_equals_are_level_and_have_no_chance() -> None:
    shared = replace(PAIR, rows=tuple(replace(row, rank=1, value=1000.0) for row in PAIR.rows))
    found = by_standings(shared, has_won=True)
    assert found is not None
    assert found.words() == "greedy and random are level with 1000 Elo"
    assert "chance" not in text([Section("d", shared, headline=found)])


def tournament(chance: Random, elos: Mapping[str, float], deals: int) -> Headline:
    """Play a round robin between bots of these strengths."""
    counted = Tally(elos)
    for one, other in combinations(elos, 2):
        share = 1 / (1 + 10 ** ((elos[other] - elos[one]) / 400))
        for deal, seating in product(range(deals), range(2)):
            scores = (1, 0) if chance.random() < share else (0, 1)
            seats, points = ((one, other), scores) if not seating else ((other, one), scores[::-1])
            counted.add(result(seats, points, deal, seating))
    found = by_standings(standings(counted, fit(counted)), has_won=True)
    assert found is not None
    return found


@pytest.mark.slow
def test_the_words_hold() -> None:
    chance = Random(1)
    level = [tournament(chance, dict.fromkeys("abcd", 0.0), 15) for _ in range(120)]
    assert sum(" wins" in each.title() for each in level) <= 0.1 * len(level)
    right: dict[bool, list[bool]] = {True: [], False: []}
    for _ in range(150):
        elos = {name: chance.gauss(0, 100) for name in "abcd"}
        found = tournament(chance, elos, 15)
        if found.likelihood is not None:
            right[found.is_close].append(elos[found.names[0]] > elos[found.second])
    assert min(map(len, right.values())) > 40
    assert mean(right[False]) >= 0.93
    assert 0.6 < mean(right[True]) < 0.9
