"""The program between fork and exec, run by hand with a plan."""

from __future__ import annotations

import ast
import errno
import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from arena.hosting import process
from arena.hosting.sandbox import confine, landlock
from arena.hosting.sandbox.confine import LaunchSteps
from tests.hosting.bots import MACHINE, needs_linux

pytestmark = [
    pytest.mark.process,
    pytest.mark.usefixtures("leaves_nothing"),
]

TOKEN: Final = b"token"
PYTHON: Final = (sys.executable, "-I", "-S", "-c")
ENV: Final = {"NAME": "wörth"}


def run(
    is_last: bool = True, groups: tuple[int, ...] | None = None, **steps: Any
) -> tuple[str, list[bytes], int]:
    """What the program printed, what the launcher reported, and how the process ended."""
    plan = LaunchSteps(TOKEN, is_last, **{"env": ENV, **steps}).packed()
    memory = process._file_with(plan)
    reading, writing = os.pipe()
    try:
        done = subprocess.run(
            confine.start(memory, writing),
            pass_fds=(memory, writing),
            extra_groups=groups,
            capture_output=True,
            text=True,
            timeout=60,
        )
        os.close(writing)
        writing = -1
        assert not done.stderr
        with os.fdopen(os.dup(reading), "rb") as file:
            return done.stdout, file.read().splitlines(), done.returncode
    finally:
        for descriptor in (memory, reading, writing):
            if descriptor >= 0:
                os.close(descriptor)


def python(code: str, **steps: Any) -> str:
    """What a Python program prints after the steps."""
    printed, reports, status = run(command=(*PYTHON, code), **steps)
    assert reports == [b"token\0reached\x000\0"]
    assert status == 0
    return printed.strip()


def test_nothing_is_done_that_is_not_asked_for(tmp_path: Path) -> None:
    code = "import os, resource; print(os.environ['NAME'], os.getcwd(), os.getuid(), os.umask(0))"
    mask = os.umask(0)
    os.umask(mask)
    assert python(code) == f"wörth {os.getcwd()} {os.getuid()} {mask}"


@needs_linux
def test_the_program_gets_no_descriptor_of_ours() -> None:
    code = "import os; print(len(os.listdir('/proc/self/fd')))"
    assert python(code) == "4", "three, and the listing itself"


def test_folder_and_mask(tmp_path: Path) -> None:
    code = "import os; print(os.getcwd(), os.umask(0))"
    assert python(code, folder=str(tmp_path), umask=0o077) == f"{tmp_path} {0o077}"


def test_another_user_has_no_group_of_ours() -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root")
    shell = ("/bin/sh", "-c", "grep -E '^([UG]id|Groups|CapEff)' /proc/self/status")
    printed, _, _ = run(groups=(0, 4321), command=shell, user=4242)
    assert printed.split() == [
        *("Uid:", *["4242"] * 4),
        *("Gid:", *["4242"] * 4),
        "Groups:",
        *("CapEff:", "0" * 16),
    ]


def test_limits_never_exceed_those_that_are() -> None:
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    code = "import resource as r; print(r.getrlimit(r.RLIMIT_NOFILE), r.getrlimit(r.RLIMIT_CPU))"
    limits = (("RLIMIT_NOFILE", most + 5, most + 5), ("RLIMIT_CPU", 7, 8))
    assert python(code, limits=limits) == f"({most}, {most}) (7, 8)"


@needs_linux
def test_signals_are_as_a_program_expects_them() -> None:
    code = "print([l.split()[1] for l in open('/proc/self/status') if l.startswith('SigIgn')][0])"
    python_ignores = 1 << signal.SIGPIPE - 1 | 1 << signal.SIGXFSZ - 1
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        # a shell that started us in the background has us ignore more than that
        ours = [n for n in signal.valid_signals() if signal.getsignal(n) is signal.SIG_IGN]
        assert signal.SIGHUP in ours
        assert int(python(code), 16) == python_ignores | sum(1 << n - 1 for n in ours)
        assert int(python(code, signals=True), 16) == python_ignores
        shell = ("/bin/sh", "-c", "grep SigIgn /proc/self/status")
        assert run(command=shell, signals=True)[0].split() == ["SigIgn:", "0" * 16]
    finally:
        signal.signal(signal.SIGHUP, before)


@needs_linux
def test_the_kernel_takes_the_bot_first() -> None:
    assert python("print(open('/proc/self/oom_score_adj').read())", oom_score=1000) == "1000"


@needs_linux
def test_descriptors_for_another_launcher() -> None:
    code = "import os; print(os.read(5, 9), os.fstat(6).st_ino == os.fstat(0).st_ino)"
    assert python(code, files=((5, b"content"),), copies=((0, 6),)) == "b'content' True"


def test_reports_go_on_where_the_next_launcher_expects_them() -> None:
    code = "import os; os.write(3, b'hello\\n')"
    _, reports, _ = run(is_last=False, command=(*PYTHON, code), copies=((None, 3),))
    assert reports == [b"hello"]


@needs_linux
def test_a_process_whose_parent_is_gone_ends() -> None:
    printed, reports, status = run(command=("/bin/echo", "alive"), parent=1 << 22)
    assert (printed, reports, status) == ("", [], -signal.SIGKILL)


def test_landlock_and_what_does_not_exist(tmp_path: Path) -> None:
    if not MACHINE.has_landlock:
        pytest.skip("needs Landlock")
    (tmp_path / "yes").touch()
    (tmp_path / "no").touch()
    code = f"""
for name in ("yes", "no"):
    try:
        print(open({str(tmp_path)!r} + "/" + name).read() or name)
    except PermissionError:
        print("closed")
"""
    rules = landlock.ruleset(["/no/such/path", sys.base_prefix, "/usr", str(tmp_path / "yes")])
    printed = python(code, no_new_privileges=True, landlock=rules)
    assert printed.split() == ["yes", "closed"]


@pytest.mark.parametrize("version", range(1, landlock.LOWEST))
def test_the_kernel_takes_the_rules_of_older_versions(version: int) -> None:
    if not MACHINE.has_landlock:
        pytest.skip("needs Landlock")
    code = """
try:
    open("/proc/self/maps")
except PermissionError:
    print("closed")
"""
    rules = landlock.ruleset([sys.base_prefix, "/usr", "/lib"], ["/tmp"], ["/dev/null"], version)
    assert python(code, no_new_privileges=True, landlock=rules) == "closed"


def test_a_file_does_not_note_that_it_is_read(tmp_path: Path) -> None:
    if not MACHINE.has_mounts:
        pytest.skip("needs root, and the right to mount")
    file = tmp_path / "file"
    for no_times in (True, None):
        file.write_text("content")
        os.utime(file, (0, 0))
        python(f"open({str(file)!r}).read()", no_times=no_times)
        if no_times:
            assert file.stat().st_atime == 0
        elif not file.stat().st_atime:
            pytest.skip("no file does here")


@needs_linux
@pytest.mark.parametrize(
    ("steps", "report"),
    [
        ({"folder": "/no/such"}, (b"folder", errno.ENOENT, b"/no/such")),
        ({"cgroups": ("/no/such/procs",)}, (b"cgroups", errno.ENOENT, b"/no/such/procs")),
        ({"seccomp": b"\x06" + bytes(7)}, (b"seccomp", None, b"")),
        ({"seccomp": b"\xff" * 8, "no_new_privileges": True}, (b"seccomp", errno.EINVAL, b"")),
        ({"landlock": (b"", 0, ())}, (b"landlock", errno.EINVAL, b"")),
        ({"covers": (("/no/such", (), ()),)}, (b"covers", None, None)),
    ],
)
def test_what_fails_is_reported(steps, report) -> None:
    if b"\x06" in steps.get("seccomp", b"") and os.geteuid() == 0:
        pytest.skip("root may load a filter without giving up privileges")
    printed, (line,), status = run(command=("/bin/echo", "alive"), **steps)
    token, stage, number, path = line.split(b"\0")
    assert (printed, status, token, stage) == ("", 127, TOKEN, report[0])
    assert report[1] is None or int(number) == report[1]
    assert report[2] is None or path == report[2]


@pytest.mark.parametrize(
    ("program", "number"), [("/no/such", errno.ENOENT), ("/etc/passwd", errno.EACCES)]
)
def test_a_program_that_cannot_be_executed_is_reported_after_all_else(program, number) -> None:
    _, reports, status = run(command=(program,))
    assert [line.split(b"\0")[1:3] for line in reports] == [
        [b"reached", b"0"],
        [b"exec", b"%d" % number],
    ]
    assert status == 127


def test_a_closed_folder_is_covered(tmp_path: Path) -> None:
    if not MACHINE.has_mounts:
        pytest.skip("needs root, and the right to mount")
    closed = tmp_path / "closed"
    (closed / "deep" / "needed").mkdir(parents=True)
    (closed / "deep" / "needed" / "file").write_text("content")
    (closed / "deep" / "single").write_text("single")
    (closed / "deep" / "secret").touch()
    (closed / "own").mkdir()
    closed.chmod(0o700)
    covers = (
        (
            str(closed),
            (
                (f"{closed}/deep/needed", False),
                (f"{closed}/deep/single", False),
                (f"{closed}/own", True),
            ),
            ((f"{closed}/link", "deep/needed"),),
        ),
    )
    code = f"""
import json, os
os.chdir({str(closed)!r})
found = [sorted(os.listdir(".")), sorted(os.listdir("deep")), open("link/file").read()]
open("own/new", "w").close()
try:
    open("deep/needed/new", "w")
except OSError as error:
    found.append(error.errno)
print(json.dumps(found))
"""
    found = json.loads(python(code, covers=covers))
    expected = [["deep", "link", "own"], ["needed", "single"], "content", errno.EROFS]
    assert found == expected
    assert sorted(os.listdir(closed / "deep")) == ["needed", "secret", "single"], "for it alone"
    assert os.listdir(closed / "own") == ["new"]


def test_it_imports_next_to_nothing() -> None:
    code = f"""
import sys
with open({confine.LAUNCHER!r}) as file:
    exec(compile(file.read(), "launcher", "exec"), {{"__name__": "launcher"}})
print(*sys.modules)
"""
    heavy = {
        "typing",
        "re",
        "enum",
        "signal",
        "subprocess",
        "json",
        "threading",
        "pathlib",
        "os",
        "ctypes",
    }
    assert not heavy & set(python(code).split())


def test_every_step_of_a_plan_is_known() -> None:
    tree = ast.parse(Path(confine.LAUNCHER).read_text("utf-8"))
    steps = [
        ast.literal_eval(entry.elts[0])
        for node in ast.walk(tree)
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "_STEPS"
        if isinstance(node.value, ast.Tuple)
        for entry in node.value.elts
    ]
    others = ("token", "is_last", "files", "copies", "command", "env")
    assert [name for name in LaunchSteps._fields if name not in others] == steps
