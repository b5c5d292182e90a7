"""The registry of games, and the construction of rules from a selection.

A game is provided by an installed package that announces a ``Game`` through an entry point of the
group ``arena.games``; arena's own games do the same. A package is imported only when its game is
requested, so a broken package does not affect the games of others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module, resources
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

import msgspec

import arena
from arena.documents.bad_input import BadInput
from arena.documents.problems import Document, Problems, printable
from arena.games.base import Rules, RulesError
from arena.games.board import BoardDisplay
from arena.games.game import Game, generic_board
from arena.results import RulesSpec

GROUP: Final = "arena.games"
"""Group of entry points of the form ``NAME = "MODULE:ATTRIBUTE"``, which point to a Game."""
OWN: Final = "arena"
"""Package name stated for arena's own games; the distribution may have another name."""
_OLD: Final = "; its metadata may be older than its code: install it again"
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_SHOWN_LENGTH: Final = 300


class GameError(RulesError, BadInput):
    """Raised if a requested game does not exist or cannot be used; names its package."""

    def __init__(self, message: str, path: tuple[str, ...] = ("rules",)) -> None:
        super().__init__(path, in_words(message))


class Claim(NamedTuple):
    """One entry point of a game in the metadata of an installed package."""

    name: str
    value: str
    """Location of the Game: ``MODULE:ATTRIBUTE``."""
    package: str
    version: str

    def __str__(self) -> str:
        return f"{self.package} {self.version}".strip()


class Games(Mapping[str, Game]):
    """The games that can be played, by name in alphabetical order.

    Looking up a game raises GameError if it cannot be used; so does iterating over all values if
    any game is broken.
    """

    def __init__(self) -> None:
        self.loaded: dict[str, Game] = {}
        """Games that were looked up; a game that no package announces can be added here."""
        self._claims: dict[str, list[Claim]] | None = None

    def __getitem__(self, name: str) -> Game:
        if name not in self.loaded:
            self.loaded[name] = _load(self._claim(name))
        return self.loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(sorted({*self._claimed(), *self.loaded}))

    def __len__(self) -> int:
        return len({*self._claimed(), *self.loaded})

    def __contains__(self, name: object) -> bool:
        return name in self.loaded or name in self._claimed()

    def usable(
        self,
        names: Iterable[str] | None = None,
        on_broken: Callable[[GameError], object] = lambda error: None,
    ) -> Iterator[Game]:
        """Yield the games of ``names`` that can be loaded and built; None stands for all games.

        ``on_broken`` gets the error of each of the others. Names of no game are left out.
        """
        for name in self if names is None else names:
            if name not in self:
                continue
            try:
                game = self[name]
                built(game)
            except GameError as error:
                on_broken(error)
            except (RulesError, BadInput) as error:
                source = self.source(name) or game.package
                on_broken(GameError(f"{name} of {source} cannot be used: {error}"))
            else:
                yield game

    @property
    def default(self) -> str:
        """The name of arena's own first game, for callers that name none."""
        return next(name for name in self if (found := self.source(name)) and found.package == OWN)

    def source(self, name: str) -> Claim | None:
        """Return the package of a game, or None unless exactly one package announces the game."""
        claims = self._claimed().get(name, ())
        return claims[0] if len(claims) == 1 else None

    def _claim(self, name: str) -> Claim:
        claims = self._claimed().get(name)
        if claims is None:
            raise GameError(f"expected one of {', '.join(self)}, got {name!r}")
        if len(claims) > 1:
            who = " and ".join(map(str, claims))
            raise GameError(f"several packages have a game {name}: {who}; uninstall all but one")
        return claims[0]

    def _claimed(self) -> dict[str, list[Claim]]:
        if self._claims is None:
            self._claims = {}
            for claim in announced():
                self._claims.setdefault(claim.name, []).append(claim)
        return self._claims


def announced() -> list[Claim]:
    """Return the games that the packages installed here announce, each claim once.

    Installed metadata of earlier versions of arena may announce its games a second time.
    """
    from importlib.metadata import entry_points  # slow, and no command needs it for its help

    claims = []
    for entry in entry_points(group=GROUP):
        package = str(entry.dist.name) if entry.dist else entry.module.partition(".")[0]
        version = str(entry.dist.version) if entry.dist else ""
        if entry.module.startswith(f"{__package__}."):
            package, version = OWN, arena.__version__
        claims.append(Claim(entry.name, entry.value, package, version))
    if all(claim.package != OWN for claim in claims):
        claims += _own()
    return list(dict.fromkeys(claims))


def _own() -> Iterator[Claim]:
    """Yield arena's games by their folders, used if the installed metadata lists none of them.

    That happens if arena is not installed, or was installed before it announced its games.
    """
    for folder in resources.files(__package__).iterdir():
        if folder.joinpath("game.py").is_file():
            module = f"{__package__}.{folder.name}.game"
            yield Claim(folder.name, f"{module}:GAME", OWN, arena.__version__)


def _load(claim: Claim) -> Game:
    """Return the game of a claim; raise GameError unless it is a Game of that name."""
    module, _, attribute = claim.value.partition(":")
    try:
        found = getattr(import_module(module), attribute)
    except (Exception, SystemExit) as error:  # any error of a foreign package
        problem = f"{type(error).__name__}: {error}{_OLD * (claim.package == OWN)}"
        raise GameError(f"{claim.name} of {claim} cannot be loaded: {problem}") from error
    if not isinstance(found, Game):
        what = f"found {type(found).__name__}, expected Game"
        raise GameError(f"{claim.name} of {claim} cannot be used: {claim.value}: {what}")
    if found.name != claim.name or not _NAME.fullmatch(found.name):
        what = f"found a game called {found.name!r}"
        raise GameError(f"{claim.name} of {claim} cannot be used: {claim.value}: {what}")
    return found


GAMES: Final = Games()
"""The games of this process."""


def game_of(spec: RulesSpec) -> Game:
    """Return the game that the spec describes. Raises GameError, which names its package."""
    if spec.name not in GAMES:
        had = f"; it was played with {spec.package} {spec.version}: install that"
        text = f"expected one of {', '.join(GAMES)}, got {spec.name!r}"
        raise GameError(text + had * bool(spec.package), ("name",))
    return GAMES[spec.name]


def make_rules(spec: RulesSpec) -> Rules[Any, Any]:
    """Return the rules that the spec describes; options it leaves out have their default.

    Raises RulesError, with a path that starts with "name", "seats", "options" or "data".
    """
    return game_of(spec).rules(spec.seats, spec.options, spec.data)


def resolve(
    name: str,
    seats: int | None,
    options: Mapping[str, object],
    data: Mapping[str, object],
) -> RulesSpec:
    """Return the complete spec of these rules: default options filled in, data checked and sorted.

    ``seats`` None means the default. Raises RulesError as ``make_rules`` does.
    """
    if seats is None and name in GAMES:
        seats = GAMES[name].default_seats
    spec = make_rules(RulesSpec(name, seats or 0, dict(options), dict(data))).spec
    source = GAMES.source(name)
    if source is None:
        return spec
    return msgspec.structs.replace(spec, package=source.package, version=source.version)


def rules_spec(
    name: str,
    seats: int | None = None,
    options: Mapping[str, object] | None = None,
    data_file: Path | None = None,
) -> RulesSpec:
    """Return the complete spec of rules with their options and card data.

    ``seats`` None means the default of the rules; ``data_file`` None their own data. Raises
    ConfigError for a bad data file, with the position in it; RulesError for all else, with a path
    that starts with ``rules``, ``seats`` or ``options``.
    """
    document = _data(GAMES[name], data_file)
    problems = Problems(document)
    problems.raise_if_any()
    try:
        data = cast("dict[str, Any]", document.value)
        return resolve(name, seats, options or {}, data)
    except RulesError as error:
        if error.path[:1] != ("data",):
            raise
        problems.add(error.path[1:], in_words(error))
        problems.raise_if_any()
        raise


def _data(game: Game, data_file: Path | None) -> Document:
    if data_file is not None and game.data_file is None:
        raise RulesError(("data",), f"{game.name} has no replaceable data")
    if game.data_file is None:
        return Document({}, {})
    from arena.documents.document import parse_document, read_document  # no worker needs them

    if data_file is not None:
        return read_document(data_file)
    content = game.text(game.data_file).encode()
    return parse_document(content, f"{game.name}/{game.data_file}", Path())


def built(
    game: Game, seats: int | None = None, options: Mapping[str, object] | None = None
) -> Rules[Any, Any]:
    """Return the rules of a game, which need not be installed, with its own data.

    ``seats`` None means the default. Raises RulesError or ConfigError.
    """
    data = cast("dict[str, Any]", _data(game, None).value)
    return game.rules(game.default_seats if seats is None else seats, options or {}, data)


def data_notice(spec: RulesSpec) -> str:
    """Return a notice on the card data in use, or "" if none is needed."""
    status, name = spec.data.get("status"), spec.data.get("data_id")
    if not status:
        return ""
    own = rules_spec(spec.name, spec.seats, spec.options).data
    same = _canonical(spec.data) == _canonical(own)
    changed = ", changed" if name == own.get("data_id") and not same else ""
    return f"played with {status} card data ({name}{changed})"


def _canonical(data: object) -> bytes:
    return msgspec.json.encode(data, order="deterministic")


def board_of(name: str) -> BoardDisplay:
    """Return the board of these rules, or the generic board if no game has that name."""
    return GAMES[name].board() if name in GAMES else generic_board()


def other_source(spec: RulesSpec) -> str:
    """Return a notice if the installed version differs from the one played with, else ""."""
    source = GAMES.source(spec.name)
    if not spec.package or source is None or source[2:] == (spec.package, spec.version):
        return ""
    return f"{spec.name}: played with {spec.package} {spec.version}, installed is {source}"


def in_words(problem: object) -> str:
    """Return the problem as one printable line of limited length."""
    text = printable(str(problem))
    return text if len(text) <= _SHOWN_LENGTH else text[: _SHOWN_LENGTH - 1] + "…"
