"""What is made of the launcher's reports."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator

import pytest

from arena.hosting.program import Status, describe
from arena.hosting.sandbox.confine import LaunchPlan, LaunchSteps
from arena.hosting.sandbox.isolation import IsolationError
from arena.hosting.sandbox.paths import Cover

pytestmark = pytest.mark.usefixtures("leaves_nothing")

PLAN = LaunchPlan(("/opt/bot",), "/", {}, None, None)
REACHED = b"token\0reached\x000\0\n"


@pytest.fixture
def status() -> Iterator[Status]:
    status = Status(b"token")
    yield status
    status.close()
    status.close_write_end()


@pytest.mark.parametrize(
    ("received", "kind", "text"),
    [
        (b"", IsolationError, "the confinement of a bot was not finished in time"),
        (b"token\0user\x001\0\n", IsolationError, "cannot be run as user"),
        (b"token\0exec\x002\0\n", IsolationError, "failed in step exec: No such file"),
        (b"bwrap: no room\n", IsolationError, "bwrap: no room: try it by hand"),
        (b"one\nbwrap: two\xff\n", IsolationError, "bwrap: two\ufffd: try it"),
        (REACHED + b"token\0exec\x002\0\n", FileNotFoundError, "'/opt/bot'"),
        (REACHED + b"token\0exec\x0013\0\n", PermissionError, "'/opt/bot'"),
        (b"token\0folder\x002\0/gone\n", FileNotFoundError, "'/gone'"),
    ],
)
def test_what_a_report_means(received, kind, text, status) -> None:
    os.write(status.write_end, received)
    error = status.error(PLAN)
    assert isinstance(error, kind)
    assert text in str(error)


@pytest.mark.parametrize(
    "forged",
    [b"", b"other\0exec\x0012\0\n", b"\0exec\x0012\0\n", b"token exec 12\n", b"bwrap: no room\n"],
)
def test_who_was_started_has_no_error_and_can_make_none(forged: bytes, status: Status) -> None:
    os.write(status.write_end, REACHED + forged)
    assert status.error(PLAN) is None


def test_reports_arrive_in_pieces(status: Status) -> None:
    os.write(status.write_end, REACHED[:5])
    assert isinstance(status.error(PLAN), IsolationError)
    os.write(status.write_end, REACHED[5:])
    assert status.error(PLAN) is None


def test_a_flood_is_not_kept(status: Status) -> None:
    os.write(status.write_end, REACHED)
    for _ in range(40):
        os.write(status.write_end, b"x" * 32768)
        assert status.error(PLAN) is None
        if len(status._received) >= 64 * 1024:
            return
    pytest.fail("it takes more and more")


def test_the_answer_outlives_the_pipe(status: Status) -> None:
    os.write(status.write_end, REACHED)
    status.close()
    assert status.error(PLAN) is None


@pytest.mark.parametrize(
    ("stage", "number", "path", "text"),
    [
        ("covers", errno.EPERM, "", "who may not pass /root, .* ordinary user"),
        ("user", errno.EPERM, "", "cannot be run as user 4242"),
        ("folder", errno.EACCES, "/x", "may not enter /x: .*permit others to read this one"),
        ("cgroups", errno.ENOENT, "/sys/x", "in step cgroups at /sys/x: No such file"),
        ("landlock", errno.ENOSYS, "", "in step landlock: Function not implemented"),
    ],
)
def test_failures_come_with_a_remedy(stage: str, number: int, path: str, text: str) -> None:
    made = LaunchSteps(b"", is_last=True, covers=(Cover("/root", (), ()),))
    plan = LaunchPlan((), "/", {}, 4242, made)
    with pytest.raises(IsolationError, match=text):
        raise describe(plan, stage, number, path)
