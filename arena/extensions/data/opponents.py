"""Opponents of learners by name: the builtin bots that are functions of a question alone.

All other bots are programs, see ``programs``.
"""

from __future__ import annotations

import runpy
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from arena.entrants.manifest import load_bot, plays
from arena.entrants.names import BUILTIN, NAMES, builtin_folder
from arena.values.bad_input import BadInput
from arena.values.problems import either, quote

if TYPE_CHECKING:
    from arena.extensions.data.environment import Opponent

NamedPlayer: TypeAlias = "Opponent | str"


def players(
    rules: str, seats: int, seat: int | None, opponents: Sequence[NamedPlayer] | None
) -> dict[int, NamedPlayer]:
    """Return the opponents by seat, with functions in place of the names of simple bots.

    Other texts than ``random`` stand for programs. Raises BadInput.
    """
    if seat is None:
        if opponents is not None:
            expected = "the seat of the learner too, such as seat=0"
            raise BadInput(f"opponents: found no seat beside them, expected {expected}")
        return {}
    if seat not in range(seats):
        raise BadInput(f"seat: found {quote(seat)}, expected 0 to {seats - 1}")
    if opponents is not None and (
        isinstance(opponents, str) or not isinstance(opponents, Sequence)
    ):
        raise BadInput(f"opponents: found {quote(opponents)}, expected a list")
    others = [each for each in range(seats) if each != seat]
    chosen = ["random" for _ in others] if opponents is None else list(opponents)
    if len(chosen) != len(others):
        found = f"{len(chosen)} in the list"
        raise BadInput(f"opponents: found {found}, expected {len(others)}: one for each other seat")
    return {each: _player(who, rules, seats) for each, who in zip(others, chosen, strict=True)}


def _player(who: NamedPlayer, rules: str, seats: int) -> NamedPlayer:
    """Return the function of an opponent, or what names a program. Raises BadInput."""
    if callable(who) or who == "random":
        return who
    if not isinstance(who, str) or not who:
        expected = either(["random", "a function", "the folder of a bot", *_SIMPLE])
        raise BadInput(f"opponents: found {quote(who)}, expected {expected}")
    if who in NAMES and not Path(who).exists():
        who = BUILTIN + who
    if who not in _SIMPLE:
        return who
    folder = builtin_folder(who)
    if not plays(load_bot(folder).manifest, rules, seats):
        raise BadInput(f"opponents: {who} does not play {rules} with {seats} seats")
    return _SIMPLE[who](folder, rules)


def _first_legal(folder: Path, rules: str) -> NamedPlayer:
    return lambda question: 0


def _collector(folder: Path, rules: str) -> NamedPlayer:
    choose: Any = runpy.run_path(str(folder / "main.py"))["choose"]
    return lambda question: choose(question.observation["board"], question.legal)


def _greedy(folder: Path, rules: str) -> NamedPlayer:
    choose: Any = runpy.run_path(str(folder / f"{rules}.py"))["choose"]
    return lambda question: choose(question._asdict())


_SIMPLE: Final[dict[str, Callable[[Path, str], NamedPlayer]]] = {
    f"{BUILTIN}random": lambda folder, rules: "random",
    f"{BUILTIN}first-legal": _first_legal,
    f"{BUILTIN}collector": _collector,
    f"{BUILTIN}greedy": _greedy,
}
