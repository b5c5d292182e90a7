import time

from honest import play

try:
    play()
finally:
    time.sleep(60)
