"""Time: thinking while others move, and getting back time that the machine did not take."""

import contextlib
import mmap
import os
import signal
import struct
import threading
import time

from kit import answer, main, play, tell
from life import burn
from resources import close_pipes, daemon

ENOUGH = 0.12
"""Seconds of the processor, of the second and a half for which the others think: on a busy machine
a bot gets no more, and one that is stopped gets less."""
LONG = 12
"""Questions after which that time is over."""


class Watch:
    """Plays, and tells how much of the processor was used between its moves."""

    def __init__(self, used):
        self.used = used
        self.since = None
        self.total = 0.0
        self.asked = 0

    def act(self, message):
        self.asked += 1
        if self.since is not None:
            self.total += self.used() - self.since
        if self.asked == LONG:
            if self.total > ENOUGH:
                tell("ok", "thought while others moved")
            else:
                tell("blocked", "stood still while others moved")
        answer(message)
        self.since = self.used()

    def play(self, start):
        play(start=start, act=self.act)


def ponders():
    def start(message):
        threading.Thread(target=burn, daemon=True).start()

    Watch(time.process_time).play(start)


ponders_while_stopped = ponders
"""The same where bots are stopped while others move."""


def burning_child():
    """A child in a session of its own that burns; how much it has used."""
    shared = mmap.mmap(-1, mmap.PAGESIZE)
    if os.fork() == 0:
        os.setsid()
        while True:
            shared[:8] = struct.pack("d", time.process_time())
    return lambda: struct.unpack("d", shared[:8])[0]


def ponders_in_a_child():
    watch = Watch(time.process_time)

    def start(message):
        watch.used = burning_child()

    watch.play(start)


def wakes_itself():
    """A child sends SIGCONT all the time, for the case that it is stopped by SIGSTOP."""

    def start(message):
        parent = os.getpid()
        if os.fork() == 0:
            os.setsid()
            while True:
                os.kill(parent, signal.SIGCONT)
                time.sleep(0.001)
        threading.Thread(target=burn, daemon=True).start()

    Watch(time.process_time).play(start)


def sleeps_too_long():
    """Sleeping is no waiting for the processor."""
    play(act=lambda message: time.sleep(5))


def keep_to_one_core():
    """Where arena has not seen to it, and not forbidden it."""
    with contextlib.suppress(PermissionError):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def stand_back():
    """Run only when nobody else wants to, on one processor, as far as that is allowed."""
    keep_to_one_core()
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


def starves_itself_with_threads():
    def act(message):
        keep_to_one_core()
        for _ in range(4):
            threading.Thread(target=burn, daemon=True).start()
        burn()

    play(act=act)


def starves_itself_with_children():
    """Waits behind its own children on one processor, so that its time is given back."""

    def act(message):
        keep_to_one_core()
        for _ in range(3):
            if os.fork() == 0:
                burn()
        stand_back()
        burn()

    play(act=act)


def starves_itself_with_daemons():
    """As with children, but they are its own no more: the worker has inherited them."""

    def act(message):
        keep_to_one_core()
        for _ in range(3):
            daemon(lambda: (close_pipes(), burn()))
        stand_back()
        burn()

    play(act=act)


def steps_back():
    """Lowest priority of its own will, where it may; still honest."""

    def start(message):
        with contextlib.suppress(PermissionError):
            os.nice(19)

    play(start=start)


if __name__ == "__main__":
    main(globals())
