"""How somebody wants to be called is an instruction; what others call him is his name (H8)."""

from __future__ import annotations

import pytest

from taishi.historian.fact_patterns import facts_by_rule
from taishi.types import Job


def categories(said: str, sender: str = "Nora") -> list[str]:
    job = Job(
        request_id="r1", end_seq=1, action_summary="", new_info=(said,), timestamp_utc="",
        timestamp_local="", timezone="UTC", epoch=1_770_000_000.0, workspace="default",
        request_type="private", user_id="k1", sender_id="k1", sender_name=sender,
    )  # fmt: skip
    return sorted(fact.category for fact in facts_by_rule(job))


@pytest.mark.parametrize(
    "said",
    [
        "Call me Norrie",
        "call me Norrie",
        "Please call me Norrie.",
        "You can call me Norrie",
        "Just call me Norrie!",
        "So you can call me Norrie",
        "From now on, call me Norrie",
        "Call me Norrie from now on",
        "叫我小诺",
        "叫我小诺就行",
        "请叫我小诺",
        "你可以叫我小诺",
        "以后叫我小诺",
        "直接叫我小诺吧",
        "以后称呼我小诺",
    ],
)
def test_H8_how_to_be_called_is_an_instruction_and_no_name(said: str) -> None:
    assert categories(said) == ["instruction"]


@pytest.mark.parametrize(
    "said",
    [
        "My friends call me Norrie",
        "Everyone calls me Norrie",
        "My name is Norrie",
        "Hi, I'm Norrie",
        "大家都叫我小诺",
        "朋友们都叫我小诺",
        "我的名字是小诺",
        "我叫小诺",
    ],
)
def test_F1_what_one_is_called_is_a_name_and_no_instruction(said: str) -> None:
    assert categories(said) == ["name"]


@pytest.mark.parametrize(
    "said",
    [
        "Call me tomorrow",
        "Call me at noon",
        "Please call me back",
        "My mother calls me every day",
        "叫我起床",
        "明天早上七点叫我起床",
        "妈妈叫我去吃饭",
        "他叫我不要去",
    ],
)
def test_H8_to_be_telephoned_or_woken_is_no_name(said: str) -> None:
    assert "name" not in categories(said)
