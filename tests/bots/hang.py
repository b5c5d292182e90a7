import time

from honest import play

play(act=lambda message: time.sleep(60))
