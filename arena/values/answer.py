"""Documents that commands print with ``--json``: structures, so that their schema is their type."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import msgspec

from arena import __version__

T = TypeVar("T")


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
