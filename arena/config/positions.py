"""Check the key ``positions`` of a game: a book of start positions, or random moves."""

from __future__ import annotations

import os
from typing import Any, Final, NamedTuple

from arena.config.keys import PositionsFile
from arena.documents.problems import Document, KeyPath, Problem, Problems, quote, shown_path
from arena.games.base import NOBODY, Rules
from arena.games.installed import in_words
from arena.games.positions import PositionBook
from arena.games.registry import GAMES, make_rules
from arena.results import Positions, RulesSpec

_MOST_BYTES: Final = 16 << 20
_MOST_REFUSED: Final = 10
"""Number of refused texts after which a book is not read on."""


class ReadPositions(NamedTuple):
    """The start positions of a game, and the absolute path of their book."""

    positions: Positions
    file: str | None


def read_positions(
    path: KeyPath, file: PositionsFile, spec: RulesSpec, document: Document, problems: Problems
) -> ReadPositions | None:
    """Return the start positions of the game ``spec``, or None after problems were reported.

    ``path``: key path of ``positions``. Every text of a book is set up once.
    """
    if (file.file is None) == (file.random_plies is None):
        found = "found neither" if file.file is None else "found file and random_plies"
        problems.add(path, found, expected="one of file and random_plies")
        return None
    if file.file is None:
        return ReadPositions(Positions(random_plies=file.random_plies or 0), None)
    here = (*path, "file")
    book = GAMES[spec.name].book
    if book is None:
        hint = f"{spec.name} reads no books"
        problems.add(here, f"found {quote(file.file)}", expected="random_plies", hint=hint)
        return None
    found_file = os.path.normpath(os.path.join(document.mark(here).folder, file.file))
    try:
        with open(found_file, "rb") as book_file:
            data = book_file.read(_MOST_BYTES + 1)  # a device would never end
        text = data.decode("utf-8-sig", "ignore" if len(data) > _MOST_BYTES else "strict")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8"
        problems.add(here, f"found {quote(file.file)}", expected="a file of positions", hint=why)
        return None
    if len(data) > _MOST_BYTES:
        found = f"found {quote(file.file)}, which is larger"
        problems.add(here, found, expected=f"at most {_MOST_BYTES >> 20} MiB")
        return None
    texts, refused = _checked(text, book, make_rules(spec), shown_path(found_file))
    problems.extend(refused)
    if not texts and not refused:
        problems.add(here, f"found {quote(file.file)}, which has no position")
    if refused or not texts:
        return None
    return ReadPositions(Positions(tuple(texts), file.order), found_file)


def _checked(
    text: str, book: PositionBook, rules: Rules[Any, Any], shown: str
) -> tuple[list[str], list[Problem]]:
    """Return the texts of a book, and problems with those that the rules refuse.

    ``shown``: path of the book in problems.
    """
    texts: list[str] = []
    refused: list[Problem] = []
    number = 0
    try:
        for number, entry in book.entries(text):
            try:
                if rules.to_act(book.place(rules, entry)) == NOBODY:
                    raise ValueError("the game has ended there")
                texts.append(entry)
            except Exception as error:  # whatever a package of others raises
                found = f"found {quote(entry)}"
                refused.append(Problem(f"{shown}:{number}", "", found, hint=_why(error)))
                if len(refused) == _MOST_REFUSED:
                    break
    except Exception as error:  # whatever a package of others raises
        refused.append(Problem(f"{shown}:{number + 1}", "", "found no entry", hint=_why(error)))
    return texts, refused


def _why(error: Exception) -> str:
    """Return the reason for a refusal; an error that is no refusal with its type."""
    kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
    return in_words(f"{kind}{error}")
