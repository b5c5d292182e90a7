from __future__ import annotations

import select
import signal
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from arena.protocol.messages import Bye, Hello, Ready, decode, encode
from arena.referee.channel import Captured, Silence
from arena.results import Limits
from tests.referee.processes import AMPLE, started
from tests.referee.scripted import SECOND

pytestmark = pytest.mark.usefixtures("leaves_nothing")
HELLO = encode(Hello((1,), "arena", Limits(), 10.0))
ACT = b'{"type":"act","id":"1","legal":[{}]}\n'


def soon(seconds: float) -> int:
    return time.monotonic_ns() + round(seconds * SECOND)


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
    captured = Captured(8)
    for piece in pieces:
        captured.add(piece)
    assert captured.text() == expected
    captured.clear()
    assert captured.text() == ""


def test_a_question_without_a_deadline_waits_for_the_answer() -> None:
    with started("honest") as channel:
        reply = channel.ask(HELLO, None)
        assert isinstance(reply, bytes)
        assert decode(reply) == Ready(1)
        assert channel.rest() == b""
        assert channel.exit_status() is None


def test_a_deadline_that_has_passed_is_a_timeout_at_once() -> None:
    with started("hang_at_start") as channel:
        assert channel.ask(HELLO, soon(-1)) is Silence.TIMED_OUT
        assert channel.ask(HELLO, soon(-1)) is Silence.TIMED_OUT


def test_a_process_that_ended_stays_ended() -> None:
    with started("exit_at_start") as channel:
        for _ in range(2):
            assert channel.ask(HELLO, soon(AMPLE)) is Silence.ENDED
            assert channel.exit_status() == 1
        channel.tell(HELLO)
        assert channel.stderr() == "no model file\n"
        assert channel.stderr() == ""


def test_what_is_told_to_a_bot_that_does_not_read_is_bounded() -> None:
    line = b"x" * 99_999 + b"\n"
    with started("never_reads") as channel:
        for _ in range(100):
            channel.tell(line)
        assert len(channel._outbox) <= 1024 * 1024 + len(line)


def test_what_waited_is_delivered_with_the_next_question() -> None:
    with started("honest") as channel:
        channel.tell(b" " * 500_000 + HELLO)
        reply = channel.ask(HELLO, soon(AMPLE))
        assert isinstance(reply, bytes)
        assert decode(reply) == Ready(1)


def test_a_dismissed_bot_may_leave_by_itself() -> None:
    with started("honest") as channel:
        channel.ask(HELLO, soon(AMPLE))
        channel.dismiss(encode(Bye()))
        channel.close(AMPLE)
        assert channel.exit_status() == 0


def test_a_dismissed_bot_that_stays_is_killed() -> None:
    with started("stays_after_bye") as channel:
        channel.ask(HELLO, soon(AMPLE))
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
        assert isinstance(channel.ask(HELLO + ACT, soon(AMPLE)), bytes)
        assert channel.ask(b"", soon(AMPLE)) is Silence.ENDED
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
        channel.ask(HELLO, soon(AMPLE))
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
        reply = channel.ask(HELLO, soon(AMPLE))
        assert isinstance(reply, bytes)
        assert decode(reply) == Ready(1)
