"""Engines that speak UCI: from their name to a game, its remarks and the blame."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from arena.extensions.engines.uci import engine_folder, read_engine
from arena.runs.reader import StoredRun
from arena.runs.store import Store
from arena.runs.voids import Void
from arena.values.results import VoidCause
from tests.cli.shell import arena

pytest.importorskip("chess")
pytestmark = [pytest.mark.slow, pytest.mark.process]

ENGINE = """#!{python}
import sys, time
import chess

trick = "{trick}"
board, nodes, style = chess.Board(), "", ""
for line in sys.stdin:
    words = line.split()
    if words[0] == "uci":
        print("id name Fake of tests\\noption name Own Style type string default\\nuciok")
    elif words[0] == "isready":
        print("readyok")
    elif words[0] == "setoption":
        style = words[-1]
    elif words[0] == "position":
        board = chess.Board(" ".join(words[2:8]))
        for uci in words[9:]:
            board.push_uci(uci)
    elif words[0] == "go":
        move = sorted(move.uci() for move in board.legal_moves)[0]
        print("info depth 1 score cp 10 nodes 5 pv", move)
        print("info depth 2 score mate -3 nodes 9 time 1 pv", move, "told", *words[1:], style)
        if trick == "crash":
            sys.exit(3)
        if trick == "hang":
            sys.stdout.flush()
            time.sleep(60)
        if trick == "illegal":
            move = "a1a8"
        if trick == "none":
            move = "(none)"
        if trick == "even":
            print("info depth 3 score cp 3")
        if trick == "odd":
            print("info depth 3 score cp 1.5\\ninfo string a score is great")
        if trick == "garbage":
            print("x" * 3_000_000)
        print("bestmove", move, "ponder", move)
    elif words[0] == "quit":
        break
    sys.stdout.flush()
"""


def engine(folder: Path, trick: str = "") -> Path:
    path = folder / f"{trick or 'fake'}.py"
    path.write_text(ENGINE.format(python=sys.executable, trick=trick))
    path.chmod(0o755)
    return path


def test_it_is_told_the_clocks_and_its_settings_and_what_it_says_is_kept(tmp_path: Path) -> None:
    engine(tmp_path)
    bots = ["uci:./fake.py movetime=700 option.own_style=wild", "builtin:first-legal"]
    clock = {"move": "5 s", "bank": "20 s", "increment": "1 s"}
    sets = [word for key, value in clock.items() for word in ("--set", f"clock.{key}={value}")]
    done = arena(tmp_path, "run", "-g", "chess", "-n", "1", *bots, "-o", "run", *sets)
    assert done.code == 0, done.err
    assert "fake-movetime-700" in done.out
    stored = StoredRun(tmp_path / "run")
    record = stored.record(next(stored.games()).stored)
    info = next(ply.info for ply in record.plies if ply.info)
    assert (info["eval"], info["mate"], info["depth"], info["nodes"]) == (-997.0, -3, 2, 9)
    told = info["text"].split("told ")[1].split()
    assert told[:2] == ["movetime", "700"]
    assert told[-1] == "wild"
    given = dict(zip(told[2:-1:2], map(int, told[3:-1:2]), strict=True))
    assert {*given} == {"wtime", "winc", "btime", "binc"}
    assert (given["winc"], given["binc"]) == (1000, 1000)
    assert 10_000 < given["wtime"] <= 21_000  # the other bot has had its increment if it began
    assert arena(tmp_path, "verify", "run", "-q").code == 0


def test_another_program_reads_the_games_as_pgn(tmp_path: Path) -> None:
    import chess.pgn

    engine(tmp_path)
    (tmp_path / "open.pgn").write_text("1. e4 e5 *")
    (tmp_path / "one.epd").write_text("4k3/8/8/8/8/8/4P3/4K3 b - -\n")
    bots = ["uci:./fake.py", "builtin:first-legal"]
    for options in (
        "--positions one.epd",
        "--positions open.pgn",
        "--positions 4",
        "--set game.options.start=chess960",
        "",
    ):
        arena(tmp_path, "run", "-g", "chess", "-n", "1", *bots, "-o", "run", *options.split(), "-q")
        assert arena(tmp_path, "export", "run", "--pgn", "-o", "g.pgn").code == 0
        written = (tmp_path / "g.pgn").read_text()
        assert arena(tmp_path, "export", "run", "--pgn", "-o", "-").out == written
        assert max(map(len, written.splitlines())) <= 80
        assert written.count("nodes 9") == written.count("[%eval ")
        assert "0:00:0" in written
        assert not re.search(r"%emt (?!\d+:\d\d:\d\d\.\d{3}\])", written)
        rows = [arena(tmp_path, "standings", of).out.splitlines()[:4] for of in ("run", "g.pgn")]
        assert rows[0] == rows[1]
        stored = StoredRun(tmp_path / "run")
        with (tmp_path / "g.pgn").open() as file:
            for own in stored.games():
                game = chess.pgn.read_game(file)
                assert game is not None
                assert game.errors == []
                record = stored.record(own.stored)
                played = [ply.action["uci"] for ply in record.plies if "uci" in ply.action]
                if options.endswith(".pgn"):
                    played = [*("e2e4", "e7e5"), *played]
                assert [move.uci() for move in game.mainline_moves()] == played
                emts = [node.emt() for node in game.mainline()]
                decided = [ply for ply in record.plies if ply.seat is not None]
                assert [emt is not None for emt in emts] == [
                    *[False] * (len(emts) - len(decided)),  # the opening
                    *[True] * len(decided),
                ]
                assert int(game.headers["PlyCount"]) == len(emts)
                assert game.headers["TimeControl"] == "1/1"
                assert re.fullmatch(r"20\d\d\.\d\d\.\d\d", game.headers["Date"])
                assert game.headers["Round"] in ("1.1", "1.2")
                scores = {(1, 2): "1-0", (2, 1): "0-1", (1, 1): "1/2-1/2"}
                assert game.headers["Result"] == scores[record.end.places]
                told = [(score, node.turn()) for node in game.mainline() if (score := node.eval())]
                assert len(told) == len([ply for ply in record.plies if ply.info])
                assert {score.pov(not turn).mate() for score, turn in told} <= {-3}
            assert chess.pgn.read_game(file) is None
        for path in ("run", "g.pgn"):
            found = tmp_path / path
            shutil.rmtree(found) if found.is_dir() else found.unlink()


def test_paths_and_options_have_spaces(tmp_path: Path) -> None:
    (tmp_path / "my engines").mkdir()
    engine(tmp_path / "my engines").rename(tmp_path / "my engines" / "the fake")
    named = 'uci:"./my engines/the fake" nodes=9 "option.Own Style=wild"'
    (tmp_path / "cup.yaml").write_text(
        "arena: 1\ngame: chess\nentrants:\n"
        f"  - {{bot: '{named}', name: a}}\n"
        "  - {bot: 'builtin:first-legal', name: b}\nschedule: {deals: 1}\n"
    )
    for run in (("cup.yaml",), ("-g", "chess", "-n", "1", named, "builtin:first-legal")):
        done = arena(tmp_path, "run", *run, "-o", f"run{len(run)}", "-q")
        assert done.code == 0, done.err
        stored = StoredRun(tmp_path / f"run{len(run)}")
        record = stored.record(next(stored.games()).stored)
        info = next(ply.info for ply in record.plies if ply.info)
        assert info["text"].endswith("told nodes 9 wild")


def test_an_export_says_what_it_leaves_out(tmp_path: Path) -> None:
    bots = "  - bot: builtin:first-legal\n  - {bot: builtin:first-legal, name: b}\n"
    games = "games: [chess, dragonheart]\n"
    (tmp_path / "cup.yaml").write_text(
        f"arena: 1\n{games}entrants:\n{bots}schedule: {{deals: 1}}\n"
    )
    assert arena(tmp_path, "run", "cup.yaml", "-o", "run", "-q").code == 0
    run = StoredRun(tmp_path / "run")
    [first, *_] = [game.result.spec for game in run.games()]
    with Store(run.folder) as store:
        for game in (first.game_id, "chess-2/b+first-legal:99:0"):
            store.add_void(Void(game, VoidCause.WORKER, "gone", first.entrants))
    done = arena(tmp_path, "export", "run", "--pgn", "-o", "g.pgn")
    assert done.err.splitlines() == ["2 games of other rules: left out", "1 void game: left out"]
    assert (tmp_path / "g.pgn").read_text().count("[Event ") == 2


def test_engines_agree_on_a_draw(tmp_path: Path) -> None:
    engine(tmp_path, "even")
    bots = ["uci:./even.py", "uci:./even.py nodes=9"]
    when = "draw: {moves: 3, eval: 1, after: 4}"
    done = arena(
        tmp_path, "run", "-g", "chess", "-n", "1", *bots, "-o", "run", "--adjudicate", when
    )
    assert "2 of 2 games ended by agreed-draw: both bots' evaluations agreed on a draw" in done.out
    assert [each.result.plies for each in StoredRun(tmp_path / "run").games()] == [8, 8]
    assert arena(tmp_path, "verify", "run", "-q").code == 0
    assert "adjudicated by agreed-draw after 8 plies" in arena(tmp_path, "replay", "run", "1").out
    arena(tmp_path, "export", "run", "--pgn", "-o", "g.pgn")
    pgn = (tmp_path / "g.pgn").read_text()
    assert '[Termination "adjudication"]' in pgn
    assert '[Result "1/2-1/2"]' in pgn
    for wrong, told in {
        "": "neither",
        "draw: {moves: 0, eval: 1}": "moves",
        "resign: 3": "a mapping with the keys moves, eval",
        "{draw: {moves: 1, eval: 6}, resign: {moves: 1, eval: 6}}": "less than 6, at which",
    }.items():
        done = arena(tmp_path, "run", "-g", "chess", *bots, "--adjudicate", wrong)
        assert (done.code, told in done.err) == (2, True), done.err
        assert "1 error;" in done.err.splitlines()[-1]
    done = arena(tmp_path, "compare", "-g", "chess", *bots, "--adjudicate", when, "--by", "margin")
    told = "--by: found margin with adjudicate, expected places"
    assert (done.code, told in done.err) == (2, True), done.err


def test_who_is_at_fault_and_why(tmp_path: Path) -> None:
    tricks = {
        "crash": ("crash", "ended before bestmove (exit status 3); its last lines: "),
        "hang": ("timeout", "no bestmove in time; its last lines: "),
        "illegal": ("illegal", "  line: bestmove a1a8 ponder a1a8\n"),
        "none": (
            "malformed",
            "found '(none)', expected a move such as e2e4 or e7e8q\n  waited",
        ),
        "garbage": ("", ""),
        "odd": ("", ""),
    }
    for trick, (kind, evidence) in tricks.items():
        engine(tmp_path, trick)
        bots = [f"uci:./{trick}.py", "builtin:first-legal"]
        options = ["-n", "1", "-o", trick, "--set", "clock.move=500 ms", "-q"]
        assert arena(tmp_path, "run", "-g", "chess", *bots, *options).code == 0
        faults = [f for each in StoredRun(tmp_path / trick).games() for f in each.result.faults]
        assert {fault.kind for fault in faults} == {kind} - {""}, trick
        shown = arena(tmp_path, "replay", trick, "1").out
        assert evidence in shown, trick
        if trick == "illegal":
            assert re.search("not among the legal actions: ([a-h][1-8]){2}, ", shown)


def test_a_copy_that_was_changed_is_made_again(tmp_path: Path) -> None:
    folder = engine_folder(read_engine(f"uci:{engine(tmp_path)}", tmp_path))
    copy = folder / "engine"
    honest = copy.read_bytes()
    old = folder.with_name("0" * 32)
    old.mkdir()
    os.utime(old, (0, 0))
    os.utime(folder, (0, 0))
    copy.write_text("#!/bin/sh\n")
    assert engine_folder(read_engine(f"uci:{tmp_path}/fake.py", tmp_path)) == folder
    assert copy.read_bytes() == honest
    assert not old.exists(), "unused for a month"


def test_an_engine_in_a_folder_plays_in_a_sandbox(tmp_path: Path) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    engine(folder)
    (folder / "bot.yaml").write_text("bot: 1\nname: own\ncommand: {uci: ./fake.py}\n")
    options = ["-n", "1", "-o", "run", "--set", "isolation.level=landlock", "-q"]
    done = arena(tmp_path, "run", "-g", "chess", "own", "builtin:first-legal", *options)
    assert done.code == 0, done.err
    assert [f for each in StoredRun(tmp_path / "run").games() for f in each.result.faults] == []


def test_a_move_of_a_book_that_is_not_legal_has_its_line(tmp_path: Path) -> None:
    fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    books = {
        f"{fen}\n{fen} moves e2e4 e7e4\n": ":2: ",
        "1. e4 e5 *\n\n1. e4 e5\n2. e7e4 *\n": ":4: found no entry (",
    }
    for text, where in books.items():
        (tmp_path / "book").write_text(text)
        bots = ["builtin:random", "builtin:first-legal"]
        done = arena(tmp_path, "run", "-g", "chess", *bots, "--positions", "book")
        assert done.code == 2
        assert f"book{where}" in done.err
        assert done.err.splitlines()[0].endswith("(found 'e7e4', expected a legal move)")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("uci:no-such-engine", 'found "no-such-engine", expected an engine on PATH'),
        ("uci:./none", 'found "./none", expected the path of an engine'),
        ("uci:./plain", "is not executable"),
        (
            "uci:./my engine",
            'found "./my", expected the path of an engine, in quotes if it has spaces',
        ),
        ("uci:", "expected uci:PROGRAM"),
        ("uci:./fake.py 'x", "expected uci:PROGRAM"),
        ("uci:./fake.py nodes=0", 'found "nodes=0"'),
        ("uci:./fake.py nodes=1 nodes=2", "found nodes twice"),
        ("uci:./fake.py 'option.H=1\n2'", "expected one line of text"),
        ("uci:./fake.py Hash=16", 'found "Hash=16"'),
    ],
)
def test_what_is_no_engine(tmp_path: Path, text: str, problem: str) -> None:
    engine(tmp_path)
    (tmp_path / "plain").write_text("")
    done = arena(tmp_path, "run", "-g", "chess", text, "builtin:random")
    assert done.code == 2
    assert problem in done.err
    assert len(done.err.splitlines()) == 2, "the second counts the errors"
