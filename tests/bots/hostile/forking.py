"""Leaves a child with each answer, which ignores signals and keeps the pipes."""

import os
import signal

from kit import answer, play
from life import sleep


def act(message):
    if os.fork() == 0:
        for name in ("SIGTERM", "SIGHUP", "SIGPIPE"):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
        sleep()
    answer(message)


if __name__ == "__main__":
    play(act=act)
