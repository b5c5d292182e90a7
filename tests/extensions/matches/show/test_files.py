"""The files for CI systems: where they go, and what happens where they cannot."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Mapping
from pathlib import Path

import pytest

from arena.cli.terminal.console import Exit
from arena.extensions.matches.outputs import exit_code, write_outputs
from arena.extensions.matches.show.comparison import MatchComparison
from arena.extensions.matches.show.documents import badge_text, junit_text, markdown_text
from arena.extensions.matches.statistics.report import MatchReport
from arena.runs.disk import StoreError
from tests.extensions.matches.show.reports import FAIL, HOSTILE, INCONCLUSIVE, INVALID, PASS

pytestmark = pytest.mark.usefixtures("leaves_nothing")


def write(report: MatchReport, environ: Mapping[str, str] | None = None, **paths: Path) -> None:
    write_outputs(
        MatchComparison(report),
        junit=paths.get("junit"),
        markdown=paths.get("markdown"),
        badge=paths.get("badge"),
        environ=environ or {},
    )


@pytest.mark.parametrize(
    ("report", "code"), [(PASS, 0), (FAIL, 1), (INCONCLUSIVE, 3), (INVALID, 4)]
)
def test_exit_codes(report: MatchReport, code: int) -> None:
    assert exit_code(report.verdict) == Exit(code) == code


def test_every_file_is_written(tmp_path: Path) -> None:
    forms = {"junit": junit_text, "markdown": markdown_text, "badge": badge_text}
    paths = {name: tmp_path / "new" / "folders" / name for name in forms}
    write(PASS, **paths)
    for name, form in forms.items():
        assert paths[name].read_text() == form(PASS)
    assert sorted(os.listdir(paths["junit"].parent)) == sorted(forms), "nothing temporary is left"


def test_nothing_is_written_unasked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(PASS)
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_replaced_and_a_link_is_followed(tmp_path: Path) -> None:
    path, link = tmp_path / "badge.json", tmp_path / "link"
    path.write_text("x" * 10_000)
    link.symlink_to(path)
    write(PASS, badge=link)
    assert link.is_symlink()
    assert json.loads(path.read_text())["schemaVersion"] == 1


def test_a_device_is_written_to_and_stays_one(tmp_path: Path) -> None:
    write(PASS, junit=Path("/dev/null"))
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_one_message_for_all_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    below = tmp_path / "file" / "below"
    with pytest.raises(StoreError) as caught:
        write(PASS, junit=tmp_path, markdown=below, badge=tmp_path / "ok.json")
    assert str(caught.value) == (
        f"{tmp_path}: cannot be written: Is a directory; "
        f"{tmp_path}/file: cannot be written: File exists"
    )
    assert (tmp_path / "ok.json").exists(), "the others are written all the same"


def test_the_message_names_the_file_that_was_asked_for() -> None:
    with pytest.raises(StoreError) as caught:
        write(PASS, junit=Path("/proc/strength.xml"))
    assert str(caught.value).startswith("/proc/strength.xml: cannot be written: ")


def test_summary_of_the_step_is_added_to(tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("what another step said")
    for report in (PASS, FAIL):
        write(report, {"GITHUB_STEP_SUMMARY": str(summary)})
    found = summary.read_text()
    assert found == f"what another step said\n{markdown_text(PASS)}\n{markdown_text(FAIL)}"


def test_summary_that_cannot_be_written_is_a_warning(tmp_path, capsys) -> None:
    write(PASS, {"GITHUB_STEP_SUMMARY": str(tmp_path)})
    write(PASS, {"GITHUB_STEP_SUMMARY": ""})
    assert capsys.readouterr().err == f"warning: {tmp_path}: cannot be written: Is a directory\n"


@pytest.mark.parametrize(
    ("report", "begins"),
    [
        (PASS, ""),
        (FAIL, "::error title=arena compare::FAIL  mine is weaker than old: "),
        (INCONCLUSIVE, "::warning title=arena compare::INCONCLUSIVE  no verdict"),
        (INVALID, "::error title=arena compare::INVALID  greedy cannot be judged"),
        (HOSTILE, "::error title=arena compare::FAIL  x"),
    ],
)
def test_annotations_of_github(report, begins, capsys) -> None:
    write(report)
    assert capsys.readouterr() == ("", "")
    write(report, {"GITHUB_ACTIONS": "true"})
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(begins)
    assert len(err.splitlines()) == bool(begins)
    assert "::set-env" not in err
    assert "%" not in err.replace("%25", "")
