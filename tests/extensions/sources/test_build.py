from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.entrants import cache
from arena.entrants.entrants import Entrant
from arena.entrants.folders import Bounds
from arena.extensions.sources import build as module
from arena.extensions.sources.build import run_commands
from arena.hosting.process import BotProcess
from arena.hosting.sandbox import probes
from arena.hosting.sandbox.isolation import Isolation, IsolationError, Launch, Level
from arena.hosting.workspace.cells import Workspace
from arena.runs.config.tournament import load_tournament
from arena.tournament.players import build
from arena.values.problems import ConfigError
from tests.tournament.folders import league, write, write_bot

MANIFEST = """\
bot: 1
name: built
command: [{tool}]
build:
  - [sh, -c, '{script}']
"""
COMPILE = "mkdir -p build; cp main.py {tool}; chmod +x {tool}"
BOT = Path("bots/built")

pytestmark = [pytest.mark.slow, pytest.mark.process, pytest.mark.usefixtures("leaves_nothing")]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(league(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture(autouse=True)
def builds(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The level of every build so far."""
    made: list[str] = []
    run = module.run_commands

    def counted(*args: Any, level: Level, **more: Any) -> None:
        made.append(level.value)
        run(*args, level=level, **more)

    monkeypatch.setattr(module, "run_commands", counted)
    return made


@pytest.fixture
def outside() -> Iterator[Path]:
    """A folder that everybody may write to, whoever a build runs as."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        yield Path(folder)


def entrant(tool: str = "./build/tool", script: str = COMPILE, level: str = "none") -> Entrant:
    write_bot(BOT, MANIFEST.format(tool=tool, script=script.format(tool=tool)))
    return load(level)


def load(level: str = "none") -> Entrant:
    cup = "arena: 1\ngame: dragonheart\nentrants: [{bot: ../bots/built}, {bot: ../bots/random}]\n"
    path = write(Path("cups/t.yaml"), cup + f"isolation: {level}\n")
    return load_tournament(path).entrants[0]


def tree(folder: Path) -> dict[str, tuple[int, int]]:
    """Every file below it, with its mode and time of change."""
    found = {path: path.lstat() for path in folder.rglob("*")}
    return {str(path): (stat.st_mode, stat.st_mtime_ns) for path, stat in found.items()}


def there(level: Level) -> None:
    """Skip the test where a level does not work."""
    if not (found := probes.probe(level)).works:
        pytest.skip(found.detail)


@pytest.mark.parametrize("tool", ["./tool", "tool", "./build/tool"])
def test_a_bot_is_built_once_per_state_of_its_files(tool: str, builds: list[str]) -> None:
    """Wherever its command appears; its digest stays that of the source."""
    unbuilt = entrant(tool)
    before = tree(BOT)
    assert not unbuilt.files
    first = build(unbuilt)
    folder = Path(first.folder)
    assert first.command == (str(folder / tool.removeprefix("./")),)
    assert first.digest == unbuilt.digest
    assert first.files not in ("", first.digest)
    assert (folder / tool).is_file()
    assert folder.is_relative_to(cache.cache_folder())
    assert tree(BOT) == before, "its own folder is never written to"
    os.utime(folder.parent, (0, 0))
    assert build(load()) == first
    assert len(builds) == 1
    assert folder.parent.stat().st_mtime > time.time() - 3600, "its use is noted"
    write(BOT / "main.py", "print(2)\n")
    changed = build(load())
    assert changed.digest != first.digest
    assert changed.folder != first.folder
    assert len(builds) == 2


def test_other_commands_or_another_level_are_another_build() -> None:
    places = {build(entrant()).folder, build(load("limits")).folder}
    manifest = BOT / "bot.yaml"
    manifest.write_text(manifest.read_text().replace("mkdir -p", "mkdir"))
    places.add(build(load()).folder)
    assert len(places) == 3


def test_what_a_bot_ships_as_built_does_not_count() -> None:
    write(BOT / "build" / "tool", "forged").chmod(0o755)
    write(BOT / "build" / "more", "forged")
    shipped = entrant(script="mkdir build; ls build > listed; echo real > {tool}; chmod +x {tool}")
    write(BOT / "build" / ".arena-digest", shipped.digest)
    folder = Path(build(shipped).folder)
    assert (folder / "build" / "tool").read_text() == "real\n"
    assert (folder / "listed").read_text() == ""
    assert sorted(os.listdir(folder / "build")) == ["tool"]


@pytest.mark.parametrize(
    "forge",
    [
        pytest.param("printf '#!/bin/sh\\n' > build", id="a file"),
        pytest.param("mkdir evil; echo evil > evil/tool; ln -s evil build", id="a link"),
        pytest.param("mkdir evil evil/.cache; ln -s evil node_modules", id="a link for node"),
        pytest.param("rm -f build; echo evil > build; chmod +x build", id="a script"),
        pytest.param("mkdir mine", id="an empty folder"),
        pytest.param("mkdir node_modules; echo x > node_modules/.cache", id="a file of the cache"),
    ],
)
def test_nobody_gets_what_was_built_of_other_files(forge: str, builds: list[str]) -> None:
    script = "mkdir -p made; cp main.py {tool}; chmod +x {tool}"
    victim = entrant("./made/tool", script)
    subprocess.run(["sh", "-c", forge], cwd=BOT, check=True)
    attacker = load()
    assert attacker.digest != victim.digest
    build(attacker)
    shutil.rmtree(BOT)
    places = {build(entrant("./made/tool", script)).folder, build(attacker).folder}
    assert len(places) == len(builds) == 2


def test_nothing_outside_is_removed_for_a_link_of_that_name(tmp_path: Path) -> None:
    kept = write(tmp_path / "home" / ".cache" / "kept", "")
    entrant()
    (BOT / "node_modules").symlink_to(tmp_path / "home")
    build(load())
    assert kept.exists()


def test_a_build_script_may_be_called_build(builds: list[str]) -> None:
    manifest = "bot: 1\nname: built\ncommand: [./tool]\nbuild: [[./build]]\n"
    write_bot(BOT, manifest)
    script = "#!/bin/sh\necho {} > tool; chmod +x tool"
    write(BOT / "build", script.format("one")).chmod(0o755)
    assert Path(build(load()).command[0]).read_text() == "one\n"
    write(BOT / "build", script.format("two"))
    assert Path(build(load()).command[0]).read_text() == "two\n"
    assert len(builds) == 2


def test_permissions_make_no_difference_to_what_is_built() -> None:
    """But for the executable bit, which counts."""
    unbuilt = entrant()
    (BOT / "main.py").chmod(0o400)
    changed = load()
    assert changed.digest == unbuilt.digest
    files = Path(build(changed).folder)
    assert (files / "main.py").stat().st_mode & 0o777 == 0o644


def test_a_later_command_may_use_what_an_earlier_one_made(tmp_path: Path) -> None:
    source = write_bot(tmp_path / "source")
    steps = [["sh", "-c", "cp /bin/sh own"], ["own", "-c", "echo $0 > said", "x"]]
    run_commands(steps, source, tmp_path / "target", shown=source)
    assert (tmp_path / "target" / "said").read_text() == "x\n"
    assert not (source / "own").exists()


def test_a_program_of_the_bot_runs_in_the_copy(tmp_path: Path) -> None:
    source = write_bot(tmp_path / "source")
    write(source / "make.sh", "#!/bin/sh\ndirname $(realpath $0) > where; pwd >> where").chmod(
        0o755
    )
    run_commands([["./make.sh"], ["make.sh"]], source, tmp_path / "target", shown=source)
    place, here = (tmp_path / "target" / "where").read_text().split()
    assert place == here != str(source)


def test_a_damaged_copy_is_built_anew(builds: list[str]) -> None:
    built = build(entrant())
    tool = Path(built.command[0])
    whole = tool.read_text()
    tool.write_text("damaged")
    assert build(load()) == built
    assert tool.read_text() == whole
    assert len(builds) == 2


def test_what_was_built_needs_nothing_to_build_it(monkeypatch: pytest.MonkeyPatch) -> None:
    built = build(entrant())
    monkeypatch.setenv("PATH", "/nowhere")
    assert build(load()) == built
    shutil.rmtree(cache.cache_folder())
    with pytest.raises(ConfigError, match='"sh" was not found on PATH'):
        load()


@pytest.mark.parametrize("level", [Level.LANDLOCK, Level.BUBBLEWRAP])
def test_a_sandbox_is_content_with_either_level(level: Level) -> None:
    unbuilt = entrant()
    place = cache.place_of(unbuilt.digest, unbuilt.build, level)
    assert not cache.is_built(unbuilt.digest, unbuilt.build, Isolation.SANDBOX)
    write(place / "digest", "")
    assert cache.is_built(unbuilt.digest, unbuilt.build, Isolation.SANDBOX)
    assert cache.is_built(unbuilt.digest, unbuilt.build, Isolation(level.value))
    assert not cache.is_built(unbuilt.digest, unbuilt.build, Isolation.LIMITS)


def test_two_arenas_at_once_both_get_the_bot(builds, monkeypatch) -> None:
    unbuilt = entrant()
    both = threading.Barrier(2, timeout=30)
    finish = cache.finish

    def together(unfinished: Path, place: Path) -> None:
        both.wait()
        finish(unfinished, place)

    found: list[Entrant] = []
    monkeypatch.setattr(cache, "finish", together)
    # one process cannot tell the children of two builds apart
    monkeypatch.setattr("arena.hosting.machine.orphans.sweep", lambda keep: 0)
    threads = [threading.Thread(target=lambda: found.append(build(unbuilt))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found[0] == found[1]
    assert len(builds) == 2
    assert len(list(cache.cache_folder().iterdir())) == 1


def test_a_bot_without_build_stays_as_it_is(tmp_path: Path) -> None:
    entrant()
    plain = load_tournament(tmp_path / "cups" / "t.yaml").entrants[1]
    assert build(plain) == plain
    assert not cache.cache_folder().exists()


def test_what_was_not_used_for_long_is_forgotten() -> None:
    old, used = build(entrant()), build(load("limits"))
    ages = {Path(old.folder).parent: 31, Path(used.folder).parent: 29}
    for place, days in ages.items():
        os.utime(place, (time.time() - days * 86_400,) * 2)
    write(BOT / "main.py", "print(2)\n")
    build(load())
    assert [place.exists() for place in ages] == [False, True]


KILLED = """
import os, signal
from pathlib import Path
from arena.entrants import cache
with cache.making({kind!r}) as unfinished:
    (unfinished / "files").mkdir()
    print(unfinished, flush=True)
    os.kill(os.getpid(), signal.SIG{signal})
"""


@pytest.mark.parametrize("kind", [cache.BUILDS, cache.REVISIONS])
def test_what_a_killed_arena_was_making_is_removed_at_the_next_start(kind: str) -> None:
    making = [sys.executable, "-c", KILLED.format(kind=kind, signal="KILL")]
    told = subprocess.run(making, capture_output=True, text=True, timeout=60, check=False).stdout
    assert Path(told.strip(), "files").is_dir()
    with cache.making(kind) as mine:
        build(entrant())
        assert list(mine.parent.glob(".new-*")) == [mine]
    assert not list(mine.parent.glob(".new-*"))


def test_what_a_living_arena_makes_is_left_alone() -> None:
    making = [sys.executable, "-c", KILLED.format(kind=cache.BUILDS, signal="STOP")]
    with subprocess.Popen(making, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        unfinished = Path(process.stdout.readline().strip())
        cache.clear_unfinished()
        assert (unfinished / "files").is_dir()
        process.kill()
    cache.clear_unfinished()
    assert not unfinished.exists()


def refusal(built: Entrant) -> str:
    with pytest.raises(ConfigError) as caught:
        build(built)
    assert not any(cache.cache_folder().glob("[!.]*")), "a failed build leaves nothing"
    assert not any(cache.cache_folder().glob(".*"))
    return str(caught.value)


def test_a_failed_build_shows_its_last_lines() -> None:
    told = refusal(entrant(script="echo first; echo no luck >&2; exit 3"))
    assert told.startswith("bots/built: build command ")
    assert "ended with status 3\n    first\n    no luck\n" in told


@pytest.mark.parametrize("lines", [42, 1000, 300_000])
def test_of_long_output_both_ends_are_shown(lines: int) -> None:
    told = refusal(entrant(script=f"seq 1 {lines}; exit 3"))
    shown = [line.strip() for line in told.splitlines()[1:-1]]
    head, tail = range(1, 21), range(lines - 19, lines + 1)
    assert shown == [*map(str, head), "[...]", *map(str, tail)]


def test_the_command_that_failed_is_named(tmp_path: Path) -> None:
    source = write_bot(tmp_path / "source")
    for last, how in (("false", "ended with status 1"), ("no-such-tool", "cannot be started: No")):
        with pytest.raises(ConfigError, match=f"^source: build command '{last}' {how}"):
            run_commands([["true"], [last], ["true"]], source, tmp_path / "t", shown=Path("source"))


def test_a_build_without_its_command_fails() -> None:
    told = refusal(entrant(script="true"))
    assert told.startswith('bots/built: command: "./build/tool" was not found in its folder after')


def test_a_folder_that_changes_while_it_is_read_is_refused() -> None:
    changed = entrant()
    write(BOT / "main.py", "print(2)\n")
    assert refusal(changed).startswith("bots/built: changed while it was read\n")


def test_a_build_that_does_not_end_is_killed_with_its_children(tmp_path, outside) -> None:
    pid = outside / "pid"
    for script in (
        f"sleep 600 & echo $! > {pid}; wait",
        f"setsid sleep 600 & echo $! > {pid}; wait",
    ):
        with pytest.raises(ConfigError, match=r"took longer than 1 s"):
            run_commands(
                [["sh", "-c", script]],
                write_bot(tmp_path / "bot"),
                tmp_path / "target",
                shown=tmp_path,
                level=Level.NONE,
                seconds=1,
            )
        assert not is_running(int(pid.read_text()))


def test_nothing_that_a_build_leaves_running_sees_the_copy_being_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left: list[bool] = []

    def look(folder: Path, *_: object) -> None:
        left.append(is_running(int((folder / "pid").read_text())))

    monkeypatch.setattr(module, "check_size", look)
    script = "setsid sh -c 'echo $$ > pid; exec sleep 600' & while ! [ -s pid ]; do :; done"
    source = write_bot(tmp_path / "bot")
    run_commands([["sh", "-c", script]], source, tmp_path / "target", shown=source)
    assert left == [False]


def is_running(pid: int) -> bool:
    """Whether the process exists and is not a zombie."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def test_a_build_that_asks_for_input_gets_none_and_no_secret(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("TOKEN", "secret")
    source = write_bot(tmp_path / "source")
    script = "cat > read; env > seen; mktemp > temporary; touch $HOME/x"
    run_commands([["sh", "-c", script]], source, tmp_path / "target", shown=source)
    made = tmp_path / "target"
    assert (made / "read").read_text() == ""
    assert "secret" not in (made / "seen").read_text()
    assert sorted(os.listdir(made)) == ["bot.yaml", "main.py", "read", "seen", "temporary"]


@pytest.mark.parametrize("special", ["mkfifo pipe", "ln -s / link; mkfifo link2"])
def test_special_files_are_not_taken_over(tmp_path: Path, special: str) -> None:
    told = refusal(entrant(script=special))
    assert re.search(r": (pipe|link2): neither file", told)
    assert str(tmp_path) not in told


def test_a_build_cannot_make_more_than_a_bot_may_have(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.entrants.folders.MAX_FILES", 10)
    told = refusal(entrant(script="for i in 1 2 3 4 5 6 7 8 9 10; do touch f$i; done"))
    assert told.startswith(
        "bots/built: cannot be built: made what cannot be kept: more than 10 files"
    )


LEAVES = (
    "mkdir -p build; head -c 3000000 /dev/zero > build/data; cp main.py {tool}; chmod +x {tool}"
)


def test_what_a_build_leaves_is_bounded() -> None:
    unbuilt = entrant(script=LEAVES)
    with pytest.raises(ConfigError, match="made what cannot be kept: more than 1 MiB"):
        build(unbuilt, bounds=Bounds(1 << 20, 100))
    assert not any(cache.cache_folder().iterdir())
    with pytest.raises(ConfigError, match="made what cannot be kept: more than 3 files"):
        build(unbuilt, bounds=Bounds(4 << 20, 3))
    place = Path(build(unbuilt, bounds=Bounds(4 << 20, 100)).folder).parent
    assert 3_000_000 <= cache.size_of(place) < 3_100_000
    with pytest.raises(ConfigError, match="cannot be built: more than 1 MiB"):
        build(unbuilt, bounds=Bounds(1 << 20, 100))


@pytest.mark.parametrize(
    ("days", "keep", "left"),
    [
        ((4, 3, 2, 1), (), {2, 3}),
        ((1, 2, 3, 4), (), {0, 1}),
        ((4, 3, 2, 1), (0,), {0, 2, 3}),
        ((0, 0, 0, 0), (), {0, 1, 2, 3}),  # another arena may be about to copy them
        ((-9, 3, 2, 1), (), {0, 3}),  # by a clock that was wrong
    ],
)
def test_a_cache_keeps_what_was_used_last(monkeypatch, days, keep, left) -> None:
    monkeypatch.setattr(cache, "MOST_BYTES", 2 << 20)
    places = [cache.cache_folder() / str(number) for number in range(4)]
    for number, place in enumerate(places):
        write(place / "files" / "data", "x" * (1 << 20))
        if number % 2:  # the others are unfinished
            write(place / "size", str(1 << 20))
        os.utime(place, (time.time() - days[number] * 86_400,) * 2)
    cache.shrink(cache.BUILDS, {places[number] for number in keep})
    assert {number for number, place in enumerate(places) if place.exists()} == left


FILLING = {
    "folder": ("while :; do head -c 99999 /dev/zero >> f; done", "more than 1 MiB"),
    "scratch": ("while :; do head -c 99999 /dev/zero >> $TMPDIR/f; done", "more than 1 MiB"),
    "many files": ("while :; do : > $((i+=1)); done", "more than 300 files and folders"),
    "hidden": ("mkdir h; chmod 300 h; while :; do sleep 1; done", "h: Permission denied"),
    "daemon": (
        "setsid sh -c 'while :; do head -c 99999 /dev/zero >> f; done' & sleep 600",
        "more than 1 MiB",
    ),
}


@pytest.mark.parametrize("how", FILLING)
@pytest.mark.parametrize("level", [Level.LIMITS, Level.LANDLOCK])
def test_a_build_that_fills_the_disk_is_ended(how, level, tmp_path, monkeypatch) -> None:
    there(level)
    if how == "hidden" and os.geteuid() == 0:
        pytest.skip("nothing is hidden from root")
    script, why = FILLING[how]
    monkeypatch.setattr("arena.entrants.folders.MAX_BYTES", 1 << 20)
    monkeypatch.setattr("arena.entrants.folders.MAX_FILES", 300)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    tmp_path.chmod(0o755)
    source = write_bot(tmp_path / "bot")
    with pytest.raises(ConfigError) as caught:
        run_commands([["sh", "-c", script]], source, tmp_path / "t", shown=source, level=level)
    assert f"made what cannot be kept: {why}" in str(caught.value)
    assert not list(tmp_path.glob("arena-*")), "nothing of it is left"


FORKS = "for _ in range({n}):\n    if not os.fork():\n        {do}\n        time.sleep(600)\n"
HOLDS = "kept = mmap.mmap(-1, 60 << 20); kept.write(bytes(60 << 20))"
USING = {
    "memory": (FORKS.format(n=3, do=HOLDS), "used more than 100 MiB of memory"),
    "processes": (FORKS.format(n=40, do="pass"), "had more than 32 processes"),
    "daemons": (
        "if not os.fork():\n    os.setsid()\n    if not os.fork():\n"
        + "".join(f"        {line}\n" for line in FORKS.format(n=3, do=HOLDS).splitlines())
        + "        time.sleep(600)\n    os._exit(0)\n",
        "used more than 100 MiB of memory",
    ),
}


def use(how: str, level: Level, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """How a build ends that uses so much, where nobody but arena itself keeps its limits."""
    there(level)
    limits, start = module.BUILD_LIMITS, BotProcess.__init__

    def unkept(process: BotProcess, launch: Launch, workspace: Workspace) -> None:
        start(process, msgspec.structs.replace(launch, limits=limits), workspace)

    monkeypatch.setattr(BotProcess, "__init__", unkept)
    monkeypatch.setattr(BotProcess, "is_kept_in_limits", False)
    low = msgspec.structs.replace(limits, memory=100 << 20, processes=32)
    monkeypatch.setattr(module, "BUILD_LIMITS", low)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    tmp_path.chmod(0o755)
    source, target = write_bot(tmp_path / "bot"), tmp_path / "t"
    write(source / "build.py", f"import mmap, os, time\n{USING[how][0]}time.sleep(600)\n")
    commands = [["python3", "build.py"]]
    with pytest.raises(ConfigError) as caught:
        run_commands(commands, source, target, shown=source, level=level, seconds=5)
    return str(caught.value)


@pytest.mark.parametrize("how", USING)
@pytest.mark.parametrize("level", [Level.LIMITS, Level.LANDLOCK, Level.BUBBLEWRAP])
def test_a_build_is_kept_in_its_limits_where_no_kernel_keeps_them(
    how: str, level: Level, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert USING[how][1] in use(how, level, tmp_path, monkeypatch)


def test_a_build_without_limits_may_use_what_it_likes(tmp_path, monkeypatch) -> None:
    assert "took longer than 5 s" in use("processes", Level.NONE, tmp_path, monkeypatch)


def test_a_link_that_was_built_is_no_program_of_the_bot(outside: Path) -> None:
    write(outside / "victim", "#!/bin/sh\n").chmod(0o755)
    told = refusal(entrant(script=f"mkdir build; ln -s {outside}/victim {{tool}}"))
    assert told.startswith(
        'bots/built: command: "./build/tool" leads out of the bot\'s folder after the build'
    )


@pytest.mark.parametrize("level", [Level.LIMITS, Level.LANDLOCK, Level.BUBBLEWRAP])
def test_a_build_opens_nothing_by_naming_it(level: Level, tmp_path: Path) -> None:
    there(level)
    if level is Level.LIMITS and os.geteuid() != 0:
        pytest.skip("files are open there")
    tmp_path.chmod(0o700)
    victim = write(tmp_path / "victim" / "run", "#!/bin/sh\necho secret\n")
    victim.chmod(0o755)
    source, target = write_bot(tmp_path / "source"), tmp_path / "target"
    steps = [["sh", "-c", f"cat {victim} > loot; true"], [str(victim)]]
    with pytest.raises(ConfigError, match=r"cannot be started: (Permission|No such)"):
        run_commands(steps, source, target, shown=source, level=level)
    steps[1] = ["sh", "-c", f"test -x {victim} || exit 0"]
    run_commands(steps, source, target, shown=source, level=level)
    assert (target / "loot").read_text() == ""


def test_a_cache_that_cannot_be_written_is_told_with_its_remedy(tmp_path, monkeypatch) -> None:
    unbuilt = entrant()
    write(tmp_path / "taken", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "taken"))
    with pytest.raises(ConfigError) as caught:
        build(unbuilt)
    assert str(caught.value) == (
        f"{tmp_path}/taken/arena/builds: built bots cannot be kept there: Not a directory"
        " (set XDG_CACHE_HOME to a folder that can be written)\n1 error; nothing was started"
    )


def test_a_cache_that_cannot_be_looked_into_holds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/" + "x" * 300)
    with pytest.raises(ConfigError, match="File name too long"):
        build(entrant())


@pytest.mark.parametrize("base", ["", "relative"])
def test_the_cache_is_below_home_unless_a_whole_path_is_given(base, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", base)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache.cache_folder() == tmp_path / ".cache" / "arena" / "builds"


def test_a_level_that_the_machine_does_not_give_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(wanted: str) -> Level:
        raise IsolationError(f"isolation {wanted}: not available here")

    monkeypatch.setattr(module, "resolve", none)
    unbuilt = entrant(level="sandbox")
    assert unbuilt.isolation is Isolation.SANDBOX
    assert refusal(unbuilt).startswith("bots/built: isolation sandbox: not available here\n")


@pytest.mark.parametrize("level", Level)
def test_a_build_is_kept_apart_as_the_bot_will_be(level, tmp_path, outside) -> None:
    there(level)
    write(outside / "secret", "secret").chmod(0o644)
    script = f"cat {outside}/secret > stolen; touch {outside}/mark; mktemp > temporary; exit 0"
    source, target = write_bot(tmp_path / "source"), tmp_path / "target"
    run_commands([["sh", "-c", script]], source, target, shown=source, level=level)
    is_open = level in (Level.NONE, Level.LIMITS)
    assert (target / "stolen").read_text() == ("secret" if is_open else "")
    assert (outside / "mark").exists() is is_open
    assert (target / "temporary").read_text() != ""


CARGO = '[package]\nname = "x"\nversion = "0.0.0"\nedition = "2021"\n[[bin]]\nname = "x"\n'
SOURCES = {
    "x.c": "int main(void) { return 7; }\n",
    "x.go": 'package main\n\nimport "os"\n\nfunc main() { os.Exit(7) }\n',
    "go.mod": "module x\n\ngo 1.18\n",
    "x.rs": "fn main() { std::process::exit(7) }\n",
    "Cargo.toml": f'{CARGO}path = "x.rs"\n',
}


@pytest.mark.parametrize("level", Level)
@pytest.mark.parametrize(
    ("tools", "files", "command"),
    [
        ("cc", "x.c", "cc -o x x.c"),
        ("go", "x.go go.mod", "go build -o x ."),
        ("rustc cargo", "x.rs", "rustc -o x x.rs"),
        ("rustc cargo", "x.rs", "sh -c 'rustc -o x x.rs'"),
        (
            "rustc cargo",
            "x.rs Cargo.toml",
            "sh -c 'cargo build --offline -q --target-dir t && cp t/debug/x x'",
        ),
    ],
    ids=["c", "go", "rust", "script", "cargo"],
)
def test_a_compiler_works_at_every_level(level, tools, files, command, tmp_path) -> None:
    """Of Go a module, which takes no folder for one that is the place of temporary files.

    Of Rust also where rustup keeps it in a home folder; it starts a linker, and cargo a compiler.
    """
    if not all(map(shutil.which, tools.split())):
        pytest.skip(f"needs {tools}")
    there(level)
    source, target = write_bot(tmp_path / "source"), tmp_path / "target"
    for name in files.split():
        write(source / name, SOURCES[name])
    run_commands([shlex.split(command)], source, target, shown=source, level=level)
    assert subprocess.run([target / "x"], check=False).returncode == 7
