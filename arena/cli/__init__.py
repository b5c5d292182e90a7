"""The command line: options, output and exit codes; what is computed lies below.

Public modules, from which commands of extensions may import:

    choices, command, common, documents, games, terminal.announce, terminal.console,
    terminal.progress, terminal.reporter, terminal.signals
"""

from __future__ import annotations

import os
import resource
import sys
from io import TextIOWrapper

from arena.cli.early import OUT_OF_MEMORY, is_out_of_memory, version_text


def main() -> None:
    """Run the ``arena`` program."""
    _open_streams()
    _be_modest()
    if sys.argv[1:] in (
        ["--version"],
        ["-V"],
    ):  # called often by scripts, so faster than the parser
        print(version_text())
        return
    try:
        from arena.cli.app import run

        if "_ARENA_COMPLETE" in os.environ:
            from arena.cli.choices import answer

            answer(run)
        run()
    except KeyboardInterrupt:  # interrupted before the command began; a command handles this itself
        sys.exit(130)
    except (MemoryError, ImportError, OSError) as problem:  # what says so has to be loaded too
        if not is_out_of_memory(problem):
            raise
        print(f"error: {OUT_OF_MEMORY}", file=sys.stderr)
        sys.exit(2)


def _be_modest() -> None:
    """Run BLAS single-threaded under RLIMIT_AS, because it reserves address space for each core."""
    if resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def _open_streams() -> None:
    """Open all three standard streams and make them replace characters that they cannot encode.

    A stream may be missing if the process was started without it.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        stream = getattr(sys, name)
        if stream is None:  # closed: the first file opened must not get its number
            descriptor = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(descriptor, "w" if number else "r"))
        elif number and isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
