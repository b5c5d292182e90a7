"""Schemas are the same whatever Python and msgspec make of a docstring."""

import msgspec

from arena.values.schema import components


class Noted(msgspec.Struct):
    """A subject.

    An indented remark.
    """


def test_descriptions_are_not_indented() -> None:
    _, definitions = components([Noted])
    assert definitions["Noted"]["description"] == "A subject.\n\nAn indented remark."
