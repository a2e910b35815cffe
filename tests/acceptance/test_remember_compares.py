"""What a model remembers is compared with what is known (F1)."""

from __future__ import annotations

from typing import Any

import pytest

from taishi import Memory, Scope, tools
from taishi.mcp_server.handlers import WRITING

ME = Scope(user="me")


def call(memory: Memory, name: str, **arguments: Any) -> tools.Answer:
    return tools.call(memory, name, arguments, ME, names=tools.ALL_TOOLS)


def texts(memory: Memory, state: str = "approved") -> list[str]:
    return sorted(one.text for one in memory.facts.list(ME, [state]))


def test_F1_a_contradiction_is_named_and_waits(memory: Memory) -> None:
    old = call(memory, "remember", text="Ann lives in Cork.").data["id"]
    answer = call(memory, "remember", text="Ann lives in Galway.")
    assert answer.ok and answer.data["close_to"] == [old]
    assert f'"Ann lives in Cork." (fact, id {old})' in answer.text and "correct" in answer.text
    ((first, second),) = memory.facts.conflicts(ME)
    assert (first.id, second.id) == (old, answer.data["id"])
    shown = call(memory, "context", query="Where does Ann live?").text
    assert "Ann lives in Cork. (disputed, undecided; also said: “Ann lives in Galway.”)" in shown
    assert shown.count("Galway") == 1


def test_F1_correcting_the_old_one_settles_it(memory: Memory) -> None:
    old = call(memory, "remember", text="Ann lives in Cork.").data["id"]
    call(memory, "remember", text="Ann lives in Galway.")
    assert call(memory, "correct", id=old, text="Ann lives in Galway").ok
    assert texts(memory) == ["Ann lives in Galway"]
    assert not memory.facts.conflicts(ME) and not texts(memory, "conflict")


def test_F1_a_contradiction_with_what_was_learned_is_named(memory: Memory) -> None:
    memory.end_turn(ME, new_info="I live in Cork.", sender_name="Ann")
    memory.drain()
    (known,) = memory.facts.list(ME)
    answer = call(memory, "remember", text="Ann lives in Galway")
    assert answer.data["close_to"] == [known.id] and len(memory.facts.conflicts(ME)) == 1


@pytest.mark.parametrize(
    ("name", "said", "kept"),
    [("Ann", "I live in Cork.", "Ann lives in Galway"), ("小林", "我住在杭州。", "小林住在青岛")],
)
def test_F1_a_turn_that_is_read_after_a_contradiction_was_remembered_is_disputed_too(
    memory: Memory, name: str, said: str, kept: str
) -> None:
    memory.end_turn(ME, new_info=said, sender_name=name)
    call(memory, "remember", text=kept)
    memory.drain()
    [pair] = memory.facts.conflicts(ME)
    assert kept in [one.text for one in pair] and len(texts(memory)) == 1
    assert not texts(memory, "superseded")


def test_F1_what_is_close_is_named_and_both_are_kept(memory: Memory) -> None:
    cat = call(memory, "remember", text="Ann's cat is called Mimi").data["id"]
    answer = call(memory, "remember", text="Ann's cat is called Momo")
    assert answer.text.startswith("Remembered") and answer.data["close_to"] == [cat]
    assert "correct" in answer.text and len(texts(memory)) == 2
    chinese = (
        call(memory, "remember", text="安的猫叫咪咪"),
        call(memory, "remember", text="安的猫叫小黑"),
    )
    assert chinese[1].data["close_to"] == [chinese[0].data["id"]] and "correct" in chinese[1].text


def test_F1_other_things_are_remembered_without_a_word(memory: Memory) -> None:
    for text in ("Ann lives in Cork", "Ann likes tea", "Ann likes coffee", "Bob lives in Galway"):
        answer = call(memory, "remember", text=text)
        assert (
            answer.text == f"Remembered (id {answer.data['id']})." and not answer.data["close_to"]
        )
    assert len(texts(memory)) == 4


def test_F1_the_host_and_a_person_keep_what_they_say(memory: Memory) -> None:
    for actor in ("host", "person"):
        for town in ("Cork", "Galway"):
            memory.remember(ME, f"Ann lives in {town}", actor=actor)
    assert not memory.facts.conflicts(ME)


def test_T2_correct_is_named_for_changes() -> None:
    assert all("`correct`" in one for one in WRITING)
    assert all("correct" in one for one in tools.CATALOGUE["remember"].description)


# Two statements of a model, in the scope of the user "ann".
CONTRADICTIONS = [
    ("The user lives in Rome.", "The user lives in Milan."),
    ("ann lives in Rome.", "Ann lives in Milan."),
    ("I live in Oslo.", "I live in Bergen."),
    ("The user lives in Rome.", "I live in Milan."),
    ("用户住在成都。", "用户住在北京。"),
    ("安娜住在成都", "安娜住在北京"),
    ("我住在成都", "用户住在北京"),
]
CLOSE = [
    ("User prefers tabs.", "User prefers spaces."),
    ("I prefer tabs.", "The user prefers spaces."),
    ("The database of the shop is MySQL 8.", "The database of the shop is MariaDB 11."),
    ("The deploy day is Friday.", "The deploy day is Monday."),
    ("The staging server runs on heron.", "The staging server runs on osprey."),
    ("商店的数据库是MySQL", "商店的数据库是MariaDB"),
    ("部署日是周五", "部署日是周一"),
    ("用户更喜欢制表符", "用户更喜欢空格"),
    (
        "Priya Nair is the QA lead on the billing project.",
        "Priya Nair is now the product manager on the billing project.",
    ),
    ("Marek is the backend lead.", "Sofia is the backend lead."),
    ("The backend lead is Marek.", "Sofia took over as backend lead."),
    ("Tom is the search team's lead.", "Ines is the lead of the search team."),
    ("Tom is in charge of the website.", "Ines is in charge of the website."),
    ("Lena is on call this week.", "Omar is on call this week."),
    ("Ann's manager is Karim.", "Ann's manager is Tess."),
    ("The release is on Friday 27 November.", "The release is on 11 December."),
    ("The retro is on Thursday.", "The retro has been moved to Friday."),
    ("The standup is at 9:00.", "The standup is at 10:30."),
    ("Our offsite is in March.", "Our offsite is in April."),
    ("Marek是后端负责人", "Sofia是后端负责人"),
    ("小王是计费项目的测试经理", "小王现在是计费项目的产品经理"),
    ("小王负责登录模块", "小李负责登录模块"),
    ("发布在11月27日", "发布在12月11日"),
    ("周会每周二", "周会改到每周四了"),
]
NEITHER = [
    ("The user likes tea.", "The user likes coffee."),
    ("User's hobby is chess.", "User's hobby is running."),
    ("The user has a dog.", "The user has a cat."),
    ("The user is allergic to nuts.", "The user is allergic to fish."),
    ("Ann lives in Rome.", "Bob lives in Milan."),
    ("The deploy day is Friday.", "The review day is Monday."),
    ("The shop is closed on Sunday.", "The shop is in Cork."),
    ("User speaks French.", "User speaks Welsh."),
    ("用户喜欢喝茶", "用户喜欢喝咖啡"),
    ("用户的爱好是下棋", "用户的爱好是跑步"),
    ("用户养了一只狗", "用户养了一只猫"),
    ("安娜住在成都", "王芳住在北京"),
    ("安娜会说法语", "安娜会说德语"),
    ("部署日是周五", "发布地点是北京"),
    ("Marek is the backend lead.", "Sofia is the frontend designer."),
    ("Ann is the captain of the chess club.", "Ann is the treasurer of the school board."),
    ("Ann is a nurse.", "Ann is a mother."),
    ("There is a party on Tuesday.", "There is a concert on Thursday."),
    ("The release is on 27 November.", "The review is on 11 December."),
    ("The standup is at 9:00.", "The standup is on Fridays."),
    ("The release is in Rome.", "The launch is on 3 May."),
    ("发布在11月27日", "评审在12月11日"),
]


def _both(memory: Memory, first: str, second: str) -> tuple[str, tools.Answer]:
    ann = Scope(user="ann")
    answers = [
        tools.call(memory, "remember", {"text": text}, ann, names=tools.ALL_TOOLS)
        for text in (first, second)
    ]
    return answers[0].data["id"], answers[1]


@pytest.mark.parametrize(("first", "second"), CONTRADICTIONS)
def test_F1_the_same_person_in_other_words_is_the_same(
    memory: Memory, first: str, second: str
) -> None:
    old, answer = _both(memory, first, second)
    assert answer.data["close_to"] == [old]
    assert len(memory.facts.conflicts(Scope(user="ann"))) == 1


@pytest.mark.parametrize(("first", "second"), CLOSE)
def test_F1_another_value_of_the_same_thing_is_close(
    memory: Memory, first: str, second: str
) -> None:
    old, answer = _both(memory, first, second)
    assert answer.data["close_to"] == [old]
    assert not memory.facts.conflicts(Scope(user="ann"))


@pytest.mark.parametrize(("first", "second"), NEITHER)
def test_F1_what_may_both_be_true_is_kept_without_a_word(
    memory: Memory, first: str, second: str
) -> None:
    _, answer = _both(memory, first, second)
    assert answer.data["close_to"] == []
    assert not memory.facts.conflicts(Scope(user="ann"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "Priya Nair is the QA lead on the billing project.",
            "Priya Nair is now the product manager of the billing project, no longer QA lead.",
        ),
        ("部署日是周五", "部署日是周一"),
    ],
)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_F1_the_duplicate_goes_and_the_correction_is_not_asked_for(
    memory: Memory, old: str, new: str, language: str
) -> None:
    known = call(memory, "remember", text=old).data["id"]
    kept = call(memory, "remember", text=new).data
    assert kept["close_to"] == [known]
    corrected = call(memory, "correct", id=known, text=new).data["id"]
    given = {"names": tools.ALL_TOOLS, "language": language}
    answer = tools.call(memory, "forget", {"id": kept["id"]}, ME, **given)
    assert answer.data["corrections"] == [corrected] == answer.data["still_told_by"]
    assert (
        "Unless the person wants to keep" not in answer.text and "除非对方要保留" not in answer.text
    )
    assert "If you have forgotten its duplicate" in answer.text or "则已办妥" in answer.text
    assert texts(memory) == [new]


def test_F1_so_it_is_if_the_fact_has_a_source_of_its_callers(memory: Memory) -> None:
    old, new = "The deploy day is Friday", "The deploy day is Monday"
    known = memory.remember(ME, old, source="app-1", actor="model")
    kept = call(memory, "remember", text=new).data["id"]
    corrected = call(memory, "correct", id=known, text=new).data["id"]
    answer = tools.call(memory, "forget", {"id": kept}, ME, names=tools.ALL_TOOLS)
    assert answer.data["corrections"] == [corrected]


def test_F1_a_copy_that_replaced_nothing_is_still_named(memory: Memory) -> None:
    for expires in (None, "2126-01-01T00:00:00+00:00"):
        given = {} if expires is None else {"expires": expires}
        last = call(memory, "remember", text="Ann has a red kayak.", **given).data["id"]
    answer = call(memory, "forget", id=last)
    assert "Unless the person wants to keep" in answer.text and "corrections" not in answer.data


def test_F1_correcting_in_other_words_settles_what_waited(memory: Memory) -> None:
    old = call(memory, "remember", text="Ann lives in Cork.").data["id"]
    waiting = call(memory, "remember", text="Ann lives in Galway.")
    assert waiting.data["state"] == "waiting"
    call(memory, "correct", id=old, text="Ann lives in the west, in Galway")
    assert not memory.facts.conflicts(ME) and not texts(memory, "conflict")
    assert texts(memory) == ["Ann lives in the west, in Galway"]
    assert "Ann lives in Galway." in texts(memory, "superseded")


def test_F1_what_a_person_said_waits_on_when_a_model_corrects(memory: Memory) -> None:
    for town, who in (("Cork", "Ann"), ("Oslo", "Bob")):
        said = f"Ann lives in {town}." if who == "Bob" else f"I live in {town}."
        message = {"text": said, "speaker": who, "speaker_id": who.lower()}
        given = {"messages": [message], "sender_name": who, "sender_id": who.lower()}
        memory.end_turn(ME, new_info=said, **given)
        memory.drain(20)
    ((known, rival),) = memory.facts.conflicts(ME)
    new = call(memory, "correct", id=known.id, text="Ann lives in Cobh").data["id"]
    assert [(one.id, two.id) for one, two in memory.facts.conflicts(ME)] in (
        [(new, rival.id)],
        [(rival.id, new)],
    )


def test_T4_the_moment_of_the_conversation_is_when_it_was_said(memory: Memory) -> None:
    now = {"names": tools.ALL_TOOLS, "now": "2026-02-20T09:00:00+00:00"}
    old = tools.call(memory, "remember", {"text": "Ann lives in Cork."}, ME, **now).data["id"]
    new = tools.call(memory, "correct", {"id": old, "text": "Ann lives in Cobh"}, ME, **now)
    for id in (old, new.data["id"]):
        record = memory.records.get(ME, id)
        assert record is not None and record.time == 1771578000.0
    given = {"text": "Ann ran in May.", "time": "2026-05-02T00:00:00+00:00"}
    other = memory.records.get(ME, tools.call(memory, "remember", given, ME, **now).data["id"])
    assert other is not None and other.time == 1777680000.0


def test_T1_an_event_without_a_fact_is_not_sent_to_correct(memory: Memory) -> None:
    event = memory.end_turn(ME, new_info=["The meeting room is blue.", "I live in Bonn."])
    bare = memory.end_turn(ME, new_info=["The meeting room is blue."])
    memory.drain(20)
    assert "Put right the fact" in call(memory, "correct", id=event, text="x").text
    assert "no fact was made" in call(memory, "correct", id=bare, text="x").text


def test_T4_a_program_is_told_as_well_that_nothing_is_known(memory: Memory) -> None:
    answer = call(memory, "context", query="Where does Ann live?")
    assert answer.data["context"] == answer.text != ""
