"""What the operating system refuses is one message and exit code 2; never a traceback."""

from __future__ import annotations

import resource
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.shell import arena, command, environment

pytestmark = [pytest.mark.slow, pytest.mark.process]

CALLS = """
verify PATH
replay PATH 1
games PATH
report PATH
watch PATH
site PATH out
standings PATH
standings PATH -q
standings PATH --full
ladder PATH
ladder PATH --status
export PATH --pgn -o out
merge PATH PATH
run PATH
run PATH -q
run PATH --dry-run
run -g dragonheart PATH B -n 1
run -g dragonheart A B -n 1 -o PATH
run -g chess A B -n 1 --positions PATH
compare PATH B -g dragonheart
compare A B -g dragonheart -o PATH
compare A B --file PATH
try PATH -g dragonheart
check PATH --quick
new-bot PATH
new-game PATH
init PATH
vectors PATH -g dragonheart
""".strip().splitlines()
BOTS = {"A": "builtin:random", "B": "builtin:greedy"}


def long_name(_: Path) -> str:
    return "x" * 300


def long_path(_: Path) -> str:
    return "/".join(["x" * 200] * 30)


def loop(folder: Path) -> str:
    (folder / "loop").symlink_to("loop")
    return "loop"


def below_a_loop(folder: Path) -> str:
    return f"{loop(folder)}/inside"


def below_a_file(folder: Path) -> str:
    (folder / "file").touch()
    return "file/inside"


def not_utf8(_: Path) -> str:
    return "\udcff\udcfe"


BAD = [long_name, long_path, loop, below_a_loop, below_a_file, not_utf8]


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("call", CALLS)
def test_a_path_that_cannot_be_used(call: str, bad: Callable[[Path], str], tmp_path: Path) -> None:
    """A name that is not UTF-8 can be the name of a folder or file that is written."""
    own = BOTS | {"PATH": bad(tmp_path)}
    found = arena(tmp_path, *(own.get(word, word) for word in call.split()))
    assert "Traceback" not in found.err
    assert "bug in arena" not in found.err
    assert found.code == 2 or (found.code == 0 and bad is not_utf8), found
    assert (found.err + found.out).strip()


@pytest.mark.parametrize("mebibytes", [20, 40, 60, 100, 140, 180, 220])
@pytest.mark.parametrize("call", ["run -g dragonheart A B -n 1 -o out", "standings results.csv"])
def test_memory_that_is_not_enough(call: str, mebibytes: int, tmp_path: Path) -> None:
    """OpenBLAS ends the process itself, with its own message."""
    (tmp_path / "results.csv").write_text("game,seat,bot,place\n1,0,a,1\n1,1,b,2\n")
    limits = mebibytes << 20, mebibytes << 20
    found = subprocess.run(
        command(*(BOTS.get(word, word) for word in call.split())),
        cwd=tmp_path,
        env=environment(TMPDIR=str(tmp_path)),
        text=True,
        capture_output=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limits),
        check=False,
    )
    assert "Traceback" not in found.stderr
    assert found.returncode in (0, 2) or "OpenBLAS" in found.stderr, found.stderr
    assert not list(tmp_path.glob("arena-crash-*"))
