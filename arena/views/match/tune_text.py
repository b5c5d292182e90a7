"""What a search for the best options found, as text for people."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import yaml

from arena.documents.problems import printable
from arena.entrants.keys import OptionValue
from arena.studies.tune.answer import Parameter, Tuned
from arena.text.tables import Column, draw_text
from arena.views.match.text import text


def tune_text(found: Tuned, width: int | None, *, color: bool) -> str:
    """For a terminal with so many columns; None: unbounded."""
    games = ", ".join(found.disciplines)
    searched = f"{found.games} games of the search, run {found.run}"
    parts = [f"{printable(found.bot)} in {games}: {searched}"]
    if found.parameters:
        parts.append(draw_text(_columns(found.parameters), width))
    if found.match is None:
        parts.append(f"{found.verdict.upper()}  {found.reason}")
    else:
        parts.append(text(found.match, width=width, color=color).rstrip("\n"))
        parts.append("\n".join(_to_write(found)))
    return "\n\n".join(parts)


def _columns(rows: tuple[Parameter, ...]) -> list[Column]:
    return [
        Column("option", "left", [each.name for each in rows]),
        Column("searched", "left", [_searched(each) for each in rows]),
        Column("default", "right", [_yaml(each.default) for each in rows]),
        Column("found", "right", [_yaml(each.found) for each in rows]),
        Column("worst", "right", [_yaml(each.worst) for each in rows]),
        Column("which costs", "right", [_lost(each) for each in rows]),
    ]


def _searched(row: Parameter) -> str:
    if row.low is None or row.high is None:
        return ", ".join(map(_yaml, row.values))
    return f"{row.low:g} to {row.high:g}"


def _lost(row: Parameter) -> str:
    if row.lost.value is None or row.lost.high is None:
        return ""
    return f"{row.lost.value:.0f} ±{row.lost.high - row.lost.value:.0f} Elo"


def _to_write(found: Tuned) -> Iterator[str]:
    """How to play with what was found."""
    options = ", ".join(f"{name}: {_yaml(value)}" for name, value in found.options.items())
    yield "for an entrant of a tournament file:"
    yield f"  options: {{{options}}}"
    yield "as new defaults in bot.yaml:"
    yield "  options:"
    for row in found.parameters:
        yield f"    {row.name}: {{type: {row.type.value}, default: {_yaml(row.found)}, …}}"


def _yaml(value: OptionValue) -> str:
    """A value as YAML reads it; texts are quoted where they would be something else."""
    is_word = isinstance(value, str) and value.isascii() and value.isidentifier()
    if is_word and yaml.safe_load(str(value)) == value:
        return str(value)
    return msgspec.json.encode(value).decode()
