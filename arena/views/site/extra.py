"""Options of a site, and facts for it that only a ladder knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple


class Options(NamedTuple):
    """Options of a site."""

    games: int = 2
    """Number of games won and of games lost by the widest margins that can be stepped through.

    Counted for each bot; 0: no game at all can be stepped through.
    """
    costs: bool = False
    """True to show the time and memory that bots took, which otherwise only authors see."""
    url: str = ""
    """Address of the site; empty: not known, the feed then has relative links."""
    jobs: int = 1
    """Number of processes that prepare games."""


class Remark(NamedTuple):
    """Reason why a bot does not play: refused, paused."""

    bot: str
    state: str
    """State in one word."""
    reason: str
    """Reason in a sentence that everyone may read."""
    when: str = ""
    """Time in UTC, ISO 8601; empty: not known."""


class Extra(NamedTuple):
    """Additional facts for a site, such as the authors of bots; each of them may be missing."""

    authors: Mapping[str, str] = {}
    """Authors by bot, without a version."""
    remarks: Sequence[Remark] = ()


NO_EXTRA: Final = Extra()
