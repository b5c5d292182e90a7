"""Bots that authors submit by a git repository."""

from __future__ import annotations

import errno
import json
import os
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from arena.entrants.folders import Bounds
from arena.extensions.ladder import repositories
from arena.extensions.ladder.fetching import Fetching, GitSource
from arena.extensions.ladder.file import load_ladder
from arena.extensions.publishing.folders import replace_folder
from arena.extensions.sources.git import GitError
from arena.runs.disk import StoreError
from arena.values.problems import ConfigError
from tests.entrants.repositories import commit, git
from tests.extensions.ladder.ladders import Killed, World, active, bot, enter, events, made, told

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("leaves_nothing")]

MORE = "authors: {{uploads: 50, size: 1 MiB, files: 40, anna: {{git: {}, ref: main}}}}"


def of_anna(folder: Path, url: str = "file:repositories/anna.git") -> tuple[World, Path]:
    """A world in which anna has a repository, and a clone of hers."""
    world = made(folder, MORE.format(url))
    bare = world.folder / "repositories" / "anna.git"
    bare.parent.mkdir()
    git(bare.parent, "init", "--quiet", "--bare", "-b", "main", str(bare))
    clone = folder / "clone"
    git(folder, "clone", "--quiet", str(bare), str(clone))
    return world, clone


def pushed(clone: Path, elo: int, name: str = "mine") -> str:
    """Push a version of a bot; its commit."""
    bot(clone / name, elo)
    return push(clone)


def push(clone: Path) -> str:
    oid = commit(clone, "Better")
    git(clone, "push", "--quiet", "--force", "origin", "HEAD:refs/heads/main")
    return oid


def answered(world: World, author: str = "anna") -> str:
    return told(world, author, "_git")


def entries(world: World) -> list[tuple[str, str]]:
    """What was decided on which commit."""
    lines = (world.folder / "submissions.jsonl").read_text().splitlines()
    return sorted((each["what"], each.get("commit", "")) for each in map(json.loads, lines))


def test_each_commit_is_taken_once_also_one_that_replaces_history(tmp_path: Path) -> None:
    world, clone = of_anna(tmp_path)
    (clone / "README.md").write_text("no bot")
    (clone / "docs" / "more").mkdir(parents=True)
    (clone / "docs" / "more" / "bot.yaml").write_text("deeper than bots are")
    (clone / "author.yaml").write_text("place: mine\n")
    first = pushed(clone, 1100)
    enter(world, "bert")
    world.keep(rounds=1)
    assert active(world) == {"rock", "sand", "anna.mine", "bert.x"}
    assert entries(world) == [("admitted", ""), ("admitted", first)]
    assert f"commit {first}\n" in told(world, "anna", "mine")
    assert f"\nfetched: commit {first}\n" in answered(world)
    assert f"anna.mine: admitted (commit {first[:12]})" in world.said
    assert sorted(os.listdir(world.folder / "submissions" / "anna")) == ["author.yaml", "mine"]
    assert (world.folder / "submissions" / "anna").stat().st_mode & 0o77 == 0
    world.said.clear()
    with world.keeper() as keeper:
        world.clock.passed += repositories.EVERY
        keeper.keep(rounds=1)
        assert not [line for line in world.said if "fetched" in line]
        git(clone, "checkout", "--quiet", "--orphan", "other")
        second = pushed(clone, 1200)
        keeper.keep(rounds=1)
        assert len(events(world)) == 2, "not before the next look is due"
        world.clock.passed += repositories.EVERY
        keeper.keep(rounds=2)
    assert entries(world) == sorted([("admitted", ""), ("admitted", first), ("admitted", second)])
    assert "anna.mine@2" in active(world)
    git(clone, "rm", "-r", "--quiet", "mine")
    pushed(clone, 1300, "other")
    world.keep(rounds=1)
    assert events(world)[-2:] == [("left", "anna.mine"), ("admitted", "anna.other")]
    assert not [*(world.folder / "submissions").glob(".*")]


@pytest.mark.slow
def test_a_repository_may_be_one_bot_and_a_tag_may_be_its_ref(tmp_path: Path) -> None:
    world, clone = of_anna(tmp_path)
    bot(clone, 1100)
    oid = push(clone)
    git(clone, "tag", "-a", "v1", "-m", "first")
    git(clone, "push", "--quiet", "origin", "v1")
    bot(clone, 1200)
    push(clone)
    world.keep(["authors.anna.ref=v1"], rounds=1)
    assert entries(world) == [("admitted", oid)]
    assert "anna" in active(world)


def symlink(clone: Path) -> None:
    (clone / "mine" / "link").symlink_to("/etc/passwd")


def deep(clone: Path) -> None:
    (clone / "mine" / "a b\n\x1b[2Jc" / "é").mkdir(parents=True)
    (clone / "mine" / "a b\n\x1b[2Jc" / "é" / "f").write_text("")
    symlink(clone)


def large(clone: Path) -> None:
    (clone / "mine" / "large").write_bytes(os.urandom(5 << 20))


def swollen(clone: Path) -> None:
    (clone / "mine" / "swollen").write_bytes(bytes(20 << 20))


def many(clone: Path) -> None:
    for number in range(130):
        (clone / "mine" / str(number)).write_text(str(number))


def submodule(clone: Path) -> None:
    head = git(clone, "rev-parse", "HEAD")
    git(clone, "update-index", "--add", "--cacheinfo", f"160000,{head},mine/sub")


def no_text(clone: Path) -> None:
    """A name that is no UTF-8, and longer than that of any file; and it would move a cursor."""
    blob = git(clone, "rev-parse", "HEAD:mine/bot.yaml")
    named = b"100644 " + blob.encode() + b"\tmine/\x1b[2J\xff" + b"n" * 300 + b"\0"
    git(clone, "update-index", "-z", "--index-info", stdin=named)


def pointer(clone: Path) -> None:
    text = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n"
    (clone / "mine" / "net.bin").write_text(text)


def no_bot(clone: Path) -> None:
    (clone / "mine" / "bot.yaml").unlink()


REFUSED = {
    large: "more than 3 MiB to fetch",
    swollen: "more than 3 MiB",
    many: "more than 120 files and folders",
    submodule: "mine/sub is a submodule",
    no_text: "no path for a file here: mine/\\x1b",
    pointer: "mine/net.bin is only a pointer of Git LFS",
    no_bot: "no bot.yaml, neither at its top nor in a folder there",
}


@pytest.mark.slow
@pytest.mark.parametrize("spoil", REFUSED, ids=lambda each: each.__name__)
def test_a_commit_that_cannot_be_taken_is_refused_once_and_play_goes_on(
    tmp_path: Path, spoil: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    world, clone = of_anna(tmp_path)
    first = pushed(clone, 1100)
    enter(world, "bert")
    world.keep(rounds=1)
    bot(clone / "mine", 1200)
    git(clone, "add", "--all")
    git(clone, "commit", "--quiet", "-m", "then")
    spoil(clone)
    if spoil not in (submodule, no_text):
        git(clone, "add", "--all")
    git(clone, "commit", "--quiet", "--allow-empty", "-m", "spoilt")
    git(clone, "push", "--quiet", "origin", "HEAD:main")
    world.keep(rounds=1)
    said = [line for line in world.said if line.startswith("anna: refused")]
    assert REFUSED[spoil] in said[0]
    assert f"; commit {first[:12]} stays\n" in answered(world)
    assert entries(world) == [("admitted", ""), ("admitted", first)]
    monkeypatch.setattr(repositories.Fetching, "fetch", None)
    world.keep(rounds=1)  # nothing is fetched again
    assert said == [line for line in world.said if line.startswith("anna: refused")]
    assert "anna.mine" in active(world)
    assert not [*(world.folder / "submissions").glob(".*")]


@pytest.mark.slow
@pytest.mark.parametrize("spoil", [symlink, deep])
def test_links_and_odd_names_are_treated_as_in_a_folder(
    tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    world, clone = of_anna(tmp_path)
    bot(clone / "mine", 1100)
    spoil(clone)
    push(clone)
    world.keep(rounds=1)
    assert "is a symbolic link; copy what it leads to" in told(world, "anna", "mine")
    assert active(world) == {"rock", "sand"}


def test_nothing_of_a_repository_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither its hooks, filters and attributes, nor what the user or the system configures."""
    world, clone = of_anna(tmp_path)
    mark = tmp_path / "ran"
    bare = world.folder / "repositories" / "anna.git"
    script = f"#!/bin/sh\ntouch {mark}\ncat\n"
    bot(clone / "mine", 1100)
    (clone / ".gitattributes").write_text("* filter=evil diff=evil export-ignore eol=crlf\n")
    (clone / ".gitmodules").write_text('[submodule "x"]\n path = x\n url = ../../../etc\n')
    oid = push(clone)
    for hook in ("post-checkout", "reference-transaction", "post-upload-pack", "pre-auto-gc"):
        (bare / "hooks").mkdir(exist_ok=True)
        (bare / "hooks" / hook).write_text(script)
        (bare / "hooks" / hook).chmod(0o755)
    own = tmp_path / "config"
    own.write_text(
        f"[core]\n hooksPath = {bare / 'hooks'}\n fsmonitor = touch {mark}\n sshCommand = false\n"
        f'[filter "evil"]\n smudge = touch {mark}\n clean = touch {mark}\n'
        f"[uploadpack]\n packObjectsHook = touch {mark};\n[credential]\n helper = !touch {mark}\n"
        '[url "ext::sh -c touch% ran "]\n insteadOf = file:\n'
    )
    with (bare / "config").open("a") as file:
        file.write(own.read_text())
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(own))
    monkeypatch.setenv("GIT_SSH_COMMAND", f"touch {mark}")
    world.keep(rounds=1)
    assert entries(world) == [("admitted", oid)]
    assert not mark.exists()
    assert (world.folder / "submissions/anna/mine/notes").exists() is False
    assert (world.folder / "submissions/anna/mine/main.py").read_bytes().count(b"\r") == 0


@pytest.mark.slow
def test_what_is_missing_is_told_and_tried_again_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, clone = of_anna(tmp_path)
    enter(world, "bert")
    with world.keeper() as keeper:
        keeper.keep(rounds=1)
        assert "refused: file:repositories/anna.git has no branch or tag main\n" in answered(world)
        bare = world.folder / "repositories" / "anna.git"
        bare.rename(bare.with_name("away"))
        for _ in range(3):
            world.clock.passed += repositories.EVERY
            keeper.keep(rounds=1)
        said = [line for line in world.said if "cannot be fetched" in line]
        assert [line.partition(" (")[2] for line in said] == [
            "1 attempt; next in 300 s)",
            "2 attempts; next in 600 s)",
        ]
        assert "does not appear to be a git repository; 2 attempts so far\n" in answered(world)
        bare.with_name("away").rename(bare)
        oid = pushed(clone, 1100)
        world.clock.passed += 600
        keeper.keep(rounds=1)
    assert entries(world) == [("admitted", ""), ("admitted", oid)]


@pytest.mark.slow
def test_a_host_that_hangs_delays_nobody_beyond_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All programs that were started are ended with it."""
    more = "authors: {a: {git: 'a@h:x'}, b: {git: 'ssh://h/x'}, anna: {git: 'file:anna.git'}}"
    world = made(tmp_path, more)
    git(tmp_path, "init", "--quiet", "--bare", "-b", "main", str(world.folder / "anna.git"))
    git(tmp_path, "clone", "--quiet", str(world.folder / "anna.git"), str(tmp_path / "clone"))
    oid = pushed(tmp_path / "clone", 1100)
    programs = tmp_path / "bin"
    programs.mkdir()
    ssh = programs / "ssh"
    ssh.write_text(
        f"#!/bin/sh\necho $$ >> {tmp_path / 'pids'}\necho $@ >> {tmp_path / 'words'}\nsleep 1000\n"
    )
    ssh.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setattr(repositories, "SECONDS", 1.0)
    began = time.monotonic()
    world.keep(rounds=1)
    assert time.monotonic() - began < 10
    assert entries(world) == [("admitted", oid)]
    assert "\nwaits: no end within 1 s; 1 attempt so far\n" in answered(world, "a")
    for pid in (tmp_path / "pids").read_text().split():
        status = Path(f"/proc/{pid}/stat")
        assert not status.exists() or status.read_text().split()[2] == "Z"
    assert "-oBatchMode=yes" in (tmp_path / "words").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("state", ["", "{}", '{"anna": 1}', "\0"])
def test_a_lost_list_of_commits_costs_one_fetch(tmp_path: Path, state: str) -> None:
    world, clone = of_anna(tmp_path)
    oid = pushed(clone, 1100)
    world.keep(rounds=1)
    (world.folder / repositories.FETCHED).write_text(state)
    world.keep(rounds=1)
    assert entries(world) == [("admitted", oid)]
    assert world.said.count(f"anna: commit {oid[:12]} is fetched") == 2


@pytest.mark.slow
@pytest.mark.parametrize("is_done", [False, True])
def test_a_kill_while_files_are_put_in_place_loses_nothing(tmp_path: Path, is_done: bool) -> None:
    world, clone = of_anna(tmp_path)
    first = pushed(clone, 1100)
    world.keep(rounds=1)
    second = pushed(clone, 1200)

    def killed(new: Path, target: Path) -> None:
        if is_done:
            replace_folder(new, target)
        raise Killed

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(repositories, "replace_folder", killed)
        with pytest.raises(Killed):
            world.keep(rounds=1)
    for left in (world.folder / "submissions").glob(".*"):  # the process of its name has ended
        left.rename(left.with_name(left.name.replace(str(os.getpid()), "4194305")))
    world.keep(rounds=1)
    assert entries(world) == sorted([("admitted", first), ("admitted", second)])
    assert not [*(world.folder / "submissions").glob(".*")]


@pytest.mark.slow
def test_a_full_disk_ends_it_with_one_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, clone = of_anna(tmp_path)
    pushed(clone, 1100)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(repositories, "write_bots", full)
        with pytest.raises(StoreError, match="submissions/anna: cannot be written: No space left"):
            world.keep(rounds=1)
    world.keep(rounds=1)
    assert "anna.mine" in active(world)


@pytest.mark.slow
def test_a_repository_outside_of_the_ladder_is_refused(tmp_path: Path) -> None:
    world, clone = of_anna(tmp_path, "file:repositories/link")
    pushed(clone, 1100)
    (world.folder / "repositories" / "link").symlink_to(clone)
    world.keep(rounds=1)
    assert "refused: file:repositories/link leads out of the folder" in answered(world)
    world.keep([f"authors.anna.git=file:{clone}"], rounds=1)
    assert "leads out of the folder" in answered(world)
    assert active(world) == {"rock", "sand"}


def test_neither_a_redirect_nor_another_protocol_is_followed(tmp_path: Path) -> None:
    asked: list[str] = []

    class Elsewhere(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(302)
            self.send_header("Location", f"/elsewhere{self.path}")
            self.end_headers()

        def log_message(self, *_: object) -> None:  # type: ignore[override] (nothing is logged)
            pass

    def reached(url: str, protocol: str) -> str:
        source = GitSource(url, protocol, "main", Bounds(1 << 20, 10), 20.0, threading.Event())
        with pytest.raises(GitError) as caught:
            Fetching(source, tmp_path / protocol).newest()
        return str(caught.value)

    with HTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/x"
        assert "error: 302" in reached(url, "http")
        server.shutdown()
    assert len(asked) == 1
    for each, other in ((url, "http"), ("ext::sh -c true", "ext"), (str(tmp_path), "file")):
        assert reached(each, "https") == f"transport '{other}' not allowed"


NO_ADDRESS = [
    *("ext::sh -c touch% x", "fd::3", "-u./x", "--upload-pack=x", "http://h/x", "git://h/x", ""),
    *("https://user:secret@h/x", "https://-h/x", "ssh://-oProxyCommand=x/x", "-o@h:x", "u@-h:x"),
    *(
        "u@h:-x",
        "file:../x",
        "file:a/../../x",
        "file:",
        "file:-x",
        "h:x",
        "/tmp/x",
        "x",
        "https://h",
    ),
    *("ssh://h/x\n", "https://h/x y\tz", "file:///a\0b"),
]


NONSENSE = [
    *(
        (json.dumps({"git": url}), r"authors\.anna\.git: .*expected https://H")
        for url in NO_ADDRESS
    ),
    ('{"git": "https://h/x", "ref": "-x"}', "expected the name of a branch or tag"),
    ('{"git": "https://h/x", "ref": "a..b"}', "expected the name of a branch or tag"),
    ('{"git": "https://h/x", "ref": "a:b"}', "expected the name of a branch or tag"),
    ('{"git": "https://h/x", "branch": "b"}', "unknown key"),
    ('{"ref": "main"}', "missing"),
    ("7", "unknown key"),
]


def test_nonsense_is_refused(tmp_path: Path) -> None:
    world = made(tmp_path)
    for own, expected in NONSENSE:
        with pytest.raises(ConfigError, match=expected):
            load_ladder(world.folder, [f"authors.anna={own}"])
    with pytest.raises(ConfigError, match="name of an author"):
        load_ladder(world.folder, ['authors={"a b": {"git": "https://h/x"}}'])


def test_addresses_stand_beside_the_limits_of_all(tmp_path: Path) -> None:
    urls = ["https://h.org:8443/a/b.git", "ssh://git@h/~a/b", "git@h.org:a/b", "file:a/b"]
    own = {f"a{number}": {"git": url} for number, url in enumerate(urls)}
    found = load_ladder(made(tmp_path).folder, [f"authors={json.dumps({**own, 'bots': 7})}"])
    assert [each.git for each in found.repositories.values()] == urls
    assert {each.ref for each in found.repositories.values()} == {"HEAD"}
    assert found.file.authors.bots == 7
