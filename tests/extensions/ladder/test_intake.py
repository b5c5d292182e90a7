"""What strangers put into the folder of submissions."""

from __future__ import annotations

import errno
import os
import shutil
import socket
from pathlib import Path

import pytest

from arena.extensions.ladder import intake
from arena.extensions.ladder.book import LadderBot
from arena.extensions.ladder.file import AuthorsFile
from tests.extensions.ladder.ladders import bot

TERMS = AuthorsFile(size=10_000, files=50)


def seen(folder: Path, now: float = 4e9) -> intake.IntakeSurvey:
    return intake.look(folder, TERMS, now)


def only(folder: Path) -> intake.SubmittedFolder:
    (found,) = seen(folder).found
    return found


def deep(folder: Path) -> None:
    os.makedirs(folder.joinpath(*"d" * 40))


def many(folder: Path) -> None:
    for number in range(60):
        (folder / f"{number}.txt").write_text("")


def long(folder: Path) -> None:
    os.makedirs(folder / ("d" * 200) / ("d" * 200) / ("d" * 200) / ("d" * 200) / ("d" * 200))


def pipe(folder: Path) -> None:
    os.mkfifo(folder / "pipe")


def listening(folder: Path) -> None:
    with socket.socket(socket.AF_UNIX) as own:
        here = os.getcwd()
        os.chdir(folder)  # such a path may not be long
        try:
            own.bind("socket")
        finally:
            os.chdir(here)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda folder: (folder / "key").symlink_to("/etc/passwd"), "key is a symbolic link"),
        (lambda folder: (folder / "up").symlink_to(".."), "up is a symbolic link"),
        (pipe, "pipe is neither file nor folder"),
        (listening, "socket is neither file nor folder"),
        (deep, "more than 32 folders deep"),
        (many, "more than 50 files and folders"),
        (long, "a path of more than 1,000 bytes"),
        (lambda folder: (folder / "net").write_bytes(b"0" * 10_001), "more than 10,000 bytes"),
        (lambda folder: os.truncate(folder / "main.py", 1 << 40), "more than 10,000 bytes"),
    ],
)
def test_what_no_bot_is_is_told_and_never_read(tmp_path, spoil, said) -> None:
    spoil(bot(tmp_path / "anna" / "x", 1000))
    found = only(tmp_path)
    assert found.stamp is None
    assert said in found.reason


def test_authors_their_bots_and_bots_that_are_their_own_authors(tmp_path: Path) -> None:
    bot(tmp_path / "anna" / "x", 1000)
    bot(tmp_path / "anna" / "y.2", 1000)
    bot(tmp_path / "solo", 1000)
    (tmp_path / "anna" / "author.yaml").write_text("place: x\n")
    (tmp_path / ".coming").mkdir()
    (tmp_path / "a.b").mkdir()
    (tmp_path / "notes.txt").write_text("")
    (tmp_path / "anna" / "zip.zip").write_text("")
    os.mkdir(os.fsencode(tmp_path) + b"/\xff\n")
    (tmp_path / "linked").symlink_to(tmp_path / "anna")
    found = seen(tmp_path)
    assert [(each.bot, each.stamp is None) for each in found.found] == [
        (LadderBot("anna", "x"), False),
        (LadderBot("anna", "y.2"), False),
        (LadderBot("anna", "zip.zip"), True),
        (LadderBot("solo", "solo"), False),
    ]
    assert [each.bot.name for each in found.found] == ["anna.x", "anna.y.2", "anna.zip.zip", "solo"]
    told = "\n".join(found.odd)
    assert all(name in told for name in ("a.b: no name", "notes.txt: no", "linked: no folder"))
    assert "\n\n" not in told


def test_who_is_at_work_is_not_disturbed(tmp_path, tmp_path_factory) -> None:
    folder = bot(tmp_path / "anna" / "x", 1000)
    changed = max(path.lstat().st_ctime for path in (folder, *folder.iterdir()))
    assert 1.9 < seen(tmp_path, changed + 2).found[0].age < 2.1
    found = only(tmp_path)
    (folder / "main.py").write_text("else")
    with pytest.raises(intake.FolderBusy, match="changed while they were copied"):
        intake.take(tmp_path, found, TERMS, tmp_path_factory.mktemp("other") / "copy")
    assert only(tmp_path).stamp != found.stamp


def test_what_is_renamed_into_place_counts_from_then(tmp_path: Path) -> None:
    bot(tmp_path / "else" / "x", 1000)
    (tmp_path / "top" / "anna").mkdir(parents=True)
    (tmp_path / "else" / "x").rename(tmp_path / "top" / "anna" / "x")
    found = only(tmp_path / "top")
    intake.take(tmp_path / "top", found, TERMS, tmp_path / "copy")
    assert sorted(path.name for path in (tmp_path / "copy").iterdir()) == [
        "bot.yaml",
        "main.py",
        "strength",
    ]


def test_a_folder_that_becomes_a_link_meanwhile_is_not_followed(tmp_path: Path) -> None:
    secret = bot(tmp_path / "secret", 1000)
    folder = bot(tmp_path / "top" / "anna" / "x", 1000)
    found = only(tmp_path / "top")
    shutil.rmtree(folder)
    folder.symlink_to(secret)
    with pytest.raises(intake.FolderBusy, match="cannot be read"):
        intake.take(tmp_path / "top", found, TERMS, tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def test_a_link_that_comes_while_it_is_copied_is_refused(tmp_path: Path) -> None:
    folder = bot(tmp_path / "anna" / "x", 1000)
    found = only(tmp_path)
    (folder / "key").symlink_to("/etc/passwd")
    with pytest.raises(intake.UnfitFolder, match="symbolic link"):
        intake.take(tmp_path, found, TERMS, tmp_path / "copy")


@pytest.mark.parametrize(
    ("grow", "said"),
    [
        (lambda folder: os.truncate(folder / "main.py", 1 << 42), "more than 10,000 bytes"),
        (many, "more than 50 files and folders"),
        (long, "a path of more than 1,000 bytes"),
    ],
)
def test_what_grows_while_it_is_copied_is_bounded(tmp_path, grow, said) -> None:
    folder = bot(tmp_path / "top" / "anna" / "x", 1000)
    found = only(tmp_path / "top")
    grow(folder)
    with pytest.raises(intake.UnfitFolder, match=said):
        intake.take(tmp_path / "top", found, TERMS, tmp_path / "copy")


def test_what_goes_while_it_is_looked_at_is_not_there(tmp_path, monkeypatch) -> None:
    bot(tmp_path / "anna" / "x", 1000)
    (tmp_path / "anna" / "y").write_text("")
    opened = os.open

    def without(path: str, flags: int, *, dir_fd: int | None = None) -> int:
        if path == "y":
            os.unlink(path, dir_fd=dir_fd)
        return opened(path, flags, dir_fd=dir_fd)

    monkeypatch.setattr("arena.extensions.ladder.intake.os.open", without)
    assert only(tmp_path).bot == LadderBot("anna", "x")


def test_what_git_and_python_keep_is_no_part_of_it(tmp_path: Path) -> None:
    folder = bot(tmp_path / "anna" / "x", 1000)
    before = only(tmp_path)
    (folder / ".git").mkdir()
    (folder / ".git" / "link").symlink_to("..")
    (folder / "__pycache__").mkdir()
    found = only(tmp_path)
    assert found.stamp is not None
    assert before.stamp is not None
    assert found.stamp.entries == before.stamp.entries
    intake.take(tmp_path, found, TERMS, tmp_path / "copy")
    assert not (tmp_path / "copy" / ".git").exists()


@pytest.mark.parametrize("name", ["anna", "x"])
@pytest.mark.parametrize("error", [errno.EACCES, errno.EMFILE, errno.EIO])
def test_a_folder_that_cannot_be_read_is_not_gone(tmp_path, monkeypatch, name, error) -> None:
    bot(tmp_path / "anna" / "x", 1000)
    bot(tmp_path / "bert" / "y", 1000)
    opened = os.open

    def failing(path: str, flags: int, *, dir_fd: int | None = None) -> int:
        if path == name:
            raise OSError(error, os.strerror(error))
        return opened(path, flags, dir_fd=dir_fd)

    monkeypatch.setattr("arena.extensions.ladder.intake.os.open", failing)
    found = seen(tmp_path)
    assert [each.bot for each in found.found if each.stamp] == [LadderBot("bert", "y")]
    if name == "anna":
        assert found.unread == {"anna"}
        assert found.odd == (f"anna: cannot be read: {os.strerror(error)}",)
    else:
        assert (found.unread, found.odd, len(found.found)) == (frozenset(), (), 2)


@pytest.mark.parametrize("part", ["top", "author"])
def test_a_disk_that_fails_while_a_folder_is_listed_takes_nobody_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    bot(tmp_path / "anna" / "x", 1000)
    scanned, calls = os.scandir, iter([part == "top", part == "author"])

    def failing(folder: int) -> object:
        if next(calls, False):
            raise OSError(errno.EIO, "Input/output error")
        return scanned(folder)

    monkeypatch.setattr("arena.extensions.ladder.intake.os.scandir", failing)
    found = seen(tmp_path)
    assert found.found == ()
    assert (found.authors == {}) if part == "top" else (found.unread == {"anna"})
    assert "cannot be read: Input/output error" in found.odd[0]


@pytest.mark.parametrize(
    ("ahead", "age"), [(-10.0, 10.0), (30.0, -30.0), (2 * 86_400.0, 2 * 86_400.0)]
)
def test_files_of_a_day_that_is_yet_to_come_are_not_waited_for(tmp_path, ahead, age) -> None:
    folder = bot(tmp_path / "anna" / "x", 1000)
    changed = max(path.lstat().st_ctime for path in (folder, *folder.iterdir()))
    assert abs(seen(tmp_path, changed - ahead).found[0].age - age) < 0.1


def test_without_a_folder_of_submissions_nobody_is_gone(tmp_path: Path) -> None:
    found = seen(tmp_path / "none")
    assert (found.found, found.authors) == ((), {})
    assert "found no folder of submissions" in found.odd[0]


@pytest.mark.parametrize("kind", ["none", "link", "pipe", "file"])
def test_the_file_of_an_author_is_a_file(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "anna" / "author.yaml"
    path.parent.mkdir()
    match kind:
        case "link":
            path.symlink_to("/etc/passwd")
        case "pipe":
            os.mkfifo(path)
        case "file":
            path.write_text("place: x")
    assert intake.author_file(tmp_path, "anna", 100) == (b"place: x" if kind == "file" else None)
