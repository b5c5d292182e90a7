"""The effect of each decision; the caller checks legality and gets the next state.

A turn has the rulebook's phases A (TACTICS), B (FLIGHT) and C, in which nothing is decided.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from arena.extensions.games.dragonkrak.rules import piles
from arena.extensions.games.dragonkrak.rules.actions import (
    CounterOrder,
    End,
    Epidemic,
    Exchange,
    Fly,
    Imprisoned,
    Overflight,
    Place,
    Recruit,
    Reinforcements,
    Remove,
    TokenAction,
    UndeadDragon,
    Volunteers,
)
from arena.extensions.games.dragonkrak.rules.cards import (
    ARMIES,
    HAND_SIZE,
    HERO,
    INDEX,
    MAX_REPEATED,
    MAX_TURNS,
    Card,
    Cards,
    Token,
)
from arena.extensions.games.dragonkrak.rules.state import (
    TURN_BEGINS,
    Phase,
    Pile,
    Side,
    State,
    TurnProgress,
    noted,
)
from arena.values.results import Seat

_FLIGHT, _OVER, _RECRUIT, _TACTICS = Phase.FLIGHT, Phase.OVER, Phase.RECRUIT, Phase.TACTICS
_TOKEN: Final[dict[type[TokenAction], Token]] = {
    CounterOrder: "counter_order",
    Epidemic: "epidemic",
    Imprisoned: "imprisoned",
    Overflight: "overflight",
    Reinforcements: "reinforcements",
    UndeadDragon: "undead_dragon",
}
_PLACED_ONCE: Final = tuple(TurnProgress(space, 1, None, None) for space in range(5))


def place(state: State, action: Place) -> State:
    """Put the card on top of its pile."""
    space = INDEX[action.space]
    pile = piles.laid(space, state.piles[space], action.card, action.value)
    return _put(state, space, pile, action.card, _placed(state.progress, space))


def remove(state: State, action: Remove) -> State:
    """Put the cards in the way under the camp, then ``place`` the card.

    With one seat the removed troops desert instead, and a removed hero leaves the game (DK-24).
    """
    army, seat = INDEX[action.army], state.seat
    pile = state.piles[army]
    keep = piles.kept(army, pile, action.card)
    removed = pile.cards[keep:][::-1]
    cleared = replace(state, piles=_changed(state.piles, army, piles.cut(pile, 0, keep)))
    if len(state.sides) == 1:
        troops = tuple(card for card in removed if card != HERO)
        heroes = (HERO,) * (len(removed) - len(troops))  # DK-24
        cleared = replace(cleared, deserters=state.deserters + troops, gone=state.gone + heroes)
    else:
        side = _put_under(state.sides[seat], removed)
        cleared = replace(cleared, sides=_with_side(state.sides, seat, side))
    return place(cleared, Place(action.card, action.army, action.value))


def exchange(state: State, action: Exchange) -> State:
    """Put the hero under the camp; the troop that replaces it does not count as placed."""
    army, seat = INDEX[action.army], state.seat
    pile = piles.exchanged(army, state.piles[army], action.card)
    side = _put_under(_spent(state.sides[seat], action.card), (HERO,))
    return replace(
        state,
        sides=_with_side(state.sides, seat, side),
        piles=_changed(state.piles, army, pile),
        progress=replace(state.progress, space=army, inserting=None),
    )


def volunteers(state: State, action: Volunteers, *, counts: bool) -> State:
    """Insert the card between others; the first card spends the token, a second may follow.

    ``counts`` is True if the card counts as placed; the turn's cards go to this army in any case
    (DK-36).
    """
    army, seat = INDEX[action.army], state.seat
    is_first = state.progress.inserting is None
    if is_first:
        side = _without_token(state.sides[seat], "volunteers")
        state = replace(state, sides=_with_side(state.sides, seat, side))
    pile = piles.inserted(army, state.piles[army], action.card, action.value)
    progress = replace(state.progress, space=army)
    if counts:
        progress = _placed(state.progress, army)
    again = army if is_first and piles.settled(pile) is pile else None  # DK-13
    return _put(state, army, pile, action.card, replace(progress, inserting=again))


def end(state: State, action: End) -> State:
    """End phase A, and with it overflight. One seat has no choice in phase B (DK-31)."""
    progress = replace(state.progress, overflight=None, inserting=None)
    if len(state.sides) > 1:
        return replace(state, phase=_FLIGHT, progress=progress)
    undead = None if state.undead is None else (state.undead + 1) % len(ARMIES)
    return _recruit_and_pass(state, (state.red + 1) % len(ARMIES), undead)


def fly(state: State, action: Fly) -> State:
    """Move the red dragon and end the turn."""
    return _recruit_and_pass(state, INDEX[action.army], state.undead)


def use_token(state: State, action: TokenAction) -> State:
    """Spend the token and apply its effect at once."""
    seat = state.seat
    token: Token = _TOKEN[type(action)]
    state = replace(
        state,
        sides=_with_side(state.sides, seat, _without_token(state.sides[seat], token)),
        progress=replace(state.progress, inserting=None),
    )
    if isinstance(action, CounterOrder):
        space = INDEX[action.space]
        pile = replace(state.piles[space], colour=action.colour, ordered=True)
        return replace(state, piles=_changed(state.piles, space, pile))
    if isinstance(action, Epidemic):
        army = INDEX[action.army]
        cards = state.piles[army].cards
        rest = piles.cut(state.piles[army], action.count, len(cards))
        return replace(
            state, piles=_changed(state.piles, army, rest), gone=state.gone + cards[: action.count]
        )
    if isinstance(action, Imprisoned):
        return replace(state, imprisoned_by=seat)
    if isinstance(action, Overflight):
        return replace(state, progress=replace(state.progress, overflight=action.dragon))
    if isinstance(action, Reinforcements):
        return replace(state, phase=_RECRUIT, flying=state.phase is _FLIGHT)
    return replace(state, undead=INDEX[action.army], undead_by=seat)


def recruit(state: State, action: Recruit) -> State:
    """Take the card from the camp, the uppermost of equal ones; the others keep their order."""
    seat, card = state.seat, action.card
    side = state.sides[seat]
    at = side.camp.index(card)
    is_known = at >= len(side.camp) - side.known
    side = replace(
        side,
        hand=_sorted_in(side.hand, (card,)),
        camp=side.camp[:at] + side.camp[at + 1 :],
        known=side.known - is_known,
        shown=_sorted_in(side.shown, (card,)) if is_known else side.shown,  # DK-51
    )
    return replace(
        state,
        phase=_FLIGHT if state.flying else _TACTICS,
        sides=_with_side(state.sides, seat, side),
        flying=False,
    )


def draw(side: Side) -> Side:
    """Return the side with its hand refilled from the top of the camp, if it lasts (DK-17)."""
    wanted = HAND_SIZE - len(side.hand)
    if wanted <= 0 or not side.camp:
        return side
    cards, camp = side.camp[:wanted], side.camp[wanted:]
    shown = cards[max(0, len(side.camp) - side.known) :]
    return replace(
        side,
        hand=_sorted_in(side.hand, cards),
        camp=camp,
        known=side.known - len(shown),
        shown=_sorted_in(side.shown, shown) if shown else side.shown,
    )


def _put(state: State, space: int, pile: Pile, card: Card, progress: TurnProgress) -> State:
    """Spend ``card`` from the hand, which made ``pile``.

    Clears a full pile and ends the game if the seat has no cards left (DK-14, DK-15).
    """
    seat = state.seat
    side = _spent(state.sides[seat], card)
    left = piles.settled(pile)
    gone = state.gone if left is pile else state.gone + pile.cards
    return replace(
        state,
        phase=_TACTICS if side.hand or side.camp else _OVER,
        sides=_with_side(state.sides, seat, side),
        piles=_changed(state.piles, space, left),
        gone=gone,
        progress=progress,
    )


def _placed(progress: TurnProgress, space: int) -> TurnProgress:
    """Return the progress after one more card was placed, on this space."""
    if progress is TURN_BEGINS:
        return _PLACED_ONCE[space]
    return TurnProgress(space, progress.placed + 1, progress.overflight, None)


def _recruit_and_pass(state: State, red: int, undead: int | None) -> State:
    """Draw cards (phase C) and begin the next seat's turn.

    That turn ends the effects its seat had begun (DK-30). The game may end instead (DK-42, DK-55).
    """
    seat = state.seat
    sides = _with_side(state.sides, seat, draw(state.sides[seat]))
    following = (seat + 1) % len(sides)
    leaves = state.undead_by == following
    opens = state.imprisoned_by == following
    past, repeated = state.past, 0
    if len(sides) > 1:
        past, repeated = noted(
            past,
            following,
            sides,
            state.piles,
            red,
            None if leaves else undead,
            None if opens else state.imprisoned_by,
            state.gone,
        )
        if state.turn == MAX_TURNS or repeated == MAX_REPEATED:
            return replace(
                state, phase=_OVER, sides=sides, red=red, undead=undead, repeated=repeated
            )
    return State(  # positional: runs once a turn, and keywords double the cost
        _TACTICS,
        following,
        state.turn + 1,
        sides,
        state.piles,
        red,
        None if leaves else undead,
        None if leaves else state.undead_by,
        None if opens else state.imprisoned_by,
        state.gone,
        state.deserters,
        TURN_BEGINS,
        False,
        past,
        repeated,
    )


def _spent(side: Side, card: Card) -> Side:
    """Return the side without this card of its hand."""
    hand = _without(side.hand, card)
    if card in side.shown:
        return replace(side, hand=hand, shown=_without(side.shown, card))
    if card == HERO:
        return replace(side, hand=hand, heroes_shown=side.heroes_shown + 1)
    return replace(side, hand=hand)


def _put_under(side: Side, cards: Cards) -> Side:
    """Return the side with the cards under its camp, the first of them uppermost (DK-20)."""
    return replace(side, camp=side.camp + cards, known=side.known + len(cards))


def _without_token(side: Side, token: Token) -> Side:
    at = side.tokens.index(token)
    tokens = side.tokens[:at] + side.tokens[at + 1 :]
    return replace(side, tokens=tokens, used=(*side.used, token))


def _without(cards: Cards, card: Card) -> Cards:
    at = cards.index(card)
    return cards[:at] + cards[at + 1 :]


def _sorted_in(cards: Cards, more: Cards) -> Cards:
    return tuple(sorted(cards + more))


def _with_side(sides: tuple[Side, ...], seat: Seat, side: Side) -> tuple[Side, ...]:
    return (*sides[:seat], side, *sides[seat + 1 :])


def _changed(before: tuple[Pile, ...], space: int, pile: Pile) -> tuple[Pile, ...]:
    return (*before[:space], pile, *before[space + 1 :])
