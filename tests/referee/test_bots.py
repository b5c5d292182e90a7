"""Every fault committed by a real process, against an honest bot."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from arena.hosting.machine import orphans
from arena.referee.channel import PipeChannel
from arena.referee.faults import Offence
from arena.referee.play import FinishedGame
from arena.referee.session import BotSession
from arena.results import Termination, TimeControl
from tests.referee.processes import AMPLE, play, play_on, seated, started
from tests.referee.scripted import fault_of

pytestmark = [pytest.mark.slow, pytest.mark.process, pytest.mark.usefixtures("leaves_nothing")]
SHORT = 0.3
READ = 64 * 1024


def against_honest(
    bot: str, move: float = AMPLE, startup: float = AMPLE, note: str = ""
) -> FinishedGame:
    """The bot sits on seat 0 and is asked first."""
    with started(bot) as bad, started("honest") as good:
        return play(bad, good, move=move, startup=startup, note=note)


@pytest.fixture(params=[True, False], ids=["pidfd", "no pidfd"])
def pidfd(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if not request.param:
        monkeypatch.delattr(os, "pidfd_open", raising=False)


@pytest.mark.usefixtures("pidfd")
@pytest.mark.parametrize(
    "bot",
    [
        "honest",
        "writes_300_kb_to_stderr",
        "blank_lines_and_crlf",
        "floods_stderr_meanwhile",
        "talks_at_start",
        "exits_at_over",
        "writes_after_over",
    ],
)
def test_honest_bots_finish_their_game(bot: str) -> None:
    result = against_honest(bot).result
    assert (result.termination, result.faults) == (Termination.COMPLETED, ())


TIMEOUTS = [
    "hang",
    "drip",
    "drip_forever",
    "stop_self",
    "ignores_sigterm",
    "closes_stdin",
    "closes_stdout",
    "closes_all",
    "never_reads",
    "floods_stderr",
    "floods_blank_lines",
]


@pytest.mark.parametrize("bot", TIMEOUTS)
def test_without_an_answer_time_runs_out(bot: str) -> None:
    began = time.monotonic()
    played = against_honest(bot, move=SHORT)
    assert fault_of(played) == (0, "timeout")
    assert time.monotonic() - began < AMPLE / 2, "the referee did not wait for the bot"


@pytest.mark.usefixtures("pidfd")
@pytest.mark.parametrize(
    ("bot", "how", "asked"),
    [
        ("exit_0", "exit status 0", 0),
        ("exit_1", "exit status 1", 0),
        ("signal_self", "signal SIGKILL", 0),
        ("half_line_then_exit", "exit status 0", 0),
        ("forked_child_keeps_the_pipes", "exit status 7", 0),
        ("answer_then_exit", "exit status 4", 1),
    ],
)
def test_a_process_that_ends_crashed(bot: str, how: str, asked: int) -> None:
    result = (played := against_honest(bot)).result
    assert fault_of(played) == (0, "crash")
    when = "" if asked else " before its first answer of the game"
    assert result.faults[0].detail == f"the process ended{when} ({how})"
    first_answer = 3  # two cards and a die
    assert result.plies == (first_answer if asked == 0 else first_answer + 3)


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
    ("bot", "startup", "detail"),
    [
        (
            "hang_at_start",
            SHORT,
            "before ready: no line within",
        ),
        (
            "late_ready",
            SHORT,
            "before ready: no line within",
        ),
        ("exit_at_start", AMPLE, "before ready: the process ended (exit status 1)"),
        ("prints_a_banner", AMPLE, "expected a ready message as the first line"),
        ("wrong_protocol", AMPLE, "ready: protocol is 99, expected 1"),
    ],
)
def test_start_up(bot: str, startup: float, detail: str) -> None:
    played = against_honest(bot, startup=startup)
    assert fault_of(played) == (0, "startup")
    assert detail in played.result.faults[0].detail
    assert played.result.plies == 0


def test_what_a_bot_said_to_standard_error_is_kept() -> None:
    assert against_honest("exit_1").stderr == ("-- ply 3\nmy last words\n", "")
    assert against_honest("exit_at_start").stderr == ("no model file\n", "")


@pytest.mark.parametrize(
    "bot", ["honest", "shrinks_its_pipes", "grows_its_pipes", "sets_its_pipes_non_blocking"]
)
def test_a_long_message_is_read_piece_by_piece(bot: str) -> None:
    result = against_honest(bot, note="x" * 300_000).result
    assert result.faults == ()


def test_a_long_message_that_nobody_reads_blocks_nobody() -> None:
    assert fault_of(against_honest("never_reads", SHORT, note="x" * 300_000)) == (0, "timeout")


@pytest.mark.parametrize(
    "bot", ["floods_stdout", "floods_lines", "floods_blank_lines", "grandchild_floods"]
)
def test_a_flood_is_not_collected(bot: str) -> None:
    with started(bot) as bad, started("honest") as good:
        play(bad, good, move=SHORT)
        assert len(bad._lines) <= 2 * READ, "a line and what is read at once"


@pytest.mark.parametrize(
    ("bot", "move"), [("floods_stderr", SHORT), ("floods_stderr_meanwhile", AMPLE)]
)
def test_a_flood_of_errors_is_kept_in_part(bot: str, move: float) -> None:
    with started(bot) as bad, started("honest") as good:
        played = play(bad, good, move=move)
    assert len(played.stderr[0]) < 2 * (READ + 100), "what came before the game and in it"
    assert "[..." in played.stderr[0]


def test_the_pipes_are_not_watched_in_a_busy_loop() -> None:
    """A closed pipe is always ready: whoever goes on polling it burns a core."""
    with started("closes_all") as bad, started("honest") as good:
        before = time.process_time()
        play(bad, good, move=1.0)
        assert time.process_time() - before < 0.5


def test_the_evidence_of_a_fault() -> None:
    (evidence,) = against_honest("hang", move=SHORT).evidence
    assert evidence.waited_us - evidence.excused_us >= SHORT * 1e6 * 0.99
    assert evidence.cpu_us is not None, "measured: it took longer than a glance"
    assert evidence.exit_status is None
    (evidence,) = against_honest("exit_1").evidence
    assert evidence.exit_status == 1
    assert evidence.stderr == "-- ply 3\nmy last words\n"
    (evidence,) = against_honest("hang_at_start", startup=SHORT).evidence
    assert evidence.waited_us - evidence.excused_us >= SHORT * 1e6 * 0.99
    assert evidence.cpu_us is not None


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


def test_what_a_bot_said_before_a_game_is_told_apart_from_what_it_says_in_it() -> None:
    before = "[before this game]\nloading the model\n[in this game]\n"
    assert against_honest("talks_at_start").stderr == (before, "")


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
