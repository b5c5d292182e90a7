"""Find a Dask cluster or start one, connect to it, and describe its errors in one line."""

from __future__ import annotations

import contextlib
import logging
import signal
import tempfile
import warnings
from collections.abc import Iterator
from typing import Any, Final

import dask
from distributed import Client, LocalCluster
from distributed.versions import VersionMismatchWarning

from arena.extensions.machines.direct import LOCAL, check_address, is_file
from arena.hosting.machine.spawn import SIGNALS
from arena.values.bad_input import BadInput

_CONNECT_SECONDS: Final = 10.0
_STEP_SECONDS: Final = 1.0
"""Time limit on closing a client, in seconds."""
_NO_ARENA: Final = "No module named 'arena"
_QUIET: Final = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.admin.tick.interval": "500ms",
    "distributed.admin.log-length": 500,
    "distributed.scheduler.work-stealing": False,
}
"""Dask settings that leave the cores of this machine to bots."""


@contextlib.contextmanager
def way_to(where: str, workers: int) -> Iterator[dict[str, Any]]:
    """Yield the argument of ``connect`` for ``where``, an address that passed ``check_address``.

    For ``LOCAL``, start a cluster of one process with ``workers`` threads, and end it on exit.
    Raises BadInput if the cluster cannot be started.
    """
    _hush()
    with dask.config.set(_QUIET):
        if where == LOCAL:
            with _own_cluster(workers) as cluster:
                yield {"address": cluster}
        else:
            yield {"scheduler_file" if is_file(where) else "address": where}


def connect(target: dict[str, Any]) -> Client:
    """Return a client, which the caller must close. Raises any error of Dask, and BadInput."""
    if "scheduler_file" in target:  # the file may have changed or vanished
        check_address(target["scheduler_file"])
    client = Client.__new__(Client)
    try:  # a client that fails to start leaves a thread behind, which its own close does not end
        Client.__init__(
            client, **target, timeout=_CONNECT_SECONDS, set_as_default=False, name="arena"
        )
        if "scheduler_file" in target:
            check_address(str(client.scheduler_info()["address"]))
    except BaseException:
        with contextlib.suppress(Exception):
            client.close(timeout=_STEP_SECONDS)
            client._loop_runner.stop()
        raise
    return client


def check_reachable(where: str) -> None:
    """Check that a scheduler answers at ``where``. Raises BadInput.

    ``where``: an address that passed ``check_address``.
    """
    with way_to(where, 1) as target, errors_named(where):
        connect(target).close(timeout=_STEP_SECONDS)


@contextlib.contextmanager
def errors_named(where: str) -> Iterator[None]:
    """Raise errors of Dask and the network inside the context as BadInput with one line."""
    try:
        yield
    except BadInput:
        raise
    except Exception as error:  # Dask raises many types
        raise BadInput(f"--on: {where}: {in_words(error)}") from None


def in_words(error: object) -> str:
    """Describe an error in one line, with a hint if the cause is known."""
    line = _line(error)
    if _NO_ARENA in line:  # Dask may wrap the error in another
        return f"has no arena, or another one ({line})"
    if "ssl_context" in line:
        return "TLS wants certificates, and none are set: see docs/machines.md"
    if isinstance(error, FileNotFoundError) and error.filename is None:  # ssl names no file
        return "a certificate or key of the settings is not there: see docs/machines.md"
    return line


def _line(error: object) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text[:300]


def _hush() -> None:
    """Send Dask's log messages to arena's own log instead of the terminal.

    Dask's table of version differences is not shown: ``doctor --on`` reports the differences that
    matter, and a machine that cannot play states the reason.
    """
    warnings.simplefilter("ignore", VersionMismatchWarning)
    for name in ("distributed", *_children("distributed")):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True
    logging.getLogger("distributed").addHandler(logging.NullHandler())
    logging.getLogger("distributed").setLevel(logging.ERROR)


def _children(name: str) -> list[str]:
    known = logging.getLogger().manager.loggerDict
    return [each for each in known if each.startswith(f"{name}.")]


@contextlib.contextmanager
def _own_cluster(workers: int) -> Iterator[LocalCluster]:
    """Yield a new cluster on this machine, whose processes block the signals of the terminal."""
    with (
        tempfile.TemporaryDirectory(prefix="cluster-of-arena-") as scratch,
        dask.config.set({"temporary-directory": scratch}),
        _started_cluster(workers) as cluster,
    ):
        yield cluster


@contextlib.contextmanager
def _started_cluster(workers: int) -> Iterator[LocalCluster]:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        cluster = LocalCluster(
            n_workers=1,
            threads_per_worker=workers,
            processes=True,
            host="127.0.0.1",
            security=True,
            dashboard_address="127.0.0.1:0",
            memory_limit=0,
            silence_logs=logging.ERROR,
        )
    except (OSError, RuntimeError, ImportError, TimeoutError) as error:
        raise BadInput(f"--on dask: no cluster can be started here: {in_words(error)}") from None
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    try:
        yield cluster
    finally:
        with contextlib.suppress(Exception):
            cluster.close(timeout=_CONNECT_SECONDS)
