"""What a model of a game is asked, with the answers of arena's own rules.

Everything follows from the rules and the seed, and fewer cases are the first of more.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from itertools import islice, zip_longest
from typing import Any, Final, NamedTuple

from arena.games.base import CHANCE, NOBODY, Action, InvalidActionError, Json, Rules
from arena.records.perspective import plain
from arena.results import Outcome
from arena.studies.vectors.exploring import Place, Step, random_game, telling_steps
from arena.studies.vectors.notation import written_state


class Layer(StrEnum):
    """How much a case has in it."""

    STEPS = "steps"
    """One action: what it leads to, and what every seat sees of it."""
    COUNTS = "counts"
    """How many sequences of decisions follow a position."""
    GAMES = "games"
    """A whole game: to what scores its actions lead."""


NEEDED: Final[Mapping[Layer, tuple[str, ...]]] = {
    Layer.STEPS: ("next", "legal"),
    Layer.COUNTS: ("counts",),
    Layer.GAMES: ("scores",),
}
"""What of an answer every model has to give; more is compared where it is given."""


class Case(NamedTuple):
    """One question and its answer, both in plain JSON."""

    question: dict[str, Json]
    answer: dict[str, Json]

    @property
    def line(self) -> dict[str, Json]:
        """Both as one object."""
        return self.question | self.answer


class Wanted(NamedTuple):
    """Which cases of a layer."""

    layer: Layer
    seed: str
    number: int
    """Of steps, deals or games."""
    depth: int = 1
    """Of COUNTS: the longest sequences."""
    divide: bool = False
    """Of COUNTS: whether each first action has a case of its own besides."""


def cases(rules: Rules[Any, Action], wanted: Wanted) -> Iterator[Case]:
    """In a fixed order."""
    kinds: dict[Layer, Callable[..., Iterator[Case]]] = {
        Layer.STEPS: _steps,
        Layer.COUNTS: _counts,
        Layer.GAMES: _games,
    }
    return kinds[wanted.layer](rules, wanted)


def _of(rules: Rules[Any, Action], **where: int) -> dict[str, Json]:
    """With what every question begins."""
    spec = rules.spec
    return {"rules": spec.name, "seats": spec.seats, "options": plain(spec.options), **where}


def _steps(rules: Rules[Any, Action], wanted: Wanted) -> Iterator[Case]:
    for place, step in islice(telling_steps(rules, wanted.seed), wanted.number):
        yield _step(rules, step, place)


def _step(rules: Rules[Any, Action], step: Step, place: Place) -> Case:
    before, legal, action, after = step
    question = {
        **_of(rules, **place._asdict()),
        "state": written_state(before),
        "action": _in_any_order(rules, action) if legal and place.ply % 2 else plain(action),
    }
    answer = {
        "seat": rules.to_act(before) if legal else None,
        "legal": plain(legal),
        "next": written_state(after),
        "observations": [plain(rules.observe(after, seat)) for seat in range(rules.spec.seats)],
        "events": plain(rules.describe(before, action, after)),
        **_ending(rules.outcome(after)),
    }
    return Case(question, answer)


def _in_any_order(rules: Rules[Any, Action], action: Action) -> Json:
    """The action with its lists from the last to the first, if it is the same one."""
    written: dict[str, Json] = plain(action)
    turned = {
        name: value[::-1] if isinstance(value, list) else value for name, value in written.items()
    }
    try:
        return turned if rules.decode_action(turned) == action else written
    except InvalidActionError:
        return written


def _games(rules: Rules[Any, Action], wanted: Wanted) -> Iterator[Case]:
    for game in range(wanted.number):
        steps = [*random_game(rules, wanted.seed, game)]
        question = {
            **_of(rules, game=game),
            "actions": [plain(step.action) for step in steps],
        }
        yield Case(question, _ending(rules.outcome(steps[-1].after)))


def _ending(outcome: Outcome | None) -> dict[str, Json]:
    """Null while the game goes on."""
    if outcome is None:
        return {"scores": None, "places": None}
    return {"scores": [*outcome.scores], "places": [*outcome.places]}


def _counts(rules: Rules[Any, Action], wanted: Wanted) -> Iterator[Case]:
    for deal in range(wanted.number):
        ply, start = _position(rules, wanted, deal)
        where = _of(rules, deal=deal, ply=ply)
        question = {**where, "state": written_state(start), "depth": wanted.depth}
        yield Case(question, {"counts": sequences(rules, start, wanted.depth)})
        if wanted.divide and wanted.depth > 1 and rules.to_act(start) >= 0:
            for action in rules.legal_actions(start):
                after = rules.apply(start, action)
                question = {
                    **where,
                    "first": plain(action),
                    "state": written_state(after),
                    "depth": wanted.depth - 1,
                }
                yield Case(question, {"counts": sequences(rules, after, wanted.depth - 1)})


def _position(rules: Rules[Any, Action], wanted: Wanted, deal: int) -> tuple[int, Any]:
    """After how many actions, and the position: the first decision, or one near the end.

    Of every second deal the one from which the game went on for ``depth`` decisions.
    """
    decisions = deque[tuple[int, Any]](maxlen=wanted.depth)
    for ply, step in enumerate(random_game(rules, wanted.seed, deal)):
        if step.legal:
            decisions.append((ply, step.before))
            if deal % 2 == 0:
                break
    return decisions[0]


def sequences(rules: Rules[Any, Action], state: Any, depth: int) -> list[int]:
    """How many sequences of one decision follow, of two, up to ``depth``.

    None goes on past a chance event or the end: what follows is the same whatever chance brings.
    """
    if rules.to_act(state) in (CHANCE, NOBODY):
        return [0] * depth
    legal = rules.legal_actions(state)
    below = (
        sequences(rules, rules.apply(state, action), depth - 1)
        for action in (legal if depth > 1 else ())
    )
    return [len(legal), *map(sum, zip_longest(*below, fillvalue=0))]
