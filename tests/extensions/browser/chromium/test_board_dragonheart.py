"""The board of Dragonheart in Chromium: random games of both editions, no bot processes."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from arena.referee.records.perspective import SPECTATOR
from arena.views.game.replay import Replay, View, view_of
from tests.extensions.browser.chromium.conftest import WIDE, board_page, keep_screenshot
from tests.rows import some
from tests.views.game.replays import record_of, replay_of, rules_of

pytestmark = pytest.mark.slow

NAMES: Final = ("<b>ann</b>", "a very long name of a bot that plays")
VIEWS: Final = {"all": None, "0": 0, "1": 1, "spectator": SPECTATOR}
EDITIONS: Final = ("kosmos", "ffg")
STACKS: Final = ("fire_dragon", "petrified", "sorceress", "treasure", "troll")
NARROWEST: Final = {"width": 320, "height": 700}
DRAW: Final = """
const draw = (props) => htmPreact.render(arena.html`<${arena.boards.dragonheart} ...${props} />`,
  document.getElementById("app"));
const titles = (element, which) => [...element.querySelectorAll(which)].map((one) => one.title);
const number = (element, which) => parseInt(element.querySelector(which).textContent, 10);
const read = () => ({
  sides: Object.fromEntries([...document.querySelectorAll(".dh-side")].map((side) => [
    side.matches(".seat0") ? 0 : 1, {
      hand: titles(side, ".dh-hand .card:not(.back)"),
      backs: parseInt(side.querySelector(".dh-hand .cards[title]")?.title ?? 0, 10),
      pile: number(side, ".dh-pile .card b"),
      top: titles(side, ".dh-pile .card[title]"),
      points: number(side, ".dh-points b"),
      collected: number(side, "summary"),
      figure: side.querySelector(".dh-owned") !== null,
      acts: side.matches(".dh-acts"),
    }])),
  spaces: Object.fromEntries([...document.querySelectorAll(".dh-space, .dh-quay")].map((space) =>
    [/dh-at-(\\w+)/.exec(space.className)[1],
      titles(space, ".card:not(.faded, .dh-gone *)")])),
  slots: document.querySelectorAll(".dh-space .dh-slot").length,
  sets: document.querySelectorAll(".dh-sets .card").length,
  turn: document.querySelector(".dh-turn b").textContent,
  figure: document.querySelector(".dh-figure").getAttribute("aria-label"),
});
const sideways = () => document.documentElement.scrollWidth - innerWidth;
"""
CHANGES: Final = """() => ({
  lit: [...document.querySelectorAll(".dh-arrow.dh-lit")].map((one) =>
    /dh-(\\w+-\\w+)/.exec(one.className.replace("dh-arrow ", ""))[1]).sort(),
  asked: [...document.querySelectorAll(".dh-space.dh-asked .dh-name")].map((one) => one.innerText),
  taken: [...document.querySelectorAll(".dh-taken .dh-name")].map((one) => one.innerText),
  gain: [...document.querySelectorAll(".dh-map .dh-tag")].map((one) => one.innerText),
  fresh: [...document.querySelectorAll(".dh-map .card.fresh")].map((one) => one.title).sort(),
})"""
"""What the board marks as done by the ply."""


class Position(NamedTuple):
    """What a view shows after some plies."""

    props: dict[str, Any]
    """As the viewer hands them to the board."""

    @property
    def shared(self) -> Any:
        return self.props["shared"]

    @property
    def event(self) -> Any:
        return self.props["event"] or {}


@cache
def game_of(edition: str, number: int = 0) -> Replay:
    rules = rules_of(edition=edition)
    return replay_of(rules, record_of(rules, f"dragonheart/a+b:{number}:0"))


def positions(view: View, key: str) -> list[Position]:
    events = [None, *(ply.event or None for ply in view.plies)]
    return [Position(_props(view, key, ply, event)) for ply, event in enumerate(events)]


def _props(view: View, key: str, ply: int, event: Any) -> dict[str, Any]:
    seen = view.observations(ply)
    return {
        "names": NAMES,
        "options": view.header.options,
        "view": key,
        "ply": ply,
        "event": event,
        "shared": next(iter(seen.values())),
        "observations": {seat: one for seat, one in seen.items() if seat != SPECTATOR},
    }


@cache
def everything(edition: str = "kosmos", key: str = "all", number: int = 0) -> list[Position]:
    return positions(view_of(game_of(edition, number), VIEWS[key]), key)


def find(wanted: Callable[[Any, Any], Any], key: str = "all") -> Position:
    """The first position of some games whose observation and event are wanted."""
    return next(
        everything(number=number, key=key)[ply]
        for number in range(20)
        for ply, one in enumerate(everything(number=number))
        if wanted(one.shared, one.event)
    )


@pytest.fixture
def board(open_page: Callable[..., Page], tmp_path: Path) -> Callable[..., Page]:
    """Opens a page with nothing but a board."""

    file = board_page(
        tmp_path, "dragonheart", '<main><h1>Dragonheart</h1><div id="app"></div></main>', DRAW
    )
    return lambda **options: open_page(file, **({"reduced_motion": "reduce"} | options))


def draw(page: Page, position: Position) -> None:
    page.evaluate("text => draw(JSON.parse(text))", json.dumps(position.props))


def title_of(card: str) -> str:
    """As the board writes a card."""
    kind, _, value = card.partition(":")
    name = kind.replace("_", " ").capitalize()
    return name if kind == "ship" else f"{name} {value}"


def titles(cards: Sequence[str]) -> list[str]:
    return [title_of(card) for card in cards]


def points(cards: Sequence[str]) -> int:
    return sum(int(card.partition(":")[2]) for card in cards)


def expected(position: Position) -> dict[str, Any]:
    """What ``read`` has to find."""
    shared, own = position.shared, position.props["observations"]
    sides: dict[str, Any] = {}
    for seat in (0, 1):
        mine, has_figure = own.get(seat, {}), shared["figure"] == seat
        known = bool(mine.get("top_card"))
        sides[str(seat)] = {
            "hand": titles(mine.get("hand", ())),
            "backs": 0 if mine else shared["hand_sizes"][seat],
            "pile": shared["pile_sizes"][seat],
            "top": titles([mine["top_card"]]) if known else [],
            "points": points(shared["collected"][seat]) + 3 * has_figure,
            "collected": len(shared["collected"][seat]),
            "figure": has_figure,
            "acts": shared["player"] == seat and shared["phase"] != "over",
        }
    empty = sum(not shared["board"][space] for space in STACKS)
    owner = "on the board" if shared["figure"] is None else f"with {NAMES[shared['figure']]}"
    return {
        "sides": sides,
        "spaces": {space: titles(cards) for space, cards in shared["board"].items()},
        "slots": 4 + 3 + 3 + 2 + empty,
        "sets": shared["ship_sets"],
        "turn": str(shared["turn"] or "–"),
        "figure": f"Dragon figure, {owner}",
    }


@pytest.mark.parametrize(
    ("edition", "key"), some([("ffg", "all"), *(("kosmos", key) for key in VIEWS)], every=2)
)
def test_every_position_shows_what_the_view_knows(board, edition, key) -> None:
    page, shown = board(), everything(edition, key)
    read = page.evaluate(
        "text => JSON.parse(text).map((props) => { draw(props); return read(); })",
        json.dumps([position.props for position in shown]),
    )
    for position, found in zip(shown, read, strict=True):
        wanted = expected(position)
        # The cards that have just gone are shown in place of the slot of an empty stack.
        wanted["slots"] -= position.event.get("collected_from") in STACKS
        assert found == wanted, position.props["ply"]


CASES: Final[dict[str, tuple[Callable[[Any, Any], Any], dict[str, Any]]]] = {
    "a stack collects": (
        lambda _, event: event.get("collected_from") == "treasure" and event["type"] == "play",
        {"lit": ["fire_dragon-treasure"], "taken": ["Treasure"]},
    ),
    "a row collects and leaves": (
        lambda _, event: event.get("collected_from") == "fire_dragon",
        {"lit": ["huntress-fire_dragon", "huntress-quay"], "taken": ["Fire dragon"]},
    ),
    "a row collects itself": (
        lambda _, event: event.get("collected_from") == "dwarf",
        {"lit": [], "taken": ["Dwarf"], "fresh": []},
    ),
    "ships collect the quay": (
        lambda _, event: event.get("collected_from") == "quay",
        {"lit": ["ship-quay"], "taken": ["Quay"], "fresh": ["three ships"]},
    ),
    "the sorceress may choose": (
        lambda shared, _: shared.get("choice") == "sorceress",
        {"lit": [], "asked": ["Treasure", "Petrified"]},
    ),
    "knights may choose": (
        lambda shared, _: shared.get("choice") == "knight",
        {"lit": [], "asked": ["Sorceress", "Troll"]},
    ),
    "knights chose": (
        lambda _, event: event.get("space") == "troll",
        {"lit": ["knight-quay", "knight-troll"], "taken": ["Troll"], "asked": []},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_ply_is_marked(board: Callable[..., Page], case: str) -> None:
    wanted, marks = CASES[case]
    position, page = find(wanted), board()
    draw(page, position)
    found = page.evaluate(CHANGES)
    assert found == found | marks
    event = position.event
    if event.get("collected"):
        assert found["gain"] == [f"{'●▲'[event['seat']]} +{points(event['collected'])}"]
    if event["type"] == "play" and not event.get("row_to") and "fresh" not in marks:
        assert found["fresh"] == sorted(titles(event["cards"]))


@pytest.mark.parametrize("key", some([*VIEWS], every=2))
def test_a_stolen_card_is_known_to_its_owner_alone(board: Callable[..., Page], key: str) -> None:
    position = find(lambda _, event: event.get("type") == "steal", key)
    page, victim = board(), 1 - position.event["seat"]
    draw(page, position)
    pile = page.locator(f".dh-side.seat{victim} .dh-pile")
    known = key in ("all", str(victim))
    text = pile.get_attribute("aria-label") or ""
    assert ("known to its owner alone" in text) is known
    assert ("its owner knows the top card" in text) is not known
    assert pile.locator(".card[title]").count() == known
    assert "one stolen" in page.locator(f".dh-side.seat{victim} .dh-hand").inner_text()


def test_the_last_turn_is_announced(board: Callable[..., Page]) -> None:
    page = board()
    draw(page, find(lambda shared, event: "final_turn" in event and shared["ship_sets"] == 3))
    assert "This turn is the last: the third ship set" in page.locator(".dh-status").inner_text()
    draw(page, find(lambda shared, _: shared["turn"] == shared.get("final_turn")))
    assert "the last" in page.locator(".dh-turn").inner_text()


@pytest.mark.parametrize("edition", some([*EDITIONS], every=2))
def test_the_result_adds_up(board: Callable[..., Page], edition: str) -> None:
    page, position = board(), everything(edition)[-1]
    draw(page, position)
    rows = page.locator(".dh-reckoning tbody tr, .dh-reckoning tfoot tr").all()
    numbers = [
        [int(cell.split()[-1]) for cell in row.locator("td").all_inner_texts()] for row in rows
    ]
    *parts, totals = numbers
    assert [sum(column) for column in zip(*parts, strict=True)] == totals
    assert tuple(totals) == view_of(game_of(edition), None).end.scores
    assert f"wins {max(totals)} to {min(totals)}" in page.locator(".dh-status").inner_text()


@pytest.mark.parametrize(
    ("collected", "figure", "words"),
    [
        ([["treasure:3"], []], 1, f"{NAMES[1]} wins 3 to 3: the owner of the figure wins a tie"),
        ([["treasure:3"], ["troll:3"]], None, "A draw: 3 points each, nobody owns the figure"),
    ],
)
def test_a_tie_goes_to_the_owner_of_the_figure(board, collected, figure, words) -> None:
    page, position = board(), everything()[-1]
    shared = position.shared | {"collected": collected, "figure": figure}
    draw(page, Position(position.props | {"shared": shared}))
    assert words in page.locator(".dh-status").inner_text()


def test_the_edition_adds_its_names(board: Callable[..., Page]) -> None:
    page = board()
    for edition, names in (("kosmos", ["Princess", "Stone dragon", "Hero"]), ("ffg", [])):
        draw(page, everything(edition)[10])
        assert page.locator(".dh-alias").all_inner_texts() == names


def test_the_own_seat_sits_below(board: Callable[..., Page]) -> None:
    page = board()
    for key, last in (("all", 1), ("0", 0), ("1", 1), ("spectator", 1)):
        draw(page, everything(key=key)[20])
        assert f"seat{last}" in (page.locator(".dh-side").last.get_attribute("class") or "")


def test_no_position_is_wider_than_a_small_telephone(board: Callable[..., Page]) -> None:
    page, shown = board(viewport=NARROWEST), [*everything()[::3], everything()[-1]]
    wide = page.evaluate(
        "text => JSON.parse(text).map((props) => { draw(props); return sideways(); })",
        json.dumps([position.props for position in shown]),
    )
    assert set(wide) == {0}


@pytest.mark.parametrize(
    ("width", "scheme"), some([("narrow", "dark"), ("wide", "light")], every=2)
)
def test_nothing_stands_in_the_way_of_anybody(board, width, scheme) -> None:
    page = board(viewport=WIDE if width == "wide" else NARROWEST, color_scheme=scheme)
    shown = everything()
    for name, ply in (("start", 4), ("middle", len(shown) // 2), ("end", len(shown) - 1)):
        draw(page, shown[ply])
        keep_screenshot(page, f"dragonheart-{name}-{width}-{scheme}")
    page.locator("summary").first.click()
    assert Axe().run(page).response["violations"] == []
