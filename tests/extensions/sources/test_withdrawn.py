"""An organiser whose bots cannot all be built: what ``arena run`` reports, withdraws and keeps."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.cli.shell import arena, bot

pytestmark = [pytest.mark.slow, pytest.mark.process]

BUILD = """[[sh, -c, "echo no luck; test -e {mended}"]]"""
REASON = "could not be built: build command 'sh -c"


@pytest.fixture
def mended() -> Iterator[Path]:
    """A file that is not there yet, in a folder that the processes of builds can read."""
    with TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield Path(folder, "mended")


@pytest.fixture
def cup(tmp_path: Path, mended: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tournament of three bots, of which berta can only be built when ``mended`` is there."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    bot(tmp_path, "anna")
    bot(tmp_path, "berta", build=BUILD.format(mended=mended))
    bot(tmp_path, "carl", build="[[sh, -c, 'touch built']]")
    path = tmp_path / "cup.yaml"
    path.write_text(
        "arena: 1\ngame: dragonheart\nseed: 1\nisolation: none\nschedule: {deals: 2}\n"
        "execution: {workers: 2}\non_build_failure: withdraw\n"
        "entrants: [{bot: anna}, {bot: berta}, {bot: carl}]\n"
    )
    return path


def test_a_bot_that_cannot_be_built_is_withdrawn_for_good(cup: Path, mended: Path) -> None:
    here, run = cup.parent, cup.parent / "runs" / "cup"
    done = arena(here, "run", cup)
    assert done.code == 0, done.err
    assert f"berta: withdrawn: {REASON}" in done.out
    built = [line for line in done.err.splitlines() if line.startswith("building")]
    assert built == ["building 1/2 berta", "building 2/2 carl"]
    assert "no luck" in done.err
    assert "no luck" in (run / "logs" / "berta.build").read_text()
    assert "of the 12 planned" in done.err
    assert "4/4  100%" in done.err
    assert not (run / "live.json").exists()
    mended.touch()  # what was withdrawn stays so, here and after a kill
    lines = (run / "games.jsonl").read_text().splitlines(keepends=True)
    (run / "games.jsonl").write_text("".join(lines[:1]))
    again = arena(here, "run", run)
    assert (again.code, again.out) == (0, done.out), again.err
    assert "building" not in again.err
    verified = arena(here, "verify", run)
    assert verified.code == 0
    assert f"berta: withdrawn: {REASON}" in verified.err
    table = json.loads(arena(here, "standings", run, "--format", "json").out)["tables"][0]
    assert [each["ground"] for each in table["withdrawn"]] == ["build"]
    assert arena(here, "report", run).code == 0
    assert REASON.partition(":")[0] in (run / "report.html").read_text()
    (here / "berta" / "more.txt").touch()  # with other files it is another version
    late = arena(here, "run", cup)
    assert late.code == 0, late.err
    assert "berta@2 enters" in late.err
    assert arena(here, "verify", run).code == 0


def test_nothing_is_left_of_a_run_whose_bots_cannot_be_built(cup: Path) -> None:
    for setting in ("on_build_failure=stop", "entrants=[{bot: anna}, {bot: berta}]"):
        done = arena(cup.parent, "run", cup, "--set", setting)
        assert (done.code, done.out) == (2, ""), done.err
        assert not (cup.parent / "runs").exists()
        assert ("on_build_failure: withdraw plays without" in done.err) == ("stop" in setting)
    assert "berta" in done.err
    assert "too few for a game" in done.err


def test_a_bot_that_has_played_must_be_there_again(cup: Path, mended: Path) -> None:
    here = cup.parent
    mended.touch()
    assert arena(here, "run", cup).code == 0
    mended.unlink()
    shutil.rmtree(here / "cache")
    done = arena(here, "run", cup)
    assert done.code == 2
    assert "berta" in done.err
    assert "was built when it entered" in done.err


def test_a_run_that_is_opened_knows_who_is_withdrawn(cup: Path, mended: Path) -> None:
    here = cup.parent
    assert arena(here, "run", cup, "--commit").code == 0
    mended.touch()
    done = arena(here, "run", cup)
    assert done.code == 0
    assert f"berta: withdrawn: {REASON}" in done.out
