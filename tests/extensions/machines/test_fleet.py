"""What a fleet makes of what its hosts say, with hosts that pretend to play."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable
from types import SimpleNamespace

import msgspec
import pytest

from arena import __version__
from arena.extensions.machines import fleet as module
from arena.extensions.machines.fleet import AddressBusy, AddressUnfit, Came, Fleet, HostLost
from arena.extensions.machines.messages import About, Give, Happened, HostRefusal, Setup, Stop, pack
from arena.schedule.seeds import Seeds
from arena.tournament import dispatch
from arena.tournament.dispatch import ATTEMPTS, Dispatch
from arena.tournament.executor import BlockDone, Joined, Logged, Lost, PoolError
from arena.values.results import GameDone, GameSpec, GameVoid, VoidCause
from tests.extensions.machines.transports import Pretended, Pretender, bare_setup
from tests.tournament.executors import in_order, won
from tests.tournament.tables import SEEDS, schedule

PLAN = schedule("a", "b", "z", deals=4)
GAMES = [game.game_id for block in PLAN.blocks() for game in block.games]


class Notes(list[str]):
    """What people are told."""

    def __call__(self, text: str) -> None:
        self.append(text)


def fleet(transport: Pretended, most: float = math.inf, notes: Notes | None = None) -> Fleet:
    return Fleet(transport, bare_setup(), SEEDS, most, Notes() if notes is None else notes)


def played(
    transport: Pretended,
    during: Callable[[int], None] = lambda number: None,
    notes: Notes | None = None,
) -> tuple[list[GameDone], list[GameVoid]]:
    """Games of PLAN in order of arrival, and voids. ``during`` is told how many reports came."""
    done, voids, told = [], [], Notes() if notes is None else notes
    with fleet(transport, notes=told) as executor:
        reports = Dispatch(executor, math.inf, told).play(in_order(PLAN.blocks()))
        for number, report in enumerate(reports):
            if isinstance(report, GameDone):
                done.append(report)
            if isinstance(report, GameVoid):
                voids.append(report)
            during(number)
    return done, voids


def ids(reports: list[GameDone]) -> list[str]:
    return sorted(each.result.spec.game_id for each in reports)


def test_hosts_on_one_machine_have_cores_of_their_own() -> None:
    """Also where no lock is common to them, as in containers."""
    places = {"one": 2, "two": 2, "three": 2, "far": 3, "unknown": 1}
    hosts = {name: Pretender(name, number) for name, number in places.items()}
    boots = {"far": "another", "unknown": ""}
    for name, each in hosts.items():
        about = About(__version__, name, 1, boots.get(name, "b"), (1, 4, 5))
        each.said[0] = about
    transport = Pretended(*hosts.values())

    def told(name: str) -> tuple[int, ...]:
        return next(each.cores for each in hosts[name].heard if isinstance(each, Setup))

    with fleet(transport) as executor:
        [*executor.wait(0)]
        assert list(map(told, places)) == [(1, 4), (5,), (), (1, 4, 5), ()]
        transport.kill("one")
        hosts["again"] = Pretender("again", 1)
        hosts["again"].said[0] = About(__version__, "again", 1, "b", (1, 4, 5))
        transport.join(hosts["again"])
        [*executor.wait(0)]
        assert told("again") == (1,)


def test_a_machine_learns_the_chance_of_its_games_and_no_seed() -> None:
    """From what it is told, what is played follows as it does from the seed."""
    one = Pretender("x", 1)
    played(Pretended(one))
    begun = next(message for message in one.heard if isinstance(message, Setup))
    block = next(message.block for message in one.heard if isinstance(message, Give))
    assert begun.job.seed_key == b""
    assert all(SEEDS.key not in pack(message) for message in one.heard)
    assert block.chance == SEEDS.chance(block.games)
    game = block.games[0]
    from_seed, from_chance = SEEDS.deal(game.deal), block.chance.luck()
    assert [from_chance.below("x", n, 1 << 30) for n in range(9)] == [
        from_seed.below("x", n, 1 << 30) for n in range(9)
    ]
    assert block.chance.bots[game.game_id] == tuple(SEEDS.bot(game, seat) for seat in (0, 1))
    assert Seeds.of("another").chance(block.games) != block.chance


@pytest.mark.parametrize("most", [1, 2, 4])
def test_no_more_places_than_wanted(most: int) -> None:
    hosts = [Pretender("x", min(2, most)), Pretender("y", max(1, min(2, most - 2)))]
    transport = Pretended(*hosts)
    with fleet(transport, most) as executor:
        joined = [event for _ in range(4) for event in executor.wait(0)]
    assert len([event for _, event in joined if isinstance(event, Joined)]) == most
    assert ("y" in transport.ended) == (most <= 2)


def test_what_a_lost_machine_owed_is_played_by_others_and_blamed_on_no_bot() -> None:
    """A bot is withdrawn that ends its worker again and again, not one whose machine is gone."""
    transport, late = Pretended(Pretender("x", 1)), Pretender("late", 1)

    def kill(number: int) -> None:
        if number == 2:
            transport.kill("x")
            transport.join(late)

    done, (void,) = played(transport, kill)
    assert ids(done) == sorted(GAMES)
    assert (void.cause, void.reason) == (VoidCause.MACHINE, "its machine was killed")
    assert any(isinstance(message, Give) for message in late.heard)


def test_what_is_not_of_a_living_place_is_not_heard() -> None:
    """Of an earlier life, of a place that a host does not have, and of a host that is gone."""
    one = Pretender("x", 1)
    transport = Pretended(one)
    joined = (0, Joined("machine of x", "x"))
    with fleet(transport) as executor:
        assert [*executor.wait(0)] == [joined]
        executor.abandon(0, "was silent")
        assert [*executor.wait(0)] == [(0, Lost("was silent"))]
        block = next(PLAN.blocks())
        one.said.appendleft(Happened(0, 0, won(block.games[0])))
        one.said.appendleft(Happened(0, 0, BlockDone(block.block)))
        assert [*executor.wait(0)] == [joined], "the host's own word of the loss is late"
        one.said.extend(Happened(place, 0, Joined()) for place in (1, 99))
        assert [*executor.wait(0)] == []
        transport.kill("x")
        assert [*executor.wait(0)] == [(0, Lost("was killed", VoidCause.MACHINE))]
        transport.news.append(("x", pack(Happened(0, 0, Joined()))))
        transport.news.append(("x", HostLost("again")))
        transport.news.append(("y", Came(1)))
        assert [*executor.wait(0)] == []


def test_a_host_of_another_arena_is_told_nothing() -> None:
    other = Pretender("old", 1)
    other.said[0] = msgspec.structs.replace(other.said[0], arena="0.0.1\x1b[2J")
    notes = Notes()
    transport = Pretended(other)
    with fleet(transport, notes=notes) as executor:
        assert [*executor.wait(0)] == []
    assert other.heard == []
    assert transport.ended == ["old"]
    assert len(notes) == 1
    assert notes[0].startswith("machine of old: cannot play: has arena 0.0.1\\x1b[2J, not ")


def test_what_is_no_message_ends_its_host() -> None:
    transport, notes = Pretended(Pretender("x", 1)), Notes()
    with fleet(transport, notes=notes) as executor:
        [*executor.wait(0)]
        transport.news.append(("x", b"\xff\xff"))
        assert [event for _, event in executor.wait(0)] == [
            Lost(f"speaks otherwise than arena {__version__}", VoidCause.MACHINE)
        ]
    assert "x" in transport.ended
    assert notes[-1].startswith("machine of x: cannot play: speaks otherwise than arena ")


def test_a_host_that_cannot_go_on_loses_its_places() -> None:
    one = Pretender("x", 2)
    with fleet(Pretended(one)) as executor:
        assert [*executor.wait(0)] == [
            (0, Joined("machine of x", "x")),
            (1, Joined("machine of x", "x")),
        ]
        one.said.append(HostRefusal("worker processes cannot be started"))
        lost = Lost("worker processes cannot be started", VoidCause.MACHINE)
        assert [*executor.wait(0)] == [(0, lost), (1, lost)]


def test_if_no_machine_can_play_it_ends_with_every_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "REFUSED_SECONDS", 0.0)
    first, second = Pretender("x", 1), Pretender("y", 1)
    for each, why in ((first, 'greedy needs "go"'), (second, "no bubblewrap")):
        each.said.append(HostRefusal(why))
    transport, notes = Pretended(first, second), Notes()
    transport.news.append(("tcp://far", AddressUnfit("has no arena")))
    with fleet(transport, notes=notes) as executor, pytest.raises(PoolError) as caught:
        [*executor.wait(0)]
    assert str(caught.value).splitlines() == [
        "no machine can play this:",
        "  tcp://far: has no arena",
        '  machine of x: greedy needs "go"',
        "  machine of y: no bubblewrap",
    ]
    assert len(notes) == 3, "each is told once"


def test_if_no_machine_comes_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "NOBODY_SECONDS", 0.0)
    with fleet(Pretended()) as executor, pytest.raises(PoolError, match="no machine came"):
        [*executor.wait(0)]


def test_a_cluster_that_another_run_holds_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: now))
    transport, notes = Pretended(), Notes()
    with fleet(transport, notes=notes) as executor:
        for by in ("a run of arena (box, process 7)", "a run of arena (box, process 7)", "8\x1b"):
            now += 200.0
            transport.news.append(("tcp://x", AddressBusy(by)))
            assert [*executor.wait(0)] == []
        transport.join(Pretender("x", 1))
        assert [event for _, event in executor.wait(0)] == [Joined("machine of x", "x")]
    assert notes[:2] == [
        "waiting: tcp://x is held by a run of arena (box, process 7)",
        "waiting: tcp://x is held by 8\\x1b",
    ]


def test_one_that_can_play_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "REFUSED_SECONDS", 0.0)
    refusing = Pretender("y", 1)
    refusing.said.append(HostRefusal("too old"))
    done, _ = played(Pretended(Pretender("x", 1), refusing))
    assert ids(done) == sorted(GAMES)
    assert {each.machine for each in done} == {"machine of x"}


def test_stopped_every_host_is_told_also_one_that_is_not_ready_yet() -> None:
    one, late = Pretender("x", 1), Pretender("late", 1)
    transport = Pretended(one)
    with fleet(transport) as executor:
        [*executor.wait(0)]
        executor.stop()
        assert one.heard[-1] == Stop()
        transport.join(late)
        assert [*executor.wait(0)] == []
        assert transport.ended == ["late"], "who comes now is not wanted"


def test_a_place_has_a_second_of_play_before_it() -> None:
    """As many blocks as a second has, by their mean so far; at first two."""
    with fleet(Pretended(Pretender("x", 1))) as executor:
        assert executor.ahead == 2
        for _ in range(100):
            executor._count_block(0.1)
        assert executor.ahead == 11
        for _ in range(200):
            executor._count_block(0.001)
        assert executor.ahead == 100
        for _ in range(200):
            executor._count_block(5.0)
        assert executor.ahead == 2


def test_what_a_host_logs_is_logged_here(caplog: pytest.LogCaptureFixture) -> None:
    one = Pretender("x", 1)
    one.said.append(Logged("arena.worker", 30, 1.0, "a sign"))
    with fleet(Pretended(one)) as executor:
        [*executor.wait(0)]
    assert ("arena.worker", 30, "a sign") in caplog.record_tuples


def test_the_name_of_a_machine_is_harmless() -> None:
    one = Pretender("x", 1)
    one.said[0] = msgspec.structs.replace(one.said[0], machine="\x1b]0;evil\a" + "n" * 1000)
    (machine,) = {each.machine for each in played(Pretended(one))[0]}
    assert len(machine) <= 64
    assert machine.isprintable()


@pytest.mark.parametrize("seed", range(20))
def test_whatever_happens_every_game_counts_once(seed: int) -> None:
    """Hosts come and go, workers die, machines are busy; what is left is for the next session."""
    chance = random.Random(seed)
    numbers = itertools.count()
    done: set[str] = set()

    def play(spec: GameSpec) -> object:
        if chance.random() < 0.05:
            return Lost("died")
        if chance.random() < 0.05:
            return GameVoid(spec.game_id, VoidCause.MACHINE, "busy")
        return won(spec)

    def join(transport: Pretended) -> None:
        transport.join(Pretender(f"h{next(numbers)}", chance.randint(1, 3), play))

    def session(transport: Pretended) -> None:
        finished = tuple(n for game in done if (n := PLAN.number(game)) is not None)
        join(transport)
        with fleet(transport) as executor:
            for report in Dispatch(executor, math.inf).play(in_order(PLAN.blocks(finished))):
                if isinstance(report, GameDone):
                    assert report.result.spec.game_id not in done
                    done.add(report.result.spec.game_id)
                if chance.random() < 0.05 and transport.hosts:
                    transport.kill(chance.choice(list(transport.hosts)))
                if chance.random() < 0.1 or not transport.hosts:
                    join(transport)

    for _ in range(20):
        session(Pretended())
    assert sorted(done) == sorted(GAMES)


def full(spec: GameSpec) -> GameVoid:
    return GameVoid(spec.game_id, VoidCause.MACHINE, "the machine is exhausted: no space left")


def dying(spec: GameSpec) -> Lost:
    return Lost("died")


@pytest.mark.parametrize("fails", [full, dying])
@pytest.mark.parametrize("sick", [1, 2, 5])
@pytest.mark.parametrize("places", [1, 4])
def test_machines_that_play_nothing_cost_no_game(sick, places, fails) -> None:
    """They fail at once and ask for more, while the one that plays takes its time."""
    hosts = [Pretender(f"sick-{n}", places, fails) for n in range(sick)]
    notes = Notes()
    done, voids = played(Pretended(*hosts, Pretender("sound", 1, pace=30)), notes=notes)
    assert ids(done) == sorted(GAMES)
    failed = {each.machine for each in voids}
    assert failed <= {f"machine of {each.address}" for each in hosts}
    resting = [text for text in notes if "gets no games for 15 s" in text]
    assert len(resting) == len(failed), "each once"
    assert len(voids) <= sick * (dispatch.VOIDS_IN_A_ROW + places)


def test_a_machine_that_has_recovered_plays_again(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(dispatch, "time", SimpleNamespace(monotonic=lambda: now))
    tries = itertools.count()
    one = Pretender("x", 2, lambda spec: full(spec) if next(tries) < 5 else won(spec))
    notes, lengths = Notes(), {"x": 0, "y": 0}
    blocks = schedule("a", "b", "z", deals=60).blocks()
    with fleet(Pretended(one, Pretender("y", 2)), notes=notes) as executor:
        for report in Dispatch(executor, math.inf, notes).play(in_order(blocks)):
            now += 1.0
            if isinstance(report, GameDone):
                lengths[report.machine[-1]] += 1
    rests = [text.split(" for ")[1].split(" s:")[0] for text in notes if "gets no games" in text]
    assert rests == ["15", "30"], "twice as long after a failed trial"
    assert sum(lengths.values()) == 360
    assert lengths["x"] > 20


def test_the_only_machine_is_never_rested() -> None:
    notes = Notes()
    done, voids = played(Pretended(Pretender("x", 2, full)), notes=notes)
    assert (len(done), len(voids)) == (0, ATTEMPTS * len(GAMES))
    assert not [text for text in notes if "gets no games" in text]
