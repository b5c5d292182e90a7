"""Find the games that extensions bring and installed packages announce, and load them.

A package announces a ``Game`` by an entry point of the group ``arena.games``, or many games by a
``Family`` of the group ``arena.families``. Nothing of a package is imported before one of its games
is requested.
"""

from __future__ import annotations

import os
import re
import traceback
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Final, NamedTuple

from msgspec import Struct

import arena
from arena import extensions
from arena.games.base import Action, RulesError
from arena.games.game import JOINT, Family, Game
from arena.values.bad_input import BadInput, printable

GROUP: Final = "arena.games"
"""Group of entry points of the form ``NAME = "MODULE:ATTRIBUTE"``, which point to a Game."""
FAMILIES: Final = "arena.families"
"""Group of entry points of the same form, which point to a Family."""
OWN: Final = "arena"
"""Package name stated for arena's own games; the distribution may have another name."""
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_SHOWN_LENGTH: Final = 300


class GameError(RulesError, BadInput):
    """Raised if a requested game does not exist or cannot be used; names its package."""

    def __init__(self, message: str, path: tuple[str, ...] = ("rules",)) -> None:
        super().__init__(path, in_words(message))


class Claim(NamedTuple):
    """One entry point of a game or of a family in the metadata of an installed package."""

    name: str
    value: str
    """Location of the Game or Family: ``MODULE:ATTRIBUTE``."""
    package: str
    version: str

    @property
    def module(self) -> str:
        """Module of ``value``."""
        return self.value.partition(":")[0]

    def __str__(self) -> str:
        return f"{self.package} {self.version}".strip()


def announced(group: str = GROUP) -> list[Claim]:
    """Return arena's own games, or families, and those that installed packages announce.

    Each claim is returned once.
    """
    claims = [
        Claim(name, place, OWN, arena.__version__)
        for part in extensions.own().extensions
        for name, place in (part.games if group == GROUP else part.families).items()
    ]
    if not extensions.is_announced(group):
        return claims
    from importlib.metadata import entry_points  # slow, and seldom needed

    for entry in entry_points(group=group):
        package = str(entry.dist.name) if entry.dist else entry.module.partition(".")[0]
        version = str(entry.dist.version) if entry.dist else ""
        if package != OWN and not entry.module.startswith(f"{OWN}."):
            claims.append(Claim(entry.name, entry.value, package, version))
    return list(dict.fromkeys(claims))


def load_game(claim: Claim) -> Game:
    """Return the game of a claim. Raises GameError unless it is a Game of that name."""
    found = _load(claim)
    if not isinstance(found, Game):
        raise _unusable(claim, f"{claim.value}: found {type(found).__name__}, expected Game")
    if found.name != claim.name or not _NAME.fullmatch(found.name):
        raise _unusable(claim, f"{claim.value}: found a game called {found.name!r}")
    _check_fields(claim, found)
    return found


def _check_fields(claim: Claim, game: Game) -> None:
    """Raise GameError if a game of a package of others has a wrong field."""
    if claim.package == OWN:
        return
    try:
        problem = _wrong_field(game)
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
    if problem:
        raise _unusable(claim, f"{claim.value}: {problem}")


def _wrong_field(game: Game) -> str:
    """Return which field has a wrong type, or names no file, or ""."""
    texts = (game.name, game.title, game.package)
    if not all(isinstance(each, str) and each.isprintable() for each in texts):
        return "name, title and package: expected texts of one line"
    counts = game.seats
    if type(counts) is not tuple or not counts or any(type(n) is not int or n < 1 for n in counts):
        return f"seats: found {counts!r}, expected a tuple of numbers from 1"
    endings = {**game.endings}
    if not all(isinstance(each, str) for each in (*endings, *endings.values())):
        return "endings: expected texts by the ids of rulings"
    for field in ("build", "board", "notation", "check_state", "redeal"):
        value = getattr(game, field)
        if not (callable(value) or (value is None and field != "build")):
            return f"{field}: found {value!r}, expected a function"
    kinds: dict[str, tuple[Sequence[object], type]] = {
        "action_types": (game.action_types, Action),
        "observation_type": ((game.observation_type,), Struct),
        "event_types": (game.event_types, Struct),
    }
    for field, (found, kind) in kinds.items():
        if not all(isinstance(each, type) and issubclass(each, kind) for each in found):
            return f"{field}: found {found!r}, expected subclasses of {kind.__name__}"
    for field in ("page_file", "data_file"):
        file = getattr(game, field)
        if file is not None:
            try:
                game.text(file)
            except RulesError as error:
                return f"{field}: {error}"
    for option in game.options:
        if not (option.name + option.help).isprintable():
            return f"option {option.name!r}: expected a name and a help of one line"
        if not option.allows(option.default):
            expected = ", ".join(option.expected)
            return f"option {option.name}: default {option.default!r}, expected {expected}"
    return ""


def load_family(claim: Claim) -> Family:
    """Return the family of a claim. Raises GameError unless it is a Family of that name."""
    found = _load(claim)
    if not isinstance(found, Family):
        raise _unusable(claim, f"{claim.value}: found {type(found).__name__}, expected Family")
    if found.name != claim.name or JOINT in found.name or not _NAME.fullmatch(found.name):
        raise _unusable(claim, f"{claim.value}: found a family called {found.name!r}")
    return found


def load_member(claim: Claim, family: Family, member: str) -> Game:
    """Return a game of a family. Raises GameError if the package does not provide it."""
    name = f"{family.name}{JOINT}{member}"
    whole = claim._replace(name=name)
    try:
        found = family.load(member)
    except (RulesError, BadInput) as error:  # the package's own words
        raise _unusable(whole, error) from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # any error of a foreign package
        raise _unloadable(whole, error) from error
    if not isinstance(found, Game) or found.name != name or not _NAME.fullmatch(name):
        raise _unusable(whole, f"found {getattr(found, 'name', found)!r}, expected a Game {name}")
    _check_fields(whole, found)
    return found


def load_members(claim: Claim, family: Family) -> dict[str, str]:
    """Return the titles of the games of a family by their names within it. Raises GameError."""
    try:
        return dict(family.members())
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # any error of a foreign package
        raise _unloadable(claim, error) from error


def _load(claim: Claim) -> Any:
    if claim.package != OWN:
        from arena.games.probe import why_fatal  # arena's own games need none

        if fatal := why_fatal(claim.module):
            raise GameError(f"{claim.name} of {claim} cannot be loaded: {fatal}")
    try:
        return getattr(import_module(claim.module), claim.value.partition(":")[2])
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # any error of a foreign package
        raise _unloadable(claim, error) from error


def _unloadable(claim: Claim, error: BaseException) -> GameError:
    return GameError(f"{claim.name} of {claim} cannot be loaded: {type(error).__name__}: {error}")


def _unusable(claim: Claim, problem: object) -> GameError:
    return GameError(f"{claim.name} of {claim} cannot be used: {problem}")


def failing_package(error: BaseException) -> str:
    """Return in words which package of others failed with ``error``, and where; "" if none did.

    A package fails if its code raised the error, or called what did.
    """
    foreign = {
        claim.module.partition(".")[0]: claim
        for group in (GROUP, FAMILIES)
        for claim in announced(group)
        if claim.package != OWN
    }
    for package, claim in foreign.items():
        if place := place_in(package, error):
            return in_words(f"{claim.name} of {claim} failed: {error_text(error)} ({place})")
    return ""


def error_text(error: BaseException) -> str:
    """Return the type of an error, with its text if it has one."""
    return f"{type(error).__name__}: {error}".removesuffix(": ")


def place_in(package: str, error: BaseException) -> str:
    """Return file and line of the innermost code of a package that an error passed, or "".

    ``package``: its top-level name; empty for any code that is not arena's.
    """
    places = [
        f"{os.path.basename(frame.f_code.co_filename)}:{line}"
        for frame, line in traceback.walk_tb(error.__traceback__)
        if _is_code_of(package, str(frame.f_globals.get("__name__")).partition(".")[0])
    ]
    return places[-1] if places else ""


def _is_code_of(package: str, module: str) -> bool:
    return module == package if package else module != OWN


def in_words(problem: object) -> str:
    """Return the problem as one printable line of limited length."""
    text = printable(str(problem))
    return text if len(text) <= _SHOWN_LENGTH else text[: _SHOWN_LENGTH - 1] + "…"
