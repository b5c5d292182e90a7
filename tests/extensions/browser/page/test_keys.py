"""Where the parts of a run's page are found."""

from __future__ import annotations

from arena.extensions.browser.page.render import _key


def test_disciplines_do_not_share_a_place() -> None:
    names = ("a-b", "a.b", "a_b", "a-b-", "ab", "dragonheart-2")
    assert len({_key(name) for name in names}) == len(names)
    assert _key("dragonheart-2") == "dragonheart-2"
