"""Dragonheart: an action looks as good as the points it collects now."""

import math

from arena.extensions.games.dragonheart.rules.cards import (
    CHOICES,
    COLLECTS,
    DWARF,
    FIGURE_POINTS,
    KIND_OF,
    PETRIFIED,
    ROW_SIZE,
    SPACES,
    VALUE_OF,
)

LAID = 0.3  # a guess: what a point that is laid for anybody to take costs
SCALE = 8.0  # points of a lead that is as good as a win at 73 %
WON = 0.5  # how much the win counts at the end, and not the lead


class Player:
    public = ()
    temperature = 2.0
    noise = 3.0
    turns = 1000

    def __init__(self, rules):
        self.rules = rules
        self.candidates = rules.legal_actions

    def looks(self, state, actions):
        """Points by action."""
        if state.choice is not None:
            return [gain(state, SPACES.index(action.space)) for action in actions]
        found, gains = [], {}
        for action in actions:
            cards = action.cards
            kind = KIND_OF[cards[0]]
            laid = 0
            for card in cards:
                laid += VALUE_OF[card]
            if len(state.board[kind]) + len(cards) < ROW_SIZE[kind]:
                found.append(-LAID * laid)
                continue
            if kind not in gains:
                spaces = CHOICES.get(kind) or ([COLLECTS[kind]] if kind in COLLECTS else [])
                gains[kind] = max([gain(state, space) for space in spaces], default=0)
            found.append(gains[kind] + (laid if kind == DWARF else -LAID * laid))
        return found

    def values(self, state):
        """By seat, from 0 to 1."""
        points = [sum(map(VALUE_OF.__getitem__, side.collected)) for side in state.sides]
        if state.figure is not None:
            points[state.figure] += FIGURE_POINTS
        value = 1 / (1 + math.exp((points[1] - points[0]) / SCALE))
        outcome = self.rules.outcome(state)
        if outcome:
            places = outcome.places
            win = 0.5 if places[0] == places[1] else float(places[0] < places[1])
            value = WON * win + (1 - WON) * value
        return value, 1 - value


def gain(state, space):
    """What the seat whose turn it is gains by collecting the space."""
    cards = state.board[space]
    points = 0
    for card in cards:
        points += VALUE_OF[card]
    if space == PETRIFIED and cards and state.figure != state.seat:
        points += FIGURE_POINTS if state.figure is None else 2 * FIGURE_POINTS
    return points
