import os

from honest import play


def flood(message):
    while True:
        os.write(1, b"x" * 65536)


play(act=flood)
