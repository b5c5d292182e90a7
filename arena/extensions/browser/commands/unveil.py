"""``arena unveil``: the final table, unveiled from the last place to the first."""

from __future__ import annotations

import sys
import webbrowser
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

from arena.cli.command import command
from arena.cli.common import AsJson, RunFolder, output_option, round_option
from arena.cli.terminal.console import columns, is_interactive, out, out_text, print_document, say
from arena.cli.terminal.signals import interrupting
from arena.extensions.browser.page.files import target_of
from arena.extensions.browser.unveil.page import GENERATOR, page
from arena.extensions.browser.unveil.steps import Unveiled, Unveiling, unveiling
from arena.runs.disk import write_named, writing
from arena.runs.reader import with_authors
from arena.values.bad_input import BadInput
from arena.values.numbers import count
from arena.values.option import Opt
from arena.values.schema import RunAnswer
from arena.values.titles import called
from arena.views.cells import Label
from arena.views.tables import Column, draw_text


class UnveilDocument(RunAnswer[Unveiling], frozen=True, tag="arena.unveil/1"):
    """Bots to be unveiled, in the final order of places."""


@dataclass(frozen=True, kw_only=True)
class UnveilOptions:
    """Unveil the final table, from the last place up.

    A page in one file, for a projector and without network: space, arrows or a presenter's keys
    take each bot from where it stood to its place, with the results that were not known before.
    Exit code 5 if there is nothing to unveil.

    \b
    arena unveil runs/cup --until 5 --open
    arena unveil runs/cup --until 5 --text
    """

    folder: RunFolder
    until: Annotated[
        int | None,
        round_option("Round until which the table is known. Default: only names are.", "--until"),
    ] = None
    output: Annotated[
        Path | None, output_option("File to write. Default: unveil.html in the run folder.", "FILE")
    ] = None
    text: Annotated[bool, Opt("Unveil in the terminal: a place for each Enter.")] = False
    open_it: Annotated[bool, Opt("Open the page in the browser.", "--open")] = False
    as_json: AsJson = False


def unveil(options: UnveilOptions) -> None:
    """Write the page, or unveil in the terminal. Raises BadInput, NothingToDo, StoreError."""
    if (options.text or options.as_json) and (options.output is not None or options.open_it):
        which = "--text" if options.text else "--json"
        raise BadInput(f"{which}: found --output or --open beside it, expected it without a page")
    if options.output is not None:
        target_of(options.output, GENERATOR)  # report a bad path before everything is read
    shown = unveiling(with_authors(options.folder), options.until)
    if options.as_json:
        print_document(UnveilDocument(run=shown.title, data=shown, warnings=()))
        return
    if options.text:
        _tell(shown)
        return
    target = target_of(options.output or options.folder / "unveil.html", GENERATOR)
    with interrupting(), writing(target):
        write_named(target, page(shown).encode())
    out(f"{target}: {count(len(shown.bots), 'bot')} to unveil; known is {shown.known}")
    if options.open_it and not webbrowser.open(target.absolute().as_uri()):
        say("no browser could be started")


def _tell(shown: Unveiling) -> None:
    """Print place after place; to a person at a terminal, one for each Enter."""
    waits = is_interactive()
    known = sorted(shown.bots, key=lambda bot: bot.known)
    out_text(f"{shown.title}: {shown.known}\n\n{_table(known)}\n")
    if waits:
        say("Enter: the next place, from the last one up")
    for bot in reversed(shown.bots):
        if waits and not sys.stdin.readline():
            waits = False
        out_text("\n".join(_lines(bot)))
    out_text(f"\n{shown.end}")


def _table(bots: list[Unveiled]) -> str:
    drawn = [
        Column("#", "right", ["" if bot.known_place is None else bot.known_place for bot in bots]),
        Column("bot", "left", [Label(bot.name) for bot in bots]),
        Column("result", "left", [bot.known_value for bot in bots]),
    ]
    return draw_text(drawn, columns()).rstrip()


def _lines(bot: Unveiled) -> Iterator[str]:
    rise = f" ({'▲' if bot.rise > 0 else '▼'} {abs(bot.rise)})" if bot.rise else ""
    place = "" if bot.place is None else f"{bot.place}."
    yield f"{place:>4} {called(bot.name)}: {bot.note or bot.value}{rise}"
    yield from (f"       {each}" for each in bot.results)


COMMAND: Final = command(unveil)
