"""Tables of a knockout: the ties with what decided them, the bracket, and the places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final

from arena.extensions.rounds.kinds.knockout import KnockoutKind
from arena.extensions.rounds.pairing.bracket import FINAL, SECOND_FINAL, From, Slot, without_byes
from arena.extensions.rounds.pairing.state import Now
from arena.extensions.rounds.pairing.ties import Stand
from arena.extensions.rounds.views.bracket import (
    BracketFigure,
    KnockoutData,
    PlaceData,
    TieData,
    TieSide,
    is_drawn,
)
from arena.extensions.rounds.views.points import state_column
from arena.values.numbers import NOTHING, count, trimmed
from arena.values.titles import called
from arena.views.cells import Label, Quantity
from arena.views.standings.headline import Criterion, Headline
from arena.views.tables import Column, PageBlock

_SHOWN: Final = 12
"""Most ties shown on a terminal; earlier ones are left to the other forms."""
BY: Final = {
    "": "",
    "points": "points",
    "test": "test",
    "sudden_death": "sudden death",
    "unbeaten": "unbeaten",
    "deals": "deals",
    "seed": "better seed",
    "forfeit": "forfeit",
}
"""Words for the rule that decided a tie."""
_WORDS: Final = {
    "test": "test: a sequential test decided who is stronger",
    "sudden_death": "sudden death: points were equal, and one was ahead after one deal more, or "
    "another one",
    "unbeaten": "unbeaten: points were equal, and the winner reached the final without a loss",
    "deals": "deals: points were equal, and one was ahead with each deal counted by itself",
    "seed": "better seed: points were equal, and deals counted one by one too",
    "forfeit": "forfeit: somebody had left or was withdrawn",
}


def knockout_data(
    now: Now,
    called: Mapping[str, str],
    elos: Mapping[str, float | None],
    *,
    is_drawn: bool = True,
) -> KnockoutData:
    """Return the ties and places of a stage.

    ``called``: the name with its version, by player. ``elos``: by name with its version.
    ``is_drawn``: whether its first round, or that it has none, is on disk. Before that, somebody
    may still leave, so nothing is shown as decided.
    """
    if not is_drawn or not now.began:
        lives, seats = now.discipline.schedule.lives, now.discipline.rules.seats
        return KnockoutData(lives, seats, 1, is_drawn, None, (), ())
    found = KnockoutKind().stand(now)
    seeds = {name: place for place, name in enumerate(found.entrants, 1)}
    ties = tuple(_ties(found, called, seeds))
    last = {side.name: tie.name for tie in ties if tie.deals or tie.order for side in tie.sides}
    places = [
        PlaceData(
            place, called[name], seeds[name], last.get(called[name], ""), elos.get(called[name])
        )
        for name, place in found.places.items()
    ]
    winner = found.state.winner
    return KnockoutData(
        found.plan.lives,
        found.plan.seats,
        found.plan.advance,
        found.state.is_over,
        None if winner is None else called[winner],
        tuple(sorted(places, key=lambda each: (each.place, each.seed))),
        ties,
    )


def _ties(found: Stand, called: Mapping[str, str], seeds: Mapping[str, int]) -> list[TieData]:
    """Return all ties known now; at two seats also those that are still to come."""
    known = [tie.id for each in found.state.rounds for tie in each]
    if found.plan.seats > 2:
        return [_tie(found, tie, (), called, seeds) for tie in known]
    slots = without_byes(len(found.entrants), found.plan)
    ties = [_tie(found, tie, own, called, seeds) for tie, own in slots.items()]
    if SECOND_FINAL in known:
        ties.append(_tie(found, SECOND_FINAL, (), called, seeds))
    return ties


def _tie(
    found: Stand,
    tie: str,
    slots: Sequence[Slot],
    called: Mapping[str, str],
    seeds: Mapping[str, int],
) -> TieData:
    own = found.ties.get(tie)
    points: dict[str, Fraction] = {}
    entrants: Sequence[str] = ()
    if own is not None:
        entrants = own.tie.entrants
        points = dict(zip(entrants, own.points, strict=True)) if own.deals else {}

    def side(name: str, tie: str = "", *, is_loser: bool = False) -> TieSide:
        value = points.get(name)
        return TieSide(
            called[name] if name else "",
            seeds.get(name),
            None if value is None else float(value),
            tie,
            is_loser,
        )

    sides = []
    for slot in slots:
        if not isinstance(slot, From):
            sides.append(side(found.entrants[slot - 1]))
            continue
        came = found.ties[slot.tie].tie.order if slot.tie in found.ties else ()
        name = came[slot.loser] if len(came) > slot.loser else ""
        sides.append(side(name, found.name(slot.tie), is_loser=slot.loser))
    return TieData(
        found.name(tie),
        tuple(sides) or tuple(map(side, entrants)),
        () if own is None else tuple(called[name] for name in own.tie.order),
        "" if own is None else own.by,
        0 if own is None else own.deals,
        0 if own is None else own.rounds,
    )


def knockout_headline(data: KnockoutData) -> Headline | None:
    """Return the headline of a knockout; None if it has no winner."""
    if data.winner is None:
        return None
    last = next((tie for tie in reversed(data.ties) if tie.order[:1] == (data.winner,)), None)
    if last is None or len(last.order) < 2:
        return Headline((data.winner,), True, Criterion.KNOCKOUT, "")
    points = {side.name: side.points for side in last.sides}
    scores = [points[name] for name in last.order]
    score = " : ".join(trimmed(each) for each in scores if each is not None)
    decided = "" if last.by == "points" else BY.get(last.by, last.by)
    value, second = f"{last.name} {score}".rstrip(), last.order[1]
    return Headline((data.winner,), True, Criterion.KNOCKOUT, value, second=second, decided=decided)


def knockout_notices(data: KnockoutData, head: str) -> list[str]:
    """Return a notice on how far the knockout is; ``head``: words before it, such as the stage."""
    if (headline := knockout_headline(data)) is not None:
        return [f"{head}{headline.words()}"]
    if data.is_over:
        return [f"{head}nobody is left in the knockout"]
    if not data.ties:
        return [f"{head}the knockout has not begun"]
    left = sum(not tie.order for tie in data.ties)
    return [f"{head}{count(left, 'tie')} of the knockout to be decided"]


def knockout_panels(
    data: KnockoutData, key: str, head: str, gone: Mapping[str, str]
) -> Sequence[PageBlock]:
    """Return the panels of a knockout.

    ``key``: start of their names in documents. ``head``: words before their titles, such as the
    stage. ``gone``: how bots that play no more have gone.
    """
    panels = []
    told = [tie for tie in reversed(data.ties) if len(tie.sides) > 1 and tie.sides[0].name]
    told = [tie for tie in told if all(side.name for side in tie.sides)]
    if is_drawn(data):
        panels.append(PageBlock(f"{key}_bracket", f"{head}bracket", figures=[BracketFigure(data)]))
    remarks = [words for by, words in _WORDS.items() if any(tie.by == by for tie in told)]
    title = f"{head}ties, the last ones first"
    panels.append(PageBlock.of(key, title, _tie_columns(told, data), remarks, data, latest=_SHOWN))
    if data.places:
        title = f"{head}places" if data.is_over else f"{head}places of those who are out"
        columns = _place_columns(data, gone)
        panels.append(PageBlock.of(f"{key}_places", title, columns, [], None))
    return panels


def _tie_columns(ties: Sequence[TieData], data: KnockoutData) -> list[Column]:
    on = "winner" if data.seats == 2 else "go on"
    return [
        Column("tie", "left", [tie.name for tie in ties]),
        Column(
            "bots", "left", [" v ".join(called(each.name) for each in tie.sides) for tie in ties]
        ),
        Column("games", "left", [_points(tie) for tie in ties]),
        Column(on, "left", [_on(tie, data) for tie in ties]),
        Column("by", "left", [BY.get(tie.by, tie.by) if tie.order else "open" for tie in ties]),
        Column("deals", "right", [tie.deals for tie in ties]),
    ]


def _on(tie: TieData, data: KnockoutData) -> str:
    """Return the winner of a tie, or of a table of three and four the bots that advance."""
    if data.seats == 2 or tie.name == FINAL:
        return ", ".join(map(called, tie.order[:1]))
    later = data.ties[data.ties.index(tie) + 1 :]
    seated = {side.name for each in later for side in each.sides}
    return ", ".join(
        called(name)
        for place, name in enumerate(tie.order)
        if place < data.advance or name in seated
    )


def _points(tie: TieData) -> str:
    if all(side.points is None for side in tie.sides):
        return NOTHING
    return " : ".join(trimmed(side.points or 0) for side in tie.sides)


def _place_columns(data: KnockoutData, gone: Mapping[str, str]) -> list[Column]:
    rows = data.places
    return [
        Column("#", "right", [each.place for each in rows]),
        Column("bot", "left", [Label(each.name) for each in rows]),
        Column("seed", "right", [each.seed for each in rows]),
        Column("last tie", "left", [each.last for each in rows]),
        Column("Elo", "right", [Quantity(each.elo) for each in rows]),
        *state_column([each.name for each in rows], gone),
    ]
