"""Play a run on several machines: a Dask cluster, each worker of which has a host with a pool."""

from __future__ import annotations

from arena.extension import Extension

EXTENSION = Extension(
    name="machines",
    summary="Play a run on several machines.",
    documents={"arena.doctor-on/1": f"{__name__}.survey_report:Survey"},
    remotes={"": f"{__name__}.dask_cluster:DaskCluster"},
)
