from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.entrants.entrants import EntrantKind
from arena.entrants.manifest import EntrantFile
from arena.games.registry import GAMES
from arena.hosting.sandbox.isolation import Isolation
from arena.runs.config.keys import Format, Names, Ratings, TournamentFile
from arena.runs.config.tournament import (
    ClockSettings,
    Tournament,
    load_tournament,
    quick_tournament,
    read_clock,
)
from arena.schedule.keys import KIND_NAMES, Schedule, Seatings
from arena.values.problems import ConfigError, either
from arena.values.results import BreakerPolicy, Limits, OnFault, Then, TimeControl
from tests.tournament.folders import league, lines, write, write_bot
from tests.values.refusals import bad, rows

TWO = "entrants: [{bot: ../bots/random}, {bot: ../bots/greedy}]\n"
TOP = "arena: 1\ngame: dragonheart\n" + TWO
NAME = 'a name: 1 to 64 of A-Z a-z 0-9 "." "_" "-", no sign first'
KNOWN = either([f'"{name}"' for name in [*GAMES, "openspiel.GAME"]])
SCHEDULE_KEYS = ", ".join(Schedule.__struct_fields__)
KINDS = either([f'"{name}"' for name in KIND_NAMES])
BOT_KEYS = ", ".join(EntrantFile.__struct_fields__)
LEVELS = either([f'"{each}"' for each in Isolation])


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(league(tmp_path))


def load(text: str, *overrides: str) -> Tournament:
    return load_tournament(write(Path("cups/t.yaml"), text), overrides)


def refusals(text: str, *overrides: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        load(text, *overrides)
    return [line.removeprefix("cups/t.yaml") for line in lines(caught.value)]


def test_a_small_file_has_defaults(tmp_path: Path) -> None:
    tournament = load(TOP)
    assert tournament.name == "t"
    [played] = tournament.disciplines
    rules = played.rules
    assert (played.name, rules.name, rules.seats) == ("dragonheart-2", "dragonheart", 2)
    assert played.entrants == ("random", "greedy")
    assert [entrant.name for entrant in tournament.entrants] == ["random", "greedy"]
    assert tournament.entrants[0].options == {"samples": 20}
    assert played.schedule == Schedule()
    assert (played.schedule.kind, played.schedule.deals) == ("round_robin", 50)
    assert tournament.on_fault is OnFault.AUTOPILOT
    assert tournament.clock == TimeControl(move=1.0, startup=10.0)
    assert tournament.pondering
    assert tournament.limits == Limits()
    assert tournament.isolation is tournament.entrants[0].isolation is Isolation.LIMITS
    assert tournament.readable == ()
    assert tournament.breaker == BreakerPolicy()
    assert tournament.seed is None
    assert tournament.names is Names.SHOWN
    assert tournament.execution.workers is None
    assert tournament.output.folder == str(tmp_path / "runs" / "t")
    assert tournament.output.formats == tuple(Format)
    assert tournament.ratings is None
    assert load_tournament(write(Path("cups/my cup!.yaml"), TOP)).name == "my-cup-"


def test_every_key_is_read(tmp_path: Path) -> None:
    tournament = load(
        """\
        arena: 1
        name: spring
        notes: for people
        game: {rules: dragonheart, seats: 2, options: {edition: ffg}}
        entrants:
          - {bot: ../bots/random, name: low, options: {samples: 5}, env: {KEY: secret}}
          - {command: "python3 main.py 'a b'", cwd: ../bots/greedy, name: raw, options: {a: [1]},
             isolation: sandbox}
        seed: 12
        schedule: {kind: gauntlet, focus: [low], deals: 7, seatings: all, max_pairings: 9}
        on_fault: end
        clock: {bank: 20 s, increment: 100 ms, startup: 5 s, pondering: off}
        limits: {reply: 32 KiB, stderr: 1 MiB, memory: 2 GiB, processes: 8, cpu: 90 s,
                 disk: none, files: 32}
        isolation: {level: none, readable: [../bots, .]}
        breaker: {faults: 10 %, after: 5, starts: 1, then: stop}
        names: hidden
        execution: {workers: 2, pin: false, fresh: true}
        output: {folder: out, formats: [md, json, md]}
        ratings: {anchor: low, elo: 1500}
        """
    )
    low, raw = tournament.entrants
    assert tournament.name == "spring"
    [played] = tournament.disciplines
    assert played.rules.options["edition"] == "ffg"
    assert played.schedule == Schedule(
        kind="gauntlet", focus=("low",), deals=7, seatings=Seatings.ALL, max_pairings=9
    )
    assert tournament.on_fault is OnFault.END
    assert (low.name, low.kind, low.options) == ("low", EntrantKind.BOT, {"samples": 5})
    assert low.env == {"KEY": "secret"}
    assert (raw.name, raw.kind, raw.options) == ("raw", EntrantKind.COMMAND, {"a": [1]})
    assert raw.words == ("python3", "main.py", "a b")
    assert raw.folder == str(tmp_path / "bots" / "greedy")
    assert Path(raw.command[0]).is_absolute()
    assert tournament.seed == "12"
    assert tournament.clock == TimeControl(move=None, bank=20.0, increment=0.1, startup=5.0)
    assert tournament.limits == Limits(
        reply=32 * 1024,
        stderr=1024 * 1024,
        memory=2 << 30,
        processes=8,
        cpu=90.0,
        disk=None,
        files=32,
    )
    assert not tournament.pondering
    assert tournament.isolation is low.isolation is Isolation.NONE
    assert raw.isolation is Isolation.SANDBOX
    assert tournament.readable == (str(tmp_path / "bots"), str(tmp_path / "cups"))
    assert tournament.breaker == BreakerPolicy(faults=0.1, after=5, starts=1, then=Then.STOP)
    assert tournament.names is Names.HIDDEN
    assert tournament.execution.workers == 2
    assert tournament.output.folder == str(tmp_path / "cups" / "out")
    assert tournament.output.formats == (Format.MD, Format.JSON)
    assert tournament.ratings == Ratings(anchor="low", elo=1500)


@pytest.mark.parametrize(
    ("text", "pondering"), [("on", True), ("off", False), ("true", True), ("false", False)]
)
def test_pondering_is_a_switch(text: str, pondering: bool) -> None:
    assert load(TOP + f"clock: {{pondering: {text}}}\n").pondering is pondering


def test_the_files_that_a_copied_entrant_needs_are_digested() -> None:
    command = "arena: 1\ngame: dragonheart\nisolation: {}\nentrants: [{{bot: ../bots/greedy}},"
    command += " {{command: python3 main.py, cwd: ../bots/random, name: raw}}]\n"
    for level in ("none", "limits"):
        bot, raw = load(command.format(level)).entrants
        assert bot.files == bot.digest
        assert not raw.files
    for level in ("landlock", "bubblewrap", "sandbox"):
        bot, raw = load(command.format(level)).entrants
        assert bot.files == bot.digest
        assert len(raw.files) == len(raw.digest) == 64
        Path("bots/random/more.txt").write_text(level)
        assert load(command.format(level)).entrants[1].digest != raw.digest


@pytest.mark.parametrize("level", ["landlock", "bubblewrap", "sandbox"])
def test_a_command_without_a_folder_cannot_be_closed_in(level: str) -> None:
    entrants = "entrants: [{bot: ../bots/random}, {command: python3 a.py, name: raw}]\n"
    text = "arena: 1\ngame: dragonheart\n" + entrants
    expected = (
        f':3:45: entrants[1].command: found no "cwd" for a command with the isolation "{level}",'
        " expected a folder of its own, for it can read no other (put it in a folder with a"
        " bot.yaml, or say which folder is its own)"
    )
    assert refusals(text + f"isolation: {level}\n") == [expected]
    assert refusals(text.replace("name: raw", f"name: raw, isolation: {level}")) == [expected]
    load(text + "isolation: limits\n")
    load(text.replace("name: raw", "name: raw, isolation: none") + f"isolation: {level}\n")


@pytest.mark.parametrize("kind", ["link", "folder", "pipe", "submission"])
def test_a_glob_leaves_out_no_manifest_that_cannot_be_read(tmp_path: Path, kind: str) -> None:
    write_bot(tmp_path / "bots/good")
    manifest = tmp_path / "bots/odd/bot.yaml"
    if kind == "submission":
        manifest.parent.symlink_to("nowhere")
    else:
        manifest.parent.mkdir()
    if kind == "link":
        manifest.symlink_to("nowhere")
    elif kind == "folder":
        manifest.mkdir()
    elif kind == "pipe":
        os.mkfifo(manifest)
    path = tmp_path / "t.yaml"
    path.write_text("arena: 1\ngame: dragonheart\nentrants: [{glob: bots/*}]\n")
    with pytest.raises(ConfigError, match=r"bots/odd/bot\.yaml"):
        load_tournament(path, ())


def test_a_glob_enters_every_folder_with_a_manifest_by_name() -> None:
    Path("bots/notes").mkdir()
    tournament = load("arena: 1\ngame: dragonheart\nentrants: [{glob: ../bots/*}]\n")
    assert [entrant.name for entrant in tournament.entrants] == ["greedy", "random"]


BAD_HEADS = r"""
game: dragonheart
-> :1:1: arena: missing, expected 1
-> :1:1: entrants: missing, expected a list
arena: 2
game: dragonheart
entrants: [{bot: ../bots/random}, {bot: ../bots/greedy}]
-> :1:8: arena: found 2, expected 1
"""
BAD_FILES = r"""
gmae: x
-> :4:1: unknown key "gmae" (did you mean "game"?)
pondering: off
-> :4:1: unknown key "pondering" (known: arena, name, notes, game, seed, schedule, clock, limits,
   isolation, breaker, names, learning, execution, ranking, on_fault, games, entrants,
   on_build_failure, output, ratings)
name: a/b
-> :4:7: name: found "a/b", expected <NAME>
name: -a
-> :4:7: name: found "-a", expected <NAME>
name: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
-> :4:7: name: found "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…", expected <NAME>
name: 2024
-> :4:7: name: found 2024, expected <NAME> (in quotes it is text: '2024')
notes:
-> :4:7: notes: found nothing, expected text
notes: "\0"
-> :4:8: notes: found "\x00", expected text (control characters are not allowed)
seed: 1.5
-> :4:7: seed: found 1.5, expected a whole number or text, not empty (in quotes it is text: '1.5')
schedule: {deals: 0, kind: cup}
-> :4:19: schedule.deals: found 0, expected a whole number from 1 to 10,000,000
-> :4:28: schedule.kind: found "cup", expected <KINDS>
schedule: {deals: true, seating: all}
-> :4:19: schedule.deals: found true, expected a whole number from 1 to 10,000,000
-> :4:25: schedule: unknown key "seating" (did you mean "seatings"?)
schedule: 50
-> :4:11: schedule: found 50, expected a mapping with the keys <SCHEDULE_KEYS>
clock: {move: 1, bank: lots}
-> :4:15: clock.move: found 1, expected a duration such as "250 ms" (a bare number has no unit)
-> :4:24: clock.bank: found "lots", expected a duration such as "250 ms"
clock: {move: 0 s}
-> :4:15: clock.move: found "0 s", expected a duration above 0 s, at most 24 h
clock: {move: 1:30}
-> :4:15: clock.move: found "1:30", expected a duration such as "250 ms"
clock: {increment: 1 s}
-> :4:20: clock.increment: found an increment, expected a bank to add it to
limits:
  reply: lots
  memroy: 1 MiB
  stderr: 1 GiB
-> :5:10: limits.reply: found "lots", expected a size such as "512 MiB"
-> :6:3: limits: unknown key "memroy" (did you mean "memory"?)
-> :7:11: limits.stderr: found "1 GiB", expected a size from 1 KiB to 16 MiB
limits: {memory: 1 MiB, processes: 0, cpu: 1 h, disk: 1, files: lots}
-> :4:18: limits.memory: found "1 MiB", expected a size from 16 MiB to 1024 GiB or "none"
-> :4:36: limits.processes: found 0, expected a whole number from 1 to 65,536 or "none"
-> :4:55: limits.disk: found 1, expected a size such as "512 MiB" or "none" (a bare number has no
   unit)
-> :4:65: limits.files: found "lots", expected a whole number from 16 to 1,048,576 or "none"
limits: {memory: null}
-> :4:18: limits.memory: found nothing, expected a size such as "512 MiB" or "none"
isolation: sandbx
-> :4:12: isolation: found "sandbx", expected <LEVELS> or a mapping with the keys level, readable
   (did you mean "sandbox"?)
isolation: {level: full, readable: [nowhere, 5]}
-> :4:20: isolation.level: found "full", expected <LEVELS>
-> :4:37: isolation.readable[0]: found "nowhere", expected a file or folder that exists
-> :4:46: isolation.readable[1]: found 5, expected a path (in quotes it is text: '5')
clock: {pondering: maybe}
-> :4:20: clock.pondering: found "maybe", expected on or off
breaker: {faults: 101 %, after: 0, starts: 0, then: cry}
-> :4:19: breaker.faults: found "101 %", expected a share from 0 % to 100 %
-> :4:33: breaker.after: found 0, expected a whole number from 1 to 10,000,000
-> :4:44: breaker.starts: found 0, expected a whole number from 1 to 10,000
-> :4:53: breaker.then: found "cry", expected "withdraw", "stop" or "ignore"
names: hiden
-> :4:8: names: found "hiden", expected "shown" or "hidden" (did you mean "hidden"?)
execution: {workers: 0, pin: yes, fresh: 1}
-> :4:22: execution.workers: found 0, expected "auto" or a whole number from 1 to 1,024
-> :4:30: execution.pin: found "yes", expected true or false
-> :4:42: execution.fresh: found 1, expected true or false
output: {formats: [mdd, html]}
-> :4:20: output.formats[0]: found "mdd", expected "txt", "md", "csv" or "json" (did you mean "md"?)
-> :4:25: output.formats[1]: found "html", expected "txt", "md", "csv" or "json"
ratings: {anchor: radnom}
-> :4:19: ratings.anchor: found "radnom", expected the name of an entrant (did you mean "random"?)
ratings: {elo: 5}
-> :4:10: ratings.anchor: missing, expected <NAME>
name: a
name: b
seed: *x
-> :5:1: key "name" is repeated (first on line 4)
-> :6:7: seed: found the alias *x, expected the value itself
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *rows(BAD_HEADS),
        *rows(BAD_FILES, TOP, SCHEDULE_KEYS=SCHEDULE_KEYS, KINDS=KINDS, NAME=NAME, LEVELS=LEVELS),
    ],
)
def test_bad_files_and_what_is_said(text: str, expected: list[str]) -> None:
    assert refusals(text + "\n") == expected


def test_the_count_ends_the_message() -> None:
    with pytest.raises(ConfigError) as caught:
        load(TOP + "nmae: x\nnames: hiden\n")
    assert str(caught.value).endswith('"hidden"?)\n2 errors; nothing was started')


BAD_GAMES = r"""
dragonhaert
-> :2:7: game: found "dragonhaert", expected <KNOWN> (did you mean "dragonheart"?)
[dragonheart]
-> :2:7: game: found a list, expected the name of the rules, or {rules, seats, options, data}
{seats: 2}
-> :2:7: game.rules: missing, expected <NAME>
{rules: tarot}
-> :2:15: game.rules: found "tarot", expected <KNOWN>
{rules: dragonheart, seats: 3}
-> :2:35: game.seats: found 3, expected 2
{rules: dragonheart, seets: 2, options: {editoin: ffg}}
-> :2:28: game: unknown key "seets" (did you mean "seats"?)
-> :2:48: game.options: unknown key "editoin" (did you mean "edition"?)
{rules: dragonheart, options: {edition: kosmso}}
-> :2:47: game.options.edition: found "kosmso", expected "kosmos" or "ffg" (did you mean "kosmos"?)
{rules: dragonheart, data: deck.yaml}
-> :2:34: game.data: found "deck.yaml", expected an existing YAML file
"""


@bad(BAD_GAMES, NAME=NAME, KNOWN=KNOWN)
def test_bad_games(text: str, expected: list[str]) -> None:
    assert refusals(f"arena: 1\ngame: {text}\n{TWO}") == expected


def test_a_bad_data_file_is_placed_in_itself() -> None:
    write(Path("cups/deck.yaml"), "data_id: x\ndata_id: y\n")
    game = "arena: 1\ngame: {rules: dragonheart, data: deck.yaml}\n" + TWO
    [line] = refusals(game)
    assert line.endswith('/cups/deck.yaml:2:1: key "data_id" is repeated (first on line 1)')


FOLDER = "expected a folder with a bot.yaml"


BAD_ENTRANTS = r"""
random
-> :3:11: entrants: found "random", expected a list
[../bots/random]
-> :3:12: entrants[0]: found "../bots/random", expected a mapping with the keys <BOT_KEYS>
[]
-> :3:11: entrants: found 0 entrants, expected at least 2
[{bot: ../bots/random}]
-> :3:11: entrants: found 1 entrant, expected at least 2
[{name: x}]
-> :3:12: entrants[0]: found none of the three, expected one of "bot", "glob" and "command"
[{bot: ../bots/random, glob: ../bots/*}]
-> :3:12: entrants[0]: found bot and glob, expected one of "bot", "glob" and "command"
[{bto: ../bots/random, command: python3, name: x}, {bot: ../bots/random}]
-> :3:13: entrants[0]: unknown key "bto" (did you mean "bot"?)
[{bot: ../bots/randon}]
-> :3:18: entrants[0].bot: found "../bots/randon", <FOLDER> (did you mean "../bots/random"?)
[{bot: ../../zzz}]
-> :3:18: entrants[0].bot: found "../../zzz", <FOLDER> (there is no FAR/zzz)
[{bot: ..}]
-> :3:18: entrants[0].bot: found "..", <FOLDER> (. has no bot.yaml)
[{bot: ../bots/random/bot.yaml}]
-> :3:18: entrants[0].bot: found "../bots/random/bot.yaml", <FOLDER> (bots/random/bot.yaml is no
   folder)
[{glob: ../bosts/*}]
-> :3:19: entrants[0].glob: found "../bosts/*", expected a pattern that matches folders with a
   bot.yaml (nothing matches)
[{glob: ../*}]
-> :3:19: entrants[0].glob: found "../*", expected a pattern that matches folders with a bot.yaml (2
   matches without)
[{glob: ../bots/*, name: x}]
-> :3:36: entrants[0].name: found a name, expected none (every bot of a glob has its own name)
[{bot: ../bots/random}, {bot: ../bots/random}]
-> :3:41: entrants[1].bot: a second entrant is called "random" (capitals make no difference; give
   one of them a name of its own)
[{bot: ../bots/random}, {bot: ../bots/greedy, name: Random}]
-> :3:41: entrants[1].bot: a second entrant is called "Random" (capitals make no difference; give
   one of them a name of its own)
[{bot: ../bots/random, options: {smaples: 5}}, {bot: ../bots/greedy}]
-> :3:44: entrants[0].options: unknown key "smaples" (did you mean "samples"?)
[{bot: ../bots/random, options: {samples: lots}}, {bot: ../bots/greedy}]
-> :3:53: entrants[0].options.samples: found "lots", expected a whole number, at least 1, at most
   100
[{bot: ../bots/random, env: {1A: x, B: 1}}, {bot: ../bots/greedy}]
-> :3:40: entrants[0].env: bad key "1A", expected the name of a variable: letters, digits and "_"
-> :3:50: entrants[0].env.B: found 1, expected text (in quotes it is text: '1')
[{bot: ../bots/random, cwd: x}, {bot: ../bots/greedy}]
-> :3:39: entrants[0].cwd: found cwd, expected it only with "command"
[{command: python3}, {bot: ../bots/greedy}]
-> :3:12: entrants[0].name: missing, expected a name for the entrant, as it has no "bot"
[{command: no-such-tool x, name: x}]
-> :3:22: entrants[0].command: "no-such-tool" was not found on PATH
[{command: ../bots/random/main.py, name: x}]
-> :3:22: entrants[0].command: "../bots/random/main.py" is not executable: chmod +x
   ../bots/random/main.py
[{command: [../bots], name: x}]
-> :3:22: entrants[0].command: "../bots" is a folder
[{command: "a 'b", name: x}]
-> :3:22: entrants[0].command: found "a 'b", expected a command (no closing quotation)
[{command: [python3, 5], name: x}]
-> :3:32: entrants[0].command[1]: found 5, expected text (in quotes it is text: '5')
[{command: python3, name: x, cwd: nowhere}]
-> :3:45: entrants[0].cwd: found "nowhere", expected a folder
"""


@bad(BAD_ENTRANTS, BOT_KEYS=BOT_KEYS, FOLDER=FOLDER)
def test_bad_entrants(text: str, expected: list[str], tmp_path: Path) -> None:
    expected = [line.replace("FAR", str(tmp_path.parent)) for line in expected]
    assert refusals(f"arena: 1\ngame: dragonheart\nentrants: {text}\n") == expected


def test_two_bots_of_a_glob_with_one_name_are_found_by_their_folders() -> None:
    write_bot(Path("bots/second"), "bot: 1\nname: random\ncommand: [python3]\n")
    assert refusals("arena: 1\ngame: dragonheart\nentrants: [{glob: ../bots/*}]\n") == [
        ':3:19: entrants[0].glob: a second entrant is called "random"'
        " (bots/random and bots/second: change the name in one bot.yaml)"
    ]


def test_a_bot_must_play_the_game_at_that_table() -> None:
    manifest = "bot: 1\nname: o\nplays: {{{}}}\ncommand: [python3]\n"
    write_bot(Path("bots/other"), manifest.format("dragonkrak: [2]"))
    write_bot(Path("bots/big"), manifest.format("dragonheart: [3, 4]").replace("o\n", "b\n", 1))
    entrants = "entrants: [{bot: ../bots/other}, {bot: ../bots/big}]\n"
    assert refusals("arena: 1\ngame: dragonheart\n" + entrants) == [
        ':3:18: entrants[0].bot: bot "o" does not play dragonheart at 2 seats'
        " (by its bot.yaml not at all)",
        ':3:40: entrants[1].bot: bot "b" does not play dragonheart at 2 seats'
        " (by its bot.yaml only at 3 or 4 seats)",
    ]


def test_problems_of_a_manifest_are_told_once_and_with_those_of_the_file() -> None:
    write_bot(Path("bots/random"), "bot: 1\nname: random\ncommand: [node, main.js]\n")
    write_bot(Path("bots/greedy"), "bot: 1\nname: greedy\ncomand: [python3]\n")
    manifest = Path("bots/random/bot.yaml")
    manifest.write_text(manifest.read_text().replace("node", "no-node"))
    twice = "arena: 1\ngame: dragonheart\nnames: x\nentrants: [{glob: ../bots/*},"
    assert refusals(twice + " {bot: ../bots/random}]\n") == [
        ':3:8: names: found "x", expected "shown" or "hidden"',
        "bots/greedy/bot.yaml:1:1: command: missing, expected [PROGRAM, ARGUMENT, …]"
        " or {uci: PROGRAM}",
        'bots/greedy/bot.yaml:3:1: unknown key "comand" (did you mean "command"?)',
        'bots/random/bot.yaml:3:10: command: "no-node" was not found on PATH'
        ' (needed by bot "random"; install it or leave the bot out)',
    ]


def test_a_folder_that_cannot_be_read_whole_is_a_problem() -> None:
    (Path("bots/random") / "link").symlink_to("/nowhere")
    load(TOP)
    deep = Path("bots/random", *["d"] * 101)
    deep.mkdir(parents=True)
    assert refusals(TOP) == [":3:18: entrants[0].bot: cannot be read: more than 100 folders deep"]


def test_overrides_win_over_the_file() -> None:
    tournament = load(
        TOP + "clock: {move: 1 s}\n",
        "clock.move=2 s",
        "schedule.deals=3",
        "schedule.deals=7",
        "entrants.1.name=g",
        "names=hidden",
        "execution={workers: 3}",
        "entrants.0.options.samples=9",
    )
    assert tournament.clock.move == 2.0
    assert tournament.disciplines[0].schedule.deals == 7
    assert tournament.entrants[1].name == "g"
    assert tournament.names is Names.HIDDEN
    assert tournament.execution.workers == 3
    assert tournament.entrants[0].options == {"samples": 9}


def test_paths_in_overrides_are_relative_to_the_current_folder(tmp_path: Path) -> None:
    tournament = load(TOP, "entrants.0={bot: bots/greedy, name: g}", "output.folder=out")
    assert tournament.entrants[0].folder == str(tmp_path / "bots" / "greedy")
    assert tournament.output.folder == str(tmp_path / "out")


def test_an_override_puts_an_entry_at_the_end_of_a_list(tmp_path: Path) -> None:
    tournament = load(
        TOP,
        "entrants.+.bot=bots/greedy",
        "entrants.2.name=g",
        "entrants.+={bot: bots/random, name: r}",
    )
    assert [entrant.name for entrant in tournament.entrants[2:]] == ["g", "r"]
    assert tournament.entrants[2].folder == str(tmp_path / "bots" / "greedy")


BAD_OVERRIDES = r"""
clock.move=5
-> clock.move: found 5, expected a duration such as "250 ms" (a bare number has no unit)
clock.mvoe=5 s
-> clock: unknown key "mvoe" (did you mean "move"?)
name=
-> name: found nothing, expected <NAME>
entrants.2.name=x
-> entrants: found "2", expected an index from 0 to 1, or + for one more
entrants.first.name=x
-> entrants: found "first", expected an index from 0 to 1, or + for one more
entrants.+.name=x
-> entrants[2]: found none of the three, expected one of "bot", "glob" and "command"
entrants.+.bot=bots/x
-> entrants[2].bot: found "bots/x", <FOLDER> (there is no bots/x)
game.seats=2
-> game: found "dragonheart", expected a mapping to set "seats" in
foo
-> no key and value, expected KEY=VALUE such as clock.move='2 s'
a..b=c
-> no key and value, expected KEY=VALUE such as clock.move='2 s'
seed=*x
-> found the alias *x, expected the value itself
entrants.0.bot=bots/x
-> entrants[0].bot: found "bots/x", <FOLDER> (there is no bots/x)
"""


@bad(BAD_OVERRIDES, NAME=NAME, FOLDER=FOLDER)
def test_bad_overrides_are_placed_in_themselves(text: str, expected: list[str]) -> None:
    assert refusals(TOP, text) == [f"--set {text}: {line}" for line in expected]


def test_a_quick_tournament_needs_no_file(tmp_path: Path) -> None:
    bots = ["bots/random", "bots/greedy/"]
    tournament = quick_tournament("dragonheart", bots, deals=9, seed="s", name="n")
    assert [entrant.name for entrant in tournament.entrants] == ["random", "greedy"]
    assert tournament.entrants[1].folder == str(tmp_path / "bots" / "greedy")
    assert tournament.disciplines[0].schedule.deals == 9
    assert (tournament.seed, tournament.name) == ("s", "n")
    usual = quick_tournament("dragonheart", bots)
    assert (usual.disciplines[0].schedule.deals, usual.seed) == (50, None)
    assert usual.output.folder == str(tmp_path / "runs" / "dragonheart")


def test_a_bot_given_twice_plays_itself() -> None:
    tournament = quick_tournament("dragonheart", ["bots/random"] * 3)
    assert [e.name for e in tournament.entrants] == ["random", "random-2", "random-3"]


def test_a_quick_entrant_may_be_a_command(tmp_path: Path) -> None:
    program = write(tmp_path / "mine.sh", "#!/bin/sh\n")
    program.chmod(0o755)
    bots = ["python3 bots/random/main.py --fast", "mine.sh", "bots/random"]
    first, second, _ = quick_tournament("dragonheart", bots).entrants
    assert (first.name, first.words[1:]) == ("main", ("bots/random/main.py", "--fast"))
    assert (second.name, second.command) == ("mine", (str(program),))
    assert first.folder == str(tmp_path)


def test_problems_of_a_quick_tournament_are_placed_at_the_argument() -> None:
    with pytest.raises(ConfigError) as caught:
        quick_tournament(
            "tarot", ["bots/randon", "x y"], deals=0, name="a b", overrides=["names=x"]
        )
    assert lines(caught.value) == [
        f'--name a b: found "a b", expected {NAME}',
        "-n 0: found 0, expected a whole number from 1 to 10,000,000",
        '--set names=x: names: found "x", expected "shown" or "hidden"',
        f'-g tarot: game.rules: found "tarot", expected {KNOWN}',
        'bots/randon: found "bots/randon", expected a folder with a bot.yaml'
        ' (did you mean "bots/random"?)',
        'x y: "x" was not found on PATH',
    ]


TEXT = st.text(alphabet=st.characters(codec="utf-8"), max_size=60)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda below: (
        st.lists(below, max_size=3)
        | st.dictionaries(st.sampled_from(["bot", "glob", "command", "name", "move"]) | TEXT, below)
    ),
    max_leaves=6,
)
KEYS = sorted({*TournamentFile.__struct_fields__} - {"arena"})
UNBOUNDED = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None
)


@pytest.mark.slow
@settings(UNBOUNDED)
@given(TEXT)
def test_no_text_raises_anything_but_config_error(text: str) -> None:
    for content in (text, TOP + text):
        with suppress(ConfigError):
            load(content)


@settings(UNBOUNDED)
@given(st.dictionaries(st.sampled_from(KEYS), VALUES))
def test_no_values_raise_anything_but_config_error(values: dict[str, object]) -> None:
    with suppress(ConfigError):
        load(json.dumps({"arena": 1, **values}))


@settings(UNBOUNDED)
@given(st.sampled_from(KEYS) | TEXT, TEXT)
def test_no_override_raises_anything_but_config_error(key: str, value: str) -> None:
    with suppress(ConfigError):
        load(TOP, f"{key}={value}")


@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("200 ms", TimeControl(0.2)),
        ("move: 200 ms, startup: 3 s", TimeControl(0.2, startup=3.0)),
        ("{bank: 10 s, increment: 50 ms}", TimeControl(None, 10.0, 0.05)),
        ("bank: 60 s, moves: 40", TimeControl(None, 60.0, moves=40)),
        ("move: 1 s, margin: 20 ms", TimeControl(1.0, margin=0.02)),
        ("move: 1 s, margin: 0 s", TimeControl(1.0)),
    ],
)
def test_a_clock_is_read_with_its_units(text: str, control: TimeControl) -> None:
    assert read_clock(text) == ClockSettings(control, pondering=True)
    assert not read_clock("pondering: off").pondering


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("soon", 'move: found "soon", expected'),
        ("", "move: found nothing, expected"),
        ("mvoe: 1 s", 'unknown key "mvoe" (did you mean "move"?)'),
        ("increment: 1 s", "increment: found an increment, expected a bank"),
        ("moves: 40", "moves: found 40, expected a bank for these answers"),
        ("bank: 1 min, moves: 0", "moves: found 0, expected"),
        ("bank: 1 min, moves: 40.5", "moves: found 40.5, expected"),
        ("margin: -1 s", 'margin: found "-1 s", expected'),
        ("margin: 2 min", 'margin: found "2 min", expected'),
        ("margin: much", 'margin: found "much", expected'),
        ("move: [", "--clock:1"),
    ],
)
def test_what_is_no_clock_is_refused_with_its_place(text: str, found: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(found)) as failed:
        read_clock(text)
    assert str(failed.value).startswith("--clock:1:")
