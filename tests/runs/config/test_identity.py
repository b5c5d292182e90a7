from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec
import pytest

from arena.runs.config.texts import resolved_yaml
from arena.runs.config.tournament import Tournament, load_tournament
from arena.runs.identity import canonical, differences, identity, identity_digest
from arena.runs.manifest import Identity, Until
from tests.tournament.folders import league, write

TEXT = """\
arena: 1
game: dragonheart
entrants:
  - {bot: ../bots/random, env: {KEY: secret}}
  - {bot: ../bots/greedy, options: {samples: 5}}
  - {command: python3 main.py, name: raw, cwd: ../bots/random}
seed: hush
schedule: {deals: 50}
clock: {bank: 20 s, increment: 0 s}
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(league(tmp_path))


def load(text: str = TEXT, *overrides: str) -> Tournament:
    return load_tournament(write(Path("cups/t.yaml"), text), overrides)


def changes(*overrides: str, text: str = TEXT) -> list[str]:
    return differences(identity(load()), identity(load(text, *overrides)))


def test_an_identity_is_data_and_survives_json() -> None:
    own = identity(load(TEXT, "ratings={anchor: raw, elo: 1000}"))
    again = msgspec.json.decode(msgspec.json.encode(own), type=Identity)
    assert canonical(again) == canonical(own)
    assert differences(own, again) == []
    assert identity_digest(again) == identity_digest(own)


def test_what_is_committed_to_is_plain_json_that_stays() -> None:
    """Of whatever format run.json is, a digest of the same config is the same."""
    entrants = "[{command: python3 main.py, name: raw, cwd: ../bots/random}, {bot: ../bots/greedy}]"
    text = f"arena: 1\ngame: dragonheart\nentrants: {entrants}\nratings: {{anchor: raw}}\n"
    own = canonical(identity(load(text), Until.MATCH))
    rules = own["games"]["dragonheart-2"].pop("data")
    assert rules["status"] == "provisional"
    digests = {own["entrants"][name].pop("digest") for name in ("raw", "greedy")}
    assert {len(digest) for digest in digests} == {64}
    assert own["games"]["dragonheart-2"].pop("options").keys() >= {"edition"}
    entrant = {"options": {}, "isolation": "limits", "env": {}}
    assert own == {
        "arena": 1,
        "games": {
            "dragonheart-2": {
                "rules": "dragonheart",
                "seats": 2,
                "entrants": "all",
                "schedule": {"kind": "round_robin", "deals": 50, "seatings": "rotate"},
            }
        },
        "entrants": {
            "raw": {"command": ["python3", "main.py"], **entrant},
            "greedy": {"command": ["python3", "main.py"], **entrant, "options": {"samples": 20}},
        },
        "clock": {"move": "1 s", "startup": "10 s", "pondering": True},
        "limits": {
            "reply": "64 KiB",
            "stderr": "64 KiB",
            "memory": "1 GiB",
            "processes": 64,
            "cpu": "1 h",
            "disk": "64 MiB",
            "files": 256,
        },
        "readable": [],
        "breaker": {"faults": "50 %", "after": 20, "starts": 3, "then": "withdraw"},
        "names": "shown",
        "on_fault": "autopilot",
        "ratings": {"anchor": "raw", "elo": 0.0},
        "until": "match",
    }


def test_an_identity_holds_no_secret_and_no_path_of_the_machine(tmp_path: Path) -> None:
    text = msgspec.json.encode(identity(load())).decode()
    assert "hush" not in text
    assert "secret" not in text
    assert str(tmp_path) not in text


def test_what_changes_no_result_is_no_part_of_it() -> None:
    assert not changes("execution={workers: 2, fresh: true}", "output.formats=[md]", "name=other")
    assert not changes("notes=different", "seed=another")


def test_the_order_of_keys_and_entrants_is_no_part_of_it() -> None:
    first, *lines = TEXT.splitlines()
    entrants = lines[2:5]
    moved = [first, *lines[5:], lines[0], lines[1], *reversed(entrants)]
    assert not changes(text="\n".join(moved) + "\n")


@pytest.mark.parametrize(
    ("override", "line"),
    [
        (
            "schedule.deals=60",
            "games.dragonheart-2.schedule.deals: the run has 50, asked for is 60",
        ),
        ("clock.bank=30 s", "clock.bank: the run has 20 s, asked for is 30 s"),
        ("clock.move=1 s", "clock.move: the run has none, asked for is 1 s"),
        ("limits.reply=1 KiB", "limits.reply: the run has 64 KiB, asked for is 1 KiB"),
        ("limits.memory=2 GiB", "limits.memory: the run has 1 GiB, asked for is 2 GiB"),
        ("limits.files=none", "limits.files: the run has 256, asked for is none"),
        ("clock.pondering=off", "clock.pondering: the run has true, asked for is false"),
        ("isolation=none", "entrants.random.isolation: the run has limits, asked for is none"),
        (
            "entrants.1.isolation=sandbox",
            "entrants.greedy.isolation: the run has limits, asked for is sandbox",
        ),
        ("isolation.readable=[cups]", "readable: the run has none, asked for is cups"),
        ("breaker.faults=20 %", "breaker.faults: the run has 50 %, asked for is 20 %"),
        ("breaker.then=stop", "breaker.then: the run has withdraw, asked for is stop"),
        ("names=hidden", "names: the run has shown, asked for is hidden"),
        (
            "entrants.1.options.samples=6",
            "entrants.greedy.options.samples: the run has 5, asked for is 6",
        ),
        ("entrants.0.env.KEY=other", "entrants.random.env.KEY: the value has changed"),
        (
            "entrants.2.command=python3 main.py x",
            "entrants.raw.command: the run has python3 main.py, asked for is python3 main.py x",
        ),
    ],
)
def test_a_difference_is_told_with_both_values(override: str, line: str) -> None:
    assert line in changes(override)


@pytest.mark.extensions("matches", "browser")
@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (None, Until.MATCH, "to its end, asked for is one for a verdict"),
        (Until.MATCH, Until.PERSON, "for a verdict, asked for is one by a person"),
        (Until.PERSON, None, "by a person, asked for is one to its end"),
    ],
)
def test_another_end_is_another_run(old: Until | None, new: Until | None, told: str) -> None:
    found = differences(identity(load(), old), identity(load(TEXT, "names=hidden"), new))
    assert found == [f"the run is played {told}"]


def test_secrets_are_compared_but_dear_to_guess() -> None:
    entrants = (
        "[{bot: ../bots/random, name: a, env: {KEY: one, OTHER: one}},"
        " {bot: ../bots/random, name: b, env: {KEY: one}}]"
    )
    text = f"arena: 1\ngame: dragonheart\nentrants: {entrants}\n"
    own = identity(load(text)).entrants
    hashes = [*own["a"].env.values(), *own["b"].env.values()]
    assert len(set(hashes)) == 3, "the same value looks different elsewhere"
    assert identity(load(text)).entrants == own
    salt = b"arena environment\0a\0KEY"
    assert hashes[0] == hashlib.scrypt(b"one", salt=salt, n=2**14, r=8, p=1, dklen=16).hex()


def test_other_entrants_are_told_by_name() -> None:
    assert changes("entrants.1.name=new") == [
        "entrants: greedy is only in the run",
        "entrants: new is only in the file",
    ]


def test_a_changed_program_is_told() -> None:
    old = identity(load())
    Path("bots/greedy/main.py").write_text("print(2)\n")
    assert differences(old, identity(load())) == [
        "entrants.greedy.digest: the bot's files or its command have changed"
    ]


def test_a_resolved_file_reads_as_the_same_tournament() -> None:
    text = TEXT.replace(", env: {KEY: secret}", ", options: {samples: 7}, isolation: landlock")
    text += "isolation: {level: none, readable: [../bots]}\nclock: {pondering: off}\n"
    text = text.replace("clock: {bank: 20 s, increment: 0 s}\n", "")
    text += "limits: {cpu: none, disk: 1 MiB}\nbreaker: {faults: 12.5 %, then: ignore}\n"
    tournament = load(text + 'notes: "a: b # \\x85 c"\n', "ratings={anchor: raw, elo: -2.5}")
    again = load_tournament(write(Path("again.yaml"), resolved_yaml(tournament)))
    assert canonical(identity(again)) == canonical(identity(tournament))
    for each in ("notes", "name", "output", "limits", "isolation", "readable", "breaker"):
        assert getattr(again, each) == getattr(tournament, each)


def test_a_resolved_file_says_where_each_value_comes_from() -> None:
    overrides = ("clock.bank=30 s", "isolation=none", "entrants.1.isolation=sandbox")
    text = resolved_yaml(load(TEXT, *overrides))
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert "deals: 50 # cups/t.yaml:8" in lines
    assert "seatings: rotate # default" in lines
    assert "rules: dragonheart # cups/t.yaml:2" in lines
    assert "bank: 30 s # --set" in lines
    assert "level: none # --set" in lines
    assert "memory: 1 GiB # default" in lines
    assert "isolation: sandbox" in lines
    assert "startup: 10 s # default" in lines
    assert "- command: [python3, main.py] # cups/t.yaml:6" in lines


def test_a_resolved_file_holds_no_secret() -> None:
    text = resolved_yaml(load())
    assert "hush" not in text
    assert "secret" not in text
