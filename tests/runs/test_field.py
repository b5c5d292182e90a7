"""A field that changes: who is called what, what is added, and a chain that nobody can mend."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.runs.disk import StoreError, write_atomically
from arena.runs.field import (
    ENTRIES,
    EntrantIdentity,
    Field,
    FieldChange,
    add_change,
    last_link,
    read_changes,
    unsound,
)
from arena.runs.manifest import read_manifest
from arena.schedule.keys import Discipline
from arena.schedule.pairings import Pairing
from arena.values.results import RulesSpec
from tests.runs.manifests import ENTRANT, change_of, identity_of, manifest_of
from tests.tournament.tables import discipline

GAME = discipline("a", "b", "c", rules=RulesSpec("toy", 2, {}, {}))
SOLO = discipline("a", "b", rules=RulesSpec("toy", 1, {}, {}), name="toy-1")


def who(digest: str) -> EntrantIdentity:
    return msgspec.structs.replace(ENTRANT, digest=digest)


FIRST = Field.first({name: who(name) for name in "abc"}, (GAME, SOLO))
THREE = discipline(
    "a", "b", "c", "e", rules=RulesSpec("toy", 3, {}, {}), name="toy-3", max_pairings=1
)
LISTED = discipline("a", "b", "c", name="listed", kind="pairings", pairings=(("a", "b"),))


def wanted(first: Field = FIRST, **digests: str) -> tuple[dict[str, EntrantIdentity], Any]:
    """By name who shall play, everybody at the first game, and alone who did and who is new."""
    field = {name: who(digest) for name, digest in digests.items()}
    solo = [name for name in digests if name != "c"]
    games = [
        msgspec.structs.replace(GAME, entrants=tuple(digests)),
        msgspec.structs.replace(SOLO, entrants=tuple(solo)),
    ]
    return field, games


def changed(field: Field, number: int = 1, **digests: str) -> FieldChange:
    entered, left, pairings = field.change(*wanted(field, **digests))
    return change_of(number=number, entered=entered, left=left, pairings=pairings)


@pytest.mark.parametrize(
    ("digests", "entered", "left", "pairings"),
    [
        ({"a": "a", "b": "b", "c": "c"}, {}, (), {}),
        ({"c": "c", "b": "b", "a": "a"}, {}, (), {}),
        (
            {"a": "new", "b": "b", "c": "c"},
            {"a@2": who("new")},
            ("a",),
            {"toy-2": (("a@2", "b"), ("a@2", "c")), "toy-1": (("a@2",),)},
        ),
        (
            {"b": "b", "c": "c", "d": "d", "e": "e"},
            {"d": who("d"), "e": who("e")},
            ("a",),
            {
                "toy-2": (("b", "d"), ("b", "e"), ("c", "d"), ("c", "e"), ("d", "e")),
                "toy-1": (("d", "e"),),
            },
        ),
    ],
    ids=["the same", "in another order", "new contents", "who is added"],
)
def test_who_is_new_meets_all_who_are_there(digests, entered, left, pairings) -> None:
    assert FIRST.change(*wanted(FIRST, **digests)) == (entered, left, pairings)


def test_the_same_bytes_come_back_as_what_they_were() -> None:
    field = FIRST.then(changed(FIRST, a="new", b="b", c="c"))
    entered, left, pairings = field.change(*wanted(field, a="a", b="b", c="c"))
    assert (entered, left, pairings) == ({"a": who("a")}, ("a@2",), {})
    field = field.then(changed(field, 2, a="a", b="b", c="c", d="d"))
    again = changed(field, 3, a="new", b="b", c="c", d="d")
    assert again.pairings == {"toy-2": (("a@2", "d"),)}  # the others are planned, alone it played
    assert set(field.then(again).identities) - field.then(again).left == {"a@2", "b", "c", "d"}


def test_third_contents_are_a_third_version() -> None:
    field = FIRST.then(changed(FIRST, a="new", b="b", c="c"))
    assert set(changed(field, 2, a="newest", b="b", c="c").entered) == {"a@3"}


def test_disciplines_know_all_who_ever_entered() -> None:
    field = FIRST.then(changed(FIRST, a="new", b="b"))
    assert [each.entrants for each in field.disciplines] == [
        ("a", "b", "c", "a@2"),
        ("a", "b", "a@2"),
    ]
    assert field.left == {"a", "c"}
    assert len(field.rounds) == 2
    assert field.rounds[1][0].schedule.kind == "pairings"


def test_nobody_leaves_one_game_and_plays_another() -> None:
    field, games = wanted(a="a", b="b", c="c")
    games[1] = msgspec.structs.replace(SOLO, entrants=("a",))
    with pytest.raises(ValueError, match=r"games.toy-1.entrants: b is missing, but plays other"):
        FIRST.change(field, games)


def listed(*pairings: str) -> Discipline:
    met = tuple(tuple(each) for each in pairings)
    return discipline("a", "b", "c", rules=GAME.rules, kind="pairings", pairings=met)


def test_listed_pairings_are_added_and_none_is_taken_away() -> None:
    first = Field.first({name: who(name) for name in "abc"}, (listed("ab"),))
    field = {name: who(name) for name in "abc"}
    assert first.change(field, [listed("ab", "bc")])[2] == {"toy-2": (("b", "c"),)}
    with pytest.raises(ValueError, match=r"schedule.pairings: \[a, b\] is missing"):
        first.change(field, [listed("bc")])


def link(folder: Path, commitment: str, *changes: FieldChange) -> tuple[FieldChange, ...]:
    done: tuple[FieldChange, ...] = ()
    for change in changes:
        before = last_link(commitment, done)
        linked = msgspec.structs.replace(change, before=before, number=len(done) + 1)
        add_change(folder, linked)
        done = (*done, linked)
    return done


def test_a_chain_is_read_as_it_was_written(tmp_path: Path) -> None:
    one = changed(FIRST, a="new", b="b", c="c")
    two = changed(FIRST.then(one), 2, a="new", b="b")
    done = link(tmp_path, "commitment", one, two)
    assert read_changes(tmp_path, "commitment") == done
    with (tmp_path / ENTRIES).open("ab") as file:
        file.write(b'{"number":3')  # killed while it was written
    assert read_changes(tmp_path, "commitment") == done
    assert read_changes(tmp_path / "none", "commitment") == ()


REPEATS = "entries.jsonl:2: found number 1, expected 2: this line repeats or precedes an "


@pytest.mark.parametrize(
    ("kept", "commitment", "told"),
    [
        ((0, 1, 3), "commitment", "entries.jsonl:3: found number 4, expected 3: line 3 is missing"),
        (
            (3,),
            "commitment",
            "entries.jsonl:1: found number 4, expected 1: lines 1 to 3 are missing",
        ),
        ((0, 0), "commitment", REPEATS),
        ((0, 1), "another", "entries.jsonl:1: does not follow"),
        ((4, 1), "commitment", "entries.jsonl:2: does not follow"),
    ],
    ids=["middle", "first", "twice", "other", "changed"],
)
def test_a_chain_that_was_touched_is_refused(tmp_path, kept, commitment, told) -> None:
    one = changed(FIRST, a="new", b="b", c="c")
    link(tmp_path, "commitment", *(msgspec.structs.replace(one, number=n) for n in range(1, 5)))
    lines = (tmp_path / ENTRIES).read_bytes().splitlines(keepends=True)
    lines.append(lines[0].replace(b'"left":["a"]', b'"left":["b"]'))
    (tmp_path / ENTRIES).write_bytes(b"".join(lines[k] for k in kept))
    with pytest.raises(StoreError, match=re.escape(told)):
        read_changes(tmp_path, commitment)


def met(**pairings: tuple[Pairing, ...]) -> dict[str, Any]:
    return {"pairings": {name.replace("_", "-"): each for name, each in pairings.items()}}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"left": ("z",)}, "z leaves and is not there"),
        ({"entered": {"a": who("a")}}, "a enters and is there"),
        (met(toy_9=(("a", "b"),)), "found no game toy-9"),
        (met(toy_2=(("a", "z"),)), "toy-2: somebody plays who is no entrant, or twice"),
        (met(toy_2=(("d", "d"),)), "toy-2: somebody plays who is no entrant, or twice"),
        (met(toy_2=(("a", "b"),)), "toy-2: a pairing that is planned, or not for 2 seats"),
        (met(toy_2=(("a", "b", "d"),)), "toy-2: a pairing that is planned, or not for 2 seats"),
        (met(toy_2=(("a", "d"), ("a", "d"))), "toy-2: found no pairing, or one twice"),
        (met(toy_2=()), "toy-2: found no pairing, or one twice"),
        (met(toy_1=(("c",), ("d",))), "toy-1: found no pairing, or one twice"),
        (met(toy_2=(("a", "d"),)), ""),
        (met(toy_3=(("a", "b", "c"),)), "toy-3: a pairing of those who were there before"),
        (met(toy_3=(("a", "b", "d"),)), ""),
        (met(listed=(("b", "c"),)), ""),
    ],
)
def test_what_cannot_follow_is_told(change: dict[str, Any], why: str) -> None:
    own = change_of(**{"entered": {"d": who("d")}} | change)
    field = Field.first({name: who(name) for name in "abce"}, (GAME, SOLO, THREE, LISTED))
    assert unsound(field, own) == why


def test_who_comes_back_is_the_same() -> None:
    field = FIRST.then(changed(FIRST, b="b", c="c"))
    own = change_of(number=2, entered={"a": who("new")})
    assert unsound(field, own) == "a comes back as another one"


def test_a_manifest_knows_its_field(tmp_path: Path) -> None:
    manifest = manifest_of(identity_of(GAME), "commitment")
    write_atomically(tmp_path / "run.json", msgspec.json.encode(manifest))
    one = change_of(
        before="commitment", entered={"d": who("d")}, left=("a",), pairings={"toy-2": (("b", "d"),)}
    )
    add_change(tmp_path, one)
    found = read_manifest(tmp_path)
    assert found.changes == (one,)
    assert found.entrants == ("a", "b", "c", "d")
    assert found.schedule().games == manifest.schedule().games + 2
    assert found.schedule().left == {"a"}


@pytest.mark.parametrize(
    ("change", "why"),
    [({"left": ("z",)}, "z leaves"), ({"before": "other"}, "does not follow the line before")],
)
def test_a_manifest_with_a_bad_chain_is_refused(tmp_path, change, why) -> None:
    manifest = manifest_of(identity_of(GAME), "commitment")
    write_atomically(tmp_path / "run.json", msgspec.json.encode(manifest))
    add_change(tmp_path, change_of(**{"before": "commitment"} | change))
    with pytest.raises(StoreError, match=rf"{ENTRIES}:1: {why}"):
        read_manifest(tmp_path)
