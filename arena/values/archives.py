"""Archives of the files that a bot keeps from round to round, see ``results.Learning``.

An archive has names and contents in the order of names, so equal files are equal bytes.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Mapping
from functools import cache
from typing import Final, NamedTuple

import msgspec

from arena.values.results import LEARNT_NAME

_LARGEST: Final = 1 << 25
"""Upper bound for the size of any archive, in bytes."""
_decoder: Final = msgspec.msgpack.Decoder(list[tuple[str, bytes]])


class DamagedArchive(ValueError):
    """An archive is not what its digest says; the text says why, as a predicate."""


class Archive(NamedTuple):
    """Files as bytes: packed for storage, with the SHA-256 of what is packed, in hex."""

    packed: bytes
    digest: str


def archived(files: Mapping[str, bytes]) -> Archive:
    """Return the archive of ``files``, contents by name."""
    data = msgspec.msgpack.encode(sorted(files.items()))
    return Archive(zlib.compress(data), hashlib.sha256(data).hexdigest())


@cache
def nothing() -> Archive:
    """Return the archive without files."""
    return archived({})


def opened(packed: bytes, digest: str) -> dict[str, bytes]:
    """Return the files of an archive. Raises DamagedArchive."""
    reader = zlib.decompressobj()
    try:
        data = reader.decompress(packed, _LARGEST)
        if not reader.eof or hashlib.sha256(data).hexdigest() != digest:
            raise DamagedArchive("is not what was stored")
        files = dict(_decoder.decode(data))
    except (zlib.error, msgspec.MsgspecError) as error:
        raise DamagedArchive(f"is damaged: {error}") from None
    if not all(map(LEARNT_NAME.fullmatch, files)):
        raise DamagedArchive("has a name that no file may have")
    return files
