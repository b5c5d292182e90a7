"""Forged faults and forged plies of the autopilot, in records that are intact to the seal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from arena.referee.channel import Silence
from arena.referee.records.format import Record
from arena.referee.records.read import RecordError
from arena.referee.records.replay import verify
from arena.values.results import Fault, FaultKind, OnFault, Termination
from tests.referee.records.games import changed, with_faults, with_plies
from tests.referee.scripted import SECRET
from tests.toy import State, ToyRules

BAD = b"?"
EARLY = with_faults([2, 1], [BAD], [0, 0])
"""Plies: 0 to 2 cards, 3 die, 4 to 6 seats 0 to 2, 7 die, 8 to 10 seats 0 to 2. Seat 1 is at fault
when asked at ply 5, seat 2 plays as the autopilot would. Ply n is line n + 2, the end line 13."""
LATE = with_faults([2, 1], [0, BAD], [0, 0])
"""Seat 1 is at fault when asked at ply 9."""
ABSENT = with_faults([2, 1], None, [0, 0])
"""Seat 1 could not be started."""
CUT = with_faults([0, 0], [BAD], [0, BAD])
"""Ended at ply 10 by the second fault; line 12 is the end."""
TWO = with_faults([2, 1], [0, BAD], [0, 0], [BAD])
"""Plies: 0 to 3 cards, 4 die, 5 to 8 seats, 9 die, 10 to 13 seats. Seat 3 is at fault at ply 8,
seat 1 at ply 11; line 16 is the end."""
GONE = with_faults([2, 1], None, [0, 0], None)
"""Seats 1 and 3 could not be started."""
UNBEGUN = with_faults(None, [0], None)
"""Seats 0 and 2 could not be started; line 2 is the end."""
ENDED = with_faults([2, 1], [BAD], [0, 0], on_fault=OnFault.END)
"""Ended at ply 5; line 7 is the end."""


def ply(record: Record, number: int, **changes: Any) -> Record:
    """The record with one ply changed."""
    plies = list(record.plies)
    plies[number] = msgspec.structs.replace(plies[number], **changes)
    return with_plies(record, *plies)


def end(record: Record, **changes: Any) -> Record:
    return changed(record, "end", **changes)


def measured(record: Record, **changes: Any) -> Record:
    """The record with its first evidence changed."""
    evidence, *others = record.measured.evidence
    changed_evidence = (msgspec.structs.replace(evidence, **changes), *others)
    return changed(record, "measured", evidence=changed_evidence)


def blamed(record: Record, *faults: Fault, **changes: Any) -> Record:
    return end(record, faults=faults, **changes)


def more(record: Record, fault: Fault, **changes: Any) -> Record:
    return blamed(record, *record.end.faults, fault, **changes)


def turned(record: Record) -> Record:
    return blamed(record, *record.end.faults[::-1])


def first(record: Record, **changes: Any) -> Record:
    """The record with its first fault changed."""
    fault, *others = record.end.faults
    return blamed(record, msgspec.structs.replace(fault, **changes), *others)


def policy(record: Record, on_fault: OnFault) -> Record:
    return changed(record, "header", on_fault=on_fault)


def cut(record: Record, plies: int, **changes: Any) -> Record:
    """Only the first plies of it."""
    return end(with_plies(record, *record.plies[:plies]), **changes)


def forfeited(record: Record, plies: int, *places: int) -> Record:
    return cut(record, plies, termination=Termination.FORFEITED, places=places, scores=None)


def timed(record: Record, number: int) -> Record:
    """The record with a thinking time at one ply."""
    times = list(record.measured.think_us)
    times[number] = 1
    return changed(record, "measured", think_us=tuple(times), wall_us=10)


def crash(seat: int, at: int) -> Fault:
    return Fault(seat, FaultKind.CRASH, at, "")


def startup(seat: int, at: int = 0) -> Fault:
    return Fault(seat, FaultKind.STARTUP, at, "")


SAY_1 = {"type": "say", "number": 1}

INNOCENT = "its seat is not at fault"
ONE_AT_FAULT, TWO_AT_FAULT = (
    f"seat {seat} is at fault, but this is not the autopilot's" for seat in (1, 2)
)
TOO_LATE = "a ply after a fault had ended the game"
NOT_OVER = "the game is not over and no fault ended it"
COMPLETED, FORFEITED = "found completed", "found forfeited"


def cannot(kind: str, at: int, seat: int) -> str:
    return f"a {kind} fault at ply {at} of seat {seat} cannot be"


FORGERIES: dict[str, tuple[Callable[[], Record], int, str]] = {
    # Whose plies are the autopilot's
    "an honest seat's ply": (lambda: ply(EARLY, 6, autopilot=True), 8, INNOCENT),
    "a ply before the fault": (lambda: ply(LATE, 5, autopilot=True), 7, INNOCENT),
    "chance by the autopilot": (lambda: ply(EARLY, 7, autopilot=True), 9, INNOCENT),
    "no mark at the fault": (lambda: ply(EARLY, 5, autopilot=False), 7, ONE_AT_FAULT),
    "no mark later": (lambda: ply(EARLY, 9, autopilot=False), 11, ONE_AT_FAULT),
    "no mark for an absent bot": (lambda: ply(ABSENT, 5, autopilot=False), 7, "seat 1 is at fault"),
    "not the first legal action": (lambda: ply(EARLY, 9, action=SAY_1), 11, "not the first legal"),
    "info of the autopilot": (lambda: ply(EARLY, 9, info="mine"), 11, "info that no bot gave"),
    "info of chance": (lambda: ply(EARLY, 7, info="mine"), 9, "info that no bot gave"),
    "thinking of the autopilot": (lambda: timed(EARLY, 9), 14, "of the autopilot"),
    # Which faults there are
    "the fault left out": (lambda: blamed(EARLY), 7, INNOCENT),
    "an absence left out": (lambda: blamed(ABSENT), 7, INNOCENT),
    "one of two faults left out": (lambda: blamed(TWO, TWO.end.faults[1]), 10, INNOCENT),
    "the fault earlier than its ply": (lambda: first(LATE, ply=5), 7, ONE_AT_FAULT),
    "the fault later than its ply": (lambda: first(EARLY, ply=9), 7, INNOCENT),
    "a fault while another seat was asked": (
        lambda: first(EARLY, ply=4),
        13,
        cannot("malformed", 4, 1),
    ),
    "a fault while nobody was asked": (lambda: first(LATE, ply=7), 13, cannot("malformed", 7, 1)),
    "a fault after the end": (lambda: first(EARLY, ply=11), 7, INNOCENT),
    "one more after the end": (lambda: more(EARLY, crash(0, 11)), 13, cannot("crash", 11, 0)),
    "a fault of another seat": (lambda: first(EARLY, seat=2), 13, cannot("malformed", 5, 2)),
    "an honest seat blamed as well": (lambda: more(EARLY, crash(2, 6)), 8, TOO_LATE),
    "an honest seat blamed as well, at four seats": (
        lambda: blamed(TWO, crash(2, 7), TWO.end.faults[0]),
        9,
        TWO_AT_FAULT,
    ),
    "a second fault of one seat": (lambda: more(EARLY, crash(1, 9)), 13, cannot("crash", 9, 1)),
    "a fault of an absent bot": (lambda: more(ABSENT, crash(1, 5)), 13, cannot("crash", 5, 1)),
    "a fault of chance": (
        lambda: blamed(EARLY, crash(-1, 3), *EARLY.end.faults),
        13,
        cannot("crash", 3, -1),
    ),
    "a fault of nobody": (lambda: more(EARLY, crash(-2, 11)), 13, cannot("crash", 11, -2)),
    "a fault before the first ply": (lambda: first(EARLY, ply=-1), 7, INNOCENT),
    "faults in another order": (lambda: turned(TWO), 10, INNOCENT),
    # Start-up
    "not ready in mid-game": (
        lambda: first(EARLY, kind=FaultKind.STARTUP),
        13,
        cannot("startup", 5, 1),
    ),
    "not ready after a fault": (
        lambda: blamed(TWO, TWO.end.faults[0], startup(1, 11)),
        16,
        cannot("startup", 11, 1),
    ),
    "absent, but no fault of start-up": (
        lambda: first(ABSENT, kind=FaultKind.CRASH),
        13,
        cannot("crash", 0, 1),
    ),
    "an absent seat that is none": (lambda: first(ABSENT, seat=3), 13, cannot("startup", 0, 3)),
    "absent twice": (lambda: blamed(ABSENT, startup(1), startup(1)), 13, cannot("startup", 0, 1)),
    "absent bots in another order": (lambda: turned(GONE), 16, cannot("startup", 0, 1)),
    "begun with one bot": (lambda: blamed(ABSENT, startup(0), startup(1)), 2, TOO_LATE),
    "not begun with two bots": (lambda: forfeited(ABSENT, 0, 1, 3, 1), 2, NOT_OVER),
    # Whether the game went on
    "ended by a fault after which it goes on": (lambda: forfeited(EARLY, 5, 1, 3, 1), 7, NOT_OVER),
    "ended early after a fault": (lambda: forfeited(EARLY, 8, 1, 3, 1), 10, NOT_OVER),
    "played on against the policy": (lambda: policy(EARLY, OnFault.END), 7, TOO_LATE),
    "ended against the policy": (lambda: policy(ENDED, OnFault.AUTOPILOT), 7, NOT_OVER),
    # How it ended
    "first despite a fault": (lambda: end(EARLY, places=(1, 2, 3)), 13, COMPLETED),
    "the place of the rules": (lambda: end(EARLY, places=(2, 1, 3)), 13, COMPLETED),
    "two at fault share the better place": (
        lambda: end(TWO, places=tuple(min(place, 3) for place in TWO.end.places)),
        16,
        COMPLETED,
    ),
    "others at fault tie as after a forfeit": (lambda: end(EARLY, places=(1, 3, 1)), 13, COMPLETED),
    "forfeited though it went on": (
        lambda: end(EARLY, termination=Termination.FORFEITED, scores=None),
        13,
        FORFEITED,
    ),
    "without scores": (lambda: end(EARLY, scores=None), 13, COMPLETED),
    "no score for the seat at fault": (
        lambda: end(EARLY, scores=(EARLY.end.scores or ())[:1] * 3),
        13,
        COMPLETED,
    ),
    "completed though a fault ended it": (
        lambda: end(CUT, termination=Termination.COMPLETED, scores=(0, 0, 0)),
        12,
        COMPLETED,
    ),
    "evidence left out": (lambda: changed(EARLY, "measured", evidence=()), 14, "evidence"),
    **{
        f"evidence of {times}": (lambda times=times: measured(EARLY, **times), 14, "a time that")
        for times in (
            {"waited_us": -1},
            {"waited_us": 5, "cpu_us": -1},
            {"waited_us": 5, "lag_us": -1},
            {"waited_us": 5, "excused_us": -1},
            {"waited_us": 5, "excused_us": 6},
        )
    },
}


@pytest.mark.parametrize(("forge", "line", "what"), FORGERIES.values(), ids=FORGERIES)
def test_a_forgery_is_found_and_placed(forge: Callable[[], Record], line: int, what: str) -> None:
    forged = forge()
    rules = ToyRules(len(forged.header.spec.entrants))
    with pytest.raises(RecordError, match=f"^line {line}: .*{what}"):
        verify(forged, rules, SECRET)


class Begun(ToyRules):
    """Seat 0 is to act at once."""

    def initial_state(self) -> State:
        return State((7, 7, 7), (6,))


def test_nobody_is_asked_in_a_game_that_never_began() -> None:
    unbegun = with_faults([0], None, None, rules=Begun(3))
    verify(unbegun, Begun(3))
    forged = more(unbegun, crash(0, 0), places=(3, 3, 3))
    with pytest.raises(RecordError, match="line 2: a crash fault at ply 0 of seat 0 cannot be"):
        verify(forged, Begun(3))


GAMES: dict[str, tuple[Record, list[tuple[int, int]]]] = {
    "early": (EARLY, [(1, 5)]),
    "late": (LATE, [(1, 9)]),
    "absent": (ABSENT, [(1, 0)]),
    "cut": (CUT, [(1, 5), (2, 10)]),
    "two": (TWO, [(3, 8), (1, 11)]),
    "gone": (GONE, [(1, 0), (3, 0)]),
    "unbegun": (UNBEGUN, [(0, 0), (2, 0)]),
    "ended": (ENDED, [(1, 5)]),
}


@pytest.mark.parametrize(("record", "faults"), GAMES.values(), ids=GAMES)
def test_honest_records_pass(record: Record, faults: list[tuple[int, int]]) -> None:
    verify(record, ToyRules(len(record.header.spec.entrants)), SECRET)
    assert [(fault.seat, fault.ply) for fault in record.end.faults] == faults


def test_a_bot_that_was_killed_at_a_limit_has_committed_a_fault() -> None:
    record = with_faults([2, 1], [Silence.OVER_LIMIT], [0, 0])
    assert [fault.kind for fault in record.end.faults] == [FaultKind.LIMIT]
    times = {"waited_us": 9, "cpu_us": 4, "lag_us": 1, "excused_us": 9, "exit_status": -9}
    verify(measured(record, **times), ToyRules(3), SECRET)


def test_an_action_of_a_bot_has_no_mark_and_one_of_the_autopilot_has() -> None:
    marks = [msgspec.to_builtins(ply).get("autopilot") for ply in LATE.plies]
    assert marks == [*[None] * 9, True, None]
