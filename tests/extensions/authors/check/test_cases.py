"""The rest of a check is estimated from starts and games so far."""

from __future__ import annotations

from arena.extensions.authors.check.table import CheckPace, Work


def test_the_rest_is_the_work_that_is_left_at_the_pace_so_far() -> None:
    pace = CheckPace(lambda: 0.0)
    assert pace.left() is None
    pace.add(7.0, 4.0, 1)
    assert pace.left() is None, "nothing is planned yet"
    pace.plan({"again": Work(1, 1), "tables": Work(1, 10), "wants": Work(2, 4)})
    assert pace.left() == 4 * 4.0 + 15 * 3.0
    pace.begin("start")
    pace.begin("tables")
    assert pace.left() == 3 * 4.0 + 14 * 3.0
    pace.add(9.0, 4.0, 5)
    assert pace.left() == 3 * 4.0 + 14 * (8.0 / 6)
    pace.begin("wants")
    assert pace.left() == 2 * 4.0 + 4 * (8.0 / 6)
