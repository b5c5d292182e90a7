"""Make names safe to show and to put in addresses: bot authors choose them, programs obey them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from typing import Any, Final, ParamSpec

import msgspec

from arena import __version__

P = ParamSpec("P")

ELLIPSIS: Final = "…"
REPLACEMENT: Final = "\N{REPLACEMENT CHARACTER}"
UNSAFE: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Controls, invisible and direction marks, surrogates, unassigned, line separators."""
MARKDOWN: Final = re.compile(r"([\\`*_{}\[\]#~!|$])")

FORMULA: Final = frozenset("=+-@\t\r\n＝＋－＠'")
"""First characters of a text at which spreadsheets take it for a formula, and the apostrophe."""


def plain(text: str) -> str:
    """Return the text on one line, without control characters and invisible characters."""
    if text.isprintable():  # then no character is UNSAFE
        return text
    shown = (REPLACEMENT if unicodedata.category(c) in UNSAFE else c for c in text)
    return "".join(shown)


def safe_lines(lines: Callable[P, Iterator[str]]) -> Callable[P, Iterator[str]]:
    """Make a generator of lines yield them as ``plain`` returns them."""

    @wraps(lines)
    def safe(*args: P.args, **options: P.kwargs) -> Iterator[str]:
        return map(plain, lines(*args, **options))

    return safe


def shown(text: str, *, is_styled: bool = False) -> str:
    """Return text of several lines without the characters that ``plain`` replaces.

    ``is_styled``: keep the terminal attributes that arena uses.
    """
    if _SIMPLE.fullmatch(text):
        return text
    return _OBEYED.sub(lambda found: _shown(found, is_styled=is_styled), text)


def _shown(found: re.Match[str], *, is_styled: bool) -> str:
    text = found[0]
    if len(text) > 1:
        return text if is_styled else text.replace("\x1b", REPLACEMENT)
    return REPLACEMENT if unicodedata.category(text) in UNSAFE else text


def cut(text: str, columns: int) -> str:
    """Return at most ``columns`` terminal columns of ``plain`` text, with an ellipsis if cut.

    Marks that take no column are bounded too, to four per column.
    """
    text = plain(text)
    if _fits(text, columns):
        return text
    from wcwidth import wcwidth  # slow, and few texts need it

    kept, width = "", 0
    for character in text[: 4 * columns]:
        width += wcwidth(character)
        if width > columns - 1:
            break
        kept += character
    return kept + ELLIPSIS


def _fits(text: str, columns: int) -> bool:
    if text.isascii():
        return len(text) <= columns
    from wcwidth import wcswidth

    return wcswidth(text) <= columns and len(text) <= 4 * columns


def markdown(text: str) -> str:
    """Return ``text`` escaped for a line or a cell of GitHub Markdown; ``@`` alerts nobody."""
    text = MARKDOWN.sub(r"\\\1", plain(text))
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace("@", "@<!-- -->")


def csv_cells(row: Iterable[object]) -> list[object]:
    """Return the values of a line of CSV, so that no spreadsheet computes a text in it.

    A text that begins as a formula does, or with an apostrophe, has an apostrophe before it; who
    removes one apostrophe has the text. Numbers stay as they are, negative ones too.
    """
    return [f"'{each}" if isinstance(each, str) and each[:1] in FORMULA else each for each in row]


def shown_cells(row: Iterable[object]) -> list[object]:
    """Return the values of a line of CSV that is shown: as ``csv_cells``, with ``plain`` texts."""
    return csv_cells(plain(each) if isinstance(each, str) else each for each in row)


def json_text(document: bytes) -> str:
    """Return encoded JSON, with an escape for every character that ``plain`` would replace."""
    text = document.decode()
    if document.translate(None, _COMMON).decode().isprintable():  # the pattern takes far longer
        return text
    return _SPECIAL.sub(lambda found: _escaped(found[0]), text)


def answer(schema: str, **fields: Any) -> dict[str, Any]:
    """Return the JSON document that a command prints: ``schema``, arena's version, ``fields``."""
    return {"schema": schema, "arena": __version__, **fields}


def json_document(value: object) -> str:
    """Return the value as indented JSON that is safe to show, with a final newline.

    Bytes that are not Unicode, as in the name of a file, are written as escapes.
    """
    try:
        encoded = msgspec.json.encode(value)
    except UnicodeEncodeError:
        encoded = msgspec.json.encode(_encodable(msgspec.to_builtins(value)))
    return json_text(msgspec.json.format(encoded, indent=2)) + "\n"


def _encodable(value: Any) -> Any:
    match value:
        case str():
            return value.encode("utf-8", "backslashreplace").decode()
        case dict():
            return {_encodable(key): _encodable(each) for key, each in value.items()}
        case list() | tuple():
            return [_encodable(each) for each in value]
        case _:
            return value


_SIMPLE: Final = re.compile(r"[ -~\n\t]*")
_OBEYED: Final = re.compile(r"\x1b\[(?:0|1|31|1;3[1-5])m|[^ -~\n\t]")
"""An attribute that arena uses, or a character that may be one of those to replace."""
_SPECIAL: Final = re.compile(r"[^\x00-~]")
_COMMON: Final = bytes(range(0x20, 0x7F))


def _escaped(character: str) -> str:
    if unicodedata.category(character) not in UNSAFE:
        return character
    units = character.encode("utf-16-be")
    pairs = (units[k : k + 2].hex() for k in range(0, len(units), 2))
    return "".join(f"\\u{pair}" for pair in pairs)
