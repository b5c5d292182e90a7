"""The page of a game in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from arena.extensions.browser.page.html import game_page as page_of
from arena.extensions.browser.viewer.document import all_views, document
from arena.referee.records.perspective import SPECTATOR
from arena.views.game.replay import Replay, View, sentence, view_of
from tests.extensions.browser.chromium.conftest import NARROW, WIDE, keep_screenshot
from tests.views.game.replays import autopilot_replay, record_of, replay_of, rules_of
from tests.views.game.viewer_games import random_replay

pytestmark = pytest.mark.slow

Open = Callable[..., Page]


@pytest.fixture
def show(tmp_path: Path, open_page: Open) -> Open:
    """Opens the page of some views of a game, of all without any."""

    def shown(replay: Replay, *whose: View, fragment: str = "", **options: Any) -> Page:
        file = tmp_path / "game.html"
        text = page_of(document(whose)) if whose else _whole(replay)
        file.write_text(text, "utf-8")
        return open_page(file, fragment, **options)

    return shown


_WHOLE: Final[dict[int, tuple[Replay, str]]] = {}
"""Pages with all views by the identity of their game, which is kept with them."""


@pytest.fixture(scope="module", autouse=True)
def pages_are_let_go() -> Iterator[None]:
    yield
    _WHOLE.clear()


def _whole(replay: Replay) -> str:
    if id(replay) not in _WHOLE:
        _WHOLE[id(replay)] = replay, page_of(document(all_views(replay)))
    return _WHOLE[id(replay)][1]


def where(page: Page) -> str:
    return page.locator(".where").inner_text()


def caption(page: Page) -> str:
    return page.locator(".caption .said").inner_text()


def press(page: Page, *keys: str) -> None:
    page.locator(".where").wait_for()  # from then on the viewer hears keys
    for key in keys:
        page.keyboard.press(key)


def at_ply(page: Page, ply: int) -> None:
    expect(page.locator(".where b")).to_have_text(f"ply {ply}")


@pytest.mark.parametrize(
    ("title", "seats"), [("dragonheart", 2), ("dragonkrak", 1), ("dragonkrak", 2),
                         ("dragonrealm", 3)],
)  # fmt: skip
def test_to_the_end_by_keyboard(show, title, seats):
    replay = random_replay(title, seats)
    view, last = view_of(replay, None), len(replay.record.plies) - 1
    page = show(replay)
    expect(page.locator("h1")).to_have_text(replay.title)
    press(page, "Home")
    expect(page.locator(".where b")).to_have_text("start")
    for ply in range(12):
        press(page, "ArrowRight")
        at_ply(page, ply)
        assert caption(page) == sentence(view, view.plies[ply])
    press(page, "End", "ArrowLeft", "ArrowRight")
    at_ply(page, last)
    assert replay.record.end.scores is not None
    scores = [int(text) for text in page.locator(".score").all_inner_texts()]
    assert tuple(scores) == replay.record.end.scores
    if seats > 1:
        places = [int(text[0]) for text in page.locator(".placing").all_inner_texts()]
        assert tuple(places) == replay.record.end.places
    expect(page.locator(".result")).to_contain_text("over: ")
    expect(page.locator(".move[aria-current]")).to_have_attribute("data-ply", str(last))
    expect(page.locator(".board")).not_to_contain_text("could not be drawn")
    keep_screenshot(page, f"replay-{title}-{seats}")


def shown_of(page: Page) -> Sequence[str]:
    """Everything that is drawn and may tell something of the game."""
    parts = (".scoreboard", ".caption", ".board", ".move-list", ".panel", ".timeline", ".jumps")
    return [page.locator(part).inner_html() for part in parts]


@pytest.mark.parametrize(
    ("title", "key"),
    [
        ("dragonheart", "1"),
        ("dragonheart", "p"),
        ("dragonkrak", "2"),
        ("dragonrealm", "2"),
        ("dragonrealm", "p"),
    ],
)
def test_a_view_is_drawn_from_nothing_but_that_view(show, title, key):
    replay = random_replay(title, 2, plies=24)
    whose = {"1": 0, "2": 1}.get(key, SPECTATOR)
    alone = show(replay, view_of(replay, whose), fragment="#ply=17")
    assert alone.locator(".views button").count() == 1
    page = show(replay, fragment="#ply=17")
    assert shown_of(page) != shown_of(alone)
    press(page, key, "i", "a")
    press(alone, "i", "a")
    assert shown_of(page) == shown_of(alone)
    press(alone, "0")
    expect(alone.locator(".views button")).to_have_attribute("aria-pressed", "true")


def test_hidden_cards_are_not_in_the_page_of_a_view(show):
    replay = random_replay("dragonkrak", 2, plies=24)
    hand = replay.seen.observers[1][24]["hand"]
    page = show(replay, fragment="#ply=23&view=1")
    press(page, "i")
    assert all(f'"{card}"' in page.locator(".raw pre").inner_text() for card in hand)
    press(page, "1")
    seen = str([replay.seen.events[23][0], replay.seen.observers[0][24]])
    secret = [card for card in hand if card not in seen]
    assert secret
    text = page.locator(".raw pre").inner_text()
    assert [card for card in secret if card in text] == []


def test_a_link_leads_to_ply_and_view_and_moving_adds_no_history(show):
    replay = random_replay("dragonheart", 2)
    page = show(replay, fragment="#game=a/b%3A0&ply=29&view=1")
    at_ply(page, 29)
    expect(page.locator(".views [aria-pressed=true]")).to_contain_text("bob")
    entries = page.evaluate("history.length")
    press(page, "ArrowRight", "ArrowRight", "0")
    page.wait_for_url("**#game=a/b:0&ply=31&view=all")
    assert page.evaluate("history.length") == entries
    page.evaluate("location.hash = '#ply=6&view=spectator'")
    at_ply(page, 6)
    expect(page.locator(".views [aria-pressed=true]")).to_have_text("public")
    page.go_back()
    at_ply(page, 31)


@pytest.mark.parametrize(
    ("fragment", "ply"),
    [("#ply=99999", "ply 87"), ("#ply=-1", "ply 2"), ("#ply=x&view=9", "ply 2"), ("#%", "ply 2"),
     ("#ply=start", "start"), ("#ply=0", "ply 0")],
)  # fmt: skip
def test_addresses_without_sense(show, fragment, ply):
    replay = replay_of(rules_of(), record_of(rules_of()))
    last = len(replay.record.plies) - 1
    page = show(replay, fragment=fragment)
    expect(page.locator(".where b")).to_have_text(ply.replace("87", str(last)))


def test_keys_of_the_page(show):
    page = show(random_replay("dragonheart", 2))
    press(page, "]")
    turn = where(page)
    press(page, "Shift+ArrowRight", "[")
    assert where(page) == turn
    press(page, "s")
    assert re.search(r"\[.*\+\d", caption(page))
    press(page, "l")
    expect(page.locator(".panel")).to_contain_text("the longest of")
    press(page, "a")
    chosen = page.locator(".legal .chosen")
    expect(chosen).to_have_count(1)
    expect(chosen).to_contain_text("played")
    press(page, "i")
    expect(page.locator(".raw pre")).to_contain_text('"observation"')
    press(page, "i", "a", "?")
    expect(page.locator("dialog")).to_be_visible()
    press(page, "End")
    press(page, "Escape")
    expect(page.locator("dialog")).to_have_count(0)
    at = where(page)
    press(page, "Control+ArrowRight", "Alt+x", "x")
    assert where(page) == at
    press(page, "Home", "-")
    expect(page.locator(".speed")).to_contain_text("0.5×")


def test_what_a_bot_told_is_drawn(show):
    page = show(random_replay("dragonheart", 2))
    press(page, "Home")
    while not page.locator(".chances li").count():
        press(page, "ArrowRight")
    expect(page.locator(".panel")).to_contain_text("The bot says")
    expect(page.locator(".chance-number")).to_have_text("75 %")
    expect(page.locator(".panel pre")).to_contain_text('"depth"')
    assert page.locator(".eval-line").count() == 1


def test_finding_in_moves(show):
    page = show(random_replay("dragonheart", 2), fragment="#ply=start")
    press(page, "/")
    page.keyboard.type("treasure")
    expect(page.locator(".found")).to_contain_text("found")
    assert where(page).startswith("start")  # letters in the field are no commands
    press(page, "Enter")
    expect(page.locator(".found")).to_contain_text("1 of ")
    assert "Treasure" in caption(page)
    press(page, "Shift+Enter")
    total = page.locator(".found").inner_text().split(" of ")
    assert total[0] == total[1]
    press(page, "Escape")
    expect(page.locator(".match")).to_have_count(0)


def test_moves_and_timeline_lead_to_plies(show):
    replay = random_replay("dragonheart", 2)
    page = show(replay, fragment="#ply=4")
    page.locator('.move[data-ply="8"]').click()
    at_ply(page, 8)
    press(page, "ArrowRight")
    assert page.evaluate("document.activeElement.dataset.ply") == "9"
    box = page.locator(".timeline").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 30)
    page.mouse.down()
    middle = int(page.locator("[role=slider]").get_attribute("aria-valuenow") or "")
    page.mouse.move(box["x"] + box["width"] + 50, box["y"] + 30)
    at_ply(page, len(replay.record.plies) - 1)
    page.mouse.up()
    assert 0.4 < middle / len(replay.record.plies) < 0.6
    page.mouse.move(box["x"] + 100, box["y"] + 30)
    at_ply(page, len(replay.record.plies) - 1)
    slider = page.locator("[role=slider]")
    assert caption(page).splitlines()[0].strip() in (slider.get_attribute("aria-valuetext") or "")


def test_the_current_move_is_in_sight_and_only_the_list_scrolls(show):
    replay = random_replay("dragonrealm", 3)
    page = show(replay, fragment="#ply=700")
    for key in ("", "End", "Home", "ArrowRight", "l"):
        if key:
            press(page, key)
        if key != "Home":
            expect(page.locator(".move[aria-current]")).to_be_in_viewport(ratio=0.5)
        assert page.evaluate("document.documentElement.scrollHeight") <= WIDE["height"]


def test_on_a_small_screen_nearly_all_of_a_board_of_two_is_in_sight(show):
    page = show(random_replay("dragonheart", 2), fragment="#ply=29")
    board = page.locator(".board").bounding_box()
    dock = page.locator(".dock").bounding_box()
    assert board is not None
    assert dock is not None
    assert dock["y"] - board["y"] > 0.95 * board["height"]  # with the line of evaluations, too


@pytest.mark.parametrize("title", ["dragonheart", "dragonkrak", "dragonrealm"])
def test_a_large_window_shows_a_large_board(show, title):
    page = show(random_replay(title, 2), fragment="#ply=29")
    tallest = "Math.max(...[...document.querySelectorAll('.board .card')]" + (
        ".map((card) => card.getBoundingClientRect().height))"
    )
    sizes = []
    for width, height in ((1280, 800), (2560, 1440), (3840, 2160)):
        page.set_viewport_size({"width": width, "height": height})
        sizes.append(page.evaluate(tallest))
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert sizes[1] > 1.3 * sizes[0]
    assert sizes[2] > 2 * sizes[0]


@pytest.mark.parametrize("title", ["dragonkrak", "dragonrealm"])
def test_a_board_of_four_needs_no_scrolling_and_its_rings_fit(show, title):
    replay = random_replay(title, 4)
    page = show(replay)
    press(page, "End", "ArrowLeft")
    at_ply(page, len(replay.record.plies) - 2)
    over = "(stage => stage.scrollHeight - stage.clientHeight)(document.querySelector('.stage'))"
    smallest = """Math.min(...[...document.querySelectorAll(".viewer *")]
      .filter((one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
      .map((one) => parseFloat(getComputedStyle(one).fontSize) * (one.currentCSSZoom ?? 1)))"""
    for width, height in ((1280, 800), (1400, 900)):
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate(over) == 0
        assert page.evaluate(smallest) >= 11
    page.set_viewport_size({"width": 1000, "height": 800})
    rings = page.evaluate(
        """[...document.querySelectorAll(".dr-gold b")].filter((ring) => ring.textContent > 9)
          .map((ring) => ring.parentElement.getBoundingClientRect().right
            - ring.getBoundingClientRect().right)"""
    )
    assert bool(rings) == (title == "dragonrealm")
    assert all(room > 0 for room in rings)


def test_escape_closes_what_is_open_beside_the_game(show):
    page = show(random_replay("dragonheart", 2), fragment="#ply=9")
    press(page, "i", "a")
    expect(page.locator(".fold[aria-expanded=true]")).to_have_count(2)
    press(page, "Escape")
    expect(page.locator(".fold[aria-expanded=true]")).to_have_count(0)
    press(page, "Escape")
    at_ply(page, 9)


def test_paper_is_light_whichever_colours_were_chosen(show):
    page = show(random_replay("dragonheart", 2))
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    page.emulate_media(media="print")
    scheme = page.evaluate("getComputedStyle(document.documentElement).colorScheme")
    assert scheme == "light"


def test_playing_by_itself(show):
    replay = autopilot_replay()
    page = show(replay, fragment="#ply=start")
    live = page.locator(".caption .said")
    expect(live).to_have_attribute("aria-live", "polite")
    press(page, "+", "+", "+", "+", "+", "Space")
    expect(live).to_have_attribute("aria-live", "off")
    expect(page.get_by_role("button", name="pause")).to_be_visible()
    at_ply(page, len(replay.record.plies) - 1)
    expect(live).to_have_attribute("aria-live", "polite")
    expect(page.get_by_role("button", name="play", exact=True)).to_be_visible()
    press(page, "Space")
    expect(live).to_have_attribute("aria-live", "off")
    press(page, "ArrowLeft")
    expect(live).to_have_attribute("aria-live", "polite")


def test_a_fault_is_told_where_it_happened(show):
    page = show(autopilot_replay(), fragment="#ply=start")
    expect(page.locator(".fault")).to_have_count(0)
    press(page, "f")
    at_ply(page, 5)
    expect(page.locator(".fault")).to_have_count(1)
    expect(page.locator(".caption")).to_contain_text("autopilot")
    press(page, "ArrowLeft")
    expect(page.locator(".fault")).to_have_count(0)
    press(page, "End")
    expect(page.locator(".fault")).to_have_count(1)
    press(page, "3", "F")
    expect(page.locator(".fault")).to_have_count(1)


HOSTILE = "</script><img src=x onerror=alert(1)>\u2028"


def test_hostile_texts_stay_texts(show):
    rules = rules_of()
    record = record_of(rules, plies=20)
    (found,) = record.measured.evidence
    spec = msgspec.structs.replace(record.header.spec, entrants=(HOSTILE, "x" * 300))
    info = {"text": HOSTILE, "p": {HOSTILE: 1}, HOSTILE: HOSTILE, "eval": 1e308}
    plies = tuple(
        msgspec.structs.replace(ply, info=None if ply.seat is None else info)
        for ply in record.plies
    )
    replay = replay_of(
        rules,
        record._replace(
            header=msgspec.structs.replace(record.header, spec=spec),
            plies=plies,
            measured=msgspec.structs.replace(
                record.measured, evidence=(msgspec.structs.replace(found, stderr=HOSTILE),)
            ),
        ),
    )
    page = show(replay, viewport=NARROW)
    press(page, "i", "a", "End")
    expect(page.locator(".panel")).to_contain_text("</script><img src=x onerror=alert(1)>")
    assert page.locator("img").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]


@pytest.mark.parametrize(
    ("title", "seats", "board"),
    [
        ("dragonheart", 2, ".dh-map"),
        ("dragonkrak", 1, ".dk-lane"),
        ("dragonkrak", 4, ".dk-lane"),
        ("dragonrealm", 2, ".dr-place:not(.dr-camp)"),
        ("dragonrealm", 4, ".dr-place:not(.dr-camp)"),
    ],
)
def test_a_phone_shows_board_and_hand_together_and_scrolls_down_only(show, title, seats, board):
    page = show(
        random_replay(title, seats),
        fragment="#ply=39&view=0",
        viewport={"width": 390, "height": 844},
        has_touch=True,
    )
    assert page.locator(".own-hand .card").count() > 0
    bottom = page.locator(board).last.bounding_box()
    dock, hand = page.locator(".dock").bounding_box(), page.locator(".own-hand").bounding_box()
    assert bottom is not None
    assert dock is not None
    assert hand is not None
    assert bottom["y"] + bottom["height"] <= dock["y"] <= hand["y"]
    small = """[...document.querySelectorAll("button, a, input, summary")].filter((one) => {
      const { width, height } = one.getBoundingClientRect();
      return width && (width < 24 || height < 24); }).map((one) => one.outerHTML)"""
    assert page.evaluate(small) == []
    page.set_viewport_size(NARROW)
    for key in ("Home", "l", "End"):
        press(page, key)
        assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    for top in (0, 100_000):
        page.evaluate(f"scrollTo(0, {top})")
        box = page.locator(".transport").bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= NARROW["height"]
        assert box["y"] > NARROW["height"] / 2
    keep_screenshot(page, f"replay-{title}-{seats}-narrow")


def test_light_and_dark(show):
    page = show(random_replay("dragonheart", 2), color_scheme="dark")
    color = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(color)
    keep_screenshot(page, "replay-dark")
    press(page, "t")
    assert page.evaluate(color) != dark
    page.reload()
    assert page.evaluate(color) != dark
    press(page, "t")
    assert page.evaluate(color) == dark


@pytest.mark.parametrize(
    ("title", "viewport"), [("dragonheart", NARROW), ("dragonkrak", WIDE), ("dragonrealm", NARROW)]
)
def test_nothing_in_the_way_of_anybody(show, title, viewport):
    page = show(random_replay(title, 2, plies=48), fragment="#ply=39", viewport=viewport)
    press(page, "a", "i")
    again = "new DOMParser().parseFromString(document.body.outerHTML, 'text/html').body.outerHTML"
    assert page.evaluate(f"{again} === document.body.outerHTML")  # tags are nested as HTML allows
    found = Axe().run(page).response["violations"]
    page.emulate_media(color_scheme="dark")
    found += Axe().run(page, options={"runOnly": ["color-contrast"]}).response["violations"]
    assert [(each["id"], each["nodes"][0]["html"]) for each in found] == []


def test_on_paper_there_are_board_and_moves(show):
    page = show(random_replay("dragonheart", 2))
    page.emulate_media(media="print")
    expect(page.locator(".board")).to_be_visible()
    expect(page.locator(".move").last).to_be_visible()
    expect(page.locator(".transport")).not_to_be_visible()
    keep_screenshot(page, "replay-print")


def test_a_link_is_copied(show):
    page = show(random_replay("dragonheart", 2), fragment="#ply=8")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    press(page, "c")
    expect(page.locator(".told")).to_have_text("link copied")
    assert page.evaluate("navigator.clipboard.readText()").endswith("game.html#ply=8&view=all")
