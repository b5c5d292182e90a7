"""Publication of a ladder: a folder with its public files.

DIR/table.*     copies of the tables in the ladder's folder
DIR/site/       the pages of ``views.site``
DIR/proof/      a proof, see ``views.export.proof``; not with hidden names
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from arena.config.keys import Names
from arena.config.ladder import LADDER_FILE, Ladder
from arena.documents.bad_input import BadInput
from arena.entrants.git import Git
from arena.ladder.answers import ANSWERS
from arena.ladder.store import BOTS
from arena.ladder.table import forms_of
from arena.runs.disk import write_atomically, writing
from arena.runs.reader import StoredRun
from arena.runs.store import SEED
from arena.views.export.pack import PackError, check_target
from arena.views.export.proof import Proof, write_proof
from arena.views.site.folder import Options
from arena.views.site.write import write_site

_SITE: Final = "site"
_PROOF: Final = "proof"


class Publication:
    """The folder in which a ladder is published."""

    def __init__(self, ladder: Ladder, target: Path) -> None:
        """Check ``target``. Raises BadInput if it cannot be such a folder."""
        self._ladder = ladder
        self._target = target
        own = Path(os.path.realpath(target))
        private = (ladder.run, ladder.folder / BOTS, ladder.folder / ANSWERS, ladder.submissions)
        for folder in private:
            real = os.path.realpath(folder)
            if own.is_relative_to(real):
                raise BadInput(f"{target}: lies in {folder}, expected a folder outside of it")
            if Path(real).is_relative_to(own):
                raise BadInput(f"{target}: holds {folder}, expected a folder without the ladder")
        if target.exists() and not target.is_dir():
            raise BadInput(f"{target}: found something that is no folder")
        if not own.parent.is_dir():
            raise BadInput(f"{target}: the folder {own.parent} does not exist")
        if own.is_dir():
            with _pack_errors():
                check_target(target / _PROOF, force=True)

    def write(self, run: StoredRun) -> None:
        """Update the folder after the tables were written. Raises BadInput and StoreError."""
        with writing(self._target):
            self._target.mkdir(exist_ok=True)
            for form in forms_of(self._ladder.file.output):
                name = f"table.{form.value}"
                write_atomically(self._target / name, (self._ladder.folder / name).read_bytes())
        write_site(run, self._target / _SITE, Options())
        proof = Proof(run)
        tells_deals_to_come = proof.is_whole and not run.manifest.is_over
        is_wanted = self._ladder.plan.names is Names.SHOWN and not tells_deals_to_come
        if is_wanted and not proof.is_empty:
            with _pack_errors():
                for _ in write_proof(proof, self._target / _PROOF, force=True):
                    pass


@contextlib.contextmanager
def _pack_errors() -> Iterator[None]:
    try:
        yield
    except PackError as error:
        raise BadInput(str(error)) from None


_ANY_OWNER: Final = ("-c", "safe.directory=*")
"""Options for git: only file names are read from the repository, so its owner does not matter."""


def tracked_secrets(ladder: Ladder) -> Iterator[Path]:
    """Yield the files of ``ladder`` that contain its seed and that git tracks.

    Readers of that repository know all deals to come. Without git no file is tracked.
    """
    if _is_tracked(ladder.run / SEED):
        yield ladder.run / SEED
    if ladder.file.seed is not None and _is_tracked(ladder.folder / LADDER_FILE):
        yield ladder.folder / LADDER_FILE


def _is_tracked(path: Path) -> bool:
    return bool(Git(str(path.parent)).ask(*_ANY_OWNER, "ls-files", "--", path.name))
