"""Documents that commands print with ``--json``, and the JSON Schemas of types.

Documents are structures, so that their schema is their type.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any, Final, Generic, TypeVar

import msgspec

from arena import __version__

T = TypeVar("T")

DIALECT: Final = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
"""First line of every schema."""


def components(
    types: Iterable[Any], ref_template: str = "#/$defs/{name}"
) -> tuple[tuple[dict[str, Any], ...], dict[str, Any]]:
    """Return the schemas of ``types`` and the definitions they refer to, by name.

    ``ref_template``: how they refer to a definition. Descriptions are docstrings without the
    indentation of the code, with every version of Python and msgspec.
    """
    schemas, definitions = msgspec.json.schema_components(types, ref_template=ref_template)
    for definition in definitions.values():
        if "description" in definition:
            definition["description"] = inspect.cleandoc(definition["description"])
    return schemas, definitions


def of_type(type_: Any, title: str) -> dict[str, Any]:
    """Return the schema of a document of one type; a type with a title of its own keeps it."""
    (schema,), definitions = components([type_])
    found = {**schema, "$defs": definitions} if definitions else schema
    return DIALECT | {"title": title} | found


def of_lines(types: Iterable[Any], title: str, description: str) -> dict[str, Any]:
    """Return the schema of a line that is one of ``types``."""
    schemas, definitions = components(types)
    about = {"title": title, "description": description}
    return DIALECT | about | {"anyOf": list(schemas), "$defs": definitions}


class CommandAnswer(msgspec.Struct, frozen=True, kw_only=True, tag_field="schema"):
    """A document of arena. Its first member, ``schema``, is the tag of its class."""

    arena: str = __version__


class RunAnswer(CommandAnswer, Generic[T], frozen=True, kw_only=True):
    """A document about a run, with its content in ``data``."""

    run: str | None
    """Title or name of the run."""
    data: T
    warnings: tuple[str, ...]


class ErrorDocument(CommandAnswer, frozen=True, kw_only=True, tag="arena.error/1"):
    """The reasons why a command failed."""

    code: int
    """Exit code of the command."""
    problems: tuple[Any, ...]
    """``Problem`` structures, or objects with the member ``found`` alone."""
