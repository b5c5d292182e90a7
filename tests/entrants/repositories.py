"""Small git repositories with bots."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Final

from tests.tournament.folders import write_bot

_PERSON: Final = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
}


def git(folder: Path, *words: str, stdin: bytes = b"") -> str:
    """What git prints, without the last line end."""
    command = ["git", "-C", str(folder), "-c", "protocol.file.allow=always", *words]
    done = subprocess.run(
        command, check=True, capture_output=True, input=stdin, env=os.environ | _PERSON
    )
    return done.stdout.decode().removesuffix("\n")


def commit(folder: Path, subject: str) -> str:
    """All that is in the folder, as a commit; its name."""
    git(folder, "add", "--all", "--force")
    git(folder, "commit", "--quiet", "--allow-empty", "-m", subject)
    return git(folder, "rev-parse", "HEAD")


def repository(folder: Path) -> Path:
    """A repository with one commit, tagged ``v1``, that holds the bots ``mine`` and ``other``."""
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "-b", "main")
    write_bot(folder / "bots" / "mine")
    write_bot(folder / "bots" / "other")
    commit(folder, "Two bots")
    git(folder, "tag", "v1")
    return folder
