"""What docs/stability.md calls public, as text.

``python -m tests.extensions.data.api.public`` writes it.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import arena
from arena.cli.terminal.console import Exit
from arena.extensions.data.tables.columns import SCHEMA, TABLES
from arena.games import base
from arena.referee.protocol import PROTOCOL
from arena.referee.records import format as record_format
from arena.runs import manifest

FILE: Final = Path(__file__).with_suffix(".txt")
ROOT: Final = Path(arena.__file__).parent
_DOCUMENT: Final = re.compile(r'"(arena\.[a-z-]+/\d+)"')


def lines() -> Iterator[str]:
    """Yield a line for each public fact, sorted within its part."""
    yield "# Names"
    for name in arena.__all__:
        yield from _of(f"arena.{name}", getattr(arena, name))
    yield "# Rules"
    yield from _members("Rules", base.Rules)
    yield "# Tables"
    yield SCHEMA
    for table in TABLES.values():
        for column in table.columns:
            yield f"{table.name}.{column.name}: {column.kind} {column.unit}".rstrip()
    yield "# Documents"
    sources = (path.read_text("utf-8") for path in ROOT.rglob("*.py"))
    yield from sorted({name for text in sources for name in _DOCUMENT.findall(text)})
    yield "# Versions"
    yield f"protocol {PROTOCOL}"
    yield f"record {record_format.FORMAT}"
    yield f"run {manifest.FORMAT}"
    yield "# Exit codes"
    yield from (f"{code.value} {code.name}" for code in Exit)


def _of(name: str, value: Any) -> Iterator[str]:
    if inspect.ismodule(value):
        yield name
        for inner in getattr(value, "__all__", ()):
            yield from _of(f"{name}.{inner}", getattr(value, inner))
    elif inspect.isclass(value):
        yield f"{name}: class"
        yield from _members(name, value)
    else:
        yield f"{name}{_signature(value)}" if callable(value) else name


def _members(name: str, kind: type) -> Iterator[str]:
    for inner, member in sorted(vars(kind).items()):
        if inner.startswith("_") or inner in ("count", "index"):
            continue
        if inspect.isfunction(member):
            yield f"{name}.{inner}{_signature(member)}"
        else:
            yield f"{name}.{inner}"


def _signature(function: Any) -> str:
    """Return a signature with dots for functions, which have no text of their own."""
    return re.sub(r"<function .*? at 0x[0-9a-f]+>", "...", str(inspect.signature(function)))


def text() -> str:
    return "\n".join(lines()) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), "utf-8")
