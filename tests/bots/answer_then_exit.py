import os

from honest import answer, play


def last(message):
    answer(message)
    os._exit(4)


play(act=last)
