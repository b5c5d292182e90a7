"""What hostile bots are after, laid out for them, and whether they got at it."""

from __future__ import annotations

import contextlib
import ctypes
import os
import secrets
import socket
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from arena.values.results import Limits

VARIABLE: Final = "ARENA_HOSTILE_CANARY"
"""In the environment of arena, never in that of a bot."""
COMMON_PLACES: Final = ("/tmp", "/var/tmp", "/dev/shm", "/run/lock", "/dev/mqueue")
_BOOK: Final = "to be kept"
_IPC_RMID: Final = 0


class Canaries:
    """Secrets, listeners, files and folders. A context manager that removes them."""

    def __init__(self) -> None:
        self.secret = f"secret-{secrets.token_hex(8)}"
        self.idea = f"idea-{secrets.token_hex(8)}"
        self.mark = f"hostile-{secrets.token_hex(6)}"
        self._key = int.from_bytes(secrets.token_bytes(3)) | 0x41000000
        self._place = tempfile.TemporaryDirectory(prefix=f"{self.mark}-place-")
        self.folder = Path(self._place.name)
        self.folder.chmod(0o755)
        self._sockets: dict[str, socket.socket] = {}

    def __enter__(self) -> Canaries:
        os.environ[VARIABLE] = self.secret
        self._lay_out_files()
        self._listen("tcp", socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0))
        self._listen("udp", socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0))
        self._listen("unix", socket.AF_UNIX, socket.SOCK_STREAM, str(self.folder / "socket"))
        self._listen("abstract", socket.AF_UNIX, socket.SOCK_STREAM, f"\0{self.mark}")
        self._listen("letter", socket.AF_UNIX, socket.SOCK_DGRAM, str(self.folder / "letters"))
        for name in ("socket", "letters"):
            (self.folder / name).chmod(0o777)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        del os.environ[VARIABLE]
        for listener in self._sockets.values():
            listener.close()
        self.clear()
        self._place.cleanup()

    def _lay_out_files(self) -> None:
        files = {"private": 0o600, "public": 0o644}
        for name, mode in files.items():
            (self.folder / name).write_text(self.secret)
            (self.folder / name).chmod(mode)
        for folder, mode in (("run", 0o700), ("shelf", 0o777), ("sources", 0o700)):
            (self.folder / folder).mkdir()
            (self.folder / folder).chmod(mode)
        (self.folder / "run" / "run.json").write_text(self.secret)
        (self.folder / "shelf" / "book").write_text(_BOOK)

    def _listen(self, name: str, family: int, kind: int, address: Any) -> None:
        listener = socket.socket(family, kind)
        self._sockets[name] = listener
        listener.bind(address)
        listener.setblocking(False)
        if kind == socket.SOCK_STREAM:
            listener.listen()

    @property
    def sources(self) -> Path:
        """Where the folders of the bots are."""
        return self.folder / "sources"

    def targets(self, limits: Limits) -> dict[str, Any]:
        """What a bot is told: an attacker who knows where to look."""
        return {
            "mark": self.mark,
            "key": self._key,
            "private_file": str(self.folder / "private"),
            "public_file": str(self.folder / "public"),
            "run_folder": str(self.folder / "run"),
            "shelf": str(self.folder / "shelf"),
            "sources": str(self.sources),
            "tcp": self._sockets["tcp"].getsockname()[1],
            "udp": self._sockets["udp"].getsockname()[1],
            "unix": str(self.folder / "socket"),
            "abstract": self.mark,
            "letters": str(self.folder / "letters"),
            "memory": limits.memory,
            "processes": limits.processes,
            "disk": limits.disk,
            "files": limits.files,
        }

    def traces(self) -> set[str]:
        """What was touched since the last call, in words; it is put right again."""
        found = {f"{name} listener" for name in self._sockets if self._heard(name)}
        found |= {str(path) for path in self._left()}
        if ctypes.CDLL(None).shmget(self._key, 0, 0) >= 0:
            found.add("shared memory")
        run = self.folder / "run" / "run.json"
        if run.read_text() != self.secret:
            found.add("run folder")
            run.write_text(self.secret)
        book = self.folder / "shelf" / "book"
        if not book.exists() or book.read_text() != _BOOK:
            found.add("shelf")
            book.write_text(_BOOK)
        self.clear()
        return found

    def _heard(self, name: str) -> bool:
        listener, heard = self._sockets[name], False
        with contextlib.suppress(BlockingIOError):
            while True:
                if listener.type == socket.SOCK_DGRAM:
                    listener.recv(1000)
                else:
                    listener.accept()[0].close()
                heard = True
        return heard

    def _left(self) -> list[Path]:
        """Files of the bots in places that everybody may write to, and beside their sources."""
        places = [Path(place) for place in COMMON_PLACES if os.path.isdir(place)]
        return [
            path
            for place in (*places, self.sources, *self.sources.glob("*"))
            for path in place.glob(f"*{self.mark}*")
            if path != self.folder
        ]

    def clear(self) -> None:
        """Remove what bots left."""
        for path in self._left():
            path.unlink()
        libc = ctypes.CDLL(None)
        if (segment := libc.shmget(self._key, 0, 0)) >= 0:
            libc.shmctl(segment, _IPC_RMID, None)
        with contextlib.suppress(AttributeError):
            libc.mq_unlink(f"/{self.mark}".encode())

    def leaked(self, text: str) -> bool:
        """Whether a secret is in what a bot wrote."""
        return self.secret in text or self.idea in text
