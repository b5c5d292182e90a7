"""Competitions round by round: so far the ladder, which runs for weeks."""

from __future__ import annotations

from arena.extensions import Extension, listed

EXTENSION = Extension(
    name="rounds",
    summary="Keep a competition going for weeks.",
    commands=(
        *listed(
            f"{__name__}.commands", "Play", (40, "ladder", "Keep a competition going for weeks.")
        ),
    ),
    documents={"arena.ladder/1": f"{__name__}.ladder.table:LadderDocument"},
    schemas={"ladder": f"{__name__}.ladder.file:schema"},
    authors=f"{__name__}.ladder.book:read_authors",
    needs=("authors", "browser", "data"),
)
