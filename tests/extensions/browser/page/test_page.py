"""The page of a run as HTML: whatever bots are called and however games went."""

from __future__ import annotations

import base64
import gzip
import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest

from arena.extensions.browser.page.drawing import histogram, interval
from arena.extensions.browser.page.files import GENERATOR
from arena.extensions.browser.page.model import MatchPage, RunPage
from arena.extensions.browser.page.render import html, packed
from arena.extensions.browser.page.standings import standings_blocks
from arena.extensions.matches.show.words import sentence
from arena.ratings.counting.tally import Tally
from arena.ratings.elo.standings import standings
from arena.values.numbers import PlotScale
from arena.views.cells import Bins, Strip
from arena.views.standings.standings import SectionData
from arena.views.standings.tables import Section
from tests.extensions.browser.page.pages import page_of, result, round_robin
from tests.extensions.matches.show.reports import PASS
from tests.ratings.fits import fit
from tests.views.standings.test_machines import EVIL


class Seen(HTMLParser):
    """Which elements and attributes a browser would make of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.names: set[str] = set()
        self.ids: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.names |= {name for name, _ in attrs}
        self.ids += [value or "" for name, value in attrs if name == "id"]


def listing(text: str) -> Any:
    found = re.search(r'id="listing"[^>]*>([^<]*)</script>', text)
    assert found is not None
    return json.loads(gzip.decompress(base64.b64decode(found[1])))


def test_nothing_of_a_bot_becomes_html() -> None:
    names = [EVIL, "berta"]
    games = [*round_robin(names), result(names, None, 4, 0), result(names[::-1], (1, 2), 4, 1)]
    harmless = [*round_robin(["x", "y"]), result(("x", "y"), None, 4, 0)]
    text = html(page_of(names, games, said=EVIL), {})
    plain = Seen(html(page_of(["x", "y"], harmless, said="it said"), {}))
    seen = Seen(text)
    assert seen.tags.count("script") == plain.tags.count("script")
    assert set(seen.tags) == set(plain.tags)
    assert seen.names == plain.names
    assert not any(name.startswith("on") for name in seen.names)
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "49" not in re.findall(r"\{\{.*?\}\}", text)


@pytest.mark.parametrize(
    ("names", "games"),
    [
        (["anna"], []),
        (["anna", "berta"], []),
        (["anna", "berta"], [result(("anna", "berta"), (3, 1), 0, 0)]),
        (["anna", "berta"], [result(("anna", "berta"), None, d, 0) for d in range(3)]),
        (["anna", "berta"], [result(("anna", "berta"), (9, 9), d, 0) for d in range(4)]),
        (["x" * 300, "y" * 300], round_robin(["x" * 300, "y" * 300], 2)),
    ],
    ids=["one-bot", "no-game", "one-game", "faults-only", "all-drawn", "long-names"],
)  # fmt: skip
def test_pages_of_odd_runs(names, games) -> None:
    text = html(page_of(names, games), {})
    seen = Seen(text)
    assert len(seen.ids) == len(set(seen.ids))
    assert "nan" not in re.findall(r'[xy]\d?="([^"]*)"', text)
    assert len(listing(text)["rows"]) == len(games)


def test_perfect_scores_have_a_limit_and_an_arrow() -> None:
    names = ["anna", "berta"]
    text = html(page_of(names, round_robin(names, 8, spread=50), anchor="berta"), {})
    assert "▸" in text
    assert "&gt;" in text


def test_sixty_bots_have_a_whole_crosstable() -> None:
    names = [f"bot{k:02}" for k in range(60)]
    text = html(page_of(names, round_robin(names, 1)), {})
    matrix = text[text.index('class="r-matrix"') : text.index('id="bots"')]
    assert len(re.findall(r'href="#games&amp;bot=bot00&amp;against=', matrix)) == 59


def test_every_bot_has_a_section_to_which_tables_lead() -> None:
    names = ["anna", "Berta & Co", "carla@2"]
    games = [*round_robin(names), result(("anna", "carla@2"), None, 4, 0)]
    text = html(page_of(names, games, said="it said"), {})
    seen = Seen(text)
    links = set(re.findall(r'href="#(bot-[^"]*)"', text))
    assert len(links) == 3
    assert links <= set(seen.ids)
    own = text[text.index('id="bot-anna"') :].partition('class="r-bot"')[0]
    assert "anna: crash" in own
    assert "it said" in own


def test_the_same_run_is_the_same_page() -> None:
    names = ["anna", "berta", "carla"]
    pages = [html(page_of(names, round_robin(names)), {1: packed({"a": 1})}) for _ in range(2)]
    assert pages[0] == pages[1]


def test_the_policy_lets_nothing_in_but_the_scripts_of_the_page() -> None:
    names = ["anna", "berta"]
    text = html(page_of(names, round_robin(names)), {})
    found = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert found is not None
    assert "default-src &#39;none&#39;" in found[1]
    assert "unsafe-inline" not in found[1].split("style-src")[0]
    assert "file:" not in found[1]
    beside = html(page_of(names, round_robin(names), folder="cup-games"), {})
    assert "script-src &#39;self&#39; file:" in beside
    assert f'content="{GENERATOR}"' in text[:500]


def test_a_verdict_comes_first() -> None:
    names = ["anna", "berta"]
    page: RunPage = page_of(names, round_robin(names))
    page = page._replace(match=MatchPage(PASS, [(k, k / 40) for k in range(1, 85)]))
    text = html(page, {})
    claim, _, evidence = sentence(PASS).partition(": ")
    assert f'<h1 id="title">{claim}</h1>' in text
    assert f'<p class="r-lede">{evidence}.</p>' in text
    assert text.index("Verdict: pass") < text.index(">Standings</h3>")
    assert "H1 at 2.94" in text
    assert re.search(r">\d+ blocks</text>", text)
    assert "W won, D drawn, L lost" in text


def test_of_one_deal_there_is_no_luck_to_draw() -> None:
    names = ["anna", "berta"]
    assert "Luck of the deal" in html(page_of(names, round_robin(names)), {})
    assert "Luck of the deal" not in html(page_of(names, round_robin(names, deals=1)), {})


@pytest.mark.extensions("studies")
def test_over_several_disciplines_scores_by_seat_are_folded() -> None:
    names = ("anna", "berta")
    tally = Tally(names)
    for discipline in ("heart-2", "krak-2"):
        for seating, seats in enumerate((names, names[::-1])):
            tally.add(result(seats, (3, 1), 0, seating, discipline))
    ratings = fit(tally)
    part = SectionData(Section("overall", standings(tally, ratings)), tally, ratings)
    found = [block for block in standings_blocks(part, is_linked=False) if block.key == "seats"]
    assert [block.is_folded for block in found] == [True, True]


def test_drawings_say_what_they_show() -> None:
    drawn = interval(Strip(PlotScale(0, 10), 5, 4, None, "anna <5>", is_open=True))
    assert "<title>anna &lt;5&gt;</title>" in drawn
    assert 'aria-label="anna &lt;5&gt;"' in drawn
    assert "▸" in drawn
    assert "◂" not in drawn
    empty = histogram(Bins(PlotScale(0, 10), [], "none"))
    assert "rect" not in empty
