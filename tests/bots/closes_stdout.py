import os
import time

from honest import play


def close(message):
    os.close(1)
    time.sleep(60)


play(act=close)
