"""A change of tool leaves home and employer as they are, and a preference that is turned round
takes the place of the one before (P5, H6)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from taishi import Memory, Scope

# What is said, what the page then says, and what it does not.
CHANGES = [
    (["I live in Cork with my husband Dan.", "I moved from Vim to Helix last week."],
     "lives in Cork", "Helix"),
    (["I live in Cork.", "I moved to Kinvara last week."], "lives in Cork", "lives in Kinvara"),
    (["I live in Cork.", "I moved to Kinvara last week."], "moved to Kinvara", "in Kinvara"),
    (["I live in Cork.", "I moved to Lisbon last week."], "lives in Lisbon", "Cork"),
    (["I live in Ystad.", "I moved from Ystad to Kinvara."], "lives in Kinvara", "in Ystad"),
    (["I live in Ystad.", "I moved from work to Kinvara."], "lives in Ystad", "lives in Kinvara"),
    (["I work at Acme.", "I moved from Acme to Globex."], "works at Globex", "works at Acme"),
    (["I work at Acme.", "I moved from work to Zubrowka."], "works at Acme", "works at Zubrowka"),
    (["I work at Acme.", "I switched to Linux."], "works at Acme", "Linux"),
    (["我在华为工作。", "我从VSCode换到了Cursor。"], "在华为工作", "Cursor"),
    (["我在华为工作。", "我从华为换到了荣耀。"], "在荣耀工作", "华为"),
    (["我住在上海。", "我搬到了新工位。"], "住在上海", "工位"),
    (["我住在上海。", "我搬去宁波了。"], "住在宁波", "上海"),
    (["I prefer tabs over spaces.", "I changed my mind: I prefer spaces over tabs now."],
     "prefers spaces over tabs", "prefers tabs"),
    (["I prefer short answers.", "I prefer long, detailed answers now."], "detailed", "short"),
    (["I prefer tabs.", "I prefer spaces now."], "spaces", "tabs"),
    (["比起空格，我更喜欢制表符。", "比起制表符，我现在更喜欢空格。"],
     "更喜欢空格", "更喜欢制表符"),
    (["和咖啡相比，我更喜欢茶。", "我改主意了：我现在更喜欢咖啡。"], "更喜欢咖啡", "更喜欢茶"),
    (["我更喜欢简短的回答。", "我现在更喜欢详细的回答。"], "详细", "简短"),
]  # fmt: skip


@pytest.mark.parametrize(("said", "now", "gone"), CHANGES)
def test_P5_the_page_says_what_holds(
    open_memory: Callable[..., Memory], said: list[str], now: str, gone: str
) -> None:
    memory, scope = open_memory(), Scope(user="u1")
    name = "Ann" if said[0].isascii() else "安然"
    for day, text in enumerate(said, start=4):
        memory.end_turn(scope, new_info=text, sender_name=name, time=f"2026-05-{day:02d} 10:00")
    memory.drain(60)
    page = memory.profiles.source(scope)
    assert page is not None
    assert (now in page.body, gone in page.body) == (True, False), page.body


def test_P5_another_person_turns_no_preference_round(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    told = [("u1", "Ann", "I prefer tabs over spaces."), ("u2", "Ben", "I prefer spaces to tabs.")]
    for user, name, text in told:
        memory.end_turn(Scope(group="g1", user=user), new_info=text, sender_name=name)
    memory.drain(60)
    held = [one.text for one in memory.facts.list(Scope(group="g1")) if one.state == "approved"]
    assert sorted(held) == ["Ann prefers tabs over spaces", "Ben prefers spaces to tabs"]
