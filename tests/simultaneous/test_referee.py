"""Seats that decide at once are asked at once; the game is that of asking one after the other."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.games.base import Rules
from arena.games.installed import GameError
from arena.games.registry import built
from arena.referee.channel import Reply, Silence
from arena.referee.joint import Steps, Wait
from arena.referee.records.format import Record
from arena.referee.records.perspective import seat_views
from arena.referee.records.read import RecordError, parse, unpack
from arena.referee.records.replay import steps, verify
from arena.referee.session import RulesBroken
from arena.values.results import Adjudicate, Fault, FaultKind, GameDone, Resign, Seat, TimeControl
from tests.referee.scripted import SECRET, Late, Scripted, action, play
from tests.simultaneous import cycles_game, goofspiel_game

BAD = b"?"
GAMES = {"goofspiel": goofspiel_game.GAME, "cycles": cycles_game.GAME}


class Joint(Scripted):
    """A scripted bot that can be asked at once with others."""

    is_joint = True

    def asking(self, question: bytes, allowance: int | None) -> Steps[Reply]:
        question = bytes(question)
        yield Wait(0.0, {})
        return self.ask(question, allowance)


class OneByOne:
    """Rules without the optional method."""

    def __init__(self, rules: Rules[Any, Any]) -> None:
        self.right = rules

    def __getattr__(self, name: str) -> Any:
        if name == "simultaneous":
            raise AttributeError(name)
        return getattr(self.right, name)


def heard(bot: Scripted) -> list[dict[str, Any]]:
    return [message | {"id": ""} for message in bot.received]


def record_of(played: GameDone) -> Record:
    return parse(unpack(played.record))[0]


def chosen(number: int) -> Any:
    """An answer: this legal action, counted around."""
    return lambda asked: action(asked["id"], number % len(asked["legal"]))


choices = st.lists(st.integers(0, 11).map(chosen), max_size=8)


@given(st.data(), st.sampled_from(sorted(GAMES)), st.integers(2, 4))
def test_the_game_is_the_same_as_asking_one_after_the_other(data, name: str, seats: int) -> None:
    rules: Any = built(GAMES[name], seats)
    scripts: list[list[Any]] = [data.draw(choices) for _ in range(seats)]
    wants = [data.draw(st.sampled_from(["observation", "events"])) for _ in range(seats)]
    for seat in data.draw(st.permutations(range(seats)))[: max(0, seats - 2)]:
        scripts[seat][data.draw(st.integers(0, 3)) :] = [BAD]
    found = []
    for how, kind in ((rules, Joint), (OneByOne(rules), Joint), (rules, Scripted)):
        bots = [
            kind(script, [wanted, "legal"]) for script, wanted in zip(scripts, wants, strict=True)
        ]
        played = play(*bots, rules=how)
        verify(record_of(played), rules, SECRET)
        result = msgspec.structs.replace(played.result, wall_us=0)
        evidence = [each.stderr for each in played.evidence]
        found.append((result, record_of(played).plies, evidence, [heard(bot) for bot in bots]))
    assert found[0] == found[1] == found[2]


FAULTY = [seats for size in range(5) for seats in combinations(range(4), size)]


@pytest.mark.parametrize("kind", [Joint, Scripted])
def test_all_who_fail_in_one_decision_are_blamed_and_nobody_else(kind: type[Scripted]) -> None:
    for seats in (2, 3, 4):
        for faulty in (each for each in FAULTY if all(seat < seats for seat in each)):
            check_blame(seats, faulty, kind)


def check_blame(seats: int, faulty: tuple[Seat, ...], kind: type[Scripted]) -> None:
    rules: Any = built(GAMES["goofspiel"], seats)
    answers = [Silence.TIMED_OUT if seat in faulty else 0 for seat in range(seats)]
    bots = [kind([0, answer]) for answer in answers]
    played = play(*bots, rules=rules)
    result, record = played.result, record_of(played)
    assert [fault.seat for fault in result.faults] == [*faulty]
    assert all(result.places[seat] == seats for seat in faulty)
    verify(record, rules, SECRET)
    ends = seats - len(faulty) < 2
    assert (result.scores is None) == (ends and bool(faulty))
    for seat, bot in enumerate(bots):
        assert len(bot.of_type("over")) == (seat not in faulty)
        assert bot.is_closed == (seat in faulty)
        views = [*seat_views(record, steps(record, rules), rules, seat)]
        assert [view.fault is not None for view in views].count(True) == (seat in faulty)
        for view in views[:-1]:
            assert view.observation.seat == seat
            assert view.observation.player == seat
    for fault in forged(record, seats) if ends else ():
        lie = msgspec.structs.replace(record.end, faults=(*record.end.faults, fault))
        with pytest.raises(RecordError, match="cannot be"):
            verify(record._replace(end=lie), rules, SECRET)


def forged(record: Record, seats: int) -> Iterable[Fault]:
    """Faults that cannot have been: again, of seats that were not asked, at another ply."""
    last = record.end.faults[-1] if record.end.faults else Fault(0, FaultKind.TIMEOUT, 0, "")
    if not record.end.faults:
        return
    yield last
    yield msgspec.structs.replace(last, seat=seats)
    for seat in range(last.seat):
        yield msgspec.structs.replace(last, seat=seat)
    if last.seat + 1 < seats:
        yield msgspec.structs.replace(last, seat=last.seat + 1, ply=last.ply - 1)
        yield msgspec.structs.replace(last, seat=last.seat + 1, kind=FaultKind.STARTUP)


@pytest.mark.parametrize(("answer", "ending"), [(0, "adjudicated"), (BAD, "forfeited")])
def test_a_fault_counts_beside_an_agreement_of_the_same_decision(answer: Any, ending: str) -> None:
    rules: Any = built(GAMES["goofspiel"], 2)

    def says(value: float) -> Any:
        return lambda asked: action(asked["id"], 0, info={"eval": value})

    bots = Joint([says(0), says(9)]), Joint([says(-9), answer])
    played = play(*bots, rules=rules, adjudicate=Adjudicate(resign=Resign(1, 5.0)))
    verify(record_of(played), rules, SECRET)
    assert (played.result.termination, played.result.places) == (ending, (1, 2))
    assert [fault.seat for fault in played.result.faults] == [1] * (answer is BAD)


def test_questions_hold_equal_banks_and_every_answer_has_its_own_time() -> None:
    rules: Any = built(GAMES["goofspiel"], 3)
    bots = [Joint([Late(0.1 * (1 + seat))] * 4) for seat in range(3)]
    played = play(*bots, rules=rules, control=TimeControl(move=None, bank=10.0))
    asked = [bot.of_type("act") for bot in bots]
    assert all(len({str(each["banks"]) for each in row}) == 1 for row in zip(*asked, strict=True))
    assert played.result.think_us[0] < played.result.think_us[2]


def broken(name: str, wrong: Any) -> Any:
    """Goofspiel whose method of this name is another one."""

    class Broken(goofspiel_game.GoofspielRules):
        pass

    setattr(Broken, name, wrong)
    return Broken(3, {"cards": 4}, {})


RIGHT = goofspiel_game.GoofspielRules


@pytest.mark.parametrize(
    ("name", "wrong", "said"),
    [
        ("simultaneous", lambda rules, state: (0, 2), "to_act 1 in place of 2"),
        ("simultaneous", lambda rules, state: (1, 2), "to_act 0 in place of 1"),
        (
            "legal_actions",
            lambda rules, state: RIGHT.legal_actions(rules, state)[: 1 + (state.made != (1,))],
            "other legal actions",
        ),
    ],
)
def test_rules_that_break_it_make_the_game_void(name: str, wrong: Any, said: str) -> None:
    with pytest.raises((GameError, RulesBroken), match=said):
        play(*(Joint([1]) for _ in range(3)), rules=broken(name, wrong))
