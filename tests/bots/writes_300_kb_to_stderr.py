import os

from honest import answer, play


def chat(message):
    rest = b"x" * 300_000
    while rest:
        rest = rest[os.write(2, rest) :]
    answer(message)


play(act=chat)
