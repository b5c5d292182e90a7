"""``arena ruling`` as a person calls it: what it says, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.runs.field import ENTRIES
from tests.cli.shell import arena, bot

pytestmark = pytest.mark.process

REFUSED = {
    "disqualify nobody --annul": 'BOT: found "nobody", expected a bot of this run',
    "disqualify ann": "disqualify: expected one of --annul and --from-now",
    "disqualify ann --annul --from-now": "disqualify: expected one of --annul and --from-now",
    "readmit ann": "ann is not disqualified",
    "annul": "annul: expected a game behind it",
    "annul nothing": 'GAME: found "nothing", expected a number from 1 to 6 or the id of a game',
    "annul 7": "GAME: found",
    "replay 1 --annul": "--annul: found it with replay, expected it only with disqualify",
    "adjudicate 1": '--places: found "", expected a place for each of 2 seats, such as 1,2',
    "adjudicate 1 --places 1,3": '--places: found "1,3", expected a place for each of 2 seats',
    "adjudicate 1 --places 99999999999,1": "--places: found",
    "comment 1": "comment: expected nothing behind it",
    "undo 9": "line 9 is no ruling that is in force",
    "undo x": 'NUMBER: found "x", expected that of a ruling',
    "list 1": "list: found more behind it, expected nothing",
    "hang ann": 'VERB: found "hang", expected disqualify, readmit',
}


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("league")
    for name in ("ann", "bob", "cid"):
        bot(folder, name)
    played = arena(folder, "run", "-g", "dragonheart", "-n", "1", "ann", "bob", "cid", "-o", "run")
    assert played.code == 0, played.err
    return folder


@pytest.mark.parametrize("line", REFUSED)
def test_what_is_refused_changes_nothing(league: Path, line: str) -> None:
    before = (league / "run" / ENTRIES).exists()
    verb, *rest = line.split()
    done = arena(league, "ruling", "run", verb, *rest, "--reason", "so")
    assert (done.code, REFUSED[line] in done.err) == (2, True), done.err
    assert "Traceback" not in done.err
    assert (league / "run" / ENTRIES).exists() == before


def test_a_reason_is_needed_and_no_folder_is_made(league: Path) -> None:
    without = arena(league, "ruling", "run", "annul", "1")
    assert (without.code, "--reason: missing" in without.err) == (2, True)
    nowhere = arena(league, "ruling", "nowhere", "comment", "--reason", "x")
    assert (nowhere.code, (league / "nowhere").exists()) == (2, False)
    ugly = arena(league, "ruling", "run", "comment", "--reason", "a\x1bb")
    assert (ugly.code, "control characters" in ugly.err) == (2, True)
    long = arena(league, "ruling", "run", "comment", "--reason", "x" * 501)
    assert (long.code, "--reason" in long.err) == (2, True)


def test_a_ruling_holds_in_every_form_until_it_is_undone(league: Path) -> None:
    def say(*words: str) -> str:
        done = arena(league, *words)
        assert done.code == 0, done.err
        return done.out

    def ranks() -> dict[str, int | None]:
        table = json.loads(say("standings", "run", "--json"))["tables"][0]
        return {row["name"]: row["games"] for row in table["data"]["rows"]}

    first = say("standings", "run", "--json")
    words = ("--annul", "--reason", "two accounts", "--author", "Ann")
    made = say("ruling", "run", "disqualify", "cid", *words)
    told = "ruling 1 by Ann: cid is disqualified; its games count for nobody: two accounts"
    assert made.rstrip().endswith(told)
    assert ranks() == {"ann": 2, "bob": 2}
    for form in ("standings", "verify", "watch --once"):
        name, *more = form.split()
        shown = say(name, "run", *more)
        assert told in shown or told in arena(league, name, "run", *more).err, form
    again = say("run", "-g", "dragonheart", "-n", "1", "ann", "bob", "cid", "-o", "run")
    assert "cid: withdrawn: disqualified: two accounts" in again
    say("ruling", "run", "undo", "1", "--reason", "the appeal was right")
    say("ruling", "run", "replay", "1", "--reason", "the power failed")
    assert sorted(ranks().values()) == [3, 3, 4]
    say("run", "run")
    say("ruling", "run", "adjudicate", "2", "--places", "1,1", "--reason", "a tie")
    say("ruling", "run", "annul", "3", "--reason", "no")
    proved = say("verify", "run")
    assert proved.startswith("6 of 6 games verified: all as it should be")
    listed = json.loads(say("ruling", "run", "list", "--json"))["data"]
    assert [each["ruling"]["verb"] for each in listed] == [
        *("disqualify", "undo", "replay", "adjudicate", "annul")
    ]
    assert "ruling 4" in say("games", "run")
    assert "ruling 4" in say("replay", "run", "2")
    assert "played so far" not in say("standings", "run")
    for number in (5, 4, 3):
        say("ruling", "run", "undo", str(number), "--reason", "enough")
    proved = say("verify", "run")
    assert proved.startswith("6 of 6 games verified: all as it should be")
    assert "ruling 3 by" in say("games", "run")
    assert "(undone)" in say("ruling", "run", "list")
    now = json.loads(say("standings", "run", "--json"))["tables"][0]["data"]["rows"]
    assert now == json.loads(first)["tables"][0]["data"]["rows"]


@pytest.mark.extensions("rounds")
def test_a_ladder_that_has_ended_can_be_ruled_on_again_and_again(tmp_path: Path) -> None:
    lines = [f"  - bot: {bot(tmp_path, name)}" for name in ("ann", "bob")]
    head = "arena: 1\ngame: dragonheart\nschedule: {kind: ladder, rounds: 1, deals: 1}\nentrants:\n"
    (tmp_path / "file.yaml").write_text(head + "\n".join(lines) + "\n")
    assert arena(tmp_path, "run", "file.yaml", "-o", "run").code == 0
    for game in "12":
        ruled = arena(tmp_path, "ruling", "run", "annul", game, "--reason", "no")
        assert ruled.code == 0, ruled.err
    verified = arena(tmp_path, "verify", "run")
    assert verified.code == 0, verified.out


@pytest.mark.extensions("rounds", "browser")
def test_rulings_tell_no_names_that_are_hidden(tmp_path: Path) -> None:
    lines = [f"  - bot: {bot(tmp_path, name)}" for name in ("ann", "bob", "cid")]
    head = "arena: 1\ngame: dragonheart\nnames: hidden\nschedule: {kind: swiss, rounds: 3}\n"
    (tmp_path / "cup.yaml").write_text(head + "entrants:\n" + "\n".join(lines) + "\n")
    assert arena(tmp_path, "run", "cup.yaml", "-o", "run", "--rounds", "1").code == 0
    words = ("--places", "1,1", "--reason", "so", "--author", "jury")
    assert arena(tmp_path, "ruling", "run", "adjudicate", "1", *words).code == 0
    assert arena(tmp_path, "site", "run", "site").code == 0
    index = (tmp_path / "site/index.html").read_text()
    assert "ruling 2 by jury: a game has the places 1, 1" in index
    assert "round1/" not in index
    assert "uling" not in (tmp_path / "site/feed.xml").read_text()
    seen = arena(tmp_path, "replay", "run", "1", "--seat", "0").out
    assert not {"ann", "bob", "cid"} & set(seen.replace(":", " ").split())
