"""Information-set Monte Carlo tree search, with one tree for all that the seat cannot see.

Every playout begins in a world of its own, drawn at random from those that agree with what the seat
sees. All worlds share one tree, whose nodes stand for what was done since the question: so nothing
is decided by what the seat does not know. Which actions are legal differs from world to world, so
how often an action could be chosen takes the place of the visits of its parent.

What is known of a game comes from its ``Player``: which actions are worth a thought, which of them
look good, and what a state is worth when a playout breaks off.
"""

import math

from arena.games.base import CHANCE, NOBODY
from arena.games.luck import Luck

CURIOSITY = 2.0
"""How much the looks of an action count against what the playouts found."""
SHOWN = 40
"""Of how many actions ``info`` tells the share of playouts; it may not be long."""


class Node:
    """What an action led to; ``total`` is in the eyes of the seat that chose it."""

    __slots__ = ("children", "offered", "total", "visits")

    def __init__(self):
        self.children = {}
        self.offered, self.visits, self.total = 0, 0, 0.0


class Search:
    """The search for one answer: ``playout`` at least once, then ``answer``."""

    def __init__(self, rules, player, seen, rng):
        self.rules, self.player, self.seen, self.rng = rules, player, seen, rng
        self.root, self.playouts = Node(), 0

    def playout(self):
        """One world: down the tree to a new node, on from there, and the value back up."""
        rules, luck = self.rules, Luck(self.rng.randbytes(32))
        state = rules.determinize(self.seen, luck)
        node, path = self.root, []
        while (seat := rules.to_act(state)) != NOBODY:
            if seat == CHANCE:
                action = rules.chance(state, luck)
                if isinstance(action, self.player.public):
                    node = node.children.setdefault(action, Node())
            else:
                action, node = self.select(state, node)
                path.append((seat, node))
            state = rules.apply(state, action)
            if seat != CHANCE and not node.visits:
                break
        values = self.player.values(self.play_on(state, luck))
        self.playouts += 1
        for seat, node in path:
            node.visits += 1
            node.total += values[seat]

    def select(self, state, node):
        """The action to try in this world, and its node: good so far, or good-looking and new."""
        actions, children = self.player.candidates(state), node.children
        for action in actions:
            if action not in children:
                children[action] = Node()
        if len(actions) == 1:
            return actions[0], children[actions[0]]
        nodes = [children[action] for action in actions]
        looks = self.player.looks(state, actions)
        most = max(looks)
        weights = [math.exp((look - most) / self.player.temperature) for look in looks]
        scale = CURIOSITY / sum(weights)
        visits = sum(child.visits for child in nodes)
        expected = sum(child.total for child in nodes) / visits if visits else 0.5
        best, chosen = -math.inf, 0
        for index, child in enumerate(nodes):
            child.offered += 1
            mean = child.total / child.visits if child.visits else expected
            bonus = scale * weights[index] * math.sqrt(child.offered) / (1 + child.visits)
            if mean + bonus > best:
                best, chosen = mean + bonus, index
        return actions[chosen], nodes[chosen]

    def play_on(self, state, luck):
        """The state some turns later, if every seat does what looks good, more or less."""
        rules, player, random = self.rules, self.player, self.rng.random
        noise, last = player.noise, self.seen.turn + player.turns
        while state.turn < last and (seat := rules.to_act(state)) != NOBODY:
            if seat == CHANCE:
                action = rules.chance(state, luck)
            else:
                actions = player.candidates(state)
                action = actions[0]
                if len(actions) > 1:
                    best = -math.inf
                    for other, look in zip(actions, player.looks(state, actions), strict=True):
                        look += noise * random()
                        if look > best:
                            best, action = look, other
            state = rules.apply(state, action)
        return state

    def answer(self, actions):
        """The index of the action that was tried most, and ``info`` about the search."""
        nodes = [self.root.children.get(action) for action in actions]
        tries = [node.visits if node else 0 for node in nodes]
        best = tries.index(max(tries))
        value = nodes[best].total / tries[best]
        shares = {str(index): round(n / self.playouts, 2) for index, n in enumerate(tries) if n}
        shown = dict(sorted(shares.items(), key=lambda item: -item[1])[:SHOWN])
        return best, {"eval": round(value, 3), "nodes": self.playouts, "p": shown}
