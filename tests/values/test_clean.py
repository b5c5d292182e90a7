import json
import sys
import unicodedata

from arena.values.clean import REPLACEMENT, UNSAFE, json_document, plain


def test_every_unsafe_character_is_replaced_and_no_other():
    for first in range(0, sys.maxunicode + 1, 4096):
        text = "".join(map(chr, range(first, first + 4096)))
        shown = [REPLACEMENT if unicodedata.category(each) in UNSAFE else each for each in text]
        assert [plain(each) for each in text] == shown
        assert plain(text) == "".join(shown)


def test_a_document_has_no_unsafe_character_and_never_fails() -> None:
    """A file name may have bytes that are no Unicode; they are as surrogates in a str."""
    names = ["a\u202eb", "\u2066", "\u200b", "caf\udce9", "plain"]
    text = json_document({"names": names, "caf\udce9": ({"in": names[3]},)})
    assert text.isascii()
    found = json.loads(text)
    assert found["names"][:3] == names[:3]
    assert found["names"][3:] == ["caf\\udce9", "plain"]
    assert found["caf\\udce9"] == [{"in": "caf\\udce9"}]
