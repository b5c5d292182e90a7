from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.extensions.rounds.pairing.bracket import begun, first_round, layout, order
from arena.extensions.rounds.pairing.heats import (
    DecidedBy,
    Event,
    Knockout,
    KnockoutState,
    KnockoutWithdrawal,
    Seeding,
    Tie,
    TieDecision,
    deal,
    seeds,
)
from arena.games.luck import Luck

LUCK = Luck(b"knockout")
EQUAL = Seeding.EQUAL_DISTANCE
PLANS = st.one_of(
    st.builds(
        Knockout,
        lives=st.just(1),
        seeding=st.sampled_from(Seeding),
        seeded=st.none() | st.integers(0, 4),
        third_place=st.booleans(),
    ),
    st.builds(
        Knockout, lives=st.just(2), seeding=st.sampled_from(Seeding), second_final=st.booleans()
    ),
    st.builds(
        Knockout,
        seats=st.sampled_from((3, 4)),
        advance=st.sampled_from((1, 2)),
        seeding=st.sampled_from(Seeding),
    ),
)


def names(count: int) -> tuple[str, ...]:
    return tuple(f"bot-{number:02}" for number in range(1, count + 1))


def won(tie: Tie, *order: str) -> TieDecision:
    """Decided in this order, of some or all of its entrants."""
    rest = [name for name in tie.entrants if name not in order]
    ranks = (*order, *rest)
    return TieDecision(tie.id, {name: (Fraction(-ranks.index(name)),) for name in tie.entrants})


def fold(
    entrants: Sequence[str], plan: Knockout, luck: Luck, events: Iterable[Event]
) -> KnockoutState:
    """The state after the events, in order."""
    course = begun(entrants, plan, luck)
    for event in events:
        course.apply(event)
    return course.state


def play(
    entrants: tuple[str, ...],
    plan: Knockout,
    chance: random.Random,
    quits: float = 0,
    upsets: float = 0.4,
) -> tuple[KnockoutState, list[Event]]:
    """A whole knockout, in which the better seed wins if chance does not want otherwise."""
    events: list[Event] = []
    state = fold(entrants, plan, LUCK, events)
    for _ in range(10 * len(entrants) + 10):
        if state.is_over:
            return state, events
        if chance.random() < quits:
            events.append(KnockoutWithdrawal(chance.choice(entrants)))
        else:
            tie = chance.choice(state.open)
            best = list(tie.entrants)
            if chance.random() < upsets:
                chance.shuffle(best)
            events.append(won(tie, *best))
        state = fold(entrants, plan, LUCK, events)
    raise AssertionError("it never ends")


@pytest.mark.parametrize(
    ("slots", "seeding", "expected"),
    [
        (8, Seeding.STANDARD, [1, 8, 4, 5, 2, 7, 3, 6]),
        (8, EQUAL, [1, 5, 3, 7, 2, 6, 4, 8]),
        (2, EQUAL, [1, 2]),
    ],
)
def test_seeds_stand_so_that_the_best_meet_late(slots, seeding, expected) -> None:
    assert order(slots, seeding) == expected


@given(st.integers(1, 70), st.sampled_from(Seeding))
def test_byes_go_to_the_best_seeds_and_all_in_the_first_round(entrants, seeding) -> None:
    pairs = first_round(entrants, seeding)
    real = sorted(seed for pair in pairs for seed in pair if seed <= entrants)
    assert real == list(range(1, entrants + 1))
    byes = sorted(one for one, other in pairs if other > entrants)
    assert byes == list(range(1, len(byes) + 1))
    assert all(one < other for one, other in pairs)


def test_ties_of_the_first_round() -> None:
    assert set(first_round(16, Seeding.STANDARD)) >= {(1, 16), (8, 9), (2, 15)}
    assert set(first_round(16, EQUAL)) >= {(1, 9), (8, 16), (2, 10)}
    assert set(first_round(6, EQUAL)) == {(1, 7), (2, 8), (3, 5), (4, 6)}


@given(st.integers(1, 14), PLANS, st.integers(0, 2**32))
def test_every_knockout_ends_with_a_place_for_everybody(entrants, plan, seed) -> None:
    state, _ = play(names(entrants), plan, random.Random(seed))
    assert state.winner is not None
    assert state.places.keys() == set(names(entrants))
    assert state.places[state.winner] == 1
    counts = Counter(state.places.values())
    below = 1
    for place in sorted(counts):
        assert place == below
        below += counts[place]


@given(st.integers(1, 14), PLANS, st.integers(0, 2**32))
def test_withdrawals_half_way(entrants: int, plan: Knockout, seed: int) -> None:
    state, events = play(names(entrants), plan, random.Random(seed), quits=0.2)
    decided: dict[str, Tie] = {}
    for count in range(len(events) + 1):
        before = fold(names(entrants), plan, LUCK, events[:count])
        known = {tie.id: tie for ties in before.rounds for tie in ties if tie.by}
        assert decided.items() <= known.items()  # what was decided stands
        decided = known
        gone = {event.name for event in events[:count] if isinstance(event, KnockoutWithdrawal)}
        for tie in before.open:
            assert gone.isdisjoint(tie.entrants)
            assert len(tie.entrants) >= 2
    assert state.places.keys() == set(names(entrants))


@given(st.integers(2, 20), st.booleans())
@settings(max_examples=20, deadline=None)
def test_how_many_ties_there_are(entrants: int, second: bool) -> None:
    def played(plan: Knockout, chance: random.Random) -> int:
        state, _ = play(names(entrants), plan, chance)
        return sum(tie.by is not DecidedBy.WALKOVER for ties in state.rounds for tie in ties)

    chance = random.Random(entrants)
    third = entrants > 3
    assert played(Knockout(), chance) == entrants - 1
    assert played(Knockout(third_place=True), chance) == entrants - 1 + third
    double = played(Knockout(lives=2, second_final=second), chance)
    assert double in (2 * entrants - 2, 2 * entrants - 1 - (not second))


def test_with_no_upsets_the_seeds_are_the_places() -> None:
    for plan in (Knockout(), Knockout(seeding=EQUAL), Knockout(lives=2)):
        state, _ = play(names(8), plan, random.Random(1), upsets=0)
        assert [state.places[name] for name in names(4)][:2] == [1, 2]
        assert max(state.places.values()) <= 7
    third, _ = play(names(8), Knockout(third_place=True), random.Random(1), upsets=0)
    assert [third.places[name] for name in names(4)] == [1, 2, 3, 4]


def test_losers_meet_again_as_late_as_can_be() -> None:
    """In the second round of the losers their new opponents come from the other half."""
    rounds = layout(8, Knockout(lives=2))
    ids = [[tie for tie, _, _ in ties] for ties in rounds]
    assert [len(ties) for ties in ids] == [4, 2, 2, 2, 1, 1, 1, 1]
    first = {slot.tie for slot in rounds[1][0][1:] if not isinstance(slot, int)}
    falling = rounds[3][0][1]
    assert first == {"winners 1.1", "winners 1.2"}
    assert not isinstance(falling, int)
    assert (falling.tie, falling.loser) == ("winners 2.2", True)


def test_the_second_final_is_played_if_the_first_is_lost_by_whom_nobody_had_beaten() -> None:
    plan = Knockout(lives=2)
    events: list[Event] = [won(fold(names(2), plan, LUCK, []).open[0], "bot-01")]
    final = fold(names(2), plan, LUCK, events).open
    assert [tie.id for tie in final] == ["final"]
    events.append(won(final[0], "bot-02"))
    state = fold(names(2), plan, LUCK, events)
    assert not state.is_over
    assert [tie.id for tie in state.open] == ["second final"]
    state = fold(names(2), plan, LUCK, [*events, won(state.open[0], "bot-01")])
    assert (state.winner, state.places) == ("bot-01", {"bot-01": 1, "bot-02": 2})
    once = fold(names(2), Knockout(lives=2, second_final=False), LUCK, events)
    assert once.winner == "bot-02"


def test_a_tie_is_decided_by_its_numbers_in_turn_and_then_by_the_seed() -> None:
    half = Fraction(1, 2)
    even = dict.fromkeys(names(2), (half,))
    state = fold(names(2), Knockout(), LUCK, [TieDecision("final", even)])
    assert (state.winner, state.rounds[0][0].by) == ("bot-01", DecidedBy.SEED)
    broken = {"bot-01": (half, Fraction(3)), "bot-02": (half, Fraction(4))}
    state = fold(names(2), Knockout(), LUCK, [TieDecision("final", broken)])
    assert (state.winner, state.rounds[0][0].by) == ("bot-02", DecidedBy.PLAY)


def test_a_withdrawal_gives_the_open_tie_away_and_leaves_the_decided_ones() -> None:
    plan = Knockout()
    first = fold(names(4), plan, LUCK, []).open
    events: list[Event] = [
        won(first[0], "bot-04"),
        KnockoutWithdrawal("bot-04"),
        won(first[1], "bot-03"),
    ]
    state = fold(names(4), plan, LUCK, events)
    assert (state.winner, state.is_over) == ("bot-03", True)
    assert state.rounds[0][0].order == ("bot-04", "bot-01")
    assert state.places == {"bot-03": 1, "bot-04": 2, "bot-01": 3, "bot-02": 3}


def test_nobody_is_left() -> None:
    for plan in (Knockout(), Knockout(lives=2), Knockout(seats=4, advance=2)):
        state = fold(names(6), plan, LUCK, [KnockoutWithdrawal(name) for name in names(6)])
        assert (state.is_over, state.open) == (True, ())
        assert state.places.keys() == set(names(6))


def test_the_snake_and_the_equal_distance_of_tables() -> None:
    apart: frozenset[frozenset[str]] = frozenset()
    plan = Knockout(seats=4, advance=2)
    tables = deal(names(16), plan, apart)
    assert tables[0] == ["bot-01", "bot-08", "bot-09", "bot-16"]
    equal = deal(names(16), Knockout(seats=4, advance=2, seeding=EQUAL), apart)
    assert equal[0] == ["bot-01", "bot-05", "bot-09", "bot-13"]


def test_byes_are_for_the_best() -> None:
    plan = Knockout(seats=4, advance=2)
    assert deal(names(7), plan, frozenset()) == [[*names(7)[3:]]]
    odd = fold(names(5), plan, LUCK, [])
    assert [tie.entrants for tie in odd.open] == [names(5)[1:]]


def test_who_has_met_is_kept_apart() -> None:
    plan = Knockout(seats=4, advance=2)
    events: list[Event] = [won(tie, *tie.entrants) for tie in fold(names(16), plan, LUCK, []).open]
    state = fold(names(16), plan, LUCK, events)
    before = [set(tie.entrants) for tie in state.rounds[0]]
    for tie in state.open:
        assert max(len(set(tie.entrants) & table) for table in before) == 1


def test_a_draw_is_from_the_seed_and_keeps_the_best() -> None:
    drawn = seeds(names(16), Knockout(seeded=4), LUCK)
    assert drawn[:4] == names(4)
    assert drawn != names(16)
    assert sorted(drawn) == sorted(names(16))
    assert drawn == seeds(names(16), Knockout(seeded=4), Luck(b"knockout"))
    assert drawn != seeds(names(16), Knockout(seeded=4), Luck(b"another"))


@pytest.mark.parametrize(
    "event",
    [TieDecision("2.1", {"bot-01": ()}), TieDecision("1.9", {}), KnockoutWithdrawal("nobody")],
)
@pytest.mark.parametrize("plan", [Knockout(), Knockout(seats=4, advance=2)])
def test_what_cannot_have_happened(event: Event, plan: Knockout) -> None:
    with pytest.raises(ValueError, match="not"):
        fold(names(16), plan, LUCK, [event])


def test_numbers_of_others_decide_nothing() -> None:
    for tie, plan in (("1.2", Knockout()), ("final", Knockout(seats=3))):
        with pytest.raises(ValueError, match="is not one of"):
            fold(names(3), plan, LUCK, [TieDecision(tie, {"x": (), "y": ()})])


def test_rules_that_do_not_fit() -> None:
    for wrong in ({"advance": 2}, {"lives": 2, "third_place": True}, {"seats": 3, "lives": 2}):
        with pytest.raises(ValueError, match=r"two lives|cannot go on"):
            Knockout(**wrong)  # type: ignore[arg-type]
