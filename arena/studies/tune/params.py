"""Parser of ``--param``, checked against the options that the bot declares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Final

from arena.documents.bad_input import BadInput
from arena.documents.problems import did_you_mean, either, printable, quote
from arena.entrants.manifest import BotOption, OptionKind
from arena.ratings.tuning.space import Axis, CategoricalOption, Number

_MOST: Final = 10
"""Greatest number of options; for more, a few thousand games say too little."""
_MOST_VALUES: Final = 20
"""Greatest number of values of a choice."""


def axes_of(texts: Sequence[str], declared: Mapping[str, BotOption], bot: str) -> list[Axis]:
    """Return the axes to search. Raises BadInput with the first thing that is wrong."""
    if not texts:
        raise BadInput("--param: missing; --param depth=2:8 tunes an option of the bot's bot.yaml")
    if len(texts) > _MOST:
        raise BadInput(f"--param: found {len(texts)}, expected at most {_MOST}")
    axes: dict[str, Axis] = {}
    for text in texts:
        name, is_given, values = text.partition("=")
        where = f"--param {printable(text)}"
        if name not in declared:
            names = [quote(each) for each in declared]
            known = either(names) if names else "options in its bot.yaml"
            hint = did_you_mean(name, declared)
            more = f" ({hint})" if hint else ""
            found = f"found {quote(name)}, which {bot} does not declare"
            raise BadInput(f"{where}: {found}, expected {known}{more}")
        if name in axes:
            raise BadInput(f"{where}: found {quote(name)} a second time")
        axes[name] = _axis(name, declared[name], values if is_given else None, where)
    return list(axes.values())


def _axis(name: str, option: BotOption, text: str | None, where: str) -> Axis:
    match option.type:
        case OptionKind.INT | OptionKind.FLOAT:
            return _number(name, option, text, where)
        case OptionKind.BOOL:
            if text is not None:
                raise BadInput(f"{where}: found values of a bool, expected --param {name}")
            return CategoricalOption(name, (False, True))
        case OptionKind.CHOICE:
            return _choice(name, option, text, where)
        case OptionKind.TEXT:
            raise BadInput(
                f"{where}: found an option of the type text, expected int, float, bool or choice"
            )


def _number(name: str, option: BotOption, text: str | None, where: str) -> Number:
    is_whole = option.type is OptionKind.INT
    noun = "whole numbers" if is_whole else "numbers"
    if text is None and option.min is not None and option.max is not None:
        text = f"{option.min}:{option.max}"
    if text is None:
        raise BadInput(f"{where}: found no range, expected {noun}: --param {name}=LOW:HIGH")
    try:
        low, high = (int(each) if is_whole else float(each) for each in text.split(":"))
    except ValueError:
        raise BadInput(f"{where}: found {quote(text)}, expected two {noun}: LOW:HIGH") from None
    if not (isfinite(low) and isfinite(high) and low < high):
        raise BadInput(f"{where}: found {quote(text)}, expected a low end below the high end")
    least = low if option.min is None else option.min
    most = high if option.max is None else option.max
    if low < least or high > most:
        limits = " and ".join(
            words
            for words, limit in (
                (f"at least {option.min}", option.min),
                (f"at most {option.max}", option.max),
            )
            if limit is not None
        )
        raise BadInput(f"{where}: found {quote(text)}, expected {noun} {limits}, as declared")
    return Number(name, float(low), float(high), is_whole)


def _choice(name: str, option: BotOption, text: str | None, where: str) -> CategoricalOption:
    values = option.choices if text is None else tuple(each.strip() for each in text.split(","))
    for value in values:
        if value not in option.choices:
            known = either([quote(each) for each in option.choices])
            raise BadInput(f"{where}: found {quote(value)}, expected {known}, as declared")
    if not 2 <= len(set(values)) == len(values) <= _MOST_VALUES:
        raise BadInput(f"{where}: expected 2 to {_MOST_VALUES} different values: A,B")
    return CategoricalOption(name, values)
