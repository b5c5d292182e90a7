"""Timing and life cycle: starts, ends, signals, and not answering."""

import ctypes
import os
import signal
import sys
import threading
import time

from kit import answer, main, nothing, play, send, write

FOR_EVER = 600


def sleep(message=None):
    time.sleep(FOR_EVER)


def burn(message=None):
    while True:
        pass


def slow():
    """Honest, but leaves the others time while it is asked: 0.15 seconds, ten times."""
    asked = []

    def act(message):
        asked.append(message)
        if len(asked) <= 10:
            time.sleep(0.15)
        answer(message)

    play(act=act)


def hangs_before_reading():
    sleep()


def starts_late():
    """Later than the start-up time allows."""
    time.sleep(30)
    play()


def starts_slowly():
    time.sleep(0.5)
    play()


def hangs_in_mid_game():
    asked = []

    def act(message):
        asked.append(message)
        sleep() if len(asked) == 4 else answer(message)

    play(act=act)


def drips():
    """A byte now and then: bytes must not move the deadline."""

    def act(message):
        while True:
            write(b" ")
            time.sleep(0.02)

    play(act=act)


def drips_an_answer():
    """A right answer, but so slowly that it takes a minute."""

    def act(message):
        for byte in b'{"type":"action","id":"%s","action":0}\n' % message["id"].encode():
            write(bytes([byte]))
            time.sleep(1)

    play(act=act)


def answers_late():
    def act(message):
        time.sleep(2)
        answer(message)

    play(act=act)


def exits_at_start():
    sys.exit(1)


def answers_and_exits():
    def act(message):
        answer(message)
        os._exit(4)

    play(act=act)


def exits_in_half_a_line():
    def act(message):
        write(b'{"type":"action",')
        os._exit(0)

    play(act=act)


def ignores_sigterm():
    for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGPIPE", "SIGXCPU"):
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    play(act=burn)


def stays_after_bye():
    play(bye=nothing)
    sleep()


def leaves_its_main_thread():
    """Ends the first thread of the process and plays on in another one."""
    threading.Thread(target=play).start()
    ctypes.CDLL(None).pthread_exit(None)


def becomes_another_program():
    """Replaces itself before it says it is ready."""
    honest = "import kit; kit.ready({}); kit.play()"
    play(hello=lambda message: os.execv(sys.executable, [sys.executable, "-S", "-c", honest]))


def fails_with_a_traceback():
    def act(message):
        raise RuntimeError("\x1b[31mred\x1b[0m \u202e")

    play(act=act)


DIFFERENCES = {
    "honest": {},
    "hangs_at_start": {"hello": sleep},
    "hangs": {"act": sleep},
    "burns": {"act": burn},
    "exits_before_ready": {"hello": sys.exit},
    "prints_a_banner": {"hello": lambda message: print("mybot 0.2 is ready!", flush=True)},
    "speaks_another_protocol": {"hello": lambda message: send(type="ready", protocol=99)},
    "wants_the_unknown": {"hello": lambda message: send(type="ready", protocol=1, wants=["seed"])},
    "exits_with_0": {"act": lambda message: os._exit(0)},
    "exits_with_1": {"act": lambda message: os._exit(1)},
    # allowed to be forgotten: it was the only game of its process
    "exits_at_over": {"over": lambda message: os._exit(5)},
    "kills_itself": {"act": lambda message: os.kill(os.getpid(), signal.SIGKILL)},
    "aborts": {"act": lambda message: os.abort()},
    "segfaults": {"act": lambda message: ctypes.string_at(0)},
    "stops_itself": {"act": lambda message: os.kill(os.getpid(), signal.SIGSTOP)},
}


if __name__ == "__main__":
    main(globals() | DIFFERENCES)
