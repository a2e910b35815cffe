"""What a text lays down for the time to come, by its wording."""

from __future__ import annotations

import time

import pytest

from taishi.language.instruction_wording import INSTRUCTS, PREFERS, marks

TELLS_HOW = [
    "Always answer in Chinese.",
    "Please always use type hints when I ask for code",
    "never call me sir",
    "From now on keep it short.",
    "Whenever I ask about trains, give the platform too",
    "When I ask for recipes, list the calories",
    "If I ask you for a plan, start with the budget",
    "Going forward, reply in bullet points",
    "Ok. Stop using emojis",
    "You should always double check the dates",
    "以后都用中文回答",
    "以后请叫我老王",
    "从现在起，回答要简短",
    "别再给我推荐辣的了",
    "每次问你天气都要带上湿度",
    "请始终用摄氏度",
    "今后不要用表情",
]
TELLS_NOTHING = [
    "I always wanted to see Oslo",
    "Always a pleasure!",
    "Never give up!",
    "Never mind.",
    "She never answers",
    "I just can't stop writing",
    "When I asked my boss he laughed",
    "In future we may move to Cork",
    "以后我要去留学",
    "每次去都很开心",
    "他总是迟到",
    "我们一直在等",
]
LIKES = [
    "I prefer trains to planes",
    "I'd rather walk",
    "I really like green tea",
    "My favourite colour is blue",
    "I don't eat meat",
    "I've decided on the red one",
    "I usually run in the morning",
    "I’m allergic to nuts",
    "我更喜欢坐火车",
    "我不吃香菜",
    "我平时习惯早起",
    "我对花生过敏",
    "我宁愿走路",
]
LIKES_NOTHING = [
    "She prefers trains",
    "The train looks like a snake",
    "It rained all day",
    "他喜欢坐火车",
    "今天下雨了",
]


@pytest.mark.parametrize("text", TELLS_HOW)
def test_an_instruction_is_told_by_its_wording(text: str) -> None:
    assert INSTRUCTS in marks(text)


@pytest.mark.parametrize("text", TELLS_NOTHING)
def test_what_only_sounds_like_one_is_none(text: str) -> None:
    assert INSTRUCTS not in marks(text)


@pytest.mark.parametrize("text", LIKES)
def test_a_preference_is_told_by_its_wording(text: str) -> None:
    assert PREFERS in marks(text)


@pytest.mark.parametrize("text", LIKES_NOTHING)
def test_what_others_like_is_not_the_speakers(text: str) -> None:
    assert PREFERS not in marks(text)


def test_a_long_text_lays_nothing_down() -> None:
    assert INSTRUCTS not in marks("Always use type hints. " + "Here is the code. " * 40)


@pytest.mark.parametrize("text", ["always " * 20_000, "我" * 100_000, "i " * 50_000, ", " * 50_000])
def test_hostile_text_takes_no_time(text: str) -> None:
    begun = time.thread_time()
    marks(text)
    assert time.thread_time() - begun < 0.5
