"""The authors of a ladder, and the versions that hold their places."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple


class Authors(NamedTuple):
    """Authors by entrant of a run, from the book of its ladder. Anchors have no author."""

    of: Mapping[str, str]
    """Author by entrant."""
    takers: Mapping[str, Sequence[str]]
    """Entrants that took the place of each author, in the order of their admission."""

    def placed(self, entered: Collection[str]) -> frozenset[str]:
        """Return the entrants that hold a place when ``entered`` have entered the run.

        They may have left since: then their authors have no place.
        """
        newest = (
            next((name for name in reversed(own) if name in entered), None)
            for own in self.takers.values()
        )
        return frozenset(name for name in newest if name is not None)
