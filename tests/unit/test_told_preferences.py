"""Which preference takes the place of which."""

from __future__ import annotations

import pytest

from taishi.historian.told_preferences import is_changed_to, is_turned_round

# Before, now, and the sentence that says it; the person is left out.
CHANGED = [
    ("prefers tabs over spaces", "prefers spaces over tabs", ""),
    ("prefers pytest over unittest", "prefers unittest to pytest", ""),
    ("likes tea more than coffee", "prefers coffee to tea", ""),
    ("prefers walking to driving", "prefers driving to walking", ""),
    ("prefers tea over coffee", "prefers coffee", ""),
    ("prefers tea", "prefers coffee over tea", ""),
    ("prefers tabs", "prefers spaces", "I prefer spaces now."),
    ("prefers short answers", "prefers long, detailed answers", "I prefer long, detailed answers."),
    ("prefers window seats", "prefers aisle seats", "I prefer aisle seats these days."),
    ("prefers green tea", "prefers black tea", "I prefer black tea now."),
    ("prefers green tea", "prefers black tea", "I changed my mind. I prefer black tea."),
    ("更喜欢茶而不是咖啡", "更喜欢咖啡而不是茶", ""),
    ("比起空格更喜欢制表符", "比起制表符更喜欢空格", ""),
    ("比起空格更喜欢制表符", "更喜欢空格", ""),
    ("比起咖啡更爱喝茶", "比起茶更爱喝咖啡", ""),
    ("更喜欢制表符", "更喜欢空格", "我现在更喜欢空格。"),
    ("更喜欢简短的回答", "更喜欢详细的回答", "我更喜欢详细的回答。"),
    ("更喜欢北方城市", "更喜欢南方城市", "我现在更喜欢南方城市"),
]
BOTH_HOLD = [
    ("prefers tabs over spaces", "prefers tabs over spaces", "I prefer tabs over spaces now."),
    ("prefers tabs over spaces in Go", "prefers spaces over tabs in Python", ""),
    ("prefers tabs over spaces in Go", "prefers spaces over tabs", "I prefer spaces over tabs."),
    ("prefers tea in the morning", "prefers coffee in the evening", ""),
    ("prefers tea over coffee", "prefers tea over juice", ""),
    ("prefers tea over coffee", "prefers juice over tea", ""),
    ("prefers cats", "prefers cats over dogs", ""),
    ("prefers tabs", "prefers coffee", "I prefer coffee now."),
    ("prefers green tea", "prefers black tea", "I prefer black tea."),
    ("prefers tea", "also prefers coffee", "I also prefer coffee now."),
    ("prefers short walks", "prefers long answers", "I prefer long answers now."),
    ("prefers new cars", "prefers red cars", "I prefer red cars."),
    ("likes tea", "likes coffee", "I like coffee now."),
    ("更喜欢猫", "更喜欢咖啡", "我现在更喜欢咖啡"),
    ("更喜欢猫", "也更喜欢狗", "我也更喜欢狗"),
    ("早上更喜欢茶", "晚上更喜欢咖啡", "我晚上更喜欢咖啡"),
    ("比起咖啡更喜欢茶", "比起果汁更喜欢茶", ""),
    ("更喜欢简短的回答", "更喜欢长途旅行", "我现在更喜欢长途旅行"),
]  # fmt: skip


def told(words: str) -> str:
    return f"Ann {words}" if words.isascii() else f"安然{words}"


@pytest.mark.parametrize(("before", "now", "said"), CHANGED)
def test_P5_a_preference_takes_the_place_of_its_opposite(before: str, now: str, said: str) -> None:
    assert is_changed_to(told(now), told(before), said)


@pytest.mark.parametrize(("before", "now", "said"), BOTH_HOLD)
def test_P5_other_preferences_stay_beside_it(before: str, now: str, said: str) -> None:
    assert not is_changed_to(told(now), told(before), said)


def test_P5_of_two_people_neither_is_turned_round() -> None:
    assert is_turned_round("Ann prefers tea to coffee", "Ann prefers coffee to tea")
    assert not is_turned_round("Ann prefers tea to coffee", "Ben prefers coffee to tea")
