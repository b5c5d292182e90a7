"""Times per move at the end of a run."""

from __future__ import annotations

from wcwidth import wcswidth

from arena.referee.records.format import End, Header, Measured, Ply, Record
from arena.values.results import GameSpec, OnFault, Termination
from arena.views.standings.measured import first_moves, times_table


def test_the_first_move_of_a_bot_is_that_of_its_slowest_seat() -> None:
    spec = GameSpec("cup/g", "b", "d", 0, ("anna", "berta", "anna"))
    plies = tuple(Ply(n, {}, seat) for n, seat in enumerate((None, 1, 0, 1, 2, 0)))
    record = Record(
        Header(1, spec, "toy", {}, "", (1, 2, 3), OnFault.END),
        plies,
        End(6, Termination.COMPLETED, (1, 2, 3), None, ()),
        Measured((0, 30, 10, 99, 20, 99), 1000),
    )
    assert first_moves(record) == {"anna": 20, "berta": 30}


def test_the_table_has_the_slowest_first_and_fits() -> None:
    answers = {f"a bot with a long long name {n}": (900.0 * n, 10_000_000 + n) for n in range(20)}
    first = dict.fromkeys(answers, 1234567) | {next(reversed(answers)): 0}
    lines = times_table(answers, first, " (100 games)")
    assert lines[0].endswith("  worst first of a game (100 games)")
    assert lines[2].split()[-5:] == ["17.1", "ms", "10", "s", "–"]
    assert lines[3].split()[-2:] == ["1.23", "s"]
    assert (len(lines), lines[-1]) == (2 + 16 + 1, "and 4 faster bots")
    assert max(map(wcswidth, lines)) <= 80
    assert times_table({}, {}, "") == []
