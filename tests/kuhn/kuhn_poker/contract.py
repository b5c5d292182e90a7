"""What the test of the contract has to know of Kuhn poker."""

from __future__ import annotations

from typing import Any

import msgspec

from arena.games.base import Rules, Transition
from arena.games.luck import Luck
from arena.values.results import Seat


def check_state(rules: Rules[Any, Any], state: Any) -> None:
    """Every card is one of the deck, and in one hand."""
    deck = rules.spec.data["cards"]
    assert len(set(state.cards)) == len(state.cards) <= 2
    assert set(state.cards) <= set(deck)
    assert not state.deeds or len(state.cards) == 2


def redeal(rules: Rules[Any, Any], ply: Transition, seat: Seat, luck: Luck) -> Transition:
    """The other seat gets another card, where it is not shown."""
    after = ply.after
    if after.shown or len(after.cards) <= 1 - seat:
        return ply
    taken = after.cards[seat : seat + 1]
    deck = [card for card in rules.spec.data["cards"] if card not in taken]
    card = deck[luck.below("card", 0, len(deck))]

    def dealt(state: Any) -> Any:
        cards = tuple(card if each == 1 - seat else own for each, own in enumerate(state.cards))
        return msgspec.structs.replace(state, cards=cards)

    before, action = dealt(ply.before), ply.action
    if len(ply.before.cards) == 1 - seat:  # it is dealt just now
        action = msgspec.structs.replace(action, card=card)
    return Transition(ply.actor, before, action, rules.apply(before, action))
