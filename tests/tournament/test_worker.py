"""Bots and games of one worker, in this process and at the toy table."""

from __future__ import annotations

import errno
import os
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from arena.hosting import orphans
from arena.hosting.isolation import Launch
from arena.records.read import parse, unpack
from arena.referee.channel import PipeChannel
from arena.referee.faults import Offence
from arena.referee.play import Terms
from arena.referee.session import Session
from arena.results import FaultKind, GameSpec, Termination
from arena.rules.base import RulesError
from arena.tournament import jobs, worker
from arena.tournament.jobs import BlockDone, GameDone, GameVoid, Job
from arena.tournament.worker import Stable, Worker
from tests.toy import ToyRules

from .tables import SEEDS, job, player, schedule

pytestmark = pytest.mark.usefixtures("spared", "toy_table", "leaves_nothing")


@pytest.fixture
def spared(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker kills all its children; here that are only those of the test."""
    orphans.adopt_orphans()
    found, before = orphans.children, set(orphans.children())
    monkeypatch.setattr(orphans, "children", lambda: [p for p in found() if p not in before])


@pytest.fixture
def toy_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "make_rules", lambda spec: ToyRules(spec.seats))


@pytest.fixture
def stable(request: pytest.FixtureRequest) -> Iterator[Stable]:
    """The bots of the job in the parameter."""
    stable = Stable(request.param)
    yield stable
    stable.close()


def bots(*names: str) -> Job:
    """A job in which every entrant is called like its bot."""
    return job(*(player(name, name) for name in names))


def pid(session: Session | Offence) -> int:
    assert isinstance(session, Session)
    assert isinstance(session.channel, PipeChannel)
    return session.channel.pid


# The stable


@pytest.mark.parametrize("stable", [bots("honest")], indirect=True)
def test_a_process_stays_with_its_seating(stable: Stable) -> None:
    first, second = (pid(stable.session("honest", instance)) for instance in (0, 1))
    assert first != second
    assert [pid(stable.session("honest", instance)) for instance in (0, 1)] == [first, second]


@pytest.mark.parametrize("stable", [bots("honest")], indirect=True)
def test_a_dropped_process_is_gone_and_started_anew(stable: Stable) -> None:
    first = pid(stable.session("honest", 0))
    stable.drop("honest", 0)
    assert orphans.children() == []
    assert pid(stable.session("honest", 0)) != first
    stable.drop("honest", 7)


@pytest.mark.parametrize("stable", [bots("exit_at_start", "honest")], indirect=True)
def test_a_bot_that_is_not_ready_is_absent(stable: Stable) -> None:
    offence = stable.session("exit_at_start", 0)
    assert isinstance(offence, Offence)
    assert (offence.kind, offence.exit_status) == (FaultKind.STARTUP, 1)
    assert offence.stderr == "no model file\n"
    assert orphans.children() == []


@pytest.mark.parametrize("stable", [bots("leaves_a_daemon_at_start")], indirect=True)
def test_what_a_bot_started_ends_with_its_failed_start(stable: Stable) -> None:
    offence = stable.session("leaves_a_daemon_at_start", 0)
    assert isinstance(offence, Offence)
    assert offence.stderr.startswith("daemon ")
    assert orphans.children() == []


@pytest.mark.parametrize("stable", [bots("leaves_a_daemon", "honest")], indirect=True)
def test_daemons_end_with_their_bot_and_nobody_else_does(stable: Stable) -> None:
    spec = GameSpec("toy-2/g", "b", "d", 0, ("leaves_a_daemon", "honest"))
    done = Worker(bots("leaves_a_daemon", "honest"), stable).play(spec)
    assert done.stderr[0].startswith("daemon ")
    assert len(orphans.children()) == 3
    stable.drop("leaves_a_daemon", 0)
    assert orphans.children() == [pid(stable.session("honest", 0))]


MISSING = job(player("missing", Launch(("/no/such/program",), "/")))


@pytest.mark.parametrize("stable", [MISSING], indirect=True)
def test_a_program_that_is_missing_is_its_bots_fault(stable: Stable) -> None:
    offence = stable.session("missing", 0)
    assert isinstance(offence, Offence)
    assert offence.kind is FaultKind.STARTUP
    assert offence.detail == "cannot be started: No such file or directory"


@pytest.mark.parametrize("stable", [bots("honest")], indirect=True)
@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM])
def test_a_machine_that_is_exhausted_is_not(
    stable: Stable, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(worker, "BotProcess", fail)
    with pytest.raises(OSError, match=r"\[Errno"):
        stable.session("honest", 0)


@pytest.mark.parametrize("stable", [bots("honest", "hang", "drip")], indirect=True)
def test_the_process_used_longest_ago_makes_room(
    stable: Stable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "_LIVE_BOTS", 2)
    honest, hang = (pid(stable.session(name, 0)) for name in ("honest", "hang"))
    stable.session("honest", 0)
    drip = pid(stable.session("drip", 0))
    assert set(orphans.children()) == {honest, drip}
    assert hang not in orphans.children()


@pytest.mark.parametrize("stable", [bots("stays_after_bye", "honest")], indirect=True)
def test_all_bots_share_one_time_to_leave(stable: Stable, monkeypatch: pytest.MonkeyPatch) -> None:
    graces: list[float] = []
    close = PipeChannel.close

    def note(channel: PipeChannel, grace: float = 0.0) -> None:
        graces.append(grace)
        close(channel, grace)

    monkeypatch.setattr(PipeChannel, "close", note)
    for instance in range(3):
        stable.session("stays_after_bye", instance)
    stable.close()
    assert orphans.children() == []
    assert graces[0] > 0
    assert graces[1:] == [0.0, 0.0]


@pytest.mark.parametrize("stable", [bots("honest")], indirect=True)
def test_once_all_are_killed_nothing_is_started(stable: Stable) -> None:
    stable.session("honest", 0)
    stable.kill()
    assert orphans.children() == []
    late = threading.Thread(target=stable.session, args=("honest", 1))
    late.start()
    late.join(0.2)
    assert late.is_alive()
    assert orphans.children() == []
    stable._starting.release()
    late.join()


# Games


HONEST = (player("a", level=3), player("b"))
GAMES = next(schedule("a", "b").blocks()).games


def play(job: Job, *specs: GameSpec) -> list[GameDone]:
    stable = Stable(job)
    try:
        return [Worker(job, stable).play(spec) for spec in specs]
    finally:
        stable.close()


def test_a_game_is_played_by_the_book() -> None:
    (done,) = play(job(*HONEST), GAMES[1])
    record, digest = parse(unpack(done.record))
    assert done.result.termination is Termination.COMPLETED
    assert (done.result.spec, done.result.digest) == (GAMES[1], digest)
    assert record.header.bot_seeds == tuple(SEEDS.bot(GAMES[1], seat) for seat in (0, 1))


def test_fresh_processes_play_the_same_games() -> None:
    reused, fresh = (play(job(*HONEST, fresh=fresh), *GAMES) for fresh in (False, True))
    assert [done.result.digest for done in reused] == [done.result.digest for done in fresh]


def test_fresh_processes_end_with_their_game() -> None:
    stable = Stable(setup := job(*HONEST, fresh=True))
    Worker(setup, stable).play(GAMES[0])
    assert orphans.children() == []


def test_a_faulty_bot_is_started_anew_and_its_opponent_kept() -> None:
    stable = Stable(setup := bots("exit_0", "honest"))
    spec = GameSpec("toy-2/g", "b", "d", 0, ("exit_0", "honest"))
    results = [Worker(setup, stable).play(spec).result for _ in range(2)]
    assert results[0].digest == results[1].digest
    assert orphans.children() == [pid(stable.session("honest", 0))]
    stable.close()


@pytest.mark.parametrize("shown", [True, False])
def test_what_bots_are_told(shown: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Terms] = []
    real = worker.play_game

    def note(*arguments: Any, **named: Any) -> Any:
        told.append(arguments[-1])
        return real(*arguments, **named)

    monkeypatch.setattr(worker, "play_game", note)
    play(job(*HONEST, names_shown=shown), GAMES[0], GAMES[0])
    options = {"a": {"level": 3}, "b": {}}
    assert told[0].names == (GAMES[0].entrants if shown else None)
    assert told[0].bot_options == tuple(options[name] for name in GAMES[0].entrants)
    assert told[0].opaque_id != told[1].opaque_id


# Blocks


class Sent:
    """The parent's end of the pipe."""

    def __init__(self) -> None:
        self.reports: list[Any] = []

    def send_bytes(self, data: bytes) -> None:
        self.reports.append(jobs.unpack_report(data))


def play_block(setup: Job, stopping: bool = False) -> list[Any]:
    stable, sent, stop = Stable(setup), Sent(), threading.Event()
    if stopping:
        stop.set()
    block = next(schedule("a", "b").blocks())
    try:
        worker._play_block(Worker(setup, stable), block, sent, stop)  # type: ignore[arg-type]  # Sent stands in for a Connection
    finally:
        stable.close()
    return sent.reports


def test_a_block_is_reported_game_by_game() -> None:
    *games, last = play_block(job(*HONEST))
    assert [game.result.spec for game in games] == list(GAMES)
    assert last == BlockDone("toy-2/a+b:0")


def test_a_stopped_worker_begins_no_game() -> None:
    assert play_block(job(*HONEST), stopping=True) == [BlockDone("toy-2/a+b:0")]


class Broken(ToyRules):
    def apply(self, state: Any, action: Any) -> Any:
        if len(state.said) == 1:
            raise RulesError((), "a slip of ours")
        return super().apply(state, action)


def test_our_own_failure_makes_a_game_void_and_bots_begin_anew(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(worker, "make_rules", lambda spec: Broken(spec.seats))
    *voids, last = play_block(job(*HONEST))
    assert [type(void) for void in voids] == [GameVoid, GameVoid]
    assert [void.game_id for void in voids] == [game.game_id for game in GAMES]
    assert "RulesError: a slip of ours" in voids[0].reason
    assert "in apply" in voids[0].reason
    assert last == BlockDone("toy-2/a+b:0")
    assert [record.getMessage() for record in caplog.records] == [
        f"game {game.game_id} is void" for game in GAMES
    ]


SPINNER = """
import json, os, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "protocol": 1}), flush=True)
    elif message["type"] == "act":
        if os.fork() == 0:
            os.setsid()
            os.close(0), os.close(1), os.close(2)
            while True:
                pass
        sys.exit(1)
"""


def test_what_a_faulty_bot_leaves_behind_is_gone_while_the_others_play_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its daemon would take time from the bots that finish the game."""
    faulty = player("faulty", Launch((sys.executable, "-c", SPINNER), "/"))
    table = job(player("a"), player("b"), faulty, rules=ToyRules(3).spec)
    monkeypatch.setattr(worker, "make_rules", lambda spec: ToyRules(spec.seats))
    alive: list[int] = []
    ask = PipeChannel.ask

    def counted(channel: PipeChannel, *arguments: Any) -> Any:
        alive.append(len(orphans.children()))
        return ask(channel, *arguments)

    monkeypatch.setattr(PipeChannel, "ask", counted)
    orphans.adopt_orphans()
    stable = Stable(table)
    try:
        spec = GameSpec("toy-2/g", "b", "d", 0, ("a", "faulty", "b"))
        done = Worker(table, stable).play(spec)
    finally:
        stable.close()
    assert [fault.seat for fault in done.result.faults] == [1]
    assert done.result.termination is Termination.COMPLETED
    assert alive[-1] == 2
