import os

from honest import play


def flood(message):
    while True:
        os.write(2, b"x" * 65536)


play(act=flood)
