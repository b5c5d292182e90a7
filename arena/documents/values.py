"""The kinds of text and quantities in tournament files and bot manifests.

Durations are read as seconds, sizes as bytes.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Meta

from arena.documents.units import DURATION, SHARE, SIZE

_DAY: Final = 86_400

Name: TypeAlias = Annotated[
    str,
    Meta(
        pattern="^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$",
        extra={"expected": 'a name: 1 to 64 of A-Z a-z 0-9 "." "_" "-", no sign first'},
    ),
]
"""Name of a run, entrant or bot, also used as a file name."""

Version: TypeAlias = Annotated[
    str,
    Meta(
        pattern=r"^[0-9]{1,6}(\.[0-9]{1,6}){0,3}$",
        extra={"expected": 'a version such as "3.11"'},
    ),
]
"""Numbers separated by dots, the most significant first."""

OptionName: TypeAlias = Annotated[
    str,
    Meta(
        pattern="^[A-Za-z][A-Za-z0-9_]{0,63}$",
        extra={"expected": 'letters, digits and "_", a letter first'},
    ),
]

EnvName: TypeAlias = Annotated[
    str,
    Meta(
        pattern="^[A-Za-z_][A-Za-z0-9_]{0,254}$",
        extra={"expected": 'the name of a variable: letters, digits and "_"'},
    ),
]

PathText: TypeAlias = Annotated[
    str, Meta(min_length=1, max_length=4096, extra={"expected": "a path"})
]

Argv: TypeAlias = Annotated[
    tuple[str, ...],
    Meta(min_length=1, extra={"expected": "a list of a program and its arguments"}),
]

Duration: TypeAlias = Annotated[
    float,
    Meta(
        gt=0,
        le=_DAY,
        extra={"unit": DURATION},
        extra_json_schema={"pattern": DURATION.pattern, "examples": ["1 s"]},
    ),
]
"""Seconds, above zero, at most a day."""

Pause: TypeAlias = Annotated[
    float,
    Meta(
        ge=0,
        le=_DAY,
        extra={"unit": DURATION},
        extra_json_schema={"pattern": DURATION.pattern, "examples": ["100 ms"]},
    ),
]
"""Seconds, at most a day, zero allowed."""

Size: TypeAlias = Annotated[
    int,
    Meta(
        ge=1 << 10,
        le=1 << 24,
        extra={"unit": SIZE},
        extra_json_schema={"pattern": SIZE.pattern, "examples": ["64 KiB"]},
    ),
]
"""Bytes, 1 KiB to 16 MiB."""

Memory: TypeAlias = Annotated[
    int,
    Meta(
        ge=1 << 24,
        le=1 << 40,
        extra={"unit": SIZE},
        extra_json_schema={"pattern": SIZE.pattern, "examples": ["1 GiB"]},
    ),
]
"""Bytes, 16 MiB to 1024 GiB."""

Space: TypeAlias = Annotated[
    int,
    Meta(
        ge=1 << 16,
        le=1 << 40,
        extra={"unit": SIZE},
        extra_json_schema={"pattern": SIZE.pattern, "examples": ["64 MiB"]},
    ),
]
"""Bytes on disk, 64 KiB to 1024 GiB."""

ProcessorTime: TypeAlias = Annotated[
    float,
    Meta(
        ge=1,
        le=30 * _DAY,
        extra={"unit": DURATION},
        extra_json_schema={"pattern": DURATION.pattern, "examples": ["1 h"]},
    ),
]
"""Seconds of CPU time, from 1 second to 30 days."""

Share: TypeAlias = Annotated[
    float,
    Meta(
        ge=0,
        le=1,
        extra={"unit": SHARE},
        extra_json_schema={"pattern": SHARE.pattern, "examples": ["50 %"]},
    ),
]
"""Share of the whole, 0 to 1."""

Unlimited: TypeAlias = Literal["none"]
"""Placeholder for a quantity: no such limit."""
