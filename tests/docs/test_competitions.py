"""Every command of the page for organisers works, in the order in which it stands there."""

from __future__ import annotations

import json
import re
import shlex
import zlib
from pathlib import Path

import pytest

from arena.hosting.sandbox.isolation import SANDBOX, IsolationError
from arena.hosting.sandbox.probes import resolve
from tests.cli.shell import arena

pytestmark = [pytest.mark.slow, pytest.mark.process]

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "competitions.md").read_text()


def commands() -> list[list[str]]:
    """The words behind ``$ arena`` in console blocks."""
    blocks = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    return [shlex.split(line.removeprefix("$ arena ")) for line in lines]


def has_sandbox() -> bool:
    try:
        resolve(SANDBOX)
    except IsolationError:
        return False
    return True


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A folder that looks like a clone to someone who runs commands in it."""
    for name in ("bots", "tournaments"):
        (tmp_path / name).symlink_to(ROOT / name)
    return tmp_path


@pytest.mark.skipif(not has_sandbox(), reason="this machine has no sandbox")
def test_every_command_of_the_page(clone: Path) -> None:
    assert len(commands()) > 5
    shown = ""
    for args in commands():
        done = arena(clone, *(word.replace("COMMITMENT", shown) for word in args))
        assert done.code == 0, (args, done.err)
        assert done.out, args
        if found := re.search(r"^commitment ([0-9a-f]{64})$", done.err, re.MULTILINE):
            shown = found[1]
    assert shown
    records = (clone / "runs/competition/records/0.jsonl.gz").read_bytes()
    assert_found_by_seed(clone, records)


def assert_found_by_seed(clone: Path, records: bytes) -> None:
    """A competitor quotes the seed of his bot, and there is one game with it."""
    done = arena(clone, "export", "runs/competition", "--for", "greedy", "-o", "pack")
    assert done.code == 0
    first = (clone / "pack/games/01.jsonl").read_text().partition("\n")[0]
    headers = [line for line in lines(records) if str(json.loads(first)["bot_seed"]) in line]
    assert [line.startswith('{"line":"header","format":1,"spec":{"game_id":"dragonheart-2/')
            for line in headers] == [True]  # fmt: skip


def lines(records: bytes) -> list[str]:
    """Of all members of the file, as ``zcat`` shows them."""
    found = ""
    while records:
        member = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
        found += member.decompress(records).decode()
        records = member.unused_data
    return found.splitlines()
