"""A plan that was cancelled is shown as one that no longer holds (P5, I2)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from taishi import Memory, Scope
from taishi.domain.authority import Actor

BEGIN = datetime(2026, 6, 1, 10, 0)
OVER = ("(no longer so", "（已不再")

CANCELLED = [
    ["I'm flying to Lima on 2026-12-03.", "The Lima trip is off."],
    ["I'm flying to Lima on 2026-12-03.", "I cancelled the flight to Lima."],
    ["I'm flying to Lima on 2026-12-03.", "I'm not going to Lima after all."],
    ["My flight to Lima is on 2026-12-03.", "My flight to Lima has been cancelled."],
    ["I have dinner with Tom on 2026-06-12.", "Dinner with Tom is cancelled."],
    ["I have a meeting on 2026-06-12.", "We called off the meeting."],
    ["我2026年12月3日飞利马。", "利马不去了。"],
    ["我2026年12月3日飞利马。", "我不去利马了。"],
    ["我6月12日和小明聚餐。", "6月12日的聚餐取消了。"],
    ["我6月20日去上海出差。", "上海的出差取消了。"],
    ["我打算下个月去爬黄山。", "黄山不去了。"],
    ["I'm moving to Leeds on 2026-12-03.", "I'm not moving to Leeds after all."],
    ["I'm moving to Leeds on 2026-12-03.", "My boss gave me a raise, so I'm not moving after all."],
    ["I plan to quit my job in September.", "I decided not to quit my job."],
    ["我打算九月辞职。", "辞职的事我想了想，不辞了。"],
    ["我下个月搬去鄞州。", "鄞州那房子没租成，我不搬了。"],
    ["我准备八月买车。", "车不买了。"],
    ["我打算明年出国。", "我决定不出国了。"],
]
KEPT = [
    ["I'm flying to Lima on 2026-12-03.", "The Quito trip is off."],
    ["I'm flying to Lima on 2026-12-03.", "Is the Lima trip off?"],
    ["I'm flying to Lima on 2026-12-03.", "If it rains, the Lima trip is off."],
    ["I'm flying to Lima on 2026-12-03.", "The Lima trip is not cancelled."],
    ["I'm flying to Lima on 2026-12-03.", "Ben says the Lima trip is off."],
    ["I'm flying to Lima on 2026-12-03.", "I cancelled the newspaper."],
    ["I lived in Lima in 2019.", "The Lima trip is off."],
    ["I have dinner with Tom on 2026-06-12.", "Dinner with Eva is cancelled."],
    ["我2026年12月3日飞利马。", "基多不去了。"],
    ["我2026年12月3日飞利马。", "利马不去了吗？"],
    ["我2026年12月3日飞利马。", "如果下雨，利马就不去了。"],
    ["我2026年12月3日飞利马。", "利马没有取消。"],
    ["我6月12日和小明聚餐。", "6月20日的聚餐取消了。"],
    ["我2019年住在利马。", "利马不去了。"],
    ["我6月20日去上海出差。", "杭州的出差取消了。"],
    ["I'm moving to Leeds on 2026-12-03.", "I'm not moving to York after all."],
    ["I'm moving to Leeds on 2026-12-03.", "I'm not moving today, it's too late."],
    ["I plan to quit smoking in September.", "I'm not quitting my job after all."],
    ["我打算2026年9月辞职。", "我不搬了。"],
    ["我打算2026年9月辞职。", "今天太晚了，不辞了，明天再说。"],
    ["我打算2026年9月辞职。", "如果涨薪我就不辞了。"],
    ["我打算九月考驾照。", "考研的事算了，不考了。"],
    ["我打算九月考虑换城市。", "我不考了。"],
    ["我下个月搬去鄞州。", "宁波那房子没租成，我不搬了。"],
]


def first_line(memory: Memory, user: str, said: list[str], *actors: Actor) -> str:
    """The line of the block that tells the plan; `actors`: who tells each, the host if not said."""
    scope = Scope(user=user)
    for number, text in enumerate(said):
        time = (BEGIN + number * timedelta(days=2)).isoformat(sep=" ")
        actor = actors[number] if actors else "host"
        memory.end_turn(scope, new_info=text, sender_name="Ann", time=time, actor=actor)
    memory.drain(60)
    lines = memory.context(scope, said[0]).splitlines()
    return next((line for line in lines if "2026-06-01" in line or said[0][-6:-1] in line), "")


@pytest.mark.parametrize("is_over", [True, False], ids=["cancelled", "kept"])
def test_I2_a_plan_is_shown_with_its_cancellation(
    open_memory: Callable[..., Memory], is_over: bool
) -> None:
    memory = open_memory()
    faults = []
    for number, said in enumerate(CANCELLED if is_over else KEPT):
        line = first_line(memory, f"u{number}", said)
        if not line or any(mark in line for mark in OVER) != is_over:
            faults.append(f"{said}: {line}")
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    ("actors", "is_over"),
    [(("model", "model"), True), (("host", "model"), False), (("model", "host"), True)],
)
def test_I2_what_only_a_model_told_a_model_may_cancel(
    open_memory: Callable[..., Memory], actors: tuple[Actor, Actor], is_over: bool
) -> None:
    memory = open_memory()
    flights = [said for said in CANCELLED if "2026-12-03" in said[0] or "12月3日" in said[0]]
    for number, said in enumerate(flights):
        line = first_line(memory, f"u{number}", said, *actors)
        assert line and any(mark in line for mark in OVER) == is_over, f"{said}: {line}"


def test_I2_of_two_dinners_nobody_knows_which(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    said = [
        "I have dinner with Tom on 2026-06-12.",
        "I have dinner with Tom on 2026-06-19.",
        "Dinner with Tom is cancelled.",
    ]
    assert not any(mark in first_line(memory, "u1", said) for mark in OVER)
    said[2] = "Dinner with Tom on June 19 is cancelled."
    first_line(memory, "u2", said)
    lines = memory.context(Scope(user="u2"), said[0]).splitlines()
    over = [line for line in lines if any(mark in line for mark in OVER)]
    assert len(over) == 1 and "has dinner with Tom on 2026-06-19" in over[0]


def test_I2_of_two_purchases_the_verb_alone_names_none(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    said = ["我准备八月买车。", "我准备九月买房。", "我不买了。"]
    assert not any(mark in first_line(memory, "u1", said) for mark in OVER)
    assert any(mark in first_line(memory, "u2", [*said[:2], "车不买了。"]) for mark in OVER)


def test_I2_a_new_plan_after_the_cancellation_holds(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    scope = Scope(user="u1")
    first_line(memory, "u1", ["I'm flying to Lima on 2026-12-03.", "The Lima trip is off."])
    again = "I'm flying to Lima on 2026-12-20."
    memory.end_turn(scope, new_info=again, sender_name="Ann", time="2026-06-09 10:00")
    memory.drain(60)
    lines = memory.context(scope, "When does Ann fly to Lima?").splitlines()
    assert all(not any(mark in one for mark in OVER) for one in lines if "12-20" in one)
    assert all(any(mark in one for mark in OVER) for one in lines if "12-03" in one)
