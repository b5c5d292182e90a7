import os
import sys
import time

if os.fork() == 0:
    os.setsid()
    if daemon := os.fork():
        os.write(2, b"daemon %d\n" % daemon)
        os._exit(0)
    time.sleep(60)
os.wait()
sys.exit(1)
