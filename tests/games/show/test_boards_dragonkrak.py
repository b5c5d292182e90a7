"""Dragonkrak's board shows what the rules show, in lines that fit."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import pytest
from wcwidth import wcswidth

from arena.extensions.games.dragonkrak import board
from arena.games.board import TableInfo
from arena.games.guarded_board import board_of
from arena.games.registry import resolve
from tests.games.games import PlayedGame, happened, plain, play

GAMES = 30
NAMES = tuple(letter * 24 for letter in "abcd")


@cache
def game(seats: int, number: int) -> PlayedGame:
    return play(resolve("dragonkrak", seats, {}, {}), f"board-{number}")


def table(seats: int) -> TableInfo:
    return TableInfo(tuple(f"bot{seat}" for seat in range(seats)), {})


def observations(shown: PlayedGame, ply: int) -> dict[int, Any]:
    state = shown.plies[ply].after
    return {seat: plain(shown.rules.observe(state, seat)) for seat in shown.seats}


def test_the_board_is_found() -> None:
    assert board_of("dragonkrak", 2) is board.BOARD


@pytest.mark.slow
@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_every_event_is_a_sentence(seats: int) -> None:
    kinds = set()
    for number in range(GAMES):
        shown = game(seats, number)
        for ply in shown.plies:
            for event in shown.rules.describe(*ply[1:]):
                told = board.sentence(plain(event), table(seats))
                assert re.fullmatch(r"[\w ,;:×()-]+", told), told
                assert "_" not in told
                assert not re.search(r"\b(None|True|False|[a-z]+:\d)", told)
                kinds.add(plain(event)["type"])
    missing = {
        *("muster", "deal", "tokens", "starter", "place", "remove", "exchange", "end", "fly"),
        *("counter_order", "epidemic", "imprisoned", "overflight", "reinforcements", "recruit"),
        *("undead_dragon", "volunteers"),
    } - kinds
    alone = {"tokens", "fly", "imprisoned", "undead_dragon"}
    assert missing == (alone if seats == 1 else set())


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_the_board_fits_80_columns(seats: int) -> None:
    names = TableInfo(NAMES[:seats], {})
    for number in range(10):
        shown = game(seats, number)
        for ply in range(len(shown.plies)):
            seen = observations(shown, ply)
            for views in (seen, {0: seen[0]}):
                lines = board.lines(views, names)
                assert len(lines) <= 3 * seats + 7
                assert seats < 3 or len(lines) >= 2 * seats + 7
                assert max(map(wcswidth, lines)) <= 79, lines


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_running_scores_end_at_the_result(seats: int) -> None:
    for number in range(GAMES):
        shown = game(seats, number)
        end = shown.plies[-1].after
        outcome = shown.rules.outcome(end)
        assert outcome is not None
        for seat in shown.seats:
            assert board.scores(plain(shown.rules.observe(end, seat))) == outcome.scores


SENTENCES = {
    "the armies open with Druids 12, Druids 1, Tribes 2, Tribes 3": happened(
        "muster", cards=["druids:12", "druids:01", "tribes:02", "tribes:03"]
    ),
    "bot1 shows Hero ×2, Druids 1": happened("deal", seat=1, cards=["hero", "hero", "druids:01"]),
    "bot1 gets tokens": happened("tokens", seat=1),
    "bot1 gets epidemic, undead dragon": happened(
        "tokens", seat=1, tokens=["epidemic", "undead_dragon"]
    ),
    "bot0 places Druids 7 on army I": happened("place", seat=0, card="druids:07", space="I"),
    "bot0 places Hero as 5 on army I": happened("place", seat=0, card="hero", space="I", value=5),
    (
        "bot0 places Druids 7 on the watchtower; the full pile leaves the game; bot0 has no "
        "cards left and wins"
    ): happened("place", seat=0, card="druids:07", space="tower", cleared=["druids:01"], over=True),
    "bot0 places Druids 7 on army I; the game has ended: grade 3, costly": happened(
        "place", seat=0, card="druids:07", space="I", over=True, grade=3
    ),
    "bot0 removes Hero from army I and places Druids 7": happened(
        "remove", seat=0, card="druids:07", space="I", removed=["hero"]
    ),
    "bot0 exchanges the hero on army I for Druids 7": happened(
        "exchange", seat=0, card="druids:07", space="I"
    ),
    (
        "bot0 places no more cards; the red dragon goes to army II; the undead dragon goes to "
        "army I; draws Hero"
    ): happened("end", seat=0, red="II", undead="I", drew=1, drawn=["hero"]),
    "bot0 moves the red dragon to army II; draws 2 cards; the undead dragon leaves": happened(
        "fly", seat=0, red="II", drew=2, undead_leaves=True
    ),
    "bot0 moves the red dragon to army II; the watchtower opens; the game is broken off": happened(
        "fly", seat=0, red="II", tower_opens=True, over=True
    ),
    "bot0 moves the red dragon to army II; the same position for the second time": happened(
        "fly", seat=0, red="II", repeated=1
    ),
    (
        "bot0 moves the red dragon to army II; the same position for the third time: the game has "
        "ended"
    ): happened("fly", seat=0, red="II", repeated=2, over=True),
    "bot0 plays counter order: the watchtower now wants Tribes": happened(
        "counter_order", seat=0, space="tower", colour="tribes"
    ),
    "bot0 plays epidemic: Druids 1, Tribes 2 on army I leave the game": happened(
        "epidemic", seat=0, space="I", removed=["druids:01", "tribes:02"]
    ),
    "bot0 plays imprisoned: the watchtower is closed": happened("imprisoned", seat=0),
    "bot0 plays overflight: the red dragon does not block": happened(
        "overflight", seat=0, dragon="red"
    ),
    "bot0 plays reinforcements": happened("reinforcements", seat=0),
    "bot0 recruits a card": happened("recruit", seat=0),
    "bot0 recruits Hero": happened("recruit", seat=0, card="hero"),
    "bot0 plays undead dragon on army I": happened("undead_dragon", seat=0, space="I"),
    "bot0 plays volunteers: Hero as 9 joins army I": happened(
        "volunteers", seat=0, card="hero", space="I", value=9
    ),
}


@pytest.mark.parametrize(("words", "event"), SENTENCES.items())
def test_sentences(words: str, event: Any) -> None:
    assert board.sentence(event, table(2)) == words


BOARD_OF_THREE = """\
> seat 0  bot0  13 cards: hand 2, camp 11 (3 known)
  hand    Druids 11, Tribes 5
  tokens  used undead dragon, reinforcements
  seat 1  bot1  11 cards: hand 3, camp 8 (1 known)
  hand    3 cards
  tokens  used counter order, volunteers
  seat 2  bot2  15 cards: hand 3, camp 12 (4 known)
  hand    3 cards
  tokens  used epidemic, undead dragon
 I    ↑        Paladins 5, Tribes 6 12
 II   ↓ red    Artisans 9
 III  ↑        Druids 5
 IV   ↓        Artisans 11 4 1
 tower         Tribes 4 8, Paladins 2 8 (now Paladins)
turn 16: seat 0 to place cards | on army III
1 card gone"""
BOARD_OF_ONE = """\
> seat 0  bot0  19 cards: hand 2, camp 17
  hand    Druids 11, Tribes 11
  tokens  used reinforcements, epidemic, overflight, counter order, volunteers
 I    ↑ red    Artisans 10, Hero (11), Paladins 12
 II   ↓        Druids 9 6, Artisans 5, Tribes 4, Paladins 1
 III  ↑        Druids 12
 IV   ↓        Tribes 9 1
 tower         Tribes 6, Artisans 7 9 4 (now Artisans)
turn 25: seat 0 to place cards | on the watchtower
4 cards gone | 14 deserters"""
COMPACT = """\
turn 16: bot1 to place cards | on army IV | 0 cards gone
bot0: 22 cards: hand 3, camp 19 (6 known) | bot1: 18 cards: hand 2, camp 16 (4 known)
hand: Artisans 7, Druids 8 | tokens: used counter order, imprisoned, undead dragon
I ↑: Paladins 5, Tribes 10
II ↓ (red): Druids 9, Tribes 6, Artisans 4
III ↑: Druids 10, Artisans 12 (now Artisans)
IV ↓: Druids 7 5
tower: Paladins 10 1 12"""


@pytest.mark.parametrize(
    ("seats", "viewer", "expected"), [(3, 0, BOARD_OF_THREE), (1, 0, BOARD_OF_ONE)]
)
def test_boards(seats: int, viewer: int, expected: str) -> None:
    """As one seat sees it after 60 plies."""
    views = {viewer: observations(game(seats, 0), 60)[viewer]}
    assert "\n".join(board.lines(views, table(seats))) == expected


def test_one_observation_in_few_lines() -> None:
    view = observations(game(2, 0), 60)[1]
    *first, piles = board.compact(view, table(2))
    assert "\n".join([*first, *piles.split(" | ")]) == COMPACT


def test_a_pile_that_is_too_long_loses_its_bottom() -> None:
    view = observations(game(2, 0), 60)[0]
    cards = ["artisans:10", "paladins:10", "artisans:11", "paladins:11", "artisans:12"]
    view["board"]["III"] = {"cards": cards, "colour": "artisans", "ordered": True}
    view["red"] = "I"
    line = next(line for line in board.lines({0: view}, table(2)) if line[:5] == " III ")
    assert len(line) == 79
    assert line.endswith(" Paladins 11, Artisans 12 (now Artisans)")


def test_a_grade_is_given_at_the_end_only() -> None:
    shown = game(1, 0)
    names = TableInfo(NAMES[:1], {})
    graded = [
        "grade" in board.lines(observations(shown, ply), names)[-1]
        for ply in range(len(shown.plies))
    ]
    assert not any(graded[:-1])
    end = {0: plain(shown.rules.observe(shown.plies[-1].after, 0))}
    assert "grade" in board.lines(end, names)[-1]
