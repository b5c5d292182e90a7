"""Builds of bots. An extension runs the commands for it, see ``Extension.sources``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from arena import extensions
from arena.entrants import cache
from arena.entrants.entrants import Entrant, EntrantKind
from arena.entrants.folders import Bounds
from arena.entrants.manifest import program_problem, stray_problem
from arena.values.bad_input import BadInput
from arena.values.problems import ConfigError, Problem, shown_path


class BuildFailed(ConfigError):
    """The bot cannot be built, and the machine is not to blame."""

    @property
    def reason(self) -> str:
        """The first line of what was found, without the output of the build."""
        return self.problems[0].found.partition("\n")[0]


def build(entrant: Entrant, readable: Sequence[str] = (), bounds: Bounds | None = None) -> Entrant:
    """Return the entrant, built if necessary, with the folder and command of the built bot.

    ``readable``: as in ``Launch``. ``bounds``: on the build's files together with the source; None:
    those of any bot. Raises BuildFailed with the last lines of output if the build fails, or if the
    command is missing afterwards, and ConfigError if the machine is to blame.
    """
    cache.clear_unfinished()
    if not entrant.build:
        check_program(entrant, Path(entrant.folder), readable)
        return entrant
    try:
        function = extensions.need("build", "sources", "build")
    except BadInput as error:
        raise ConfigError([Problem(shown_path(entrant.given), "", str(error))]) from None
    built: Entrant = function(entrant, readable, bounds)
    return built


def check_program(entrant: Entrant, place: Path, readable: Sequence[str]) -> None:
    """Check that the command of a bot can be started from ``place``. Raises BuildFailed."""
    word, is_bot = entrant.words[0], entrant.kind is EntrantKind.BOT
    seen = readable if is_bot and entrant.isolation.closes_files() else None
    shown = None if is_bot else place
    # An organiser's command may name any place, such as a virtual environment in its folder.
    problem = stray_problem(word, place) if is_bot or not os.path.isabs(word) else ""
    if problem := problem or program_problem(word, place, shown=shown, readable=seen):
        hint = " after the build" if entrant.build else ""
        where = shown_path(Path(entrant.folder))
        raise BuildFailed([Problem(where, "", f"command: {problem}{hint}")])
