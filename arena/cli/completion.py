"""Answer the shell that asks for completions.

Bash divides a word at colons and equal signs and replaces only its last part. So the parts are
joined before the parser sees them, and the beginning is cut off what it answers.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, MutableMapping, Sequence
from contextlib import redirect_stdout
from typing import Final

_VARIABLE: Final = "_ARENA_COMPLETE"
_BASH: Final = "complete_bash"
_BREAKS: Final = (":", "=")


def answer(run: Callable[[], object], environ: MutableMapping[str, str] = os.environ) -> None:
    """Answer the question in ``environ`` by ``run``, which prints the answers and exits."""
    if environ[_VARIABLE] != _BASH:
        run()
        return
    words, number = joined(environ["COMP_WORDS"].split("\n"), int(environ["COMP_CWORD"]))
    environ["COMP_WORDS"], environ["COMP_CWORD"] = "\n".join(words), str(number)
    known = words[number].rpartition(":")[0] if number < len(words) else ""
    shown = io.StringIO()
    try:
        with redirect_stdout(shown):
            run()
    finally:
        for line in shown.getvalue().splitlines():
            sys.stdout.write(f"{line.removeprefix(f'{known}:') if known else line}\n")


def joined(words: Sequence[str], number: int) -> tuple[list[str], int]:
    """Return the words as they were written, and the number of the one to complete.

    ``words``: as bash divides them; ``number``: of the part to complete.
    """
    found: list[str] = []
    place = len(words)
    is_open = False
    for index, word in enumerate(words):
        if found and (is_open or word[:1] in _BREAKS) and (word or index == number):
            found[-1] += word
        else:
            found.append(word)
        is_open = word[-1:] in _BREAKS
        if index == number:
            place = len(found) - 1
    return found, place if number < len(words) else len(found)
