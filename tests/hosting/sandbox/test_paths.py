from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from arena.hosting.sandbox import paths
from arena.hosting.sandbox.paths import FileSystemView

USER = 4242


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path.resolve()


def test_every_link_on_a_way_is_found(place: Path) -> None:
    (place / "versions" / "3" / "bin").mkdir(parents=True)
    (place / "versions" / "3" / "bin" / "python").touch()
    (place / "current").symlink_to("versions/3")
    (place / "bin").mkdir()
    (place / "bin" / "py").symlink_to("../current/./bin/python")
    (place / "short").symlink_to(f"{place}/bin/py")
    found = paths.way(f"{place}/short")
    assert found.real == f"{place}/versions/3/bin/python"
    assert found.links == (
        (f"{place}/short", f"{place}/bin/py"),
        (f"{place}/bin/py", "../current/./bin/python"),
        (f"{place}/current", "versions/3"),
    )


@pytest.mark.parametrize("path", ["/no/such/path", "//usr/../no/./such/path", "/no/such/path/"])
def test_what_does_not_exist_leads_where_it_would_be(path: str) -> None:
    assert paths.way(path) == ("/no/such/path", ())


def test_a_circle_of_links_is_an_error(place: Path) -> None:
    (place / "a").symlink_to("b")
    (place / "b").symlink_to("a")
    with pytest.raises(OSError, match="symbolic links"):
        paths.way(f"{place}/a")


def test_a_view_holds_the_outermost_that_exist(place: Path) -> None:
    (place / "a" / "b").mkdir(parents=True)
    (place / "ab").mkdir()
    (place / "a" / "link").symlink_to("b")
    (place / "far").symlink_to("a/b")
    seen = paths.view(str(place / name) for name in ("a/b", "a", "ab", "far", "a/link", "none"))
    assert seen.paths == (f"{place}/a", f"{place}/ab")
    assert seen.links == ((f"{place}/far", "a/b"),)
    assert seen.holds(f"{place}/a/b/c")
    assert seen.holds(f"{place}/far")
    assert not seen.holds(f"{place}/abc")


def test_a_program_is_seen_with_what_is_installed_beside_it(place: Path) -> None:
    for folder in ("one/bin", "one/lib", "two/bin", "two/lib", "two/private"):
        (place / folder).mkdir(parents=True)
    (place / "two" / "bin" / "prog").touch()
    (place / "one" / "bin" / "prog").symlink_to("../../two/bin/prog")
    seen = paths.view(paths.program(f"{place}/one/bin/prog"))
    assert seen.paths == tuple(
        f"{place}/{folder}" for folder in ("one/bin", "one/lib", "two/bin", "two/lib")
    )


@pytest.mark.parametrize("home", ["/root", "/home/somebody", "/home/somebody/.local"])
def test_a_home_is_not_what_is_installed(home: str) -> None:
    assert paths.program(f"{home}/bin/prog") == (f"{home}/bin/prog",)


def test_a_program_alone_in_a_folder_is_seen_alone(place: Path) -> None:
    (place / "prog").touch()
    (place / "secret").touch()
    assert paths.view(paths.program(f"{place}/prog")).paths == (f"{place}/prog",)


def test_the_interpreter_is_seen() -> None:
    seen = paths.view(paths.python())
    assert seen.holds(sys.executable)
    assert seen.holds(os.__file__)
    assert not seen.holds(str(Path.home()))


def test_settings_tell_no_names() -> None:
    found = paths.settings()
    assert "/etc/ld.so.cache" in found
    assert not {"/etc", "/etc/passwd", "/etc/hosts", "/etc/hostname"} & set(found)


@pytest.mark.parametrize(
    ("outer", "inner", "covered"),
    [
        (0o755, 0o755, None),
        (0o711, 0o755, None),
        (0o700, 0o755, "outer"),
        (0o755, 0o700, "outer/inner"),
        (0o700, 0o700, "outer"),
        (0o754, 0o755, "outer"),
    ],
)
def test_the_outermost_closed_folder_is_covered(outer, inner, covered, open_place) -> None:
    needed = open_place / "outer" / "inner" / "needed"
    needed.mkdir(parents=True)
    needed.parent.chmod(inner)
    needed.parent.parent.chmod(outer)
    link = (f"{open_place}/outer/inner/link", "needed")
    found = paths.covers(FileSystemView((str(needed),), (link,)), [str(needed)], USER)
    if covered is None:
        assert found == ()
    else:
        assert found == ((f"{open_place}/{covered}", ((str(needed), True),), (link,)),)


def test_what_belongs_to_the_user_is_open_to_him(open_place: Path) -> None:
    own = open_place / "own"
    (own / "needed").mkdir(parents=True)
    own.chmod(0o700)
    seen = FileSystemView((f"{own}/needed",), ())
    assert paths.covers(seen, [], USER)[0].paths == ((f"{own}/needed", False),)
    assert paths.covers(seen, [], os.getuid()) == ()


@pytest.fixture
def open_place(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that others may pass; those above it belong to us, and are taken as open."""
    place = tmp_path_factory.mktemp("open").resolve()
    real = os.stat
    above = {str(parent) for parent in place.parents}

    def passable(path: str) -> os.stat_result:
        return real("/") if str(path) in above else real(path)

    monkeypatch.setattr(os, "stat", passable)
    place.chmod(0o755)
    return place


def test_a_closed_folder_is_opened_by_its_entries(place: Path) -> None:
    (place / "main.py").touch()
    place.chmod(0o700)
    assert paths.opened(str(place), USER) == (f"{place}/main.py",)
    assert [
        cover.folder for cover in paths.covers(FileSystemView((f"{place}/main.py",), ()), (), USER)
    ] != []
    place.chmod(0o755)
    assert paths.opened(str(place), USER) == (str(place),)
    assert paths.opened("/no/such/folder", USER) == ("/no/such/folder",)


@pytest.mark.parametrize(
    ("program", "is_installed"),
    [
        ("/opt/tools/node", True),
        ("/opt/other/node", True),
        (sys.executable, True),
        (f"{sys.prefix}/bin/tool", True),
        ("/opt/tools/sub/node", False),
        ("/opt/tools", False),
        ("/opt/tools/..", False),
        ("/opt/tools/.", False),
        ("/opt/tools/", False),
        ("/opt/tools/../secret/run", False),
        ("/opt/toolsmith/node", False),
        ("here/node", False),
        ("node", False),
        ("", False),
        ("/proc/self/exe", False),
    ],
)
def test_what_is_installed_is_where_programs_are_sought(program, is_installed, monkeypatch) -> None:
    monkeypatch.setenv("PATH", "/opt/tools/:/opt/x/../other::here:.")
    assert paths.is_installed(program) is is_installed


@pytest.mark.parametrize(
    ("path", "is_of_system"),
    [("/usr", True), ("/usr/bin/env", True), ("/usrx", False), ("/home/usr/bin", False)],
)
def test_what_is_of_the_system(path: str, is_of_system: bool) -> None:
    assert paths.is_of_system(path) is is_of_system


OUTSIDE = ("file", "folder", "link", "circle", "gone")
"""What may lie at a place that only arena can look at."""


def laid(place: Path, what: str) -> None:
    """Put it there."""
    match what:
        case "file":
            place.write_text("#!/usr/bin/env node\n")
            place.chmod(0o755)
        case "folder":
            place.mkdir()
        case "link":
            place.symlink_to("/bin/sh")
        case "circle":
            place.symlink_to(place.name)


@pytest.mark.parametrize("what", OUTSIDE)
def test_where_a_word_leads_does_not_depend_on_what_lies_outside(place: Path, what: str) -> None:
    home, secret = place / "real", place / "secret"
    (home / "sub" / "deep").mkdir(parents=True)
    (place / "bot").symlink_to("real")
    laid(secret, what)
    (home / "main").touch()
    links = {
        "inner": "sub/../main",
        "absolute": f"{place}/bot/main",
        "here": ".",
        "away": str(secret),
        "up": "../secret",
        "deep": "sub/deep",
        "late": "here/../secret",
        "back": f"{secret}/../real/main",
        "shell": "/bin/sh",
        "climbs": "/usr/../etc/shadow",
        "circle": "circle",
    }
    for name, target in links.items():
        (home / name).symlink_to(target)
    bot = str(place / "bot")
    own = dict.fromkeys(("main", "./main", "inner", "absolute", "here/main"), "main")
    own |= {"deep/../main": "main", "gone": "gone"} | dict.fromkeys(
        ("sub/deep/x", "deep/x"), "sub/deep/x"
    )
    own |= {f"{place}/bot/main": "main", f"{home}/deep": "sub/deep"}
    for word, end in own.items():
        assert paths.destination(word, bot) == str(home / end), word
        assert paths.is_own(word, bot)
    out = {"away": secret, "away/x": secret / "x", "up": secret, "late": secret, "back": "/"}
    out |= {"../secret": secret, "..": place, str(secret): secret, "climbs": "/etc/shadow"}
    for word, end in out.items():
        assert paths.destination(word, bot) == str(end), word
        assert not paths.is_own(word, bot)
        assert not paths.is_seen(word, bot, ())
        assert paths.is_seen(word, bot, [str(end)])
    assert paths.is_seen("shell", bot, ())
    assert not paths.is_own("shell", bot)
    with pytest.raises(OSError, match="symbolic links"):
        paths.destination("circle", bot)
    assert not paths.is_seen("circle", bot, ())
