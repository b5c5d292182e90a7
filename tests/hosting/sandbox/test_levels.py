"""What a bot can do at each level: a program that tries, on this machine, as this user."""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from arena.hosting.machine import orphans
from arena.hosting.process import BotProcess
from arena.hosting.sandbox import seccomp
from arena.hosting.sandbox.isolation import IsolationError, Launch, Level
from arena.hosting.workspace.cells import Workspace
from arena.results import Limits
from tests.hosting.bots import MACHINE, finished

pytestmark = [pytest.mark.slow, pytest.mark.process]

ATTEMPTS: Final = Path(__file__).parents[1] / "attempts.py"
LIMITS: Final = Limits(memory=256 << 20, processes=16, cpu=50.0, disk=1 << 20, files=64)
SEPARATE: Final = os.geteuid() == 0
"""Root's bots are users of their own; those of others are the same user as arena."""

CLOSED_FROM: Final[dict[str, Level]] = {
    "read_users": Level.LANDLOCK,
    "read_secret": Level.LANDLOCK,
    "list_other_folder": Level.LANDLOCK,
    "change_secret": Level.LANDLOCK,
    "touch_secret": Level.LANDLOCK,
    "write_secret": Level.LANDLOCK,
    "write_beside": Level.LANDLOCK,
    "write_in_folder": Level.LANDLOCK,
    "change_own_file": Level.LANDLOCK,
    "tcp_connect": Level.LANDLOCK,
    "tcp_listen": Level.LANDLOCK,
    "udp": Level.LANDLOCK,
    "netlink": Level.LANDLOCK,
    "named_socket": Level.LANDLOCK,
    "abstract_socket": Level.LANDLOCK,
    "datagram_pair": Level.LANDLOCK,
    "signal_arena": Level.LANDLOCK,
    "environment_of_arena": Level.LANDLOCK,
    "command_of_arena": Level.LANDLOCK,
    "limits_of_arena": Level.LANDLOCK,
    "priority_of_arena": Level.LANDLOCK,
    "priority_of_user": Level.LANDLOCK,
    "cores_of_arena": Level.LANDLOCK,
    "be_traced": Level.LANDLOCK,
    "user_namespace": Level.LANDLOCK,
    "clone_namespace": Level.LANDLOCK,
    "io_uring": Level.LANDLOCK,
    "keyring": Level.LANDLOCK,
    "shared_memory": Level.LANDLOCK,
    "message_queue": Level.LANDLOCK,
    "file_in_memory": Level.LANDLOCK,
    "counted_memory": Level.LANDLOCK,
    "file_of_process": Level.LANDLOCK,
    "file_of_child": Level.LANDLOCK,
    "cookie_of_socket": Level.LANDLOCK,
    "network_interfaces": Level.LANDLOCK,
    "room_on_disk": Level.LANDLOCK,
    "memory_of_all": Level.LANDLOCK,
    "own_pages": Level.LANDLOCK,
    "other_personality": Level.LANDLOCK,
    "lease": Level.LANDLOCK,
    "low_priority": Level.LANDLOCK,
    "times_of_device": Level.LANDLOCK,
    "cached_parts_of_file": Level.LANDLOCK,
    "hint_on_file": Level.LANDLOCK,
    "much_memory": Level.LIMITS,
    "big_file": Level.LIMITS,
    "many_files": Level.LIMITS,
}
"""From which level on an attempt fails; below it, it succeeds."""

OF_ANOTHER_USER: Final = {
    "read_secret",
    "list_other_folder",
    "change_secret",
    "touch_secret",
    "write_secret",
    "write_beside",
    "named_socket",
    "signal_arena",
    "environment_of_arena",
    "limits_of_arena",
    "priority_of_arena",
    "cores_of_arena",
}
"""What fails at every level where the bot is a user of its own."""

NOT_PROMISED: Final = {
    *("user_namespace", "clone_namespace", "io_uring", "keyring", "be_traced"),
    *("cached_parts_of_file", "hint_on_file"),  # not every file system knows them
}
"""What machines and containers forbid in general, so that it may fail below its level too."""

ERRNOS: Final = {
    "io_uring": "ENOSYS",
    "new_style_clone": "ENOSYS",
    "file_in_memory": "ENOSYS",
    "counted_memory": "ENOSYS",
    "file_of_process": "ENOSYS",
}
"""How calls fail for which libraries have another way."""


@cache
def found(level: Level) -> dict[str, Any]:
    """What the program says at a level; tried once."""
    MACHINE.require(level)
    with tempfile.TemporaryDirectory() as name, socket.socket() as listener:
        folder = Path(name) / "program"
        folder.mkdir()
        (folder / ATTEMPTS.name).write_bytes(ATTEMPTS.read_bytes())
        folder.chmod(0o755)
        secret = Path(name) / "secret"
        secret.write_text("secret")
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        with (
            socket.socket(socket.AF_UNIX) as named,
            socket.socket(socket.AF_UNIX) as abstract,
        ):
            named.bind(str(Path(name) / "socket"))
            named.listen()
            abstract.bind(f"\0arena-{os.getpid()}-{level}")
            abstract.listen()
            targets = {
                "secret": str(secret),
                "port": listener.getsockname()[1],
                "socket": named.getsockname(),
                "abstract": f"arena-{os.getpid()}-{level}",
                "arena": os.getpid(),
                "calls": _calls(),
                "memory": LIMITS.memory,
                "disk": LIMITS.disk,
                "files": LIMITS.files,
                "processes": LIMITS.processes,
            }
            return _tried(level, folder, targets)


def _calls() -> dict[str, int]:
    column = seccomp.MACHINES[os.uname().machine].column
    known = seccomp.CALLS | seccomp.MISSING | seccomp.JUDGED
    return {name: number for name, pair in known.items() if (number := pair[column]) is not None}


def _tried(level: Level, folder: Path, targets: dict[str, Any]) -> dict[str, Any]:
    workspace = Workspace.create()
    try:
        place = str(workspace.snapshot("bot", folder))
        program = (sys.executable, "-S", f"{place}/{ATTEMPTS.name}", json.dumps(targets), place)
        launch = Launch(program, place, level=level, limits=LIMITS, copied=True)
        out, err = finished(BotProcess(launch, workspace))
        assert out, err
        told: dict[str, Any] = json.loads(out)
        return told
    finally:
        workspace.close()


@pytest.fixture(params=list(Level))
def level(request: pytest.FixtureRequest) -> Level:
    level: Level = request.param
    MACHINE.require(level)
    return level


@pytest.mark.parametrize("attempt", CLOSED_FROM)
def test_what_is_closed_at_a_level(attempt: str, level: Level) -> None:
    outcome = found(level)["attempts"][attempt]
    if level.at_least(CLOSED_FROM[attempt]) or (SEPARATE and attempt in OF_ANOTHER_USER):
        assert outcome != "open"
    elif attempt not in NOT_PROMISED:
        assert outcome == "open", "what is promised to be open is, or the promise is wrong"


@pytest.mark.parametrize("attempt", ERRNOS)
@pytest.mark.parametrize("strict", [Level.LANDLOCK, Level.BUBBLEWRAP])
def test_libraries_take_another_way_for_what_the_kernel_seems_not_to_have(
    attempt: str, strict: Level
) -> None:
    assert found(strict)["attempts"][attempt] == ERRNOS[attempt]


def test_the_processes_of_a_bot_are_counted(level: Level) -> None:
    if level is Level.NONE or not (SEPARATE or level is Level.BUBBLEWRAP):
        pytest.skip("they are counted together with all others of the user")
    assert found(level)["attempts"]["many_processes"] == "EAGAIN"


def test_the_first_process_of_a_sandbox_cannot_be_changed(level: Level) -> None:
    if level is Level.BUBBLEWRAP and not MACHINE.has_landlock:
        pytest.skip("needs Landlock")
    if SEPARATE or level.at_least(Level.LANDLOCK):
        assert found(level)["attempts"]["memory_of_first"] != "open"


def test_no_bot_is_root_or_of_a_group_of_the_host(level: Level) -> None:
    facts = found(level)["facts"]
    assert facts["uid"] != 0
    if SEPARATE:
        assert facts["uid"] != os.getuid()
        assert facts["groups"] in ([], [facts["uid"]])


def test_a_bot_inherits_three_descriptors(level: Level) -> None:
    assert found(level)["facts"]["descriptors"] == [0, 1, 2]


def test_limits_are_in_force(level: Level) -> None:
    facts = found(level)["facts"]
    if level is Level.NONE:
        assert facts["limits"]["DATA"][0] == -1
        return
    assert facts["limits"] == {
        "DATA": [LIMITS.memory] * 2,
        "FSIZE": [LIMITS.disk] * 2,
        "NOFILE": [LIMITS.files] * 2,
        "CORE": [0, 0],
        "CPU": [50, 51],
    }
    assert facts["umask"] == 0o077
    assert facts["no_new_privileges"] == 1
    assert found(level)["attempts"]["more_than_allowed"] == "EPERM"


def test_paths_into_the_folder_lead_into_the_copy(level: Level) -> None:
    facts = found(level)["facts"]
    assert facts["arguments"] == [facts["folder"]]
    assert (facts["folder"] == "/bot") == (level is Level.BUBBLEWRAP)


def test_temporary_files(level: Level) -> None:
    environment = found(level)["facts"]["environment"]
    if level is Level.LANDLOCK:
        assert "TMPDIR" not in environment
    else:
        assert os.path.isabs(environment["TMPDIR"])
        assert (environment["TMPDIR"] == "/tmp") == (level is Level.BUBBLEWRAP)


@pytest.mark.parametrize("strict", [Level.LANDLOCK, Level.BUBBLEWRAP])
def test_programs_are_sought_where_the_bot_can_see(strict: Level) -> None:
    folders = found(strict)["facts"]["environment"]["PATH"].split(":")
    assert "/usr/bin" in folders
    assert not [folder for folder in folders if not os.path.isdir(folder)]


RUNTIMES: Final = {
    "node": ("node", "-e", "console.log('ready')"),
    "java": ("java", "-cp", ".", "Ready"),
    "sh": ("sh", "-c", "echo ready"),
    "bash": ("bash", "-c", "cat <<< $(echo ready)"),
    "perl": ("perl", "-e", 'print "ready\\n"'),
}


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_runtimes_start_at_every_level(runtime: str, level: Level, tmp_path: Path) -> None:
    program, *arguments = RUNTIMES[runtime]
    path = MACHINE.program(program)
    if runtime == "java":
        _compile_java(tmp_path)
    launch = Launch((path, *arguments), str(tmp_path), level=level, copied=True)
    out, err = _output(launch)
    assert out == "ready\n"
    assert not [line for line in err.splitlines() if not line.startswith("Picked up JAVA_")]


HEAP: Final = """
class Heap {
    public static void main(String[] a) {
        System.out.println(Runtime.getRuntime().maxMemory() >> 20);
    }
}
"""


@pytest.mark.parametrize("strict", [Level.LANDLOCK, Level.BUBBLEWRAP])
def test_java_takes_its_limit_for_the_memory_of_the_machine(strict: Level, tmp_path: Path) -> None:
    MACHINE.require(strict)
    java, javac = MACHINE.program("java"), MACHINE.program("javac")
    (tmp_path / "Heap.java").write_text(HEAP)
    subprocess.run([javac, "Heap.java"], check=True, timeout=60, cwd=tmp_path)
    limits = Limits(memory=1 << 30)
    command = (java, "-cp", ".", "Heap")
    launch = Launch(command, str(tmp_path), level=strict, limits=limits, copied=True)
    assert 200 < int(_output(launch)[0]) <= 256


def test_a_program_finds_itself(level: Level, tmp_path: Path) -> None:
    """By a link of ``/proc``, of which nothing else is open: so libraries are found beside it."""
    code = "import os; print(os.readlink('/proc/self/exe'))"
    launch = Launch((sys.executable, "-S", "-c", code), str(tmp_path), level=level, copied=True)
    assert _output(launch) == (f"{os.path.realpath(sys.executable)}\n", "")


def _compile_java(folder: Path) -> None:
    source = folder / "Ready.java"
    source.write_text(
        'class Ready { public static void main(String[] a) { System.out.println("ready"); } }\n'
    )
    subprocess.run([MACHINE.program("javac"), str(source)], check=True, timeout=60)


def _output(launch: Launch) -> tuple[str, str]:
    workspace = Workspace.create()
    try:
        place = str(workspace.snapshot("bot", Path(launch.folder)))
        process = BotProcess(msgspec.structs.replace(launch, folder=place), workspace)
        return finished(process)
    finally:
        workspace.close()


def test_a_builder_may_write_into_its_folder(level: Level, tmp_path: Path) -> None:
    compiler = MACHINE.program("cc")
    (tmp_path / "ready.c").write_text('int puts(const char *);int main(){return puts("ready")<0;}')
    launch = Launch(
        ("/bin/sh", "-c", f"{compiler} -o ready ready.c && ./ready"),
        str(tmp_path),
        level=level,
        copied=True,
        writable=True,
    )
    assert _output(launch) == ("ready\n", "")


def test_what_may_be_read_besides(level: Level, tmp_path: Path) -> None:
    if SEPARATE and not MACHINE.has_mounts:
        pytest.skip("the folders of tests are closed to others, and nothing can be mounted")
    folder, shared = tmp_path / "bot", tmp_path / "shared"
    folder.mkdir()
    shared.mkdir()
    shared.chmod(0o755)
    (shared / "book").write_text("ready\n")
    launch = Launch(
        ("/bin/cat", str(shared / "book")),
        str(folder),
        level=level,
        copied=True,
        readable=(str(shared),),
    )
    assert _output(launch) == ("ready\n", "")


@pytest.mark.usefixtures("leaves_nothing")
def test_a_program_that_is_missing(level: Level, tmp_path: Path) -> None:
    workspace = Workspace.create()
    try:
        place = str(workspace.snapshot("bot", tmp_path))
        launch = Launch(("/no/such/program",), place, level=level, copied=True)
        try:
            process = BotProcess(launch, workspace)
        except FileNotFoundError:
            assert level is Level.NONE
            return
        finished(process)
        error = process.start_error()
        assert isinstance(error, FileNotFoundError)
        assert error.filename == "/no/such/program"
    finally:
        workspace.close()


PARENT: Final = """
import sys, time
from arena.hosting.sandbox.isolation import Launch, Level
from arena.hosting.process import BotProcess
from arena.hosting.workspace.cells import Workspace
from pathlib import Path
workspace, folder = Workspace(Path(sys.argv[2])), sys.argv[3]
program = (sys.executable, "-S", "-c", "print(1, flush=True)\\nimport time\\ntime.sleep(600)")
process = BotProcess(Launch(program, folder, level=Level(sys.argv[1]), copied=True), workspace)
import select, os
select.select([process.stdout], [], [], 60)
os.read(process.stdout, 10)
from arena.hosting.machine import usage
print(*usage.tree(process.pid), flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("strict", [Level.LIMITS, Level.LANDLOCK, Level.BUBBLEWRAP])
def test_a_bot_dies_with_its_parent(strict: Level, tmp_path: Path) -> None:
    MACHINE.require(strict)
    workspace = Workspace.create()  # ours, so that nobody takes it for abandoned
    try:
        place = str(workspace.snapshot("bot", tmp_path))
        command = [sys.executable, "-c", PARENT, strict, str(workspace.root), place]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
            assert parent.stdout is not None
            pids = [int(pid) for pid in parent.stdout.readline().split()]
            watched = [os.pidfd_open(pid) for pid in pids]
            parent.kill()
        assert len(pids) == (3 if strict is Level.BUBBLEWRAP else 1)
        for pidfd in watched:
            assert _ends(pidfd)
            os.close(pidfd)
    finally:
        workspace.close()


def _ends(pidfd: int) -> bool:
    return bool(select.select([pidfd], [], [], 60)[0])


def test_root_starts_no_sandbox_without_a_user(level: Level, tmp_path: Path) -> None:
    if not SEPARATE or not level.at_least(Level.LANDLOCK):
        pytest.skip("only root, and only where the level promises something else")
    with pytest.raises(IsolationError, match="not for root"):
        BotProcess(Launch(("/bin/true",), str(tmp_path), level=level))


def test_a_bot_that_is_killed_early_leaves_nothing(level: Level, tmp_path: Path) -> None:
    orphans.adopt_orphans()
    before = set(orphans.children())
    workspace = Workspace.create()
    try:
        place = str(workspace.snapshot("bot", tmp_path))
        launch = Launch((sys.executable, "-c", "input()"), place, level=level, copied=True)
        for _ in range(5):
            BotProcess(launch, workspace).kill()
        orphans.sweep(keep=before)
        assert set(orphans.children()) <= before
    finally:
        workspace.close()


@pytest.fixture
def stranger() -> Iterator[list[str]]:
    """A command that runs Python as an ordinary user, for root to try this file with."""
    if not SEPARATE:
        pytest.skip("we are one")
    command = ["setpriv", "--reuid", "12345", "--regid", "12345", "--clear-groups"]
    python = MACHINE.public_python()
    if python is None:
        pytest.skip("other users find no Python that has all packages")
    with tempfile.TemporaryDirectory() as home:
        os.chown(home, 12345, 12345)
        yield [*command, "env", f"TMPDIR={home}", f"HOME={home}", *python]


@pytest.mark.timeout(600)
def test_all_of_it_as_an_ordinary_user(stranger: list[str]) -> None:
    options = ["-q", "-o", "addopts=", "-p", "no:cacheprovider", "-p", "no:xdist"]
    options += ["--rootdir", str(MACHINE.checkout)]
    done = subprocess.run(
        [*stranger, "-m", "pytest", *options, __file__],
        cwd=MACHINE.checkout,
        capture_output=True,
        text=True,
        timeout=580,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


CLOSED: Final = "#!/bin/sh\necho secret\n"


@pytest.mark.usefixtures("leaves_nothing")
@pytest.mark.parametrize("is_argument", [False, True])
def test_a_submission_cannot_name_what_is_closed(
    level: Level, is_argument: bool, tmp_path: Path
) -> None:
    if not (SEPARATE or level.at_least(Level.LANDLOCK)):
        pytest.skip("files are open there")
    folder, victim = tmp_path / "bot", tmp_path / "victim" / "run"
    folder.mkdir()
    victim.parent.mkdir()
    victim.write_text(CLOSED)
    victim.chmod(0o755)
    tmp_path.chmod(0o700)
    command = ("/bin/cat", str(victim)) if is_argument else (str(victim),)
    workspace = Workspace.create()
    try:
        place = str(workspace.snapshot("bot", folder))
        launch = Launch(command, place, level=level, copied=True)
        try:
            process = BotProcess(launch, workspace)
        except (PermissionError, FileNotFoundError):
            assert (level, is_argument) == (Level.NONE, False)
            return
        out, err = finished(process)
        assert "secret" not in out + err
        error = process.start_error()
        assert (
            error is None if is_argument else isinstance(error, PermissionError | FileNotFoundError)
        )
    finally:
        workspace.close()


@pytest.mark.usefixtures("leaves_nothing")
@pytest.mark.parametrize("program", ["/proc/self/exe", "/proc/1/exe", "/dev/fd/0", "/proc"])
def test_no_program_voids_a_game(level: Level, program: str, tmp_path: Path) -> None:
    workspace = Workspace.create()
    try:
        place = str(workspace.snapshot("bot", tmp_path))
        try:
            process = BotProcess(
                Launch((program, "-V"), place, level=level, copied=True), workspace
            )
        except OSError:
            assert level is Level.NONE
            return
        process.close_stdin()
        finished(process)
        assert not isinstance(process.start_error(), IsolationError)
    finally:
        workspace.close()
