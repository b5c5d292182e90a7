"""Why a program cannot be executed is told with its remedy, from a real attempt."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from arena.hosting.program import start_problem

pytestmark = pytest.mark.process


@pytest.mark.parametrize(
    ("content", "mode", "expected"),
    [
        ("print(1)\n", 0o755, "bot is a script and has no #! line (begin it with #!/usr"),
        ("#!/bin/sh\r\necho 1\r\n", 0o755, "of bot ends with a carriage return"),
        ("#!/no/such/python -u\n", 0o755, "the interpreter /no/such/python of bot was not found"),
        ("#!/bin/sh\n", 0o644, "bot is not executable (chmod +x bot)"),
        ("\x7fELF\0\0", 0o755, "Exec format error"),
    ],
)
def test_the_file_tells_what_the_kernel_does_not(
    tmp_path: Path, content: str, mode: int, expected: str
) -> None:
    program = tmp_path / "bot"
    program.write_bytes(content.encode())
    program.chmod(mode)
    with pytest.raises(OSError, match=r"Errno") as failed:
        subprocess.run([str(program)], check=False)
    assert expected in start_problem(failed.value, str(program))


def test_nothing_is_guessed_of_a_program_that_is_not_there(tmp_path: Path) -> None:
    missing = str(tmp_path / "bot")
    assert start_problem(FileNotFoundError(2, "No such file or directory"), missing) == (
        "No such file or directory"
    )
