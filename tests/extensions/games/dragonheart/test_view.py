"""What a Dragonheart seat is told."""

from __future__ import annotations

from typing import Any

import pytest

from arena.extensions.games.dragonheart.rules.actions import Shuffle, Starter
from arena.extensions.games.dragonheart.rules.state import Phase, State
from arena.games.luck import Luck
from tests.extensions.games.dragonheart.states import DECK, FOUR, KOSMOS, move, state
from tests.games.games import plain


def _observation(seat: int, position: State) -> dict[str, Any]:
    view: dict[str, Any] = plain(KOSMOS.observe(position, seat))
    return view


THEFT = state(
    phase=Phase.STEAL,
    hand0=FOUR,
    hand1=f"{FOUR} knight:1 troll:3",
    pile0="ship:0 troll:2 troll:1",
    figure=0,
)


def told(
    before: State, doing: Any, *, own: str = "", others: str = "", **fields: Any
) -> tuple[State, Any, list[dict[str, Any] | None]]:
    """An action of seat 0, its event, and the names of fields that only one seat is told."""
    action = move(doing) if isinstance(doing, str) else doing
    event = {"type": action.__struct_config__.tag, "seat": 0} | fields
    mine = {name: value for name, value in event.items() if name not in others.split()}
    theirs = {name: value for name, value in event.items() if name not in own.split()}
    return before, action, [mine, None if own == "all" else theirs]


EVENTS = {
    "a deal": told(
        KOSMOS.initial_state(), Shuffle(0, DECK), own="all", type="deal", cards=["dwarf:1"] * 5
    ),
    "the starter": told(state(phase=Phase.STARTER), Starter(1), seat=1),
    "a full row and a drawn card": told(
        state("huntress:2", huntress="huntress:1 huntress:1", pile0="ship:0"),
        "play huntress:2",
        own="drawn",
        cards=["huntress:2"],
        row_to="quay",
        drew=1,
        drawn=["ship:0"],
    ),
    "the third ship set": told(
        state("ship:0", ship="ship:0 ship:0", quay="knight:2", ship_sets=2, pile0=""),
        "play ship:0",
        cards=["ship:0"],
        collected=["knight:2"],
        collected_from="quay",
        row_to="ship_set",
        final_turn=11,
    ),
    "the end": told(
        state("dwarf:1", pile0="", final_turn=10), "play dwarf:1", cards=["dwarf:1"], over=True
    ),
    "the figure": told(
        state(phase=Phase.TAKE, hand0=FOUR, choice=6, petrified="petrified:2", pile0="ship:0"),
        "take petrified",
        own="drawn",
        space="petrified",
        collected=["petrified:2"],
        collected_from="petrified",
        figure=True,
        drew=1,
        drawn=["ship:0"],
    ),
    "a theft": told(
        THEFT,
        "steal troll:3",
        own="drawn",
        others="card",
        drew=2,
        drawn=["ship:0", "troll:2"],
        card="troll:3",
    ),
}


@pytest.mark.parametrize(("before", "action", "events"), EVENTS.values(), ids=EVENTS)
def test_events(before: State, action: Any, events: list[Any]) -> None:
    assert plain(KOSMOS.describe(before, action, KOSMOS.apply(before, action))) == events


def test_an_observation_shows_all_that_was_public() -> None:
    """DH-19: covered cards and both score piles included."""
    position = state(
        treasure="treasure:1 treasure:4",
        quay="knight:1",
        collected0="troll:1",
        collected1="dwarf:3",
    )
    view = _observation(0, position)
    assert view["board"]["treasure"] == ["treasure:1", "treasure:4"]
    assert view["board"]["quay"] == ["knight:1"]
    assert view["collected"] == [["troll:1"], ["dwarf:3"]]


def test_an_observation_leaves_out_what_is_rare() -> None:
    assert list(_observation(0, state())) == [
        *("seat", "phase", "player", "turn", "hand", "board", "ship_sets", "figure"),
        *("hand_sizes", "pile_sizes", "collected", "played", "thefts"),
    ]


def test_only_the_victim_knows_the_card_on_its_pile() -> None:
    stolen = KOSMOS.apply(THEFT, move("steal knight:1"))
    assert _observation(1, stolen)["top_card"] == "knight:1"
    assert "top_card" not in _observation(0, stolen)
    assert _observation(0, stolen)["top_known"] == [1]
    drawn = KOSMOS.apply(stolen, move("play dwarf:1"))
    assert "top_card" not in _observation(1, drawn)
    assert "top_known" not in _observation(0, drawn)


def test_no_player_before_the_first_turn() -> None:
    assert _observation(0, KOSMOS.initial_state())["player"] is None


@pytest.mark.parametrize("seat", [0, 1])
def test_guesses_differ(seat: int) -> None:
    dealt = KOSMOS.initial_state()
    for action in (Shuffle(0, DECK), Shuffle(1, DECK), Starter(0)):
        dealt = KOSMOS.apply(dealt, action)
    view = KOSMOS.observe(dealt, seat)
    guesses = {KOSMOS.determinize(view, Luck(bytes([n]))) for n in range(5)}
    assert len({guess.sides[1 - seat].hand for guess in guesses}) > 1
    assert len({guess.sides[seat].pile for guess in guesses}) > 1
