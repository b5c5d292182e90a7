"""Options of a site."""

from __future__ import annotations

from typing import NamedTuple


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
