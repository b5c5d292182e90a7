"""The parts of a check that need no process."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from arena.extensions.authors.bots import Setting
from arena.extensions.authors.check.diagnosis import (
    Diagnosis,
    of_fault,
    of_start,
    of_unasked,
    steady,
)
from arena.extensions.authors.check.endings import of_ending, tells_of_network
from arena.extensions.authors.check.fault_injection import NO_INJECTION, Injection, injected
from arena.extensions.authors.check.finding import (
    PAGE,
    AdviceLanguage,
    FindingSection,
    Name,
    Where,
    advice,
    language_of,
    link,
    snippets,
)
from arena.extensions.authors.check.table import (
    CASES,
    Opponents,
    RecordingRules,
    ends_at_once,
    rotation,
)
from arena.games.registry import GAMES, make_rules, rules_spec
from arena.referee.channel import Silence
from arena.values.problems import printable
from arena.values.results import FaultKind, Limits

ROOT = Path(__file__).parents[4]
TOKEN = "0123456789abcdef"
BEFORE = "fedcba9876543210"


@pytest.mark.parametrize(
    ("text", "is_tried"),
    [
        ("Error: 1200 requests/s by urllib", False),
        ("urllib.error.URLError: <urlopen error [Errno 1]>", True),
        ('  File "/usr/lib/python3/dist-packages/requests/api.py", line 3, in get', True),
        ("dial tcp 192.0.2.1:80: connect: network is unreachable", True),
    ],
)
def test_what_says_that_the_network_was_tried(text: str, is_tried: bool) -> None:
    assert tells_of_network(text) is is_tried


def test_there_is_advice_for_every_name() -> None:
    assert set(advice()) == set(Name)
    for name, each in advice().items():
        assert each.why, name
        assert each.mend, name


def test_every_snippet_is_printable_and_used() -> None:
    used = {text.snippet for each in advice().values() for text in (each, each.kit) if text} - {""}
    assert {name for language in AdviceLanguage for name in snippets(language)} == used
    for language in AdviceLanguage:
        for name, code in snippets(language).items():
            assert code == code.strip(), (language, name)
            assert all(line.isprintable() for line in code.splitlines()), (language, name)


COMMON = (Name.NO_FLUSH, Name.READS_TO_END, Name.PRINT, Name.LATER_GAME, Name.TOO_SLOW, Name.CRASH)


@pytest.mark.parametrize("name", COMMON)
def test_the_commonest_have_a_line_in_every_language(name: Name) -> None:
    assert all(advice()[name].snippet in snippets(language) for language in AdviceLanguage)


def test_c_has_lines_of_its_own() -> None:
    found = snippets(AdviceLanguage.C)
    assert {*snippets(AdviceLanguage.CPP)} - {*found} == {"kit-illegal-action", "kit-too-slow"}
    of_cpp = re.compile(r"std::|R\"\(|\bauto\b|main\.cpp|g\+\+|\.at\(|#include <i")
    assert not [name for name, code in found.items() if of_cpp.search(code)]
    assert "fflush(stdout)" in found["flush"]


@pytest.mark.parametrize("section", FindingSection)
def test_the_page_has_every_section(section: FindingSection) -> None:
    page = (ROOT / PAGE).read_text("utf-8")
    headings = re.findall(r"^#+ (.*)$", page, re.MULTILINE)
    assert section.value in headings
    anchors = {re.sub(r"[^\w\s-]", "", each.lower()).replace(" ", "-") for each in headings}
    assert link(section).removeprefix(f"{PAGE}#") in anchors


def test_every_case_has_a_name_of_its_own() -> None:
    assert len(set(CASES)) == len(CASES)


@pytest.mark.parametrize(
    ("stated", "words", "build", "expected"),
    [
        ("", ["python3", "main.py"], [], AdviceLanguage.PYTHON),
        ("", ["python3.11", "main"], [], AdviceLanguage.PYTHON),
        ("", ["/usr/bin/node", "x"], [], AdviceLanguage.JAVASCRIPT),
        ("C++", ["./bot"], [], AdviceLanguage.CPP),
        ("c", ["./bot"], [], AdviceLanguage.C),
        ("", ["./bot"], [["gcc", "-O2", "main.c"]], AdviceLanguage.C),
        ("", ["./bot"], [["cc", "bot.cpp", "-o", "bot"]], AdviceLanguage.CPP),
        ("", ["./bot"], [["clang++", "bot", "-o", "bot"]], AdviceLanguage.CPP),
        ("", ["build/bot"], [["rustc", "main.rs"]], AdviceLanguage.RUST),
        ("", ["build/bot"], [["sh", "build.sh"], ["go", "build"]], AdviceLanguage.GO),
        ("", ["java", "-cp", "build", "Main"], [], AdviceLanguage.JAVA),
        ("haskell", ["./bot"], [], None),
        ("", ["script"], [], AdviceLanguage.PYTHON),
        ("", ["nothing"], [], None),
        ("", [], [], None),
    ],
)
def test_the_language_of_a_bot(stated, words, build, expected, tmp_path) -> None:
    (tmp_path / "script").write_text("#!/usr/bin/env python3\n")
    program = str(tmp_path / next(iter(words), ""))
    assert language_of(stated, words, build, program) is expected


def said(reply: bytes | Silence, *, following: bytes = b"", stderr: str = "") -> Any:
    """What is noted of a bot that was asked twice, and answered so the second time."""
    return SimpleNamespace(
        tokens=[BEFORE, TOKEN],
        reply=reply,
        following=following,
        said=lambda: stderr,
        exit_status=lambda: 1,
        peak=lambda: 0,
        games_over=0,
    )


def malformed(talk: Any, *, is_start: bool = False) -> Diagnosis:
    """What is found in a line, by default that of an answer."""
    if is_start:
        return of_start("", talk, Setting(), "")
    return of_fault(FaultKind.MALFORMED, "", talk, Setting())


def crashed(stderr: str) -> Diagnosis:
    detail = "it ended (exit status 2)"
    return of_fault(FaultKind.CRASH, detail, said(b"", stderr=stderr), Setting())


def answer(**fields: object) -> bytes:
    return json.dumps({"type": "action", "id": TOKEN, "action": 0} | fields).encode()


@pytest.mark.parametrize(
    ("line", "name"),
    [
        (b"{'type': 'action', 'id': '0', 'action': 0}", Name.PYTHON_REPR),
        (b'{"type":"action","id":"0","action":0,}', Name.TRAILING_COMMA),
        (b'{"type":"action","id":"0" "action":0}', Name.NOT_JSON),
        (b'{"type":"action","info":"f\xfcr"}', Name.NOT_UTF_8),
        ('{"type":"action"}'.encode("utf-16"), Name.NOT_UTF_8),
        ('\ufeff{"type":"action"}'.encode(), Name.NOT_UTF_8),
        (b"thinking...", Name.PRINT),
        (b"3", Name.NOT_AN_OBJECT),
        (b'[{"type":"action"}]', Name.NOT_AN_OBJECT),
        (b'{"type":"action","id":"0","action":0,"info":NaN}', Name.NOT_A_NUMBER),
        (b'{"type":"action","id":"0","action":0,"id":"1"}', Name.REPEATED_KEY),
        (answer(type="move"), Name.UNKNOWN_TYPE),
        (answer(id=3), Name.ID_TYPE),
        (answer(action="0"), Name.ACTION_TYPE),
        (answer(action=True), Name.ACTION_TYPE),
        (answer(action={"type": "castle"}), Name.UNKNOWN_ACTION),
        (b'{"type":"action","action":0}', Name.NO_ID),
        (b'{"type":"action","id":"0"}', Name.NO_ACTION),
        (b'{"type":"action","id":"0","action":0,"info":1e999}', Name.MALFORMED),
    ],
)
def test_what_is_wrong_with_a_line(line: bytes, name: Name) -> None:
    found = malformed(said(line))
    assert found.name is name
    assert printable(found.what) == found.what


PRETTY = json.dumps(json.loads(answer()), indent=2).encode()


@pytest.mark.parametrize("text", [PRETTY, b"[\n" + PRETTY, PRETTY.replace(b"{", b"{ ", 1)])
@pytest.mark.parametrize("is_start", [True, False])
def test_an_answer_over_several_lines_is_to_be_one(text: bytes, is_start: bool) -> None:
    first, _, rest = text.partition(b"\n")
    found = malformed(said(first, following=rest + b"\n"), is_start=is_start)
    assert found.name is Name.SEVERAL_LINES
    assert "one line" in advice()[found.name].mend
    alone = malformed(said(first, following=b"thinking"))
    assert alone.name is not Name.SEVERAL_LINES


LOG = b'{"type": "log", "text": "thinking"}'
READY = b'{"type": "ready", "protocol": 1}'


@pytest.mark.parametrize(
    ("line", "following", "is_start", "name"),
    [
        (json.dumps(answer().decode()).encode(), b"", False, Name.NOT_AN_OBJECT),
        (json.dumps(READY.decode()).encode(), b"", True, Name.NOT_AN_OBJECT),
        (b"3", answer(), False, Name.PRINT),
        (LOG, answer() + b"\n", False, Name.PRINT),
        (LOG, READY + b"\n", True, Name.PRINT),
        (LOG, b"", False, Name.UNKNOWN_TYPE),
        (LOG, b"", True, Name.NO_READY),
    ],
)
def test_a_message_within_a_text_or_after_a_log(line, following, is_start, name) -> None:
    found = malformed(said(line, following=following), is_start=is_start)
    assert found.name is name
    assert ("encode" in found.mend) == (name is Name.NOT_AN_OBJECT)


@pytest.mark.parametrize(
    ("detail", "reply", "following", "name"),
    [
        ("the id is not that of the question", answer(id=BEFORE), b"", Name.STALE_ID),
        ("the id is not that of the question", answer(id="1"), b"", Name.WRONG_ID),
        ("more than the one line asked for", answer(), answer(), Name.ANSWERS_TWICE),
        ("more than the one line asked for", answer(), b"thought", Name.PRINT),
        ("expected action, found ready", b'{"type":"ready"}', b"", Name.ANSWERS_UNASKED),
    ],
)
def test_what_is_wrong_with_the_order(detail, reply, following, name) -> None:
    talk = said(reply, following=following)
    found = of_fault(FaultKind.PROTOCOL, detail, talk, Setting())
    assert found.name is name
    assert TOKEN not in found.what
    assert BEFORE not in found.what


@pytest.mark.parametrize(
    ("after", "data", "name"),
    [
        ("start", answer(), Name.ANSWERS_START),
        ("over", answer(), Name.ANSWERS_OVER),
        ("act", answer(), Name.ANSWERS_TWICE),
        ("hello", answer(), Name.ANSWERS_UNASKED),
        ("start", b"a new game!\n", Name.PRINT),
    ],
)
def test_what_nobody_asked_for(after: str, data: bytes, name: Name) -> None:
    assert of_unasked(after, data, [TOKEN]).name is name


NODE = """node:internal/modules/cjs/loader:1210
  throw err;
  ^

Error: {}
Require stack:
- /bot/main.js
    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15)
    at node:internal/main/run_main_module:28:49 {{
  code: 'MODULE_NOT_FOUND',
  requireStack: {}
}}

Node.js v20.20.2
"""
"""Standard error of Node without a module."""
OF_MAIN = "[ '/bot/main.js' ]"


def test_a_missing_module_of_node_is_told_by_its_name() -> None:
    text = NODE.format("Cannot find module 'left-pad'", OF_MAIN)
    talk = said(Silence.ENDED, stderr=text)
    found = of_start("before ready: the process ended (exit status 1)", talk, Setting(), text)
    assert (found.name, found.what) == (
        Name.MISSING_PACKAGE,
        "it ended before it was ready (exit status 1): Error: Cannot find module 'left-pad'",
    )


CPP_ENDS = "terminate called after throwing an instance of 'std::"
NO_MODULE = "Error [ERR_MODULE_NOT_FOUND]: Cannot find"
RUN_TIMES = {
    Name.MEMORY: ["MemoryError", f"{CPP_ENDS}bad_alloc'"],
    Name.WRITES_FILES: [
        "FileNotFoundError: [Errno 2] No usable temporary directory found in ['/tmp']",
        "OSError: [Errno 30] Read-only file system: 'log.txt'",
        "Error: ENOENT: no such file or directory, mkdir '/nonexistent/a'",
    ],
    Name.NETWORK: [
        "urllib.error.URLError: <urlopen error [Errno 1] Not permitted>",
        "TypeError: fetch failed",
    ],
    Name.MISSING_PACKAGE: [
        "ModuleNotFoundError: No module named 'numpy'",
        NODE.format("Cannot find module 'left-pad'", OF_MAIN),
        f"{NO_MODULE} package 'chess.js' imported from /bot/a.mjs",
    ],
    Name.PROCESSES: ["RuntimeError: can't start new thread"],
    Name.READS_FILES: [
        "FileNotFoundError: [Errno 2]",
        "panic: open book.json: no such file or directory",
        NODE.format("Cannot find module './engine/tree'", OF_MAIN),
        f"{NO_MODULE} module '/bot/a.mjs' imported from /bot/main.mjs",
    ],
    Name.CRASH: [
        "IndexError: list index out of range",
        'NumberFormatException: For input string: "seven"',
        f"{CPP_ENDS}invalid_argument'\n  what():  stoi",
        "==1==ERROR: AddressSanitizer: heap-buffer-overflow\nSUMMARY: AddressSanitizer: "
        "heap-buffer-overflow main.cpp:3 in main\nShadow bytes\n==1==ABORTING",
    ],
    Name.EXITS: [""],
    Name.STACK: [
        "RecursionError: maximum recursion depth exceeded",
        "fatal error: stack overflow\n\nruntime stack:\nruntime.throw(1)\n\t/go:1",
    ],
    Name.NOT_PERMITTED: ["PermissionError: [Errno 1] Operation not permitted"],
    Name.OPEN_FILES: ["OSError: [Errno 24] Too many open files: 'x'"],
    Name.DISK: ["OSError: [Errno 27] File too large"],
    Name.PROGRAM_MISSING: [
        NODE.format("Cannot find module '/bot/mian.js'", "[]"),
        "python3: can't open file '/bot/mian.py': [Errno 2] No such file or directory",
        "Error: Could not find or load main class Bot\n"
        "Caused by: java.lang.ClassNotFoundException: Bot",
        "Error: Unable to access jarfile bot.jar",
    ],
    Name.NUMBER_RANGE: [
        'NumberFormatException: For input string: "4503599627370496"',
        "json: cannot unmarshal number 45 into Go struct field A.s of type int32",
        "called `Result::unwrap()`: ParseIntError { kind: PosOverflow }",
        "ValueError: Seed must be between 0 and 2**32 - 1",
        f"{CPP_ENDS}out_of_range'\n  what():  stoi",
    ],
}


@pytest.mark.parametrize(
    ("stderr", "name"), [(text, name) for name, texts in RUN_TIMES.items() for text in texts]
)
def test_what_a_run_time_says(stderr: str, name: Name) -> None:
    assert crashed(stderr).name is name


GIB = 1 << 30


NOTHING = "nothing on standard error"


@pytest.mark.parametrize(
    ("text", "status", "peak", "name", "clue"),
    [
        ("", 3, 0, Name.EXITS, NOTHING),
        ("", 0, 0, Name.EXITS, NOTHING),
        ("", None, 0, Name.EXITS, NOTHING),
        ("", -11, 0, Name.SIGNAL, NOTHING),
        ("", 139, 0, Name.SIGNAL, NOTHING),
        ("depth 3\n", -11, 0, Name.SIGNAL, ""),
        ("depth 3\n", 1, 0, Name.CRASH, ""),
        ("", -6, 0, Name.SIGNAL, NOTHING),
        ("", -9, 0, Name.SIGNAL, NOTHING),
        ("", -11, GIB * 9 // 10, Name.MEMORY, "most of the memory"),
        ("", 1, GIB * 9 // 10, Name.MEMORY, "most of the memory"),
        ("panic: no card", 2, GIB * 9 // 10, Name.CRASH, ""),
        ("", -24, 0, Name.PROCESSOR, NOTHING),
        ("", -25, 0, Name.DISK, NOTHING),
        ("", -31, 0, Name.NOT_PERMITTED, NOTHING),
    ],
)
def test_an_end_without_a_word_is_told_by_status_and_limit(text, status, peak, name, clue) -> None:
    found = of_ending(text, status, peak, Limits(memory=GIB))
    assert found.name is name
    assert clue in found.clue
    assert bool(found.mend) == (status in (-6, -9))


def test_what_cannot_be_caught_is_not_to_be_caught() -> None:
    found = crashed("fatal error: all goroutines are asleep - deadlock!\n")
    assert found.name is Name.CRASH
    assert "channel" in found.mend


@pytest.mark.parametrize(
    "text",
    ["free(): double free detected in tcache 2", "*** stack smashing detected ***: terminated"],
)
def test_broken_memory_is_found_by_a_sanitizer(text: str) -> None:
    assert of_ending(text, -6, 0, Limits()) == (Name.SIGNAL, "", "")


def test_a_seed_in_what_was_said_is_kept() -> None:
    assert steady("bad seed 4503599627370496, id 01234567abcdef01", []) == (
        "bad seed 4503599627370496, id ID"
    )


@pytest.mark.parametrize(
    ("stderr", "cause", "place"),
    [
        (
            "panic: no card\n\ngoroutine 1 [running]:\nmain.choose(0x1)\n\t/bot/mine.go:19 +0x65\n"
            "bot/kit.Play()\n\t/bot/kit/loop.go:106 +0x3\nmain.main()\n\t/bot/main.go:7 +0x1\n",
            "panic: no card",
            "at /bot/mine.go:19",
        ),
        (
            "\nthread 'main' (4711) panicked at mine.rs:22:33:\nno card\n"
            "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n",
            "thread 'main' … panicked at mine.rs:22:33: no card",
            "",
        ),
    ],
)
def test_a_crash_is_told_by_its_cause_and_the_line_of_the_author(stderr, cause, place) -> None:
    found = crashed(stderr)
    assert found.what == f"it ended when asked (exit status 2): {cause}"
    assert found.said.splitlines()[:-1] == [place][: bool(place)]


def test_what_differs_from_process_to_process_is_left_out() -> None:
    text = f'File "/tmp/arena-x1/cells/7/main.py", line 3\nKeyError: {TOKEN!r} at 0x7f00\n\n'
    assert steady(text, [TOKEN]) == "File \"…/main.py\", line 3\nKeyError: 'ID' at …"


ACT = {
    "type": "act",
    "id": TOKEN,
    "time_left": 1.0,
    "observation": {"phase": "play"},
    "events": [{"type": "deal"}],
    "legal": [{"type": "play", "cards": ["ship:0"]}],
}


def known(value: Any) -> Any:
    """The value without fields of a later version."""
    if isinstance(value, dict):
        return {key: known(each) for key, each in value.items() if not key.startswith("x_")}
    return [known(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    "injection",
    [
        NO_INJECTION,
        Injection(fields=True),
        Injection(spelling=True),
        Injection(padding=500),
        Injection(True, spelling=True),
    ],
)
def test_an_unkind_line_means_the_same(injection: Injection) -> None:
    line = json.dumps(ACT).encode() + b"\n"
    sent = injected(line, injection)
    assert sent.endswith(b"\n")
    assert sent.count(b"\n") == 1
    assert known(json.loads(sent)) == ACT
    assert (sent != line) == (injection != NO_INJECTION)
    assert len(sent) >= len(line) + injection.padding


def test_unknown_fields_are_in_every_object_that_may_grow() -> None:
    sent = json.loads(injected(json.dumps(ACT).encode(), Injection(fields=True)))
    grown = [sent, sent["observation"], *sent["events"], *sent["legal"]]
    assert all(any(key.startswith("x_") for key in each) for each in grown)


@pytest.mark.parametrize("name", GAMES)
def test_the_rules_read_an_action_with_a_field_more(name: str) -> None:
    rules = make_rules(rules_spec(name))
    action = {"type": "play", "cards": ["ship:0"], "x_more": 1}
    if name == "dragonheart":
        assert rules.decode_action(action) == rules.decode_action(known(action))


def test_a_rotation_has_every_table_and_every_seat() -> None:
    specs = [rules_spec("dragonheart"), rules_spec("dragonkrak", 3)]
    games = rotation(specs, 10)
    assert len(games) == 10
    seats = {(game.rules.name, game.seat) for game in games}
    assert seats == {("dragonheart", 0), ("dragonheart", 1), *(("dragonkrak", s) for s in range(3))}
    assert len({(game.rules.name, game.deal) for game in games}) == 10


@pytest.mark.parametrize("name", GAMES)
def test_a_game_ends_before_the_bot_is_asked(name: str) -> None:
    match = ends_at_once(rules_spec(name, 2), "1")
    assert match is not None
    assert match.against is Opponents.FAULTY
    assert ends_at_once(rules_spec("dragonkrak", 3), "1") is None


def test_a_position_has_its_phase() -> None:
    view = RecordingRules(make_rules(rules_spec("dragonheart")), 0)
    assert view.phase() == ""


def test_a_place_in_words() -> None:
    assert str(Where("dragonkrak", 1, 0, 7)) == "dragonkrak at 1 seat, seat 0, deal 7"
    assert str(Where("dragonheart", 2, 1, 3, 4)) == (
        "dragonheart at 2 seats, seat 1, deal 3, game 4 of its process"
    )
