"""What memory handed out comes back in many dresses, and is never news nor evidence (H6).

Each echo is a text that recall gave, as a bot or a person may say it again: whole, line by line,
as a list, with other punctuation, quoted, spelt with letters that look alike; by every way in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from support.surfaces import BEGIN, DAY, Chat
from taishi import Memory, Message, Scope, tools

ANN = Scope(user="ann", session="s1")
Open = Callable[..., Memory]
SLOW = {"query.recall_timeout": 5.0}
TOLD = {
    "Ann": ("I live in Cork near the old harbour.", "I am allergic to peanuts and almonds.",
            "I work at Acme as an engineer."),
    "小安": ("我住在上海的老城区", "我对花生和杏仁过敏", "我在腾讯当工程师"),
}  # fmt: skip
QUERY = {
    "Ann": "where does Ann live and work, allergic to peanuts?",
    "小安": "小安住在哪里，在哪上班，对花生过敏吗？",
}


def handed_out(memory: Memory, name: str) -> list[str]:
    """Blocks in each form, lines of them, hits, and each tool's answer."""
    query = QUERY[name]
    forms = [memory.context(ANN, query, form=form) for form in ("text", "markdown", "xml")]
    calls: list[tuple[str, dict[str, Any]]] = [
        ("search_events", {"query": query}), ("recall", {"query": query}),
        ("context", {"query": query}), ("search_profiles", {"query": query}),
        ("get_profile", {"entity_type": "user", "entity_id": "ann"}),
    ]  # fmt: skip
    names = tools.ALL_TOOLS
    answers = [tools.dispatch(memory, tool, given, ANN, names=names) for tool, given in calls]
    lines = [line for text in (forms[0], *answers) for line in text.splitlines()[1:-1]]
    hits = [hit.text for hit in memory.recall(ANN, query, top_k=10).hits if hit.kind != "profile"]
    said = [one for one in dict.fromkeys((*lines, *hits)) if len(one) > 12]
    return [
        *forms,
        *answers,
        *(one for one in said if not one.endswith((":", "："))),
    ]


def dresses(text: str) -> Iterator[str]:
    """The same words as a bot may put them."""
    yield text
    bare = [line.lstrip("- ").strip() for line in text.splitlines() if line.strip()]
    yield "\n".join(f"* {line}" for line in bare)
    yield "\n".join(f"{n}. {line}" for n, line in enumerate(bare, 1))
    yield text.replace(",", "，").replace(".", "。").replace(":", "：")


def by_person(memory: Memory, name: str, echo: str, at: float) -> None:
    memory.end_turn(ANN, new_info=echo, sender_name=name, bot_name="Mochi", time=at)


def by_bot(memory: Memory, name: str, echo: str, at: float) -> None:
    memory.end_turn(ANN, action_summary=echo, sender_name=name, bot_name="Mochi", time=at)


def quoted(memory: Memory, name: str, echo: str, at: float) -> None:
    said = [Message("ok", name, at), Message(f"As I know: {echo}", "Mochi", at)]
    memory.end_turn(ANN, new_info=echo, messages=said, sender_name=name, bot_name="Mochi", time=at)


def by_tool(memory: Memory, name: str, echo: str, at: float) -> None:
    tools.dispatch(memory, "end", {"new_info": [echo]}, ANN, turn={"sender_name": name, "time": at})


WAYS = (by_person, by_bot, quoted, by_tool)


def known(memory: Memory) -> list[tuple[Any, ...]]:
    """What an echo may not change: what is known, how surely, by which evidence."""
    return sorted(
        (
            one.text,
            one.state,
            one.confidence,
            one.data["evidence_count"],
            tuple(one.data["sources"]),
        )
        for one in memory.facts.list(ANN)
    )


def events(memory: Memory) -> set[str]:
    return {one.id for one in memory.records.list(ANN, kinds=["event", "turn"], limit=1000).records}


@pytest.mark.timeout(120)
@pytest.mark.parametrize("name", TOLD)
def test_H6_no_echo_in_any_dress_becomes_news_or_evidence(open_memory: Open, name: str) -> None:
    memory = open_memory(SLOW)
    chat = Chat(memory, ANN, name)
    chat.tell(*TOLD[name])
    before, there = known(memory), events(memory)
    assert len(before) >= 3
    texts = (dress for text in handed_out(memory, name) for dress in dresses(text))
    echoes = list(dict.fromkeys(texts))
    for again in (False, True):
        if again:
            memory.close()
            memory = open_memory(SLOW)
        for n, echo in enumerate(echoes):
            WAYS[(n + again) % len(WAYS)](memory, name, echo, BEGIN + 40 * DAY + n)
        assert memory.drain(60)
    assert 2 * len(echoes) >= 132
    new = [memory.get(ANN, id) for id in events(memory) - there]
    assert [one.text for one in new if one] == []
    assert known(memory) == before


@pytest.mark.parametrize("name", TOLD)
def test_H6_a_persons_own_new_words_still_count(open_memory: Open, name: str) -> None:
    """The control: like what was handed out, and said by the person in a message of theirs."""
    memory = open_memory(SLOW)
    chat = Chat(memory, ANN, name)
    chat.tell(*TOLD[name])
    handed_out(memory, name)
    count = {one.text: one.data["evidence_count"] for one in memory.facts.list(ANN, ["approved"])}
    there = events(memory)
    chat.tell(TOLD[name][0])
    chat.tell("I am allergic to walnuts." if name == "Ann" else "我对核桃过敏")
    assert len(events(memory) - there) == 2
    now = {one.text: one.data["evidence_count"] for one in memory.facts.list(ANN, ["approved"])}
    assert sum(now.values()) == sum(count.values()) + 2
    assert len(now) == len(count) + 1
