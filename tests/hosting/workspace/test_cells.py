"""Workspaces and cells, and that nothing of an abandoned workspace survives."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Final

import pytest

from arena.hosting.machine import cgroups, kernel, orphans, procfs
from arena.hosting.machine.kernel import Kernel
from arena.hosting.sandbox.isolation import IsolationError, Launch, Level
from arena.hosting.workspace import cells as workspace
from arena.hosting.workspace import leftovers
from arena.hosting.workspace.cells import Cell, Workspace, clear_abandoned, user_of
from arena.hosting.workspace.leftovers import Tenant
from arena.hosting.workspace.trees import remove_tree
from tests.hosting.bots import needs_linux

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("leaves_nothing")]

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can change the user")
with_groups = pytest.mark.skipif(not cgroups.folders(), reason="no control groups to write to")


@pytest.fixture(autouse=True)
def temp(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A temp folder of the test's own, in which every user can be."""
    with tempfile.TemporaryDirectory(prefix="test-of-workspaces-") as folder:
        os.chmod(folder, 0o711)
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield Path(folder)


@pytest.fixture
def bot(temp: Path) -> Path:
    folder = temp / "bot"
    folder.mkdir()
    (folder / "main.py").write_text("print()\n")
    (folder / "__pycache__").mkdir()
    return folder


@pytest.fixture
def owner() -> Iterator[Workspace]:
    with closing(Workspace.create()) as owner:
        yield owner


def mode(path: str | Path) -> int:
    return stat.S_IMODE(os.lstat(path).st_mode)


def launch(folder: str | Path = "/", level: Level = Level.NONE, *, copied: bool = False) -> Launch:
    return Launch(("/bin/true",), str(folder), level=level, copied=copied)


@contextmanager
def cells(owner: Workspace, *launches: Launch) -> Iterator[list[Cell]]:
    opened = [owner.cell(each) for each in launches]
    try:
        yield opened
    finally:
        for cell in opened:
            cell.close()


# Snapshots and cells


def test_a_snapshot_is_taken_once(owner: Workspace, bot: Path) -> None:
    first = owner.snapshot("bot", bot)
    (bot / "main.py").write_text("changed\n")
    assert owner.snapshot("bot", bot) == first
    assert (first / "main.py").read_text() == "print()\n"
    assert not (first / "__pycache__").exists()
    other = owner.snapshot("other", bot)
    assert (other / "main.py").read_text() == "changed\n"
    assert first.name.isdecimal()


def test_every_process_has_its_own_copy_if_it_is_to_be_copied(owner: Workspace, bot: Path) -> None:
    source = owner.snapshot("bot", bot)
    wanted = launch(source, copied=True)
    with cells(owner, wanted, wanted, launch(bot)) as (one, two, uncopied):
        assert one.folder != two.folder
        Path(one.folder, "main.py").write_text("changed\n")
        for folder in (source, Path(two.folder)):
            assert (folder / "main.py").read_text() == "print()\n"
        assert mode(one.folder) == 0o700
        assert uncopied.folder == str(bot)
    assert os.listdir(owner.root / "cells") == []


@pytest.mark.parametrize("level", Level)
def test_there_is_scratch_where_something_may_be_written(owner: Workspace, level: Level) -> None:
    with cells(owner, launch(level=level)) as (cell,):
        assert cell.env["ARENA_CELL"].startswith(f"{owner.root.name}/")
        if level in {Level.NONE, Level.LIMITS}:
            assert cell.scratch is not None
            assert os.listdir(cell.scratch) == []
            assert mode(cell.scratch) == 0o700
            assert cell.env["TMPDIR"] == cell.scratch
        else:
            assert cell.scratch is None
            assert "TMPDIR" not in cell.env


def test_the_name_of_a_cell_tells_nothing(owner: Workspace, bot: Path) -> None:
    names = []
    for _ in range(20):
        with cells(owner, launch(bot)) as (cell,):
            names.append(cell.env["ARENA_CELL"].rpartition("/")[2])
    assert all(re.fullmatch("[0-9a-f]{16}", name) for name in names)
    assert len(set(names)) == 20
    assert names != sorted(names)


def test_a_cell_leaves_nothing_whatever_a_bot_made_of_it(owner: Workspace, bot: Path) -> None:
    cell = owner.cell(launch(owner.snapshot("bot", bot), copied=True))
    assert cell.scratch is not None
    Path(cell.scratch, "a", "b").mkdir(parents=True)
    Path(cell.folder, "up").symlink_to("/")
    os.chmod(Path(cell.scratch, "a"), 0)
    os.chmod(cell.folder, 0)
    cell.close()
    cell.close()
    assert os.listdir(owner.root / "cells") == []


def test_a_cell_that_cannot_be_made_leaves_nothing_and_is_nobodys_fault(owner, bot) -> None:
    os.mkfifo(bot / "pipe")
    free = len(workspace._slots)
    with pytest.raises(IsolationError, match=f"^{bot}/pipe: neither file nor folder"):
        owner.cell(launch(bot, copied=True))
    assert os.listdir(owner.root / "cells") == []
    assert len(workspace._slots) == free


def test_a_workspace_that_is_gone_is_nobodys_fault() -> None:
    with pytest.raises(IsolationError, match="No such file or directory"):
        Workspace(Path("/no/such/workspace")).cell(launch())


# Users


def test_an_ordinary_user_stays_what_he_is_and_needs_no_user_ids(owner, monkeypatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with cells(owner, launch()) as (cell,):
        assert cell.uid is None
    assert workspace.provide(5000) == 5000
    assert not procfs.CHILDLESS


@as_root
def test_living_cells_have_users_of_their_own(owner: Workspace) -> None:
    with cells(owner, *[launch()] * workspace.SLOTS) as full:
        users = {cell.uid for cell in full}
        assert len(users) == workspace.SLOTS
        assert None not in users
        with pytest.raises(IsolationError, match="more than 64 bots at once"):
            owner.cell(launch())
    with cells(owner, launch()) as (again,):
        assert again.uid in users


MANY = """
import os
from contextlib import closing
from arena.hosting.machine import procfs
from arena.hosting.sandbox.isolation import Launch
from arena.hosting.workspace import cells, leftovers
from arena.hosting.workspace.cells import Workspace, provide
assert provide(50) == 50 and not procfs.CHILDLESS
assert provide(150) == 150 and len(procfs.CHILDLESS) == 2
with closing(Workspace.create()) as owner:
    found = [owner.cell(Launch(("/bin/true",), "/")) for _ in range(150)]
    assert len({cell.uid for cell in found}) == 150
    threads = {(cell.uid - leftovers.HIGH_USERS) // 64 for cell in found}
    assert threads <= {os.getpid()} | procfs.CHILDLESS
    for tenant in leftovers._tenants(owner.root / "cells"):
        assert tenant.lives()
        assert not tenant.user or tenant.pid == (tenant.user - leftovers.HIGH_USERS) // 64
    for cell in found:
        cell.close()
print("done")
"""


@as_root
def test_many_living_cells_have_users_of_their_own_too() -> None:
    if not workspace._holds_users(workspace._HIGH_USERS, 1 << 28):
        pytest.skip("there are few user ids here")
    said = subprocess.run([sys.executable, "-c", MANY], capture_output=True, text=True, check=False)
    assert said.stdout == "done\n", said.stderr


@as_root
def test_where_there_are_few_user_ids_so_are_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace, "_holds_users", lambda *_: False)
    assert workspace.provide(500) == 60


@as_root
def test_the_order_of_users_is_chance_and_none_comes_back_soon(owner: Workspace) -> None:
    users = []
    for _ in range(workspace.SLOTS):
        with cells(owner, launch()) as (cell,):
            assert cell.uid is not None
            users.append(cell.uid)
    steps = {later - earlier for earlier, later in pairwise(users)}
    assert len(steps) > 3
    assert all(
        user not in users[max(0, at - workspace.SLOTS // 4) : at] for at, user in enumerate(users)
    )


@pytest.mark.parametrize(
    ("uid_map", "expected"),
    [
        ("         0          0 4294967295\n", (1879048192 + 64 * 7 + 5, 2147483647)),
        ("0 100000 65536\n", (61000 + 64 * 7 + 5, 61000 + (64 * 4194303 + 63) % 4000)),
        ("0 0 1\n1 100000 65536\n", (61000 + 64 * 7 + 5, 61000 + (64 * 4194303 + 63) % 4000)),
    ],
)
def test_user_ids(uid_map: str, expected: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "read_text", lambda *_: uid_map)
    assert (user_of(7, 5), user_of(4194303, 63)) == expected


TRIES = """
for path in "$@"; do
    cd / && cd "$path" 2>/dev/null && printf 'in '
    ls "$path" >/dev/null 2>&1 && printf 'list '
    cat "$path/main.py" >/dev/null 2>&1 && printf 'read '
    touch "$path/new" 2>/dev/null && printf 'write '
    echo
done
"""


@as_root
def test_a_bot_reaches_its_own_and_nothing_of_others(owner: Workspace, bot: Path) -> None:
    wanted, root = launch(owner.snapshot("bot", bot), copied=True), owner.root
    with cells(owner, wanted, wanted) as (mine, theirs):
        assert mine.scratch is not None
        assert theirs.scratch is not None
        assert mine.uid is not None
        places = [mine.folder, mine.scratch, theirs.folder, theirs.scratch]
        above = [root, root / "bots", root / "cells", Path(mine.folder).parent]
        ran = subprocess.run(
            ["/bin/sh", "-c", TRIES, "sh", *places, *map(str, above)],
            capture_output=True,
            text=True,
            user=mine.uid,
            group=mine.uid,
            extra_groups=(),
        )
        entry = Path(mine.folder).parent / "entry"
        assert (mode(entry), mode(root / "lock")) == (0o600, 0o600)
    assert ran.stdout.split("\n")[:-1] == [
        "in list read write ",
        "in list write ",
        *["", ""],
        *["in ", "", "in ", "in "],
    ]


# Abandoned workspaces

OWNER = """
import os, subprocess, sys, tempfile
tempfile.tempdir = sys.argv[1]
from arena.hosting.sandbox.isolation import Launch
from arena.hosting.workspace.cells import Workspace
workspace = Workspace.create()
cell = workspace.cell(Launch((), "/"))
enter = "".join(f"echo 0 > {file};" for file in cell.group.procs) if "grouped" in sys.argv else ""
bot = subprocess.Popen(
    ["/bin/sh", "-c", enter + sys.argv[2]],
    start_new_session=True,
    env={**os.environ, **(cell.env if "marked" in sys.argv else {})},
    user=cell.uid if "dropped" in sys.argv else None,
    group=cell.uid if "dropped" in sys.argv else None,
    stdout=subprocess.DEVNULL,
    stderr=subprocess.DEVNULL,
)
if "noted" in sys.argv:
    cell.register(bot.pid)
print(workspace.root, bot.pid, flush=True)
sys.stdin.read()
workspace.close()
"""
DAEMON = "setsid sleep 1000 & sleep 1000; :"
"""A shell with a child in its session and one that has left it."""


@contextmanager
def owner_of(temp: Path, *how: str, bot: str = DAEMON) -> Iterator[tuple[Path, int, int]]:
    """A workspace with a bot: its root, the owner's pid and the bot's."""
    orphans.adopt_orphans()
    with subprocess.Popen(
        [sys.executable, "-c", OWNER, str(temp), bot, *how],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as owner:
        assert owner.stdin is not None
        assert owner.stdout is not None
        root, pid = owner.stdout.readline().split()
        try:
            yield Path(root), owner.pid, int(pid)
        finally:
            owner.stdin.close()


def below(pid: int) -> set[int]:
    """The process and its two children, as soon as one of them has left its session."""
    give_up = time.monotonic() + 60
    while time.monotonic() < give_up:
        kids = procfs.children(pid) or []
        if len(kids) == 2 and {procfs.process(kid).session for kid in kids} > {pid}:
            return {pid, *kids}
    raise AssertionError("no daemon")


def ended(pid: int) -> bool:
    try:
        return procfs.process(pid).has_ended
    except OSError:
        return True


def end(pids: set[int]) -> bool:
    """Whether all end, waited for."""
    give_up = time.monotonic() + 60
    while not (done := all(map(ended, pids))) and time.monotonic() < give_up:
        time.sleep(0.01)
    return done


@needs_linux
@pytest.mark.parametrize(
    ("how", "saved"),
    [
        pytest.param(("marked",), 0, id="by the environment"),
        pytest.param(("noted",), 1, id="by the register, all but the daemon"),
        pytest.param(("dropped",), 0, id="by the user", marks=as_root),
        pytest.param(("grouped",), 0, id="by the group", marks=with_groups),
    ],
)
def test_what_is_left_of_a_killed_run_is_cleared(temp, how, saved) -> None:
    kin = set(orphans.children())
    with owner_of(temp, *how) as (root, owner, bot):
        family = below(bot)
        assert clear_abandoned() == 0
        assert root.exists()
        os.kill(owner, signal.SIGKILL)
        assert end({owner})
    assert clear_abandoned() == 1
    assert os.listdir(temp) == []
    left = {pid for pid in family if not ended(pid)}
    assert len(left) == saved
    assert clear_abandoned() == 0
    assert not any(
        name.startswith(root.name) for folder in cgroups.folders() for name in os.listdir(folder)
    )
    orphans.sweep(keep=kin)


@needs_linux
def test_an_owner_clears_what_its_dead_workers_have_left(temp: Path) -> None:
    kin = set(orphans.children())
    with owner_of(temp, "marked") as (root, _, bot):
        family = below(bot)
    assert end(family)
    assert not root.exists()
    orphans.sweep(keep=kin)


@pytest.fixture
def stranger(temp: Path) -> Iterator[int]:
    """A process that has nothing to do with any workspace but stands in one."""
    with subprocess.Popen(["/bin/sleep", "1000"], cwd=temp, start_new_session=True) as process:
        yield process.pid
        process.kill()


def abandoned(temp: Path, entry: str, stamp: str | None = None) -> Path:
    """A workspace whose owner is gone, with one cell."""
    root = temp / "arena-x"
    (root / "cells" / "1.0").mkdir(parents=True)
    (root / "cells" / "1.0" / "entry").write_text(entry)
    (root / "lock").write_text(leftovers.here() if stamp is None else stamp)
    return root


def high(slot: int, pid: int) -> int:
    return leftovers.HIGH_USERS + pid * workspace.SLOTS + slot


ENTRIES = {
    "another start": "bot {pid} {later} 0\n",
    "a reused worker's id": "worker {pid} {earlier} 0\n",
    "cut off": "bot {pid} {start}",
    "rubbish": "{pid}\0\n-1 x y z\nbot 1 2 3 4 5\n",
    "a user id not given": "worker 1 1 {uid}\n",
    "before a restart of the machine": "bot {pid} {start} 0\n",
}


@needs_linux
@pytest.mark.parametrize("what", ENTRIES)
def test_nothing_else_is_ever_killed(temp: Path, stranger: int, what: str) -> None:
    start = procfs.process(stranger).started
    entry = ENTRIES[what].format(
        pid=stranger, start=start, later=start + 1, earlier=start - 1, uid=os.getuid()
    )
    root = abandoned(temp, entry, "another-boot 1\n" if "restart" in what else None)
    assert clear_abandoned() == 1
    assert not root.exists()
    assert not ended(stranger)


FAMILY: Final = "trap '' TERM; sleep 1000 & echo $!; wait"
"""A shell with a child in its group."""


@pytest.mark.parametrize(
    ("since", "is_ended"), [(0.0, True), (-3600.0, False)], ids=["the same", "a reused id"]
)
def test_without_proc_a_recorded_group_is_ended_by_what_ps_shows(
    temp: Path, monkeypatch: pytest.MonkeyPatch, since: float, is_ended: bool
) -> None:
    """``since``: when the entry was written, in seconds after the start of the bot."""
    monkeypatch.setattr(kernel, "offered", lambda: Kernel(False, False, "Darwin"))
    words = ["/bin/sh", "-c", FAMILY]
    with subprocess.Popen(words, start_new_session=True, stdout=subprocess.PIPE) as bot:
        assert bot.stdout is not None
        child = int(bot.stdout.readline())
        tenant = Tenant.of(leftovers.BOT, bot.pid)
        entry = " ".join(map(str, tenant._replace(started=round(tenant.started + since))))
        abandoned(temp, f"worker {os.getpid()} {tenant.started} 0\n{entry}\n")
        assert clear_abandoned() == 1
        if is_ended:
            assert bot.stdout.read() == b"", "both have ended"
            assert bot.wait() == -signal.SIGKILL
        else:
            assert bot.poll() is None
            os.kill(child, 0)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(bot.pid, signal.SIGKILL)


@pytest.mark.parametrize(
    ("age", "seconds"), [("00:07", 7), ("01:02:03", 3723), ("2-00:00:01", 172801)]
)
def test_ages_as_ps_prints_them(age: str, seconds: int) -> None:
    assert leftovers._seconds(age) == seconds


def test_an_owner_and_those_above_it_are_spared(temp: Path) -> None:
    """A worker may be the owner itself."""
    root = abandoned(temp, "")
    ours = [Tenant.of(leftovers.WORKER, pid) for pid in (os.getpid(), os.getppid())]
    assert list(leftovers._found(root, ours)) == []


@as_root
def test_a_user_id_that_a_new_worker_may_have_is_left_alone(temp: Path) -> None:
    """The number of the dead worker is another process's now: ours."""
    user = high(0, os.getpid())
    with subprocess.Popen(["/bin/sleep", "1000"], user=user, start_new_session=True) as process:
        try:
            abandoned(temp, f"worker {os.getpid()} 1 {user}\n")
            assert clear_abandoned() == 1
            assert not ended(process.pid)
        finally:
            process.kill()


def link_to_a_workspace(root: Path) -> None:
    kept = root.with_name("kept")
    kept.mkdir()
    (kept / "lock").touch()
    root.symlink_to(kept)


def pipe_as_lock(root: Path) -> None:
    root.mkdir()
    os.mkfifo(root / "lock")


def of_another_user(root: Path) -> None:
    os.chown(abandoned(root.parent, ""), 12345, 12345)


def closed(root: Path) -> None:
    """To an ordinary user, as most folders of other users are."""
    root.mkdir(0)


@pytest.mark.parametrize(
    "make",
    [
        *(Path.touch, Path.mkdir, link_to_a_workspace, pipe_as_lock, closed),
        pytest.param(of_another_user, marks=as_root),
    ],
)
def test_what_is_no_workspace_of_ours_is_left_alone(temp, make) -> None:
    make(root := temp / "arena-x")
    assert clear_abandoned() == 0
    assert os.path.lexists(root)


@pytest.mark.parametrize("lock", [[], [leftovers.NEW_LOCK]])
def test_a_workspace_that_was_never_finished_is_removed_when_it_is_old(temp, lock) -> None:
    root = temp / "arena-x"
    root.mkdir()
    for name in lock:
        (root / name).touch()
    assert clear_abandoned() == 0
    assert root.exists()
    os.utime(root, (0, 0))
    assert clear_abandoned() == 0
    assert not root.exists()


def test_a_clearing_that_was_cut_short_is_done_by_the_next(temp, monkeypatch) -> None:
    root = abandoned(temp, "")
    (root / "cells").mkdir(exist_ok=True)
    with monkeypatch.context() as patch:

        def fail(path: Path) -> None:
            if path.name in ("cells", root.name):
                raise OSError("still being filled")
            remove_tree(path)

        patch.setattr(leftovers, "remove_tree", fail)
        assert clear_abandoned() == 1
    assert set(os.listdir(root)) == {"cells", "lock"}
    assert clear_abandoned() == 1
    assert not root.exists()


def test_closing_never_fails(temp: Path) -> None:
    owner = Workspace.create()
    owner.cell(launch())
    (owner.root / "lock").unlink()
    (owner.root / "cells").chmod(0)
    owner.close()
    owner.close()
    assert os.listdir(temp) == []


def test_a_lock_is_not_inherited(owner: Workspace) -> None:
    assert owner._lock is not None
    assert not os.get_inheritable(owner._lock)
