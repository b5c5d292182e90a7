"""Documents of ``--json``, and the JSON Schemas of what arena reads and writes, and of games.

The schema of a document is that of its structure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from arena import extensions
from arena.entrants.manifest import BotManifest
from arena.games.registry import GAMES
from arena.referee.protocol import MESSAGES, PROTOCOL
from arena.runs.config.keys import TournamentFile
from arena.schedule.keys import KINDS_NAME, Schedule
from arena.schedule.kinds.kind import KINDS
from arena.values.bad_input import BadInput, needed_extension
from arena.values.problems import check_one_of, quote
from arena.values.schema import DIALECT, components, of_lines, of_type
from arena.values.units import UNITS, WRITTEN, Unit

_STRUCTURES: Final = {
    "arena.error/1": "arena.values.schema:ErrorDocument",
    "arena.games/1": "arena.views.game.list_text:GamesDocument",
    "arena.opened/1": "arena.cli.commands.run:OpenedDocument",
    "arena.ratings/1": "arena.views.standings.tables:StandingsDocument",
    "arena.replay/1": "arena.views.game.text:ReplayDocument",
    "arena.standings/2": "arena.views.standings.tables:StandingsDocument",
    "arena.verify/1": "arena.cli.commands.verify:VerifyDocument",
}
"""Structure of each document that no extension brings, as module and class."""


def documents() -> dict[str, str]:
    """Return module and class of the structure of each document, by name."""
    return dict(sorted((extensions.places("documents") | _STRUCTURES).items()))


_FILES: Final = {
    "protocol": "arena.cli.documents:_protocol_schema",
    "tournament": "arena.cli.documents:schema_tournament",
    "bot": "arena.cli.documents:schema_bot",
    "record": "arena.referee.records.format:schema",
    "result": "arena.runs.store:schema",
}
"""Functions that return the schemas of other things than games and documents."""


def files() -> dict[str, str]:
    """Return module and function of the schema of each thing that is no game or document."""
    return _FILES | extensions.places("schemas") | _FILES  # listed first, and never replaced


def schema_of(what: str, where: str = "WHAT") -> dict[str, Any]:
    """Return a JSON Schema by its name, or by the name of a game or a document.

    ``where``: the argument that gave the name. Raises BadInput for an unknown name, and for one
    whose extension is not here.
    """
    if place := files().get(what):
        made: dict[str, Any] = extensions.load(place)()
        return made
    if place := documents().get(what):
        return of_type(extensions.load(place), what)
    if hint := needed_extension(what):
        raise BadInput(f"{where}: {quote(what)} {hint}")
    check_one_of(where, what, [*files(), *sorted(GAMES), *documents()])
    return _game_schema(what)


def _protocol_schema() -> dict[str, Any]:
    return of_lines(MESSAGES, f"arena protocol {PROTOCOL}", "One JSON object per line.")


def _game_schema(game: str) -> dict[str, Any]:
    """Return the schemas of a game's observations, events and actions, by name under ``$defs``."""
    family = GAMES[game]
    types = (family.observation_type, *family.event_types, *family.action_types)
    _, definitions = components(types)
    about = {"title": f"{family.title}: observation, events and actions"}
    return DIALECT | about | {"$defs": definitions}


def schema_tournament() -> dict[str, Any]:
    """Return the JSON Schema of a tournament file."""
    one_of = [{"required": ["game"]}, {"required": ["games"]}]
    return schema_of_file(TournamentFile, "arena tournament file") | {"oneOf": one_of}


def schema_bot() -> dict[str, Any]:
    """Return the JSON Schema of a bot.yaml."""
    return schema_of_file(BotManifest, "arena bot manifest")


def schema_of_file(shape: type[msgspec.Struct], title: str) -> dict[str, Any]:
    """Return the JSON Schema of a file that people write, with units."""
    _, definitions = components([shape])
    definitions = dict(_with_kinds(definitions))
    own: dict[str, Any] = definitions.pop(shape.__name__)
    return DIALECT | own | {"title": title, "$defs": definitions}


def _with_kinds(definitions: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield each definition as written; after that of the schedule, its kinds."""
    for name, part in definitions.items():
        yield name, _as_written(part)
        if name == Schedule.__name__:
            words = {
                "title": KINDS_NAME,
                "description": "Which entrants meet.",
                "enum": sorted(KINDS),
            }
            yield KINDS_NAME, words


def _as_written(part: Any) -> Any:
    """Return the schema of the file as written: without ``null``, with units in defaults.

    A key may be left out, so ``null`` is never written.
    """
    if isinstance(part, list):
        return [_as_written(each) for each in part if each != {"type": "null"}]
    if not isinstance(part, dict):
        return part
    if (text := _text(part)) is None:
        written = {key: _part(key, value) for key, value in part.items() if key != "default"}
    else:
        kept = {key: part[key] for key in ("description",) if key in part}
        unit = _unit(part)
        form = {"pattern": unit.pattern, "examples": [text]} if unit else {"enum": [text]}
        written = form | kept | ({"type": "string"} if unit else {})
    default = _default(part)
    if default is not None and not isinstance(default, dict):
        written["default"] = default
    if len(written.get("anyOf", ())) == 1:
        written |= written.pop("anyOf")[0]
    if "$ref" in written:  # to a list of words
        written.pop("type", None)
    return written


def _part(key: str, value: Any) -> Any:
    if key == "properties":
        return {name: _as_written(each) for name, each in value.items()}
    return _as_written(value)


def _default(part: dict[str, Any]) -> Any:
    """Return the default as a file writes it; None without one."""
    if "default" not in part:
        return None
    value, choices = part["default"], (part, *part.get("anyOf", ()))
    if value is None:  # a word may stand for it
        return next((_text(each) for each in choices if each.get("type") == "null"), None)
    unit = next(filter(None, map(_unit, choices)), None)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return unit.format(value) if unit and is_number else value


def _text(part: dict[str, Any]) -> str | None:
    """Return how a value is written for example, if that is not how JSON has it."""
    remark = part.get("$comment", "")
    return remark.removeprefix(WRITTEN) if remark.startswith(WRITTEN) else None


def _unit(part: dict[str, Any]) -> Unit | None:
    text = _text(part) or ""
    return next((unit for unit in UNITS if re.fullmatch(unit.pattern, text)), None)
