"""Command class of the parser: help with options under headings, and absent parameters.

typer converts values with pydantic, whose import takes longer than most commands. So a parameter
that is absent keeps its empty value, and typer converts the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from typer.core import TyperArgument, TyperCommand, TyperOption

COMMON: Final = ("quiet", "verbose", "color", "debug", "help")
"""Names of the options of every command."""
_UNLISTED: Final = {*COMMON, "as_json"}
"""Names of options that other lines explain."""
_ALSO: Final = "-q, -v, --color, --debug and -h: arena --help explains them."
_NAMES: Final = 25
"""Most columns of the names of options; longer ones have a line of their own."""


class HelpedCommand(TyperCommand):
    """Command whose help has its options under headings."""

    panels: Mapping[str, Sequence[str]] = {}
    """Headings with the names of their parameters; others are arguments and options."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, ``--help`` included; those that are absent are not converted."""
        return spare_absent(super().get_params(ctx))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the parts of the usage line: arguments that may be left out are in brackets."""
        arguments = [each for each in self.params if each.param_type_name == "argument"]
        shown = [(each, str(each.metavar)) for each in arguments]
        return ["[OPTIONS]", *(word if each.required else f"[{word}]" for each, word in shown)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options under their headings, all in the same columns."""
        records = {heading: [*map(record, each)] for heading, each in self.sections().items()}
        names = [len(name) for rows in records.values() for name, _ in rows]
        widest = max((length for length in names if length <= _NAMES), default=_NAMES)
        for heading, rows in records.items():
            with formatter.section(heading):
                rows = [(name.ljust(widest), words) for name, words in rows]
                formatter.write_dl(rows, col_max=widest)
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(_ALSO)

    def sections(self) -> dict[str, list[Any]]:
        """Return the listed parameters by heading."""
        own: list[Any] = [*self.params]
        listed = {
            str(each.name): each for each in own if not each.hidden and each.name not in _UNLISTED
        }
        found: dict[str, list[Any]] = {}
        for heading, names in self.panels.items():
            found[heading] = [listed.pop(name) for name in names]
        for each in listed.values():
            heading = "Arguments" if each.param_type_name == "argument" else "Options"
            found.setdefault(heading, []).append(each)
        return found


def record(parameter: Any) -> tuple[str, str]:
    """Return how a parameter is written, and its help."""
    metavar, words = str(parameter.metavar or ""), [str(parameter.help or "")]
    if parameter.param_type_name == "argument":
        written = metavar
    else:
        written = ", ".join(sorted(parameter.opts, key=len))
        written += f" {metavar}" if metavar and not parameter.is_flag else ""
        if parameter.required:
            words.append("Required.")
    default = parameter.default
    if parameter.show_default and not (default is None or default is False or default == ""):
        words.append(f"Default: {default}.")
    return written, " ".join(filter(None, words))


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
