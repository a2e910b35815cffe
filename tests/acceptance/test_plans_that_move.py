"""A plan or a habit that gets another time, in the same words or others: the fact and the page say
the later one (P5)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from taishi import Memory, Scope
from taishi.domain.authority import Actor

MARRIED = "I'm getting married on 12 June."
YOGA = "I have yoga every Wednesday."
# What is said, and what the page then says of it and does not say any more.
MOVED = [
    ([MARRIED, "The wedding was moved to 19 June."], "2026-06-19", "06-12"),
    (
        [MARRIED, "The wedding was moved to 19 June.", "The wedding has been moved to 26 June."],
        "2026-06-26",
        "06-19",
    ),
    ([YOGA, "Yoga is every Thursday now."], "Thursday", "Wednesday"),
    ([YOGA, "From now on yoga is on Thursdays."], "Thursdays", "Wednesday"),
    (["I do yoga every Wednesday.", "Yoga is on Thursdays now."], "Thursdays", "Wednesday"),
    (["I play tennis every Tuesday.", "I play tennis every Friday now."], "Friday", "Tuesday"),
    (["I go swimming on Mondays.", "I go swimming on Tuesdays now."], "Tuesdays", "Mondays"),
    (["我6月12日要和小林结婚。", "婚礼改到6月19日了。"], "6月19日", "6月12日"),
    (["我每周三有瑜伽课。", "瑜伽课改到每周四了。"], "周四", "周三"),
    (["我每周三练瑜伽。", "瑜伽现在是每周四。"], "周四", "周三"),
    (["我每周三练瑜伽。", "我现在每周四练瑜伽。"], "周四", "周三"),
]
# What may be meant of something else, or of one day alone, changes nothing.
KEPT = [
    ([MARRIED, "The meeting was moved to 19 June."], "06-12"),
    ([MARRIED, "My sister's wedding is on 3 July.", "The wedding was moved to 10 July."], "06-12"),
    ([MARRIED, "Should the wedding be moved to 19 June?"], "06-12"),
    ([MARRIED, "If it rains, the wedding is moved to 19 June."], "06-12"),
    ([MARRIED, "The wedding was not moved to 19 June."], "06-12"),
    ([YOGA, "Yoga was moved to Thursday."], "every Wednesday"),
    ([YOGA, "Yoga is on 14 May now."], "every Wednesday"),
    ([YOGA, "Yoga is every Thursday now too."], "every Wednesday"),
    ([YOGA, "From now on yoga is also on Thursdays."], "every Wednesday"),
    ([YOGA, "Pilates is every Thursday now."], "every Wednesday"),
    (["I play tennis every Tuesday.", "I play tennis every Friday."], "Tuesday"),
    (["I play tennis every Tuesday.", "I also play tennis every Friday now."], "Tuesday"),
    (["I swim every Monday.", "I have a new job. I swim every Tuesday."], "Monday"),
    (["我6月12日要和小林结婚。", "会议改到6月19日了。"], "6月12日"),
    (["我6月12日要和小林结婚。", "婚礼能不能改到6月19日？"], "6月12日"),
    (["我每周三练瑜伽。", "瑜伽改到这周四了。"], "周三"),
    (["我每周三练瑜伽。", "我现在每周四也练瑜伽。"], "周三"),
]


def page_after(memory: Memory, user: str, said: list[str], *actors: Actor) -> str:
    scope = Scope(user=user)
    for day, text in enumerate(said, start=4):
        actor = actors[day - 4] if actors else "host"
        time = f"2026-05-{day:02d} 10:00"
        memory.end_turn(scope, new_info=text, sender_name="Ann", time=time, actor=actor)
    memory.drain(60)
    page = memory.profiles.source(scope)
    return page.body if page else ""


def test_P5_the_page_says_when_it_is_now(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    faults = []
    for number, (said, now, before) in enumerate(MOVED):
        page = page_after(memory, f"u{number}", said)
        if now not in page or before in page:
            faults.append(f"{said}: {page}")
    assert not faults, "\n".join(faults)


def test_P5_what_may_be_of_something_else_moves_nothing(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    faults = []
    for number, (said, kept) in enumerate(KEPT):
        page = page_after(memory, f"u{number}", said)
        if kept not in page:
            faults.append(f"{said}: {page}")
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    ("actors", "is_moved"),
    [(("model", "model"), True), (("host", "model"), False), (("model", "host"), True)],
)
def test_P5_what_only_a_model_told_a_model_may_move(
    open_memory: Callable[..., Memory], actors: tuple[Actor, Actor], is_moved: bool
) -> None:
    page = page_after(open_memory(), "u1", [YOGA, "Yoga is every Thursday now."], *actors)
    assert ("Thursday" in page, "Wednesday" in page) == (is_moved, not is_moved)


def test_P5_another_member_moves_nobodys_plan(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    told = [("u1", "Ann", MARRIED), ("u2", "Ben", "The wedding was moved to 19 June.")]
    for day, (user, name, text) in enumerate(told, start=4):
        scope = Scope(group="g1", user=user)
        memory.end_turn(scope, new_info=text, sender_name=name, time=f"2026-05-{day:02d} 10:00")
    memory.drain(60)
    held = [one for one in memory.facts.list(Scope(group="g1")) if one.state == "approved"]
    assert [fact.text for fact in held] == ["Ann is getting married on 2026-06-12"]


def test_P5_the_fact_keeps_what_it_replaced(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    page_after(memory, "u1", [YOGA, "Yoga is every Thursday now."])
    by_state = {fact.state: fact for fact in memory.facts.list(Scope(user="u1"))}
    new, old = by_state["approved"], by_state["superseded"]
    assert new.data["supersedes"] == [old.id] and old.data["superseded_by"] == new.id
    assert new.data["quotes"] == ["Yoga is every Thursday now."]
    events = memory.recall(Scope(user="u1"), "yoga", kinds=["event"]).hits
    assert any("(since then: Yoga is every Thursday now" in one.text for one in events)
