"""Where protocol.md says what: sections by name, so that findings can refer to them.

A test compares this table with the page; nothing else in the code names its sections.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

PAGE: Final = "protocol.md"


class Section(StrEnum):
    """Titles."""

    LIFE = "Life"
    LINES = "Lines"
    MESSAGES = "Messages"
    TIME = "Time"
    LIMITS = "Limits"
    FAULTS = "Faults"
    PROCESSES = "Processes"
    SURROUNDINGS = "Surroundings"
    MANIFEST = "Manifest"
    TRAPS = "Traps"
    CHANGES = "Changes"


def link(section: Section) -> str:
    """``protocol.md#faults``, as links on the page have it."""
    return f"{PAGE}#{section.value.lower().replace(' ', '-')}"
