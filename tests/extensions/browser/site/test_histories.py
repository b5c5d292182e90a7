"""Every form of runs with all that can happen to them: nothing fails, and all name one leader.

What the feed of a site says once, it says for good.
"""

from __future__ import annotations

import json
import re
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.extensions.browser.page.games import parse_wanted
from arena.extensions.browser.page.render import html
from arena.extensions.browser.page.report import RunReport
from arena.extensions.browser.site.feed import ENTRIES
from arena.extensions.browser.site.write import Options, write_site
from arena.runs.manifest import is_run
from arena.runs.reader import StoredRun
from arena.views.standings.measured import full_section
from arena.views.standings.standings import FORMS, StandingsTable, parts_of, render, table_of
from tests.rows import some
from tests.tournament.test_histories import KINDS, History
from tests.views.standings.leads import heading_of, leaders, leaders_in

pytestmark = pytest.mark.slow

ATOM = "{http://www.w3.org/2005/Atom}"


def first_of(run: StoredRun, found: dict[str, Any]) -> list[str]:
    """Who leads or has won, by the numbers that JSON has. ``found``: the table."""
    panels = found.get("panels", {})
    key = next((key for key in panels if re.fullmatch(r"(rounds|knockout)(_\d)?", key)), "")
    if key.startswith("rounds"):
        return [row["name"] for row in panels[key]["places"][:1] if panels[key]["over"]]
    if key.startswith("knockout"):
        winner, said = panels[key]["winner"], list[str]()
        if run.manifest.is_over:
            kind, change = run.manifest.kind, run.manifest.changes[-1]
            said = [*kind.round_lines(run.manifest.field, change.follows, {})]
        won = [line.removesuffix(" wins") for line in said if line.endswith(" wins")]
        assert won in ([], [winner])
        return [] if winner is None else [winner]
    if "groups_A" in panels:
        return []  # each group has a leader of its own
    return [row["name"] for row in found["data"]["rows"] if row["rank"] == 1 and row["elo"]]


def check(run: StoredRun, target: Path, written: dict[str, bytes]) -> None:
    """``written``: all entries of feeds so far."""
    table = table_of(run)
    full = StandingsTable("cup", tuple(full_section(part) for part in parts_of(run)))
    for form in FORMS:
        assert render(table, form)
        assert render(full, form)
    (found,) = json.loads(render(table, "json"))["tables"]
    names = first_of(run, found)
    left = run.manifest.field.left
    assert not any(row["rank"] for row in found["data"]["rows"] if row["name"] in left)
    page = RunReport(run, parse_wanted("none"), is_public=False).page("", lambda rank: 0)
    shown = leaders(names) if names else ""
    assert leaders_in(heading_of(html(page, {}))) == shown
    built = write_site(run, target, Options(games=0))
    feed = ET.fromstring((target / "feed.xml").read_bytes()).findall(f"{ATOM}entry")
    now = {each.findtext(f"{ATOM}id") or "": ET.tostring(each) for each in feed}
    if len(now) < ENTRIES:
        assert written.items() <= now.items()
    written |= now
    if built.counts.held_back:
        return  # deals that were cut off count in the terminal, and not for everybody
    index = (target / "index.html").read_text()
    assert leaders_in(heading_of(index)) == shown
    titles = [each.findtext(f"{ATOM}title") or "" for each in feed]
    leads = [*filter(None, map(leaders_in, titles))]
    if run.manifest.is_over and run.is_opened and names:
        assert leads[0] == leaders(names)
    rounds = (target / "rounds/index.html").read_text()
    called = re.findall(r">Round \d+: ([^<]*)<", rounds)
    knockout = [name for name in called if "final" in name or "place" in name]
    assert len(set(knockout)) == len(knockout), called


@pytest.mark.usefixtures("empty_records")
@pytest.mark.parametrize("kind", some([*KINDS], every=4))
@given(seed=st.integers(0, 2**32))
@settings(max_examples=2, deadline=None)
def test_all_forms_of_a_run_agree(kind, seed, tmp_path_factory) -> None:
    history = History(tmp_path_factory.mktemp(kind), kind, seed)
    target, written = history.folder / "site", dict[str, bytes]()
    for _ in range(4):
        is_over = history.play(2, history.chance.choice([0, 0, 0.05]))
        if is_run(history.folder / "run"):
            check(StoredRun(history.folder / "run"), target, written)
        if is_over:
            break
    again = history.folder / "again"
    shutil.rmtree(again, ignore_errors=True)
    write_site(StoredRun(history.folder / "run"), again, Options(games=0))
    for name in (path.relative_to(again) for path in again.rglob("*.html")):
        assert (again / name).read_bytes() == (target / name).read_bytes()
