"""A Dask cluster of this machine, made of the programs that people start, each killed by its id."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import psutil

SECONDS: Final = 120.0
"""A limit on what hangs: to start a cluster and a run takes 20 s on two busy cores."""
_MARK: Final = "ARENA_CLUSTER_OF_TESTS"


class Cluster:
    """A scheduler and workers. Use as a context manager: nothing of it is left."""

    def __init__(self, folder: Path, **settings: str) -> None:
        """``settings``: of all its processes, as environment variables."""
        self._folder = folder
        self._settings = settings
        self._started: list[subprocess.Popen[bytes]] = []
        self._port = _free_port()
        self.workers: list[subprocess.Popen[bytes]] = []
        self.address = f"tcp://127.0.0.1:{self._port}"

    def __enter__(self) -> Cluster:
        try:
            self.scheduler = self.start_scheduler()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for process in self.left():
            with contextlib.suppress(psutil.NoSuchProcess):  # it has ended since
                process.kill()
        for started in self._started:
            started.kill()
            started.wait()

    def start_scheduler(self) -> subprocess.Popen[bytes]:
        """At the address of the cluster, also again after one that was killed."""
        words = ["scheduler", "--host", "127.0.0.1", "--port", str(self._port), "--no-jupyter"]
        words += ["--dashboard-address", "127.0.0.1:0", "--no-dashboard"]
        self.scheduler = self._start("scheduler", words, {})
        give_up = time.monotonic() + SECONDS
        while not _answers(self._port):
            assert time.monotonic() < give_up
            time.sleep(0.05)
        return self.scheduler

    def start_worker(self, threads: int = 1, **settings: str) -> subprocess.Popen[bytes]:
        """With a folder and a cache of its own."""
        folder = self._folder / f"worker-{len(self.workers)}"
        for name in ("cache", "tmp"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        own = {"XDG_CACHE_HOME": str(folder / "cache"), "TMPDIR": str(folder / "tmp")}
        words = ["worker", self.address, "--nthreads", str(threads), "--memory-limit", "0"]
        words += ["--host", "127.0.0.1"]
        words += ["--no-dashboard", "--local-directory", str(folder)]
        worker = self._start(folder.name, words, own | settings)
        self.workers.append(worker)
        return worker

    def _start(
        self, name: str, words: list[str], settings: dict[str, str]
    ) -> subprocess.Popen[bytes]:
        folder = self._folder / name
        folder.mkdir(parents=True, exist_ok=True)
        environment = os.environ | self._settings | settings | {_MARK: str(self._folder)}
        with open(folder / "log", "ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "dask", *words],
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        return self.own(process)

    def own(self, process: subprocess.Popen[bytes]) -> subprocess.Popen[bytes]:
        """End a process with the cluster at the latest, whatever fails meanwhile."""
        self._started.append(process)
        return process

    def hosts(self) -> list[psutil.Process]:
        """The hosts that are there now."""
        return [each for each in self.left() if _command(each)[-1:] == ["host"]]

    def players(self) -> list[psutil.Process]:
        """The processes of workers of arena, which play."""
        return [each for each in self.left() if _command(each)[-1:][:1] and _is_player(each)]

    def left(self) -> list[psutil.Process]:
        """All processes that are of the cluster, bots too, by environment or by folder."""
        return [each for each in psutil.process_iter() if self._is_ours(each)]

    def bots(self) -> list[psutil.Process]:
        """Those in folders of bots."""
        return [each for each in self.left() if "cells" in _folder_of(each)]

    def _is_ours(self, process: psutil.Process) -> bool:
        if process.pid == os.getpid():
            return False
        try:
            if process.status() == psutil.STATUS_ZOMBIE:
                return False
            mark = process.environ().get(_MARK)
        except (psutil.Error, OSError):
            mark = None
        return mark == str(self._folder) or _folder_of(process).startswith(str(self._folder))


def _folder_of(process: psutil.Process) -> str:
    try:
        return str(process.cwd())
    except (psutil.Error, OSError):
        return ""


def _command(process: psutil.Process) -> list[str]:
    try:
        return list(process.cmdline())
    except (psutil.Error, OSError):
        return []


def _is_player(process: psutil.Process) -> bool:
    return _command(process)[-1].startswith("worker-")


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1.0).close()
    except OSError:
        return False
    return True


def wait_until(what: object, seconds: float = SECONDS) -> Iterator[None]:
    """Goes on until the call says yes; fails after so long."""
    give_up = time.monotonic() + seconds
    while not what():  # type: ignore[operator]
        assert time.monotonic() < give_up
        yield
        time.sleep(0.05)


def interrupt(process: subprocess.Popen[bytes]) -> None:
    """As Ctrl-C."""
    process.send_signal(signal.SIGINT)
