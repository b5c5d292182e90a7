"""The page on learning, with a kill in a round, other numbers of workers, and damage."""

from __future__ import annotations

import shutil
import signal
from pathlib import Path
from typing import Final

import pytest

from arena.runs.store import GAMES, LEARNED, all_lines
from docs.tools.steps import ROOT, File, steps
from tests.cli.shell import arena, ended, started, wait_for_lines
from tests.extensions.rounds.test_learning import given

pytestmark = [pytest.mark.slow, pytest.mark.process, pytest.mark.timeout(300)]

PLAY: Final = ("run", "cup.yaml", "--set", "schedule.deals=1")


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as the page makes it, with a run by one worker."""
    folder = tmp_path_factory.mktemp("learning")
    for step in steps((ROOT / "docs/learning.md").read_text("utf-8")):
        if isinstance(step, File):
            (folder / step.name).parent.mkdir(exist_ok=True)
            (folder / step.name).write_text(step.text)
    assert arena(folder, *PLAY, "-j", "1").code == 0
    return folder


def table(folder: Path) -> str:
    return (folder / "runs/cup/standings.csv").read_text()


def test_a_kill_in_a_round_and_more_workers_change_nothing(alone: Path, tmp_path: Path) -> None:
    for name in ("learner", "cup.yaml"):
        copy = shutil.copytree if (alone / name).is_dir() else shutil.copy
        copy(alone / name, tmp_path / name)
    run = tmp_path / "runs/cup"
    with started(tmp_path, *PLAY, "-j", "4") as process:
        wait_for_lines(run / GAMES, 5)
        ended(process, signal.SIGKILL)
    done = arena(tmp_path, *PLAY, "-j", "4")
    assert done.code == 0, done
    assert given(run) == given(alone / "runs/cup")
    assert table(tmp_path) == table(alone)
    assert len(set(given(run).values())) == 5  # of two bots in two rounds, and nothing
    assert arena(tmp_path, "verify", "runs/cup").code == 0

    data = bytearray((run / LEARNED).read_bytes())
    data[10] ^= 1
    (run / LEARNED).write_bytes(data)
    assert arena(tmp_path, "verify", "runs/cup").code == 1
    done = arena(tmp_path, *PLAY)
    assert "1 game is damaged and played again" in done.err, done
    assert given(run) == given(alone / "runs/cup")
    assert arena(tmp_path, "verify", "runs/cup").code == 0


def test_only_its_author_gets_what_a_bot_learnt(alone: Path, tmp_path: Path) -> None:
    words = b'{"style": '
    assert arena(alone, "export", "runs/cup", "--for", "learner", "-o", tmp_path / "own").code == 0
    own = {path.name for path in (tmp_path / "own/learning").iterdir()}
    assert len(own) == 6
    for bot in ("random", "forgetful"):
        arena(alone, "export", "runs/cup", "--for", bot, "-o", tmp_path / bot)
    assert not (tmp_path / "random/learning").exists()
    assert own.isdisjoint(path.name for path in (tmp_path / "forgetful/learning").iterdir())
    arena(alone, "export", "runs/cup", "--public", "-o", tmp_path / "public")
    arena(alone, "export", "runs/cup", "--proof", "-o", tmp_path / "proof")
    arena(alone, "site", "runs/cup", tmp_path / "site")
    arena(alone, "report", "runs/cup", "-o", tmp_path / "report.html")
    told = [tmp_path / name for name in ("random", "public", "proof", "site")]
    files = [path for folder in told for path in folder.rglob("*") if path.is_file()]
    assert len(files) > 40
    for path in [*files, tmp_path / "report.html"]:
        data = path.read_bytes()
        assert words not in data, path
        assert LEARNED not in path.name
    assert not any(stored.learned for _, stored in all_lines(tmp_path / "proof"))
    done = arena(tmp_path, "verify", "proof")
    assert done.code == 0
    assert "what bots learnt is not here" in done.out + done.err


def test_no_match_is_played_with_learning(alone: Path) -> None:
    done = arena(alone, "compare", "learner", "forgetful", "--file", "cup.yaml")
    assert done.code == 2
    assert "found learning" in done.err
