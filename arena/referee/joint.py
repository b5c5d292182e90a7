"""Wait for the answers of several bots at once, each until its own deadline."""

from __future__ import annotations

import select
from collections.abc import Generator, Mapping
from math import inf
from time import monotonic_ns
from typing import Final, NamedTuple, TypeAlias, TypeVar

_MILLISECOND: Final = 1_000_000
Found = TypeVar("Found")
Key = TypeVar("Key")


class Wait(NamedTuple):
    """A wait for the first event of some descriptors."""

    most: float | None
    """Longest wait in milliseconds; None: without a limit."""
    watched: Mapping[int, int]
    """Events to wait for, as ``select.poll`` has them, by descriptor."""


Steps: TypeAlias = Generator[Wait, float | None, Found]
"""Steps of a question: yield before each wait, are sent how long to wait, return the answer."""


def alone(steps: Steps[Found]) -> Found:
    """Return the answer of one question, which waits for itself."""
    most = None
    try:
        while True:
            most = steps.send(most).most
    except StopIteration as end:
        found: Found = end.value
        return found


def together(asked: Mapping[Key, Steps[Found]]) -> dict[Key, Found]:
    """Ask all questions, in their order, and return the answers when all have come.

    An exception of one question ends all of them.
    """
    found: dict[Key, Found] = {}
    waits: dict[Key, tuple[float, Wait]] = {}
    """The wait of each question, and the instant at which it ends."""

    def step(key: Key, most: float | None) -> None:
        try:
            wait = asked[key].send(most)
            due = inf if wait.most is None else monotonic_ns() + wait.most * _MILLISECOND
            waits[key] = due, wait
        except StopIteration as end:
            waits.pop(key, None)
            found[key] = end.value

    try:
        for key in asked:
            step(key, None)
        while waits:
            poll, due = select.poll(), min(due for due, _ in waits.values())
            for _, wait in waits.values():
                for descriptor, events in wait.watched.items():
                    poll.register(descriptor, events)
            left = None if due == inf else max(0.0, (due - monotonic_ns()) / _MILLISECOND)
            ready, now = {descriptor for descriptor, _ in poll.poll(left)}, monotonic_ns()
            for key, (due, wait) in [*waits.items()]:
                if due <= now or ready & wait.watched.keys():
                    step(key, 0.0)
    finally:
        for steps in asked.values():
            steps.close()
    return found
