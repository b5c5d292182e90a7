"""Every fault committed by a real process, against an honest bot."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from arena.hosting.machine import orphans
from arena.referee.channel import PipeChannel
from arena.referee.session import BotSession, Offence
from arena.values.results import Evidence, GameDone, Termination, TimeControl
from tests.referee.processes import AMPLE, play, play_on, seated, started
from tests.referee.scripted import fault_of

pytestmark = [pytest.mark.slow, pytest.mark.process, pytest.mark.usefixtures("leaves_nothing")]
SHORT = 0.3
READ = 64 * 1024
LONG = "x" * 300_000
NO_MODEL = "no model file\n"


def against_honest(
    bot: str, move: float = AMPLE, startup: float = AMPLE, note: str = ""
) -> GameDone:
    """The bot sits on seat 0 and is asked first. No bot is waited for or read for long."""
    began = time.monotonic()
    with started(bot) as bad, started("honest") as good:
        played = play(bad, good, move=move, startup=startup, note=note)
        assert len(bad._lines) <= 2 * READ, "a line and what is read at once"
    assert time.monotonic() - began < AMPLE / 2
    assert len(played.stderr[0]) < 2 * (READ + 100), "what came before the game and in it"
    return played


def measured(played: GameDone) -> Evidence:
    """Of a bot that slept for too long."""
    (evidence,) = played.evidence
    assert evidence.waited_us - evidence.excused_us >= SHORT * 1e6 * 0.99
    assert evidence.cpu_us is not None, "measured: it took longer than a glance"
    return evidence


@pytest.fixture(params=[True, False], ids=["pidfd", "no pidfd"])
def pidfd(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if not request.param:
        monkeypatch.delattr(os, "pidfd_open", raising=False)


@pytest.mark.usefixtures("pidfd")
@pytest.mark.parametrize(
    ("bot", "stderr"),
    [
        ("honest", ""),
        ("writes_300_kb_to_stderr", "[..."),
        ("blank_lines_and_crlf", ""),
        ("floods_stderr_meanwhile", "[..."),
        ("talks_at_start", "[before this game]\nloading the model\n[in this game]\n"),
        ("exits_at_over", ""),
        ("writes_after_over", ""),
    ],
)
def test_honest_bots_finish_their_game(bot: str, stderr: str) -> None:
    played = against_honest(bot)
    assert (played.result.termination, played.result.faults) == (Termination.COMPLETED, ())
    assert stderr in played.stderr[0] if stderr == "[..." else played.stderr == (stderr, "")


@pytest.mark.parametrize(
    "bot", ["honest", "shrinks_its_pipes", "grows_its_pipes", "sets_its_pipes_non_blocking"]
)
def test_a_long_message_is_read_piece_by_piece(bot: str) -> None:
    assert against_honest(bot, note=LONG).result.faults == ()


@pytest.mark.parametrize(
    ("bot", "note"),
    [
        ("hang", ""),
        ("drip", ""),
        ("drip_forever", ""),
        ("stop_self", ""),
        ("ignores_sigterm", ""),
        ("closes_stdin", ""),
        ("closes_stdout", ""),
        ("closes_all", ""),
        ("never_reads", ""),
        ("never_reads", LONG),
        ("floods_stderr", ""),
        ("floods_blank_lines", ""),
    ],
)
def test_without_an_answer_time_runs_out(bot: str, note: str) -> None:
    played = against_honest(bot, SHORT, note=note)
    assert fault_of(played) == (0, "timeout")
    assert ("[..." in played.stderr[0]) == (bot == "floods_stderr")
    if bot == "hang":
        assert measured(played).exit_status is None


FIRST_ANSWER = 3  # two cards and a die


@pytest.mark.usefixtures("pidfd")
@pytest.mark.parametrize(
    ("bot", "how", "asked", "stderr"),
    [
        ("exit_0", "exit status 0", 0, ""),
        ("exit_1", "exit status 1", 0, "-- ply 3\nmy last words\n"),
        ("signal_self", "signal SIGKILL", 0, ""),
        ("half_line_then_exit", "exit status 0", 0, ""),
        ("forked_child_keeps_the_pipes", "exit status 7", 0, ""),
        ("grandchild_floods", "exit status 7", 0, ""),
        ("answer_then_exit", "exit status 4", 1, ""),
    ],
)
def test_a_process_that_ends_crashed(bot: str, how: str, asked: int, stderr: str) -> None:
    result = (played := against_honest(bot)).result
    assert fault_of(played) == (0, "crash")
    when = "" if asked else " before its first answer of the game"
    assert result.faults[0].detail == f"the process ended{when} ({how})"
    assert result.plies == FIRST_ANSWER + 3 * asked
    assert played.stderr == (stderr, "")
    (evidence,) = played.evidence
    assert evidence.stderr == stderr
    status = -signal.SIGKILL if bot == "signal_self" else int(how.split()[-1])
    assert evidence.exit_status == status


@pytest.mark.parametrize(
    ("bot", "kind"),
    [
        ("floods_stdout", "overflow"),
        ("floods_lines", "malformed"),
        ("floods_guesses", "protocol"),
        ("answers_twice", "protocol"),
        ("answers_early", "protocol"),
        ("answers_with_ready", "protocol"),
        ("prints_while_thinking", "malformed"),
    ],
)
def test_wrong_lines(bot: str, kind: str) -> None:
    assert fault_of(against_honest(bot)) == (0, kind)


@pytest.mark.parametrize(
    ("bot", "startup", "detail", "stderr"),
    [
        ("hang_at_start", SHORT, "before ready: no line within", ""),
        ("late_ready", SHORT, "before ready: no line within", ""),
        ("exit_at_start", AMPLE, "before ready: the process ended (exit status 1)", NO_MODEL),
        ("prints_a_banner", AMPLE, "expected a ready message as the first line", ""),
        ("wrong_protocol", AMPLE, "ready: protocol is 99, expected 1", ""),
    ],
)
def test_start_up(bot: str, startup: float, detail: str, stderr: str) -> None:
    played = against_honest(bot, startup=startup)
    assert fault_of(played) == (0, "startup")
    assert detail in played.result.faults[0].detail
    assert played.result.plies == 0
    assert played.stderr == (stderr, "")
    if bot == "hang_at_start":
        measured(played)


def test_the_pipes_are_not_watched_in_a_busy_loop() -> None:
    """A closed pipe is always ready: whoever goes on polling it burns a core."""
    with started("closes_all") as bad, started("honest") as good:
        before = time.process_time()
        play(bad, good, move=1.0)
        assert time.process_time() - before < 0.5


# Between games


@contextmanager
def after_a_game(bot: str) -> Iterator[tuple[PipeChannel, list[BotSession | Offence]]]:
    """The bot on seat 0 and an honest one, which have played a game without fault."""
    with started(bot) as first, started("honest") as second:
        players = [seated(channel, TimeControl(startup=AMPLE)) for channel in (first, second)]
        assert play_on(players).result.faults == ()
        yield first, players


def test_a_line_between_games_is_charged_to_its_bot_where_it_sits_then() -> None:
    with after_a_game("writes_after_over") as (_, players):
        assert fault_of(play_on(players[::-1])) == (1, "protocol")


def test_a_process_that_ended_between_games_crashed_in_the_next() -> None:
    with after_a_game("exits_at_over") as (channel, players):
        assert channel._process.wait(AMPLE)
        played = play_on(players[::-1])
    assert fault_of(played) == (1, "crash")
    detail = "the process ended before its first answer of the game (exit status 5)"
    assert played.result.faults[0].detail == detail


def test_a_daemon_is_found_after_its_bot() -> None:
    orphans.adopt_orphans()
    before = set(orphans.children())
    with started("leaves_a_daemon") as bad, started("honest") as good:
        played = play(bad, good)
    assert played.result.faults == ()
    daemon = int(played.stderr[0].split()[-1])
    assert daemon in orphans.children()
    assert orphans.sweep(keep=before) == 1
    assert daemon not in orphans.children()
