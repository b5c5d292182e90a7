import os
import time

from honest import ready

os.read(0, 4096)
ready(None)
time.sleep(60)
