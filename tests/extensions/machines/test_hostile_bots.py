"""What a bot reaches of the cluster that plays it, as docs/machines.md has it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from arena.hosting.sandbox.isolation import Level
from arena.hosting.sandbox.probes import probe
from tests.extensions.machines.cluster import Cluster
from tests.rows import some

pytest.importorskip("arena.extensions.machines.dask", exc_type=ImportError)
pytestmark = [pytest.mark.process, pytest.mark.slow, pytest.mark.timeout(300)]

ROOT: Final = Path(__file__).parents[3]
BOT: Final = """
import os, socket, sys
sys.stdin.readline()
try:
    socket.create_connection(("127.0.0.1", PORT), 5).close()
    said = "reached"
except OSError as error:
    said = type(error).__name__
ours = [name for name in os.environ if "DASK" in name]
os.write(2, f"scheduler: {said}, of Dask: {ours}\\n".encode())
"""
SAID: Final = {
    Level.NONE: "reached",
    Level.LIMITS: "reached",
    Level.LANDLOCK: "PermissionError",
    Level.BUBBLEWRAP: "PermissionError",
}


@pytest.mark.parametrize("level", some([*reversed(Level)], every=4))
def test_a_bot_in_a_sandbox_does_not_reach_the_cluster(level: Level, tmp_path: Path) -> None:
    if not probe(level).works:
        pytest.skip(probe(level).detail)
    bot = tmp_path / "spy"
    bot.mkdir()
    (bot / "bot.yaml").write_text("bot: 1\nname: spy\ncommand: [python3, main.py]\n")
    folder = tmp_path / "run"
    with Cluster(tmp_path / "cluster", DASK_SECRET="secret") as cluster:
        port = cluster.address.rpartition(":")[2]
        (bot / "main.py").write_text(BOT.replace("PORT", port))
        cluster.start_worker()
        words = ["run", "-g", "dragonheart", str(bot), str(ROOT / "bots" / "random"), "-n", "1"]
        words += ["--isolation", level, "-o", str(folder), "--on", cluster.address]
        done = subprocess.run(
            [sys.executable, "-m", "arena", *words], capture_output=True, text=True, timeout=120
        )
    is_open = SAID[level] == "reached"
    assert ("warning: without TLS" in done.stderr) is is_open, done.stderr
    said = (folder / "logs" / "spy.stderr").read_text()
    assert f"scheduler: {SAID[level]}, of Dask: []" in said
