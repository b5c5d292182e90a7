"""Forged records: intact to the seal, but not what the rules or the deal make of them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import msgspec
import pytest

from arena.games.base import CHANCE
from arena.referee.records.format import Record
from arena.referee.records.read import RecordError
from arena.referee.records.replay import check_rules, steps, verify
from arena.values.results import Fault, FaultKind, Outcome, Termination
from tests.referee.records.games import changed, forfeited, played, read, with_plies
from tests.referee.scripted import SECRET
from tests.toy import ToyRules

RULES = ToyRules(2)
GAME = read(played().record)
"""Lines: 1 header, 2 and 3 cards, 4 die, 5 and 6 numbers, 7 die, 8 and 9 numbers, 10 end."""
FORFEIT = read(forfeited().record)
"""Lines: 1 to 7 as above, 8 a number, 9 end: seat 1 did not answer."""
PLIES = GAME.plies
FORFEITED = Termination.FORFEITED


def ply(number: int, **changes: Any) -> Record:
    """The game with one ply changed."""
    plies = list(PLIES)
    plies[number] = msgspec.structs.replace(plies[number], **changes)
    return with_plies(GAME, *plies)


def end(**changes: Any) -> Record:
    return changed(GAME, "end", **changes)


def blamed(*faults: Fault, **changes: Any) -> Record:
    return changed(FORFEIT, "end", faults=faults, **changes)


def timeout(seat: int, at: int = 7) -> Fault:
    return Fault(seat, FaultKind.TIMEOUT, at, "")


def say(number: int) -> dict[str, Any]:
    return {"type": "say", "number": number}


CARD = {"type": "dealt", "card": 0}
OTHER_CARD = {"type": "dealt", "card": (PLIES[0].action["card"] + 1) % 50}

FORGERIES: dict[str, tuple[Callable[[], Record], int, str]] = {
    "another number": (lambda: ply(7, action=say(2)), 10, "found completed"),
    "a number that is not legal": (lambda: ply(3, action=say(9)), 5, "could not do that"),
    "an action of chance by a seat": (lambda: ply(3, action=CARD), 5, "seat 0 could not do that"),
    "no action at all": (lambda: ply(3, action={"type": "fly"}), 5, "no action of these rules"),
    "the other seat": (lambda: ply(3, seat=1), 5, "seat is 1, expected seat 0"),
    "chance instead of a seat": (lambda: ply(3, seat=None), 5, "seat is None, expected seat 0"),
    "a seat instead of chance": (lambda: ply(2, seat=0), 4, "seat is 0, expected chance"),
    "an impossible card": (
        lambda: ply(0, action={"type": "dealt", "card": 50}),
        2,
        "chance could not do that",
    ),
    "another card": (lambda: ply(0, action=OTHER_CARD), 2, "chance is not what the seed gives"),
    "an extra ply": (
        lambda: with_plies(GAME, *PLIES, PLIES[-1]),
        10,
        "a ply after the end of the game",
    ),
    "a ply too few": (lambda: with_plies(GAME, *PLIES[:-1]), 9, "the game is not over"),
    "a ply left out": (
        lambda: with_plies(GAME, *PLIES[:3], *PLIES[4:]),
        5,
        "seat is 1, expected seat 0",
    ),
    "other scores": (lambda: end(scores=(99, 0)), 10, "found completed"),
    "other places": (lambda: end(places=GAME.end.places[::-1]), 10, "found completed"),
    "a ruling that did not end it": (
        lambda: end(ruling="TY-01"),
        10,
        "found completed by TY-01, .* expected completed, ",
    ),
    "a fault in a finished game": (
        lambda: end(faults=(timeout(0, 8),)),
        10,
        "a timeout fault at ply 8 of seat 0 cannot be",
    ),
    "a finished game forfeited": (
        lambda: changed(GAME, "end", termination=FORFEITED, scores=None, faults=(timeout(1, 8),)),
        10,
        "a timeout fault at ply 8 of seat 1 cannot be",
    ),
    "a game without a fault forfeited": (
        lambda: end(termination=FORFEITED, scores=None),
        10,
        "found forfeited",
    ),
    "a void game": (lambda: end(termination=Termination.VOID), 10, "found void"),
    "a forfeit without a fault": (lambda: blamed(), 9, "no fault ended it"),
    "the wrong seat blamed": (lambda: blamed(timeout(0), places=(2, 1)), 9, "fault"),
    "both blamed": (lambda: blamed(timeout(0), timeout(1), places=(2, 2)), 9, "fault"),
    "blamed twice": (lambda: blamed(timeout(1), timeout(1)), 9, "fault"),
    "nobody's seat blamed": (lambda: blamed(timeout(2), places=(1, 1)), 9, "fault"),
    "blamed too early": (lambda: blamed(timeout(1, 3)), 9, "fault at ply 3"),
    "not ready in mid-game": (lambda: blamed(Fault(1, FaultKind.STARTUP, 7, "")), 9, "fault"),
    "forfeited but first": (lambda: changed(FORFEIT, "end", places=(2, 1)), 9, "found forfeited"),
    "forfeited with scores": (lambda: changed(FORFEIT, "end", scores=(1, 0)), 9, "found forfeited"),
    "other rules": (lambda: changed(GAME, "header", rules="poker"), 1, "rules: found 'poker'"),
    "other options": (lambda: changed(GAME, "header", options={"rounds": 3}), 1, "options: found"),
    "other data": (lambda: changed(GAME, "header", data_digest="00"), 1, "data_digest: found '00'"),
}


@pytest.mark.parametrize(("forge", "line", "what"), FORGERIES.values(), ids=FORGERIES)
def test_a_forgery_is_found_and_placed(forge: Callable[[], Record], line: int, what: str) -> None:
    with pytest.raises(RecordError, match=f"^line {line}: .*{what}"):
        verify(forge(), RULES, SECRET)


@pytest.mark.parametrize("record", [GAME, FORFEIT], ids=["completed", "forfeited"])
def test_honest_records_pass(record: Record) -> None:
    verify(record, RULES, SECRET)
    verify(record, RULES)


def test_without_the_seed_any_possible_chance_passes() -> None:
    forged = FORGERIES["another card"][0]()
    places, scores = _outcome(forged)
    verify(changed(forged, "end", places=places, scores=scores), RULES)


def _outcome(record: Record) -> tuple[Any, Any]:
    state = [step.after for step in steps(record, RULES)][-1]
    outcome = RULES.outcome(state)
    assert outcome is not None
    return outcome.places, outcome.scores


class Ruled(ToyRules):
    """Toy games that all end by a ruling."""

    def outcome(self, state: Any) -> Outcome | None:
        outcome = super().outcome(state)
        return outcome and outcome._replace(ruling="TY-01")


def test_a_ruling_that_ended_the_game_is_named() -> None:
    verify(end(ruling="TY-01"), Ruled(2), SECRET)
    for ruling, found in [("", "completed,"), ("TY-02", "completed by TY-02,")]:
        with pytest.raises(RecordError, match=f"found {found} .* expected completed by TY-01"):
            verify(end(ruling=ruling), Ruled(2), SECRET)


def test_rules_for_another_table_are_not_these_rules() -> None:
    with pytest.raises(RecordError, match="line 1: seats: found 2, expected 3"):
        check_rules(GAME, ToyRules(3))


def test_steps_show_the_game_as_the_rules_saw_it() -> None:
    found = list(steps(GAME, RULES))
    assert [step.seat for step in found] == [CHANCE] * 3 + [0, 1] + [CHANCE, 0, 1]
    assert found[0].before == RULES.initial_state()
    assert all(one.after == two.before for one, two in pairwise(found))
