"""The chance events, which all come before the first turn."""

from __future__ import annotations

from collections import Counter

from msgspec.structs import replace

from arena.extensions.games.dragonkrak.rules.actions import (
    ChanceAction,
    Deal,
    Muster,
    Starter,
    Tokens,
)
from arena.extensions.games.dragonkrak.rules.cards import (
    ARMIES,
    DEALT_TOKENS,
    HERO,
    HEROES,
    OPENING_HERO_VALUE,
    SOLO_TOKENS,
    TOKENS,
    TROOPS,
    VALUE_OF,
    Cards,
    Token,
)
from arena.extensions.games.dragonkrak.rules.piles import laid
from arena.extensions.games.dragonkrak.rules.state import EMPTY_PILE, Phase, State
from arena.extensions.games.dragonkrak.rules.turn import draw
from arena.games.luck import Luck
from arena.values.results import Seat


def heroes_of_each(seats: int) -> int:
    """Return the number of heroes that every seat is certain to be dealt.

    With three seats one more is in the deck.
    """
    return HEROES // seats


def camp_size(seats: int) -> int:
    """Return the number of cards that every seat is dealt."""
    return (len(TROOPS) - len(ARMIES) + HEROES) // seats


def chance(state: State, luck: Luck) -> ChanceAction:
    """Draw the chance action that is due.

    Streams: "armies", "deck:SEAT" and "camp:SEAT", "tokens:SEAT", "starter".
    """
    seat, seats = state.seat, len(state.sides)
    if state.phase is Phase.MUSTER:
        return Muster(luck.shuffle("armies", 0, TROOPS)[: len(ARMIES)])
    if state.phase is Phase.DEAL:
        own = (HERO,) * heroes_of_each(seats)
        deck = luck.shuffle(f"deck:{seat}", 0, _deck(state))
        dealt = own + deck[: camp_size(seats) - len(own)]
        return Deal(seat, luck.shuffle(f"camp:{seat}", 0, dealt))
    if state.phase is Phase.TOKENS:
        drawn = luck.shuffle(f"tokens:{seat}", 0, _tokens_left(state))[:DEALT_TOKENS]
        return Tokens(seat, tuple(sorted(_own_tokens(seats) + drawn)))
    best = _best_openings(state)
    return Starter(best[luck.below("starter", 0, len(best))])


def is_possible(state: State, action: ChanceAction) -> bool:
    """Return whether the action is an outcome of the chance event that is due."""
    seats = len(state.sides)
    match action:
        case Muster(cards):
            is_choice = len(set(cards)) == len(ARMIES) and set(cards) <= set(TROOPS)
            return state.phase is Phase.MUSTER and is_choice
        case Deal(seat, cards):
            is_due = state.phase is Phase.DEAL and seat == state.seat
            if not is_due or len(cards) != camp_size(seats):
                return False
            own = Counter({HERO: heroes_of_each(seats)})
            return own <= Counter(cards) <= own + Counter(_deck(state))
        case Tokens(seat, tokens):
            is_due = state.phase is Phase.TOKENS and seat == state.seat
            fixed = Counter(_own_tokens(seats))
            if not is_due or len(tokens) != fixed.total() + DEALT_TOKENS:
                return False
            is_choice = fixed <= Counter(tokens) <= fixed + Counter(_tokens_left(state))
            return is_choice and list(tokens) == sorted(tokens)
        case Starter(seat):
            return state.phase is Phase.STARTER and seat in _best_openings(state)


def apply(state: State, action: ChanceAction) -> State:
    """Return the next state.

    Camps are dealt to all seats in order, then tokens, then the first turn begins.
    """
    match action:
        case Muster(cards):
            armies = (laid(army, EMPTY_PILE, card, None) for army, card in enumerate(cards))
            return replace(state, phase=Phase.DEAL, piles=(*armies, EMPTY_PILE))
        case Deal(seat, cards):
            return _deal(state, seat, cards)
        case Tokens(seat, tokens):
            sides = list(state.sides)
            sides[seat] = replace(sides[seat], tokens=tokens)
            return _to_next(replace(state, sides=tuple(sides)), Phase.STARTER)
        case Starter(seat):
            return replace(state, phase=Phase.TACTICS, seat=seat, turn=1)


def _deal(state: State, seat: Seat, cards: Cards) -> State:
    """Give the seat its camp; draw and show its opening hand."""
    sides = list(state.sides)
    side = draw(replace(sides[seat], camp=cards))
    sides[seat] = replace(
        side,
        shown=side.hand,
        heroes_shown=side.hand.count(HERO),
        tokens=SOLO_TOKENS if len(sides) == 1 else (),
    )
    after = Phase.STARTER if len(sides) == 1 else Phase.TOKENS
    return _to_next(replace(state, sides=tuple(sides)), after)


def _to_next(state: State, after: Phase) -> State:
    """Make the next seat's share due, or enter phase ``after`` if every seat has its share."""
    if state.seat + 1 < len(state.sides):
        return replace(state, seat=state.seat + 1)
    return replace(state, phase=after, seat=0)


def _deck(state: State) -> Cards:
    """Return the cards still to be dealt, without the heroes that each seat gets for certain."""
    seats = len(state.sides)
    dealt = [card for pile in state.piles for card in pile.cards]
    for side in state.sides[: state.seat]:
        dealt += side.hand + side.camp
    stray = HEROES % seats + state.seat * heroes_of_each(seats) - dealt.count(HERO)
    gone = set(dealt)
    return (HERO,) * stray + tuple(card for card in TROOPS if card not in gone)


def _own_tokens(seats: int) -> tuple[Token, ...]:
    """Return the tokens that a seat gets for certain."""
    return ("undead_dragon",) if seats == 2 else ()


def _tokens_left(state: State) -> tuple[Token, ...]:
    """Return the tokens from which random ones are dealt."""
    left = Counter(TOKENS)
    for side in state.sides:
        left.subtract(side.tokens)
    for token in _own_tokens(len(state.sides)):
        left[token] = 0
    return tuple(left.elements())


def _best_openings(state: State) -> list[Seat]:
    """Return the seats with the highest sum of the opening hand, where a hero counts 13."""
    sums = [
        sum(VALUE_OF.get(card, OPENING_HERO_VALUE) for card in side.hand) for side in state.sides
    ]
    return [seat for seat, total in enumerate(sums) if total == max(sums)]
