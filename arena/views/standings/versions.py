"""Which bots of several runs are one: by name, and apart where their files or options changed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from arena.runs.field import VERSION_JOINT, EntrantIdentity
from arena.runs.manifest import Manifest

SHORT: Final = 12
"""Digits of a digest that people are shown."""


class Version(NamedTuple):
    """A bot as it was in some of the runs."""

    bot: str
    label: str
    """Its name in the tables: that of the bot, with ``@2`` and so on where there are several; the
    first is ``@1`` where some run calls another one by the bare name."""
    digest: str
    """Of its files, in hex; empty for a person, and for a bot of a file of results."""
    options: Mapping[str, object]
    since: str
    """When the first run with it began, as ``Manifest.created``; empty of a file of results."""


class Versions:
    """The names of bots in tables of several sources."""

    def __init__(self, manifests: Sequence[Manifest], *, joined: bool) -> None:
        """``manifests``: of the runs, the oldest first. ``joined``: versions of a bot are one."""
        self._found: dict[str, dict[str, Version]] = {}
        """By bot and key, in the order of time."""
        self._joined = joined
        bearers: dict[str, set[str]] = {}
        """By bot: the keys of those that a run calls by its bare name."""
        for manifest in manifests:
            for called, entrant, since in manifest.entries():
                name = _bot(called)
                version = Version(name, name, entrant.digest, entrant.options, since)
                self._found.setdefault(name, {}).setdefault(_key(entrant), version)
                if called == name:
                    bearers.setdefault(name, set()).add(_key(entrant))
        for name, own in self._found.items():
            if len(own) > 1 and not joined:
                for number, (key, version) in enumerate(own.items(), 1):
                    if number == 1 and bearers.get(name) == {key}:
                        continue  # nobody calls another one so
                    own[key] = version._replace(label=f"{name}{VERSION_JOINT}{number}")

    def of_run(self, manifest: Manifest) -> dict[str, str]:
        """The label of each entrant of a run."""
        return {
            called: self._found[_bot(called)][_key(own)].label
            for called, own in manifest.players.items()
        }

    @property
    def are_joined(self) -> bool:
        """Whether several versions of some bot count as one."""
        return self._joined and any(len(own) > 1 for own in self._found.values())

    def several(self) -> Iterator[tuple[str, tuple[Version, ...]]]:
        """Bots of which there are several versions, with these."""
        for name, own in self._found.items():
            if len(own) > 1:
                yield name, tuple(own.values())

    def labelled(self) -> Iterator[Version]:
        """All of them, in the order of time."""
        found = [version for own in self._found.values() for version in own.values()]
        return iter(sorted(found, key=lambda version: version.since))


def _bot(called: str) -> str:
    """The bot whose version an entrant of a run is."""
    return called.partition(VERSION_JOINT)[0]


def _key(entrant: EntrantIdentity) -> str:
    """Equal for bots that play alike: of the same files, with the same options and variables."""
    own = (entrant.digest, entrant.options, entrant.env)
    return hashlib.sha256(msgspec.json.encode(own, order="deterministic")).hexdigest()
