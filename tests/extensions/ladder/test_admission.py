"""What is found of a bot at the door of a ladder, and what its author is told."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from arena.entrants import cache
from arena.extensions.ladder.admission import examiner, named_place
from arena.extensions.ladder.book import LadderBot, answer, without_places
from arena.extensions.ladder.file import CheckLevel, load_ladder
from arena.extensions.ladder.store import Quarantined, digest_of, disk_use_of, place_of
from arena.hosting.sandbox.isolation import Isolation, IsolationError
from tests.cli.shell import BOT, bot
from tests.extensions.ladder.ladders import ladder
from tests.hosting.sandbox.test_paths import OUTSIDE, laid

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
def test_a_bot_is_fit_or_its_author_knows_why_not(tmp_path, source, manifest, said) -> None:
    plan = load_ladder(ladder(tmp_path / "l")).plan
    examine = examiner(plan, CheckLevel.ESSENTIAL)
    found = examine(bot(tmp_path, "mine", source, **manifest), LadderBot("anna", "mine"))
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
    verdict = examine(own, LadderBot("anna", "mine"))
    assert verdict.fit == (not said)
    assert said in "\n".join(verdict.said)
    builds = [*cache.cache_folder().iterdir()]
    assert len(builds) == verdict.fit
    if verdict.fit:
        digest = digest_of(own)
        shutil.copytree(own, place_of(found.folder, digest))
        counted = disk_use_of(found.folder, digest, found.plan.isolation)
        assert size < counted < size + 100_000


def _secret(place: Path, what: str) -> str:
    """Put something where only arena can look."""
    if place.is_symlink() or place.is_file():
        place.unlink()
    elif place.is_dir():
        place.rmdir()
    laid(place, what)
    return str(place)


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize(
    "case",
    [
        *("command", "up", "build", "command after a build"),
        *("link", "link after a build", "interpreter", "manifest", "kit"),
    ],
)
def test_an_answer_does_not_tell_what_lies_outside_of_the_folder(tmp_path: Path, case: str) -> None:
    plan = load_ladder(ladder(tmp_path / "l")).plan
    try:
        examine = examiner(
            msgspec.structs.replace(plan, isolation=Isolation.SANDBOX), CheckLevel.ESSENTIAL
        )
    except IsolationError as error:
        pytest.skip(str(error))
    (tmp_path / "home").mkdir(mode=0o700)
    (tmp_path / "answers of anna").mkdir()
    secret = tmp_path / "home" / "secret"
    told = set()
    for what in (*OUTSIDE, "text"):
        path = _secret(secret, what)
        if what == "text":
            secret.write_text("hunter2\n")
        manifest = {
            "command": {"command": f"[{path}]"},
            "up": {"command": "[../home/secret]"},
            "build": {"build": f"[[{path}]]"},
            "command after a build": {"command": f"[{path}]", "build": "[['true']]"},
            "link": {"command": "[./link]"},
            "link after a build": {"command": "[./link]", "build": f"[[ln, -s, {path}, link]]"},
            "interpreter": {"command": "[./script]"},
        }.get(case, {})
        folder = bot(tmp_path, "mine", "print('hello')\n" + BOT, **manifest)
        if case == "interpreter":
            (folder / "script").write_text(f"#!{path}\n")
            (folder / "script").chmod(0o755)
        links = {"link": "link", "manifest": "bot.yaml", "kit": "kit/LICENSE"}
        if case in links:
            link = folder / links[case]
            link.unlink(missing_ok=True)
            link.parent.mkdir(exist_ok=True)
            link.symlink_to(path)
        try:
            verdict = examine(folder, LadderBot("anna", "mine"))
            assert not verdict.fit
            lines = verdict.said
        except Quarantined as quarantined:
            lines = quarantined.said
        answer(tmp_path / "answers of anna", LadderBot("anna", "mine"), "now", "refused", lines)
        told.add((tmp_path / "answers of anna/answers/anna/mine.txt").read_text())
        shutil.rmtree(folder)
    (said,) = told
    assert str(tmp_path) not in said.replace(str(secret), "")
    assert str(cache.cache_folder()) not in said


def test_an_answer_has_no_place_of_this_machine(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/srv/cache")
    monkeypatch.setattr("tempfile.tempdir", "/var/tmp")
    line = f"{tmp_path}/versions/.new/a/main.py:3: see /srv/cache/arena/builds/x/files and /var/tmp"
    assert without_places(line, tmp_path) == "…/main.py:3: see …/files and …"
    own = "File '/bot/main.py': no ./sub/main.py, /usr/bin/cc or /root/x"
    assert without_places(own, tmp_path) == own


@pytest.mark.process
def test_what_a_full_disk_has_spoilt_is_no_fault_of_a_bot(tmp_path, monkeypatch) -> None:
    examine = examiner(load_ladder(ladder(tmp_path / "l")).plan, CheckLevel.ESSENTIAL)
    folder, own = bot(tmp_path, "mine", BOT, build="[['false']]"), LadderBot("anna", "mine")
    assert not examine(folder, own).fit
    full = SimpleNamespace(free=4096)
    monkeypatch.setattr("arena.extensions.ladder.admission.shutil.disk_usage", lambda folder: full)
    with pytest.raises(OSError, match="No space left on device"):
        examine(folder, own)


def test_a_folder_without_a_manifest_is_no_bot(tmp_path: Path) -> None:
    plan = load_ladder(ladder(tmp_path / "l")).plan
    found = examiner(plan, CheckLevel.FULL)(tmp_path, LadderBot("anna", "mine"))
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
def test_the_file_of_an_author(tmp_path, data, place, said) -> None:
    found, wrong = named_place(data, tmp_path)
    assert found == place
    assert said in "\n".join(wrong)
    assert bool(said) == bool(wrong)
