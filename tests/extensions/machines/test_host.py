"""A real host, told what to do by hand."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import psutil
import pytest

from arena import __version__
from arena.entrants import cache
from arena.extensions.machines.fleet import Came, HostLost
from arena.extensions.machines.messages import (
    Abandon,
    About,
    ArchiveRequest,
    Archives,
    FromHost,
    Give,
    Happened,
    HostReady,
    HostRefusal,
    Leave,
    Setup,
    Stop,
    ToHost,
    pack,
    read_by_fleet,
)
from arena.schedule.schedule import Block
from arena.tournament.executor import BlockDone, Joined, Logged, Lost
from arena.values.results import GameDone
from tests.cli.shell import wait_until
from tests.extensions.machines.transports import Beside, bare_setup
from tests.rows import some
from tests.tournament.tables import SEEDS, dragonheart, player, schedule

pytestmark = [pytest.mark.process, pytest.mark.slow, pytest.mark.usefixtures("leaves_nothing")]

SECONDS = 60.0


class Talk:
    """With one host."""

    def __init__(self, places: int = 1) -> None:
        self.beside = Beside()
        self.pid = self.beside.start("x", places)
        self.heard: list[FromHost | HostLost] = []

    def tell(self, message: ToHost) -> None:
        self.beside.send("x", pack(message))

    def until(self, wanted: Callable[[FromHost | HostLost], bool]) -> FromHost | HostLost:
        """The first thing said from now on that is wanted."""
        give_up = time.monotonic() + SECONDS
        while time.monotonic() < give_up:
            for _, news in self.beside.wait(1.0):
                said = read_by_fleet(news) if isinstance(news, bytes) else news
                if isinstance(said, HostLost | msgspec.Struct) and not isinstance(said, Logged):
                    self.heard.append(said)
                    if wanted(said):
                        return said
        raise AssertionError(f"heard only {self.heard}")

    def of(self, *kinds: type[Any]) -> Any:
        """The first of these kinds."""
        return self.until(lambda said: isinstance(said, kinds))

    def sit(self, setup: Setup) -> Any:
        """Ready, or Refused; all bots are sent that are asked for."""
        archives = Archives(setup.bots)
        self.of(About)
        self.tell(setup)
        while isinstance(said := self.of(ArchiveRequest, HostReady, HostRefusal), ArchiveRequest):
            self.tell(archives.piece(said.content, said.offset))
        archives.close()
        return said


@pytest.fixture
def talk() -> Iterator[Talk]:
    talking = Talk()
    with talking.beside:
        yield talking


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def dealt(block: Block) -> Block:
    return msgspec.structs.replace(block, chance=SEEDS.chance(block.games))


BLOCKS = [dealt(block) for block in schedule("a", "b", deals=3).blocks()]


def bots(*programs: str, **changes: Any) -> Setup:
    sat = (player(name, bot) for name, bot in zip("ab", programs, strict=True))
    return msgspec.structs.replace(bare_setup(*sat, rules=dragonheart()), **changes)


def test_it_says_what_it_is_plays_what_it_is_given_and_leaves(talk: Talk) -> None:
    assert isinstance(talk.sit(bots("honest", "honest")), HostReady)
    about, *_ = (said for said in talk.heard if not isinstance(said, Came))
    assert isinstance(about, About), "before anything else"
    assert (about.arena, about.process) == (__version__, talk.pid)
    assert talk.of(Happened) == Happened(0, 0, Joined())
    talk.tell(Give(0, 0, BLOCKS[0]))
    done = [talk.of(Happened).event for _ in range(3)]
    assert [type(each) for each in done] == [GameDone, GameDone, BlockDone]
    assert [each.result.spec for each in done[:2]] == [*BLOCKS[0].games]
    talk.tell(Leave())
    assert talk.of(HostLost) == HostLost("has ended")


def test_bots_are_sent_once_and_found_in_the_cache_afterwards(own_cache: None) -> None:
    setup = bots("honest", "honest")
    for times in (1, 0):
        talking = Talk()
        with talking.beside:
            assert isinstance(talking.sit(setup), HostReady)
        asked = [said.content for said in talking.heard if isinstance(said, ArchiveRequest)]
        assert len(set(asked)) == times, "both are of the same folder"


def test_a_bot_that_was_changed_on_the_way_is_refused(talk: Talk, own_cache: None) -> None:
    setup = bots("honest", "honest")
    false = [msgspec.structs.replace(each, content="0" * 64) for each in setup.bots]
    archives = Archives(setup.bots)
    talk.of(About)
    talk.tell(msgspec.structs.replace(setup, bots=tuple(false)))
    while isinstance(said := talk.of(ArchiveRequest, HostRefusal), ArchiveRequest):
        piece = archives.piece(setup.bots[0].content, said.offset)
        talk.tell(msgspec.structs.replace(piece, content=said.content))
    archives.close()
    assert said == HostRefusal("a bot cannot be kept there: what arrived is another bot")
    assert not cache.cache_folder(cache.TRAVELLERS).joinpath("0" * 64).exists()


def other_rules(**changes: Any) -> Setup:
    setup = bots("honest", "honest")
    rules = {"toy-2": msgspec.structs.replace(dragonheart(), **changes)}
    return msgspec.structs.replace(setup, job=msgspec.structs.replace(setup.job, rules=rules))


@pytest.mark.parametrize(
    ("setup", "why"),
    [
        (other_rules(name="checkers"), "rules: expected one of chess"),
        (other_rules(package="arena-toy", version="9"), "played with arena-toy 9, installed is"),
        (bots("honest", "honest", readable=("/no/such",)), "isolation.readable: /no/such"),
        (bots("honest", "honest", places=100_000), "100000 workers"),
    ],
)
def test_what_the_machine_lacks_is_said_in_one_line(talk: Talk, setup: Setup, why: str) -> None:
    refused = talk.sit(setup)
    assert isinstance(refused, HostRefusal), refused
    assert why in refused.why
    assert refused.why.isprintable()
    assert talk.of(HostLost) == HostLost("has ended")


def test_a_worker_that_is_killed_is_replaced_and_a_late_block_is_not_played(talk: Talk) -> None:
    talk.sit(bots("honest", "hang"))
    talk.of(Happened)
    worker = psutil.Process(talk.pid).children()[-1]
    worker.kill()
    assert isinstance(talk.of(Happened).event, Lost)
    assert talk.of(Happened) == Happened(0, 1, Joined())
    talk.tell(Give(0, 0, BLOCKS[0]))
    talk.tell(Abandon(0, 0, "is not there any more"))
    talk.tell(Abandon(0, 1, "was silent"))
    assert talk.of(Happened) == Happened(0, 1, Lost("was silent"))
    assert talk.of(Happened) == Happened(0, 2, Joined())


def test_stopped_it_plays_no_further_game(talk: Talk) -> None:
    """One or two may have begun before it heard that."""
    blocks = [dealt(block) for block in schedule("a", "b", deals=100).blocks()]
    talk.sit(bots("honest", "honest"))
    talk.of(Happened)
    talk.tell(Stop())
    for block in blocks:
        talk.tell(Give(0, 0, block))
    talk.until(lambda said: said == Happened(0, 0, BlockDone(blocks[-1].block)))
    happened = [said.event for said in talk.heard if isinstance(said, Happened)]
    assert len([each for each in happened if isinstance(each, GameDone)]) < len(blocks)


@pytest.mark.parametrize("bot", some(["leaves_a_daemon", "hang", "ignores_sigterm"], every=3))
def test_when_nobody_speaks_to_it_any_more_nothing_survives(talk: Talk, bot: str) -> None:
    talk.sit(bots("honest", bot))
    talk.of(Happened)
    talk.tell(Give(0, 0, BLOCKS[0]))
    wait_until(lambda: len(psutil.Process(talk.pid).children(recursive=True)) >= 3)
    family = [talk.pid, *(each.pid for each in psutil.Process(talk.pid).children(recursive=True))]
    talk.beside.end("x")
    wait_until(lambda: not [p for p in family if os.path.exists(f"/proc/{p}/cwd") and _runs(p)])


def _runs(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
