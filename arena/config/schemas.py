"""JSON Schema of tournament files and bot manifests as they are written, with units."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from arena.config.keys import TournamentFile
from arena.config.ladder import LadderFile
from arena.documents.values import DAYS, DURATION, SHARE, SIZE, Unit
from arena.entrants.manifest import BotManifest
from arena.schedule.keys import KINDS_NAME, Schedule
from arena.schedule.kinds.kind import KINDS


def schema_tournament() -> dict[str, Any]:
    """Return the JSON Schema of a tournament file."""
    one_of = [{"required": ["game"]}, {"required": ["games"]}]
    return _schema(TournamentFile, "arena tournament file") | {"oneOf": one_of}


def schema_ladder() -> dict[str, Any]:
    """Return the JSON Schema of a ladder.yaml."""
    return _schema(LadderFile, "arena ladder file")


def schema_bot() -> dict[str, Any]:
    """Return the JSON Schema of a bot.yaml."""
    return _schema(BotManifest, "arena bot manifest")


def _schema(shape: type[msgspec.Struct], title: str) -> dict[str, Any]:
    _, definitions = msgspec.json.schema_components([shape], ref_template="#/$defs/{name}")
    definitions = dict(_with_kinds(definitions))
    own = definitions.pop(shape.__name__)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **own,
        "title": title,
        "$defs": definitions,
    }


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
    written: dict[str, Any] = {}
    for key, value in part.items():
        if key == "properties":
            written[key] = {name: _as_written(each) for name, each in value.items()}
        elif key != "default":
            written[key] = _as_written(value)
        elif value is not None and not isinstance(value, dict):
            written[key] = _default(part, value)
    if len(written.get("anyOf", ())) == 1:
        written |= written.pop("anyOf")[0]
    if "$ref" in written:  # to a list of words
        written.pop("type", None)
    if _unit(part):  # msgspec describes the number that the text is converted to
        written["type"] = "string"
        for bound in ("minimum", "exclusiveMinimum", "maximum"):
            written.pop(bound, None)
    return written


def _default(part: dict[str, Any], value: Any) -> Any:
    unit = next(filter(None, map(_unit, (part, *part.get("anyOf", ())))), None)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return unit.format(value) if unit and is_number else value


def _unit(part: dict[str, Any]) -> Unit | None:
    units = (DURATION, SIZE, SHARE, DAYS)
    return next((unit for unit in units if part.get("pattern") == unit.pattern), None)
