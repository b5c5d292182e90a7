"""Sections of protocol.md by name, so that findings can refer to them.

A test compares this table with the page; no other code names its sections.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

PAGE: Final = "protocol.md"


class FindingSection(StrEnum):
    """Title of a section."""

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


def link(section: FindingSection) -> str:
    """Return the link to a section, such as ``protocol.md#faults``."""
    return f"{PAGE}#{section.value.lower().replace(' ', '-')}"
