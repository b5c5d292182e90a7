"""What a seat may see: built by listing it; nothing is copied from the state and then hidden."""

from __future__ import annotations

from typing import Final

import msgspec

from arena.games.dragonkrak.rules.cards import (
    ARMIES,
    SPACES,
    Army,
    Cards,
    Colour,
    Dragon,
    Space,
    Token,
)
from arena.games.dragonkrak.rules.state import Phase, State
from arena.results import Seat


class PileView(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """The cards on one space."""

    cards: Cards
    """Bottom card first, top card last."""
    colour: Colour | None = None
    """The colour that a card must have; absent while any will do, and on armies I and II."""
    hero: int | None = None
    """The value that the hero among the cards took; absent without a hero."""
    ordered: bool = False
    """Whether a counter-order gave the colour: it then stays until the pile is empty."""


class Board(
    msgspec.Struct,
    frozen=True,
    gc=False,
    rename={"first": "I", "second": "II", "third": "III", "fourth": "IV"},
):
    """The armies I to IV and the watchtower."""

    first: PileView
    second: PileView
    third: PileView
    fourth: PileView
    tower: PileView


class Observation(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """All that one seat may know: its own cards and tokens and everything that has been public.

    Lists by seat begin with seat 0. A field with a default is left out of the JSON while it has
    that value.
    """

    seat: Seat
    """Whose observation this is."""
    phase: Phase
    """What happens next: "tactics", "recruit" and "flight" are decisions of ``player``;
    "muster", "deal", "tokens" and "starter" are chance; "over" is the end."""
    player: Seat | None
    """Whose turn it is; null before the first turn, after the end who had the last one."""
    turn: int
    """Number of the turn, from 1, counted over all seats; 0 before the first."""
    hand: Cards
    """Your hand, sorted."""
    tokens: tuple[Token, ...]
    """Your event tokens, sorted."""
    board: Board
    red: Army
    """Where the red dragon is."""
    hand_sizes: tuple[int, ...]
    """Cards in the hands, by seat."""
    camp_sizes: tuple[int, ...]
    """Cards in the camps, by seat."""
    shown: tuple[Cards, ...]
    """By seat the hand cards that everybody knows, sorted: they were shown at the start, or drawn
    from ``bottoms``."""
    bottoms: tuple[Cards, ...]
    """By seat the cards at the bottom of the camp that everybody knows, the uppermost first."""
    heroes_shown: tuple[int, ...]
    """By seat how many of the heroes it was dealt everybody has seen."""
    token_counts: tuple[int, ...]
    """Event tokens that each seat still has."""
    used: tuple[tuple[Token, ...], ...]
    """By seat the tokens it has played, in that order."""
    undead: Army | None = None
    """Where the undead dragon is, if it is in play."""
    undead_by: Seat | None = None
    """Whose token brought it; it leaves when the next turn of that seat begins."""
    imprisoned_by: Seat | None = None
    """Whose token closes the watchtower, until the next turn of that seat begins."""
    space: Space | None = None
    """Where all cards of this turn are placed, once that is settled."""
    placed: int = 0
    """How many cards were placed in this turn."""
    overflight: Dragon | None = None
    """The dragon that does not block in this turn."""
    inserting: Army | None = None
    """The army into which volunteers may insert a second card now."""
    flying: bool = False
    """In phase "recruit": whether the turn goes on with "flight", else with "tactics"."""
    camp: Cards | None = None
    """The cards of your camp, sorted, if you have looked at it; the order is not known."""
    gone: Cards = ()
    """Cards that have left the game, in that order."""
    deserters: Cards = ()
    """With one seat: the troops removed from armies, in that order."""
    repeated: int = 0
    """How often the position in which this turn began was there before; after the end the one in
    which the next would have begun, 2 if that is why there is none (DK-55)."""


PUBLIC: Final = (
    "phase",
    "player",
    "turn",
    "board",
    "red",
    "hand_sizes",
    "camp_sizes",
    "shown",
    "bottoms",
    "heroes_shown",
    "token_counts",
    "used",
    "undead",
    "undead_by",
    "imprisoned_by",
    "space",
    "placed",
    "overflight",
    "inserting",
    "flying",
    "gone",
    "deserters",
    "repeated",
)
"""The fields that are the same for every seat."""


_NO_PILE: Final = PileView(())


def observe(state: State, seat: Seat) -> Observation:
    """What ``seat`` may see now."""
    (
        phase,
        player,
        turn,
        sides,
        piles,
        red,
        undead,
        undead_by,
        imprisoned_by,
        gone,
        deserters,
        progress,
        flying,
        _,
        repeated,
    ) = state
    mine = sides[seat]
    space, placed, overflight, inserting = progress
    return Observation(  # by position: once a ply, and names would double the cost
        seat,
        phase,
        player if turn else None,
        turn,
        mine.hand,
        mine.tokens,
        Board(
            *[
                PileView(cards, colour, hero or None, ordered) if cards else _NO_PILE
                for cards, colour, hero, ordered in piles
            ]
        ),
        ARMIES[red],
        tuple([len(side.hand) for side in sides]),
        tuple([len(side.camp) for side in sides]),
        tuple([side.shown for side in sides]),
        tuple([side.camp[-side.known :] if side.known else () for side in sides]),
        tuple([side.heroes_shown for side in sides]),
        tuple([len(side.tokens) for side in sides]),
        tuple([side.used for side in sides]),
        None if undead is None else ARMIES[undead],
        undead_by,
        imprisoned_by,
        None if space is None else SPACES[space],
        placed,
        overflight,
        None if inserting is None else ARMIES[inserting],
        flying,
        tuple(sorted(mine.camp)) if "reinforcements" in mine.used else None,
        gone,
        deserters,
        repeated,
    )
