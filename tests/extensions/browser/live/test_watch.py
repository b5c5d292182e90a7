"""``arena watch``: reads a run bit by bit, and says the same as who reads it at once."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import termios
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.extensions.browser.live import read
from arena.extensions.browser.live.read import Reader
from arena.extensions.browser.live.snapshot import RunPhase, Snapshot
from arena.extensions.browser.live.tail import Replaced
from arena.extensions.browser.page.report import match_page
from arena.extensions.matches.judge import stored_report
from arena.runs.disk import StoreError
from arena.runs.live import LIVE, InHand, Live, SessionStart
from arena.runs.reader import StoredRun
from arena.runs.voids import Void
from arena.values.results import VoidCause
from arena.views.standings import tables
from arena.views.standings.standings import table_of
from tests.cli.shell import BOT, arena, bot, command, environment, tournament, wait_until
from tests.views.game.terminals import ENTER, Terminal, terminal

pytestmark = [pytest.mark.slow, pytest.mark.process]

BOTS = Path(__file__).parents[4] / "bots"
CRASHING = BOT.replace(
    'elif message["type"] == "act":', 'elif message["type"] == "act":\n        1 / 0'
)
GONE = 4_190_000
"""A process that is not there: more than Linux numbers by itself."""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of three games, one of them alone, with a bot that crashes and is withdrawn."""
    home = tmp_path_factory.mktemp("watch")
    bot(home, "anna")
    bot(home, "berta")
    bot(home, "crash", CRASHING)
    (home / "cup.yaml").write_text(
        "arena: 1\ngames: [dragonheart, {rules: dragonkrak, seats: 3}, {rules: dragonkrak, "
        "seats: 1}]\nseed: 1\nisolation: none\nschedule: {deals: 8}\nbreaker: {after: 8}\n"
        "entrants:\n  - bot: anna\n  - bot: berta\n  - bot: crash\n"
    )
    arena(home, "run", "cup.yaml", "-q", "-o", "run")
    return home / "run"


@pytest.fixture(scope="module")
def match(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A match with a verdict."""
    home = tmp_path_factory.mktemp("match")
    done = arena(
        home, "compare", BOTS / "greedy", BOTS / "random", "-g", "dragonheart", "-q", "-o", "run"
    )
    assert done.code == 0
    return home / "run"


@pytest.fixture
def copy(played: Path, tmp_path: Path) -> Path:
    """A run folder of its own, without games."""
    return without_games(played, tmp_path)


def without_games(played: Path, home: Path) -> Path:
    folder = home / "run"
    folder.mkdir()
    shutil.copy(played / "run.json", folder)
    return folder


def lines_of(folder: Path) -> list[bytes]:
    return (folder / "games.jsonl").read_bytes().splitlines(keepends=True)


def tell(folder: Path, pid: int | None = None, age: float = 0.0, **more: Any) -> None:
    """Write live.json as a process does that plays."""
    now = time.monotonic()
    live = Live(os.getpid() if pid is None else pid, SessionStart(now - 10), now - age, **more)
    (folder / LIVE).write_bytes(msgspec.json.encode(live))


def add(folder: Path, lines: list[bytes]) -> None:
    with (folder / "games.jsonl").open("ab") as file:
        file.writelines(lines)


def tables_in(snapshot: Snapshot) -> str:
    return tables.json_text(snapshot.sections)


def at_once(folder: Path) -> str:
    return tables.json_text(table_of(StoredRun(folder)).sections)


def test_bit_by_bit_is_as_at_once(played, copy, monkeypatch) -> None:
    monkeypatch.setattr(read, "_TABLE_SECONDS", 0.0)
    monkeypatch.setattr(read, "_TABLE_SHARE", 1e9)
    reader, lines = Reader(copy), lines_of(played)
    assert reader.refresh().phase is RunPhase.WAITING
    tell(copy)
    for first in range(0, len(lines), 7):
        if first == 21:
            void = Void(game_of(lines[25]), VoidCause.MACHINE, "busy", ("anna", "berta"))
            (copy / "voids.jsonl").write_bytes(msgspec.json.encode(void) + b"\n")
        chunk = b"".join(lines[first : first + 7])
        for half in (chunk[: len(chunk) // 2], chunk[len(chunk) // 2 :]):
            add(copy, [half])
            snapshot = reader.refresh()
            assert (snapshot.phase, snapshot.read) == (RunPhase.PLAYING, 1)
        assert tables_in(snapshot) == at_once(copy)
    (copy / LIVE).unlink()
    snapshot = reader.refresh()
    assert snapshot.phase is RunPhase.FINISHED
    assert snapshot.figures.done == snapshot.figures.total
    assert (snapshot.figures.voids, snapshot.voided[0].cause) == ({"machine": 1}, "machine")
    assert tables_in(snapshot) == at_once(copy)
    assert "crash" in [each.name for each in snapshot.sections[0].withdrawn]


def deal_of(line: bytes) -> tuple[int, ...]:
    return tuple(map(int, game_of(line).split(":")[1:]))


def game_of(line: bytes) -> str:
    return str(json.loads(line)["result"]["spec"]["game_id"])


def test_on_the_page_a_deal_counts_when_all_its_seatings_are_played(match, tmp_path) -> None:
    folder = without_games(match, tmp_path)
    lines = sorted(lines_of(match), key=deal_of)[:5]
    tell(folder)
    reader = Reader(folder, whole_blocks=True)
    seen = []
    for line in lines:
        add(folder, [line])
        reader._computed_at = -1e9  # the tables are due again
        snapshot = reader.refresh()
        seen.append((snapshot.figures.done, len(snapshot.ended), games_in(snapshot)))
    assert seen == [(1, 0, 0), (2, 2, 2), (3, 2, 2), (4, 4, 4), (5, 4, 4)]
    (folder / LIVE).unlink()
    reader._heard = -1e9
    snapshot = reader.refresh()
    assert (snapshot.phase, len(snapshot.ended), games_in(snapshot)) == (RunPhase.STOPPED, 5, 5)
    tell(folder)
    snapshot = reader.refresh()
    shown = (snapshot.phase, snapshot.figures.done, len(snapshot.ended), games_in(snapshot))
    assert shown == (RunPhase.PLAYING, 5, 4, 4), "it goes on: held back again"


def games_in(snapshot: Snapshot) -> int:
    return sum(row.games for row in snapshot.sections[0].standings.rows) // 2


def test_tables_are_computed_rarely_where_that_takes_long(played, copy, monkeypatch) -> None:
    now = [1000.0]
    monkeypatch.setattr(read.time, "monotonic", lambda: now[0])
    computed = []
    sections = read.LiveGames.sections

    def slow(self: Any, verdict: Any) -> Any:
        computed.append(now[0])
        now[0] += 3
        return sections(self, verdict)

    monkeypatch.setattr(read.LiveGames, "sections", slow)
    tell(copy)
    reader = Reader(copy)
    for line in lines_of(played)[:80]:
        add(copy, [line])
        reader.refresh()
        now[0] += 1
    pauses = [after - before - 3 for before, after in pairwise(computed)]
    assert pauses
    assert min(pauses) >= 30, "at most a tenth of the time"


@pytest.mark.parametrize(
    ("live", "phase", "note"),
    [
        (None, RunPhase.STOPPED, "was stopped; go on with: arena run "),
        ({}, RunPhase.PLAYING, ""),
        ({"age": 45}, RunPhase.SILENT, "no sign of life for 4"),
        ({"pid": GONE}, RunPhase.KILLED, "was killed, nothing is lost; go on with: arena run "),
    ],
)
def test_phases(played, copy, live, phase, note) -> None:
    add(copy, lines_of(played)[:3])
    if live is not None:
        tell(copy, **live)
    snapshot = Reader(copy).refresh()
    assert (snapshot.phase, snapshot.figures.done) == (phase, 3)
    assert snapshot.note.startswith(note)


def test_a_run_that_ends_is_not_called_stopped_while_it_puts_its_results_in_order(
    match: Path, tmp_path: Path
) -> None:
    folder = without_games(match, tmp_path)
    tell(folder)
    reader = Reader(folder)
    add(folder, lines_of(match))
    assert reader.refresh().phase is RunPhase.PLAYING
    (folder / LIVE).unlink()
    assert reader.refresh().phase is RunPhase.PLAYING
    shutil.copy(match / "match.json", folder)
    assert reader.refresh().phase is RunPhase.FINISHED


def test_a_match_whose_report_is_about_others_has_no_page(match: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(match, tmp_path / "run")
    path = folder / "match.json"
    path.write_text(path.read_text().replace('"name": "random"', '"name": "nobody"'))
    with pytest.raises(StoreError, match=r"match.json: is about greedy and nobody, the run is of"):
        match_page(StoredRun(folder))


def test_games_in_hand_and_speed(played: Path, copy: Path) -> None:
    hand = InHand("dragonheart-2/anna+berta:3:1", ("berta", "anna"), time.monotonic() - 4)
    add(copy, lines_of(played)[:20])
    tell(copy, workers=(hand, None))
    snapshot = Reader(copy).refresh()
    [first, second] = snapshot.hands
    assert first is not None
    assert (first.discipline, first.entrants, second) == ("dragonheart-2", ("berta", "anna"), None)
    assert first.seconds == pytest.approx(4, abs=3)
    assert snapshot.figures.rate == pytest.approx(20 / 10, rel=0.4), "of a bot that is out too"
    assert snapshot.figures.left is not None


def test_a_match_while_it_is_played_and_after(match: Path, tmp_path: Path) -> None:
    report = stored_report(match)
    assert report is not None
    finished = Reader(match).refresh()
    assert finished.phase is RunPhase.FINISHED
    assert finished.trial is not None
    assert (finished.trial.llr, finished.trial.blocks) == (report.llr, report.blocks)
    assert finished.trial.verdict == report.verdict
    assert finished.trial.curve[-1] == (report.blocks, report.llr)

    folder = without_games(match, tmp_path)
    reader = Reader(folder)
    add(folder, sorted(lines_of(match), key=deal_of)[:10])
    assert reader.refresh().trial is None, "nobody knows by what it is judged"
    terms = {
        "candidate": "greedy", "baseline": "random", "test": msgspec.to_builtins(report.test),
        "measures": {},
    }  # fmt: skip
    tell(folder, judge=terms)
    playing = reader.refresh()
    assert playing.trial is not None
    assert (playing.trial.verdict, playing.trial.games) == (None, 10)
    assert playing.figures.total is None
    tell(folder, judge=terms | {"candidate": "somebody"})
    assert reader.refresh().trial is None


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda run: add(run, [b"nothing\n"]), "games.jsonl:1: no stored game: "),
        (lambda run: (run / "voids.jsonl").write_bytes(b"{}\n"), "voids.jsonl:1: no void game: "),
        (lambda run: (run / "run.json").write_bytes(b"{}"), "run.json: "),
        (lambda run: (run / "run.json").unlink(), ": was removed while it was watched"),
    ],
)
def test_a_run_that_is_damaged(copy: Path, change: Callable[[Path], Any], text: str) -> None:
    reader = Reader(copy)
    change(copy)
    with pytest.raises(StoreError) as caught:
        reader.refresh()
    assert text in str(caught.value)


def test_a_run_that_is_removed_file_by_file(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = Reader(copy)
    (copy / "voids.jsonl").write_bytes(b"half of it")
    add(copy, [b"nothing\n"])
    monkeypatch.setattr(read.time, "sleep", lambda _: shutil.rmtree(copy))
    with pytest.raises(StoreError, match="was removed while it was watched"):
        reader.refresh()


def test_files_that_change_again_and_again(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def look(self: Reader) -> Snapshot:
        raise Replaced

    reader = Reader(copy)
    monkeypatch.setattr(Reader, "_look", look)
    with pytest.raises(StoreError, match="replaced again and again"):
        reader.refresh()


def test_of_a_game_that_is_stored_twice_the_first_line_counts(played: Path, copy: Path) -> None:
    add(copy, [line := lines_of(played)[0], line])
    assert Reader(copy).refresh().figures.done == 1


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("stranger", r"dragonheart-2/a\+b:0:0: not a game of this run"),
        ("seats", "no stored game: not for 2 seats"),
    ],
)
def test_games_that_are_none_of_this_run(played: Path, copy: Path, change: str, told: str) -> None:
    line = lines_of(played)[0]
    stored = json.loads(line)
    match change:
        case "stranger":
            stored["result"]["spec"]["game_id"] = "dragonheart-2/a+b:0:0"
        case "seats":
            stored["result"]["places"] = [1]
    add(copy, [json.dumps(stored).encode() + b"\n"])
    told = rf"games\.jsonl:\d: {told}$"
    with pytest.raises(StoreError, match=told):
        Reader(copy).refresh()


def test_another_run_in_its_place_is_read_from_its_beginning(played, match, copy) -> None:
    reader = Reader(copy)
    add(copy, lines_of(played)[:5])
    assert reader.refresh().figures.done == 5
    shutil.rmtree(copy)
    shutil.copytree(match, copy)
    snapshot = reader.refresh()
    assert snapshot.trial is not None
    assert snapshot.figures.done == len(lines_of(match))


def test_it_takes_no_lock_and_leaves_nothing(copy: Path, leaves_nothing: None) -> None:
    before = sorted(copy.iterdir())
    Reader(copy).complete()
    assert sorted(copy.iterdir()) == before


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["nothing"], "nothing: found no run.json, expected the folder of a run"),
        (["run", "--web", "--once"], "--web: found --once or --json beside it"),
        (["run", "--port", "80"], "--port: found 80, expected it only with --web"),
    ],
)
def test_bad_input(played: Path, options: list[str], text: str) -> None:
    done = arena(played.parent, "watch", *options)
    assert done.code == 2
    assert text in done.err


def test_a_run_is_followed_to_its_end(tmp_path: Path) -> None:
    tournament(tmp_path, deals=12)
    with subprocess.Popen(
        command("run", "cup.yaml", "-q", "-j", "1", "-o", "run"), cwd=tmp_path, env=environment(),
        stdout=subprocess.DEVNULL,
    ) as running:  # fmt: skip
        wait_until(lambda: (tmp_path / "run" / LIVE).exists() or running.poll() is not None)
        done = arena(tmp_path, "watch", "run")
        assert running.wait(60) == 0
    assert done.code == 0
    assert done.out.startswith("cup: finished\n24/24")
    assert sorted(path.name for path in (tmp_path / "run").glob("*live*")) == []


@pytest.mark.soak
def test_watching_changes_no_byte_of_a_run(tmp_path: Path) -> None:
    tournament(tmp_path, deals=6)
    for name in ("alone", "watched"):
        with contextlib.ExitStack() as stack:
            running = stack.enter_context(
                subprocess.Popen(
                    command("run", "cup.yaml", "-q", "--name", name),
                    cwd=tmp_path,
                    env=environment(),
                    stdout=subprocess.DEVNULL,
                )
            )
            while name == "watched" and running.poll() is None:
                with contextlib.suppress(StoreError):
                    Reader(tmp_path / "runs" / name).complete()
            assert running.wait(60) == 0
    found = [digests(tmp_path / "runs" / name) for name in ("alone", "watched")]
    assert found[0] == found[1]
    assert len(found[0]) == 12


def digests(folder: Path) -> dict[str, str]:
    results = [json.loads(line)["result"] for line in lines_of(folder)]
    return {result["spec"]["game_id"]: result["digest"] for result in results}


def finish(shown: Terminal, run: Path, played: Path) -> None:
    add(run, lines_of(played)[4:])
    (run / LIVE).unlink()


ENDINGS: dict[str, tuple[Callable[[Terminal, Path, Path], Any], int, bytes]] = {
    "finished": (finish, 0, b"last games"),
    "removed": (lambda shown, run, _: shutil.rmtree(run), 2, b": was removed while it was watched"),
    "Ctrl-C": (lambda shown, *_: shown.process.send_signal(signal.SIGINT), 130, b"4/"),
    "SIGTERM": (lambda shown, *_: shown.process.send_signal(signal.SIGTERM), 130, b"4/"),
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_terminal_shows_the_run_in_place_until_its_end(played, copy, ending) -> None:
    add(copy, lines_of(played)[:2])
    tell(copy)
    end, code, last = ENDINGS[ending]
    with terminal("watch", copy) as shown:
        before = termios.tcgetattr(shown.theirs)
        seen = shown.until(b"2/")
        add(copy, lines_of(played)[2:4])
        seen += shown.until(b"4/")
        assert b"\x1b[1A" in seen, "lines are drawn again where they were"
        assert termios.tcgetattr(shown.theirs) == before
        end(shown, copy, played)
        seen += shown.until(b"\x1b[?25h")
        if last not in seen:
            seen += shown.until(last)
        assert shown.process.wait(60) == code
    assert ENTER not in seen
    if ending == "finished":
        whole = seen[seen.rindex(b"cup: finished") :]
        assert all(title in whole for title in (b"Dragonheart", b"Dragonkrak", b"overall"))
