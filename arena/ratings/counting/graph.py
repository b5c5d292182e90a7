"""Who scored against whom: groups within which strengths can be compared."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Bools: TypeAlias = npt.NDArray[np.bool_]


def reachable(scored: Bools) -> Bools:
    """Reflexive transitive closure (Warshall): [i, j] if a chain of points leads from i to j.

    ``scored`` is square, [i, j] if i won a point or half a point off j.
    """
    reach: Bools = scored | np.eye(len(scored), dtype=bool)
    for via in range(len(reach)):
        reach |= np.logical_and.outer(reach[:, via], reach[via])
    return reach


def groups(reach: Bools, preferred: Bools) -> list[list[int]]:
    """Strongly connected components, each sorted, the largest in front.

    Among equally large ones those that hold a ``preferred`` member lead, then the one with
    the smallest index.
    """
    mutual = reach & reach.T
    leaders = [k for k, row in enumerate(mutual) if row.argmax() == k]
    found = [np.flatnonzero(mutual[leader]).tolist() for leader in leaders]
    return sorted(found, key=lambda own: (-len(own), not preferred[own].any(), own[0]))


def is_connected(scored: Bools) -> bool:
    """Whether everybody reaches everybody."""
    return bool(reachable(scored).all())
