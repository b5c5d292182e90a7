"""Write values as YAML that people can read and paste."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from arena.documents.document import parse_value
from arena.documents.problems import printable

_BARE: Final = re.compile(r"[A-Za-z0-9./][A-Za-z0-9_./ -]*(?<! )")


def flow(value: object) -> str:
    """Return the value on one line."""
    match value:
        case Mapping():
            inner = ", ".join(f"{scalar(key)}: {flow(each)}" for key, each in value.items())
            return f"{{{inner}}}"
        case list() | tuple():
            return f"[{', '.join(flow(each) for each in value)}]"
        case bool():
            return str(value).lower()
        case str():
            return scalar(value)
        case _:
            return str(value)


def scalar(text: str) -> str:
    """Return the text, in quotes unless YAML reads it as itself."""
    if _BARE.fullmatch(text) and parse_value(text) == text:
        return text
    return '"' + printable(text.replace("\\", "\\\\").replace('"', '\\"')) + '"'
