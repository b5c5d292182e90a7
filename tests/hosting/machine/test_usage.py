"""What processes use, measured from the outside."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.hosting.machine import orphans, procfs, usage
from arena.hosting.machine.usage import Usage
from arena.values.results import Limits
from tests.hosting.bots import needs_linux

pytestmark = [
    pytest.mark.slow,
    pytest.mark.process,
    pytest.mark.usefixtures("leaves_nothing"),
    needs_linux,
]
MIB = 1 << 20
EXIT = {"x86_64": 60, "aarch64": 93}.get(os.uname().machine, 0)
"""Number of the call that ends one thread."""
MAP = "import mmap; x = mmap.mmap"
FILL = ", 100 << 20); x.write(bytes(100 << 20))\n"
WAIT = "sys.stdin.read()\n"


@contextmanager
def program(code: str, *, ready: int = 1) -> Iterator[int]:
    """A Python program that has said ``ready`` lines; killed with its children at the end."""
    before = set(orphans.children())
    with subprocess.Popen(
        [sys.executable, "-S", "-c", f"import os, sys, time\n{code}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        for _ in range(ready):
            assert process.stdout.readline()
        try:
            yield process.pid
        finally:
            os.killpg(process.pid, 9)
            process.stdout.read()  # ends with the last of the children
    orphans.sweep(keep=before)


def measured(pid: int, depth: int = 0) -> Usage:
    used = usage.measure(pid, depth)
    assert used is not None
    return used


def waited(pid: int) -> int:
    found = measured(pid).waited_ns
    assert found is not None
    return found


SAY = "os.write(1, b'x\\n')\n"
BURN = """
def burn(clock=time.process_time):
  end = clock() + 0.3
  while clock() < end: pass
"""
BURNING = {
    "itself": "burn()\n",
    "a child that has ended": "if os.fork() == 0:\n  burn()\n  os._exit(0)\nos.wait()\n",
    "a thread that has ended": "import threading\n"
    "t = threading.Thread(target=burn, args=(time.thread_time,)); t.start(); t.join()\n",
}


@pytest.mark.parametrize("who", BURNING)
def test_processor_time(who: str) -> None:
    with program(f"{BURN}{BURNING[who]}{SAY}{WAIT}") as pid:
        used = measured(pid)
    assert 0.28e9 < used.cpu_ns < 2e9  # with the start of the interpreter


def test_processor_time_of_a_child_that_lives() -> None:
    code = "if os.fork():\n  sys.stdin.read()\nwhile True: pass"
    with program(f"{SAY}{code}") as pid:
        while measured(pid).cpu_ns < 0.3e9:
            time.sleep(0.01)
        assert usage.cpu_ns(pid) < measured(pid).cpu_ns


def test_a_process_in_a_queue_waits() -> None:
    core = min(os.sched_getaffinity(0))
    code = f"os.sched_setaffinity(0, {{{core}}})\n{SAY}while True: pass"
    with program(code) as one, program(code) as other:
        while waited(one) < 0.1e9 or waited(other) < 0.1e9:
            time.sleep(0.01)


def test_a_sleeping_process_waits_for_nobody() -> None:
    with program(f"{SAY}{WAIT}") as pid:
        first = measured(pid)
        time.sleep(0.05)
        second = measured(pid)
    assert second.cpu_ns - first.cpu_ns < 0.05e9
    assert second.waited_ns is not None
    assert first.waited_ns is not None
    assert second.waited_ns - first.waited_ns < 0.05e9


@pytest.mark.parametrize(
    "take", ["x = bytearray(100 << 20)\n", f"{MAP}(-1{FILL}"], ids=["anonymous", "shared"]
)
def test_memory(take: str) -> None:
    with program(f"{take}{SAY}{WAIT}") as pid:
        used = measured(pid)
        exact = usage.exact_memory([pid])
    assert 100 * MIB < used.memory < 160 * MIB
    assert 100 * MIB < exact <= used.memory


def _refused(*_: object) -> int:
    raise PermissionError


HIDE = "import ctypes; ctypes.CDLL(None).prctl(4, {}, 0, 0, 0)\n"
ROOM = Usage(0, 0, memory=10 * MIB, processes=1)


@pytest.mark.parametrize("hidden", [False, True], ids=["shown", "hidden"])
def test_a_process_that_hides_is_counted(hidden: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    take = f"{MAP}(-1, 60 << 20); x.write(bytes(60 << 20))\ny = bytearray(60 << 20)\n"
    with program(f"{take}{HIDE.format(int(not hidden))}{SAY}{WAIT}") as pid:
        if hidden and os.geteuid() == 0:  # from whom nobody hides
            monkeypatch.setattr(usage, "_exactly", _refused)
            monkeypatch.setattr(procfs, "nameless_mappings", lambda _: {})
        exact = usage.exact_memory([pid])
    assert 120 * MIB < exact < 160 * MIB


HELD = "f = os.memfd_create('x')\nos.ftruncate(f, 100 << 20)\n"
WRITE = "for _ in range(100): os.write(f, b'x' * (1 << 20))\n"
FILLED = HELD + WRITE
FILES = {
    "not mapped": FILLED,
    "of several": f"{FILLED}g = os.dup(f)\nos.fork()\n",
    "half mapped": f"{FILLED}{MAP}(f, 50 << 20); x[:]\n",
    "all mapped": f"{HELD}{MAP}(f{FILL}",
    "without a name": f"f = os.open('/dev/shm', os.O_RDWR | os.O_TMPFILE)\n{WRITE}",
}


@pytest.mark.parametrize("what", FILES)
def test_memory_in_files_counts_once(what: str) -> None:
    with program(f"{FILES[what]}{SAY}{WAIT}", ready=2 if what == "of several" else 1) as pid:
        pids = usage.tree(pid)
        exact = usage.exact_memory(pids)
        over = usage.excess(ROOM, Limits(memory=90 * MIB), lambda: pids)
    assert 100 * MIB < exact < 130 * MIB
    assert over == "used more than 90 MiB of memory"


def ended_at_first(take: str) -> str:
    """The first thread ends, another one takes memory and says a line."""
    return f"""
import ctypes, threading
def rest():
  time.sleep(0.1)
  {take}
  os.write(1, b'x\\n')
  time.sleep(600)
threading.Thread(target=rest, daemon=True).start()
ctypes.CDLL(None).syscall({EXIT}, 0)
"""


LET_GO = f"{MAP}(-1{FILL}x.madvise(mmap.MADV_DONTNEED)\n"
TABLES = f"""
{MAP}(-1, 60 << 30, mmap.MAP_PRIVATE, mmap.PROT_READ)
x.madvise(mmap.MADV_NOHUGEPAGE)
for at in range(0, 60 << 30, 2 << 20): x[at]
"""
LIKE_A_LINE = "import ctypes; ctypes.CDLL(None).prctl(15, b'\\rVmSize: 1', 0, 0, 0)\n"
UNTOUCHED = f"""{FILLED}import ctypes
map = ctypes.CDLL(None).mmap
map.argtypes = (ctypes.c_long,) * 6
map(0, 100 << 20, 3, 1, f, 0)
os.close(f)
"""
NOT_SHOWN = {
    "the first thread": ended_at_first("x = bytearray(100 << 20)"),
    "the first thread, a file": ended_at_first(
        "f = os.memfd_create('x'); os.write(f, bytes(100 << 20))"
    ),
    "the first thread, by its name another line": LIKE_A_LINE
    + ended_at_first("x = bytearray(100 << 20)"),
    "shared": LET_GO + SAY,
    "shared by two": f"{LET_GO}os.fork()\n{SAY}",
    "closed and never touched": UNTOUCHED + SAY,
    "tables": TABLES + SAY,
}


@pytest.mark.parametrize("what", NOT_SHOWN)
def test_memory_that_does_not_show_is_counted(what: str) -> None:
    with program(f"{NOT_SHOWN[what]}{WAIT}", ready=2 if what == "shared by two" else 1) as pid:
        pids = usage.tree(pid)
        over = usage.excess(measured(pid), Limits(memory=90 * MIB), lambda: pids)
        within = usage.excess(measured(pid), Limits(memory=150 * MIB), lambda: pids)
    assert over == "used more than 90 MiB of memory"
    assert within is None


@pytest.mark.parametrize(
    "shown",
    [
        "/dev/zero (deleted)",
        "[anon_shmem:heap]",
        "[anon_shmem:a b]",
        "/memfd:a b (deleted)",
        "/a\rb (deleted)",
    ],
)
def test_shared_memory_has_no_name_whatever_it_is_called(shown, tmp_path, monkeypatch) -> None:
    stat = Path("/proc/self/stat").read_bytes()
    procfs._devices_in_memory()
    (tmp_path / "7").mkdir()
    (tmp_path / "7" / "stat").write_bytes(stat)
    with os.fdopen(os.memfd_create("x")) as file:
        device = os.fstat(file.fileno()).st_dev
    place = f"{os.major(device):02x}:{os.minor(device):02x}"
    (tmp_path / "7" / "maps").write_text(
        f"10000-20000 rw-s 00001000 {place} 5      {shown}\n"
        f"20000-21000 rw-s 00000000 {place} 5      {shown}\n"
        f"30000-40000 rw-s 00000000 {place} 6      /dev/shm/named\n"
        f"40000-50000 rw-s 00000000 fe:fe 5      {shown}\n"
        "50000-60000 rw-p 00000000 00:00 0 \n"
    )
    monkeypatch.setattr(procfs, "_ROOT", tmp_path)
    assert procfs.nameless_mappings([7]) == {(device, 5): 0x11000}


def test_addresses_alone_are_no_memory() -> None:
    with program(f"{MAP}(-1, 1 << 30, mmap.MAP_PRIVATE)\n{SAY}{WAIT}") as pid:
        pids = usage.tree(pid)
        used = measured(pid)
        assert used.addresses > 1 << 30
        assert usage.excess(used, Limits(memory=50 * MIB), lambda: pids) is None


def test_a_file_on_the_disk_is_no_memory(tmp_path: Path) -> None:
    code = f"f = open({str(tmp_path / 'x')!r}, 'wb')\nos.unlink(f.name)\nf.write(bytes(9 << 20))\n"
    with program(f"{code}{SAY}{WAIT}") as pid:
        assert procfs.nameless_files([pid]) == {}


FAMILY = f"x = bytearray(60 << 20)\nfor _ in range(3):\n  if os.fork() == 0: break\n{SAY}{WAIT}"


def test_what_a_family_shares_counts_once_if_it_matters() -> None:
    with program(FAMILY, ready=4) as pid:
        used = measured(pid)
        exact = usage.exact_memory(usage.tree(pid))
    assert used.memory > 240 * MIB
    assert 60 * MIB < exact < 120 * MIB
    assert used.processes == 4


BORROWS = """
import ctypes
x = bytearray(60 << 20)
libc = ctypes.CDLL(None)
stack = ctypes.create_string_buffer(1 << 16)
top = ctypes.c_void_p((ctypes.addressof(stack) + (1 << 16)) & ~15)
run = ctypes.cast(libc.pause, ctypes.c_void_p)
libc.clone(run, top, 0x100 | 17, None)
"""
"""Has a child in its own memory (CLONE_VM), as there is for a moment when a program is started."""


def test_a_child_in_the_memory_of_its_parent_has_none() -> None:
    with program(f"{BORROWS}{SAY}{WAIT}") as pid:
        pids = usage.tree(pid)
        exact = usage.exact_memory(pids)
    assert len(pids) == 2
    assert 60 * MIB < exact < 100 * MIB


def test_two_without_main_threads_are_not_taken_for_one() -> None:
    each = ended_at_first("x = bytearray(60 << 20)")
    with program(f"os.fork()\n{each}", ready=2) as pid:
        pids = usage.tree(pid)
        exact = usage.exact_memory(pids)
    assert len(pids) == 2
    assert 120 * MIB < exact < 200 * MIB


def test_threads_are_counted() -> None:
    code = (
        "import threading\n"
        "for _ in range(5): threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n"
    )
    with program(f"{code}{SAY}{WAIT}") as pid:
        assert measured(pid).processes == 6


NESTED = f"for _ in range(2):\n  if os.fork():\n    os.wait()\n{SAY}{WAIT}"


def test_the_main_process_may_be_some_generations_below() -> None:
    with program(NESTED) as pid:
        family = usage.tree(pid)
        assert [usage.main_process(pid, depth) for depth in range(3)] == family
        assert [measured(pid, depth).processes for depth in range(3)] == [3, 2, 1]
        assert usage.main_process(pid, 9) == family[-1]


@pytest.fixture(params=["children", "parents"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """How a tree is found."""
    if request.param == "parents":
        monkeypatch.setattr(procfs, "children", lambda _: None)


@pytest.mark.usefixtures("way")
def test_a_tree_has_all_descendants_and_nobody_else() -> None:
    with program(FAMILY, ready=4) as pid:
        family = usage.tree(pid)
        assert family[0] == pid
        assert len(family) == 4
        assert {procfs.process(child).parent for child in family[1:]} == {pid}


@pytest.mark.usefixtures("way")
def test_a_process_that_is_gone_uses_nothing() -> None:
    process = subprocess.Popen(["/bin/true"])
    process.wait()
    assert usage.tree(process.pid) == []
    assert usage.measure(process.pid) is None
    assert usage.exact_memory([process.pid]) == 0
    assert usage.waited_ns(process.pid) is None


USED = Usage(0, 0, memory=100 * MIB, processes=5)


@pytest.mark.parametrize(
    ("limits", "exact", "found"),
    [
        (Limits(memory=None, processes=None), 0, None),
        (Limits(memory=100 * MIB, processes=5), 0, None),
        (Limits(memory=None, processes=4), 0, "had more than 4 processes"),
        (Limits(memory=64 * MIB, processes=None), 65 * MIB, "used more than 64 MiB of memory"),
        (Limits(memory=64 * MIB, processes=None), 64 * MIB, None),
        (Limits(memory=1000, processes=None), 1001, "used more than 1000 bytes of memory"),
    ],
)
def test_excess(limits, exact, found, monkeypatch) -> None:
    monkeypatch.setattr(usage, "exact_memory", lambda _: exact)
    pids: Callable[[], list[int]] = list
    assert usage.excess(USED, limits, pids) == found


YIELD = "os.sched_setscheduler(0, os.SCHED_{}, os.sched_param(0))\n"
IDLE_THREAD = f"""
import threading
ready = threading.Event()
def idle():
    {YIELD.format("IDLE")}
    ready.set()
    time.sleep(60)
threading.Thread(target=idle, daemon=True).start()
ready.wait()
"""


@pytest.mark.parametrize(
    "code",
    ["", "os.nice(1)\n", YIELD.format("IDLE"), YIELD.format("BATCH"), IDLE_THREAD],
    ids=["as it was started", "nicer", "idle", "batch", "an idle thread"],
)
def test_who_lets_others_go_first_was_not_kept_waiting(code: str) -> None:
    with program(f"{code}{SAY}{WAIT}") as pid:
        assert (usage.waited_ns(pid) is not None) == (code == "")


def test_a_family_may_hold_itself_up_so_its_waiting_is_not_told() -> None:
    with program("os.fork()\n" + SAY + WAIT, ready=2) as pid:
        assert measured(pid).waited_ns is None
