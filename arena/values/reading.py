"""Read a document as a struct and report every problem on the way, not only the first.

The structs are the one source of truth: they validate, they give the JSON Schema and they hold the
result. Knows no keys of its own. ``null`` is not a value of any key, so a field of type ``T |
None`` may be left out but not be written as ``null``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from functools import cache
from typing import Any, Final, TypeVar, cast

import msgspec
from msgspec import inspect

from arena.values.problems import (
    REFUSED,
    Document,
    KeyPath,
    Plain,
    Problems,
    did_you_mean,
    either,
    quote,
)
from arena.values.units import Unit, UnitError

S = TypeVar("S", bound=msgspec.Struct)

_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")


def read_struct(document: Document, shape: type[S], problems: Problems) -> S:
    """Return the document, whose top is a mapping, as ``shape``.

    A part that cannot be read is reported to ``problems`` and replaced by its default, or by
    REFUSED if it has none. Use a value only where ``problems.clean`` allows.
    """
    reader = _StructReader(document, problems)
    value = cast("dict[str, Plain]", document.value)
    return cast(S, reader.struct(_type_info(shape), value, ()))


@cache
def _type_info(shape: type[msgspec.Struct]) -> inspect.StructType:
    """Return what `msgspec` knows of a struct, which takes it milliseconds."""
    return cast(inspect.StructType, inspect.type_info(shape))


class _StructReader:
    def __init__(self, document: Document, problems: Problems) -> None:
        self._document = document
        self._problems = problems

    def struct(self, info: inspect.StructType, value: dict[str, Plain], path: KeyPath) -> object:
        known = [field.encode_name for field in info.fields]
        for key in value:
            if key not in known:
                self._problems.unknown_key((*path, key), known)
        fields: dict[str, object] = {}
        for field in info.fields:
            here = (*path, field.encode_name)
            if field.encode_name in value:
                read = self._value(field.type, value[field.encode_name], here)
                if read is not REFUSED or field.required:
                    fields[field.name] = read
            elif field.required:
                self._problems.missing(here, _expected(field.type))
                fields[field.name] = REFUSED
        return info.cls(**fields)

    def _value(self, info: inspect.Type, value: Plain, path: KeyPath) -> object:
        """Return the value in the form that ``info`` describes, or report it and return REFUSED."""
        if value is REFUSED:
            return REFUSED
        for choice in _choices(info):
            read = self._collection(_bare(choice), value, path)
            if read is REFUSED:
                read = _scalar(choice, value)
            if read is not REFUSED:
                return read
        expected, hint = _expected(info, value), _hint(info, value)
        self._problems.add(path, f"found {quote(value)}", expected=expected, hint=hint)
        return REFUSED

    def _collection(self, info: inspect.Type, value: Plain, path: KeyPath) -> object:
        """Return the list or mapping ``value`` with its items read, or REFUSED.

        REFUSED is returned if ``info`` describes no such collection.
        """
        match info, value:
            case inspect.StructType(), dict():
                return self.struct(info, value, path)
            case inspect.DictType(), dict():
                return self._mapping(info, value, path)
            case inspect.VarTupleType(), list():
                if len(value) < (info.min_length or 0):
                    return REFUSED
                items = enumerate(value)
                return tuple(self._value(info.item_type, v, (*path, i)) for i, v in items)
            case inspect.AnyType(), dict():
                return {key: self._value(info, v, (*path, key)) for key, v in value.items()}
            case inspect.AnyType(), list():
                return [self._value(info, v, (*path, i)) for i, v in enumerate(value)]
            case _:
                return REFUSED

    def _mapping(
        self, info: inspect.DictType, value: dict[str, Plain], path: KeyPath
    ) -> dict[str, object]:
        read: dict[str, object] = {}
        for key, item in value.items():
            if _scalar(info.key_type, key) is REFUSED:
                self._problems.bad_key((*path, key), _expected(info.key_type))
            else:
                read[key] = self._value(info.value_type, item, (*path, key))
        return read


def texts_of(value: msgspec.Struct) -> dict[str, Any]:
    """Return the keys of a struct as a file has them, with units; those without a value left out.

    Inverse of ``read_struct`` for a struct without structs in it.
    """
    texts: dict[str, Any] = {}
    for field in _type_info(type(value)).fields:
        found, choices = getattr(value, field.name), list(_choices(field.type))
        if isinstance(found, Enum):
            found = found.value
        elif found is None:
            found = next(filter(None, (_extra(each, "word") for each in choices)), None)
        elif isinstance(unit := _extra(choices[0], "unit"), Unit):
            found = unit.format(found)
        if found is not None:
            texts[field.encode_name] = found
    return texts


def _choices(info: inspect.Type) -> Iterator[inspect.Type]:
    """Yield the members of a union except None, each with its own metadata."""
    match info:
        case inspect.Metadata(type=inspect.UnionType()):
            yield from _choices(info.type)
        case inspect.UnionType():
            for member in info.types:
                yield from _choices(member)
        case inspect.NoneType():
            return
        case _:
            yield info


def _bare(info: inspect.Type) -> inspect.Type:
    return _bare(info.type) if isinstance(info, inspect.Metadata) else info


def _extra(info: inspect.Type, name: str) -> object:
    """Return the value of ``name`` in ``Meta(extra=...)``; the outermost wins."""
    while isinstance(info, inspect.Metadata):
        if info.extra and name in info.extra:
            return cast(object, info.extra[name])
        info = info.type
    return None


def _vocabulary(info: inspect.Type) -> list[str]:
    """Return the permitted words, from ``Meta(extra={"words": ...})``; empty for any word."""
    words = _extra(info, "words")
    return words if isinstance(words, list) else []


def _scalar(info: inspect.Type, value: Plain) -> object:
    """Return the value in the form that ``info`` describes, or REFUSED."""
    if isinstance(unit := _extra(info, "unit"), Unit):
        return _quantity(unit, _bare(info), value)
    if (word := _extra(info, "word")) is not None:
        return None if value == word else REFUSED
    if known := _vocabulary(info):
        return value if value in known else REFUSED
    match _bare(info), value:
        case inspect.BoolType(), bool():
            return value
        case (inspect.IntType() | inspect.FloatType()) as number, int() | float():
            whole = isinstance(number, inspect.IntType)
            fits = not isinstance(value, bool) and not (whole and isinstance(value, float))
            return value if fits and _in_bounds(number, value) else REFUSED
        case inspect.StrType() as text, str():
            return value if _is_text(text, value) else REFUSED
        case inspect.LiteralType(values=values), str() | int():
            return value if value in values and not isinstance(value, bool) else REFUSED
        case inspect.EnumType(cls=words), str():
            return words(value) if value in _words(words) else REFUSED
        case inspect.AnyType(), bool() | int() | float():
            return value
        case inspect.AnyType(), str():
            return REFUSED if _CONTROL.search(value) else value
        case _:
            return REFUSED


def _quantity(unit: Unit, info: inspect.Type, value: Plain) -> object:
    if not isinstance(value, str):
        return REFUSED
    try:
        amount = unit.parse(value)
    except UnitError:
        return REFUSED
    return amount if _in_bounds(info, amount) else REFUSED


def _in_bounds(info: inspect.Type, value: float) -> bool:
    low, above = getattr(info, "ge", None), getattr(info, "gt", None)
    high = getattr(info, "le", None)
    return (
        (low is None or value >= low)
        and (above is None or value > above)
        and (high is None or value <= high)
    )


def _is_text(info: inspect.StrType, value: str) -> bool:
    return (
        not _CONTROL.search(value)
        and len(value) >= (info.min_length or 0)
        and (info.max_length is None or len(value) <= info.max_length)
        and (info.pattern is None or re.fullmatch(info.pattern, value) is not None)
    )


def _words(words: type[Enum]) -> list[str]:
    return [str(word.value) for word in words]


def _expected(info: inspect.Type, value: Plain = None) -> str:
    """Return the expected form as a phrase; bounds of a quantity only if they are violated."""
    if isinstance(words := _extra(info, "expected"), str):
        return words
    choices = list(_choices(info))
    if len(choices) != 1:
        return either([_expected(choice, value) for choice in choices])
    if isinstance(words := _extra(choices[0], "expected"), str):
        return words
    if isinstance(word := _extra(choices[0], "word"), str):
        return quote(word)
    if words := _vocabulary(choices[0]):
        return either([quote(word) for word in words])
    if isinstance(unit := _extra(choices[0], "unit"), Unit):
        return _expected_quantity(unit, _bare(choices[0]), value)
    match _bare(choices[0]):
        case inspect.BoolType():
            return "true or false"
        case inspect.IntType() as number:
            return f"a whole number{_bounds(number)}"
        case inspect.FloatType() as number:
            return f"a number{_bounds(number)}"
        case inspect.LiteralType(values=values):
            return either([quote(each) for each in values])
        case inspect.EnumType(cls=words_type):
            return either([quote(word) for word in _words(words_type)])
        case inspect.VarTupleType(min_length=least):
            return f"a list of at least {least}" if least else "a list"
        case inspect.StructType(fields=fields):
            return f"a mapping with the keys {', '.join(field.encode_name for field in fields)}"
        case inspect.DictType():
            return "a mapping"
        case inspect.StrType(min_length=least):
            return "text, not empty" if least else "text"
        case _:
            return "a value"


def _expected_quantity(unit: Unit, info: inspect.Type, value: Plain) -> str:
    try:
        unit.parse(value if isinstance(value, str) else "")
    except UnitError:
        return unit.expected
    return f"{unit.noun}{_bounds(info, unit)}"


def _bounds(info: inspect.Type, unit: Unit | None = None) -> str:
    def shown(bound: float) -> str:
        return unit.format(bound) if unit else f"{bound:,}"

    low, above = getattr(info, "ge", None), getattr(info, "gt", None)
    high = getattr(info, "le", None)
    if low is not None and high is not None:
        return f" from {shown(low)} to {shown(high)}"
    if above is not None and high is not None:
        return f" above {shown(above)}, at most {shown(high)}"
    return f", at least {shown(low)}" if low is not None else ""


def _hint(info: inspect.Type, value: Plain) -> str:
    """Return a hint how to correct ``value``, if the mistake is a usual one."""
    choices = list(_choices(info))
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and any(_extra(choice, "unit") for choice in choices):
        return "a bare number has no unit"
    if is_number and any(
        isinstance(_bare(choice), inspect.StrType) and not _vocabulary(choice) for choice in choices
    ):
        return f"in quotes it is text: '{value}'"
    if isinstance(value, str) and _CONTROL.search(value):
        return "control characters are not allowed"
    if isinstance(value, str):
        words = [word for choice in choices for word in _written(choice)]
        return did_you_mean(value, words)
    return ""


def _written(info: inspect.Type) -> list[str]:
    if isinstance(word := _extra(info, "word"), str):
        return [word]
    match _bare(info):
        case inspect.EnumType(cls=words):
            return _words(words)
        case inspect.LiteralType(values=values):
            return [value for value in values if isinstance(value, str)]
        case inspect.BoolType():
            return ["true", "false"]
        case _:
            return _vocabulary(info)
