"""Check the sections ``game`` and ``games`` of a tournament file: rules, seats, options, data.

Start positions of a game, too: a book of them, or random moves.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from arena.games.base import NOBODY, Option, Rules, RulesError
from arena.games.installed import in_words
from arena.games.positions import PositionBook
from arena.games.registry import GAMES, make_rules, rules_spec
from arena.runs.config.keys import GameFile, PositionsFile, TournamentFile
from arena.values.document import regular
from arena.values.problems import (
    ConfigError,
    Document,
    KeyPath,
    Problem,
    Problems,
    did_you_mean,
    either,
    quote,
    shown_path,
    some,
)
from arena.values.results import OVERALL, Adjudicate, Positions, RulesSpec


class ListedGame(NamedTuple):
    """One readable entry of ``game`` or ``games``."""

    path: KeyPath
    file: GameFile
    name: str
    """Name of the discipline."""
    rules: RulesSpec
    data_file: str | None
    """Absolute path of the card data; None: the rules' own data."""
    book_file: str | None = None
    """Absolute path of the book of positions, if there is one."""


def read_games(raw: TournamentFile, document: Document, problems: Problems) -> list[ListedGame]:
    """Return the games of ``raw`` that can be played; report all problems of the others."""
    written_keys = [key for key in ("game", "games") if document.holds((key,))]
    if len(written_keys) != 1 or (written_keys == ["games"] and not raw.games):
        found = f"found {' and '.join(written_keys)}" if written_keys else "found neither"
        if len(written_keys) == 1:
            found = "found no entry in games"
        problems.add((), found, expected='one of "game" and "games"')
        return []
    entries: list[tuple[KeyPath, object]] = [(("game",), raw.game)]
    if written_keys == ["games"]:
        listed = raw.games if isinstance(raw.games, tuple) else ()
        entries = [(("games", index), entry) for index, entry in enumerate(listed)]
    games: dict[str, ListedGame] = {}
    for path, entry in entries:
        game = _game(path, entry, document, problems)
        if game is not None and game.name.lower() in games:
            found = f"a second game is called {quote(game.name)}"
            problems.add(path, found, hint="give one of them a name of its own")
        elif game is not None:
            games[game.name.lower()] = game
    return list(games.values())


def _game(
    path: KeyPath, entry: object, document: Document, problems: Problems
) -> ListedGame | None:
    """Return the game of ``entry``, or None after its problems were reported."""
    file = GameFile(rules=entry) if isinstance(entry, str) else entry
    if not isinstance(file, GameFile) or not problems.clean(*path, "rules"):
        return None
    rules_path = path if isinstance(entry, str) else (*path, "rules")
    if file.rules not in GAMES:
        known_games = GAMES.similar(file.rules)
        expected = either(some([quote(name) for name in known_games]))
        hint = did_you_mean(file.rules, known_games)
        problems.add(rules_path, f"found {quote(file.rules)}", expected=expected, hint=hint)
        return None
    try:
        known = GAMES[file.rules]
    except RulesError as error:
        problems.add(rules_path, in_words(error))
        return None
    seats = known.default_seats if file.seats is None else file.seats
    _check_seats(path, known.seats, seats, problems)
    _check_options(path, file.options, known.options, seats, problems)
    _check_adjudicate(path, file.adjudicate, seats, problems)
    data_file = _data_file(path, file, document, problems)
    if not problems.clean(*path):
        return None
    try:
        spec = rules_spec(file.rules, seats, file.options, data_file)
    except RulesError as error:
        problems.add((*path, *error.path), in_words(error.message))
        return None
    except ConfigError as error:
        problems.extend(error.problems)
        return None
    name = file.name or f"{file.rules}-{seats}"
    if name.lower() == OVERALL:
        problems.add((*path, "name"), f"found {quote(name)}", hint="the table of all is called so")
        return None
    book_file = None
    if file.positions is not None:
        read = read_positions((*path, "positions"), file.positions, spec, document, problems)
        if read is None:
            return None
        spec = msgspec.structs.replace(spec, positions=read.positions)
        book_file = read.file
    return ListedGame(path, file, name, spec, str(data_file) if data_file else None, book_file)


def _check_seats(path: KeyPath, allowed: Sequence[int], seats: int, problems: Problems) -> None:
    if seats not in allowed:
        expected = either([str(number) for number in allowed])
        problems.add((*path, "seats"), f"found {seats}", expected=expected)


def _check_adjudicate(
    path: KeyPath, given: Adjudicate | None, seats: int, problems: Problems
) -> None:
    here = (*path, "adjudicate")
    if not problems.clean(*here):
        return
    if given is not None and seats != 2:
        hint = "two bots can agree on a result"
        problems.add(here, f"found adjudicate at {seats} seat{'s'[: seats != 1]}", hint=hint)
    elif given is not None and given.resign is None and given.draw is None:
        problems.add(here, "found neither", expected="resign, draw or both")
    elif given and given.resign and given.draw and given.draw.eval >= given.resign.eval:
        expected = f"less than {given.resign.eval:g}, at which a game is lost"
        problems.add((*here, "draw", "eval"), f"found {given.draw.eval:g}", expected=expected)


def _check_options(
    path: KeyPath,
    given: Mapping[str, object],
    options: Sequence[Option],
    seats: int,
    problems: Problems,
) -> None:
    known = {option.name: option for option in options}
    for name, value in given.items():
        here = (*path, "options", name)
        if name not in known:
            problems.unknown_key(here, [each for each in known if known[each].applies(seats)])
        elif not known[name].applies(seats):
            sizes = either([str(number) for number in known[name].seats])
            hint = f"it is for {sizes} seat{'s'[: sizes != '1']}"
            problems.add(here, f"found {name} at {seats} seats", hint=hint)
        elif not known[name].allows(value) and problems.clean(*here):
            option = known[name]
            words = [quote(choice) for choice in option.choices] or list(option.expected)
            expected = either(some(words))
            hint = did_you_mean(str(value), option.expected) if option.choices else ""
            problems.add(here, f"found {quote(value)}", expected=expected, hint=hint)


def _data_file(
    path: KeyPath, file: GameFile, document: Document, problems: Problems
) -> Path | None:
    if file.data is None:
        return None
    here = (*path, "data")
    found = Path(os.path.normpath(os.path.join(document.mark(here).folder, file.data)))
    if not os.path.isfile(found):
        problems.add(here, f"found {quote(file.data)}", expected="an existing YAML file")
    return found


_MOST_BYTES: Final = 16 << 20
_BOOK_LINE: Final = re.compile(r"line (\d+): (.*)", re.DOTALL)
"""A reason why a book cannot be read, with the line."""
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
        with open(found_file, "rb", opener=regular) as book_file:
            data = book_file.read(_MOST_BYTES + 1)
    except OSError as error:
        why = error.strerror or "it cannot be read"
        problems.add(here, f"found {quote(file.file)}", expected="a file of positions", hint=why)
        return None
    if len(data) > _MOST_BYTES:
        found = f"found {quote(file.file)}, which is larger"
        problems.add(here, found, expected=f"at most {_MOST_BYTES >> 20} MiB")
        return None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:  # the encoding of PGN, which any bytes are
        text = data.decode("latin-1")
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
        own = _BOOK_LINE.fullmatch(_why(error))
        line, why = (own[1], own[2]) if own else (number + 1, _why(error))
        refused.append(Problem(f"{shown}:{line}", "", "found no entry", hint=why))
    return texts, refused


def _why(error: Exception) -> str:
    """Return the reason for a refusal; an error that is no refusal with its type."""
    kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
    return in_words(f"{kind}{error}")
