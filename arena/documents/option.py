"""Description of an option, from which the command line makes its parser."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass


@dataclass(frozen=True)
class Opt:
    """Mark in the annotation of a field that is an option of a command.

    The field has the type and the default. The values of an enumeration are offered and checked.
    """

    help: str
    names: str = ""
    """Names with spaces between them; empty: that of the field."""
    _: KW_ONLY
    metavar: str = ""
    least: float | None = None
    most: float | None = None
    one_of: tuple[str, ...] = ()
    """The values that are allowed; empty: all of the type."""
    completes: str = ""
    """Name of the function of ``cli.choices`` that completes a value; empty: none."""
    reads: Callable[[str], object] | None = None
    """Reads a value, or raises ValueError with what is expected; None: the type reads the text."""
    shows_default: bool = True


@dataclass(frozen=True)
class Arg(Opt):
    """Mark of an argument, which has its place among the words of a command and no name."""
