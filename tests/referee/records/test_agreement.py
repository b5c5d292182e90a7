"""Games end when the evaluations of both bots agree, and never by the word of one of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from arena.referee.records.format import AgreementSoFar, Record
from arena.referee.records.read import RecordError
from arena.referee.records.replay import verify
from arena.values.results import Adjudicate, AgreedDraw, GameDone, Resign, Termination
from tests.nim.nim_game import NimRules
from tests.referee.records.games import changed, read, with_plies
from tests.referee.scripted import SECRET, Scripted, action, play

RULES = NimRules(2, {}, {})
BOTH = Adjudicate(Resign(2, 5.0), AgreedDraw(2, 0.5, 2))
LONG = Adjudicate(Resign(3, 5.0), AgreedDraw(3, 0.5, 3))


def said(*infos: Any) -> Scripted:
    """A bot that takes the first action and adds these remarks."""
    return Scripted([lambda asked, i=info: action(asked["id"], 0, info=i) for info in infos])


def game(first: Sequence[Any], second: Sequence[Any], adjudicate: Adjudicate = BOTH) -> GameDone:
    evals = [[{"eval": each} for each in own] for own in (first, second)]
    return play(*(said(*own) for own in evals), rules=RULES, adjudicate=adjudicate)


@pytest.mark.parametrize(
    ("first", "second", "ended", "places"),
    [
        ([5, 9.5], [-7, -5], "agreed-win", (1, 2)),
        ([-5, -5], [5, 5], "agreed-win", (2, 1)),
        ([0, 0.5], [0, -0.5], "agreed-draw", (1, 1)),
    ],
)
def test_a_game_on_which_both_agree_ends_and_is_proven(first, second, ended, places) -> None:
    played = game(first, second)
    result = played.result
    assert (result.termination, result.ruling) == (Termination.ADJUDICATED, ended)
    assert (result.places, result.scores, result.faults) == (places, None, ())
    verify(read(played.record), RULES, SECRET)


LIES: dict[str, tuple[list[Any], list[Any]]] = {
    "says it wins": ([999, 999], [0.6, 0.6]),
    "says it wins and the other says nothing": ([999, 999], [None, "-9"]),
    "says the other loses": ([999, 999], [4.9, 9]),
    "offers a draw when it is lost": ([0, 0], [5, 5]),
    "both say they win": ([9, 9], [9, 9]),
    "both say they lose": ([-9, -9], [-9, -9]),
    "not often enough in a row": ([9, 9], [-9, -4]),
    "no number": ([True, {"a": 1}], [False, []]),
    "nonsense": ([1e300, 1e300], [-1e300, -1e300]),
}


@pytest.mark.parametrize("name", LIES)
def test_a_bot_gets_nothing_by_its_own_word(name: str) -> None:
    played = game(*LIES[name])
    assert played.result.termination is Termination.COMPLETED
    assert played.result.ruling == ""
    verify(read(played.record), RULES, SECRET)


def test_a_draw_counts_only_after_so_many_decisions() -> None:
    agreement = AgreementSoFar(Adjudicate(draw=AgreedDraw(moves=1, eval=0.1, after=3)))
    for number in range(6):
        assert agreement.found is None
        agreement.add(number % 2, {"eval": 0})
    assert agreement.found is not None


def test_a_forged_agreement_is_found() -> None:
    agreed, other = read(game([5, 5], [-5, -5]).record), read(game([0, 0], [9, 9], LONG).record)
    silent = (msgspec.structs.replace(ply, info=None) for ply in agreed.plies)
    lost = {"termination": Termination.ADJUDICATED, "places": (2, 1), "ruling": "agreed-win"}
    early = Adjudicate(Resign(1, 5.0))
    forgeries: dict[str, tuple[Record, str]] = {
        "places": (changed(agreed, "end", places=(2, 1)), "expected adjudicated by agreed-win"),
        "ending": (changed(agreed, "end", termination=Termination.COMPLETED), "found completed"),
        "remarks": (with_plies(agreed, *silent), "found adjudicated|not over"),
        "never agreed": (changed(other, "end", scores=None, **lost), "found adjudicated"),
        "no policy": (changed(agreed, "header", adjudicate=msgspec.UNSET), "adjudicated|not over"),
        "too late": (changed(agreed, "header", adjudicate=early), "a ply after agreed-win"),
    }
    for record, why in forgeries.values():
        with pytest.raises(RecordError, match=why):
            verify(record, RULES, SECRET)
