"""The words of a decision, for the test and for its reports."""

from __future__ import annotations

from enum import StrEnum


class Verdict(StrEnum):
    """What a match came to."""

    PASS = "pass"
    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"
    """The games or the time were used up before."""
    INVALID = "invalid"
    """The games say nothing about strength: too many faults, or nothing was compared."""


class Scale(StrEnum):
    """What the hypotheses are measured in."""

    NORMALIZED = "normalized"
    LOGISTIC = "logistic"
