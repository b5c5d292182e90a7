"""Standard error of a bot, as the run folder keeps it."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from arena.runs.disk import StoreError, check_file
from arena.runs.store import HEADING, unescaped
from arena.views.export.pack import file_name

_LONGEST: Final = 16 * 1024 * 1024
"""Most bytes that are read; a run keeps far less of each bot."""


class BotLog:
    """The log of one bot, by game."""

    def __init__(self, folder: Path, bot: str, is_game: Callable[[str], bool]) -> None:
        """Read the log of a bot.

        ``is_game``: whether a text is the id of a game. Raises StoreError.
        """
        self._sections: list[tuple[str, list[bytes]]] = []
        for line in io.BytesIO(_read(folder / "logs" / f"{file_name(bot)}.stderr")):
            game = line.removeprefix(HEADING).rstrip(b"\n").decode("utf-8", "replace")
            if line.startswith(HEADING) and is_game(game):
                self._sections.append((game, []))
            elif self._sections:
                self._sections[-1][1].append(unescaped(line))
        self.games = frozenset(game for game, _ in self._sections)
        """Ids of the games in which the bot wrote something."""

    def text(self, headings: Mapping[str, str]) -> bytes:
        """Return what the bot wrote in games that have a heading, sorted by heading."""
        told = [(headings[game], said) for game, said in self._sections if game in headings]
        told.sort(key=lambda section: section[0])
        return b"".join(
            b"".join((HEADING, heading.encode(), b"\n", *said)) for heading, said in told
        )


def _read(path: Path) -> bytes:
    check_file(path)
    try:
        with path.open("rb") as file:
            return file.read(_LONGEST)
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error.strerror}") from None
