from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from arena.games.base import CHANCE, InvalidActionError
from arena.games.board import GENERIC
from arena.referee.channel import Silence
from arena.referee.deadline import SchedulerDelay
from arena.referee.play import RulesBroken
from arena.referee.protocol import INFO_LIMIT, USUAL_PARTS
from arena.referee.records.perspective import game_views
from arena.referee.records.read import parse, unpack
from arena.referee.records.replay import steps, verify
from arena.referee.session import MachineTooBusy, Offence
from arena.values.results import Evidence, FaultKind, GameDone, Outcome, Termination, TimeControl
from tests.referee.scripted import SECOND, SECRET, Late, Scripted, action, fault_of, on_ask, play
from tests.toy import ROUNDS, ToyRules

SEATS = [1, 2, 3, 4]


def record_of(played: GameDone) -> Any:
    record, digest = parse(unpack(played.record))
    assert digest == played.result.digest
    return record


# Whole games


@pytest.mark.parametrize("seats", SEATS)
def test_a_game_is_played_to_its_end_and_proved_by_its_record(seats: int) -> None:
    rules, bots = ToyRules(seats), [Scripted([2, 1]) for _ in range(seats)]
    played = play(*bots)
    result = played.result
    assert result.termination is Termination.COMPLETED
    assert result.plies == rules.info.max_plies
    cards = [rules.chance(rules.initial_state(), SECRET).card] if seats == 1 else None
    assert result.scores is not None
    assert cards is None or result.scores == (cards[0] + 3,)
    assert [len(bot.of_type("act")) for bot in bots] == [ROUNDS] * seats
    record = record_of(played)
    verify(record, rules, SECRET)
    assert (record.end.places, record.end.scores) == (result.places, result.scores)


def test_equal_games_have_equal_digests() -> None:
    first, second = (play(Scripted([1]), Scripted([{"type": "say", "number": 2}])) for _ in "ab")
    other = play(Scripted([1]), Scripted([1]))
    assert first.result.digest == second.result.digest != other.result.digest


def test_times_do_not_change_the_digest() -> None:
    quick, slow = play(Scripted(), Scripted()), play(Scripted([Late(0.5)]), Scripted())
    assert quick.result.digest == slow.result.digest


def test_what_a_bot_is_told_at_the_start() -> None:
    bots = Scripted(), Scripted()
    play(*bots, names=("a", "b"), control=TimeControl(move=2.0))
    for seat, bot in enumerate(bots):
        assert bot.received[0] == {
            "type": "start",
            "game": "opaque",
            "rules": "toy",
            "options": {"rounds": 2},
            "data": {"cards": 50},
            "seat": seat,
            "seats": 2,
            "clock": {"move": 2.0, "bank": None, "increment": 0.0, "startup": 10.0},
            "seed": 100 + seat,
            "bot_options": {"level": seat},
            "names": ["a", "b"],
        }


def test_names_are_told_only_if_they_are_shown() -> None:
    bot = Scripted()
    play(bot, Scripted())
    assert "names" not in bot.received[0]


def test_the_end_is_told_to_all() -> None:
    bots = Scripted([2]), Scripted()
    result = play(*bots).result
    for bot in bots:
        assert bot.of_type("over") == [bot.received[-1]]
        assert bot.received[-1] == {
            "type": "over",
            "places": list(result.places),
            "scores": list(result.scores or ()),
            "reason": "completed",
            "faults": [],
        }


# Faults


def stale(asked: dict[str, Any]) -> bytes:
    return action("0" * 16, 0)


def ready(asked: dict[str, Any]) -> bytes:
    return b'{"type":"ready","protocol":1}'


FAULTS = [
    (Silence.TIMED_OUT, "timeout", "no line within 1 s: nothing was written or flushed"),
    (Silence.STDIN_BLOCKED, "timeout", "it does not read its input"),
    (Silence.ENDED, "crash", "(exit status 3)"),
    (Silence.OVER_LIMIT, "limit", "used more than 1 GiB of memory"),
    (Silence.TOO_LONG, "overflow", "a line longer than the limit"),
    (b"hello", "malformed", "JSON is malformed"),
    ("0", "malformed", "Expected `int | object`, got `str`"),
    ({"type": "say"}, "malformed", "missing required field"),
    ({"type": "fly"}, "malformed", "Invalid value 'fly'"),
    (3, "illegal", "index 3 of 3 legal actions"),
    (-1, "illegal", "index -1 of 3 legal actions"),
    (10**30, "illegal", "of 3 legal actions"),
    ({"type": "say", "number": 3}, "illegal", "not among the legal actions"),
    ({"type": "rolled", "face": 6}, "illegal", "not among the legal actions"),
    (stale, "protocol", "the id is not that of the question"),
    (ready, "protocol", "expected action, found ready"),
]


@pytest.mark.parametrize("ask", [0, 1])
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(("answer", "kind", "detail"), FAULTS, ids=lambda value: str(value)[:20])
def test_faults(answer: Any, kind: str, detail: str, seat: int, ask: int) -> None:
    bad, good = Scripted(on_ask(ask, answer)), Scripted()
    bad.status, bad.limit = 3, "used more than 1 GiB of memory"
    played = play(*((bad, good) if seat == 0 else (good, bad)))
    result = played.result
    assert result.termination is Termination.FORFEITED
    assert fault_of(played) == (seat, kind)
    assert detail in result.faults[0].detail
    assert result.faults[0].ply == result.plies
    assert result.scores is None
    assert result.places == ((2, 1) if seat == 0 else (1, 2))
    assert good.of_type("over") == [
        {
            "type": "over",
            "places": list(result.places),
            "scores": None,
            "reason": "forfeited",
            "faults": [{"seat": seat, "kind": kind}],
        }
    ]
    assert bad.is_closed
    assert bad.received[-1]["type"] == "act", "nothing is said to a bot after its fault"
    verify(record_of(played), ToyRules(2), SECRET)


def test_more_than_one_line_is_a_fault() -> None:
    bad = Scripted()
    bad.more = b"more"
    assert fault_of(play(bad, Scripted())) == (0, "protocol")


def test_a_question_is_not_asked_twice_and_its_id_is_never_used_again() -> None:
    bots = [Scripted() for _ in range(4)]
    ids = []
    for _ in range(20):
        for bot in bots:
            bot.received.clear()
        play(*bots)
        ids += [act["id"] for bot in bots for act in bot.of_type("act")]
    assert len(set(ids)) == len(ids) == 20 * 4 * ROUNDS
    assert all(len(bytes.fromhex(token)) == 8 for token in ids)


def test_an_answer_to_the_question_before_is_a_fault() -> None:
    ids: list[str] = []

    def remember(asked: dict[str, Any]) -> int:
        ids.append(asked["id"])
        return 0

    played = play(Scripted([remember, lambda asked: action(ids[0], 0)]), Scripted())
    assert fault_of(played) == (0, "protocol")


def test_alone_at_the_table_a_fault_is_a_lost_game() -> None:
    result = play(Scripted([b"?"])).result
    assert (result.termination, result.places) == (Termination.FORFEITED, (1,))
    assert result.faulty(0)


def test_evidence_is_kept_apart_from_the_fault() -> None:
    bad = Scripted([Late(0.25, b"\x1b[31m\xff" + b"x" * 1000)])
    bad.errors, bad.status = "Traceback" + "." * 5000, None
    played = play(bad, Scripted())
    (evidence,) = record_of(played).measured.evidence
    assert evidence.waited_us == 250_000
    assert evidence.line.startswith("\\x1b[31m\\xff")
    assert evidence.line.isprintable()
    assert len(evidence.line) < 300
    assert evidence.stderr == bad.errors[-2000:]
    assert played.stderr == (bad.errors, "")


def test_the_exit_status_is_evidence() -> None:
    bad = Scripted([Silence.ENDED])
    bad.status = -11
    played = play(bad, Scripted())
    detail = "the process ended before its first answer of the game (signal SIGSEGV)"
    assert played.result.faults[0].detail == detail
    assert record_of(played).measured.evidence[0].exit_status == -11


def test_what_was_measured_is_evidence() -> None:
    bad = Scripted([Late(0.5, b"?")])
    bad.cost = SchedulerDelay(cpu=200_000_999, lag=60_000_000, excused=90_000_000)
    (evidence,) = record_of(play(bad, Scripted())).measured.evidence
    assert evidence.waited_us == 500_000
    assert (evidence.cpu_us, evidence.lag_us, evidence.excused_us) == (200_000, 60_000, 90_000)


def test_what_was_measured_at_the_start_is_evidence() -> None:
    offence = OFFENCE._replace(
        waited=10_000_000_000, scheduler_delay=SchedulerDelay(5_000, 1_000, 2_000)
    )
    played = play(offence, Scripted())
    assert played.evidence == (Evidence(0, 127, 10_000_000, 5, 1, 2, stderr="oops"),)
    assert record_of(played).measured.evidence == played.evidence


@pytest.mark.parametrize("seat", [0, 1])
def test_a_bot_that_the_machine_kept_waiting_loses_nothing(seat: int) -> None:
    starved, other = Scripted([Silence.STARVED]), Scripted()
    starved.cost = SchedulerDelay(excused=4_600_000_000)
    players = (starved, other) if seat == 0 else (other, starved)
    with pytest.raises(MachineTooBusy, match=r"^the machine kept a bot waiting for 4\.6 s$"):
        play(*players)
    assert not other.of_type("over")


# Standard error


def test_what_was_said_before_a_game_is_told_apart() -> None:
    bot = Scripted()
    bot.errors_before, bot.errors = "thoughts about the last game\n", "a thought\n"
    played = play(bot, Scripted())
    before = "[before this game]\nthoughts about the last game\n[in this game]\n"
    assert played.stderr == (before + "a thought\n", "")


# Start-up


OFFENCE = Offence(FaultKind.STARTUP, "cannot be started: no such file", "", 127, "oops")


def test_an_absent_bot_loses_before_anything_is_said() -> None:
    good = Scripted()
    played = play(good, OFFENCE)
    assert good.received == []
    assert (played.result.places, played.result.plies) == ((1, 2), 0)
    assert fault_of(played) == (1, "startup")
    assert played.stderr == ("", "oops")
    verify(record_of(played), ToyRules(2), SECRET)


READY = b'{"type":"ready","protocol":1}'


def test_who_prepares_has_a_limit_of_its_own_before_the_clock_runs() -> None:
    control = TimeControl(move=None, bank=2.0, startup=9.0)
    bots = [Scripted(), Scripted(prepares=Late(8.5, READY)), Scripted(prepares=Late(8.5, READY))]
    played = play(*bots, control=control)
    assert played.result.faults == ()
    assert played.result.think_us == (0, 0, 0)
    assert [bot.received[0]["type"] for bot in bots] == ["start"] * 3
    assert bots[1].deadlines[0] == 9 * SECOND
    assert {*bots[0].of_type("act")[0]["banks"]} == {2.0}


@pytest.mark.parametrize(
    ("answer", "detail"),
    [
        (Late(9.5, READY), "before ready: no line within 9 s"),
        (Silence.ENDED, "before ready: the process ended"),
        (b'{"type":"action","id":"x","action":0}', "expected ready, found action"),
        (b"readyok", "expected a ready message in answer to start"),
    ],
)
@pytest.mark.parametrize("seats", [2, 4])
def test_who_is_not_ready_for_a_game_is_at_fault_before_it(
    seats: int, answer: Any, detail: str
) -> None:
    late = Scripted(prepares=answer)
    players = [late, Scripted(prepares=READY), Scripted(), OFFENCE][:seats]
    played = play(*players, control=TimeControl(startup=9.0))
    first, *others = played.result.faults
    assert (first.seat, first.kind, first.ply) == (0, FaultKind.STARTUP, 0)
    assert detail in first.detail
    assert [fault.seat for fault in others] == [3][: seats - 2]
    assert late.is_closed
    assert len(late.received) == 1
    assert [each["type"] for each in players[1].received][:: len(players[1].received) - 1] == [
        *("start", "over")
    ]
    assert played.result.places == ((2, 1) if seats == 2 else played.result.places)
    verify(record_of(played), ToyRules(seats), SECRET)


def test_two_absent_bots_share_the_last_place() -> None:
    played = play(OFFENCE, OFFENCE)
    assert played.result.places == (2, 2)
    assert [fault.seat for fault in played.result.faults] == [0, 1]
    assert played.result.pair_score(0, 1) is None
    verify(record_of(played), ToyRules(2), SECRET)


# Actions and info


def test_an_action_may_be_an_index_or_the_action_itself() -> None:
    by_index, by_value = (
        play(Scripted([a]), Scripted()) for a in (2, {"type": "say", "number": 2})
    )
    assert by_index.result.digest == by_value.result.digest


@pytest.mark.parametrize(
    ("info", "kept"), [({"depth": 3}, {"depth": 3}), ("x" * INFO_LIMIT, None), (None, None), (0, 0)]
)
def test_info_is_recorded_with_the_move(info: Any, kept: Any) -> None:
    played = play(Scripted([lambda asked: action(asked["id"], 1, info=info)]), Scripted())
    (ply, *_) = [ply for ply in record_of(played).plies if ply.seat == 0]
    assert (ply.action, ply.info) == ({"type": "say", "number": 1}, kept)
    assert played.result.termination is Termination.COMPLETED


def test_info_is_never_shown() -> None:
    other = Scripted()
    play(Scripted([lambda asked: action(asked["id"], 1, info="my secret plan")]), other)
    assert "my secret plan" not in json.dumps(other.received)


# What a bot sees


@pytest.mark.parametrize("wants", [(), ("legal",), ("events", "observation"), USUAL_PARTS])
def test_a_bot_gets_the_parts_it_wants(wants: tuple[Any, ...]) -> None:
    bot = Scripted(wants=wants)
    play(bot, Scripted())
    for act in bot.of_type("act"):
        assert act.keys() == {"type", "id", "time_left", *wants}


def test_texts_of_actions_are_made_for_bots_that_want_them_and_for_people() -> None:
    class Texts(ToyRules):
        def action_text(self, state: Any, action: Any) -> str:
            return f"say the number {action.number}"

    wanting, other = Scripted(wants=("texts", "legal")), Scripted()
    assert play(Scripted(wants=("texts",)), other).result.termination is Termination.COMPLETED
    played = play(wanting, other, rules=Texts(2))
    [act, *_] = wanting.of_type("act")
    assert act["texts"] == [f"say the number {each['number']}" for each in act["legal"]]
    assert not any("texts" in each for each in other.of_type("act"))
    views = game_views(steps(record_of(played), Texts(2)), Texts(2))
    shown = next(each for each in views.legal if each)
    assert [GENERIC.choice(each, {}, None) for each in shown] == act["texts"]  # type: ignore[arg-type]
    unshown = game_views(steps(record_of(played), ToyRules(2)), ToyRules(2))
    assert "words" not in next(each for each in unshown.legal if each)[0]


@pytest.mark.parametrize("seats", SEATS)
def test_events_are_complete_and_in_order(seats: int) -> None:
    bots = [Scripted([seat % 3, 2]) for seat in range(seats)]
    played = play(*bots)
    rules, plies = ToyRules(seats), record_of(played).plies
    for seat, bot in enumerate(bots):
        expected: list[list[Any]] = []
        state, seen = rules.initial_state(), []
        for ply in plies:
            if ply.seat == seat:
                expected.append(seen)
                seen = []
            done = rules.decode_action(ply.action)
            after = rules.apply(state, done)
            event = rules.describe(state, done, after)[seat]
            seen += [] if event is None else [msgspec.to_builtins(event)]
            state = after
        assert [act["events"] for act in bot.of_type("act")] == expected
        assert expected[0][0]["what"] == "dealt"


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_no_seat_sees_what_another_holds(seats: int) -> None:
    """Each seat gets its own card, and the cards of others nowhere."""
    bots = [Scripted() for _ in range(seats)]
    plies = record_of(play(*bots)).plies
    cards = [ply.action["card"] for ply in plies[:seats]]
    assert len(set(cards)) == seats, "the deal of this test has different cards"
    for seat, bot in enumerate(bots):
        assert {act["observation"]["seat"] for act in bot.of_type("act")} == {seat}
        assert {act["observation"]["card"] for act in bot.of_type("act")} == {cards[seat]}
        events = [event for act in bot.of_type("act") for event in act["events"]]
        assert [e["value"] for e in events if e["what"] == "dealt"] == [cards[seat]]


def test_legal_actions_are_listed() -> None:
    bot = Scripted()
    play(bot, Scripted())
    says = [{"type": "say", "number": number} for number in range(3)]
    assert [act["legal"] for act in bot.of_type("act")] == [says] * ROUNDS


# Clocks


def test_a_move_has_its_time() -> None:
    bot = Scripted([Late(0.4), Late(0.4)])
    played = play(bot, Scripted(), control=TimeControl(move=0.5))
    assert [act["time_left"] for act in bot.of_type("act")] == [0.5, 0.5]
    assert bot.deadlines == [500_000_000, 900_000_000]
    assert played.result.think_us == (800_000, 0)
    assert played.result.wall_us == 800_000


def test_a_bank_runs_down_and_grows_by_the_increment() -> None:
    bots = Scripted([Late(2.0), Late(1.0)]), Scripted([Late(0.5)])
    play(*bots, control=TimeControl(move=None, bank=3.0, increment=0.25))
    assert [act["time_left"] for act in bots[0].of_type("act")] == [3.0, 1.25]
    assert [act["time_left"] for act in bots[1].of_type("act")] == [3.0, 2.75]


def test_a_bank_does_not_pay_for_what_the_machine_took() -> None:
    bot = Scripted([Late(2.0), Late(0.5)])
    bot.cost = SchedulerDelay(excused=1_500_000_000)
    play(bot, Scripted(), control=TimeControl(move=None, bank=3.0))
    assert [act["time_left"] for act in bot.of_type("act")] == [3.0, 2.5]


def test_an_exhausted_bank_is_a_timeout() -> None:
    bot = Scripted([Late(2.0), Late(1.5)])
    played = play(bot, Scripted(), control=TimeControl(move=None, bank=3.0))
    assert fault_of(played) == (0, "timeout")
    assert record_of(played).measured.evidence[0].waited_us == 1_000_000


def test_a_move_limit_holds_within_a_bank() -> None:
    bot = Scripted([Late(0.9), Late(1.1)])
    played = play(bot, Scripted(), control=TimeControl(move=1.0, bank=10.0))
    assert [act["time_left"] for act in bot.of_type("act")] == [1.0, 1.0]
    assert fault_of(played) == (0, "timeout")


@pytest.mark.parametrize("limits", [{"move": 2.0}, {"move": None, "bank": 2.0}])
@pytest.mark.parametrize(("takes", "in_time"), [(2.0, True), (2.5, True), (2.501, False)])
def test_an_answer_may_be_late_by_the_margin(limits: Any, takes: float, *, in_time: bool) -> None:
    """The margin is on no clock: it is not in ``time_left``, and no bank is charged for it."""
    bot = Scripted([Late(takes)])
    control = TimeControl(**limits, increment=1.0, margin=0.5)
    played = play(bot, Scripted(), control=control)
    lefts = [act["time_left"] for act in bot.of_type("act")]
    if in_time:
        assert played.result.termination is Termination.COMPLETED
        assert lefts == [2.0, 2.0 if limits["move"] else 1.0]
    else:
        assert fault_of(played) == (0, "timeout")
        assert "and a margin of 0.5 s" in record_of(played).end.faults[0].detail


def test_a_bank_is_given_again_after_so_many_answers() -> None:
    bot = Scripted([Late(2.0), Late(4.0)])
    control = TimeControl(move=None, bank=3.0, increment=0.5, moves=1)
    play(bot, Scripted(), control=control)
    assert [act["time_left"] for act in bot.of_type("act")] == [3.0, 4.5]
    assert bot.of_type("start")[0]["clock"]["moves"] == 1


def test_without_limits_there_is_no_deadline() -> None:
    bot = Scripted([Late(1e6)])
    played = play(bot, Scripted(), control=TimeControl(move=None))
    assert played.result.termination is Termination.COMPLETED
    assert bot.deadlines == [None, None]
    assert bot.of_type("act")[0]["time_left"] is None


# Rules that break their promise: the game is void, no bot is blamed


class NoLegalActions(ToyRules):
    def legal_actions(self, state: Any) -> Any:
        return ()


class NoOutcome(ToyRules):
    def outcome(self, state: Any) -> Any:
        return None


class PlacesMissing(ToyRules):
    def outcome(self, state: Any) -> Any:
        return Outcome((1,), (1,))


class Halves(ToyRules):
    def outcome(self, state: Any) -> Any:
        found = super().outcome(state)
        return found and found._replace(scores=(0.5, 1.0))


class Endless(ToyRules):
    def to_act(self, state: Any) -> int:
        return max(CHANCE, super().to_act(state))


class UnknownSeat(ToyRules):
    def to_act(self, state: Any) -> int:
        return 7 if len(state.said) == 1 else super().to_act(state)


class Raises(ToyRules):
    def apply(self, state: Any, action: Any) -> Any:
        if len(state.said) == 1:
            raise InvalidActionError("a slip of ours")
        return super().apply(state, action)


BROKEN = [NoLegalActions, NoOutcome, PlacesMissing, Halves, Endless, UnknownSeat]


@pytest.mark.parametrize("rules", BROKEN)
def test_broken_rules_raise(rules: type[ToyRules]) -> None:
    with pytest.raises(RulesBroken):
        play(Scripted(), Scripted(), rules=rules(2))


class Teams(ToyRules):
    """The toy game, in which seats 0 and 2 play against 1 and 3."""

    def __init__(self, seats: int) -> None:
        super().__init__(seats)
        self.info = msgspec.structs.replace(self.info, teams=2)


def test_a_fault_loses_for_the_whole_team() -> None:
    played = play(Scripted(), Scripted(), Scripted([b"nonsense\n"]), Scripted(), rules=Teams(4))
    assert played.result.places[0] == played.result.places[2] == 4
    assert set(played.result.places[1::2]) <= {1, 2}
    verify(record_of(played), Teams(4), SECRET)
    ended = play(Scripted(), Scripted([b"x\n"]), Scripted([b"x\n"]), Scripted(), rules=Teams(4))
    assert (ended.result.termination, ended.result.places) == (Termination.FORFEITED, (4,) * 4)
    verify(record_of(ended), Teams(4), SECRET)


def test_an_exception_of_the_rules_is_raised() -> None:
    with pytest.raises(InvalidActionError):
        play(Scripted(), Scripted(), rules=Raises(2))
