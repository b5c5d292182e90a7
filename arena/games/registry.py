"""The registry of games, and the construction of rules from a selection.

A package is imported only when its game is requested, so a broken package does not affect the games
of others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, cast

import msgspec

from arena.games.base import Rules, RulesError, TableFacts, titles
from arena.games.game import JOINT, Family, Game
from arena.games.guarded_rules import Border, GuardedRules, guarded_book
from arena.games.installed import (
    FAMILIES,
    GROUP,
    OWN,
    Claim,
    GameError,
    announced,
    in_words,
    load_family,
    load_game,
    load_member,
    load_members,
)
from arena.games.positions import positioned
from arena.values.bad_input import BadInput, lacking, needed_extension
from arena.values.problems import Document, Problems, some
from arena.values.results import RulesSpec


class Games(Mapping[str, Game]):
    """The games that can be played, by name.

    Iteration yields the games with an entry point of their own in alphabetical order, and no game
    of a family; looking up finds both. Looking up a game raises GameError if it cannot be used.
    """

    def __init__(self) -> None:
        self.loaded: dict[str, Game] = {}
        """Games that were looked up; a game that no package announces can be added here."""
        self._members: dict[str, Game] = {}
        self._families: dict[str, Family] = {}
        self._claims: dict[str, dict[str, list[Claim]]] = {}

    def __getitem__(self, name: str) -> Game:
        if name in self.loaded or name in self._claimed(GROUP):
            if name not in self.loaded:
                self.loaded[name] = load_game(self._claim(name, GROUP))
            return self.loaded[name]
        if name not in self._members:
            family, joint, member = name.partition(JOINT)
            if not joint or family not in self.families:
                raise GameError(self.unknown(name))
            if member not in self.members(family):
                raise GameError(self.unknown(name))
            claim = self._claim(family, FAMILIES)
            self._members[name] = load_member(claim, self.family(family), member)
        return self._members[name]

    def __iter__(self) -> Iterator[str]:
        return iter(sorted({*self._claimed(GROUP), *self.loaded}))

    def __len__(self) -> int:
        return len({*self._claimed(GROUP), *self.loaded})

    def __contains__(self, name: object) -> bool:
        if name in self.loaded or name in self._claimed(GROUP) or name in self._members:
            return True
        family, joint, member = str(name).partition(JOINT)
        if not joint or family not in self.families:
            return False
        try:
            return member in self.members(family)
        except GameError:  # looking the game up says what is wrong with the package
            return True

    def usable(
        self,
        names: Iterable[str] | None = None,
        on_broken: Callable[[GameError], object] = lambda error: None,
    ) -> Iterator[Game]:
        """Yield the games of ``names`` that can be loaded and built.

        ``names``: None stands for all games that are in no family, those that need an extra last
        and only if it is installed; names of no game are left out. ``on_broken`` gets the error of
        each of the others.
        """
        late: list[Game] = []
        for name in self if names is None else names:
            if name not in self:
                continue
            try:
                game = self[name]
                if names is None and game.extra:
                    late.append(game)
                    continue
                built(game)
            except GameError as error:
                on_broken(error)
            except (RulesError, BadInput) as error:
                source = self.source(name) or game.package
                on_broken(GameError(f"{name} of {source} cannot be used: {error}"))
            else:
                yield game
        yield from (game for game in late if game.has_extra)

    def lacking(self) -> Iterator[tuple[Game, str]]:
        """Yield the games whose extra is not installed, with what they need."""
        for name in self:
            with suppress(GameError):
                game = self[name]
                if not game.has_extra:
                    yield game, game.lacks

    @property
    def default(self) -> str:
        """The name of arena's first game that needs nothing else, for callers that name none.

        Raises GameError if there is no such game.
        """
        own = (name for name in self if (found := self.source(name)) and found.package == OWN)
        for name in own:
            if not self[name].extra:
                return name
        raise GameError(f"no game was named, and arena's own {lacking('games') or 'is not here'}")

    @property
    def families(self) -> tuple[str, ...]:
        """The names of the families in alphabetical order."""
        return tuple(sorted({*self._claimed(FAMILIES), *self._families}))

    def family(self, name: str) -> Family:
        """Return the family of that name. Raises GameError if its package is broken."""
        if name not in self._families:
            self._families[name] = load_family(self._claim(name, FAMILIES))
        return self._families[name]

    def members(self, family: str) -> dict[str, str]:
        """Return the titles of the games of a family by their names within it. Raises GameError."""
        return load_members(self._claim(family, FAMILIES), self.family(family))

    def similar(self, name: str) -> list[str]:
        """Return the names among which an unknown ``name`` is looked for.

        These are the games of a family if ``name`` begins with that of the family and a dot.
        """
        family, joint, _ = name.partition(JOINT)
        if not joint or family not in self.families:
            return [*self, *(f"{each}{JOINT}GAME" for each in self.families)]
        try:
            return [f"{family}{JOINT}{each}" for each in sorted(self.members(family))]
        except GameError:
            return [f"{family}{JOINT}GAME"]

    def unknown(self, name: str) -> str:
        """Return the message that there is no game of that name."""
        if hint := needed_extension(name):
            return f"{name} {hint}"
        return f"expected one of {', '.join(some(self.similar(name)))}, got {name!r}"

    def sources(self) -> dict[str, str]:
        """Return the package and version of every game and family, by name."""
        return {
            name: str(self.source(name) or "several packages") for name in (*self, *self.families)
        }

    def source(self, name: str) -> Claim | None:
        """Return the package of a game, or None unless exactly one package announces the game."""
        family = name.partition(JOINT)[0]
        claims = self._claimed(GROUP).get(name) or self._claimed(FAMILIES).get(family) or []
        return claims[0] if len(claims) == 1 else None

    def _claim(self, name: str, group: str) -> Claim:
        claims = self._claimed(group).get(name)
        if claims is None:
            return Claim(name, "", "this process", "")
        if len(claims) > 1:
            what = "game" if group == GROUP else "family"
            who = " and ".join(map(str, claims))
            raise GameError(f"several packages have a {what} {name}: {who}; uninstall all but one")
        return claims[0]

    def _claimed(self, group: str) -> dict[str, list[Claim]]:
        if group not in self._claims:
            found = self._claims[group] = {}
            for claim in announced(group):
                found.setdefault(claim.name, []).append(claim)
        return self._claims[group]


GAMES: Final = Games()
"""The games of this process."""


def game_of(spec: RulesSpec) -> Game:
    """Return the game that the spec describes. Raises GameError, which names its package."""
    if spec.name not in GAMES:
        had = f"; it was played with {spec.package} {spec.version}: install that"
        raise GameError(GAMES.unknown(spec.name) + had * bool(spec.package), ("name",))
    return GAMES[spec.name]


def make_rules(spec: RulesSpec) -> Rules[Any, Any]:
    """Return the rules that the spec describes; options it leaves out have their default.

    Raises RulesError, with a path that starts with "name", "seats", "options" or "data".
    """
    game = game_of(spec)
    rules, book = game.rules(spec.seats, spec.options, spec.data), game.book
    if (source := GAMES.source(spec.name)) is None or source.package != OWN:
        border = Border(game, source or "this process")
        rules = GuardedRules(border, game, rules)
        book = book and guarded_book(border, book)
    if (rules.spec.name, rules.spec.seats) != (spec.name, spec.seats):
        found = f"{rules.spec.name} for {rules.spec.seats} seats"
        raise GameError(f"{game.name} of {source} failed: it built {found}, not {spec.seats}")
    if not spec.positions:
        return rules
    if spec.positions.book and book is None:
        raise RulesError(("positions",), f"{spec.name} reads no books of positions")
    return positioned(rules, spec.positions, book)


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
    from arena.values.document import parse_document, read_document  # no worker needs them

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


def facts_of(rules: Mapping[str, Rules[Any, Any]]) -> dict[str, TableFacts]:
    """Return what tables say of the games of disciplines. ``rules``: by name of the discipline."""
    called = titles({name: each.info for name, each in rules.items()})
    return {
        name: TableFacts(
            title=called[name],
            score=each.info.score,
            worst_score=each.info.worst_score,
            less_is_better=each.info.less_is_better,
            data=data_notice(each.spec),
            endings=dict(game_of(each.spec).endings),
        )
        for name, each in rules.items()
    }


def other_source(spec: RulesSpec) -> str:
    """Return a notice if the installed version differs from the one played with, else ""."""
    source = GAMES.source(spec.name)
    if not spec.package or source is None or source[2:] == (spec.package, spec.version):
        return ""
    return f"{spec.name}: played with {spec.package} {spec.version}, installed is {source}"
