"""A pack holds what its reader was given, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from itertools import repeat
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.extensions.data.export.pack import PackError, Sink, writing
from arena.extensions.data.export.run import BotLog, Export
from arena.extensions.data.export.views import Disclosure, public_lines, seat_lines
from arena.extensions.publishing.visible import choose
from arena.games.base import Rules, Transition
from arena.games.luck import Luck, derive_key
from arena.games.registry import GAMES, make_rules, rules_spec
from arena.referee.channel import Silence
from arena.referee.records.format import Record, pack
from arena.referee.records.replay import Step, steps
from arena.referee.session import Offence
from arena.runs.disk import StoreError
from arena.runs.manifest import read_manifest
from arena.runs.reader import StoredRun
from arena.runs.store import RecordLocation, Store
from arena.values.results import FaultKind, GameDone, GameResult, RulesSpec, Termination
from tests.games.games import label
from tests.games.titles import TITLES
from tests.referee.records.games import read
from tests.referee.scripted import Scripted, play
from tests.rows import some
from tests.runs.manifests import ENTRANT, manifest_of
from tests.toy import ToyRules, toy_spec
from tests.views.game.replays import (
    STORED,
    hidden_elsewhere,
    record_of,
    replay_of,
    rules_of,
    run_of,
)

Json = Any
SPECS = {
    label(rules): rules
    for rules in (
        rules_spec(name, seats, {"side": side} if side else {})
        for name, family in GAMES.items()
        for seats in family.seats
        for side in ((None, "alley") if name == "dragonrealm" else (None,))
    )
}
SEATED = [
    (name, seat)
    for name, spec in SPECS.items()
    if spec.name != "chess"
    for seat in range(spec.seats)
]
every_seat = pytest.mark.parametrize(("name", "seat"), some(SEATED, every=3), scope="module")
"""All tests of a seat come one after the other, so that only one game is kept."""
NAMELESS = Disclosure(names=False, bot_options={})
SECRET = "canary of another bot"


class Match:
    """A game of random choices with all that its bots were sent."""

    def __init__(self, spec: RulesSpec) -> None:
        self.rules: Rules[Any, Any] = make_rules(spec)
        self.bots = [Scripted(repeat(_chooser(seat))) for seat in range(spec.seats)]
        self.record = read(play(*self.bots, rules=self.rules).record)

    @property
    def steps(self) -> Iterator[Step]:
        return steps(self.record, self.rules)


def _chooser(seat: int) -> Callable[[Json], int]:
    luck, numbers = Luck(derive_key("chooser", seat)), iter(range(10_000))
    return lambda asked: luck.below("choice", next(numbers), len(asked["legal"]))


@lru_cache(maxsize=1)
def match(name: str) -> Match:
    return Match(SPECS[name])


def as_json(lines: Iterator[Mapping[str, Json]]) -> list[dict[str, Json]]:
    return [json.loads(msgspec.json.encode(line)) for line in lines]


def seen(
    record: Record, rules: Rules[Any, Any], seat: int, told: Disclosure = NAMELESS
) -> list[dict[str, Json]]:
    return as_json(seat_lines(record, steps(record, rules), rules, seat, told))


def parts(message: Mapping[str, Json], *keys: str) -> dict[str, Json]:
    return {key: message[key] for key in keys}


@every_seat
def test_a_bot_gets_what_it_was_sent(name: str, seat: int) -> None:
    game = match(name)
    start, *acts, over = seen(game.record, game.rules, seat)
    sent = game.bots[seat]
    (told,) = sent.of_type("start")
    same = ("rules", "options", "seat", "seats")
    assert parts(start, *same) | {"seed": start["bot_seed"]} == parts(told, *same, "seed")
    asked = ("observation", "events", "legal")
    assert [parts(act, *asked) for act in acts] == [
        parts(act, *asked) for act in sent.of_type("act")
    ]
    (end,) = sent.of_type("over")
    told_at_end = ("places", "scores", "reason", "faults")
    assert parts(over, *told_at_end) == parts(end, *told_at_end)


@lru_cache(maxsize=1)
def redealt(name: str, seat: int) -> tuple[Step, ...]:
    """The steps with everything changed that the seat cannot know, in each of them anew."""
    return tuple(_redealt(match(name), seat))


def _redealt(game: Match, seat: int) -> Iterator[Step]:
    redeal = TITLES[game.rules.spec.name].redeal
    for step in game.steps:
        luck = Luck(derive_key("redeal", step.ply.ply, seat))
        ply = Transition(step.seat, step.before, step.action, step.after)
        other = redeal(game.rules, ply, seat, luck)
        written = step.ply
        if step.seat != seat:
            action = json.loads(msgspec.json.encode(other.action))
            written = msgspec.structs.replace(written, action=action, info=SECRET)
        yield Step(written, step.seat, other.before, other.action, other.after)


def strangers(record: Record, seat: int) -> Record:
    """The record with other secrets of the other seats."""
    header = record.header
    seeds = tuple(s if k == seat else s + 1 for k, s in enumerate(header.bot_seeds))
    names = tuple("me" if k == seat else SECRET for k in range(len(header.bot_seeds)))
    spec = msgspec.structs.replace(
        header.spec, entrants=names, game_id=header.spec.game_id + "/" + SECRET
    )
    times = zip(record.plies, record.measured.think_us, strict=True)
    think = tuple(used + (ply.seat != seat) for ply, used in times)
    return record._replace(
        header=msgspec.structs.replace(header, bot_seeds=seeds, spec=spec),
        measured=msgspec.structs.replace(record.measured, think_us=think, wall_us=1 << 40),
    )


@pytest.mark.slow
@every_seat
def test_a_bot_gets_the_same_if_everything_hidden_is_otherwise(name: str, seat: int) -> None:
    game = match(name)
    other = strangers(game.record, seat)
    changed = redealt(name, seat)
    if game.rules.spec.seats > 1:
        assert [step.after for step in changed] != [step.after for step in game.steps]
    lines = seat_lines(other, changed, game.rules, seat, NAMELESS)
    assert as_json(lines) == seen(game.record, game.rules, seat)


@pytest.mark.slow
@every_seat
def test_spectators_get_the_same_whatever_a_seat_cannot_know(name: str, seat: int) -> None:
    game = match(name)
    lines = public_lines(game.record, redealt(name, seat), game.rules, NAMELESS)
    assert as_json(lines) == as_json(public_lines(game.record, game.steps, game.rules, NAMELESS))


@pytest.mark.slow
@pytest.mark.parametrize("name", SPECS)
def test_spectators_get_what_every_seat_saw(name: str) -> None:
    game = match(name)
    _, *told, _ = as_json(public_lines(game.record, game.steps, game.rules, NAMELESS))
    events = {line["ply"]: line["event"] for line in told}
    for step in game.steps:
        saw = game.rules.describe(step.before, step.action, step.after)
        assert (step.ply.ply in events) == (None not in saw)
        for event in map(to_json, saw):
            assert is_within(events.get(step.ply.ply), event)
    decided = {ply.ply for ply in game.record.plies if ply.seat is not None}
    assert decided & events.keys(), "decisions are public"


def to_json(value: object) -> Json:
    return json.loads(msgspec.json.encode(value))


def is_within(part: Json, whole: Json) -> bool:
    """Whether everything in ``part`` stands at the same place of ``whole``."""
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(key in whole and is_within(part[key], whole[key]) for key in part)
    if isinstance(part, list) and isinstance(whole, list):
        pairs = zip(part, whole, strict=False)
        return len(part) == len(whole) and all(is_within(one, other) for one, other in pairs)
    return part is None or part == whole


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("plies", [3, 20, 35])
def test_a_pack_is_the_same_if_the_other_cards_are_exchanged(tmp_path, plies, seat) -> None:
    rules = rules_of()
    record = record_of(rules, "dragonheart-2/greedy+random:0:0", plies=plies)
    hidden = hidden_elsewhere(replay_of(rules, record), seat, Luck(derive_key("hide", plies)))
    packs = []
    for folder, game in ((tmp_path / "one", record), (tmp_path / "other", hidden)):
        run_of(folder, [game], rules.spec, deals=1, opened=True)
        packs.append(files(Export(StoredRun(folder), record.header.spec.entrants[seat])))
    assert packs[0] == packs[1]
    assert pack(record) != pack(hidden)


class Files(dict[str, bytes]):
    def add(self, name: str, data: bytes) -> None:
        assert name not in self
        self[name] = data


def files(export: Export) -> Files:
    found = Files()
    for _ in export.write(found, {}):
        pass
    return found


def cup(folder: Path, **changes: Any) -> Path:
    rules = rules_of()
    seats = {"0": ("greedy", "random"), "1": ("random", "greedy")}
    records = [record_of(rules, game, names=seats[game[-1]], plies=20) for game in STORED]
    return run_of(folder, records, rules.spec, **changes)


def test_games_of_a_deal_wait_for_each_other(tmp_path: Path) -> None:
    export = Export(StoredRun(cup(tmp_path / "run")), "greedy")
    assert (len(export.choice.records), export.choice.held_back) == (2, 1)
    found = files(export)
    games = [json.loads(line)["game"] for line in found["games.jsonl"].splitlines()]
    assert games == sorted(STORED)[:2], "in the order of the schedule"
    assert len([name for name in found if name.startswith("games/")]) == 2


def test_nothing_waits_once_the_seed_is_opened(tmp_path: Path) -> None:
    export = Export(StoredRun(cup(tmp_path / "run", opened=True)), None)
    assert (len(export.choice.records), export.choice.held_back) == (3, 0)


def test_hidden_names_are_nowhere(tmp_path: Path) -> None:
    folder = cup(tmp_path / "run", names="hidden", opened=True)
    log = "".join(f"== {game}\nmy own words\n" for game in STORED)
    (folder / "logs" / "greedy.stderr").write_text(log)
    (folder / "logs" / "random.stderr").write_text(SECRET)
    export = Export(StoredRun(folder), "greedy")
    found = files(export)
    assert not export.has_standings
    everything = "".join(found).encode() + b"".join(found.values())
    # "random" is also a choice of the starter
    for name in (b'"random"]', b'["random', b"+random", b"random+", SECRET.encode(), b"random:"):
        assert name not in everything
    assert found["stderr.txt"].count(b"my own words") == 3
    headings = [line for line in found["stderr.txt"].splitlines() if line.startswith(b"== ")]
    assert headings == [b"== games/%d.jsonl" % number for number in (1, 2, 3)]
    assert b"names" not in found["games.jsonl"]


@pytest.mark.parametrize(("opened", "named"), [(False, False), (True, True)])
def test_spectators_learn_hidden_names_at_the_end(tmp_path, opened, named) -> None:
    found = files(Export(StoredRun(cup(tmp_path / "run", names="hidden", opened=opened)), None))
    assert (b"greedy" in b"".join(found.values())) == named


def test_a_log_is_cut_into_games(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    text = b"before\n== a:0\none\n== no game\ntwo\n== b:0\n\xff\n== a:0\nthree"
    (tmp_path / "logs" / "bot.stderr").write_bytes(text)
    log = BotLog(tmp_path, "bot", {"a:0", "b:0"}.__contains__)
    assert log.games == {"a:0", "b:0"}
    assert log.text({"a:0": "1"}) == b"== 1\none\n== no game\ntwo\n== 1\nthree"
    assert BotLog(tmp_path, "silent", {"a:0"}.__contains__).games == frozenset()


def test_a_bot_forges_no_heading_in_its_log(tmp_path: Path) -> None:
    said = "mine\n== b:0\n\\== a:0\n\\\\ == \n"
    with Store(tmp_path) as store:
        for game, text in (("a:0", said), ("b:0", "true")):
            result = GameResult(toy_spec(2, game[0]), Termination.COMPLETED, (1, 2), 3, "", (1, 0))
            store.add(GameDone(result, b"record", (text, "")))
    log = BotLog(tmp_path, result.spec.entrants[0], {"a:0", "b:0"}.__contains__)
    assert log.text({"a:0": "1"}).decode() == f"== 1\n{said}\n"
    assert log.text({"b:0": "2"}) == b"== 2\ntrue\n"


def faulty(*scripts: Any, **terms: Any) -> tuple[Record, ToyRules]:
    """A game of the toy title; a script by seat, None: it cannot be started."""
    absent = Offence(FaultKind.STARTUP, "cannot be started", stderr="no such file")
    bots = [absent if script is None else Scripted(script) for script in scripts]
    return read(play(*bots, **terms).record), ToyRules(len(bots))


def test_own_fault_is_told_in_full_and_to_others_only_its_kind() -> None:
    record, rules = faulty([0], [1, Silence.TIMED_OUT])
    mine, theirs = seen(record, rules, 1), seen(record, rules, 0)
    assert [line["line"] for line in mine] == ["start", "act", "act", "fault", "over"]
    asked, fault, over = mine[2:]
    assert "action" not in asked
    assert asked["observation"]["said"] == [0, 1, 0]
    assert (fault["kind"], fault["ply"]) == ("timeout", asked["ply"])
    assert fault["detail"]
    assert fault["evidence"]["seat"] == 1
    assert over["faults"] == [{"seat": 1, "kind": "timeout"}]
    assert over["events"] == []
    assert "fault" not in [line["line"] for line in theirs]
    assert theirs[-1]["faults"] == over["faults"]
    assert fault["detail"] not in json.dumps(theirs)


def test_autopilot_is_told_to_its_own_seat_only() -> None:
    record, rules = faulty([2, 1], [b"?"], [0, 1])
    mine = seen(record, rules, 1)
    assert [line["line"] for line in mine] == ["start", "act", "fault", "act", "act", "over"]
    asked, _, played, again = mine[1:5]
    assert asked["events"]
    assert played["events"] == []
    assert parts(asked, "observation", "legal") == parts(played, "observation", "legal")
    assert "think_us" not in played
    assert played["autopilot"] is again["autopilot"] is True
    for other in (0, 2):
        assert "autopilot" not in json.dumps(seen(record, rules, other))
    assert "autopilot" not in json.dumps(
        as_json(public_lines(record, steps(record, rules), rules, NAMELESS))
    )


def test_a_bot_that_never_started_has_one_fault_and_no_questions_of_its_own() -> None:
    record, rules = faulty([0], None)
    assert [line["line"] for line in seen(record, rules, 1)] == ["start", "fault", "over"]
    record, rules = faulty([0], None, [0])
    lines = seen(record, rules, 1)
    assert [line["line"] for line in lines] == ["start", "fault", "act", "act", "over"]
    for other in (0, 2):
        lines = seen(record, rules, other)
        assert [line["line"] for line in lines] == ["start", "act", "act", "over"]


def test_info_and_time_are_only_for_the_bot_itself() -> None:
    record, rules = faulty([0], [0])
    plies = tuple(
        ply if ply.seat is None else msgspec.structs.replace(ply, info=f"info of {ply.seat}")
        for ply in record.plies
    )
    record = record._replace(plies=plies)
    assert [line["info"] for line in seen(record, rules, 1)[1:-1]] == ["info of 1"] * 2
    assert "info of 0" not in json.dumps(seen(record, rules, 1))
    public = as_json(public_lines(record, steps(record, rules), rules, NAMELESS))
    assert "info" not in json.dumps(public)
    assert public[-1]["think_us"] == list(record.think_us())


def test_details_of_faults_are_not_public() -> None:
    record, rules = faulty([0], [0, b"what I say here is my own business"])
    public = as_json(public_lines(record, steps(record, rules), rules, NAMELESS))
    assert public[-1]["faults"] == [{"seat": 1, "kind": "malformed"}]
    assert "business" not in json.dumps(public)
    assert record.end.faults[0].detail not in json.dumps(public)


def test_names_and_options_are_told_where_they_may_be() -> None:
    record, rules = faulty([0], [0])
    start = seen(record, rules, 1, Disclosure(names=True, bot_options={"depth": 3}))[0]
    assert start["names"] == ["a", "b"]
    assert start["bot_options"] == {"depth": 3}
    assert "names" not in seen(record, rules, 1)[0]


def test_a_record_of_others_in_place_of_his_own_is_refused(tmp_path: Path) -> None:
    folder = cup(tmp_path / "run", opened=True)
    path = folder / "games.jsonl"
    path.write_text(path.read_text().replace('"greedy"', '"thief"'))
    identity = read_manifest(folder).identity
    entrants = {**identity.entrants, "thief": ENTRANT}
    manifest = manifest_of(msgspec.structs.replace(identity, entrants=entrants))
    (folder / "run.json").write_bytes(msgspec.json.encode(manifest))
    with pytest.raises(StoreError, match=r"records/0\.jsonl\.gz: .* not a game of thief"):
        files(Export(StoredRun(folder), "thief"))


@pytest.mark.parametrize("line", ["{}", '{"result": 1}', "never"])
def test_damaged_games_are_told(tmp_path: Path, line: str) -> None:
    folder = cup(tmp_path / "run")
    with (folder / "games.jsonl").open("a") as file:
        file.write(line + "\n")
    with pytest.raises(StoreError, match=r"games\.jsonl:4"):
        Export(StoredRun(folder), None)


def test_of_a_game_stored_twice_the_first_line_stands(tmp_path, caplog) -> None:
    folder = cup(tmp_path / "run")
    path = folder / "games.jsonl"
    found = files(Export(StoredRun(folder), None))
    path.write_text(path.read_text() + path.read_text().splitlines()[0] + "\n")
    assert files(Export(StoredRun(folder), None)) == found
    assert "games.jsonl:4: the game is stored before" in caplog.text


def some(sink: Sink) -> None:
    sink.add("manifest.json", b'{"schema": "arena.pack/1"}')
    sink.add("games/1.jsonl", b"{}\n" * 1000)


def fail_after(sink: Sink) -> None:
    some(sink)
    raise ZeroDivisionError


@pytest.mark.parametrize("name", ["pack.zip", "pack"])
def test_a_pack_is_there_as_a_whole_or_not_at_all(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    with pytest.raises(ZeroDivisionError), writing(path, "root") as sink:
        fail_after(sink)
    assert list(tmp_path.iterdir()) == []
    with writing(path, "root") as sink:
        some(sink)
    with pytest.raises(PackError, match="--force"), writing(path, "root") as sink:
        some(sink)
    with writing(path, "root", force=True) as sink:
        sink.add("manifest.json", b'{"schema": "arena.pack/1"}')
    assert list(tmp_path.iterdir()) == [path]
    if path.is_dir():
        assert [file.name for file in path.rglob("*")] == ["manifest.json"]


def test_zip_files_are_the_same_at_any_time(tmp_path, monkeypatch) -> None:
    for name, now in (("one.zip", 1e9), ("other.zip", 1.5e9)):
        monkeypatch.setattr("time.time", lambda now=now: now)
        with writing(tmp_path / name, "root") as sink:
            some(sink)
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "other.zip").read_bytes()


def test_force_replaces_packs_only(tmp_path: Path) -> None:
    mine = tmp_path / "thesis"
    mine.mkdir()
    (mine / "manifest.json").write_text('{"name": "thesis"}')
    with pytest.raises(PackError, match="no pack"), writing(mine, "root", force=True):
        pass
    (tmp_path / "folder.zip").mkdir()
    with (
        pytest.raises(PackError, match="no regular"),
        writing(tmp_path / "folder.zip", "root", force=True),
    ):
        pass
    with (
        pytest.raises(PackError, match="does not exist"),
        writing(tmp_path / "no" / "pack", "root"),
    ):
        pass
    assert (mine / "manifest.json").exists()


def test_names_of_a_stranger_lead_nowhere(tmp_path: Path) -> None:
    folder = cup(tmp_path / "run")
    path = folder / "run.json"
    text = path.read_text().replace('"name":"cup"', '"name":"../../cup"')
    path.write_text(text.replace('"dragonheart-2"', '"/etc/dragonheart-2"'))
    (folder / "games.jsonl").write_text("")
    export = Export(StoredRun(folder), None)
    assert export.name == "_.._cup-public"
    assert [name for name in files(export) if "etc" in name] == ["rules/_etc_dragonheart-2.json"]


def test_order_of_hidden_games_is_not_that_of_the_schedule(tmp_path: Path) -> None:
    folder = cup(tmp_path / "run", names="hidden", opened=True)
    run = StoredRun(folder)
    numbered, mixed = choose(run, None).records, choose(run, "greedy").records
    digests = {
        RecordLocation(**location): result["digest"]
        for stored in map(json.loads, (folder / "games.jsonl").read_text().splitlines())
        for result, location in [(stored["result"], stored["record"])]
    }
    assert list(mixed) == sorted(numbered, key=digests.__getitem__)
    assert run.schedule.games == 4
    assert set(mixed) == set(numbered)
