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


def closes_stdout():
    play(act=closing(1))


def closes_stdin():
    play(act=closing(0))


def closes_all():
    play(act=closing(0, 1, 2))


def closes_stderr():
    play(start=lambda message: os.close(2))


def points_stdout_elsewhere():
    play(act=lambda message: (os.dup2(os.open("/dev/null", os.O_WRONLY), 1), sleep()))


def for_ever(data, descriptor=1):
    while True:
        os.write(descriptor, data)


def floods_without_a_line_end():
    play(act=lambda message: for_ever(b"x" * 65536))


def floods_lines():
    play(act=lambda message: for_ever(LINE * 600))


def floods_blank_lines():
    play(act=lambda message: for_ever(b"\n" * 65536))


def floods_spaces():
    play(act=lambda message: for_ever(b" " * 65536))


def floods_stderr_and_hangs():
    play(act=lambda message: for_ever(LINE * 600, 2))


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


def floods_after_the_game():
    play(over=lambda message: for_ever(LINE * 600), bye=lambda message: sleep())


def floods_guesses():
    guess = b'{"type":"action","id":"0123456789abcdef","action":0}\n'
    play(act=lambda message: (write(guess * 50), sleep()))


def never_reads():
    """After the first line nothing, though more is written to it than a pipe holds."""
    play(hello=lambda message: (ready(message), sleep()))


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


if __name__ == "__main__":
    main(globals())
