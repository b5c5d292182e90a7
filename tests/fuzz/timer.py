"""An end to what does not end."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def interrupted(seconds: float, failure: Exception) -> Iterator[None]:
    """Raise ``failure`` in the body once it has used so many seconds of the processor.

    Only in the main thread.
    """

    def interrupt(*_: Any) -> None:
        raise failure

    before = signal.signal(signal.SIGVTALRM, interrupt)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
