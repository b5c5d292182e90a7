"""Identity of bots across runs: one bot per name, with versions where files or options differ."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from arena.runs.field import EntrantIdentity
from arena.runs.manifest import Manifest
from arena.values.results import VERSION_JOINT

SHORT: Final = 12
"""Number of digits of a digest that people see."""


class Version(NamedTuple):
    """A version of a bot in some of the runs."""

    bot: str
    label: str
    """Name in the tables: the name of the bot, with ``@2`` and so on for several versions.

    The first version is ``@1`` where a run has another version under the bare name.
    """
    digest: str
    """Digest of its files, in hex; empty for a person, and for a bot of a file of results."""
    options: Mapping[str, object]
    since: str
    """Time at which the first run with the version began, as ``Manifest.created``.

    Empty for a file of results.
    """


class Versions:
    """The labels of bots in tables of several sources."""

    def __init__(self, manifests: Sequence[Manifest], *, joined: bool) -> None:
        """Collect the versions of all runs.

        ``manifests``: those of the runs, the oldest first. ``joined``: count all versions of a bot
        as one.
        """
        self._found: dict[str, dict[str, Version]] = {}
        """Versions by bot and key, in the order of time."""
        self._joined = joined
        bearers: dict[str, set[str]] = {}
        """Keys of the versions that a run names by the bare name of the bot, by bot."""
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
                        continue  # no other version has the bare name
                    own[key] = version._replace(label=f"{name}{VERSION_JOINT}{number}")

    def of_run(self, manifest: Manifest) -> dict[str, str]:
        """Return the label of each entrant of a run."""
        return {
            called: self._found[_bot(called)][_key(own)].label
            for called, own in manifest.players.items()
        }

    @property
    def are_joined(self) -> bool:
        """True if several versions of some bot count as one."""
        return self._joined and any(len(own) > 1 for own in self._found.values())

    def several(self) -> Iterator[tuple[str, tuple[Version, ...]]]:
        """Yield the bots that have several versions, with these versions."""
        for name, own in self._found.items():
            if len(own) > 1:
                yield name, tuple(own.values())

    def labelled(self) -> Iterator[Version]:
        """Return all versions in the order of time."""
        found = [version for own in self._found.values() for version in own.values()]
        return iter(sorted(found, key=lambda version: version.since))


def _bot(called: str) -> str:
    """Return the name of the bot whose version an entrant of a run is."""
    return called.partition(VERSION_JOINT)[0]


def _key(entrant: EntrantIdentity) -> str:
    """Return a key that is equal for bots with the same files, options and variables."""
    own = (entrant.digest, entrant.options, entrant.env)
    return hashlib.sha256(msgspec.json.encode(own, order="deterministic")).hexdigest()
