import json
import os

from honest import play


def spaced(message):
    line = json.dumps({"type": "action", "id": message["id"], "action": 0})
    os.write(1, f"\r\n\n{line}\r\n\n \r\n".encode())


play(act=spaced)
