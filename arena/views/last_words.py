"""Find the line that explains why a program ended, among the last lines that it wrote."""

from __future__ import annotations

import re
from typing import Final

_NOISE: Final = re.compile(
    r"""\s*$
    |-- \s ply \s \d            # a heading of ours
    |\s+at \s                   # where it was: Java, JavaScript, Rust
    |\s+\.\.\. \s \d+ \s (more|common)  # Java
    |Node\.js \s v\d
    |Require \s stack:$|- \s /\S.*$       # Node, after a module that it did not find
    |note: \s
    |stack \s backtrace:|\s+\d+: \s     # Rust
    |goroutine \s \d|\[signal \s|created \s by \s|exit \s status \s \d  # Go
    |runtime \s stack:$|\.\.\.additional \s frames \s elided
    |\t/\S+:\d+                 # Go
    """,
    re.VERBOSE,
)
_GREETING: Final = re.compile(
    r"(NOTE: )?Picked up (JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS): "
)
"""Greeting of a Java machine, written however its program ends."""
_GO_PLACE: Final = re.compile(r"\t/\S+:\d+")
_GO_CALL: Final = re.compile(r"\S+\(.*\)$")
_UNCAUGHT: Final = re.compile(r"terminate called after throwing an instance of '(.*)'$")
"""Uncaught C++ exception; its message may stand in the next line."""
_SUMMARY: Final = re.compile(r"SUMMARY: \w+Sanitizer: ")
"""Summary of a sanitizer, followed by a page about memory."""
_RUST: Final = re.compile(r"thread '.*' (\(\d+\) )?panicked at .*:$")


def crash_summary(text: str) -> str:
    """Return the reason if ``text`` ends in a known kind of trace, else the last line.

    May be empty. Traces of Python and C++ end with the reason; those of JavaScript, Java, Rust and
    Go end with its place in the code.
    """
    lines = lines_of(text)
    return reason_of(lines, reason_line(lines)) if lines else ""


def lines_of(text: str) -> list[str]:
    """Return the lines of ``text`` without greetings and blank lines at the end."""
    return [line for line in text.rstrip().splitlines() if not _GREETING.match(line)]


def reason_line(lines: list[str]) -> int:
    """Return the index of the line with the reason; the last line if none is found."""
    place = len(lines) - 1
    if summaries := [k for k, line in enumerate(lines) if _SUMMARY.match(line)]:
        return summaries[-1]
    while place >= 0:
        place = _behind_fields(lines, place)
        is_call = place + 1 < len(lines) and _GO_PLACE.match(lines[place + 1])
        if not (_NOISE.match(lines[place]) or (is_call and _GO_CALL.match(lines[place]))):
            return place
        place -= 1
    return len(lines) - 1


def reason_of(lines: list[str], place: int) -> str:
    """Return the reason in the line at ``place``, on one line."""
    if follows_rust(lines, place):
        return f"{lines[place - 1]} {lines[place].strip()}"
    if place and (uncaught := _UNCAUGHT.match(lines[place - 1])):
        return f"{uncaught[1]}: {lines[place].strip().removeprefix('what():').strip()}"
    return lines[place].strip()


def follows_rust(lines: list[str], place: int) -> bool:
    """Return whether the line before ``place`` is that of a panic of Rust."""
    return place > 0 and _RUST.match(lines[place - 1]) is not None


def _behind_fields(lines: list[str], place: int) -> int:
    """Skip the fields in braces that follow the place in a JavaScript error."""
    if lines[place] != "}":
        return place
    for before in range(place - 1, -1, -1):
        if lines[before].endswith(" {") and _NOISE.match(lines[before]):
            return before
    return place
