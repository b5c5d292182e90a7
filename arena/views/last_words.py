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
_HEADING: Final = "Traceback (most recent call last)"
_PYTHON_PLACE: Final = re.compile(r'\s*File "(?P<path>.*)", line \d+')
_LATER_PLACE: Final = re.compile(
    r"""\t(?P<go>/\S+:\d+)
    |\s+at \s (?P<node>.*:\d+:\d+\)?)$
    |\s+at \s (?P<java>\S+\(\w+\.java:\d+\))$
    """,
    re.VERBOSE,
)
_NOT_THE_AUTHORS: Final = re.compile(
    r"(/|^)(kit|site-packages|node_modules|lib/python[\d.]*|go[^/]*/src|rustc)/"
    r"|<frozen|<string>|\bnode:|^(kit|java|jdk|sun)\.|^java\.\w+/"
)


def crash_summary(text: str) -> str:
    """Return the reason if ``text`` ends in a known kind of trace, else the last line.

    May be empty. Traces of Python and C++ end with the reason; those of JavaScript, Java, Rust and
    Go end with its place in the code.
    """
    lines = _lines(text)
    return _reason(lines, _reason_line(lines)) if lines else ""


def last_words(text: str, most: int) -> list[str]:
    """Summarise a crash in at most ``most`` lines, of which the last one is the reason.

    Before it comes the innermost place in the author's own files, if the trace names one, else the
    lines before the reason. Files that new-bot writes into ``kit/``, and libraries, are not the
    author's own.
    """
    lines = _lines(text)
    if not lines:
        return []
    telling = _reason_line(lines)
    reason = _reason(lines, telling)
    if place := _place_before(lines[:telling]) or _place_after(lines[telling + 1 :]):
        return [*place, reason][-most:]
    if _follows_rust(lines, telling):
        return [reason]
    before = (line for line in lines[:telling] if line.strip())
    return [*before, reason][-most:]


def _lines(text: str) -> list[str]:
    return [line for line in text.rstrip().splitlines() if not _GREETING.match(line)]


def _reason_line(lines: list[str]) -> int:
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


def _reason(lines: list[str], place: int) -> str:
    if _follows_rust(lines, place):
        return f"{lines[place - 1]} {lines[place].strip()}"
    if place and (uncaught := _UNCAUGHT.match(lines[place - 1])):
        return f"{uncaught[1]}: {lines[place].strip().removeprefix('what():').strip()}"
    return lines[place].strip()


def _follows_rust(lines: list[str], place: int) -> bool:
    return place > 0 and _RUST.match(lines[place - 1]) is not None


def _place_before(lines: list[str]) -> list[str]:
    """Return the author's innermost place in a Python trace, with its source lines."""
    begin = max((k for k, line in enumerate(lines) if line.startswith(_HEADING)), default=0)
    found = [
        (k, m) for k, line in enumerate(lines) if k >= begin and (m := _PYTHON_PLACE.match(line))
    ]
    own = [k for k, match in found if not _NOT_THE_AUTHORS.search(match["path"])]
    if not own:
        return []
    following = [k for k, _ in found if k > own[-1]]
    return lines[own[-1] : min([*following, own[-1] + 3])]


def _place_after(lines: list[str]) -> list[str]:
    """Return the author's innermost place in a Go, JavaScript or Java trace."""
    for line in lines:
        if match := _LATER_PLACE.match(line):
            place = str(match[match.lastgroup or 0])
            if not _NOT_THE_AUTHORS.search(place):
                return [f"at {place}"]
    return []


def _behind_fields(lines: list[str], place: int) -> int:
    """Skip the fields in braces that follow the place in a JavaScript error."""
    if lines[place] != "}":
        return place
    for before in range(place - 1, -1, -1):
        if lines[before].endswith(" {") and _NOISE.match(lines[before]):
            return before
    return place
