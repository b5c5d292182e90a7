"""Say what machines can do, and play a run on several: on a Dask cluster, or in shards.

On each worker of a cluster a host has a pool of its own; the fleet of all hosts is the executor of
the run. Shards are for machines that do not communicate: ``shards/`` plays and merges them.
``checkup`` finds what a machine can do.
"""

from __future__ import annotations

from arena.extensions import Extension, listed

_COMMANDS = f"{__name__}.commands"

EXTENSION = Extension(
    name="machines",
    summary="Say what machines can do, and play a run on several.",
    commands=(
        *listed(
            _COMMANDS,
            "Play",
            (50, "merge", "Combine the shards of a run into one run."),
        ),
        *listed(_COMMANDS, "Host", (10, "doctor", "Say what this machine can do.")),
    ),
    documents={
        "arena.doctor-on/1": f"{__name__}.survey_report:Survey",
        "arena.doctor/1": f"{__name__}.checkup:Checkup",
    },
    remotes={"": f"{__name__}.dask_cluster:DaskCluster"},
    shards=f"{__name__}.shards.opened:opened_shard",
    libraries={
        "dask": "botarena[dask]",
        "distributed": "botarena[dask]",
    },
)
