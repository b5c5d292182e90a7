"""Games for programs: the Python interface, tables, packs, and environments for learners.

``api/`` is the Python interface; ``tables/`` makes tables of the games of runs; ``export/`` writes
packs and proofs; ``environment`` is for learners.
"""

from __future__ import annotations

from arena.extensions import Extension, listed

_COMMANDS = f"{__name__}.commands"

EXTENSION = Extension(
    name="data",
    summary="Hand out games as packs, analyse them as tables, and learn from them.",
    commands=(
        *listed(
            _COMMANDS,
            "Host",
            (30, "export", "Write a pack of games to hand out, or tables to analyse."),
        ),
    ),
    documents={
        "arena.export-tables/1": f"{__name__}.table_export:TablesDocument",
        "arena.export/1": f"{_COMMANDS}.export:ExportDocument",
    },
    schemas={"tables": f"{__name__}.tables.columns:schema"},
    needs=("matches", "publishing"),
    libraries={
        "pyarrow": "botarena[data]",
        "pettingzoo": "botarena[env]",
        "gymnasium": "botarena[env]",
    },
)
