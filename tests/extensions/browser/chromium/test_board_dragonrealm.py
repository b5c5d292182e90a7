"""The board of Dragonrealm in Chromium: random games of every table size, no bot processes."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from arena.games.board import shared
from arena.games.registry import rules_spec
from tests.extensions.browser.chromium.conftest import WIDE, board_page, keep_screenshot
from tests.games.games import play
from tests.rows import some

pytestmark = pytest.mark.slow

NAMES: Final = ("greedy", "a very long name of a bot", "<b>max</b>", "n" * 24)
GAMES: Final[dict[int, tuple[str, dict[str, str]]]] = {
    2: ("board 5", {}),
    3: ("board 8", {"side": "alley", "enhancement_deal": "by_level"}),
    4: ("board 8", {"side": "alley"}),
}
"""By seats the seed of a short game and its options."""
NARROWEST: Final = {"width": 320, "height": 700}
DRAW: Final = """
const draw = (props) => htmPreact.render(arena.html`<${arena.boards.dragonrealm} ...${props} />`,
  document.getElementById("app"));
"""
READ: Final = """() => [...document.querySelectorAll(".dr-seat")].map((seat) => ({
  label: seat.getAttribute("aria-label"),
  cards: [...seat.querySelectorAll(".card[aria-label]:not(.back)")].map((card) =>
    card.title.split(",")[0]),
  backs: +(seat.querySelector(".cards[aria-label$='face down']")?.title.split(" ")[0] ?? 0),
  coins: parseInt(seat.querySelector(".dr-purse .dr-coins").textContent, 10),
  turn: seat.matches(".dr-turn"),
  text: seat.innerText,
}))"""
"""What lies before each seat."""


class Table(NamedTuple):
    """A finished game and what each view was given."""

    seats: dict[str, list[Any]]
    """Observations by seat, then by position."""
    spectator: list[Any]
    events: dict[str, list[Any]]
    """By view, then by ply."""
    options: dict[str, Any]

    @property
    def last(self) -> int:
        """The last position."""
        return len(self.spectator) - 1

    def props(self, view: str, ply: int, *, before: bool = True) -> dict[str, Any]:
        """What the viewer hands to the board; it may or may not tell the position before."""
        seats = {"all": list(self.seats), "spectator": []}.get(view, [view])
        seen = self.seats[seats[0]] if seats else self.spectator
        return {
            "names": NAMES[: len(self.seats)],
            "options": self.options,
            "view": view,
            "ply": ply,
            "observations": {seat: self.seats[seat][ply] for seat in seats},
            "shared": seen[ply],
            "before": seen[ply - 1] if before and ply else None,
            "event": self.events[view][ply - 1] if ply else None,
        }

    def where(self, wanted: Callable[[Any, Any], Any]) -> int:
        """The first position whose observation and event, as everybody saw them, are wanted."""
        events = [None, *self.events["all"]]
        pairs = enumerate(zip(self.spectator, events, strict=True))
        return next(ply for ply, (seen, event) in pairs if wanted(seen, event or {}))


@cache
def table_of(seats: int) -> Table:
    seed, options = GAMES[seats]
    game = play(rules_spec("dragonrealm", seats=seats, options=options), seed)
    rules = game.rules
    seen = {
        str(seat): [_plain(rules.observe(state, seat)) for state in game.states]
        for seat in game.seats
    }
    told = [_plain(rules.describe(*ply[1:])) for ply in game.plies]
    events: dict[str, list[Any]] = {
        "all": [_union(ply.actor, all_saw) for ply, all_saw in zip(game.plies, told, strict=True)],
        "spectator": [_seen_by_all(all_saw) for all_saw in told],
    }
    events |= {str(seat): [all_saw[seat] for all_saw in told] for seat in game.seats}
    public = [{k: v for k, v in now.items() if k in rules.info.public} for now in seen["0"]]
    return Table(seen, public, events, dict(rules.spec.options))


def _plain(value: Any) -> Any:
    return json.loads(msgspec.json.encode(value))


def _seen_by_all(events: list[Any]) -> Any:
    event = shared(events)
    return event if isinstance(event, dict) else None


def _union(actor: int, events: list[Any]) -> Any:
    """As views of all have it: what the actor saw, then what others saw besides."""
    union: dict[str, Any] = {}
    for event in (events[actor] if actor >= 0 else None, *events):
        union = {**(event or {}), **union}
    return union


@pytest.fixture
def board(open_page: Callable[..., Page], tmp_path: Path) -> Callable[..., Page]:
    """Opens a page with nothing but a board."""

    file = board_page(
        tmp_path,
        "dragonrealm",
        '<main><h1>Dragonrealm</h1><h2>Board</h2><div id="app"></div></main>',
        DRAW,
    )
    return lambda **options: open_page(file, **({"reduced_motion": "reduce"} | options))


def draw(page: Page, table: Table, view: str, ply: int, *, before: bool = True) -> None:
    props = json.dumps(table.props(view, ply, before=before))
    page.evaluate("text => draw(JSON.parse(text))", props)


def name_of(identifier: str) -> str:
    """As the board writes the id of a location, enhancement or suit."""
    return identifier.removeprefix("si_").replace("_", " ").capitalize()


def card_name(card: str) -> str:
    suit, _, value = card.partition(":")
    return f"{name_of(suit)} {value.lstrip('0')}"


@pytest.mark.parametrize("seats", some([4, 3, 2], every=3))
def test_every_position_can_be_drawn_on_the_narrowest_screen(board, seats) -> None:
    table, page = table_of(seats), board(viewport=NARROWEST)
    drawn = [("all", ply) for ply in range(table.last + 1)]
    drawn += [(view, n) for view in (str(seats - 1), "spectator") for n in range(0, table.last, 5)]
    every = [table.props(view, ply, before=ply % 2 > 0) for view, ply in drawn]
    wide = page.evaluate(
        """text => JSON.parse(text).filter((props, n) => {
          draw(props);
          return n % 9 === 0 && document.documentElement.scrollWidth > innerWidth;
        }).map(({ view, ply }) => [view, ply])""",
        json.dumps(every),
    )
    assert wide == []


@pytest.mark.parametrize("view", some(["spectator", "all", "1"], every=2))
def test_seats_show_what_the_view_may_know(board: Callable[..., Page], view: str) -> None:
    table, page = table_of(4), board()
    for ply in range(5, table.last, table.last // 12):
        draw(page, table, view, ply)
        now = table.spectator[ply]
        for seat, shown in enumerate(page.evaluate(READ)):
            side = now["sides"][seat]
            hand, backs = _hand(table, view, ply, seat)
            assert shown["cards"] == hand
            assert shown["backs"] == backs
            assert len(hand) + backs == side["cards"]
            assert shown["coins"] == side["coins"]
            assert shown["turn"] == (now["player"] == seat)
            assert shown["label"] == f"Seat {seat}: {NAMES[seat]}"
            for enhancement in side["shown"]:
                assert name_of(enhancement) in shown["text"]


def _hand(table: Table, view: str, ply: int, seat: int) -> tuple[list[str], int]:
    """Names of the cards that a view sees in a hand, and how many others there are."""
    count = table.spectator[ply]["sides"][seat]["cards"]
    if view in ("all", str(seat)):
        cards = table.seats[str(seat)][ply]["hand"]
    else:
        held = table.seats[view][ply].get("held", {}) if view in table.seats else {}
        cards = sorted(card for card, seats in held.items() if seats == [seat])
    return [card_name(card) for card in cards], count - len(cards)


def test_face_down_enhancements_are_named_to_their_owner_alone(board: Callable[..., Page]) -> None:
    table, page = table_of(4), board()
    ply = table.where(lambda now, _: now["turn"] == 1)
    mine = table.seats["0"][ply]["enhancements"][0]["id"]
    for view, is_there in (("all", True), ("0", True), ("1", False), ("spectator", False)):
        draw(page, table, view, ply)
        assert (name_of(mine) in page.evaluate("document.body.innerText")) is is_there, view


def test_the_row_and_the_decks_are_those_of_the_observation(board: Callable[..., Page]) -> None:
    table, page = table_of(3), board()
    ply = table.where(lambda now, _: any(p["goblins"] for p in now["row"]) and now["turn"] > 20)
    draw(page, table, "spectator", ply)
    now = table.spectator[ply]
    assert page.locator(".dr-place:not(.dr-camp) h4").all_inner_texts() == [
        name_of(place["id"]) for place in now["row"]
    ]
    for place, card in zip(now["row"], page.locator(".dr-place:not(.dr-camp)").all(), strict=True):
        full = sum(place["adventurers"]) + place["goblins"]
        assert card.locator(".dr-fill").inner_text() == f"{full}/{place['spaces']}"
        assert card.locator(".dr-spaces .dr-pawn").count() == full
        assert card.locator(".dr-spaces .dr-goblin").count() == place["goblins"]
        assert card.locator(".dr-spaces .dr-space").count() == place["spaces"] - full
        ways = [str(place[way]) for way in ("sneak", "search", "storm")]
        assert card.locator(".dr-way b").all_inner_texts() == ways
        assert card.locator(".dr-gold").count() == len(place["gold"])
    decks = page.locator(".dr-decks").inner_text()
    assert f"Deck\n{now['deck_size']}\n" in decks
    assert f"Discards {len(now['discards'])}" in decks
    assert page.locator(".dr-decks .dr-pawns .dr-goblin").count() == now["goblins"]
    assert page.locator(".dr-camp h4").inner_text() == "Alley"
    camps = [side["camp"] for side in now["sides"]]
    assert [row.locator(".dr-pawn").count() for row in page.locator(".dr-camp li").all()] == camps
    assert f"Turn {now['turn']}" in page.locator(".dr-status").inner_text()


def test_an_explore_shows_cards_dice_and_the_sum(board: Callable[..., Page]) -> None:
    table, page = table_of(2), board()
    ply = table.where(lambda now, _: now["phase"] == "academy")
    attempt = table.spectator[ply]["attempt"]
    draw(page, table, "spectator", ply)
    assert f"explores {name_of(attempt['location'])}" in page.locator(".dr-lead").inner_text()
    faces = [int(die.split()[1]) for die in page.locator(".dr-die").evaluate_all(_TITLES)]
    assert faces == attempt["dice"]
    cards = page.locator(".dr-action .card").evaluate_all(_TITLES)
    assert cards == [card_name(card) for card in attempt["cards"]]
    total = sum(attempt["dice"]) + attempt["bonus"]
    assert f"{total} of {attempt['needed']}" in page.locator(".dr-sum").inner_text()
    assert page.locator(".dr-explored h4").inner_text() == name_of(attempt["location"])
    assert page.locator(".dr-chosen .dr-word").inner_text() == attempt["way"]


_TITLES: Final = "shown => shown.map(one => one.title)"


@pytest.mark.parametrize("kind", ["success", "failure"])
def test_the_end_of_an_explore_is_told(board: Callable[..., Page], kind: str) -> None:
    table, page = table_of(2), board()
    ply = table.where(lambda _, event: _incidents(event, kind))
    outcome = _incidents(table.events["all"][ply - 1], kind)[0]
    for before in (True, False):
        draw(page, table, "all", ply, before=before)
        shown = page.locator(".dr-sum").inner_text()
        assert f"{outcome['total']} of {outcome['needed']}" in shown
        assert kind in shown


def _incidents(event: Any, kind: str) -> list[Any]:
    return [one for one in event.get("then", ()) if one["type"] == kind]


def test_a_score_is_a_table(board: Callable[..., Page]) -> None:
    table, page = table_of(3), board()
    ply = table.where(lambda _, event: _incidents(event, "scored"))
    scored = _incidents(table.events["all"][ply - 1], "scored")
    draw(page, table, "spectator", ply)
    heads = page.locator(".dr-scroll thead th").all_inner_texts()[1:]
    assert heads == [name_of(one["location"]) for one in scored]
    for seat, row in enumerate(page.locator(".dr-scroll tbody tr").all()[:3]):
        coins = row.locator("td").first.locator(".dr-coins").all_inner_texts()
        assert [int(text.split()[0]) for text in coins] == [
            paid for paid in [scored[0]["coins"][seat]] if paid
        ]


@pytest.mark.parametrize("seats", some([4, 3, 2], every=3))
def test_the_result_adds_up(board: Callable[..., Page], seats: int) -> None:
    table, page = table_of(seats), board()
    draw(page, table, "spectator", table.last)
    rows = {
        row.locator("th").inner_text(): [int(n) for n in row.locator("td").all_inner_texts()]
        for row in page.locator(".dr-result tbody tr").all()
    }
    end = table.spectator[-1]
    result = end["result"]
    assert rows["Coins"] == result["coins"]
    assert rows["Dragonstones"] == result["stones"]
    assert rows["Most Dragonstones"] == result["bonus"]
    assert rows["Locations"] == [side["coins"] for side in end["sides"]]
    parts = zip(rows["Locations"], rows["Enhancements"], rows["Most Dragonstones"], strict=True)
    assert [sum(part) for part in parts] == rows["Coins"]
    best = max(zip(rows["Coins"], rows["Dragonstones"], strict=True))
    ranks = zip(rows["Coins"], rows["Dragonstones"], strict=True)
    assert [place == 1 for place in rows["Place"]] == [rank == best for rank in ranks]


@pytest.mark.parametrize(("seats", "scheme"), some([(4, "dark"), (2, "light")], every=2))
def test_nothing_stands_in_the_way_of_anybody(board, seats, scheme) -> None:
    table = table_of(seats)
    page = board(viewport=WIDE, color_scheme=scheme)
    middle = table.where(lambda now, _: now["turn"] > 12 and now["phase"] == "place")
    for name, ply in (("start", 8), ("middle", middle), ("end", table.last)):
        draw(page, table, "all", ply)
        keep_screenshot(page, f"dragonrealm-{seats}-{name}")
    draw(page, table, "all", middle)
    assert Axe().run(page).response["violations"] == []
