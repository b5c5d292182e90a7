"""Check the section ``ranking`` of a tournament file against its games and their schedule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import msgspec

from arena.runs.config.keys import TournamentFile
from arena.schedule.keys import CRITERIA, Discipline, Ranking, TieBreak, WinPoints
from arena.schedule.kinds.kind import Flaw, sides_of
from arena.schedule.kinds.registry import kind_of
from arena.values.problems import Problems, quote

_PATH = "ranking"


def ranked(
    raw: TournamentFile, played: Sequence[Discipline], problems: Problems
) -> list[Discipline]:
    """Return the disciplines with the ranking of the file; report what cannot work."""
    ranking = raw.ranking
    if not isinstance(ranking, Ranking) or problems.found():
        return list(played)
    mistakes = list(_games(played)) or [
        *_points(ranking, sides_of(played[0])),
        *_bonus(ranking, played),
        *_order(ranking.order),
    ]
    for each in mistakes:
        problems.add((_PATH, *each.path), each.found, expected=each.expected, hint=each.hint)
    order = tuple(CRITERIA[word].value for word in ranking.order)
    plain = msgspec.to_builtins(msgspec.structs.replace(ranking, order=order))
    read = msgspec.convert(plain, Ranking)  # as run.json is read: whole numbers become floats
    return [msgspec.structs.replace(each, ranking=read) for each in played]


def _games(played: Sequence[Discipline]) -> Iterator[Flaw]:
    """Yield a mistake if the games have no common table by points."""
    for each in played:
        kinds = [kind_of(part) for part in each.schedule.parts]
        if each.rules.seats == 1:
            yield Flaw((), f"found {each.name}, which has one seat", "games of two seats or more")
        elif each.by:
            hint = "a table by points goes by the places of games"
            yield Flaw((), f"found {each.name}, whose table goes by {each.by}", hint=hint)
        elif not any(kind.ranks for kind in kinds):
            found = f"found ranking with the kind {each.schedule.kind}"
            yield Flaw((), found, "a kind of schedule in which matches bring points")
        elif sides_of(each) != sides_of(played[0]):
            found = f"found tables of {sides_of(played[0])} and of {sides_of(each)}"
            yield Flaw((), found, "tables of one size, whose points can be added")


def _points(ranking: Ranking, sides: int) -> Iterator[Flaw]:
    """Yield a mistake for points that do not fit tables of ``sides`` entrants."""
    points, path = ranking.points, ("points",)
    if points is None:
        return
    values: tuple[float, ...]
    if isinstance(points, WinPoints):
        values = (points.win, points.draw, points.loss)
        if sides != 2:
            expected = f"a list of {sides}, one for each place"
            yield Flaw(path, f"found win, draw and loss at tables of {sides}", expected)
            return
    else:
        values = points
        if sides == 2:
            found = f"found a list of {len(points)} at tables of 2"
            yield Flaw(path, found, "{win: 3, draw: 1, loss: 0}")
            return
        if len(points) != sides:
            yield Flaw(path, f"found {len(points)} places at tables of {sides}", f"{sides}")
            return
    given = ", ".join(f"{value:g}" for value in values)
    if any(round(value, 1) != value for value in values):
        yield Flaw(path, f"found {given}", "points with at most one decimal")
    elif values[0] == values[-1] or any(after > before for before, after in pairwise(values)):
        yield Flaw(path, f"found {given}", "the most for the first, and never more after it")


def _bonus(ranking: Ranking, played: Sequence[Discipline]) -> Iterator[Flaw]:
    """Yield a mistake for a bonus without a bound, and for margins that do not exist."""
    bonus = ranking.bonus
    if bonus is not None and bonus.margin is None and bonus.within is None:
        yield Flaw(("bonus",), "found no bound", "margin, within or both")
    elif bonus is not None and (round(bonus.points, 1) != bonus.points or not bonus.points):
        found = f"found {bonus.points:g}"
        yield Flaw(("bonus", "points"), found, "more than 0, with at most one decimal")
    if any(sides_of(each) != each.rules.seats for each in played) and ranking.counts_margins:
        key = "order" if bonus is None else "bonus"
        hint = "a side of several seats has no margin"
        yield Flaw((key,), "found margins in matches for more than two seats", hint=hint)


def _order(order: Sequence[str]) -> Iterator[Flaw]:
    """Yield a mistake for each criterion at a wrong place."""
    seen: list[TieBreak] = []
    for index, word in enumerate(order):
        if not index and CRITERIA[word] is not TieBreak.POINTS:
            yield Flaw(("order", 0), f"found {quote(word)}", f"{quote('points')} first")
        elif CRITERIA[word] in seen:
            yield Flaw(("order", index), f"found {quote(word)} a second time")
        seen.append(CRITERIA[word])
