"""``arena report`` from the outside: what is written where, told to whom, and refused."""

from __future__ import annotations

import base64
import errno
import gzip
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import psutil
import pytest

from arena.extensions.browser.commands.report import ReportOptions, write_run_page
from arena.extensions.browser.page import files as report_files
from arena.extensions.browser.page import games as report_games
from arena.extensions.browser.page.facts import config_facts, head_facts
from arena.extensions.browser.page.files import Files, target_of
from arena.extensions.browser.page.games import (
    GameSelection,
    Task,
    Which,
    chosen,
    parse_wanted,
    prepared,
    to_step_through,
)
from arena.extensions.browser.page.model import LabelledFact
from arena.extensions.browser.page.report import RunReport
from arena.hosting.machine import spawn
from arena.runs.disk import StoreError
from arena.runs.reader import StoredRun
from arena.values.bad_input import BadInput
from tests.cli.shell import Result, arena, bot

pytestmark = [pytest.mark.slow, pytest.mark.process]

TALKER = """
import json, sys
name = {name!r}
asked = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({{"type": "ready", "protocol": 1}}), flush=True)
    elif message["type"] == "act":
        asked += 1
        if asked == {crash}:
            print("stderr of " + name, file=sys.stderr, flush=True)
            sys.exit(3)
        answer = {{"type": "action", "id": message["id"], "action": 0, "info": "info of " + name}}
        print(json.dumps(answer), flush=True)
"""
NAMES = ("anna-4711", "berta-815")
SEED = "a long secret seed"
TOKEN = "p4ssw0rd"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the finished run ``runs/cup`` of 8 games, in some of which a bot crashed."""
    folder = tmp_path_factory.mktemp("place")
    for name, crash in zip(NAMES, (0, 60), strict=True):
        bot(folder, name, TALKER.format(name=name, crash=crash))
    entrants = "".join(f"  - {{bot: {name}, env: {{TOKEN: {TOKEN}}}}}\n" for name in NAMES)
    (folder / "cup.yaml").write_text(
        f"arena: 1\nname: cup\ngame: dragonheart\nseed: {SEED}\nnames: hidden\n"
        f"schedule: {{deals: 4}}\nexecution: {{workers: 1}}\nentrants:\n{entrants}"
    )
    done = arena(folder, "run", "cup.yaml", "-q")
    assert done.code == 0, done
    return folder


def unpacked(text: str) -> Any:
    return json.loads(gzip.decompress(base64.b64decode(text)))


def packed_parts(text: str) -> dict[str, Any]:
    """By id what a page holds beside its HTML."""
    found = re.findall(r'<script type="application/octet-stream" id="([^"]+)"[^>]*>([^<]*)<', text)
    return {name: unpacked(data) for name, data in found}


def whole(path: Path) -> str:
    """Everything that a reader can find in a page, packed or not."""
    text = path.read_text()
    return text + json.dumps(packed_parts(text))


def test_a_page_has_every_game(place: Path) -> None:
    done = arena(place, "report", "runs/cup")
    assert (done.code, done.err) == (0, "")
    assert re.fullmatch(r"runs/cup/report\.html: [0-9.]+ [kM]B, 8 games\n", done.out)
    parts = packed_parts((place / "runs/cup/report.html").read_text())
    rows = parts["listing"]["rows"]
    assert [row[0] for row in rows] == list(range(1, 9))
    listed = json.loads(arena(place, "games", "runs/cup", "--decided", "--json").out)["data"][
        "games"
    ]
    keys = ("margin", "slowest_us", "decided", "swing")
    assert [row[13] for row in rows] == [n // 2 for n in range(8)]  # two games of each deal
    assert [row[9:13] for row in rows] == [[game[key] for key in keys] for game in listed]
    for number, game_id, _, seats, _, scores, _, faults, file, *_ in rows:
        document = parts[f"game-{number}"]
        assert document["game"]["id"] == game_id
        assert document["game"]["names"] == [parts["listing"]["names"][seat] for seat in seats]
        assert [view["key"] for view in document["views"]] == ["all", "0", "1", "spectator"]
        assert document["views"][0]["final"] == scores
        assert len(document["views"][0]["faults"]) == len(faults)
        assert file == 1
    text = whole(place / "runs/cup/report.html")
    assert SEED in text
    assert "info of anna-4711" in text
    assert TOKEN not in text
    assert str(place) not in text
    assert arena(place, "verify", "runs/cup").code == 0, "a page does not disturb a run"


def test_processes_prepare_what_one_does(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_games, "_FEW", 0)
    draft = RunReport(StoredRun(place / "runs/cup"), GameSelection(Which.ALL), is_public=False)
    alone = list(prepared(draft.tasks(), draft.source, 1))
    monkeypatch.setattr(report_games, "_read", None)  # not here
    assert list(prepared(draft.tasks(), draft.source, 2)) == alone
    assert len(alone) == 8


@pytest.mark.parametrize("problem", [BrokenPipeError, ConnectionRefusedError, OSError])
@pytest.mark.parametrize("step", ["start", "brief"])
def test_processes_that_cannot_be_started(place, monkeypatch, step, problem) -> None:
    """A broken pipe to them is not the reader of our output who left: exit code 0."""

    def fails(*_: object) -> None:
        raise problem

    monkeypatch.setattr(report_games, "_FEW", 0)
    monkeypatch.setattr(spawn, step, fails)
    draft = RunReport(StoredRun(place / "runs/cup"), GameSelection(Which.ALL), is_public=False)
    with pytest.raises(BadInput, match="cannot be started; -j 1 needs none"):
        list(prepared(draft.tasks(), draft.source, 2))


def test_a_process_that_is_killed_is_told(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_games, "_FEW", 0)
    draft = RunReport(StoredRun(place / "runs/cup"), GameSelection(Which.ALL), is_public=False)
    games = prepared(draft.tasks() * 10, draft.source, 2)
    next(games)
    for each in psutil.Process().children():
        each.kill()
    with pytest.raises(BadInput, match="a process that prepared games was ended"):
        list(games)


def test_what_goes_wrong_in_a_process_is_told_here(place, monkeypatch) -> None:
    monkeypatch.setattr(report_games, "_FEW", 0)
    draft = RunReport(StoredRun(place / "runs/cup"), GameSelection(Which.ALL), is_public=False)
    odd = [task._replace(stored=None) for task in draft.tasks()]
    with pytest.raises(AttributeError, match="NoneType"):
        list(prepared(cast("list[Task]", odd), draft.source, 2))


PARENT = """
import sys, time
from pathlib import Path
from arena.extensions.browser.page import games as report_games
from arena.extensions.browser.page.games import GameSelection, Which
from arena.extensions.browser.page.report import RunReport
from arena.runs.reader import StoredRun
report_games._FEW = 0
draft = RunReport(StoredRun(Path(sys.argv[1])), GameSelection(Which.ALL), is_public=False)
games = report_games.prepared(draft.tasks() * 100, draft.source, 2)
next(games)
print("begun", flush=True)
list(games)
"""


def test_who_is_killed_leaves_nothing_of_its_processes(place: Path, tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, place / "runs/cup"],
        env=os.environ | {"TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as parent:
        assert parent.stdout is not None
        assert parent.stderr is not None
        assert parent.stdout.readline() == b"begun\n"
        family = psutil.Process(parent.pid).children(recursive=True)
        maps = [Path(f"/proc/{each.pid}/maps").read_text() for each in family]
        parent.kill()
        _, alive = psutil.wait_procs(family, timeout=60)
        for each in alive:
            each.kill()
        said = parent.stderr.read()
    assert (len(family), alive, said) == (2, [], b"")
    assert not list(tmp_path.iterdir())
    assert "/sem." not in "".join(maps)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"ratings": {"anchor": "anna-4711"}}, LabelledFact("anchor", "anna-4711 at 0 Elo")),
        (
            {"ratings": {"anchor": "anna-4711", "elo": 1000}},
            LabelledFact("anchor", "anna-4711 at 1000 Elo"),
        ),
        ({}, LabelledFact("games", "3 of 8")),
        ({"until": "person"}, LabelledFact("games", "3")),
    ],
)
def test_the_head_of_a_page(place, tmp_path, change, told) -> None:
    run = tmp_path / "cup"
    shutil.copytree(place / "runs/cup", run)
    manifest = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(
        json.dumps(manifest | {"identity": manifest["identity"] | change})
    )
    lines = (run / "games.jsonl").read_text().splitlines(keepends=True)
    (run / "games.jsonl").write_text("".join(lines[:3]))
    report = RunReport(StoredRun(run), GameSelection(Which.NONE), is_public=False)
    (_, tournament) = config_facts(report.manifest, is_public=False)[0]
    assert told in [*head_facts(report), *tournament]


def test_faults_are_told_with_what_the_bot_said_last(place: Path) -> None:
    done = arena(place, "report", "runs/cup", "--games", "faults", "-o", "faults.html", "--json")
    assert done.code == 0, done
    data = json.loads(done.out)["data"]
    text = (place / "faults.html").read_text()
    faulty = [row for row in packed_parts(text)["listing"]["rows"] if row[7]]
    assert data["documents"] == len(faulty) > 0
    assert data["games"] == data["listed"] == 8
    assert "stderr of berta-815" in text
    number, game_id, [[_, kind, ply]] = faulty[0][0], faulty[0][1], faulty[0][7]
    assert kind == "crash"
    assert f"game-{number}" in packed_parts(text)
    assert re.search(
        rf'href="#game=[^"]*{re.escape(game_id.split(":", 1)[1][:1])}[^"]*ply={ply}"', text
    )


def test_spectators_get_nothing_that_is_not_public(place: Path) -> None:
    done = arena(place, "report", "runs/cup", "--view", "spectator", "-o", "public.html")
    assert done.code == 0, done
    text = whole(place / "public.html")
    parts = packed_parts((place / "public.html").read_text())
    for name, document in parts.items():
        if name != "listing":
            assert [view["key"] for view in document["views"]] == ["spectator"]
            assert list(document["observers"]) == ["spectator"]
            assert document["views"][0]["bot_seeds"] == {}
            assert not any(ply.get("info") for ply in document["views"][0]["plies"])
    for secret in (SEED, TOKEN, "info of", "stderr of", "Time per move", "isolation"):
        assert secret not in text
    assert "anna-4711" in text, "the run is over, so it may be told who played"


def test_spectators_of_a_run_in_play_do_not_learn_who_plays(place: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cup"
    shutil.copytree(place / "runs/cup", folder, ignore=shutil.ignore_patterns("report.html"))
    (folder / "seed.json").chmod(0o600)
    lines = (folder / "games.jsonl").read_text().splitlines(keepends=True)
    (folder / "games.jsonl").write_text("".join(lines[:5]))
    done = arena(tmp_path, "report", "cup", "--view", "spectator", "-o", "public.html")
    assert done.code == 0, done
    assert "left out until the run has ended" in done.err
    text = (tmp_path / "public.html").read_text()
    assert "4 of 8" in text, "the result of a game would tell of cards as well"
    assert "5 of 8" not in text
    parts = packed_parts(text)
    assert len(parts["listing"]["rows"]) == 4
    assert parts["listing"]["names"] == ["seat 0", "seat 1"]
    assert not any(name in json.dumps(parts) for name in NAMES)
    assert "Head to head" not in text
    done = arena(tmp_path, "report", "cup")
    assert done.code == 0, done
    text = whole(folder / "report.html")
    assert "5 of 8" in text
    assert SEED not in text, "it is secret until the run is over"


def test_a_run_without_games(place: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cup"
    shutil.copytree(place / "runs/cup", folder, ignore=shutil.ignore_patterns("report.html"))
    (folder / "games.jsonl").write_text("")
    expected = "error: cup: no game of this run is stored yet\n"
    assert arena(tmp_path, "report", "cup") == Result(5, "", expected)
    done = arena(tmp_path, "report", "cup", "--json")
    document = json.loads(done.out)
    assert (done.code, document["schema"], document["code"]) == (5, "arena.error/1", 5)
    assert not (folder / "report.html").exists()


@pytest.mark.parametrize(("jobs", "view"), [("1", "spectator"), ("2", "all")])
def test_games_with_damaged_records_are_left_out(place, tmp_path, jobs, view) -> None:
    folder = tmp_path / "cup"
    shutil.copytree(place / "runs/cup", folder, ignore=shutil.ignore_patterns("report.html"))
    records = folder / "records/0.jsonl.gz"
    data = bytearray(records.read_bytes())
    data[200:260] = bytes(60)
    records.write_bytes(data)
    words = ("report", "cup", "-j", jobs, "--view", view, "--games", "all", "-q")
    done = arena(tmp_path, *words)
    assert done.code == 0
    assert re.fullmatch(r"warning: left out: cup: game \S+: record: .*\n", done.err)
    page = (folder / "report.html").read_text()
    assert "Of 1 game whose record is damaged, nothing but the result is shown" in page
    warnings = json.loads(arena(tmp_path, *words, "--json").out)["warnings"]
    assert [done.err] == [f"warning: left out: {warning}\n" for warning in warnings]
    assert arena(tmp_path, "verify", "cup").code == 1


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"games": "some"}, "--games: found"),
        ({"games": "-1"}, "--games: found"),
        ({"output": Path("runs")}, "found a folder"),
        ({"output": Path("missing/x.html")}, "found no such folder"),
        ({"output": Path("cup.yaml")}, "holds something else than a page of arena report"),
    ],
)
def test_bad_input(place, monkeypatch, options, expected) -> None:
    monkeypatch.chdir(place)
    with pytest.raises(BadInput, match=expected):
        write_run_page(ReportOptions(folder=Path("runs/cup"), **options))
    assert (place / "cup.yaml").read_text().startswith("arena: 1")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, GameSelection(Which.SOME)),
        ("all", GameSelection(Which.ALL)),
        ("faults", GameSelection(Which.FAULTS)),
        ("none", GameSelection(Which.NONE)),
        ("25", GameSelection(Which.SOME, 25)),
        ("0", GameSelection(Which.NONE)),
    ],
)
def test_choices(text: str | None, expected: GameSelection) -> None:
    assert parse_wanted(text) == expected


def test_a_pipe_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BadInput, match="holds something else than a page of arena report"):
        target_of(tmp_path / "pipe")


def test_a_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "link.html").symlink_to("real.html")
    with Files(target_of(tmp_path / "link.html")) as files:
        files.finish("page")
    assert (tmp_path / "link.html").is_symlink()
    assert (tmp_path / "real.html").read_text() == "page"


def test_games_with_faults_come_before_others() -> None:
    numbers = range(100)
    found = chosen(numbers, [3, 50], 5)
    assert len(found) == 5
    assert {3, 50} < set(found)
    assert found == sorted(found)
    assert len(chosen(numbers, range(100), 7)) == 7
    assert chosen(numbers, [3], 100) == list(numbers)
    assert to_step_through(GameSelection(Which.FAULTS), numbers, [3]) == [3]


def test_much_goes_into_a_folder_beside_the_page(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(report_files, "INSIDE", 100)
    monkeypatch.setattr(report_files, "_FILE", 60)
    target = tmp_path / "cup.html"
    with Files(target) as files:
        for number in range(1, 8):
            files.add(number, f"{number}" * 40)
        assert files.inside == {}
        assert [files.place(number) for number in (1, 2, 3, 7, 8)] == [1, 1, 2, 4, 0]
        files.finish('content="arena report"')
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cup-games", "cup.html"]
    names = sorted(path.name for path in (tmp_path / "cup-games").iterdir())
    assert names == ["001.js", "002.js", "003.js", "004.js"]
    assert (
        tmp_path / "cup-games/004.js"
    ).read_text() == f'arena.store.add({{"7":"{"7" * 40}"}});\n'
    with Files(target_of(target)) as files:
        files.finish('content="arena report"')
    assert not (tmp_path / "cup-games").exists(), "a page that holds its games needs no folder"
    with Files(target) as files:
        files.add(1, "x" * 200)
    assert [path.name for path in tmp_path.iterdir()] == ["cup.html"], "unfinished"


@pytest.mark.parametrize("inside", [100, 10_000])
def test_a_page_that_cannot_be_replaced_keeps_its_games(tmp_path, monkeypatch, inside) -> None:
    def full(path: Path, data: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    target = tmp_path / "cup.html"
    monkeypatch.setattr(report_files, "INSIDE", 100)
    with Files(target) as files:
        files.add(1, "x" * 200)
        files.finish('content="arena report"')
    monkeypatch.setattr(report_files, "INSIDE", inside)
    monkeypatch.setattr(report_files, "write_named", full)
    with Files(target) as files:
        files.add(1, "y" * 200)
        with pytest.raises(StoreError, match="No space left"):
            files.finish('content="arena report"')
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cup-games", "cup.html"]
    assert "x" * 200 in (tmp_path / "cup-games/001.js").read_text()


def test_what_a_killed_report_left_is_removed(tmp_path: Path) -> None:
    ours, foreign = f".cup-games-{os.getpid()}-abc", ".cup-games-x-abc"
    for name in (".cup-games-99999999-abc", ours, foreign):
        (tmp_path / name).mkdir()
    with Files(tmp_path / "cup.html"):
        pass
    assert {path.name for path in tmp_path.iterdir()} == {ours, foreign}


def test_a_folder_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "cup-games").mkdir()
    for name in ("001.js", "notes.txt"):
        (tmp_path / "cup-games" / name).write_text("mine")
        with pytest.raises(BadInput, match="holds something else than games"):
            target_of(tmp_path / "cup.html")


def test_names_that_no_file_can_have(tmp_path: Path) -> None:
    for length in (250, 5000):  # too long for the folder beside the page, and for the page
        with pytest.raises(BadInput, match="cannot be written: File name too long"):
            target_of(tmp_path / f"{'x' * length}.html")


def test_a_folder_whose_name_is_no_text(place: Path, tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"cup\xff")
    shutil.copytree(place / "runs/cup", folder)
    done = arena(tmp_path, "report", folder, "--games", "none", "--json", "-q")
    assert done.code == 0, done
    assert json.loads(done.out)["data"]["path"].endswith("/cup\\udcff/report.html")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_who_is_told_to_end_leaves_nothing_behind(place, tmp_path, monkeypatch, number) -> None:
    def add(self: Files, rank: int, packed: str) -> None:
        whole_add(self, rank, packed)
        assert list(tmp_path.iterdir()), "begun"
        os.kill(os.getpid(), number)

    if number == signal.SIGHUP and signal.getsignal(number) is signal.SIG_IGN:
        pytest.skip("a terminal that is closed ends nothing here, as under nohup")
    whole_add = Files.add
    monkeypatch.setattr(Files, "add", add)
    monkeypatch.setattr(report_files, "INSIDE", 100)
    options = ReportOptions(
        folder=place / "runs/cup", output=tmp_path / "cup.html", workers=1, quiet=True
    )
    with pytest.raises(KeyboardInterrupt):
        write_run_page(options)
    assert not list(tmp_path.iterdir())
