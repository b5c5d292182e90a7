"""Panels of the second model: places and ties, predicted and compared with what happened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from arena.ratings.counting.tally import Tally
from arena.ratings.davidson.checks import ChiSquare, Equality
from arena.ratings.davidson.games import MAX_SEATS
from arena.ratings.davidson.model import Discipline, Placement, SecondModel, Tie, second_model
from arena.ratings.davidson.sets import LARGEST_TIE
from arena.text.grid import NOTHING, Column, Show
from arena.text.numbers import count
from arena.text.panel import Panel

SHOWN_PAIRS: Final = 45
"""Pairs that people are shown; of more, only programs get them."""
UNLIKELY: Final = 0.01
"""A p below it is worth a warning."""


def panels(tally: Tally, show: Show) -> list[Panel]:
    """Of one discipline all there is; of several their common strengths, and whether they are.

    Empty if no game has seats to place.
    """
    model = second_model(tally)
    if model is None:
        return []
    found = [_strengths(model, show)]
    if len(model.disciplines) == 1:
        only = model.disciplines[0]
        found += [_predictions(only, show), _placements(only, show)]
        found += [_ties(only)] if only.ties else []
        found += [_pairs(only, show)]
    return found


def _strengths(model: SecondModel, show: Show) -> Panel:
    rows = model.strengths
    return Panel(
        "second_model",
        "second model: strengths behind places and ties",
        [
            Column("bot", "left", [show(row.name) for row in rows]),
            Column("strength", "right", [f"{round(row.strength):+d}" for row in rows]),
            Column("95 %", "right", [_error(row.error) for row in rows]),
        ],
        [
            "strength: Elo of decided games against the mean; 100 more are odds of 1.78 to 1",
            *_equal(model),
            *(_goodness(each, len(model.disciplines) > 1, show) for each in model.disciplines),
            *_left_out(model, show),
        ],
        {
            "blocks": model.blocks,
            "strengths": [asdict(row) for row in model.strengths],
            "equality": None if model.equality is None else asdict(model.equality),
            "disciplines": [_summary(each) for each in model.disciplines],
            "too_large": list(model.too_large),
        },
    )


def _summary(discipline: Discipline) -> dict[str, Any]:
    return {
        "discipline": discipline.discipline,
        "seats": discipline.seats,
        "seat_worth": list(discipline.seat_worth),
        "ties": [asdict(tie) for tie in discipline.ties],
        "goodness": None if discipline.goodness is None else asdict(discipline.goodness),
        "incomplete": discipline.incomplete,
        "sampled": discipline.sampled,
    }


def _equal(model: SecondModel) -> list[str]:
    if len(model.disciplines) < 2:
        return []
    test = model.equality
    if test is None:
        return ["same strengths in all disciplines: not tested, too few blocks in common"]
    verdict = (
        "strengths differ between disciplines, a common table hides it"
        if test.p < UNLIKELY
        else "no sign that strengths differ between disciplines"
    )
    return [f"{verdict}: {_test(test)}, likelihood ratio {test.ratio:.1f} / {test.scale:.2f}"]


def _goodness(discipline: Discipline, several: bool, show: Show) -> str:
    name = f"{show(discipline.discipline)}: " if several else ""
    test = discipline.goodness
    if test is None and discipline.seats == 2 and not discipline.ties:
        return f"{name}goodness of fit: without draws there is nothing to test"
    if test is None:
        return f"{name}goodness of fit: not tested, too few blocks"
    verdict = "the model does not fit" if test.p < UNLIKELY else "no sign of a misfit"
    return f"{name}{verdict} in who comes first, alone or shared: {_test(test)}"


def _test(test: ChiSquare | Equality) -> str:
    p = "p < 0.0001" if test.p < 0.0001 else f"p = {test.p:.4f}"
    return f"chi² {test.statistic:.1f}, {count(test.freedom, 'degree')} of freedom, {p}"


def _left_out(model: SecondModel, show: Show) -> list[str]:
    lines = [
        f"{show(name)}: more than {MAX_SEATS} seats, left out of the second model"
        for name in model.too_large
    ]
    for each in model.disciplines:
        name = show(each.discipline)
        if each.incomplete:
            games = count(each.incomplete, "game")
            lines.append(
                f"{name}: {games} with places that a fault or a tie of more than {LARGEST_TIE}"
                " leaves open, counted up to there"
            )
        if each.sampled < 1:
            lines.append(f"{name}: {_percent(each.sampled)} % of the blocks, evenly taken")
    return lines


def _predictions(discipline: Discipline, show: Show) -> Panel:
    rows = discipline.placements
    shares: list[tuple[float, ...]]
    if discipline.seats == 2:
        shares = [_duel(row.predicted, row.predicted_shared) for row in rows]
        headers = ["win %", "draw %", "loss %"]
    else:
        shares = [(*row.predicted, row.predicted_shared) for row in rows]
        headers = [*_ordinals(discipline.seats, " %"), "shared %"]
    columns = [
        Column("bot", "left", [show(row.name) for row in rows]),
        Column("mean place", "right", [f"{row.predicted_mean:.2f}" for row in rows]),
        *(
            Column(header, "right", [_percent(own[k]) for own in shares])
            for k, header in enumerate(headers)
        ),
    ]
    remark = "seats of equal worth; the other seats hold average bots"
    return Panel(
        "predicted_places",
        "predicted places against the average field",
        columns,
        [remark, *_tie_rule(discipline)],
        [
            {
                "bot": row.name,
                "mean_place": row.predicted_mean,
                **_by_place("place", row.predicted),
                "shared": row.predicted_shared,
            }
            for row in rows
        ],
    )


def _tie_rule(discipline: Discipline) -> list[str]:
    if discipline.seats == 2 or not discipline.ties:
        return []
    return ["a tie shares the better place and skips the next: 1, 1, 3"]


def _duel(place: Sequence[float], shared: float) -> tuple[float, float, float]:
    """Win, draw and loss from two places."""
    return place[0] - shared, shared, place[1]


def _placements(discipline: Discipline, show: Show) -> Panel:
    rows = discipline.placements
    two = discipline.seats == 2
    headers = ["win %", "draw %", "loss %"] if two else _ordinals(discipline.seats, " %")
    observed = [_duel(r.observed, r.observed_shared) if two else r.observed for r in rows]
    fitted = [_duel(r.fitted, r.fitted_shared) if two else r.fitted for r in rows]
    columns = [
        Column("bot", "left", [show(row.name) for row in rows]),
        Column("games", "right", [str(row.games) for row in rows]),
    ]
    for k, header in enumerate(headers):
        cells = [
            f"{_percent(one[k])} ({_percent(other[k])})"
            for one, other in zip(observed, fitted, strict=True)
        ]
        columns.append(Column(header, "right", cells))
    return Panel(
        "placements",
        "places observed (and fitted)",
        columns,
        [*_tie_rule(discipline)],
        [_placement(row) for row in rows],
    )


def _placement(row: Placement) -> dict[str, Any]:
    return {
        "bot": row.name,
        "games": row.games,
        **_by_place("observed", row.observed),
        **_by_place("fitted", row.fitted),
        "observed_shared": row.observed_shared,
        "fitted_shared": row.fitted_shared,
    }


def _ties(discipline: Discipline) -> Panel:
    rows = discipline.ties
    return Panel(
        "ties",
        "ties observed and fitted",
        [
            Column("bots that tie", "right", [str(tie.size) for tie in rows]),
            Column("per 100 games", "right", [f"{100 * tie.observed:.1f}" for tie in rows]),
            Column("fitted", "right", [f"{100 * tie.fitted:.1f}" for tie in rows]),
            Column("weight", "right", [f"{tie.delta:.3f}" for tie in rows]),
        ],
        [_weight(rows[0], discipline.seats)],
        [asdict(tie) for tie in rows],
    )


def _weight(tie: Tie, seats: int) -> str:
    text = "weight of a tie among equals where that of each one alone is 1"
    if seats != 2:
        return text
    return f"{text}: of equals {_percent(tie.delta / (2 + tie.delta))} % of games are drawn"


def _pairs(discipline: Discipline, show: Show) -> Panel:
    rows = discipline.encounters()
    others = "" if discipline.seats == 2 else "; the other seats hold average bots"
    remarks = [f"chances that the first is placed above the second, level, below{others}"]
    columns: list[Column] = []
    if len(rows) <= SHOWN_PAIRS:
        columns = [
            Column("first", "left", [show(row.first) for row in rows]),
            Column("second", "left", [show(row.second) for row in rows]),
            Column("above %", "right", [_percent(row.above) for row in rows]),
            Column("level %", "right", [_percent(row.level) for row in rows]),
            Column("below %", "right", [_percent(row.below) for row in rows]),
        ]
    else:
        remarks = [f"{len(rows)} pairs: too many to show here, JSON and CSV have them all"]
    return Panel(
        "predicted_pairs",
        "predicted results by pair",
        columns,
        remarks,
        [row._asdict() for row in rows],
    )


def _ordinals(seats: int, unit: str) -> list[str]:
    return [f"{('1st', '2nd', '3rd')[k] if k < 3 else f'{k + 1}th'}{unit}" for k in range(seats)]


def _by_place(word: str, shares: Sequence[float]) -> dict[str, float]:
    return {f"{word}_{place}": share for place, share in enumerate(shares, 1)}


def _percent(share: float) -> str:
    return f"{100 * share + 0.0:.1f}"


def _error(error: float | None) -> str:
    return NOTHING if error is None else f"±{error:.0f}"
