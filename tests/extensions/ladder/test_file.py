"""Ladder files: what is read, and what is told of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.entrants.folders import folder_digest
from arena.entrants.names import builtin_folder
from arena.extensions.ladder.file import CheckLevel, Member, TableForm, load_ladder, schema
from arena.hosting.sandbox.isolation import Isolation
from arena.hosting.workspace.trees import is_foreign
from arena.runs.identity import differences, identity
from arena.schedule.kinds.registry import grows
from arena.values.problems import ConfigError
from tests.tournament.folders import lines, write, write_bot

RANDOM = builtin_folder("builtin:random")
GOOD = """\
arena: 1
game: {rules: dragonheart, options: {edition: ffg}}
schedule: {deals: 2}
clock: {move: 500 ms}
anchors:
  - {bot: bots/greedy, elo: 1200}
  - {bot: bots/random, name: chance, options: {samples: 7}}
budget: {wall: 8 h, games: 2000}
authors: {bots: 2, uploads: 4, size: 1 MiB, files: 100}
keep: 30 d
check: full
output: {formats: [md, html]}
"""


def folder(path: Path, text: str = GOOD) -> Path:
    write_bot(path / "bots" / "greedy")
    write_bot(path / "bots" / "random")
    write(path / "ladder.yaml", text)
    return path


def test_a_ladder_is_a_tournament_of_its_anchors_and_whoever_is_there(tmp_path: Path) -> None:
    ladder = load_ladder(folder(tmp_path))
    assert (ladder.seats, ladder.keep, ladder.file.check) == (2, 30 * 86_400, CheckLevel.FULL)
    assert ladder.submissions == tmp_path / "submissions"
    assert ladder.file.output.formats == (TableForm.MD, TableForm.HTML)
    assert (ladder.file.budget.wall, ladder.file.budget.games) == (8 * 3600, 2000)
    assert [each.name for each in ladder.anchors] == ["greedy", "chance"]
    late = write_bot(tmp_path / "else" / "late")
    found = ladder.tournament([Member("anna.late", late)])
    assert [each.name for each in found.entrants] == ["greedy", "chance", "anna.late"]
    assert found.entrants[1].options == {"samples": 7}
    assert found.ratings is not None
    assert (found.ratings.anchor, found.ratings.elo) == ("greedy", 1200)
    assert found.isolation is Isolation.SANDBOX
    assert grows(found.disciplines[0].schedule)
    assert found.output.folder == str(tmp_path / "run")
    assert found.clock.move == 0.5


def test_an_anchor_may_come_with_arena(tmp_path: Path) -> None:
    text = GOOD.replace("bots/random, name: chance, options: {samples: 7}", "builtin:random")
    anchor = load_ladder(folder(tmp_path, text)).anchors[1]
    assert (anchor.given, anchor.digest) == ("builtin:random", folder_digest(RANDOM, is_foreign))


def test_an_anchor_may_have_any_name(tmp_path: Path) -> None:
    text = GOOD.replace("name: chance", "name: bot-3")
    ladder = load_ladder(folder(tmp_path, text))
    assert [each.name for each in ladder.anchors] == ["greedy", "bot-3"]


def test_what_is_left_out(tmp_path: Path) -> None:
    text = "arena: 1\ngame: dragonheart\nanchors: [{bot: bots/greedy}]\n"
    ladder = load_ladder(folder(tmp_path, text))
    assert (ladder.keep, ladder.file.check) == (None, CheckLevel.ESSENTIAL)
    assert ladder.plan.ratings is None
    assert (ladder.file.budget.wall, ladder.file.budget.games) == (None, None)


def test_readable_paths_are_those_of_a_sandbox(tmp_path: Path) -> None:
    text = GOOD + "isolation: {readable: [bots]}\n"
    plan = load_ladder(folder(tmp_path, text)).plan
    assert plan.isolation is Isolation.SANDBOX
    assert plan.readable == (str(tmp_path / "bots"),)


def test_only_what_is_played_makes_it_another_run(tmp_path: Path) -> None:
    ladder = load_ladder(folder(tmp_path))
    other = load_ladder(tmp_path, ["budget.games=5", "authors.bots=9"])
    assert identity(ladder.plan) == identity(other.plan)
    assert differences(
        identity(ladder.plan), identity(load_ladder(tmp_path, ["keep=60 d"]).plan)
    ) == ["keep: the run has 30 d, asked for is 60 d"]


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        ("arena: 1", "arena: 2", "arena: found 2, expected 1"),
        ("check: full", "check: none", 'check: found "none", expected "full" or "essential"'),
        ("keep: 30 d", "keep: 30", "keep: found 30, expected a number of days"),
        ("keep: 30 d", "keep: 12 h", 'keep: found "12 h", expected a number of days such as'),
        ("games: 2000", "games: 1", "budget.games: found 1, expected 2 or more, for a deal is"),
        ("games: 2000", "games: 0", "budget.games: found 0, expected a whole number from 1"),
        ("wall: 8 h", "wall: 25 h", 'budget.wall: found "25 h"'),
        ("{wall: 8 h, games: 2000}", "{}", "budget: found no bound, expected wall, games or both"),
        ("size: 1 MiB", "size: 1 TiB", 'authors.size: found "1 TiB"'),
        ("bots: 2", "bot: 2", 'authors: unknown key "bot" (did you mean "bots"?)'),
        ("anchors:", "entrants:", 'unknown key "entrants"'),
        ("bots/greedy, elo", "bots/greedly, elo", 'anchors[0].bot: found "bots/greedly"'),
        ("samples: 7", "sample: 7", 'anchors[1].options: unknown key "sample"'),
        ("name: chance", "name: chance, elo: 3", "anchors[1].elo: found a second elo"),
        ("rules: dragonheart", "rules: dragonhart", 'game.rules: found "dragonhart"'),
        (
            "rules: dragonheart, options: {edition: ffg}",
            "rules: dragonkrak",
            "does not play dragon",
        ),
        ("game: {rules: dragonheart, options: {edition: ffg}}", "notes: x", "game: missing"),
        ("{deals: 2}", "{kind: gauntlet, focus: [greedy]}", "schedule.kind: found gauntlet, exp"),
        ("{deals: 2}", "{kind: round_robin}", "schedule.kind: found round_robin"),
        ("{deals: 2}", "{kind: swiss, rounds: 2}", "schedule.kind: found swiss, expected ladder"),
        ("check: full", "breaker: {then: stop}", "breaker.then: found stop, expected withdraw"),
        ("edition: ffg}", "edition: ffg}, entrants: [x]", "game.entrants: found entrants"),
        ("[md, html]", "[csv]", 'output.formats[0]: found "csv", expected "txt"'),
        ("output: {", "isolation: {level: box}\noutput: {", 'isolation.level: found "box"'),
    ],
)
def test_what_cannot_be_is_told_with_its_place(tmp_path, was, now, said) -> None:
    path = folder(tmp_path, GOOD.replace(was, now))
    with pytest.raises(ConfigError) as raised:
        load_ladder(path)
    told = "\n".join(lines(raised.value))
    assert "bot-" not in told
    assert said in told
    assert "ladder.yaml:" in told


def test_the_schema_has_all_keys_and_units() -> None:
    found = schema()
    assert {"anchors", "budget", "authors", "keep", "clock", "game"} <= found["properties"].keys()
    assert found["$defs"]["AuthorsFile"]["properties"]["size"]["default"] == "64 MiB"
