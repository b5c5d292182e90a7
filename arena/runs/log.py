"""Set up arena's own log file in the run folder."""

from __future__ import annotations

import logging
import os
from io import TextIOWrapper
from pathlib import Path

from arena.runs.disk import in_place


def log_to(folder: Path) -> None:
    """Write the log of arena and its workers to the run folder; warnings are also shown."""
    formatter = logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
    file = _LogFile(folder / "logs" / "arena.log", delay=True)
    file.setFormatter(formatter)
    logging.raiseExceptions = False  # an unwritable log must neither end the run nor print anything
    logging.basicConfig(level=logging.INFO, handlers=[file], force=True)


class _LogFile(logging.FileHandler):
    """A log handler that opens only the expected regular file, and else discards all lines."""

    def _open(self) -> TextIOWrapper:
        try:
            return open(self.baseFilename, "a", encoding="utf-8", opener=in_place)
        except OSError:
            return open(os.devnull, "a", encoding="utf-8")
