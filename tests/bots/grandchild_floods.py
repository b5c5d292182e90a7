import os

from honest import play


def leave(message):
    if os.fork() == 0:
        while True:
            os.write(1, b" " * 65535 + b"\n")
    os._exit(7)


play(act=leave)
