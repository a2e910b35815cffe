"""What a statement says was moved, and the times that statements give (P5, I2)."""

from __future__ import annotations

import pytest

from taishi.language.moved_plans import moved, moves, retimed
from taishi.language.stated_times import states_time, without_times

BADMINTON_ZH = "约好了，2026年3月19日 19:00在体育馆打羽毛球"
BADMINTON_EN = "Badminton is on Thursday at seven in the gym"
MOVED = [
    ("郑棠：羽毛球改到2026年3月20日了，还是七点，场地换成洪塘", BADMINTON_ZH),
    ("阿拾把羽毛球挪到周六了", BADMINTON_ZH),
    ("周四的羽毛球改到周五了", BADMINTON_ZH),
    ("羽毛球活动提前到周三", BADMINTON_ZH),
    ("羽毛球取消了", BADMINTON_ZH),
    ("The badminton match has been moved to Friday", BADMINTON_EN),
    ("Tom: we moved the badminton to Friday", BADMINTON_EN),
    ("Badminton moved to Friday", BADMINTON_EN),
    ("Badminton is cancelled", BADMINTON_EN),
    ("Ann's badminton is now on Friday", BADMINTON_EN),
    ("Badminton is every Friday now (as of 2026-03-19)", BADMINTON_EN),
    ("From 2026-03-19 on, badminton is on Fridays", BADMINTON_EN),
    ("羽毛球现在（截至2026年3月19日）是每周五", BADMINTON_ZH),
    ("羽毛球以后都在周五", BADMINTON_ZH),
    ("The wedding was moved to 2026-06-19", "Ann is getting married on 2026-06-12"),
    ("Our flight was moved to 2026-06-19", "Ann is flying to Rome on 2026-06-12"),
    ("婚礼改到2026年6月19日了", "小安2026年6月12日和小林结婚"),
    ("航班改到2026年6月19日了", "小安2026年6月12日飞罗马"),
]
NOT_MOVED = [
    ("羽毛球能不能改到周五？", BADMINTON_ZH),
    ("羽毛球没改到周五", BADMINTON_ZH),
    ("聚餐改到周五了", BADMINTON_ZH),
    ("小王提前到了", "小王2026年3月19日打羽毛球"),
    ("羽毛球改到周五了", "我喜欢打羽毛球"),
    ("Should the badminton be moved to Friday?", BADMINTON_EN),
    ("If badminton is moved to Friday, Tom can come", BADMINTON_EN),
    ("Badminton was not moved to Friday", BADMINTON_EN),
    ("It was moved to Friday", BADMINTON_EN),
    ("The team meeting was moved to 4 pm", "The budget meeting is at 3 pm"),
    ("Ann moved to Berlin on 3 May", "Ann's party is on 4 May"),
    ("The badminton was moved to Friday", "Tom likes badminton"),
    ("Badminton is popular now", BADMINTON_EN),
    ("The gym is on Badminton Road now", BADMINTON_EN),
    ("小郑现在在周四的羽毛球课上", BADMINTON_ZH),
    ("The wedding was moved to 2026-06-19", "Ann is flying to Rome on 2026-06-12"),
    ("The flight to Oslo was moved to 2026-06-19", "Ann is flying to Rome on 2026-06-12"),
    ("婚礼改到2026年6月19日了", "小安2026年6月12日飞罗马"),
]


@pytest.mark.parametrize(("told", "earlier"), MOVED)
def test_P5_it_tells_that_the_other_was_moved(told: str, earlier: str) -> None:
    assert moves(told, earlier)


@pytest.mark.parametrize(("told", "earlier"), NOT_MOVED)
def test_P5_it_tells_no_such_thing(told: str, earlier: str) -> None:
    assert not moves(told, earlier)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("My gym is on Tuesdays at 18:00.", "My gym is on ."),
        ("The dentist is on 26 November 2026 at 9:30", "The dentist is on"),
        ("The flight leaves at 8 am on Friday", "The flight leaves on"),
        ("健身课在每周二晚上六点", "健身课在"),
        ("牙医预约在2026年11月26日上午9点半", "牙医预约在"),
    ],
)
def test_I2_times_are_taken_out(text: str, left: str) -> None:
    assert " ".join(without_times(text).split()) == left


@pytest.mark.parametrize(
    "text", ["it may be 3 apples", "有一点辣", "Hall 3", "v1.2.3", "一千零三十点"]
)
def test_I2_a_number_is_no_time(text: str) -> None:
    assert not states_time(text)


@pytest.mark.parametrize(
    ("told", "what"),
    [
        ("更正一下，夜骑不是周六是周日，周六下雨", "夜骑"),
        ("夜骑是周日，不是周六", "夜骑"),
        ("夜骑时间不是周六晚上，是2026年6月14日晚上", "夜骑"),
        ("更正：羽毛球不在周六，在周日", "羽毛球"),
        ("Correction: badminton is not on 2026-06-13 but on 2026-06-14", "badminton"),
        ("Badminton isn't on Saturday, it's on Sunday", "Badminton"),
        ("Badminton is on Sunday, not Saturday", "Badminton"),
    ],
)
def test_I2_what_is_at_one_time_and_not_at_another_has_a_new_one(told: str, what: str) -> None:
    assert retimed(told) == (what,)
    assert moved(told) == ()


@pytest.mark.parametrize(
    "told",
    [
        "夜骑是不是周六",
        "夜骑不是周六吗",
        "如果夜骑不是周六是周日我就去",
        "老张不是老师是医生",
        "我的猫不是三只是四只",
        "他不是周六来的",
        "Bob is a nurse, not a doctor",
        "The shop is not on Main Street but on Elm Street",
        "If badminton is not on Saturday but on Sunday, Tom can come",
        "It's on Sunday, not Saturday",
        "Badminton is not on Saturday",
    ],
)
def test_I2_what_gives_no_other_time(told: str) -> None:
    assert retimed(told) == ()
