"""A ladder from memory: who is taken in, who plays, what authors are told, and what days change."""

from __future__ import annotations

import gc
import json
import re
import shutil
import tracemalloc
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.entrants.entrants import Entrant
from arena.extensions.ladder.admission import AdmissionResult
from arena.extensions.ladder.book import LadderBot
from arena.extensions.ladder.file import AuthorsFile
from arena.extensions.ladder.intake import SubmittedFolder, take
from arena.extensions.ladder.keeper import locked
from arena.referee.session import MachineTooBusy
from arena.runs.disk import StoreError
from arena.runs.reader import StoredRun
from arena.runs.verify import RunVerifier
from arena.tournament import players
from arena.values.bad_input import BadInput
from arena.values.problems import ConfigError
from tests.extensions.ladder.ladders import (
    Killed,
    World,
    active,
    bot,
    dated,
    enter,
    events,
    made,
    submit,
    table,
    told,
)
from tests.rows import some
from tests.tournament.folders import write


def test_from_nothing_to_a_table_and_on_the_next_day(tmp_path: Path) -> None:
    world = made(tmp_path)
    for number in range(4):
        submit(world.folder, f"a{number}", "x", 800 + 100 * number)
    bot(world.folder / "submissions" / "solo", 1234)
    assert world.keep(once=True) == "SPENT"
    assert world.games == 12
    assert events(world) == [
        *(("admitted", f"a{number}.x") for number in range(4)),
        ("admitted", "solo.solo"),
    ]
    assert "admitted: it plays from the next round on" in told(world, "a0", "x")
    assert "admitted" in told(world, "solo")
    assert set(table(world)) == {"rock", "sand", "solo", "a0.x", "a1.x", "a2.x", "a3.x"}
    assert table(world)["rock"]["elo"] == 1000
    for form in ("txt", "md", "html"):
        assert "a0.x" in (world.folder / f"table.{form}").read_text()
    before = world.games
    assert world.keep(once=True) == "SPENT"
    assert world.games == before
    world.clock.next_day()
    assert world.keep(once=True) == "SPENT"
    assert world.games - before == 12
    assert world.examined.count("a0.x") == 1


def test_a_version_takes_the_place_of_the_one_before_and_a_removed_bot_leaves(tmp_path) -> None:
    world = made(tmp_path, "")
    for author in ("anna", "bert", "carl"):
        submit(world.folder, author, "x", 1000 + len(author) + ord(author[0]))
    world.keep(rounds=1)
    submit(world.folder, "anna", "x", 1300)
    shutil.rmtree(world.folder / "submissions" / "bert" / "x")
    world.keep(rounds=1)
    assert active(world) == {"rock", "sand", "anna.x@2", "carl.x"}
    assert "left: its folder is gone" in told(world, "bert", "x")
    assert set(table(world)) == {"rock", "sand", "anna.x@2", "carl.x"}
    submit(world.folder, "anna", "x", 1000 + 4 + ord("a"))  # as it was at first
    submit(world.folder, "bert", "x", 1000 + 4 + ord("b"))
    world.keep(rounds=1)
    assert active(world) == {"rock", "sand", "anna.x", "bert.x", "carl.x"}
    assert "back: these files have played before" in told(world, "anna", "x")
    assert world.examined.count("anna.x") == 2
    rows = table(world)
    assert rows["anna.x"]["place"] is None  # the place is that of the version that came last
    assert {rows["bert.x"]["place"], rows["carl.x"]["place"]} == {1, 2}
    assert not list(RunVerifier(world.folder / "run").findings)


@pytest.mark.parametrize(
    ("author", "name", "elo", "said"),
    [
        ("bert", "y", 1111, "the same files as anna.x, which was there before"),
        ("bert", "y", 1000, "the same files as the anchor rock"),
    ],
)
def test_the_same_files_are_the_same_bot(tmp_path, author, name, elo, said) -> None:
    world = made(tmp_path)
    submit(world.folder, "anna", "x", 1111)
    world.keep(once=True)
    own = submit(world.folder, author, name, elo)
    original = world.folder / ("anchors/rock" if elo == 1000 else "submissions/anna/x")
    shutil.rmtree(own)
    shutil.copytree(original, own)
    world.keep(once=True)
    assert said in told(world, author, name)
    assert f"{author}.{name}: refused: {said}" in "\n".join(world.said)
    assert events(world) == [("admitted", "anna.x")]
    assert f"{author}.{name}" not in world.examined


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (
            ("anna", "x"),
            ("Anna", "x"),
            "a bot is called [aA]nna.x, and capitals make no difference",
        ),
        (
            ("anna", "x"),
            ("anna", "X"),
            "a bot is called anna.[xX], and capitals make no difference",
        ),
        (("anna", "x"), ("Rock",), "an anchor is called rock"),
    ],
)
def test_capitals_make_no_other_name(tmp_path, first, second, said) -> None:
    world = made(tmp_path)
    submit(world.folder, *first, 1100)
    bot(world.folder.joinpath("submissions", *second), 1200)
    world.keep(once=True)
    assert re.search(said, told(world, *first) + told(world, *second))
    assert [what for what, _ in events(world)] == ["admitted"]


def test_who_is_refused_is_told_why_and_the_version_before_plays_on(tmp_path: Path) -> None:
    world = made(tmp_path, "")
    submit(world.folder, "anna", "x", 1100)
    world.keep(rounds=1)
    world.unfit["anna.x"] = ["it prints on standard output", "see protocol.md"]
    submit(world.folder, "anna", "x", 1200)
    world.keep(rounds=1)
    assert "refused; the version before plays on\nit prints on" in told(world, "anna", "x")
    assert active(world) == {"rock", "sand", "anna.x"}
    world.unfit.clear()
    world.keep(rounds=1)
    assert world.examined == ["anna.x", "anna.x"]  # the same files are not looked at again


def test_a_link_is_refused_without_a_line_in_the_book(tmp_path: Path) -> None:
    world = made(tmp_path)
    (submit(world.folder, "anna", "x", 1100) / "key").symlink_to("/etc/passwd")
    world.keep(once=True)
    assert "refused: key is a symbolic link" in told(world, "anna", "x")
    assert not (world.folder / "submissions.jsonl").exists()
    (world.folder / "submissions" / "anna" / "x" / "key").unlink()
    world.keep(once=True)
    assert events(world) == [("admitted", "anna.x")]


def test_an_author_has_bounds(tmp_path: Path) -> None:
    world = made(tmp_path, "authors: {bots: 2, uploads: 3}")
    for name in ("x", "y", "z"):
        submit(world.folder, "anna", name, 1000 + ord(name))
    world.keep(rounds=1)
    assert "waits: 2 bots of anna play" in told(world, "anna", "z")
    shutil.rmtree(world.folder / "submissions" / "anna" / "x")
    world.keep(rounds=1)
    assert "admitted" in told(world, "anna", "z")
    submit(world.folder, "anna", "y", 1500)
    world.keep(rounds=1)
    assert "waits: 3 versions of anna were looked at today" in told(world, "anna", "y")
    assert "anna.y" in active(world)
    world.clock.next_day()
    world.keep(rounds=1)
    assert "anna.y@2" in active(world)


def test_a_bot_that_breaks_leaves_with_a_reason_and_comes_back_with_other_files(tmp_path) -> None:
    world = made(tmp_path, "breaker: {faults: 30 %, after: 4}")
    submit(world.folder, "anna", "x", 1100, faults=1.0)
    submit(world.folder, "bert", "x", 1100)
    world.keep(rounds=3)
    assert events(world)[-1] == ("broken", "anna.x")
    said = told(world, "anna", "x")
    assert "plays no more; it comes back with other files\n4 of 4 games with a fault" in said
    assert "trace of mine" in said
    assert table(world)["anna.x"]["state"] == "broken"
    stored = [game.result.spec.entrants for game in StoredRun(world.folder / "run").games()]
    assert table(world)["anna.x"]["games"] == sum("anna.x" in names for names in stored) == 4
    head = (world.folder / "table.txt").read_text().splitlines()[0]
    numbers = re.search(r"3 rounds, (\d+) games, and (\d+) that do not count; ", head)
    assert numbers is not None
    assert sum(map(int, numbers.groups())) == len(stored)
    world.keep(rounds=1)
    assert active(world) == {"rock", "sand", "bert.x"}
    shutil.rmtree(world.folder / "submissions" / "anna" / "x")
    world.keep(rounds=1)
    submit(world.folder, "anna", "x", 1100, faults=1.0)
    world.keep(rounds=1)
    assert "these files were given up: 4 of 4 games" in told(world, "anna", "x")
    submit(world.folder, "anna", "x", 1150)
    world.keep(rounds=1)
    assert active(world) == {"rock", "sand", "bert.x", "anna.x@2"}


@pytest.mark.parametrize("names", ["hidden", "shown"])
def test_who_sat_there_is_told_where_names_are_shown(tmp_path: Path, names: str) -> None:
    world = made(tmp_path, f"names: {names}\nbreaker: {{faults: 30 %, after: 4}}")
    submit(world.folder, "anna", "x", 1100, faults=1.0)
    submit(world.folder, "bert", "x", 1100)
    world.keep(rounds=3)
    said = told(world, "anna", "x")
    assert "trace of mine" in said
    is_named = any(name in said for name in ("bert", "rock", "sand"))
    assert is_named == (names == "shown")


def test_the_place_is_that_of_the_newest_version_or_of_the_bot_that_is_named(tmp_path) -> None:
    world = made(tmp_path, "authors: {uploads: 9}")
    submit(world.folder, "anna", "main", 1100)
    world.keep(rounds=1)
    submit(world.folder, "anna", "trial", 1300)
    world.keep(rounds=1)
    places = {name: row["place"] for name, row in table(world).items()}
    assert (places["anna.main"], places["anna.trial"]) == (None, 1)
    author = world.folder / "submissions" / "anna" / "author.yaml"
    author.write_text("place: main\n")
    submit(world.folder, "anna", "trial", 1350)
    submit(world.folder, "anna", "main", 1150)
    world.keep(rounds=1)
    submit(world.folder, "anna", "trial", 1400)
    world.keep(rounds=1)
    places = {name: row["place"] for name, row in table(world).items()}
    assert (places["anna.main@2"], places["anna.trial@3"]) == (1, None)
    assert "your place stays with the bot that author.yaml names" in told(world, "anna", "trial")
    author.write_text("place: [main]\n")
    submit(world.folder, "anna", "trial", 1450)
    world.keep(rounds=1)
    assert "author.yaml:1:8: place: found a list" in told(world, "anna", "author.yaml")


def test_where_there_are_too_few_it_waits_and_where_there_is_one_more_it_plays(tmp_path) -> None:
    world = made(tmp_path, "", schedule=", rounds: 2")
    path = world.folder / "ladder.yaml"
    path.write_text(path.read_text().replace("  - bot: anchors/sand\n", ""))
    assert world.keep(once=True, rounds=1) == "FEW"
    assert not (world.folder / "run").exists()
    late = iter([lambda: submit(world.folder, "anna", "x", 1100)])
    world.clock.slept = lambda seconds: (next(late, lambda: None)(), None)[1]
    assert world.keep(rounds=1) == "ROUND"
    assert world.said[0] == "there are too few bots who could meet: waiting"


def test_a_ladder_that_has_ended_takes_nobody_in(tmp_path: Path) -> None:
    world = made(tmp_path, "", schedule=", rounds: 3")
    submit(world.folder, "anna", "x", 1100)
    assert world.keep() == "OVER"
    games = world.games
    (world.folder / "table.txt").unlink()
    submit(world.folder, "bert", "x", 1200)
    assert world.keep(once=True) == "OVER"
    assert (world.games, world.examined) == (games, ["anna.x"])
    assert world.said[-1] == "all rounds are played: no submission is looked at any more"
    head = (world.folder / "table.txt").read_text().splitlines()[0]
    assert head.startswith(f"l: 3 rounds, {games} games; anna.x wins with ")


@pytest.mark.parametrize(("budget", "played"), [(36, 36), (35, 34), (3, 2), (2, 2)])
def test_a_budget_of_games_is_never_exceeded(tmp_path: Path, budget: int, played: int) -> None:
    world = made(tmp_path, f"budget: {{games: {budget}}}")
    enter(world, "anna", "bert", "carl")
    for day in range(1, 4):
        assert world.keep(once=True) == "SPENT"
        assert world.games == day * played
        world.clock.next_day()
    blocks = Counter(game.result.spec.block for game in StoredRun(world.folder / "run").games())
    assert set(blocks.values()) == {2}


def test_time_is_a_budget_too_and_comes_anew_each_day(tmp_path: Path) -> None:
    world = made(tmp_path, "budget: {wall: 100 ms}")
    enter(world, "anna", "bert")
    assert world.keep(once=True) == "SPENT"
    assert 9 <= world.games <= 13
    before = world.games
    assert world.keep(once=True) == "SPENT"
    assert world.games == before
    world.clock.next_day()
    days: list[str] = []

    def slept(seconds: float) -> None:
        days.append(world.clock.now().isoformat()[:10])
        world.clock.next_day()
        if len(days) == 3:
            raise KeyboardInterrupt

    world.clock.slept = slept
    with pytest.raises(KeyboardInterrupt):
        world.keep()
    assert len(set(days)) == 3
    assert 27 <= world.games - before <= 39


@pytest.mark.parametrize(
    ("used", "more"),
    [
        ('"games_before": 99999, "wall": 0.0', 12),  # as of another run: its end counts
        ('"games_before": -99, "wall": 0.0', 12),
        ('"games_before": 0, "wall": -1e308', 12),
        ('"games_before": 0, "wall": 0.0', 0),
        ("{", 12),  # which cannot be read
    ],
)
def test_no_budget_is_without_end_whatever_stands_in_its_file(tmp_path, used, more) -> None:
    world = made(tmp_path)
    enter(world, "anna", "bert")
    assert world.keep(once=True) == "SPENT"
    before = world.games
    day = world.clock.now().isoformat()[:10]
    (world.folder / "day.json").write_text(f'{{"used": {{"{day}": {{{used}}}}}}}')
    assert world.keep(once=True) == "SPENT"
    assert world.games - before <= more


def test_an_interrupt_ends_it_with_everything_saved(tmp_path: Path) -> None:
    world = made(tmp_path)
    enter(world, "anna", "bert")
    world.interrupt_at = 3
    assert world.keep() == "INTERRUPTED"
    run = StoredRun(world.folder / "run")
    assert sum(1 for _ in run.games()) == world.games
    assert world.keep(once=True) == "SPENT"


@pytest.mark.slow
@pytest.mark.parametrize("games", some(range(0, 16, 3), every=3))
def test_killed_at_any_game_it_goes_on_as_if_nothing_had_been(tmp_path: Path, games: int) -> None:
    def play(folder: Path, kill_at: int | None) -> Any:
        world = made(folder, "")
        world.kill_at = kill_at
        enter(world, "anna", "bert", "carl")
        if kill_at is not None:
            with pytest.raises(Killed):
                world.keep(rounds=4)
        world.keep(rounds=1)
        while sum(1 for _ in StoredRun(world.folder / "run").games()) < 20:
            world.keep(rounds=1)
        found = [(g.number, g.result) for g in StoredRun(world.folder / "run").games()]
        return sorted(found, key=lambda each: each[0]), set(table(world)), events(world)

    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    assert play(tmp_path / "a", None) == play(tmp_path / "b", games)


def broken_word(folder: Path) -> None:
    with (folder / "submissions.jsonl").open("ab") as file:
        file.write(b'{"at":"2030-01-01T12:00:00+00:00","what":"adm')


def half_a_copy(folder: Path) -> None:
    (folder / "bots" / ".new.abc" / "bot").mkdir(parents=True)
    (folder / "bots" / ".new.abc" / "bot" / "big").write_text("0" * 1000)


@pytest.mark.parametrize("spoil", [broken_word, half_a_copy])
def test_what_a_kill_leaves_is_cleared(tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    world = made(tmp_path)
    submit(world.folder, "anna", "x", 1100)
    world.keep(once=True)
    shutil.rmtree(world.folder / "answers")
    spoil(world.folder)
    submit(world.folder, "bert", "x", 1200)
    world.keep(once=True)
    assert events(world) == [("admitted", "anna.x"), ("admitted", "bert.x")]
    assert "admitted" in told(world, "anna", "x")
    assert not list((world.folder / "bots").glob(".new*"))


def test_one_process_keeps_a_ladder(tmp_path: Path) -> None:
    world = made(tmp_path)
    with (
        locked(world.folder),
        pytest.raises(StoreError, match="another arena keeps this ladder"),
        locked(world.folder),
    ):
        pass
    with locked(world.folder):
        pass


def test_other_terms_and_another_anchor_are_refused(tmp_path: Path) -> None:
    world = made(tmp_path)
    submit(world.folder, "anna", "x", 1100)
    world.keep(once=True)
    with pytest.raises(BadInput, match="begun on other terms"):
        world.keep(["clock.move=3 s"], once=True)
    world.clock.next_day()
    assert world.keep(["budget.games=2"], once=True) == "SPENT"
    bot(world.folder / "anchors" / "rock", 1001)
    with pytest.raises(BadInput, match="rock is not the bot that it was"):
        world.keep(once=True)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda place: write(place / "main.py", "else"), "is not what anna.x was when"),
        (shutil.rmtree, "anna.x: found .*expected a folder with a bot.yaml"),
    ],
)
def test_versions_are_played_as_they_were_taken_in(tmp_path, spoil, said) -> None:
    world = made(tmp_path, "")
    submit(world.folder, "anna", "x", 1100)
    world.keep(rounds=1)
    (place,) = (world.folder / "bots").iterdir()
    spoil(place)
    with pytest.raises((StoreError, ConfigError), match=said):
        world.keep(rounds=1)


def test_without_submissions_folder_nobody_leaves(tmp_path: Path) -> None:
    world = made(tmp_path, "")
    submit(world.folder, "anna", "x", 1100)
    world.keep(rounds=1)
    (world.folder / "submissions").rename(world.folder / "away")
    with world.keeper() as keeper:
        keeper.reception.take_in()
        (world.folder / "submissions").mkdir()  # where the disk is to be
        keeper.reception.take_in()
    assert events(world) == [("admitted", "anna.x")]
    assert "found no folder of submissions" in world.said[-1]
    shutil.rmtree(world.folder / "away" / "anna" / "x")
    (world.folder / "submissions").rmdir()
    (world.folder / "away").rename(world.folder / "submissions")
    world.keep(rounds=1)
    assert events(world)[-1] == ("left", "anna.x")


def test_what_is_still_written_is_waited_for(tmp_path: Path) -> None:
    world = made(tmp_path, "")
    submit(world.folder, "anna", "x", 1100)
    written = max(path.stat().st_ctime for path in world.folder.rglob("submissions/*/*/*"))
    world.still, world.file_time = 5.0, lambda: written + 4
    world.keep(once=True, rounds=1)
    assert not (world.folder / "submissions.jsonl").exists()
    world.file_time = lambda: written + 6
    world.keep(once=True, rounds=1)
    assert events(world) == [("admitted", "anna.x")]


def test_who_touches_his_files_again_and_again_is_looked_at_now_and_then(tmp_path: Path) -> None:
    world = made(tmp_path, "")
    folder = submit(world.folder, "anna", "x", 1100)
    with world.keeper() as keeper:
        for _ in range(5):
            keeper.reception.take_in()
            (folder / "main.py").touch()
        assert events(world) == [("admitted", "anna.x")]
        submit(world.folder, "anna", "x", 1200)
        keeper.reception.take_in()
        assert len(events(world)) == 1
        world.clock.passed += 61
        keeper.reception.take_in()
    assert events(world) == [("admitted", "anna.x")] * 2


@pytest.mark.slow
def test_memory_grows_by_the_plan_alone(tmp_path: Path) -> None:
    world = made(tmp_path, "")
    enter(world, "anna", "bert", "carl", "dora")
    held = []
    with world.keeper() as keeper:
        keeper.keep(rounds=10)
        tracemalloc.start()
        for _ in range(2):
            keeper.keep(rounds=20)
            gc.collect()
            held.append(tracemalloc.get_traced_memory()[0])
        tracemalloc.stop()
    assert (held[1] - held[0]) / 20 < 12_000  # of three tables; bytes


def test_submissions_that_cannot_be_made_are_told(tmp_path: Path) -> None:
    world = made(tmp_path, "")
    write(world.folder / "submissions", "")
    with pytest.raises(StoreError, match="submissions"):
        world.keeper()


def test_who_floods_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copied: list[str] = []

    def count(submissions: Path, found: SubmittedFolder, terms: AuthorsFile, target: Path) -> None:
        copied.append(found.bot.name)
        take(submissions, found, terms, target)

    monkeypatch.setattr("arena.extensions.ladder.intake.take", count)
    world = made(tmp_path, "authors: {bots: 2, uploads: 5}")
    for number in range(80):
        submit(world.folder, "anna", f"x{number:02}", 1000)
        write(world.folder / "submissions" / f"a b{number}" / "bot.yaml", "")
    submit(world.folder, "bert", "x", 1001)
    with world.keeper() as keeper:
        for _ in range(3):
            keeper.reception.take_in()
        assert copied == ["anna.x00", "bert.x", "anna.x01"]
        assert "waits: 2 bots of anna play" in told(world, "anna", "x02")
        assert "submissions: anna: more than 52 entries" in "\n".join(world.said)
        assert not (world.folder / "answers" / "anna" / "x60.txt").exists()
        for number in range(1_500):
            (world.folder / "submissions" / f"c d{number}").mkdir()
        keeper.reception.take_in()
    assert len(world.said) < 1_100


def test_what_the_machine_does_not_let_be_checked_is_checked_later(tmp_path, monkeypatch) -> None:
    world, examined = made(tmp_path, ""), list[str]()

    def examine(folder: Path, own: LadderBot) -> AdmissionResult:
        examined.append(own.name)
        if len(examined) == 1:
            raise MachineTooBusy("kept waiting")
        return AdmissionResult(True, ())

    monkeypatch.setattr(world, "examine", examine)
    submit(world.folder, "anna", "x", 1100)
    with world.keeper() as keeper:
        keeper.keep(rounds=5)
        assert examined == ["anna.x"]
        world.clock.passed += 601
        keeper.keep(rounds=1)
    assert examined == ["anna.x"] * 2
    assert events(world) == [("admitted", "anna.x")]


def test_a_bot_that_can_be_built_no_longer_stops_nobody_else(tmp_path: Path) -> None:
    world = made(tmp_path, "")
    submit(world.folder, "anna", "x", 1100)
    yaml = submit(world.folder, "bert", "x", 1200) / "bot.yaml"
    yaml.write_text(yaml.read_text() + "build: [['false']]\n")  # it was not when it was examined
    assert world.keep(rounds=1) == "ROUND"
    assert table(world)["bert.x"]["state"] == "quarantined"
    assert table(world)["anna.x"]["state"] == "new"
    assert "it can be built no longer" in told(world, "bert", "x")
    assert "ended with status 1" in told(world, "bert", "x")
    assert "bots/" not in told(world, "bert", "x")
    assert world.keep(rounds=1) == "ROUND"
    submit(world.folder, "bert", "x", 1200, version=2)
    assert world.keep(rounds=1) == "ROUND"
    assert events(world)[-1] == ("admitted", "bert.x")


def thinned(world: World) -> int:
    """How many records went by now."""
    path = world.folder / "run" / "thinned.jsonl"
    lines = path.read_text().splitlines() if path.exists() else []
    return json.loads(lines[-1])["lines"] if lines else 0


def test_records_are_kept_for_so_long_and_that_they_went_is_written_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = made(tmp_path, "keep: 2 d")
    dated(world, monkeypatch)
    enter(world, "anna", "bert")
    world.keep(rounds=2)
    records = world.folder / "run" / "records" / "0.jsonl.gz"
    size, games = records.stat().st_size, world.games
    for _ in range(2):
        world.clock.next_day()
        world.keep(rounds=2)
        assert thinned(world) == 0
    world.clock.next_day()
    world.keep(rounds=2)
    assert f"records of {games} games were removed: they are older than is kept" in world.said
    assert thinned(world) == games
    data = records.read_bytes()
    assert not data[:size].strip(b"\0")
    assert data[size : size + 1].strip(b"\0")
    run = StoredRun(world.folder / "run")
    first = next(run.games())
    with pytest.raises(StoreError, match="record: removed on 20"):
        run.record(first.stored)
    world.keep(rounds=1)
    assert sum(1 for _ in StoredRun(world.folder / "run").games()) == world.games


@pytest.mark.slow
@pytest.mark.parametrize("leap", some([-366, 366, 40_000], every=3))
def test_a_clock_that_leaps_removes_no_record_before_its_time(tmp_path, monkeypatch, leap) -> None:
    world = made(tmp_path, "keep: 3 d")
    dated(world, monkeypatch)
    enter(world, "anna", "bert")
    days: list[int] = []
    for leaps in (0, 0, leap, 0, -leap, 0, 0, 0):
        world.clock.next_day()
        world.clock.passed += leaps * 86_400
        world.keep(rounds=1)
        days.append(world.games)
        kept = days[-4] if len(days) > 3 else 0  # before the last three days of play, and today
        assert thinned(world) <= kept
    assert thinned(world) > 0 or leap < 0  # what comes before a day of long ago is never older


@pytest.mark.slow
def test_a_clock_that_leaps_gives_no_day_a_second_budget(tmp_path: Path) -> None:
    world = made(tmp_path)
    enter(world, "anna", "bert")
    played = []
    for leap in (0, 366, -366, 366, -366, -1, 1):
        world.clock.passed += leap * 86_400
        before = world.games
        assert world.keep(once=True) == "SPENT"
        played.append(world.games > before)
    assert played == [True, True, False, False, False, True, False]
    for _ in range(9):
        world.clock.next_day()
        world.keep(once=True)
    assert len(json.loads((world.folder / "day.json").read_text())["used"]) == 7


def test_a_clock_that_leaps_gives_no_day_other_uploads(tmp_path: Path) -> None:
    world = made(tmp_path, "authors: {uploads: 1}")
    for number, leap in enumerate((0, 366, -366, 366)):
        world.clock.passed += leap * 86_400
        submit(world.folder, "anna", "x", 1100 + number)
        world.keep(rounds=1)
    assert len(events(world)) == 2
    assert "waits: 1 versions of anna were looked at today" in told(world, "anna", "x")


def test_a_bot_that_we_fail_to_build_stops_nobody_else(tmp_path, monkeypatch) -> None:
    world = made(tmp_path, "")
    enter(world, "anna", "bert")
    world.keep(rounds=1)
    build = players.build

    def failing(entrant: Entrant, **terms: Any) -> Entrant:
        if entrant.name == "bert.x":
            raise RecursionError
        return build(entrant, **terms)

    with monkeypatch.context() as failed:
        failed.setattr("arena.tournament.players.build", failing)
        assert world.keep(rounds=1) == "ROUND"
        assert active(world) == {"rock", "sand", "anna.x"}
        assert world.reported == ["bert.x is quarantined"]
        assert "quarantined" in told(world, "bert", "x")
        assert "the organiser knows" in told(world, "bert", "x")
        failed.setattr("arena.tournament.players.build", lambda *_, **__: {}[0])
        with pytest.raises(KeyError):  # whose bots are all: no bot's fault
            world.keep(rounds=1)
    assert [what for what, _ in events(world)] == ["admitted", "admitted"]
    world.keep(rounds=1)
    assert active(world) == {"rock", "sand", "anna.x", "bert.x"}
    assert "admitted" in told(world, "bert", "x")
