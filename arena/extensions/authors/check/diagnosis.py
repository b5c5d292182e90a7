"""Diagnosis of a bot from its faults; pure functions apart from the channel that they read."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Sequence
from typing import Any, Final

from arena.extensions.authors.bots import Setting
from arena.extensions.authors.check.endings import (
    SilenceReason,
    finding_of_stderr,
    gives_a_reason,
    has_trace,
    is_near,
    of_ending,
    tells_of_memory,
)
from arena.extensions.authors.check.finding import Name
from arena.extensions.authors.check.last_words import last_words
from arena.extensions.authors.trial.listening import Diagnosis, MeteredChannel, object_in
from arena.referee.channel import Silence
from arena.referee.protocol import ALL_PARTS, PROTOCOL
from arena.referee.session import exit_text, shown
from arena.values.results import FaultKind

_SAID_COLUMNS: Final = 300
_TOKEN: Final = re.compile(r"\b(?=[0-9]*[a-f])[0-9a-f]{16}\b")
"""Token of a question; a run of digits alone may as well be a seed."""
_PLACES: Final = re.compile(r"/(?:tmp|var|home|root|work|run)/[^\s'\":]*/")
_NUMBERS: Final = re.compile(r"\b0x[0-9a-f]+\b|\bpid \d+|(?<=^thread 'main' )\(\d+\)", re.M)
_OF_A_LOOP: Final = (
    "look for a loop that does not end; else stop thinking before time_left is used up"
)


_ANSWER: Final = re.compile(r"""^\{["' ]+type["' ]+:["' ]+(action|ready)""", re.M)
_OF_A_WAIT: Final = "look for what it waits for before ready: a sleep, a lock, a child, a file"
_OF_FORKS: Final = (
    "look for a loop that starts processes: they take the time of the bot, not of the machine"
)
_TO_ERROR: Final = "write ready and all answers to standard output, and to standard error the rest"
_OF_BLANKS: Final = "write the message itself as a line: blank lines are passed over"
_OF_A_HALF: Final = "cut texts between characters, and send halves of surrogate pairs as ? or not"
_OF_A_TEXT: Final = "encode the message once: it is an object, not a text that holds one"
_OF_A_THREAD: Final = "mend the error above: the part of it that was to answer has ended by it"


def of_start(
    kind_detail: str, talk: MeteredChannel | None, setting: Setting, stderr: str
) -> Diagnosis:
    """Return the diagnosis of a bot that is not ready.

    ``talk`` is None if no process could be started.
    """
    if talk is None or "cannot be started" in kind_detail:
        return _of_no_program(kind_detail)
    wrote = stderr or talk.said()
    said = steady(wrote, talk.tokens)
    reply = talk.reply
    if reply is Silence.TIMED_OUT:
        when = f"{setting.control.startup:g} s after its start"
        return _of_silence(talk, when, said, setting, is_start=True)
    if isinstance(reply, Silence):
        found = finding_of_stderr(wrote) or Name.ENDS_AT_START
        what = f"it ended before it was ready ({_how(kind_detail)})"
        mend = "read the error above: the program ended before it read anything" if said else ""
        return Diagnosis(found, _with_last(what, said), said, mend * (found is Name.ENDS_AT_START))
    line = reply
    message = object_in(line)
    if _spans_lines(line, talk.following):
        what = f"in place of ready it wrote {_quoted(line)}, and continued in the next line"
        return Diagnosis(Name.SEVERAL_LINES, what, said)
    if _is_encoded_twice(line):
        what = f"in place of ready it wrote {_quoted(line)}: that is a text with JSON in it"
        return Diagnosis(Name.NOT_AN_OBJECT, what, said, _OF_A_TEXT)
    if message is None or "type" not in message:
        if _looks_like_message(talk.following) or not _looks_like_message(line):
            what = f"its first line on standard output was {_quoted(line)}, in place of ready"
            return Diagnosis(Name.PRINT, what, said)
        name, why = _of_text(line)
        return Diagnosis(name, f"in place of ready it wrote {_quoted(line)}: {why}", said)
    if message.get("type") != "ready":
        what = f"its first line was {_quoted(line)}, in place of ready"
        name = Name.PRINT if _is_followed_by("ready", talk.following) else Name.NO_READY
        return Diagnosis(name, what, said)
    why = ""
    if message.get("protocol") != PROTOCOL:
        why = f"; protocol is not {PROTOCOL}"
    elif not set(_list(message.get("wants", []))) <= set(ALL_PARTS):
        why = f"; wants may hold {', '.join(ALL_PARTS)}"
    return Diagnosis(Name.BAD_READY, f"its ready was {_quoted(line)}{why}", said)


def of_fault(kind: FaultKind, detail: str, talk: MeteredChannel, setting: Setting) -> Diagnosis:
    """Return the diagnosis of a fault in a game. ``detail``: as the referee words it."""
    said = steady(talk.said(), talk.tokens)
    reply = talk.reply
    match kind:
        case FaultKind.TIMEOUT:
            move = setting.control.move
            when = "in time" if move is None else f"within {move:g} s"
            return _of_silence(talk, when, said, setting, is_start=False)
        case FaultKind.CRASH:
            if talk.games_over and "before its first answer" in detail:
                return of_end(talk)
            return _of_crash(talk, f"it ended when asked ({_how(detail)})", said, setting)
        case FaultKind.LIMIT:
            return Diagnosis(_of_limit(detail), f"it was killed: {detail}", said)
        case FaultKind.OVERFLOW:
            what = "its answer was longer than limits.reply"
            return Diagnosis(Name.LINE_TOO_LONG, what, said)
        case FaultKind.ILLEGAL:
            what = f"it answered {_quoted(_line(reply), talk.tokens)}: {detail}"
            return Diagnosis(Name.ILLEGAL_ACTION, what, said)
        case FaultKind.PROTOCOL:
            name, why = _of_order(detail, talk)
        case _:
            name, why = _of_malformed(_line(reply), talk, detail)
    written = _quoted(_line(reply), talk.tokens)
    mend = _OF_A_HALF if "surrogate" in detail else ""
    mend = _OF_A_TEXT if _is_encoded_twice(_line(reply)) else mend
    return Diagnosis(name, f"it answered {written}: {why}", said, mend)


def of_swarm(said: str, seen: str = "") -> Diagnosis:
    """Return the diagnosis of a bot that its own processes held up; ``seen``: begins the text."""
    return Diagnosis(Name.PROCESSES, f"{seen}many processes of its own held it up", said, _OF_FORKS)


def of_unasked(after: str, data: bytes, tokens: Sequence[str]) -> Diagnosis:
    """Return the diagnosis of data that the bot wrote unasked.

    ``after``: type of the last message to it. ``tokens``: as for ``steady``.
    """
    first = data.strip().split(b"\n")[0]
    when = {
        "start": "it received the start of a game",
        "over": "it received the end of a game",
        "act": "after its answer to a question",
        "hello": "after ready",
    }.get(after, "it received a message that asks for no answer")
    what = f"{when}, it wrote {_quoted(first, tokens)}"
    if object_in(first) is None and not _looks_like_message(first):
        return Diagnosis(Name.PRINT, what)
    name = {
        "start": Name.ANSWERS_START,
        "over": Name.ANSWERS_OVER,
        "act": Name.ANSWERS_TWICE,
    }.get(after, Name.ANSWERS_UNASKED)
    return Diagnosis(name, what)


def of_end(talk: MeteredChannel) -> Diagnosis:
    """Return the diagnosis of a process that ended between two games."""
    said = steady(talk.said(), talk.tokens)
    how = exit_text(talk.exit_status())
    name = finding_of_stderr(talk.said())
    if name is not None or gives_a_reason(talk.said()):
        what = f"it ended after a game, before its next answer ({how})"
        return Diagnosis(name or Name.CRASH, _with_last(what, said), said)
    return Diagnosis(Name.EXITS_AFTER_OVER, f"it ended at the end of a game ({how})", said)


def steady(text: str, tokens: Sequence[str]) -> str:
    """Return the last lines of standard error, without texts that differ between processes.

    ``tokens``: such texts of the exchange. The last line says why the process ended, the ones
    before it where.
    """
    return _without_chance("\n".join(last_words(text)), tokens)


def _without_chance(text: str, tokens: Sequence[str]) -> str:
    for token in tokens:
        text = text.replace(token, "ID")
    text = _NUMBERS.sub("…", _PLACES.sub("…/", _TOKEN.sub("ID", text)))
    lines = (line.expandtabs() for line in text.splitlines() if line.strip())
    return "\n".join(line[:_SAID_COLUMNS] for line in lines)


def _of_no_program(detail: str) -> Diagnosis:
    names = {
        "no #! line": Name.NO_SHEBANG,
        "byte order mark": Name.BOM_SHEBANG,
        "carriage return": Name.CRLF_SHEBANG,
        "not executable": Name.NOT_EXECUTABLE,
        "interpreter": Name.NO_INTERPRETER,
    }
    name = next((name for words, name in names.items() if words in detail), Name.CANNOT_START)
    return Diagnosis(name, f"it {detail.removeprefix('it ')}")


def _of_crash(talk: MeteredChannel, what: str, said: str, setting: Setting) -> Diagnosis:
    found = of_ending(talk.said(), talk.exit_status(), talk.peak(), setting.limits)
    return Diagnosis(found.name, _with_last(what + found.clue, said), said, found.mend)


def _of_silence(
    talk: MeteredChannel, when: str, said: str, setting: Setting, *, is_start: bool
) -> Diagnosis:
    if tells_of_memory(talk.said()):
        return Diagnosis(Name.MEMORY, _with_last("its memory was used up", said), said)
    nothing = f"it wrote no line {when}"
    if talk.why is SilenceReason.ENDED:
        how = exit_text(talk.exit_status())
        return _of_crash(talk, f"{nothing}, and ended soon after ({how})", said, setting)
    if talk.why in (SilenceReason.NOT_READING, SilenceReason.NOTHING):
        if has_trace(talk.said()):
            what = f"{nothing}, and ran on after an error"
            return Diagnosis(Name.CRASH, _with_last(what, said), said, _OF_A_THREAD)
        if is_near(talk.peak(), setting.limits.memory):
            what = f"{nothing}, when it used most of the memory that it may use"
            return Diagnosis(Name.MEMORY, what, said)
    if talk.is_swarming:
        return of_swarm(said, f"{nothing}: ")
    found = _of_slowness(talk, nothing, is_start=is_start) or _of_output(talk, nothing, when)
    if found is None:
        found = Diagnosis(Name.NO_READY if is_start else Name.SILENT, nothing)
    return found._replace(said=said)


def _of_slowness(talk: MeteredChannel, nothing: str, *, is_start: bool) -> Diagnosis | None:
    """Return the diagnosis of a bot that does not answer yet: it computes or waits."""
    is_late = talk.why is SilenceReason.LATE or b"\n" in talk.rest().strip(b"\n")
    if not is_late and talk.why is not SilenceReason.NOT_READING:
        return None
    idle = ", and used no processor time: it waits or sleeps" * talk.is_idle
    late = "; ready came later" if is_start else "; an answer came later"
    if is_start:
        end = late if is_late else ", and did not read on" * (not idle)
        return Diagnosis(Name.SLOW_START, nothing + idle + end, mend=_OF_A_WAIT * bool(idle))
    if is_late:
        return Diagnosis(Name.WAITS if idle else Name.TOO_SLOW, nothing + idle + late)
    never = f"no answer after {talk.waited:g} s"
    if idle:
        return Diagnosis(Name.WAITS, never + idle)
    return Diagnosis(Name.TOO_SLOW, f"{never}: perhaps an endless loop", mend=_OF_A_LOOP)


def _of_output(talk: MeteredChannel, nothing: str, when: str) -> Diagnosis | None:
    """Return the diagnosis of a bot that does not write lines as it should; None if none fits."""
    match talk.why:
        case SilenceReason.BUFFERED:
            what = f"{nothing}; asked many times more, it wrote all answers together"
            return Diagnosis(Name.NO_FLUSH, what)
        case SilenceReason.AT_END:
            what = f"{nothing}; it wrote one once its input had ended"
            return Diagnosis(Name.READS_TO_END, what)
        case SilenceReason.WANTS_INPUT:
            what = f"{nothing}; it answered only when one more line had come"
            return Diagnosis(Name.WANTS_INPUT, what)
        case SilenceReason.AFTER_START:
            what = f"{nothing}; it wrote ready only when a game began"
            return Diagnosis(Name.READY_AFTER_START, what)
        case SilenceReason.NO_READY:
            what = f"{nothing}; it answers questions, and never says that it is ready"
            return Diagnosis(Name.NO_READY, what)
    silent = Name.SILENT if talk.tokens else Name.NO_READY
    rest = talk.rest()
    if rest.strip():
        return Diagnosis(Name.NO_LINE_END, f"what it wrote {when} has no line end")
    if rest:
        return Diagnosis(silent, f"only blank lines were written {when}", mend=_OF_BLANKS)
    if _ANSWER.search(talk.said()):
        return Diagnosis(silent, f"{nothing}, but one to standard error", mend=_TO_ERROR)
    if talk.why is SilenceReason.CLOSED:
        return Diagnosis(silent, f"{nothing}: it has closed its standard output")
    return None


def _of_limit(detail: str) -> Name:
    if "memory" in detail:
        return Name.MEMORY
    return Name.PROCESSES if "process" in detail and "processor" not in detail else Name.PROCESSOR


def _of_order(detail: str, talk: MeteredChannel) -> tuple[Name, str]:
    line = _line(talk.reply)
    message = object_in(line) or {}
    if "ready" in detail:
        return Name.ANSWERS_UNASKED, "a question wants an action"
    if "one line" in detail:
        more = talk.following.split(b"\n")[0]
        if object_in(more) is None and not _looks_like_message(more):
            return Name.PRINT, f"and then {_quoted(more)}"
        return Name.ANSWERS_TWICE, "and then one more line"
    *earlier, asked = talk.tokens or [""]
    if message.get("id") in earlier:
        if (object_in(talk.following.split(b"\n")[0]) or {}).get("id") == asked:
            return Name.ANSWERS_TWICE, "that is one more answer to an earlier question"
        return Name.STALE_ID, "that is the id of an earlier question"
    return Name.WRONG_ID, "that id is no question's"


def _of_malformed(line: bytes, talk: MeteredChannel, detail: str) -> tuple[Name, str]:
    message = object_in(line)
    if _spans_lines(line, talk.following):
        return Name.SEVERAL_LINES, "the JSON continues in the next line"
    if message is None:
        if _looks_like_message(line):
            return _of_text(line)
        if _is_encoded_twice(line):
            return Name.NOT_AN_OBJECT, "that is a text with JSON in it"
        if _looks_like_message(talk.following) or not _is_json(line):
            return Name.PRINT, "that is no message"
        return Name.NOT_AN_OBJECT, "that is no object"
    keys = [key for key, _ in _pairs(line)]
    if len(keys) != len(set(keys)):
        return Name.REPEATED_KEY, "a key stands there twice"
    if re.search(rb"\b(NaN|-?Infinity)\b", line):
        return Name.NOT_A_NUMBER, "that is no JSON"
    action, token = message.get("action"), message.get("id")
    if message.get("type") != "action":
        if _is_followed_by("action", talk.following):
            return Name.PRINT, "and its action only then"
        return Name.UNKNOWN_TYPE, 'its type is not "action"'
    if "id" not in message:
        return Name.NO_ID, "id is missing"
    if not isinstance(token, str):
        return Name.ID_TYPE, "id is no text"
    if "action" not in message:
        return Name.NO_ACTION, "action is missing"
    if isinstance(action, dict):
        return Name.UNKNOWN_ACTION, "these rules have no such action"
    if type(action) is not int:
        return Name.ACTION_TYPE, "action is neither a whole number nor an object"
    return Name.MALFORMED, detail


def _of_text(line: bytes) -> tuple[Name, str]:
    """Return the name and description of a line that is meant as a message but is not JSON."""
    try:
        text = line.decode()
    except UnicodeDecodeError:
        return Name.NOT_UTF_8, "that is no UTF-8"
    if "\0" in text or text.startswith("\ufeff"):
        return Name.NOT_UTF_8, "that is no UTF-8 without byte order mark"
    try:
        json.loads(re.sub(r",(\s*[}\]])", r"\1", text))
        return Name.TRAILING_COMMA, "a comma stands before a closing bracket"
    except (ValueError, RecursionError):
        pass
    try:
        ast.literal_eval(text)
        return Name.PYTHON_REPR, "that is how Python prints a dict, not JSON"
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return Name.NOT_JSON, "that is no JSON"


def _pairs(line: bytes) -> list[tuple[str, Any]]:
    """Return all keys of an object with their values; nested objects become lists of pairs."""
    found: list[tuple[str, Any]] = json.loads(line, object_pairs_hook=list)
    return found


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line.decode())
    except (ValueError, RecursionError):
        return False
    return True


def _is_encoded_twice(line: bytes) -> bool:
    """Return whether the line is a JSON text that holds a message."""
    try:
        text = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(text, str) and _looks_like_message(text.encode("utf-8", "replace"))


def _is_followed_by(kind: str, following: bytes) -> bool:
    """Return whether the next line is a message of this type."""
    message = object_in(following.split(b"\n")[0])
    return message is not None and message.get("type") == kind


def _spans_lines(line: bytes, following: bytes) -> bool:
    """Return whether a JSON text that begins in ``line`` continues in the bytes after it."""
    return bool(following) and _is_cut(line) and _begins_with_json(line + b"\n" + following)


def _begins_with_json(data: bytes) -> bool:
    """Return whether a JSON text, whole or cut off at the end, stands before anything else."""
    try:
        json.JSONDecoder().raw_decode(data.decode("utf-8", "replace").lstrip())
    except ValueError:
        return _is_cut(data)
    except RecursionError:
        return False
    return True


def _is_cut(data: bytes) -> bool:
    """Return whether an object or list begins in ``data`` and is right up to its end."""
    text = data.decode("utf-8", "replace").strip()
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return text[:1] in ("{", "[") and error.pos >= len(text) - text.endswith(",")
    except RecursionError:
        pass
    return False


def _looks_like_message(line: bytes) -> bool:
    """Return whether the line was meant as a message, however it is written."""
    text = line.replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \t")
    return text.startswith(b"{") and re.search(rb"type|action|ready", text) is not None


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) and all(isinstance(v, str) for v in value) else [""]


def _line(reply: object) -> bytes:
    return reply if isinstance(reply, bytes) else b""


def _quoted(line: bytes, tokens: Sequence[str] = ()) -> str:
    text = shown(line)
    for token in tokens[-1:]:
        text = text.replace(token, "ID").replace("\\x00".join(token), "ID")
    return f"`{_TOKEN.sub('OLD-ID', text)}`"


def _how(detail: str) -> str:
    found = re.search(r"\((exit status[^)]*|signal[^)]*)\)", detail)
    return found[1] if found else detail


def _with_last(what: str, said: str) -> str:
    last = said.splitlines()[-1:]
    return f"{what}: {last[0]}" if last else what
