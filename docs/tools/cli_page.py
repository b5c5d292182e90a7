"""The page of all commands, from the code: ``python -m docs.tools.cli_page`` writes docs/cli.md."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import typer

from arena.cli.app import COMMANDS, app, load

PAGE: Final = Path(__file__).parents[1] / "cli.md"
COMMON: Final = ("--debug", "--color", "-h, --help")
"""Options of every command, described once."""
TYPES: Final = {"str": "TEXT", "path": "PATH"}
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
    alone = [_record(each, context) for each in group.get_params(context)]
    common = [_record(each, context) for each in load("run").get_params(context)]
    text = HEAD.format(
        common="\n".join(_item(each) for each in common if each[0].startswith(COMMON)),
        alone="\n".join(_item(each) for each in alone if not each[0].startswith(COMMON)),
    )
    for purpose, lines in COMMANDS.items():
        text += f"**{purpose}**\n\n"
        text += "".join(
            f"- [arena {name}](#arena-{name}): {line}\n" for name, line in lines.items()
        )
        text += "\n"
    names = [name for lines in COMMANDS.values() for name in lines]
    return text + "\n".join(_section(name, context) for name in names)


def _section(name: str, group: Any) -> str:
    """Return the section of a command of ``group``.

    A command keeps the first help option that it makes; without its group it would lack ``-h``.
    """
    command = load(name)
    context = command.make_context(name, [], parent=group, resilient_parsing=True)
    usage = " ".join(command.get_usage(context).split()).removeprefix("Usage: ")
    words, examples = _help(command.help)
    parts = [f"## arena {name}", f"```\n{usage}\n```", *words]
    if examples:
        parts.append("```console\n{}\n```".format("\n".join(f"$ {each}" for each in examples)))
    records = [_record(each, context) for each in command.params]
    parts.append("\n".join(_item(each) for each in records if not each[0].startswith(COMMON)))
    return "\n\n".join(parts) + "\n"


def _help(text: str) -> tuple[list[str], list[str]]:
    """Return the paragraphs of a help text, and its examples."""
    blocks = [block.strip("\b\n ") for block in text.split("\n\n")]
    examples = [line for block in blocks for line in block.splitlines() if line[:6] == "arena "]
    words = [" ".join(block.split()) for block in blocks if block and block[:6] != "arena "]
    return words, examples


def _record(parameter: Any, context: Any) -> tuple[str, str]:
    """Return how a parameter is written, and its help."""
    written, words = parameter.get_help_record(context)
    if written[0] == "-":
        written = re.sub(r"<(str|path)>", lambda kind: TYPES[kind[1]], written)
    return re.sub(r" <.*>", "", written), words


def _item(record: tuple[str, str]) -> str:
    """Return the line of a list for a parameter."""
    written, words = record
    words = re.sub(r"\s*\[required\]$", " Required.", words)
    words = re.sub(r"\s*\[default: (.*)\]$", r" Default: \1.", words)
    return f"- `{written}`: {words.strip()}"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
