from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec
import pytest

from arena.entrants import cache
from arena.entrants.folders import MAX_FILES, Bounds, folder_digest
from arena.entrants.names import name_at, split, take_out
from arena.extensions.sources.git import GitError
from arena.extensions.sources.revisions import commit_of, write_bots
from arena.values.problems import ConfigError
from arena.values.units import Name
from tests.entrants.repositories import commit, git, repository
from tests.tournament.folders import write, write_bot

pytestmark = [pytest.mark.slow, pytest.mark.process, pytest.mark.usefixtures("leaves_nothing")]

MINE: Final = "bots/mine"


@pytest.fixture(autouse=True)
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a second commit, which is where we are."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    repo = repository(tmp_path / "repo")
    write(repo / MINE / "main.py", "print('second')\n")
    commit(repo, "Better")
    monkeypatch.chdir(repo)
    return repo


def refusal(folder: str = MINE, revision: str = "HEAD") -> str:
    with pytest.raises((GitError, ConfigError)) as caught:
        take_out(folder, revision)
    return str(caught.value)


def state(repo: Path) -> tuple[str, ...]:
    """What nobody may change."""
    index = (repo / ".git" / "index").read_bytes().hex()
    ours = folder_digest(repo), git(repo, "status", "--porcelain"), git(repo, "worktree", "list")
    return index, *ours


def test_the_folder_of_then_is_taken_out(repo: Path) -> None:
    write(repo / MINE / "main.py", "print('not committed')\n")
    before = state(repo)
    found = take_out(MINE, "v1")
    assert found.commit == git(repo, "rev-parse", "v1")
    assert sorted(os.listdir(found.folder)) == ["bot.yaml", "main.py"]
    assert (found.folder / "main.py").read_text() == "print()\n"
    assert (take_out(MINE, "HEAD").folder / "main.py").read_text() == "print('second')\n"
    assert state(repo) == before


@pytest.mark.parametrize("revision", ["v1", "HEAD~1", "HEAD^", "main~1", "@~1", "HEAD@{1}"])
def test_whatever_git_resolves_is_a_revision(repo: Path, revision: str) -> None:
    assert take_out(MINE, revision).commit == git(repo, "rev-parse", "v1")


def test_one_state_of_the_files_is_taken_out_once(repo: Path) -> None:
    write(repo / "README", "nothing of the bot\n")
    commit(repo, "Elsewhere")
    now, then = take_out(MINE, "HEAD"), take_out(MINE, "HEAD~1")
    assert now.folder == then.folder
    assert now.commit != then.commit
    assert take_out(MINE, "v1").folder != now.folder


def test_a_damaged_copy_is_made_anew() -> None:
    folder = take_out(MINE, "v1").folder
    (folder / "main.py").write_text("print('damaged')\n")
    assert take_out(MINE, "v1").folder == folder
    assert (folder / "main.py").read_text() == "print()\n"


def test_nothing_unfinished_stays_and_old_ones_go(monkeypatch: pytest.MonkeyPatch) -> None:
    old = take_out(MINE, "v1").folder.parent
    os.utime(old, (0, 0))
    take_out(MINE, "HEAD")
    assert not old.exists()
    monkeypatch.setattr(cache, "finish", _interrupted)
    with pytest.raises(KeyboardInterrupt):
        take_out(MINE, "v1")
    assert len(os.listdir(cache.cache_folder(cache.REVISIONS))) == 1


def _interrupted(unfinished: Path, place: Path) -> None:
    raise KeyboardInterrupt


def test_several_at_once_get_the_same() -> None:
    found: list[Path] = []
    threads = [
        threading.Thread(target=lambda: found.append(take_out(MINE, "v1").folder)) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert len(set(found)) == 1
    assert (found[0] / "bot.yaml").is_file()


def test_attributes_of_the_repository_change_nothing(repo: Path) -> None:
    text = "$Format:%H$ $Id$\n"
    write(repo / MINE / "plain.txt", text)
    write(repo / MINE / "hidden.txt", text)
    attributes = "* export-subst ident eol=crlf filter=evil\nhidden.txt export-ignore\n"
    write(repo / MINE / ".gitattributes", attributes)
    commit(repo, "Attributes")
    folder = take_out(MINE, "HEAD").folder
    for name in ("plain.txt", "hidden.txt"):
        assert (folder / name).read_bytes() == text.encode()


def test_nothing_a_repository_configures_is_started(repo: Path, tmp_path: Path) -> None:
    mark = tmp_path / "started"
    script = write(tmp_path / "evil.sh", f"#!/bin/sh\ntouch {mark}\ncat\n")
    script.chmod(0o755)
    write(repo / MINE / ".gitattributes", "* filter=evil diff=evil\n")
    commit(repo, "Attributes")
    for key in (
        "core.pager",
        "core.fsmonitor",
        "core.sshCommand",
        "core.editor",
        "filter.evil.smudge",
        "filter.evil.clean",
        "diff.evil.textconv",
        "diff.external",
        "gpg.program",
        "alias.rev-parse",
        "alias.ls-tree",
    ):
        git(repo, "config", key, f"{'!' if key.startswith('alias') else ''}{script}")
    git(repo, "config", "log.showSignature", "true")
    for hook in ("post-checkout", "post-index-change", "reference-transaction"):
        write(repo / ".git" / "hooks" / hook, script.read_text()).chmod(0o755)
    take_out(MINE, "HEAD")
    write(repo / MINE / "main.py", "print('changed')\n")
    commit_of(MINE)
    assert not mark.exists()


def test_links_and_modes_are_kept(repo: Path) -> None:
    (repo / MINE / "link").symlink_to("main.py")
    (repo / MINE / "main.py").chmod(0o755)
    commit(repo, "Link")
    folder = take_out(MINE, "HEAD").folder
    assert os.readlink(folder / "link") == "main.py"
    assert (folder / "main.py").stat().st_mode & 0o777 == 0o755
    assert (folder / "bot.yaml").stat().st_mode & 0o777 == 0o644
    assert folder_digest(folder) == folder_digest(repo / MINE)


@pytest.mark.parametrize("name", ["two words", "two\nlines", "ünïcode", "-x", "[a]*", "a@b"])
def test_any_name_of_a_folder_will_do(repo: Path, name: str) -> None:
    write_bot(repo / name, (repo / MINE / "bot.yaml").read_text())
    commit(repo, "Names")
    assert (take_out(name, "HEAD").folder / "main.py").is_file()
    assert commit_of(name) == git(repo, "rev-parse", "HEAD")


def test_a_bot_may_be_the_whole_repository(tmp_path: Path) -> None:
    bot = write_bot(tmp_path / "bot")
    git(bot, "init", "--quiet")
    name = commit(bot, "First")
    assert take_out(str(bot), "HEAD").commit == name
    assert commit_of(str(bot)) == name


def test_a_folder_that_is_gone(repo: Path) -> None:
    git(repo, "rm", "-rq", MINE)
    commit(repo, "Gone")
    assert not os.path.exists(MINE)
    assert (take_out(MINE, "v1").folder / "main.py").read_text() == "print()\n"
    shutil.rmtree("bots")
    assert (take_out("bots/mine", "v1").folder / "main.py").is_file()


def test_a_link_is_followed(repo: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(repo / MINE)
    assert take_out(str(tmp_path / "link"), "v1") == take_out(MINE, "v1")


def test_a_bare_repository_and_a_second_worktree(repo: Path, tmp_path: Path) -> None:
    git(repo, "clone", "--quiet", "--bare", str(repo), str(tmp_path / "bots.git"))
    git(repo, "worktree", "add", "--quiet", str(tmp_path / "second"), "v1")
    expected = take_out(MINE, "v1")
    assert take_out(str(tmp_path / "bots.git" / MINE), "v1") == expected
    assert take_out(str(tmp_path / "second" / MINE), "v1") == expected
    assert commit_of(str(tmp_path / "second" / MINE)) == expected.commit


def test_as_a_hook_of_another_repository(repo, tmp_path, monkeypatch) -> None:
    other = repository(tmp_path / "other")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git" / "index"))
    assert (take_out(MINE, "HEAD").folder / "main.py").read_text() == "print('second')\n"


def _submodule(repo: Path) -> None:
    git(repo, "submodule", "--quiet", "add", str(repo / ".git"), f"{MINE}/engine")
    commit(repo, "Submodule")


def _pointer(repo: Path) -> None:
    text = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 12345\n"
    write(repo / MINE / "weights.bin", text)
    commit(repo, "Pointer")


def _without_manifest(repo: Path) -> None:
    (repo / MINE / "bot.yaml").unlink()
    commit(repo, "A program")


def _as_file(repo: Path) -> None:
    shutil.rmtree(repo / MINE)
    write(repo / MINE, "no folder\n")
    commit(repo, "A file")


def _missing(repo: Path) -> None:
    name = git(repo, "rev-parse", f"HEAD:{MINE}/main.py")
    (repo / ".git" / "objects" / name[:2] / name[2:]).unlink()


def _many(repo: Path, tree: str = "") -> None:
    """A tree of trees of trees …: small to keep, endless to read."""
    tree = tree or git(repo, "rev-parse", f"HEAD:{MINE}")
    for _ in range(20):
        lines = [f"040000 tree {tree}\t{name}" for name in "abcdefghij"]
        tree = git(repo, "mktree", stdin="\n".join(lines).encode() + b"\n")
    _replace(repo, tree)


def _no_file(repo: Path) -> None:
    """As ``_many``, without a file that would be listed."""
    _many(repo, git(repo, "mktree"))


def _with(mode: str, name: str) -> Callable[[Path], None]:
    def damage(repo: Path) -> None:
        blob = git(repo, "hash-object", "-w", "--stdin")
        lines = git(repo, "ls-tree", f"HEAD:{MINE}") + f"\n{mode} blob {blob}\t{name}\n"
        _replace(repo, git(repo, "mktree", stdin=lines.encode()))

    return damage


def _replace(repo: Path, tree: str) -> None:
    """Make a tree the folder of the bot."""
    for name in reversed(MINE.split("/")):
        tree = git(repo, "mktree", stdin=f"040000 tree {tree}\t{name}\n".encode())
    git(repo, "reset", "--soft", git(repo, "commit-tree", "-m", "Evil", tree))


def _tree(repo: Path, *entries: tuple[bytes, bytes, str]) -> str:
    """A tree that git itself would refuse: mode, name and what it names."""
    data = b"".join(mode + b" " + name + b"\0" + bytes.fromhex(oid) for mode, name, oid in entries)
    return git(repo, "hash-object", "-t", "tree", "-w", "--literally", "--stdin", stdin=data)


FILES: Final = ("bot.yaml", "main.py")


def _upwards(repo: Path) -> None:
    manifest, program = (
        git(repo, "rev-parse", f"HEAD:{MINE}/{n}") for n in ("bot.yaml", "main.py")
    )
    below = _tree(repo, (b"100644", b"escaped.py", program))
    entries = (b"40000", b"..", below), (b"100644", b"bot.yaml", manifest)
    _replace(repo, _tree(repo, *entries))


def _through_a_link(repo: Path) -> None:
    manifest, program = (
        git(repo, "rev-parse", f"HEAD:{MINE}/{n}") for n in ("bot.yaml", "main.py")
    )
    link = git(repo, "hash-object", "-w", "--stdin", stdin=os.fsencode(repo))
    below = _tree(repo, (b"100644", b"escaped.py", program))
    entries = (b"100644", b"bot.yaml", manifest), (b"120000", b"x", link), (b"40000", b"x", below)
    _replace(repo, _tree(repo, *entries))


REFUSED: Final[dict[str, tuple[Callable[[Path], None], str]]] = {
    "submodule": (_submodule, "engine is a submodule, whose files are in another repository"),
    "pointer": (_pointer, "weights.bin is only a pointer of Git LFS (only a checkout"),
    "no manifest": (_without_manifest, "(only a folder with a bot.yaml can be taken from"),
    "a file": (_as_file, '"bots/mine" was a file, expected a folder'),
    "missing": (_missing, "main.py: its contents are not in this clone"),
    "endless": (_many, "more than 20,000 files and folders"),
    "upwards": (_upwards, ".. is no path for a file"),
    "through a link": (_through_a_link, "no path for a file here: x"),
    "no file": (_no_file, "more than 20,000 files and folders"),
    "long name": (_with("100644", "n" * 300), "no path for a file here: nnn"),
    "longest name": (_with("100644", "n" * 20_000), "a name is too long for a file"),
    "link to nothing": (_with("120000", "x"), "no path for a file here: x"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_taken_out_is_refused(repo: Path, case: str) -> None:
    damage, expected = REFUSED[case]
    damage(repo)
    assert expected in refusal()
    kept = cache.cache_folder(cache.REVISIONS)
    assert not kept.exists() or not os.listdir(kept)
    assert not (repo / "escaped.py").exists()
    (repo / "new").mkdir()
    with pytest.raises(GitError):
        write_bots(repo, f"HEAD:{MINE}", repo / "new", Bounds(1 << 20, MAX_FILES), "author.yaml")


NO_REVISION: Final = {
    "v2": 'no such revision: "v2", expected a commit, branch or tag of /',
    "mian": '(did you mean "main"?)',
    "": 'no such revision: ""',
    "--all": 'no such revision: "--all"',
    "-h": 'no such revision: "-h"',
    "v1..HEAD": "no such revision",
    "v1:bots": "no such revision",
    "0" * 40: "expected a commit, branch or tag of /",
    "a\nb": 'no such revision: "a\\nb"',
    "\ud800": "no such revision",
}


@pytest.mark.parametrize("revision", NO_REVISION)
def test_no_such_revision(revision: str) -> None:
    assert NO_REVISION[revision] in refusal(revision=revision)


def test_no_such_folder(tmp_path: Path) -> None:
    assert 'there was no folder "bots/mien" at' in refusal("bots/mien")
    assert '(did you mean "mine"?)' in refusal("bots/mien")
    (tmp_path / "elsewhere").mkdir()
    assert refusal(str(tmp_path / "elsewhere")).endswith("is in no git repository")
    assert refusal(".git/mine").endswith("is in no git repository")
    assert "no such folder" in refusal("a\0b")


def test_a_shallow_clone_is_named_as_the_cause(repo: Path, tmp_path: Path) -> None:
    git(repo, "clone", "--quiet", "--depth=1", f"file://{repo}", str(tmp_path / "shallow"))
    folder = str(tmp_path / "shallow" / MINE)
    assert take_out(folder, "HEAD").commit == git(repo, "rev-parse", "HEAD")
    assert "(the clone is shallow: git fetch --unshallow, or fetch-depth: 0" in refusal(
        folder, "v1"
    )


def test_contents_a_partial_clone_left_out_are_not_fetched(repo: Path, tmp_path: Path) -> None:
    git(repo, "config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "partial"
    git(repo, "clone", "-q", "--filter=blob:none", "--no-checkout", f"file://{repo}", str(clone))
    assert "not in this clone" in refusal(str(clone / MINE))


def test_without_git(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert refusal() == "git is not installed"
    assert commit_of(MINE) == ""


def test_a_cache_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    write(tmp_path / "taken", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "taken"))
    assert "bots cannot be kept there: Not a directory" in refusal()


def test_contents_that_are_not_what_their_name_says(repo: Path) -> None:
    name = git(repo, "rev-parse", f"HEAD:{MINE}/main.py")
    other = git(repo, "hash-object", "-w", "--stdin", stdin=b"print('SECOND')\n")
    target = repo / ".git" / "objects" / name[:2] / name[2:]
    target.unlink()
    shutil.copy(repo / ".git" / "objects" / other[:2] / other[2:], target)
    assert "main.py: its contents are" in refusal()


CHANGES: Final[dict[str, tuple[Callable[[Path], object], bool]]] = {
    "nothing": (lambda bot: None, True),
    "elsewhere": (lambda bot: write(bot.parent / "other" / "main.py", "x\n"), True),
    "bytecode": (lambda bot: write(bot / "__pycache__" / "main.pyc", "x\n"), True),
    "changed": (lambda bot: write(bot / "main.py", "x\n"), False),
    "changed in place": (lambda bot: write(bot / "main.py", "print('SECOND')\n"), False),
    "mode": (lambda bot: (bot / "main.py").chmod(0o755), False),
    "new": (lambda bot: write(bot / "new.py", "x\n"), False),
    "ignored": (lambda bot: write(bot / "ignored.bin", "x\n"), False),
    "gone": (lambda bot: (bot / "main.py").unlink(), False),
    "without a manifest": (lambda bot: (bot / "bot.yaml").unlink(), False),
    "no bot": (lambda bot: shutil.rmtree(bot), False),
}


@pytest.mark.parametrize("case", CHANGES)
def test_the_commit_of_a_folder_as_it_is(repo: Path, case: str) -> None:
    write(repo / ".gitignore", "ignored.bin\n")
    name = commit(repo, "Ignore")
    change, is_clean = CHANGES[case]
    change(repo / MINE)
    assert commit_of(MINE) == (name if is_clean else "")


def test_what_a_build_has_made_is_no_change(repo: Path) -> None:
    manifest = (repo / MINE / "bot.yaml").read_text()
    write(repo / MINE / "bot.yaml", manifest + "build: [[make]]\n")
    name = commit(repo, "Build")
    write(repo / MINE / "build" / "tool", "x\n")
    assert commit_of(MINE) == name
    write(repo / "bots" / "other" / "build" / "tool", "x\n")
    assert commit_of("bots/other") == "", "without build commands it is part of the bot"


def test_a_folder_in_no_repository_has_no_commit(tmp_path: Path) -> None:
    assert commit_of(str(write_bot(tmp_path / "alone"))) == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bots/mine", ("bots/mine", None)),
        ("bots/mine@v1", (MINE, "v1")),
        ("bots/mine/@v1", ("bots/mine/", "v1")),
        ("bots/mine@HEAD@{1}", (MINE, "HEAD@{1}")),
        ("bots/mine@", (MINE, "")),
        ("bots/gone@v1", ("bots/gone", "v1")),
        ("bots/gone@HEAD@{1}", ("bots/gone", "HEAD@{1}")),
        ("@v1", ("", "v1")),
        ("a@b", ("a@b", None)),
        ("a@b@v1", ("a@b", "v1")),
        ("a@b@c@v1", ("a@b@c", "v1")),
        ("a@b/deep@v1", ("a@b/deep", "v1")),
        ("python3 main.py --mail=a@b", ("python3 main.py --mail=a@b", None)),
        ("two words@v1", ("two words", "v1")),
    ],
)
def test_a_revision_is_split_from_its_folder(text: str, expected: tuple[str, str | None]) -> None:
    Path("a@b", "deep").mkdir(parents=True)
    Path("a@b@c").mkdir()
    Path("two words").mkdir()
    here = Path.cwd()
    assert split(text) == expected
    Path("a@b@host").mkdir()
    os.chdir("a@b@host")
    assert split(text, here) == expected


COMMIT: Final = "0123abcd4567" + "e" * 28


@pytest.mark.parametrize(
    ("revision", "expected"),
    [
        ("v1.2", "mine-v1.2"),
        ("origin/main", "mine-origin-main"),
        ("HEAD~3", "mine-HEAD-3"),
        ("HEAD@{1}", "mine-HEAD-1"),
        ("@", "mine-0123abcd"),
        ("0123", "mine-0123abcd"),
        (COMMIT, "mine-0123abcd"),
        ("ä" * 90, "mine-0123abcd"),
        ("v" * 90, "mine-" + "v" * 59),
    ],
)
def test_a_bot_is_called_by_its_name_and_the_revision(revision: str, expected: str) -> None:
    assert name_at("mine", revision, COMMIT) == expected
    assert msgspec.convert(expected, Name) == expected
    assert len(name_at("m" * 64, revision, COMMIT)) <= 64


def test_a_bot_taken_out_has_short_commits_for_people() -> None:
    assert take_out(MINE, "v1").commit[:12] in refusal("bots/gone", "v1")
