"""The last words of a program name the place in its author's own files."""

from __future__ import annotations

import pytest

from arena.extensions.authors.check.last_words import last_words
from arena.views.last_words import crash_summary
from tests.views.test_last_words import BY_ZERO, JAVA, NODE, RUST

GO_OF_A_KIT = """panic: runtime error: index out of range [4] with length 4

goroutine 1 [running]:
main.chooseDragonheart(0xc0000d0050?, {0xc0000b4420?, 0x50?, 0x4c26e0?}, 0xc0000979c8?)
\t/bot/dragonheart.go:19 +0x65
bot/kit.For[...].func1({0xc0000e22c0?, 0x282, 0x2c0}, {0xc0000d0050, 0x48, 0x50})
\t/bot/kit/loop.go:36 +0x136
main.main()
\t/bot/main.go:7 +0x189
"""
PYTHON_OF_A_KIT = """Traceback (most recent call last):
  File "/bot/main.py", line 11, in <module>
    play(
  File "/bot/kit/loop.py", line 56, in play
    send(action=choose(observation, legal, game))
                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/bot/dragonheart.py", line 23, in choose
    return json.loads(observation.figure)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/usr/lib/python3.11/json/__init__.py", line 339, in loads
    raise TypeError("the JSON object must be str")
TypeError: the JSON object must be str
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (GO_OF_A_KIT, ["at /bot/dragonheart.go:19", GO_OF_A_KIT.splitlines()[0]]),
        (
            PYTHON_OF_A_KIT,
            [*PYTHON_OF_A_KIT.splitlines()[6:9], "TypeError: the JSON object must be str"],
        ),
        (RUST, [crash_summary(RUST)]),
        (NODE, ["at Interface.<anonymous> (/bots/mine/main.js:3:9)", "Error: no such card"]),
        (JAVA, ["at Main.count(Main.java:14)", BY_ZERO]),
        ("one\ntwo\nthree\n\nfour\nfive\n", ["two", "three", "four", "five"]),
        ("", []),
    ],
)
def test_the_last_words_name_the_place_of_the_author(text: str, expected: list[str]) -> None:
    assert last_words(text) == expected
