"""Kinds of text and quantities in config files, with units, so that 30 is never guessed.

Durations are read as seconds, sizes as bytes.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Annotated, Any, Final, TypeAlias

import msgspec
from msgspec import Meta

_NUMBER: Final = r"[0-9]{1,12}(\.[0-9]{1,12})?"


class UnitError(ValueError):
    """The text is no number with a known unit; the message has the expected form."""


class Unit(msgspec.Struct, frozen=True):
    """A quantity such as a duration: the units in which it may be written, with their factors."""

    noun: str
    example: str
    factors: dict[str, Decimal]
    whole: bool = False
    """True if the value must be a whole number of the base unit."""

    @property
    def expected(self) -> str:
        """Expected form, as a phrase."""
        return f'{self.noun} such as "{self.example}"'

    @property
    def pattern(self) -> str:
        """Regular expression for the texts that ``parse`` accepts."""
        return f"^{_NUMBER} ?({'|'.join(re.escape(unit) for unit in self.factors)})$"

    def parse(self, text: str) -> float:
        """Return the value in base units. Raises UnitError."""
        match = re.fullmatch(rf"({_NUMBER}) ?(\S+)", text)
        if match is None or match[3] not in self.factors:
            raise UnitError(f"expected {self.expected}")
        value = Decimal(match[1]) * self.factors[match[3]]
        if self.whole and value != int(value):
            raise UnitError(f"expected {self.expected}")
        return int(value) if self.whole else float(value)

    def format(self, value: float) -> str:
        """Return the shortest exact text in the largest unit that gives a whole number.

        Inverse of ``parse`` up to the choice of the unit.
        """
        exact = Decimal(repr(value))
        for unit, factor in reversed(self.factors.items()):
            if exact % factor == 0 and (exact or factor == 1):
                return f"{int(exact / factor)} {unit}"
        unit, factor = next(iter(self.factors.items()))
        return f"{(exact / factor).normalize():f} {unit}"


DURATION: Final = Unit(
    "a duration",
    "250 ms",
    {
        "ms": Decimal("0.001"),
        "s": Decimal(1),
        "min": Decimal(60),
        "h": Decimal(3600),
    },
)
"""Durations; the base unit is the second."""

DAYS: Final = Unit("a number of days", "30 d", {"d": Decimal(86_400)}, whole=True)
"""Numbers of days; the base unit is the second."""

SIZE: Final = Unit(
    "a size",
    "512 MiB",
    {
        "B": Decimal(1),
        "kB": Decimal(10**3),
        "KB": Decimal(10**3),
        "KiB": Decimal(2**10),
        "MB": Decimal(10**6),
        "MiB": Decimal(2**20),
        "GB": Decimal(10**9),
        "GiB": Decimal(2**30),
    },
    whole=True,
)
"""Sizes; the base unit is the byte."""

SHARE: Final = Unit("a share", "2 %", {"%": Decimal("0.01")})
"""Shares; the base unit is the whole, so that 2 % is 0.02."""


def parse_share(text: str) -> float:
    """Return a share from 0 to 1. Raises UnitError."""
    share = SHARE.parse(text)
    if share > 1:
        raise UnitError('expected a share of at most "100 %"')
    return share


UNITS: Final = (DURATION, SIZE, SHARE, DAYS)
WRITTEN: Final = "in files: "


def in_files(text: str) -> dict[str, str]:
    """Return a remark for the JSON Schema of a value: ``text`` is how files may write it."""
    return {"$comment": f"{WRITTEN}{text}"}


def quantity(unit: Unit, example: str, **bounds: Any) -> Meta:
    """Return the mark of a value that files write in ``unit``; ``bounds``: those of ``Meta``."""
    return Meta(extra={"unit": unit}, extra_json_schema=in_files(example), **bounds)


_DAY: Final = 86_400

Name: TypeAlias = Annotated[
    str,
    Meta(
        pattern="^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$",
        extra={"expected": 'a name: 1 to 64 of A-Z a-z 0-9 "." "_" "-", no sign first'},
    ),
]
"""Name of a run, entrant or bot, also used as a file name."""

Version: TypeAlias = Annotated[
    str,
    Meta(
        pattern=r"^[0-9]{1,6}(\.[0-9]{1,6}){0,3}$",
        extra={"expected": 'a version such as "3.11"'},
    ),
]
"""Numbers separated by dots, the most significant first."""

OptionName: TypeAlias = Annotated[
    str,
    Meta(
        pattern="^[A-Za-z][A-Za-z0-9_]{0,63}$",
        extra={"expected": 'letters, digits and "_", a letter first'},
    ),
]

EnvName: TypeAlias = Annotated[
    str,
    Meta(
        pattern="^[A-Za-z_][A-Za-z0-9_]{0,254}$",
        extra={"expected": 'the name of a variable: letters, digits and "_"'},
    ),
]

PathText: TypeAlias = Annotated[
    str, Meta(min_length=1, max_length=4096, extra={"expected": "a path"})
]

Argv: TypeAlias = Annotated[
    tuple[str, ...],
    Meta(min_length=1, extra={"expected": "a list of a program and its arguments"}),
]

Duration: TypeAlias = Annotated[float, quantity(DURATION, "1 s", gt=0, le=_DAY)]
"""Seconds, above zero, at most a day."""

Pause: TypeAlias = Annotated[float, quantity(DURATION, "100 ms", ge=0, le=_DAY)]
"""Seconds, at most a day, zero allowed."""

Size: TypeAlias = Annotated[int, quantity(SIZE, "64 KiB", ge=1 << 10, le=1 << 24)]
"""Bytes, 1 KiB to 16 MiB."""

Memory: TypeAlias = Annotated[int, quantity(SIZE, "1 GiB", ge=1 << 24, le=1 << 40)]
"""Bytes, 16 MiB to 1024 GiB."""

Space: TypeAlias = Annotated[int, quantity(SIZE, "64 MiB", ge=1 << 16, le=1 << 40)]
"""Bytes on disk, 64 KiB to 1024 GiB."""

ProcessorTime: TypeAlias = Annotated[float, quantity(DURATION, "1 h", ge=1, le=30 * _DAY)]
"""Seconds of CPU time, from 1 second to 30 days."""

Share: TypeAlias = Annotated[float, quantity(SHARE, "50 %", ge=0, le=1)]
"""Share of the whole, 0 to 1."""

Unlimited: TypeAlias = Annotated[
    None, Meta(extra={"word": "none"}, extra_json_schema=in_files("none"))
]
"""None, written as ``none``: no such limit."""

Automatic: TypeAlias = Annotated[
    None, Meta(extra={"word": "auto"}, extra_json_schema=in_files("auto"))
]
"""None, written as ``auto``."""
