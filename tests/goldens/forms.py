"""Files as goldens show them: JSON indented, pages as text, long texts shortened."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
import re
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from tests.goldens.normal import steady

_COLUMNS: Final = 120
_HEAD: Final = 160
_TAIL: Final = 30
_TAG: Final = re.compile(r"<[^<>]*>")
_REPLACED: Final = re.compile(r"<(date|version|measured|commitment|rate|size|machine|here)>")
"""What stands in goldens for what differs."""
_ROW: Final = re.compile(r"(?=<(?:tr|h\d|p|li|section|svg|dt|summary|caption|figcaption)\b)")
_ELEMENT: Final = re.compile(r"<(script|style)([^>]*)>(.*?)</\1>", re.DOTALL)


class Page(NamedTuple):
    """A page for the browser, taken apart."""

    text: str
    """What it reads: without markup, scripts, styles and data."""
    data: dict[str, Any]
    """Of the data elements, by id."""


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


def document(text: str) -> str:
    """Indent a text that is one JSON object; return any other text as it is."""
    if not text.startswith("{\n"):
        return text
    try:
        return indented(json.loads(text)) + "\n"
    except json.JSONDecodeError:
        return text


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


def page(text: str, normal: Callable[[str], str]) -> Page:
    """Take a page apart; ``normal`` replaces in its markup what differs from time to time."""
    data: dict[str, Any] = {}

    def take(match: re.Match[str]) -> str:
        _, attributes, inside = match.groups()
        named = re.search(r'id="([^"]+)"', attributes)
        if named and "octet-stream" in attributes:
            data[named[1]] = json.loads(gzip.decompress(base64.b64decode(inside)))
        elif named and "json" in attributes:
            data[named[1]] = json.loads(inside)
        return ""

    markup = _REPLACED.sub(r"&lt;\1&gt;", normal(_ELEMENT.sub(take, text)))
    body = _ROW.sub("\n", markup.partition("<body>")[2].replace("\n", " "))
    lines = (" ".join(html.unescape(_TAG.sub(" ", line)).split()) for line in body.split("\n"))
    return Page("".join(f"{line}\n" for line in lines if line), data)
