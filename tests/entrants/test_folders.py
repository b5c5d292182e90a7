from __future__ import annotations

import hashlib
import os
from io import BufferedReader
from pathlib import Path

import pytest

from arena.entrants import folders as module
from arena.entrants.folders import (
    FolderError,
    check_size,
    command_digest,
    folder_digest,
    is_no_source,
)
from arena.hosting.workspace.trees import Skip, copy_tree, is_foreign
from tests.tournament.folders import write, write_bot


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    return write_bot(tmp_path / "bot")


RULES = pytest.mark.parametrize("skip", [is_foreign, is_no_source])
"""Of a bot without a build, and of one with."""


@RULES
@pytest.mark.parametrize(
    "path",
    [".git/HEAD", ".git", "__pycache__/a.pyc", "a/b/__pycache__/b", "a/.git", "build/.git/x"],
)
def test_what_never_counts(bot: Path, path: str, skip: Skip) -> None:
    before = folder_digest(bot, skip)
    write(bot / path, "x")
    assert folder_digest(bot, skip) == before


@pytest.mark.parametrize("path", ["build/tool", "node_modules/.cache/x"])
def test_what_a_build_makes_is_no_source(bot: Path, path: str) -> None:
    before, source_before = folder_digest(bot), folder_digest(bot, is_no_source)
    write(bot / path, "x")
    assert folder_digest(bot, is_no_source) == source_before
    assert folder_digest(bot) != before


@RULES
@pytest.mark.parametrize(
    "path",
    [
        *("new.txt", "a/build/x", "node_modules/x", ".hidden", "build", "node_modules/.cache"),
        *("a/__pycache__", "Build/x", "build./x", "bu\u0131ld/x", ".Git/x", "__PYCACHE__/x"),
        *(os.fsdecode(b"build\xff/x"), "node_modules/.CACHE/x", "a/node_modules/.cache/x"),
    ],
)
def test_what_counts(bot: Path, path: str, skip: Skip) -> None:
    before = folder_digest(bot, skip)
    write(bot / path, "x")
    assert folder_digest(bot, skip) != before


@RULES
@pytest.mark.parametrize("path", ["build", "__pycache__", "node_modules", "a"])
def test_a_link_counts_whatever_its_name(bot: Path, path: str, skip: Skip) -> None:
    before = folder_digest(bot, skip)
    write(bot / "real" / ".cache" / "x", "x")
    between = folder_digest(bot, skip)
    (bot / path).symlink_to("real")
    assert len({before, between, folder_digest(bot, skip)}) == 3


@RULES
def test_empty_folders_count_but_not_what_holds_only_what_does_not(bot: Path, skip: Skip) -> None:
    before = folder_digest(bot, skip)
    write(bot / "old" / "deep" / "__pycache__" / "x.pyc", "x")
    assert folder_digest(bot, skip) == before
    (bot / "old" / "deep" / "new").mkdir()
    assert folder_digest(bot, skip) != before


@RULES
def test_a_copy_is_exactly_what_was_digested(bot: Path, tmp_path: Path, skip: Skip) -> None:
    for path in ("build/x", "a/build", ".git/x", "a/__pycache__/y", "b/__pycache__", "c/.git"):
        write(bot / path, path)
    (bot / "node_modules").symlink_to("a")
    (bot / "empty" / "er").mkdir(parents=True)
    (bot / "main.py").chmod(0o740)
    copy_tree(bot, tmp_path / "copy", skip=skip)
    assert folder_digest(tmp_path / "copy") == folder_digest(bot, skip)


def test_content_name_and_executable_bit_count(bot: Path) -> None:
    seen = {folder_digest(bot)}
    (bot / "main.py").chmod(0o755)
    seen.add(folder_digest(bot))
    (bot / "main.py").write_text("other")
    seen.add(folder_digest(bot))
    (bot / "main.py").rename(bot / "other.py")
    seen.add(folder_digest(bot))
    assert len(seen) == 4


def test_the_place_of_the_folder_does_not_count(bot: Path, tmp_path: Path) -> None:
    before = folder_digest(bot)
    assert folder_digest(bot.rename(tmp_path / "elsewhere")) == before


def test_links_count_by_their_text_and_are_not_followed(bot: Path) -> None:
    (bot / "loop").symlink_to(bot, target_is_directory=True)
    (bot / "gone").symlink_to("/nowhere")
    before = folder_digest(bot)
    (bot / "gone").unlink()
    (bot / "gone").symlink_to("/elsewhere")
    assert folder_digest(bot) != before


def test_special_files_are_refused(bot: Path) -> None:
    os.mkfifo(bot / "pipe")
    with pytest.raises(FolderError, match=r"^pipe: neither file, folder nor link"):
        folder_digest(bot)


def test_huge_folders_are_refused(bot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_FILES", 2)
    folder_digest(bot)
    write(bot / "third", "")
    for refused in (folder_digest, check_size):
        with pytest.raises(FolderError, match="more than 2 files"):
            refused(bot)
    monkeypatch.setattr(module, "MAX_FILES", 100)
    monkeypatch.setattr(module, "MAX_BYTES", 10)
    for refused in (folder_digest, check_size):
        with pytest.raises(FolderError, match="more than 10 B"):
            refused(bot)


def test_folders_count_as_files_do(bot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_FILES", 6)
    (bot / "a" / "b" / "c").mkdir(parents=True)
    (bot / "a" / "d").mkdir()
    folder_digest(bot)
    (bot / "a" / "b" / "e").mkdir()
    for refused in (folder_digest, check_size):
        with pytest.raises(FolderError, match="more than 6 files and folders"):
            refused(bot)


def sparse(path: Path, size: int) -> None:
    with open(path, "wb") as file:
        file.truncate(size)


def test_a_file_that_is_too_big_is_not_read(bot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sparse(bot / "sparse", 1 << 40)
    monkeypatch.setattr("hashlib.file_digest", _read_only_if_small)
    for refused in (folder_digest, check_size):
        with pytest.raises(FolderError, match=r"^more than 1 GiB"):
            refused(bot)
    with pytest.raises(FolderError, match=r"^sparse: more than 1 GiB"):
        command_digest(("cat", "sparse"), bot)


def _read_only_if_small(file: BufferedReader, _: str) -> hashlib._Hash:
    assert os.fstat(file.fileno()).st_size < 1 << 20, "it was read"
    return hashlib.sha256(file.read())


def test_a_command_counts_with_the_files_it_names(bot: Path) -> None:
    words = ("python3", "main.py", "--fast")
    before = command_digest(words, bot)
    assert command_digest(words[:2], bot) != before
    write(bot / "other.py", "x")
    assert command_digest(words, bot) == before
    write(bot / "main.py", "x")
    assert command_digest(words, bot) != before


def test_a_command_counts_with_its_whole_folder_where_that_is_copied(bot: Path) -> None:
    words = ("python3", "main.py")
    own = command_digest(words, bot, folder_digest(bot))
    assert own != command_digest(words, bot)
    write(bot / "other.py", "x")
    assert command_digest(words, bot, folder_digest(bot)) != own


def test_a_folder_that_cannot_be_read_is_told_without_its_place(bot: Path) -> None:
    with pytest.raises(FolderError, match=r"^the folder: No such file or directory"):
        folder_digest(bot / "nowhere")
