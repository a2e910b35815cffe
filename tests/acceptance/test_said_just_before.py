"""What a short correction or a taken back joke is about, where several people speak (P5, W9)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from taishi import Memory, Message, Scope
from taishi.historian.salience import decide_by_rule

GROUP = Scope(user="ann", group="g1")
PRIVATE = Scope(user="ann")


def spoken(*lines: tuple[str, str]) -> list[Message]:
    return [
        Message(text, who, f"2026-03-18 15:{minute:02d}", speaker_id=who.lower(), id=f"m{minute}")
        for minute, (who, text) in enumerate(lines)
    ]


def facts(memory: Memory, scope: Scope) -> list[str]:
    return [one.text for one in memory.facts.list(scope) if one.state == "approved"]


@pytest.mark.parametrize(
    ("first", "between", "then", "holds"),
    [
        ("我养了两只兔子", [], "不对，是四只", ["Ann养了四只兔子"]),
        ("我养了两只兔子", [("Ben", "会议室有三只椅子")], "不对，是四只", ["Ann养了两只兔子"]),
        ("我住在月球", [], "骗你们的", []),
        ("我住在昆明", [("Ben", "你中奖了？")], "骗你们的", ["Ann住在昆明"]),
        ("I have two rabbits", [], "no wait, four", ["Ann has four rabbits"]),
        ("I have two rabbits", [("Ben", "I saw three")], "no wait, four", ["Ann has two rabbits"]),
        ("I live in Bruges", [("Ann", "the moon is cheese")], "just kidding",
         ["Ann lives in Bruges"]),
    ],
)  # fmt: skip
def test_P5_only_what_the_same_person_said_directly_before(
    open_memory: Callable[..., Memory],
    first: str,
    between: Sequence[tuple[str, str]],
    then: str,
    holds: list[str],
) -> None:
    memory = open_memory()
    chat = spoken(("Ann", first), *between, ("Ann", then))
    told = {"sender_id": "ann", "sender_name": "Ann"}
    memory.end_turn(GROUP, new_info=first, messages=chat[:1], **told)
    memory.end_turn(GROUP, new_info=then, messages=chat, **told)
    memory.drain(30)
    assert facts(memory, GROUP) == holds


@pytest.mark.parametrize(
    ("chat", "kept"),
    [
        (("我养了两只兔子", "啊不对，是四只"), ("我养了四只兔子",)),
        (("我喜欢喝咖啡", "不对，是奶茶"), ("我喜欢喝咖啡", "不对，是奶茶")),
        (("我住在月球", "骗你们的"), ()),
        (("I have two rabbits", "no wait, four"), ("I have four rabbits",)),
        (("I like tea", "oops, I meant coffee"), ("I like tea", "oops, I meant coffee")),
        (("I live on Mars", "just kidding"), ()),
        (("不对，重来",), ()),
        (("oops, sorry",), ()),
        (("I mean, whatever",), ()),
    ],
)
def test_W9_a_correction_is_read_with_what_it_corrects(
    chat: Sequence[str], kept: Sequence[str]
) -> None:
    assert decide_by_rule(spoken(*(("Ann", text) for text in chat))).new_info == kept


@pytest.mark.parametrize(
    ("first", "then", "why"),
    [("我喜欢喝咖啡", "不对，是奶茶", "奶茶"), ("I like tea", "oops, I meant coffee", "coffee")],
)
def test_P5_what_cannot_be_put_in_its_place_is_kept_and_marked(
    open_memory: Callable[..., Memory], first: str, then: str, why: str
) -> None:
    memory = open_memory()
    chat = spoken(("Ann", first), ("Ann", then))
    memory.consider(PRIVATE, chat[:1])
    memory.consider(PRIVATE, chat[1:])
    memory.drain(30)
    newest = memory.records.newest(PRIVATE, kinds=("event",), limit=1).records[0]
    assert why in newest.text and not newest.data["is_absolute"]
