"""In which order submissions are looked at, and when."""

from __future__ import annotations

from arena.extensions.ladder.book import LadderBot
from arena.extensions.ladder.days import STRETCH, Turns
from arena.extensions.ladder.intake import SubmittedFolder
from tests.extensions.ladder.ladders import FakeClock


def found(name: str, age: float) -> SubmittedFolder:
    author, bot = name.split(".")
    return SubmittedFolder(LadderBot(author, bot), (author, bot), None, age=age)


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


def slowed_by(build: float, day: float, uploads: int) -> float:
    """Return the time of checks over that of play, with one author who always has another build."""
    clock = FakeClock()
    turns = Turns(clock)
    checked = 0.0
    while clock.passed < day:
        if uploads and turns.is_time("eve"):
            with turns.taken("eve"):
                clock.passed += build
            checked += build
            uploads -= 1
        else:
            clock.passed += 7.0
    return checked / (day - checked)


def test_one_author_slows_play_by_less_than_a_tenth() -> None:
    for build in (5.0, 60.0, 600.0):
        for hours in (6, 8, 24, 72):
            for uploads in (5, 1_000_000):
                assert slowed_by(build, hours * 3600.0, uploads) < 0.10, (build, hours, uploads)


def test_an_author_pays_for_long_checks_alone() -> None:
    clock = FakeClock()
    turns = Turns(clock)
    for seconds in (10.0, 10.0, 10.0, 600.0):
        assert turns.is_time("anna")
        with turns.taken("anna"):
            clock.passed += seconds
    clock.passed += 100.0
    assert turns.is_time()
    assert turns.is_time("bert")
    assert not turns.is_time("anna")
    assert 11_000 < turns.wait("anna") < 20 * (630 - 60)
    lying = [found("anna.x", 90), found("bert.x", 10), found("bert.y", 5)]
    assert [each.bot.name for each in turns.in_order(lying)] == ["bert.x", "bert.y", "anna.x"]
    clock.passed += turns.wait("anna") + 1
    assert turns.is_time("anna")
    assert turns.wait("anna") == 0.0
