from __future__ import annotations

import ctypes
import re
import struct
import sys
from pathlib import Path

import pytest

from arena.hosting.sandbox import landlock


def test_everything_is_handled() -> None:
    rules = landlock.ruleset(["/usr"])
    files, tcp, scopes = struct.unpack("=QQQ", rules.handled)
    assert (files, tcp, scopes) == (0xFFFF, 0b11, 0b11)


@pytest.mark.parametrize(
    ("version", "files", "tcp", "scopes"),
    [
        (1, 0x1FFF, 0, 0),
        (2, 0x3FFF, 0, 0),
        (3, 0x7FFF, 0, 0),
        (4, 0x7FFF, 0b11, 0),
        (5, 0xFFFF, 0b11, 0),
        (6, 0xFFFF, 0b11, 0b11),
        (7, 0xFFFF, 0b11, 0b11),
    ],
)
def test_an_older_version_is_told_what_it_knows(version, files, tcp, scopes) -> None:
    rules = landlock.ruleset(["/usr"], ["/tmp"], ["/dev/null"], version)
    assert struct.unpack("=QQQ", rules.handled) == (files, tcp, scopes)
    assert all(rights and not rights & ~files for _, rights in rules.rules)
    assert rules.of_a_file == landlock.OF_A_FILE & files


def test_rules_follow_from_paths() -> None:
    rules = landlock.ruleset(["/usr"], writable=["/tmp"], devices=["/dev/null"])
    assert dict(rules.rules) == {
        "/usr": landlock.READ,
        "/tmp": landlock.USE,
        "/dev/null": landlock.DEVICE,
    }
    changing = ~landlock.READ & landlock.ALL
    assert not landlock.READ & changing
    assert landlock.USE | 1 << 15 == landlock.ALL


def test_rights_are_those_of_the_kernel() -> None:
    header = Path("/usr/include/linux/landlock.h")
    if not header.exists():
        pytest.skip("needs the headers of the kernel")
    found = re.findall(r"#define LANDLOCK_ACCESS_FS_(\w+)\s+\(1ULL << (\d+)\)", header.read_text())
    rights = {name: 1 << int(bit) for name, bit in found}
    assert rights.keys() >= {"EXECUTE", "READ_FILE", "READ_DIR", "WRITE_FILE"}
    assert rights["EXECUTE"] | rights["READ_FILE"] | rights["READ_DIR"] == landlock.READ
    assert rights["READ_FILE"] | rights["WRITE_FILE"] == landlock.DEVICE
    of_a_file = {"EXECUTE", "READ_FILE", "WRITE_FILE", "TRUNCATE", "IOCTL_DEV"}
    for name, right in rights.items():
        assert bool(landlock.OF_A_FILE & right) == (name in of_a_file)


def test_a_kernel_without_landlock_has_version_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    class Without:
        def __init__(self, _: object) -> None:
            pass

        def syscall(self, *_: object) -> int:
            return -1

    asked = landlock.version.__wrapped__  # an earlier answer is remembered
    monkeypatch.setattr(ctypes, "CDLL", Without)
    assert asked() == 0
    monkeypatch.setattr(sys, "platform", "darwin")
    assert asked() == 0
