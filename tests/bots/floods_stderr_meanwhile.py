import os
import threading
import time

from honest import answer, play

written = 0


def flood():
    global written
    while True:
        written += os.write(2, b"x" * 65536)


def wait_and_answer(message):
    """Not before more than a pipe holds was read."""
    enough = written + 4 * 65536
    while written < enough:
        time.sleep(0.001)
    answer(message)


threading.Thread(target=flood, daemon=True).start()
play(act=wait_and_answer)
