"""What somebody does is learned without the 的 at its end: 我是搞前端的."""

from __future__ import annotations

import pytest

from taishi.historian.fact_patterns import facts_by_rule
from taishi.types import Job


def learned(said: str) -> list[str]:
    job = Job(
        request_id="r1",
        end_seq=1,
        action_summary="",
        new_info=(said,),
        timestamp_utc="",
        timestamp_local="",
        timezone="UTC",
        epoch=0.0,
        workspace="default",
        request_type="private",
        user_id="u1",
        sender_name="阿杰",
    )
    return [one.content for one in facts_by_rule(job)]


@pytest.mark.parametrize(
    ("said", "content"),
    [
        ("我做后端的", "阿杰做后端"),
        ("我是搞前端的", "阿杰搞前端"),
        ("我是做测试的，住在苏州", "阿杰做测试"),
        ("我当老师的", "阿杰当老师"),
        ("我在滴滴做运营的", "阿杰在滴滴做运营"),
    ],
)
def test_H4_an_occupation_without_its_last_particle(said: str, content: str) -> None:
    assert content in learned(said)


@pytest.mark.parametrize(
    "said",
    ["我是搞错了的", "我是做给他看的", "我是搞不懂的", "我做设计的朋友来了", "我搞丢了设计"],
)
def test_H4_no_occupation(said: str) -> None:
    assert learned(said) == []
