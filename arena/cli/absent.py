"""Parameters that are absent need no conversion.

typer converts values with pydantic, whose import takes longer than most commands. So a parameter
that is absent keeps its empty value, and typer converts the others.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from typer.core import TyperArgument, TyperOption


class _SparedOption(TyperOption):
    """Option that may be absent."""

    def process_value(self, ctx: Any, value: Any) -> Any:
        """Return the value of the option, as typer does."""
        if value is not None or self.required:
            return super().process_value(ctx, value)
        empty = () if self.multiple or self.nargs != 1 else None
        return empty if self.callback is None else self.callback(ctx, self, empty)


class _SparedArgument(TyperArgument):
    """Argument that may be absent."""

    def process_value(self, ctx: Any, value: Any) -> Any:
        """Return the value of the argument, as typer does."""
        if value is not None or self.required or self.callback is not None:
            return super().process_value(ctx, value)
        return () if self.nargs != 1 else None


def spare_absent(parameters: Iterable[Any]) -> list[Any]:
    """Return the parameters of a command, which skip the conversion if they are absent."""
    found = [*parameters]
    for each in found:
        if type(each) is TyperOption:
            each.__class__ = _SparedOption
        elif type(each) is TyperArgument:
            each.__class__ = _SparedArgument
    return found
