import time

from honest import play, ready


def late(message):
    time.sleep(5)
    ready(message)


play(hello=late)
