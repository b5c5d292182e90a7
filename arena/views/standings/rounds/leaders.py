"""The leaders of a tournament by points, after each of its rounds."""

from __future__ import annotations

from collections.abc import Collection

from arena.runs.reader import StoredRun
from arena.runs.rounds.played import Played, player_of
from arena.runs.rounds.swiss import order
from arena.runs.withdrawals import WithdrawalState
from arena.schedule.kinds.registry import kind_of
from arena.views.standings.headline import Headline, by_points
from arena.views.standings.rounds.panels import begun_stages


def leaders_by_round(
    run: StoredRun, played: Played | None, verdict: WithdrawalState, wanted: Collection[str]
) -> dict[str, Headline]:
    """Return, by label of each finished round in ``wanted``, the leader by points after the round.

    ``wanted``: the labels, because each takes a whole table. Nobody leads a knockout before it is
    decided.
    """
    if played is None:
        return {}
    begun, is_known = begun_stages(run, played, verdict)
    called = {player_of(name): name for name in run.manifest.field.identities}
    found = {}
    for now in begun:
        is_secret = not is_known and (now.stage or now.discipline.schedule.seeded is not None)
        if is_secret or not kind_of(now.discipline.schedule).has_points:
            continue
        over = [each for each in now.before if each.is_over]
        for number, each in enumerate(over, 1):
            if each.label not in wanted:
                continue
            first = order(now._replace(before=over[:number]))[0]
            met = (*(name for pairing in each.pairings for name in pairing), *each.byes)
            then = {player_of(name): name for name in met}
            name = then.get(first.name, called[first.name])
            found[each.label] = by_points(name, first.points)
    return found
