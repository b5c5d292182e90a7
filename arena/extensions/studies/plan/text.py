"""Plans as text for people."""

from __future__ import annotations

from math import ceil

from arena.extensions.matches.show.words import line, range_words, two_decimals
from arena.extensions.matches.statistics.report import Measure
from arena.extensions.studies.plan import lengths
from arena.extensions.studies.plan.lengths import FIXED, Plan, PlanBasis, PlanMode, PlanRow
from arena.values.numbers import NOTHING, count, signed_short
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
    if plan.modes:
        lines += ["", draw_text(_mode_columns(plan), width), *_mode_lines(plan)]
    return "\n".join([*lines, *plan.remarks, f"to play it: {plan.command}"])


def _mode_columns(plan: Plan) -> list[Column]:
    """Return the modes side by side, with the games at three true differences."""
    distance = plan.modes[0].elo1 - plan.modes[0].elo0
    columns = [
        Column("mode", "left", [_mode(each.mode) for each in plan.modes]),
        Column("bounds", "left", [_bounds(each) for each in plan.modes]),
    ]
    for place, true in enumerate((-distance, 0.0, distance)):
        games = [f"{each.games[place]:,}" for each in plan.modes]
        columns.append(Column(f"games at {signed_short(true)}", "right", games))
    return columns


def _mode(mode: str) -> str:
    return "fixed length" if mode == FIXED else mode


def _bounds(row: PlanMode) -> str:
    if row.mode == FIXED:
        return NOTHING
    return f"{signed_short(row.elo0)} and {signed_short(row.elo1)}"


def _mode_lines(plan: Plan) -> list[str]:
    gain, regression = plan.modes[:2]
    return [
        "gain: to take a change only if it is stronger; a pass says above "
        f"{signed_short(gain.elo0)}, a fail below {signed_short(gain.elo1)}",
        "no-regression: to take a change unless it is weaker; a pass says above "
        f"{signed_short(regression.elo0)}, a fail below {signed_short(regression.elo1)}",
        "fixed length: for an estimate with an interval; it plays on when the answer is clear",
    ]


def _source_line(source: PlanBasis) -> str:
    deviation = source.deviation
    value = deviation.value or 0.0
    if source.measure is Measure.MARGIN:
        parts = [f"deviation of one game {value:.4g} {source.score}"]
    else:
        parts = [f"deviation of one game {value:.3f}"]
        elo = lengths.elo_of_nelo(40, value)
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
