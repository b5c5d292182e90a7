import os

from honest import play


def flood(message):
    while True:
        os.write(1, b"{}\n" * 20000)


play(act=flood)
