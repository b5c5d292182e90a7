"""A competition that runs for weeks: authors submit bots at any time, games are played daily."""

from __future__ import annotations

from arena.extensions import Extension, listed

EXTENSION = Extension(
    name="ladder",
    summary="Keep a competition going for weeks.",
    commands=(
        *listed(
            f"{__name__}.commands", "Play", (40, "ladder", "Keep a competition going for weeks.")
        ),
    ),
    checks={"thinned.jsonl": f"{__name__}.thinning:checked"},
    documents={
        "arena.event/1": f"{__name__}.notify:LadderEvent",
        "arena.ladder/1": f"{__name__}.table:LadderDocument",
    },
    schemas={"ladder": f"{__name__}.file:schema"},
    authors=f"{__name__}.book:read_authors",
    needs=("authors", "browser", "data", "publishing", "rounds", "sources"),
)
