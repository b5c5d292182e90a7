"""The command line: words for people, exit codes, no computation worth testing."""

from __future__ import annotations

import os
import resource
import sys
from io import TextIOWrapper


def main() -> None:
    """Entry point of the ``arena`` program."""
    _open_streams()
    _be_modest()
    if sys.argv[1:] == ["--version"]:  # asked often by scripts, so answered without the parser
        from arena import __version__

        print(f"arena {__version__}")
        return
    try:
        from arena.cli.app import app
        from arena.cli.usage import run

        run(app)
    except KeyboardInterrupt:  # before the command began, which ends in its own way
        sys.exit(130)


def _be_modest() -> None:
    """Where addresses are limited, let numpy not take some for each core."""
    if resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def _open_streams() -> None:
    """Have all three standard streams, even if we were started without, and let none fail on

    a character that it cannot show.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        stream = getattr(sys, name)
        if stream is None:  # closed; the first file opened must not take its place
            descriptor = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(descriptor, "w" if number else "r"))
        elif number and isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
