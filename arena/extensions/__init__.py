"""Parts of arena that can be left out, and parts that packages of others add.

An extension is a package whose ``EXTENSION`` lists what it brings. What it brings is named, not
imported, until somebody needs it. arena's own extensions are the folders of ``arena/extensions``.
Packages of others announce theirs by entry points of the group ``arena.extensions``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from itertools import chain, filterfalse, starmap
from keyword import iskeyword
from pathlib import Path
from typing import Any, Final, NamedTuple

from arena.values.bad_input import (
    BROUGHT,
    HOOKS,
    UNUSABLE,
    BadInput,
    lacking,
    needed_extension,
    printable,
)

GROUP: Final = "arena.extensions"
"""Group of entry points of the form ``NAME = "MODULE:EXTENSION"``."""


class ListedCommand(NamedTuple):
    """Command of the program, as its list of commands needs it."""

    name: str
    purpose: str
    """Heading under which it is listed."""
    line: str
    """First line of its help."""
    module: str
    """Full name of the module whose ``COMMAND`` it is."""
    rank: int = 100
    """Commands of one purpose are listed by rank, then by name; those of arena have 10 to 90."""


def listed(package: str, purpose: str, *commands: tuple[int, str, str]) -> Iterator[ListedCommand]:
    """Yield commands of one purpose, each of a rank, a name and a line.

    Their modules are in ``package`` and named after them; that of ``try`` is ``try_``.
    """
    for rank, name, line in commands:
        module = name.replace("-", "_") + "_" * iskeyword(name)
        yield ListedCommand(name, purpose, line, f"{package}.{module}", rank)


class Extension(NamedTuple):
    """Value by which an extension says what it brings."""

    name: str
    """Name of its folder, or of its entry point."""
    summary: str
    """Sentence of one line on its use."""
    commands: tuple[ListedCommand, ...] = ()
    games: Mapping[str, str] = {}
    """Games by name, as ``MODULE:NAME`` of a ``games.game.Game``. Those of other packages have an
    entry point of the group ``arena.games``."""
    families: Mapping[str, str] = {}
    """Families of games by name, as ``MODULE:NAME`` of a ``games.game.Family``; those of other
    packages have an entry point of the group ``arena.families``."""
    kinds: tuple[str, ...] = ()
    """Kinds of schedules, each as ``MODULE:CLASS`` of a ``schedule.kinds.kind.Kind``."""
    runs: Mapping[str, str] = {}
    """Kinds of runs by name, as ``MODULE:CLASS`` of a ``runs.growth.kinds.RunKind``."""
    run_views: Mapping[str, str] = {}
    """Views that decide the places of a run, by ``RunKind.table``, as ``MODULE:CLASS`` of a
    ``views.standings.run_view.RunView``."""
    sections: tuple[str, ...] = ()
    """Functions that yield blocks below a table, each a ``views.tables.PageBlock``, by a
    ``views.standings.standings.SectionData``, each as ``MODULE:FUNCTION``. They are part of
    ``arena standings --full`` in all forms, of a report and of a site."""
    hints: tuple[str, ...] = ()
    """Functions that yield lines below a table of ratings, in all forms that are shown, by its
    ``ratings.elo.rating.RatingFit``, each as ``MODULE:FUNCTION``. Files in a run folder are without
    them, and so the same with other extensions."""
    checks: Mapping[str, str] = {}
    """Functions that yield a ``runs.verify.Discrepancy`` for each thing that is wrong with a file
    of the extension in the folder of a run, by its ``runs.reader.StoredRun``, as
    ``MODULE:FUNCTION`` by the name of the file, whether or not it is there."""
    schemes: Mapping[str, str] = {}
    """Functions that return the folder of a bot and its name, as ``entrants.names.engine_bot``
    does, as ``MODULE:FUNCTION`` by the word before the colon in names of such bots."""
    sources: Mapping[str, str] = {}
    """Functions that make bots from their sources, as ``MODULE:FUNCTION`` by name.

    ``build`` is as ``tournament.players.build``, ``revision`` as ``entrants.names.take_out``.
    ``commit`` returns the commit that a folder equals, ``clone`` commit and state of a git clone;
    both return "" if it is unknown."""
    channels: Mapping[str, str] = {}
    """Channels to programs of other protocols, as ``MODULE:CLASS`` of a subclass of
    ``referee.channel.PipeChannel`` by the key of ``command`` in a bot.yaml."""
    documents: Mapping[str, str] = {}
    """Structures of its documents of ``--json`` by the name of each, as ``MODULE:CLASS``."""
    schemas: Mapping[str, str] = {}
    """Functions that return the JSON Schemas of other things by the name of each, as
    ``MODULE:FUNCTION``."""
    authors: str = ""
    """``MODULE:FUNCTION`` that returns the ``runs.reader.Authors`` of a run by the folder of its
    ladder and its manifest."""
    remotes: Mapping[str, str] = {}
    """Functions that return the ``tournament.prepare.Remote`` at an address, as
    ``MODULE:FUNCTION`` by the scheme of the address, such as ``tls``; "": for every other."""
    replays: Mapping[str, str] = {}
    """Further forms of ``arena replay``, as ``MODULE:FUNCTION`` by name: ``page`` writes a game as
    a page for a browser, ``keys`` lets a person step through it on a terminal."""
    comparisons: Mapping[str, str] = {}
    """Other comparisons of ``arena compare`` than a match of two, as ``MODULE:FUNCTION`` by the
    option that asks for one. A function takes the options and a listener, and returns a
    ``matches.show.comparison.Comparison``."""
    standings: Mapping[str, str] = {}
    """Further forms of ``arena standings``, as ``MODULE:FUNCTION`` by name: ``trf`` returns a Swiss
    run as FIDE's report file."""
    several: str = ""
    """``MODULE:FUNCTION`` that counts several runs and files of results together, as
    ``views.standings.standings.Combining``."""
    shards: str = ""
    """``MODULE:FUNCTION`` that opens a shard of a run, as ``tournament.prepare.ShardOpener``."""
    needs: tuple[str, ...] = ()
    """Names of the extensions that it imports."""
    libraries: Mapping[str, str] = {}
    """Requirements for pip, such as ``botarena[data]``, by the module of the library that it
    imports."""


class Found(NamedTuple):
    """Extensions that can be used, and a line for each that cannot."""

    extensions: tuple[Extension, ...]
    problems: tuple[str, ...]


@cache
def own() -> Found:
    """Return the extensions whose folders are here."""
    home = Path(__file__).parent
    names = [path.parent.name for path in sorted(home.glob("*/__init__.py"))]
    return _found({name: f"arena.extensions.{name}:EXTENSION" for name in names}, (), UNUSABLE)


@cache
def foreign() -> Found:
    """Return the extensions that packages of others announce."""
    if not is_announced(GROUP):
        return Found((), ())
    from importlib.metadata import entry_points  # slow, and seldom needed

    entries = {each.name: each.value for each in entry_points(group=GROUP)}
    return _found(entries, [each.name for each in own().extensions], {})


def package_of(module: str) -> str:
    """Return name and version of the package of others that announces a module, or ""."""
    if not is_announced(GROUP) or _is_own(module):
        return ""
    from importlib.metadata import entry_points

    top = module.partition(".")[0]
    packages = (each.dist for each in entry_points(group=GROUP) if each.module.startswith(top))
    return next((f"{each.name} {each.version}" for each in packages if each), "")


def every() -> Found:
    """Return arena's own extensions and those of others."""
    mine, others = own(), foreign()
    return Found(mine.extensions + others.extensions, mine.problems + others.problems)


def places(field: str) -> dict[str, str]:
    """Return the places in a field of all extensions by name; arena's own go before others.

    ``field``: name of a field of ``Extension`` that is a mapping.
    """
    found = (getattr(each, field) for each in reversed(every().extensions))
    return {name: place for mapping in found for name, place in mapping.items()}


def need(where: str, field: str, *names: str) -> Any:
    """Return what an extension brings in a field: the first of ``names``, or a single place.

    ``where``: what needs it, for the message. Raises BadInput if no extension brings it, with the
    one of arena's own that would, or if it cannot be loaded.
    """
    if names:
        known = places(field)
        found = [known[name] for name in names if name in known]
    else:
        found = [place for each in every().extensions if (place := getattr(each, field))]
    if not found:
        asked = [(each, brought) for each in (*names, field) for brought in (HOOKS, BROUGHT)]
        hints = filter(None, starmap(needed_extension, asked))
        raise BadInput(f"{where}: {next(hints, 'no extension brings it')}")
    return load(found[0])


unloaded: Final[list[str]] = []
"""A line for each thing of an extension that was left out, because it cannot be loaded."""


def brought(field: str) -> Iterator[Any]:
    """Yield what stands at the places in a field of all extensions, but for what cannot be loaded.

    ``field``: name of a field of ``Extension`` that is a tuple of places.
    """
    for found in every().extensions:
        for place in getattr(found, field):
            try:
                yield load(place)
            except BadInput as problem:
                unloaded.append(f"extension {found.name}: {problem}")


class ExtensionAnswer(NamedTuple):
    """Values that a function of an extension yields."""

    extension: str
    """Name of the extension."""
    values: Sequence[Any]
    problem: str = ""
    """Line on what failed; the values that were yielded before that are left out."""


def called(
    field: str, *args: object, check: Callable[[Any], object] = lambda value: None
) -> Iterator[ExtensionAnswer]:
    """Call the functions at the places in a field of all extensions, and yield their answers.

    ``field``: name of a field of ``Extension`` with the places of generator functions.
    ``check``: called with each value of another package, may raise anything.
    """
    for found in every().extensions:
        each_place = getattr(found, field)
        for place in each_place.values() if isinstance(each_place, Mapping) else each_place:
            try:
                values = [*load(place)(*args)]
                for each in () if _is_own(place) else values:
                    check(each)
                yield ExtensionAnswer(found.name, values)
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # any error of a package of others
                if _is_own(place):
                    raise
                words = str(error) if isinstance(error, BadInput) else _words(place, error)
                yield ExtensionAnswer(found.name, (), printable(f"extension {found.name}: {words}"))


def load(place: str) -> Any:
    """Return what stands at ``MODULE:NAME``.

    Raises BadInput if the module is of another package and cannot be imported.
    """
    module, _, name = place.partition(":")
    try:
        return getattr(import_module(module), name)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        if _is_own(place):
            raise
        raise BadInput(_words(f"{place} cannot be loaded", error)) from error


def uninstalled(error: BaseException) -> str:
    """Return which library is not installed and how to get it, if that is the error; else ""."""
    module = (getattr(error, "name", None) or "").partition(".")[0]
    for found in every().extensions:
        if isinstance(error, ModuleNotFoundError) and module in found.libraries:
            get = f"pip install '{found.libraries[module]}'"
            return f"this needs {module}, which is not installed: {get}"
    return ""


def _is_own(place: str) -> bool:
    return place.partition(".")[0] == "arena"


def _words(what: str, error: BaseException) -> str:
    return f"{what}: {type(error).__name__}: {error}"


def _found(places: dict[str, str], usable: Iterable[str], reasons: dict[str, str]) -> Found:
    """Return the extensions at ``places``, by name.

    ``usable``: others that they may need. ``reasons``: gets why each of the rest cannot be used.
    """
    found: dict[str, Extension] = {}
    for name, place in places.items():
        try:
            extension = load(place)
            _check(extension, name)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # any error of a package of others
            kind = "" if isinstance(error, BadInput) else f"{type(error).__name__}: "
            reasons[name] = f"{kind}{error}"
        else:
            found[name] = extension
    while lost := _without_needs(found, {*found, *usable}):  # and then those that need these
        reasons.update(lost)
        found = {name: each for name, each in found.items() if name not in lost}
    lines = (f"extension {name} cannot be used: {reason}" for name, reason in reasons.items())
    return Found(tuple(found.values()), tuple(map(printable, lines)))


def _without_needs(found: dict[str, Extension], usable: set[str]) -> dict[str, str]:
    """Return what each extension lacks that needs one that is not usable, by its name."""
    lacks = (
        (name, next(filterfalse(usable.__contains__, each.needs), ""))
        for name, each in found.items()
    )
    return {
        name: f"it {lacking(need)}"
        if need in BROUGHT
        else f"it needs {need}, found no such extension"
        for name, need in lacks
        if need
    }


def _check(extension: object, name: str) -> None:
    """Raise BadInput unless this is the value of the extension ``name``."""
    if not isinstance(extension, Extension):
        raise BadInput(f"found {type(extension).__name__}, expected an Extension")
    if extension.name != name:
        raise BadInput(f"found an extension called {extension.name!r}")
    for field, default in ({"name": "", "summary": ""} | Extension._field_defaults).items():
        value = getattr(extension, field)
        if not isinstance(value, Mapping if isinstance(default, Mapping) else type(default)):
            raise BadInput(
                f"{field}: found {type(value).__name__}, expected {type(default).__name__}"
            )
        if not all(map(_is_command if field == "commands" else _is_line, _parts(value))):
            raise BadInput(f"{field}: expected {_PARTS.get(field, 'texts of one line')}")


_PARTS: Final = {"commands": "values of ListedCommand with texts of one line"}


def _parts(value: object) -> Iterable[object]:
    """Return the parts of a field: of a mapping its keys and values, of a text itself."""
    if isinstance(value, Mapping):
        return chain.from_iterable(value.items())
    return value if isinstance(value, tuple) else (value,)


def _is_line(part: object) -> bool:
    return isinstance(part, str) and part.isprintable()


def _is_command(part: object) -> bool:
    if not isinstance(part, ListedCommand):
        return False
    return all(map(_is_line, part[:-1])) and isinstance(part.rank, int)


def is_announced(group: str) -> bool:
    """Return whether an installed package has entry points of a group.

    Looking takes a millisecond or two; importing ``importlib.metadata`` takes a tenth of the time
    in which the program starts.
    """
    return f"[{group}]" in _announcements(tuple(sys.path))


@cache
def _announcements(folders: tuple[str, ...]) -> str:
    """Return what the packages in folders announce, as one text."""
    found = []
    for folder in folders:
        with suppress(OSError), os.scandir(folder or ".") as entries:
            for entry in entries:
                if entry.name.endswith((".dist-info", ".egg-info")):
                    path = os.path.join(entry.path, "entry_points.txt")
                    with suppress(OSError), open(path, encoding="utf-8", errors="replace") as file:
                        found.append(file.read())
    return "\n".join(found)
