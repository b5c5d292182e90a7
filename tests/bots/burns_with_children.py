import os

from honest import play


def burn(message):
    for _ in range(4):
        if os.fork() == 0:
            break
    while True:
        pass


play(act=burn)
