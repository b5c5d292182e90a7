"""Which seeds the rounds of a run may have."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from arena.runs.field import Change, Following, Refill
from arena.runs.identity import unfit_round
from arena.schedule.keys import ScheduleKind
from arena.schedule.seeds import Opening
from tests.runs.manifests import identity_of, manifest_of
from tests.tournament.tables import discipline

FOLLOWS = {"follows": Following(0, (), "", "")}
REFILLS = {"refills": Refill(("c",), "")}
OTHER_SEED = "entries.jsonl line 1: the seed is not that of the first round"
UNFIT = "entries.jsonl line 1: the seed does not fit the commitment"


@pytest.mark.parametrize(
    ("why", "seed", "is_fitting", "expected"),
    [
        (FOLLOWS, "seed", True, ""),
        (FOLLOWS, "another", True, OTHER_SEED),
        (REFILLS, "seed", True, ""),
        (REFILLS, "another", True, OTHER_SEED),
        ({}, "another", True, ""),  # of newcomers: a seed that nobody knows yet
        ({}, "another", False, UNFIT),
    ],
)
def test_what_follows_from_games_has_the_seed_of_the_first_day(
    why: dict[str, Any], seed: str, is_fitting: bool, expected: str
) -> None:
    own = Opening(seed, "another salt")
    change = Change(round=2, created="", before="", entered={}, left=(), pairings={}, **why)
    commitment = own.commitment(change.digest if is_fitting else "")
    change = msgspec.structs.replace(change, commitment=commitment)
    run = manifest_of(identity_of(discipline("a", "b", kind=ScheduleKind.SWISS, rounds=3)))
    run = msgspec.structs.replace(run, changes=(change,))
    found = unfit_round(run, Opening("seed", "salt", (own,)))
    assert found.startswith(expected)
    assert bool(found) == bool(expected)
