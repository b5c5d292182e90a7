"""A kind of run is one object: what others look up by its words is there."""

from __future__ import annotations

from arena.runs.manifest import Until
from arena.runs.rounds.kinds import RUN_KINDS
from arena.schedule.kinds.kind import KINDS, Rounds
from arena.views.standings.rounds import VIEWS
from arena.views.standings.standings import PLACES


def test_every_schedule_and_every_end_has_a_kind_of_run() -> None:
    names = {each.run for each in KINDS.values()} | {*Until}
    assert names == RUN_KINDS.keys()


def test_every_kind_has_a_table_and_every_stage_a_view() -> None:
    assert {each.table for each in RUN_KINDS.values()} == PLACES.keys()
    views = {each.view for each in KINDS.values() if isinstance(each, Rounds)}
    assert views - {""} == VIEWS.keys()


def test_a_run_that_arena_run_does_not_continue_has_no_shards() -> None:
    for each in RUN_KINDS.values():
        assert not each.refusal or each.indivisible
        assert (each.planned(7) is None) == bool(each.refusal)
