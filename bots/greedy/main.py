"""Plays what looks best now. Each file beside this one plays the game it is named after.

The option ``slips`` is the share of decisions that it leaves to chance.
"""

import importlib
import json
import random
import sys


def send(**message):
    print(json.dumps(message), flush=True)


rng, slips, player = random.Random(), 0, None
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        wants = ["observation", "legal"]
        send(type="ready", protocol=1, name="greedy", version="1.1.0", wants=wants)
    elif message["type"] == "start":
        rng.seed(message["seed"])
        slips = message.get("bot_options", {}).get("slips", 0)
        player = importlib.import_module(message["rules"])
    elif message["type"] == "act":
        if rng.random() < slips:
            best = rng.randrange(len(message["legal"]))
        else:
            best = player.choose(message)
        send(type="action", id=message["id"], action=best)
    elif message["type"] == "bye":
        break
