"""What a site holds, and what it does not: of competitions that nobody played."""

from __future__ import annotations

import base64
import gzip
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

import msgspec
import pytest

from arena.extensions.browser.page.counting import results
from arena.extensions.browser.page.facts import head_facts
from arena.extensions.browser.site import model, pages, write, writer
from arena.extensions.browser.site.folder import Built
from arena.extensions.browser.site.write import Options, write_site
from arena.extensions.publishing.visible import VisibleGames, choose
from arena.games.registry import rules_spec
from arena.runs.config.keys import Names
from arena.runs.disk import StoreError
from arena.runs.reader import Authors, StoredRun
from arena.runs.store import RECORDS
from arena.schedule.keys import Discipline, Schedule
from arena.values.bad_input import BadInput
from arena.values.results import FaultKind
from arena.views.standings.standings import table_of
from tests.cli.shell import arena, bot
from tests.extensions.browser.site.competitions import DAY, OPENING, Competition, swiss
from tests.runs.manifests import ENTRANT

NAMES = ("anna", "berta", "carla", "dora")
STRENGTH = {"anna": 300.0, "berta": 100.0, "carla": -100.0, "dora": -300.0}
ATOM = "{http://www.w3.org/2005/Atom}"
by_rounds = pytest.mark.extensions("rounds")


def build(competition: Competition, target: Path, **options: Any) -> Built:
    options = {"games": 1} | options  # more of them take longest
    return write_site(StoredRun(competition.folder), target, Options(**options))


def tree(folder: Path) -> dict[str, bytes]:
    """Every file by its name."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def document(page: bytes) -> Any:
    """The game that is packed in a page."""
    found = re.search(rb'id="game">([^<]+)<', page)
    assert found is not None
    return json.loads(gzip.decompress(base64.b64decode(found[1])))


def whole(folder: Path) -> str:
    """All that a reader can find in a site, packed or not."""
    found = []
    for name, data in tree(folder).items():
        found.append(data.decode())
        if name.startswith("games/"):
            found.append(json.dumps(document(data)))
    return "\n".join(found)


class Reader(HTMLParser):
    """Collects links and ids, and fails at elements that are not closed."""

    VOID = frozenset({"meta", "link", "br", "img"})

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.scripts = 0
        self.open: list[str] = []
        self.texts: list[str] = []
        self.feed(page.decode())
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        if tag not in self.VOID:
            self.open.append(tag)
        known = dict(attrs)
        self.links += [str(known[name]) for name in ("href", "src", "data-home") if name in known]
        if known.get("id"):
            self.ids.append(str(known["id"]))
        self.scripts += tag == "script"

    def handle_startendtag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        return

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def check_links(folder: Path) -> int:
    """Every address of every page leads to a file of the site; how many there are."""
    files, number = set(tree(folder)), 0
    for name, data in tree(folder).items():
        if not name.endswith(".html"):
            continue
        reader = Reader(data)
        assert len(set(reader.ids)) == len(reader.ids), name
        assert not re.search(rb"<noscript>(?:(?!</noscript>).)*<main", data, re.DOTALL), name
        for address in reader.links:
            parts = urlsplit(address)
            assert (parts.scheme, parts.netloc) == ("", ""), address
            found = PurePosixPath(name).parent
            for part in PurePosixPath(unquote(parts.path)).parts:
                found = found.parent if part == ".." else found / part
            assert str(found) in files, (name, address)
            number += 1
    return number


def cells(page: bytes) -> list[list[str]]:
    """The rows of its tables, as texts."""
    rows = re.findall(r"<tr>(.*?)</tr>", page.decode(), re.DOTALL)
    return [
        [
            re.sub(r"<title>.*?</title>|<[^>]+>", "", cell, flags=re.DOTALL).strip()
            for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)
        ]
        for row in rows
    ]


@pytest.fixture
def league(tmp_path: Path) -> Competition:
    """A round robin of four, of which one day and a half is played."""
    made = Competition(tmp_path / "cup", NAMES, deals=8)
    made.play(STRENGTH, every=DAY // 64)
    return made


@pytest.fixture
def cup(tmp_path: Path) -> Competition:
    """A Swiss tournament with three of five rounds."""
    made, *_ = swiss(tmp_path / "cup", 6, 3, 2, planned=5)
    return made


def test_a_league_is_told_by_days(league: Competition, tmp_path: Path) -> None:
    site = tmp_path / "site"
    built = build(league, site)
    files = tree(site)
    assert (built.counts.bots, built.counts.games, built.counts.held_back, built.damaged) == (
        4,
        96,
        0,
        (),
    )
    assert built.files.files == len(files) - 1  # site.json
    days = ("rounds/2026-01-01.html", "rounds/2026-01-02.html")
    assert [name for name in files if name.startswith("rounds/2")] == list(days)
    board = next(row for row in cells(files["index.html"]) if row[:1] == ["1"])
    assert board[1] == "anna"
    assert [row[1] for row in cells(files["index.html"])[1:5]] == list(NAMES)
    anna = files["bots/anna.html"].decode()
    assert "Over time" in anna
    assert "Best results" in anna
    assert [row[0] for row in cells(files["bots/anna.html"]) if len(row) == 3][1:4] == [
        "berta",
        "carla",
        "dora",
    ]
    assert check_links(site) > 100
    assert sum(name.startswith("games/") for name in files) == built.counts.opened


@by_rounds
def test_a_tournament_by_rounds_has_places_and_a_page_for_each_round(cup, tmp_path) -> None:
    site = tmp_path / "site"
    build(cup, site)
    files = tree(site)
    assert "Places after 3 of 5 rounds" in files["index.html"].decode()
    assert [name for name in files if name.startswith("rounds/")] == [
        *(f"rounds/{number}.html" for number in (1, 2, 3)),
        "rounds/index.html",
    ]
    rows = cells(files["rounds/1.html"])
    assert rows[0] == ["bots", "points", "points of games", "games", "watch"]
    assert {row[1] for row in rows[1:]} <= {"1 : 0", "0.5 : 0.5"}
    assert {row[3] for row in rows[1:]} == {"4"}
    assert "open" not in str(cells(files["rounds/3.html"])), "all its games are played"
    check_links(site)


@by_rounds
def test_byes_are_shown(tmp_path: Path) -> None:
    made = Competition(tmp_path / "cup", NAMES[:3], rounds=3, deals=1)
    made.round([("anna", "berta")], byes=["carla"])
    made.play(STRENGTH)
    made.change(left=["carla"])
    made.finish()
    made.publish()
    build(made, tmp_path / "site")
    rows = cells((tmp_path / "site/rounds/1.html").read_bytes())
    assert ["carla", "1", "–", "0", "bye", "–"] in rows


@pytest.mark.slow
@pytest.mark.process
def test_equal_runs_give_equal_bytes(league: Competition, tmp_path: Path) -> None:
    build(league, tmp_path / "one")
    build(league, tmp_path / "two", jobs=2)
    assert tree(tmp_path / "one") == tree(tmp_path / "two")


@by_rounds
def test_a_site_that_grew_is_the_one_that_is_made_at_once(cup: Competition, tmp_path: Path) -> None:
    """Whatever was shown before, what is shown follows from the run alone."""
    grown, again = tmp_path / "grown", tmp_path / "again"
    first = build(cup, grown)
    old = (grown / "rounds/1.html").stat().st_ino
    names = [f"bot-{k:04}" for k in range(6)]
    cup.round([(names[0], names[1]), (names[2], names[3]), (names[4], names[5])])
    cup.play(most=5)
    build(cup, grown)
    cup.play()
    last = build(cup, grown)
    build(cup, again)
    assert tree(grown) == tree(again)
    assert first.files.removed == 0
    assert last.files.written < last.files.files
    assert (grown / "rounds/1.html").stat().st_ino == old


@by_rounds
def test_nothing_is_written_twice(cup, tmp_path, monkeypatch) -> None:
    site = tmp_path / "site"
    first = build(cup, site)
    before = {name: (site / name).stat().st_mtime_ns for name in tree(site)}
    with monkeypatch.context() as patched:
        patched.setattr(writer, "Site", None)  # nothing is read
        built = build(cup, site)
    assert built == first._replace(files=built.files)
    assert built.files == (first.files.files, 0, 0, 0)
    monkeypatch.setattr(write, "_all_inputs", lambda *_: b"")
    assert build(cup, site).files == built.files
    after = {name: (site / name).stat().st_mtime_ns for name in tree(site)}
    assert [name for name in after if after[name] != before[name]] == ["site.json"]


@by_rounds
def test_what_is_lost_is_written_again(cup: Competition, tmp_path: Path) -> None:
    site = tmp_path / "site"
    build(cup, site)
    before = tree(site)
    (site / "index.html").unlink()
    (site / "ratings.json").write_text("damaged")
    assert build(cup, site).files.written == 2
    assert tree(site) == before


def test_what_belongs_no_more_is_removed_and_nothing_else(league, tmp_path) -> None:
    site = tmp_path / "site"
    build(league, site)
    games = {name for name in tree(site) if name.startswith("games/")}
    (site / "CNAME").write_text("example.org")
    (site / "games/mine.txt").write_text("not of the site")
    built = build(league, site, games=0)
    assert built.files.removed == len(games)
    assert not games & tree(site).keys()
    assert (site / "CNAME").read_text() == "example.org"
    assert (site / "games/mine.txt").exists()
    check_links(site)


HOSTILE = ("<script>alert(1)</script>", "../../up", "a\"b'c&d", "\x1b[31mred\u202e", "Anna", "anna")


def test_what_others_wrote_is_escaped(tmp_path: Path) -> None:
    made = Competition(tmp_path / "cup", HOSTILE, deals=1)
    made.play()
    site = tmp_path / "site"
    authors = Authors(dict.fromkeys(HOSTILE, "<b>me</b>"), {name: [name] for name in HOSTILE})
    write_site(StoredRun(made.folder, None, lambda manifest: authors), site, Options(games=1))
    for name, data in tree(site).items():
        assert re.fullmatch(r"[a-z0-9./-]+", name)
        if name.endswith(".json"):
            json.loads(data)
            continue
        text = data.decode()
        for bad in ("<script>alert", "<b>me", "\x1b", "\u202e"):
            assert bad not in text, name
    ET.fromstring((site / "feed.xml").read_bytes())
    index = (site / "index.html").read_bytes().decode()
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in index
    assert "&lt;b&gt;me&lt;/b&gt;" in index
    pages = [name for name in tree(site) if name.startswith("bots/")]
    assert len({name.casefold() for name in pages}) == len(HOSTILE)
    check_links(site)


def test_nothing_hidden_is_told(tmp_path: Path) -> None:
    made = Competition(
        tmp_path / "cup",
        NAMES,
        deals=6,
        entrants={
            name: msgspec.structs.replace(
                ENTRANT,
                command=("python3", "secret-command"),
                options={"level": "secret-option"},
                env={"TOKEN": "secret-env"},
                digest="5ec2e7d19e57",
            )
            for name in NAMES
        },
    )
    made.play(STRENGTH, faults={"dora": FaultKind.CRASH}, stderr="secret stderr")
    site = tmp_path / "site"
    build(made, site)
    text = whole(site)
    for bad in (
        "secret",
        OPENING.seed,
        "x86_64",
        "5ec2e7",
        str(tmp_path),
        '"info"',
        'think_us": 1',
    ):
        assert bad not in text, bad
    page = (site / "bots/dora.html").read_text()
    assert "withdrawn" in page
    assert "crash" in page
    games = [document(data) for name, data in tree(site).items() if name.startswith("games/")]
    assert games
    assert {view["key"] for game in games for view in game["views"]} == {"spectator"}
    assert {key for game in games for key in game["observers"]} == {"spectator"}


def test_games_of_a_deal_that_is_not_through_are_not_told(tmp_path: Path) -> None:
    made = Competition(tmp_path / "cup", NAMES[:2], deals=3)
    made.play(STRENGTH, most=3)
    built = build(made, tmp_path / "site")
    assert (built.counts.games, built.counts.held_back) == (2, 1)
    assert built.counts.opened == 2
    assert "1 game is not shown or counted here" in (tmp_path / "site/index.html").read_text()
    made.play(STRENGTH)
    built = build(made, tmp_path / "site")
    assert (built.counts.games, built.counts.held_back) == (6, 0)


def test_games_that_are_stored_meanwhile_are_not_told(tmp_path, monkeypatch) -> None:
    """Whether their deals are through nobody has looked."""
    made = Competition(tmp_path / "cup", NAMES[:2], deals=3)
    made.play(STRENGTH, most=2)

    def chosen(run: StoredRun, bot: None) -> VisibleGames:
        found = choose(run, bot)
        made.play(STRENGTH, most=1)
        return found

    monkeypatch.setattr(results, "choose", chosen)
    built = build(made, tmp_path / "site")
    assert (built.counts.games, built.counts.opened) == (2, 2)
    made.play(STRENGTH)
    assert build(made, tmp_path / "site").counts.games == 6


@by_rounds
def test_names_stay_hidden_between_rounds(tmp_path: Path) -> None:
    made = Competition(tmp_path / "cup", NAMES, rounds=3, deals=1, names=Names.HIDDEN)
    made.round([NAMES[:2], NAMES[2:]])
    made.play(STRENGTH)
    site = tmp_path / "site"
    build(made, site)
    assert not [name for name in tree(site) if name.startswith(("games/", "rounds/"))]
    made.finish()
    build(made, site)
    assert [name for name in tree(site) if name.startswith("rounds/")]


def test_hidden_names_stay_hidden_until_it_is_over(tmp_path: Path) -> None:
    made = Competition(tmp_path / "cup", NAMES, deals=2, names=Names.HIDDEN)
    made.play(STRENGTH, most=20)
    site = tmp_path / "site"
    build(made, site)
    assert not [name for name in tree(site) if name.startswith(("games/", "rounds/"))]
    anna = (site / "bots/anna.html").read_text()
    assert not any(other in anna for other in NAMES[1:])
    assert "Bots play unknown" in (site / "index.html").read_text()
    check_links(site)
    made.play(STRENGTH)
    build(made, site)
    assert [name for name in tree(site) if name.startswith("games/")]
    assert "berta" in (site / "bots/anna.html").read_text()
    check_links(site)


@pytest.mark.slow
def test_several_games_and_one_that_everybody_plays_alone(tmp_path: Path) -> None:
    made = Competition(
        tmp_path / "cup",
        (),
        disciplines=[
            Discipline("heart", rules_spec("dragonheart"), NAMES[:3], Schedule(deals=2)),
            Discipline("alone", rules_spec("dragonkrak", 1), NAMES, Schedule(deals=3)),
            Discipline("three", rules_spec("dragonrealm", 3), NAMES, Schedule(deals=1)),
        ],
    )
    made.play()
    site = tmp_path / "site"
    build(made, site)
    files = tree(site)
    assert {"tables/heart.html", "tables/alone.html", "tables/three.html"} <= files.keys()
    assert "Disciplines" in files["bots/anna.html"].decode()
    assert "everybody plays the same deals alone" in files["tables/alone.html"].decode()
    day = cells(files["rounds/2026-01-01.html"])
    assert {row[1] for row in day[1:]} == {
        "alone (Dragonkrak)",
        "heart (Dragonheart, Kosmos edition)",
        "three (Dragonrealm)",
    }
    assert {row[3] for row in day if row[1] == "alone (Dragonkrak)"} == {"3"}

    def opened() -> set[str]:
        games = (document(data) for name, data in tree(site).items() if name.startswith("games/"))
        return {game["game"]["discipline"] for game in games}

    assert opened() == {"heart", "three"}
    check_links(site)
    made.publish()
    build(made, site)
    assert opened() == {"heart", "three", "alone"}
    check_links(site)


def test_a_run_that_everybody_plays_alone(tmp_path: Path) -> None:
    own = Discipline("alone", rules_spec("dragonkrak", 1), NAMES, Schedule(deals=6))
    made = Competition(tmp_path / "cup", (), disciplines=[own])
    made.play(every=DAY // 10)
    made.publish()
    site = tmp_path / "site"
    build(made, site)
    assert "Over time" in (site / "bots/anna.html").read_text()
    assert len(json.loads((site / "ratings.json").read_bytes())["marks"]) == 3
    assert not (site / "bots/anna.html").read_text().count("Opponents")
    check_links(site)


def test_versions_have_one_row_and_are_compared(tmp_path: Path) -> None:
    made = Competition(tmp_path / "cup", NAMES[:3], deals=6)
    made.play(STRENGTH)
    made.change(made.version("anna@2", "other"), ["anna", "carla"], [("anna@2", "berta")])
    made.play({**STRENGTH, "anna@2": 150.0})
    site = tmp_path / "site"
    build(made, site)
    names = [row[1] for row in cells((site / "index.html").read_bytes())[1:3]]
    assert sorted(names) == ["anna@2", "berta"]
    index = (site / "index.html").read_text()
    assert "Not in the table" in index
    assert "plays no more; its games stand" in index
    page = (site / "bots/anna.html").read_bytes()
    first = next(row for row in cells(page) if row[0] == "anna@2")
    assert re.match(r"[+-]\d+", first[4])
    assert "against the one before" in page.decode()
    assert not (site / "bots/anna@2.html").exists()
    titles = [e.findtext(f"{ATOM}title") for e in entries(site)]
    assert "anna@2 enters" in titles
    assert "carla plays no more" in titles
    assert "Round 1 has ended" not in titles  # games of both rounds are played in any order
    check_links(site)


@by_rounds
def test_a_version_that_returns_has_its_own_stretches(tmp_path: Path) -> None:
    made = Competition(tmp_path / "cup", ("anna", "berta"), rounds=9, deals=4)
    strength = {"anna": 0.0, "anna@2": 400.0, "berta": 0.0}
    plays = "anna"
    for number in range(9):
        if number in (3, 6):
            now, before = ("anna@2", "anna") if number == 3 else ("anna", "anna@2")
            digest = "other" if number == 3 else ENTRANT.digest
            made.change(made.version(now, digest), [before])
            plays = now
        made.round([(plays, "berta")])
        made.play(strength)
    site = model.Site(StoredRun(made.folder), extremes=0, costs=False, known=())
    there = {mark.after: site.field.there(mark.after) for mark in site.marks}
    assert [("anna" in own, "anna@2" in own) for own in there.values()] == [
        *[(True, False)] * 3,
        *[(False, True)] * 3,
        *[(True, False)] * 3,
    ]
    player = site.players["anna"]
    assert player.newest == "anna"
    stretches = list(pages._curves(site, player))
    assert [number for number, _ in stretches] == [0, 1, 0]
    assert [[time for time, _ in points] for _, points in stretches] == [
        [1.0, 2.0, 3.0],
        [3.0, 4.0, 5.0, 6.0],
        [6.0, 7.0, 8.0, 9.0],
    ]
    assert site.base is not None
    assert site.base.after == 4
    now, then = site.marks[-1].values["anna"][0], site.base.values["anna@2"][0]
    assert site.trend(player) == now - then


@by_rounds
def test_who_was_withdrawn_does_not_enter_again(tmp_path: Path) -> None:
    made = Competition(tmp_path / "cup", NAMES, rounds=3, deals=12)
    made.round([("anna", "berta"), ("carla", "dora")])
    made.play(STRENGTH, faults={"dora": FaultKind.CRASH})
    made.change({}, ["anna", "dora"])
    made.change({**made.version("dora", ENTRANT.digest), **made.version("anna", ENTRANT.digest)})
    build(made, tmp_path / "site")
    titles = [e.findtext(f"{ATOM}title") for e in entries(tmp_path / "site")]
    assert "anna enters" in titles  # alone
    assert "dora" in StoredRun(made.folder).withdrawals().withdrawn


@by_rounds
def test_all_count_the_same_games(tmp_path: Path) -> None:
    made = Competition(tmp_path / "cup", NAMES, rounds=3, deals=12)
    made.round([("anna", "berta"), ("carla", "dora")])
    made.play(STRENGTH, faults={"dora": FaultKind.CRASH})
    made.round([("anna", "carla")], byes=["berta"])
    made.play(STRENGTH, most=6)
    run = StoredRun(made.folder)
    site = model.Site(run, extremes=0, costs=False, known=())
    section = table_of(run).sections[-1]
    counting = sum(row.games for row in section.standings.rows) // 2
    stored = len(list(run.games()))
    assert (counting, section.games.planned) == (24 + 6, 24 + 24)
    assert f"{counting} of {section.games.planned} games played so far" in section.notices
    words = f"{counting} of {section.games.planned}, and {stored - counting} that do not count"
    build(made, tmp_path / "site")
    assert f">{words}<" in (tmp_path / "site/index.html").read_text()
    facts = {each.label: each.value for each in head_facts(site)}
    assert facts["games"] == words
    assert sum(step.count.counting for step in site.gathered.by_step.values()) == counting
    assert sum(step.count.stored for step in site.gathered.by_step.values()) == stored
    rows = {row.name: row.games for row in section.standings.rows}
    for page in pages.site_bots(site, lambda _: "", costs=False):
        own = rows.get(page.title, 0)
        (games,) = (each.value for each in page.facts if each.label == "games")
        assert games.split(",")[0] == str(own)
        met = [block.tables[0] for block in page.blocks if block.key == "opponents"]
        assert sum(cell for table in met for cell in table.columns[1].cells) == own


@pytest.mark.parametrize("extremes", [0, 1, 2, 3, 5])
def test_as_many_of_the_widest_margins_are_kept_as_wanted(league, extremes) -> None:
    run = StoredRun(league.folder)
    site = model.Site(run, extremes=extremes, costs=False, known=())
    for name, own in site.gathered.bots.items():
        margins = []
        for game in run.games():
            if name in (names := game.result.spec.entrants):
                margins.append(game.result.margins(less_is_better=False)[names.index(name)])
        for kept, sign in ((own.best, 1), (own.worst, -1)):
            wide = sorted(sign * margin for margin in margins if sign * margin > 0)
            assert [margin for margin, *_ in kept] == wide[max(0, len(wide) - extremes) :]


@by_rounds
def test_round_pages_lead_to_their_games(cup: Competition, tmp_path: Path) -> None:
    build(cup, tmp_path / "site")
    files = tree(tmp_path / "site")
    linked = set()
    for number in (1, 2, 3):
        page = files[f"rounds/{number}.html"]
        own = {address.removeprefix("../") for address in Reader(page).links}
        for name in own & files.keys():
            if name.startswith("games/"):
                assert f"/round{number}/" in document(files[name])["game"]["id"]
                linked.add(name)
    assert linked == {name for name in files if name.startswith("games/")}
    check_links(tmp_path / "site")


@by_rounds
def test_points_decide_who_leads_and_not_the_rating(tmp_path: Path) -> None:
    made = Competition(tmp_path / "cup", NAMES, rounds=2, deals=1)
    made.round([("anna", "berta"), ("carla", "dora")])
    made.play({"anna": 3000.0, "carla": 3000.0})
    made.round([("anna", "carla"), ("berta", "dora")])
    made.play({"anna": 3000.0, "carla": -3000.0, "berta": 3000.0})
    made.finish()
    made.publish()
    build(made, tmp_path / "site")
    index = (tmp_path / "site/index.html").read_text()
    assert {"anna wins", "With 2 points."} <= {*Reader(index.encode()).texts}
    titles = [e.findtext(f"{ATOM}title") for e in entries(tmp_path / "site")]
    assert "anna wins" in titles
    assert not {"highest rating", "highest rating after it"} & set(Reader(index.encode()).texts)


def entries(site: Path) -> list[ET.Element]:
    return ET.fromstring((site / "feed.xml").read_bytes()).findall(f"{ATOM}entry")


@by_rounds
def test_rounds_of_one_second_are_told_in_their_order(tmp_path: Path) -> None:
    made = Competition(tmp_path / "cup", NAMES[:2], rounds=11, deals=1)
    for _ in range(11):
        made.round([("anna", "berta")])
        made.play(STRENGTH, every=0)
    made.finish()
    made.publish()
    build(made, tmp_path / "site")
    titles = [e.findtext(f"{ATOM}title") or "" for e in entries(tmp_path / "site")]
    told = [title for title in titles if title.endswith(" has ended")]
    assert told == [f"Round {number} has ended" for number in range(11, 0, -1)]


@by_rounds
def test_the_feed_tells_nothing_twice_and_dates_are_the_runs(cup, tmp_path) -> None:
    site = tmp_path / "site"
    build(cup, site)
    before = {e.findtext(f"{ATOM}id"): e.findtext(f"{ATOM}updated") for e in entries(site)}
    cup.finish()
    cup.publish()
    build(cup, site, url="https://example.org/cup")
    after = {e.findtext(f"{ATOM}id"): e.findtext(f"{ATOM}updated") for e in entries(site)}
    assert before.items() <= after.items()
    assert len(after) > len(before)
    assert {when[:7] for when in after.values() if when} <= {"2000-01", "2026-01"}
    titles = [e.findtext(f"{ATOM}title") for e in entries(site)]
    assert titles.count("Round 3 has ended") == 1
    links = [e.find(f"{ATOM}link") for e in entries(site)]
    assert all(
        link is not None and link.get("href", "").startswith("https://example.org/cup/")
        for link in links
    )


def test_costs_are_told_only_where_they_shall_be(league: Competition, tmp_path: Path) -> None:
    build(league, tmp_path / "without", games=0)
    build(league, tmp_path / "costs", games=0, costs=True)
    assert "cpu ms/game" not in whole(tmp_path / "without")
    assert "cpu ms/game" in (tmp_path / "costs/bots/anna.html").read_text()


def test_a_competition_before_its_first_game(tmp_path: Path) -> None:
    made = Competition(tmp_path / "cup", NAMES, deals=1)
    built = build(made, tmp_path / "site")
    assert (built.counts.games, built.counts.opened) == (0, 0)
    check_links(tmp_path / "site")


def test_a_game_with_a_damaged_record_is_not_linked(league: Competition, tmp_path: Path) -> None:
    (league.folder / RECORDS).write_bytes(b"nothing")
    built = build(league, tmp_path / "site")
    assert built.counts.opened == 0
    assert len(built.damaged) > 5
    check_links(tmp_path / "site")


@by_rounds
def test_many_bots_and_rounds_are_cut_into_pages(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("arena.extensions.browser.site.standings.ROWS", 4)
    monkeypatch.setattr("arena.extensions.browser.site.rounds.ROWS", 2)
    monkeypatch.setattr("arena.extensions.browser.site.rounds.LISTED", 2)
    monkeypatch.setattr("arena.extensions.browser.site.history.MOST", 2)
    made, *_ = swiss(tmp_path / "cup", 10, 5, 1)
    site = tmp_path / "site"
    build(made, site)
    files = tree(site)
    assert {"places-2.html", "places-3.html", "rounds/index-3.html", "rounds/5-part-3.html"} <= {
        *files
    }
    assert len(json.loads(files["ratings.json"])["marks"]) <= 3
    parts = [files[name] for name in ("index.html", "places-2.html", "places-3.html")]
    for title in ("Places after", "Standings by rating"):
        tables = [re.split("<section", page.decode()) for page in parts]
        own = [next(block for block in table if title in block) for table in tables]
        names = [row[1] for block in own for row in cells(block.encode())[1:]]
        assert sorted(names) == [f"bot-{k:04}" for k in range(10)]
    check_links(site)


@by_rounds
def test_folders_that_are_not_ours_are_refused(cup: Competition, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full/letter.txt").write_text("dear")
    (tmp_path / "file").write_text("")
    (tmp_path / "strange").mkdir()
    (tmp_path / "strange/site.json").write_text('{"schema": "x", "run": "", "files": {}}')
    (tmp_path / "outside").mkdir()
    listed = {"schema": "arena.site/1", "run": "", "files": {"../full/letter.txt": ""}}
    (tmp_path / "outside/site.json").write_text(json.dumps(listed))
    for name, why in {
        "full": "holds something else than a site",
        "file": "is no folder",
        "strange": "something else than the list of a site",
        "outside": "something else than the list of a site",
    }.items():
        with pytest.raises(BadInput, match=why):
            build(cup, tmp_path / name)
    assert tree(tmp_path / "full") == {"letter.txt": b"dear"}
    build(cup, tmp_path / "no/where")
    assert (tmp_path / "no/where/index.html").is_file()
    with pytest.raises(StoreError, match=r"letter\.txt/site.* cannot be written: Not a directory"):
        build(cup, tmp_path / "full/letter.txt/site")
    build(cup, tmp_path / "site")
    other = Competition(tmp_path / "other", NAMES, deals=1)
    text = (other.folder / "run.json").read_text().replace("c0ffee", "decaf0")
    (other.folder / "run.json").write_text(text)
    with pytest.raises(BadInput, match="the site of another run"):
        build(other, tmp_path / "site")


@by_rounds
def test_who_is_interrupted_goes_on(cup, tmp_path, monkeypatch) -> None:
    site = tmp_path / "site"

    def stop(done: int, wanted: int) -> None:
        if done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_site(StoredRun(cup.folder), site, Options(), step=stop)
    assert len([name for name in tree(site) if name.startswith("games/")]) == 5
    built = build(cup, site)
    build(cup, tmp_path / "again")
    assert tree(site) == tree(tmp_path / "again")
    assert built.files.written == built.files.files - 5 - 4  # games and assets


@by_rounds
def test_a_full_disk_is_told(cup, tmp_path, monkeypatch) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(StoreError, match="cannot be written: No space left"):
        build(cup, tmp_path / "site")


@by_rounds
@pytest.mark.slow
@pytest.mark.process
def test_stages_have_a_bracket_and_their_rounds(tmp_path: Path) -> None:
    for name in NAMES:
        bot(tmp_path, name)
    entrants = "".join(f"  - bot: {name}\n" for name in NAMES)
    stages = "[{kind: swiss, rounds: 1, deals: 1}, {kind: knockout, deals: 1}]"
    (tmp_path / "cup.yaml").write_text(
        f"arena: 1\nname: cup\ngame: dragonheart\nseed: 1\n"
        f"schedule: {{kind: stages, stages: {stages}}}\nentrants:\n{entrants}"
    )
    assert arena(tmp_path, "run", "cup.yaml", "-q").code == 0
    done = arena(tmp_path, "site", "runs/cup", "site")
    assert (done.code, done.err) == (0, "")
    site = tmp_path / "site"
    index = (site / "index.html").read_text()
    assert "Stage 2, knockout: bracket" in index
    assert 'class="r-bracket"' in index
    assert "Stage 1, swiss: places" in index
    terms = (
        "swiss, 1 round, 1 deal in all rotations of seats; then knockout, 1 deal in all rotations"
    )
    assert terms in (site / "about.html").read_text()
    listed = (site / "rounds/index.html").read_text()
    for called in ("Round 1: swiss<", "Round 2: ", "final"):
        assert called in listed
    assert cells((site / "rounds/1.html").read_bytes())[0] == [
        "bots",
        "points",
        "points of games",
        "games",
        "watch",
    ]
    second = ["bots", "points of games", "games", "watch"]
    assert cells((site / "rounds/2.html").read_bytes())[0] == second
    check_links(site)
