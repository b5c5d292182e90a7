import os
import time

from honest import play


def drip(message):
    while True:
        time.sleep(0.02)
        os.write(1, b"\n")


play(act=drip)
