"""Display of bot builds before play."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from arena.cli.terminal.console import rewriting, say
from arena.entrants.build import BuildFailed
from arena.text.numbers import count
from arena.tournament.local.players import SILENT, BuildCallbacks


@contextmanager
def build_steps(*, quiet: bool) -> Iterator[BuildCallbacks]:
    """Show which bot is being built: on a rewritten line, or in a log as one line for each."""
    if quiet:
        yield SILENT
        return
    with rewriting() as show:

        def cleared(runs: int) -> None:
            if runs:
                say(f"{count(runs, 'killed run')} had left bots or their folders behind: removed")

        def building(number: int, total: int, name: str) -> None:
            show(f"building {number}/{total} {name}")

        def withdrawn(name: str, failure: BuildFailed) -> None:
            show("")
            for problem in failure.problems:
                say(f"{name} is withdrawn: {problem.found}")

        yield BuildCallbacks(cleared, building, withdrawn)
