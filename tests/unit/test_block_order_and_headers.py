"""What a block does not say twice, and which of two statements about one matter comes first."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from taishi import Hit
from taishi.context_block.block import block
from taishi.language.event_header import without_header
from taishi.types import Passage

NOW = datetime(2026, 11, 18, 15, 0, tzinfo=UTC)
GROUP = "project-shop-78281a2e85e4"


def event(told: str, hours: float, did: str = "") -> Hit:
    data = {"did_what": did, "new_info": [told]}
    text = f"2026-11-17 09:00 (Etc/UTC), group {GROUP}: {did}; {told}"
    when = NOW - timedelta(hours=hours)
    return Hit(f"{hours}", text, 1.0, "event", when, None, None, data)


def rank(hits: list[Hit], question: str, *words: str) -> list[str]:
    """Which of the words the lines have, in the order of the block."""
    lines = block(hits, [], NOW, 800, question=question).splitlines()[2:-1]
    return [next(word for word in words if word in line) for line in lines]


def test_of_statements_about_one_matter_the_newer_comes_first() -> None:
    old = event("We use pnpm as the package manager.", 30)
    new = event("We use bun as the package manager now (as of 2026-11-18).", 1)
    other = event("The invoices are rounded to five cents.", 0.5)
    question = "which package manager do we use?"
    assert rank([old, other, new], question, "pnpm", "bun", "cents") == ["bun", "cents", "pnpm"]
    assert rank([new, other, old], question, "pnpm", "bun", "cents") == ["bun", "cents", "pnpm"]


def test_in_chinese_too() -> None:
    old, new = event("我们用 pnpm 管理依赖包。", 30), event("我们现在用 bun 管理依赖包。", 1)
    assert rank([old, new], "用什么管理依赖包？", "pnpm", "bun") == ["bun", "pnpm"]


NOW_OTHERWISE = [
    ("My gym is on Tuesdays at 18:00.", "My gym is now on Wednesdays at 19:00.", "when is my gym?"),
    (
        "My dentist appointment is on 26 November 2026 at 9:30.",
        "My dentist appointment was moved to 3 December 2026 at 14:00.",
        "when is my dentist appointment?",
    ),
    (
        "The flight to Berlin leaves on 5 December 2026 at 8:00.",
        "The flight to Berlin leaves on 6 December 2026 at 9:15.",
        "What time is the flight on 5 December 2026?",
    ),
    ("Badminton is on Thursday at seven.", "Badminton was moved to Friday.", "when do we play?"),
    ("Ann's cat is called Momo.", "Ann's cat is called Tom.", "what is Ann's cat called?"),
    ("健身课在每周二晚上六点。", "健身课改到每周三晚上七点了。", "健身课是什么时候？"),
    ("牙医预约在2026年11月26日上午9点半。", "牙医预约是2026年12月3日14:00。", "牙医预约几点？"),
    ("周四七点打羽毛球。", "羽毛球取消了。", "这周打球吗？"),
    (
        "夜骑改到2026年6月13日晚上吧，时间不变。",
        "更正一下，夜骑不是周六是周日，周六下雨。",
        "夜骑哪天",
    ),
    (
        "The night ride was moved to the evening of 2026-06-13.",
        "The night ride is on Sunday, not on Saturday.",
        "when do we ride?",
    ),
]


@pytest.mark.parametrize(("old", "new", "question"), NOW_OTHERWISE)
def test_I2_another_time_or_value_of_the_same_comes_first_if_it_is_newer(
    old: str, new: str, question: str
) -> None:
    assert rank([event(old, 30), event(new, 1)], question, old[:-1], new[:-1]) == [
        new[:-1],
        old[:-1],
    ]


@pytest.mark.parametrize(
    ("old", "new", "question"),
    [
        ("My gym is on Tuesdays at 18:00.", "My gym bag was stolen at 9:30.", "when is my gym?"),
        ("健身课在每周二晚上六点。", "健身房的钥匙9点半丢了。", "健身课是什么时候？"),
        ("夜骑2026年6月13日晚上集合。", "夜骑的车不是三辆是四辆。", "夜骑几点集合？"),
        ("The choir meets at 18:00.", "Was the choir moved to 19:00?", "when does the choir meet?"),
        ("Ann likes green tea.", "Ann likes black coffee.", "Does Ann like tea?"),
        ("The shop opens at nine.", "Bob moved to Oslo.", "when does the shop open?"),
        ("Ann likes green tea.", "Ann likes black coffee.", ""),
    ],
)
def test_what_fits_the_question_better_stays_first(old: str, new: str, question: str) -> None:
    words = [text.split()[-1] for text in (old, new)]
    assert rank([event(old, 30), event(new, 1)], question, *words) == words


HEADERS = [
    (f"2026-11-17 09:02 (Etc/UTC), group {GROUP}: Claude noted", "Claude noted"),
    ("2026-11-17 09:02 (Etc/UTC): Claude noted", "Claude noted"),
    (f"2026年11月17日09:02（Etc/UTC），群{GROUP}：Claude已改好", "Claude已改好"),
    ("2026年3月7日09:02（Asia/Shanghai）：已改好", "已改好"),
    ("2026-11-17 09:02 (Etc/UTC), group shop", "2026-11-17 09:02 (Etc/UTC), group shop"),
    ("2026-11-17 was a Tuesday: it rained", "2026-11-17 was a Tuesday: it rained"),
    ("Ann: I met Bob", "Ann: I met Bob"),
]


@pytest.mark.parametrize(("text", "left"), HEADERS)
def test_an_events_header_is_taken_off(text: str, left: str) -> None:
    assert without_header(text) == left


def test_the_passage_of_a_long_event_shows_its_time_once_and_not_the_group() -> None:
    did = "Claude: The plan is as follows. " + "A service moves to Oslo. " * 20
    data = {"did_what": did, "new_info": ["It starts on Monday."]}
    text = f"2026-11-18 14:00 (Etc/UTC), group {GROUP}: {did}; ann: It starts on Monday"
    found = Hit("1", text, 1.0, "event", NOW, "ann", None, data, Passage(0, 300))
    drawn = block([found], [], NOW, 800)
    assert "just now] Claude: The plan is" in drawn
    assert GROUP not in drawn and "Etc/UTC" not in drawn


def test_a_chinese_block_has_chinese_punctuation() -> None:
    found = event("发票四舍五入。", 0, did="Claude noted.")
    drawn = block([found], [], NOW, 800, language="zh")
    assert "[2026-11-18 15:00 UTC，刚刚] Claude noted；发票四舍五入。" in drawn
