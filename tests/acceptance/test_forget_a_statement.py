"""Forgetting a fact takes its statement out of the event that told it; the rest stays (O2)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from taishi import Memory, Scope, tools
from taishi.api_keys import Keys
from taishi.domain.statement_removal import cut_text
from taishi.server.app import create_app

Open = Callable[..., Memory]
SHOP = Scope(group="shop", user="root", session="s1")
SAID = "Actually we switched from pnpm to bun today. I prefer tabs over spaces."


def call(memory: Memory, name: str, scope: Scope = SHOP, **arguments: Any) -> tools.Answer:
    return tools.call(memory, name, arguments, scope, names=tools.ALL_TOOLS)


def turn(memory: Memory, said: str, did: str = "", scope: Scope = SHOP, **more: Any) -> str:
    messages = [{"speaker": "root", "speaker_id": scope.user, "text": said}]
    details = {"sender_name": "root", "bot_name": "Quill", "messages": messages, **more}
    id = memory.end_turn(scope, did, said, **details)
    memory.drain()
    return id or ""


def fact(memory: Memory, words: str, scope: Scope = SHOP) -> str:
    (found,) = [one.id for one in memory.facts.list(scope) if words in one.text]
    return found


def everything(memory: Memory, folder: Path) -> str:
    """Every word that is stored, in the records and in the bytes of the files."""
    exported = "".join(memory.transfer.export())
    files = (one for one in folder.rglob("*") if one.is_file())
    return exported + "".join(one.read_bytes().decode("utf-8", "replace") for one in files)


def test_O2_the_event_stays_without_the_statement(open_memory: Open, tmp_path: Path) -> None:
    memory = open_memory({"query.recall_timeout": 5.0})
    event = turn(memory, SAID, "OK, bun from now.", time="2026-02-20T09:00:00+08:00")
    turn(memory, "The build is green.", messages=[{"speaker": "root", "text": SAID}])
    answer = call(memory, "forget", id=fact(memory, "tabs"))
    kept = memory.get(SHOP, event)
    assert kept is not None and kept.text.endswith(
        "OK, bun from now (as of 2026-02-20); Actually we switched from pnpm to bun on 2026-02-20."
    )
    assert answer.text.startswith('Forgotten: "root prefers tabs over spaces".')
    assert f'"{kept.text}" (event, id {event})' in answer.text  # whole, so that one can decide
    assert answer.data == {"forgotten": 1, "changed": [event], "still_told_by": []}
    assert "tabs" not in everything(memory, tmp_path)
    assert not memory.recall(SHOP, "tabs or spaces").hits
    assert "bun" in call(memory, "context", query="pnpm or bun?").text


def test_O2_an_event_that_tells_nothing_else_goes(open_memory: Open, tmp_path: Path) -> None:
    memory = open_memory()
    event = turn(memory, "I prefer tabs over spaces.", "Noted.")
    answer = call(memory, "forget", id=fact(memory, "tabs"))
    assert memory.get(SHOP, event) is None
    assert "1 event that told nothing else went with it" in answer.text
    assert answer.data == {"forgotten": 2, "changed": [], "still_told_by": []}
    assert "tabs" not in everything(memory, tmp_path)
    assert [(one.what, one.removed) for one in memory.deletions.list()] == [
        ("derived", 1),
        ("record", 1),
    ]


SENTENCES = [  # said, the fact to forget, what is left of the event
    ("I live in Oslo. My cat is called Mimi", "Mimi", "root lives in Oslo"),
    ("I live in Oslo and my cat is called Mimi", "Mimi", "root lives in Oslo"),
    ("My cat is called Mimi. I live in Oslo", "Mimi", "root lives in Oslo"),
    ("My sister Lena lives in Oslo. I live in Oslo", "root lives", "root's sister Lena"),
    ("我住在成都。我的猫叫咪咪。", "咪咪", "root住在成都"),
    ("我住在成都，我的猫叫咪咪。", "咪咪", "root住在成都"),
]


@pytest.mark.parametrize(("said", "words", "left"), SENTENCES)
def test_O2_what_else_was_said_is_still_told(
    memory: Memory, said: str, words: str, left: str
) -> None:
    me = Scope(user="me")
    event = turn(memory, said, scope=me)
    (gone,) = [one for one in memory.facts.list(me) if words in one.text]
    others = [one.text for one in memory.facts.list(me) if one.id != gone.id]
    memory.forget(me, gone.id)
    kept = memory.get(me, event)
    assert kept is not None and left in kept.text and gone.text not in kept.text
    assert [one.text for one in memory.facts.list(me)] == others
    assert gone.text not in json.dumps(dict(kept.metadata), default=str, ensure_ascii=False)
    memory.maintenance.rebuild()
    assert gone.text not in [one.text for one in memory.facts.list(me)]


def test_O2_what_was_outdated_is_not_true_again(memory: Memory) -> None:
    me = Scope(user="me")
    first = turn(memory, "I live in Cork.", scope=me)
    second = turn(memory, "I moved to Galway.", scope=me)
    memory.forget(me, second)
    assert [one.text for one in memory.facts.list(me, ["approved"])] == []
    old = memory.get(me, first)
    assert old is not None and "Galway" not in str(old)
    memory.maintenance.rebuild()
    assert [one.text for one in memory.facts.list(me, ["approved"])] == []
    (ended,) = memory.facts.list(me, ["superseded"])
    memory.facts.approve(me, ended.id)
    assert [one.text for one in memory.facts.list(me, ["approved"])] == ["root lives in Cork"]


def test_O2_forgetting_the_successor_does_not_revive_what_it_replaced(memory: Memory) -> None:
    me = Scope(user="me")
    turn(memory, "I live in Cork.", scope=me)
    turn(memory, "I moved to Galway.", scope=me)
    memory.forget(me, fact(memory, "Galway", me))
    assert [one.text for one in memory.facts.list(me, ["approved"])] == []
    assert "Galway" not in "".join(memory.transfer.export())


def test_O2_words_that_are_not_found_in_the_event_are_said_to_be_left(memory: Memory) -> None:
    me = Scope(user="me")
    event = turn(memory, "The garden is large.", "Took a note of the hedge.", scope=me)
    id = memory.remember(me, "root owns a villa", source=event)
    answer = call(memory, "forget", me, id=id)
    assert answer.data == {"forgotten": 1, "changed": [], "still_told_by": [event]}
    assert "may still tell it" in answer.text and "removes all that it tells" in answer.text


def test_O2_rest_says_what_went_and_what_stays(memory: Memory) -> None:
    event = turn(memory, SAID, "OK, bun from now.")
    alone = turn(memory, "My cat is called Mimi.")
    copy = memory.remember(SHOP, "root's cat is called Mimi", kind="note")
    told = {"went": [], "changed": [], "still_told_by": []}
    with TestClient(create_app(memory, keys=Keys(Path("none")))) as client:

        def delete(words: str) -> Any:
            path = f"/v1/memories/{fact(memory, words)}"
            return client.delete(path, params={"group": "shop", "user": "root"}).json()

        assert delete("tabs") == {**told, "removed": 1, "changed": [event]}
        assert delete("Mimi") == {**told, "removed": 2, "went": [alone], "still_told_by": [copy]}


SUBJECTS = [  # said, the fact to forget, what is left of the event, and of the person's words
    (
        "我妈妈叫李秀兰，住在成都，喜欢跳舞",
        "住在成都",
        "root的妈妈叫李秀兰，喜欢跳舞",
        "我妈妈叫李秀兰，喜欢跳舞",
    ),
    (
        "我妈妈叫李秀兰，住在成都，喜欢跳舞",
        "李秀兰",
        "root的妈妈住在成都，喜欢跳舞",
        "我妈妈住在成都，喜欢跳舞",
    ),
    (
        "我女儿叫小雨，今年七岁，喜欢画画",
        "小雨",
        "root的女儿2026年七岁，喜欢画画",
        "我女儿今年七岁，喜欢画画",
    ),
    (
        "我住在成都，我老婆是医生，喜欢跑步",
        "医生",
        "root住在成都，root的老婆喜欢跑步",
        "我住在成都，我老婆喜欢跑步",
    ),
    (
        "我住在成都，我老婆是医生，喜欢跑步",
        "成都",
        "root的老婆是医生，喜欢跑步",
        "我老婆是医生，喜欢跑步",
    ),
]


@pytest.mark.parametrize(("said", "words", "left", "own"), SUBJECTS)
def test_O2_what_is_left_is_still_said_of_the_same_person(
    memory: Memory, said: str, words: str, left: str, own: str
) -> None:
    me = Scope(user="me")
    event = memory.end_turn(me, new_info=said, sender_name="root", time="2026-11-19T10:00:00Z")
    memory.drain()
    memory.forget(me, fact(memory, words, me))
    kept = memory.get(me, event or "")
    assert kept is not None and kept.text.endswith(f"：{left}")
    assert own in "".join(memory.transfer.export())


MUM = "My mum is called Li, lives in Chengdu and turns 70 next Wednesday"
ALSO_TOLD = [  # remembered, said by the same person, what is left of the event; None: it goes
    ("root is allergic to walnuts.", "I'm allergic to walnuts and I work at Acme",
     "root works at Acme"),
    ("root is allergic to walnuts.", "I'm allergic to walnuts", None),
    ("root对核桃过敏。", "我对核桃过敏，在顶点公司上班", "root在顶点公司上班"),
    ("root的妈妈住在成都", "我妈妈叫李秀兰，住在成都，喜欢跳舞", "root的妈妈叫李秀兰，喜欢跳舞"),
    ("root's mum is called Li", MUM, "root's mum lives in Chengdu and turns 70 on 2026-11-25"),
]  # fmt: skip


@pytest.mark.parametrize(("kept", "said", "left"), ALSO_TOLD)
def test_O2_the_same_statement_goes_from_events_that_it_was_not_learned_from(
    memory: Memory, kept: str, said: str, left: str | None
) -> None:
    me = Scope(user="me")
    id = memory.remember(me, kept, actor="model")
    event = memory.end_turn(
        me, new_info=said, sender_name="root", time="2026-11-19T10:00:00Z", actor="model"
    )
    memory.drain()
    answer = call(memory, "forget", me, id=id)
    there = memory.get(me, event or "")
    if left is None:
        assert there is None and "told nothing else" in answer.text
        return
    assert there is not None and there.text.endswith(left)
    assert event in answer.data["changed"] and "taken out of" in answer.text


OTHERS = [
    "I'm not allergic to walnuts",
    "My sister is allergic to walnuts and I work at Acme",
    "The doctor doubts that I am allergic to walnuts",
    "If I am allergic to walnuts, I need a pen",
]


@pytest.mark.parametrize("said", OTHERS)
def test_O2_events_that_say_something_else_stay_as_they_are(memory: Memory, said: str) -> None:
    me = Scope(user="me")
    event = memory.end_turn(me, new_info=said, sender_name="root", actor="model")
    memory.drain()
    before = memory.get(me, event or "")
    id = memory.remember(me, "root is allergic to walnuts", actor="model")
    call(memory, "forget", me, id=id)
    after = memory.get(me, event or "")
    assert before is not None and after is not None and after.text == before.text


CUTS = [
    ("I live in Oslo and work at Acme.", "work at Acme", "I live in Oslo."),
    ("I live in Oslo and work at Acme.", "I live in Oslo", "work at Acme."),
    ("One. Two is here. Three.", "Two is here", "One. Three."),
    ("club: Quill: OK; Ann: tabs it is", "tabs it is", "club: Quill: OK"),
    ("Quill: hello\nAnn: tabs it is", "tabs it is", "Quill: hello"),
    ("我住在成都，讨厌香菜。", "讨厌香菜", "我住在成都。"),
    ("我讨厌香菜，住在成都。", "我讨厌香菜", "住在成都。"),
    ("tea and team", "team", "tea"),
    ("the team met", "tea", "the team met"),
    ("Ann's mum is called Li, lives in Oslo.", "is called Li, ", "Ann's mum lives in Oslo."),
    ("安的妈妈叫李兰，住在成都。", "叫李兰，", "安的妈妈住在成都。"),
]


@pytest.mark.parametrize(("text", "phrase", "left"), CUTS)
def test_O2_a_text_reads_on_without_the_phrase(text: str, phrase: str, left: str) -> None:
    assert cut_text(text, [phrase]) == left
