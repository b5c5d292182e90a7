"""Every write of a session fails in turn; the folder must be readable, and the run go on."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from arena.runs.config.tournament import Tournament, load_tournament
from arena.runs.damage import set_damage_aside
from arena.runs.disk import StoreError, cannot_write
from arena.runs.live import locked
from arena.runs.reader import StoredRun
from arena.runs.store import (
    GAMES,
    RECORDS,
    Store,
    all_lines,
    read_archive,
    read_record,
    stored_voids,
)
from arena.runs.voids import VOIDS, Void
from arena.tournament.run import open_run
from arena.values.archives import Archive, archived, nothing, opened
from arena.values.results import (
    GameDone,
    GameResult,
    GameSpec,
    Learned,
    Termination,
    VoidCause,
)
from arena.views.standings.standings import FORMS, table_of, write_tables

pytestmark = [pytest.mark.slow, pytest.mark.process, pytest.mark.usefixtures("leaves_nothing")]

CALLS: Final = ("write", "fsync", "replace", "ftruncate", "open", "mkdir", "fchmod")
"""Functions of ``os`` that a session needs."""


@pytest.fixture
def cup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tournament:
    monkeypatch.chdir(tmp_path)
    Path("cup.yaml").write_text(
        "arena: 1\ngame: dragonheart\nseed: 1\nisolation: none\nschedule: {deals: 2}\nentrants:\n"
        "  - {name: a, command: 'true'}\n  - {name: b, command: 'true'}\n"
    )
    return load_tournament(Path("cup.yaml"))


def done(spec: GameSpec) -> GameDone:
    places = (1, 2) if spec.entrants[0] == "a" else (2, 1)
    result = GameResult(spec, Termination.COMPLETED, places, 3, spec.game_id, (1, 0))
    record, (packed, digest) = f"record of {spec.game_id} ".encode() * 20, archive(spec)
    learned = Learned(nothing().digest, digest), Learned(nothing().digest)
    return GameDone(result, record, ("", "a word"), learned=learned, archives=(packed, b""))


def archive(spec: GameSpec) -> Archive:
    return archived({"game": spec.game_id.encode()})


def session(tournament: Tournament, folder: Path) -> None:
    """What ``arena run`` writes, with made-up games: one is void at first."""
    with locked(folder):
        run = open_run(tournament, folder, None)
        stored = {each.result.spec.game_id for _, each in all_lines(folder)}
        voids = list(stored_voids(folder))
        missing = [
            game
            for block in run.schedule.blocks()
            for game in block.games
            if game.game_id not in stored
        ]
        with Store(folder) as store:
            for game in missing:
                if not voids:
                    voids.append(Void(game.game_id, VoidCause.MACHINE, "busy", game.entrants))
                    store.add_void(voids[0])
                store.add(done(game))
                store.flush()
        write_tables(folder, table_of(StoredRun(folder)), FORMS)


def content(folder: Path) -> tuple[dict[str, bytes], list[Void], dict[str, bytes]]:
    """Games with their records, voids, and tables."""
    for _, each in all_lines(folder):
        assert opened(*archive(each.result.spec)) == read_archive(folder, each.learned[0])
    games = {
        each.result.spec.game_id: read_record(folder, each.record) for _, each in all_lines(folder)
    }
    tables = {path.name: path.read_bytes() for path in folder.glob("standings.*")}
    return games, list(stored_voids(folder)), tables


class Faulty:
    """Functions of ``os``, of which one fails at its n-th call; counts and lists the calls."""

    def __init__(self, failing: str = "", at: int = -1, number: int = 0) -> None:
        self.calls: list[str] = []
        self._failing = failing
        self._at = at
        self._number = number

    @contextmanager
    def armed(self) -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patch:
            for name in CALLS:
                patch.setattr(os, name, self._wrapped(name, getattr(os, name)))
            yield

    def _wrapped(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **keywords: Any) -> Any:
            self.calls.append(name)
            if name == self._failing and self.calls.count(name) == self._at + 1:
                self.calls.append("failed")
                raise OSError(self._number, os.strerror(self._number))
            return real(*arguments, **keywords)

        return call


@pytest.mark.parametrize("failing", CALLS)
def test_whatever_fails_is_told_and_the_run_goes_on_as_if_it_had_not(cup, failing) -> None:
    session(cup, Path("first"))  # what is done once in a process is not counted
    counting = Faulty()
    with counting.armed():
        session(cup, Path("quiet"))
    expected = content(Path("quiet"))
    assert len(expected[0]) == 4
    told: list[str] = []
    for at in range(counting.calls.count(failing)):
        for number in (errno.ENOSPC, errno.EIO, errno.EROFS):
            folder = Path(f"{failing}-{at}-{number}")
            faulty = Faulty(failing, at, number)
            with faulty.armed():
                try:
                    session(cup, folder)
                except StoreError as error:
                    told.append(str(error))
            after = faulty.calls[faulty.calls.index("failed") :]
            if failing == "fsync":
                assert "write" not in after, "nothing is appended after a failed fsync"
            session(cup, folder)
            assert content(folder) == expected
    assert told
    assert all("\n" not in text and text.startswith(f"{failing}-") for text in told)


def test_writes_that_are_cut_short_are_completed(cup, monkeypatch) -> None:
    session(cup, Path("quiet"))
    real = os.write
    monkeypatch.setattr(os, "write", lambda number, data: real(number, data[:5]))
    session(cup, Path("slow"))
    assert content(Path("slow")) == content(Path("quiet"))


@pytest.mark.parametrize(
    ("number", "remedy"),
    [
        (errno.ENOSPC, "free some space, then: arena run 'my run'"),
        (errno.EROFS, "make it writable, then: arena run 'my run'"),
        (errno.EIO, "check the disk, then: arena run 'my run'"),
    ],
)
def test_what_to_do_is_told(cup: Tournament, number: int, remedy: str) -> None:
    with Faulty("write", 3, number).armed(), pytest.raises(StoreError) as told:
        session(cup, Path("my run"))
    assert str(told.value).endswith(f"nothing that was saved is lost: {remedy}")


def test_the_run_of_a_ladder_is_played_on_by_the_ladder(tmp_path: Path) -> None:
    run = tmp_path / "my ladder" / "run"
    run.mkdir(parents=True)
    (run.parent / "ladder.yaml").touch()
    told = cannot_write(run, OSError(errno.ENOSPC, "full"), run)
    assert str(told).endswith("my ladder'")
    assert "free some space, then: arena ladder '" in str(told)


@pytest.mark.parametrize("damage", ["remove", "replace", "move"])
def test_a_folder_that_goes_away_is_told(cup: Tournament, damage: str) -> None:
    session(cup, Path("other"))

    def go_away() -> None:
        Path("run").rename("moved")
        if damage == "remove":
            shutil.rmtree("moved")
        if damage == "replace":
            shutil.copytree("other", "run")

    with pytest.raises(StoreError, match="run: was removed or replaced while it was played into"):
        _play_on(cup, go_away)


@pytest.mark.parametrize("gone", ["records", RECORDS, GAMES, VOIDS])
@pytest.mark.parametrize("at_end", [False, True])
def test_no_game_counts_that_leaves_nothing_behind(cup, gone, at_end) -> None:
    def remove() -> None:
        path = Path("run", gone)
        shutil.rmtree(path) if path.is_dir() else path.unlink()

    with pytest.raises(StoreError, match="was removed or replaced while it was played into"):
        _play_on(cup, remove, at_end=at_end)
    session(cup, Path("quiet"))
    set_damage_aside(Path("run"))
    with Store(Path("run")):
        pass  # what is lost is put aside
    session(cup, Path("run"))
    assert content(Path("run"))[::2] == content(Path("quiet"))[::2]


@pytest.mark.parametrize("which", [RECORDS, GAMES, VOIDS])
@pytest.mark.parametrize("length", [0, 10, 100_000])
def test_no_game_counts_in_a_file_that_somebody_else_changed(cup, which, length) -> None:
    with pytest.raises(StoreError, match=f"{which}: was changed while it was played into"):
        _play_on(cup, lambda: os.truncate(Path("run", which), length))


@pytest.mark.parametrize("link", ["records", RECORDS])
def test_records_do_not_lie_elsewhere(cup: Tournament, link: str) -> None:
    elsewhere = _made(Path("elsewhere"))
    path = _made(Path("run")) / link
    path.parent.mkdir(exist_ok=True)
    path.symlink_to(elsewhere.absolute() / ("" if link == "records" else "file"))
    with pytest.raises(StoreError, match="a record outside the run folder"):
        session(cup, Path("run"))
    assert not list(elsewhere.iterdir())


def _play_on(cup: Tournament, happens: Callable[[], None], *, at_end: bool = False) -> None:
    """A void and a game are stored; then something happens, and mostly a game more."""
    run = open_run(cup, _made(Path("run")), None)
    first, second, *_ = [game for block in run.schedule.blocks() for game in block.games]
    with Store(Path("run")) as store:
        store.add_void(Void(first.game_id, VoidCause.MACHINE, "busy", first.entrants))
        store.add(done(first))
        store.flush()
        happens()
        if not at_end:
            store.add(done(second))


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


@pytest.mark.parametrize("name", [RECORDS, GAMES, "voids.jsonl", "logs/b.stderr"])
def test_a_pipe_in_place_of_a_file_is_not_waited_for(cup: Tournament, name: str) -> None:
    session(cup, Path("quiet"))
    run = _made(Path("run"))
    open_run(cup, run, None)
    for folder in ("records", "logs"):
        (run / folder).mkdir()
    os.mkfifo(run / name)
    if name.startswith("logs"):
        session(cup, run)
        assert content(run) == content(Path("quiet"))
    else:
        with pytest.raises(StoreError, match="no regular file"):
            session(cup, run)


@pytest.mark.parametrize("failing", ["fsync", "write"])
def test_nothing_is_added_after_a_failure(cup: Tournament, failing: str) -> None:
    run = open_run(cup, _made(Path("run")), None)
    game = next(run.schedule.blocks()).games[0]
    faulty = Faulty(failing, 0, errno.EIO)

    def use() -> None:
        with Store(Path("run")) as store:
            with faulty.armed(), pytest.raises(StoreError, match="Input/output error"):
                store.add_void(Void(game.game_id, VoidCause.MACHINE, "", game.entrants))
            assert faulty.calls[-1] == "failed"
            store.add(done(game))
            with pytest.raises(StoreError, match="nothing is written after a failure"):
                store.flush()
            store.add(done(game))

    use()
    assert list(all_lines(Path("run"))) == []
    assert msgspec.json.decode(Path("run/run.json").read_bytes())["name"] == "cup"
