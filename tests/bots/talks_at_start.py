import sys

from honest import play, ready


def talk(message):
    print("loading the model", file=sys.stderr, flush=True)
    ready(message)


play(hello=talk)
