import signal
import time

from honest import play

for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
play(act=lambda message: time.sleep(60))
