"""Where a cluster is, as people write it. Nothing of Dask is needed to read that."""

from __future__ import annotations

import contextlib
import ipaddress
from collections.abc import Iterator
from typing import Final
from urllib.parse import urlsplit

from arena.documents.bad_input import BadInput
from arena.documents.problems import quote

LOCAL: Final = "dask"
"""In place of an address: a cluster of this machine's own, for one run."""
_EXTRA: Final = ("dask", "distributed")
"""Packages that the extra ``dask`` brings."""


def check_address(where: str) -> None:
    """Raises BadInput if games cannot be played there: no address, or one open to everybody."""
    if where == LOCAL or is_file(where):
        return
    try:
        parts = urlsplit(where)
        is_address = parts.scheme in ("tcp", "tls") and bool(parts.hostname and parts.port)
    except ValueError:
        is_address = False
    if not is_address:
        expected = "dask, tls://HOST:PORT, tcp://127.0.0.1:PORT or a scheduler file (.json)"
        raise BadInput(f"--on: found {quote(where)}, expected {expected}")
    if is_open(where):
        raise BadInput(
            f"--on: found {quote(where)}, expected tls:// for what is not on this machine: without "
            "it all who reach a scheduler or a worker run programs there (docs/machines.md)"
        )


def is_file(where: str) -> bool:
    """Whether it is a file in which a scheduler tells its address."""
    return where.endswith(".json")


def is_open(where: str) -> bool:
    """Whether others than those on its machine reach the address, and are let in."""
    parts = urlsplit(where)
    return parts.scheme == "tcp" and not _is_loopback(parts.hostname or "")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@contextlib.contextmanager
def needing_dask(where: str) -> Iterator[None]:
    """For whoever imports Dask meanwhile. Raises BadInput if it is not installed."""
    try:
        yield
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] not in _EXTRA:
            raise
        raise BadInput(f"on: {where}: Dask is missing; pip install 'arena[dask]'") from None
