"""What a Dragonheart seat is told."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from arena.games.dragonheart.rules.actions import Shuffle, Starter
from arena.games.dragonheart.rules.state import Phase, State
from arena.games.luck import Luck
from tests.games.dragonheart.states import DECK, FOUR, KOSMOS, hand, play, state, steal, take


def _event(seat: int, before: State, action: Any) -> dict[str, Any] | None:
    after = KOSMOS.apply(before, action)
    event = KOSMOS.describe(before, action, after)[seat]
    return msgspec.json.decode(msgspec.json.encode(event), type=dict[str, Any] | None)


def _observation(seat: int, position: State) -> dict[str, Any]:
    view = msgspec.json.encode(KOSMOS.observe(position, seat))
    return msgspec.json.decode(view, type=dict[str, Any])


THEFT = state(
    phase=Phase.STEAL,
    hand0=FOUR,
    hand1=f"{FOUR} knight:1 troll:3",
    pile0="ship:0 troll:2 troll:1",
    figure=0,
)


@pytest.mark.parametrize(
    ("before", "action", "mine", "theirs"),
    [
        pytest.param(
            KOSMOS.initial_state(),
            Shuffle(0, DECK),
            {"type": "deal", "seat": 0, "cards": ["dwarf:1"] * 5},
            None,
            id="a deal",
        ),
        pytest.param(
            state(phase=Phase.STARTER),
            Starter(1),
            {"type": "starter", "seat": 1},
            {"type": "starter", "seat": 1},
            id="the starter",
        ),
        pytest.param(
            state(hand0=hand("huntress:2"), huntress="huntress:1 huntress:1", pile0="ship:0"),
            play("huntress:2"),
            {"cards": ["huntress:2"], "row_to": "quay", "drew": 1, "drawn": ["ship:0"]},
            {"cards": ["huntress:2"], "row_to": "quay", "drew": 1},
            id="a full row and a drawn card",
        ),
        pytest.param(
            state(
                hand0=hand("ship:0"), ship="ship:0 ship:0", quay="knight:2", ship_sets=2, pile0=""
            ),
            play("ship:0"),
            {
                "cards": ["ship:0"],
                "collected": ["knight:2"],
                "collected_from": "quay",
                "row_to": "ship_set",
                "final_turn": 11,
            },
            {
                "cards": ["ship:0"],
                "collected": ["knight:2"],
                "collected_from": "quay",
                "row_to": "ship_set",
                "final_turn": 11,
            },
            id="the third ship set",
        ),
        pytest.param(
            state(hand0=hand("dwarf:1"), pile0="", final_turn=10),
            play("dwarf:1"),
            {"cards": ["dwarf:1"], "over": True},
            {"cards": ["dwarf:1"], "over": True},
            id="the end",
        ),
        pytest.param(
            state(phase=Phase.TAKE, hand0=FOUR, choice=6, petrified="petrified:2", pile0="ship:0"),
            take("petrified"),
            {
                "type": "take",
                "space": "petrified",
                "collected": ["petrified:2"],
                "collected_from": "petrified",
                "figure": True,
                "drew": 1,
                "drawn": ["ship:0"],
            },
            {
                "type": "take",
                "space": "petrified",
                "collected": ["petrified:2"],
                "collected_from": "petrified",
                "figure": True,
                "drew": 1,
            },
            id="the figure",
        ),
        pytest.param(
            THEFT,
            steal("troll:3"),
            {"type": "steal", "drew": 2, "drawn": ["ship:0", "troll:2"]},
            {"type": "steal", "card": "troll:3", "drew": 2},
            id="a theft",
        ),
    ],
)
def test_events(
    before: State, action: Any, mine: dict[str, Any] | None, theirs: dict[str, Any] | None
) -> None:
    """``mine`` is what seat 0 sees, who acts; ``theirs`` what seat 1 sees."""
    defaults = {"type": "play", "seat": 0}
    assert _event(0, before, action) == (mine and defaults | mine)
    assert _event(1, before, action) == (theirs and defaults | theirs)


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
        "seat",
        "phase",
        "player",
        "turn",
        "hand",
        "board",
        "ship_sets",
        "figure",
        "hand_sizes",
        "pile_sizes",
        "collected",
        "played",
        "thefts",
    ]


def test_only_the_victim_knows_the_card_on_its_pile() -> None:
    stolen = KOSMOS.apply(THEFT, steal("knight:1"))
    assert _observation(1, stolen)["top_card"] == "knight:1"
    assert "top_card" not in _observation(0, stolen)
    assert _observation(0, stolen)["top_known"] == [1]
    drawn = KOSMOS.apply(stolen, play("dwarf:1"))
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
