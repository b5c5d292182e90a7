"""DK-55: the greedy player against itself goes round in circles, until the third time."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from arena.extensions.authors.contract.checks import CHECKS, CheckFunction, determinism
from arena.extensions.games.dragonkrak.rules.cards import MAX_TURNS
from arena.extensions.games.dragonkrak.rules.state import TURN_BEGINS, Phase, State
from arena.games.base import CHANCE, NOBODY, Transition
from arena.games.luck import Luck, derive_key
from arena.values.results import Outcome
from tests.extensions.games.dragonkrak.states import check_state, dragonkrak, redeal
from tests.games.games import PlayedGame, greedy
from tests.games.titles import known

DEALS = 30


GREEDY = greedy("dragonkrak")


@cache
def game(seats: int, deal: int) -> PlayedGame:
    """Greedy players on every seat."""
    rules = dragonkrak(seats)
    luck = Luck(derive_key("circles", str(deal)))
    position: Any = rules.initial_state()
    plies = []
    while (actor := rules.to_act(position)) != NOBODY:
        action: Any
        if actor == CHANCE:
            action = rules.chance(position, luck)
        else:
            legal = rules.legal_actions(position)
            seen = msgspec.to_builtins([rules.observe(position, actor), list(legal)])
            action = legal[GREEDY.choose({"observation": seen[0], "legal": seen[1]})]
        after = rules.apply(position, action)
        plies.append(Transition(actor, position, action, after))
        position = after
    return PlayedGame(rules, f"circles {deal}", tuple(plies))


def last_of(played: PlayedGame) -> State:
    last = played.plies[-1].after
    assert isinstance(last, State)
    return last


def circles(seats: int) -> list[PlayedGame]:
    played = [game(seats, deal) for deal in range(DEALS)]
    return [each for each in played if last_of(each).repeated == 2]


def whole(position: State) -> State:
    """The position in which a turn begins, hidden cards included, without what is counted."""
    return replace(position, turn=0, past=(), repeated=0)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_third_time_ends_the_game_and_nothing_before(seats: int) -> None:
    """Compared by the whole positions, while the rules compare what is open."""
    for deal in range(DEALS):
        played = game(seats, deal)
        count: Counter[State] = Counter()
        for before, after in zip(played.states, played.states[1:], strict=False):
            if after.turn > max(before.turn, 1):
                assert after.repeated == count[whole(after)] < 2
                count[whole(after)] += 1
        last = last_of(played)
        assert last.turn < MAX_TURNS
        following = (last.seat + 1) % seats
        next_turn = replace(last, phase=Phase.TACTICS, seat=following, progress=TURN_BEGINS)
        assert (last.repeated == 2) == (count[whole(next_turn)] == 2)


def test_two_greedy_players_do_go_round_in_circles() -> None:
    assert circles(2)
    assert not circles(3) + circles(4)


def test_the_cards_left_place_the_seats() -> None:
    for played in circles(2):
        last = last_of(played)
        left = tuple(len(side.hand + side.camp) for side in last.sides)
        assert all(left)
        places = tuple(1 + sum(other < own for other in left) for own in left)
        assert played.rules.outcome(last) == Outcome(left, places, "DK-55")
        check_state(played.rules, last)


def test_everybody_is_told() -> None:
    played = circles(2)[0]
    events = [played.rules.describe(*ply[1:]) for ply in played.plies]
    assert [event.repeated for event in events[-1] if event is not None] == [2, 2]
    assert [event.over for event in events[-1] if event is not None] == [True, True]
    twice = next(n for n, seen in enumerate(events) if seen[0] is not None and seen[0].repeated)
    after = played.plies[twice].after
    for seat in played.seats:
        assert msgspec.to_builtins(played.rules.observe(after, seat))["repeated"] == 1


def test_what_is_hidden_makes_no_difference() -> None:
    """Whatever a seat cannot see, it sees the same repetitions."""
    for played in circles(2):
        for index in range(len(played.plies) - 40, len(played.plies)):
            ply = played.plies[index]
            for seat in played.seats:
                other = redeal(played.rules, ply, seat, Luck(derive_key("hidden", index, seat)))
                seen = played.rules.describe(*ply[1:])[seat]
                assert played.rules.describe(*other[1:])[seat] == seen
                assert other.after.repeated == ply.after.repeated


@pytest.mark.parametrize("check", [each for each in CHECKS if each is not determinism])
def test_games_that_end_so_keep_all_promises(check: CheckFunction) -> None:
    for played in circles(2)[:3]:
        check(played, known("dragonkrak"))
