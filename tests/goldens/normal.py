"""What differs from one time to the next, and what stands for it in a golden."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

import arena

_DATE: Final = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?( ?UTC|Z|\+00:00)?"
_TIME: Final = r"\d+(?:\.\d+)? (?:µs|ms|s|min|h)\b"
_MEASURED: Final = "think_us|wall_us|rate|left|read|offset|length|modified|elapsed|seconds"

PATTERNS: Final[tuple[tuple[re.Pattern[str], str], ...]] = tuple(
    (re.compile(pattern), instead)
    for pattern, instead in (
        (_DATE, "<date>"),
        (rf'(\barena(?: |":\s*"|</dt><dd>)){re.escape(arena.__version__)}', r"\1<version>"),
        (rf'("(?:{_MEASURED})":\s*)(?:[\d.e-]+|\[[\d\s,.]*\])', r"\1<measured>"),
        (r"\d+(\.\d+)? games/s", "<rate> games/s"),
        (r"(left|elapsed) +\d+:\d\d:\d\d", r"\1 <time>"),
        (rf"(thinking time: .*)", "thinking time: <measured>"),
        (r"'sha256-[\w+/=]+'", "<digest>"),
        (r"(?:&#39;|&#x27;)sha256-[\w+/=]+(?:&#39;|&#x27;)", "<digest>"),
    )
)
"""Applied in this order, to every text."""


def normal(text: str, places: Mapping[str, str]) -> str:
    """The text with paths (``places``: path to word) and patterns replaced."""
    for path, word in places.items():
        text = text.replace(path, word)
    for pattern, instead in PATTERNS:
        text = pattern.sub(instead, text)
    return text
