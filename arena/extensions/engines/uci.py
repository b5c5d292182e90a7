"""Bots named ``uci:PROGRAM SETTINGS``: engines that speak UCI.

An engine such as ``uci:stockfish nodes=600 option.Hash=16`` is the bot of a folder that arena
writes to its cache: a bot.yaml with the command ``{uci: PROGRAM}`` and the settings as options. So
an engine is isolated, copied, timed and blamed like any other bot.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from arena.entrants.cache import cache_folder, tidy
from arena.entrants.manifest import MANIFEST_FILE
from arena.entrants.names import SchemeError
from arena.entrants.toolchains import find_on_path
from arena.hosting.workspace.trees import private_folder
from arena.values.problems import file_error, quote

_UCI: Final = "uci:"
LIMITS: Final = ("nodes", "depth", "movetime")
"""Settings that limit every search of an engine; all others are options of the engine."""
_OPTION: Final = "option."
_KIND: Final = "engines"
_NAME_LENGTH: Final = 40
_NUMBER: Final = re.compile(r"-?[0-9]{1,15}")
_PROGRAM: Final = "engine"
"""Name of the copy of a program."""
_EXPECTED: Final = (
    f"{_UCI}PROGRAM, then {', '.join(f'{name}=NUMBER' for name in LIMITS)}, "
    f"{_OPTION}NAME=VALUE or arguments of the program"
)


class Engine(NamedTuple):
    """An engine as named, which exists."""

    program: str
    """Absolute path."""
    is_installed: bool
    """True if it was found on PATH. Other programs are copied, alone, to the folder of the bot."""
    arguments: tuple[str, ...]
    options: dict[str, int | str]
    """Settings by name, as options of the bot."""

    def __str__(self) -> str:
        limits = [f"{name}={value}" for name, value in self.options.items() if name in LIMITS]
        others = [
            f"{_OPTION}{name}={value}" for name, value in self.options.items() if name not in LIMITS
        ]
        return _UCI + shlex.join([self.program, *self.arguments, *limits, *others])


def engine_bot(text: str, folder: Path) -> tuple[Path, str]:
    """Return the folder of the bot of an engine, and the text that names it. Raises SchemeError."""
    engine = read_engine(text, folder)
    return engine_folder(engine), str(engine)


def read_engine(text: str, folder: Path) -> Engine:
    """Return the engine that ``text`` names; a relative path starts at ``folder``.

    Raises SchemeError.
    """
    if not text.isprintable():
        raise SchemeError(f"found {quote(text)}, expected one line of text")
    try:
        program, *words = shlex.split(text.removeprefix(_UCI))
    except ValueError:
        raise SchemeError(f"found {quote(text)}, expected {_EXPECTED}") from None
    is_path = "/" in program
    found = os.path.abspath(folder / program) if is_path else find_on_path(program)
    if found is None or not os.path.isfile(found):
        expected = "the path of an engine" if is_path else "an engine on PATH"
        expected += ", in quotes if it has spaces" if words else ""
        raise SchemeError(f"found {quote(program)}, expected {expected}")
    if not os.access(found, os.X_OK):
        raise SchemeError(f"found {quote(program)}, expected an engine: it is not executable")
    arguments = tuple(word for word in words if word.startswith("-"))
    options: dict[str, int | str] = {}
    for word in words:
        if not word.startswith("-"):
            name, value = _setting(word)
            if name in options:
                raise SchemeError(f"found {name} twice, expected it once")
            options[name] = value
    return Engine(found, not is_path, arguments, options)


def _setting(word: str) -> tuple[str, int | str]:
    name, joint, value = word.partition("=")
    if joint and name in LIMITS and _NUMBER.fullmatch(value) and int(value) > 0:
        return name, int(value)
    if joint and name.startswith(_OPTION):
        name = re.sub(r"[^A-Za-z0-9]+", "_", name.removeprefix(_OPTION)).strip("_")
        if name and name[0].isalpha():
            return name, int(value) if _NUMBER.fullmatch(value) else value
    raise SchemeError(f"found {quote(word)}, expected {_EXPECTED}")


def engine_folder(engine: Engine) -> Path:
    """Return the folder of the bot of an engine, written if it is not there. Raises SchemeError.

    A program that is not installed is copied, so that it plays as it was when the run began.
    """
    try:
        with open(engine.program, "rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        manifest = msgspec.json.encode(dict(_manifest(engine, digest[:12])))
        folder = cache_folder(_KIND) / hashlib.sha256(manifest).hexdigest()[:32]
        folder.parent.mkdir(parents=True, exist_ok=True)
        private_folder(folder.parent)
        tidy(_KIND)
        private_folder(folder)
        os.utime(folder)
        program, unfinished = folder / _PROGRAM, folder.with_name(f".new-{os.getpid()}")
        if not engine.is_installed and not _holds(program, digest):
            shutil.copy(engine.program, unfinished)
            os.replace(unfinished, program)
        unfinished.write_bytes(manifest)
        os.replace(unfinished, folder / MANIFEST_FILE)
    except OSError as error:
        raise SchemeError(f"{engine} cannot be used: {file_error(error)}") from None
    return folder


def _holds(path: Path, digest: str) -> bool:
    """Return whether a file has this content: bots that run as our user could change it."""
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == digest
    except FileNotFoundError:
        return False


def _manifest(engine: Engine, version: str) -> Iterator[tuple[str, Any]]:
    """Yield the keys of bot.yaml, in JSON, which is YAML too."""
    settings = [f"{key}-{value}" for key, value in engine.options.items()]
    name = "-".join([Path(engine.program).stem, *settings])
    yield "bot", 1
    yield "name", re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-._")[:_NAME_LENGTH] or "engine"
    yield "version", version
    yield "plays", {"chess": [2]}
    program = engine.program if engine.is_installed else f"./{_PROGRAM}"
    yield "command", {"uci": [program, *engine.arguments]}
    yield (
        "options",
        {
            name: {"type": "int" if isinstance(value, int) else "text", "default": value}
            for name, value in engine.options.items()
        },
    )
