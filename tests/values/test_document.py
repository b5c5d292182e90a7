from __future__ import annotations

import os
import socket
from contextlib import suppress
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from arena.values import document as module
from arena.values.document import (
    MAX_BYTES,
    parse_document,
    parse_value,
    read_document,
    regular,
)
from arena.values.problems import ConfigError, Problems, printable, quote
from tests.tournament.folders import lines

HERE = Path("/cups")
TAB = "t.yaml:2:1: found a tab, expected spaces (YAML allows no tabs for indentation)"


def refusals(text: str | bytes) -> list[str]:
    data = text if isinstance(text, bytes) else text.encode()
    with pytest.raises(ConfigError) as caught:
        Problems(parse_document(data, "t.yaml", HERE)).raise_if_any()
    return lines(caught.value)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "t.yaml: the file is empty, expected a mapping of keys to values"),
        ("# a\n", "t.yaml: the file is empty, expected a mapping of keys to values"),
        ("---\n", "t.yaml:2:1: found nothing, expected a mapping of keys to values"),
        ("- a\n", "t.yaml:1:1: found a list, expected a mapping of keys to values"),
        ("arena\n", 't.yaml:1:1: found "arena", expected a mapping of keys to values'),
        ("a: 1\n\tb: 2\n", TAB),
        ("a:\n\t- b\n", TAB),
        ("a: 1\nb: 2\na: 3\n", 't.yaml:3:1: key "a" is repeated (first on line 1)'),
        ("o:\n  a: 1\n  a: 3\n", 't.yaml:3:3: o: key "a" is repeated (first on line 2)'),
        ("a: &x 1\n", "t.yaml:1:4: a: found the anchor &x, expected the value alone"),
        ("a: *x\n", "t.yaml:1:4: a: found the alias *x, expected the value itself"),
        ("*x : 1\n", "t.yaml:1:1: found an alias, anchor or tag, expected a key"),
        ("*x\n", "t.yaml:1:1: found the alias *x, expected the value itself"),
        (
            "a: !!str 1\n",
            "t.yaml:1:4: a: found the tag tag:yaml.org,2002:str, expected the value alone",
        ),
        ("a: 1\n---\nb: 1\n", "t.yaml:2:1: found a second document, expected one per file"),
        ("1: a\n", 't.yaml:1:1: found the key 1, expected text (write "1")'),
        ("~: a\n", "t.yaml:1:1: found the key ~, expected text"),
        ("[a]: b\n", "t.yaml:1:1: found a list or mapping as a key, expected text"),
        ("a: " + "[" * 50, "t.yaml:1:44: nested deeper than 40 levels"),
        ("? " * 50, "t.yaml:1:3: found a list or mapping as a key, expected text"),
        ("a: \x07\n", "t.yaml:1:4: found the control character U+0007, expected printable text"),
        (b"a: 1\nb: \xff\n", "t.yaml:2:4: found the byte 0xff, expected UTF-8 text"),
        ("a: 1\n".encode("utf-16"), "t.yaml:1:1: found the byte 0xff, expected UTF-8 text"),
        (b"a" * (MAX_BYTES + 1), "t.yaml: found more than 1 MiB, expected a smaller file"),
    ],
)
def test_what_is_refused_and_how_it_is_said(text: str | bytes, line: str) -> None:
    assert refusals(text) == [line]


@pytest.mark.parametrize(
    ("text", "where", "tip"),
    [
        ("a: b: c\n", "t.yaml:1:5: not YAML: ", 'text with ": " in it must stand in quotes'),
        ("a: {b: 1\n", "t.yaml:2:1: not YAML: ", "a bracket is not closed"),
        ("a:\n  b: 1\n c: 2\n", "t.yaml:3:2: not YAML: ", "the indentation does not fit"),
        ("a: @x\n", "t.yaml:1:4: not YAML: ", "put the text in quotes"),
        ("a: 'x\n", "t.yaml:2:1: not YAML: ", ""),
    ],
)
@pytest.mark.parametrize("loader", ["CSafeLoader", "SafeLoader"])
def test_broken_yaml_is_placed_and_explained(text, where, tip, loader, monkeypatch) -> None:
    monkeypatch.setattr(module, "_Loader", getattr(yaml, loader))
    [line] = refusals(text)
    assert line.startswith(where)
    assert tip in line


def test_all_problems_of_a_file_are_told_in_its_order() -> None:
    assert refusals("a: *x\n2: b\na: 1\nc: &y d\n") == [
        "t.yaml:1:4: a: found the alias *x, expected the value itself",
        't.yaml:2:1: found the key 2, expected text (write "2")',
        't.yaml:3:1: key "a" is repeated (first on line 1)',
        "t.yaml:4:4: c: found the anchor &y, expected the value alone",
    ]


def test_only_plain_numbers_and_words_are_more_than_text() -> None:
    text = "[true, false, null, ~, 12, -3, 1.5, 1e3, .5]"
    assert parse_value(text) == [True, False, None, None, 12, -3, 1.5, 1000.0, 0.5]


@pytest.mark.parametrize(
    "text",
    [
        *("no", "on", "yes", "off", "y", "1:30", "2024-05-01", "0x10", "0o7", "007", "1_000"),
        *(".inf", ".nan", "1e999", "9" * 19, "9" * 5000, "1.2.0", "<<", "=", ".", "+", "١"),
    ],
)
def test_yaml_1_1_traps_are_text(text: str) -> None:
    assert parse_value(text) == text


def test_quoted_scalars_are_text() -> None:
    assert parse_value("""['1', "true", '', "no"]""") == ["1", "true", "", "no"]


def test_a_byte_order_mark_is_no_part_of_the_first_key() -> None:
    assert parse_document(b"\xef\xbb\xbfa: 1\n", "t.yaml", HERE).value == {"a": 1}


def test_marks_are_lines_and_columns_from_one() -> None:
    document = parse_document(b"a: 1\nb:\n  - c: '\xc3\xa4'\n    d: 2\n", "t.yaml", HERE)
    mark, key = document.mark(("b", 0, "d")), document.key_mark(("b", 0, "d"))
    assert (mark.where, mark.line, mark.column) == ("t.yaml:4:8", 4, 8)
    assert key.where == "t.yaml:4:5"
    assert document.mark(("b", 0, "d", "missing")) == mark
    assert mark.folder == HERE


def test_an_unreadable_file_is_a_problem(tmp_path: Path) -> None:
    for path, reason in (
        (tmp_path / "none.yaml", "no such file"),
        (tmp_path / "a\0b", "no such file"),
        (tmp_path, "found a folder, expected a YAML file"),
        (tmp_path / ("n" * 300), "cannot be read: File name too long"),
    ):
        with pytest.raises(ConfigError) as caught:
            read_document(path, shown="it")
        assert lines(caught.value) == [f"it: {reason}"]


def test_shown_values_are_escaped_and_cut() -> None:
    assert quote('a"b\\\x1b[31m\u202e') == '"a\\"b\\\\\\x1b[31m\\u202e"'
    assert quote("x" * 100) == '"' + "x" * 59 + '…"'
    assert printable("\n") == "\\n"


@pytest.mark.parametrize(
    ("problems", "end"),
    [
        (2, "\n2 errors; nothing was started"),
        (90, "\n... and 40 more\n90 errors; nothing was started"),
    ],
)
def test_an_error_counts_its_problems_and_cuts_a_flood(problems: int, end: str) -> None:
    text = "".join(f"{number}: a\n" for number in range(problems)).encode()
    with pytest.raises(ConfigError) as caught:
        Problems(parse_document(text, "t.yaml", HERE)).raise_if_any()
    assert str(caught.value).endswith(end)


@pytest.mark.parametrize("text", ['a: "\\UFFFFFFFF"', "%YAML 1." + "9" * 5000 + "\n---\na: b\n"])
@pytest.mark.parametrize("loader", ["CSafeLoader", "SafeLoader"])
def test_numbers_too_large_for_yaml_are_problems(text, loader, monkeypatch) -> None:
    monkeypatch.setattr(module, "_Loader", getattr(yaml, loader))
    [line] = refusals(text)
    assert "not YAML: " in line


@given(st.binary(max_size=200) | st.text(alphabet="ab:-[]{}&*!?'\"#|>\n 1,", max_size=60))
def test_no_bytes_raise_anything_but_config_error(data: bytes | str) -> None:
    with suppress(ConfigError):
        parse_document(data if isinstance(data, bytes) else data.encode(), "t.yaml", HERE)


def test_only_a_regular_file_is_opened_and_nothing_is_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to("file")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(tmp_path / "socket"))
        descriptors = len(os.listdir("/proc/self/fd"))
        for name in ("pipe", "folder", "socket", "/dev/zero", "/dev/null", "none"):
            with pytest.raises(OSError, match=r"."):
                os.close(regular(str(tmp_path / name), os.O_RDONLY))
        for name in ("file", "link"):
            with open(tmp_path / name, "rb", opener=regular) as file:
                assert file.read() == b"x"
        assert len(os.listdir("/proc/self/fd")) == descriptors
