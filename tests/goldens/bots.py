"""The bots of the goldens: how each chooses, and how some of them fail."""

from __future__ import annotations

from pathlib import Path
from typing import Final

_BOT: Final = """\
import json, os, random, sys, time

CHOOSE, FAIL = {choose!r}, {fail!r}


def send(**message):
    print(json.dumps(message), flush=True)


if FAIL == "startup":
    sys.exit("cannot begin")
rng = random.Random()
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        send(type="ready", protocol=1)
    elif message["type"] == "start":
        rng.seed(message["seed"])
        asked, last = 0, rng.choice((3, 8, 1000))
        print("a game begins", file=sys.stderr, flush=True)
    elif message["type"] == "act":
        asked += 1
        if FAIL and asked == last:
            if FAIL == "crash":
                print("cannot go on", file=sys.stderr, flush=True)
                sys.exit(3)
            elif FAIL == "timeout":
                time.sleep(600)
            elif FAIL == "malformed":
                print("I resign", flush=True)
            elif FAIL == "illegal":
                send(type="action", id=message["id"], action=9999)
            elif FAIL == "protocol":
                send(type="ready", protocol=1)
            elif FAIL == "overflow":
                print("x" * 200_000, flush=True)
            continue
        many = len(message["legal"])
        index = {{"first": 0, "last": many - 1, "chance": rng.randrange(many)}}[CHOOSE]
        info = {{"info": {{"asked": asked, "of": many}}}} if CHOOSE == "last" else {{}}
        send(type="action", id=message["id"], action=index, **info)
    elif message["type"] == "bye":
        break
"""


def put(folder: Path, name: str, choose: str = "chance", fail: str = "") -> None:
    """A bot's folder, ``folder/name``.

    ``choose``: first, last (these two are deterministic without a seed) or chance.
    ``fail``: the kind of its fault, in two of three games, or in all if it is ``startup``.
    """
    home = folder / name
    home.mkdir(parents=True, exist_ok=True)
    (home / "main.py").write_text(_BOT.format(choose=choose, fail=fail), "utf-8")
    (home / "bot.yaml").write_text(
        f"bot: 1\nname: {name}\nversion: 1.2.3\nauthors: [nobody]\nprotocol: 1\n"
        "command: [python3, main.py]\ndeterministic: true\n",
        "utf-8",
    )
