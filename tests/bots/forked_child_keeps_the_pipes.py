import os
import time

from honest import play


def leave(message):
    if os.fork() == 0:
        time.sleep(60)
    os._exit(7)


play(act=leave)
