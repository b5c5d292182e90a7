"""Why a program cannot be executed is told with its remedy, from a real attempt."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import msgspec
import pytest

from arena.hosting.program import first_line, start_problem
from arena.hosting.sandbox.isolation import Launch, Level

pytestmark = pytest.mark.process


@pytest.mark.parametrize(
    ("content", "mode", "expected"),
    [
        ("print(1)\n", 0o755, "bot is a script and has no #! line (begin it with #!/usr"),
        ("\ufeff#!/bin/sh\n", 0o755, "bot has a byte order mark before its #! line (sed -i"),
        ("#!/bin/sh\r\necho 1\r\n", 0o755, "of bot ends with a carriage return"),
        ("#!/no/such/python -u\n", 0o755, "the interpreter /no/such/python of bot was not found"),
        ("#!/bin/sh\n", 0o644, "bot is not executable (chmod +x bot)"),
        ("\x7fELF\0\0", 0o755, "Exec format error"),
    ],
)
def test_the_file_tells_what_the_kernel_does_not(tmp_path, content, mode, expected) -> None:
    program = tmp_path / "bot"
    program.write_bytes(content.encode())
    program.chmod(mode)
    with pytest.raises(OSError, match=r"Errno") as failed:
        subprocess.run([str(program)], check=False)
    launch = Launch((str(program),), str(tmp_path), copied=True, level=Level.BUBBLEWRAP)
    assert expected in start_problem(failed.value, launch)
    (tmp_path / "link").symlink_to("bot")
    link = msgspec.structs.replace(launch, command=(str(tmp_path / "link"),))
    assert expected.replace("bot", "link") in start_problem(failed.value, link)
    away = msgspec.structs.replace(launch, folder=str(tmp_path / "other"))
    assert start_problem(failed.value, away) == failed.value.strerror, "it is not the bot's own"
    trusted = msgspec.structs.replace(away, level=Level.LIMITS)
    assert expected in start_problem(failed.value, trusted)


def test_nothing_is_guessed_of_a_program_that_is_not_there(tmp_path: Path) -> None:
    missing = str(tmp_path / "bot")
    error = FileNotFoundError(2, "No such file or directory")
    assert start_problem(error, Launch((missing,), str(tmp_path))) == "No such file or directory"


@pytest.mark.parametrize("lies", ["pipe", "link to a pipe", "folder"])
def test_the_first_line_is_read_of_regular_files_alone_and_nothing_waits(tmp_path, lies) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link to a pipe").symlink_to("pipe")
    (tmp_path / "folder").mkdir()
    assert first_line(str(tmp_path / lies)) is None
