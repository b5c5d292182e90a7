"""Where a cluster is, as people write it. Nothing of Dask is needed to read that."""

from __future__ import annotations

import contextlib
import ipaddress
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from arena.documents.bad_input import BadInput
from arena.documents.problems import printable, quote

LOCAL: Final = "dask"
"""In place of an address: a cluster of this machine's own, for one run."""
_EXTRA: Final = ("dask", "distributed")
"""Packages that the extra ``dask`` brings."""
_ADDRESS: Final = re.compile(
    r"(tcp|tls)://([a-z0-9._-]{1,253}|\[[0-9a-f:.]+(%[\w.-]+)?\]):(?P<port>[0-9]{1,5})",
    re.ASCII | re.IGNORECASE,
)


def check_address(where: str) -> None:
    """Raises BadInput if games cannot be played there: no address, or one open to everybody."""
    if where == LOCAL:
        return
    if is_file(where):
        _check_file(where)
        return
    parts = _ADDRESS.fullmatch(where)
    is_address = parts is not None and 0 < int(parts["port"]) < 1 << 16
    if not is_address:
        expected = "dask, tls://HOST:PORT, tcp://127.0.0.1:PORT or a scheduler file (.json)"
        raise BadInput(f"--on: found {quote(where)}, expected {expected}")
    if is_open(where):
        raise BadInput(
            f"--on: found {quote(where)}, expected tls:// for what is not on this machine: without "
            "it all who reach a scheduler or a worker run programs there (docs/machines.md)"
        )


def _check_file(where: str) -> None:
    """Raises BadInput if no scheduler has told its address there; Dask itself would wait for it."""
    expected = "expected a file that a scheduler has written"
    try:
        address = json.loads(Path(where).read_bytes())["address"]
    except OSError as error:
        raise BadInput(f"--on: {printable(where)}: {error.strerror}, {expected}") from None
    except (ValueError, TypeError, LookupError):
        address = None
    if not isinstance(address, str) or address == LOCAL or is_file(address):
        raise BadInput(f"--on: {printable(where)}: found no address, {expected}")
    check_address(address)


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
        raise BadInput(
            f"on: {where}: Dask is missing; pip install distributed cryptography"
        ) from None
