"""Quarantine of bots that cannot be checked or built here: ``quarantine.json``, a list of cases.

    bot         name of the bot
    at          UTC, ISO 8601
    reason      in one line
    digest      of a version that was admitted before and cannot be built; else empty

A quarantined bot is not refused or given up: nothing was found against it. The file is for people
and for ``arena ladder LADDER --status``; the keeper decides again at each start.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

from arena.runs.disk import StoreError, cannot_write, read_json, write_atomically
from arena.runs.store import SECRET

QUARANTINE: Final = "quarantine.json"

Key: TypeAlias = tuple[str, str]
"""Name of a bot, and the digest of an admitted version, or "" for a submission."""


class Quarantined(Exception):
    """Raised for a submission that cannot be decided on this machine now."""

    def __init__(self, said: Sequence[str]) -> None:
        """Keep ``said`` for the author: the reason in one line, then more lines."""
        super().__init__(said[0])
        self.said = tuple(said)


class QuarantineEntry(msgspec.Struct, frozen=True):
    """The reason why a bot is in quarantine."""

    bot: str
    at: str
    reason: str
    digest: str = ""

    def __str__(self) -> str:
        return f"{self.bot} is quarantined since {self.at[:10]}: {self.reason}"


class Quarantine:
    """The cases of a ladder."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / QUARANTINE
        self.cases: dict[Key, QuarantineEntry] = {}
        with contextlib.suppress(StoreError):  # there is none, or it cannot be read
            found: list[QuarantineEntry] = read_json(self._path, list[QuarantineEntry])
            self.cases = {(each.bot, each.digest): each for each in found}

    def add(self, case: QuarantineEntry) -> None:
        """Put a bot into quarantine. Raises StoreError."""
        key = case.bot, case.digest
        if key not in self.cases or self.cases[key].reason != case.reason:
            self.cases[key] = case
            self._write()

    def release(self, keys: Iterable[Key]) -> None:
        """End the quarantine of those ``keys`` that are in it. Raises StoreError."""
        gone = self.cases.keys() & set(keys)
        for key in gone:
            del self.cases[key]
        if gone:
            self._write()

    def _write(self) -> None:
        data = msgspec.json.format(msgspec.json.encode([*self.cases.values()]), indent=1) + b"\n"
        try:
            write_atomically(self._path, data, SECRET)
        except OSError as error:
            raise cannot_write(self._path, error) from error
