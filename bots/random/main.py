"""Plays any legal action with equal chance, decided by the seed of the game alone."""

import json
import random
import sys


def send(**message):
    print(json.dumps(message), flush=True)


rng = random.Random()
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        send(type="ready", protocol=1, name="random", version="1.0.0", wants=["legal"])
    elif message["type"] == "start":
        rng.seed(message["seed"])
    elif message["type"] == "act":
        index = rng.randrange(len(message["legal"]))
        send(type="action", id=message["id"], action=index)
    elif message["type"] == "bye":
        break
