"""Play a run on several machines: on a Dask cluster, or in shards that are merged.

On each worker of a cluster a host has a pool of its own; the fleet of all hosts is the executor of
the run. Shards are for machines that do not communicate: ``shards/`` plays and merges them.
"""

from __future__ import annotations

from arena.extensions import Extension, listed

EXTENSION = Extension(
    name="machines",
    summary="Play a run on several machines.",
    commands=(
        *listed(
            f"{__name__}.commands",
            "Play",
            (50, "merge", "Combine the shards of a run into one run."),
        ),
    ),
    documents={"arena.doctor-on/1": f"{__name__}.survey_report:Survey"},
    remotes={"": f"{__name__}.dask_cluster:DaskCluster"},
    shards=f"{__name__}.shards.opened:opened_shard",
    libraries={
        "dask": "botarena[dask]",
        "distributed": "botarena[dask]",
    },
)
