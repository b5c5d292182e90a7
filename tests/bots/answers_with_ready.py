import os

from honest import play


def hasty(message):
    os.write(1, b'{"type":"ready","protocol":1}\n{"type":"action","id":"","action":0}\n')


play(hello=hasty)
