"""All forms in which a ladder is shown: terminal, full page, report, site, feed, table, packs."""

from __future__ import annotations

import json
import random
import re
import shutil
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path

import pytest

from arena.extensions.browser.page.games import parse_wanted
from arena.extensions.browser.page.render import html
from arena.extensions.browser.page.report import RunReport
from arena.extensions.browser.site.feed import ENTRIES
from arena.extensions.browser.site.write import Options, write_site
from arena.runs.reader import StoredRun, with_authors
from arena.values import clean
from arena.views.standings.measured import full_section
from arena.views.standings.standings import FORMS, StandingsTable, parts_of, render, table_of
from tests.cli.shell import arena
from tests.extensions.ladder.ladders import Dealt, World, dated, ladder, made, submit, table
from tests.rows import some
from tests.views.standings.leads import heading_of, leaders, leaders_in


def changed(folder: Path) -> World:
    """Make a ladder in which a bot has left and another one has a new version."""
    world = made(folder, "budget: {games: 24}")
    for author in ("anna", "bert", "carl"):
        submit(world.folder, author, "x", 1100 + ord(author[0]))
    world.keep(once=True)
    submit(world.folder, "anna", "x", 1300)
    shutil.rmtree(world.folder / "submissions" / "bert" / "x")
    world.clock.next_day()
    world.keep(once=True)
    return world


@pytest.mark.extensions("studies")
def test_the_full_page_is_of_those_in_the_table(tmp_path: Path) -> None:
    run = StoredRun(changed(tmp_path).folder / "run")
    table = StandingsTable("l", tuple(full_section(part) for part in parts_of(run)))
    for form in FORMS:
        assert render(table, form)
    (found,) = json.loads(render(table, "json"))["tables"]
    names = {row["name"] for row in found["data"]["rows"]}
    assert names == {"rock", "sand", "anna.x@2", "carl.x"}
    panels = found["panels"]
    assert {row["name"] for row in panels["gone"]} == {"anna.x", "bert.x"}
    for key in ("crosstable", "differences", "ranks", "seats"):
        assert {row["name"] for row in panels[key]} <= names, key
    assert sorted(row["rank"] for row in panels["ranks"]) == [1, 2, 3, 4]


def test_pages_of_a_ladder_rate_retired_versions_and_give_no_points(tmp_path: Path) -> None:
    world = changed(tmp_path)
    write_site(with_authors(world.folder / "run"), tmp_path / "site", Options(games=0))
    page = (tmp_path / "site/bots/anna.x.html").read_text()
    row = re.search(r"<th[^>]*>anna.x</th>(.*?)</tr>", page, re.DOTALL)
    assert row is not None
    assert re.search(r">\d{3,4}</td>", row[1])
    rounds = [each.read_text() for each in (tmp_path / "site/rounds").glob("?.html")]
    assert not any(">points<" in each or ">bye<" in each for each in rounds)
    assert any(">sits out<" in each for each in rounds)


def test_packs_have_the_games_whose_records_are_kept(tmp_path, monkeypatch) -> None:
    world = Dealt(ladder(tmp_path / "l", "budget: {games: 24}\nkeep: 1 d"))
    dated(world, monkeypatch)
    submit(world.folder, "anna", "x", 1200)
    for _ in range(3):
        world.keep(once=True)
        world.clock.next_day()
    run = StoredRun(world.folder / "run")
    gone = [game for game in run.games() if run.is_expired(game.stored.record)]
    assert gone
    for asked in (["--public"], ["--for", "anna.x"], ["--proof"]):
        done = arena(tmp_path, "export", "l", *asked, "-o", asked[0].strip("-"))
        assert done.code == 0, done
        why = "no records any more: this run keeps none of games before 2030-01-02"
        assert (why in done.err) == (asked != ["--proof"])
    manifest = json.loads((tmp_path / "public" / "manifest.json").read_text())
    assert (manifest["games"], manifest["expired"]) == (world.games - len(gone), len(gone))
    assert len((tmp_path / "public" / "games.jsonl").read_text().splitlines()) == manifest["games"]


ATOM = "{http://www.w3.org/2005/Atom}"


class History:
    """A ladder to which something happens on each day."""

    def __init__(self, folder: Path, seed: int) -> None:
        more = "budget: {games: 30}\nkeep: 3 d\nbreaker: {faults: 50 %, after: 8}"
        self.world = made(folder, more)
        self.luck = random.Random(seed)
        self.old: dict[tuple[str, str], list[Path]] = {}
        """By bot, copies of all its versions."""
        self.site = folder / "site"
        self.feed: dict[str, str] = {}
        """Titles by id."""
        self._copies = folder / "copies"

    def day(self) -> None:
        """Let authors do something, and play."""
        for _ in range(self.luck.choice((0, 1, 1, 2, 3))):
            self.luck.choice((self.enter, self.enter, self.leave, self.put_back, self.rename))()
        self.world.keep(once=True)
        self.world.clock.next_day()

    def enter(self) -> None:
        """Submit a new bot or a new version."""
        author, name = self.luck.choice("abc"), self.luck.choice("xy")
        faults = self.luck.choice((0.0, 0.0, 0.1, 0.9))
        found = submit(self.world.folder, author, name, self.luck.randrange(700, 1500), faults)
        (found.parent / "author.yaml").write_text(f"place: {self.luck.choice('xy')}\n")
        copies = self.old.setdefault((author, name), [])
        copies.append(self._copies / f"{author}{name}{len(copies)}")
        shutil.copytree(found, copies[-1])

    def _there(self) -> Sequence[Path]:
        return sorted(self.world.folder.glob("submissions/*/*/"))

    def leave(self) -> None:
        """Take a bot away."""
        if there := self._there():
            shutil.rmtree(self.luck.choice(there))

    def put_back(self) -> None:
        """Submit an old version again."""
        if self.old:
            author, name = self.luck.choice(sorted(self.old))
            target = self.world.folder / "submissions" / author / name
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(self.luck.choice(self.old[author, name]), target)

    def rename(self) -> None:
        """Call a bot by another name."""
        if there := self._there():
            found = self.luck.choice(there)
            target = found.with_name(self.luck.choice("xyz"))
            if not target.exists():
                found.rename(target)
                (target / "notes").write_text(f"now {target.name} {self.luck.random()}\n")


def check_forms(own: History) -> None:
    """Every form names the same leader, and gives the same bots the same places."""
    world = own.world
    stored = json.loads((world.folder / "table.json").read_text())["data"]
    rows = table(world)
    places = {name: row["place"] for name, row in rows.items() if row["state"] != "broken"}
    names = sorted(name for name, place in places.items() if place == 1)
    headline = stored["headline"]
    assert (sorted(headline["names"]) if headline else []) == names
    run = with_authors(world.folder / "run")
    assert places.keys() - set(run.manifest.entrants) == set()  # nobody waits
    (section,) = table_of(run).sections
    words, marked = "", ""
    if section.headline is not None:
        words, marked = section.headline.words(), clean.markdown(section.headline.words())
    ranks = {row.name: row.rank for row in section.standings.rows}
    assert ranks == {name: place for name, place in places.items() if name in ranks}
    assert words in (world.folder / "table.txt").read_text().splitlines()[0]
    assert words in (world.folder / "table.html").read_text()
    assert marked in (world.folder / "table.md").read_text()
    full = StandingsTable("l", tuple(full_section(part) for part in parts_of(run)))
    for form in FORMS:
        assert render(full, form)
    draft = RunReport(run, parse_wanted("none"), is_public=False)
    assert leaders_in(heading_of(html(draft.page("", lambda rank: 0), {}))) == (
        leaders(names) if names else ""
    )
    check_site(own, places, names)


def check_site(own: History, places: dict[str, int | None], names: Sequence[str]) -> None:
    write_site(with_authors(own.world.folder / "run"), own.site, Options(games=0))
    index = (own.site / "index.html").read_text()
    assert leaders_in(heading_of(index)) == (leaders(names) if names else "")
    board = index.split('class="r-standings"')[1].split("</table>")[0]
    shown = re.findall(r"<tr>\s*<t[dh][^>]*>(\d*)</t[dh]>.*?>([\w.@]+)</a>", board, re.DOTALL)
    assert {name: int(place) if place else None for place, name in shown} == places
    entries = ET.fromstring((own.site / "feed.xml").read_bytes()).findall(f"{ATOM}entry")
    titles = [each.findtext(f"{ATOM}title") or "" for each in entries]
    leads = [title for title in titles if leaders_in(title)]
    if names and (leads or len(titles) < ENTRIES):  # of nobody in the lead there is no news
        assert leaders_in(leads[0]) == leaders(names)
    news = {
        each.findtext(f"{ATOM}id") or "": title for each, title in zip(entries, titles, strict=True)
    }
    assert {key: news[key] for key in own.feed.keys() & news.keys()} == {
        key: title for key, title in own.feed.items() if key in news
    }
    own.feed = news


@pytest.mark.soak
@pytest.mark.slow
@pytest.mark.parametrize("seed", some(range(20), every=20))
def test_all_forms_of_a_ladder_agree(tmp_path, monkeypatch, seed) -> None:
    own = History(tmp_path, seed)
    dated(own.world, monkeypatch)
    own.enter()
    for _ in range(14):
        own.day()
        check_forms(own)
