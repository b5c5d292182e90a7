from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from arena.hosting.process import BotProcess
from arena.referee.channel import PipeChannel, Reply, Silence
from arena.referee.joint import Steps
from arena.referee.protocol import Bye, Hello, Ready, decode, encode
from arena.referee.stderr_capture import StderrCapture
from arena.values.results import Limits
from tests.referee.processes import AMPLE, launch, started
from tests.referee.scripted import SECOND

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("leaves_nothing")]
HELLO = encode(Hello((1,), "arena", Limits(), 10.0))
ACT = b'{"type":"act","id":"1","legal":[{}]}\n'
OVERSLEPT = 0.3
"""Seconds."""
OUTBOX = 1024 * 1024
"""Bytes held of messages that have no answer."""


def within(seconds: float) -> int:
    return round(seconds * SECOND)


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ([], ""),
        ([b"abcdef"], "abcdef"),
        ([b"abcdefgh"], "abcdefgh"),
        ([b"abcdefghi"], "abcd\n[... 1 bytes ...]\nfghi"),
        ([b"abc", b"def", b"ghi", b"jkl"], "abcd\n[... 4 bytes ...]\nijkl"),
        ([b"ab", b"x" * 100, b"yz"], "abxx\n[... 96 bytes ...]\nxxyz"),
        ([b"\xff"], "\ufffd"),
    ],
)
def test_captured_keeps_both_ends(pieces: list[bytes], expected: str) -> None:
    captured = StderrCapture(8)
    for piece in pieces:
        captured.add(piece)
    assert captured.text() == expected
    captured.clear()
    assert captured.text() == ""


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ([(b"a", 3), (b"b\n", 3), (b"c\n", 11)], "-- ply 3\nab\n-- ply 11\nc\n"),
        ([(b"early\n", None), (b"no line end", 0), (b"c\n", 2)],
         "early\n-- ply 0\nno line end\n-- ply 2\nc\n"),
        ([(b"-- ply 7\n\\-- ply 8\n", 1)], "-- ply 1\n\\-- ply 7\n\\\\-- ply 8\n"),
        ([(b"x" * 60, 0), (b"y" * 60, 4)],
         f"-- ply 0\n{'x' * 48}\n[... 24 bytes ...]\n-- ply 4\n{'y' * 48}"),
        ([(b"x" * 300, 5)], f"-- ply 5\n{'x' * 48}\n[... 204 bytes ...]\n{'x' * 48}"),
    ],
)  # fmt: skip
def test_what_came_stands_below_its_ply(pieces, expected) -> None:
    captured = StderrCapture(128)
    for piece, ply in pieces:
        captured.add(piece, ply)
    assert captured.text() == expected


def test_no_number_of_plies_takes_more_than_the_limit() -> None:
    captured = StderrCapture(1024)
    for ply in range(100_000):
        captured.add(b".", ply)
    assert len(captured.text()) < 1024 + len("\n[... 100000 bytes ...]\n")
    assert captured.text().endswith("-- ply 99999\n.")


def test_a_question_without_a_deadline_waits_for_the_answer() -> None:
    with started("honest") as channel:
        reply = channel.ask(HELLO, None)
        assert isinstance(reply, bytes)
        assert decode(reply) == Ready(1)
        assert channel.rest() == b""
        assert channel.exit_status() is None


def test_a_deadline_that_has_passed_is_a_timeout_at_once() -> None:
    with started("hang_at_start") as channel:
        assert channel.ask(HELLO, within(-1)) is Silence.TIMED_OUT
        assert channel.ask(HELLO, within(-1)) is Silence.TIMED_OUT


def test_a_process_that_ended_stays_ended() -> None:
    with started("exit_at_start") as channel:
        for _ in range(2):
            assert channel.ask(HELLO, within(AMPLE)) is Silence.ENDED
            assert channel.exit_status() == 1
        channel.tell(HELLO)
        assert channel.stderr() == "no model file\n"
        assert channel.stderr() == ""


def test_what_is_told_to_a_bot_that_does_not_read_is_bounded() -> None:
    line = b"x" * 99_999 + b"\n"
    with started("never_reads") as channel:
        for _ in range(1000):
            channel.tell(line)
            assert len(channel._outbox) <= OUTBOX + len(line)
        assert channel._outbox == b"", "it has lost lines: the others are of no use to it"


@pytest.mark.parametrize("deadline", [None, AMPLE])
def test_a_bot_that_lost_a_line_is_not_waited_for(deadline: float | None) -> None:
    with started("never_reads") as channel:
        for _ in range(2 * OUTBOX // len(HELLO)):
            channel.tell(HELLO)
        for _ in range(2):
            reply = channel.ask(ACT, None if deadline is None else within(deadline))
            assert reply is Silence.STDIN_BLOCKED
        assert channel._outbox == b""


def test_a_question_may_be_longer_than_what_is_held_of_messages() -> None:
    question = b" " * 3 * OUTBOX + HELLO
    with started("never_reads") as deaf, started("honest") as honest:
        assert isinstance(deaf.ask(HELLO, within(AMPLE)), bytes)
        assert deaf.ask(question, within(0.2)) is Silence.TIMED_OUT
        assert len(deaf._outbox) <= len(question)
        assert isinstance(honest.ask(question, within(AMPLE)), bytes)


def test_what_waited_is_delivered_with_the_next_question() -> None:
    with started("honest") as channel:
        channel.tell(b" " * 500_000 + HELLO)
        reply = channel.ask(HELLO, within(AMPLE))
        assert isinstance(reply, bytes)
        assert decode(reply) == Ready(1)


def test_a_line_that_came_unasked_is_the_answer_to_the_next_question() -> None:
    with started("answers_twice") as channel:
        assert isinstance(channel.ask(HELLO, within(AMPLE)), bytes)
        first = channel.ask(ACT, within(AMPLE))
        stopped = b""  # no question: nothing more can come
        assert channel.ask(stopped, None) == first


def test_a_dismissed_bot_may_leave_by_itself() -> None:
    with started("honest") as channel:
        channel.ask(HELLO, within(AMPLE))
        channel.dismiss(encode(Bye()))
        channel.close(AMPLE)
        assert channel.exit_status() == 0


def test_a_dismissed_bot_that_stays_is_killed() -> None:
    with started("stays_after_bye") as channel:
        channel.ask(HELLO, within(AMPLE))
        channel.dismiss(encode(Bye()))
        channel.close(0.2)
        assert channel.exit_status() == -signal.SIGKILL


def test_last_words_that_nobody_read_yet_outlive_the_channel() -> None:
    with started("exit_at_start") as channel:
        assert channel._process.wait(AMPLE)
        channel.close()
        assert channel.stderr() == "no model file\n"


def test_a_closed_channel_touches_no_file_that_has_the_numbers_of_its_pipes(tmp_path: Path) -> None:
    (tmp_path / "other").write_bytes(b"kept")
    with started("exit_1") as channel, ExitStack() as files:
        assert isinstance(channel.ask(HELLO + ACT, within(AMPLE)), bytes)
        assert channel.ask(b"", within(AMPLE)) is Silence.ENDED
        pipes = {channel._process.stdin, channel._process.stderr}
        channel.close()
        held = [files.enter_context((tmp_path / "other").open("r+b", 0)) for _ in range(9)]
        assert pipes <= {file.fileno() for file in held}
        channel.tell(HELLO)
        channel.dismiss(encode(Bye()))
        assert channel.stderr() == "my last words\n"
        assert channel.stderr() == ""
        channel.close(AMPLE)
        assert channel.exit_status() == 1
        assert [file.tell() for file in held] == [0] * len(held)
    assert (tmp_path / "other").read_bytes() == b"kept"


def test_a_bot_that_closed_its_input_can_be_dismissed() -> None:
    with started("closes_stdin") as channel:
        channel.ask(HELLO, within(AMPLE))
        channel.tell(HELLO)
        channel.dismiss(encode(Bye()))


class Wishful:
    """A poll that says more than there is: what a bot can cause by emptying its own pipes."""

    def __init__(self, poll: select.poll, ready: list[tuple[int, int]]) -> None:
        self._poll = poll
        self._ready = ready

    def poll(self, timeout: float | None) -> list[tuple[int, int]]:
        first, self._ready = self._ready, []
        return first or self._poll.poll(timeout)

    def unregister(self, descriptor: int) -> None:
        self._poll.unregister(descriptor)


@pytest.mark.parametrize("pipes", [("stdout",), ("stderr",), ("stderr", "stdout")])
def test_a_pipe_that_was_emptied_again_is_no_failure_of_ours(pipes: tuple[str, ...]) -> None:
    with started("honest") as channel:
        ready = [(getattr(channel._process, name), select.POLLIN) for name in pipes]
        channel._poll = Wishful(channel._poll, ready)
        reply = channel.ask(HELLO, within(AMPLE))
        assert isinstance(reply, bytes)
        assert decode(reply) == Ready(1)


class Patient:
    """A poll that notes how long it was to wait."""

    def __init__(self, poll: select.poll) -> None:
        self._poll = poll
        self.asked: list[float | None] = []

    def poll(self, timeout: float | None) -> list[tuple[int, int]]:
        self.asked.append(timeout)
        return self._poll.poll(0)


@pytest.mark.parametrize(("allowance", "glance"), [(-1, 0), (0, 0), (0.04, 10), (60, 50)])
def test_the_first_look_is_after_a_quarter_of_the_time(allowance: float, glance: float) -> None:
    def at_once(patience: object, ready: object) -> Steps[Reply]:
        yield from ()
        return Silence.TIMED_OUT

    with started("hang_at_start") as channel:
        channel._poll = poll = Patient(channel._poll)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(channel, "_wait", at_once)
            channel.ask(HELLO, within(allowance))
    (found,) = poll.asked
    assert found is not None
    assert glance / 2 <= found <= glance, "the question takes its time too"


class Oversleeping:
    """A poll that comes back far too late, once: as when the referee was stopped."""

    def __init__(self, poll: select.poll, skipped: int) -> None:
        """``skipped``: how many times before it comes back in time."""
        self._poll = poll
        self._left = skipped

    def poll(self, timeout: float | None) -> list[tuple[int, int]]:
        found = self._poll.poll(timeout)
        self._left -= 1
        if self._left == -1:
            time.sleep((timeout or 0) / 1000 + OVERSLEPT)
            return self._poll.poll(0)
        return found

    def unregister(self, descriptor: int) -> None:
        self._poll.unregister(descriptor)


@pytest.mark.slow
@pytest.mark.parametrize("skipped", [0, 1])
def test_what_the_referee_slept_is_the_bots(skipped: int) -> None:
    with started("hang_at_start") as channel:
        channel._poll = Oversleeping(channel._poll, skipped)
        began = time.monotonic()
        assert channel.ask(HELLO, within(0.2)) is Silence.TIMED_OUT
        assert time.monotonic() - began >= 0.2 + OVERSLEPT
        scheduler_delay = channel.scheduler_delay()
        assert scheduler_delay.lag >= OVERSLEPT * SECOND
        assert scheduler_delay.excused >= OVERSLEPT * SECOND


def test_an_answer_that_the_referee_read_too_late_counts() -> None:
    with started("honest") as channel:
        channel._poll = Oversleeping(channel._poll, 0)
        assert isinstance(channel.ask(HELLO, within(0.2)), bytes)
        scheduler_delay = channel.scheduler_delay()
        assert scheduler_delay.excused == scheduler_delay.lag >= OVERSLEPT * SECOND
        assert isinstance(channel.ask(ACT, within(AMPLE)), bytes)


def test_the_time_of_a_bot_begins_when_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not before: as when the referee is stopped on the way to asking."""
    with started("honest", pondering=False) as channel:
        thaw = channel._process.thaw

        def slowly() -> None:
            time.sleep(OVERSLEPT)
            thaw()

        assert isinstance(channel.ask(HELLO, within(AMPLE)), bytes)
        monkeypatch.setattr(channel._process, "thaw", slowly)
        assert isinstance(channel.ask(ACT, within(0.2)), bytes)


class Absent:
    """A poll that sees nothing at first."""

    def __init__(self, poll: select.poll) -> None:
        self._poll = poll
        self._looked = False

    def poll(self, timeout: float | None) -> list[tuple[int, int]]:
        looked, self._looked = self._looked, True
        return self._poll.poll(timeout) if looked else []

    def unregister(self, descriptor: int) -> None:
        self._poll.unregister(descriptor)


@pytest.mark.slow
@pytest.mark.parametrize("at_a_glance", [True, False])
@pytest.mark.parametrize(("allowance", "counts"), [(0.2, False), (AMPLE, True)])
def test_a_bot_cannot_win_time_by_keeping_the_referee_from_reading(
    at_a_glance: bool, allowance: float, counts: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thread of it that sleeps inside of a write has the pipe locked, for whoever looks at it."""
    unread = PipeChannel._unread

    def held_up(self: PipeChannel) -> int:
        time.sleep(OVERSLEPT)
        return unread(self)

    with started("honest") as channel:
        if not at_a_glance:
            channel._poll = Absent(channel._poll)
        with monkeypatch.context() as held:
            held.setattr(PipeChannel, "_unread", held_up)
            reply = channel.ask(HELLO, within(allowance))
        assert isinstance(reply, bytes) if counts else reply is Silence.TIMED_OUT


@pytest.mark.slow
@pytest.mark.parametrize("at_a_glance", [True, False])
@pytest.mark.parametrize("is_before", [True, False])
def test_an_answer_that_was_there_in_time_counts_however_late_it_is_read(
    at_a_glance: bool, is_before: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(descriptor: int, most: int) -> bytes | None:
        time.sleep(OVERSLEPT * is_before)
        data = os.read(descriptor, most)
        time.sleep(OVERSLEPT * (not is_before))
        return data

    with started("honest") as channel:
        assert isinstance(channel.ask(HELLO, within(AMPLE)), bytes)
        if not at_a_glance:
            channel._poll = Absent(channel._poll)
        with monkeypatch.context() as held:
            held.setattr("arena.referee.channel._read", read)
            assert isinstance(channel.ask(ACT, within(0.2)), bytes)
        assert channel.scheduler_delay().excused >= (OVERSLEPT - 0.01) * SECOND
        assert isinstance(channel.ask(ACT, within(AMPLE)), bytes)


def test_a_process_that_was_condemned_is_over_a_limit() -> None:
    with started("honest") as channel:
        assert isinstance(channel.ask(HELLO, within(AMPLE)), bytes)
        assert channel.over_limit() is None
        channel._process.condemn("used more than 1 GiB of memory")
        for _ in range(2):
            assert channel.ask(ACT, within(AMPLE)) is Silence.OVER_LIMIT
        assert channel.over_limit() == "used more than 1 GiB of memory"


# Without pondering


class Watched(BotProcess):
    """Notes when it is frozen and thawed."""

    noted: list[str]

    def freeze(self) -> None:
        self.noted.append("freeze")
        super().freeze()

    def thaw(self) -> None:
        self.noted.append("thaw")
        super().thaw()

    def kill(self) -> None:
        self.noted.append("kill")
        super().kill()

    def close_stdin(self) -> None:
        self.noted.append("close")
        super().close_stdin()


@contextmanager
def watched(bot: str, *, pondering: bool) -> Iterator[tuple[PipeChannel, list[str]]]:
    process = Watched(launch(bot))
    process.noted = []
    channel = PipeChannel(process, 65536, 65536, pondering)
    try:
        yield channel, process.noted
    finally:
        channel.close()


def test_a_process_that_must_not_ponder_runs_only_while_it_is_asked() -> None:
    with watched("honest", pondering=False) as (channel, noted):
        for question in (HELLO, ACT):
            noted.clear()
            assert isinstance(channel.ask(question, within(AMPLE)), bytes)
            assert noted == ["thaw", "freeze"]
            channel.tell(b'{"type":"over"}\n')
            assert noted == ["thaw", "freeze"], "it reads that when it is asked again"
        noted.clear()
        channel.dismiss(encode(Bye()))
        assert noted == ["thaw", "close"]
        channel.close(AMPLE)
        assert noted == ["thaw", "close", "kill"]
        assert channel.exit_status() == 0


def test_a_process_that_must_not_ponder_is_thawed_to_be_killed() -> None:
    with watched("hang", pondering=False) as (channel, noted):
        channel.ask(HELLO, within(AMPLE))
        assert channel.ask(ACT, within(0.05)) is Silence.TIMED_OUT
        noted.clear()
        channel.close()
        assert noted == ["thaw", "kill"]


def test_pondering_costs_nothing() -> None:
    with watched("honest", pondering=True) as (channel, noted):
        assert isinstance(channel.ask(HELLO, within(AMPLE)), bytes)
        channel.dismiss(encode(Bye()))
        channel.close(AMPLE)
        assert noted == ["close", "kill"]


def test_a_frozen_process_stands_still() -> None:
    with started("honest", pondering=False) as channel:
        channel.ask(HELLO, within(AMPLE))
        assert os.WIFSTOPPED(os.waitpid(channel.pid, os.WUNTRACED)[1])
        assert isinstance(channel.ask(ACT, within(AMPLE)), bytes)
