"""Does everything right. The other bots differ from it in one thing, told by their names."""

import json
import sys


def send(**message):
    print(json.dumps(message), flush=True)


def ready(message):
    send(type="ready", protocol=1)


def answer(message):
    send(type="action", id=message["id"], action=0)


def nothing(message):
    pass


def play(hello=ready, start=nothing, act=answer, over=nothing):
    on = {
        "hello": hello,
        "start": start,
        "act": act,
        "over": over,
        "bye": lambda message: sys.exit(),
    }
    for line in sys.stdin:
        message = json.loads(line)
        on[message["type"]](message)


if __name__ == "__main__":
    play()
