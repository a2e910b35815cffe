"""What two people did together is kept with the sentence that says who the other is (W9)."""

from __future__ import annotations

import pytest

from taishi.historian.salience import decide_by_rule
from taishi.types import Message


def kept(*said: str, speakers: tuple[str, ...] = ()) -> tuple[str, ...]:
    names = speakers or ("Ann",) * len(said)
    return decide_by_rule(
        [Message(text, speaker=name) for text, name in zip(said, names, strict=True)]
    ).new_info


@pytest.mark.parametrize(
    ("before", "told", "who"),
    [
        ("I had been with Paul for two years.", "We broke up yesterday.", "Paul"),
        ("I was dating Nora since May.", "But we split up last week.", "Nora"),
        ("Leo and I were together for a year.", "We're divorced now.", "Leo"),
        ("我和小舟在一起两年了。", "昨天分手了。", "小舟"),
        ("之前跟阿南谈了半年恋爱。", "我们分手了。", "阿南"),
    ],
)
def test_W9_the_sentence_before_says_with_whom(before: str, told: str, who: str) -> None:
    assert any(who in one for one in kept(before, told))
    assert any(who in one for one in kept(f"{before} {told}"))


@pytest.mark.parametrize(
    ("before", "told"),
    [
        ("The soup was far too salty.", "We broke up yesterday."),
        ("I was in the park with Paul.", "I changed my phone number."),
        ("今天天气真不错呀。", "我们分手了。"),
        ("刚跟老王聊了两句。", "我们分手了。"),
    ],
)
def test_W9_any_other_sentence_before_is_not_kept(before: str, told: str) -> None:
    assert before.rstrip("。.") not in "".join(kept(before, told))


def test_W9_nor_what_somebody_else_said_before() -> None:
    found = kept("It was dull with Paul around.", "We broke up yesterday.", speakers=("Eva", "Ann"))
    assert not any("Paul" in one for one in found)
