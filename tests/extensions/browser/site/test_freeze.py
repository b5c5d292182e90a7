"""A site that is frozen at the end of a round, and tables as of a round."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.extensions.browser.site.write import Options, write_site
from arena.runs.growth.past import as_of
from arena.runs.reader import StoredRun
from tests.cli.shell import arena
from tests.extensions.browser.site.competitions import Competition, swiss

pytestmark = pytest.mark.extensions("rounds")


def test_a_frozen_site_is_the_site_of_then(tmp_path) -> None:
    made, order, strength = swiss(tmp_path / "cup", 4, 2, 2, planned=5)
    run = StoredRun(made.folder)
    last = written(as_of(run, 2, "--until"), tmp_path / "site", until=2)
    assert last | {"site.json": b""} == written(run, tmp_path / "then") | {"site.json": b""}
    made.round(next(order))
    made.play(strength, most=3)
    run = StoredRun(made.folder)
    now = written(as_of(run, 2, "--until"), tmp_path / "site", until=2)
    frozen = b"Frozen: as it was when round 2 had ended."
    assert frozen in now["index.html"]
    assert {name for name in now if now[name] != last.get(name)} == {"index.html", "site.json"}
    assert [*now] == [*last]


def written(run: StoredRun, target: Path, until: int | None = None) -> dict[str, bytes]:
    write_site(run, target, Options(games=1, until=until))
    files = sorted(path for path in target.rglob("*") if path.is_file())
    return {str(path.relative_to(target)): path.read_bytes() for path in files}


def test_what_has_no_such_round(tmp_path) -> None:
    made, *_ = swiss(tmp_path / "cup", 4, 2, 2, planned=2)
    made.finish()
    league = Competition(tmp_path / "league", ("anna", "berta"))
    cases = {
        (made.folder, "3"): "--round: found 3, expected one of the rounds 1 to 2",
        (made.folder, "0"): "--round",
        (league.folder, "1"): "--round: found a run whose schedule is known before play",
    }
    for (folder, number), expected in cases.items():
        done = arena(tmp_path, "standings", str(folder), "--round", number)
        assert (done.code, expected in done.err) == (2, True), done.err
    both = arena(tmp_path, "standings", str(made.folder), str(league.folder), "--round", "1")
    assert (both.code, "one run" in both.err) == (2, True)
    report = arena(tmp_path, "standings", str(made.folder), "--round", "1", "--format", "trf").out
    played = [line for line in report.splitlines() if line.startswith("001")]
    assert [len(line.split()) for line in played] == [8] * 4, report
