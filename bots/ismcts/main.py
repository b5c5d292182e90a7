"""Searches as long as the time for the move allows, in worlds that agree with what it sees.

``search.py`` is the search, and knows no game. Each file named after a game says what looks good in
it and what a position is worth. Options: ``seconds`` is the most it thinks about a move;
``playouts``, if not 0, replaces time by a count, so that equal seeds give equal games.
"""

import gc
import json
import random
import sys
import time
from functools import lru_cache
from importlib import import_module

import msgspec
from search import Search

from arena.games.registry import GAMES, make_rules
from arena.values.results import RulesSpec

RESERVE = 0.03
"""Seconds that are kept for the way to the referee."""
USED = 0.85
"""How much of the time for a move is thought away."""
MOVES = 30
"""Into how many moves a bank is divided, again at each move."""
PLAYED = ("dragonheart", "dragonkrak", "dragonrealm")
KEPT = 16
"""For how many rules a process remembers what it built."""


def send(**message):
    print(json.dumps(message), flush=True)


def seconds_for(message, clock, most):
    """How long to think about this move; if that is not above 0, one playout has to do."""
    left = message["time_left"]
    if left is None:
        return most
    if clock.get("bank") is not None:
        left = min(left, left / MOVES + clock["increment"])
    return min(most, USED * left - RESERVE)


def load():
    """Import all games and return, by name, the type of observations and who plays."""
    return {name: (GAMES[name].observation_type, import_module(name).Player) for name in PLAYED}


@lru_cache(KEPT)
def prepared(text, kind):
    """Build the rules, and who plays by them. ``text``: the rules of ``start`` in JSON."""
    rules = make_rules(RulesSpec(*json.loads(text)))
    return rules, kind(rules)


class Player:
    """One game, from its ``start`` on."""

    def __init__(self, start, games):
        self.start = start
        self.seen, self.player = games[start["rules"]]
        self.rng = random.Random(start["seed"])
        self.options = {"seconds": 1.0, "playouts": 0} | start.get("bot_options", {})

    def choose(self, message, began):
        """The index of an action, and what to say about it."""
        if len(message["legal"]) == 1:
            return 0, None
        spec = [self.start[word] for word in ("rules", "seats", "options", "data")]
        rules, player = prepared(json.dumps(spec), self.player)
        actions = [rules.decode_action(action) for action in message["legal"]]
        seen = msgspec.convert(message["observation"], self.seen)
        search = Search(rules, player, seen, self.rng)
        if self.options["playouts"]:
            for _ in range(self.options["playouts"]):
                search.playout()
        else:
            deadline = began + seconds_for(message, self.start["clock"], self.options["seconds"])
            now, longest = time.monotonic(), 0.0
            while not search.playouts or now + longest < deadline:
                search.playout()
                then, now = now, time.monotonic()
                longest = max(longest, now - then)
        return search.answer(actions)


def main():
    gc.disable()  # nothing here makes cycles, and looking for some takes a tenth of the time
    player, games = None, load()
    for line in sys.stdin:
        began = time.monotonic()
        message = json.loads(line)
        if message["type"] == "hello":
            wants = ["observation", "legal"]
            send(type="ready", protocol=1, name="ismcts", version="1.0.1", wants=wants)
        elif message["type"] == "start":
            player = Player(
                message, games
            )  # and no more: all that is done here delays the first answer
        elif message["type"] == "act":
            index, info = player.choose(message, began)
            more = {"info": info} if info else {}
            send(type="action", id=message["id"], action=index, **more)
        elif message["type"] == "bye":
            break


if __name__ == "__main__":
    main()
