"""The headline of a competition, and that every form says it in the same words."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from typing import Any

import pytest

from arena.text import clean
from arena.views.page.render import html as page_html
from arena.views.standings.headline import Criterion, Headline, by_knockout, by_points, by_standings
from arena.views.standings.tables import Section, markdown, text
from tests.views.page.pages import page_of, round_robin
from tests.views.standings.test_tables import PAIR

LED: Any = {"has_won": False, "by": Criterion.RATING, "value": "1042 Elo"}


@pytest.mark.parametrize(
    ("headline", "words"),
    [
        (Headline(("anna",), **LED), "anna leads with 1042 Elo"),
        (
            Headline(("anna",), **LED, is_provisional=True),
            "anna leads with 1042 Elo (provisional)",
        ),
        (
            Headline(("anna",), **LED, is_provisional=True, second="bo", likelihood=0.87),
            "anna leads with 1042 Elo; chance that it is stronger than bo: 87.0 %",
        ),
        (
            Headline(
                ("anna",), True, Criterion.MEAN, "a mean of 3.50 turns", False, "bo", 0.999765
            ),
            "anna wins with a mean of 3.50 turns; chance that it is better than bo: "
            "more than 99.9 %",
        ),
        (Headline(("anna", "bo", "cy"), **LED), "anna, bo and cy lead with 1042 Elo"),
        (Headline(tuple("abcd"), **LED), "4 bots share the lead with 1042 Elo"),
        (by_points("anna", 2.5, has_won=True), "anna wins with 2.5 points"),
        (by_knockout("anna"), "anna wins the knockout"),
    ],
)
def test_words(headline: Headline, words: str) -> None:
    assert headline.words(str) == words


def test_the_likelihood_is_that_of_the_only_leader_over_the_next() -> None:
    found = by_standings(PAIR)
    assert found is not None
    assert (found.names, found.second, found.likelihood) == (("greedy",), "random", 0.999765)
    shared = replace(PAIR, rows=tuple(replace(row, rank=1) for row in PAIR.rows))
    tied = by_standings(shared)
    assert tied is not None
    assert (tied.names, tied.second, tied.likelihood) == (("greedy", "random"), "", None)


def test_every_form_says_it_once_and_in_the_same_words() -> None:
    headline = by_standings(PAIR, has_won=True)
    assert headline is not None
    section = Section("dragonheart-2", PAIR, headline=headline)
    chance = "stronger than random: more than 99.9 %"
    for form in (text([section]), markdown([section])):
        assert form.count(headline.words(clean.plain)) == 1
        assert form.count(chance) == 1
    page = page_of(["greedy", "random"], round_robin(["greedy", "random"]))
    part = page.parts[-1]
    shown = page_html(
        page._replace(parts=[part._replace(section=part.section._replace(headline=headline))]), {}
    )
    assert '<h1 id="title">greedy wins</h1>' in shown
    (lede,) = re.findall(r'<p class="r-lede">(.*)</p>', shown)
    evidence = headline.evidence(clean.plain)
    assert html.unescape(lede) == f"{evidence[0].upper()}{evidence[1:]}."
