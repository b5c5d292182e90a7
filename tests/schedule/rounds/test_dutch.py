from __future__ import annotations

from itertools import combinations
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.schedule.rounds.candidates import Candidate, candidates, may_meet
from arena.schedule.rounds.dutch import NoPairing, pair
from arena.schedule.rounds.history import Colour, History, Pairs, Result, after
from tests.schedule.rounds.tournaments import (
    VECTORS,
    before,
    paired,
    play,
    start,
    vector,
    won_by_the_better,
)

FIELDS = st.tuples(st.integers(0, 2**32), st.integers(2, 24), st.integers(2, 9))


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_rounds_are_paired_as_another_program_pairs_them(path: Path) -> None:
    history = vector(path)
    assert history.played >= 3
    for number in range(1, history.played + 1):
        found = pair(before(history, number))
        assert (set(found.pairs), found.bye) == paired(history, number), number


def test_there_are_vectors_with_all_that_can_happen() -> None:
    turns = {
        turn.result for path in VECTORS for each in vector(path).players for turn in each.turns
    }
    assert turns == set(Result)
    assert len(VECTORS) >= 30
    assert sum(bool(vector(path).forbidden) for path in VECTORS) >= 2


@given(FIELDS, st.booleans())
@settings(max_examples=40, deadline=None)
def test_what_no_round_may_break(field: tuple[int, int, int], colours: bool) -> None:
    for history, found in play(*field, pair=lambda each: pair(each, colours=colours)):
        here = [n for each in found.pairs for n in each]
        everybody = {each.number for each in history.players} - history.away.keys()
        bye = [] if found.bye is None else [found.bye]
        assert sorted(here + bye) == sorted(everybody)
        assert len(bye) == len(everybody) % 2
        for each in bye:
            turns = history.players[each - 1].turns
            assert not {turn.result for turn in turns} & {Result.BYE, Result.FULL_BYE}
        played = {
            frozenset((each.number, other)) for each in history.players for other in each.opponents
        }
        assert played.isdisjoint(map(frozenset, found.pairs))


@given(FIELDS)
@settings(max_examples=20, deadline=None)
def test_a_round_depends_on_the_rounds_before_alone(field: tuple[int, int, int]) -> None:
    for history, found in play(*field):
        again = msgspec.json.decode(msgspec.json.encode(history), type=History)
        assert pair(again) == found


@given(st.integers(0, 2**32), st.integers(3, 7), st.integers(2, 6))
@settings(max_examples=40, deadline=None)
def test_the_bye_and_the_first_bracket_are_the_best_of_all_pairings(
    seed: int, players: int, rounds: int
) -> None:
    """C4, C5 and C6, against every complete pairing there is."""
    for history, found in play(seed, players, rounds):
        field = candidates(history, True)
        everything = list(complete(field))
        score = {each.number: each.score for each in field}
        byes = [score[alone.number] for _, alone in everything if alone]
        if byes:
            assert found.bye is not None
            assert score[found.bye] == min(byes)
        top = max(score.values())
        lowest = min(byes, default=None)
        most = max(
            sum(a.score == b.score == top for a, b in pairs)
            for pairs, alone in everything
            if alone is None or alone.score == lowest
        )
        assert sum(score[a] == score[b] == top for a, b in found.pairs) == most


def complete(
    left: list[Candidate],
) -> list[tuple[list[tuple[Candidate, Candidate]], Candidate | None]]:
    """Every pairing that breaks no absolute criterion."""
    if not left:
        return [([], None)]
    found = []
    if len(left) % 2:
        for alone in left:
            if alone.may_have_bye:
                others = [each for each in left if each is not alone]
                found += [(pairs, alone) for pairs, _ in complete(others)]
        return found
    first, *others = left
    for other in others:
        if may_meet(first, other):
            rest = [each for each in others if each is not other]
            found += [([(first, other), *pairs], None) for pairs, _ in complete(rest)]
    return found


def test_the_first_round_pairs_the_halves() -> None:
    assert pair(start(7, 3)) == Pairs(((1, 4), (5, 2), (3, 6)), 7)
    black = msgspec.structs.replace(start(6, 3), first=Colour.BLACK)
    assert pair(black).pairs == ((4, 1), (2, 5), (6, 3))
    assert pair(start(6, 3), colours=False).pairs == ((1, 4), (2, 5), (3, 6))


def test_the_bye_goes_to_whom_has_fewest_unplayed_games() -> None:
    """C9: the late entrant, who is last by number, has missed a round."""
    history = msgspec.structs.replace(start(7, 3), away={7: Result.ZERO_BYE})
    first = pair(history)
    history = after(history, first, won_by_the_better(first))
    assert pair(history).bye == 6
    assert history.score(history.players[6]) == history.score(history.players[5]) == 0


def test_without_colours_the_same_colour_may_be_due_to_both() -> None:
    """Twice white is an absolute wish: C3 keeps these two apart, where colours count."""
    history = start(4, 4)
    for pairs in (((1, 2), (3, 4)), ((1, 4), (3, 2))):
        found = Pairs(pairs)
        history = after(history, found, dict.fromkeys(pairs, (Result.DRAW, Result.DRAW)))
    with pytest.raises(NoPairing):
        pair(history)
    assert pair(history, colours=False).pairs == ((1, 3), (2, 4))


def test_topscorers_may_get_a_colour_thrice_in_the_last_round() -> None:
    history = start(4, 3)
    for pairs in (((1, 2), (3, 4)), ((1, 4), (3, 2))):
        history = after(history, Pairs(pairs), dict.fromkeys(pairs, (Result.WIN, Result.LOSS)))
    with pytest.raises(NoPairing):  # two and four are no topscorers
        pair(history)
    forbidden = msgspec.structs.replace(history, away={2: Result.ZERO_BYE, 4: Result.ZERO_BYE})
    assert {frozenset(each) for each in pair(forbidden).pairs} == {frozenset((1, 3))}


@pytest.mark.parametrize("players", [0, 1, 2, 3])
def test_small_fields(players: int) -> None:
    found = pair(start(players, 3))
    assert found.bye == (players if players % 2 else None)
    assert len(found.pairs) == players // 2


def test_nobody_is_there() -> None:
    everybody_gone = msgspec.structs.replace(
        start(3, 3), away=dict.fromkeys((1, 2, 3), Result.ZERO_BYE)
    )
    assert pair(everybody_gone) == Pairs(())


def test_no_pairing_is_left() -> None:
    history = start(4, 9)
    for _ in range(3):
        found = pair(history, colours=False)
        history = after(history, found, won_by_the_better(found))
    met = {frozenset((each.number, n)) for each in history.players for n in each.opponents}
    assert met == {frozenset(each) for each in combinations(range(1, 5), 2)}
    with pytest.raises(NoPairing):
        pair(history, colours=False)


def test_a_forfeit_is_no_meeting_but_its_winner_has_had_a_bye() -> None:
    history = start(3, 3)
    found = pair(history)
    history = after(history, found, {(1, 2): (Result.FORFEIT_WIN, Result.FORFEIT_LOSS)})
    assert (found.pairs, found.bye) == (((1, 2),), 3)
    assert pair(history).bye == 2


def test_forbidden_pairs_do_not_meet() -> None:
    kept_apart = frozenset({frozenset((1, 3)), frozenset((1, 4))})
    history = msgspec.structs.replace(start(4, 3), forbidden=kept_apart)
    assert pair(history).pairs == ((1, 2), (3, 4))


@pytest.mark.slow
def test_two_hundred_players() -> None:
    for history, found in play(5, 200, 7):
        assert len(found.pairs) * 2 + (found.bye is not None) == 200 - len(history.away)
