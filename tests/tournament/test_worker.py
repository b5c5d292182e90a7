"""Bots and games of one worker, in this process and at the toy table."""

from __future__ import annotations

import errno
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.games import installed
from arena.games.base import RulesError
from arena.games.installed import OWN, Claim
from arena.games.registry import Games
from arena.hosting.machine import capacity, cgroups, orphans
from arena.hosting.process import BotProcess
from arena.hosting.sandbox.isolation import IsolationError, Launch, Level
from arena.referee.ask import Heartbeat
from arena.referee.channel import PipeChannel
from arena.referee.compiled import CompiledChannel
from arena.referee.play import GameConditions
from arena.referee.records.read import parse, unpack
from arena.referee.session import BotSession, MachineTooBusy, Offence
from arena.tournament import processes as bot_processes
from arena.tournament import worker
from arena.tournament.executor import BlockDone, Job, pack, unpack_report
from arena.tournament.processes import BotProcesses, ProcessKey
from arena.tournament.worker import Outlet, Worker
from arena.values.archives import archived, nothing, opened
from arena.values.results import (
    STEPS,
    FaultKind,
    GameDone,
    GameSpec,
    GameVoid,
    Learning,
    Limits,
    LogWire,
    Termination,
    VoidCause,
)
from tests.referee.processes import BOTS
from tests.tournament.tables import SEEDS, job, player, schedule
from tests.toy import ToyRules

pytestmark = [
    pytest.mark.slow,
    pytest.mark.process,
    pytest.mark.usefixtures("spared", "toy_table", "leaves_nothing"),
]


@pytest.fixture
def toy_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "make_rules", lambda spec: ToyRules(spec.seats))


@pytest.fixture
def processes(request: pytest.FixtureRequest) -> Iterator[BotProcesses]:
    """The bots of the job in the parameter."""
    with closing(BotProcesses(request.param)) as processes:
        yield processes


def bots(*names: str, log_wire: LogWire = LogWire.OFF) -> Job:
    """A job in which every entrant is called like its bot."""
    return job(*(player(name, name) for name in names), log_wire=log_wire)


def started(processes: BotProcesses, name: str, instance: int = 0) -> int:
    """The id of its process, which runs now."""
    session = processes.session(ProcessKey(name, instance))
    assert isinstance(session, BotSession)
    assert isinstance(session.channel, PipeChannel)
    return session.channel.pid


def refused(processes: BotProcesses, name: str) -> Offence:
    """Why it does not play; nothing of it is left."""
    offence = processes.session(ProcessKey(name, 0))
    assert isinstance(offence, Offence)
    assert offence.kind is FaultKind.STARTUP
    assert orphans.children() == []
    return offence


def raising(error: Exception) -> Callable[..., Any]:
    def fail(*_: object, **__: object) -> None:
        raise error

    return fail


EXHAUSTED = [errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM, errno.ENOSPC]
EXHAUSTION = [OSError(number, os.strerror(number)) for number in EXHAUSTED]
NO_SUCH = FileNotFoundError(errno.ENOENT, "No such file or directory")
UNSAFE = IsolationError("no Landlock")

# The processes


@pytest.mark.parametrize(
    ("entrants", "seating", "keys"),
    [
        (("a", "b"), 0, [("a", 0), ("b", 0)]),
        (("b", "a"), 1, [("b", 2), ("a", 2)]),
        (("a", "b", "a", "a"), 0, [("a", 0), ("b", 0), ("a", 1), ("a", 2)]),
        (("a", "a", "b", "a"), 1, [("a", 4), ("a", 5), ("b", 4), ("a", 6)]),
    ],
)
def test_no_two_seats_nor_seatings_share_a_process(entrants, seating, keys) -> None:
    spec = GameSpec("toy/g", "b", "d", seating, entrants)
    assert [ProcessKey.of(spec, seat) for seat in range(len(entrants))] == keys


@pytest.mark.parametrize("processes", [bots("honest")], indirect=True)
def test_a_process_stays_with_its_seating_until_it_is_dropped(processes: BotProcesses) -> None:
    cells = Path(job().local.workspace) / "cells"
    before = set(os.listdir(cells))
    first = started(processes, "honest")
    assert len(set(os.listdir(cells)) - before) == 1
    second = started(processes, "honest", 1)
    assert [started(processes, "honest", k) for k in (0, 1)] == [first, second]
    assert first != second
    stray = os.posix_spawn(sys.executable, [sys.executable, "-c", "input()"], {})
    processes.inspect()
    assert {*orphans.children(), stray} == {first, second, stray}
    assert stray not in orphans.children()
    processes.drop(ProcessKey("honest", 1))
    processes.drop(ProcessKey("honest", 7))
    assert orphans.children() == [first]
    processes.drop(ProcessKey("honest", 0))
    assert orphans.children() == []
    assert set(os.listdir(cells)) == before
    assert started(processes, "honest") not in (first, second)


NO_PROGRAM = player("missing", Launch(("/no/such/program",), "/"))


@pytest.mark.parametrize(
    ("processes", "name", "status", "detail", "stderr"),
    [
        (bots("exit_at_start"), "exit_at_start", 1, "", "no model file\n"),
        (bots("leaves_a_daemon_at_start"), "leaves_a_daemon_at_start", None, "", "daemon "),
        (job(NO_PROGRAM), "missing", None, "cannot be started: No such file or directory", ""),
    ],
    indirect=["processes"],
)
def test_a_bot_that_is_not_ready_is_absent(processes, name, status, detail, stderr) -> None:
    offence = refused(processes, name)
    assert detail in ("", offence.detail)
    assert status in (None, offence.exit_status)
    assert offence.stderr.startswith(stderr)


@pytest.mark.parametrize("processes", [bots("leaves_a_daemon", "honest")], indirect=True)
def test_daemons_end_with_their_bot_and_nobody_else_does(processes: BotProcesses) -> None:
    spec = GameSpec("toy-2/g", "b", "d", 0, ("leaves_a_daemon", "honest"))
    done = Worker(bots("leaves_a_daemon", "honest"), processes).play(spec)
    assert "\ndaemon " in done.stderr[0]
    alone = [started(processes, name) for name in spec.entrants]
    assert sorted(orphans.children()) == sorted(alone)


@pytest.mark.parametrize("processes", [bots("honest")], indirect=True)
@pytest.mark.parametrize(
    ("part", "error"),
    [("BotProcess", error) for error in (*EXHAUSTION, UNSAFE)] + [("handshake", ValueError())],
)
def test_a_machine_that_gives_nothing_is_no_fault_of_the_bot(
    processes: BotProcesses, part: str, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bot_processes, part, raising(error))
    with pytest.raises(type(error)) as caught:
        processes.session(ProcessKey("honest", 0))
    assert caught.value is error
    assert orphans.children() == []


@pytest.mark.parametrize("processes", [bots("exit_at_start")], indirect=True)
@pytest.mark.parametrize("error", [NO_SUCH, *EXHAUSTION, UNSAFE])
def test_what_kept_a_bot_from_starting_is_learnt_afterwards(processes, error, monkeypatch) -> None:
    monkeypatch.setattr(BotProcess, "start_error", lambda _: error)
    if error is NO_SUCH:
        detail = refused(processes, "exit_at_start").detail
        assert detail == "cannot be started: No such file or directory"
        return
    with pytest.raises(type(error)) as caught:
        processes.session(ProcessKey("exit_at_start", 0))
    assert caught.value is error
    assert orphans.children() == []


# Limits

GREEDY = """
import json, mmap, os, sys, time
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "protocol": 1}), flush=True)
    elif message["type"] == "act":
        {greed}
        time.sleep(60)
"""


@pytest.fixture
def no_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroups, "create", lambda *_: None)


@pytest.mark.usefixtures("no_groups")
@pytest.mark.parametrize(
    ("greed", "why"),
    [
        pytest.param(
            "taken = mmap.mmap(-1, 256 << 20); taken.write(bytes(256 << 20))",
            "used more than 128 MiB of memory",
            id="shared memory, which no limit of a process counts",
        ),
        pytest.param(
            "[(b := bytearray(50 << 20)) and time.sleep(60) for _ in range(4) if os.fork() == 0]",
            "used more than 128 MiB of memory",
            id="children together",
        ),
        pytest.param(
            "[time.sleep(60) for _ in range(12) if os.fork() == 0]",
            "had more than 8 processes",
            id="processes",
        ),
    ],
)
def test_a_bot_over_its_limits_is_killed_and_blamed_for_that(greed, why, monkeypatch) -> None:
    monkeypatch.setattr(BotProcess, "is_kept_in_limits", False)
    limits = Limits(memory=128 << 20, processes=8)
    # what the kernel itself limits is set higher: that is tested elsewhere
    higher = Limits(memory=1 << 30, processes=None)
    code = GREEDY.replace("{greed}", greed)
    launch = Launch((sys.executable, "-c", code), str(BOTS), level=Level.LIMITS, limits=higher)
    greedy = player("greedy", launch, limits)
    setup = job(greedy, player("honest"))
    over = threading.Event()
    with closing(BotProcesses(setup)) as processes:
        assert processes.needs_inspection

        def inspect() -> None:
            while not over.wait(0.01):
                processes.inspect()

        watch = threading.Thread(target=inspect, daemon=True)
        watch.start()
        spec = GameSpec("toy-2/g", "b", "d", 0, ("greedy", "honest"))
        done = Worker(setup, processes).play(spec)
        over.set()
        watch.join()
    (fault,) = done.result.faults
    assert (fault.seat, fault.kind, fault.detail) == (0, FaultKind.LIMIT, why)


def test_bots_without_limits_need_no_inspection() -> None:
    assert not BotProcesses(bots("honest")).needs_inspection


@pytest.mark.parametrize("processes", [bots("honest", "hang", "drip")], indirect=True)
def test_the_process_used_longest_ago_makes_room(processes, monkeypatch) -> None:
    monkeypatch.setattr(bot_processes, "_LIVE_BOTS", 2)
    honest, _, again, drip = (started(processes, n) for n in ("honest", "hang", "honest", "drip"))
    assert again == honest
    assert set(orphans.children()) == {honest, drip}


@pytest.mark.parametrize("processes", [job(player("honest"), kept=3)], indirect=True)
def test_few_are_kept_where_processes_are_few(processes: BotProcesses) -> None:
    pids = [started(processes, "honest", instance) for instance in range(5)]
    assert set(orphans.children()) == set(pids[2:])


@pytest.mark.parametrize("processes", [job(player("honest"))], indirect=True)
def test_more_are_kept_where_there_is_plenty(processes, monkeypatch) -> None:
    monkeypatch.setattr(bot_processes, "KEPT", 2)
    left = [0.9]
    monkeypatch.setattr(capacity, "free", lambda: left[0])
    pids = [started(processes, "honest", instance) for instance in range(4)]
    assert set(orphans.children()) == set(pids)
    left[0] = 0.4  # enough for those that are there
    pids.append(started(processes, "honest", 4))
    processes.inspect()
    assert started(processes, "honest", 1) == pids[1]
    assert set(orphans.children()) == set(pids[1:])
    left[0] = 0.1
    monkeypatch.setattr(bot_processes, "_LOOK_SECONDS", 0.0)
    processes.inspect()
    assert started(processes, "honest", 2) == pids[2]
    assert len(orphans.children()) == 2
    last = started(processes, "honest", 9)
    assert set(orphans.children()) == {pids[2], last}


class Exhausted:
    """A machine that lets nobody start while more processes than these live."""

    def __init__(self, most: int, error: Exception) -> None:
        self.most = most
        self.error = error

    def start(self, *arguments: Any) -> BotProcess:
        if len(orphans.children()) >= self.most:
            raise self.error
        return BotProcess(*arguments)


@pytest.mark.parametrize("processes", [bots("honest")], indirect=True)
@pytest.mark.parametrize("error", [*EXHAUSTION, IsolationError("Creating new namespace failed")])
def test_bots_are_let_go_where_there_is_no_room_for_another(processes, error, monkeypatch) -> None:
    monkeypatch.setattr(bot_processes, "BotProcess", Exhausted(3, error).start)
    *_, last, new = (started(processes, "honest", instance) for instance in range(4))
    assert set(orphans.children()) == {last, new}  # both at the table


@pytest.mark.parametrize("processes", [bots("honest")], indirect=True)
def test_nobody_at_the_table_is_let_go(processes, monkeypatch) -> None:
    monkeypatch.setattr(bot_processes, "BotProcess", Exhausted(1, EXHAUSTION[2]).start)
    first = started(processes, "honest")
    with pytest.raises(BlockingIOError):
        processes.session(ProcessKey("honest", 1))
    assert orphans.children() == [first]


@pytest.mark.parametrize("processes", [bots("stays_after_bye", "honest")], indirect=True)
def test_all_bots_share_one_time_to_leave(processes, monkeypatch) -> None:
    graces: list[float] = []
    close = PipeChannel.close

    def note(channel: PipeChannel, grace: float = 0.0) -> None:
        graces.append(grace)
        close(channel, grace)

    monkeypatch.setattr(PipeChannel, "close", note)
    for instance in range(3):
        processes.session(ProcessKey("stays_after_bye", instance))
    processes.close()
    assert orphans.children() == []
    assert graces[0] > 0
    assert graces[1:] == [0.0, 0.0]


@pytest.mark.parametrize("processes", [bots("honest")], indirect=True)
def test_once_all_are_killed_nothing_is_started(processes: BotProcesses) -> None:
    processes.session(ProcessKey("honest", 0))
    processes.kill()
    assert orphans.children() == []
    late = threading.Thread(target=processes.session, args=(ProcessKey("honest", 1),))
    late.start()
    late.join(0.2)
    assert late.is_alive()
    assert orphans.children() == []
    processes._starting.release()
    late.join()


# Games


HONEST = (player("a", level=3), player("b"))
GAMES = next(schedule("a", "b").blocks()).games


def play(job: Job, *specs: GameSpec, pulse: Heartbeat | None = None) -> list[GameDone]:
    """By one worker, which leaves no process."""
    with closing(BotProcesses(job)) as processes:
        worker = Worker(job, processes, pulse or Heartbeat())
        return [worker.play(spec) for spec in specs]


def test_a_game_is_played_by_the_book_and_tells_what_bots_took() -> None:
    (done,) = play(job(*HONEST), GAMES[1])
    record, digest = parse(unpack(done.record))
    assert done.result.termination is Termination.COMPLETED
    assert (done.result.spec, done.result.digest) == (GAMES[1], digest)
    assert record.header.bot_seeds == tuple(SEEDS.bot(GAMES[1], seat) for seat in (0, 1))
    assert [own.games for own in done.spent] == [1, 1], "the first game is looked at"
    for own in done.spent:
        assert own.cpu_us > 0
        assert own.memory > 1 << 20
        assert sum(own.times[1::2]) > 0
        assert 2 ** (own.times[-2] / STEPS) <= own.longest_us


def test_quick_games_are_not_looked_at_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot_processes, "_METER_AGAIN_SECONDS", 1000.0)
    games = play(job(*HONEST), GAMES[0], GAMES[0], GAMES[0])
    assert [[own.games for own in done.spent] for done in games] == [[1, 1], [0, 0], [0, 0]]
    assert all(own.times for done in games for own in done.spent)


def test_of_a_bot_that_has_ended_nothing_but_times_is_known() -> None:
    spec = GameSpec("toy-2/g", "b", "d", 0, ("exit_1", "honest"))
    (done,) = play(bots("exit_1", "honest"), spec)
    gone, there = done.spent
    assert (gone.games, gone.cpu_us, gone.memory) == (0, 0, 0)
    assert there.games == 1


def test_fresh_processes_play_the_same_games_and_end_with_them() -> None:
    digests = [done.result.digest for done in play(job(*HONEST), *GAMES)]
    with closing(BotProcesses(setup := job(*HONEST, fresh=True))) as processes:
        for game, digest in zip(GAMES, digests, strict=True):
            assert Worker(setup, processes).play(game).result.digest == digest
            assert orphans.children() == []


@pytest.mark.parametrize(
    ("kept", "seats"), [(LogWire.OFF, set()), (LogWire.FAULTS, {1}), (LogWire.ALL, {0, 1})]
)
def test_exchanges_are_kept_of_the_games_that_are_asked_for(kept: LogWire, seats: set[int]) -> None:
    setup = bots("honest", "exit_1", log_wire=kept)
    spec = GameSpec("toy-2/g", "b", "d", 0, ("honest", "exit_1"))
    for done in play(setup, spec, spec):
        assert done.wire.keys() == seats
        for exchange in done.wire.values():
            lines = [msgspec.json.decode(line) for line in exchange.splitlines()]
            sent = [line["text"] for line in lines if line["way"] == "to"]
            types = [msgspec.json.decode(text)["type"] for text in sent]
            assert types[:3] == ["hello", "start", "act"], "of the second game too"
            assert types.count("start") == 1


@pytest.mark.parametrize("fresh", [False, True])
@pytest.mark.parametrize("level", [Level.LIMITS, Level.LANDLOCK])
def test_names_that_were_looked_for_are_forgotten_between_games(level, fresh, monkeypatch) -> None:
    times: list[int] = []
    monkeypatch.setattr(
        "arena.hosting.sandbox.side_channels.drop_name_cache",
        lambda: times.append(len(orphans.children())),
    )
    launch = msgspec.structs.replace(HONEST[0].bot.launch, level=level)
    players = [player(name, launch) for name in "ab"]
    setup = job(*players, fresh=fresh)
    monkeypatch.setattr(BotProcesses, "session", lambda *_: Offence(FaultKind.STARTUP, "not there"))
    Worker(setup, BotProcesses(setup)).play(GAMES[0])
    assert times == ([0] if fresh and level is Level.LANDLOCK else [])


def test_a_faulty_bot_is_started_anew_and_its_opponent_kept() -> None:
    spec = GameSpec("toy-2/g", "b", "d", 0, ("exit_0", "honest"))
    with closing(BotProcesses(setup := bots("exit_0", "honest"))) as processes:
        first, second = (Worker(setup, processes).play(spec).result for _ in range(2))
        assert first.digest == second.digest
        assert orphans.children() == [started(processes, "honest")]


@pytest.mark.parametrize("shown", [True, False])
def test_what_bots_are_told(shown: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[GameConditions] = []
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
        self.reports.append(unpack_report(data))


def play_block(setup: Job, stopping: bool = False) -> list[Any]:
    sent, stop = Sent(), threading.Event()
    if stopping:
        stop.set()
    block = next(schedule("a", "b").blocks())
    with closing(BotProcesses(setup)) as processes:
        outlet = Outlet(sent)  # type: ignore[arg-type]  # Sent stands in for a Connection
        worker._play_block(Worker(setup, processes), block, outlet, stop)
    return sent.reports


def test_a_block_is_reported_game_by_game_and_none_is_begun_after_a_stop() -> None:
    *games, last = play_block(job(*HONEST))
    assert [game.result.spec for game in games] == list(GAMES)
    assert last == BlockDone("toy-2/a+b:0")
    assert play_block(job(*HONEST), stopping=True) == [last]


BUSY = MachineTooBusy("the machine kept a bot waiting for 5.0 s")


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (BUSY, "the machine kept a bot waiting for 5.0 s"),
        (UNSAFE, "no Landlock"),
        *[(each, f"the machine is exhausted: {each}") for each in EXHAUSTION],
        (MemoryError(), "the machine is exhausted: out of memory"),
    ],
)
def test_a_game_that_the_machine_ends_is_void_through_it(
    error: Exception, reason: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(worker, "play_game", raising(error))
    *voids, _ = play_block(job(*HONEST))
    assert voids == [GameVoid(game.game_id, VoidCause.MACHINE, reason) for game in GAMES]
    assert caplog.messages == [f"game {game.game_id} is void: {reason}" for game in GAMES]
    assert orphans.children() == []


def test_other_failures_of_the_system_are_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    denied = PermissionError(errno.EACCES, "Permission denied")
    monkeypatch.setattr(worker, "play_game", raising(denied))
    *voids, _ = play_block(job(*HONEST))
    assert [void.cause for void in voids] == [VoidCause.ARENA] * len(GAMES)


def watch_questions(monkeypatch: pytest.MonkeyPatch, note: Callable[[], object]) -> None:
    """Call ``note`` before each question, in Python and compiled."""

    def noting(ask: Callable[..., Any]) -> Callable[..., Any]:
        def asked(*arguments: Any) -> Any:
            note()
            return ask(*arguments)

        return asked

    for kind, name in ((PipeChannel, "ask"), (CompiledChannel, "choose")):
        monkeypatch.setattr(kind, name, noting(getattr(kind, name)))


class Counted(Heartbeat):
    """A pulse that counts its beats."""

    beats = 0

    def __setattr__(self, name: str, value: int) -> None:
        if name == "beat" and value:
            self.beats += 1
        super().__setattr__(name, value)


def test_every_question_is_a_sign_of_life(monkeypatch: pytest.MonkeyPatch) -> None:
    pulse, asked = Counted(), count()
    watch_questions(monkeypatch, lambda: next(asked))
    play(job(*HONEST), GAMES[0], pulse=pulse)
    starts = len(HONEST)
    assert pulse.beats >= next(asked) > starts
    assert pulse.beat == 0


STUCK_WORKER = """
import multiprocessing, sys, threading, time
from arena.games.base import RulesError
from arena.values.results import GameDone, GameVoid
from arena.tournament.executor import pack, unpack_report
from arena.tournament import worker
from tests.referee.processes import BOTS
from tests.toy import ToyRules

class Endless(ToyRules):
    times = int(sys.argv[1])
    def apply(self, state, action):
        while Endless.times:
            Endless.times -= 1
            print("stuck", flush=True)
            try:
                time.sleep(1000)
            except worker.NoProgress as error:
                if not Endless.times:
                    raise
        return super().apply(state, action)

worker._MARGIN, worker._EXCUSED_TIMES, worker._SLOW_TICK = 0.5, 0, 0.01
worker.make_rules = lambda spec: Endless(spec.seats)
blocks, theirs = multiprocessing.Pipe()
control, parent = multiprocessing.Pipe(duplex=False)
setup, block = (bytes.fromhex(line) for line in sys.stdin.read().split())
blocks.send_bytes(block)
blocks.send_bytes(b"")
worker.run(theirs, control, setup, -1)
while blocks.poll():
    report = unpack_report(blocks.recv_bytes())
    if isinstance(report, GameDone | GameVoid):
        print(type(report).__name__, getattr(report, "cause", ""))
"""


@pytest.mark.parametrize(
    ("times", "printed", "status"),
    [
        (1, "stuck\nGameVoid arena\nGameDone \n", 0),  # interrupted: the next game is played
        (2, "stuck\nstuck\n", worker.STUCK),  # the rules do not let themselves be interrupted
    ],
)
def test_a_game_that_is_stuck_is_interrupted_and_ended(
    times: int, printed: str, status: int
) -> None:
    setup, block = job(*HONEST), next(schedule("a", "b").blocks())
    ran = subprocess.run(
        [sys.executable, "-c", STUCK_WORKER, str(times)],
        input="\n".join(pack(each).hex() for each in (setup, block)),
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    assert (ran.stdout, ran.stderr, ran.returncode) == (printed, "", status)
    assert orphans.children() == []


class Broken(ToyRules):
    def apply(self, state: Any, action: Any) -> Any:
        if len(state.said) == 1:
            raise RulesError((), "a slip of ours")
        return super().apply(state, action)


@pytest.mark.parametrize(
    ("package", "cause", "reason"),
    [
        (OWN, VoidCause.ARENA, r"(?s)^Traceback .* in apply\n.*RulesError: a slip of ours\n$"),
        (
            "toys",
            VoidCause.RULES,
            r"^toy of toys 1\.2 failed: .*a slip of ours \(test_worker.py:\d+",
        ),
    ],
)
def test_a_failure_of_ours_or_of_rules_makes_a_game_void_and_bots_begin_anew(
    package: str,
    cause: VoidCause,
    reason: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(worker, "make_rules", lambda spec: Broken(spec.seats))
    claim = Claim("toy", f"{__name__}:GAME", package, "1.2")
    monkeypatch.setattr(Games, "source", lambda games, name: claim)
    monkeypatch.setattr(installed, "announced", lambda group: [claim])
    setup = job(*HONEST)
    rules = {
        name: msgspec.structs.replace(spec, package="toys", version="1.2")
        for name, spec in setup.rules.items()
    }
    *voids, last = play_block(msgspec.structs.replace(setup, rules=rules))
    for void, game in zip(voids, GAMES, strict=True):
        assert isinstance(void, GameVoid)
        assert (void.game_id, void.cause) == (game.game_id, cause)
        assert re.search(reason, void.reason)
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


def test_what_a_faulty_bot_leaves_behind_is_gone_while_the_others_play_on(monkeypatch) -> None:
    """Its daemon would take time from the bots that finish the game."""
    faulty = player("faulty", Launch((sys.executable, "-c", SPINNER), "/"))
    table = job(player("a"), player("b"), faulty, rules=ToyRules(3).spec)
    alive: list[int] = []
    watch_questions(monkeypatch, lambda: alive.append(len(orphans.children())))
    (done,) = play(table, GameSpec("toy-2/g", "b", "d", 0, ("a", "faulty", "b")))
    assert [fault.seat for fault in done.result.faults] == [1]
    assert done.result.termination is Termination.COMPLETED
    assert alive[-1] == 2


LEARNER = """\
import json, os, sys, time
how, place = sys.argv[1], os.environ["ARENA_WRITE"]
def write(name, text="1"):
    with open(os.path.join(place, name), "w") as file:
        file.write(text)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "protocol": 1}), flush=True)
    elif message["type"] == "act":
        write("own", str(sorted(os.listdir(os.environ["ARENA_READ"]))))
        if how == "crashes":
            sys.exit(1)
        if how == "floods":
            for number in range(10**6):
                write(f"f{number % 5000}")
        print(json.dumps({"type": "action", "id": message["id"], "action": 0}), flush=True)
    elif message["type"] == "over" and how == "links":
        os.symlink("/etc/passwd", os.path.join(place, "link"))
if how == "stays":
    time.sleep(60)
"""


@pytest.mark.parametrize(
    ("how", "kept", "dropped"),
    [
        ("writes", True, ""),
        ("links", False, "it holds something that is no file"),
        ("stays", False, "its process did not end in time"),
        ("crashes", False, ""),
        ("floods", False, ""),
    ],
)
def test_what_a_bot_wrote_is_kept_if_it_ended_well(how, kept, dropped, monkeypatch) -> None:
    monkeypatch.setattr(bot_processes, "_LEARNING_SECONDS", 1.0)
    learner = Launch((sys.executable, "-S", "-c", LEARNER, how), str(BOTS))
    setup = job(player("a", learner), player("b", learner), fresh=True)
    setup = msgspec.structs.replace(setup, learning=Learning(size=1 << 16, files=100))
    given = archived({"old": b"1"})
    with closing(BotProcesses(setup)) as own, bot_processes.looked_after(own):
        done = Worker(setup, own).play(GAMES[0], learned=[("a", given)])
    faulty = {fault.seat: fault.kind for fault in done.result.faults}
    assert all(
        kind is (FaultKind.LIMIT if how == "floods" else FaultKind.CRASH)
        for kind in faulty.values()
    )
    assert bool(faulty) == (how in ("crashes", "floods"))
    read = {"a": "['old']", "b": "[]"}
    for seat, name in enumerate(done.result.spec.entrants):
        learned, archive = done.learned[seat], done.archives[seat]
        assert learned.given == (given if name == "a" else nothing()).digest
        if seat in faulty or not faulty:
            assert (bool(archive), learned.dropped) == (kept, dropped)
        if kept:
            assert opened(archive, learned.digest) == {"own": read[name].encode()}
