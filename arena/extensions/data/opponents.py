"""Opponents of learners by name: the builtin bots that are functions of a question alone.

The others search within a time limit or need the start of a game, so they are programs only.
"""

from __future__ import annotations

import runpy
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from arena.entrants.manifest import load_bot, plays
from arena.entrants.schemes import BUILTIN, SchemeError, builtin_folder, is_builtin
from arena.values.bad_input import BadInput
from arena.values.problems import either

if TYPE_CHECKING:
    from arena.extensions.data.environment import Opponent

Player: TypeAlias = "Opponent | Literal['random']"
NamedPlayer: TypeAlias = "Opponent | str"


def players(
    rules: str, seats: int, seat: int | None, opponents: Sequence[NamedPlayer] | None
) -> dict[int, Player]:
    """Return the opponents by seat, with functions in place of names. Raises BadInput."""
    if seat is None:
        if opponents is not None:
            raise BadInput("opponents: expected a seat of the learner beside them, got none")
        return {}
    if seat not in range(seats):
        raise BadInput(f"seat: expected 0 to {seats - 1}, got {seat!r}")
    if opponents is not None and (
        isinstance(opponents, str) or not isinstance(opponents, Sequence)
    ):
        raise BadInput(f"opponents: expected a list, got {opponents!r}")
    others = [each for each in range(seats) if each != seat]
    chosen = ["random" for _ in others] if opponents is None else list(opponents)
    if len(chosen) != len(others):
        raise BadInput(f"opponents: expected {len(others)}, got {len(chosen)}")
    return {each: _player(who, rules, seats) for each, who in zip(others, chosen, strict=True)}


def _player(who: NamedPlayer, rules: str, seats: int) -> Player:
    """Return the function of an opponent. Raises BadInput."""
    if callable(who):
        return who
    if who == "random":
        return "random"
    if not isinstance(who, str) or not is_builtin(who):
        expected = either(["random", "a function", *_NAMES])
        raise BadInput(f"opponents: expected {expected}, got {who!r}")
    try:
        folder = builtin_folder(who)
    except SchemeError as error:
        raise BadInput(f"opponents: {error}") from None
    if who not in _NAMES:
        raise BadInput(f"opponents: {who} is a program, expected {either([*_NAMES])}")
    if not plays(load_bot(folder).manifest, rules, seats):
        raise BadInput(f"opponents: {who} does not play {rules} with {seats} seats")
    return _NAMES[who](folder, rules)


def _first_legal(folder: Path, rules: str) -> Player:
    return lambda question: 0


def _collector(folder: Path, rules: str) -> Player:
    choose: Any = runpy.run_path(str(folder / "main.py"))["choose"]
    return lambda question: choose(question.observation["board"], question.legal)


def _greedy(folder: Path, rules: str) -> Player:
    choose: Any = runpy.run_path(str(folder / f"{rules}.py"))["choose"]
    return lambda question: choose(question._asdict())


_NAMES: Final[dict[str, Callable[[Path, str], Player]]] = {
    f"{BUILTIN}random": lambda folder, rules: "random",
    f"{BUILTIN}first-legal": _first_legal,
    f"{BUILTIN}collector": _collector,
    f"{BUILTIN}greedy": _greedy,
}
