"""Options that choose games, shared by the commands that list and export games."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final

from arena.cli import choices
from arena.documents.bad_input import BadInput
from arena.documents.option import Opt
from arena.documents.problems import check_entrant, check_one_of
from arena.documents.ranges import read_range

if TYPE_CHECKING:
    from arena.results import FaultKind
    from arena.runs.manifest import Manifest
    from arena.views.game.rows import GameFilter

FIELDS: Final = "bots against result discipline faults fault margin plies"
"""Names of the fields, for the panels of a command."""


@dataclass(frozen=True, kw_only=True)
class GameFilterOptions:
    """Conditions on games."""

    bots: Annotated[
        tuple[str, ...],
        Opt("Only games of this bot. Repeatable: of any.", "--bot", metavar="NAME"),
    ] = ()
    against: Annotated[
        tuple[str, ...],
        Opt("Only games against this bot. Repeatable: any.", metavar="NAME"),
    ] = ()
    result: Annotated[
        str | None, Opt("Only games with this result for --bot.", one_of=choices.results)
    ] = None
    discipline: Annotated[
        str | None,
        Opt("Only games of this discipline, e.g. dragonkrak-4.", metavar="NAME"),
    ] = None
    faults: Annotated[bool, Opt("Only games with a fault, of --bot if it is given.")] = False
    fault: Annotated[
        tuple[str, ...],
        Opt(
            "Only games with such a fault, of --bot if it is given: timeout, crash, illegal "
            "and so on. Repeatable: of any of these kinds.",
            metavar="KIND",
            one_of=choices.fault_kinds,
        ),
    ] = ()
    margin: Annotated[
        str | None,
        Opt(
            "Only games with this final margin of the first place over the best other bot: "
            "5, 1-20, 5- or -20.",
            metavar="A-B",
        ),
    ] = None
    plies: Annotated[
        str | None,
        Opt("Only games of this length in plies: 5, 1-20, 5- or -20.", metavar="A-B"),
    ] = None


def given_filters(options: GameFilterOptions) -> list[str]:
    """Return the flags of the conditions that were given."""
    flags = {"bots": "--bot"}
    names = [name for name in FIELDS.split() if getattr(options, name)]
    return [flags.get(name, f"--{name}") for name in names]


def read_filter(options: GameFilterOptions, manifests: Sequence[Manifest]) -> GameFilter:
    """Return the conditions of the options, for games of these runs. Raises BadInput."""
    from arena.views.game.rows import GameFilter, GameOutcome

    entrants = [name for manifest in manifests for name in manifest.entrants]
    for option, names in (("--bot", options.bots), ("--against", options.against)):
        for name in names:
            check_entrant(option, name, entrants, "a bot of this run")
    if options.discipline is not None:
        known = {each.name: None for manifest in manifests for each in manifest.disciplines}
        check_one_of("--discipline", options.discipline, [*known])
    if options.result is not None and not options.bots:
        raise BadInput("--result: found without --bot, expected with it")
    return GameFilter(
        bots=options.bots,
        against=options.against,
        outcome=None if options.result is None else GameOutcome(options.result),
        faults=_kinds(options),
        discipline=options.discipline or "",
        margin=read_range("--margin", options.margin),
        plies=read_range("--plies", options.plies),
    )


def _kinds(options: GameFilterOptions) -> frozenset[FaultKind] | None:
    """Return the kinds of faults asked for; None if games without faults are listed too."""
    from arena.results import FaultKind

    if options.fault:
        return frozenset(map(FaultKind, options.fault))
    return frozenset(FaultKind) if options.faults else None
