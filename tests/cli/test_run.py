"""``arena run`` from the outside: what it prints, leaves behind and ends with."""

from __future__ import annotations

import gzip
import json
import os
import pty
import re
import resource
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.shell import BOT, arena, bot, command, environment, tournament
from tests.projects import put

pytestmark = [pytest.mark.slow, pytest.mark.process]


def table_rows(text: str) -> dict[str, list[str]]:
    """The cells of each bot's row."""
    table = text.split("\nchance")[0]
    rows = [line.split() for line in table.splitlines() if re.match(r" +\d+ +\S+ +", line)]
    return {row[1]: row for row in rows}


def test_file_plays_to_a_table(tmp_path: Path) -> None:
    done = arena(tmp_path, "run", tournament(tmp_path))
    assert done.code == 0
    assert set(table_rows(done.out)) == {"anna", "berta"}
    assert "2 entrants, 1 pairing × 5 deals × 2 seatings = 10 games" in done.err
    assert "10/10  100%" in done.err
    run = tmp_path / "runs" / "cup"
    assert {path.name for path in run.glob("standings.*")} == {
        "standings.txt", "standings.md", "standings.csv", "standings.json",
    }  # fmt: skip
    assert (run / "standings.txt").read_text() == done.out
    assert "\x1b" not in done.out + done.err


def test_a_table_says_how_many_games_a_ruling_ended(tmp_path: Path) -> None:
    """Two greedy players of Dragonkrak go round in circles now and then (DK-55)."""
    for name in ("anna", "berta"):
        put(tmp_path, "greedy", name)
    bots = (f"bots/{name}" for name in ("anna", "berta"))
    given = ("-n", "12", "--seed", "circles", "--name", "cup")
    done = arena(tmp_path, "run", "-g", "dragonkrak", *bots, *given)
    run = tmp_path / "runs" / "cup"
    results = [
        json.loads(line)["result"] for line in (run / "games.jsonl").read_text().splitlines()
    ]
    ended = [result for result in results if "ruling" in result]
    assert {result["ruling"] for result in ended} == {"DK-55"}
    words = f"{len(ended)} of 24 games ended by DK-55: the same position for the third time"
    assert words in done.out.splitlines()
    assert f"- {words}" in (run / "standings.md").read_text().splitlines()
    (section,) = json.loads((run / "standings.json").read_text())["tables"]
    assert words in section["notices"]
    replayed = arena(tmp_path, "replay", "runs/cup", ended[0]["spec"]["game_id"])
    assert "completed by DK-55" in replayed.out
    assert arena(tmp_path, "verify", "runs/cup").code == 0


@pytest.mark.parametrize(
    ("limit", "most", "said"),
    [
        (resource.RLIMIT_NOFILE, 24, "only 24 open files (ulimit -n) can be had here, 1 worker"),
        (resource.RLIMIT_AS, 200 << 20, "only 204800 kB of addresses (ulimit -v) can be had here"),
    ],
)
def test_a_machine_too_small_is_told_before_anything_is_played(
    tmp_path: Path, limit: int, most: int, said: str
) -> None:
    done = subprocess.run(
        command("run", tournament(tmp_path)),
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        preexec_fn=lambda: resource.setrlimit(limit, (most, most)),
    )
    assert done.returncode == 2, done.stderr
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "runs" / "cup" / "games.jsonl").exists()


def test_quick_form_needs_no_file_and_never_mixes_runs(tmp_path: Path) -> None:
    bot(tmp_path, "anna")
    bot(tmp_path, "berta")
    for number in (1, 2):
        done = arena(tmp_path, "run", "-g", "dragonheart", "anna", "berta", "-n", "2")
        assert done.code == 0
        manifest = json.loads((tmp_path / f"runs/dragonheart.{number}/run.json").read_text())
        assert manifest["name"] == f"dragonheart.{number}"


def test_commitment_is_shown_before_and_opened_after(tmp_path: Path) -> None:
    done = arena(tmp_path, "run", tournament(tmp_path, deals=2))
    run = tmp_path / "runs" / "cup"
    commitment = json.loads((run / "run.json").read_text())["commitment"]
    assert f"commitment {commitment}" in done.err
    assert (run / "seed.json").stat().st_mode & 0o777 == 0o644


def test_seed_stays_secret_until_the_end(tmp_path: Path) -> None:
    path = tournament(tmp_path, deals=100_000)
    with running(tmp_path, path) as process:
        wait_for(tmp_path / "runs/cup/games.jsonl")
        run = tmp_path / "runs" / "cup"
        assert (run / "seed.json").stat().st_mode & 0o777 == 0o600
        assert '"seed"' not in (run / "run.json").read_text()
        process.kill()
        process.wait()


def test_same_command_again_has_nothing_to_play(tmp_path: Path) -> None:
    path = tournament(tmp_path)
    first, again = arena(tmp_path, "run", path), arena(tmp_path, "run", path)
    assert (again.code, again.out) == (0, first.out)
    assert "10 games are stored, 0 to play" in again.err


def test_set_seed_workers_and_name_from_the_command_line(tmp_path: Path) -> None:
    path = tournament(tmp_path)
    options = ("--seed", "7", "--set", "schedule.deals=3", "--name", "other", "-j", "1", "-q")
    done = arena(tmp_path, "run", path, *options)
    assert (done.code, done.err) == (0, "")
    assert json.loads((tmp_path / "runs/other/seed.json").read_text())["seed"] == "7"
    assert len((tmp_path / "runs/other/games.jsonl").read_text().splitlines()) == 6


def test_json_is_one_document(tmp_path: Path) -> None:
    done = arena(tmp_path, "run", tournament(tmp_path, deals=1), "--json")
    assert json.loads(done.out)["schema"] == "arena.standings/2"


def test_dry_run_starts_nothing(tmp_path: Path) -> None:
    done = arena(tmp_path, "run", tournament(tmp_path), "--dry-run", "--set", "clock.move=2 s")
    assert done.code == 0
    assert "= 10 games" in done.err
    assert re.search(r"move: 2 s +# --set", done.out)
    assert not (tmp_path / "runs").exists()


def test_another_config_is_not_resumed(tmp_path: Path) -> None:
    path = tournament(tmp_path)
    arena(tmp_path, "run", path)
    done = arena(tmp_path, "run", path, "--set", "schedule.deals=6", "--seed", "2")
    assert done.code == 2
    assert "schedule.deals: the run has 5, asked for is 6" in done.err
    assert "seed: the run has another one" in done.err
    assert "--name" in done.err


BANNER = "import sys\nprint('hello, I am a banner', flush=True)\nsys.stdin.read()"


def test_a_bot_that_faults_loses_and_the_run_goes_on(tmp_path: Path) -> None:
    bot(tmp_path, "good")
    bot(tmp_path, "bad", BANNER)
    more = "breaker: {then: ignore}\n"
    path = tournament(tmp_path, deals=4, bots=("good", "bad"), more=more)
    done = arena(tmp_path, "run", path)
    rows = table_rows(done.out)
    assert done.code == 0, "it was played to its end"
    why = "bad: most often startup (in 8 games); find out why: arena check bad"
    last = f"warning: bad had a fault in every game\nwarning: {why}\n"
    assert "what bots wrote" not in done.err, "it wrote nothing"
    assert done.err.endswith(f"\n{last}")
    assert rows["good"][-1] == "0"
    assert rows["bad"][-1] == "8"
    assert "bad: 8 startup" in done.out
    assert "bad: startup: expected a ready message as the first line" in done.err
    assert "bad: more faults; they are counted from here on" in done.err
    for target in (path, "runs/cup"):
        again = arena(tmp_path, "run", target, "--json", "-q")
        assert (again.code, again.err) == (0, last)
        assert json.loads(again.out)["warnings"] == ["bad had a fault in every game", why]


def test_a_game_lost_on_time_is_put_to_the_bot_again_by_the_command_that_is_told(
    tmp_path: Path,
) -> None:
    bot(tmp_path, "good")
    act = 'message["type"] == "act":\n'
    bot(tmp_path, "slow", BOT.replace(act, f"{act}        __import__('time').sleep(4)\n"))
    path = tournament(tmp_path, deals=1, bots=("good", "slow"), more="clock: {move: 2 s}\n")
    done = arena(tmp_path, "run", path)
    assert done.code == 0
    said = "warning: slow: most often timeout (in 2 games); find out why: arena check slow; "
    (line,) = (line for line in done.err.splitlines() if line.startswith(said))
    line = line.partition("such a game again: arena ")[2]
    again = arena(tmp_path, *shlex.split(line))
    assert line.endswith("--no-clock")
    assert again.code == 0, again.out + again.err
    assert "recorded: fault timeout\n      now:      " in again.out


def test_a_bot_with_one_good_game_has_lost_by_play(tmp_path: Path) -> None:
    bot(tmp_path, "good")
    seeded = 'rng.seed(message["seed"])'
    bot(tmp_path, "bad", BOT.replace(seeded, f'{seeded}; message["seat"] and sys.exit(3)'))
    more = "breaker: {then: ignore}\n"
    done = arena(tmp_path, "run", tournament(tmp_path, deals=2, bots=("good", "bad"), more=more))
    assert (done.code, "every game" in done.err) == (0, False)
    assert table_rows(done.out)["bad"][-1] == "2"


def test_a_bot_that_never_starts_is_withdrawn_and_the_run_is_played_to_its_end(
    tmp_path: Path,
) -> None:
    for name in ("anna", "berta"):
        bot(tmp_path, name)
    bot(tmp_path, "bad", BANNER)
    path = tournament(tmp_path, deals=10, bots=("anna", "berta", "bad"))
    done = arena(tmp_path, "run", path)
    assert done.code == 0
    assert set(table_rows(done.out)) == {"anna", "berta"}
    assert "bad: withdrawn: could not be started\n" in done.out
    assert (
        "without the 40 games of withdrawn bots, which count for nobody, played or not\n"
        in done.out
    )
    assert "20/20  100%" in done.err
    fewer = "without the 40 games of bad, played or not, 20 of the 60 planned are left to count"
    assert fewer in done.err
    assert "warning: bad was withdrawn: could not be started" in done.err
    assert (tmp_path / "runs/cup/seed.json").stat().st_mode & 0o777 == 0o644, "the run is over"

    again = arena(tmp_path, "run", path)
    assert (again.code, again.out) == (0, done.out)
    assert "warning: bad was withdrawn" in again.err
    assert "run cup is complete" in again.err
    assert f"bad: withdrawn: could not be started\n{fewer}; 20 of them are played\n" in again.err
    verified = arena(tmp_path, "verify", "runs/cup")
    assert verified.code == 0
    assert "bad: withdrawn: could not be started; its games count for nobody" in verified.err
    assert "not finished" not in verified.err
    for form in ("txt", "md", "csv", "json"):
        shown = arena(tmp_path, "standings", "runs/cup", "--format", form).out
        assert shown == (tmp_path / f"runs/cup/standings.{form}").read_text()


def test_a_game_that_was_taken_out_of_a_finished_run_is_missed(tmp_path: Path) -> None:
    for name in ("anna", "berta"):
        bot(tmp_path, name)
    arena(tmp_path, "run", tournament(tmp_path, deals=3, bots=("anna", "berta")), "-q")
    games = tmp_path / "runs/cup/games.jsonl"
    lines = games.read_bytes().splitlines(keepends=True)
    games.write_bytes(b"".join(lines[:2] + lines[3:]))
    lost = json.loads(lines[2])["result"]["spec"]["game_id"]
    verified = arena(tmp_path, "verify", "runs/cup")
    assert verified.code == 1
    said = f"standings.json: counts 6 games of berta, 5 are stored; missing: {lost}\n"
    assert said in verified.out
    (tmp_path / "runs/cup/standings.json").unlink()
    verified = arena(tmp_path, "verify", "runs/cup")
    assert verified.code == 0
    assert "the run is not finished: 1 game is still to be played" in verified.err


def test_a_value_of_run_json_that_was_changed_is_named(tmp_path: Path) -> None:
    for name in ("anna", "berta"):
        bot(tmp_path, name)
    arena(tmp_path, "run", tournament(tmp_path, deals=1, bots=("anna", "berta")), "-q")
    manifest = tmp_path / "runs/cup/run.json"
    text = manifest.read_text()
    digest = json.loads(text)["identity"]["entrants"]["berta"]["digest"]
    manifest.write_text(text.replace(digest, digest[::-1]))
    unfit = "run.json: seed and config do not fit the commitment\n"
    verified = arena(tmp_path, "verify", "runs/cup")
    told = "run.json: entrants.berta.digest is not the value that the commitment was made of\n"
    assert (verified.code, verified.out.startswith(unfit + told)) == (1, True)
    (tmp_path / "berta/more.py").write_text("")  # a bot that changed proves nothing
    verified = arena(tmp_path, "verify", "runs/cup")
    assert (verified.code, unfit in verified.out, told in verified.out) == (1, True, False)


def test_who_is_withdrawn_depends_neither_on_workers_nor_on_interruptions(tmp_path: Path) -> None:
    frail = BOT.replace("action = rng", "rng.random() < 0.05 and sys.exit(3); action = rng")
    for name, source in (("anna", BOT), ("berta", BOT), ("frail", frail), ("bad", BANNER)):
        bot(tmp_path, name, source)
    more = "breaker: {after: 8}\n"
    path = tournament(tmp_path, deals=5, bots=("anna", "berta", "frail", "bad"), more=more)
    one = arena(tmp_path, "run", path, "-j", "1", "-q", "-o", "one")
    two = arena(tmp_path, "run", path, "-j", "2", "-q", "-o", "two")
    assert "frail: withdrawn: " in one.out
    assert two.out == one.out
    cut_to(tmp_path / "one/games.jsonl", 9)
    again = arena(tmp_path, "run", "one", "-q")
    assert (again.code, again.out) == (0, one.out)


def test_where_too_few_bots_are_left_nothing_was_played_to_its_end(tmp_path: Path) -> None:
    bot(tmp_path, "good")
    bot(tmp_path, "bad", BANNER)
    path = tournament(tmp_path, deals=9, bots=("good", "bad"), more="breaker: {starts: 2}\n")
    for _ in range(2):
        done = arena(tmp_path, "run", path)
        assert (done.code, "warning: too few bots are left to play" in done.err) == (4, True)
        assert "without the 18 games of bad, played or not, 0 of the 18 planned" in done.err


def test_a_run_stopped_because_of_a_bot(tmp_path: Path) -> None:
    bot(tmp_path, "good")
    bot(tmp_path, "bad", BANNER)
    more = "breaker: {then: stop}\n"
    path = tournament(tmp_path, deals=50, bots=("good", "bad"), more=more)
    done = arena(tmp_path, "run", path)
    assert done.code == 4
    assert "the run was stopped: bad: could not be started" in done.err
    assert "the run was stopped: bad: could not be started" in done.out
    assert re.search(r"\d+ of 100 games played so far", done.out)
    again = arena(tmp_path, "run", path, "-q")
    assert (again.code, again.out) == (4, done.out)


def test_stderr_of_bots_is_kept(tmp_path: Path) -> None:
    bot(tmp_path, "anna", "import sys\nprint('thinking hard', file=sys.stderr)\n" + BOT)
    bot(tmp_path, "berta")
    arena(tmp_path, "run", tournament(tmp_path, deals=1, bots=("anna", "berta")))
    assert "thinking hard" in (tmp_path / "runs/cup/logs/anna.stderr").read_text()


def test_exchanges_of_lost_games_are_kept_on_demand_and_put_to_the_bot_again(
    tmp_path: Path,
) -> None:
    bot(tmp_path, "good")
    bot(tmp_path, "bad", BOT.replace("action = rng", "action = 99 or rng"))
    path = tournament(tmp_path, deals=1, bots=("good", "bad"))
    assert arena(tmp_path, "run", path, "--name", "none", "-q").code == 0
    assert not (tmp_path / "runs/none/wire").exists()
    done = arena(tmp_path, "run", path, "--log-wire", "faults")
    assert (done.code, "exchanges: runs/cup/wire/NAME" in done.err) == (0, True)
    (folder,) = (tmp_path / "runs/cup/wire").iterdir()
    assert folder.name == "bad"
    kept = sorted(folder.iterdir())
    assert len(kept) == 2
    for file in kept:
        again = arena(tmp_path, "try", "bad", "--feed", file)
        assert again.code == 1
        assert "illegal: index 99 of" in again.out
    mended = arena(tmp_path, "try", "good", "--feed", kept[0])
    assert mended.code == 0
    refused = arena(tmp_path, "run", path, "--log-wire", "al")
    assert refused.code == 2
    assert '--log-wire: found "al", expected off, faults or all' in refused.err


def test_what_a_bot_writes_before_each_answer_stands_at_its_ply(tmp_path: Path) -> None:
    act = 'message["type"] == "act":\n'
    more = "print('legal', len(message['legal']), file=sys.stderr)"
    bot(tmp_path, "anna", BOT.replace(act, f"{act}        {more}\n"))
    bot(tmp_path, "berta")
    path = tournament(tmp_path, deals=1, bots=("anna", "berta"))
    kept = []
    for name in ("one", "two"):
        assert arena(tmp_path, "run", path, "-j", "1", "-q", "--name", name).code == 0
        kept.append((tmp_path / f"runs/{name}/logs/anna.stderr").read_text())
    assert kept[0] == kept[1]
    record = gzip.decompress((tmp_path / "runs/two/records/0.jsonl.gz").read_bytes())
    expected: list[str] = []
    for line in map(json.loads, record.splitlines()):
        if line["line"] == "header":
            expected.append(f"== {line['spec']['game_id']}")
            seat = line["spec"]["entrants"].index("anna")
        elif line["line"] == "ply" and line.get("seat") == seat:
            expected.append(f"-- ply {line['ply']}")
    assert [line for line in kept[0].splitlines() if line and "legal" not in line] == expected
    assert kept[0].count("\nlegal ") == kept[0].count("\n-- ply ")


def test_run_folder_in_use_is_refused(tmp_path: Path) -> None:
    path = tournament(tmp_path, deals=100_000)
    with running(tmp_path, path) as process:
        wait_for(tmp_path / "runs/cup/games.jsonl")
        done = arena(tmp_path, "run", path)
        process.kill()
        process.wait()
    assert done.code == 2
    assert "another arena is playing this run" in done.err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_once_it_finishes_games_and_says_how_to_go_on(
    tmp_path: Path, number: signal.Signals
) -> None:
    path = tournament(tmp_path, deals=100_000)
    with running(tmp_path, path) as process:
        wait_for(tmp_path / "runs/cup/games.jsonl")
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    stored = len((tmp_path / "runs/cup/games.jsonl").read_text().splitlines())
    assert f"{stored} of 200000 games played so far" in out
    assert "go on with: arena run runs/cup" in err
    assert set(table_rows(out)) == {"anna", "berta"}


def test_interrupted_twice_it_stops_now_and_goes_on_by_its_folder(tmp_path: Path) -> None:
    bot(tmp_path, "anna")
    bot(tmp_path, "slow", BOT.replace("action =", "__import__('time').sleep(0.05); action ="))
    path = tournament(tmp_path, deals=1, bots=("anna", "slow"))
    with running(tmp_path, path, "-v") as process:
        wait_for(tmp_path / "runs/cup/logs")
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert process.returncode == 130
    (tmp_path / "slow" / "bot.yaml").touch()
    done = arena(tmp_path, "run", "runs/cup", "-q")
    assert done.code == 0
    assert arena(tmp_path, "verify", "runs/cup").out.startswith("2 of 2 games verified")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_in_a_build_it_leaves_nothing(tmp_path: Path, number: signal.Signals) -> None:
    mark = f"{number.value}-{time.monotonic_ns()}"
    make = "import time; time.sleep(60)"
    bot(tmp_path, "anna", build=f'[["python3", "-c", "{make}", "{mark}"]]')
    bot(tmp_path, "berta")
    path = tournament(tmp_path, bots=("anna", "berta"))
    env = environment(XDG_CACHE_HOME=str(tmp_path / "cache"))
    process = subprocess.Popen(
        command("run", path, "--isolation", "none"),
        cwd=tmp_path,
        env=env,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    with process:
        give_up = time.monotonic() + 60
        while len(started_with(mark)) < 2:  # what leads the build, and its command
            assert time.monotonic() < give_up
            time.sleep(0.1)
        for _ in range(1 if number == signal.SIGINT else 2):  # as ``timeout`` does
            process.send_signal(number)
        _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, b"building 1/1 anna\n")
    assert started_with(mark) == []
    assert not (tmp_path / "runs").exists()
    builds = tmp_path / "cache/arena/builds"
    assert [each for each in builds.iterdir() if each.name.startswith(".new-")] == []


def test_a_run_is_found_from_any_folder(tmp_path: Path) -> None:
    arena(tmp_path, "run", tournament(tmp_path))
    elsewhere = tmp_path / "runs" / "cup"
    cut_to(elsewhere / "games.jsonl", 4)
    done = arena(elsewhere, "run", ".")
    assert done.code == 0
    assert "run cup goes on" in done.err
    assert "4 games are stored, 6 to play" in done.err


def test_the_same_quick_command_goes_on_with_what_was_stopped(tmp_path: Path) -> None:
    bot(tmp_path, "anna")
    bot(tmp_path, "berta")
    quick = ("run", "-g", "dragonheart", "anna", "berta", "-n", "3")
    first = arena(tmp_path, *quick)
    cut_to(tmp_path / "runs/dragonheart.1/games.jsonl", 2)
    again = arena(tmp_path, *quick)
    assert "run dragonheart.1 goes on" in again.err
    assert again.out == first.out
    for args in (quick, (*quick[:-1], "2")):
        assert "begins" in arena(tmp_path, *args).err, "a finished or another run is left alone"


def test_a_run_whose_seed_was_changed_does_not_go_on(tmp_path: Path) -> None:
    path = tournament(tmp_path)
    arena(tmp_path, "run", path)
    seed = tmp_path / "runs/cup/seed.json"
    seed.write_text(seed.read_text().replace('"seed":"1"', '"seed":"2"'))
    done = arena(tmp_path, "run", "runs/cup")
    assert done.code == 2
    assert "run.json: seed and config do not fit the commitment" in done.err


def cut_to(games: Path, lines: int) -> None:
    """As if the run had been stopped after so many games."""
    games.write_text("".join(games.read_text().splitlines(keepends=True)[:lines]))


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("import nonsense", "on standard error, last: ModuleNotFoundError"),
        (
            "import sys\nsys.stdout.write('ready')\nsys.stdout.flush()\nsys.stdin.read()",
            "no line end",
        ),
        ("import sys\nsys.stdin.read()", "nothing was written or flushed"),
        (BOT.replace('"action": action', '"acton": action'), '    it wrote: {"type": "action"'),
    ],
)
def test_what_is_wrong_with_a_bot_is_told(tmp_path: Path, source: str, told: str) -> None:
    bot(tmp_path, "good")
    bot(tmp_path, "bad", source)
    path = tournament(tmp_path, deals=1, bots=("good", "bad"), more="clock: {startup: 1 s}\n")
    done = arena(tmp_path, "run", path)
    assert done.code == 0
    see = "; see runs/cup/logs" if any((tmp_path / "runs/cup/logs").iterdir()) else ""
    assert f"\nwarning: bad had a fault in every game{see}\nwarning: bad: most often" in done.err
    assert told in done.err
    assert re.search(r"faults: arena replay runs/cup dragonheart-2/bad\+good:0:\d", done.err)


def test_what_a_terminal_cannot_show_is_replaced(tmp_path: Path) -> None:
    done = arena(
        tmp_path, "run", tournament(tmp_path, deals=2), env=environment(PYTHONIOENCODING="ascii")
    )
    assert done.code == 0
    assert "anna" in done.out


def test_resume_by_folder_takes_no_new_settings(tmp_path: Path) -> None:
    arena(tmp_path, "run", tournament(tmp_path, deals=1))
    done = arena(tmp_path, "run", "runs/cup", "--seed", "3")
    assert done.code == 2
    assert "a run goes on as it began" in done.err


def test_a_full_disk_stops_the_run_and_loses_nothing(tmp_path: Path) -> None:
    path = tournament(tmp_path, deals=60)

    def small_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, 30_000))

    env = environment(PYTHONDONTWRITEBYTECODE="1")  # it would be cut off for all who come later
    full = subprocess.run(
        command("run", path), cwd=tmp_path, env=env, preexec_fn=small_files,
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert full.returncode == 2
    assert full.stderr.count("error:") == 1
    assert "then: arena run runs/cup" in full.stderr
    assert re.search(r"error: .*runs/cup.*: cannot be written: File too large", full.stderr)
    assert arena(tmp_path, "run", path, "-q").code == 0
    assert arena(tmp_path, "verify", "runs/cup").out.startswith("120 of 120 games verified: all")


FULL_DISK = """
mount -t tmpfs -o size=64k tmpfs runs || exit 99
{run}; echo "ended with $?"
mount -o remount,ro runs
{run}; echo "ended with $?"
mount -o remount,rw,size=8m runs
{run}; echo "ended with $?"
{verify}
"""


CAN_MOUNT = os.geteuid() == 0 and shutil.which("unshare") is not None


@pytest.mark.skipif(not CAN_MOUNT, reason="mounts a file system, so needs root and unshare")
def test_a_file_system_that_fills_up_and_is_read_only_for_a_while(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    path = tournament(tmp_path, deals=50)
    script = FULL_DISK.format(
        run=shlex.join(command("run", path, "-q")),
        verify=shlex.join(command("verify", "runs/cup")),
    )
    done = subprocess.run(
        ["unshare", "--mount", "--propagation", "private", "sh", "-c", script], cwd=tmp_path,
        env=environment(), capture_output=True, text=True, timeout=200, check=False,
    )  # fmt: skip
    if done.returncode == 99 or "unshare" in done.stderr:
        pytest.skip("nothing may be mounted here")
    assert re.findall(r"ended with (\d+)", done.stdout) == ["2", "2", "0"]
    errors = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert len(errors) == 2
    assert "No space left on device" in errors[0]
    assert "free some space, then: arena run runs/cup" in errors[0]
    assert "Read-only file system" in errors[1]
    assert "make it writable, then: arena run runs/cup" in errors[1]
    assert "100 of 100 games verified: all as it should be" in done.stdout


def test_a_run_folder_that_is_removed_meanwhile(tmp_path: Path) -> None:
    path = tournament(tmp_path, deals=100_000)
    with running(tmp_path, path) as process:
        wait_for(tmp_path / "runs/cup/games.jsonl")
        (tmp_path / "runs/cup").rename(tmp_path / "runs/old")
        _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "runs/cup: was removed or replaced while it was played into" in err
    assert "Traceback" not in err
    assert arena(tmp_path, "verify", "runs/old").code == 0, "what was saved is whole"


@pytest.mark.parametrize("instead", ["nothing", "pipe", "dangling link"])
def test_games_without_their_run_are_not_played_on(tmp_path: Path, instead: str) -> None:
    path = tournament(tmp_path, deals=2)
    assert arena(tmp_path, "run", path).code == 0
    run = tmp_path / "runs/cup"
    manifest = (run / "run.json").read_bytes()
    before = {name: (run / name).read_bytes() for name in ("seed.json", "games.jsonl")}
    (run / "run.json").unlink()
    if instead == "pipe":
        os.mkfifo(run / "run.json")
    elif instead == "dangling link":
        (run / "run.json").symlink_to("nowhere")
    done = arena(tmp_path, "run", path)
    assert done.code == 2, done
    if instead == "nothing":
        told = (
            "runs/cup: holds games.jsonl but no run.json, so which run it is of is not known; put"
        )
    else:
        told = "runs/cup/run.json: found something that is no regular file"
    assert told in done.err
    assert before == {name: (run / name).read_bytes() for name in before}
    (run / "run.json").unlink(missing_ok=True)
    (run / "run.json").write_bytes(manifest)
    assert arena(tmp_path, "run", path).code == 0


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:9])


def link(path: Path) -> None:
    outside = path.parents[2 + (path.parent.name == "logs")] / "outside"
    outside.write_bytes(b"secret")
    outside.chmod(0o600)
    path.unlink(missing_ok=True)
    path.symlink_to(outside)


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def folder_there(path: Path) -> None:
    path.unlink()
    (path / "full").mkdir(parents=True)


def is_untouched(tmp_path: Path) -> bool:
    outside = tmp_path / "outside"
    return (outside.read_bytes(), outside.stat().st_mode & 0o777) == (b"secret", 0o600)


@pytest.mark.parametrize("spoil", [cut, link, pipe, folder_there, Path.unlink])
def test_a_seed_that_is_spoilt_meanwhile_is_put_back(
    tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    path = tournament(tmp_path, deals=100)
    run = tmp_path / "runs/cup"
    with running(tmp_path, path) as process:
        wait_for(run / "games.jsonl")
        before = (run / "seed.json").read_bytes()
        spoil(run / "seed.json")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "seed.json: was not what this run had written; it was put back" in err
    assert (run / "seed.json").read_bytes() == before
    assert (run / "seed.json").lstat().st_mode == 0o100600
    assert spoil is not link or is_untouched(tmp_path)
    assert arena(tmp_path, "verify", run).code == 0


def test_nothing_is_opened_or_written_through_a_link(tmp_path: Path) -> None:
    path = tournament(tmp_path, deals=1)
    assert arena(tmp_path, "run", path).code == 0
    run = tmp_path / "runs/cup"
    games = run / "games.jsonl"
    games.write_text(games.read_text() * 2)  # something to tell the log
    seed = (run / "seed.json").read_bytes()
    link(run / "seed.json")
    (tmp_path / "outside").write_bytes(seed)
    assert arena(tmp_path, "run", path).code == 0
    assert (tmp_path / "outside").stat().st_mode & 0o777 == 0o600
    assert (run / "seed.json").lstat().st_mode == 0o100644
    for name in ("arena.log", "anna.stderr"):
        link(run / "logs" / name)
    done = arena(tmp_path, "run", path)
    assert done.code == 0
    assert "the game is stored before" in done.err
    assert is_untouched(tmp_path)


def test_a_run_that_was_killed_before_it_had_begun_begins(tmp_path: Path) -> None:
    path = tournament(tmp_path, deals=1)
    run = tmp_path / "runs/cup"
    (run / "records").mkdir(parents=True)
    (run / "records/0.jsonl.gz").touch()
    (run / "seed.json").write_text('{"seed":"old","salt":"old"}\n')
    (run / ".run.json.abc").write_text("{")
    assert arena(tmp_path, "run", path).code == 0
    assert arena(tmp_path, "verify", run).code == 0


def test_records_that_are_removed_meanwhile(tmp_path: Path) -> None:
    path = tournament(tmp_path, deals=100_000)
    run = tmp_path / "runs/cup"
    with running(tmp_path, path) as process:
        wait_for(run / "games.jsonl")
        shutil.rmtree(run / "records")
        _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "records/0.jsonl.gz: was removed or replaced while it was played into" in err
    lost = len((run / "games.jsonl").read_text().splitlines())
    with running(tmp_path, path) as process:
        wait_for(run / "records" / "0.jsonl.gz")  # the lost games were set aside before
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert f"the records of {lost} of {lost} games are lost; these games are played again" in err
    assert arena(tmp_path, "verify", run).code == 0


def test_a_game_that_is_stored_twice_is_told_and_the_run_goes_on(tmp_path: Path) -> None:
    path = tournament(tmp_path, deals=3)
    assert arena(tmp_path, "run", path).code == 0
    table = arena(tmp_path, "standings", "runs/cup").out
    games = tmp_path / "runs/cup/games.jsonl"
    lines = games.read_text().splitlines(keepends=True)
    games.write_text("".join([*lines, lines[0], lines[3]]))
    told = f"runs/cup/games.jsonl:{len(lines) + 1} and 1 more line: the game is stored"
    for words in (["standings"], ["run", "-q"], ["replay", "1"], ["report"], ["watch"]):
        done = arena(tmp_path, words[0], "runs/cup", *words[1:])
        assert done.code == 0, done
        assert done.err.count(told) == (words[0] != "watch"), done
        assert "Traceback" not in done.err
    assert arena(tmp_path, "standings", "runs/cup").out == table
    assert "the game is stored before" in (tmp_path / "runs/cup/logs/arena.log").read_text()
    done = arena(tmp_path, "verify", "runs/cup")
    assert done.code == 1
    assert f"is stored twice: in line {len(lines) + 1} as in line 1, which stands" in done.out


def test_a_pipe_in_place_of_a_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    done = arena(tmp_path, "run", "pipe")
    assert done.code == 2
    assert "pipe: found something that is no regular file, expected a YAML file" in done.err


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("a file is here already")
    done = arena(tmp_path, "run", tournament(tmp_path, deals=1))
    assert done.code == 2
    assert "cannot be written" in done.err
    assert "Traceback" not in done.err


def test_output_that_nobody_reads_is_no_error(tmp_path: Path) -> None:
    arena(tmp_path, "run", tournament(tmp_path, deals=1))
    process = subprocess.Popen(
        command("schema", "protocol"), cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.close()
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, b"")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["run", "nosuch.yaml"], "nosuch.yaml: no such file"),
        (
            ["run", "tournamnet.yaml"],
            'tournamnet.yaml: no such file; did you mean "tournament.yml"',
        ),
        (["run", "tournament"], 'did you mean "tournament.yml"?'),
        (["run", "a", "b"], "found 2 arguments, expected one tournament file"),
        (["run", "anna"], "a bot? then name the rules too: -g GAME BOT BOT"),
        (["run", "-g", "dragonhart", "anna", "anna"], 'did you mean "dragonheart"?'),
        (["run", "-g", "dragonheart", "anna"], "found 1 entrant, expected at least 2"),
        (["run", "-g", "dragonheart", "anna", "ana"], 'did you mean "anna"?'),
        (["standings", "anna"], "found no run.json, expected the folder of a run"),
        (["verify", "nosuch"], "found no run.json, expected the folder of a run"),
        (["replay", "nosuch", "1"], "found no run.json, expected the folder of a run"),
        (["rules", "chess"], "expected one of dragonheart"),
        (["rules", "dragonheart", "--ruling", "DH-99"], "expected DH-01 to DH-22"),
        (["schema", "protocoll"], 'did you mean "protocol"?'),
    ],
)
def test_nonsense_gets_one_clear_answer(tmp_path: Path, args: list[str], message: str) -> None:
    bot(tmp_path, "anna")
    (tmp_path / "tournament.yml").touch()
    done = arena(tmp_path, *args)
    assert done.code == 2
    assert message in done.err
    assert done.out == ""
    assert "Traceback" not in done.err


def test_all_problems_of_a_file_at_once_with_their_places(tmp_path: Path) -> None:
    (tmp_path / "cup.yaml").write_text(
        "arena: 1\ngame: dragonheart\nentrants:\n  - bot: nobody\n  - bot: nobody2\n"
        "schedule: {deals: many}\nclock: {mov: 1 s}\n"
    )
    done = arena(tmp_path, "run", "cup.yaml")
    assert done.code == 2
    lines = done.err.splitlines()
    assert [line.split(": ")[0] for line in lines[:-1]] == [
        "cup.yaml:4:10", "cup.yaml:5:10", "cup.yaml:6:19", "cup.yaml:7:9",
    ]  # fmt: skip
    assert lines[-1] == "4 errors; nothing was started"


def test_live_line_on_a_terminal(tmp_path: Path) -> None:
    parent, child = pty.openpty()
    process = subprocess.Popen(
        command("run", tournament(tmp_path, deals=20)), cwd=tmp_path, env=environment(TERM="xterm"),
        stdout=subprocess.DEVNULL, stderr=child, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(child)
    seen = read_all(parent)
    assert process.wait(timeout=60) == 0
    assert "40/40" in seen
    assert "\x1b[" in seen


def test_no_animation_when_ci_keeps_a_log(tmp_path: Path) -> None:
    parent, child = pty.openpty()
    process = subprocess.Popen(
        command("run", tournament(tmp_path, deals=2)), cwd=tmp_path,
        env=environment(TERM="xterm", CI="true"), stdout=subprocess.DEVNULL, stderr=child,
    )  # fmt: skip
    os.close(child)
    seen = read_all(parent)
    assert process.wait(timeout=60) == 0
    assert "\x1b[" not in seen


def read_all(descriptor: int) -> str:
    """Everything until the other end of a terminal is closed."""
    data = b""
    try:
        while chunk := os.read(descriptor, 65536):
            data += chunk
    except OSError:
        pass
    finally:
        os.close(descriptor)
    return data.decode()


def running(folder: Path, *args: str | Path) -> subprocess.Popen[str]:
    """``arena run ARGS`` under way."""
    return subprocess.Popen(
        command("run", *args), cwd=folder, env=environment(),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def started_with(word: str) -> list[str]:
    """The processes with this in their command."""
    return [each for each in os.listdir("/proc") if each.isdigit() and word in words_of(each)]


def words_of(process: str) -> str:
    try:
        return Path("/proc", process, "cmdline").read_text(errors="replace")
    except OSError:
        return ""


def wait_for(path: Path) -> None:
    """Until the file is there and, if it is one, not empty."""
    give_up = time.monotonic() + 60
    while not path.exists() or (path.is_file() and path.stat().st_size == 0):
        assert time.monotonic() < give_up, f"{path} did not appear"
        time.sleep(0.02)
