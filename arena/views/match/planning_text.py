"""Plans and calibrations as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil

from arena.documents.problems import printable
from arena.ratings.match.report import Measure, Range
from arena.ratings.planning import planner
from arena.ratings.planning.calibration import Calibration, MachineLoad, Null
from arena.ratings.planning.planner import Plan, PlanBasis, PlanRow
from arena.text.numbers import NOTHING, count, percent, signed_short
from arena.text.tables import Column, draw_text
from arena.views.match.words import range_words, two_decimals


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
    game = printable(source.title or source.discipline or "")
    return f"pilot {source.run}, {game}: {pair}, {blocks}\n{', '.join(parts)}"


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


def calibration_text(found: Calibration, width: int | None) -> str:
    """Return the text for a terminal of ``width`` columns; None for any width."""
    blocks = f"{count(found.blocks, 'block')} of {count(found.block_games, 'game')}"
    lines = [f"{found.bot} against itself in {printable(found.title)}: {blocks}", ""]
    lines += [f"{name:<13} {text}" for name, text in _game_lines(found)]
    lines += ["", draw_text(_load_columns(found), width), ""]
    if found.machines:
        lines += [draw_text(_machine_columns(found), width), ""]
    lines += [f"{name:<13} {text}" for name, text in _end_lines(found)]
    return "\n".join(lines)


def _game_lines(found: Calibration) -> Iterator[tuple[str, str]]:
    if found.seat_advantage is not None:
        yield "seats", f"seat 0 is worth {_elo(found.seat_advantage)} against seat 1"
    elif found.seats_worth:
        shares = ", ".join(f"{k}: {_share(each)}" for k, each in enumerate(found.seats_worth))
        yield "seats", f"opponents placed above, by seat: {shares}"
    if found.draws is not None:
        what = "of the deals, by equal scores" if found.seats == 1 else "of the games"
        yield "draws", f"{percent(found.draws)} {what}"
    if found.correlation.value is not None and found.deviation.value is not None:
        yield "luck", _luck(found.correlation, found.luck_ratio or 0.0)
    yield "one game", _deviation(found)


def _luck(correlation: Range, ratio: float) -> str:
    """Return the correlation in words; savings of mirrored deals only where they exceed chance."""
    words = f"correlation {range_words(correlation, two_decimals)} between the games of a deal"
    if correlation.low is None or correlation.high is None:
        return words
    if correlation.low <= 0 <= correlation.high:
        return f"{words}: 0 is not ruled out"
    return f"{words}: with mirrored deals {ratio:.2f} games tell as much as one without"


def _deviation(found: Calibration) -> str:
    unit = f" {found.score}" if found.measure is Measure.MARGIN else ""
    loose = found.loose_deviation
    without = "" if loose is None else f"; on deals of their own {loose:.3g}{unit}"
    value, low, high = found.deviation.value, found.deviation.low, found.deviation.high
    if value is None:
        return f"none: two copies play the games of a deal alike, so that they cancel{without}"
    between = "" if low is None or high is None else f" (95 %: {low:.3g} to {high:.3g})"
    elo = "" if found.elo_of_40 is None else f", so that 40 nElo are {found.elo_of_40:.0f} Elo"
    return f"deviation {value:.3g}{unit}{between}{elo}{without}"


def _load_columns(found: Calibration) -> list[Column]:
    loads = found.loads
    limit = "" if found.move is None else f" of {_time(found.move)}"
    return [
        Column("workers", "right", [str(load.workers) for load in loads]),
        Column("games", "right", [f"{load.games:,}" for load in loads]),
        Column("games/s", "right", [f"{load.games_per_second:.1f}" for load in loads]),
        Column("time losses", "right", [str(load.timeouts) for load in loads]),
        Column("other faults", "right", [str(load.other_faults) for load in loads]),
        Column("99.9 % of answers", "right", [_time(load.usual) for load in loads]),
        Column(f"slowest{limit}", "right", [_time(load.slowest) for load in loads]),
    ]


def _machine_columns(found: Calibration) -> list[Column]:
    machines = found.machines
    limit = "" if found.move is None else f" of {_time(found.move)}"
    names = [each.machine or "the run's own" for each in machines]
    return [
        Column("machine", "left", names),
        Column("games", "right", [f"{each.games:,}" for each in machines]),
        Column("time losses", "right", [str(each.timeouts) for each in machines]),
        Column("99.9 % of answers", "right", [_time(each.usual) for each in machines]),
        Column(f"slowest{limit}", "right", [_time(each.slowest) for each in machines]),
    ]


def _machines(machines: Sequence[MachineLoad], move: float | None) -> str:
    """Return in words how much machines differ, and whether all of them kept the limit ``move``."""
    times = [each.usual for each in machines if each.usual]
    text = count(len(machines), "machine")
    if times:
        text += f", which differ by {max(times) / min(times):.2g} times"
    slowest = max(each.slowest or 0.0 for each in machines)
    if move is None or not slowest:
        return text
    if any(each.timeouts for each in machines):
        return f"{text}; {_time(move)} a move does not bear it: there were time losses"
    return (
        f"{text}; {_time(move)} a move is {move / slowest:.2g} times what the slowest answer took"
    )


def _time(seconds: float | None) -> str:
    if seconds is None:
        return NOTHING
    return f"{1000 * seconds:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def _end_lines(found: Calibration) -> Iterator[tuple[str, str]]:
    null, advice = found.null, found.advice
    if null is None:
        yield "null test", "none: all games are alike, so there is nothing to draw from"
    else:
        yield "null test", _passes(null)
        yield "", _basis(null)
    if found.machines:
        yield "played on", _machines(found.machines, found.move)
    yield "use", f"{count(advice.workers, 'worker')}: {advice.workers_reason}"
    yield "", f"clock.move {_time(advice.move)}: {advice.move_reason}"


def _passes(null: Null) -> str:
    low, high = null.share.low or 0.0, null.share.high or 0.0
    return (
        f"{percent(null.share.value or 0.0)} of {null.tests:,} tests of {signed_short(null.elo0)} "
        f"against {signed_short(null.elo1)} nElo pass between equals (95 %: {100 * low:.1f} to "
        f"{100 * high:.1f} %), alpha allows {100 * null.alpha:g} %; {null.games:.0f} games each, "
        f"{null.expected_games:.0f} by the formula"
    )


def _basis(null: Null) -> str:
    how = "drawn with replacement from"
    if null.re_paired:
        how = "put together from games of different deals of"
    return (
        f"simulated: blocks {how} the {null.blocks} played, which suffice for "
        f"{null.independent:.1f} tests of their own"
    )


def _share(share: Range) -> str:
    if share.low is None or share.high is None or share.value is None:
        return percent(share.value)
    return f"{100 * share.value:.1f} ±{50 * (share.high - share.low):.1f} %"


def _elo(found: Range) -> str:
    if found.value is None:
        return NOTHING
    if found.low is None or found.high is None:
        return f"{signed_short(found.value, 0)} Elo"
    low, high = signed_short(found.low, 0), signed_short(found.high, 0)
    return f"{signed_short(found.value, 0)} Elo (95 %: {low} to {high})"
