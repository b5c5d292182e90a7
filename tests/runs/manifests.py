"""What runs are, made up."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final

import pytest

from arena.games.base import RulesError, TableFacts
from arena.games.registry import GAMES, facts_of, make_rules
from arena.hosting.sandbox.isolation import Isolation, Level
from arena.runs.config.keys import Names
from arena.runs.field import EntrantIdentity, FieldChange
from arena.runs.manifest import FORMAT, Identity, Machine, Manifest
from arena.schedule.keys import Discipline
from arena.values.results import BreakerPolicy, Limits, OnFault, TimeControl
from tests.toy import at_toys

ENTRANT: Final = EntrantIdentity(
    digest="", command=(), options={}, isolation=Isolation.LIMITS, env={}
)


def identity_of(*disciplines: Discipline, **changes: Any) -> Identity:
    """Of a run of these disciplines, by those who play them; else as nobody said anything."""
    names = dict.fromkeys(name for each in disciplines for name in each.entrants)
    usual: dict[str, Any] = {
        "disciplines": disciplines,
        "entrants": dict.fromkeys(names, ENTRANT),
        "clock": TimeControl(),
        "pondering": True,
        "limits": Limits(),
        "readable": (),
        "breaker": BreakerPolicy(),
        "names": Names.SHOWN,
        "on_fault": OnFault.AUTOPILOT,
        "ratings": None,
        "until": None,
    }
    return Identity(**usual | changes)


def manifest_of(identity: Identity, commitment: str = "") -> Manifest:
    """``run.json`` of a run with this identity."""
    return Manifest(
        format=FORMAT,
        arena="1",
        name="cup",
        created="2000-01-01T00:00:00+00:00",
        commitment=commitment,
        identity=identity,
        games=_games_of(identity),
        source=None,
        machine=Machine(
            isolation=dict.fromkeys(identity.entrants, Level.LIMITS),
            system="Linux",
            release="6",
            processor="x86_64",
            cores=2,
            python="3.11.0",
        ),
    )


def _games_of(identity: Identity) -> dict[str, TableFacts]:
    """What tables say of the games; of those that cannot be played, something."""
    named = [each.name for each in identity.disciplines]
    usual = {name: TableFacts(title=name, score="points", worst_score=0) for name in named}
    with pytest.MonkeyPatch.context() as patch, suppress(RulesError):
        at_toys(patch)
        known = [each for each in identity.disciplines if each.rules.name in GAMES]
        usual |= facts_of({each.name: make_rules(each.rules) for each in known})
    return usual


def change_of(**what: Any) -> FieldChange:
    """A line of ``entries.jsonl`` that says so, and nothing else."""
    usual: dict[str, Any] = {"number": 1, "created": "", "before": ""}
    return FieldChange(**usual | {"entered": {}, "left": (), "pairings": {}} | what)
