"""What tests of real bots at isolation levels need to know of the machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from functools import cached_property
from pathlib import Path
from typing import Final

import msgspec
import pytest

from arena.hosting.machine import kernel
from arena.hosting.process import BotProcess
from arena.hosting.sandbox import bubblewrap, landlock, seccomp
from arena.hosting.sandbox.isolation import Level

PATIENCE: Final = 60.0
HAS_LINUX: Final = kernel.offered().controls_processes
"""Whether there are the calls of Linux beside those of POSIX, see ``tests.posix``."""
needs_linux: Final = pytest.mark.skipif(not HAS_LINUX, reason="needs Linux")


class Machine:
    """What can be tried here."""

    checkout: Final = Path(__file__).parents[2]

    @cached_property
    def has_landlock(self) -> bool:
        return landlock.version() >= landlock.LOWEST and os.uname().machine in seccomp.MACHINES

    @cached_property
    def has_bubblewrap(self) -> bool:
        program = bubblewrap.find()
        if program is None:
            return False
        options = ["--unshare-all", "--unshare-user", "--disable-userns", "--ro-bind", "/", "/"]
        command = [program, *options, "true"]
        if os.geteuid() == 0:
            command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *command]
        done = subprocess.run(command, capture_output=True)
        return done.returncode == 0

    @cached_property
    def has_mounts(self) -> bool:
        """Whether root may mount for one process alone."""
        return os.geteuid() == 0 and not subprocess.run(["unshare", "--mount", "true"]).returncode

    def require(self, level: Level) -> None:
        """Skip the test where the machine lacks the level."""
        if not HAS_LINUX and level.at_least(Level.LANDLOCK):
            pytest.skip("needs Linux")
        if level is Level.LANDLOCK and not self.has_landlock:
            pytest.skip(f"needs version {landlock.LOWEST} of Landlock")
        if level is Level.BUBBLEWRAP and not self.has_bubblewrap:
            pytest.skip("needs bubblewrap and user namespaces")

    def program(self, name: str) -> str:
        """Where a program is; skips the test without it."""
        found = shutil.which(name)
        if found is None or (os.geteuid() == 0 and os.path.realpath(found).startswith("/root/")):
            found = shutil.which(name, path="/usr/local/bin:/usr/bin:/bin")
        if found is None:
            pytest.skip(f"needs {name}")
        return found

    def public_python(self) -> list[str] | None:
        """A Python with all packages that other users may run, and how; None: there is none."""
        packages = Path(msgspec.__file__).parents[1]
        variables = f"PYTHONPATH={self.checkout}{os.pathsep}{packages}"
        for program in (sys.executable, "/usr/bin/python3"):
            command = ["env", variables, "PYTHONDONTWRITEBYTECODE=1", program]
            check = [*command, "-c", "import arena.hosting.process, pytest"]
            try:
                done = subprocess.run(
                    check, user=65534, group=65534, extra_groups=(), cwd="/", capture_output=True
                )
            except OSError:
                continue
            if done.returncode == 0:
                return command
        return None


MACHINE: Final = Machine()


def finished(process: BotProcess) -> tuple[str, str]:
    """What a process writes to standard output and standard error until it ends; kills it."""
    written = {process.stdout: b"", process.stderr: b""}
    give_up = time.monotonic() + PATIENCE
    try:
        ended = False
        while not ended and time.monotonic() < give_up:
            ended = process.wait(0.02)
            for descriptor in written:
                try:
                    while data := os.read(descriptor, 65536):
                        written[descriptor] += data
                except BlockingIOError:
                    continue
        assert ended, f"it still runs, and wrote {written}"
    finally:
        process.kill()
    out, err = (data.decode() for data in written.values())
    return out, err
