"""Explain from a program's file why it could not be executed, beyond the kernel's errno."""

from __future__ import annotations

import codecs
import errno
import os
import stat
from typing import Final

from arena.hosting.sandbox.isolation import Launch, Level
from arena.hosting.sandbox.paths import destination, is_own

_FIRST_LINE: Final = 256
_BOM: Final = codecs.BOM_UTF8


def start_problem(error: OSError, launch: Launch) -> str:
    """Return the reason, as the end of ``cannot be started: …``, with a remedy if one is known.

    The kernel says only that something is missing or has no format. For a submission that is kept
    apart, only programs in its own folder are examined: arena may read what the bot may not.
    """
    program = launch.command[0]
    name = os.path.basename(program)
    why = error.strerror or type(error).__name__
    if launch.copied and launch.level.at_least(Level.LANDLOCK):
        if not is_own(program, launch.folder):
            return why
        program = destination(program, launch.folder)
    if not os.path.isfile(program):
        return why
    if error.errno == errno.EACCES and not os.access(program, os.X_OK):
        return f"{name} is not executable (chmod +x {name})"
    first = first_line(program)
    if first is not None and first.startswith(_BOM + b"#!"):
        return (
            f"{name} has a byte order mark before its #! line "
            f"(sed -i '1s/^\\xEF\\xBB\\xBF//' {name})"
        )
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


def first_line(path: str) -> bytes | None:
    """Return the first line of a regular file, cut to a bound, without its line feed.

    Returns None if the file cannot be read or is not text. Never waits.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    try:
        is_file = stat.S_ISREG(os.fstat(descriptor).st_mode)
        first = os.read(descriptor, _FIRST_LINE).split(b"\n")[0] if is_file else b"\0"
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return None if b"\0" in first else first
