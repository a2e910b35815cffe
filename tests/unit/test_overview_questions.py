"""Questions about all that is known are told from questions about something."""

from __future__ import annotations

import pytest

from taishi.language.overview_questions import asks_for_all

ALL = """What do you know about me?
what do you remember about me
So, what have you learned about me so far?
Tell me everything you know about me.
Can you tell me what you know about me?
How much do you know about me?
你知道我什么？
你还记得我什么
你记得我哪些事情？
关于我，你知道什么？
你对我了解多少？
说说你知道的关于我的一切
"""
NOT_ALL = """What do you know about Lisbon?
What do you know about me and Tom?
What do you know about my job?
Do you know me?
What do I know about you?
你知道我住哪吗？
你记得我的生日吗？
你知道我哥哥什么？
我记得你什么？
"""


@pytest.mark.parametrize("text", ALL.splitlines())
def test_it_asks_for_all(text: str) -> None:
    assert asks_for_all(text)


@pytest.mark.parametrize("text", ["", *NOT_ALL.splitlines(), "a" * 5000, "你到底" * 2000])
def test_it_asks_for_something_else(text: str) -> None:
    assert not asks_for_all(text)
