"""The version, and recognising that memory ran out: loaded before the parser, and without it."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Final

import arena

OUT_OF_MEMORY: Final = "out of memory; close other programs or raise the limit on memory"
CHANGED: Final = "-dirty"
"""End of the description of a clone that differs from its commit."""


def is_out_of_memory(problem: BaseException) -> bool:
    """Return whether memory ran out, also while a library was being loaded."""
    found: BaseException | None = problem
    while found is not None and not isinstance(found, MemoryError):
        if isinstance(found, ImportError) and "failed to map segment" in str(found):
            return True
        if isinstance(found, OSError) and found.errno == errno.ENOMEM:
            return True
        found = found.__cause__ or found.__context__
    return found is not None


def version_text() -> str:
    """Return the version, in a development install with the commit of the clone.

    The commit is followed by "changed" if tracked files differ from it.
    """
    clone = Path(arena.__file__).parents[1]
    commit = _commit(clone) if (clone / ".git").exists() else ""
    return f"arena {arena.__version__}" + (f" ({commit})" if commit else "")


def _commit(clone: Path) -> str:
    from arena import extensions  # no installed arena needs it

    place = extensions.places("sources").get("clone")
    found: str = extensions.load(place)(str(clone)) if place else ""
    commit = found.removesuffix(CHANGED)
    return commit if commit == found else f"{commit}, changed"
