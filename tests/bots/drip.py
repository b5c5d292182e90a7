import json
import os
import time

from honest import play


def drip(message):
    line = json.dumps({"type": "action", "id": message["id"], "action": 0}) + "\n"
    for byte in line.encode():
        time.sleep(0.02)
        os.write(1, bytes((byte,)))


play(act=drip)
