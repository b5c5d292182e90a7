"""Dragonrealm: an Explore looks as good as its chance times its gain; a Rest, as its cards."""

import math
from collections import Counter
from functools import cache, lru_cache

from msgspec.structs import replace

from arena.extensions.games.dragonrealm.rules import scoring
from arena.extensions.games.dragonrealm.rules.actions import (
    Buy,
    Dice,
    Draw,
    Explore,
    Play,
    Rest,
    Use,
)
from arena.extensions.games.dragonrealm.rules.cards import CAMP_STONES, DICE, WAYS, value_of
from arena.extensions.games.dragonrealm.rules.steps import missing
from arena.extensions.games.dragonrealm.rules.table import stones_of, without

STONE = 0.5  # guesses of what looks good, in coins: a Dragonstone
REST = 0.45  # a Rest
CARD = 0.14  # a card that is not played
SENT = 0.35  # an adventurer at the Academy
CALLED = 2  # at most so many adventurers at the Academy are planned with
LOOKED_AT = 3  # so many cards to discard or pass

# What brings how many coins until the end: fitted to 3,000 games of the quick player.
COIN = 1.16
CARD_HELD, PROMISE = 0.94, 0.04
MERIT = 0.95  # of an enhancement
STONE_WON, STONE_SENT = 0.3, 0.27
PLACED = 1.15  # an adventurer's share of a location
PAID_NOW = 0.25  # what a full location would pay now
TO_MOVE = 0.8
SCALE = 5.0  # coins of a lead that is as good as a win at 73 %
WON = 0.5  # how much the win counts at the end, and not the lead
KNOWN = 1 << 16  # values that are remembered
known = lru_cache(KNOWN)  # of all players together, so that none of them refers to itself


class Player:
    public = (Dice,)
    temperature = 0.5
    noise = 0.3
    turns = 2

    def __init__(self, rules):
        self.rules, self.box = rules, rules.box

    def candidates(self, state):
        """The legal actions without those of many cards that another one is better than."""
        actions = self.rules.legal_actions(state)
        task = state.todo[-1].partition(":")[0]
        if task == "cards":
            return self.plays(state, actions)
        if task == "reroll":  # the lowest dice
            dice = state.attempt.dice
            return [a for a in actions if type(a) is Use or a.dice == dice[: len(a.dice)]]
        if task in ("pass", "discard", "limit") and len(actions) > LOOKED_AT:
            looks = self.looks(state, actions)
            best = sorted(range(len(actions)), key=looks.__getitem__)[-LOOKED_AT:]
            return [actions[index] for index in best]
        return actions

    def plays(self, state, actions):
        """Of each number of cards those that leave the best hand; and what is no play."""
        hand, best, others = state.sides[state.seat].hand, {}, []
        for action in actions:
            if type(action) is not Play:
                others.append(action)
                continue
            size, left = len(action.cards), promise(without(hand, action.cards))
            if size not in best or left > best[size][0]:
                best[size] = left, action
        return [action for _, action in best.values()] + others

    def looks(self, state, actions):
        """By action, in coins; only comparisons within one decision mean something."""
        name, _, argument = state.todo[-1].partition(":")
        if name in ("turn", "draw", "end"):
            return [self.look_at_turn(state, action) for action in actions]
        if name == "cards":
            return [self.look_at_cards(state, action) for action in actions]
        if name == "reroll":
            short = missing(self.box, state) > 0
            return [
                0.4 if type(a) is Use else sum(2.5 - face if short else -1 for face in a.dice)
                for a in actions
            ]
        if name == "academy":
            short = missing(self.box, state)
            return [
                (10 - a.adventurers if a.adventurers >= short else -a.adventurers) for a in actions
            ]
        if name == "place":
            return [-1 if type(a) is Buy else a.adventurers for a in actions]
        if name == "keep":
            return [sum(map(self.merit, a.enhancements)) for a in actions]
        if name == "pass":
            hand = state.sides[int(argument[-1])].hand
            return [promise(without(hand, a.cards)) / 4 for a in actions]
        hand = state.sides[state.seat].hand
        return [promise(without(hand, (a.card,))) / 4 for a in actions]

    def look_at_turn(self, state, action):
        kind, seat = type(action), state.seat
        side = state.sides[seat]
        if kind is Explore:
            place = next(place for place in state.row if place.location == action.location)
            bonus = self.bonus(place, side, action.way)
            most = longest(side.hand)[WAYS.index(action.way)]
            return max(
                self.explore(place, seat, action.way, dice, bonus, side.supply)
                for dice in range(1, most + 1)
            )
        if kind is Rest or kind is Draw:
            room = REST if len(side.hand) < 8 else 0.3 * REST
            if action.source == "deck":
                return room
            more = promise(tuple(sorted((*side.hand, action.source)))) - promise(side.hand)
            return room * (0.6 + 0.15 * more)
        if kind is Buy:
            return (
                2 if action.level == 2 else 1 + 0.01 * promise(without(side.hand, (action.card,)))
            )
        return 0.5 if kind is Use else 0

    def look_at_cards(self, state, action):
        seat, attempt = state.seat, state.attempt
        side, place = state.sides[seat], state.row[attempt.slot]
        if type(action) is Use:
            card = self.box.enhancements[action.enhancement]
            if not card.one_time:
                return 3
            most = longest(side.hand)[WAYS.index(attempt.way)]
            needed = missing(self.box, state)
            helps = chance(most, needed - card.effect.get("add", 0)) - chance(most, needed)
            return 3 if helps > 0.4 else -2
        added = self.box.locations[place.location].needs(attempt.way) - missing(self.box, state)
        bonus = max(added, self.bonus(place, side, attempt.way))
        dice = len(action.cards)
        return self.explore(place, seat, attempt.way, dice, bonus, side.supply)

    def bonus(self, place, side, way):
        """What own enhancements and adventurers at the Academy can add to a roll."""
        bonus = self.lasting(side.enhancements, way)
        if self.box.has_alley or self.box.locations[place.location].special == "no_academy":
            return bonus
        return bonus + min(side.camp, CALLED)

    @known
    def lasting(self, names, way):
        return self.box.added(tuple(name for name in names if name in self.box.lasting), way)

    @known
    def explore(self, place, seat, way, dice, bonus, supply):
        """What an Explore with so many cards is worth."""
        location = self.box.locations[place.location]
        adding = min(supply, 2 if way in location.gold else 1)
        likely = chance(dice, location.needs(way) - bonus)
        good = self.gain(place, seat, adding) - CARD * (dice - 1)
        bad = SENT if supply and location.special == "none" else 0
        return likely * good + (1 - likely) * bad

    @known
    def gain(self, place, seat, adding):
        """What placing adventurers is worth: more, the nearer the location is to completion."""
        location = self.box.locations[place.location]
        placed = list(place.adventurers)
        placed[seat] += adding
        after = self.pay(replace(place, adventurers=tuple(placed)))[seat]
        before = self.pay(place)[seat]
        filled = min(1, (sum(placed) + place.goblins) / location.spaces)
        worth = (location.reward[0] + STONE * location.stones) * adding / location.spaces
        return filled * (after - before) * 0.6 + worth * 0.8

    @known
    def pay(self, place):
        """By seat what the location brings if it is scored now, in coins."""
        location = self.box.locations[place.location]
        coins, winner = scoring.pay(
            location.reward, place.adventurers, place.goblins, min_share_one=self.box.min_share_one
        )
        return [
            (coin if here else 0) + (STONE * location.stones if seat == winner else 0)
            for seat, (coin, here) in enumerate(zip(coins, place.adventurers, strict=True))
        ]

    @known
    def merit(self, name):
        """What an enhancement is worth."""
        card = self.box.enhancements[name]
        effect = card.effect
        add = effect.get("add", 0)
        return (
            effect.get("coins", 0)
            + effect.get("dragonstones", 0) * 0.7
            + (0.4 * add if card.one_time else 1.6 * add)
            + 2.5 * effect.get("reroll_dice", 0)
            + 1.5 * effect.get("draw_extra", 0)
            + effect.get("draw", 0)
        )

    def values(self, state):
        """By seat, from 0 to 1."""
        outcome = self.rules.outcome(state)
        worth = outcome.scores if outcome else self.worths(state)
        found = []
        for seat, own in enumerate(worth):
            lead = own - max(other for at, other in enumerate(worth) if at != seat)
            found.append(1 / (1 + math.exp(-lead / SCALE)))
        if outcome:
            winners = outcome.places.count(1)
            for seat, place in enumerate(outcome.places):
                win = 1 / winners if place == 1 else 0
                found[seat] = WON * win + (1 - WON) * found[seat]
        return found

    def worths(self, state):
        """By seat what it may expect to have at the end, in coins."""
        worth = []
        for side, stones in zip(state.sides, stones_of(self.box, state.sides), strict=True):
            merit = sum(map(self.merit, side.enhancements))
            worth.append(
                COIN * side.coins
                + CARD_HELD * len(side.hand)
                + PROMISE * promise(side.hand)
                + MERIT * merit
                + STONE_WON * stones
                + STONE_SENT * min(side.camp, CAMP_STONES)
            )
        for place in state.row:
            location = self.box.locations[place.location]
            filled = (sum(place.adventurers) + place.goblins) / location.spaces
            share = PLACED * (location.reward[0] + STONE * location.stones) / location.spaces
            for seat, coins in enumerate(self.pay(place)):
                worth[seat] += PAID_NOW * filled * coins + share * place.adventurers[seat]
        worth[state.seat] += TO_MOVE
        return worth


@cache
def chance(dice, needed):
    """How likely so many dice throw at least the total needed."""
    totals = Counter({0: 1})
    for _ in range(dice):
        more = Counter()
        for total, ways in totals.items():
            for face in (1, 2, 2, 3, 3, 4):
                more[total + face] += ways
        totals = more
    return sum(ways for total, ways in totals.items() if total >= needed) / 6**dice


@known
def longest(hand):
    """By way how many cards of the hand can be played."""
    numbers = Counter(map(value_of, hand))
    suits = Counter(card[:-3] for card in hand)
    run = best = 0
    for value in range(1, 13):
        run = run + 1 if value in numbers else 0
        best = max(best, run)
    longest = best, max(numbers.values(), default=0), max(suits.values(), default=0)
    return tuple(min(cards, DICE) for cards in longest)


@known
def promise(hand):
    """How good a hand is: long runs and sets, of which the longest counts most."""
    low, middle, high = sorted(longest(hand))
    numbers = Counter(map(value_of, hand))
    suits = Counter(card[:-3] for card in hand)
    pairs = sum(n * n for n in suits.values()) + sum(n * n for n in numbers.values())
    near = sum(value + 1 in numbers for value in numbers)
    return 3 * high + 2 * middle + low + 0.1 * (pairs + near) + 0.2 * len(hand)
