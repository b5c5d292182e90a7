"""Nothing that a bot says starts a command in the log of a CI system."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from arena.cli.terminal.console import annotate, out, out_text, print_document, say
from tests.cli.runner_log import commands
from tests.cli.shell import BOT, Result, arena, bot, environment

pytestmark = [pytest.mark.slow, pytest.mark.process]

HOSTILE = [
    *("::error::x", "::set-env name=A::B", "::stop-commands::x", "##[error]x", "##[add-path]/tmp"),
    *("behind ##[error]x", "#\u034f#\ufe0f[error]x", ":\u034f:error::x", "##vso[task.set]x"),
    "###[error]x",
]
BEGINNINGS = [
    *("", "    ", "\t", "\xa0", "\u3000", "\u200b", "\u034f", "\ufe0f\u3164"),
    *("\x00", "\x1b", "\x07"),
    *(f"a{end}" for end in ("\n", "\r", "\r\n", "\v", "\f", "\x85", "\u2028", "\u2029")),
    "a\n\n\t \u3000",
]
LINES = [f"{beginning}{line}" for beginning in BEGINNINGS for line in HOSTILE]
PROGRAM = f"import sys\nLINES = {LINES!r}\n"
SPEAKS = (
    PROGRAM
    + """
sys.stderr.reconfigure(encoding="utf-8", errors="replace")
print(*LINES, sep="\\n", end=END, file=sys.stderr, flush=True)
"""
)


def test_a_runner_is_read_as_it_reads() -> None:
    assert all(commands(line) for line in LINES)
    harmless = ["it wrote: ::error::x", ": :error::", "::error", "# #[error]", "##[error", "a::b::"]
    assert commands("\n".join(harmless)) == []


def test_no_line_is_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    for text in LINES:
        for tell in (out, say):
            tell(text)
            tell(f"error: what came\n{text}\n    {text}")
        printed = capsys.readouterr()
        assert commands(printed.out) == commands(printed.err) == [], ascii(text)


def test_an_annotation_is_one_command(capsys: pytest.CaptureFixture[str]) -> None:
    annotate("error", "a,b::c\n%", "50 % of\r\n::warning::x")
    said = capsys.readouterr().err
    assert said == "::error title=a%2Cb%3A%3Ac%0A%25::50 %25 of\ufffd%0A::warning::x\n"
    assert len(commands(said)) == 1


def test_other_text_is_printed_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    text = "## Title\n| a | b |\n|:--|--:|\n[x] a::b #[y] # [z]\n  :: : 12:30::\n\x1b[31mé\x1b[0m"
    told = text.replace("  ::", "  a ::")
    out_text(told)
    for line in told.split("\n"):
        say(line)
    printed = capsys.readouterr()
    assert printed.out == printed.err == told.replace("\x1b", "\ufffd") + "\n"


def test_a_document_is_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    print_document({"a": LINES, "::": "##[x"})
    text = capsys.readouterr().out
    assert json.loads(text) == {"a": LINES, "::": "##[x"}
    assert commands(text) == []


# From the outside


@pytest.fixture
def home(tmp_path: Path) -> Path:
    bot(tmp_path, "anna")
    return tmp_path


def quiet_runner(done: Result) -> str:
    """What was printed, which holds no command and no raw control."""
    text = done.out + done.err
    assert commands(done.out) == commands(done.err) == []
    assert not set(text) & set("\r\v\f\x00\x07\x1b\x1c\x85\u2028\u2029\u200b")
    return text


RUN = ("run", "-g", "dragonheart", "-n", "1", "--set", "breaker.then=ignore", "--name", "r")


def test_the_output_of_a_build(home: Path) -> None:
    source = SPEAKS.replace("stderr", "stdout").replace("END", "'\\n'") + "sys.exit(1)"
    made = bot(home, "made", build="[[python3, make.py]]")
    for rest in (LINES[:10], LINES[10:30], LINES[-12:]):
        (made / "make.py").write_text(source.replace(repr(LINES), repr(rest)), "utf-8")
        done = arena(home, *RUN, "anna", "made", env=environment(XDG_CACHE_HOME=str(home)))
        assert done.code == 2
        assert "ended with status 1" in quiet_runner(done)


def test_what_bots_say_when_they_fail(home: Path) -> None:
    bot(home, "crashes", SPEAKS.replace("END", r"'\n  ##[error]last'") + "sys.exit(3)")
    bot(home, "babbles", "print('\\x0b::error::last', flush=True)\n" + BOT)
    wrong = BOT.replace('{"type": "action",', '{"type": "::error::last", "info": LINES,')
    bot(home, "errs", PROGRAM + wrong)
    done = arena(home, *RUN, "--verbose", "anna", "crashes", "babbles", "errs")
    said = quiet_runner(done)
    assert all(f": {kind}: " in said for kind in ("startup", "malformed")), said
    run = Path("runs/r")
    for words in (
        *(["replay", run, str(number)] for number in (1, 5, 9)),
        *(["replay", run, "1", "--json"], ["verify", run], ["report", run]),
        *(["standings", run], ["watch", run, "--json"]),
    ):
        quiet_runner(arena(home, *words))


def test_the_info_of_a_bot(home: Path) -> None:
    told = BOT.replace('"action": action}', '"action": action, "info": LINES[:40]}')
    bot(home, "tells", PROGRAM + told)
    done = arena(home, *RUN, "anna", "tells")
    assert done.code == 0, done.err
    quiet_runner(done)
    for more in ([], ["--json"], ["--info"]):
        quiet_runner(arena(home, "replay", Path("runs/r"), "1", *more))


@pytest.mark.parametrize("name", ["##[error]x", "a\n::error::x"])
def test_names_and_manifests(home: Path, name: str) -> None:
    odd = bot(home, "odd")
    manifest = {"bot": 1, "name": name, "command": [name], "plays": {name: [2]}, name: name}
    (odd / "bot.yaml").write_text(json.dumps(manifest), "utf-8")
    shutil.copytree(home / "anna", home / name)
    (home / f"{name}.yaml").write_text(f"arena: 1\n{json.dumps(name)}: 1\n", "utf-8")
    for words in (
        *([*RUN, "anna", "odd"], [*RUN, "anna", f"{name}.x"], ["run", f"{name}.yaml"]),
        [*RUN, "anna", "--set", f"entrants.0.{name}={name}"],
        *(["compare", f"{name}@{name}", "anna"], ["replay", name], ["rules", name]),
    ):
        done = arena(home, *words)
        assert done.code == 2, done.err
        assert quiet_runner(done)


def test_a_verdict_is_the_only_annotation(home: Path) -> None:
    name = "##[error]x::y"
    (home / "anna").rename(home / name)
    shutil.copytree(home / name, home / "same")
    (home / "same" / "other").touch()
    words = ("compare", name, "same", "-g", "dragonheart", "--max-games", "2", "--seed", "1")
    said = arena(home, *words, env=environment(GITHUB_ACTIONS="true"))
    assert said.code == 3, said.err
    assert commands(said.out + said.err) == ["warning title=arena compare"]
