"""Our own log in the run folder."""

from __future__ import annotations

import logging
import os
from io import TextIOWrapper
from pathlib import Path

from arena.runs.disk import in_place


def log_to(folder: Path) -> None:
    """Our own log, workers included, goes to the run folder; warnings are also shown."""
    formatter = logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
    file = _LogFile(folder / "logs" / "arena.log", delay=True)
    file.setFormatter(formatter)
    logging.raiseExceptions = False  # a log that cannot be written ends nothing and says nothing
    logging.basicConfig(level=logging.INFO, handlers=[file], force=True)


class _LogFile(logging.FileHandler):
    """Writes to a file in its own place alone; nothing is kept where there can be none."""

    def _open(self) -> TextIOWrapper:
        try:
            return open(self.baseFilename, "a", encoding="utf-8", opener=in_place)
        except OSError:
            return open(os.devnull, "a", encoding="utf-8")
