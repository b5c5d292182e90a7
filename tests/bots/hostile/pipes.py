"""The pipes: closed, flooded, never read, changed."""

import contextlib
import fcntl
import os
import threading

from kit import answer, first, main, play, ready, write
from life import sleep

LINE = b"x" * 99 + b"\n"


def closing(*descriptors):
    def act(message):
        for descriptor in descriptors:
            os.close(descriptor)
        sleep()

    return act


def for_ever(data, descriptor=1):
    while True:
        os.write(descriptor, data)


def floods_stderr_and_plays():
    threading.Thread(target=for_ever, args=(LINE * 600, 2), daemon=True).start()
    play()


def writes_300_kb_to_stderr():
    """Before each of its first answers, more than a pipe holds."""
    asked = []

    def act(message):
        asked.append(message)
        if len(asked) <= 3:
            for _ in range(3):
                os.write(2, LINE * 1000)
        answer(message)

    play(act=act)


def floods_guesses():
    guess = b'{"type":"action","id":"0123456789abcdef","action":0}\n'
    play(act=lambda message: (write(guess * 50), sleep()))


def resize(size):
    for descriptor in (0, 1, 2):
        with contextlib.suppress(PermissionError):  # in a sandbox pipes stay as they are
            fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, size)


def shrinks_its_pipes():
    resize(4096)
    play(act=first(lambda message: (write(b" " * 30_000), answer(message))))


def grows_its_pipes():
    resize(1 << 20)
    play()


def sets_its_pipes_non_blocking():
    """Of what it writes, some is lost; it does so on standard error alone."""

    def start(message):
        for descriptor in (1, 2):
            os.set_blocking(descriptor, False)
        with contextlib.suppress(BlockingIOError):
            for_ever(LINE * 600, 2)

    play(start=start)


def leaves_its_pipes_to_a_child():
    """Ends itself; the pipes stay open."""

    def act(message):
        if os.fork() == 0:
            os.setsid()
            sleep()
        os._exit(7)

    play(act=act)


DIFFERENCES = {
    "closes_stdout": {"act": closing(1)},
    "closes_stdin": {"act": closing(0)},
    "closes_all": {"act": closing(0, 1, 2)},
    "closes_stderr": {"start": lambda message: os.close(2)},
    "points_stdout_elsewhere": {
        "act": lambda message: (os.dup2(os.open("/dev/null", os.O_WRONLY), 1), sleep())
    },
    "floods_without_a_line_end": {"act": lambda message: for_ever(b"x" * 65536)},
    "floods_lines": {"act": lambda message: for_ever(LINE * 600)},
    "floods_blank_lines": {"act": lambda message: for_ever(b"\n" * 65536)},
    "floods_spaces": {"act": lambda message: for_ever(b" " * 65536)},
    "floods_stderr_and_hangs": {"act": lambda message: for_ever(LINE * 600, 2)},
    "floods_after_the_game": {
        "over": lambda message: for_ever(LINE * 600),
        "bye": lambda message: sleep(),
    },
    # after the first line nothing, though more is written to it than a pipe holds
    "never_reads": {"hello": lambda message: (ready(message), sleep())},
}


if __name__ == "__main__":
    main(globals() | DIFFERENCES)
