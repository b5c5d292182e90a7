"""The board of Dragonkrak in a browser shows what an observation says, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from playwright.sync_api import Page

from arena.extensions.games.dragonkrak.rules import GRADES, grade_of
from arena.games.base import NOBODY
from arena.games.board import shared
from arena.games.registry import resolve
from tests.extensions.browser.chromium.conftest import NARROW, WIDE, board_page, keep_screenshot
from tests.games.games import PlayedGame, bare, play
from tests.rows import some

pytestmark = pytest.mark.slow

NAMES: Final = ("ash", "birch", "a-bot-with-a-long-name-v12.4", "<b>oak</b>")
SOLO_OPTIONS: Final = {"variant": "two_dragons", "hero_value": "declared"}
TABLES: Final[tuple[tuple[int, dict[str, Any]], ...]] = (
    (1, {}),
    (1, SOLO_OPTIONS),
    (2, {}),
    (3, {"hero_value": "declared"}),
    (4, {}),
)
SEEDS: Final = {1: "browser-35", 2: "browser-9", 3: "browser-20", 4: "browser-25"}
"""By seats a short game in which nearly every kind of action is taken."""
MOUNT: Final = """
const game = JSON.parse(document.getElementById("game").textContent);
const show = (position, view) => htmPreact.render(
  arena.html`<${arena.boards.dragonkrak} names=${game.names} options=${game.options} view=${view}
    ply=${position} ...${game.positions[position][view]} />`, document.getElementById("app"));
const each = (root, selector, read) => [...root.querySelectorAll(selector)].map(read);
const card = (element) => element.getAttribute("aria-label").split(",")[0];
const texts = (root, selector) => each(root, selector,
  (element) => element.textContent.replace(/\\s+/g, " ").trim());
const lane = (element) => ({
  cards: each(element, ".held .card", card),
  left: each(element, ".dk-leaving .card", card).length,
  hints: each(element, ".dk-hint", (hint) => hint.title.split(" fits")[0]),
  next: each(element, ".dk-cell.next", (cell) => cell.textContent.trim()).length,
  closed: element.classList.contains("closed"),
  active: element.classList.contains("active"),
  dragons: element.querySelectorAll(".dk-dragon:not(.tower)").length,
});
const seat = (element) => ({
  name: element.querySelector("h3 > span").lastChild.textContent,
  left: +element.querySelector(".dk-left b").textContent,
  hand: each(element, "dd > .cards .card:not(.back)", card),
  backs: element.querySelectorAll("dd > .cards .card.back").length,
  known: element.querySelectorAll("dd > .cards .dk-known").length,
  camp: +element.querySelector(".dk-number").textContent,
  bottom: each(element, ".dk-bottom .card", card),
  tokens: texts(element, ".dk-token:not(.used)"),
  used: texts(element, ".dk-token.used s"),
  acts: element.classList.contains("acts"),
});
const read = () => ({
  lanes: Object.fromEntries(each(document, ".dk-lane", (one) => [one.dataset.space, lane(one)])),
  seats: each(document, ".dk-seat", seat),
  phase: document.querySelector(".dk-phase").textContent,
  gone: each(document, ".dk-tracker td", (cell) => cell.title.endsWith("out of the game"))
    .filter(Boolean).length,
});
const wide = () => document.documentElement.scrollWidth > document.documentElement.clientWidth;
show(0, "all");
"""

EVERY: Final = {
    True: "(view) => game.positions.map((_, at) => (show(at, view), read()))",
    False: "(view) => game.positions.map((_, at) => (show(at, view), at % 3 ? null : read()))",
}
"""Renders every position; reads all of them, or some."""

Shown = dict[str, Any]


def plain(value: object) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value))


_GAMES: dict[str, tuple[PlayedGame, list[dict[str, Shown]]]] = {}


@pytest.fixture(scope="module", autouse=True)
def games_are_let_go() -> Iterator[None]:
    yield
    _GAMES.clear()


def game_of(seats: int, options: dict[str, Any]) -> PlayedGame:
    spec = bare(resolve("dragonkrak", seats, options, {}))
    if str(spec) not in _GAMES:
        game = play(spec, SEEDS[seats])
        _GAMES[str(spec)] = game, list(positions(game))
    return _GAMES[str(spec)][0]


def list_of(game: PlayedGame) -> list[dict[str, Shown]]:
    return _GAMES[str(game.rules.spec)][1]


def positions(game: PlayedGame) -> Iterator[dict[str, Shown]]:
    """By position what the board gets in every view."""
    rules = game.rules
    for number, state in enumerate(game.states):
        seen = {seat: plain(rules.observe(state, seat)) for seat in game.seats}
        told = plain(rules.describe(*game.plies[number - 1][1:])) if number else None
        everybody = {name: seen[0][name] for name in rules.info.public if name in seen[0]}
        union = {k: v for event in told for k, v in event.items()} if told else None
        yield {
            "all": {"observations": seen, "shared": seen[0], "event": union},
            "spectator": {
                "observations": {},
                "shared": everybody,
                "event": shared(told) if told else None,
            },
            **{
                str(seat): {
                    "observations": {seat: seen[seat]},
                    "shared": seen[seat],
                    "event": told[seat] if told else None,
                }
                for seat in game.seats
            },
        }


def write(folder: Path, game: PlayedGame) -> Path:
    """A page with the board alone; ``show(position, view)`` renders it, ``read()`` reads it."""
    data = {
        "names": NAMES[: len(game.seats)],
        "options": game.rules.spec.options,
        "positions": list_of(game),
    }
    encoded = msgspec.json.encode(data).decode().replace("<", "\\u003c")
    body = (
        '<main id="app" style="max-width: 1100px; margin: auto"></main>'
        f'<script type="application/json" id="game">{encoded}</script>'
    )
    return board_page(folder, "dragonkrak", body, MOUNT)


def card_words(card: str, value: int | None = None) -> str:
    kind, _, number = card.partition(":")
    if number:
        return f"{kind.capitalize()} {int(number)}"
    return f"Hero as {value}" if value else "Hero"


def expected_lane(observation: Shown, space: str, legal: list[Shown]) -> Shown:
    """What a space shows; ``legal``: the actions of the seat whose hand is seen."""
    pile = observation["board"][space]
    dragons = [name for name in ("red", "undead") if observation.get(name) == space]
    closed = [name for name in dragons if name != observation.get("overflight")]
    cards = [card_words(card, pile.get("hero")) for card in pile["cards"]]
    return {
        "cards": cards if space in ("I", "III", "tower") else cards[::-1],  # from low to high
        "closed": "imprisoned_by" in observation if space == "tower" else bool(closed),
        "active": observation.get("space") == space,
        "dragons": len(dragons),
        "hints": sorted(
            card_words(action["card"], action.get("value"))
            for action in legal
            if action["type"] == "place" and action["space"] == space
        ),
    }


def expected_seat(seat: int, public: Shown, own: Shown | None) -> Shown:
    hand, camp = public["hand_sizes"][seat], public["camp_sizes"][seat]
    shown = public["shown"][seat]
    count = public["token_counts"][seat]
    hidden = [f"{count} token{'s'[: count != 1]}, face down"] if count else []
    return {
        "name": NAMES[seat],
        "left": hand + camp,
        "hand": [card_words(card) for card in (own["hand"] if own else shown)],
        "backs": 0 if own else hand - len(shown),
        "known": len(shown),
        "camp": camp,
        "bottom": [card_words(card) for card in public["bottoms"][seat]],
        "tokens": [token_words(token) for token in own["tokens"]] if own else hidden,
        "used": [token_words(token) for token in public["used"][seat]],
        "acts": public["player"] == seat and public["phase"] in ("tactics", "recruit", "flight"),
    }


def token_words(token: str) -> str:
    return token.replace("_", " ").capitalize()


@pytest.mark.parametrize(("seats", "options"), some(TABLES, every=4), ids=lambda value: str(value))
def test_every_position_shows_what_the_view_knows_and_no_more(
    seats: int, options: dict[str, Any], tmp_path: Path, open_page: Callable[..., Page]
) -> None:
    game = game_of(seats, options)
    page = open_page(write(tmp_path, game))
    for view in dict.fromkeys(("all", str(seats - 1), "spectator")):
        readings = page.evaluate(EVERY[view == "all"], view)
        for number, found in enumerate(readings):
            if found is None:
                continue
            given = list_of(game)[number][view]
            observations, public = given["observations"], given["shared"]
            state = game.states[number]
            acts = game.rules.to_act(state)
            legal = plain(game.rules.legal_actions(state)) if acts in observations else []
            where = f"position {number} in view {view}"
            for space, lane in found["lanes"].items():
                lane["hints"].sort()
                expected = expected_lane(public, space, legal)
                assert {name: lane[name] for name in expected} == expected, f"{where}, {space}"
            for seat, panel in enumerate(found["seats"]):
                own = observations.get(seat)
                assert panel == expected_seat(seat, public, own), f"{where}, seat {seat}"
            assert len(found["seats"]) == seats
            assert found["gone"] == sum(card != "hero" for card in public.get("gone", ()))
            turn = public["turn"]
            assert (f"Turn {turn}" in found["phase"]) == (turn > 0), where


def first(game: PlayedGame, field: str) -> int:
    """The first position after an event with that field."""
    events = (shown["all"]["event"] for shown in list_of(game))
    return next(number for number, event in enumerate(events) if event and event.get(field))


def test_what_left_an_army_is_still_to_be_seen(tmp_path, open_page) -> None:
    game = game_of(4, {})
    page = open_page(write(tmp_path, game))
    for kind in ("removed", "cleared"):
        number = first(game, kind)
        event = list_of(game)[number]["all"]["event"]
        found = page.evaluate("(at) => (show(at, 'all'), read())", number)
        taken = found["lanes"][event["space"]]["left"]
        assert len(event[kind]) - 1 <= taken <= len(event[kind])  # the new card may cover one
        assert page.locator(f'[data-space="{event["space"]}"] .dk-note').count() == 1
    number = first(game, "card")
    page.evaluate("(at) => show(at, 'all')", number)
    assert page.locator(".dk-lane .card.fresh").count() == 1


def test_the_end_tells_places_and_cards_left(tmp_path, open_page) -> None:
    game = game_of(3, {"hero_value": "declared"})
    page = open_page(write(tmp_path, game))
    outcome = game.rules.outcome(game.states[-1])
    assert game.rules.to_act(game.states[-1]) == NOBODY
    assert outcome is not None
    page.evaluate("show(game.positions.length - 1, 'spectator')")
    winner = NAMES[outcome.places.index(1)]
    assert f"{winner} has no cards left and wins" in page.locator(".dk-result h3").inner_text()
    rows = page.locator(".dk-result tbody tr").all()
    cells = [row.locator("td, th").all_inner_texts() for row in rows]
    assert {(row[1][1:], int(row[0]), int(row[4])) for row in cells} == set(
        zip(NAMES, outcome.places, outcome.scores, strict=False)
    )


def test_a_single_seat_is_graded(tmp_path: Path, open_page: Callable[..., Page]) -> None:
    game = game_of(1, SOLO_OPTIONS)
    page = open_page(write(tmp_path, game))
    page.evaluate("show(game.positions.length - 1, 'all')")
    event = list_of(game)[-1]["all"]["event"]
    verdict = grade_of(len(list_of(game)[-1]["all"]["shared"].get("deserters", ())))
    assert verdict.number == event["grade"]
    grade = f"Grade {verdict.number}, {verdict.words}: "
    assert page.locator(".dk-deserters h3").inner_text().startswith(grade)
    grades = page.locator(".dk-grades li").all_inner_texts()
    assert [text.split("\n")[-1] for text in grades] == [each.words for each in GRADES]
    limits = [each.deserters for each in GRADES[:-1]]
    spans = [text.split("\n")[0] for text in grades]
    assert [int(span.split("–")[-1]) for span in spans[:-1]] == limits


@pytest.mark.parametrize(
    ("seats", "scheme", "size"), [(4, "light", WIDE), (4, "dark", NARROW), (1, "light", NARROW)]
)
def test_it_fits_its_width(seats, scheme, size, tmp_path, open_page) -> None:
    game = game_of(seats, {})
    page = open_page(write(tmp_path, game), viewport=size, color_scheme=scheme)
    last = len(game.plies)
    for name, number in (("start", 0), ("middle", last // 2), ("end", last)):
        page.evaluate("(at) => show(at, 'all')", number)
        keep_screenshot(page, f"dragonkrak-{seats}-{scheme}-{size['width']}-{name}")
    page.set_viewport_size({"width": min(size["width"], 336), "height": 700})
    script = "game.positions.map((_, at) => at % 5 ? 0 : (show(at, 'all'), wide() ? at : 0))"
    assert set(page.evaluate(script)) == {0}
