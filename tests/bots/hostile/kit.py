"""What the hostile bots share: an honest game, and the report of an attack.

Each bot is a function or a row of its file: ``python FILE NAME``. It plays honestly, always
the first legal action, but for the one thing its docstring or name tells. One that attacks says
on standard error how it went, in one line: ``ATTACK ok DETAIL`` or ``ATTACK blocked DETAIL``.

Attacks on what others own are only tried as far as is needed to know that they would succeed:
signal 0, limits and priorities set to what they are, descriptors opened and closed.
"""

import errno
import json
import os
import sys


def send(**message):
    print(json.dumps(message), flush=True)


def write(data):
    """Bytes to standard output, all of them."""
    while data:
        data = data[os.write(1, data) :]


def ready(message):
    send(type="ready", protocol=1)


def answer(message):
    send(type="action", id=message["id"], action=0)


def nothing(message):
    pass


def leave(message):
    sys.exit()


def play(hello=ready, start=nothing, act=answer, over=nothing, bye=leave):
    """Answer every message with its function, to the end of the input."""
    on = {"hello": hello, "start": start, "act": act, "over": over, "bye": bye}
    for line in sys.stdin:
        message = json.loads(line)
        on[message["type"]](message)


def first(instead):
    """As ``act``: do something in place of the first answer; honest ever after."""
    asked = []

    def act(message):
        asked.append(message)
        (instead if len(asked) == 1 else answer)(message)

    return act


def tell(outcome, detail):
    os.write(2, f"ATTACK {outcome} {detail}\n".encode())


def attempt(attack, targets):
    """Try it and report. The attack returns what it got, or raises, or returns nothing."""
    try:
        got = attack(targets)
    except OSError as error:
        tell("blocked", errno.errorcode.get(error.errno, str(error)))
    except Exception as error:
        tell("blocked", type(error).__name__)
    else:
        tell("ok" if got else "blocked", got or "nothing found")


def raid(attack):
    """Play honestly, and try the attack when the game starts, which no clock measures."""
    play(start=lambda message: attempt(attack, message["bot_options"]))


def main(bots):
    """Be the bot that the first argument names: a function, or in what it plays differently."""
    bot = bots[sys.argv[1]]
    play(**bot) if isinstance(bot, dict) else bot()
