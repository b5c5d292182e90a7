"""Which line of what a program wrote before its end says why it ended."""

from __future__ import annotations

import re
from typing import Final

_NOISE: Final = re.compile(
    r"""\s*$
    |-- \s ply \s \d            # a heading of ours
    |\s+at \s                   # where it was: Java, JavaScript, Rust
    |\s+\.\.\. \s \d+ \s (more|common)  # Java
    |Node\.js \s v\d
    |note: \s
    |stack \s backtrace:|\s+\d+: \s     # Rust
    |goroutine \s \d|\[signal \s|created \s by \s|exit \s status \s \d  # Go
    |\t/\S+:\d+                 # Go
    """,
    re.VERBOSE,
)
_GO_PLACE: Final = re.compile(r"\t/\S+:\d+")
_GO_CALL: Final = re.compile(r"\S+\(.*\)$")
_RUST: Final = re.compile(r"thread '.*' (\(\d+\) )?panicked at .*:$")


def telling_line(text: str) -> str:
    """The reason where one of the usual traces ends the text, else the last line; may be empty.

    Python and C++ end with the reason; JavaScript, Java, Rust and Go with where it was.
    """
    lines = text.rstrip().splitlines()
    place = len(lines) - 1
    while place >= 0:
        place = _behind_fields(lines, place)
        is_call = place + 1 < len(lines) and _GO_PLACE.match(lines[place + 1])
        if not (_NOISE.match(lines[place]) or (is_call and _GO_CALL.match(lines[place]))):
            break
        place -= 1
    if place < 0:
        return lines[-1].strip() if lines else ""
    if place and _RUST.match(lines[place - 1]):
        return f"{lines[place - 1]} {lines[place].strip()}"
    return lines[place].strip()


def _behind_fields(lines: list[str], place: int) -> int:
    """Of an error of JavaScript the fields in braces come after where it was."""
    if lines[place] != "}":
        return place
    for before in range(place - 1, -1, -1):
        if lines[before].endswith(" {") and _NOISE.match(lines[before]):
            return before
    return place
