"""Trying a bot: it is sent what any referee would send, and nothing of it is left."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.extensions.authors.bots import Setting, find_bot, find_bots
from arena.extensions.authors.trial.feed import feed, read_exchange
from arena.extensions.authors.trial.listening import ComparedLine, Cost, Event, ProcessStarted
from arena.extensions.authors.trial.trial import (
    BUILT_IN,
    TrialGame,
    seated,
    try_game,
    without_clock,
)
from arena.games.registry import make_rules, rules_spec
from arena.hosting.sandbox.isolation import Isolation
from arena.referee.wire import Direction, WireMessage, to_line
from arena.runs.disk import StoreError
from arena.values.results import FaultKind, TimeControl
from tests.referee.processes import BOTS, program

RULES = "dragonheart"
PATIENT = Setting(TimeControl(60.0, startup=60.0))
"""On a machine that has much else to do."""

process = [pytest.mark.process, pytest.mark.usefixtures("spared", "leaves_nothing")]

TALKING = """
import json, os, sys
heard = open((sys.argv[1:] or [os.devnull])[0], "w")
asked = 0
for line in sys.stdin:
    heard.write(line)
    heard.flush()
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "protocol": 1}), flush=True)
    elif message["type"] == "act":
        asked += 1
        print("thought", asked, file=sys.stderr, flush=True)
        print(json.dumps({"type": "action", "id": message["id"], "action": 0}), flush=True)
"""
"""The first legal action; keeps what it reads in the file that is its argument."""


def command(name: str) -> str:
    file, bot = program(name)
    return f"{sys.executable} {BOTS / file} {bot}"


def plan(seats: int | None = None, seat: int = 0, deal: int = 0, rules: str = RULES) -> TrialGame:
    return TrialGame(rules_spec(rules, seats), deal, seat)


def tried(
    text: str, wanted: TrialGame | None = None, setting: Setting | None = None
) -> tuple[Any, list[Event]]:
    """The game, and all that was heard."""
    events: list[Event] = []
    candidate = find_bot(text, Isolation.NONE)
    played = try_game(candidate, wanted or plan(), setting or PATIENT, events.append)
    return played, events


def texts(events: list[Event], way: Direction) -> list[str]:
    return [
        each.data.decode() for each in events if isinstance(each, WireMessage) and each.way is way
    ]


@pytest.mark.parametrize(
    ("others", "seat", "names"),
    [
        ((), 0, ("mine", BUILT_IN, BUILT_IN)),
        ((), 2, (BUILT_IN, BUILT_IN, "mine")),
        (("a",), 1, ("a", "mine", "a")),
        (("a", "b"), 1, ("a", "mine", "b")),
    ],
)
def test_who_sits_where(others: tuple[str, ...], seat: int, names: tuple[str, ...]) -> None:
    class Named:
        def __init__(self, name: str) -> None:
            self.name = name

    bots: Any = tuple(map(Named, others))
    mine: Any = Named("mine")
    assert seated(plan(3, seat, rules="dragonkrak")._replace(others=bots), mine) == names


def test_a_debugger_has_all_the_time() -> None:
    setting = without_clock(Setting())
    assert (setting.control.move, setting.control.bank, setting.limits.cpu) == (None, None, None)
    assert setting.limits.memory == Setting().limits.memory


class TestAGame:
    """Real processes."""

    pytestmark = process

    def test_what_is_heard_is_what_the_bot_read(self, tmp_path: Path) -> None:
        (tmp_path / "bot.py").write_text(TALKING)
        with tempfile.TemporaryDirectory() as name:
            Path(name).chmod(0o777)  # whoever the bot runs as
            heard = Path(name, "heard")
            played, events = tried(f"{sys.executable} {tmp_path / 'bot.py'} {heard}")
            read = heard.read_text()
        sent = texts(events, Direction.TO)
        assert "".join(f"{line}\n" for line in sent).startswith(read)
        # for what comes after the last question nobody waits long
        assert read.count('"type":"act"') == sum('"type":"act"' in line for line in sent)
        types = [json.loads(line)["type"] for line in sent]
        assert (types[:2], types[-2:]) == (["hello", "start"], ["over", "bye"])
        asked = types.count("act")
        assert len(texts(events, Direction.FROM)) == 1 + asked
        costs = [each for each in events if isinstance(each, Cost)]
        assert len(costs) == 1 + asked
        assert all(each.wall > 0 and each.peak > 1 << 20 for each in costs)
        assert isinstance(events[0], ProcessStarted)
        assert played.result.faults == ()

    def test_standard_error_is_told_with_its_move(self, tmp_path: Path) -> None:
        (tmp_path / "bot.py").write_text(TALKING)
        _, events = tried(f"{sys.executable} {tmp_path / 'bot.py'}")
        moves = 0
        for event in events:
            if isinstance(event, WireMessage) and event.way is Direction.TO:
                moves += b'"type":"act"' in event.data
            elif isinstance(event, WireMessage) and event.way is Direction.ERROR:
                assert event.data == b"thought %d\n" % moves
        assert moves

    def test_the_same_deal_is_the_same_game(self) -> None:
        first, again, other = (
            tried(command("honest"), plan(deal=deal))[0].result for deal in (3, 3, 4)
        )
        assert first.digest == again.digest != other.digest

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("name", "kind"),
        [
            ("exit_1", FaultKind.CRASH),
            ("drip", FaultKind.TIMEOUT),
            ("floods_lines", FaultKind.MALFORMED),
            ("prints_a_banner", FaultKind.STARTUP),
            ("answers_twice", FaultKind.PROTOCOL),
            ("floods_stdout", FaultKind.OVERFLOW),
            ("exit_at_start", FaultKind.STARTUP),
        ],
    )
    def test_a_fault_is_the_bots(self, name: str, kind: FaultKind) -> None:
        setting = Setting(TimeControl(1.0, startup=60.0))
        played, events = tried(command(name), setting=setting)
        assert [(fault.seat, fault.kind) for fault in played.result.faults] == [(0, kind)]
        assert not any('"bye"' in line for line in texts(events, Direction.TO))

    def test_others_play_too(self) -> None:
        bots = [command("honest"), command("exit_1"), command("honest")]
        mine, *others = find_bots(bots, Isolation.NONE)
        assert [each.name for each in (mine, *others)] == ["toys", "toys-2", "toys-3"]
        wanted = plan(3, 1, rules="dragonkrak")._replace(others=tuple(others))
        events: list[Event] = []
        result = try_game(mine, wanted, PATIENT, events.append).result
        assert result.spec.entrants == ("toys-2", "toys", "toys-3")
        assert [fault.seat for fault in result.faults] == [0]
        assert sum(isinstance(each, ProcessStarted) for each in events) == 1

    @pytest.mark.parametrize("at", [0, 1, 2, 3, 5, 9])
    @pytest.mark.parametrize("error", [KeyboardInterrupt, BrokenPipeError])
    def test_nothing_is_left_when_nobody_listens_any_more(self, at, error) -> None:
        events = 0

        def listen(event: Event) -> None:
            nonlocal events
            events += 1
            if events > at:
                raise error

        candidate = find_bot(command("honest"), Isolation.LIMITS)
        with pytest.raises(error):
            try_game(candidate, plan(), PATIENT, listen)
        assert events == at + 1, "who has failed is told no more"


class TestFeeding:
    """A kept exchange, sent again."""

    pytestmark = process

    @pytest.fixture
    def kept(self, tmp_path: Path) -> Path:
        _, events = tried(command("honest"))
        path = tmp_path / "kept.jsonl"
        path.write_bytes(
            b"".join(to_line(each) for each in events if isinstance(each, WireMessage))
        )
        return path

    def fed(self, text: str, path: Path, *, is_timed: bool = True) -> tuple[Any, list[Event]]:
        events: list[Event] = []
        candidate, exchange = find_bot(text, Isolation.NONE), read_exchange(path)
        setting = Setting() if is_timed else without_clock(Setting())
        return feed(candidate, exchange, setting, events.append, is_timed=is_timed), events

    def test_it_is_the_very_same(self, kept: Path) -> None:
        offence, events = self.fed(command("honest"), kept)
        assert offence is None
        lines = map(json.loads, kept.read_bytes().splitlines())
        assert texts(events, Direction.TO) == [
            each["text"] for each in lines if each["way"] == "to"
        ]
        answers = [each for each in events if isinstance(each, ComparedLine)]
        assert answers
        assert all(each.is_same for each in answers)

    @pytest.mark.parametrize("change", [lambda act: act, lambda act: act.pop("legal")])
    def test_what_differs_is_found(self, kept, change) -> None:
        lines = []
        for line in map(json.loads, kept.read_text().splitlines()):
            message = json.loads(line["text"])
            if message["type"] == "act" and len(message["legal"]) > 1:
                change(message)
                lines.append({**line, "text": json.dumps(message)})
            elif message["type"] in ("hello", "start", "ready", "action"):
                lines.append(line)
        kept.write_text("".join(json.dumps(line) + "\n" for line in lines))
        offence, events = self.fed(command("takes_the_second"), kept)
        assert offence is None
        answers = [each.is_same for each in events if isinstance(each, ComparedLine)]
        assert answers
        assert not any(answers)

    def test_a_fault_ends_it(self, kept: Path) -> None:
        offence, events = self.fed(command("floods_lines"), kept)
        assert offence.kind is FaultKind.MALFORMED
        assert sum('"act"' in line for line in texts(events, Direction.TO)) == 1


START: dict[str, Any] = {"type": "start", "rules": RULES, "seat": 0, "seats": 2}
HELLO = {"type": "hello", "startup": 1.0}


def lines_of(*messages: Any) -> str:
    kept = ({"way": "to", "at": 0.0, "text": json.dumps(each)} for each in messages)
    return "".join(json.dumps(each) + "\n" for each in kept)


def exchanges() -> Iterator[tuple[str, str]]:
    spec = make_rules(rules_spec(RULES)).spec
    start = START | {"options": spec.options, "data": spec.data}
    act = {"type": "act", "id": "1", "time_left": 1.0}
    yield "", "found no exchange from hello to start"
    yield lines_of(HELLO), "found no exchange from hello to start"
    yield lines_of(start), ":1: found start, expected hello first"
    yield lines_of(HELLO, HELLO), ":2: found hello, expected start"
    yield lines_of(HELLO, start, start, HELLO), ":4: found a second hello"
    yield lines_of(HELLO, start | {"rules": "checkers"}), ":2: "
    yield lines_of(HELLO, start | {"seats": 3}), ":2: dragonheart has 2 seats"
    yield lines_of(HELLO, start | {"seat": 2}), ":2: found seat 2 of 2 seats"
    yield lines_of(HELLO, start, act | {"observation": {"turn": 1}}), ":3: "
    yield lines_of(HELLO, start, act | {"events": [{"type": "party"}]}), ":3: "
    yield lines_of(HELLO, start, act | {"legal": [{"type": "party"}]}), ":3: "
    yield "[" * 100_000 + "\n", ":1: "
    yield '{"way": "up", "at": 0, "text": ""}\n', ":1: "
    yield '{"way": "to", "at": 0, "text": "{\\n}"}\n', ":1: found more than one line"


@pytest.mark.parametrize(("text", "said"), [*exchanges()])
def test_what_is_no_exchange_is_refused(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "kept.jsonl"
    path.write_text(text)
    with pytest.raises(StoreError) as refused:
        read_exchange(path)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)
