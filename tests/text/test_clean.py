import sys
import unicodedata

from arena.text.clean import REPLACEMENT, UNSAFE, plain


def test_every_unsafe_character_is_replaced_and_no_other():
    for first in range(0, sys.maxunicode + 1, 4096):
        text = "".join(map(chr, range(first, first + 4096)))
        shown = [REPLACEMENT if unicodedata.category(each) in UNSAFE else each for each in text]
        assert [plain(each) for each in text] == shown
        assert plain(text) == "".join(shown)
