"""The tools as a model sees them: what is offered can be used, and what is said is so (T1)."""

from __future__ import annotations

from typing import Any

import pytest

from taishi import Memory, Scope, tools
from taishi.mcp_server.handlers import McpCaller, allowed_tools

ME = Scope(user="me")


def call(memory: Memory, name: str, scope: Scope = ME, **arguments: Any) -> tools.Answer:
    return tools.call(memory, name, arguments, scope, names=tools.ALL_TOOLS)


def test_M3_the_scratchpad_is_offered_only_in_a_session() -> None:
    assert "update_scratchpad" not in allowed_tools(McpCaller(ME))
    assert "update_scratchpad" in allowed_tools(McpCaller(Scope(user="me", session="s1")))


@pytest.mark.parametrize(("language", "words"), [("en", "about to answer"), ("zh", "你要答复的")])
def test_T1_context_asks_for_the_message_itself(language: str, words: str) -> None:
    schema = tools.parameters(tools.CATALOGUE["context"], language)
    assert words in schema["properties"]["query"]["description"]


def test_T1_a_private_chat_has_no_group_and_that_is_said(memory: Memory) -> None:
    answer = call(memory, "get_profile", entity_type="group")
    assert not answer.ok and "not in a group" in answer.text
    unknown = call(memory, "get_profile", Scope(group="club"), entity_type="user")
    assert not unknown.ok and "not known who is speaking" in unknown.text


def test_T1_a_list_of_chinese_texts_is_answered_in_chinese(memory: Memory) -> None:
    answer = call(memory, "end", new_info=["我住在成都", "我讨厌香菜"])
    assert answer.ok and answer.text.startswith("本轮已结束")


def test_T1_metadata_is_not_offered_for_facts() -> None:
    tool = tools.CATALOGUE["update_memory"]
    (metadata,) = [one for one in tool.arguments if one.name == "metadata"]
    assert "Not for a fact" in metadata.description[0] and "事实" in metadata.description[1]


def test_T5_a_note_is_shown_once(memory: Memory) -> None:
    call(memory, "write_note", path="MEMORY.md", text="# Cats\n\n- Mimi likes fish\n")
    call(memory, "write_note", path="notes/plan.md", text="Mimi goes to the vet on Friday\n")
    shown = call(memory, "context", query="what does Mimi like?").text
    assert shown.count("Mimi likes fish") == 1 and shown.count("vet on Friday") == 1
    listed = call(memory, "list_memories").text
    assert listed.count("Mimi likes fish") == 1 and listed.count("vet on Friday") == 1
    found = call(memory, "list_memories", text="fish").text
    assert found.count("Mimi likes fish") == 1 and "vet" not in found
    assert call(memory, "list_memories", kind="chunk").text.count("Mimi") == 2


def test_T5_what_the_head_of_the_notes_leaves_out_is_still_found(memory: Memory) -> None:
    lines = [f"- line {number} of many about nothing much at all" for number in range(400)]
    text = "\n".join([*lines, "- Mimi likes fish"])
    call(memory, "write_note", path="MEMORY.md", text=text)
    assert "Mimi likes fish" in call(memory, "context", query="what does Mimi like?").text
