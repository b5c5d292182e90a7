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
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.cli.shell import (
    BOT,
    PAIR,
    Result,
    arena,
    bot,
    command,
    ended,
    environment,
    started,
    tournament,
    wait_for_lines,
    wait_until,
)
from tests.projects import put
from tests.rows import some
from tests.runs.test_damage import flip

pytestmark = [pytest.mark.slow, pytest.mark.process]


def table_rows(text: str) -> dict[str, list[str]]:
    """The cells of each bot's row."""
    table = text.split("\nchance")[0]
    rows = [line.split() for line in table.splitlines() if re.match(r" +\d+ +\S+ +", line)]
    return {row[1]: row for row in rows}


def test_file_plays_to_a_table_and_a_run_goes_on_from_any_folder(tmp_path: Path) -> None:
    path, run = tournament(tmp_path), tmp_path / "runs" / "cup"
    done = arena(tmp_path, "run", path)
    assert done.code == 0
    assert set(table_rows(done.out)) == {"anna", "berta"}
    assert "2 entrants, 1 pairing × 5 deals × 2 seatings = 10 games" in done.err
    assert "10/10  100%" in done.err
    commitment = json.loads((run / "run.json").read_text())["commitment"]
    assert f"commitment {commitment}" in done.err
    assert (run / "seed.json").stat().st_mode & 0o777 == 0o644
    assert {path.name for path in run.glob("standings.*")} == {
        "standings.txt", "standings.md", "standings.csv", "standings.json",
    }  # fmt: skip
    assert (run / "standings.txt").read_text() == done.out
    assert "\x1b" not in done.out + done.err

    again = arena(tmp_path, "run", path)
    assert (again.code, again.out) == (0, done.out)
    assert "10 games are stored, 0 to play" in again.err

    cut_to(run / "games.jsonl", 4)
    again = arena(run, "run", ".")
    assert again.code == 0
    assert "run cup continues" in again.err
    assert "4 games are stored, 6 to play" in again.err


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
def test_a_machine_too_small_is_told_before_anything_is_played(tmp_path, limit, most, said) -> None:
    done = limited(limit, most, "run", tournament(tmp_path), folder=tmp_path, env=environment())
    assert done.code == 2, done.err
    assert said in done.err
    assert len(done.err.splitlines()) == 1
    assert not (tmp_path / "runs" / "cup" / "games.jsonl").exists()


def test_quick_form_goes_on_with_what_was_stopped_and_never_mixes_runs(tmp_path: Path) -> None:
    tournament(tmp_path).unlink()
    quick = ("run", "-g", "dragonheart", "anna", "berta", "-n", "3")
    first = arena(tmp_path, *quick)
    assert first.code == 0
    cut_to(tmp_path / "runs/dragonheart.1/games.jsonl", 2)
    again = arena(tmp_path, *quick)
    assert "run dragonheart.1 continues" in again.err
    assert again.out == first.out
    for number, args in ((2, quick), (3, (*quick[:-1], "2"))):
        done = arena(tmp_path, *args)
        assert "begins" in done.err, "a finished or another run is left alone"
        manifest = json.loads((tmp_path / f"runs/dragonheart.{number}/run.json").read_text())
        assert (done.code, manifest["name"]) == (0, f"dragonheart.{number}")


def test_settings_from_the_command_line(tmp_path: Path) -> None:
    path = tournament(tmp_path)
    dry = arena(tmp_path, "run", path, "--dry-run", "--set", "clock.move=2 s")
    assert dry.code == 0
    assert "= 10 games" in dry.err
    assert re.search(r"move: 2 s +# --set", dry.out)
    assert not (tmp_path / "runs").exists()
    options = ("--seed", "7", "--set", "schedule.deals=3", "--name", "other", "-j", "1", "-q")
    done = arena(tmp_path, "run", path, *options, "--json")
    assert (done.code, done.err) == (0, "")
    assert json.loads(done.out)["schema"] == "arena.standings/2"
    assert json.loads((tmp_path / "runs/other/seed.json").read_text())["seed"] == "7"
    assert len((tmp_path / "runs/other/games.jsonl").read_text().splitlines()) == 6


def test_a_run_of_another_config_or_seed_is_not_resumed(tmp_path: Path) -> None:
    path, seed = tournament(tmp_path, deals=1), tmp_path / "runs/cup/seed.json"
    arena(tmp_path, "run", path)
    done = arena(tmp_path, "run", path, "--set", "schedule.deals=6", "--seed", "2")
    assert done.code == 2
    assert "schedule.deals: the run has 1, asked for is 6" in done.err
    assert "seed: the run has another one" in done.err
    assert "--name" in done.err
    done = arena(tmp_path, "run", "runs/cup", "--seed", "3")
    assert (done.code, "a run continues as it began" in done.err) == (2, True)
    seed.write_text(seed.read_text().replace('"seed":"1"', '"seed":"2"'))
    done = arena(tmp_path, "run", "runs/cup")
    assert done.code == 2
    assert "run.json: seed and config do not fit the commitment" in done.err


BANNER = "print('hello, I am a banner', flush=True)\nopen(0).read()"


def test_a_bot_that_faults_loses_and_the_run_goes_on(tmp_path: Path) -> None:
    bots, more = {"good": BOT, "bad": BANNER}, "breaker: {then: ignore}\n"
    path = tournament(tmp_path, deals=4, bots=bots, more=more)
    done = arena(tmp_path, "run", path)
    rows = table_rows(done.out)
    assert done.code == 0, "it was played to its end"
    why = "bad: most often startup (in 8 games); find out why: arena check bad"
    last = f"warning: bad had a fault in every game\nwarning: {why}\n"
    assert "what bots wrote" not in done.err, "it wrote nothing"
    assert done.err.endswith(f"\n{last}")
    assert (rows["good"][-1], rows["bad"][-1]) == ("0", "8")
    assert "bad: 8 startup" in done.out
    assert "bad: startup: expected a ready message as the first line" in done.err
    assert "bad: more faults; they are counted from here on" in done.err
    for target in (path, "runs/cup"):
        again = arena(tmp_path, "run", target, "--json", "-q")
        assert (again.code, again.err) == (0, last)
        assert json.loads(again.out)["warnings"] == ["bad had a fault in every game", why]


def test_the_command_that_puts_a_game_lost_on_time_to_the_bot_again(tmp_path: Path) -> None:
    act = 'message["type"] == "act":\n'
    bots = {"good": BOT, "slow": BOT.replace(act, f"{act}        __import__('time').sleep(4)\n")}
    path = tournament(tmp_path, deals=1, bots=bots, more="clock: {move: 2 s}\n")
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
    seeded = 'rng.seed(message["seed"])'
    bots = {"good": BOT, "bad": BOT.replace(seeded, f'{seeded}; message["seat"] and sys.exit(3)')}
    more = "breaker: {then: ignore}\n"
    done = arena(tmp_path, "run", tournament(tmp_path, deals=2, bots=bots, more=more))
    assert (done.code, "every game" in done.err) == (0, False)
    assert table_rows(done.out)["bad"][-1] == "2"


def test_a_bot_that_never_starts_is_withdrawn_and_the_rest_is_played(tmp_path: Path) -> None:
    path = tournament(tmp_path, deals=10, bots=PAIR | {"bad": BANNER})
    done = arena(tmp_path, "run", path)
    assert done.code == 0
    assert set(table_rows(done.out)) == {"anna", "berta"}
    assert "bad: withdrawn: could not be started\n" in done.out
    nobody = "without the 40 games of withdrawn bots, which count for nobody, played or not\n"
    assert nobody in done.out
    assert "20/20  100%" in done.err
    fewer = "without the 40 games of bad, played or not, 20 of the 60 planned are left to count"
    assert fewer in done.err
    assert "warning: bad was withdrawn: could not be started" in done.err
    assert (tmp_path / "runs/cup/seed.json").stat().st_mode & 0o777 == 0o644, "the run has ended"

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
    arena(tmp_path, "run", tournament(tmp_path, deals=3), "-q")
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
    assert verified.code == 1  # its record is still there
    assert re.search(r"records/0.jsonl.gz: has \d+ bytes that belong to no game", verified.out)
    assert arena(tmp_path, "run", "runs/cup", "-q").code == 0
    assert arena(tmp_path, "verify", "runs/cup").code == 0


def test_a_damaged_run_is_repaired_by_its_folder(tmp_path: Path) -> None:
    tournament(tmp_path)
    arena(tmp_path, "run", "cup.yaml")
    run = tmp_path / "runs" / "cup"
    before = (run / "standings.json").read_bytes()
    flip(run, 2)
    found = arena(tmp_path, "verify", run)
    assert (found.code, "plays games again whose files are damaged" in found.err) == (1, True)
    assert arena(tmp_path, "run", run).code == 0
    assert arena(tmp_path, "verify", run).code == 0
    assert (run / "standings.json").read_bytes() == before


def test_a_planted_verdict_hides_no_changed_table(tmp_path: Path) -> None:
    tournament(tmp_path)
    arena(tmp_path, "run", "cup.yaml")
    run = tmp_path / "runs" / "cup"
    (run / "match.json").write_text("{}")
    (run / "standings.txt").write_text((run / "standings.txt").read_text().replace("anna", "carl"))
    found = arena(tmp_path, "verify", run)
    assert (found.code, "standings.txt: is not what" in found.out) == (1, True)


def test_a_value_of_run_json_that_was_changed_is_named(tmp_path: Path) -> None:
    arena(tmp_path, "run", tournament(tmp_path, deals=1), "-q")
    manifest = tmp_path / "runs/cup/run.json"
    text = manifest.read_text()
    digest = json.loads(text)["identity"]["entrants"]["berta"]["digest"]
    manifest.write_text(text.replace(digest, digest[::-1]))
    unfit = "run.json: seed and config do not fit the commitment\n"
    verified = arena(tmp_path, "verify", "runs/cup")
    told = (
        "run.json: entrants.berta.digest is not the value that the commitment was computed from\n"
    )
    assert (verified.code, verified.out.startswith(unfit + told)) == (1, True)
    (tmp_path / "berta/more.py").write_text("")  # a bot that changed proves nothing
    verified = arena(tmp_path, "verify", "runs/cup")
    assert (verified.code, unfit in verified.out, told in verified.out) == (1, True, False)


def test_who_is_withdrawn_depends_neither_on_workers_nor_on_interruptions(tmp_path: Path) -> None:
    frail = BOT.replace("action = rng", "rng.random() < 0.05 and sys.exit(3); action = rng")
    bots = PAIR | {"frail": frail, "bad": BANNER}
    path = tournament(tmp_path, deals=5, bots=bots, more="breaker: {after: 8}\n")
    one = arena(tmp_path, "run", path, "-j", "1", "-q", "-o", "one")
    two = arena(tmp_path, "run", path, "-j", "2", "-q", "-o", "two")
    assert "frail: withdrawn: " in one.out
    assert two.out == one.out
    cut_to(tmp_path / "one/games.jsonl", 9)
    again = arena(tmp_path, "run", "one", "-q")
    assert (again.code, again.out) == (0, one.out)


def test_where_too_few_bots_are_left_nothing_was_played_to_its_end(tmp_path: Path) -> None:
    bots, more = {"good": BOT, "bad": BANNER}, "breaker: {starts: 2}\n"
    path = tournament(tmp_path, deals=9, bots=bots, more=more)
    for _ in range(2):
        done = arena(tmp_path, "run", path)
        assert (done.code, "warning: too few bots are left to play" in done.err) == (4, True)
        assert "without the 18 games of bad, played or not, 0 of the 18 planned" in done.err


def test_a_run_stopped_because_of_a_bot(tmp_path: Path) -> None:
    bots, more = {"good": BOT, "bad": BANNER}, "breaker: {then: stop}\n"
    path = tournament(tmp_path, deals=50, bots=bots, more=more)
    done = arena(tmp_path, "run", path)
    assert done.code == 4
    for text in (done.err, done.out):
        assert "the run was stopped: bad: could not be started" in text
    assert re.search(r"\d+ of 100 games played so far", done.out)
    again = arena(tmp_path, "run", path, "-q")
    assert (again.code, again.out) == (4, done.out)


def test_what_a_bot_writes_before_each_answer_stands_at_its_ply(tmp_path: Path) -> None:
    act = 'message["type"] == "act":\n'
    more = "print('legal', len(message['legal']), file=sys.stderr)"
    early = "import sys\nprint('thinking hard', file=sys.stderr)\n"
    talks = early + BOT.replace(act, f"{act}        {more}\n")
    path = tournament(tmp_path, deals=1, bots=PAIR | {"anna": talks})
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
            expected += ["[before this game]", "thinking hard", "[in this game]"]
            seat = line["spec"]["entrants"].index("anna")
        elif line["line"] == "ply" and line.get("seat") == seat:
            expected.append(f"-- ply {line['ply']}")
    assert [line for line in kept[0].splitlines() if line and "legal" not in line] == expected
    assert kept[0].count("\nlegal ") == kept[0].count("\n-- ply ")


def test_exchanges_of_lost_games_are_kept_on_demand_and_put_to_the_bot_again(tmp_path) -> None:
    bots = {"good": BOT, "bad": BOT.replace("action = rng", "action = 99 or rng")}
    path = tournament(tmp_path, deals=1, bots=bots)
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
        assert (again.code, "illegal: index 99 of" in again.out) == (1, True)
    assert arena(tmp_path, "try", "good", "--feed", kept[0]).code == 0
    refused = arena(tmp_path, "run", path, "--log-wire", "al")
    assert refused.code == 2
    assert '--log-wire: found "al", expected off, faults or all' in refused.err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_under_way_holds_its_folder_and_seed_until_interrupted(tmp_path, number) -> None:
    run = tmp_path / "runs/cup"
    with under_way(tmp_path) as process:
        assert (run / "seed.json").stat().st_mode & 0o777 == 0o600
        assert '"seed"' not in (run / "run.json").read_text()
        other = arena(tmp_path, "run", "cup.yaml")
        assert (other.code, "another arena is playing this run" in other.err) == (2, True)
        done = ended(process, number)
    assert done.code == 130
    stored = len((run / "games.jsonl").read_text().splitlines())
    assert f"{stored} of 200000 games played so far" in done.out
    assert "go on with: arena run runs/cup" in done.err
    assert set(table_rows(done.out)) == {"anna", "berta"}


def test_interrupted_twice_it_stops_now_and_goes_on_by_its_folder(tmp_path: Path) -> None:
    slow = BOT.replace("action =", "__import__('time').sleep(0.05); action =")
    path = tournament(tmp_path, deals=1, bots={"anna": BOT, "slow": slow})
    with started(tmp_path, "run", path, "-v") as process:
        wait_until((tmp_path / "runs/cup/logs").exists)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
        assert ended(process, signal.SIGINT).code == 130
    (tmp_path / "slow" / "bot.yaml").touch()
    assert arena(tmp_path, "run", "runs/cup", "-q").code == 0
    assert arena(tmp_path, "verify", "runs/cup").out.startswith("2 of 2 games verified")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_in_a_build_it_leaves_nothing(tmp_path: Path, number: signal.Signals) -> None:
    mark = f"{number.value}-{time.monotonic_ns()}"
    make = "import time; time.sleep(60)"
    bot(tmp_path, "anna", build=f'[["python3", "-c", "{make}", "{mark}"]]')
    bot(tmp_path, "berta")
    process = subprocess.Popen(
        command("run", tournament(tmp_path, bots=list(PAIR)), "--isolation", "none"),
        cwd=tmp_path,
        env=environment(XDG_CACHE_HOME=str(tmp_path / "cache")),
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    with process:
        wait_until(lambda: len(started_with(mark)) >= 2)  # what leads the build, and its command
        for _ in range(1 if number == signal.SIGINT else 2):  # as ``timeout`` does
            process.send_signal(number)
        _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, b"building 1/1 anna\n")
    assert started_with(mark) == []
    assert not (tmp_path / "runs").exists()
    assert list((tmp_path / "cache/arena/builds").glob(".new-*")) == []


def cut_to(games: Path, lines: int) -> None:
    """As if the run had been stopped after so many games."""
    games.write_text("".join(games.read_text().splitlines(keepends=True)[:lines]))


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("import nonsense", "on standard error, last: ModuleNotFoundError"),
        ("print('ready', end='', flush=True)\nopen(0).read()", "no line end"),
        (BOT.replace('"action": action', '"acton": action'), '    it wrote: {"type": "action"'),
    ],
)
def test_what_is_wrong_with_a_bot_is_told(tmp_path: Path, source: str, told: str) -> None:
    bots, more = {"good": BOT, "bad": source}, "clock: {startup: 1 s}\n"
    done = arena(tmp_path, "run", tournament(tmp_path, deals=1, bots=bots, more=more))
    assert done.code == 0
    see = "; see runs/cup/logs" if any((tmp_path / "runs/cup/logs").iterdir()) else ""
    assert f"\nwarning: bad had a fault in every game{see}\nwarning: bad: most often" in done.err
    assert told in done.err
    assert re.search(r"faults: arena replay runs/cup dragonheart-2/bad\+good:0:\d", done.err)


def test_what_a_terminal_cannot_show_is_replaced(tmp_path: Path) -> None:
    ascii_only = environment(PYTHONIOENCODING="ascii")
    done = arena(tmp_path, "run", tournament(tmp_path, deals=2), env=ascii_only)
    assert (done.code, "anna" in done.out) == (0, True)


def test_a_full_disk_stops_the_run_and_loses_nothing(tmp_path: Path) -> None:
    path = tournament(tmp_path, deals=60)
    env = environment(PYTHONDONTWRITEBYTECODE="1")  # it would be cut off for all who come later
    full = limited(resource.RLIMIT_FSIZE, 30_000, "run", path, folder=tmp_path, env=env)
    assert full.code == 2
    assert full.err.count("error:") == 1
    assert "then: arena run runs/cup" in full.err
    assert re.search(r"error: .*runs/cup.*: cannot be written: File too large", full.err)
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
        run=shlex.join(command("run", path, "-q")), verify=shlex.join(command("verify", "runs/cup"))
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


@pytest.mark.parametrize("instead", ["nothing", "pipe", "dangling link"])
def test_games_without_their_run_are_not_played_on(tmp_path: Path, instead: str) -> None:
    path, run = tournament(tmp_path, deals=2), tmp_path / "runs/cup"
    assert arena(tmp_path, "run", path).code == 0
    manifest = (run / "run.json").read_bytes()
    before = {name: (run / name).read_bytes() for name in ("seed.json", "games.jsonl")}
    (run / "run.json").unlink()
    told = "runs/cup/run.json: found something that is no regular file"
    if instead == "pipe":
        os.mkfifo(run / "run.json")
    elif instead == "dangling link":
        (run / "run.json").symlink_to("nowhere")
    else:
        told = "runs/cup: holds games.jsonl but no run.json, so which run it is of is not known; "
    done = arena(tmp_path, "run", path)
    assert (done.code, told in done.err) == (2, True), done
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


@pytest.mark.parametrize("spoil", some([cut, link, pipe, folder_there, Path.unlink], every=3))
def test_a_seed_that_is_spoilt_meanwhile_is_put_back(tmp_path, spoil) -> None:
    seed = tmp_path / "runs/cup/seed.json"
    with under_way(tmp_path, deals=100) as process:
        before = seed.read_bytes()
        spoil(seed)
        done = ended(process, signal.SIGINT)
    assert done.code == 130
    assert "seed.json: was not what this run had written; it was put back" in done.err
    assert seed.read_bytes() == before
    assert seed.lstat().st_mode == 0o100600
    assert spoil is not link or is_untouched(tmp_path)
    assert arena(tmp_path, "verify", "runs/cup").code == 0


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
    games.write_text(games.read_text() * 2)
    done = arena(tmp_path, "run", path)
    assert done.code == 0
    assert "stored before" in done.err
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
    run = tmp_path / "runs/cup"
    with under_way(tmp_path) as process:
        shutil.rmtree(run / "records")
        done = ended(process)
    assert done.code == 2
    assert "records/0.jsonl.gz: was removed or replaced while it was played into" in done.err
    lost = len((run / "games.jsonl").read_text().splitlines())
    with started(tmp_path, "run", "cup.yaml") as process:
        records = run / "records" / "0.jsonl.gz"  # the lost games were set aside before
        wait_until(lambda: records.exists() and records.stat().st_size)
        done = ended(process, signal.SIGINT)
    games = f"{lost} game is" if lost == 1 else f"{lost} games are"
    assert f"{games} damaged and played again; what was there is kept in lost.jsonl" in done.err
    assert arena(tmp_path, "verify", run).code == 0


def test_a_game_that_is_stored_twice_is_told_and_the_run_goes_on(tmp_path: Path) -> None:
    path = tournament(tmp_path, deals=3)
    assert arena(tmp_path, "run", path).code == 0
    table = arena(tmp_path, "standings", "runs/cup").out
    games = tmp_path / "runs/cup/games.jsonl"
    lines = games.read_text().splitlines(keepends=True)
    games.write_text("".join([*lines, lines[0], lines[3]]))
    told = f"runs/cup/games.jsonl:{len(lines) + 1} and 1 more line: the game is stored"
    for words in (["standings"], ["replay", "1"], ["report"], ["watch"]):
        done = arena(tmp_path, words[0], "runs/cup", *words[1:])
        assert done.code == 0, done
        assert done.err.count(told) == (words[0] != "watch"), done
        assert "Traceback" not in done.err
    assert arena(tmp_path, "standings", "runs/cup").out == table
    done = arena(tmp_path, "verify", "runs/cup")
    assert done.code == 1
    assert f"is stored twice: in line {len(lines) + 1} as in line 1, which stands" in done.out
    assert "stored before" in arena(tmp_path, "run", "runs/cup", "-q").err
    assert arena(tmp_path, "standings", "runs/cup").out == table
    assert arena(tmp_path, "verify", "runs/cup").code == 0


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("run tournamnet.yaml", 'tournamnet.yaml: no such file; did you mean "tournament.yml"'),
        ("run tournament", 'did you mean "tournament.yml"?'),
        ("run a b", "found 2 arguments, expected one tournament file"),
        ("run anna", "a bot? then name the rules too: -g GAME BOT BOT"),
        ("run pipe", "pipe: cannot be read: no regular file"),
        ("standings pipe", "pipe: found no regular file, expected a file of results"),
        ("standings pipe pipe2", "pipe: found no regular file, expected a file of results"),
        ("try anna --feed pipe", "pipe: found something that is no regular file"),
        ("run -g chess anna anna --positions pipe", "(no regular file)"),
        ("run -g dragonheart anna anna --set game.data=pipe", "expected an existing YAML file"),
        ("run -g dragonheart anna", "found 1 entrant, expected at least 2"),
        ("run -g dragonheart anna ana", 'did you mean "anna"?'),
        ("run -g dragonheart anna anna", "runs/dragonheart.1: cannot be written"),
        ("rules --ruling DH-04", "--ruling: expected the name of the game too"),
        ("schema protocoll", 'did you mean "protocol"?'),
    ],
)
def test_nonsense_gets_one_clear_answer(tmp_path: Path, line: str, message: str) -> None:
    bot(tmp_path, "anna")
    for name in ("tournament.yml", "runs"):
        (tmp_path / name).touch()
    for name in ("pipe", "pipe2"):
        os.mkfifo(tmp_path / name)
    done = arena(tmp_path, *line.split())
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize("log", [{}, {"CI": "true"}], ids=["a person", "CI keeps a log"])
def test_live_line_on_a_terminal(tmp_path: Path, log: dict[str, str]) -> None:
    parent, child = pty.openpty()
    process = subprocess.Popen(
        command("run", tournament(tmp_path, deals=20)), cwd=tmp_path,
        env=environment(TERM="xterm", **log),
        stdout=subprocess.DEVNULL, stderr=child, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(child)
    seen = b""
    with suppress(OSError):  # the other end was closed
        while chunk := os.read(parent, 65536):
            seen += chunk
    os.close(parent)
    assert process.wait(timeout=60) == 0
    assert b"40/40" in seen
    assert (b"\x1b[" in seen) == (not log)


@contextmanager
def under_way(folder: Path, deals: int = 100_000) -> Iterator[subprocess.Popen[str]]:
    """``arena run cup.yaml`` that has stored a game."""
    with started(folder, "run", tournament(folder, deals=deals)) as process:
        wait_for_lines(folder / "runs/cup/games.jsonl")
        yield process


def limited(limit: int, most: int, *args: str | Path, folder: Path, env: dict[str, str]) -> Result:
    """``arena ARGS`` with no more than this of a resource."""
    done = subprocess.run(
        command(*args), cwd=folder, env=env, capture_output=True, text=True, timeout=100,
        check=False, preexec_fn=lambda: resource.setrlimit(limit, (most, most)),
    )  # fmt: skip
    return Result(done.returncode, done.stdout, done.stderr)


def started_with(word: str) -> list[str]:
    """The processes with this in their command."""
    return [each for each in os.listdir("/proc") if each.isdigit() and word in words_of(each)]


def words_of(process: str) -> str:
    try:
        return Path("/proc", process, "cmdline").read_text(errors="replace")
    except OSError:
        return ""
