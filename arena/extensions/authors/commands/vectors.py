"""``arena vectors``: write positions of a game with their answers, or test a model with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Annotated, Any, Final

import msgspec
import typer

from arena.cli.command import command
from arena.cli.common import check_game
from arena.cli.terminal.console import Exit, out, say
from arena.extensions.authors.vectors.cases import NEEDED, Case, CaseSelection, cases
from arena.extensions.authors.vectors.exploring import Layer, kinds
from arena.extensions.authors.vectors.model import Agreement, Finding, Mismatch, compare
from arena.games.base import Action, Rules, RulesError
from arena.games.game import Game
from arena.games.installed import in_words
from arena.games.registry import GAMES, make_rules, rules_spec
from arena.values.bad_input import BadInput
from arena.values.numbers import count
from arena.values.option import Arg, Opt
from arena.values.problems import quote

_COUNT: Final = {Layer.STEPS: 1000, Layer.COUNTS: 10, Layer.GAMES: 10}
_DEPTH: Final = 3
_SECONDS: Final = 10.0
_NAMES: Final = {Layer.STEPS: "step", Layer.COUNTS: "position", Layer.GAMES: "game"}
_WHERE: Final = ("game", "ply", "deal", "first")
"""Keys of a question that identify it."""


@dataclass(frozen=True, kw_only=True)
class VectorsOptions:
    """Write positions of a game with their answers.

    Prints one JSON object a line, to test a model of the game in any language: single actions with
    what they lead to and what every seat sees of them, numbers of sequences of decisions, or whole
    games. The same seed gives the same lines.

    With --model a model is asked instead: a program that reads the question of a case on each
    line of its input and answers with a line. Exit codes: 0 all answers are right, 1 one is not, or
    none came, 2 bad input, 3 the cases lack a type of action that can occur.

    \b
    arena vectors dragonheart --count 2000 > steps.jsonl
    arena vectors dragonkrak --seats 3 --layer counts --depth 3 --divide
    arena vectors dragonheart --model "node model.js"
    """

    game: Annotated[str, Arg("", metavar="GAME", completes="games")]
    seats: Annotated[
        int | None,
        Opt("Seats at the table. Default: the fewest at which bots play each other.", "--seats -s"),
    ] = None
    chosen: Annotated[
        tuple[str, ...],
        Opt("Option of the game. Repeatable.", "--option", metavar="KEY=VALUE"),
    ] = ()
    layer: Annotated[Layer, Opt("Kind of cases.")] = Layer.STEPS
    seed: Annotated[str, Opt("Seed of all chance.")] = "1"
    count: Annotated[
        int | None,
        Opt(
            "Number of cases. Default: 1000 steps, the counts of 10 positions, or 10 games.",
            least=1,
        ),
    ] = None
    depth: Annotated[
        int | None,
        Opt("With counts: length of the longest sequences. Default: 3.", least=1, most=64),
    ] = None
    divide: Annotated[bool, Opt("With counts: state the numbers by first action too.")] = False
    model: Annotated[
        str | None,
        Opt("Ask this model, and print its first difference.", metavar="COMMAND"),
    ] = None
    seconds: Annotated[
        float | None,
        Opt("With --model: time limit for one answer. Default: 10.", least=0.001),
    ] = None
    allow_unmet: Annotated[
        bool, Opt("End with exit code 0 even if a type of action never occurred.")
    ] = False


def write_vectors(options: VectorsOptions) -> None:
    """Print the cases, or the result of testing a model with them. Raises BadInput.

    Ends with typer.Exit if the model is wrong, or if a type of action never occurred.
    """
    wanted = _wanted(options)
    rules = _rules(options)
    met: Counter[str] = Counter()
    asked = _counted(cases(rules, wanted), met)
    if options.model is not None:
        seconds = options.seconds or _SECONDS
        finding = compare(options.model, asked, NEEDED[wanted.layer], seconds)
        _tell(finding, wanted.layer)
        told = finding.told if isinstance(finding, Agreement) else None
    elif options.seconds is not None:
        raise BadInput("--seconds: expected it only with --model")
    else:
        told = None
        for case in asked:
            out(msgspec.json.encode(case.line).decode())
    unmet = [f"action {name}" for name in kinds(rules, wanted.layer) if not met[name]]
    fields = _unwritten(GAMES[options.game], told) if wanted.layer is Layer.STEPS else []
    if unmet or fields:
        say(f"never met: {', '.join(unmet + fields)}")
    if unmet and not options.allow_unmet:
        say("too few cases: a higher --count has more, --allow-unmet makes the exit code 0")
        raise typer.Exit(Exit.INCONCLUSIVE)


def _unwritten(game: Game, told: Set[str] | None) -> list[str]:
    """Return the fields of the game's events that never occurred; [] if that is not known."""
    if told is None:
        return []
    names = dict.fromkeys(
        name for each in game.event_types for name in each.__struct_encode_fields__
    )
    return [f"{name} in events" for name in names if name not in told]


def _counted(asked: Iterable[Case], met: Counter[str]) -> Iterator[Case]:
    """Yield the cases and count their types of actions in ``met``."""
    for case in asked:
        met.update(case.kinds)
        yield case


def _tell(finding: Finding, layer: Layer) -> None:
    """Print ``finding``, with the question on a line of its own, so that it can be asked again."""
    if isinstance(finding, Agreement):
        compared = ", ".join(
            name if times == finding.cases else f"{name} (in {times})"
            for name, times in finding.compared.items()
        )
        out(f"{count(finding.cases, _NAMES[layer])} agree: {compared}")
        if finding.missing:
            say(f"not given, so not compared: {', '.join(finding.missing)}")
        actions = [f"{name} {number}" for name, number in sorted(finding.actions.items())]
        met = [count(finding.games, "game"), *([", ".join(actions)] if actions else [])]
        say(f"met: {'; '.join(met)}")
        return
    question = finding.case.question
    where = ", ".join(
        f"{name} {msgspec.json.encode(question[name]).decode()}"
        for name in _WHERE
        if name in question
    )
    if isinstance(finding, Mismatch):
        what = f"{finding.pointer}: found {finding.found}, expected {finding.expected}"
    else:
        said = f"; on standard error: {finding.stderr}" * bool(finding.stderr)
        what = f"{finding.what}{said}"
    out(f"{where}: {what}")
    out(msgspec.json.encode(question).decode())
    raise typer.Exit(Exit.DIFFERENCE)


def _wanted(options: VectorsOptions) -> CaseSelection:
    layer = options.layer
    for flag, given in (("--depth", options.depth is not None), ("--divide", options.divide)):
        if given and layer is not Layer.COUNTS:
            raise BadInput(f"{flag}: expected it only with --layer counts")
    return CaseSelection(
        layer,
        options.seed,
        options.count or _COUNT[layer],
        options.depth or _DEPTH,
        options.divide,
    )


def _rules(options: VectorsOptions) -> Rules[Any, Action]:
    check_game(options.game)
    try:
        chosen = _chosen(options.game, options.chosen)
        return make_rules(rules_spec(options.game, options.seats, chosen))
    except RulesError as error:
        flag = {"seats": "--seats", "options": "--option"}.get(str(error.path[0]), "GAME")
        where = " ".join([flag, *map(str, error.path[1:])])
        raise BadInput(in_words(f"{where}: {error.message}")) from None


def _chosen(game: str, words: Sequence[str]) -> dict[str, object]:
    """Return the options with values of the declared types; unknown values stay text."""
    known = {option.name: option for option in GAMES[game].options}
    chosen: dict[str, object] = {}
    for word in words:
        name, sign, value = word.partition("=")
        if not sign:
            raise BadInput(f"--option: found {quote(word)}, expected KEY=VALUE")
        if name in chosen:
            raise BadInput(f"--option: found {quote(name)} twice, expected it once")
        chosen[name] = known[name].read(value) if name in known else value
    return chosen


COMMAND: Final = command(write_vectors)
