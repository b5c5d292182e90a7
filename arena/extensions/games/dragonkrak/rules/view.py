"""The view of a seat, built by listing it; nothing is copied from the state and then hidden."""

from __future__ import annotations

from typing import Final, TypeAlias

import msgspec

from arena.extensions.games.dragonkrak.rules.cards import (
    ARMIES,
    SPACES,
    Army,
    Cards,
    Dragon,
    Space,
    Token,
)
from arena.extensions.games.dragonkrak.rules.state import Phase, Pile, Side, State
from arena.values.results import Seat


class Board(
    msgspec.Struct,
    frozen=True,
    gc=False,
    rename={"first": "I", "second": "II", "third": "III", "fourth": "IV"},
):
    """The armies I to IV and the watchtower."""

    first: Pile
    second: Pile
    third: Pile
    fourth: Pile
    tower: Pile


class Observation(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """All that one seat may know: its own cards and tokens and everything that has been public.

    Lists by seat begin with seat 0. A field with a default is left out of the JSON while it has
    that value.
    """

    seat: Seat
    """Seat that makes this observation."""
    phase: Phase
    """Decision or chance event that is due. "tactics", "recruit" and "flight" are decisions of
    ``player``; "muster", "deal", "tokens" and "starter" are chance; "over" is the end."""
    player: Seat | None
    """Seat whose turn it is; null before the first turn; after the end the last seat to move."""
    turn: int
    """Number of the turn, from 1, counted over all seats; 0 before the first."""
    hand: Cards
    """Your hand, sorted."""
    tokens: tuple[Token, ...]
    """Your event tokens, sorted."""
    board: Board
    red: Army
    """Army that the red dragon is on."""
    hand_sizes: tuple[int, ...]
    """Number of cards in each hand, by seat."""
    camp_sizes: tuple[int, ...]
    """Number of cards in each camp, by seat."""
    shown: tuple[Cards, ...]
    """Hand cards that everybody knows, by seat, sorted. They were shown at the start, or drawn from
    ``bottoms``."""
    bottoms: tuple[Cards, ...]
    """Cards at the bottom of the camp that everybody knows, by seat, the uppermost first."""
    heroes_shown: tuple[int, ...]
    """Number of heroes that a seat was dealt and everybody has seen, by seat."""
    token_counts: tuple[int, ...]
    """Number of event tokens that each seat still has."""
    used: tuple[tuple[Token, ...], ...]
    """Tokens that each seat has played, in that order."""
    undead: Army | None = None
    """Army that the undead dragon is on, if it is in play."""
    undead_by: Seat | None = None
    """Seat whose token brought the undead dragon. The dragon leaves when the next turn of that seat
    begins."""
    imprisoned_by: Seat | None = None
    """Seat whose token closes the watchtower, until that seat's next turn begins."""
    space: Space | None = None
    """Space where all cards of this turn are placed, once that is settled."""
    placed: int = 0
    """Number of cards placed in this turn."""
    overflight: Dragon | None = None
    """Dragon that does not block in this turn."""
    inserting: Army | None = None
    """Army into which volunteers may insert a second card now."""
    flying: bool = False
    """True, in phase "recruit", if the turn continues with "flight", not with "tactics"."""
    camp: Cards | None = None
    """Cards of your camp, sorted, if you have looked at it; their order is not known."""
    gone: Cards = ()
    """Cards that have left the game, in that order."""
    deserters: Cards = ()
    """Troops removed from armies, in that order; only with one seat."""
    repeated: int = 0
    """Number of earlier occurrences of the position in which this turn began. After the end: of the
    position in which the next turn would have begun; 2 if that repetition ended the game
    (DK-55)."""


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
"""Observation fields that are equal for every seat."""


def observe(state: State, seat: Seat) -> Observation:
    """Return what ``seat`` may see now."""
    sides, undead, progress = state.sides, state.undead, state.progress
    mine, space, inserting = sides[seat], progress.space, progress.inserting
    facts = []
    for at, side in enumerate(sides):
        known = _last_facts[at]
        if known[0] is not side:
            _last_facts[at] = known = side, _facts(side)
        facts.append(known[1])
    hand_sizes, camp_sizes, shown, bottoms, heroes_shown, token_counts, used = zip(*facts)  # noqa: B905 - of one length; the check costs a tenth
    return Observation(  # positional: runs once a ply, and keywords double the cost
        seat,
        state.phase,
        state.seat if state.turn else None,
        state.turn,
        mine.hand,
        mine.tokens,
        Board(*state.piles),
        ARMIES[state.red],
        hand_sizes,
        camp_sizes,
        shown,
        bottoms,
        heroes_shown,
        token_counts,
        used,
        None if undead is None else ARMIES[undead],
        state.undead_by,
        state.imprisoned_by,
        None if space is None else SPACES[space],
        progress.placed,
        progress.overflight,
        None if inserting is None else ARMIES[inserting],
        state.flying,
        tuple(sorted(mine.camp)) if "reinforcements" in mine.used else None,
        state.gone,
        state.deserters,
        state.repeated,
    )


_Facts: TypeAlias = tuple[int, int, Cards, Cards, int, int, tuple[Token, ...]]
_last_facts: Final[list[tuple[Side | None, _Facts]]] = [(None, (0, 0, (), (), 0, 0, ()))] * 4
"""Last side of each seat, with its facts: most sides are those of the observation before."""


def _facts(side: Side) -> _Facts:
    """Return what everybody knows of a side."""
    return (
        len(side.hand),
        len(side.camp),
        side.shown,
        side.camp[-side.known :] if side.known else (),
        side.heroes_shown,
        len(side.tokens),
        side.used,
    )
