"""The rows of games and seats, from the results alone."""

from __future__ import annotations

from collections.abc import Mapping

from arena.results import GameResult, Seat, SeatUsage
from arena.runs.field import EntrantIdentity
from arena.views.data.columns import Row
from arena.views.data.source import ChosenGame


def game_row(run: str, rules: str, game: ChosenGame) -> Row:
    """Return the row of a game. ``rules``: name of its rules."""
    result = game.stored.result
    spec = result.spec
    return (
        run,
        game.game_id,
        spec.discipline,
        rules,
        spec.deal,
        spec.block,
        spec.seating,
        result.termination.value,
        result.ruling or None,
        result.plies,
        result.wall_us or None,
        result.digest,
        game.is_counted,
    )


def seat_rows(
    run: str,
    players: Mapping[str, EntrantIdentity],
    game: ChosenGame,
    *,
    less_is_better: bool,
) -> list[Row]:
    """Return the rows of the seats of a game.

    ``players``: the entrants by name. ``less_is_better``: whether a lower score is better.
    """
    result, spent = game.stored.result, game.stored.spent
    margins = result.margins(less_is_better=less_is_better)
    faults = {fault.seat: fault for fault in result.faults}
    rows: list[Row] = []
    for seat, name in enumerate(result.spec.entrants):
        fault, player = faults.get(seat), players.get(name)
        slowest, decisions = _answers(spent[seat] if spent else None)
        rows.append(
            (
                run,
                game.game_id,
                seat,
                name,
                (player.digest or None) if player is not None else None,
                result.places[seat],
                None if result.scores is None else result.scores[seat],
                margins[seat] if margins else None,
                points_of(result, seat),
                None if fault is None else fault.kind.value,
                None if fault is None else fault.ply,
                result.think_us[seat] if result.think_us else None,
                slowest,
                decisions,
            )
        )
    return rows


def points_of(result: GameResult, seat: Seat) -> float | None:
    """Return the mean score of ``seat`` against the seats of other bots, as standings add it up.

    None without such a seat. Two seats at fault give each other nothing.
    """
    names = result.spec.entrants
    others = [other for other, name in enumerate(names) if name != names[seat]]
    if not others:
        return None
    return sum(result.pair_score(seat, other) or 0.0 for other in others) / len(others)


def _answers(usage: SeatUsage | None) -> tuple[int | None, int | None]:
    """Return the time of the slowest answer and the number of answers, as far as known."""
    if usage is None:
        return None, None
    return usage.longest_us if usage.times else None, sum(usage.times[1::2])
