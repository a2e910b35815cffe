"""Of two instructions about the form or the length of answers, the later one holds (H8)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from taishi import Memory, Scope
from taishi.historian.fact_patterns.instructions import instruction_in

BEGIN = datetime(2026, 6, 1, 10, 0)

# What is said one after the other, and the words of the instructions that hold at the end.
REPLACED = [
    (["Answer in bullets.", "Write in paragraphs instead."], ["paragraphs"]),
    (["Always answer in bullet points.", "Switch back to prose please."], ["prose"]),
    (["Reply in bullet points please.", "Use paragraphs instead."], ["paragraphs"]),
    (["Answer in bullets.", "No more bullet points."], ["No more bullet"]),
    (["Keep answers short.", "Write longer answers."], ["longer"]),
    (["Keep your answers short.", "Give me more detailed answers."], ["detailed"]),
    (["Short answers please.", "Longer answers, please."], ["Longer"]),
    (["Use emojis in your answers from now on.", "No more emojis."], ["No more emojis"]),
    (["No emojis please.", "Use emojis again."], ["Use emojis again"]),
    (["用列表回答。", "改用段落。"], ["改用段落"]),
    (["以后用列表回答。", "用段落来回答吧。"], ["段落"]),
    (["以后用列表回答。", "别再用列表了。"], ["别再用列表"]),
    (["分点回答。", "还是用段落吧。"], ["段落"]),
    (["回答简短一点。", "写长一点。"], ["写长一点"]),
    (["回复详细点。", "回复短一点。"], ["短一点"]),
    (["别用表情了。", "以后用表情回复吧。"], ["用表情回复"]),
]
WITHDRAWN = [
    ["Keep your answers short.", "You can write longer answers again."],
    ["Keep answers short.", "Longer answers are fine again."],
    ["Keep answers brief.", "No need to keep it short anymore."],
    ["Stop using emojis.", "You can use emojis again."],
    ["No more emojis.", "You may use emojis now."],
    ["Don't use emojis.", "Emojis are okay again."],
    ["No emojis please.", "I don't mind emojis after all."],
    ["Answer in bullets.", "Forget the bullet points."],
    ["Answer in bullets.", "Any format is fine."],
    ["回答简短一点。", "可以写长一点了。"],
    ["回答要简短。", "你可以说详细点了。"],
    ["别用表情了。", "可以用表情了。"],
    ["不要发表情。", "表情可以用了。"],
    ["用列表回答。", "不用再列表了。"],
    ["用列表回答。", "格式随意。"],
    ["回答简短一点。", "长短随意。"],
]
KEPT = [  # both hold
    (["No more bullet points.", "No more tables."], ["bullet", "tables"]),
    (["No more bullet points.", "Answer in paragraphs."], ["bullet", "paragraphs"]),
    (["Keep your answers short.", "No more emojis."], ["short", "emojis"]),
    (["Keep your answers short.", "You can use emojis again."], ["short"]),
    (["Keep your answers short.", "Tell me a longer story."], ["short"]),
    (["Answer in bullets.", "The paragraphs are too long."], ["bullets"]),
    (["Answer in bullets.", "Can you write in paragraphs?"], ["bullets"]),
    (["Answer in bullets.", "Write this one in paragraphs instead."], ["bullets"]),
    (["No more emojis.", "My sister uses emojis again."], ["emojis"]),
    (["No more emojis.", "I can use emojis again."], ["emojis"]),
    (["别再用列表了。", "别再用表格了。"], ["列表", "表格"]),
    (["回答简短一点。", "别再发表情了。"], ["简短", "表情"]),
    (["回答简短一点。", "我可以写长一点了。"], ["简短"]),
    (["回答简短一点。", "头发可以留长一点了。"], ["简短"]),
    (["用列表回答。", "这次改用段落。"], ["列表"]),
    (["别用表情了。", "她又可以用表情了。"], ["表情"]),
]


def standing(memory: Memory, user: str, said: list[str]) -> list[str]:
    scope = Scope(user=user)
    for number, text in enumerate(said):
        moment = BEGIN + number * timedelta(days=2)
        memory.end_turn(scope, new_info=text, sender_name="Ann", time=moment.isoformat(sep=" "))
    memory.drain(60)
    held = [fact for fact in memory.facts.list(scope) if fact.state == "approved"]
    return [fact.text for fact in held if fact.data["category"] == "instruction"]


@pytest.mark.parametrize("table", [REPLACED, KEPT], ids=["replaced", "kept"])
def test_H8_the_later_instruction_about_a_form_replaces_the_earlier(
    open_memory: Callable[..., Memory], table: list[tuple[list[str], list[str]]]
) -> None:
    memory = open_memory()
    faults = []
    for number, (said, wanted) in enumerate(table):
        held = standing(memory, f"u{number}", said)
        if len(held) != len(wanted) or not all(any(w in one for one in held) for w in wanted):
            faults.append(f"{said}: {held}")
    assert not faults, "\n".join(faults)


def test_H8_a_form_is_left_to_the_bot_again(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    found = [(said, standing(memory, f"u{number}", said)) for number, said in enumerate(WITHDRAWN)]
    assert [one for one in found if one[1]] == []


@pytest.mark.parametrize(
    "said",
    [
        "Answer in bullets", "Reply with bullet points", "No more emojis", "Keep answers short",
        "Give me shorter answers", "Respond in full sentences", "用列表回答", "分点回答",
        "回复短一点", "回答要简短", "别再用列表了",
    ],
)  # fmt: skip
def test_H8_what_holds_by_itself(said: str) -> None:
    found = instruction_in(said)
    assert found is not None and not found.is_withdrawn and not found.only_against


@pytest.mark.parametrize("said", ["Use paragraphs instead", "Use a table", "改用段落", "写长一点"])
def test_H8_what_may_be_about_one_text_holds_only_against_an_instruction(said: str) -> None:
    found = instruction_in(said)
    assert found is None or found.only_against


@pytest.mark.parametrize(
    "said",
    [
        "I write in paragraphs", "He answers in bullets", "Answer in ten minutes",
        "The list is short", "No more tables were free", "No lists were found",
        "Bullets are expensive", "Keep the dog short", "Lists are fine", "Short answer: no",
        "我用列表写的", "表格可以了", "他写长一点了", "列表发你了", "头发短一点", "段落有点长",
        "可以长一点吗", "长一点的裙子",
    ],
)  # fmt: skip
def test_H8_what_says_nothing_about_answers(said: str) -> None:
    found = instruction_in(said)
    assert found is None or found.is_withdrawn  # which ends nothing of another sort
