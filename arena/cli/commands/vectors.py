"""``arena vectors``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

import msgspec
import typer

from arena.cli import choices
from arena.cli.command import command
from arena.cli.commands.rules import check_name
from arena.cli.terminal.console import out
from arena.documents.bad_input import BadInput
from arena.documents.problems import either, quote
from arena.games.base import Action, Rules, RulesError, written
from arena.games.registry import GAMES, in_words, make_rules, rules_spec
from arena.studies.vectors.cases import Layer, Wanted, cases

_COUNT: Final = {Layer.STEPS: 1000, Layer.COUNTS: 1, Layer.GAMES: 10}
_DEPTH: Final = 3


@dataclass(frozen=True, kw_only=True)
class VectorsOptions:
    """Write positions of a game with their answers.

    One JSON object a line, to test a model of the game in any language: single actions with what
    they lead to and what every seat sees of them, numbers of sequences from a deal, or whole games.
    The same seed gives the same lines.

    \b
    arena vectors dragonheart --count 2000 > steps.jsonl
    arena vectors dragonkrak --seats 3 --layer counts --depth 3 --divide
    """

    game: Annotated[str, typer.Argument(metavar="GAME", autocompletion=choices.games)]
    seats: Annotated[
        int | None, typer.Option("--seats", "-s", help="Default: as few as play each other.")
    ] = None
    chosen: Annotated[
        tuple[str, ...],
        typer.Option("--option", metavar="KEY=VALUE", help="Of the game; may be repeated."),
    ] = ()
    layer: Annotated[
        str,
        typer.Option(
            metavar="LAYER", autocompletion=choices.layers, help="steps, counts or games."
        ),
    ] = Layer.STEPS.value
    seed: Annotated[str, typer.Option(help="Decides all chance.")] = "1"
    count: Annotated[
        int | None,
        typer.Option(
            min=1, help="How many. Default: 1000 steps, the counts of 1 deal, or 10 games."
        ),
    ] = None
    depth: Annotated[
        int | None,
        typer.Option(min=1, max=64, help="With counts: the longest sequences. Default: 3."),
    ] = None
    divide: Annotated[bool, typer.Option("--divide", help="With counts: also by first action.")] = (
        False
    )


def write_vectors(options: VectorsOptions) -> None:
    """Print the cases. Raises BadInput."""
    wanted = _wanted(options)
    for case in cases(_rules(options), wanted):
        out(msgspec.json.encode(case.line).decode())


def _wanted(options: VectorsOptions) -> Wanted:
    names = [each.value for each in Layer]
    if options.layer not in names:
        raise BadInput(f"--layer: found {quote(options.layer)}, expected {either(names)}")
    layer = Layer(options.layer)
    for flag, given in (("--depth", options.depth is not None), ("--divide", options.divide)):
        if given and layer is not Layer.COUNTS:
            raise BadInput(f"{flag}: expected it only with --layer counts")
    return Wanted(
        layer,
        options.seed,
        options.count or _COUNT[layer],
        options.depth or _DEPTH,
        options.divide,
    )


def _rules(options: VectorsOptions) -> Rules[Any, Action]:
    check_name(options.game)
    try:
        chosen = _chosen(options.game, options.chosen)
        return make_rules(rules_spec(options.game, options.seats, chosen))
    except RulesError as error:
        flag = {"seats": "--seats", "options": "--option"}.get(str(error.path[0]), "GAME")
        raise BadInput(f"{flag}: {in_words(error)}") from None


def _chosen(game: str, words: Sequence[str]) -> dict[str, object]:
    """The options with values of their own kind; what is no value stays as it is."""
    kinds = {option.name: option.choices for option in GAMES[game].options}
    chosen: dict[str, object] = {}
    for word in words:
        name, sign, value = word.partition("=")
        if not sign:
            raise BadInput(f"--option: found {quote(word)}, expected KEY=VALUE")
        if name in chosen:
            raise BadInput(f"--option: found {quote(name)} twice, expected it once")
        known = {written(choice): choice for choice in kinds.get(name, ())}
        chosen[name] = known.get(value, value)
    return chosen


COMMAND: Final = command(write_vectors)
