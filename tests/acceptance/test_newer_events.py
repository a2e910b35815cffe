"""What the rules could not correct is shown beside what the person said since (P5, I2)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from taishi import Memory, Scope
from taishi.context_block.newer_events import newer_events
from taishi.domain.fact_lifecycle import new_fact
from taishi.types import Partition, Record

SCOPE = Scope(user="u1")
PLACE = SCOPE.home
BEGIN = datetime(2026, 6, 1, 10, 0)


def block(memory: Memory, said: list[str], question: str, name: str, scope: Scope = SCOPE) -> str:
    for number, text in enumerate(said):
        moment = BEGIN + number * timedelta(days=2)
        message = {"speaker": name, "text": text}
        memory.end_turn(
            scope,
            new_info=text,
            messages=[message],
            sender_name=name,
            time=moment.isoformat(sep=" "),
        )
    memory.drain(30)
    return memory.context(scope, question)


@pytest.mark.parametrize(
    ("said", "question", "old", "newer"),
    [
        (["我女朋友叫小美", "我跟小美彻底凉了"], "我女朋友是谁", "女朋友叫小美", "彻底凉了"),
        (["我家在深圳", "房子退了，人已经到广州"], "我住哪", "住在深圳", "到广州"),
        (["我养了一只猫叫布丁", "布丁跟着前任走了"], "我有什么宠物", "猫叫布丁", "跟着"),
        (["我在网易上班", "网易那边结束了"], "我在哪上班", "网易上班", "结束了"),
    ],
)
def test_P5_the_newer_event_stands_beside_the_old_fact(
    open_memory: Callable[..., Memory], said: list[str], question: str, old: str, newer: str
) -> None:
    shown = block(open_memory(), said, question, "小雨")
    assert old in shown and newer in shown


@pytest.mark.parametrize(
    ("said", "question", "newer"),
    [
        (["My girlfriend is called Mia", "Mia is history"], "who is my girlfriend", "is history"),
        (["I live in Cork", "I've signed a lease in Galway"], "where do I live", "Galway"),
    ],
)
def test_P5_the_same_in_english(
    open_memory: Callable[..., Memory], said: list[str], question: str, newer: str
) -> None:
    assert newer in block(open_memory(), said, question, "Ann")


class OneFact:
    """A store with a fact and the events after it."""

    def __init__(self, fact: Record, *events: Record) -> None:
        self._records = (fact, *events)

    def find(self, place: Partition, kinds: Any, states: Any, limit: int) -> list[Record]:
        return [one for one in self._records if one.kind in kinds]


def shown_beside(fact: str, category: str, event: str, question: str, **more: Any) -> bool:
    user, later = more.get("user", "u1"), more.get("later", 86400.0)
    known = new_fact(fact, PLACE, "e0", 1e9, "u1", category=category, subject="小雨")
    data = {"new_info": [event]}
    told = Record(
        id="e1", place=PLACE, kind="event", text=event, time=1e9 + later, user=user, data=data
    )
    store: Any = OneFact(known, told)
    return bool(newer_events(store, PLACE, [fact], question, ()))


GIRLFRIEND = ("小雨的女朋友叫小美", "partner")


def test_P5_what_is_about_the_same_matter_and_asked_for_comes_along() -> None:
    assert shown_beside(*GIRLFRIEND, "小雨跟小美彻底凉了", "我女朋友是谁")
    assert shown_beside(*GIRLFRIEND, "小雨恢复单身", "我女朋友是谁")
    assert shown_beside("小雨2026年25岁", "age", "打错了，是两位数", "我几岁", later=60.0)


def test_I2_what_is_not_does_not() -> None:
    assert not shown_beside(*GIRLFRIEND, "小雨买了一台相机", "我女朋友是谁")
    assert not shown_beside(*GIRLFRIEND, "小雨跟小美彻底凉了", "我喜欢吃什么")
    assert not shown_beside(*GIRLFRIEND, "小雨跟小美去过海边", "我女朋友是谁", later=-60.0)
    assert not shown_beside("小雨2026年25岁", "age", "打错了，是两位数", "我几岁", later=9e4)


def test_S2_somebody_elses_event_is_not_about_the_fact() -> None:
    assert not shown_beside(*GIRLFRIEND, "阿强看到小美了", "我女朋友是谁", user="u2")
