"""Every view shows a bot by its title, made safe; files, JSON, CSV and commands by its name."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

import pytest

from tests.cli.shell import BOT, arena

pytestmark = [
    pytest.mark.slow,
    pytest.mark.process,
    pytest.mark.timeout(600),
    pytest.mark.extensions("games", "rounds", "rulings", "studies"),
]

TITLES: Final = {
    "zq1": '日本 <b>&"x"',
    "zq2": "אבגד הוזח",
    "zq3": "Ann_a *B*",
    "zq4": "@crash |x|",
}
NAME: Final = re.compile(r"zq\d")
ID: Final = re.compile(r"\S*[/+]\S*")
"""Ids of games, files and addresses, in which bots have their names."""
CODE: Final = re.compile("```text\n.*?\n```", re.DOTALL)
"""Drawings in Markdown, which are shown as they are."""
KINDS: Final = {
    "league": ("{deals: 1}", "ranking: {points: {win: 3, draw: 1}}"),
    "stages": ("{stages: [{kind: swiss, rounds: 2, deals: 1}, {kind: knockout, deals: 1}]}", ""),
    "ladder": ("{kind: ladder, rounds: 4, deals: 1}", ""),
}


def cup(folder: Path, schedule: str, more: str) -> Path:
    for name in TITLES:
        (folder / name).mkdir()
        program = 'raise SystemExit("no")' if name == "zq4" else BOT
        (folder / name / "main.py").write_text(program)
    entrants = "".join(
        f"  - {{command: [python3, main.py], cwd: {name}, name: {name}, "
        f"title: {json.dumps(title)}}}\n"
        for name, title in TITLES.items()
    )
    path = folder / "cup.yaml"
    head = f"arena: 1\ngame: dragonheart\nseed: 1\nschedule: {schedule}\n{more}\n"
    path.write_text(f"{head}entrants:\n{entrants}")
    return path


class _Texts(HTMLParser):
    """The texts and captions of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden += tag in ("script", "style")
        assert tag != "b", "a title became a tag"
        self.found += [value or "" for key, value in attrs if key in ("title", "aria-label")]

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in ("script", "style")

    def handle_data(self, data: str) -> None:
        self.found += [] if self._hidden else [data]


def named(text: str) -> list[str]:
    """The lines that have a name where no id, file or address is."""
    return [line for line in text.splitlines() if NAME.search(ID.sub("", line))]


def pages(folder: Path) -> Iterator[tuple[Path, str]]:
    for path in sorted(folder.rglob("*.html")):
        page = _Texts()
        page.feed(path.read_text())
        yield path, "\n".join(page.found)


@pytest.mark.parametrize("kind", KINDS)
def test_every_view_shows_the_title_and_documents_the_name(tmp_path: Path, kind: str) -> None:
    path, run = cup(tmp_path, *KINDS[kind]), "runs/cup"
    done = arena(tmp_path, "run", path)
    assert done.code == 0, done.err
    texts = {"run": done.out + done.err}
    ruled = ("disqualify", "zq3", "--from-now", "--reason", "late", "--author", "Ann")
    assert arena(tmp_path, "ruling", run, *ruled).code == 0
    done = arena(tmp_path, "run", path)
    texts["run again"] = done.out + done.err
    assert f"{TITLES['zq3']} is disqualified" in done.out
    rows = [line for line in done.out.splitlines() if TITLES["zq3"] in line]
    assert any(line.split()[-1] == "disqualified" for line in rows)
    for words in (
        ("standings", run), ("standings", run, "--full"), ("games", run), ("replay", run, "1"),
        ("watch", run, "--once"), ("verify", run), ("unveil", run, "--text"),
    ):  # fmt: skip
        texts[" ".join(words)] = arena(tmp_path, *words).out
    for words, text in texts.items():
        assert named(text) == [], words
        assert TITLES["zq1"] in text or words.startswith(("verify", "replay")), words
    for words in (("standings", run), ("standings", run, "--full"), ("games", run)):
        markdown = arena(tmp_path, *words, "--format", "md").out
        assert named(markdown) == [], words
        assert '日本 &lt;b&gt;&amp;"x"' in markdown
        assert r"Ann\_a \*B\*" in markdown
        assert "<b>" not in CODE.sub("", markdown)
    for words in (
        ("report", run), ("site", run, "public"), ("unveil", run, "--output", "unveiled.html"),
        ("replay", run, "1", "--html", "--output", "game.html"),
    ):  # fmt: skip
        shown = arena(tmp_path, *words)
        assert shown.code == 0, shown.err
    seen = dict(pages(tmp_path))
    assert len(seen) >= 20
    for page, text in seen.items():
        assert named(text) == [], page
    everything = "".join(seen.values())
    assert all(title in everything for title in TITLES.values())
    assert (tmp_path / "public/bots/zq1.html").exists()

    found = json.loads((tmp_path / run / "standings.json").read_text())["tables"][-1]
    rated = {row["name"] for row in found["data"]["rows"]}
    assert rated | {each["name"] for each in found["withdrawn"]} <= TITLES.keys()
    rows = csv.DictReader(io.StringIO((tmp_path / run / "standings.csv").read_text()))
    gone = {"zq3"} if kind == "ladder" else set()  # it has a table of its own
    assert {row["name"] for row in rows} == TITLES.keys() - gone
    listed = json.loads(arena(tmp_path, "games", run, "--bot", "zq1", "--json").out)
    assert {seat["bot"] for game in listed["data"]["games"] for seat in game["seats"]} <= {*TITLES}
    again = path.read_text().replace("Ann_a *B*", "Änne")
    path.write_text(again)
    assert arena(tmp_path, "run", path).out == done.out, "a run keeps the titles it began with"
