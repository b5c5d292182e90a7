"""Results of a search for the best options, as text for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec
import yaml

from arena.entrants.manifest import BotOption, OptionValue
from arena.extensions.matches.show.text import text
from arena.extensions.matches.show.words import line
from arena.extensions.matches.statistics.report import Verdict
from arena.extensions.studies.tune.tuning import Parameter, Tuned
from arena.views.tables import Column, draw_text

_FLAT: Final = (
    "the games of the search are too few to tell any of this from chance: options that change\n"
    "nothing look the same; more of them: --search-games"
)


def tuning_text(found: Tuned, width: int | None, *, color: bool) -> str:
    """Return the text for a terminal of ``width`` columns; None for any width."""
    played = found.match.games if found.match is not None else ()
    games = ", ".join([each.title for each in played] or found.disciplines)
    searched = f"{found.games} games of the search, run {found.run}"
    parts = [line(f"{found.bot} in {games}: {searched}")]
    if found.parameters:
        parts.append(draw_text(_columns(found.parameters), width))
        if all(each.is_flat for each in found.parameters):
            parts.append(_FLAT)
    if found.match is None:
        parts.append(f"{found.verdict.upper()}  {found.reason}")
    else:
        parts.append(text(found.match, width=width, color=color).rstrip("\n"))
    if found.parameters:
        is_shown = found.verdict is Verdict.PASS
        parts.append("\n".join(_to_write(found)) if is_shown else _to_keep(found))
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
    """Yield the lines on how to use the options found."""
    options = ", ".join(f"{name}: {_yaml(value)}" for name, value in found.options.items())
    yield "for an entrant of a tournament file:"
    yield f"  options: {{{options}}}"
    yield "as new defaults in bot.yaml, in place of what is declared there:"
    yield "  options:"
    for row in found.parameters:
        yield f"    {row.name}: {_declared(row.declared, row.found)}"


def _to_keep(found: Tuned) -> str:
    """Return advice to keep the defaults, where the match did not show that others are better."""
    options = ", ".join(f"{row.name}: {_yaml(row.default)}" for row in found.parameters)
    defaults = "default" if len(found.parameters) == 1 else "defaults"
    return f"keep the {defaults} ({options}): nothing was shown to be better"


def _declared(option: BotOption, default: OptionValue) -> str:
    """Return the declaration with another default, as YAML in one line."""
    parts = [f"type: {option.type.value}", f"default: {_yaml(default)}"]
    if option.min is not None:
        parts.append(f"min: {_yaml(option.min)}")
    if option.max is not None:
        parts.append(f"max: {_yaml(option.max)}")
    if option.choices:
        parts.append(f"choices: [{', '.join(map(_yaml, option.choices))}]")
    if option.help:
        parts.append(f"help: {_yaml(option.help)}")
    return f"{{{', '.join(parts)}}}"


def _yaml(value: OptionValue) -> str:
    """Return a value as YAML reads it; ambiguous texts are quoted."""
    is_word = isinstance(value, str) and value.isascii() and value.isidentifier()
    if is_word and yaml.safe_load(str(value)) == value:
        return str(value)
    if isinstance(value, float):  # YAML needs a decimal point where JSON writes 1e-7
        return str(yaml.safe_dump(value)).partition("\n")[0]
    return msgspec.json.encode(value).decode()
