"""Problems in what a person wrote, and their wording. Knows no YAML and no keys.

Every problem reads ``where: path: what was found, expected what (hint)``, for example::

    cup.yaml:11:15: entrants[1].limits.reply: found "lots", expected a size such as "512 MiB"
    cup.yaml:12:7: entrants[1].limits: unknown key "memroy" (did you mean "memory"?)
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

from arena.values.bad_input import BadInput, needed_extension, printable
from arena.values.titles import called

KeyPath: TypeAlias = tuple[str | int, ...]
"""Keys and list indices from the top of a document to a value."""


class Refused(Enum):
    """A marker for a value that was already reported, so that it is not reported twice."""

    REFUSED = "refused"


REFUSED: Final = Refused.REFUSED

Plain: TypeAlias = "bool | int | float | str | list[Plain] | dict[str, Plain] | Refused | None"
"""Values that a document can contain."""

_SHOWN_LENGTH: Final = 60
_SHOWN_PROBLEMS: Final = 50
_COMPARED: Final = 2000
"""Largest number of words among which a similar one is searched."""
_LISTED: Final = 30
"""Largest number of words that a message lists."""
_FIRST_LISTED: Final = 12
"""Number of words that a message lists of a larger number."""
_OF_LINES: Final = ("found", "expected")
"""Fields of a problem that may have several lines."""
_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_+-]+")


class Problem(msgspec.Struct, frozen=True):
    """One mistake in one place; ``str()`` is the line a person reads.

    Whatever the texts name is escaped. ``found`` and ``expected`` may have several lines, such as
    output of a program, so names in them must be quoted.
    """

    where: str
    """``file:line:column``, ``--set key=value`` or a command line argument."""
    path: str
    """Key path such as ``entrants[1].limits.reply``; empty for the document as a whole."""
    found: str
    """Mistake as a phrase: ``found "lots"``, ``unknown key "x"``, ``no such file``."""
    expected: str = ""
    hint: str = ""

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            text = getattr(self, name)
            if not text.isprintable():
                lines = text.split("\n") if name in _OF_LINES else [text]
                msgspec.structs.force_setattr(self, name, "\n".join(map(printable, lines)))

    def __str__(self) -> str:
        place = f"{self.where}: {self.path}: " if self.path else f"{self.where}: "
        expected = f", expected {self.expected}" if self.expected else ""
        hint = f" ({self.hint})" if self.hint else ""
        return f"{place}{self.found}{expected}{hint}"


class ConfigError(Exception):
    """Bad input, with every problem that was found; ``str()`` has one line for each."""

    def __init__(self, problems: Iterable[Problem], advice: str = "") -> None:
        """``advice``: what else can be done, for the last line; empty: nothing."""
        self.problems = tuple(problems)
        self.advice = advice
        super().__init__(self.problems)

    def __str__(self) -> str:
        lines = [str(problem) for problem in self.problems[:_SHOWN_PROBLEMS]]
        total = len(self.problems)
        if total > len(lines):
            lines.append(f"... and {total - len(lines)} more")
        advice = f" ({self.advice})" if self.advice else ""
        return "\n".join([*lines, f"{total} error{'s'[: total != 1]}; nothing was started{advice}"])


class Mark(msgspec.Struct, frozen=True):
    """The position at which a key or value was written."""

    where: str
    folder: Path
    """Folder that relative paths written here are relative to."""
    line: int = 0
    """Line number from 1; 0 if the value is in no file."""
    column: int = 0
    """Column number from 1, in characters."""


class Located(msgspec.Struct, frozen=True):
    """A problem with its key path and its mark, for sorting and for ``Problems.clean``."""

    path: KeyPath
    mark: Mark
    problem: Problem


def quote(value: object) -> str:
    """Return a value as a problem shows it: escaped, cut, on one line."""
    match value:
        case None:
            return "nothing"
        case bool():
            return str(value).lower()
        case str():
            cut = value if len(value) <= _SHOWN_LENGTH else value[: _SHOWN_LENGTH - 1] + "…"
            return quoted(cut)
        case list() | tuple():
            return "a list" if value else "an empty list"
        case dict():
            return "a mapping" if value else "an empty mapping"
        case _:
            return str(value)


def quoted(text: str) -> str:
    """Return the text in quotes, escaped as a string of JSON and YAML can be."""
    return '"' + printable(text.replace("\\", "\\\\").replace('"', '\\"')) + '"'


def dotted(path: KeyPath) -> str:
    """Return the key path as text: ``entrants[1].options.samples``."""
    parts: list[str] = []
    for step in path:
        if isinstance(step, int):
            parts.append(f"[{step}]")
        elif _BARE_KEY.fullmatch(step):
            parts.append(f".{step}" if parts else step)
        else:
            parts.append(f"[{quote(step)}]")
    return "".join(parts)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a hint with the extension that ``word`` needs, or with the closest known word.

    Empty if no word is close, or if very many words are known, because comparing them takes too
    long.
    """
    if hint := needed_extension(word):
        return f"it {hint}"
    words = list(known)
    if len(words) > _COMPARED:
        return ""
    close = difflib.get_close_matches(word[:_SHOWN_LENGTH], words, n=1)
    return f"did you mean {quote(close[0])}?" if close else ""


def either(words: Sequence[str]) -> str:
    """Return ``a``, ``a or b`` or ``a, b or c``, also for names of which none is installed."""
    if not words:
        return "one that is installed, and none is"
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def some(words: Sequence[str]) -> list[str]:
    """Return the words; of many words the first ones and the number of the others."""
    if len(words) <= _LISTED:
        return [*words]
    return [*words[:_FIRST_LISTED], f"{len(words) - _FIRST_LISTED} more"]


def check_one_of(where: str, found: str, known: Collection[str]) -> None:
    """Raise BadInput unless ``found`` is one of ``known``. ``where``: the argument it came from."""
    if found not in known:
        hint = did_you_mean(found, known)
        expected = f"expected {either(some([*known]))}" + (f" ({hint})" if hint else "")
        raise BadInput(f"{where}: found {quote(found)}, {expected}")


def check_entrant(where: str, found: str, known: Collection[str], what: str) -> None:
    """Raise BadInput unless ``found`` is one of ``known``, the names of entrants, perhaps many.

    ``where``: the argument it came from; ``what``: how one of them is called.
    """
    if found not in known:
        titled = (f"it is the title of {quote(each)}" for each in known if called(each) == found)
        hint = next(titled, "") or did_you_mean(found, known)
        hint = hint or (f"such as {next(iter(known))}" if known else "")
        note = f" ({hint})" if hint else ""
        raise BadInput(f"{where}: found {quote(found)}, expected {what}{note}")


def file_error(error: OSError) -> str:
    """Return what the system refused, after the name of the file if it is known."""
    name = f"{printable(os.fsdecode(error.filename))}: " if error.filename else ""
    return f"{name}{error.strerror or type(error).__name__}"


def shown_path(path: str | os.PathLike[str]) -> str:
    """Return a path as problems show it: relative if it lies below the current folder."""
    absolute = os.path.abspath(path)
    relative = os.path.relpath(absolute)
    return printable(absolute if relative.startswith(os.pardir) else relative)


class Document:
    """One parsed document. Treat ``value``, ``marks`` and ``keys`` as read-only."""

    def __init__(
        self,
        value: Plain,
        marks: Mapping[KeyPath, Mark],
        keys: Mapping[KeyPath, Mark] | None = None,
        located: Sequence[Located] = (),
    ) -> None:
        self.value = value
        self.marks = marks
        """Places where values were written; ``()`` is always there."""
        self.keys: Mapping[KeyPath, Mark] = keys or {}
        """Places where the keys of mappings were written."""
        self.located = tuple(located)
        """Problems found while reading."""

    def holds(self, path: KeyPath) -> bool:
        """Return whether the last key of ``path`` is in its mapping."""
        value = self.value
        for step in path:
            if isinstance(value, list) and isinstance(step, int):
                value = value[step]
            elif isinstance(value, dict) and step in value:
                value = value[str(step)]
            else:
                return False
        return True

    def mark(self, path: KeyPath) -> Mark:
        """Return the position of the value at ``path``, or of the nearest value around it."""
        while path not in self.marks:
            path = path[:-1]
        return self.marks[path]

    def is_argument(self, path: KeyPath) -> bool:
        """Return whether an argument gave this value and no more; ``--set`` gives keys too."""
        mark = self.marks.get(path) if path else None
        return mark is not None and not mark.line and not mark.where.startswith("--set")

    def key_mark(self, path: KeyPath) -> Mark:
        """Return the position of the last key of ``path``, or of its value."""
        return self.keys.get(path) or self.mark(path)


class Problems:
    """The mistakes in one document, collected so that all are reported at once."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._located: list[Located] = []
        self._others: list[Problem] = []
        self._bad: set[KeyPath] = set()
        self._around: set[KeyPath] = set()
        """All paths that lead to or through a bad one."""
        for located in document.located:
            self._keep(located)

    def add(self, path: KeyPath, found: str, *, expected: str = "", hint: str = "") -> None:
        """Add a problem with the value at ``path``; an argument that gave it names it alone."""
        shown = "" if self._document.is_argument(path) else dotted(path)
        self._note(path, self._document.mark(path), shown, found, expected, hint)

    def missing(self, path: KeyPath, expected: str) -> None:
        """Add the problem that the last key of ``path`` is missing."""
        self._note(path, self._document.mark(path), dotted(path), "missing", expected, "")

    def unknown_key(self, path: KeyPath, known: Sequence[str]) -> None:
        """Add the problem that the last key of ``path`` is not one of ``known``."""
        key = str(path[-1])
        hint = self.similar(key, known)
        if not hint:
            hint = f"known: {', '.join(some(known))}" if known else "there are none"
        mark = self._document.key_mark(path)
        self._note(path, mark, dotted(path[:-1]), f"unknown key {quote(key)}", "", hint)

    def bad_key(self, path: KeyPath, expected: str) -> None:
        """Add the problem that the last key of ``path`` does not have the form of a key."""
        found = f"bad key {quote(path[-1])}"
        self._note(path, self._document.key_mark(path), dotted(path[:-1]), found, expected, "")

    def extend(self, problems: Sequence[Problem]) -> None:
        """Add problems of other documents, without repetitions."""
        self._others += [problem for problem in problems if problem not in self._others]

    def similar(self, word: str, known: Iterable[str]) -> str:
        """Return a hint as ``did_you_mean``; empty once there are more problems than are shown."""
        return did_you_mean(word, known) if len(self._located) < _SHOWN_PROBLEMS else ""

    def clean(self, *path: str | int) -> bool:
        """Return whether there is no problem at, above or below ``path``."""
        above = (path[:length] for length in range(len(path)))
        return path not in self._around and self._bad.isdisjoint(above)

    def found(self) -> bool:
        """Return whether there is any problem."""
        return bool(self._located or self._others)

    def raise_if_any(self) -> None:
        """Raise ConfigError if there are problems, in the order of the file."""
        ordered = sorted(self._located, key=lambda each: (each.mark.line, each.mark.column))
        if problems := [each.problem for each in ordered] + self._others:
            raise ConfigError(dict.fromkeys(problems))

    def _note(
        self, path: KeyPath, mark: Mark, shown: str, found: str, expected: str, hint: str
    ) -> None:
        problem = Problem(mark.where, shown, found, expected, hint)
        self._keep(Located(path, mark, problem))

    def _keep(self, located: Located) -> None:
        path = located.path
        self._located.append(located)
        self._bad.add(path)
        self._around.update(path[:length] for length in range(len(path) + 1))


def failure(where: str, found: str, expected: str = "", hint: str = "") -> ConfigError:
    """Return the error of one wrong argument of a command.

    ``where``: the argument; the other parts of the message are as in ``Problem``.
    """
    return ConfigError([Problem(where, "", found, expected, hint)])
