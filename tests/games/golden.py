"""One readable transcript per title, table size and option: kept in ``golden/``, held by a test.

``python -m tests.games.golden`` writes them anew; ``--print`` shows them instead.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from arena.games.base import CHANCE
from arena.values.results import RulesSpec
from tests.games.games import PlayedGame, label, play, single_specs, to_json

FOLDER: Final = Path(__file__).parent / "golden"
BEGINNING: Final = 60
END: Final = 10
"""How many plies of a long game are shown."""
LEGAL_SHOWN: Final = 12
OBSERVE_EVERY: Final = 32
"""A transcript shows what the seats observe at every such ply, and at the end."""


def transcripts() -> Iterator[tuple[str, str]]:
    """File name and text of every transcript."""
    for spec in single_specs():
        yield file_name(spec), transcript(spec)


def file_name(spec: RulesSpec) -> str:
    """Where its transcript lies, in the folder."""
    return f"{label(spec)}.txt"


def transcript(spec: RulesSpec) -> str:
    """One random game: actions, events and now and then the observations.

    Of a long game the beginning and the end, and a checksum of what lies between.
    """
    game = play(spec, f"golden {label(spec)}")
    head = f"{spec.name}, {spec.seats} seats, {to_json(spec.options)}\n"
    plies = ["\n".join(_ply(game, index)) + "\n" for index in range(len(game.plies))]
    between = plies[BEGINNING:-END]
    if between:
        checksum = zlib.crc32("".join(between).encode())
        plies[BEGINNING:-END] = [f"\n… {len(between)} plies, {checksum:08x}\n"]
    end = game.plies[-1].after
    outcome = game.rules.outcome(end)
    assert outcome is not None
    result = f"scores {to_json(outcome.scores)}, places {to_json(outcome.places)}"
    over = ["", "over", *_observations(game, end), result]
    return head + "".join(plies) + "\n".join(over) + "\n"


def _ply(game: PlayedGame, index: int) -> Iterator[str]:
    actor, before, action, after = game.plies[index]
    yield ""
    if actor == CHANCE:
        yield f"ply {index}: chance {to_json(action)}"
    else:
        if index % OBSERVE_EVERY == 0:
            yield from _observations(game, before)
        yield f"ply {index}: seat {actor} {to_json(action)}"
        yield "  of " + _legal(game.rules.legal_actions(before))
    for seat, event in enumerate(game.rules.describe(before, action, after)):
        if event is not None:
            yield f"  seat {seat} sees {to_json(event)}"


def _legal(actions: Sequence[object]) -> str:
    """The actions; of a long list the first ones, its length and a checksum of all."""
    shown = [to_json(action) for action in actions]
    if len(shown) <= LEGAL_SHOWN:
        return " ".join(shown)
    checksum = zlib.crc32("\n".join(shown).encode())
    return " ".join([*shown[:LEGAL_SHOWN], f"… {len(shown)} in all, {checksum:08x}"])


def _observations(game: PlayedGame, state: object) -> Iterator[str]:
    for seat in game.seats:
        yield f"  seat {seat} observes {to_json(game.rules.observe(state, seat))}"


def main(arguments: list[str]) -> None:
    """Write the transcripts, or print them."""
    FOLDER.mkdir(exist_ok=True)
    for name, text in transcripts():
        if "--print" in arguments:
            sys.stdout.write(text)
        else:
            (FOLDER / name).write_text(text, "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
