"""JSON Schema of tournament files and bot manifests as they are written, with units."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from arena.entrants.manifest import BotManifest
from arena.runs.config.keys import TournamentFile
from arena.schedule.keys import KINDS_NAME, Schedule
from arena.schedule.kinds.kind import KINDS
from arena.values.schema import DIALECT, components
from arena.values.units import UNITS, WRITTEN, Unit


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
