import os
import time

from honest import play


def daemon(message):
    if os.fork() == 0:
        os.setsid()
        if daemon := os.fork():
            os.write(2, b"daemon %d\n" % daemon)
            os._exit(0)
        time.sleep(60)
    os.wait()


play(start=daemon)
