"""In which order submissions are looked at, and when."""

from __future__ import annotations

from arena.ladder.book import Bot
from arena.ladder.intake import Found
from arena.ladder.turns import STRETCH, Turns
from tests.ladder.ladders import FakeClock


def found(name: str, age: float) -> Found:
    author, bot = name.split(".")
    return Found(Bot(author, bot), (author, bot), None, age=age)


def test_authors_take_turns_and_who_waits_longest_is_first() -> None:
    clock = FakeClock()
    turns = Turns(clock)
    lying = [found("anna.x", 90), found("anna.y", 80), found("bert.x", 10), found("carl.x", 20)]
    assert [each.bot.name for each in turns.in_order(lying)] == [
        *("anna.x", "carl.x", "bert.x", "anna.y")
    ]
    clock.passed += 5
    with turns.taken("carl"):
        pass
    assert [each.bot.name for each in turns.in_order(lying)] == [
        *("anna.x", "bert.x", "carl.x", "anna.y")
    ]


def test_looking_takes_ten_minutes_at_a_stretch_and_half_of_the_time() -> None:
    clock = FakeClock()
    turns = Turns(clock)

    def look(seconds: float) -> None:
        assert turns.is_time()
        with turns.taken("anna"):
            clock.passed += seconds

    for _ in range(10):
        look(STRETCH / 10)
    assert not turns.is_time()
    clock.passed += 1
    look(STRETCH)
    clock.passed += STRETCH - 2
    assert not turns.is_time()
    clock.passed += 2
    assert turns.is_time()
    clock.passed += 100 * STRETCH  # nothing is saved up
    look(2 * STRETCH)
    assert not turns.is_time()
    began, looked = clock.passed, 0.0
    while clock.passed < began + 50 * STRETCH:
        if turns.is_time():
            look(STRETCH / 2)
            looked += STRETCH / 2
        else:
            clock.passed += 7.0
    assert looked <= 25 * STRETCH
