"""What is found of a bot at the door of a ladder, and what its author is told."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from arena.config.ladder import CheckLevel, load_ladder
from arena.entrants import cache
from arena.ladder.admission import examiner, named_place
from arena.ladder.book import Bot
from arena.ladder.store import digest_of, disk_use_of, place_of
from tests.cli.shell import BOT, bot
from tests.ladder.ladders import ladder

FAULTY = BOT.replace("rng.randrange(len(message", "len(message").replace('"]))', '"])')


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize(
    ("source", "manifest", "said"),
    [
        (BOT, {}, ""),
        (FAULTY, {}, "fault: illegal-action"),
        ("print('hello')\n" + BOT, {}, "fault: print-on-stdout"),
        (BOT, {"build": "[[cc, missing.c]]"}, "fault: build-failed"),
        (BOT, {"build": "[[cp, main.py, made.py]]", "command": "[python3, made.py]"}, ""),
        (BOT, {"plays": "{dragonkrak: [2]}"}, "plays none of the games: it plays dragonkrak"),
        (BOT, {"comand": "x"}, 'unknown key "comand"'),
    ],
)
def test_a_bot_is_fit_or_its_author_knows_why_not(
    tmp_path: Path, source: str, manifest: dict[str, Any], said: str
) -> None:
    plan = load_ladder(ladder(tmp_path / "l")).plan
    examine = examiner(plan, CheckLevel.ESSENTIAL)
    found = examine(bot(tmp_path, "mine", source, **manifest), Bot("anna", "mine"))
    told = "\n".join(found.said)
    assert found.fit == (not said), told
    assert said in told
    assert str(tmp_path) not in told


LEAVES = "[[sh, -c, 'head -c {size} /dev/zero > data; cp main.py made.py']]"


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize(
    ("source", "size", "said"),
    [
        (BOT, 3 << 20, ""),
        (BOT, 5 << 20, "made what cannot be kept: more than 4 MiB"),
        (FAULTY, 3 << 20, "fault: illegal-action"),
    ],
)
def test_builds_are_bounded_by_size_and_counted_and_those_refused_leave_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, size: int, said: str
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    found = load_ladder(ladder(tmp_path / "l", "authors: {size: 1 MiB}"))
    examine = examiner(found.plan, CheckLevel.ESSENTIAL, found.file.authors.built)
    own = bot(
        tmp_path, "mine", source, build=LEAVES.format(size=size), command="[python3, made.py]"
    )
    verdict = examine(own, Bot("anna", "mine"))
    assert verdict.fit == (not said)
    assert said in "\n".join(verdict.said)
    builds = [*cache.cache_folder().iterdir()]
    assert len(builds) == verdict.fit
    if verdict.fit:
        digest = digest_of(own)
        shutil.copytree(own, place_of(found.folder, digest))
        counted = disk_use_of(found.folder, digest, found.plan.isolation)
        assert size < counted < size + 100_000


@pytest.mark.process
def test_what_a_full_disk_has_spoilt_is_no_fault_of_a_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    examine = examiner(load_ladder(ladder(tmp_path / "l")).plan, CheckLevel.ESSENTIAL)
    folder, own = bot(tmp_path, "mine", BOT, build="[['false']]"), Bot("anna", "mine")
    assert not examine(folder, own).fit
    full = SimpleNamespace(free=4096)
    monkeypatch.setattr("arena.ladder.admission.shutil.disk_usage", lambda folder: full)
    with pytest.raises(OSError, match="No space left on device"):
        examine(folder, own)


def test_a_folder_without_a_manifest_is_no_bot(tmp_path: Path) -> None:
    plan = load_ladder(ladder(tmp_path / "l")).plan
    found = examiner(plan, CheckLevel.FULL)(tmp_path, Bot("anna", "mine"))
    assert found == (False, ("found no bot.yaml in it",))


@pytest.mark.parametrize(
    ("data", "place", "said"),
    [
        (None, None, ""),
        (b"place: mine\n", "mine", ""),
        (b"{}", None, ""),
        (b"", None, "author.yaml"),
        (b"place: a/b", None, 'author.yaml:1:8: place: found "a/b", expected a name'),
        (b"plac: x", None, 'unknown key "plac"'),
        (b"\xff", None, "author.yaml:1:1: found the byte 0xff"),
        (b"place: [x", None, "not YAML"),
    ],
)
def test_the_file_of_an_author(
    tmp_path: Path, data: bytes | None, place: str | None, said: str
) -> None:
    found, wrong = named_place(data, tmp_path)
    assert found == place
    assert said in "\n".join(wrong)
    assert bool(said) == bool(wrong)
