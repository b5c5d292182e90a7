"""Removals of records that the rule of a run does not grant."""

from __future__ import annotations

import datetime
import hashlib

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from arena.extensions.ladder.thinning import GameAge, unfounded
from arena.runs.thinning import Thinned

DAY = 86_400
NOW = 1_900_000_000 // DAY * DAY
BEGAN = datetime.datetime.fromtimestamp(NOW - 50 * DAY, datetime.UTC)
PRESENT = datetime.datetime.fromtimestamp(NOW + 20 * DAY, datetime.UTC)
AGES = [GameAge(NOW - (40 - k) * DAY, 100 * (k + 1)) for k in range(40)]


def instant(seconds: float) -> str:
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).isoformat(timespec="seconds")


def removal(lines: int, keep: int = 10, at: int = NOW, end: int | None = None) -> Thinned:
    end = 100 * lines if end is None else end
    digest = hashlib.sha256(b"").hexdigest()
    return Thinned(instant(at), instant(at - keep * DAY), lines, end, digest, digest)


@given(st.integers(1, 30), st.integers(0, 8))
def test_what_the_rule_grants_is_no_finding(lines: int, more: int) -> None:
    later = removal(30 + more, at=NOW + more * DAY)
    assert (
        list(unfounded([removal(lines), later][: 1 + more], iter(AGES), 10 * DAY, BEGAN, PRESENT))
        == []
    )


@given(
    st.sampled_from(
        ["future", "past", "sooner", "younger", "end", "lines", "again", "time", "unknown age"]
    ),
    st.integers(1, 30),
    st.integers(1, 9),
)
def test_what_it_does_not_grant_is_one(forged: str, lines: int, by: int) -> None:
    ages, own = list(AGES), removal(lines)
    match forged:
        case "future":
            own = removal(lines, at=NOW + (28 + by) * DAY)
        case "past":
            ages = [GameAge(NOW - (60 + by) * DAY, age.behind) for age in AGES]
        case "sooner":
            own = removal(lines, keep=10 - by)
        case "younger":
            own = removal(30 + by)
        case "end":
            own = removal(lines, end=100 * lines + by)
        case "lines":
            own = msgspec.structs.replace(own, lines=40 + by)
        case "time":
            own = msgspec.structs.replace(own, before="long ago")
        case "unknown age":
            ages[lines - 1] = GameAge(0, 100 * lines)
    removals = [own, own] if forged == "again" else [own]
    assert list(unfounded(removals, iter(ages), 10 * DAY, BEGAN, PRESENT))
