"""Lines that nobody asked for, and answers to other questions."""

import os
import threading
import time

from kit import answer, first, main, nothing, play, send


def answers_with_ready():
    def hello(message):
        send(type="ready", protocol=1)
        send(type="action", id="", action=0)

    play(hello=hello)


def answers_again_later():
    def act(message):
        answer(message)
        threading.Timer(0.05, answer, (message,)).start()

    play(act=first(act))


def answers_the_last_question():
    """With the id of the question before."""
    asked = []

    def act(message):
        asked.append(message)
        answer(asked[-2] if len(asked) > 1 else message)

    play(act=act)


def guesses_the_next_question():
    """The next id by counting up."""
    asked = []

    def act(message):
        asked.append(message)
        if len(asked) == 1:
            following = int(message["id"], 16) + 1
            return answer(message) or send(type="action", id=f"{following:016x}", action=0)
        return time.sleep(1)

    play(act=act)


def prints_while_others_think():
    def act(message):
        answer(message)
        threading.Timer(0.02, os.write, (1, b"hm\n")).start()

    play(act=first(act))


DIFFERENCES = {
    "answers_before_it_is_asked": {"start": lambda message: send(type="action", id="", action=0)},
    "answers_twice": {"act": first(lambda message: (answer(message), answer(message)))},
    "is_ready_twice": {"hello": lambda message: [send(type="ready", protocol=1) for _ in range(2)]},
    # no question follows, so nothing is wrong with the game
    "answers_over": {
        "over": lambda message: send(type="action", id="", action=0),
        "start": nothing,
    },
}


if __name__ == "__main__":
    main(globals() | DIFFERENCES)
