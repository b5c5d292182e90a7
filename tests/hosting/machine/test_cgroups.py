"""Control groups: found in made-up trees, used in those of the machine."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from arena.hosting.machine import cgroups, orphans
from arena.hosting.machine.cgroups import ControlGroup
from arena.hosting.machine.usage import cpu_ns
from arena.values.results import Limits
from tests.hosting.chains import chain

__all__ = ["chain"]

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("leaves_nothing")]

NO_LIMITS = Limits(memory=None, processes=None)
real = pytest.mark.skipif(not cgroups.folders(), reason="no control groups to write to")


# Made-up trees


class Machine:
    """A machine with files in place of control groups."""

    def __init__(self, root: Path) -> None:
        self.proc = root / "proc"
        self.proc.mkdir()
        self.root = root
        self._mounts = ""
        self._own = ""

    def v2(self, own: str = "/", controllers: str = "", enabled: str = "") -> Path:
        folder = self._mount("unified", "cgroup2", "0:", own, "/", "rw")
        (folder / "cgroup.controllers").write_text(controllers)
        (folder / "cgroup.subtree_control").write_text(enabled)
        return folder

    def v1(self, controllers: str, own: str = "/", mounted: str = "/") -> Path:
        return self._mount(controllers, "cgroup", f"1:{controllers}", own, mounted, controllers)

    def _mount(self, name: str, kind: str, key: str, own: str, mounted: str, extra: str) -> Path:
        place = self.root / name
        self._mounts += f"1 2 0:1 {mounted} {place} rw - {kind} {kind} {extra}\n"
        self._own += f"{key}:{own}\n"
        (self.proc / "mountinfo").write_text(self._mounts)
        (self.proc / "cgroup").write_text(self._own)
        folder = place / os.path.relpath(own if own.startswith(mounted) else mounted, mounted)
        folder.mkdir(parents=True)
        (folder / "cgroup.procs").touch()
        return Path(os.path.normpath(folder))


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_a_machine_without_groups(machine: Machine) -> None:
    found = cgroups.search(machine.proc)
    assert (found.v2, found.offered, found.v1) == (None, frozenset(), {})
    assert found.lacks == {
        "unified": "version 2 is not mounted",
        "memory": "there is no controller memory",
        "pids": "there is no controller pids",
        "cpu": "there is no controller cpu",
        "freezer": "there is no controller freezer",
        "cpuacct": "there is no controller cpuacct",
    }


def test_version_2_with_controllers_does_everything(machine: Machine) -> None:
    folder = machine.v2("/user/me", "cpu io memory pids", "cpu memory pids")
    machine.v1("memory")
    offered = frozenset({"cpu", "memory", "pids"})
    assert cgroups.search(machine.proc) == (folder, offered, {}, {})


def test_controllers_are_enabled_where_that_may_be_done(machine, monkeypatch) -> None:
    folder = machine.v2(controllers="cpu memory pids", enabled="cpu")

    def put(base: Path, file: str, value: str) -> None:
        with (base / file).open("a") as control:
            control.write(f" {value.removeprefix('+')}")

    monkeypatch.setattr(cgroups, "_put", put)
    found = cgroups.search(machine.proc)
    assert (found.offered, found.lacks) == ({"cpu", "memory", "pids"}, {})
    assert (folder / "cgroup.subtree_control").read_text() == "cpu memory pids"


def test_where_that_may_not_be_done_there_are_no_limits(machine, monkeypatch) -> None:
    """The kernel refuses to pass controllers on from a group that holds processes."""
    folder = machine.v2(controllers="memory pids")
    monkeypatch.setattr(cgroups, "_put", lambda *_: False)
    found = cgroups.search(machine.proc)
    assert (found.v2, found.offered) == (folder, frozenset())
    assert found.lacks["memory"] == f"{folder} does not pass memory on: it holds processes itself"


def test_version_1_fills_the_gaps(machine: Machine) -> None:
    unified = machine.v2()
    memory, pids = machine.v1("memory", "/me"), machine.v1("pids")
    machine.v1("freezer")
    found = cgroups.search(machine.proc)
    assert (found.v2, found.v1) == (unified, {"memory": memory, "pids": pids})


def test_version_1_alone(machine: Machine) -> None:
    both = machine.v1("cpu,cpuacct")
    freezer = machine.v1("freezer", own="/docker/abc", mounted="/docker/abc")
    pids = machine.v1("pids", own="/elsewhere", mounted="/docker/abc")
    found = cgroups.search(machine.proc)
    assert found.v1 == {"pids": pids, "freezer": freezer, "cpu": both, "cpuacct": both}
    assert freezer == machine.root / "freezer"


@pytest.mark.parametrize("broken", ["folder", "procs"])
def test_what_is_not_ours_to_write_is_not_used(machine, broken, monkeypatch) -> None:
    folder = machine.v2()
    if broken == "folder":
        refusal = PermissionError(13, "Permission denied")
        monkeypatch.setattr(Path, "mkdir", lambda *_: (_ for _ in ()).throw(refusal))
        why = f"{folder}: Permission denied"
    else:
        monkeypatch.setattr(os, "access", lambda *_: False)
        why = f"{folder}/cgroup.procs: not ours to write"
    found = cgroups.search(machine.proc)
    assert found.v2 is None
    assert found.lacks["unified"] == why


def test_what_is_told_of_it(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    unified, pids = machine.v2(), machine.v1("pids")
    found = cgroups.search(machine.proc)
    monkeypatch.setattr(cgroups, "find", lambda: found)
    assert cgroups.describe() == {
        "memory": f"no: {unified} has no controller memory",
        "processes": f"version 1, {pids}",
        "fair shares": f"no: {unified} has no controller cpu",
        "freezing": f"version 2, {unified}",
        "processor time": f"version 2, {unified}",
    }
    assert cgroups.folders() == [unified, pids]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A group of version 2 with the files that we write and read."""
    files = {"memory.max": "max", "memory.swap.max": "max", "memory.oom.group": "0"}
    files |= {"pids.max": "max", "memory.events": "low 0\noom 3\noom_kill 2\n"}
    files |= {"cpu.stat": "usage_usec 1234\nuser_usec 1000\n", "cgroup.procs": ""}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_limits_of_version_2(folder: Path) -> None:
    group = ControlGroup(folder, {})
    group.limit(Limits(memory=1 << 30, processes=64))
    names = ("memory.max", "memory.swap.max", "memory.oom.group", "pids.max")
    # as in any file, what is longer than the number stays
    assert [(folder / name).read_text() for name in names] == ["1073741824", "0ax", "1", "64x"]
    assert (group.limits_memory, group.limits_processes) == (True, True)
    assert (group.oom_kills(), group.cpu_ns()) == (2, 1_234_000)


def test_limits_of_version_1(tmp_path: Path) -> None:
    for name in ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes", "memory.oom_control"):
        (tmp_path / name).write_text("oom_kill_disable 0\nunder_oom 0\noom_kill 1\n")
    group = ControlGroup(None, {"memory": tmp_path})
    group.limit(Limits(memory=4096, processes=64))
    assert (tmp_path / "memory.limit_in_bytes").read_text().startswith("4096")
    assert (tmp_path / "memory.memsw.limit_in_bytes").read_text().startswith("4096")
    assert (group.limits_memory, group.limits_processes) == (True, False)
    assert (group.oom_kills(), group.cpu_ns(), group.freezes) == (1, None, False)


def test_without_limits_none_are_set(folder: Path) -> None:
    group = ControlGroup(folder, {})
    group.limit(NO_LIMITS)
    assert (folder / "memory.max").read_text() == "max"
    assert (group.limits_memory, group.limits_processes) == (False, False)


def test_a_group_that_is_gone_raises_nothing(tmp_path: Path) -> None:
    for group in (
        ControlGroup(tmp_path / "gone", {}),
        ControlGroup(None, {"freezer": tmp_path / "gone"}),
    ):
        group.limit(Limits())
        group.freeze()
        group.thaw()
        group.kill()
        group.close()
        assert (group.oom_kills(), group.members()) == (0, set())


def test_where_nothing_is_found_there_is_no_group(monkeypatch: pytest.MonkeyPatch) -> None:
    bases = cgroups.Bases(None, frozenset(), {"pids": Path("/no/such/folder")}, {})
    monkeypatch.setattr(cgroups, "find", lambda: bases)
    assert cgroups.create("arena-x", Limits()) is None


# The machine's own


ENTER = "import os, sys\nfor file in sys.argv[1:]: open(file, 'w').write('0')\n"
READY = "print('in', flush=True)\n"


@pytest.fixture(params=["as found", "version 1"])
def bases(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the machine has, and the same without the second version."""
    if request.param == "version 1":
        proc = Path("/proc/self")
        whole = cgroups._mounts((proc / "mountinfo").read_text())
        monkeypatch.setattr(
            cgroups, "_mounts", lambda _: {k: v for k, v in whole.items() if k != "unified"}
        )
        found = cgroups.search(proc)
        if "freezer" not in found.v1:
            pytest.skip("no freezer of version 1")
        monkeypatch.setattr(cgroups, "find", lambda: found)


class Starter:
    """Starts programs in groups and leaves neither."""

    def __init__(self) -> None:
        self._groups: list[ControlGroup] = []
        self._processes: list[subprocess.Popen[bytes]] = []
        self._kin = set(orphans.children())

    def group(self, limits: Limits = NO_LIMITS) -> ControlGroup:
        group = cgroups.create(f"arena-test-{os.getpid()}-{len(self._groups)}", limits)
        assert group is not None
        self._groups.append(group)
        return group

    def __call__(self, limits: Limits, code: str) -> tuple[ControlGroup, subprocess.Popen[bytes]]:
        """A program in a group of its own, in it for sure."""
        group = self.group(limits)
        process = subprocess.Popen(
            [sys.executable, "-S", "-c", f"{ENTER}{READY}{code}", *group.procs],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
        )
        self._processes.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == b"in\n"
        return group, process

    def close(self) -> None:
        for group in self._groups:
            group.kill()
        for process in self._processes:
            process.kill()
            process.wait(60)
            if process.stdout is not None:
                process.stdout.close()
        self.bury()
        for group in self._groups:
            group.close()

    def bury(self) -> None:
        """Reap what was killed and had lost its parent."""
        orphans.sweep(keep=self._kin)


@pytest.fixture
def started(leaves_nothing: None) -> Iterator[Starter]:
    orphans.adopt_orphans()
    with closing(Starter()) as starter:
        yield starter


def empties(group: ControlGroup) -> bool:
    """Whether all in it come to their end; that may take a moment after a kill."""
    deadline = time.monotonic() + 30
    while group.members() and time.monotonic() < deadline:
        time.sleep(0.001)
    return not group.members()


def folders_of(group: ControlGroup) -> list[Path]:
    return [Path(file).parent for file in group.procs]


@real
@pytest.mark.usefixtures("bases")
@pytest.mark.parametrize("frozen", [False, True])
def test_all_of_a_group_dies_at_once(frozen: bool, started: Starter) -> None:
    code = "os.fork(); os.fork(); os.setsid() if os.fork() == 0 else None\nwhile True: pass"
    group, process = started(NO_LIMITS, code)
    while len(group.members()) < 8:
        time.sleep(0.001)
    if frozen:
        group.freeze()
    group.kill()
    assert process.wait(60) == -signal.SIGKILL
    assert empties(group)
    started.bury()
    group.close()
    assert not any(folder.exists() for folder in folders_of(group))


@real
@pytest.mark.usefixtures("bases")
def test_nobody_escapes_from_a_group_by_forking(chain: Path, started: Starter) -> None:
    for _ in range(5):
        group, process = started(NO_LIMITS, f"os.execv({str(chain)!r}, ['chain'])")
        assert process.wait(60) == 0
        group.kill()
        assert empties(group)


@real
@pytest.mark.usefixtures("bases")
def test_a_group_is_closed_with_all_that_lives_in_it(started: Starter) -> None:
    group, process = started(NO_LIMITS, "while True: pass")
    group.close()
    assert process.wait(60) == -signal.SIGKILL
    group.close()  # what was busy then
    assert not any(folder.exists() for folder in folders_of(group))


@real
@pytest.mark.usefixtures("bases")
def test_a_frozen_group_uses_no_time(started: Starter) -> None:
    group, _ = started(NO_LIMITS, "os.fork()\nwhile True: pass")
    while len(group.members()) < 2:
        time.sleep(0.001)
    group.freeze()
    members = group.members()
    used = [cpu_ns(pid) for pid in members]
    end = time.process_time() + 0.1
    while time.process_time() < end:
        pass
    assert [cpu_ns(pid) for pid in members] == used
    cpu = group.cpu_ns()
    assert cpu is not None
    group.thaw()
    while group.cpu_ns() == cpu:
        time.sleep(0.001)


@real
@pytest.mark.usefixtures("bases")
@pytest.mark.parametrize(
    "code",
    [
        pytest.param("x = bytearray(200 << 20)", id="alone"),
        pytest.param(
            "import time\n"  # none ends before all are there
            "for _ in range(9):\n  if os.fork() == 0:\n"
            "    x = bytearray(20 << 20); time.sleep(60)\nos.wait()",
            id="children together",
        ),
        pytest.param("f = [os.memfd_create('x')]; os.write(f[0], bytes(200 << 20))", id="memfd"),
    ],
)
def test_memory_is_limited(code: str, started: Starter) -> None:
    group, process = started(Limits(memory=64 << 20, processes=None), code)
    if not group.limits_memory:
        pytest.skip("no memory controller")
    process.wait(60)
    assert group.oom_kills() > 0


@real
@pytest.mark.usefixtures("bases")
def test_processes_and_threads_are_limited(started: Starter) -> None:
    code = (
        "import threading, time\n"
        "n = 0\n"
        "try:\n"
        "  for _ in range(20):\n"
        "    threading.Thread(target=time.sleep, args=(60,), daemon=True).start(); n += 1\n"
        "except RuntimeError: pass\n"
        "print(n, flush=True)\n"
    )
    group, process = started(Limits(memory=None, processes=8), code)
    assert process.stdout is not None
    assert int(process.stdout.readline()) == (7 if group.limits_processes else 20)


@real
def test_groups_are_cleared_by_their_name(started: Starter) -> None:
    group, process = started(NO_LIMITS, "while True: pass")
    kept = started.group()
    name = folders_of(group)[0].name
    for base in cgroups.folders():
        cgroups.clear(base, name)
    assert process.wait(60) == -signal.SIGKILL
    for base in cgroups.folders():
        cgroups.clear(base, name)  # what was busy then
    assert not any(folder.exists() for folder in folders_of(group))
    assert all(folder.exists() for folder in folders_of(kept))


def test_the_search_leaves_no_trace() -> None:
    cgroups.search(Path("/proc/self"))
    names = {name for folder in cgroups.folders() for name in os.listdir(folder)}
    assert f"arena-trial-{os.getpid()}" not in names


def test_the_time_that_all_of_a_group_waits_is_read(tmp_path: Path) -> None:
    group = ControlGroup(tmp_path, {})
    assert group.stalled_ns() is None
    (tmp_path / "cpu.pressure").write_text(
        "some avg10=1.50 avg60=0.00 avg300=0.00 total=99\n"
        "full avg10=0.00 avg60=0.00 avg300=0.00 total=42\n"
    )
    assert group.stalled_ns() == 42_000
    assert ControlGroup(None, {}).stalled_ns() is None


def test_what_we_may_use_with_others_is_found_up_to_the_root(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    own = machine.v2("/slice/ours")
    (own / "memory.max").write_text("max\n")
    (own / "pids.max").write_text("200\n")
    (own / "pids.current").write_text("50\n")
    (own.parent / "memory.max").write_text("1000\n")
    (own.parent / "memory.current").write_text("800\n")
    (own.parent / "memory.stat").write_text("anon 500\ninactive_file 300\n")
    found = list(cgroups._shared(machine.proc))
    assert [(each.folder, each.limit) for each in found] == [(own, 200), (own.parent, 1000)]
    assert [each.free() for each in found] == [0.75, 0.5]


def test_version_1_limits_memory_too(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    own = machine.v1("memory")
    (own / "memory.limit_in_bytes").write_text("400\n")
    (own / "memory.usage_in_bytes").write_text("100\n")
    assert [each.free() for each in cgroups._shared(machine.proc)] == [0.75]
    (own / "memory.limit_in_bytes").write_text("9223372036854771712\n")
    assert list(cgroups._shared(machine.proc)) == []
