"""Summarise a crash for the author of a bot: the place in its own files, and the reason."""

from __future__ import annotations

import re
from typing import Final

from arena.views.last_words import follows_rust, lines_of, reason_line, reason_of

SAID_LINES: Final = 4
"""Number of last lines of standard error that are considered."""
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


def last_words(text: str) -> list[str]:
    """Summarise a crash in at most ``SAID_LINES`` lines, of which the last one is the reason.

    Before it comes the innermost place in the author's own files, if the trace names one, else the
    lines before the reason. Files that new-bot writes into ``kit/``, and libraries, are not the
    author's own.
    """
    lines = lines_of(text)
    if not lines:
        return []
    telling = reason_line(lines)
    reason = reason_of(lines, telling)
    if place := _place_before(lines[:telling]) or _place_after(lines[telling + 1 :]):
        return [*place, reason][-SAID_LINES:]
    if follows_rust(lines, telling):
        return [reason]
    before = (line for line in lines[:telling] if line.strip())
    return [*before, reason][-SAID_LINES:]


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
