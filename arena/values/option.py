"""Marks of options, from which the command line makes its parser, and options that many share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, NamedTuple, TypeAlias


class Opt(NamedTuple):
    """Mark in the annotation of a field that is an option of a command.

    The field has the type and the default. The values of an enumeration are offered and checked.
    """

    help: str
    names: str = ""
    """Names with spaces between them; empty: that of the field."""
    metavar: str = ""
    least: float | None = None
    most: float | None = None
    one_of: tuple[str, ...] = ()
    """The values that are allowed; empty: all of the type."""
    completes: str | Callable[..., Sequence[str]] = ""
    """Function that completes a value, or its name in ``cli.choices``; empty: none."""
    reads: Callable[[str], object] | None = None
    """Reads a value, or raises ValueError with what is expected; None: the type reads the text."""
    shows_default: bool = True


class Arg(Opt):
    """Mark of an argument, which has its place among the words of a command and no name."""


Workers: TypeAlias = Annotated[
    int | None, Opt("Worker processes. Default: one per core.", "--workers -j", least=1)
]
On: TypeAlias = Annotated[
    str | None,
    Opt("Play on other machines: docs/machines.md.", metavar="CLUSTER"),
]
Settings: TypeAlias = Annotated[
    tuple[str, ...],
    Opt("Set a key of the file, e.g. clock.move='2 s'.", "--set", metavar="KEY=VALUE"),
]
Seed: TypeAlias = Annotated[str | None, Opt("Seed of all chance. Default: drawn.")]


def game_opt(words: str) -> Opt:
    """Return the option ``--game``, with a size, with the help ``words``."""
    return Opt(words, "--game -g", metavar="GAME[:SEATS]", completes="disciplines")
