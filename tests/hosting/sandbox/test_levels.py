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
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from arena.hosting.machine import orphans
from arena.hosting.process import BotProcess
from arena.hosting.sandbox import seccomp
from arena.hosting.sandbox.isolation import IsolationError, Launch, Level
from arena.hosting.workspace.cells import Workspace
from arena.hosting.workspace.learning import Given
from arena.values.results import Learning, Limits
from tests.hosting.bots import MACHINE, finished

pytestmark = [pytest.mark.slow, pytest.mark.process]

ATTEMPTS: Final = Path(__file__).parents[1] / "attempts.py"
STRICT: Final = (Level.LANDLOCK, Level.BUBBLEWRAP)
LIMITS: Final = Limits(memory=256 << 20, processes=16, cpu=50.0, disk=1 << 20, files=64)
SEPARATE: Final = os.geteuid() == 0
"""Root's bots are users of their own; those of others are the same user as arena."""

CLOSED: Final = """
    read_users read_secret list_other_folder change_secret touch_secret write_secret
    write_beside write_in_folder change_own_file tcp_connect tcp_listen udp netlink
    named_socket abstract_socket datagram_pair signal_arena environment_of_arena
    command_of_arena limits_of_arena priority_of_arena priority_of_user cores_of_arena
    be_traced user_namespace clone_namespace io_uring keyring shared_memory message_queue
    file_in_memory counted_memory file_of_process file_of_child cookie_of_socket
    network_interfaces room_on_disk memory_of_all own_pages other_personality lease
    low_priority times_of_device cached_parts_of_file hint_on_file
"""
CLOSED_FROM: Final = dict.fromkeys(CLOSED.split(), Level.LANDLOCK) | dict.fromkeys(
    ("much_memory", "big_file", "many_files"), Level.LIMITS
)
"""From which level on an attempt fails; below it, it succeeds."""

OF_ANOTHER_USER: Final = """
    read_secret list_other_folder change_secret touch_secret write_secret write_beside
    named_socket signal_arena environment_of_arena limits_of_arena priority_of_arena
    cores_of_arena
"""
"""What fails at every level where the bot is a user of its own."""

NOT_PROMISED: Final = {
    *("user_namespace", "clone_namespace", "io_uring", "keyring", "be_traced"),
    *("cached_parts_of_file", "hint_on_file"),  # not every file system knows them
}
"""What machines and containers forbid in general, so that it may fail below its level too."""

MISSING: Final = (
    "io_uring",
    "new_style_clone",
    "file_in_memory",
    "counted_memory",
    "file_of_process",
)
"""Calls that seem not to be there: libraries have another way."""


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
        with socket.socket(socket.AF_UNIX) as named, socket.socket(socket.AF_UNIX) as abstract:
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
    with closing(Workspace.create()) as workspace:
        place = str(workspace.snapshot("bot", folder))
        program = (sys.executable, "-S", f"{place}/{ATTEMPTS.name}", json.dumps(targets), place)
        launch = Launch(program, place, level=level, limits=LIMITS, copied=True)
        out, err = finished(BotProcess(launch, workspace))
        assert out, err
        told: dict[str, Any] = json.loads(out)
        return told


@pytest.fixture(params=list(Level))
def level(request: pytest.FixtureRequest) -> Level:
    level: Level = request.param
    MACHINE.require(level)
    return level


@pytest.fixture
def workspace() -> Iterator[Workspace]:
    with closing(Workspace.create()) as workspace:
        yield workspace


@pytest.fixture
def place(workspace: Workspace, tmp_path: Path) -> str:
    """An empty folder of a bot."""
    return str(workspace.snapshot("bot", tmp_path))


def test_what_is_closed_at_a_level(level: Level) -> None:
    """What is promised to be open is, or the promise is wrong."""
    outcomes, wrong = found(level)["attempts"], []
    for attempt, least in CLOSED_FROM.items():
        of_another = SEPARATE and attempt in OF_ANOTHER_USER.split()
        is_closed = level.at_least(least) or of_another
        if is_closed == (outcomes[attempt] == "open") and (
            is_closed or attempt not in NOT_PROMISED
        ):
            wrong.append((attempt, outcomes[attempt]))
    assert wrong == []


@pytest.mark.parametrize("strict", STRICT)
def test_libraries_take_another_way_for_what_the_kernel_seems_not_to_have(strict: Level) -> None:
    outcomes = found(strict)["attempts"]
    assert {attempt: outcomes[attempt] for attempt in MISSING} == dict.fromkeys(MISSING, "ENOSYS")


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


@pytest.mark.parametrize("strict", STRICT)
def test_programs_are_sought_where_the_bot_can_see(strict: Level) -> None:
    folders = found(strict)["facts"]["environment"]["PATH"].split(":")
    assert "/usr/bin" in folders
    assert not [folder for folder in folders if not os.path.isdir(folder)]


JAVA: Final = """
class Ready {
    public static void main(String[] a) {
        System.out.println("ready");
    }
}
class Heap {
    public static void main(String[] a) {
        System.out.println(Runtime.getRuntime().maxMemory() >> 20);
    }
}
"""
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
    out, err = _output(level, tmp_path, path, *arguments)
    assert out == "ready\n"
    assert not [line for line in err.splitlines() if not line.startswith("Picked up JAVA_")]


@pytest.mark.parametrize("strict", STRICT)
def test_java_takes_its_limit_for_the_memory_of_the_machine(strict: Level, tmp_path: Path) -> None:
    MACHINE.require(strict)
    java = MACHINE.program("java")
    _compile_java(tmp_path)
    limits = Limits(memory=1 << 30)
    assert 200 < int(_output(strict, tmp_path, java, "-cp", ".", "Heap", limits=limits)[0]) <= 256


def test_a_program_finds_itself(level: Level, tmp_path: Path) -> None:
    """By a link of ``/proc``, of which nothing else is open: so libraries are found beside it."""
    code = "import os; print(os.readlink('/proc/self/exe'))"
    told = _output(level, tmp_path, sys.executable, "-S", "-c", code)
    assert told == (f"{os.path.realpath(sys.executable)}\n", "")


def _compile_java(folder: Path) -> None:
    (folder / "Ready.java").write_text(JAVA)
    subprocess.run([MACHINE.program("javac"), "Ready.java"], check=True, timeout=60, cwd=folder)


def _output(
    level: Level, folder: Path, *command: str, limits: Limits | None = None, **access: Any
) -> tuple[str, str]:
    with closing(Workspace.create()) as workspace:
        place = str(workspace.snapshot("bot", folder))
        launch = Launch(
            command, place, level=level, limits=limits or Limits(), copied=True, **access
        )
        return finished(BotProcess(launch, workspace))


def test_a_builder_may_write_into_its_folder(level: Level, tmp_path: Path) -> None:
    compiler = MACHINE.program("cc")
    (tmp_path / "ready.c").write_text('int puts(const char *);int main(){return puts("ready")<0;}')
    command = ("/bin/sh", "-c", f"{compiler} -o ready ready.c && ./ready")
    assert _output(level, tmp_path, *command, writable=True) == ("ready\n", "")


def test_what_may_be_read_besides(level: Level, tmp_path: Path) -> None:
    if SEPARATE and not MACHINE.has_mounts:
        pytest.skip("the folders of tests are closed to others, and nothing can be mounted")
    folder, shared = tmp_path / "bot", tmp_path / "shared"
    folder.mkdir()
    shared.mkdir()
    shared.chmod(0o755)
    (shared / "book").write_text("ready\n")
    told = _output(level, folder, "/bin/cat", str(shared / "book"), readable=(str(shared),))
    assert told == ("ready\n", "")


@pytest.mark.usefixtures("leaves_nothing")
def test_a_program_that_is_missing(level: Level, workspace: Workspace, place: str) -> None:
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


@pytest.mark.parametrize("strict", [Level.LIMITS, *STRICT])
def test_a_bot_dies_with_its_parent(strict: Level, workspace: Workspace, place: str) -> None:
    """The workspace is ours, so that nobody takes it for abandoned."""
    MACHINE.require(strict)
    command = [sys.executable, "-c", PARENT, strict, str(workspace.root), place]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pids = [int(pid) for pid in parent.stdout.readline().split()]
        watched = [os.pidfd_open(pid) for pid in pids]
        parent.kill()
    assert len(pids) == (3 if strict is Level.BUBBLEWRAP else 1)
    for pidfd in watched:
        assert select.select([pidfd], [], [], 60)[0], "it has ended"
        os.close(pidfd)


def test_root_starts_no_sandbox_without_a_user(level: Level, tmp_path: Path) -> None:
    if not SEPARATE or not level.at_least(Level.LANDLOCK):
        pytest.skip("only root, and only where the level promises something else")
    with pytest.raises(IsolationError, match="not for root"):
        BotProcess(Launch(("/bin/true",), str(tmp_path), level=level))


def test_a_bot_that_is_killed_early_leaves_nothing(level, workspace, place) -> None:
    orphans.adopt_orphans()
    before = set(orphans.children())
    launch = Launch((sys.executable, "-c", "input()"), place, level=level, copied=True)
    for _ in range(5):
        BotProcess(launch, workspace).kill()
    orphans.sweep(keep=before)
    assert set(orphans.children()) <= before


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


@pytest.mark.usefixtures("leaves_nothing")
@pytest.mark.parametrize("is_argument", [False, True])
def test_a_submission_cannot_name_what_is_closed(
    level: Level, is_argument: bool, tmp_path: Path, workspace: Workspace, place: str
) -> None:
    if not (SEPARATE or level.at_least(Level.LANDLOCK)):
        pytest.skip("files are open there")
    victim = tmp_path / "victim" / "run"
    victim.parent.mkdir()
    victim.write_text("#!/bin/sh\necho secret\n")
    victim.chmod(0o755)
    tmp_path.chmod(0o700)
    command = ("/bin/cat", str(victim)) if is_argument else (str(victim),)
    try:
        process = BotProcess(Launch(command, place, level=level, copied=True), workspace)
    except (PermissionError, FileNotFoundError):
        assert (level, is_argument) == (Level.NONE, False)
        return
    out, err = finished(process)
    assert "secret" not in out + err
    error = process.start_error()
    assert error is None if is_argument else isinstance(error, PermissionError | FileNotFoundError)


@pytest.mark.usefixtures("leaves_nothing")
@pytest.mark.parametrize("program", ["/proc/self/exe", "/proc/1/exe", "/dev/fd/0", "/proc"])
def test_no_program_voids_a_game(level, program, workspace, place) -> None:
    try:
        process = BotProcess(Launch((program, "-V"), place, level=level, copied=True), workspace)
    except OSError:
        assert level is Level.NONE
        return
    process.close_stdin()
    finished(process)
    assert not isinstance(process.start_error(), IsolationError)


LEARNS = """\
import os, sys
read, write = os.environ["ARENA_READ"], os.environ["ARENA_WRITE"]
def tried(call):
    try:
        return call() or "open"
    except OSError as error:
        return error.strerror
with open(f"{write}/new", "w") as file:
    file.write(open(f"{read}/old").read() + " and more")
for place in (f"{read}/old", f"{read}/other", f"{os.getcwd()}/other"):
    print(tried(lambda: open(place, "w").write("1") and None))
"""


def test_a_bot_reads_what_it_learnt_and_writes_for_later_at_each_level(
    level: Level, workspace: Workspace, place: str
) -> None:
    launch = Launch((sys.executable, "-S", "-c", LEARNS), place, level=level, copied=True)
    process = BotProcess(launch, workspace, Given({"old": b"before"}, Learning()))
    out, err = finished(process)
    assert err == ""
    if level.at_least(Level.LANDLOCK):
        assert "open" not in out
    assert process.learning is not None
    assert process.learning.written == {"new": b"before and more"}
