"""Durations, sizes and shares: text with a unit, so that the meaning of 30 is never guessed."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

import msgspec

_NUMBER: Final = r"[0-9]{1,12}(\.[0-9]{1,12})?"


class UnitError(ValueError):
    """The text is no number with a known unit; the message has the expected form."""


class Unit(msgspec.Struct, frozen=True):
    """One quantity: the units it may be written in and their factors, smallest first."""

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
