"""Compares what came of a game with what was expected."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, NamedTuple

from arena.values.results import GameResult, Termination
from tests.hostile.canaries import Canaries
from tests.hostile.facts import Facts, here, outcomes, verdicts
from tests.hostile.rows import Row
from tests.hostile.table import SEAT, Match

_ATTACK: Final = "ATTACK "


class Finding(NamedTuple):
    """One game of one bot at one level."""

    row: Row
    level: str
    seats: int
    verdict: str
    attack: str
    """``ok``, ``blocked``, or empty if none was made."""
    detail: str
    seconds: float
    surprises: tuple[str, ...]


def judge(
    row: Row,
    level: str,
    match: Match,
    standard: GameResult,
    traces: Collection[str],
    watched: Collection[str],
    canaries: Canaries,
    known: Facts,
) -> Finding:
    """``standard``: the same game among honest bots; ``traces``: what was touched;
    ``watched``: what is not as it was before the game."""
    attack, detail = _attack(row, match, traces)
    seats = len(standard.places)
    surprises = [*watched, *(f"an honest bot is at fault: {each}" for each in match.others)]
    row = here(row, known)
    surprises += unexpected(row, level, match.verdict, attack, detail or match.detail)
    allowed = outcomes(row, level)
    if "ok" not in allowed and traces:
        surprises.append(f"touched: {', '.join(sorted(traces))}")
    if "ok" not in allowed and canaries.leaked(match.said):
        surprises.append("reported a secret")
    if match.result is not None:
        surprises += _differences(match.result, standard, seats)
    return Finding(
        row, level, seats, match.verdict, attack, detail, match.seconds, tuple(surprises)
    )


def unexpected(row: Row, level: str, verdict: str, attack: str, detail: str) -> list[str]:
    """What is not as the row says. The row is that of this machine."""
    found, expected, allowed = [], verdicts(row, level), outcomes(row, level)
    if verdict not in expected:
        found.append(f"verdict {verdict}, expected {' or '.join(sorted(expected))}: {detail}")
    if attack not in allowed and (attack or allowed):
        wanted = " or ".join(sorted(allowed))
        found.append(f"attack: {attack or 'not made'}, expected {wanted}: {detail}")
    return found


def _attack(row: Row, match: Match, traces: Collection[str]) -> tuple[str, str]:
    """Its outcome and detail."""
    if row.through is not None and row.seen:
        return ("ok" if traces else "blocked"), ", ".join(sorted(traces))
    outcome, detail = said_of(row, match.verdict, match.said)
    return outcome, detail or match.detail


def said_of(row: Row, verdict: str, said: str) -> tuple[str, str]:
    """What the bot said of its attack. Who is killed in the attempt has not succeeded."""
    if row.through is None:
        return "", ""
    lines = [line for line in said.splitlines() if line.startswith(_ATTACK)]
    if not lines:
        return ("blocked" if verdict != "ok" else ""), ""
    _, outcome, detail = (*lines[-1].split(" ", 2), "")[:3]
    return outcome, detail


def _differences(result: GameResult, standard: GameResult, seats: int) -> list[str]:
    """All bots play the first legal action, as the autopilot does: the cards decide alone."""
    mine = SEAT[seats]
    if result.faulty(mine) and seats == 2:
        ended = (result.termination, result.places) == (Termination.FORFEITED, (2, 1))
        return [] if ended else [f"ended {result.termination} with places {result.places}"]
    if (result.termination, result.scores) != (Termination.COMPLETED, standard.scores):
        return [f"{result.termination} with {result.scores}, among honest bots {standard.scores}"]
    if not result.faulty(mine) and result.places != standard.places:
        return [f"places {result.places}, among honest bots {standard.places}"]
    if result.faulty(mine) and result.places[mine] != seats:
        return [f"place {result.places[mine]} despite its fault"]
    return []
