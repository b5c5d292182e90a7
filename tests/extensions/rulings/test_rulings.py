"""Rulings in runs of every kind: what follows from them, and what nobody can forge."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.extensions.rulings.commands.ruling import RulingOptions, make_ruling
from arena.runs.disk import StoreError
from arena.runs.field import ENTRIES
from arena.runs.growth.past import as_of
from arena.runs.growth.rulings import Rulings, RunRuling, Verb, in_force, unsound_ruling
from arena.runs.manifest import is_run, read_manifest
from arena.runs.reader import StoredRun
from arena.runs.verify import RunVerifier
from arena.values.bad_input import ArenaError
from arena.views.standings.standings import render, table_of
from tests.rows import some
from tests.tournament.test_histories import KINDS, History

VERBS = ("disqualify", "readmit", "annul", "replay", "adjudicate", "comment", "undo")


def ask(folder: Path, chance: Random, verbs: tuple[str, ...] = VERBS) -> list[dict[str, Any]]:
    """Options of rulings, some of which cannot be made."""
    run = StoredRun(folder)
    games = [game.result.spec for game in run.games()]
    made = [number for number, _ in run.manifest.field.made]
    found = []
    for verb in chance.choices(verbs, k=3):
        words: dict[str, Any] = {"verb": verb, "reason": f"for {verb}", "author": "Ann"}
        if verb == "disqualify":
            words |= chance.choice([{"annul": True}, {"from_now": True}])
        if verb in ("disqualify", "readmit"):
            words["what"] = chance.choice([*run.manifest.field.identities])
        elif verb == "undo":
            words["what"] = str(chance.choice([*made, 99]))
        elif verb != "comment" and games:
            spec = chance.choice(games)
            seats = len(spec.entrants)
            words["what"] = spec.game_id
            places = sorted(chance.sample(range(seats), seats), key=lambda _: chance.random())
            if verb == "adjudicate":
                words["places"] = ",".join(str(place + 1) for place in places)
        found.append(words)
    return found


def rule_all(folder: Path, asked: list[dict[str, Any]]) -> int:
    """Make the rulings that can be made; how many."""
    made = 0
    for words in asked:
        with contextlib.suppress(ArenaError):
            make_ruling(RulingOptions(folder=folder, **words))
            made += 1
    return made


def shown(run: StoredRun) -> str:
    return render(table_of(run), "json")


def entries_findings(folder: Path) -> list[str]:
    verifier = RunVerifier(folder)
    found = [finding for each in verifier.games() for finding in each.findings]
    return [str(each) for each in [*verifier.findings, *found] if each.where.startswith(ENTRIES)]


@pytest.mark.slow
@pytest.mark.usefixtures("empty_records")
@pytest.mark.extensions("rounds")
@pytest.mark.parametrize("kind", some([*KINDS], every=2))
@given(seed=st.integers(0, 2**32))
@settings(max_examples=4, deadline=None)
def test_rounds_follow_and_the_past_stands(kind, seed, tmp_path_factory) -> None:
    """Kills, dead workers, a changing field and rulings: all follows from what was there."""
    history = History(tmp_path_factory.mktemp(kind), kind, seed)
    folder = history.folder / "run"
    rounds = None if kind == "refills" else 1
    published: dict[int, str] = {}
    for _ in range(8):
        try:
            risk = history.chance.choice([0, 0.05])
            is_over = history.play(history.chance.randint(1, 4), risk, rounds)
        except StoreError as error:
            if "its rounds have ended" not in str(error):
                raise
            return  # the file lacks a bot that was readmitted at the end
        assert history.differences() == []
        if not is_run(folder):
            continue
        run = StoredRun(folder)
        drawn = sum(bool(each) for each in run.manifest.field.rounds[1:])
        if run.manifest.grows:
            published |= {
                n: shown(as_of(run, n, "")) for n in range(1, drawn) if n not in published
            }
        rule_all(folder, ask(folder, history.chance))
        assert history.differences() == []
        run = StoredRun(folder)
        for number, table in published.items():
            assert shown(as_of(run, number, "")) == table, "a published table is another one"
        history.tear()
        if is_over and history.chance.random() < 0.5:
            break


@pytest.mark.slow
@pytest.mark.usefixtures("empty_records")
@pytest.mark.extensions("rounds")
@pytest.mark.parametrize("kind", some([*KINDS], every=2))
@given(seed=st.integers(0, 2**32))
@settings(max_examples=3, deadline=None)
def test_neither_workers_nor_kills_change_what_follows(kind, seed, tmp_path_factory) -> None:
    straight = History(tmp_path_factory.mktemp(kind), kind, seed, hard=False)
    other = History(tmp_path_factory.mktemp(kind), kind, seed, hard=False)
    rounds = None if kind == "refills" else 1
    for _ in range(2):
        straight.play(1, 0, rounds)
        for _ in range(30):
            other.play(other.chance.randint(1, 4), 0.02, rounds)
            other.tear()
            if not other.is_dead:
                break
        if other.lines() != straight.lines():
            return  # a kill came just between two rounds
        asked = ask(straight.folder / "run", Random(seed))
        made = rule_all(straight.folder / "run", asked)
        assert rule_all(other.folder / "run", asked) == made
    straight.play(1, 0)
    while not other.play(4, 0.02) and other.is_dead:
        other.tear()
    assert other.lines() == straight.lines()
    tables = [shown(StoredRun(each.folder / "run")) for each in (straight, other)]
    assert tables[0] == tables[1]
    assert other.differences() == []


@given(st.randoms(use_true_random=False))
def test_what_is_in_force_is_what_nobody_has_undone(chance) -> None:
    made: list[tuple[int, RunRuling]] = []
    for number in range(1, 12):
        game, bot = chance.choice("gh"), chance.choice(["ann", "bob"])
        by = {"author": "a", "reason": "r"}
        ruling = chance.choice(
            [
                RunRuling(verb=Verb.ANNUL, game=game, digest="d", **by),
                RunRuling(verb=Verb.REPLAY, game=game, digest="d", **by),
                RunRuling(verb=Verb.ADJUDICATE, game=game, digest="d", places=(2, 1), **by),
                RunRuling(verb=Verb.DISQUALIFY, bot=bot, annuls=chance.random() < 0.5, **by),
                RunRuling(verb=Verb.READMIT, bot=bot, **by),
                RunRuling(verb=Verb.UNDO, undoes=chance.randint(1, number), **by),
            ]
        )
        if not unsound_ruling(made, ruling):
            made.append((number, ruling))
    if not made or made[-1][1].verb is not Verb.UNDO:
        made = made[:-1] if made and unsound_ruling(made[:-1], made[-1][1]) else made
    if made and made[-1][1].verb is Verb.UNDO:
        undone = made[-1][1].undoes
        kept = [each for each in made[:-1] if each[0] != undone]
        target = dict(made)[undone]
        if target.verb is not Verb.UNDO:
            assert in_force(made)._replace(spare={}) == in_force(kept)._replace(spare={})
    assert in_force([]) == Rulings()


Change = Callable[[dict[str, Any]], object]
FORGERIES: dict[str, Change] = {
    "reason": lambda line: line["ruling"].update(reason="another"),
    "author": lambda line: line["ruling"].update(author="Bob"),
    "time": lambda line: line.update(created="2020-01-01T00:00:00+00:00"),
    "verb": lambda line: line["ruling"].update(verb="annul"),
    "places": lambda line: line["ruling"].update(places=[3, 2, 1]),
    "no places": lambda line: line["ruling"].pop("places", None),
    "impossible places": lambda line: line["ruling"].update(places=[1, 3, 3]),
    "too many places": lambda line: line["ruling"].update(places=[1, 2, 3, 4]),
    "another game": lambda line: line["ruling"].update(game="nothing/0:0:0"),
    "another result": lambda line: line["ruling"].update(digest="1" * 64),
    "no game": lambda line: line["ruling"].pop("game", None),
    "a bot as well": lambda line: line["ruling"].update(bot="a"),
    "annuls": lambda line: line["ruling"].update(annuls=True),
    "undoes": lambda line: line["ruling"].update(undoes=7),
    "leaves": lambda line: line.update(left=["a"]),
    "enters": lambda line: line.update(entered={"zed": {}}),
    "number": lambda line: line.update(number=line["number"] + 1),
    "before": lambda line: line.update(before="0" * 64),
    "commitment": lambda line: line.update(commitment="0" * 64),
    "no ruling": lambda line: line.pop("ruling"),
    "unknown key": lambda line: line["ruling"].update(fine=3),
    "empty reason": lambda line: line["ruling"].update(reason=""),
    "long reason": lambda line: line["ruling"].update(reason="x" * 501),
    "control characters": lambda line: line["ruling"].update(reason="a\x1b[2Jb"),
    "pairings": lambda line: line.update(pairings={"dragonkrak-3": [["a", "b", "c"]]}),
}


@pytest.fixture(scope="module")
def ruled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with a comment, an adjudicated game and a comment again."""
    history = History(tmp_path_factory.mktemp("ruled"), "refills", 4, hard=False)
    history.play(1, 0)
    folder = history.folder / "run"
    game = next(StoredRun(folder).games()).result.spec.game_id
    words: dict[str, Any] = {"reason": "so", "author": "Ann"}
    make_ruling(RulingOptions(folder=folder, verb="comment", **words))
    places = {"verb": "adjudicate", "what": game, "places": "2,1,3"}
    make_ruling(RulingOptions(folder=folder, **places, **words))
    make_ruling(RulingOptions(folder=folder, verb="comment", **words))
    assert entries_findings(folder) == []
    return folder


def is_found(folder: Path, lines: list[bytes]) -> bool:
    path = folder / ENTRIES
    before = path.read_bytes()
    path.write_bytes(b"".join(lines))
    try:
        return bool(entries_findings(folder) or RunVerifier(folder).findings)
    except StoreError:
        return True
    finally:
        path.write_bytes(before)


@pytest.mark.usefixtures("empty_records")
@pytest.mark.parametrize("forgery", FORGERIES)
@pytest.mark.parametrize("is_last", [False, True])
def test_forged_rulings_are_found(ruled: Path, forgery: str, *, is_last: bool) -> None:
    lines = (ruled / ENTRIES).read_bytes().splitlines(keepends=True)
    number = next(k for k, line in enumerate(lines) if b"adjudicate" in line)
    lines = lines[: number + 1] if is_last else lines
    forged = json.loads(lines[number])
    FORGERIES[forgery](forged)
    lines[number] = msgspec.json.encode(forged) + b"\n"
    assert is_found(ruled, lines)


@pytest.mark.usefixtures("empty_records")
def test_lost_and_moved_rulings_are_found(ruled: Path) -> None:
    lines = (ruled / ENTRIES).read_bytes().splitlines(keepends=True)
    for number in range(len(lines)):
        assert is_found(ruled, lines[:number] + lines[number + 1 :]), number
        assert is_found(ruled, [*lines[: number + 1], lines[number], *lines[number + 1 :]])
    assert is_found(ruled, lines[::-1])
    assert read_manifest(ruled).field.made


@pytest.mark.extensions("browser")
@pytest.mark.usefixtures("empty_records")
def test_the_feed_states_each_ruling_for_good(ruled: Path, tmp_path: Path) -> None:
    from arena.extensions.browser.site.folder import Options
    from arena.extensions.browser.site.write import write_site

    write_site(StoredRun(ruled), tmp_path / "site", Options(games=0))
    feed = (tmp_path / "site" / "feed.xml").read_text()
    assert feed.count("<title>Ruling: a comment</title>") == 2
    assert "has the places 2, 1, 3 by seat</title>" in feed
    for number, ruling in read_manifest(ruled).field.made:
        assert f"<summary>{ruling.words(number)}</summary>" in feed
