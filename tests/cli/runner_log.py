"""What the runner of a CI system takes for commands to itself in a log.

Those of GitHub: a line is a command if it begins with ``::``, white space aside, and has another
``::``, or if ``##[`` is anywhere in it and ``]`` behind. Names are compared by the rules of a
language, in which characters without a width or weight are nothing at all. Azure has ``##vso[``.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_LINE_ENDS: Final = re.compile("[\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029]")
"""More than any runner has."""
_NOTHING: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u3164\uffa0") | {
    chr(code) for code in (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
}
_MARKED: Final = re.compile(r"##(\w*\[[^\]]*)\]")


def commands(log: str) -> list[str]:
    """Names and properties of the commands that such a runner would obey."""
    return [command for line in _LINE_ENDS.split(log) for command in _commands(line)]


def _commands(line: str) -> list[str]:
    seen = "".join(c for c in line if not _is_nothing(c))
    found = [marked.group(1) for marked in _MARKED.finditer(seen)]
    name, second, _ = seen.strip().removeprefix("::").partition("::")
    return [*found, name] if seen.strip().startswith("::") and second else found


def _is_nothing(character: str) -> bool:
    return character in _NOTHING or unicodedata.category(character) in ("Cc", "Cf")
