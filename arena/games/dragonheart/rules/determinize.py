"""Random full states that agree with an observation."""

from __future__ import annotations

from collections import Counter
from typing import Final

import msgspec

from arena.games.dragonheart.rules.cards import CHOICES, KINDS, Cards
from arena.games.dragonheart.rules.state import Side, State
from arena.games.dragonheart.rules.view import Observation
from arena.games.luck import Luck
from arena.results import Seat

_CHOICE: Final = {KINDS[kind]: kind for kind in CHOICES}


def determinize(deck: Cards, view: Observation, luck: Luck) -> State:
    """Return a random state whose observation by ``view.seat`` is ``view``.

    Everything hidden from the seat is dealt uniformly: the order of its own draw pile below a known
    top card, and the other seat's hand and pile. Uses the streams "hidden:0" and "hidden:1" of
    ``luck`` at counter 0, so each sample needs a luck of its own.
    """
    return State(
        phase=view.phase,
        seat=_seat_in_state(view),
        turn=view.turn,
        sides=(_side(deck, view, luck, 0), _side(deck, view, luck, 1)),
        board=msgspec.structs.astuple(view.board),
        ship_sets=view.ship_sets,
        figure=view.figure,
        final_turn=view.final_turn,
        choice=None if view.choice is None else _CHOICE[view.choice],
    )


def _seat_in_state(view: Observation) -> Seat:
    """Return the seat whose turn it is; before the first turn, the seat whose deck is due."""
    if view.player is not None:
        return view.player
    return 1 if view.pile_sizes[0] and not view.pile_sizes[1] else 0


def _side(deck: Cards, view: Observation, luck: Luck, seat: Seat) -> Side:
    own = seat == view.seat
    known_top = () if view.top_card is None or not own else (view.top_card,)
    shown = view.played[seat] + known_top + (view.hand if own else ())
    hidden = tuple((Counter(deck) - Counter(shown)).elements())
    order = luck.shuffle(f"hidden:{seat}", 0, hidden)
    in_hand = 0 if own else view.hand_sizes[seat]
    pile = (known_top + order[in_hand:])[: view.pile_sizes[seat]]
    return Side(
        hand=view.hand if own else tuple(sorted(order[:in_hand])),
        pile=pile,
        collected=view.collected[seat],
        played=view.played[seat],
        returned=pile[0] if seat in view.top_known else None,
        emptied=seat in view.emptied,
        thefts=view.thefts[seat],
    )
