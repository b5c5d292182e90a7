"""A schedule that grows: what is added comes after what was there, which never moves."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from arena.schedule.handout import Handout
from arena.schedule.keys import Discipline
from arena.schedule.keys import Schedule as Plan
from arena.schedule.kinds.registry import kind_of, pairings
from arena.schedule.schedule import Done, Round, Schedule
from arena.schedule.seeds import Seeds
from arena.values.results import RulesSpec

FIRST, SECOND = Seeds.of("first"), Seeds.of("second")


def table(seats: int, names: str, deals: int = 3, **plan: object) -> Discipline:
    rules = RulesSpec("toy", seats, {}, {})
    return Discipline(f"toy-{seats}", rules, tuple(names), Plan(deals=deals, **plan))  # type: ignore[arg-type]


def listed(seats: int, *met: str, deals: int = 3) -> Discipline:
    names = "".join(sorted({name for pairing in met for name in pairing}))
    pairings = tuple(tuple(each) for each in met)
    return table(seats, names, deals, kind="pairings", pairings=pairings)


BEFORE = Schedule([table(2, "abc"), table(1, "ab")], FIRST)
LATER = [Round((listed(2, "ad", "bd"), table(1, "d")), SECOND)]
GROWN = Schedule([table(2, "abc"), table(1, "ab")], FIRST, later=LATER, left=frozenset("c"))


def test_games_of_earlier_rounds_keep_their_places_and_chance() -> None:
    order = list(BEFORE.order())
    assert list(GROWN.order())[: len(order)] == order
    for block in BEFORE.blocks():
        for game in block.games:
            number = BEFORE.number(game.game_id)
            assert GROWN.number(game.game_id) == number is not None
            assert GROWN.game(game.game_id) == game
            assert GROWN.seeds_at(number) is FIRST


def test_what_is_added_has_numbers_chance_and_seats_of_its_own() -> None:
    added = [block for block in GROWN.blocks() if block.chance is not None]
    games = [game for block in added for game in block.games]
    assert len(games) == 2 * 3 * 2 + 3 == GROWN.games - BEFORE.games
    numbers = [GROWN.number(game.game_id) for game in games]
    assert sorted(numbers) == list(range(BEFORE.numbers, GROWN.numbers))
    for block in added:
        alone = block.games[0].discipline == "toy-1"
        seeds = FIRST if alone else SECOND
        assert block.chance == seeds.chance(block.games)
        for game in block.games:
            assert GROWN.game(game.game_id) == game


def test_who_comes_later_plays_alone_what_the_others_play() -> None:
    deals = {
        game.deal for block in BEFORE.blocks() for game in block.games if game.discipline == "toy-1"
    }
    own = [game for block in GROWN.blocks() for game in block.games if game.entrants == ("d",)]
    assert {game.deal for game in own} == deals
    assert len(own) == 3


def test_what_those_who_left_have_not_played_is_given_up() -> None:
    with_c = {number for number, names in GROWN.order() if "c" in names}
    played = set(sorted(with_c)[:5])
    assert GROWN.given_up(played, frozenset()) == len(with_c) - 5
    assert GROWN.given_up(played, frozenset("c")) == 0
    assert GROWN.given_up(played, frozenset(), "toy-1") == 0
    assert BEFORE.given_up(set(), frozenset()) == 0


def test_places_go_on_over_the_rounds() -> None:
    places = {}
    for number, names in GROWN.order():
        places.setdefault((GROWN.place(number), len(names)), set()).add(names)
    blocks = [place[0] for place, seats in places if seats == 2]
    assert len(blocks) == len(set(blocks)) == 15
    assert {place[1] for place, _ in places} == {0, 1, 2}
    assert places[(0, 0), 1] == {("a",), ("b",), ("d",)}


NAMES = "abcdefgh"


@given(
    seats=st.integers(2, 4),
    there=st.integers(2, 5),
    new=st.integers(1, 3),
    limit=st.none() | st.integers(1, 12),
    focus=st.booleans(),
)
def test_each_newcomer_meets_whom_it_would_have_met(seats, there, new, limit, focus) -> None:
    names = NAMES[: there + new]
    kind = "gauntlet" if focus else "round_robin"
    now = table(seats, names, kind=kind, max_pairings=limit, focus=(names[0],) if focus else ())
    met = kind_of(now.schedule).newcomers(tuple(names), names[there:], seats, now.schedule)
    newcomers = set(names[there:])
    assert len(set(met)) == len(met)
    for pairing in met:
        assert list(pairing) == sorted(set(pairing))
        assert len(pairing) == seats
        assert newcomers.intersection(pairing)
        assert not focus or names[0] in pairing
    if len(names) < seats:
        assert not met
    elif limit is None:
        full = pairings(tuple(names), seats, now.schedule)
        assert set(met) == {each for each in full if newcomers.intersection(each)}
    else:
        assert newcomers == {name for each in met for name in each} & newcomers


def test_nobody_comes_to_a_match() -> None:
    plan = table(2, "ab", kind="match").schedule
    assert kind_of(plan).newcomers(("a", "b"), "b", 2, plan) == ()


def test_a_schedule_that_grows_while_it_is_read_is_that_of_who_reads_it_later() -> None:
    games = [table(2, "abc"), table(1, "ab")]
    left = frozenset("c")
    grows = Schedule(games, FIRST, left=left)
    labelled = [Round((listed(2, "ad", "bc"),), SECOND, "x"), Round((), SECOND), *LATER]
    for known, each in enumerate(labelled, 1):
        seen, done, last = list(grows.order()), Done(grows.numbers), grows.numbers - 1
        done.add(last)
        grows.grow(each)
        done.grow(grows.numbers)
        assert [number for number in range(grows.numbers) if number in done] == [last]
        later = Schedule(games, FIRST, later=labelled[:known], left=left)
        assert [*seen, *grows.order(since=known)] == list(later.order())
        blocks = list(later.blocks())
        assert list(grows.blocks()) == blocks
        handout = Handout(grows, since=known)
        new = [block for block in [handout.next(0) for _ in blocks] if block is not None]
        assert new == blocks[len(blocks) - len(new) :]
        assert bool(new) == bool(each.disciplines)
        assert (grows.numbers, grows.games, grows.rounds) == (later.numbers, later.games, known + 1)
        for number, _ in later.order():
            assert grows.place(number) == later.place(number)
            assert grows.seeds_at(number) == later.seeds_at(number)
    assert grows.numbers_of("x") == range(24, 36)
    assert grows.numbers_of("y") == range(0)


def test_what_was_not_played_when_a_leg_was_over_is_never_played() -> None:
    plan = Schedule([table(2, "abc")], FIRST)
    assert plan.gone(0, ("a", "b")) == []
    plan.grow(Round((listed(2, "ad"),), SECOND))  # of the same leg
    plan.grow(Round((listed(2, "bd"),), SECOND, closes=frozenset("c")))
    legs = [(start, [number for number, _ in games]) for start, games in plan.legs()]
    assert legs == [(0, list(range(24))), (24, list(range(24, 30)))]
    assert [plan.leg_of(number) for number in (0, 23, 24, 29)] == [0, 0, 24, 24]
    lost = {number for number, names in plan.order() if plan.gone(number, names)}
    assert lost == {number for number, names in plan.order() if "c" in names}
    assert not any("c" in game.entrants for block in plan.blocks() for game in block.games)
    plan.grow(Round((listed(2, "cd"),), SECOND))  # back again
    assert sum("c" in game.entrants for block in plan.blocks() for game in block.games) == 6
