from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from arena.values.files import regular


def test_only_a_regular_file_is_opened_and_nothing_is_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to("file")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(tmp_path / "socket"))
        descriptors = len(os.listdir("/proc/self/fd"))
        for name in ("pipe", "folder", "socket", "/dev/zero", "/dev/null", "none"):
            with pytest.raises(OSError, match=r"."):
                os.close(regular(str(tmp_path / name), os.O_RDONLY))
        for name in ("file", "link"):
            with open(tmp_path / name, "rb", opener=regular) as file:
                assert file.read() == b"x"
        assert len(os.listdir("/proc/self/fd")) == descriptors
