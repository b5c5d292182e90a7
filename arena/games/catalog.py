"""What can be played: the rules engines with their data files and pages."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any, Final, cast

import msgspec

from arena.documents.document import parse_document, read_document
from arena.documents.problems import Document, Problems, printable
from arena.games.base import Option, RulesError, written
from arena.games.registry import RULES, RulesFamily, resolve
from arena.results import RulesSpec

_TOLD_LENGTH: Final = 300


def rules_spec(
    name: str,
    seats: int | None = None,
    options: Mapping[str, object] | None = None,
    data_file: Path | None = None,
) -> RulesSpec:
    """The complete spec of rules with their options and card data.

    ``seats`` None means the rules' own; ``data_file`` None their own data. Raises
    ConfigError for a bad data file, with the place in it; RulesError for all else, with a
    path that starts with ``rules``, ``seats`` or ``options``.
    """
    document = _data(name, _family(name), data_file)
    problems = Problems(document)
    problems.raise_if_any()
    try:
        data = cast("dict[str, Any]", document.value)
        return resolve(name, seats, options or {}, data)
    except RulesError as error:
        if error.path[:1] != ("data",):
            raise
        problems.add(error.path[1:], told(error))
        problems.raise_if_any()
        raise


def data_notice(spec: RulesSpec) -> str:
    """What people have to know of the card data that is played with; empty if there is nothing."""
    status, name = spec.data.get("status"), spec.data.get("data_id")
    if not status:
        return ""
    own = rules_spec(spec.name, spec.seats, spec.options).data
    same = _canonical(spec.data) == _canonical(own)
    changed = ", changed" if name == own.get("data_id") and not same else ""
    return f"played with {status} card data ({name}{changed})"


def _canonical(data: object) -> bytes:
    return msgspec.json.encode(data, order="deterministic")


def told(error: RulesError) -> str:
    """What is wrong, fit to be shown: one line, not endless."""
    text = printable(str(error))
    return text if len(text) <= _TOLD_LENGTH else text[: _TOLD_LENGTH - 1] + "…"


def rules_page(name: str) -> str:
    """The page on these rules: summary, options and rulings, in Markdown.

    Rules that come without a page get one that says what can be chosen about them. Raises
    RulesError if there are no such rules.
    """
    family = _family(name)
    try:
        return _package_file(name, "rules.md").decode("utf-8")
    except (ModuleNotFoundError, FileNotFoundError):
        return _plain_page(family)


def _plain_page(family: RulesFamily) -> str:
    seats = ", ".join(map(str, family.seats))
    lines = [f"# {family.title}", "", "These rules come without a page.", "", f"Seats: {seats}."]
    if family.options:
        lines += ["", "## Options", "", "| option | values | default | meaning |"]
        lines += ["| --- | --- | --- | --- |", *map(_option_row, family.options)]
    return "\n".join(lines) + "\n"


def _option_row(option: Option) -> str:
    values = ", ".join(f"`{written(value)}`" for value in option.choices)
    return f"| `{option.name}` | {values} | `{written(option.default)}` | {option.help} |"


def _family(name: str) -> RulesFamily:
    if name not in RULES:
        raise RulesError(("rules",), f"expected one of {', '.join(RULES)}, got {name!r}")
    return RULES[name]


def _data(name: str, family: RulesFamily, data_file: Path | None) -> Document:
    if data_file is not None and family.data_file is None:
        raise RulesError(("data",), f"{name} has no replaceable data")
    if data_file is not None:
        return read_document(data_file)
    if family.data_file is None:
        return Document({}, {})
    content = _package_file(name, family.data_file)
    return parse_document(content, f"{name}/{family.data_file}", Path())


def _package_file(name: str, file: str) -> bytes:
    return resources.files(f"arena.games.{name}").joinpath(file).read_bytes()
