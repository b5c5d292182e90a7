"""Answers with whatever comes to mind, in pieces of whatever size. Never waits long.

The seed is its argument: the same seed says the same.
"""

import os
import random
import select
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from mutate import cuts, mutated, noise

rng = random.Random(sys.argv[1])
READY = b'{"type":"ready","protocol":1}'
PATIENCE = 0.3


def say(data: bytes) -> None:
    """Write to the referee in pieces; sometimes also where nobody asked for it."""
    for piece in cuts(
        rng, data[:200_000], rng.choice((1, 3, 40, 5000)) if len(data) < 500 else 9000
    ):
        os.write(1, piece)
        if rng.random() < 0.02:
            os.write(2, noise(rng))


def answer(good: bytes) -> bytes:
    kind = rng.random()
    if kind < 0.45:
        return good + b"\n"
    if kind < 0.8:
        return mutated(rng, good, [good, READY]) + rng.choice((b"\n", b"\n", b"\r\n", b"\n\n", b""))
    if kind < 0.9:
        return noise(rng) + b"\n"
    if kind < 0.93:
        return rng.randbytes(rng.choice((10, 70_000, 150_000)))
    if kind < 0.96:
        return (good + b"\n") * rng.randrange(2, 5)
    if kind < 0.98:
        os.close(1)
    sys.exit(rng.randrange(3))


pending = b""
while True:
    if not select.select([0], [], [], PATIENCE)[0]:
        sys.exit(0)  # what was said was no answer
    heard = os.read(0, 65536)
    if not heard:
        sys.exit(0)
    *lines, pending = (pending + heard).split(b"\n")
    for line in lines:
        try:
            if b'"hello"' in line:
                say(READY + b"\n" if rng.random() < 0.9 else answer(READY))
            elif b'"act"' in line:
                token = line.partition(b'"id":"')[2][:16]
                say(answer(b'{"type":"action","id":"%s","action":%d}' % (token, rng.randrange(3))))
        except OSError:
            sys.exit(1)
