"""Equal files are equal bytes, and a damaged archive is found."""

from __future__ import annotations

import contextlib
import zlib
from random import Random

import pytest

from arena.values.archives import DamagedArchive, archived, nothing, opened


def test_equal_files_are_equal_bytes() -> None:
    assert archived({"b": b"1", "a": b"2"}) == archived({"a": b"2", "b": b"1"})
    assert opened(*nothing()) == {}


def test_a_damaged_archive_is_found() -> None:
    files = {"a": bytes(range(256)), "b": b"b"}
    packed, digest = archived(files)
    chance = Random(1)
    for _ in range(200):
        data = bytearray(packed)
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        if chance.random() < 0.3:
            del data[chance.randrange(len(data)) :]
        with contextlib.suppress(DamagedArchive):  # contents may not change
            assert opened(bytes(data), digest) == files
    with pytest.raises(DamagedArchive):
        opened(packed[:-1], digest)
    with pytest.raises(DamagedArchive):
        opened(*archived({"../f": b""}))
    with pytest.raises(DamagedArchive):
        opened(zlib.compress(bytes(1 << 26), 1), digest)
