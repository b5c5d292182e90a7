from __future__ import annotations

from arena.schedule.schedule import Block
from arena.tournament.executor import BlockDone, pack, unpack_block, unpack_job, unpack_report
from arena.values.results import (
    Fault,
    FaultKind,
    GameDone,
    GameResult,
    GameVoid,
    Termination,
    VoidCause,
)
from tests.tournament.tables import dragonheart, job, player
from tests.toy import toy_spec


def test_what_workers_are_told_comes_back() -> None:
    setup = job(player("a", level=3, tone="\u00e9"), player("b"), rules=dragonheart())
    assert pack(unpack_job(pack(setup))) == pack(setup)
    assert unpack_job(pack(setup)).players == setup.players
    block = Block("b", (toy_spec(1), toy_spec(4)))
    assert unpack_block(pack(block)) == block


def test_what_workers_tell_comes_back() -> None:
    fault = Fault(1, FaultKind.TIMEOUT, 3, "late")
    result = GameResult(
        toy_spec(2), Termination.FORFEITED, (1, 2), 3, "digest", None, (fault,), (1, 2), 3
    )
    for report in (
        GameDone(result, b"\0record", ("", "oops")),
        GameVoid("g", VoidCause.ARENA, "Traceback"),
        BlockDone("b"),
    ):
        assert unpack_report(pack(report)) == report
