"""Results of searches as text for people: the best options, and the revision that lost strength."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec
import yaml

from arena.documents.problems import printable
from arena.entrants.manifest import BotOption, OptionValue
from arena.entrants.revisions import SHORT
from arena.ratings.match.report import Range, Verdict
from arena.studies.bisect import Bisected, BisectOutcome, Commit, Tested
from arena.studies.tune.search import Parameter, Tuned
from arena.text.numbers import NOTHING
from arena.text.tables import Column, draw_text
from arena.views.match.text import text

_FLAT: Final = (
    "the games of the search are too few to tell any of this from chance: options that change\n"
    "nothing look the same; more of them: --search-games"
)


def tuning_text(found: Tuned, width: int | None, *, color: bool) -> str:
    """Return the text for a terminal of ``width`` columns; None for any width."""
    played = found.match.games if found.match is not None else ()
    games = ", ".join([each.title for each in played] or found.disciplines)
    searched = f"{found.games} games of the search, run {found.run}"
    parts = [f"{printable(found.bot)} in {games}: {searched}"]
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


def bisection_text(found: Bisected, width: int | None) -> str:
    """Return the text for a terminal of ``width`` columns; None for any width."""
    parts = ["\n".join(_head(found))]
    rows = [each for each in found.revisions if each.verdict is not None or each.skipped]
    if rows:
        parts.append(draw_text(_tested_columns(rows), width))
    skipped = [
        f"{each.commit.commit[:SHORT]} was skipped: {printable(each.skipped)}"
        for each in rows
        if each.skipped
    ]
    counted = f"{found.games} games counted of at most {found.max_games}; run {found.run}"
    parts.append("\n".join([*skipped, counted]))
    return "\n\n".join(parts)


def _head(found: Bisected) -> Iterator[str]:
    match found.answer:
        case BisectOutcome.FOUND:
            yield f"first bad revision: {_named(found.suspects[0])}   ({_percent(found.sure)} sure)"
            yield f"  {found.suspects[0].author}, {found.suspects[0].date}"
        case BisectOutcome.NARROWED | BisectOutcome.INCONCLUSIVE if found.suspects:
            yield found.reason
            yield f"most likely ({_percent(found.sure)}):"
            yield from (f"  {_named(suspect)}" for suspect in found.suspects)
        case _:
            yield found.reason


def _named(commit: Commit) -> str:
    return f"{commit.commit[:SHORT]} {printable(commit.subject)}"


def _tested_columns(rows: list[Tested]) -> list[Column]:
    elo = Column("Elo", "right", [_elo(each.elo) for each in rows])
    if all(each.elo.value is None for each in rows):  # no Elo where results are margins
        elo = Column("nElo", "right", [_elo(each.nelo) for each in rows])
    return [
        Column("revision", "left", [each.commit.commit[:SHORT] for each in rows]),
        Column("games", "right", [str(each.games) for each in rows]),
        Column("against good", "left", [_state(each) for each in rows]),
        Column("first bad", "right", [_percent(each.first_bad) for each in rows]),
        elo,
        Column("date", "left", [each.commit.date[:10] for each in rows]),
        Column("subject", "left", [printable(each.commit.subject)[:50] for each in rows]),
    ]


def _state(row: Tested) -> str:
    if row.skipped:
        return "skipped"
    states = {Verdict.PASS: "as good", Verdict.FAIL: "worse"}
    return NOTHING if row.verdict is None else states.get(row.verdict, "undecided")


def _elo(elo: Range) -> str:
    if elo.value is None:
        return NOTHING
    if elo.low is None or elo.high is None:
        return f"{elo.value:+.0f}"
    return f"{elo.value:+.0f} ({elo.low:+.0f} to {elo.high:+.0f})"


def _percent(share: float | None) -> str:
    if share is None:
        return NOTHING
    if share > 0.999:
        return "> 99.9 %"
    return f"{100 * share:.1f} %"
