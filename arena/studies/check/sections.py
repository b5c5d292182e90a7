"""Where protocol.md says what: sections by name, so that findings can refer to them.

A test compares this table with the page; nothing else in the code names its sections.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

PAGE: Final = "protocol.md"


class Section(StrEnum):
    """Titles, without numbers."""

    FIRST_BOT = "A first bot"
    LIFE = "The life of a bot"
    LINES = "Lines"
    MESSAGES = "Messages"
    TIME = "Time"
    LIMITS = "Limits"
    FAULTS = "Faults"
    PROCESSES = "Processes, seeds and repeatable games"
    SURROUNDINGS = "Surroundings of a bot"
    MANIFEST = "The manifest"
    TRAPS = "Traps"
    CHANGES = "What may change"


_NUMBERS: Final = {
    Section.FIRST_BOT: 1,
    Section.LIFE: 2,
    Section.LINES: 3,
    Section.MESSAGES: 4,
    Section.TIME: 5,
    Section.LIMITS: 6,
    Section.FAULTS: 7,
    Section.PROCESSES: 8,
    Section.SURROUNDINGS: 9,
    Section.MANIFEST: 10,
    Section.TRAPS: 15,
    Section.CHANGES: 16,
}


def link(section: Section) -> str:
    """``protocol.md#7-faults``, as the page's own list of contents has it."""
    words = re.sub(r"[^\w\s-]", "", f"{_NUMBERS[section]} {section.value}".lower())
    return f"{PAGE}#{'-'.join(words.split())}"
