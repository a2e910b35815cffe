"""W9: `consider` keeps what a speaker says later about something known of him, in any words."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from taishi import Memory, Message, Scope

PRIVATE, GROUP = Scope(user="u1"), Scope(user="u1", group="g1")


def told(memory: Memory, scope: Scope, *lines: str) -> None:
    for day, said in enumerate(lines):
        speaker = "Ann" if said.isascii() else "老柯"
        memory.consider(
            scope,
            [Message(said, speaker=speaker)],
            sender_name=speaker,
            time=f"2026-03-{14 + day} 20:00",
        )
        memory.drain(30)


def events(memory: Memory, scope: Scope, query: str) -> str:
    return "\n".join(hit.text for hit in memory.search_events(scope, query).hits)


@pytest.mark.parametrize(
    ("known", "later", "kept"),
    [
        ("我不吃香菜", "谁说我不吃香菜", "谁说老柯不吃香菜"),
        ("我不吃香菜", "谁说我不吃香菜？", "谁说老柯不吃香菜"),
        ("我不喝酒", "最近开始喝一点酒了", "喝一点酒"),
        ("我对虾过敏", "昨晚吃了点虾好像也没事", "虾"),
        ("我开一辆高尔夫", "车卖了，现在骑电动车", "车卖了"),
        ("I don't eat cilantro", "Who says I don't eat cilantro?", "cilantro"),
    ],
)
def test_W9_what_is_said_later_of_a_known_matter_is_kept(
    open_memory: Callable[..., Memory], known: str, later: str, kept: str
) -> None:
    memory = open_memory()
    told(memory, PRIVATE, known, later)
    found = memory.search_events(PRIVATE, later).hits
    assert any(kept in hit.text and "2026" in hit.text and "15" in hit.text for hit in found)


@pytest.mark.parametrize(
    ("known", "later"),
    [
        ("我不喝酒", "今天喝水喝太多了"),
        ("我不喝酒", "最近酒吧好多人"),
        ("我不吃香菜", "谁说的"),
        ("我不吃香菜", "谁在我家"),
        ("I don't eat cilantro", "who says so"),
    ],
)
def test_W9_small_talk_is_not_kept_for_one_character(
    open_memory: Callable[..., Memory], known: str, later: str
) -> None:
    memory = open_memory()
    told(memory, PRIVATE, known, later)
    assert later not in events(memory, PRIVATE, later)


@pytest.mark.parametrize(
    ("said", "holds"),
    [
        # nobody says whose allergy it is, a day later
        (("我对花生过敏", "说错了，是对芒果过敏，不是花生"), "老柯对花生过敏"),
        (("我生日是6月9号", "生日记错了，应该是6月19号"), "老柯生日是6月9号"),
        (("我对花生过敏", "说错了，我是对芒果过敏，不是花生"), "老柯对芒果过敏"),
        (("我生日是6月9号", "我生日记错了，应该是6月19号"), "老柯生日是6月19号"),
    ],
)
def test_P5_in_a_group_a_correction_has_to_say_whose_it_is(
    open_memory: Callable[..., Memory], said: tuple[str, ...], holds: str
) -> None:
    memory = open_memory()
    told(memory, GROUP, *said)
    assert [one.text for one in memory.facts.list(GROUP) if one.state == "approved"] == [holds]
