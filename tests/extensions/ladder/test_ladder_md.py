"""The page on ladders: its file is read, its workflow is one, and it names what there is."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
import yaml

from arena.cli.common import run_folder
from arena.extensions.ladder.file import BudgetFile, LadderFile, load_ladder
from arena.runs.config.keys import PlayKeys
from tests.docs.projects import has_sandbox

ROOT: Final = Path(__file__).parents[3]
PAGE: Final = (ROOT / "docs" / "ladder.md").read_text()


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    return found[1]


def test_the_file_of_the_page_is_a_ladder(tmp_path: Path) -> None:
    for name in ("greedy", "random"):
        shutil.copytree(ROOT / "bots" / name, tmp_path / name)
    (tmp_path / "ladder.yaml").write_text(block("yaml ladder/ladder.yaml"))
    ladder = load_ladder(tmp_path)
    assert ladder.file.budget == BudgetFile(wall=8 * 3600.0, games=20_000)
    assert run_folder(tmp_path) == tmp_path / "run"


def test_the_example_is_a_ladder() -> None:
    ladder = load_ladder(ROOT / "tournaments" / "ladder")
    assert [each.name for each in ladder.anchors] == ["greedy", "random"]


def test_the_page_names_every_key_of_its_own() -> None:
    own = set(LadderFile.__struct_fields__) - set(PlayKeys.__struct_fields__)
    blocks = re.findall(r"```yaml\b.*\n((?:.*\n)*?)```", PAGE)
    written = {key for each in blocks for key in yaml.safe_load(each)} | {"submissions"}
    assert own <= written


def test_the_workflow_commits_to_a_repository_of_authors_only_what_is_public() -> None:
    workflow = yaml.safe_load(block("yaml workflow"))
    steps = workflow["jobs"]["night"]["steps"]
    commands = [step["run"] for step in steps if "run" in step]
    (plays,) = (command.split() for command in commands if command.startswith("arena ladder"))
    assert {"--once", "--tracked-seed"} <= set(plays)
    read_by_authors = [
        step["with"]["path"] for step in steps if "repository" in step.get("with", {})
    ]
    public = plays[plays.index("--publish") + 1]
    (commits,) = (command for command in commands if "commit" in command)
    (places,) = re.findall(r"for place in (.*); do", commits)
    assert read_by_authors == ["league"]
    assert [each for each in places.split() if each.startswith("league")] == [public]
    assert set(re.findall(r"git (?:-C )?(\S+)", commits)) == {'"$place"'}


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.skipif(not has_sandbox(), reason="this machine has no sandbox")
def test_lines_of_the_crontab_run_with_its_variables_alone(tmp_path: Path) -> None:
    """Only places and the budget of the day are others than on the page."""
    lines = block("crontab").splitlines()
    variables = dict(line.split("=", 1) for line in lines if re.match(r"[A-Z]+=", line))
    jobs = [line.split(maxsplit=5) for line in lines if line[:1] in "0123456789*"]
    assert list(variables) == ["SHELL", "PATH", "MAILTO"]
    assert len(jobs) == 2
    installed = tmp_path / ".venv" / "bin"
    installed.mkdir(parents=True)
    (installed / "arena").write_text(
        f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m arena "$@"\n'
    )
    (installed / "arena").chmod(0o755)
    for name in ("greedy", "random"):
        shutil.copytree(ROOT / "bots" / name, tmp_path / "ladder" / name)
    file = block("yaml ladder/ladder.yaml").replace("games: 20000", "games: 20")
    (tmp_path / "ladder" / "ladder.yaml").write_text(file)
    (tmp_path / "ladder" / "submissions").mkdir()

    def called(command: str) -> str:
        """Run a job as cron does; return what cron would mail."""
        here = {"/srv/games": str(tmp_path), "/srv/www": str(tmp_path / "www")}
        for written, place in here.items():
            command = command.replace(written, place)
        path = variables["PATH"].replace("/home/ladder", str(tmp_path))
        assert path.startswith(str(installed))
        words = ["env", "-i", f"HOME={tmp_path}", f"PATH={path}", variables["SHELL"], "-c"]
        done = subprocess.run([*words, command], check=True, capture_output=True, text=True)
        return done.stdout + done.stderr

    for *when, command in jobs:
        assert all(re.fullmatch(r"\*|\d+", part) for part in when)
        assert called(command) == ""
    assert (tmp_path / "ladder" / "table.txt").is_file()
    assert (tmp_path / "www" / "ladder" / "index.html").is_file()
    (tmp_path / "ladder" / "ladder.yaml").write_text("arena: 1\n")
    assert "ladder.yaml" in called(jobs[0][-1]), "an error is mailed"
