from __future__ import annotations

from collections.abc import Set
from itertools import combinations, permutations
from pathlib import Path
from typing import TypeAlias

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.extensions.rounds.pairing.candidates import Candidate, candidates, may_meet
from arena.extensions.rounds.pairing.dutch import NoPairing, pair
from arena.extensions.rounds.pairing.history import Colour, History, Pairs, Result
from tests.extensions.rounds.pairing.tournaments import (
    VECTORS,
    after,
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
def test_the_bye_and_the_first_bracket_are_the_best_of_all_pairings(seed, players, rounds) -> None:
    """C4, C5 and C6, against every complete pairing there is."""
    for history, found in play(seed, players, rounds):
        field = candidates(history, True)
        if not field:  # nobody is there
            continue
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


WON, LOST = (Result.WIN, Result.LOSS), (Result.LOSS, Result.WIN)


def test_the_bye_goes_to_the_lowest_score_that_can_have_it() -> None:
    """C5, as in the case dutch_2025_C5 of bbpPairings (J. Bierema, Apache-2.0), told anew: four,
    who has as few points as six, is not there."""
    history = start(6, 3)
    history = after(
        history, Pairs(((1, 4), (5, 2), (3, 6))), {(1, 4): WON, (5, 2): LOST, (3, 6): WON}
    )
    history = after(
        history,
        Pairs(((2, 1), (4, 3), (6, 5))),
        {(2, 1): LOST, (4, 3): LOST, (6, 5): LOST},
        away={4: Result.ZERO_BYE},
    )
    assert pair(history) == Pairs(((1, 5), (3, 2)), 6)


def test_the_bye_goes_to_whom_has_played_and_not_to_whom_came_late() -> None:
    """C9, as in the case dutch_2025_C9 of bbpPairings (J. Bierema, Apache-2.0), told anew."""
    history = msgspec.structs.replace(start(5, 3), away={5: Result.ZERO_BYE})
    history = after(history, Pairs(((1, 3), (4, 2))), {(1, 3): WON, (4, 2): LOST})
    assert pair(history) == Pairs(((2, 1), (3, 5)), 4)


Exchange: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]
"""Who goes from the upper half to the lower one, and back; by places from 1."""


def preference(exchange: Exchange) -> object:
    """Article 4.3.3, least first: how many, the difference of their sums, the highest of those who
    go down, the lowest of those who go up."""
    down, up = exchange
    return (
        len(down),
        sum(up) - sum(down),
        [-each for each in sorted(down, reverse=True)],
        sorted(up),
    )


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (((5,), (6,)), ((4, 5), (6, 7))),
        (((4,), (6,)), ((5,), (8,))),
        (((3, 4), (6, 8)), ((4, 5), (8, 9))),
        (((5,), (7,)), ((4,), (6,))),
        (((2, 5), (6, 8)), ((3, 4), (6, 8))),
        (((1, 4, 5), (6, 7, 9)), ((2, 3, 5), (6, 7, 9))),
        (((4, 5), (6, 9)), ((4, 5), (7, 8))),
        (((3, 4, 5), (6, 7, 10)), ((3, 4, 5), (6, 8, 9))),
    ],
)
def test_exchanges_are_preferred_as_in_the_examples_of_the_handbook(better, worse) -> None:
    assert preference(better) < preference(worse)  # type: ignore[operator]


def first_by_article_4(players: int, apart: Set[frozenset[int]]) -> Pairs | None:
    """Of all pairings of one bracket, tried in order; every two who are not apart may meet."""
    half = players // 2
    upper, lower = range(1, half + 1), range(half + 1, players + 1)
    exchanges = [
        (down, up)
        for size in range(half + 1)
        for down in combinations(upper, size)
        for up in combinations(lower, size)
    ]
    for down, up in sorted(exchanges, key=preference):  # type: ignore[arg-type]
        ones = sorted({*upper, *up} - {*down})
        others = sorted({*lower, *down} - {*up})
        for order in permutations(others):  # in the order of transpositions
            pairs = tuple(zip(ones, order, strict=False))
            if apart.isdisjoint(map(frozenset, pairs)):
                return Pairs(tuple(sorted(pairs)), order[half] if players % 2 else None)
    return None


@given(st.integers(2, 8), st.data())
def test_transpositions_and_exchanges_come_in_their_order(players, data) -> None:
    """Article 4, against trying them one by one."""
    every = [frozenset(each) for each in combinations(range(1, players + 1), 2)]
    apart = data.draw(st.frozensets(st.sampled_from(every), max_size=len(every) * 2 // 3))
    history = msgspec.structs.replace(start(players, 3), forbidden=apart)
    expected = first_by_article_4(players, apart)
    try:
        found = pair(history, colours=False)
    except NoPairing:
        assert expected is None
        return
    assert expected is not None
    assert {frozenset(each) for each in found.pairs} == {frozenset(each) for each in expected.pairs}
    assert found.bye == expected.bye


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
@pytest.mark.soak
def test_two_hundred_players() -> None:
    for history, found in play(5, 200, 7):
        assert len(found.pairs) * 2 + (found.bye is not None) == 200 - len(history.away)
