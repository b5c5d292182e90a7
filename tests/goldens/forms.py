"""Files as goldens show them: JSON indented, pages taken apart, long texts shortened."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from typing import Any, Final, NamedTuple

from tests.goldens.normal import steady

_COLUMNS: Final = 120
_HEAD: Final = 160
_TAIL: Final = 30
_ELEMENT: Final = re.compile(r"<(script|style)([^>]*)>(.*?)</\1>", re.DOTALL)


class Page(NamedTuple):
    """A page for the browser, taken apart."""

    markup: str
    """Without scripts, styles and data."""
    data: dict[str, Any]
    """Of the data elements, by id."""
    assets: str
    """A line for each script and style: digest and how it begins."""


def digest(text: str) -> str:
    """Short, for people to tell apart."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def shortened(text: str) -> str:
    """Beginning, end, and a digest of what is between, if the text is long."""
    lines = text.splitlines(keepends=True)
    if len(lines) <= _HEAD + _TAIL + 20:
        return text
    middle = "".join(lines[_HEAD:-_TAIL])
    told = f"… {len(lines) - _HEAD - _TAIL} lines more, digest {digest(middle)} …\n"
    return "".join([*lines[:_HEAD], told, *lines[-_TAIL:]])


def indented(value: Any, indent: str = "") -> str:
    """JSON in which what fits into a line stands on one; keys in the order found."""
    flat = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(flat) <= _COLUMNS or not isinstance(value, dict | list) or not value:
        return flat
    deeper = indent + " "
    if isinstance(value, dict):
        parts = [f"{json.dumps(key)}: {indented(item, deeper)}" for key, item in value.items()]
        begin, end = "{}"
    else:
        parts = [indented(item, deeper) for item in value]
        begin, end = "[]"
    return f"{begin}\n" + ",\n".join(deeper + part for part in parts) + f"\n{indent}{end}"


def lines_indented(text: str) -> str:
    """JSON lines, each indented."""
    return "".join(indented(steady(json.loads(line))) + "\n" for line in text.splitlines())


def shape(value: Any) -> Any:
    """The keys, with the types of what they hold; a list has the shape of its first item."""
    if isinstance(value, dict):
        return {key: shape(item) for key, item in value.items()}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return type(value).__name__


def page(text: str) -> Page:
    """Takes a page apart."""
    data: dict[str, Any] = {}
    assets: list[str] = []

    def take(match: re.Match[str]) -> str:
        kind, attributes, inside = match.groups()
        named = re.search(r'id="([^"]+)"', attributes)
        if named and "octet-stream" in attributes:
            data[named[1]] = json.loads(gzip.decompress(base64.b64decode(inside)))
        elif named and "json" in attributes:
            data[named[1]] = json.loads(inside)
        else:
            lines = [line for line in inside.splitlines() if line != '"use strict";']
            assets.append(f"{digest(inside)}  {kind}  {(lines or [''])[0][:80]}\n")
            return f"<{kind}{attributes}>…</{kind}>"
        return f"<{kind}{attributes}>data</{kind}>"

    return Page(_ELEMENT.sub(take, text), data, "".join(assets))
