"""A pack on disk: a folder or a zip file, written atomically, with the same bytes every time.

Its README describes it for people.
"""

from __future__ import annotations

import contextlib
import os
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final, Protocol

import msgspec

from arena.extensions.publishing.folders import beside, recover, replace_folder
from arena.runs.disk import remove, sync
from arena.values.bad_input import BadInput

MANIFEST: Final = "manifest.json"
"""File in every pack, by which a folder is recognised as a pack."""
SCHEMA: Final = "arena.pack/1"
TABLES: Final = "arena.tables/1"
"""Schema of the manifest of a folder of tables, which replaces and is replaced like a pack."""
_ZIP: Final = ".zip"
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)
"""Time of every file in a zip file: the earliest that the format can hold."""
_UNIX: Final = 3
_PLAIN_FILE: Final = 0o100644 << 16


class PackError(BadInput):
    """A pack cannot be written to a path; the text says why, in one line."""


class Sink(Protocol):
    """Writer of the files of a pack, one after another."""

    def add(self, name: str, data: bytes) -> None:
        """Add a file.

        ``name``: relative path with slashes; each name is added only once.
        """


class _ZipSink:
    def __init__(self, file: zipfile.ZipFile, root: str) -> None:
        self._file = file
        self._root = root

    def add(self, name: str, data: bytes) -> None:
        entry = zipfile.ZipInfo(f"{self._root}/{name}", _EPOCH)
        entry.create_system = _UNIX
        entry.external_attr = _PLAIN_FILE
        entry.compress_type = zipfile.ZIP_DEFLATED
        self._file.writestr(entry, data)


class _FolderSink:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def add(self, name: str, data: bytes) -> None:
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def file_name(text: str) -> str:
    """Return the text as a safe file name; a run folder can come from anywhere."""
    return re.sub(r"[^\w.+-]", "_", text).lstrip(".") or "_"


def check_target(path: Path, *, force: bool) -> None:
    """Check that the path may be written. Raises PackError if it may not be replaced.

    ``force``: replace a file by a file, and a folder by a folder that is a pack or empty.
    """
    if not path.exists() and not path.is_symlink():
        if not path.parent.is_dir():
            raise PackError(f"{path}: the folder {path.parent} does not exist")
        return
    if not force:
        raise PackError(f"{path}: exists already; --force replaces it")
    if is_zip(path) or is_pgn(path):
        if not path.is_file():
            raise PackError(f"{path}: found something that is no regular file")
    elif not _is_replaceable(path):
        raise PackError(f"{path}: found something that is no pack, which --force does not replace")


@contextlib.contextmanager
def writing(path: Path, root: str, *, force: bool = False) -> Iterator[Sink]:
    """Open a sink for a pack at ``path``: a zip file for a name in .zip, else a folder.

    The pack appears as a whole when the block ends, and not at all if the block raises. ``root``:
    the folder in a zip file that holds everything. Raises PackError or OSError.
    """
    if not is_zip(path):
        with writing_folder(path, force=force) as folder:
            yield _FolderSink(folder)
        return
    with writing_file(path, force=force) as raw, zipfile.ZipFile(raw, "w") as file:
        yield _ZipSink(file, root)


@contextlib.contextmanager
def writing_folder(path: Path, *, force: bool = False) -> Iterator[Path]:
    """Yield an empty folder that replaces ``path`` when the block ends; else as ``writing``."""
    with _in_place_of(path, force=force) as temporary:
        temporary.mkdir()
        yield temporary
        replace_folder(temporary, Path(os.path.abspath(path)))


@contextlib.contextmanager
def writing_file(path: Path, *, force: bool = False) -> Iterator[BinaryIO]:
    """Open a file that replaces ``path`` when the block ends; else as ``writing``."""
    with _in_place_of(path, force=force) as temporary:
        with temporary.open("xb") as file:
            yield file
        sync(temporary)
        temporary.replace(path)
        sync(temporary.parent)


@contextlib.contextmanager
def _in_place_of(path: Path, *, force: bool) -> Iterator[Path]:
    """Yield a temporary path beside ``path``, which is removed if the block raises."""
    target = Path(os.path.abspath(path))
    recover(target)
    check_target(path, force=force)
    temporary = beside(target)
    try:
        yield temporary
    except BaseException:
        remove(temporary)
        raise


def is_zip(path: Path) -> bool:
    """Return whether ``path`` has the name of a zip file."""
    return path.name.lower().endswith(_ZIP)


def is_pgn(path: Path) -> bool:
    """Return whether ``path`` has the name of a file of games as PGN."""
    return path.suffix.lower() == ".pgn"


def _is_replaceable(path: Path) -> bool:
    if path.is_symlink() or not path.is_dir():
        return False
    return not any(path.iterdir()) or _has_manifest(path)


def _has_manifest(folder: Path) -> bool:
    file = folder / MANIFEST
    if not file.is_file():
        return False
    try:
        found = msgspec.json.decode(file.read_bytes())
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False
    return isinstance(found, dict) and found.get("schema") in (SCHEMA, TABLES)


_INTRODUCTION: Final = {
    True: """\
{run}: the games of {bot}

All games that {bot} played in this run, each as its seat saw it, and what {bot} itself wrote.
Nothing in here comes from another bot, and no card is in here that {bot} was not shown.
""",
    False: """\
{run}: all games

All games of this run as a spectator saw them: what every seat at the table was shown, the
decisions of all included, and no card that some of them did not see.
""",
}

_FILES: Final = {
    True: """\
games/N.jsonl   one game, one JSON object per line:
    start   rules, options, the seat and its bot's seed
    act     a question: observation, events since the last one and legal actions, as the protocol
            has them; then the answer: action, info if the bot sent any, and think_us, the time
            it took in microseconds. "autopilot": the action was played for the bot after its
            fault
    fault   what the bot did wrong, with all that was measured and the end of its standard error
    over    events after the last question, what the seat saw at the end; places, scores, reason
            and the faults of all seats, as in the message "over"
games.jsonl     how each game ended, one per line
stderr.txt      what the bot wrote to its standard error, by game; cut where it was very long
learning/       in a run with learning: files that the bot keeps from round to round
""",
    False: """\
games/N.jsonl   one game, one JSON object per line:
    start   rules, options and, unless they are hidden, the names by seat
    ply     what happened, for all to see; "ply" counts everything that happened, also what
            nobody but one seat saw, so numbers may be missing
    over    places, scores, reason, faults, and the thinking time of each seat in microseconds
games.jsonl     how each game ended, one per line
""",
}

_REST: Final = """\
rules/          each game that was played: rules, options, card data
standings.*     the tables; not in the pack of a bot if names are hidden
manifest.json   the run, its commitment to seed and config, and what this pack leaves out

"ply" is the number by which the organiser finds the place in the full record. Games are left out
while others with the same deal are still to be played ("held_back" in the manifest), and when the
run keeps their records no longer ("expired"). The seed of the run is in no pack.
"""


def readme(run: str, bot: str | None) -> str:
    """Return README.txt of the pack of a bot, or of the public pack."""
    own = bot is not None
    return "\n".join((_INTRODUCTION[own].format(run=run, bot=bot), _FILES[own] + _REST))


_PROOF: Final = """\
{run}: its games with all that was dealt and played

    arena verify . --commitment HEX

with the commitment that was published on the first day (run.json has it too, but that proves
less) deals every game again from its seed, applies every action again, and derives who met whom.
Other commands read it as a run: arena standings, arena replay. What bots wrote for their authors
is not in it, and no time: so it does not prove who was late.
{more}"""
_LADDER: Final = """
entries.jsonl publishes the seed of each round in the line that begins the next one. Of the round
that is being played nothing is in here but who meets whom.
"""


def proof_readme(run: str, *, is_whole: bool) -> str:
    """Return README.txt of a proof.

    ``is_whole``: whether the proof has the seed of the run.
    """
    return _PROOF.format(run=run, more="" if is_whole else _LADDER)
