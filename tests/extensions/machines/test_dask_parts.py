"""What Dask does for us without documenting it, and what it says that nobody is to see."""

from __future__ import annotations

import inspect
import re
import warnings

import pytest

distributed = pytest.importorskip("distributed")
versions = pytest.importorskip("distributed.versions")
WorkerState = pytest.importorskip("distributed.worker_state_machine").WorkerState
module = pytest.importorskip("arena.extensions.machines.cluster", exc_type=ImportError)

UNDOCUMENTED = {
    "Client._loop_runner": "ends the thread of a client that did not come about",
    "Client.id": "is the topic of a run, and part of the keys of its tasks",
    "Client.loop": "takes what the thread of a client has to do",
    "Client.scheduler_comm": "tells at which address we reach the scheduler",
    "Client.security": "holds the certificates for relays that connect to us",
    "Scheduler.identity": "holds the workers, with their threads",
    "Worker.scheduler": "tells whether the cluster has TLS",
    "Worker.security": "holds the certificates for the line to the parent",
    "Worker.state": "is a WorkerState",
    "Worker.plugin_add": "starts a relay, and tells of what went wrong",
    "Worker.plugin_remove": "ends a relay",
    "Worker.plugins": "holds the relays",
    "Worker.listeners": "tells where a worker lets others in",
    "Worker.memory_manager": "tells at how much memory a worker is ended",
    "Worker.nanny": "tells whether a worker comes back",
    "comm.addressing": "has get_address_host",
    "WorkerState.executing": "tells who holds the threads of a worker",
    "WorkerState.nthreads": "tells how many threads a worker has",
    "versions.VersionMismatchWarning": "is the warning of other versions",
}
"""By name what arena uses it for. If one is gone, a newer Dask needs other code."""


@pytest.mark.slow
@pytest.mark.parametrize("name", UNDOCUMENTED)
def test_what_dask_does_not_document_is_there(name: str) -> None:
    owner, _, part = name.partition(".")
    found = {"WorkerState": WorkerState, "versions": versions}.get(owner) or vars(distributed)[
        owner
    ]
    sources = [inspect.getsource(each) for each in getattr(found, "__mro__", (found,))[:-1]]
    pattern = rf"self\.{part}\b.* = |^    {part}: |def {part}\b"
    assert hasattr(found, part) or any(re.search(pattern, text, re.M) for text in sources)


def test_the_scheduler_tells_of_workers_that_come_and_go() -> None:
    source = inspect.getsource(distributed.Scheduler)
    for action in ("add-worker", "remove-worker"):
        assert f'"action": "{action}"' in source


def test_other_versions_are_no_table_on_the_terminal(recwarn: pytest.WarningsRecorder) -> None:
    module._hush()
    warnings.warn(versions.VersionMismatchWarning("+---+"), stacklevel=1)
    assert not recwarn.list
