"""A program that is hard to catch."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

CHAIN = """
#include <unistd.h>

/* Forks and ends, for ever, each time in a session of its own: no process id lives long. */
int main(void)
{
    if (fork() > 0)
        return 0;
    for (;;) {
        setsid();
        if (fork() > 0)
            _exit(0);
    }
}
"""


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program that flees from one process to the next."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    program = tmp_path_factory.mktemp("chain") / "chain"
    (source := program.with_suffix(".c")).write_text(CHAIN)
    subprocess.run([compiler, "-O2", "-o", program, source], check=True)
    return program
