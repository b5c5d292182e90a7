"""The digest by which two games without chance are seen to be the same game."""

from __future__ import annotations

import msgspec
import pytest

from arena.referee.records.format import Record, moves_digest
from arena.values.results import Fault, FaultKind, Termination
from tests.referee.records.games import forfeited, played, read, with_plies

CHANCE = read(played().record)
MOVES = with_plies(CHANCE, *(ply for ply in CHANCE.plies if ply.seat is not None))
DIGEST = moves_digest(MOVES.plies, MOVES.end)


def of(record: Record) -> str:
    return moves_digest(record.plies, record.end)


def first(**changes: object) -> Record:
    ply, *others = MOVES.plies
    return with_plies(MOVES, msgspec.structs.replace(ply, **changes), *others)


def test_it_is_of_games_in_which_seats_acted_and_chance_did_not() -> None:
    assert DIGEST
    assert of(CHANCE) == of(read(forfeited().record)) == of(with_plies(CHANCE)) == ""


def test_what_differs_from_run_to_run_and_what_bots_remark_is_no_part_of_it() -> None:
    again = MOVES._replace(
        header=msgspec.structs.replace(MOVES.header, bot_seeds=(7, 8)),
        measured=msgspec.structs.replace(MOVES.measured, wall_us=9),
    )
    assert of(again) == of(first(info={"nodes": 5})) == DIGEST


@pytest.mark.parametrize(
    "other",
    [
        first(action={"type": "say", "number": 2}),
        first(seat=1),
        first(autopilot=True),
        with_plies(MOVES, *MOVES.plies[:-1]),
        MOVES._replace(end=msgspec.structs.replace(MOVES.end, places=(1, 1))),
        MOVES._replace(
            end=msgspec.structs.replace(
                MOVES.end,
                termination=Termination.FORFEITED,
                faults=(Fault(0, FaultKind.TIMEOUT, 4, ""),),
            )
        ),
    ],
    ids=["action", "seat", "autopilot", "length", "places", "fault"],
)
def test_whatever_else_differs_makes_another_game(other: Record) -> None:
    assert of(other) not in (DIGEST, "")


def test_an_action_has_the_same_digest_before_and_after_it_is_written() -> None:
    """The referee has the action itself, whoever verifies what was read of it."""
    ply = MOVES.plies[0]
    text = msgspec.json.encode(MOVES.plies)
    plies = tuple(msgspec.json.decode(text, type=list[type(ply)]))
    assert moves_digest(plies, MOVES.end) == DIGEST
