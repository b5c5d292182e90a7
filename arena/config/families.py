"""Plan a match of several candidates, without a tournament file or with the settings of one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from arena.config.matches import Terms, bots_and_games, check_overrides, failure, planned
from arena.documents.problems import printable, quote
from arena.results import Then
from arena.schedule.keys import Lineup

MOST: Final = 64
"""Largest number of candidates; without a baseline every two of them meet in each round."""


def family_terms(
    candidates: Sequence[str],
    baseline: str | None,
    games: Sequence[str],
    *,
    file: Path | None = None,
    lineup: Lineup | None = None,
    seed: str | None = None,
    overrides: Sequence[str] = (),
) -> Terms:
    """Plan matches of every two candidates, or of each candidate against the baseline.

    The bots and games are written as for ``match_terms``; ``@REV`` alone refers to the first
    candidate's folder. Raises ConfigError, also if a bot is given twice.
    """
    check_overrides(overrides, of_file=file is not None)
    given = (*candidates, *([] if baseline is None else [baseline]))
    _check_texts(candidates, baseline)
    tournament, commits = bots_and_games(given, games, file, seed, overrides)
    breaker = msgspec.structs.replace(tournament.breaker, then=Then.IGNORE)
    tournament = msgspec.structs.replace(tournament, ratings=None, breaker=breaker)
    return Terms(planned(tournament, baseline, lineup), commits, given)


def _check_texts(candidates: Sequence[str], baseline: str | None) -> None:
    if len(candidates) > MOST:
        raise failure("command line", f"found {len(candidates)} candidates", f"at most {MOST}")
    for index, text in enumerate(candidates):
        where = printable(text)
        if text == baseline:
            raise failure(where, "found the baseline among the candidates", "other bots")
        if text in candidates[:index]:
            raise failure(where, f"found {quote(printable(text))} a second time", "each bot once")
