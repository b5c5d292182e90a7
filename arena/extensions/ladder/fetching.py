"""Fetch a branch or tag from a git repository of a stranger, in bounds.

Git reads no configuration of a person or a system, asks nobody for a password, and follows no
redirect. It runs no program but itself and ``ssh``: no hook, no filter, no helper. Submodules and
earlier commits stay where they are. Only one protocol is allowed at a time. What git writes is
bounded in size, and its whole process group is killed when its time has passed.
"""

from __future__ import annotations

import os
import tempfile
import threading
import time
from pathlib import Path
from typing import IO, Final, NamedTuple

from arena.entrants.folders import Bounds
from arena.extensions.ladder.bounded import run_bounded
from arena.extensions.sources.git import GitError, first_error
from arena.values.units import SIZE

HEAD: Final = "HEAD"
"""Name of the branch that a repository has checked out."""

_LIMITS: Final = 'ulimit -f "$1" && ulimit -v "$2" && shift 2 && exec "$@"'
_BLOCK: Final = 512
"""Unit of ``ulimit -f``, in bytes."""
_MEMORY_KIB: Final = 2 << 20
_SLACK: Final = 1 << 20
"""Room for the names of files in what is fetched, in bytes."""
_MOST_SAID: Final = 1 << 20
_TAKEN: Final = "refs/taken/it"
_SETTINGS: Final = (
    "core.bigFileThreshold=16m",
    f"core.hooksPath={os.devnull}",
    "fetch.recurseSubmodules=false",
    "gc.auto=0",
    "http.followRedirects=false",
    "http.lowSpeedLimit=1",
    "http.lowSpeedTime=60",
    "maintenance.auto=false",
    "pack.threads=1",
    "protocol.version=2",
    "transfer.bundleURI=false",
    "transfer.fsckObjects=true",
    "transfer.unpackLimit=1",
)
_GIT: Final = ("git", "--no-pager", *(word for each in _SETTINGS for word in ("-c", each)))
_SET: Final = {
    "GIT_ASKPASS": "false",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_SSH_COMMAND": "ssh -oBatchMode=yes -oConnectTimeout=20 -oClearAllForwardings=yes "
    "-oServerAliveInterval=20",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
    "SSH_ASKPASS_REQUIRE": "never",
}


class TooLarge(GitError):
    """Raised for a commit that has more bytes than may be fetched."""


class GitSource(NamedTuple):
    """A branch or tag of another repository, and how it may be reached."""

    url: str
    protocol: str
    """Name of the only protocol that is allowed: ``https``, ``ssh`` or ``file``."""
    ref: str
    """Name of a branch or tag, or HEAD."""
    bounds: Bounds
    seconds: float
    """Time for an attempt."""
    stopped: threading.Event
    """Set to end all commands at once."""


class Fetching:
    """One attempt to fetch from a remote into a repository of its own."""

    def __init__(self, remote: GitSource, repository: Path) -> None:
        """Make the new folder ``repository``. Raises GitError."""
        self._remote = remote
        self._repository = repository
        self._ref = remote.ref
        self._end = time.monotonic() + remote.seconds
        self._run("init", "--quiet", "--bare", "--template=", "--", str(repository))

    def newest(self) -> str:
        """Return the object that the branch or tag names, in hex; empty without one.

        Raises GitError.
        """
        ref = self._remote.ref
        names = [ref] if ref == HEAD else [f"refs/heads/{ref}", f"refs/tags/{ref}"]
        listed = self._run("ls-remote", "--quiet", "--", self._remote.url, *names)
        lines = (line.partition("\t") for line in listed.splitlines())
        found = {name: oid for oid, _, name in lines}
        self._ref = next((name for name in names if name in found), "")
        return found.get(self._ref, "")

    def fetch(self) -> str:
        """Fetch what ``newest`` has found; return its commit in hex. Raises GitError."""
        options = ("--quiet", "--depth=1", "--no-tags", "--no-write-fetch-head")
        try:
            self._run("fetch", *options, "--", self._remote.url, f"+{self._ref}:{_TAKEN}")
        except GitError:
            most = self._remote.bounds.size
            if _largest(self._repository) > most:
                raise TooLarge(f"more than {SIZE.format(most)} to fetch") from None
            raise
        return self._run("rev-parse", "--verify", f"{_TAKEN}^{{commit}}")

    def _run(self, *words: str) -> str:
        """Run git and return its output without the last line end. Raises GitError."""
        remote, repository = self._remote, str(self._repository)
        blocks = (remote.bounds.size + _SLACK) // _BLOCK
        limited = ("sh", "-c", _LIMITS, "sh", str(blocks), str(_MEMORY_KIB))
        environment = _environment(remote.protocol, repository)
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as said:
            try:
                status = run_bounded(
                    (*limited, *_GIT, *words),
                    self._end,
                    remote.stopped,
                    out=out,
                    errors=said,
                    environment=environment,
                )
            except OSError as error:
                raise GitError(f"git cannot be started: {error}") from None
            if status is None:
                raise GitError(f"no end within {remote.seconds:g} s")
            if status:
                raise GitError(first_error(status, _text(said)))
            return _text(out).removesuffix("\n")


def _environment(protocol: str, repository: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | _SET | {"GIT_ALLOW_PROTOCOL": protocol, "GIT_DIR": repository}


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read(_MOST_SAID).decode("utf-8", "replace")


def _largest(repository: Path) -> int:
    """Return the size of the largest pack, also of one that is not complete, in bytes."""
    packs = (repository / "objects" / "pack").glob("*")
    return max((path.stat().st_size for path in packs), default=0)
