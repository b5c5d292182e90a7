"""Always plays the first legal action."""

import json
import sys


def send(**message):
    print(json.dumps(message), flush=True)


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        send(type="ready", protocol=1, name="first-legal", version="2.0.0", wants=[])
    elif message["type"] == "act":
        send(type="action", id=message["id"], action=0)
    elif message["type"] == "bye":
        break
