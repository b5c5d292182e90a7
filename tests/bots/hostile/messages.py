"""What a message says and how it is written. The rows of SENT are bots by name."""

import sys

from kit import first, play, write
from life import sleep

LIMIT = 65536
ANSWER = b'{"type":"action","id":"ID","action":0}'


def instead(old, new):
    return ANSWER.replace(old, new) + b"\n"


def info(value):
    return instead(b"0}", b'0,"info":' + value + b"}")


def padded(length):
    """An answer that is a line of so many bytes, its line end included."""
    empty = info(b'""').replace(b"ID", b"0" * 16)
    return info(b'"' + b"x" * (length - len(empty)) + b'"')


SENT = {
    "says_nothing_else": ANSWER + b"\n",
    "ends_lines_with_crlf": ANSWER + b"\r\n",
    "sends_blank_lines": b"\n\r\n  \n\t\n" + ANSWER + b"\n",
    "sends_line_separators": info('"\u2028\u2029\u0085"'.encode()),
    "sends_unknown_fields": info(b'1,"seat":3,"type2":[{}]'),
    "sends_a_long_info": info(b'"' + b"i" * 5000 + b'"'),
    "sends_terminal_codes_as_info": info(rb'"\u001b]0;title\u0007\u001b[2J\u202e"'),
    "sends_a_line_at_the_limit": padded(LIMIT),
    "sends_a_line_over_the_limit": padded(LIMIT + 1),
    "sends_too_many_spaces": b" " * (LIMIT + 1) + ANSWER + b"\n",
    "sends_invalid_utf_8": info(b'"\xff\xfe"'),
    "sends_overlong_utf_8": info(b'"\xc0\x80"'),
    "sends_utf_16": (ANSWER + b"\n").decode().encode("utf-16"),
    "sends_a_byte_order_mark": b"\xef\xbb\xbf" + ANSWER + b"\n",
    "sends_a_nul": ANSWER + b"\0\n",
    "sends_a_control_character": info(b'"a\x01b"'),
    "sends_plain_text": b"I play a ship\n",
    "sends_an_object_behind": ANSWER + b"{}\n",
    "sends_a_list": b"[" + ANSWER + b"]\n",
    "sends_null": b"null\n",
    "sends_a_comment": ANSWER + b" // hello\n",
    "sends_single_quotes": ANSWER.replace(b'"', b"'") + b"\n",
    "nests_30000_levels": info(b"[" * 30_000 + b"]" * 30_000),
    "nests_30000_levels_unclosed": b"[" * 30_000 + b"\n",
    "nests_65_levels": info(b"[" * 64 + b"]" * 64),
    "sends_60000_digits": instead(b"0}", b"9" * 60_000 + b"}"),
    "sends_60000_digits_as_info": info(b"9" * 60_000),
    "sends_1e999": info(b"1e999"),
    "sends_nan": info(b"NaN"),
    "sends_infinity": instead(b"0}", b"Infinity}"),
    "repeats_a_key": info(b'1,"action":1'),
    "repeats_a_key_inside": info(b'{"a":1,"a":2}'),
    "sends_half_a_surrogate": info(rb'"\ud800"'),
    "sends_a_text_as_action": instead(b"0}", b'"0"}'),
    "sends_a_fraction_as_action": instead(b"0}", b"0.5}"),
    "sends_0_0_as_action": instead(b"0}", b"0.0}"),
    "sends_true_as_action": instead(b"0}", b"true}"),
    "sends_null_as_action": instead(b"0}", b"null}"),
    "sends_no_action": b'{"type":"action","id":"ID"}\n',
    "sends_no_id": b'{"type":"action","action":0}\n',
    "sends_a_number_as_id": instead(b'"ID"', b"17"),
    "sends_another_id": instead(b"ID", b"0123456789abcdef"),
    "sends_an_unknown_type": instead(b'"action",', b'"move",'),
    "sends_a_huge_index": instead(b"0}", b"999}"),
    "sends_a_negative_index": instead(b"0}", b"-1}"),
    "sends_an_index_of_80_bits": instead(b"0}", b"1208925819614629174706176}"),
    "sends_an_unknown_action": instead(b"0}", b'{"type":"castle"}}'),
    "sends_an_action_of_wrong_types": instead(b"0}", b'{"type":"play","cards":7}}'),
    "sends_an_action_with_too_many_cards": instead(
        b"0}", b'{"type":"play","cards":[' + b'"ship:0",' * 5 + b'"ship:0"]}}'
    ),
    "sends_an_action_with_10000_cards": instead(
        b"0}", b'{"type":"play","cards":[' + b'"a",' * 9999 + b'"a"]}}'
    ),
    "sends_the_goodbye_back": b'{"type":"bye"}\n',
    "is_ready_again": b'{"type":"ready","protocol":1}\n',
}


def say(data):
    """In place of the first answer, and no word after it."""

    def act(message):
        write(data.replace(b"ID", message["id"].encode()))
        if sys.argv[2:] == ["hang"]:
            sleep()

    play(act=first(act))


if __name__ == "__main__":
    say(SENT[sys.argv[1]])
