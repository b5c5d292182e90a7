import os

from honest import play


def flood(message):
    while True:
        os.write(1, b"\n" * 65536)


play(act=flood)
