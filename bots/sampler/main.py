"""Draws worlds that agree with what it sees, tries every action in each of them with random moves
after it, and plays the action that comes out best on average.

All actions are tried in the same worlds, so none of them has the better luck. Options: ``playouts``
for one answer, and ``turns``: how many are played at random before the points are counted.
"""

import json
import random
import sys

import msgspec

from arena.games.base import CHANCE, NOBODY
from arena.games.luck import Luck
from arena.games.registry import GAMES, make_rules
from arena.results import RulesSpec


def points(rules, state):
    """By seat what it has now; fewer cards and deserters are better."""
    if outcome := rules.outcome(state):
        return [-score if rules.info.less_is_better else score for score in outcome.scores]
    if rules.info.name == "dragonheart":
        owns = [3 * (state.figure == seat) for seat in (0, 1)]
        cards = [side.collected for side in state.sides]
        return [owns[seat] + sum(int(card[-1]) for card in cards[seat]) for seat in (0, 1)]
    if rules.info.name == "dragonrealm":
        return [side.coins + len(side.hand) + side.camp / 2 for side in state.sides]
    if rules.info.seats == 1:
        return [-len(state.deserters)]
    return [-len(side.hand) - len(side.camp) for side in state.sides]


def lead(rules, state, seat, turns, rng):
    """By how much the seat is ahead after so many turns more, all played at random."""
    luck, last = Luck(rng.randbytes(32)), state.turn + turns
    while state.turn < last and (actor := rules.to_act(state)) != NOBODY:
        if actor == CHANCE:
            action = rules.chance(state, luck)
        else:
            action = rng.choice(rules.legal_actions(state))
        state = rules.apply(state, action)
    found = points(rules, state)
    own = found.pop(seat)
    return own - max(found, default=0)


class Sampler:
    """One game, from its ``start`` on."""

    def __init__(self, start):
        self.options = {"playouts": 300, "turns": 8} | start.get("bot_options", {})
        self.rng = random.Random(start["seed"])
        self.start = start

    def choose(self, message):
        """The index of the action with the best sum of leads."""
        if len(message["legal"]) == 1:
            return 0
        start, rng, turns = self.start, self.rng, self.options["turns"]
        rules = make_rules(RulesSpec(*map(start.get, ("rules", "seats", "options", "data"))))
        seen = msgspec.convert(message["observation"], GAMES[start["rules"]].observation_type)
        actions = [rules.decode_action(action) for action in message["legal"]]
        sums = [0.0] * len(actions)
        for _ in range(max(1, self.options["playouts"] // len(actions))):
            world = rules.determinize(seen, Luck(rng.randbytes(32)))
            for index, action in enumerate(actions):
                sums[index] += lead(rules, rules.apply(world, action), start["seat"], turns, rng)
        return sums.index(max(sums))


def send(**message):
    print(json.dumps(message), flush=True)


sampler = None
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        wants = ["observation", "legal"]
        send(type="ready", protocol=1, name="sampler", version="1.0.0", wants=wants)
    elif message["type"] == "start":
        sampler = Sampler(message)
    elif message["type"] == "act":
        send(type="action", id=message["id"], action=sampler.choose(message))
    elif message["type"] == "bye":
        break
