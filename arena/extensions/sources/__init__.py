"""Take bots from their sources: build them by their own commands, and read git revisions.

``build`` runs the commands of a bot.yaml, ``revisions`` takes a folder out of a git repository, and
``git`` reads repositories that are not trusted. The core asks for them in ``entrants.names`` and
``tournament.players``.
"""

from __future__ import annotations

from arena.extensions import Extension

_REVISIONS = f"{__name__}.revisions"

EXTENSION = Extension(
    name="sources",
    summary="Build bots, and play earlier versions of them out of git.",
    sources={
        "build": f"{__name__}.build:build",
        "revision": f"{_REVISIONS}:take_out",
        "commit": f"{_REVISIONS}:commit_of",
        "clone": f"{_REVISIONS}:described",
    },
)
