from __future__ import annotations

import json
from typing import Any, Final

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from arena.cli.documents import schema_of
from arena.referee.protocol import (
    ALL_PARTS,
    INFO_LIMIT,
    Act,
    BadMessage,
    Bye,
    Choice,
    Hello,
    Over,
    Ready,
    SeatFault,
    Start,
    decode,
    encode,
    pack_info,
)
from arena.values.results import FaultKind, Limits, Termination, TimeControl

TOKEN = "00ff"


def choice(action: str = "0", more: str = "") -> bytes:
    """An action message with the action and further members as given."""
    return f'{{"type":"action","id":"{TOKEN}","action":{action}{more}}}'.encode()


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


READY = b'{"type":"ready","protocol":1}'

SCHEMA: Final = schema_of("protocol")
HOSTILE = {
    "nothing": b"",
    "not JSON": b"hello",
    "NaN": choice("NaN"),
    "NaN in info": choice(more=',"info":NaN'),
    "NaN in an unknown field": choice(more=',"x":NaN'),
    "Infinity": choice("Infinity"),
    "1e999": choice("1e999"),
    "1e999 in info": choice(more=',"info":[1e999]'),
    "-1e999 in an unknown field": choice(more=',"x":-1e999'),
    "repeated key": choice("0", ',"action":1'),
    "repeated key spelt otherwise": choice("0", ',"acti\\u006fn":1'),
    "repeated key in the action": choice('{"a":1,"a":2}'),
    "repeated key in info": choice(more=',"info":[{"a":1,"a":1}]'),
    "repeated unknown key": choice(more=',"x":1,"x":2'),
    "repeated key in ready": b'{"type":"ready","protocol":2,"protocol":1,"protocol":1}',
    "lone surrogate": choice(more=',"info":"\\ud800"'),
    "lone surrogate as id": b'{"type":"action","id":"\\udc00","action":0}',
    "encoded surrogate": b'{"type":"action","id":"\xed\xa0\x80","action":0}',
    "encoded surrogate in an unknown field": choice()[:-1] + b',"x":"\xed\xa0\x80"}',
    "bad UTF-8": b'{"type":"action","id":"\xff","action":0}',
    "bad UTF-8 in an unknown field": choice()[:-1] + b',"x":"\xff"}',
    "UTF-16": choice().decode().encode("utf-16"),
    "UTF-16 without BOM": choice().decode().encode("utf-16-be"),
    "UTF-32": choice().decode().encode("utf-32"),
    "BOM": b"\xef\xbb\xbf" + choice(),
    "NUL in front": b"\0" + choice(),
    "NUL behind": choice() + b"\0",
    "NUL in a text": choice(more=',"info":"\0"'),
    "control character": choice(more=',"info":"\x1b"'),
    "deep": nested(30_000).encode(),
    "deep and open": b"[" * 30_000,
    "deep info": choice(more=f',"info":{nested(30_000)}'),
    "deep unknown field": choice(more=f',"x":{nested(30_000)}'),
    "deep action": choice('{"a":' * 10_000 + "1" + "}" * 10_000),
    "a little too deep info": choice(more=f',"info":{nested(200)}'),
    "huge integer": choice("9" * 60_000),
    "huge integer in info": choice(more=f',"info":{"9" * 60_000}'),
    "huge integer in an unknown field": choice(more=f',"x":{"9" * 60_000}'),
    "true": choice("true"),
    "1.0": choice("1.0"),
    "text": choice('"3"'),
    "null": choice("null"),
    "array": choice("[0]"),
    "trailing object": choice() + b"{}",
    "trailing comma": choice(more=","),
    "comment": choice() + b"// well",
    "two in an array": b"[" + choice() + b"]",
    "number": b"3",
    "a message as text": json.dumps(choice().decode()).encode(),
    "no type": b'{"id":"x","action":0}',
    "unknown type": b'{"type":"move","id":"x","action":0}',
    "a referee's type": b'{"type":"bye"}',
    "type is no text": b'{"type":1,"id":"x","action":0}',
    "no id": b'{"type":"action","action":0}',
    "id is no text": b'{"type":"action","id":7,"action":0}',
    "no action": b'{"type":"action","id":"x"}',
    "no protocol": b'{"type":"ready"}',
    "protocol is a text": b'{"type":"ready","protocol":"1"}',
    "unknown part": b'{"type":"ready","protocol":1,"wants":["secrets"]}',
    "wants is a text": b'{"type":"ready","protocol":1,"wants":"legal"}',
    "name is null": b'{"type":"ready","protocol":1,"name":null}',
}

GOOD = {
    "index": (choice("3"), Choice(TOKEN, 3)),
    "negative index": (choice("-1"), Choice(TOKEN, -1)),
    "large index": (choice(str(10**25)), Choice(TOKEN, 10**25)),
    "object": (choice('{"type":"say","number":2}'), Choice(TOKEN, {"type": "say", "number": 2})),
    "info": (
        choice(more=',"info":{"depth":[1,2.5,null]}'),
        Choice(TOKEN, 0, {"depth": [1, 2.5, None]}),
    ),
    "said": (choice(more=',"said":"bestmove a1a1"'), Choice(TOKEN, 0, None, "bestmove a1a1")),
    "unknown fields": (choice(more=',"x":{"y":[true]}'), Choice(TOKEN, 0)),
    "spaces": (b" " + choice() + b"\t", Choice(TOKEN, 0)),
    "escapes": (b'{"type":"action","id":"\\u0030\\"","action":0}', Choice('0"', 0)),
    "id": (b'{"type":"action","id":"\\u0041 \\n\xc3\xa9","action":0}', Choice("A \n\u00e9", 0)),
    "beyond the plane": (choice(more=',"info":"\\ud83d\\ude00"'), Choice(TOKEN, 0, "\U0001f600")),
    "any order": (b'{"action":0,"id":"00ff","type":"action"}', Choice(TOKEN, 0)),
    "bare ready": (READY, Ready(1)),
    "full ready": (
        b'{"type":"ready","protocol":9,"name":"n","version":"v","wants":[],"prepares":true}',
        Ready(9, "n", "v", (), True),
    ),
}


@pytest.mark.parametrize("line", HOSTILE.values(), ids=HOSTILE)
def test_hostile_lines_are_bad_messages(line: bytes) -> None:
    with pytest.raises(BadMessage, match=r"\w"):
        decode(line)


@pytest.mark.parametrize(("line", "expected"), GOOD.values(), ids=GOOD)
def test_good_lines_are_messages_as_in_the_schema(line: bytes, expected: Ready | Choice) -> None:
    assert decode(line) == expected
    assert _fits(json.loads(line), SCHEMA, SCHEMA["$defs"])


def test_depth_is_judged_the_same_wherever_the_referee_stands() -> None:
    def deeper(levels: int) -> str:
        if levels:
            return deeper(levels - 1)
        with pytest.raises(BadMessage) as caught:
            decode(choice(more=f',"info":{nested(900)}'))
        return str(caught.value)

    assert deeper(0) == deeper(500)


@given(st.binary(max_size=200))
@example(b"{" * 100)
def test_bytes_are_a_message_or_bad(line: bytes) -> None:
    _decode_or_bad(line)


@given(st.sampled_from([line for line, _ in GOOD.values()]), st.data())
def test_mutated_lines_are_a_message_or_bad(line: bytes, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(line)))
    end = data.draw(st.integers(start, min(len(line), start + 4)))
    pieces = st.sampled_from(
        [b"", b'"', b"\\u", b"\\ud800", b"{", b"[", b"0", b"e9", b"\xff", b","]
    )
    put = b"".join(data.draw(st.lists(pieces | st.binary(max_size=3), max_size=4)))
    _decode_or_bad(line[:start] + put + line[end:])


def _decode_or_bad(line: bytes) -> None:
    try:
        message = decode(line)
    except BadMessage:
        return
    if isinstance(message, Choice):
        pack_info(message.info)
        assert decode(choice(msgspec.json.encode(message.action).decode()))


@pytest.mark.parametrize(
    ("info", "kept"),
    [
        (None, None),
        ("x" * (INFO_LIMIT - 2), b'"' + b"x" * (INFO_LIMIT - 2) + b'"'),
        ("x" * (INFO_LIMIT - 1), None),
        ("\n" * INFO_LIMIT, None),
        ({"a": [1, 2.5, None, True]}, b'{"a":[1,2.5,null,true]}'),
        (10**25, str(10**25).encode()),
        (0, b"0"),
        ("", b'""'),
    ],
)
def test_info_is_kept_as_it_came_or_not_at_all(info: Any, kept: bytes | None) -> None:
    packed = pack_info(info)
    assert (None if packed is None else bytes(packed)) == kept


TO_BOT = [
    Hello((1,), "arena 1", Limits(), 10.0),
    Start("g", "toy", {"a": 1}, {}, 0, 2, TimeControl(), 7),
    Start("g", "toy", {}, {}, 1, 2, TimeControl(None, 60.0, 1.0), 7, {"o": 1}, ("a", "b")),
    Act("t", None),
    Act("t", 1.5, {"hand": [1]}, [{"what": "x"}], [{"type": "say"}]),
    Over((1, 2), (3, 1), Termination.COMPLETED, ()),
    Over((1, 2), None, Termination.FORFEITED, (SeatFault(1, FaultKind.CRASH),)),
    Bye(),
]


@pytest.mark.parametrize("message", TO_BOT, ids=lambda message: type(message).__name__)
def test_a_message_is_one_line_as_in_the_schema(message: msgspec.Struct) -> None:
    line = encode(message)
    assert (line.count(b"\n"), line[-1:]) == (1, b"\n")
    sent = json.loads(line)
    assert sent["type"] == type(message).__name__.lower()
    assert _fits(sent, SCHEMA, SCHEMA["$defs"])


def test_parts_that_are_not_wanted_are_absent() -> None:
    assert json.loads(encode(Act("t", None))) == {"type": "act", "id": "t", "time_left": None}


@pytest.mark.parametrize("name", ["no type", "unknown type", "no id", "true", "text", "null"])
def test_the_schema_refuses_what_is_refused(name: str) -> None:
    assert not _fits(json.loads(HOSTILE[name]), SCHEMA, SCHEMA["$defs"])


def test_every_part_can_be_wanted() -> None:
    wants = SCHEMA["$defs"]["Ready"]["properties"]["wants"]
    assert sorted(wants["items"]["enum"]) == sorted(ALL_PARTS)


def _fits(value: Any, rule: dict[str, Any], defs: dict[str, Any]) -> bool:
    """Whether the value is valid, by the few words of JSON Schema that we use."""
    checks = {
        "$ref": lambda ref: _fits(value, defs[ref.removeprefix("#/$defs/")], defs),
        "anyOf": lambda rules: any(_fits(value, each, defs) for each in rules),
        "enum": lambda values: value in values,
        "type": lambda name: _has_type(value, name),
        "minimum": lambda low: value is None or value >= low,
        "maximum": lambda high: value is None or value <= high,
        "required": lambda names: all(name in value for name in names),
        "properties": lambda rules: all(
            _fits(value[name], each, defs) for name, each in rules.items() if name in value
        ),
        "items": lambda each: each is False or all(_fits(item, each, defs) for item in value),
        "minItems": lambda least: len(value) >= least,
        "maxItems": lambda most: len(value) <= most,
    }
    said = {"title", "description", "default", "$schema", "$defs", "$comment"}
    said.add("additionalProperties")
    assert rule.keys() <= checks.keys() | said, f"words unknown to this test in {rule}"
    return all(check(rule[word]) for word, check in checks.items() if word in rule)


def _has_type(value: Any, name: str) -> bool:
    types = {
        "object": dict,
        "array": list,
        "string": str,
        "integer": int,
        "number": (int, float),
        "boolean": bool,
        "null": type(None),
    }
    return isinstance(value, types[name]) and (name == "boolean" or not isinstance(value, bool))
