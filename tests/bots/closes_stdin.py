import os
import time

from honest import ready

os.read(0, 4096)
os.close(0)
ready(None)
time.sleep(60)
