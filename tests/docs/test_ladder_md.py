"""The page on ladders: its file is read, its workflow is one, and it names what there is."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Final

import yaml

from arena.cli.app import load
from arena.cli.options import run_folder
from arena.config.keys import PlayKeys
from arena.config.ladder import BudgetFile, LadderFile, load_ladder

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = (ROOT / "docs" / "ladder.md").read_text()


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    return found[1]


def test_the_file_of_the_page_is_a_ladder(tmp_path: Path) -> None:
    for name in ("greedy", "random"):
        shutil.copytree(ROOT / "bots" / name, tmp_path / name)
    (tmp_path / "ladder.yaml").write_text(block("yaml"))
    ladder = load_ladder(tmp_path)
    assert ladder.file.budget == BudgetFile(wall=8 * 3600.0, games=20_000)
    assert run_folder(tmp_path) == tmp_path / "run"


def test_the_example_is_a_ladder() -> None:
    ladder = load_ladder(ROOT / "tournaments" / "ladder")
    assert [each.name for each in ladder.anchors] == ["greedy", "random"]


def test_the_page_names_every_key_of_its_own() -> None:
    own = set(LadderFile.__struct_fields__) - set(PlayKeys.__struct_fields__)
    written = yaml.safe_load(block("yaml")).keys() | {"submissions"}
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


def test_lines_of_the_crontab_are_commands_with_known_options() -> None:
    lines = [line for line in block("crontab").splitlines() if line[:1] in "0123456789*"]
    assert len(lines) == 2
    for line in lines:
        *when, command = line.split(maxsplit=5)
        assert all(re.fullmatch(r"\*|\d+", part) for part in when)
        subprocess.run(["sh", "-nc", command], check=True)
        (name, *words) = shlex.split(command.partition("arena ")[2].partition(">>")[0])
        known = {option for each in load(name).params for option in each.opts}
        assert {word for word in words if word[0] == "-"} <= known
