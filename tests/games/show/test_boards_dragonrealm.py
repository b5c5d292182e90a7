"""Dragonrealm in words and as a board: real random games, and a sentence for every event."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args, get_type_hints

import pytest
from wcwidth import wcswidth

from arena.extensions.games.dragonrealm import board
from arena.extensions.games.dragonrealm.rules.events import Event
from arena.extensions.games.dragonrealm.rules.incidents import Incident
from arena.games.board import TableInfo
from arena.games.registry import rules_spec
from tests.games.games import PlayedGame, happened, plain, play

pytestmark = pytest.mark.slow

NAMES = ("greedy", "random", "max", "n" * 24)


def game_of(seats: int, deal: int, **options: Any) -> PlayedGame:
    return play(rules_spec("dragonrealm", seats=seats, options=options), f"board {deal}")


def table_of(game: PlayedGame) -> TableInfo:
    return TableInfo(NAMES[: game.rules.info.seats], game.rules.spec.options)


def sentences(game: PlayedGame) -> Iterator[tuple[Any, str]]:
    table = table_of(game)
    for ply in game.plies:
        for event in game.rules.describe(*ply[1:]):
            if event is not None:
                data = plain(event)
                yield data, board.sentence(data, table)


@pytest.mark.parametrize("side", ["academy", "alley"])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_every_event_is_a_line_without_raw_data(seats: int, side: str) -> None:
    for deal in range(7):
        for event, words in sentences(game_of(seats, deal, side=side)):
            assert words, event
            assert words.isprintable(), event
            assert not set(words) & set("{}[]_\"'"), words
            assert "None" not in words, words


@pytest.mark.parametrize("side", ["academy", "alley"])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_board_fits(seats: int, side: str) -> None:
    game = game_of(seats, 0, side=side)
    table = table_of(game)
    for position in game.states[::7]:
        views = {seat: plain(game.rules.observe(position, seat)) for seat in game.seats}
        shown = board.lines(views, table)
        assert max(map(wcswidth, shown)) <= 79
        assert len(shown) <= 4 * seats + 11
        one = board.lines({0: views[0]}, table)
        assert len(one) <= len(shown) + 1
        assert sum("that this view does not show" in line for line in one) == seats - 1
        assert all(board.compact(views[0], table))


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_running_scores_end_at_the_result(seats: int) -> None:
    game = game_of(seats, 1)
    end = game.plies[-1].after
    outcome = game.rules.outcome(end)
    assert outcome is not None
    assert board.scores(plain(game.rules.observe(end, 0))) == outcome.scores
    assert board.scores(plain(game.rules.observe(game.plies[0].after, 0))) == (0,) * seats


def test_the_games_above_have_every_kind_of_event() -> None:
    """So none of them is without words; what is too rare for them stands in the table below."""
    kinds: set[str] = set()
    for side in ("academy", "alley"):
        for deal in range(2, 7):
            for event, _ in sentences(game_of(4, deal, side=side)):
                kinds.add(event["type"])
                kinds.update(incident["type"] for incident in event.get("then", ()))
    actions = set(get_args(get_type_hints(Event)["type"]))
    happenings = {kind.__struct_config__.tag for kind in get_args(Incident)}
    assert kinds | {"waiting"} == actions | happenings


BOARD = """\
> seat 0  greedy  0 coins, won 0, supply 4, camp 2, hand 8
  hand    Anchor 12, Bell 1 3, Clover 2 5 7 9 12
  cards   Lucky socks, Potion invisible
  seat 1  random  0 coins, won 0, supply 4, camp 3, hand 8
  hand    8 cards that this view does not show
  cards   face down level 2
  seat 2  max  0 coins, won 0, supply 6, camp 2, hand 9
  hand    9 cards that this view does not show
  cards   Pet chipmunk | face down level 1
  location            level   full  pays  stones  sneak  search  storm  *ring
  Magic castle        III     1/6   8/5   3       9      6*      8
    goblins 1
  Fire swamp          II      2/5   7/3   3       6      5       8*
    random 1, goblins 1 (fail discard one)
  Rickety mill        I       3/4   4/2   2       6      4       6
    greedy 2, goblins 1
  deck 19, discards 22 | face up Anchor 9, Ember 11 | next III II I Dragon
  Fire swamp: search needs 5 | Clover 7 | dice 1
turn 31: seat 0 to call adventurers from the Academy | goblins 3
"""
COMPACT = """\
turn 31: greedy to call adventurers from the Academy | goblins 3
greedy: 0 coins, won 0, supply 4, camp 2, hand 8 | random: 0 coins, won 0, supply 4, camp 3, \
hand 8 | max: 0 coins, won 0, supply 6, camp 2, hand 9
hand: Anchor 12, Bell 1 3, Clover 2 5 7 9 12
row: Magic castle 1/6 (goblins 1) | Fire swamp 2/5 (random 1, goblins 1) | Rickety mill \
3/4 (greedy 2, goblins 1)
Fire swamp: search needs 5 | Clover 7 | dice 1
deck 19, discards 22 | face up Anchor 9, Ember 11 | next III II I Dragon
"""


def test_the_short_board_says_which_location_is_the_dragon() -> None:
    game = game_of(2, 0)
    for position in game.states[::7]:
        view = plain(game.rules.observe(position, 0))
        dragons = sum(place["level"] == 0 for place in view["row"])
        (row,) = [line for line in board.compact(view, table_of(game)) if "row: " in line]
        assert row.count(" (Dragon) ") == dragons
    assert dragons or view["phase"] == "over"


def test_a_board_of_a_real_game() -> None:
    game = game_of(3, 0)
    view = plain(game.rules.observe(game.states[150], 0))
    assert board.lines({0: view}, table_of(game)) == BOARD.splitlines()
    assert board.compact(view, table_of(game)) == COMPACT.splitlines()


SENTENCES = {
    "greedy rests and draws from the deck; greedy draws a card": happened(
        "rest", seat=0, then=[happened("drew", seat=0)]
    ),
    (
        "random takes Bell 7; Goblins! left: a goblin comes to Snake pit; Goblins! right: no "
        "goblin comes; Drum 12 is face up"
    ): happened(
        "draw",
        seat=1,
        card="bell:07",
        then=[
            happened("goblins", card="goblins:left", location="snake_pit"),
            happened("goblins", card="goblins:right"),
            happened("face_up", card="drum:12"),
        ],
    ),
    (
        "random throws 4 2; 8 of 7: success; 1 adventurer to Snake pit; Potion invisible spent; "
        "Snake pit scored: greedy 1 coin, random 6 coins, random takes it; Hollow peak comes "
        "into the row"
    ): happened(
        "dice",
        seat=1,
        dice=[4, 2],
        then=[
            happened("success", total=8, needed=7),
            happened("placed", location="snake_pit", adventurers=1),
            happened("spent", seat=1, enhancements=["potion_invisible"]),
            happened("scored", location="snake_pit", coins=[1, 6], winner=1),
            happened("revealed", location="si_hollow_peak", slot=0),
        ],
    ),
    (
        "greedy calls 2 adventurers from the Academy; 3 of 7: failure, an adventurer is sent away"
    ): happened(
        "academy", seat=0, adventurers=2, then=[happened("failure", total=3, needed=7, camp=1)]
    ),
    (
        "random chooses to pass cards; greedy passes Bell 1 to random; random passes 2 cards to "
        "greedy; Rockslide! left waits"
    ): happened(
        "pass",
        seat=1,
        then=[
            happened("passed", seat=0, to=1, count=1, cards=["bell:01"]),
            happened("passed", seat=1, to=0, count=2),
            happened("waiting", card="rockslide:left"),
        ],
    ),
    "greedy calls nobody from the Academy": happened("academy", seat=0, adventurers=0),
    (
        "greedy buys an enhancement of level 2 for 2 coins and 2 adventurers; 1 other card goes "
        "back"
    ): happened("buy", seat=0, level=2, skipped=1),
    "greedy buys War horn for Bell 7 and 2 adventurers; 2 other cards go back": happened(
        "buy",
        seat=0,
        level=1,
        card="bell:07",
        enhancement="si_war_horn",
        skipped=2,
        skipped_cards=["fireball_spell", "si_vanguard"],
    ),
    "greedy throws 1 again": happened("reroll", seat=0, dice=[1]),
    "greedy leaves the dice": happened("reroll", seat=0),
    "random keeps enhancements face down; all have chosen: greedy 2, random 1": happened(
        "keep", seat=1, then=[happened("kept", counts=[2, 1])]
    ),
}


@pytest.mark.parametrize(("words", "event"), SENTENCES.items())
def test_sentences(words: str, event: Any) -> None:
    assert board.sentence(event, TableInfo(NAMES[:2], {})) == words
