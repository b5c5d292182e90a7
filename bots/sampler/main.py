"""Draws worlds that agree with what it sees, tries every action in each of them with hasty moves
after it, and plays the action that comes out best on average.

A hasty move is the better one of two at random. All actions are tried in the same worlds, so none
of them has the better luck. Options: ``playouts`` for one answer, fewer if the clock does not allow
them, and ``turns``: how many are played hastily before the points are counted.
"""

import json
import random
import sys
import time
from functools import lru_cache
from itertools import combinations
from operator import add

import msgspec

from arena.extensions.games.dragonrealm.rules.scoring import pay
from arena.games.base import CHANCE, NOBODY
from arena.games.luck import Luck
from arena.games.registry import GAMES, make_rules
from arena.values.results import RulesSpec

RESERVE = 0.03
"""Seconds that are kept for the way to the referee."""
USED = 0.85
"""How much of the time for a move is used."""
PLAYED = ("dragonheart", "dragonkrak", "dragonrealm")
MOVES = 30
"""Into how many moves a bank is divided, again at each move."""


def points(rules, state):
    """By seat what it has now; fewer cards and deserters are better."""
    if outcome := rules.outcome(state):
        return [-score if rules.info.less_is_better else score for score in outcome.scores]
    if rules.info.name == "dragonheart":
        owns = [3 * (state.figure == seat) for seat in (0, 1)]
        cards = [side.collected for side in state.sides]
        return [owns[seat] + sum(int(card[-1]) for card in cards[seat]) for seat in (0, 1)]
    if rules.info.name == "dragonrealm":
        return prospects(rules.box, state)
    if rules.info.seats == 1:
        return [-len(state.deserters)]
    return [-len(side.hand) - len(side.camp) for side in state.sides]


def prospects(box, state):
    """Dragonrealm, by seat: coins, and in coins what promises some. The weights are guesses."""
    found = [
        1.2 * side.coins
        + 0.7 * len(side.hand)
        + pairs(side.hand) / 10
        + 0.3 * side.camp
        + len(side.enhancements)
        for side in state.sides
    ]
    for place in state.row:
        location, counts, goblins = box.locations[place.location], place.adventurers, place.goblins
        coins, _ = pay(location.reward, counts, goblins, min_share_one=box.min_share_one)
        share = 1.2 * (location.reward[0] + location.stones / 2) / location.spaces
        filled = (sum(counts) + goblins) / location.spaces
        for seat, count in enumerate(counts):
            found[seat] += share * count + coins[seat] * filled / 4
    if state.attempt:  # more dice are better, and best is to have succeeded
        found[state.seat] += len(state.attempt.cards)
    return found


@lru_cache(1 << 16)
def pairs(hand):
    """How many pairs of the cards may be played together."""
    return sum(
        one[:-3] == two[:-3] or abs(int(one[-2:]) - int(two[-2:])) < 2
        for one, two in combinations(hand, 2)
    )


def lead(rules, state, seat, turns, rng):
    """By how much the seat is ahead after so many turns more, all played hastily."""
    luck, last = Luck(rng.randbytes(32)), state.turn + turns
    while state.turn < last and (actor := rules.to_act(state)) != NOBODY:
        if actor == CHANCE:
            state = rules.apply(state, rules.chance(state, luck))
            continue
        legal = rules.legal_actions(state)
        state, other = (rules.apply(state, rng.choice(legal)) for _ in range(2))
        if len(legal) > 1 and points(rules, other)[actor] > points(rules, state)[actor]:
            state = other
    found = points(rules, state)
    own = found.pop(seat)
    return own - max(found, default=0)


def seconds_for(message, clock):
    """Return the time for this move; if that is not above 0, one playout has to do."""
    left = message["time_left"]
    if left is None:
        return float("inf")
    if clock.get("bank") is not None:
        left = min(left, left / MOVES + clock["increment"])
    return USED * left - RESERVE


class Sampler:
    """One game, from its ``start`` on."""

    def __init__(self, start, kind):
        self.kind = kind
        self.options = {"playouts": 300, "turns": 0} | start.get("bot_options", {})
        self.rng = random.Random(start["seed"])
        self.start = start
        self.rules = None

    def choose(self, message, began):
        """The index of the action with the best sum of leads."""
        if len(message["legal"]) == 1:
            return 0
        start, rng = self.start, self.rng
        deadline = began + seconds_for(message, start["clock"])
        keys = ("rules", "seats", "options", "data")
        rules = self.rules = self.rules or make_rules(RulesSpec(*map(start.get, keys)))
        usual = 8 if start["seats"] == 1 else 2 if start["rules"] == "dragonheart" else 1
        turns = self.options["turns"] or usual
        seen = msgspec.convert(message["observation"], self.kind)
        actions = [rules.decode_action(action) for action in message["legal"]]
        sums, now, longest = [], time.monotonic(), 0.0
        for _ in range(max(1, self.options["playouts"] // len(actions))):
            world = rules.determinize(seen, Luck(rng.randbytes(32)))
            leads = []
            for action in actions:
                if (sums or leads) and now + longest >= deadline:
                    break
                leads.append(lead(rules, rules.apply(world, action), start["seat"], turns, rng))
                then, now = now, time.monotonic()
                longest = max(longest, now - then)
            if sums and len(leads) < len(actions):  # not all were tried in this world
                break
            sums = list(map(add, sums, leads)) if sums else leads
        return sums.index(max(sums))


def send(**message):
    print(json.dumps(message), flush=True)


def main():
    sampler, seen = None, {name: GAMES[name].observation_type for name in PLAYED}
    for line in sys.stdin:
        began = time.monotonic()
        message = json.loads(line)
        if message["type"] == "hello":
            wants = ["observation", "legal"]
            send(type="ready", protocol=1, name="sampler", version="1.1.0", wants=wants)
        elif message["type"] == "start":
            sampler = Sampler(message, seen[message["rules"]])
        elif message["type"] == "act":
            send(type="action", id=message["id"], action=sampler.choose(message, began))
        elif message["type"] == "bye":
            break


if __name__ == "__main__":
    main()
