"""Speaks with the referee, so that your files need not."""

import importlib
import json
import os
import random
import sys
from math import isfinite

from kit.messages import Start
from kit.reading import Record, read, read_action


class Info(Record):
    """Notes that are kept with an answer and shown beside it; unset ones are left out."""

    eval: float | None = None
    """How good it looks for you; more is better."""
    text: str = ""
    p: dict[int, float] = {}
    """Probability of each legal action, from 0 to 1, by index."""
    nodes: int = 0

    def json(self) -> dict:
        """Return the notes that are set and can be written as JSON."""
        known = {name: value for name, value in vars(self).items() if value or name == "eval"}
        if self.eval is None or not isfinite(self.eval):
            del known["eval"]
        return known if all(map(isfinite, self.p.values())) else known | {"p": {}}


class Game(Record):
    """Everything that is known besides the observation."""

    start: Start
    """Seats, options, card data and clock of this game."""
    random: random.Random
    """Source of all choices by chance; repeats itself when the game is played again."""
    time_left: float | None = None
    """Seconds that this answer may take; None: no limit."""
    act: dict | None = None
    """The question as it came, with `events` if they are asked for below."""
    info: Info = Info()
    """Notes to keep with this answer; empty again at each question."""

    def option(self, name: str, other):
        """Return an option of the bot in the type of ``other``, or ``other`` if it is not set."""
        return type(other)((self.start.bot_options or {}).get(name, other))


def best(legal: list, worth) -> int:
    """Return the index of the first action of the greatest worth."""
    return max(range(len(legal)), key=lambda index: worth(legal[index]))


def checked(index, choose, legal: list) -> int:
    """Return the index that `choose` returned; end the bot if this is no whole number."""
    if hasattr(index, "__index__") and not isinstance(index, bool):
        return int(index)
    code = getattr(choose, "__code__", None)
    place = ""
    if code is not None:
        place = f'  File "{code.co_filename}", line {code.co_firstlineno}, in {code.co_name}\n'
    found = " ".join(repr(index).split())[:80]
    expected = f"expected the index of an action: 0 to {len(legal) - 1}"
    sys.exit(f"{place}TypeError: choose returned {found}, {expected}")


def play(name: str, files: dict[str, str]) -> None:
    """Play games until there are no more. ``files``: the file that plays each game, by its name."""
    wire = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what is printed, here or by a child process, goes to standard error
    sys.stdout.reconfigure(line_buffering=True)

    def send(**message) -> None:
        wire.write(json.dumps(message) + "\n")
        wire.flush()

    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            send(type="ready", protocol=1, name=name, wants=["observation", "legal"])
        elif message["type"] == "start":
            start = read(Start, message)
            game = Game(start=start, random=random.Random(start.seed))
            choose = importlib.import_module(files[start.rules]).choose
            types = importlib.import_module(f"kit.{files[start.rules]}")
        elif message["type"] == "act":
            game.time_left, game.act, game.info = message["time_left"], message, Info()
            observation = read(types.Observation, message["observation"])
            legal = [read_action(types.ACTIONS, each) for each in message["legal"]]
            index = checked(choose(observation, legal, game), choose, legal)
            info = game.info.json()
            send(type="action", id=message["id"], action=index, **({"info": info} if info else {}))
        elif message["type"] == "bye":
            break
