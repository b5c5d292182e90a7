"""Dragonheart's final score, counted a second time in the plainest way."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.extensions.games.dragonheart.rules.actions import Play, Shuffle, Starter, Take
from arena.extensions.games.dragonheart.rules.rules import DragonheartRules
from arena.extensions.games.dragonheart.rules.state import Phase
from tests.extensions.games.dragonheart.states import DECK, FFG, KOSMOS, state
from tests.games.games import PlayedGame, play

ROWS = {"dwarf": 4, "huntress": 3, "knight": 2, "ship": 3}
ONE_TARGET = {
    "dwarf": "dwarf",
    "fire_dragon": "treasure",
    "huntress": "fire_dragon",
    "ship": "quay",
    "troll": "sorceress",
}


def naive_outcome(piles: list[list[str]], figure: int | None) -> tuple[list[int], list[int]]:
    """Scores and places: points of the piles, three for the figure, its owner wins a tie."""
    scores = [0, 0]
    for seat in (0, 1):
        for card in piles[seat]:
            scores[seat] += int(card.split(":")[1])
        if figure == seat:
            scores[seat] += 3
    if scores[0] > scores[1]:
        return scores, [1, 2]
    if scores[1] > scores[0]:
        return scores, [2, 1]
    return scores, [[1, 2], [2, 1]][figure] if figure is not None else [1, 1]


@given(
    st.lists(st.sampled_from(DECK), max_size=12),
    st.lists(st.sampled_from(DECK), max_size=12),
    st.none() | st.integers(0, 1),
)
def test_random_score_piles(first: list[str], second: list[str], figure: int | None) -> None:
    end = state(
        phase=Phase.OVER, collected0=" ".join(first), collected1=" ".join(second), figure=figure
    )
    outcome = KOSMOS.outcome(end)
    assert outcome is not None
    scores, places = naive_outcome([first, second], figure)
    assert (list(outcome.scores), list(outcome.places)) == (scores, places)


def naive_piles(game: PlayedGame) -> tuple[list[list[str]], int | None]:
    """What each seat collected and who owns the figure, from the actions alone."""
    board: dict[str, list[str]] = {}
    piles: list[list[str]] = [[], []]
    figure, seat, chooser = None, 0, ""

    def collect(space: str) -> list[str]:
        cards = board.pop(space, [])
        piles[seat].extend(cards)
        return cards

    def move_row(kind: str) -> None:
        row = board.pop(kind, [])
        if kind in ("huntress", "knight"):
            board.setdefault("quay", []).extend(row)

    for ply in game.plies:
        action = ply.action
        if isinstance(action, Shuffle | Starter):
            continue
        if isinstance(action, Play):
            seat = ply.actor
            kind = action.cards[0].split(":")[0]
            board.setdefault(kind, []).extend(action.cards)
            if kind in ROWS and len(board[kind]) < ROWS[kind]:
                continue
            if kind in ("knight", "sorceress"):
                chooser = kind
                first, second = {
                    "knight": ("sorceress", "troll"),
                    "sorceress": ("treasure", "petrified"),
                }[kind]
                if kind in ROWS and not board.get(first) and not board.get(second):
                    move_row(kind)
                continue
            if kind in ONE_TARGET:
                collect(ONE_TARGET[kind])
            if kind in ROWS:
                move_row(kind)
        elif isinstance(action, Take):
            if collect(action.space) and action.space == "petrified":
                figure = seat
            if chooser in ROWS:
                move_row(chooser)
    return piles, figure


@pytest.mark.parametrize("rules", [KOSMOS, FFG], ids=["kosmos", "ffg"])
def test_whole_games(rules: DragonheartRules) -> None:
    for number in range(40):
        game = play(rules.spec, f"naive-{number}")
        outcome = game.rules.outcome(game.plies[-1].after)
        assert outcome is not None
        scores, places = naive_outcome(*naive_piles(game))
        assert (list(outcome.scores), list(outcome.places)) == (scores, places)
