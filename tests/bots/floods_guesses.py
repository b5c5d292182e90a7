import os

from honest import play


def flood(message):
    line = '{"type":"action","id":"%s","action":%d}\n'
    os.write(1, "".join(line % (message["id"], index) for index in range(50)).encode())


play(act=flood)
