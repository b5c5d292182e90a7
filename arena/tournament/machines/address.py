"""Read and check addresses of Dask clusters as people write them, without importing Dask."""

from __future__ import annotations

import contextlib
import ipaddress
import json
import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import urlsplit

from arena.documents.bad_input import BadInput
from arena.documents.files import regular
from arena.documents.problems import printable, quote

LOCAL: Final = "dask"
"""Word that stands for a cluster of this machine's own, started for one run."""
_EXTRA: Final = ("dask", "distributed")
"""Packages that the extra ``dask`` installs."""
_ADDRESS: Final = re.compile(
    r"(tcp|tls)://([a-z0-9._-]{1,253}|\[[0-9a-f:.]+(%[\w.-]+)?\]):(?P<port>[0-9]{1,5})",
    re.ASCII | re.IGNORECASE,
)


def check_address(where: str) -> None:
    """Check that ``where`` is a valid address, and not one open to everybody. Raises BadInput."""
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
    """Check that a scheduler file has a valid address; Dask would wait for one. Raises BadInput."""
    expected = "expected a file that a scheduler has written"
    try:
        with open(where, "rb", opener=regular) as file:
            address = json.loads(file.read())["address"]
    except OSError as error:
        raise BadInput(f"--on: {printable(where)}: {error.strerror}, {expected}") from None
    except (ValueError, TypeError, LookupError):
        address = None
    if not isinstance(address, str) or address == LOCAL or is_file(address):
        raise BadInput(f"--on: {printable(where)}: found no address, {expected}")
    check_address(address)


def is_file(where: str) -> bool:
    """Return whether ``where`` names a scheduler file rather than an address."""
    return where.endswith(".json")


def is_open(where: str) -> bool:
    """Return whether the address accepts everybody from other machines: TCP without TLS."""
    parts = urlsplit(where)
    return parts.scheme == "tcp" and not _is_loopback(parts.hostname or "")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@contextlib.contextmanager
def needing_dask(where: str) -> Iterator[None]:
    """Raise BadInput if an import of Dask inside the context fails because it is not installed."""
    try:
        yield
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] not in _EXTRA:
            raise
        raise BadInput(
            f"on: {where}: Dask is missing; pip install distributed cryptography"
        ) from None
