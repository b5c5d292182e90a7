"""Why a program could not be executed, from its file: what the kernel's errno leaves open."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Final

_FIRST_LINE: Final = 256


def start_problem(error: OSError, program: str) -> str:
    """Why, as the end of ``cannot be started: …``, with a remedy where there is one.

    ``program``: absolute path. The kernel says only that something is missing or has no format.
    """
    name = os.path.basename(program)
    why = error.strerror or type(error).__name__
    if not os.path.isfile(program):
        return why
    if error.errno == errno.EACCES and not os.access(program, os.X_OK):
        return f"{name} is not executable (chmod +x {name})"
    first = _first_line(program)
    if error.errno == errno.ENOEXEC and first is not None and not first.startswith(b"#!"):
        return f"{name} is a script and has no #! line (begin it with #!/usr/bin/env python3, say)"
    if error.errno == errno.ENOENT and first is not None and first.startswith(b"#!"):
        interpreter = first[2:].strip().split(b" ")[0].decode("utf-8", "replace")
        if first.endswith(b"\r"):
            return (
                f"the #! line of {name} ends with a carriage return, which is taken for a part of "
                f"the interpreter's name (sed -i 's/\\r$//' {name})"
            )
        return f"the interpreter {interpreter} of {name} was not found"
    return why


def _first_line(path: str) -> bytes | None:
    """Without its line feed; None: it cannot be read, or is no text."""
    try:
        with Path(path).open("rb") as file:
            first = file.read(_FIRST_LINE).split(b"\n")[0]
    except OSError:
        return None
    return None if b"\0" in first else first
