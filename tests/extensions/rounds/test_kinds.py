"""A kind of run is one object: what others look up by its words is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena import extensions
from arena.extensions.rounds.kinds.rounds import rounds_in
from arena.extensions.rounds.views.places import VIEWS
from arena.runs.disk import StoreError
from arena.runs.growth.kinds import RUN_KINDS, run_kind
from arena.runs.manifest import Until, read_manifest
from arena.schedule.keys import Stage
from arena.schedule.kinds.kind import KINDS
from arena.views.standings.run_view import RunView, view_of
from tests.runs.manifests import identity_of, manifest_of
from tests.runs.test_manifest import GAME, TWO, played, write


@pytest.mark.extensions("browser")
def test_every_schedule_and_every_end_has_a_kind_of_run_with_a_view() -> None:
    names = {each.run for each in KINDS.values()} | {*Until}
    kinds = [run_kind(name) for name in names]
    assert names | {"league"} == {*RUN_KINDS, *extensions.places("runs")}
    assert all(isinstance(view_of(each), RunView) for each in kinds)


def test_every_stage_has_a_view() -> None:
    found = [rounds for name in KINDS if (rounds := rounds_in(name)) is not None]
    assert {each.view for each in found} - {""} == VIEWS.keys()


def test_a_run_that_arena_run_does_not_continue_has_no_shards() -> None:
    for each in map(run_kind, [*RUN_KINDS, *extensions.places("runs")]):
        assert not each.refusal or each.indivisible
        assert (each.planned(7) is None) == bool(each.refusal)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (played(kind="knockout", lives=2, third_place=True), "third_place: found third_place"),
        (played(kind="stages"), "kind: found stages without stages"),
        (played(stages=(Stage(kind="swiss", rounds=1),)), "stages: found stages with the kind"),
        (
            played(kind="stages", stages=(Stage(kind="swiss"),)),
            r"stages\[0\].kind: found swiss without rounds",
        ),
        (
            played(kind="stages", stages=(Stage(kind="ring"),)),
            r"stages\[0\].kind: found ring, expected round_robin, swiss, knockout or groups",
        ),
    ],
)
def test_a_manifest_that_makes_no_sense(
    tmp_path: Path, changes: dict[str, object], told: str
) -> None:
    write(tmp_path, manifest_of(identity_of(GAME, **({"entrants": TWO} | changes))))
    with pytest.raises(StoreError, match=told):
        read_manifest(tmp_path)
