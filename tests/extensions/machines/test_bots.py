"""Bots on their way: what is packed is what arrives, or nothing does."""

from __future__ import annotations

import io
import os
import tarfile
from pathlib import Path

import pytest

from arena.entrants import cache
from arena.entrants.entrants import Entrant, EntrantKind
from arena.entrants.folders import folder_digest, is_no_source
from arena.extensions.machines import messages
from arena.extensions.machines.messages import Archives, SentBot, arrived, keep, kept, travellers
from arena.hosting.sandbox.isolation import Isolation
from arena.hosting.workspace.trees import is_foreign
from arena.tournament.executor import PoolError
from arena.values.problems import ConfigError


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


MANIFEST = "bot: 1\nname: mine\ncommand: [./go, 'x']\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With everything that a folder may hold, and some of what is no part of a bot."""
    folder = tmp_path / "mine"
    (folder / "deep" / "empty").mkdir(parents=True)
    (folder / "bot.yaml").write_text(MANIFEST)
    (folder / "go").write_text("#!/bin/sh\n")
    (folder / "go").chmod(0o700)
    (folder / "deep" / "ä b\n").write_bytes(bytes(range(256)) * 5000)
    (folder / "link").symlink_to("go")
    (folder / "away").symlink_to("/etc/passwd")
    (folder / ".git").mkdir()
    (folder / ".git" / "secret").write_text("secret")
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "x.pyc").write_text("")
    return folder


def entrant(folder: Path, *build: tuple[str, ...]) -> Entrant:
    digest = folder_digest(folder, is_no_source if build else is_foreign)
    return Entrant(
        name="mine",
        kind=EntrantKind.BOT,
        command=(str(folder / "go"), "x"),
        words=("./go", "x"),
        folder=str(folder),
        digest=digest,
        files="" if build else digest,
        build=build,
    )


def sent(bot: SentBot) -> io.BytesIO:
    """The archive, in pieces and together again."""
    archives, whole = Archives([bot]), io.BytesIO()
    while True:
        piece = archives.piece(bot.content, whole.tell())
        assert len(piece.data) <= messages.PIECE
        whole.write(piece.data)
        if piece.is_last:
            break
    archives.close()
    whole.seek(0)
    return whole


@pytest.mark.parametrize("size", [7, 1000, 1 << 20])
def test_what_is_packed_arrives(folder: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(messages, "PIECE", size)
    (bot,) = travellers([entrant(folder)])
    assert bot.entrant.isolation is Isolation.LIMITS
    assert kept(bot.content) is None
    there = keep(bot.content, sent(bot))
    assert folder_digest(there) == bot.content
    assert os.readlink(there / "away") == "/etc/passwd"
    assert os.access(there / "go", os.X_OK)
    assert not (there / ".git").exists()
    assert kept(bot.content) == there
    assert arrived(bot, there).command == (str(there / "go"), "x")


def test_of_a_bot_that_is_built_only_the_source_goes(folder: Path) -> None:
    (folder / "build").mkdir()
    (folder / "build" / "made").write_text("here")
    (bot,) = travellers([entrant(folder, ("make",))])
    assert not (keep(bot.content, sent(bot)) / "build").exists()


def test_a_bot_that_was_changed_since_it_was_entered_does_not_arrive(folder: Path) -> None:
    (bot,) = travellers([entrant(folder)])
    (folder / "go").write_text("#!/bin/sh\nother\n")
    with pytest.raises(PoolError, match="cannot be kept there: what arrived is another bot"):
        keep(bot.content, sent(bot))
    assert kept(bot.content) is None
    assert not [*cache.cache_folder(cache.TRAVELLERS).iterdir()]


def test_what_cannot_be_read_is_told(folder: Path) -> None:
    (bot,) = travellers([entrant(folder)])
    os.mkfifo(folder / "pipe")
    with pytest.raises(PoolError, match="mine: cannot be packed: "):
        sent(bot)


@pytest.mark.parametrize("name", ["../out", "/tmp/out-of-arena", "link/../../out"])
def test_an_archive_writes_nothing_elsewhere(tmp_path: Path, name: str) -> None:
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz") as made:
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, str(tmp_path)
        made.addfile(link)
        member = tarfile.TarInfo(name)
        member.size = 3
        made.addfile(member, io.BytesIO(b"out"))
    archive.seek(0)
    with pytest.raises(PoolError, match="cannot be kept there"):
        keep("0" * 64, archive)
    assert not [*tmp_path.glob("**/out")]
    assert not Path("/tmp/out-of-arena").exists()


@pytest.mark.parametrize("data", [b"", b"no archive", b"\x1f\x8b\x08\x00garbage"])
def test_what_is_no_archive_is_told(data: bytes) -> None:
    with pytest.raises(PoolError, match="cannot be kept there"):
        keep("0" * 64, io.BytesIO(data))


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (EntrantKind.COMMAND, "mine: found a command without a folder of its own"),
        (EntrantKind.PERSON, "mine: found a person"),
    ],
)
def test_who_cannot_go(folder: Path, kind: EntrantKind, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        travellers([Entrant("mine", kind, ("x",), ("x",), str(folder), "d", "")])
    assert said in str(caught.value)


def test_a_command_with_a_folder_of_its_own_goes(folder: Path) -> None:
    digest = folder_digest(folder, is_foreign)
    words = ("./go", "x")
    bot = Entrant("mine", EntrantKind.COMMAND, words, words, str(folder), "d", digest)
    (one,) = travellers([bot])
    there = keep(one.content, sent(one))
    assert arrived(one, there).command == (str(there / "go"), "x")
    lost = SentBot(Entrant("m", EntrantKind.COMMAND, ("no",), ("no",), "/", "d", digest), digest)
    with pytest.raises(PoolError, match='m: "no" was not found'):
        arrived(lost, there)


def test_what_a_machine_lacks_is_told_by_the_name_of_the_bot(folder: Path) -> None:
    (folder / "bot.yaml").write_text(MANIFEST + "needs: {no-such-tool: '1'}\n")
    (bot,) = travellers([entrant(folder)])
    with pytest.raises(PoolError, match=r'^mine: "no-such-tool" was not'):
        arrived(bot, keep(bot.content, sent(bot)))
