"""Values that options accept, and shell completions.

Games are looked up only when the shell asks for completions. Bash divides a word at colons and
equal signs and replaces only its last part. So the parts are joined before the parser sees them,
and the beginning is cut off what it answers.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterable, MutableMapping, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Final

import typer


def beginning(words: Iterable[str], incomplete: str) -> list[str]:
    """Return the words that begin with ``incomplete``; case does not matter."""
    return [each for each in words if each.lower().startswith(incomplete.lower())]


_MOST: Final = 200
"""Most folders that are offered."""


def bots(incomplete: str) -> list[str]:
    """Return the matching builtin bots, and folders near by with a bot.yaml."""
    from arena.entrants.names import BUILTIN, NAMES

    names = beginning([f"{BUILTIN}{name}" for name in NAMES], incomplete)
    return names + _folders(incomplete, "bot.yaml")


def runs(incomplete: str) -> list[str]:
    """Return the matching folders of runs and ladders near by."""
    return _folders(incomplete, "run.json") + ladders(incomplete)


def targets(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return what `arena run` plays: bots if a game is named, else runs; the shell adds files."""
    return bots(incomplete) if ctx.params.get("game") else runs(incomplete)


def ladders(incomplete: str) -> list[str]:
    """Return the matching folders of ladders near by."""
    return _folders(incomplete, "ladder.yaml")


def _folders(incomplete: str, file: str) -> list[str]:
    """Return the matching folders that hold ``file``, at most two levels below what is written."""
    above = incomplete[: incomplete.rfind("/") + 1]
    root = Path(above or ".")
    found = [path.parent for depth in ("*", "*/*") for path in root.glob(f"{depth}/{file}")]
    written = sorted(f"{above}{path.relative_to(root)}" for path in found)
    return [each for each in written if each.startswith(incomplete)][:_MOST]


def games(incomplete: str) -> list[str]:
    """Return the matching names of games; those of a family once its name and a dot are typed."""
    from arena.games.registry import GAMES

    family, joint, _ = incomplete.partition(".")
    if joint and family in GAMES.families:
        return beginning(GAMES.similar(incomplete), incomplete)
    return beginning([*GAMES, *(f"{each}." for each in GAMES.families)], incomplete)


def disciplines(incomplete: str) -> list[str]:
    """Return the matching games; after a colon, the games with each table size."""
    from arena.games.registry import GAMES

    if ":" not in incomplete:
        return games(incomplete)
    named = [incomplete.partition(":")[0]]
    sizes = [f"{game.name}:{seats}" for game in GAMES.usable(named) for seats in game.seats]
    return beginning(sizes, incomplete)


def schemas(incomplete: str) -> list[str]:
    """Return the matching names of things that have a schema."""
    from arena.cli.documents import files

    return beginning((*files(), *games("")), incomplete)


isolation = ("none", "limits", "landlock", "bubblewrap", "sandbox")
plain_forms = ("txt", "json")
"""Output formats of an answer without a table."""
colors = ("auto", "always", "never")


_VARIABLE: Final = "_ARENA_COMPLETE"
_BASH: Final = "complete_bash"
_BREAKS: Final = (":", "=")


def answer(run: Callable[[], object], environ: MutableMapping[str, str] = os.environ) -> None:
    """Answer the shell's question in ``environ``; ``run`` prints the completions and exits."""
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
