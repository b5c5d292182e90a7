"""A kept exchange with a bot: a file of lines of JSON, one for each thing that went either way.

``{"way": "to", "at": 0.00123, "text": "..."}``: ``way`` as in ``Way``, ``at`` in seconds from the
start of the process, ``text`` without the end of its line. Bytes of a bot that are no UTF-8 are
written as escapes.
"""

from __future__ import annotations

from typing import Final

import msgspec

from arena.studies.trial.listening import Heard, Way

_SECOND: Final = 1_000_000_000


class Kept(msgspec.Struct, frozen=True):
    """A line of the file."""

    way: Way
    at: float
    text: str


def written(heard: Heard) -> bytes:
    """What is heard as a line of the file."""
    text = heard.data.decode("utf-8", "backslashreplace")
    return msgspec.json.encode(Kept(heard.way, heard.at / _SECOND, text)) + b"\n"
