import os

from honest import play


def half(message):
    os.write(1, b'{"type":"action","id":"')
    os._exit(0)


play(act=half)
