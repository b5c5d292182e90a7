"""A first bot as most people write it: standard library, json, a random legal action."""

import json
import random
import sys

rng = random.Random()
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "protocol": 1}), flush=True)
    elif message["type"] == "start":
        rng.seed(message["seed"])
    elif message["type"] == "act":
        choice = rng.randrange(len(message["legal"]))
        print(json.dumps({"type": "action", "id": message["id"], "action": choice}), flush=True)
