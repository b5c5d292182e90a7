"""Find programs behind proxies: the programs that rustup puts on PATH are links to itself.

They look for the toolchain below the user's home folder, which differs in every process of a bot.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

_SECONDS: Final = 10.0
_READ: Final = 4096
_OF_RUSTUP: Final = ("HOME", "RUSTUP_HOME", "CARGO_HOME", "RUSTUP_TOOLCHAIN")
"""Variables that determine where toolchains are and which one is used."""


def find_on_path(word: str) -> str | None:
    """Return the absolute path of a program of PATH; a toolchain's own, not rustup's link."""
    found = shutil.which(word)
    if found is None:
        return None
    toolchain = rust_folder()
    if toolchain is not None and os.path.dirname(found) == _folder_of("rustup"):
        real = os.path.join(toolchain, word)
        return real if os.access(real, os.X_OK) else os.path.abspath(found)
    return os.path.abspath(found)


def path_state() -> tuple[tuple[str, int], ...]:
    """Return the folders of PATH with the times of their last changes, in nanoseconds.

    The result differs once a program was installed, replaced or removed there.
    """
    return tuple((each, _changed(each)) for each in os.environ.get("PATH", "").split(os.pathsep))


def _changed(folder: str) -> int:
    try:
        return os.stat(folder).st_mtime_ns
    except OSError:
        return 0


def rust_folder() -> str | None:
    """Return the folder of the programs of rustup's default toolchain.

    None if PATH does not lead to rustup first, or rustup has no toolchain.
    """
    rustup = shutil.which("rustup")
    if rustup is None or _folder_of("rustc") != os.path.dirname(rustup):
        return None
    known = {name: os.environ[name] for name in _OF_RUSTUP if name in os.environ}
    return _asked(rustup, tuple(known.items()))


@cache
def _asked(rustup: str, known: tuple[tuple[str, str], ...]) -> str | None:
    """Run rustup in a folder where nobody can choose or fetch another toolchain."""
    environment = {**dict(known), "RUSTUP_AUTO_INSTALL": "0"}
    compiler = said([rustup, "which", "rustc"], environment).strip()
    return os.path.dirname(compiler) if os.path.isfile(compiler) else None


def _folder_of(word: str) -> str | None:
    found = shutil.which(word)
    return os.path.dirname(found) if found else None


def said(command: Sequence[str], extra: Mapping[str, str]) -> str:
    """Return the beginning of the output of a program of PATH.

    Empty if it fails or takes longer than ten seconds. ``extra``: additional variables for its
    clean environment.
    """
    path = os.environ.get("PATH", "")
    with tempfile.TemporaryFile() as output, tempfile.TemporaryDirectory() as home:
        environment = {"PATH": path, "HOME": home, "LANG": "C.UTF-8"}
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**environment, **extra},
                cwd="/",
                start_new_session=True,
            )
        except OSError:
            return ""
        try:
            process.wait(_SECONDS)
        except subprocess.TimeoutExpired:
            return ""
        finally:
            if process.returncode is None:  # not reaped, so the process group still belongs to it
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        output.seek(0)
        text = output.read(_READ).decode("utf-8", "replace")
    return text if process.returncode == 0 else ""
