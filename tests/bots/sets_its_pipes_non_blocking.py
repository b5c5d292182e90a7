import os
import select

from honest import answer, ready

for descriptor in range(3):
    os.set_blocking(descriptor, False)

held = b""
while True:
    select.select([0], [], [])
    data = os.read(0, 65536)
    if not data:
        break
    *lines, held = (held + data).split(b"\n")
    for line in lines:
        if line.startswith(b'{"type":"hello"'):
            ready(None)
        elif line.startswith(b'{"type":"act"'):
            answer({"id": line.split(b'"id":"')[1].split(b'"')[0].decode()})
