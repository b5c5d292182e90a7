"""Read git repositories that are not trusted. Knows nothing of bots.

Only commands that read objects and names are run. They touch neither the index nor the checkout,
and start nothing that a repository configures (hooks, filters, a pager, monitors, remotes to fetch
missing objects from). A person's own configuration stays in force, because it contains
``safe.directory``. Git variables that name another repository, as in a hook, have no effect.
Contents are those stored under a path: attributes that change them on the way to a checkout (line
ends, filters, ``export-ignore``) have no effect.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import subprocess
import tempfile
from collections.abc import Iterator
from io import BufferedReader, BufferedWriter
from typing import IO, Final, NamedTuple, cast

from arena.entrants.names import RevisionError

_GIT: Final = (
    "git",
    "--no-pager",
    "--literal-pathspecs",
    "--no-replace-objects",
    "--no-optional-locks",
    *("-c", "core.fsmonitor=false"),
    *("-c", f"core.hooksPath={os.devnull}"),
)
_SET: Final = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_KEPT: Final = ("GIT_CONFIG_", "GIT_CEILING_", "GIT_DISCOVERY_", "GIT_EXEC_PATH")
_DROPPED: Final = ("GIT_CONFIG_PARAMETERS",)
"""Settings by ``-c`` of a git command that runs arena as an alias or hook."""
_CHUNK: Final = 1 << 20
_MOST_PART: Final = 8192
"""Largest length of a part of an output, in bytes: more than any path that a file can have."""
_SHA1_DIGITS: Final = 40
_FATAL: Final = "fatal: "
_NO_ANSWER: Final = "Could not read from remote repository."
_PROMISED: Final = "promisor"
"""Word in the message about an object that a partial clone would have to fetch."""


class GitError(RevisionError):
    """Git is missing or could not do what was requested; the message has the reason."""


class TreeEntry(NamedTuple):
    """An entry of a git tree, such as a file or a folder."""

    mode: str
    """Octal mode, as git writes it: ``100644``, ``100755``, ``120000``, ``160000``, ``040000``."""
    kind: str
    """Type: ``blob``, ``tree`` or ``commit``."""
    oid: str
    size: int
    """Size in bytes; 0 unless the entry is a blob."""
    path: str
    """Path relative to the tree that was listed."""


class Git:
    """Git commands in a folder."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def text(self, *words: str) -> str:
        """Run git and return its output without the last line end. Raises GitError."""
        with self._started(words) as started:
            out, _ = started.process.communicate()
            started.check()
        return os.fsdecode(out).removesuffix("\n")

    def ask(self, *words: str) -> str | None:
        """Run git and return its output as ``text`` does, or None if it fails."""
        try:
            return self.text(*words)
        except GitError:
            return None

    def parts(self, *words: str) -> Iterator[str]:
        """Run git and yield its output, cut at each NUL. The reader may stop early.

        Raises GitError, also for a part that is longer than a path can be.
        """
        with self._started(words) as started:
            rest = b""
            while data := started.out.read1(_MOST_PART):
                *whole, rest = (rest + data).split(b"\0")
                if len(rest) > _MOST_PART:
                    raise GitError("a name is too long for a file")
                yield from map(os.fsdecode, whole)
            started.process.wait()
            started.check()

    def entries(self, tree: str, path: str = "", *, deep: bool = False) -> Iterator[TreeEntry]:
        """Yield the entries of a tree.

        With ``path``, yield only that entry; if it ends in "/", yield the entries below. ``deep``:
        yield entries at any depth. A tree may lead to itself in effect: the reader has to stop.
        Raises GitError.
        """
        options = ("-z", "-l", *(["-r", "-t"] if deep else []), "--")
        for line in self.parts("ls-tree", *options, tree, *filter(None, [path])):
            about, _, path = line.partition("\t")
            mode, kind, oid, size = about.split()
            yield TreeEntry(mode, kind, oid, int(size) if size.isdigit() else 0, path)

    @contextlib.contextmanager
    def blobs(self) -> Iterator[Blobs]:
        """Start one git process that reads the contents of any number of files."""
        with self._started(("cat-file", "--batch")) as started:
            yield Blobs(started)

    @contextlib.contextmanager
    def _started(self, words: tuple[str, ...]) -> Iterator[_Started]:
        """Start git, and end the process afterwards. Raises GitError."""
        command = (*_GIT, "-C", self.folder, *words)
        pipe = subprocess.PIPE
        with tempfile.TemporaryFile() as said:
            try:
                process = subprocess.Popen(
                    command, stdin=pipe, stdout=pipe, stderr=said, env=_environment()
                )
            except FileNotFoundError:
                raise GitError("git is not installed") from None
            except (OSError, ValueError) as error:
                raise GitError(f"git cannot be started: {error}") from None
            try:
                yield _Started(process, said)
            finally:
                process.kill()
                process.communicate()


class _Started:
    """A running git process."""

    def __init__(self, process: subprocess.Popen[bytes], said: IO[bytes]) -> None:
        self.process = process
        self.request = cast("BufferedWriter", process.stdin)
        self.out = cast("BufferedReader", process.stdout)
        self._said = said

    def check(self) -> None:
        """Check that git succeeded. Raises GitError with the first error that it printed."""
        if self.process.returncode == 0:
            return
        self._said.seek(0)
        text = self._said.read(_CHUNK).decode("utf-8", "replace")
        reason = first_error(self.process.returncode, text)
        if _PROMISED in reason:
            raise GitError("its contents are not in this clone, which is a partial one")
        raise GitError(f"git: {reason}")


def first_error(status: int, text: str) -> str:
    """Return the first error that git printed as ``text``, or else its exit status.

    If ssh failed, its own words come before those of git.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    fatal = [line.removeprefix(_FATAL) for line in lines if line.startswith(_FATAL)]
    errors = lines if _NO_ANSWER in fatal else fatal or lines
    return (errors or [f"ended with status {status}"])[0]


class Blobs:
    """A reader of a repository's contents by their names."""

    def __init__(self, started: _Started) -> None:
        self._started = started

    def read(self, entry: TreeEntry, target: IO[bytes]) -> None:
        """Write the contents of a blob to ``target``.

        Raises GitError if the contents are missing or do not match the name; OSError from the
        target.
        """
        self._ask(entry)
        digest = _naming(entry.size, entry.oid)
        left = entry.size
        while left:
            data = self._started.out.read(min(left, _CHUNK))
            if not data:
                raise GitError(f"{entry.path}: its contents cannot be read")
            digest.update(data)
            target.write(data)
            left -= len(data)
        self._started.out.read(1)
        if digest.hexdigest() != entry.oid:
            raise GitError(f"{entry.path}: its contents are damaged")

    def _ask(self, entry: TreeEntry) -> None:
        with contextlib.suppress(BrokenPipeError):
            self._started.request.write(f"{entry.oid}\n".encode())
            self._started.request.flush()
        header = self._started.out.readline().decode("ascii", "replace").split()
        if header != [entry.oid, "blob", str(entry.size)]:
            raise GitError(f"{entry.path}: its contents are not in this clone")


def blob_name(data: bytes, *, like: str) -> str:
    """Return the object name of a blob ``data``, by the hash that the name ``like`` uses."""
    digest = _naming(len(data), like)
    digest.update(data)
    return digest.hexdigest()


def _naming(size: int, like: str) -> hashlib._Hash:
    kind = hashlib.sha1 if len(like) == _SHA1_DIGITS else hashlib.sha256
    return kind(b"blob %d\0" % size, usedforsecurity=False)


def _environment() -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or (name.startswith(_KEPT) and name not in _DROPPED)
    }
    return kept | _SET
