"""Dragonkrak: an action looks good if it lays many cards with small steps, a flight if it is in the
way. Alone it waits for small steps."""

import math

from arena.extensions.games.dragonkrak.rules.actions import (
    End,
    Exchange,
    Fly,
    Place,
    Recruit,
    Remove,
    UndeadDragon,
    Volunteers,
)
from arena.extensions.games.dragonkrak.rules.cards import (
    BEYOND,
    COLOUR_OF,
    COLOURED,
    FULL,
    HERO,
    INDEX,
    STEP,
    TOWER,
    VALUE_OF,
)
from arena.extensions.games.dragonkrak.rules.legal import blocked_armies
from arena.extensions.games.dragonkrak.rules.piles import kept, top

SCALE = 4.0  # cards of a lead that is as good as a win at 73 %
LAST = 2  # what having won is worth, in cards
ALONE = 6.0  # so many deserters make a game of one seat worth 1 / e
FILLS = 6  # guesses, in values skipped: completing a pile
RUN, RUN_ALONE = 8, 2  # laying one card more
KEEP = 2  # keeping a hero


class Player:
    public = ()
    temperature = 4.0
    noise = 3.0
    turns = 8

    def __init__(self, rules):
        self.rules = rules
        self.candidates = rules.legal_actions

    def looks(self, state, actions):
        """By action; only comparisons within one decision mean something."""
        return [look(state, action) for action in actions]

    def values(self, state):
        """By seat, from 0 to 1."""
        if len(state.sides) == 1:
            return (math.exp(-len(state.deserters) / ALONE),)
        left = [len(side.hand) + len(side.camp) for side in state.sides]
        worth = [-cards if cards else LAST for cards in left]
        found = []
        for seat, own in enumerate(worth):
            lead = own - max(other for at, other in enumerate(worth) if at != seat)
            found.append(1 / (1 + math.exp(-lead / SCALE)))
        return found


def look(state, action):
    """How good the action looks."""
    kind = type(action)
    if kind is Place:
        return look_at_place(state, action)
    alone = len(state.sides) == 1
    if kind is End:
        return RUN_ALONE if alone else -10
    if kind is Fly:
        pile, army = state.piles[INDEX[action.army]], INDEX[action.army]
        room = abs(BEYOND[army] - top(army, pile)) - 1
        return room / 2 if pile.colour else room
    if kind is Remove:
        pile, army = state.piles[INDEX[action.army]], INDEX[action.army]
        return -2 - 4 * (len(pile.cards) - kept(army, pile, action.card))
    if kind is Recruit:
        hand = state.sides[state.seat].hand
        free = {*range(TOWER)} - {*blocked_armies(state)}
        return max(2 * fitting(army, state.piles[army], (*hand, action.card)) for army in free)
    if kind is Volunteers:
        return 0 if alone else RUN
    if kind is UndeadDragon:
        return 4
    return -8 if kind is Exchange else -4


def look_at_place(state, action):
    """More cards that can follow, fewer values skipped."""
    army, card = INDEX[action.space], action.card
    pile = state.piles[army]
    fills = FILLS if len(pile.cards) == FULL - 1 else 0
    if army == TOWER:
        return fills + 6
    hand = state.sides[state.seat].hand
    value = action.value or VALUE_OF[card]
    skipped = abs(value - top(army, pile)) - 1
    run = 1
    if len(hand) > 1:
        colour = COLOURED[army] and (pile.colour or COLOUR_OF.get(card))
        run += fitting_after(STEP[army], value, colour, pile.hero or card == HERO, hand)
    more = run * (RUN_ALONE if len(state.sides) == 1 else RUN)
    return more - skipped + fills - (KEEP if card == HERO else 0)


def fitting(army, pile, hand):
    """How many of the cards fit on the army."""
    colour = COLOURED[army] and pile.colour
    return fitting_after(STEP[army], top(army, pile), colour, pile.hero, hand)


def fitting_after(step, value, colour, has_hero, hand):
    """How many of the cards fit behind the value. Without ``colour`` any will do."""
    count = 0
    for card in hand:
        if card == HERO:
            count += not has_hero
        elif (VALUE_OF[card] - value) * step > 0 and (not colour or COLOUR_OF[card] == colour):
            count += 1
    return count
