from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from arena.entrants.entrants import Entrant
from arena.hosting.sandbox.isolation import Level
from arena.hosting.workspace.cells import Workspace
from arena.runs.config.tournament import load_tournament
from arena.tournament.executor import LocalBot
from arena.tournament.players import build, local_bots
from arena.values.problems import ConfigError
from arena.values.results import Limits
from tests.tournament.folders import league, write, write_bot

LIMITS = Limits(memory=1 << 28, processes=9)
LEVELS = {"random": Level.LIMITS, "greedy": Level.NONE, "raw": Level.LIMITS}
TEXT = """\
arena: 1
game: dragonheart
entrants:
  - {bot: ../bots/random, env: {KEY: value}}
  - {bot: ../bots/greedy, options: {samples: 5}}
  - {command: python3 main.py, name: raw, cwd: ../bots/random}
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(league(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def workspace() -> Iterator[Workspace]:
    made = Workspace.create()
    yield made
    made.close()


def load(text: str = TEXT, *overrides: str) -> tuple[Entrant, ...]:
    return load_tournament(write(Path("cups/t.yaml"), text), overrides).entrants


def test_bots_are_copied_and_commands_run_in_their_folder(workspace: Workspace) -> None:
    random, greedy, raw = local_bots(load(), workspace, LEVELS, LIMITS, ("/opt/nets",)).values()
    assert random.launch.copied
    assert greedy.launch.copied
    assert not raw.launch.copied
    assert raw.launch.folder == str(Path("bots/random").absolute())
    copy = Path(random.launch.folder)
    assert copy.is_relative_to(workspace.root)
    assert (copy / "main.py").read_text() == Path("bots/random/main.py").read_text()
    assert copy != Path(greedy.launch.folder)
    assert [each.launch.level for each in (random, greedy, raw)] == list(LEVELS.values())
    assert random.launch.command == (sys.executable, "main.py")
    assert random.launch.env == {"KEY": "value"}
    assert random.launch.readable == ("/opt/nets",)


def test_limits_in_force_are_told_by_level(workspace: Workspace) -> None:
    random, greedy, _ = local_bots(load(), workspace, LEVELS, LIMITS).values()
    assert random.limits == random.launch.limits == LIMITS
    unbounded = Limits(memory=None, processes=None, cpu=None, disk=None, files=None)
    assert greedy.limits == unbounded
    assert greedy.limits.reply == LIMITS.reply


def only(found: dict[str, LocalBot]) -> LocalBot:
    [bot] = found.values()
    return bot


def test_a_command_with_its_own_folder_is_copied_where_files_are_closed(workspace) -> None:
    main = Path("bots/random/main.py").absolute()
    text = TEXT.replace("python3 main.py", f"[python3, {main}, bots/random/main.py]")
    raw = load(text, "entrants.2.isolation=landlock")[2]
    player = only(local_bots([raw], workspace, {"raw": Level.LANDLOCK}, LIMITS))
    assert player.launch.copied
    copy = Path(player.launch.folder)
    assert copy.is_relative_to(workspace.root)
    assert player.launch.command[1:] == (str(copy / "main.py"), "bots/random/main.py")


def test_a_program_of_the_folder_is_started_from_the_copy(workspace: Workspace) -> None:
    bot = write_bot(Path("bots/own"), "bot: 1\nname: own\ncommand: [./run, ./run]\n")
    write(bot / "run", "#!/bin/sh\n").chmod(0o755)
    entrant = load(TEXT.replace("bots/greedy, options: {samples: 5}", "bots/own"))[1]
    launch = only(local_bots([entrant], workspace, {"own": Level.LIMITS}, LIMITS)).launch
    assert launch.command == (f"{launch.folder}/run", "./run")


@pytest.mark.extensions("sources")
def test_a_built_bot_is_copied_from_what_was_built(workspace: Workspace) -> None:
    script = "mkdir -p build; echo made > build/run; chmod +x build/run"
    manifest = f"bot: 1\nname: own\ncommand: [build/run]\nbuild: [[sh, -c, '{script}']]\n"
    bot = write_bot(Path("bots/own"), manifest)
    write(bot / "build" / "run", "forged")
    entrant = build(load(TEXT.replace("bots/greedy, options: {samples: 5}", "bots/own"))[1])
    launch = only(local_bots([entrant], workspace, {"own": Level.LIMITS}, LIMITS)).launch
    assert launch.command == (f"{launch.folder}/build/run",)
    assert Path(launch.command[0]).read_text() == "made\n"
    assert launch.folder.startswith(str(workspace.root))


def test_entrants_of_one_folder_share_a_copy(workspace: Workspace) -> None:
    text = TEXT.replace("bots/greedy, options", "bots/random, name: twin, options")
    random, twin, _ = load(text)
    levels = {"random": Level.LIMITS, "twin": Level.LIMITS}
    first, second = local_bots([random, twin], workspace, levels, LIMITS).values()
    assert first.launch.folder == second.launch.folder


@pytest.mark.parametrize(
    ("path", "text"), [("main.py", "print(2)\n"), ("more.py", ""), ("build/x", "")]
)
def test_a_folder_that_has_changed_since_it_was_read_is_refused(workspace, path, text) -> None:
    entrants = load()
    write(Path("bots/greedy") / path, text)
    with pytest.raises(ConfigError, match=r"^bots/greedy: changed while it was read\n"):
        local_bots(entrants, workspace, LEVELS, LIMITS)


def test_each_entrant_of_a_folder_plays_what_was_digested_for_it(workspace: Workspace) -> None:
    first = load()[1]
    write(Path("bots/greedy/main.py"), "print(2)\n")
    both = [load()[1], msgspec.structs.replace(first, name="twin")]
    with pytest.raises(ConfigError, match=r"^bots/greedy: changed while it was read\n"):
        local_bots(both, workspace, LEVELS | {"twin": Level.NONE}, LIMITS)


def test_a_full_disk_is_not_told_of_the_bot_s_files(workspace, monkeypatch) -> None:
    entrants = load()

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("os.write", full)
    monkeypatch.setattr("os.copy_file_range", full, raising=False)
    found = rf"^bots/random: cannot be copied: {workspace.root}/bots/\d+/bot.yaml: No space left"
    with pytest.raises(ConfigError, match=found):
        local_bots(entrants, workspace, LEVELS, LIMITS)


def test_a_folder_that_is_gone_is_refused(workspace: Workspace) -> None:
    entrants = load()
    Path("bots/greedy").rename("bots/other")
    with pytest.raises(ConfigError, match=r"^bots/greedy: cannot be copied: .*No such file"):
        local_bots(entrants, workspace, LEVELS, LIMITS)
