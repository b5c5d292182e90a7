"""Plans, and results of a search for the best options, as text for people."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import Final

import msgspec
import yaml

from arena.entrants.manifest import BotOption, OptionValue
from arena.ratings.match import planner
from arena.ratings.match.planner import Plan, PlanBasis, PlanRow
from arena.ratings.match.report import Measure, Verdict
from arena.studies.tuning import Parameter, Tuned
from arena.values.numbers import NOTHING, count, signed_short
from arena.views.match.text import text
from arena.views.match.words import line, range_words, two_decimals
from arena.views.tables import Column, draw_text


def plan_text(plan: Plan, width: int | None) -> str:
    """Return the text for a terminal of ``width`` columns; None for any width."""
    columns = _width_columns(plan) if plan.question == "precision" else _test_columns(plan)
    lines = [_source_line(plan.source), _question_line(plan), "", draw_text(columns, width)]
    length = f"{plan.fixed_length or 0:,} games"
    if plan.question == "sequential":
        lines.append(f"fixed length with the same errors: {length}")
    elif plan.question == "difference":
        row = plan.rows[0]
        time = "" if row.seconds is None else f", {duration(row.seconds)}"
        lines.append(
            f"{signed_short(plan.asked or 0)} nElo take {length}, {row.blocks:,} blocks{time}"
        )
    return "\n".join([*lines, *plan.remarks])


def _source_line(source: PlanBasis) -> str:
    deviation = source.deviation
    value = deviation.value or 0.0
    if source.measure is Measure.MARGIN:
        parts = [f"deviation of one game {value:.4g} {source.score}"]
    else:
        parts = [f"deviation of one game {value:.3f}"]
        elo = planner.elo_of_nelo(40, value)
        parts += [] if elo is None else [f"so that 40 nElo are {elo:.0f} Elo"]
    if source.draws is not None:
        parts.append(f"draws {100 * source.draws:.0f} %")
    if source.correlation.value is not None:
        found = range_words(source.correlation, two_decimals)
        parts.append(f"correlation in a block {found}")
    if source.seconds is not None:
        parts.append(f"{duration(source.seconds)} a game")
    if source.pair is None:
        return f"stated: {', '.join(parts)}"
    blocks = f"{count(source.blocks or 0, 'block')} of {count(source.block_games, 'game')}"
    pair = " against ".join(source.pair)
    game = source.title or source.discipline or ""
    pilot = line(f"pilot {source.run}, {game}: {pair}, {blocks}")
    return f"{pilot}\n{', '.join(parts)}"


def _question_line(plan: Plan) -> str:
    errors = f"alpha {plan.alpha or 0:g}, beta {plan.beta or 0:g}"
    match plan.question:
        case "precision":
            return f"question: a 95 % interval of ±{plan.asked or 0:g} {plan.unit}"
        case "difference":
            asked = signed_short(plan.asked or 0)
            return f"question: show {asked} nElo in a fixed number of games, {errors}"
        case _:
            low, high = signed_short(plan.elo0 or 0), signed_short(plan.elo1 or 0)
            return f"question: sequential test of {low} against {high} {plan.unit}, {errors}"


def _width_columns(plan: Plan) -> list[Column]:
    """Return a table with a row for each true strength and a column for each width."""
    widths = dict.fromkeys(row.width or 0.0 for row in plan.rows)
    trues = dict.fromkeys((row.true, row.is_pilot) for row in plan.rows)
    table = {(row.true, row.width): row for row in plan.rows}
    columns = []
    if plan.unit == "Elo":
        shown = [_true(true or 0.0, is_pilot) for true, is_pilot in trues]
        columns.append(Column("true Elo", "right", shown))
    for width in widths:
        rows = [table[true, width] for true, _ in trues]
        columns.append(Column(f"±{width:g} {plan.unit}", "right", [_games(row) for row in rows]))
    return columns


def _games(row: PlanRow) -> str:
    time = "" if row.seconds is None else f" ({duration(row.seconds)})"
    return f"{row.games:,} games{time}"


def _test_columns(plan: Plan) -> list[Column]:
    rows, sequential = plan.rows, plan.question == "sequential"
    columns = [
        Column(f"true {plan.unit}", "right", [_true(row.true or 0.0, row.is_pilot) for row in rows])
    ]
    if plan.unit == "nElo" and plan.source.measure is Measure.PLACES:
        shown = [NOTHING if row.elo is None else signed_short(row.elo, 0) for row in rows]
        columns.append(Column("Elo", "right", shown))
    passes = [f"{100 * (row.passes or 0):.1f} %" for row in rows]
    if not sequential:
        needs = [NOTHING if row.needs is None else f"{row.needs:,}" for row in rows]
        columns.append(Column(f"shown in {plan.fixed_length:,} games", "right", passes))
        columns.append(Column(f"games to show it in {1 - (plan.beta or 0):.0%}", "right", needs))
        return columns
    columns += [
        Column("passes", "right", passes),
        Column("games", "right", [f"{row.games:,}" for row in rows]),
        Column("blocks", "right", [f"{row.blocks:,}" for row in rows]),
        Column("1 in 20 needs", "right", [f"> {row.rarely or 0:,}" for row in rows]),
    ]
    if plan.source.seconds is not None:
        times = [duration(row.seconds or 0.0) for row in rows]
        columns.append(Column("time", "right", times))
    return columns


def _true(value: float, is_pilot: bool) -> str:
    return f"pilot: {signed_short(value)}" if is_pilot else signed_short(value)


def duration(seconds: float) -> str:
    """Return a time in words, such as ``43 ms``, ``2.1 s``, ``12.0 min`` or ``3.5 h``."""
    if seconds < 1:
        return f"{max(1, ceil(1000 * seconds - 1e-9))} ms"
    for size, name in ((86400.0, "days"), (3600.0, "h"), (60.0, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {name}"
    return f"{seconds:.1f} s"


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
