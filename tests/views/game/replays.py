"""Games of Dragonheart for the tests of replays; no bot processes.

``python -m tests.views.game.replays`` writes the texts in ``golden/`` anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from arena.games.base import CHANCE, NOBODY, Rules
from arena.games.luck import Luck, derive_key
from arena.games.registry import make_rules, rules_spec
from arena.referee.records.format import End, Header, Measured, Ply, Record, data_digest, pack
from arena.runs.config.keys import Names
from arena.runs.store import RECORDS, RecordLocation, Stored
from arena.schedule.keys import Discipline
from arena.schedule.keys import Schedule as Plan
from arena.values import results
from arena.views.game.find import replayed
from arena.views.game.replay import Replay, View, view_of
from arena.views.game.text import text
from tests.referee.records.games import with_faults
from tests.runs.manifests import identity_of, manifest_of
from tests.toy import ToyRules

FOLDER: Final = Path(__file__).parent / "golden"
GOLDEN: Final = {"replay-all.txt": None, "replay-seat-0.txt": 0}
"""The view in each file."""
NAMES: Final = ("greedy", "random")
ID: Final = "greedy+random:0:0"
STDERR: Final = "Traceback\n  boom\x1b[2J\x1b]0;gone\x07\n"

STORED: Final = (
    "dragonheart-2/greedy+random:1:1",
    "dragonheart-2/greedy+random:0:1",
    "dragonheart-2/greedy+random:0:0",
)
"""In the order in which they were finished; the game 1:0 is still to be played."""


def renamed(view: View, names: tuple[str, ...]) -> View:
    """The same game, played by others."""
    spec = msgspec.structs.replace(view.header.spec, entrants=names)
    return changed(view, spec=spec)._replace(table=view.table._replace(names=names))


def changed(view: View, *, places: tuple[int, ...] | None = None, **header: Any) -> View:
    """The same game with other places, and other members of the header."""
    record = view.replay.record
    end = record.end if places is None else msgspec.structs.replace(record.end, places=places)
    record = record._replace(header=msgspec.structs.replace(record.header, **header), end=end)
    return view._replace(replay=view.replay._replace(record=record))


def rules_of(**options: str) -> Rules[Any, Any]:
    return make_rules(rules_spec("dragonheart", options=options))


def record_of(
    rules: Rules[Any, Any],
    game_id: str = ID,
    *,
    names: tuple[str, ...] = NAMES,
    plies: int | None = None,
) -> Record:
    """A game of random choices that the id decides; the bot to act crashes after ``plies``."""
    luck, choices = Luck(derive_key("deal", game_id)), Luck(derive_key("choices", game_id))
    state, played = rules.initial_state(), list[Ply]()
    while (seat := rules.to_act(state)) != NOBODY and len(played) != plies:
        if seat == CHANCE:
            action = rules.chance(state, luck)
        else:
            legal = rules.legal_actions(state)
            action = legal[choices.below("choice", len(played), len(legal))]
        data = msgspec.to_builtins(action)
        info = {"eval": 0.5, "text": "mate\x1b[1m"} if len(played) in (5, 6) else None
        played.append(Ply(len(played), data, None if seat == CHANCE else seat, info))
        state = rules.apply(state, action)
    block, _, seating = game_id.rpartition(":")
    header = Header(
        format=1,
        spec=results.GameSpec(game_id, block, block, int(seating), names),
        rules=rules.spec.name,
        options=rules.spec.options,
        data_digest=data_digest(rules.spec),
        bot_seeds=(4711, 815),
        on_fault=results.OnFault.AUTOPILOT,
    )
    think = tuple(0 if ply.seat is None else 1000 + ply.ply for ply in played)
    end, evidence = _end(rules, state, len(played), max(seat, 0))
    return Record(header, tuple(played), end, Measured(think, 123_456, evidence))


def _end(
    rules: Rules[Any, Any], state: Any, plies: int, seat: results.Seat
) -> tuple[End, tuple[results.Evidence, ...]]:
    outcome = rules.outcome(state)
    if outcome is not None:
        end = End(plies, results.Termination.COMPLETED, outcome.places, outcome.scores, ())
        return end, ()
    faults = (
        results.Fault(
            seat,
            results.FaultKind.CRASH if plies else results.FaultKind.STARTUP,
            plies,
            "its process ended",
        ),
    )
    end = End(plies, results.Termination.FORFEITED, results.forfeit_places({seat}, 2), None, faults)
    return end, (results.Evidence(seat, exit_status=-11, waited_us=2500, line="{", stderr=STDERR),)


def write_run(folder: Path) -> None:
    """A run in which the games of ``STORED`` are stored, the first one forfeited."""
    rules = rules_of(edition="ffg")
    plies = {STORED[0]: 30}
    run_of(folder, [record_of(rules, game, plies=plies.get(game)) for game in STORED], rules.spec)


def run_of(
    folder: Path,
    records: list[Record],
    rules: results.RulesSpec,
    *,
    deals: int = 2,
    names: str = "shown",
    opened: bool = False,
) -> Path:
    """A run folder with these games of its only discipline."""
    entrants = tuple(sorted(records[0].header.spec.entrants))
    (folder / "records").mkdir(parents=True)
    (folder / "logs").mkdir()
    game = Discipline(f"{rules.name}-2", rules, entrants, Plan(deals=deals))
    manifest = manifest_of(identity_of(game, names=Names(names)), "c" * 64)
    (folder / "run.json").write_bytes(msgspec.json.encode(manifest))
    (folder / "seed.json").write_text('{"seed": "1", "salt": ""}')
    (folder / "seed.json").chmod(0o644 if opened else 0o600)
    data, lines = b"", []
    for record in records:
        packed, digest = pack(record)
        end = record.end
        result = results.GameResult(
            record.header.spec, end.termination, end.places, end.plies, digest, end.scores,
            end.faults,
        )  # fmt: skip
        lines.append(Stored(result, RecordLocation(RECORDS, len(data), len(packed)), 0))
        data += packed
    (folder / RECORDS).write_bytes(data)
    (folder / "games.jsonl").write_bytes(msgspec.json.Encoder().encode_lines(lines))
    return folder


def replay_of(rules: Rules[Any, Any], record: Record) -> Replay:
    return replayed(record, rules)._replace(run="cup", number=1, games=4)


def autopilot_replay() -> Replay:
    """A game of the toy title; seat 1 is at fault when asked at ply 5, its other ply is 9."""
    return replay_of(ToyRules(3), with_faults([2, 1], [b"?"], [0, 1]))


def golden_text(seat: results.Seat | None) -> str:
    rules = rules_of(edition="ffg")
    view = view_of(replay_of(rules, record_of(rules)), seat)
    return "\n".join(text(view, range(len(view.plies)))) + "\n"


def hidden_elsewhere(replay: Replay, seat: results.Seat, luck: Luck) -> Record:
    """A game in which everything differs that ``seat`` could not see. Not for games with thefts.

    Unseen are what is left of its own draw pile, and in the deck of the other seat every card
    that was not played; also what concerns the other bot alone.
    """
    record, other = replay.record, 1 - seat
    pile = replay.seen.observers[seat][-1]["pile_sizes"][seat]
    decks = [record.plies[number].action["cards"] for number in (0, 1)]
    free = {seat: range(len(decks[seat]) - pile, len(decks[seat])), other: _unplayed(record, other)}
    dealt = [
        Ply(k, {**record.plies[k].action, "cards": _moved(decks[k], free[k], luck, f"{k}")})
        for k in (0, 1)
    ]
    plies = [
        msgspec.structs.replace(ply, info="secret") if ply.seat == other else ply
        for ply in record.plies[2:]
    ]
    times = zip(record.plies, record.measured.think_us, strict=True)
    think = [used + (ply.seat == 1 - seat) for ply, used in times]
    secret = results.Evidence(other, -9, 7, 7, 7, 7, "secret", "secret")
    evidence = [item if item.seat == seat else secret for item in record.measured.evidence]
    faults = tuple(
        fault if fault.seat == seat else msgspec.structs.replace(fault, detail="secret")
        for fault in record.end.faults
    )
    seeds = tuple(seed + (s == other) for s, seed in enumerate(record.header.bot_seeds))
    return Record(
        msgspec.structs.replace(record.header, bot_seeds=seeds),
        (*dealt, *plies),
        msgspec.structs.replace(record.end, faults=faults),
        Measured(tuple(think), 654_321, tuple(evidence)),
    )


def _unplayed(record: Record, seat: results.Seat) -> list[int]:
    """Places in the deck of the cards that the seat has not played."""
    played = Counter(
        card for ply in record.plies if ply.seat == seat for card in ply.action.get("cards", ())
    )
    free = []
    for place, card in enumerate(record.plies[seat].action["cards"]):
        if played[card]:
            played[card] -= 1
        else:
            free.append(place)
    return free


def _moved(cards: Sequence[str], free: Sequence[int], luck: Luck, stream: str) -> list[str]:
    """The cards with those at the free places in another order."""
    moved = list(cards)
    for place, origin in zip(free, luck.shuffle(stream, 0, free), strict=True):
        moved[place] = cards[origin]
    return moved


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for file, seen_by in GOLDEN.items():
        (FOLDER / file).write_text(golden_text(seen_by), "utf-8")
