"""Plans as values: what is done at which level, on machines that are made up."""

from __future__ import annotations

import marshal
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from arena.hosting.machine import kernel
from arena.hosting.machine.cgroups import ControlGroup
from arena.hosting.machine.kernel import Kernel
from arena.hosting.sandbox import bubblewrap, confine, landlock, paths
from arena.hosting.sandbox.confine import LaunchPlan, LaunchSteps, clean_environment
from arena.hosting.sandbox.isolation import IsolationError, Launch, Level
from arena.hosting.sandbox.paths import FileSystemView
from arena.hosting.workspace.cells import Cell
from arena.values.results import Limits
from tests.hosting.bots import needs_linux

USER: Final = 4242
FOLDER: Final = "/nowhere/snapshot"
COPY: Final = "/nowhere/cells/7/bot"
SCRATCH: Final = "/nowhere/cells/7/scratch"
CONFINED: Final = [Level.LIMITS, Level.LANDLOCK, Level.BUBBLEWRAP]
STRICT: Final = [Level.LANDLOCK, Level.BUBBLEWRAP]


@pytest.fixture(autouse=True)
def machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that gives everything, whatever this one gives."""
    offered(monkeypatch, Kernel(True, True, "Linux 6.12"))
    monkeypatch.setattr(landlock, "version", lambda: 7)
    monkeypatch.setattr(bubblewrap, "find", lambda: "/usr/bin/bwrap")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)


def offered(monkeypatch: pytest.MonkeyPatch, found: Kernel) -> None:
    """Ask the kernel no more."""
    monkeypatch.setattr(kernel, "offered", lambda: found)


def launch(level: Level, *command: str, **changes: Any) -> Launch:
    words = command or (f"{FOLDER}/run", FOLDER, f"{FOLDER}er", "--path=x")
    return Launch(words, FOLDER, level=level, copied=True, **changes)


def cell(user: int | None = None, scratch: str | None = None) -> Cell:
    return Cell(COPY, scratch=scratch, user=user)


def steps(plan: LaunchPlan) -> LaunchSteps:
    assert plan.steps is not None
    return plan.steps


def inner(plan: LaunchPlan) -> dict[str, Any]:
    """What the second launcher is told, inside of bubblewrap."""
    packed = dict(steps(plan).files)[4]
    told: dict[str, Any] = marshal.loads(packed)
    return told


def words(plan: LaunchPlan) -> list[str]:
    """The options of bubblewrap."""
    return [os.fsdecode(word) for word in dict(steps(plan).files)[5].split(b"\0")][:-1]


def test_without_isolation_the_program_is_started_directly() -> None:
    plan = confine.plan(launch(Level.NONE), cell())
    assert plan.steps is None
    assert plan.command == (f"{COPY}/run", COPY, f"{FOLDER}er", "--path=x")
    assert (plan.folder, plan.user, plan.depth) == (COPY, None, 0)


def test_without_isolation_a_user_who_gets_there_needs_no_launcher(monkeypatch) -> None:
    monkeypatch.setattr(paths, "covers", lambda *_: ())
    assert confine.plan(launch(Level.NONE), cell(USER)) == LaunchPlan(
        (f"{COPY}/run", COPY, f"{FOLDER}er", "--path=x"), COPY, clean_environment({}), USER, None
    )


def test_without_isolation_a_way_is_made_where_there_is_none(monkeypatch) -> None:
    cover = paths.Cover("/root", (("/root/python", False),), ())
    monkeypatch.setattr(paths, "covers", lambda *_: (cover,))
    made = steps(confine.plan(launch(Level.NONE), cell(USER)))
    assert (made.covers, made.user, made.folder) == ((cover,), USER, COPY)
    assert (made.limits, made.parent, made.no_new_privileges) == (None, None, None)


def test_limits_are_put_in_force_by_the_launcher() -> None:
    limits = Limits(memory=1 << 28, processes=5, cpu=1.5, disk=1 << 20, files=20)
    made = steps(confine.plan(launch(Level.LIMITS, limits=limits), cell(USER)))
    assert set(made.limits or ()) == {
        ("RLIMIT_DATA", 1 << 28, 1 << 28),
        ("RLIMIT_FSIZE", 1 << 20, 1 << 20),
        ("RLIMIT_NOFILE", 20, 20),
        ("RLIMIT_CORE", 0, 0),
        ("RLIMIT_NPROC", 5, 5),
        ("RLIMIT_CPU", 2, 3),
    }
    assert (made.user, made.umask, made.folder) == (USER, 0o077, COPY)
    assert made.no_new_privileges
    assert made.parent == os.getpid()
    assert made.oom_score == 1000
    assert (made.landlock, made.seccomp) == (None, None)


def test_what_is_not_limited_is_not() -> None:
    limits = Limits(memory=None, processes=None, cpu=None, disk=None, files=None)
    made = steps(confine.plan(launch(Level.LIMITS, limits=limits), cell()))
    assert made.limits == (("RLIMIT_CORE", 0, 0),)


@needs_linux
def test_processes_of_one_user_are_counted_together() -> None:
    made = steps(confine.plan(launch(Level.LIMITS, limits=Limits(processes=5)), cell()))
    (most,) = [soft for name, soft, _ in made.limits or () if name == "RLIMIT_NPROC"]
    assert most > 5 + 1000


@pytest.mark.parametrize("level", CONFINED)
def test_groups_are_entered_first(level: Level) -> None:
    group = ControlGroup(None, {"memory": Path("/no/group")})
    place = Cell(COPY, user=USER, group=group)
    made = steps(confine.plan(launch(level), place))
    assert made.cgroups == ("/no/group/cgroup.procs",)


def test_files_and_calls_are_closed_at_landlock() -> None:
    made = steps(confine.plan(launch(Level.LANDLOCK, readable=("/usr",)), cell()))
    assert made.landlock is not None
    rules = dict(made.landlock.rules)
    assert rules[COPY] == rules["/usr"] == landlock.READ
    assert rules["/dev/null"] == landlock.DEVICE
    assert not [path for path, rights in rules.items() if rights == landlock.USE]
    closed = ("/", "/proc", "/tmp", "/run", "/var", "/etc", "/etc/passwd", "/dev", "/nowhere")
    assert not set(closed) & rules.keys()
    assert made.seccomp
    assert made.limits


@pytest.mark.parametrize("level", STRICT)
def test_a_builder_may_write(level: Level) -> None:
    plan = confine.plan(launch(level, writable=True), cell())
    if level is Level.LANDLOCK:
        ruleset = steps(plan).landlock
        assert ruleset is not None
        assert dict(ruleset.rules)[COPY] == landlock.USE
        assert plan.env["TMPDIR"] == COPY
    else:
        at = words(plan).index("--bind")
        assert words(plan)[at : at + 3] == ["--bind", COPY, "/bot"]
        assert ["/bot", landlock.USE] in inner(plan)["landlock"][2]


def test_bubblewrap_starts_a_second_launcher() -> None:
    limits = Limits(memory=1 << 28, processes=5, disk=1 << 20)
    plan = confine.plan(launch(Level.BUBBLEWRAP, limits=limits), cell(USER))
    outer, told = steps(plan), inner(plan)
    assert outer.command[:4] == ("/usr/bin/bwrap", "--args", "5", "--")
    assert outer.command[-3:] == ("7", "4", "3")
    assert (outer.user, outer.limits, outer.seccomp, outer.landlock) == (USER, None, None, None)
    assert not outer.is_last
    assert told["is_last"]
    assert told["token"] == outer.token
    assert told["command"] == ["/bot/run", "/bot", f"{FOLDER}er", "--path=x"]
    assert told["seccomp"]
    assert ["RLIMIT_DATA", 1 << 28, 1 << 28] in told["limits"]
    assert ["RLIMIT_NPROC", 6, 6] in told["limits"], "one of them is bubblewrap's"
    assert told["env"]["TMPDIR"] == "/tmp"
    assert (told["user"], told["cgroups"], told["covers"]) == (None, None, None)
    at = words(plan).index("--size")
    assert words(plan)[at : at + 4] == ["--size", "1048576", "--tmpfs", "/tmp"]
    assert plan.depth == 2


def test_bubblewrap_does_without_landlock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(landlock, "version", lambda: 0)
    assert inner(confine.plan(launch(Level.BUBBLEWRAP), cell()))["landlock"] is None


@pytest.mark.parametrize("level", CONFINED)
def test_every_plan_has_its_own_token(level: Level) -> None:
    tokens = {steps(confine.plan(launch(level), cell())).token for _ in range(3)}
    assert len(tokens) == 3


@pytest.mark.parametrize("level", list(Level))
def test_what_is_not_copied_is_not_moved(level: Level) -> None:
    wanted = Launch((f"{FOLDER}/run",), FOLDER, level=level)
    plan = confine.plan(wanted, Cell(FOLDER))
    assert plan.command == (f"{FOLDER}/run",)
    assert plan.folder == FOLDER


@pytest.mark.parametrize("level", list(Level))
def test_the_environment_of_a_bot(level: Level, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_KEY", "secret")
    plan = confine.plan(launch(level, env={"DEPTH": "3"}), cell(scratch=SCRATCH))
    assert "API_KEY" not in plan.env
    assert plan.env["DEPTH"] == "3"
    assert plan.env["HOME"] == "/nonexistent"
    assert plan.env["TMPDIR"] == SCRATCH


@pytest.mark.parametrize("level", STRICT)
def test_programs_are_sought_only_where_they_can_be_seen(level, monkeypatch) -> None:
    monkeypatch.setenv("PATH", "/root/secret/bin:relative:/usr/bin:/usr/bin")
    found = confine.plan(launch(level), cell()).env["PATH"].split(":")
    assert found[0] == "/usr/bin"
    assert set(found) == {"/usr/bin", os.path.dirname(sys.executable)}


LACKS: Final[dict[str, tuple[Level, Callable[[pytest.MonkeyPatch], None], str]]] = {
    "no Linux": (
        Level.BUBBLEWRAP,
        lambda patch: offered(patch, Kernel(False, False, "Darwin 25.1.0")),
        "a sandbox needs calls of Linux; Darwin 25.1.0 has isolation none and limits, for bots of "
        "your own only",
    ),
    "no Landlock": (
        Level.LANDLOCK,
        lambda patch: patch.setattr(landlock, "version", lambda: 0),
        "isolation landlock needs version 6 of Landlock (Linux 6.12), this kernel has none; "
        "update it, or use isolation bubblewrap",
    ),
    "old Landlock": (
        Level.LANDLOCK,
        lambda patch: patch.setattr(landlock, "version", lambda: 5),
        "isolation landlock needs version 6 of Landlock (Linux 6.12), this kernel has 5; "
        "update it, or use isolation bubblewrap",
    ),
    "no bubblewrap": (
        Level.BUBBLEWRAP,
        lambda patch: patch.setattr(bubblewrap, "find", lambda: None),
        "isolation bubblewrap needs the program bwrap; install the package bubblewrap",
    ),
    "root": (
        Level.BUBBLEWRAP,
        lambda patch: patch.setattr(os, "geteuid", lambda: 0),
        "isolation bubblewrap is not for root: start the bot in a workspace, or as another user",
    ),
    "another processor": (
        Level.LANDLOCK,
        lambda patch: patch.setattr(
            os, "uname", lambda: os.uname_result(("Linux", "", "6.12", "", "riscv64"))
        ),
        "isolation landlock has no system call filter for the processor riscv64",
    ),
}


@pytest.mark.parametrize("lack", LACKS)
def test_what_the_machine_lacks_is_said_with_a_remedy(lack, monkeypatch) -> None:
    level, change, text = LACKS[lack]
    change(monkeypatch)
    with pytest.raises(IsolationError) as caught:
        confine.plan(launch(level), cell())
    assert str(caught.value) == text


@pytest.mark.parametrize("level", STRICT)
def test_the_whole_machine_is_no_folder_of_a_bot(level: Level) -> None:
    with pytest.raises(IsolationError, match="a folder for the bot alone, not /"):
        confine.plan(Launch(("/bin/true",), "/", level=level), Cell("/"))


@pytest.mark.process
def test_other_systems_can_import_it() -> None:
    code = """
import _ctypes, os, posix, sys
sys.platform = "darwin"
for name in ("memfd_create", "pidfd_open", "setns", "unshare", "waitid", "O_PATH", "setresuid"):
    for module in (os, posix):
        vars(module).pop(name, None)
found = _ctypes.dlsym
def dlsym(library, name):
    if name in ("mount", "prctl", "unshare"):
        raise OSError("symbol not found")
    return found(library, name)
_ctypes.dlsym = dlsym
import arena.hosting.process
from arena.hosting.sandbox import launcher
assert launcher._prctl(1, 9, 0, 0, 0) == -1 and _ctypes.get_errno() == 38
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


OPENED: Final = {
    "installed": ("/opt/tools/bin/prog", True),
    "a link that is installed": ("/opt/tools/bin/link", True),
    "not installed": ("/srv/victim/bin/prog", False),
    "beside what is installed": ("/opt/tools/bin/../private/prog", False),
    "a process": ("/proc/self/exe", False),
    "the bot's own": (f"{FOLDER}/prog", False),
}


@pytest.mark.parametrize("case", OPENED)
@pytest.mark.parametrize("level", STRICT)
def test_a_submission_opens_only_programs_that_are_installed(case, level, monkeypatch) -> None:
    program, opened = OPENED[case]
    asked: list[str] = []

    def noted(path: str) -> tuple[str, ...]:
        asked.append(path)
        return ()

    monkeypatch.setenv("PATH", "/opt/tools/bin:/usr/bin")
    monkeypatch.setattr(paths, "program", noted)
    confine._system_view.cache_clear()
    confine._runtime_view.cache_clear()
    try:
        confine.plan(launch(level, program, "/srv/victim/x"), cell(USER))
    finally:
        confine._system_view.cache_clear()
        confine._runtime_view.cache_clear()
    assert (program in asked) is opened
    assert not set(asked) - {program, "/usr/bin/bwrap"}


@pytest.mark.parametrize("level", list(Level))
@pytest.mark.parametrize("copied", [False, True])
def test_words_open_closed_folders_only_to_commands_of_the_organiser(
    level: Level, copied: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[FileSystemView] = []

    def covers(found: FileSystemView, *_: object) -> tuple[paths.Cover, ...]:
        seen.append(found)
        return ()

    monkeypatch.setattr(paths, "covers", covers)
    words = (f"{os.curdir}/run", "/var", "--net=/srv", "etc")
    confine.plan(Launch(words, FOLDER, level=level, copied=copied), cell(USER))
    [view] = seen
    assert ("/var" in view.paths) is not copied
