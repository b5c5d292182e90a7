"""What has come by is known, and takes little room."""

from __future__ import annotations

import random
import tracemalloc

from arena.runs.seen import Seen


def test_a_text_is_new_once() -> None:
    chance = random.Random(1)
    texts = [f"dragonkrak-4/a+b+c+d:{chance.randrange(5000)}:1" for _ in range(20_000)]
    seen, known = Seen(), set[str]()
    for text in texts:
        assert seen.add(text) is (text not in known)
        known.add(text)


def test_a_text_takes_a_few_bytes() -> None:
    tracemalloc.start()
    seen = Seen()
    for number in range(100_000):
        seen.add(f"dragonkrak-4/somebody+somebody-else:{number}:1")
    assert tracemalloc.get_traced_memory()[0] < 32 * 100_000
    tracemalloc.stop()
