"""The folder of a site: the files of earlier builds, and those that have to be written again.

``site.json`` lists every file with a digest of its inputs. Only listed files are ever removed. Each
file is replaced atomically, the list last, so every file that it names is on disk.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Final, NamedTuple

import msgspec

from arena.runs.disk import NOT_READABLE, remove, sync, write_atomically, writing
from arena.values.bad_input import BadInput

MANIFEST: Final = "site.json"
SCHEMA: Final = "arena.site/1"
_TEMPORARY: Final = "site.tmp"
_DIGEST_BYTES: Final = 16


class Options(NamedTuple):
    """Options of a site."""

    games: int = 2
    """Number of games won and of games lost by the widest margins that can be stepped through.

    Counted for each bot; 0: no game at all can be stepped through.
    """
    costs: bool = False
    """True to show the time and memory that bots took, which otherwise only authors see."""
    url: str = ""
    """Address of the site; empty: not known, the feed then has relative links."""
    jobs: int = 1
    """Number of processes that prepare games."""
    until: int | None = None
    """Round after which nothing is shown; None: everything is."""


class Counts(msgspec.Struct, frozen=True):
    """Numbers that are reported about a site."""

    bots: int = 0
    games: int = 0
    """Number of games that count."""
    held_back: int = 0
    """Number of games that are not public yet."""
    opened: int = 0
    """Number of games that can be stepped through."""


class Listed(msgspec.Struct, frozen=True):
    """Contents of ``site.json``: the files of a site, with digests of what they were made from."""

    schema: str
    run: str
    """Commitment of the run."""
    files: dict[str, str]
    """Digest of the inputs of each file, by name."""
    of: str = ""
    """Digest of all inputs of the site; empty: unknown, or the site is incomplete."""
    counts: Counts = Counts()
    """Numbers that the build reported."""


class Written(NamedTuple):
    """Summary of a build: numbers of files written and removed."""

    files: int
    """Number of files of the site, without ``site.json``."""
    written: int
    removed: int
    bytes: int
    """Number of bytes written."""


class Built(NamedTuple):
    """Result of a build."""

    files: Written
    counts: Counts
    damaged: tuple[str, ...] = ()
    """Problems of damaged records, whose games cannot be stepped through."""


class Folder:
    """Writer of the files of a site; a context manager that raises BadInput and StoreError.

    After an exception, written files stay and are listed, and nothing is removed.
    """

    def __init__(self, path: Path, run: str, made_by: bytes) -> None:
        """Read what an earlier build left.

        ``run``: the commitment of the run. ``made_by``: key that differs where pages of equal
        content would; a new key causes all files to be written again.
        """
        self.path = path
        self._run = run
        self._made_by = made_by
        found = _listed(path, run)
        self._before = found.files
        self._of = found.of
        self.counts = found.counts
        """Numbers of the build before."""
        self._files: dict[str, str] = {}
        self._written = 0
        self._bytes = 0
        self._folders: set[Path] = set()
        self._unsynced: set[Path] = set()

    def __enter__(self) -> Folder:
        with writing(self.path / MANIFEST):
            self.path.mkdir(parents=True, exist_ok=True)
            if not (self.path / MANIFEST).exists():  # the list marks the folder as a site
                self._list(Listed(SCHEMA, self._run, {}))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        if kind is not None:
            with contextlib.suppress(OSError):
                self._list(Listed(SCHEMA, self._run, self._before | self._files))

    def is_made_of(self, inputs: bytes) -> bool:
        """Return True if the whole site exists and was made from these inputs."""
        if self._digest(inputs) != self._of:
            return False
        return all((self.path / name).is_file() for name in self._before)

    def put(self, name: str, inputs: bytes, make: Callable[[], bytes]) -> None:
        """Add a file, and write it unless it exists as made from these inputs.

        ``inputs``: everything that its bytes depend on. ``make``: function that returns the bytes.
        """
        if self.keep(name, inputs):
            return
        path, data = self.path / name, make()
        with writing(path):
            self._write(path, data)
        self._written += 1
        self._bytes += len(data)
        self._files[name] = self._digest(inputs)

    def keep(self, name: str, inputs: bytes) -> bool:
        """Return True if a file exists as made from these inputs; it then belongs to the site."""
        if name in self._files:
            raise ValueError(f"{name}: twice in a site")
        digest = self._digest(inputs)
        if self._before.get(name) != digest or not (self.path / name).is_file():
            return False
        self._files[name] = digest
        return True

    def _digest(self, inputs: bytes) -> str:
        hasher = hashlib.blake2b(inputs, digest_size=_DIGEST_BYTES, key=self._made_by)
        return hasher.hexdigest()

    def read(self, name: str) -> bytes:
        """Return an earlier file that was put with its own bytes as inputs.

        Empty if it is missing or was changed; it is then written again.
        """
        try:
            data = (self.path / name).read_bytes() if name in self._before else b""
        except OSError:
            data = b""
        if self._digest(data) == self._before.get(name):
            return data
        self._before.pop(name, None)
        return b""

    def untouched(self) -> Written:
        """Return the summary of a build that had nothing to do."""
        return Written(len(self._before), 0, 0, 0)

    def finish(self, inputs: bytes, counts: Counts) -> Written:
        """Remove the files that no longer belong to the site, and list the rest.

        ``inputs``: everything that the site was made from; empty: unknown.
        """
        gone = sorted(self._before.keys() - self._files.keys())
        for name in gone:
            with contextlib.suppress(OSError):
                (self.path / name).unlink()
        for folder in {(self.path / name).parent for name in gone} - {self.path}:
            with contextlib.suppress(OSError):  # others may have files there
                folder.rmdir()
        with writing(self.path / MANIFEST):
            of = self._digest(inputs) if inputs else ""
            if gone or self._written or self._before != self._files or of != self._of:
                self._list(Listed(SCHEMA, self._run, self._files, of, counts))
        return Written(len(self._files), self._written, len(gone), self._bytes)

    def _list(self, listed: Listed) -> None:
        listed = msgspec.structs.replace(listed, files=dict(sorted(listed.files.items())))
        data = msgspec.json.format(msgspec.json.encode(listed), indent=1)
        for path in sorted(self._unsynced) + sorted(self._folders):
            sync(path)
        self._unsynced.clear()
        write_atomically(self.path / MANIFEST, data + b"\n")

    def _write(self, path: Path, data: bytes) -> None:
        """Replace a file atomically; ``_list`` waits until it is on disk. Raises OSError."""
        if path.parent not in self._folders:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._folders.add(path.parent)
        temporary = self.path / _TEMPORARY
        try:
            temporary.write_bytes(data)
            temporary.replace(path)
            self._unsynced.add(path)
        except BaseException:
            remove(temporary)
            raise


def _listed(path: Path, run: str) -> Listed:
    """Return the list of an earlier build. Raises BadInput for a folder that is no site."""
    shown = str(path)
    if not os.path.lexists(path):
        return Listed(SCHEMA, run, {})
    if not path.is_dir():
        raise BadInput(f"{shown}: found something that is no folder, expected one for the site")
    manifest = path / MANIFEST
    try:
        data = manifest.read_bytes() if os.path.lexists(manifest) else None
        is_empty = not any(path.iterdir())
    except OSError as error:
        raise BadInput(f"{shown}: cannot be read: {error.strerror}") from None
    if data is None:
        if is_empty:
            return Listed(SCHEMA, run, {})
        raise BadInput(f"{shown}: holds something else than a site; choose another folder")
    try:
        found = msgspec.json.decode(data, type=Listed)
    except NOT_READABLE:
        found = None
    if found is None or found.schema != SCHEMA or not all(map(_is_inside, found.files)):
        raise BadInput(
            f"{manifest}: found something else than the list of a site; choose another folder"
        )
    if found.run != run:
        raise BadInput(f"{shown}: holds the site of another run; choose another folder")
    return found


def _is_inside(name: str) -> bool:
    parts = name.split("/")
    return all(part and not part.startswith(".") and "\0" not in part for part in parts)
