"""What a tool answers is true, and names the tool that does what was meant (T1)."""

from __future__ import annotations

from typing import Any

import pytest

from taishi import Memory, Scope, tools
from taishi.knowledge.note_checks import MAX_CHARS
from taishi.tools.record_tools import NOTE_CHARS

ME = Scope(user="me", session="s1")
END = "2090-01-01T00:00:00+00:00"


def call(memory: Memory, name: str, scope: Scope = ME, **arguments: Any) -> tools.Answer:
    turn = {"sender_name": "Ann"} if name == "end" else None
    return tools.call(memory, name, arguments, scope, names=tools.ALL_TOOLS, turn=turn)


# -- correcting a fact that ends -----------------------------------------------------------------


@pytest.mark.parametrize("tool", ["correct", "update_memory"])
@pytest.mark.parametrize("end", [END, None])
def test_F2_a_corrected_fact_is_deleted_when_it_was_to_be(
    memory: Memory, tool: str, end: str | None
) -> None:
    given = {"expires": end} if end else {}
    id = call(memory, "remember", text="Ann parks in bay 7", **given).data["id"]
    before = memory.records.get(ME, id)
    new = call(memory, tool, id=id, text="Ann parks in bay 9").data["id"]
    after = memory.records.get(ME, new)
    assert before is not None and after is not None
    assert after.expires == before.expires and (after.expires is None) == (end is None)


def test_F2_so_it_is_when_a_person_corrects(memory: Memory) -> None:
    id = memory.remember(ME, "Ann parks in bay 7", expires=END)
    new = memory.records.get(ME, memory.facts.correct(ME, id or "", "Ann parks in bay 9"))
    assert new is not None and new.expires is not None


@pytest.mark.parametrize(
    "given", [{"expires": END}, {"metadata": {"a": 1}}, {"text": "Ann sews", "expires": "never"}]
)
def test_T1_what_a_fact_has_not_is_said_with_the_tools_that_serve(
    memory: Memory, given: dict[str, Any]
) -> None:
    id = call(memory, "remember", text="Ann knits").data["id"]
    answer = call(memory, "update_memory", id=id, **given)
    assert not answer.ok and id in answer.text
    assert all(word in answer.text for word in ("correct", "forget", "expires", "kind note"))
    kept = memory.records.get(ME, id)
    assert kept is not None and kept.text == "Ann knits"
    note = call(memory, "remember", text="Ann knits", kind="note").data["id"]
    assert call(memory, "update_memory", id=note, **given).ok


# -- a turn that asks to forget something --------------------------------------------------------

ASKS = [
    {"new_info": "Please forget that I live in Cork"},
    {"new_info": ["Please forget my home address."]},
    {"new_info": "请忘记我住在上海"},
    {"new_info": "Never mind the Lisbon offsite, forget that."},
    {"new_info": "请把里斯本的事忘了吧。"},
    {"new_info": "Forget the Lisbon offsite.", "action_summary": "Okay, forgotten."},
    {"action_summary": "Ann asked to forget that she lives in Cork"},
]
ASKS_NOT = [
    {"new_info": "I often forget my keys"},
    {"new_info": "Please do not let me forget the dentist on 3 May"},
    {"new_info": "我常常忘记带钥匙"},
    {"action_summary": "I told Ann where she forgot her umbrella"},
    {},
]


@pytest.mark.parametrize("given", ASKS)
def test_O2_a_turn_that_asks_to_forget_is_said_not_to_be_stored(
    memory: Memory, given: dict[str, Any]
) -> None:
    answer = call(memory, "end", **given)
    assert answer.data == {"kept": False, "asks_to_forget": True}
    assert "forget" in answer.text and "recall" in answer.text
    assert ("没有保存" if "请" in str(given) else "Nothing was stored") in answer.text


@pytest.mark.parametrize("given", ASKS_NOT)
def test_O2_any_other_turn_is_answered_as_before(memory: Memory, given: dict[str, Any]) -> None:
    answer = call(memory, "end", **given)
    assert not answer.data["asks_to_forget"] and answer.data["kept"] is bool(given)
    assert "nothing was forgotten" not in answer.text and "并未忘记" not in answer.text


def test_O2_the_rest_of_such_a_turn_is_kept(memory: Memory) -> None:
    news = ["Please forget that I live in Cork", "I bought a boat"]
    answer = call(memory, "end", new_info=news)
    assert answer.data == {"kept": True, "asks_to_forget": True}
    assert "will be remembered, but for" in answer.text


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("Please delete what I told you about Lisbon.", "marked as withdrawn"),
        ("忘掉我说的住址", "标记为已撤回"),
    ],
)
def test_O2_of_what_takes_something_back_it_is_said_that_it_is_not_deleted(
    memory: Memory, said: str, words: str
) -> None:
    answer = call(memory, "end", new_info=said)
    assert answer.data == {"kept": True, "asks_to_forget": True}
    assert words in answer.text and "forget" in answer.text


def test_R1_end_says_which_secrets_were_taken_out(memory: Memory) -> None:
    answer = call(memory, "end", new_info="The door code of the new office is 4471.")
    assert answer.text == (
        "The turn is over and will be remembered. Secrets were taken out first: code."
    )
    answer = call(memory, "end", new_info="新办公室的门禁密码是4471。")
    assert answer.text.endswith("写入前已去除敏感内容：password。")
    for said in ("The door is red.", "The door code was [redacted:code]."):
        assert "taken out" not in call(memory, "end", new_info=said).text


@pytest.mark.parametrize(
    ("news", "is_chinese"),
    [
        (["I like tea.", "我喜欢茶。", "The door is red."], False),
        (["我喜欢咖啡。", "The door is blue.", "我住在上海。"], True),
        (["I like 茶.", "The door is red."], True),
        ("I met 王芳 today.", True),
    ],
)
def test_T1_a_list_is_answered_in_the_language_of_most_items(
    memory: Memory, news: str | list[str], is_chinese: bool
) -> None:
    assert ("本轮" in call(memory, "end", new_info=news).text) is is_chinese


def test_O2_no_tool_is_named_that_is_not_offered(memory: Memory) -> None:
    answer = tools.call(memory, "end", ASKS[0], ME)
    assert "call forget" not in answer.text and "`taishi forget`" in answer.text


# -- what is disputed, and what is not known -----------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "asked"),
    [
        ("Ann lives in Oslo", "Ann lives in Bergen", "where does Ann live"),
        ("小安住在上海", "小安住在北京", "小安住在哪里"),
    ],
)
def test_F5_it_is_told_how_a_disputed_fact_is_shown(
    memory: Memory, old: str, new: str, asked: str
) -> None:
    call(memory, "remember", text=old)
    answer = call(memory, "remember", text=new)
    assert answer.data["state"] == "waiting"
    assert "not recalled" not in answer.text and "不会被召回" not in answer.text
    assert "context" in answer.text and ("disputed" in answer.text or "有争议" in answer.text)
    assert new in call(memory, "context", query=asked).text
    found = call(memory, "recall", query=asked).text
    assert old in found and new not in found


def test_T1_a_page_that_says_nothing_is_said_to_say_nothing(memory: Memory) -> None:
    memory.profiles.set(ME, "", "Ann", ["climber"])
    answer = call(memory, "get_profile")
    assert "Ann" in answer.text and "nothing else is known yet" in answer.text
    assert "目前别无所知" in tools.dispatch(memory, "get_profile", {}, ME, language="zh")
    memory.profiles.set(ME, "- Ann climbs", "Ann")
    assert "nothing" not in call(memory, "get_profile").text


def test_T1_nobody_with_a_page_is_said_to_be_unknown(memory: Memory) -> None:
    for given in ({}, {"entity_id": "bob"}, {"entity_type": "user", "entity_id": "bob"}):
        assert "There is no page about user" in call(memory, "get_profile", **given).text


def test_S4_a_page_with_lines_of_a_group_alone_says_nothing_in_private(memory: Memory) -> None:
    memory.end_turn(Scope(group="club", user="me"), new_info="I live in Oslo", sender_name="Ann")
    memory.drain()
    answer = call(memory, "get_profile")
    assert "known yet" in answer.text and "Oslo" not in answer.text


# -- what is no statement ------------------------------------------------------------------------


@pytest.mark.parametrize("tool", ["remember", "correct", "update_memory", "propose_shared"])
@pytest.mark.parametrize("text", [5, 0, 2.5, True])
def test_T1_a_number_is_not_kept_as_a_statement(memory: Memory, tool: str, text: object) -> None:
    id = call(memory, "remember", text="Ann knits").data["id"]
    given = {"type": "convention"} if tool == "propose_shared" else {"id": id}
    given = {} if tool == "remember" else given
    answer = call(memory, tool, **given, text=text)
    assert not answer.ok and f"text must be text, not {text}" in answer.text
    assert [one.text for one in memory.facts.list(ME)] == ["Ann knits"]


@pytest.mark.parametrize("tool", ["remember", "correct", "propose_shared"])
@pytest.mark.parametrize("text", ["42", " 3.14 ", "-7", "1,000", "１２"])
def test_T1_a_text_that_is_only_a_number_is_no_statement(
    memory: Memory, tool: str, text: str
) -> None:
    id = call(memory, "remember", text="Ann knits").data["id"]
    given = {"type": "convention"} if tool == "propose_shared" else {"id": id}
    answer = call(memory, tool, **({} if tool == "remember" else given), text=text)
    assert not answer.ok and "text is only a number" in answer.text
    assert [one.text for one in memory.facts.list(ME)] == ["Ann knits"]


def test_T1_a_text_that_no_note_takes_is_to_be_kept_in_several(memory: Memory) -> None:
    assert NOTE_CHARS == MAX_CHARS
    short, long = (call(memory, "remember", text="a b " * n).text for n in (40_000, 60_000))
    assert "the whole text with write_note" in short
    assert "several notes with write_note, each of at most 200,000 characters" in long


def test_T1_words_with_numbers_are_kept(memory: Memory) -> None:
    assert call(memory, "remember", text="Ann's flat has the number 5").ok
    assert call(memory, "recall", query=5).ok


# -- a note page is no record --------------------------------------------------------------------


@pytest.mark.parametrize("path", ["MEMORY.md", "笔记/计划.md"])
def test_T5_a_note_page_does_not_go_by_the_id_of_a_record(memory: Memory, path: str) -> None:
    call(memory, "write_note", path=path, text="The barn is red")
    (document,) = memory.records.newest(ME, ["document"]).records
    answer = call(memory, "forget", id=document.id)
    assert not answer.ok and "note page" in answer.text and "remove_note" in answer.text
    for tool in ("correct", "update_memory"):
        assert "note page" in call(memory, tool, id=document.id, text="It is blue").text
    assert "barn" in call(memory, "read_note", path=path).text
    assert call(memory, "remove_note", path=path).ok
    assert not memory.records.newest(ME, ["document"]).records


def test_T5_other_documents_and_records_of_kind_note_are_forgotten(memory: Memory) -> None:
    memory.knowledge.add(ME, "The barn is red", name="barn.md")
    (document,) = memory.records.newest(ME, ["document"]).records
    assert call(memory, "forget", id=document.id).ok
    note = call(memory, "remember", text="The barn is red", kind="note").data["id"]
    assert call(memory, "forget", id=note).ok
    assert not memory.records.newest(ME, ["note", "document"]).records


@pytest.mark.parametrize("language", ["en", "zh"])
def test_T5_the_tools_of_note_pages_call_them_so(language: str) -> None:
    words = "note page" if language == "en" else "笔记页"
    for name in tools.ALL_TOOLS:
        if "note" in name:
            assert words in tools.description(tools.CATALOGUE[name], language), name
