"""The version as ``--version`` prints it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import arena

_DIGITS: Final = 8
_CHANGED: Final = "-dirty"


def version_text() -> str:
    """Return the version, in a development install with the commit of the clone.

    The commit is followed by "changed" if tracked files differ from it.
    """
    clone = Path(arena.__file__).parents[1]
    commit = _commit(clone) if (clone / ".git").exists() else ""
    return f"arena {arena.__version__}" + (f" ({commit})" if commit else "")


def _commit(clone: Path) -> str:
    from arena.entrants.git import Git, GitError  # no installed arena needs it

    try:
        found = Git(str(clone)).text(
            "describe", "--always", "--exclude=*", f"--abbrev={_DIGITS}", f"--dirty={_CHANGED}"
        )
    except GitError:
        return ""
    commit = found.removesuffix(_CHANGED)
    return commit if commit == found else f"{commit}, changed"
