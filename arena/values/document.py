"""Read YAML files as plain values with the place of every key and value, and write YAML.

Only text that reads the same to people and to every YAML version has a meaning: ``true``,
``false``, ``null``, decimal whole numbers and decimal fractions. All else is text, also ``no``,
``on``, ``1:30``, ``0x10`` and dates. Anchors, aliases, tags, repeated keys and keys that are no
text are refused.

No keys are known here.
"""

from __future__ import annotations

import codecs
import errno
import math
import os
import re
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import yaml
from yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    DocumentStartEvent,
    Event,
    MappingStartEvent,
    ScalarEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from arena.values.bad_input import printable
from arena.values.problems import (
    REFUSED,
    ConfigError,
    Document,
    KeyPath,
    Located,
    Mark,
    Plain,
    Problem,
    Problems,
    dotted,
    quote,
    quoted,
)

MAX_BYTES: Final = 1 << 20
"""Largest size of a file in bytes."""
MAX_DEPTH: Final = 40
"""Deepest nesting of values."""

_Loader: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_WHOLE: Final = re.compile(r"[-+]?(0|[1-9][0-9]{0,17})")
_FRACTION: Final = re.compile(
    r"[-+]?([0-9]{1,40}\.[0-9]{0,40}|\.[0-9]{1,40}|[0-9]{1,40}(?=[eE]))([eE][-+]?[0-9]{1,3})?"
)
_WORDS: Final[Mapping[str, bool | None]] = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
}
_UNPRINTABLE: Final = re.compile(
    "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
)
_TIPS: Final = {
    "mapping values": 'text with ": " in it must stand in quotes; or the line above is unfinished',
    "expected ',' or": "a bracket is not closed or a comma is missing",
    "expected key": "the indentation does not fit the lines above",
    "<block end>": "the indentation does not fit the lines above",
    "expected '-'": "the indentation does not fit the lines above",
    "could not find expected ':'": 'a key needs ": " after it',
    "cannot start": "put the text in quotes",
}


def regular(path: str, flags: int) -> int:
    """Open a regular file without waiting: an ``opener`` for ``open``.

    A pipe without a writer would wait for ever, and a device never ends. Raises OSError for them,
    for a folder IsADirectoryError; ``strerror`` says what was found.
    """
    descriptor = os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC)
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return descriptor
    os.close(descriptor)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    raise OSError(errno.EINVAL, "no regular file", path)


def read_document(path: Path, *, shown: str | None = None) -> Document:
    """Read a YAML file whose top is a mapping.

    ``shown`` is the file's name in problems, by default the path as given. Raises ConfigError if
    the file cannot be read or is no YAML. Lesser problems (repeated keys, aliases) are left in
    ``located`` of the document, to be reported together with those of its keys.
    """
    name = str(path) if shown is None else shown
    return parse_document(_read_bytes(path, name), name, path.parent.absolute())


def parse_document(data: bytes, name: str, folder: Path) -> Document:
    """Read bytes as ``read_document`` reads a file; ``name`` stands for the file in problems."""
    if len(data) > MAX_BYTES:
        raise _failure(name, "found more than 1 MiB", "a smaller file")
    document = _parse(_decode(data, name), name, folder)
    if document is None:
        raise _failure(name, "the file is empty", "a mapping of keys to values")
    if document.value is REFUSED:
        Problems(document).raise_if_any()
    if not isinstance(document.value, dict):
        mark = document.mark(())
        raise _failure(mark.where, f"found {quote(document.value)}", "a mapping of keys to values")
    return document


def parse_value(text: str) -> Plain:
    """Return the value of one piece of YAML, as in ``--set key=VALUE``.

    Raises ConfigError, whose problems have places relative to the text.
    """
    document = _parse(_decode(text.encode("utf-8", "surrogatepass"), "value"), "value", Path())
    if document is None:
        return None
    Problems(document).raise_if_any()
    return document.value


def _failure(where: str, found: str, expected: str = "", hint: str = "") -> ConfigError:
    return ConfigError([_problem(where, "", found, expected, hint)])


def _problem(where: str, place: str, found: str, expected: str, hint: str) -> Problem:
    """Return a problem of one line, also where the parser or a tag has line ends."""
    return Problem(where, place, printable(found), expected, hint)


def _read_bytes(path: Path, name: str) -> bytes:
    try:
        with open(path, "rb", opener=regular) as file:
            return file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise _failure(name, "no such file") from None
    except IsADirectoryError:
        raise _failure(name, "found a folder", "a YAML file") from None
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise _failure(name, f"cannot be read: {reason}") from None
    except ValueError:  # the path contains a NUL
        raise _failure(name, "no such file") from None


def _decode(data: bytes, name: str) -> str:
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8", "replace")
        where = _place(name, before, len(before))
        raise _failure(where, f"found the byte 0x{data[error.start]:02x}", "UTF-8 text") from None
    if bad := _UNPRINTABLE.search(text):
        where = _place(name, text, bad.start())
        found = f"found the control character U+{ord(bad[0]):04X}"
        raise _failure(where, found, "printable text")
    return text


def _place(name: str, text: str, offset: int) -> str:
    line_start = text.rfind("\n", 0, offset) + 1
    return f"{name}:{text.count(chr(10), 0, offset) + 1}:{offset - line_start + 1}"


def _parse(text: str, name: str, folder: Path) -> Document | None:
    """Return the document in ``text``, or None if ``text`` has no YAML document."""
    builder = _Builder(name, folder)
    try:
        return builder.document(yaml.parse(text, Loader=_Loader))
    except yaml.YAMLError as error:
        raise _syntax_error(error, text, name) from None
    except (ValueError, OverflowError):  # PyYAML's own parser, for escapes like "\UFFFFFFFF"
        raise _failure(name, "not YAML: a number in an escape or directive is too large") from None


def _syntax_error(error: yaml.YAMLError, text: str, name: str) -> ConfigError:
    mark = error.problem_mark if isinstance(error, yaml.MarkedYAMLError) else None
    if not isinstance(error, yaml.MarkedYAMLError) or mark is None:
        return _failure(name, f"not YAML: {error}")
    lines = text.splitlines()
    line = lines[mark.line] if mark.line < len(lines) else ""
    where = f"{name}:{mark.line + 1}:{mark.column + 1}"
    if line[mark.column : mark.column + 1] == "\t":
        return _failure(where, "found a tab", "spaces", "YAML allows no tabs for indentation")
    problem = error.problem or "cannot be parsed"
    context = f" {error.context}" if error.context else ""
    tip = next((tip for words, tip in _TIPS.items() if words in problem), "")
    return _failure(where, f"not YAML: {problem}{context}", "", tip)


class _Builder:
    """A builder of one document from parser events, bounded in depth, that resolves no aliases."""

    def __init__(self, name: str, folder: Path) -> None:
        self._name = name
        self._folder = folder
        self._marks: dict[KeyPath, Mark] = {}
        self._keys: dict[KeyPath, Mark] = {}
        self._located: list[Located] = []

    def document(self, events: Iterator[Event]) -> Document | None:
        value: Plain = None
        started = False
        for event in events:
            if isinstance(event, StreamEndEvent):
                break
            if isinstance(event, DocumentStartEvent):
                if started:
                    where = self._mark(event).where
                    raise _failure(where, "found a second document", "one per file")
                started = True
                value = self._node(next(events), (), events)
        return Document(value, self._marks, self._keys, self._located) if started else None

    def _node(self, event: Event, path: KeyPath, events: Iterator[Event]) -> Plain:
        mark = self._marks[path] = self._mark(event)
        if len(path) > MAX_DEPTH:
            raise _failure(mark.where, f"nested deeper than {MAX_DEPTH} levels")
        if isinstance(event, AliasEvent):
            self._refuse(path, mark, f"found the alias *{event.anchor}", "the value itself")
            return REFUSED
        value = self._content(event, path, events)
        if anchor := getattr(event, "anchor", None):
            self._refuse(path, mark, f"found the anchor &{anchor}", "the value alone")
        if tag := getattr(event, "tag", None):
            self._refuse(path, mark, f"found the tag {tag}", "the value alone")
            return REFUSED
        return value

    def _content(self, event: Event, path: KeyPath, events: Iterator[Event]) -> Plain:
        match event:
            case ScalarEvent():
                return _resolve(event)
            case SequenceStartEvent():
                return self._sequence(path, events)
            case MappingStartEvent():
                return self._mapping(path, events)
            case _:  # the parser emits nothing else where a value is due
                raise AssertionError(f"unexpected YAML event {event!r}")

    def _sequence(self, path: KeyPath, events: Iterator[Event]) -> Plain:
        items: list[Plain] = []
        while not isinstance(event := next(events), CollectionEndEvent):
            items.append(self._node(event, (*path, len(items)), events))
        return items

    def _mapping(self, path: KeyPath, events: Iterator[Event]) -> Plain:
        entries: dict[str, Plain] = {}
        while not isinstance(event := next(events), CollectionEndEvent):
            mark = self._mark(event)
            if not isinstance(event, ScalarEvent | AliasEvent):
                raise _failure(mark.where, "found a list or mapping as a key", "text")
            key = event.value if isinstance(event, ScalarEvent) else f"*{event.anchor}"
            here = (*path, key)
            if self._is_new_key(event, here, mark):
                self._keys[here] = mark
                entries[key] = self._node(next(events), here, events)
            else:
                self._skip(next(events), here, events)
        return entries

    def _is_new_key(self, event: ScalarEvent | AliasEvent, here: KeyPath, mark: Mark) -> bool:
        """Return whether a key is text that its mapping does not have yet; otherwise report it."""
        shown = here[:-1]
        if isinstance(event, AliasEvent) or event.anchor or event.tag:
            self._refuse(here, mark, "found an alias, anchor or tag", "a key", shown=shown)
            return False
        if not isinstance(key := _resolve(event), str):
            found = f"found the key {event.value or 'nothing'}"
            hint = f"write {quote(event.value)}" if key is not None else ""
            self._refuse(here, mark, found, "text", hint, shown=shown)
            return False
        if first := self._keys.get(here):
            found = f"key {quote(key)} is repeated"
            self._refuse(here, mark, found, hint=f"first on line {first.line}", shown=shown)
            return False
        return True

    def _skip(self, event: Event, path: KeyPath, events: Iterator[Event]) -> None:
        """Consume a value without keeping its marks."""
        aside = _Builder(self._name, self._folder)
        aside._node(event, path, events)
        self._located += aside._located

    def _mark(self, event: Event) -> Mark:
        start = event.start_mark
        line, column = (start.line + 1, start.column + 1) if start else (1, 1)
        return Mark(f"{self._name}:{line}:{column}", self._folder, line, column)

    def _refuse(
        self,
        path: KeyPath,
        mark: Mark,
        found: str,
        expected: str = "",
        hint: str = "",
        shown: KeyPath | None = None,
    ) -> None:
        place = dotted(path if shown is None else shown)
        problem = _problem(mark.where, place, found, expected, hint)
        self._located.append(Located(path, mark, problem))


def _resolve(event: ScalarEvent) -> Plain:
    """Return the value of a scalar: quoted ones are text, plain ones follow the rules above."""
    text: str = event.value
    if not event.implicit[0]:
        return text
    if text in _WORDS:
        return _WORDS[text]
    if _WHOLE.fullmatch(text):
        return int(text)
    if _FRACTION.fullmatch(text) and math.isfinite(number := float(text)):
        return number
    return text


_BARE: Final = re.compile(r"[A-Za-z0-9./][A-Za-z0-9_./ -]*(?<! )")


def flow(value: object) -> str:
    """Return the value as YAML on one line."""
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
    return quoted(text)
