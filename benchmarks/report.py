"""The tables, and the same as JSON."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

import msgspec
from tabulate import tabulate

from benchmarks.cases import Measured
from benchmarks.figures import Figure, Figures, Spread, spread
from benchmarks.machine import machine
from benchmarks.rows import Row


def text(rows: Sequence[Row], measured: Measured) -> str:
    """What was measured, then the ratios with their bars, then what could not be run."""
    rounds = len(measured.rounds)
    parts = [
        f"medians [least..greatest] of {rounds} round{'s' * (rounds != 1)}; {machine()}",
        _figure_table(measured.rounds),
        _ratio_table(rows, measured.rounds),
        *(f"note: {note}" for note in measured.notes),
    ]
    return "\n\n".join(parts)


def document(rows: Sequence[Row], measured: Measured) -> bytes:
    """Every figure of every round, every row with its verdict."""
    content = {
        "machine": machine(),
        "rounds": [
            {figure.name.lower(): value for figure, value in figures.items()}
            for figures in measured.rounds
        ],
        "rows": [_row_document(row, measured.rounds) for row in rows],
        "notes": list(measured.notes),
    }
    return msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n"


def _row_document(row: Row, rounds: Sequence[Figures]) -> dict[str, Any]:
    value = row.value(rounds)
    return {
        "group": row.group.value,
        "label": row.label,
        "value": value._asdict() if value else None,
        "bar": {"limit": row.bar.limit, "at_most": row.bar.at_most, "goal": row.bar.goal},
        "verdict": row.verdict(value).value,
    }


def _figure_table(rounds: Sequence[Figures]) -> str:
    lines = []
    for figure in Figure:
        values = [figures[figure] for figures in rounds if figure in figures]
        if values:
            lines.append((figure.label, _cell(spread(values)), figure.unit, _variation(values)))
    headers = ("figure", "value", "unit", "variation")
    return tabulate(lines, headers=headers, disable_numparse=True)


def _variation(values: Sequence[float]) -> str:
    """The standard deviation of the rounds, as a share of their mean."""
    if len(values) < 2 or not any(values):
        return ""
    return f"{statistics.stdev(values) / statistics.mean(values):.1%}"


def _ratio_table(rows: Sequence[Row], rounds: Sequence[Figures]) -> str:
    lines = []
    for row in rows:
        value = row.value(rounds)
        lines.append((row.label, _cell(value), str(row.bar), row.verdict(value).value))
    headers = ("ratio, round by round", "value", "bar", "verdict")
    return tabulate(lines, headers=headers, disable_numparse=True)


def _cell(value: Spread | None) -> str:
    return "–" if value is None else str(value)
