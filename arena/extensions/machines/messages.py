"""Define the messages between a fleet and the hosts on its machines, and encode them.

A host first describes itself (``About``). A fleet of another version of arena sends it nothing.
Otherwise the fleet sends ``Setup``; the host requests the bots that it lacks (``ArchiveRequest``,
``ArchiveChunk``) and answers ``HostReady`` or ``HostRefusal``. From then on the fleet sends blocks
and the host reports events.

A place is a number on its host. Whenever a place is lost its *life* ends, and messages about an
earlier life are ignored. So no block goes to a worker that is gone, and no game comes from one.

Bots are packed once, by the digest of their files, and kept on each machine. The digest is that of
the bot's source, so only the bot that was entered is accepted. A bot is built on the machine where
it plays.
"""

from __future__ import annotations

import contextlib
import os
import tarfile
import tempfile
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Final, TypeAlias

import msgspec

from arena.entrants import cache
from arena.entrants.entrants import Entrant, EntrantKind
from arena.entrants.folders import FolderError, files_of, folder_digest, is_no_source
from arena.entrants.manifest import find_program, load_bot, missing_programs
from arena.hosting.sandbox.isolation import Level
from arena.hosting.workspace.trees import Skip, is_foreign
from arena.schedule.schedule import Block
from arena.tournament.executor import Job, Logged, PlaceEvent, PoolError
from arena.values.problems import ConfigError, Problem, quote, shown_path
from arena.values.results import Limits


class About(msgspec.Struct, frozen=True, tag="about"):
    """Description that a host sends first."""

    arena: str
    """Version of arena on the host."""
    machine: str
    """Host name that the machine reports."""
    process: int
    """Process id of the host."""
    boot: str = ""
    """Result of ``capacity.boot_id``, the same for all hosts on one machine; empty if unknown."""
    cores: tuple[int, ...] = ()
    """Cores that the host may use and no arena has taken."""


class SentBot(msgspec.Struct, frozen=True):
    """An entrant that is sent to other machines, with the digest of its files."""

    entrant: Entrant
    content: str
    """SHA-256 of the files of its folder, as ``folder_digest`` computes it."""


class Setup(msgspec.Struct, frozen=True, tag="setup"):
    """Job and bots that a host is to play, with its share of the machine."""

    job: Job
    """Job without seed and without values that hold on one machine alone."""
    bots: tuple[SentBot, ...]
    limits: Limits
    readable: tuple[str, ...]
    """Absolute paths on the host's machine that bots may read."""
    places: int
    """Number of workers to start, at least 1."""
    pin: bool
    """True if each worker and its bots are to be kept on one core."""
    cores: tuple[int, ...] = ()
    """Cores for the workers, one each, which no other host of the fleet has. If they are too few,
    some workers are not kept on one core."""


class ArchiveRequest(msgspec.Struct, frozen=True, tag="wanted"):
    """Request for the archive of a bot that the host lacks, from byte ``offset`` on."""

    content: str
    offset: int


class ArchiveChunk(msgspec.Struct, frozen=True, tag="piece"):
    """Part of the archive of a bot."""

    content: str
    data: bytes
    is_last: bool


class HostReady(msgspec.Struct, frozen=True, tag="ready"):
    """Message that the host's places join from now on."""

    levels: dict[str, Level]
    """Isolation level of each entrant on the host, by name."""


class HostRefusal(msgspec.Struct, frozen=True, tag="refused"):
    """Message that the host cannot play this, and ends."""

    why: str
    """Reason, in one line."""


class Give(msgspec.Struct, frozen=True, tag="give"):
    """Call of ``Executor.give`` for a place of the host."""

    place: int
    life: int
    block: Block


class Abandon(msgspec.Struct, frozen=True, tag="abandon"):
    """Call of ``Executor.abandon`` for a place of the host."""

    place: int
    life: int
    why: str


class Stop(msgspec.Struct, frozen=True, tag="stop"):
    """Call of ``Executor.stop`` for all places of the host."""


class Leave(msgspec.Struct, frozen=True, tag="leave"):
    """Request to let the bots leave and then end; it is the last message to a host."""


class Happened(msgspec.Struct, frozen=True, tag="happened"):
    """Event at a place of the host."""

    place: int
    life: int
    event: PlaceEvent


ToHost: TypeAlias = Setup | ArchiveChunk | Give | Abandon | Stop | Leave
FromHost: TypeAlias = About | ArchiveRequest | HostReady | HostRefusal | Happened | Logged

_encoder = msgspec.msgpack.Encoder()
_to_host: msgspec.msgpack.Decoder[ToHost] = msgspec.msgpack.Decoder(ToHost)
_from_host: msgspec.msgpack.Decoder[FromHost] = msgspec.msgpack.Decoder(FromHost)


def pack(message: ToHost | FromHost) -> bytes:
    """Encode ``message`` as bytes."""
    return _encoder.encode(message)


def read_by_host(data: bytes) -> ToHost:
    """Return the message to a host in ``data``. Raises msgspec.DecodeError."""
    return _to_host.decode(data)


def read_by_fleet(data: bytes) -> FromHost:
    """Return the message of a host in ``data``. Raises msgspec.DecodeError."""
    return _from_host.decode(data)


PIECE: Final = 1 << 20
"""Largest part of an archive in one message, in bytes."""
_COMPRESSION: Final = 1
_MODE: Final = {True: 0o755, False: 0o644}


def travellers(entrants: Iterable[Entrant]) -> tuple[SentBot, ...]:
    """Return the unbuilt entrants with their digests. Raises ConfigError if one cannot travel."""
    return tuple(_traveller(each) for each in entrants)


def _traveller(entrant: Entrant) -> SentBot:
    match entrant.kind:
        case EntrantKind.BOT:
            return SentBot(entrant, entrant.digest)
        case EntrantKind.COMMAND if entrant.files:
            return SentBot(entrant, entrant.files)
        case EntrantKind.COMMAND:
            found = "found a command without a folder of its own"
        case EntrantKind.PERSON:
            found = "found a person"
    expected = "a folder with a bot.yaml, which can travel to another machine"
    raise ConfigError([Problem(entrant.name, "", found, expected=expected)])


def _skip(entrant: Entrant) -> Skip:
    return is_no_source if entrant.build else is_foreign


class Archives:
    """Archives of a run's bots, each packed at its first request. The owner must close them."""

    def __init__(self, bots: Iterable[SentBot]) -> None:
        self._bots = {each.content: each.entrant for each in bots}
        self._files: dict[str, IO[bytes]] = {}

    def piece(self, content: str, offset: int) -> ArchiveChunk:
        """Return at most ``PIECE`` bytes of the archive of ``content``, from byte ``offset`` on.

        Raises PoolError if the bot cannot be packed.
        """
        if content not in self._files:
            self._files[content] = _packed(self._bots[content])
        file = self._files[content]
        file.seek(offset)
        data = file.read(PIECE)
        return ArchiveChunk(
            content, data, is_last=offset + len(data) >= os.fstat(file.fileno()).st_size
        )

    def close(self) -> None:
        """Close and delete all archives."""
        for file in self._files.values():
            file.close()


def _packed(entrant: Entrant) -> IO[bytes]:
    folder = Path(entrant.folder)
    with contextlib.ExitStack() as undo:
        file = undo.enter_context(tempfile.TemporaryFile())
        try:
            _pack(folder, _skip(entrant), file)
        except (OSError, FolderError, tarfile.TarError) as error:
            raise PoolError(f"{shown_path(folder)}: cannot be packed: {error}") from None
        undo.pop_all()
        return file


def _pack(folder: Path, skip: Skip, file: IO[bytes]) -> None:
    with tarfile.open(fileobj=file, mode="w:gz", compresslevel=_COMPRESSION) as archive:
        for path in sorted(files_of(folder, skip)):
            info = archive.gettarinfo(folder / path, path)
            info.uid = info.gid = info.mtime = 0
            info.uname = info.gname = ""
            info.mode = _MODE[info.isdir() or bool(info.mode & 0o100)]
            if not (info.isreg() or info.issym() or info.isdir()):
                raise FolderError(f"{path} is neither file, folder nor link")
            if info.isreg():
                with open(folder / path, "rb") as content:
                    archive.addfile(info, content)
            else:
                archive.addfile(info)
    file.flush()


def kept(content: str) -> Path | None:
    """Return the folder of a bot that arrived earlier; None if it must be requested."""
    found = cache.fetch(_place(content))
    return None if found is None else found[0]


def keep(content: str, archive: IO[bytes]) -> Path:
    """Unpack ``archive``, positioned at its start, into the cache and return the bot's folder.

    Raises PoolError if the file is no archive, holds another bot or cannot be stored. Raises
    ConfigError if the cache cannot be written.
    """
    try:
        return _keep(content, archive)
    except (OSError, EOFError, zlib.error, tarfile.TarError, FolderError) as error:
        raise PoolError(f"a bot cannot be kept there: {error}") from None


def _keep(content: str, archive: IO[bytes]) -> Path:
    with cache.making(cache.TRAVELLERS) as unfinished:
        files = unfinished / cache.FILES
        files.mkdir()
        with tarfile.open(fileobj=archive, mode="r:gz") as packed:
            _extract(packed, files)
        if folder_digest(files) != content:
            raise FolderError("what arrived is another bot")
        cache.finish(unfinished, _place(content))
        cache.tidy(cache.TRAVELLERS)
    found = kept(content)
    if found is None:
        raise FolderError(f"it is gone from {shown_path(_place(content))}")
    return found


def _extract(packed: tarfile.TarFile, folder: Path) -> None:
    """Extract all files. Links keep any target; the filter refuses to write outside through one."""
    if hasattr(tarfile, "tar_filter"):
        packed.extraction_filter = staticmethod(tarfile.tar_filter)
    packed.extractall(folder)


def _place(content: str) -> Path:
    return cache.cache_folder(cache.TRAVELLERS) / content


def arrived(traveller: SentBot, folder: Path) -> Entrant:
    """Return the entrant of ``traveller`` with its folder on this machine, not yet built.

    Raises PoolError if the machine lacks what the bot needs.
    """
    entrant = msgspec.structs.replace(traveller.entrant, folder=str(folder))
    if entrant.kind is EntrantKind.BOT:
        built = cache.is_built(entrant.digest, entrant.build, entrant.isolation)
        lacking = missing_programs(load_bot(folder), built=built)
        try:
            lacking.raise_if_any()
        except ConfigError as error:
            what = "; ".join(each.found for each in error.problems)
            raise PoolError(f"{entrant.name}: {what}") from None
    program = find_program(entrant.words[0], folder)
    if program is None and entrant.kind is EntrantKind.COMMAND:
        raise PoolError(f"{entrant.name}: {quote(entrant.words[0])} was not found")
    command = (program or str(folder / entrant.words[0]), *entrant.words[1:])
    return msgspec.structs.replace(entrant, command=command)
