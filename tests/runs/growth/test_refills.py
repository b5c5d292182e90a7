"""What follows once a bot was withdrawn, as a run folder would have it."""

from __future__ import annotations

import msgspec
import pytest

from arena.runs.field import Field, FieldChange, Refill, unsound
from arena.runs.growth.refills import differing, refilled
from arena.runs.manifest import Manifest
from arena.runs.withdrawals import Ground, Withdrawal, WithdrawalState
from arena.schedule.pairings import Pairing
from arena.schedule.schedule import Schedule
from arena.schedule.seeds import Opening
from arena.values.results import RulesSpec
from tests.runs.manifests import ENTRANT, change_of, identity_of, manifest_of
from tests.tournament.tables import discipline

OPENING = Opening("seed", "salt")
NAMES = tuple("abcdefgh")


def manifest(*games: tuple[str, int, int | None]) -> Manifest:
    """By discipline its seats and ``max_pairings``."""
    own = [
        discipline(
            *NAMES, name=name, rules=RulesSpec("toy", seats, {}, {}), max_pairings=most, deals=2
        )
        for name, seats, most in games
    ]
    return manifest_of(identity_of(*own), "0" * 64)


def schedule(manifest: Manifest) -> Schedule:
    return manifest.schedule(
        msgspec.structs.replace(OPENING, later=(OPENING,) * len(manifest.changes))
    )


def withdrawn(**at: int) -> WithdrawalState:
    """By name the number of the last game that led to it."""
    found = {name: Withdrawal(name, Ground.FAULTS, 20, {}, number) for name, number in at.items()}
    return WithdrawalState(found, None)


def change(
    why: Refill,
    pairings: dict[str, tuple[Pairing, ...]],
    entered: tuple[str, ...] = (),
    left: tuple[str, ...] = (),
) -> FieldChange:
    return change_of(
        entered=dict.fromkeys(entered, ENTRANT), left=left, pairings=pairings, refills=why
    )


def refill(run: Manifest, verdict: WithdrawalState) -> Manifest:
    """With what follows when all is played."""
    found = refilled(run.field, verdict, schedule(run).numbers)
    own = change(found.why, found.pairings)
    assert unsound(run.field, own) == ""
    return msgspec.structs.replace(run, changes=(*run.changes, own))


def lost(field: Field, name: str, out: set[str]) -> int:
    return sum(not out.isdisjoint(pairing) for pairing in field.planned(name))


def test_nothing_follows_where_nothing_was_lost() -> None:
    run = manifest(("four", 4, 12), ("two", 2, 8), ("all", 3, None))
    end = schedule(run).numbers
    assert refilled(run.field, withdrawn(), end).pairings == {}
    only = manifest(("two", 2, 8), ("all", 3, None))
    assert refilled(only.field, withdrawn(a=0), schedule(only).numbers).pairings == {}
    assert refilled(run.field, withdrawn(a=end), end).pairings == {}  # it came later


def test_each_discipline_has_as_many_tables_as_before() -> None:
    run = manifest(("four", 4, 12), ("two", 2, 8), ("three", 3, 10))
    verdict = withdrawn(a=3, b=40)
    full = refill(run, verdict)
    (own,) = full.changes
    assert own.pairings.keys() == {"four", "three"}
    for name, pairings in own.pairings.items():
        assert len(pairings) == lost(run.field, name, {"a", "b"})
        assert {"a", "b"}.isdisjoint(name for pairing in pairings for name in pairing)
    assert schedule(full).games == schedule(run).games + sum(
        len(pairings) * 2 * len(pairings[0]) for pairings in own.pairings.values()
    )
    assert list(differing(full.fields(), schedule(full), verdict)) == []
    assert refilled(full.field, verdict, schedule(full).numbers).pairings == {}


def test_who_is_withdrawn_in_a_new_table_is_replaced_too() -> None:
    run = manifest(("four", 4, 12))
    first = refill(run, withdrawn(a=3))
    later = withdrawn(a=3, b=schedule(run).numbers + 1)
    second = refill(first, later)
    assert len(second.changes) == 2
    own = second.changes[1].pairings["four"]
    gone = lost(first.field, "four", {"a", "b"}) - len(first.changes[0].pairings["four"])
    assert len(own) == gone
    assert list(differing(second.fields(), schedule(second), later)) == []
    assert refilled(second.field, later, schedule(second).numbers).pairings == {}


def test_until_nobody_is_left_who_has_not_met() -> None:
    run = manifest(("four", 4, 12))
    few = withdrawn(a=1, b=2, c=3)
    full = refill(run, few)
    met = {each for each in full.field.planned("four") if {"a", "b", "c"}.isdisjoint(each)}
    assert len(met) == 5  # all sets of four of the five who are left
    assert refilled(full.field, few, schedule(full).numbers).pairings == {}
    none = withdrawn(**dict.fromkeys(NAMES[:5], 1))
    assert refilled(run.field, none, schedule(run).numbers).pairings == {}


def test_who_has_left_is_not_asked_to_play() -> None:
    run = manifest(("four", 4, 12))
    left = change_of(left=("h",))
    run = msgspec.structs.replace(run, changes=(left,))
    full = refill(run, withdrawn(a=1))
    assert "h" not in {n for pairing in full.changes[1].pairings["four"] for n in pairing}
    assert list(differing(full.fields(), schedule(full), withdrawn(a=1))) == []


def test_who_comes_back_plays_nothing_of_what_was_over() -> None:
    """Else it would change who was withdrawn before tables were filled again."""
    run = manifest(("four", 4, 12))
    left = change_of(left=("h",))
    run = msgspec.structs.replace(run, changes=(left,))
    end = schedule(run).numbers
    full = refill(run, withdrawn(a=1))
    back = change_of(number=3, entered={"h": ENTRANT})
    full = msgspec.structs.replace(full, changes=(*full.changes, back))
    plan = schedule(full)
    for number, names in plan.order():
        assert bool(plan.gone(number, names)) == ("h" in names)
        assert ("h" in names) <= (number < end)


def test_a_gauntlet_of_whom_the_focus_was_withdrawn_is_over() -> None:
    game = discipline(
        *NAMES, rules=RulesSpec("toy", 3, {}, {}), kind="gauntlet", focus=("a", "b"), max_pairings=8
    )
    run = manifest_of(identity_of(game), "0" * 64)
    end = schedule(run).numbers
    found = refilled(run.field, withdrawn(a=1), end).pairings[game.name]
    assert all("b" in pairing and "a" not in pairing for pairing in found)
    assert refilled(run.field, withdrawn(a=1, b=2), end).pairings == {}


def test_other_tables_than_those_that_follow_are_found() -> None:
    run = manifest(("four", 4, 12))
    verdict = withdrawn(a=3)
    full = refill(run, verdict)
    (own,) = full.changes
    assert isinstance(own.refills, Refill)
    fewer = {"four": own.pairings["four"][1:]}
    others = msgspec.structs.replace(own.refills, by="refill-0")
    for other, text in [
        (msgspec.structs.replace(own, pairings=fewer), "not those that follow"),
        (msgspec.structs.replace(own, refills=others), "by refill-0, this arena has refill-1"),
    ]:
        changed = msgspec.structs.replace(run, changes=(other,))
        ((line, told),) = differing(changed.fields(), schedule(changed), verdict)
        assert line == 1
        assert text in told
    ((line, told),) = differing(full.fields(), schedule(full), withdrawn(b=3))
    assert (line, told) == (1, "tables were filled again for others than the withdrawn bots")


@pytest.mark.parametrize(
    ("pairing", "entered", "left", "text"),
    [
        ("bcdx", "", "", "filled again with somebody who is not there"),
        ("abcd", "", "", "filled again with somebody who is not there"),
        ("bcde", "", "h", "somebody enters or leaves"),
        ("bcde", "i", "", "somebody enters or leaves"),
        ("bcd", "", "", "not for 4 seats"),
    ],
)
def test_lines_that_cannot_be(pairing: str, entered: str, left: str, text: str) -> None:
    run = manifest(("four", 4, 4))
    own = change(Refill(("a",), ""), {"four": (tuple(pairing),)}, tuple(entered), tuple(left))
    assert text in unsound(run.field, own)
