"""What becomes of a game after a fault, by table size and policy."""

from __future__ import annotations

import json
import signal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.games.luck import Luck
from arena.referee.channel import PipeChannel, Silence
from arena.referee.play import play_game
from arena.referee.protocol import Ready
from arena.referee.records.format import Record
from arena.referee.records.read import parse, unpack
from arena.referee.records.replay import verify
from arena.referee.session import BotSession, Offence
from arena.values.results import FaultKind, GameDone, OnFault, Seat, Termination, TimeControl
from tests.referee.processes import AMPLE, started
from tests.referee.processes import seated as ready
from tests.referee.scripted import SECRET, Late, Scripted, fault_of, on_ask, play, terms
from tests.referee.test_play import FAULTS
from tests.toy import NUMBERS, ROUNDS, Dealt, Rolled, ToyRules, toy_spec

OFFENCE = Offence(FaultKind.STARTUP, "cannot be started: no such file", "", 127, "oops")
BAD = b"?"
"""An answer that is a fault."""


class EqualCards(ToyRules):
    """Everybody is dealt the same card, so the numbers said decide."""

    def chance(self, state: Any, luck: Luck) -> Dealt | Rolled:
        drawn = super().chance(state, luck)
        return Dealt(7) if isinstance(drawn, Dealt) else drawn


def record_of(played: GameDone, rules: ToyRules | None = None) -> Record:
    """The record, after it was verified."""
    record = parse(unpack(played.record))[0]
    verify(record, rules or ToyRules(len(record.header.spec.entrants)), SECRET)
    return record


def by_autopilot(record: Record) -> list[tuple[int, Seat | None]]:
    return [(ply.ply, ply.seat) for ply in record.plies if ply.autopilot]


def asked_at(seats: int, seat: Seat, time: int) -> int:
    """Plies applied before the seat is asked for the ``time``-th time, from 0."""
    return seats + time * (1 + seats) + 1 + seat


# One fault at a table of three or four


@pytest.mark.parametrize(("seats", "seat"), [(3, 0), (3, 2), (4, 1), (4, 3)])
def test_the_others_finish_and_the_faulty_seat_is_last(seats: int, seat: Seat) -> None:
    for answer, kind, detail in FAULTS:
        for ask in range(ROUNDS):
            check_fault(answer, kind, detail, seats, seat, ask)


def check_fault(answer: Any, kind: str, detail: str, seats: int, seat: Seat, ask: int) -> None:
    """Play a game with one fault; `ask` counts the questions before it."""
    bots = [Scripted([1, 1]) for _ in range(seats)]
    bad = bots[seat] = Scripted(on_ask(ask, answer))
    bad.status, bad.errors = 3, "my last words"
    bad.limit = "used more than 1 GiB of memory"
    played = play(*bots)
    result, record = played.result, record_of(played)
    assert result.termination is Termination.COMPLETED
    assert fault_of(played) == (seat, kind)
    assert detail in result.faults[0].detail
    assert result.faults[0].ply == asked_at(seats, seat, ask)
    assert result.plies == ToyRules(seats).info.max_plies
    assert result.places[seat] == seats
    assert result.scores is not None
    (evidence,) = played.evidence
    assert evidence.stderr == played.stderr[seat] == "my last words"
    assert evidence.exit_status == 3, "whatever the fault, if the process has ended"
    assert by_autopilot(record) == [
        (asked_at(seats, seat, time), seat) for time in range(ask, ROUNDS)
    ]
    assert bad.is_closed
    assert [message["type"] for message in bad.received] == ["start", *["act"] * (ask + 1)]


@pytest.mark.parametrize("seats", [3, 4])
def test_nothing_is_told_of_the_autopilot_before_the_end(seats: int) -> None:
    """The others hear what they would hear of a bot that plays the first legal actions."""

    def heard(answer: Any) -> list[list[dict[str, Any]]]:
        bots = [Scripted([seat % NUMBERS, 2]) for seat in range(seats)]
        bots[1] = Scripted([answer])
        play(*bots)
        others = [bot for bot in bots if bot is not bots[1]]
        return [[message | {"id": ""} for message in bot.received] for bot in others]

    for after_fault, without_fault in zip(heard(BAD), heard(0), strict=True):
        assert after_fault[:-1] == without_fault[:-1]
        assert after_fault[-1]["faults"] == [{"seat": 1, "kind": "malformed"}]
        assert after_fault[-1]["scores"] == without_fault[-1]["scores"]
        assert "autopilot" not in json.dumps(after_fault)


def test_over_has_the_places_of_the_result() -> None:
    bots = [Scripted(), Scripted([BAD]), Scripted(), Scripted([0, BAD])]
    result = play(*bots).result
    for bot in (bots[0], bots[2]):
        assert bot.of_type("over") == [
            {
                "type": "over",
                "places": list(result.places),
                "scores": list(result.scores or ()),
                "reason": "completed",
                "faults": [{"seat": 1, "kind": "malformed"}, {"seat": 3, "kind": "malformed"}],
            }
        ]


def test_the_autopilot_takes_no_time() -> None:
    bots = [Scripted([Late(0.1)] * 2), Scripted([Late(0.2), Late(5.0)]), Scripted()]
    played = play(*bots, control=TimeControl(move=0.5))
    record = record_of(played)
    assert fault_of(played) == (1, "timeout")
    assert by_autopilot(record) == [(9, 1)]
    assert record.measured.think_us[9] == 0
    assert played.result.think_us == (200_000, 200_000, 0)
    assert played.result.wall_us == 900_000


# Places


@pytest.mark.parametrize(
    ("answers", "faulty", "places"),
    [
        ([[2, 2], [BAD], [0, 1]], [1], (1, 3, 2)),
        ([[0, 0], [BAD], [0, 0]], [1], (1, 3, 1)),
        ([[2, BAD], [0, 0], [0, 1]], [0], (3, 2, 1)),
        ([[2, 2], [1, 1], [BAD], [2, 2]], [2], (1, 3, 4, 1)),
        ([[2, BAD], [0, 0], [0, 1], [1, 0]], [0], (4, 3, 1, 1)),
        ([[1, 0], [BAD], [2, BAD], [1, 0]], [1, 2], (1, 4, 4, 1)),
        ([[0, 0], [2, BAD], [BAD], [0, 1]], [2, 1], (2, 4, 4, 1)),
    ],
    ids=[
        "the others in the order of the rules",
        "the others tie",
        "the best score at fault",
        "a tie for the first place",
        "a tie behind the best score, which is at fault",
        "two at fault, the others tie",
        "two at fault at different times",
    ],
)
def test_places_of_a_game_that_went_on(answers, faulty, places) -> None:
    rules = EqualCards(len(answers))
    played = play(*(Scripted(script) for script in answers), rules=rules)
    result = played.result
    assert result.termination is Termination.COMPLETED
    assert [fault.seat for fault in result.faults] == faulty
    assert result.places == places
    state = EqualCards.initial_state(rules)
    for ply in record_of(played, rules).plies:
        state = rules.apply(state, rules.decode_action(ply.action))
    assert (outcome := rules.outcome(state)) is not None
    assert result.scores == outcome.scores, "scores are as the rules count"


@pytest.mark.parametrize(
    ("answers", "faulty", "places", "plies"),
    [
        ([[BAD]], [0], (1,), asked_at(1, 0, 0)),
        ([[0], [BAD]], [1], (1, 2), asked_at(2, 1, 0)),
        ([[0], [0, BAD], [0, BAD]], [1, 2], (1, 3, 3), asked_at(3, 2, 1)),
        ([[BAD], [0], [0, BAD]], [0, 2], (3, 1, 3), asked_at(3, 2, 1)),
        ([[BAD], [BAD], [BAD], [0]], [0, 1, 2], (4, 4, 4, 1), asked_at(4, 2, 0)),
        ([[0, BAD], [BAD], [0], [BAD]], [1, 3, 0], (4, 4, 1, 4), asked_at(4, 0, 1)),
    ],
    ids=["1 seat", "2 seats", "3 seats", "3 seats, apart", "4 seats", "4 seats, apart"],
)
def test_a_game_ends_when_fewer_than_two_seats_are_without_fault(
    answers: list[list[Any]], faulty: list[Seat], places: tuple[int, ...], plies: int
) -> None:
    bots = [Scripted(script) for script in answers]
    played = play(*bots)
    result = played.result
    assert (result.termination, result.scores) == (Termination.FORFEITED, None)
    assert [fault.seat for fault in result.faults] == faulty
    assert (result.places, result.plies) == (places, plies)
    told = [seat for seat, bot in enumerate(bots) if bot.of_type("over")]
    assert told == [seat for seat in range(len(bots)) if seat not in faulty]
    record_of(played)


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_with_the_policy_end_the_first_fault_ends_every_game(seats: int) -> None:
    bots = [Scripted() for _ in range(seats)]
    bots[-1] = Scripted([0, BAD])
    played = play(*bots, on_fault=OnFault.END)
    result = played.result
    assert (result.termination, result.scores) == (Termination.FORFEITED, None)
    assert result.places == (*[1] * (seats - 1), seats)
    assert result.plies == asked_at(seats, seats - 1, 1)
    assert [len(bot.of_type("over")) for bot in bots] == [*[1] * (seats - 1), 0]
    record = record_of(played)
    assert record.header.on_fault is OnFault.END
    assert by_autopilot(record) == []


# Start-up


@pytest.mark.parametrize(
    ("seats", "absent"), [(3, [0]), (3, [2]), (4, [1]), (4, [0, 3]), (4, [1, 2])]
)
def test_the_autopilot_plays_for_absent_bots_from_the_first_ply(seats, absent) -> None:
    bots = [OFFENCE if seat in absent else Scripted([1, 1]) for seat in range(seats)]
    played = play(*bots)
    result = played.result
    assert result.termination is Termination.COMPLETED
    assert [(fault.seat, fault.kind, fault.ply) for fault in result.faults] == [
        (seat, FaultKind.STARTUP, 0) for seat in absent
    ]
    assert {result.places[seat] for seat in absent} == {seats}
    assert by_autopilot(record_of(played)) == [
        (asked_at(seats, seat, time), seat) for time in range(ROUNDS) for seat in absent
    ]
    for bot in bots:
        if isinstance(bot, Scripted):
            types = [message["type"] for message in bot.received]
            assert types == ["start", *["act"] * ROUNDS, "over"]
    assert [said for said in played.stderr if said] == ["oops"] * len(absent)


@pytest.mark.parametrize(
    ("seats", "absent", "places"),
    [
        (3, [0, 1], (3, 3, 1)),
        (3, [0, 1, 2], (3, 3, 3)),
        (4, [0, 1, 3], (4, 4, 1, 4)),
        (4, [0, 1, 2, 3], (4, 4, 4, 4)),
    ],
)
def test_with_fewer_than_two_bots_a_game_does_not_begin(seats, absent, places) -> None:
    bots = [OFFENCE if seat in absent else Scripted() for seat in range(seats)]
    played = play(*bots)
    result = played.result
    assert (result.termination, result.places, result.plies) == (Termination.FORFEITED, places, 0)
    assert [fault.seat for fault in result.faults] == absent
    assert all(bot.received == [] for bot in bots if isinstance(bot, Scripted))
    record_of(played)


def test_with_the_policy_end_an_absent_bot_ends_the_game_before_it_begins() -> None:
    bots = [Scripted(), OFFENCE, Scripted(), Scripted()]
    played = play(*bots, on_fault=OnFault.END)
    assert (played.result.places, played.result.plies) == ((1, 4, 1, 1), 0)
    assert all(bot.received == [] for bot in bots if isinstance(bot, Scripted))
    record_of(played)


def test_a_game_that_began_with_an_absent_bot_may_still_be_forfeited() -> None:
    bots = Scripted(), OFFENCE, Scripted([0, BAD])
    played = play(*bots)
    result = played.result
    assert (result.termination, result.places) == (Termination.FORFEITED, (1, 3, 3))
    assert [fault.kind.value for fault in result.faults] == ["startup", "malformed"]
    assert bots[0].received[-1]["reason"] == "forfeited"
    assert by_autopilot(record_of(played)) == [(asked_at(3, 1, 0), 1), (asked_at(3, 1, 1), 1)]


# Processes


@pytest.mark.process
@pytest.mark.usefixtures("leaves_nothing")
@pytest.mark.parametrize(
    ("bot", "move", "status"),
    [
        ("hang", 0.3, -signal.SIGKILL),
        ("answers_early", AMPLE, -signal.SIGKILL),
        ("exit_1", AMPLE, 1),
    ],
)
def test_a_process_at_fault_is_gone_before_the_game_goes_on(bot, move, status) -> None:
    seen: list[int | None] = []
    with started(bot) as channel:

        def look(asked: dict[str, Any]) -> int:
            seen.append(channel.exit_status())
            return 0

        control = TimeControl(move=move)
        bad = ready(channel, TimeControl(startup=AMPLE))
        played = _with_process(bad, Scripted([look, look]), control)
        channel.close()
    assert played.result.termination is Termination.COMPLETED
    assert seen == [status] * ROUNDS
    if bot == "exit_1":
        assert played.stderr[0] == played.evidence[0].stderr == "-- ply 4\nmy last words\n"
        assert played.evidence[0].exit_status == 1


def _with_process(bad: BotSession | Offence, witness: Scripted, control: TimeControl) -> GameDone:
    others = [BotSession(bot, Ready(1, wants=bot.wants)) for bot in (witness, Scripted())]
    assert isinstance(bad, BotSession)
    assert isinstance(bad.channel, PipeChannel)
    return play_game(ToyRules(3), [bad, *others], toy_spec(3), SECRET, terms(3, control=control))


# Everything at once


answers = st.sampled_from([*range(NUMBERS), BAD, Silence.ENDED, "0", NUMBERS])
scripts = st.lists(st.none() | st.lists(answers, min_size=ROUNDS, max_size=ROUNDS),
                   min_size=1, max_size=4)  # fmt: skip
"""By seat: the answers of a bot; None for one that could not be started."""


@given(scripts, st.sampled_from(OnFault))
def test_random_faults_end_as_the_policy_says(scripts, on_fault) -> None:
    played = play(
        *(OFFENCE if script is None else Scripted(script) for script in scripts), on_fault=on_fault
    )
    record = record_of(played)
    result, seats = played.result, len(scripts)
    faulty, said, is_over = _expected(scripts, on_fault)
    assert {fault.seat: fault.ply for fault in result.faults} == faulty
    assert result.termination is (Termination.COMPLETED if is_over else Termination.FORFEITED)
    clean = [seat for seat in range(seats) if seat not in faulty]
    points = [0] * seats
    if is_over:
        points = [record.plies[s].action["card"] + sum(said[s]) for s in range(seats)]
        assert result.scores == tuple(points)
    order = sorted((points[seat] for seat in clean), reverse=True)
    assert result.places == tuple(
        seats if seat in faulty else 1 + order.index(points[seat]) for seat in range(seats)
    )
    for ply in record.plies:
        after_fault = ply.seat in faulty and ply.ply >= faulty[ply.seat]
        assert ply.autopilot is after_fault
    assert record.end.plies == len(record.plies)


def _expected(
    scripts: list[list[Any] | None], on_fault: OnFault
) -> tuple[dict[Seat, int], list[list[int]], bool]:
    """Plies before each fault by seat, numbers said, and whether the game came to its end."""
    seats = len(scripts)
    said: list[list[int]] = [[] for _ in scripts]
    faulty = {seat: 0 for seat, script in enumerate(scripts) if script is None}

    def ended() -> bool:
        many = seats >= 3 and on_fault is OnFault.AUTOPILOT
        return bool(faulty) and not (many and seats - len(faulty) > 1)

    for time in range(ROUNDS):
        for seat, script in enumerate(scripts):
            if ended():
                return faulty, said, False
            answer = 0 if script is None or seat in faulty else script[time]
            if answer not in range(NUMBERS):
                faulty[seat] = asked_at(seats, seat, time)
            said[seat].append(answer if seat not in faulty else 0)
    return faulty, said, not ended()
