"""Recognise that memory ran out. This module imports nothing, so that it can be loaded then."""

from __future__ import annotations

OUT_OF_MEMORY = "out of memory; close other programs or raise the limit on memory"


def is_out_of_memory(problem: BaseException) -> bool:
    """Return whether memory ran out, also while a library was being loaded."""
    found: BaseException | None = problem
    while found is not None and not isinstance(found, MemoryError):
        if isinstance(found, ImportError) and "failed to map segment" in str(found):
            return True
        found = found.__cause__ or found.__context__
    return found is not None
