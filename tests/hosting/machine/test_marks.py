"""Who outlives a killed arena is found, whatever it did to be forgotten; nobody else is."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.hosting.machine import orphans, procfs
from arena.hosting.sandbox.isolation import Level
from arena.hosting.workspace.cells import clear_abandoned
from tests.cli.shell import wait_until
from tests.hosting.bots import MACHINE

pytestmark = [pytest.mark.slow, pytest.mark.process, pytest.mark.usefixtures("leaves_nothing")]

EXIT = {"x86_64": 60, "aarch64": 93}.get(os.uname().machine, 0)
"""Number of the call that ends one thread."""
OTHER_MARKS = """
import resource
from arena.hosting.machine import orphans
orphans.BOT, orphans.KEEPER, orphans.RESIDENT = 70_000, 70_001, (1 << 60) - 1
orphans._MARKS = ((orphans.LOCKS, orphans.BOT), (resource.RLIMIT_RSS, orphans.RESIDENT))
"""
"""Tests beside these start arenas too, which end whatever is left of a killed one. To them bots
with more file locks are none; and theirs, with more resident memory, are none to the tests here."""
ARENA = f"""{OTHER_MARKS}
import ctypes, os, select, sys, tempfile
tempfile.tempdir, level, code, locks, gives_up = sys.argv[1:]
from arena.hosting.machine import orphans
from arena.hosting.sandbox.isolation import Launch, Level
from arena.hosting.process import BotProcess
from arena.hosting.workspace.cells import Workspace
resource.setrlimit(10, (int(locks), int(locks)))
ctypes.CDLL(None).prctl(38 if gives_up else 39, 1 if gives_up else 0, 0, 0, 0)
orphans.adopt_orphans()  # whoever is killed below leaves its bots to a process that keeps none
ready, told = os.pipe()
arena = os.fork()
if arena == 0:
    orphans.adopt_orphans()
    workspace = Workspace.create()
    os.mkdir(f"{{workspace.root}}/empty")
    folder = str(workspace.snapshot("bot", workspace.root / "empty"))
    program = (sys.executable, "-S", "-c", code)
    bot = BotProcess(Launch(program, folder, level=Level(level), copied=True), workspace)
    select.select([bot.stdout, bot.stderr], [], [])
    os.write(told, os.read(bot.stdout, 1) or os.read(bot.stderr, 9999))
    sys.stdin.read()
os.close(told)
sys.stderr.write(os.read(ready, 9999).decode())
print(arena, flush=True)
sys.stdin.read()
"""
OUTLIVES = """
import ctypes, os
libc = ctypes.CDLL(None)
libc.prctl(1, 0, 0, 0, 0)
os.setsid() if os.getsid(0) != os.getpid() else None
if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    os.write(1, b"x")
    libc.prctl(4, 0, 0, 0, 0)
    null = os.open("/dev/null", os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    os.execve("/bin/sleep", ["x", "600"], {})
os.wait()
"""
ENDS_AT_FIRST = f"""
import ctypes, os, threading, time
libc = ctypes.CDLL(None)
libc.prctl(1, 0, 0, 0, 0)
def rest():
    time.sleep(0.2)
    os.write(1, b"x")
    time.sleep(600)
if os.fork() == 0:
    os.setsid()
    threading.Thread(target=rest, daemon=True).start()
    libc.syscall({EXIT}, 0)
os.wait()
"""
CHAIN = """
import ctypes, os
ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)
os.write(1, b"x")
while True:
    if os.fork():
        os._exit(0)
    os.setsid()
"""


@contextmanager
def arena(
    place: Path, level: Level, code: str, *, locks: int = -1, gives_up_rights: bool = False
) -> Iterator[tuple[int, int]]:
    """One with a bot: the process that is left when it is killed, and its own.

    ``locks``: its limit on file locks.
    """
    settings = (str(locks), "yes" if gives_up_rights else "")
    with subprocess.Popen(
        [sys.executable, "-c", ARENA, str(place), level, code, *settings],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as above:
        assert above.stdin is not None
        assert above.stdout is not None
        try:
            yield above.pid, int(above.stdout.readline())
        finally:
            while left := below(above.pid):
                for pid in left:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
            above.kill()


@pytest.fixture
def place() -> Iterator[Path]:
    """Temporary files of the killed arena: the next one uses another folder."""
    with tempfile.TemporaryDirectory(prefix="test-of-marks-") as folder:
        os.chmod(folder, 0o711)
        yield Path(folder)


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with tempfile.TemporaryDirectory(prefix="test-of-marks-") as folder:
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield


@pytest.fixture(autouse=True)
def _other_marks(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("BOT", "KEEPER", "RESIDENT", "_MARKS"):
        monkeypatch.setattr(orphans, name, getattr(orphans, name))  # as it is again afterwards
    exec(OTHER_MARKS)
    kept = resource.getrlimit(orphans.LOCKS)
    yield
    resource.setrlimit(orphans.LOCKS, kept)


@pytest.fixture(params=[Level.LIMITS, Level.LANDLOCK])
def level(request: pytest.FixtureRequest) -> Level:
    found: Level = request.param
    MACHINE.require(found)
    return found


def gone(pid: int) -> bool:
    return all(thread.state in "ZX" for thread in procfs.threads(pid))


def below(pid: int) -> set[int]:
    """Living bots below a process."""
    found = set()
    for each in procfs.all_pids():
        with contextlib.suppress(OSError):
            is_bot = 0 <= procfs.locks(each)[1] <= orphans.BOT
            if is_bot and pid in procfs.ancestors(each) and not gone(each):
                found.add(each)
    return found


@pytest.mark.parametrize(
    "code",
    [
        pytest.param(OUTLIVES, id="daemon"),
        pytest.param(ENDS_AT_FIRST, id="without its main thread"),
    ],
)
def test_what_outlives_a_killed_arena_is_ended_by_the_next_start(place, level, code) -> None:
    with arena(place, level, code) as (above, killed):
        assert below(killed)
        clear_abandoned()
        left = below(killed)
        assert left  # its arena lives
        os.kill(killed, signal.SIGKILL)
        time.sleep(0.05)  # no longer: whatever else starts an arena here would end them
        left = {pid for pid in left if not gone(pid)}
        assert left == below(above)
        assert left
        clear_abandoned()
        assert all(map(gone, left))
        assert not below(above)


def test_who_flees_from_process_to_process_is_caught(place: Path) -> None:
    with arena(place, Level.LIMITS, CHAIN) as (above, killed):
        os.kill(killed, signal.SIGKILL)
        time.sleep(0.2)
        clear_abandoned()
        wait_until(lambda: not below(above))  # the last one takes its time to end
        time.sleep(0.2)
        assert not below(above)


@pytest.mark.parametrize(
    "limit",
    [
        pytest.param(lambda: resource.RLIM_INFINITY, id="of no bot"),
        pytest.param(lambda: orphans.KEEPER, id="of a keeper"),
        pytest.param(lambda: orphans.BOT, id="of nobody who gave up rights"),
        pytest.param(lambda: 0, id="lower still"),
    ],
)
def test_nobody_else_is_ever_killed(limit: Callable[[], int]) -> None:
    with subprocess.Popen(["/bin/sleep", "1000"], start_new_session=True) as process:
        most = limit()
        resource.prlimit(process.pid, orphans.LOCKS, (most, most))
        resource.prlimit(process.pid, resource.RLIMIT_RSS, (0, 0))
        assert procfs.locks(process.pid) == (most, most)
        clear_abandoned()
        assert not gone(process.pid)
        process.kill()


def test_a_lower_mark_is_a_mark(place: Path) -> None:
    lower = "import resource; resource.setrlimit(10, (65_000, 65_000))\n"
    with arena(place, Level.LIMITS, lower + OUTLIVES) as (above, killed):
        os.kill(killed, signal.SIGKILL)
        time.sleep(0.5)
        left = below(above)
        assert left
        clear_abandoned()
        assert all(map(gone, left))


def test_a_bot_cannot_take_its_mark_off(place: Path, level: Level) -> None:
    raises = "import os, resource, time\ntry: resource.setrlimit(10, (-1, -1))\n"
    raises += "except Exception: os.write(1, b'x')\ntime.sleep(60)\n"
    with arena(place, level, raises) as (_, killed):
        assert below(killed)


LOW = "import resource\nresource.setrlimit(10, (5, 5))\n"


@pytest.mark.parametrize(
    "code",
    [
        pytest.param(OUTLIVES, id="honest"),
        pytest.param("import resource\nresource.setrlimit(5, (0, 0))\n" + OUTLIVES, id="marked"),
    ],
)
@pytest.mark.parametrize("gives_up_rights", [False, True])
def test_bots_of_an_arena_that_can_keep_none_live(code, gives_up_rights, place) -> None:
    """It was started where the limit on file locks is low."""
    low = arena(place, Level.LIMITS, code, locks=1000, gives_up_rights=gives_up_rights)
    with low as (above, killed):
        time.sleep(0.5)
        left = below(above)
        assert left > {above, killed}
        clear_abandoned()
        assert not any(map(gone, left))


@pytest.mark.parametrize(
    ("resident", "ends"), [pytest.param(-1, True, id="locks"), pytest.param(5, False, id="both")]
)
def test_all_that_is_ours_may_look_like_a_bot(resident: int, ends: bool, place: Path) -> None:
    """An arena that was started with such limits knows nobody apart, and ends nobody."""
    with arena(place, Level.LIMITS, OUTLIVES) as (above, killed):
        os.kill(killed, signal.SIGKILL)
        time.sleep(0.5)
        left = below(above)
        code = (
            f"{OTHER_MARKS}{LOW}resource.setrlimit(5, ({resident}, {resident}))\n"
            "orphans.keep()\norphans.end_abandoned()\n"
            "assert resource.getrlimit(10) == (5, 5)\nassert orphans.of_bots() is None"
        )
        subprocess.run([sys.executable, "-c", code], check=True)
        assert left
        assert all(map(gone, left)) if ends else not any(map(gone, left))


def test_orphans_of_ours_are_left_to_us() -> None:
    orphans.adopt_orphans()
    orphans.keep()
    assert resource.getrlimit(orphans.LOCKS)[0] == orphans.KEEPER
    end = "import ctypes, os, resource; resource.setrlimit(10, (65_000, 65_000))\n"
    end += "resource.setrlimit(5, (5, 5))\n"
    end += "ctypes.CDLL(None).prctl(38, 1, 0, 0, 0); os.execv('/bin/sleep', ['x', '60'])"
    with subprocess.Popen([sys.executable, "-S", "-c", end]) as process:
        while procfs.status(process.pid)[b"NoNewPrivs"] != b"1":
            time.sleep(0.01)
        assert not orphans.is_abandoned(process.pid)
        clear_abandoned()
        assert not gone(process.pid)
        process.kill()
