"""The page of all commands, from the code: ``python -m docs.tools.cli_page`` writes docs/cli.md."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import typer

from arena.cli.app import app, commands, load
from arena.cli.command import COMMON, CommandOption

PAGE: Final = Path(__file__).parents[1] / "cli.md"
HEAD: Final = """\
# Commands

<!-- Written by python -m docs.tools.cli_page from the code: change the help texts there. -->

`arena COMMAND --help` prints the same for one command. Exit codes:
[runs.md](runs.md#exit-codes).

Every command has these options:

{common}

`arena` alone has these:

{alone}

"""


def page() -> str:
    """Return the Markdown of the page."""
    group: Any = typer.main.get_command(app)
    context = group.make_context("arena", ["--help"], resilient_parsing=True)
    found = [
        (", ".join(sorted(each.opts, key=len)), each.help) for each in group.get_params(context)
    ]
    alone = found[len(COMMON) : -1]  # the last one is --help
    text = HEAD.format(common=_listed(COMMON) + "\n" + _items(found[-1:]), alone=_items(alone))
    for purpose, listed in groupby(commands().values(), key=lambda each: each.purpose):
        text += f"**{purpose}**\n\n"
        text += "".join(
            f"- [arena {each.name}](#arena-{each.name}): {each.line}\n" for each in listed
        )
        text += "\n"
    return text + "\n".join(_section(name, context) for name in commands())


def _section(name: str, group: Any) -> str:
    """Return the section of a command of ``group``."""
    command = load(name)
    context = command.make_context(name, [], parent=group, resilient_parsing=True)
    usage = " ".join(command.get_usage(context).split()).removeprefix("Usage: ")
    words, examples = _help(command.help)
    parts = [f"## arena {name}", f"```\n{usage}\n```", *words]
    if examples:
        parts.append("```console\n{}\n```".format("\n".join(f"$ {each}" for each in examples)))
    if command.panels:
        for heading, parameters in command.sections().items():
            parts += [f"**{heading}**", _listed(parameters)]
    else:
        parts.append(_listed([each for part in command.sections().values() for each in part]))
    return "\n\n".join(parts) + "\n"


def _help(text: str) -> tuple[list[str], list[str]]:
    """Return the paragraphs of a help text, and its examples."""
    blocks = [block.strip("\b\n ") for block in text.split("\n\n")]
    shown = [block for block in blocks if block[:6] == "arena "]
    words = [" ".join(block.split()) for block in blocks if block and block not in shown]
    return words, [line for block in shown for line in block.splitlines()]


def _listed(options: Sequence[CommandOption]) -> str:
    return _items([(each.written, each.explained) for each in options])


def _items(rows: Iterable[tuple[str, str]]) -> str:
    """Return a list, a line for each row."""
    return "\n".join("- `{}`: {}".format(*row) for row in rows)


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
