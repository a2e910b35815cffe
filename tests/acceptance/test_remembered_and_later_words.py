"""A fact that was stored with `remember` is compared with a person's later words like one that was
learned (F1, P5)."""

from __future__ import annotations

import pytest

from taishi import Memory, Scope

ME = Scope(user="me")
GROUP = Scope(group="g")
BEFORE, AFTER, EARLIER = "2026-11-02", "2026-11-05", "2026-10-01"

ENDED = [  # the name, what was remembered, what the person says later
    ("Vera", "Vera lives in Lund", "I live in Malmö."),
    ("Vera", "Vera lives in Lund.", "I don't live in Lund any more."),
    ("Vera", "The user lives in Lund", "I moved to Malmö last week."),
    ("Vera", "I live in Lund", "I live in Malmö."),
    ("Vera", "Vera is allergic to nuts", "I'm not allergic to nuts."),
    ("Vera", "Vera's boss is called Tess", "No, my boss is called Tessa, not Tess."),
    ("Vera", "Vera works at Volvo", "I quit my job at Volvo."),
    ("Vera", "Vera is vegetarian", "I'm not vegetarian anymore."),
    ("Vera", "Vera's favourite editor is Vim", "My favourite editor is Helix now."),
    ("Vera", "Vera has two cats", "I have three cats."),
    ("Vera", "Vera's dog is called Rex", "Sorry, my dog is called Max."),
    ("Vera", "Vera's partner is Tom", "Tom and I broke up yesterday."),
    ("Vera", "Vera has a cat called Momo", "We gave the cat away."),
    ("Vera", "Vera lives in Lund", "Forget the address I gave you."),
    ("小薇", "小薇住在隆德", "我搬到马尔默了。"),
    ("小薇", "小薇住在隆德", "我不住在隆德了。"),
    ("小薇", "用户住在隆德", "我现在住在马尔默。"),
    ("小薇", "小薇对坚果过敏", "我对坚果不过敏。"),
    ("小薇", "小薇的老板叫苔丝", "我老板叫苔莎，不叫苔丝。"),
    ("小薇", "小薇在沃尔沃工作", "我从沃尔沃离职了。"),
    ("小薇", "小薇吃素", "我不吃素了。"),
    ("小薇", "小薇最喜欢的编辑器是Vim", "我最喜欢的编辑器换成Helix了。"),
    ("小薇", "小薇养了两只猫", "我养了三只猫。"),
    ("小薇", "小薇的男朋友叫小雨", "我和小雨昨天分手了。"),
    ("小薇", "小薇养了一只猫", "我把猫送人了。"),
    ("小薇", "小薇住在隆德", "忘掉我说的住址。"),
]
KEPT = [
    ("Vera", "Vera lives in Lund and her passport has the number 99", "I live in Malmö."),
    ("Vera", "Vera lives in Lund", "I'm moving to Malmö next month."),
    ("Vera", "Vera lives in Lund", "I don't live in Lund alone."),
    ("Vera", "Vera lives in Lund", "Suppose I live in Malmö."),
    ("Vera", "Vera lives in Lund", "Bob says I live in Malmö."),
    ("Vera", "Vera lives in Lund", "Bob lives in Malmö."),
    ("Vera", "Bob lives in Lund", "I live in Malmö."),
    ("Vera", "Vera's sister lives in Lund", "I live in Malmö."),
    ("Vera", "Ann Vera lives in Lund", "I live in Malmö."),
    ("Vera", "The shop is in Lund", "I live in Malmö."),
    ("Vera", "Vera used to live in Lund", "I live in Malmö."),
    ("Vera", "Vera is allergic to nuts", "I'm allergic to fish."),
    ("Vera", "Vera's dog is called Rex", "My dog is called Max."),
    ("小薇", "小薇住在隆德，护照号码是99", "我搬到马尔默了。"),
    ("小薇", "小薇住在隆德", "我下个月搬去马尔默。"),
    ("小薇", "小薇的姐姐住在隆德", "我搬到马尔默了。"),
    ("小薇", "小薇薇住在隆德", "我搬到马尔默了。"),
    ("小薇", "小薇喜欢喝茶", "我喜欢喝咖啡。"),
    ("小薇", "小薇对坚果过敏", "我对鱼过敏。"),
]


def say(memory: Memory, text: str, name: str, scope: Scope = ME, time: str = AFTER) -> None:
    memory.end_turn(scope, new_info=text, sender_name=name, time=time)
    memory.drain(20)


def state(memory: Memory, id: str | None, scope: Scope = ME) -> str:
    record = memory.records.get(scope, id or "")
    assert record is not None
    return record.state


@pytest.mark.parametrize(("name", "kept", "said"), ENDED)
def test_F1_a_later_word_ends_what_was_remembered(
    memory: Memory, name: str, kept: str, said: str
) -> None:
    id = memory.remember(ME, kept, time=BEFORE, source="7", metadata={"tags": ["a"], "n": 1})
    say(memory, said, name)
    assert state(memory, id) in ("superseded", "rejected")
    block = memory.context(ME, f"{name}: {kept}?")
    assert not any(line.endswith((kept, kept.rstrip("."))) for line in block.splitlines())
    record = memory.records.get(ME, id or "")
    assert record is not None and (record.text, record.source) == (kept, "7")
    assert record.data["tags"] == ["a"] and record.data["n"] == 1
    assert "category" not in record.data and "subject" not in record.data


@pytest.mark.parametrize(("name", "kept", "said"), KEPT)
def test_F1_other_words_leave_what_was_remembered(
    memory: Memory, name: str, kept: str, said: str
) -> None:
    metadata = {"category": "x", "subject": "y", "tags": ["a"]}
    id = memory.remember(ME, kept, time=BEFORE, metadata=metadata)
    say(memory, said, name)
    record = memory.records.get(ME, id or "")
    assert record is not None and record.state == "approved" and record.data == metadata


def test_F1_metadata_of_the_host_with_our_names_is_no_reading(memory: Memory) -> None:
    given = {"category": "home", "subject": "import", "sources": ["crm"]}
    id = memory.remember(ME, "Vera lives in Lund", time=BEFORE, metadata=given)
    say(memory, "I live in Malmö.", "Vera")
    record = memory.records.get(ME, id or "")
    assert record is not None and record.state == "superseded"
    assert {key: record.data[key] for key in given} == given


def test_F1_other_kinds_stay_as_they_are(memory: Memory) -> None:
    note = memory.remember(ME, "Vera lives in Lund", kind="note", time=BEFORE)
    say(memory, "I live in Malmö.", "Vera")
    record = memory.records.get(ME, note or "")
    assert record is not None and record.state == "approved" and record.data == {}


def test_F1_what_was_remembered_later_than_the_turn_stands(memory: Memory) -> None:
    id = memory.remember(ME, "Vera lives in Lund", time=BEFORE)
    say(memory, "I live in Malmö.", "Vera", time=EARLIER)
    say(memory, "I'm not allergic to nuts.", "Vera", time=EARLIER)
    nuts = memory.remember(ME, "Vera is allergic to nuts", time=BEFORE)
    say(memory, "I'm not allergic to nuts.", "Vera", time=EARLIER)
    assert state(memory, id) == state(memory, nuts) == "approved"


@pytest.mark.parametrize(
    ("kept", "said"),
    [
        ("Vera lives in Lund", "Vera lives in Malmö."),
        ("Vera lives in Lund", "Vera now lives in Malmö."),
        ("Vera lives in Lund", "Vera moved to Malmö."),
        ("Vera works at Volvo", "Vera quit her job at Volvo."),
        ("小薇住在隆德", "小薇住在马尔默。"),
        ("小薇住在隆德", "小薇搬到马尔默了。"),
    ],
)
def test_F1_a_word_of_somebody_else_ends_nothing(memory: Memory, kept: str, said: str) -> None:
    id = memory.remember(GROUP, kept, time=BEFORE)
    say(memory, said, "Bob", Scope(user="bob", group="g"))
    assert state(memory, id, GROUP) == "approved"
    for first, second in memory.facts.conflicts(GROUP):
        assert (first.id, second.state) == (id, "conflict")


@pytest.mark.parametrize(
    ("kept", "said", "mark"),
    [
        ("Vera lives in Lund", "Vera lives in Malmö.", "disputed"),
        ("小薇住在隆德", "小薇住在马尔默。", "有争议"),
    ],
)
def test_F1_another_value_by_somebody_else_is_a_conflict(
    memory: Memory, kept: str, said: str, mark: str
) -> None:
    bob, cy = (Scope(user=user, group="g") for user in ("bob", "cy"))
    id = memory.remember(GROUP, kept, time=BEFORE)
    say(memory, said, "Bob", bob)
    ((first, second),) = memory.facts.conflicts(GROUP)
    assert first.id == id and second.text == said.rstrip(".。")
    assert mark in memory.context(cy, kept)


def test_F1_the_persons_own_word_settles_such_a_conflict(memory: Memory) -> None:
    id = memory.remember(GROUP, "Vera lives in Lund", time=BEFORE)
    say(memory, "Vera lives in Malmö.", "Bob", Scope(user="bob", group="g"))
    say(memory, "I live in Malmö.", "Vera", Scope(user="vera", group="g"))
    assert state(memory, id, GROUP) == "superseded" and not memory.facts.conflicts(GROUP)


def test_F1_in_a_group_it_is_the_person_who_was_meant(memory: Memory) -> None:
    vera, namesake = Scope(user="vera", group="g"), Scope(user="v2", group="g")
    say(memory, "I like tea.", "Vera", vera, BEFORE)
    of_vera = memory.remember(vera, "Vera lives in Lund", time=BEFORE)
    of_user = memory.remember(vera, "The user works at Volvo", time=BEFORE)
    say(memory, "I live in Malmö and work at Saab.", "Vera", namesake)
    say(memory, "I work at Saab.", "Bob", Scope(user="bob", group="g"))
    assert state(memory, of_vera, GROUP) == state(memory, of_user, GROUP) == "approved"
    say(memory, "I live in Malmö and work at Saab.", "Vera", vera)
    assert state(memory, of_vera, GROUP) == state(memory, of_user, GROUP) == "superseded"


def test_F1_the_person_under_another_display_name_is_the_same(memory: Memory) -> None:
    say(memory, "I like tea.", "Vera", time=BEFORE)
    id = memory.remember(ME, "Vera lives in Lund", time=BEFORE)
    say(memory, "I live in Malmö.", "Vee")
    assert state(memory, id) == "superseded"


@pytest.mark.parametrize("actor", ["host", "person", "model"])
def test_F1_whoever_remembered_it_the_persons_own_word_stands(memory: Memory, actor: str) -> None:
    id = memory.remember(ME, "Vera lives in Lund", time=BEFORE, actor=actor)
    say(memory, "I live in Malmö.", "Vera")
    assert state(memory, id) == "superseded"


def test_F1_what_a_model_says_disputes_what_the_host_remembered(memory: Memory) -> None:
    id = memory.remember(ME, "Vera lives in Lund", time=BEFORE)
    given = {"sender_name": "Vera", "time": AFTER, "actor": "model"}
    memory.end_turn(ME, new_info="I live in Malmö.", **given)
    memory.end_turn(ME, new_info="I don't live in Lund any more.", **given)
    memory.drain(20)
    ((first, second),) = memory.facts.conflicts(ME)
    assert (first.id, first.state, second.state) == (id, "approved", "conflict")


def test_F1_the_same_again_confirms_and_gives_a_model_no_more_trust(memory: Memory) -> None:
    id = memory.remember(ME, "Vera lives in Lund", time=BEFORE, actor="model")
    given = {"sender_name": "Vera", "time": AFTER, "actor": "model"}
    memory.end_turn(ME, new_info="I live in Lund.", **given)
    memory.drain(20)
    record = memory.records.get(ME, id or "")
    assert record is not None and record.data["recorded_by"] == "model"
    assert record.confidence <= 0.6 and len(memory.facts.list(ME)) == 1


def test_F1_a_correction_of_what_was_remembered_is_read_as_well(memory: Memory) -> None:
    id = memory.remember(ME, "Vera lives in Lund", time=BEFORE)
    new = memory.facts.correct(ME, id or "", "Vera lives in Ystad", time=BEFORE)
    say(memory, "I live in Malmö.", "Vera")
    assert state(memory, new) == "superseded"


def test_F1_what_a_person_wrote_on_the_page_is_read_as_well(memory: Memory) -> None:
    say(memory, "I like tea.", "Vera", time=BEFORE)
    page = memory.profiles.source(ME)
    assert page is not None
    memory.profiles.edit(ME, f"{page.body}\n- Vera lives in Lund\n", page)
    say(memory, "I live in Malmö.", "Vera", time="2099-01-01")
    found = [one.text for one in memory.facts.list(ME, ["approved"])]
    assert found == ["Vera lives in Malmö", "Vera likes tea"]


def test_F1_a_plan_that_was_remembered_may_be_cancelled(memory: Memory) -> None:
    plans = {
        text: memory.remember(ME, text, time=BEFORE)
        for text in (
            "Vera is flying to Lima on 2026-12-03",
            "Vera lived in Lima in 2019",
            "Vera is flying to Lima on 2026-12-09 and needs a visa",
            "Bob is flying to Lima on 2026-12-03",
            "小薇2026年12月3日飞基多",
            "小薇2026年12月3日飞昆明",
        )
    }
    say(memory, "The Lima trip is off.", "Vera")
    say(memory, "基多不去了。", "小薇")
    ended = [text for text, id in plans.items() if state(memory, id) == "superseded"]
    assert ended == ["Vera is flying to Lima on 2026-12-03", "小薇2026年12月3日飞基多"]


def test_F1_a_name_that_begins_like_the_denied_one_is_another(memory: Memory) -> None:
    say(memory, "My boss is called Tess.", "Vera", time=BEFORE)
    say(memory, "No, my boss is called Tessa, not Tess.", "Vera")
    assert [one.text for one in memory.facts.list(ME, ["approved"])] == [
        "Vera's boss is called Tessa"
    ]


def test_F1_a_rebuild_says_the_same(memory: Memory) -> None:
    id = memory.remember(ME, "Vera lives in Lund", time=BEFORE)
    nuts = memory.remember(ME, "Vera is allergic to nuts", time=BEFORE)
    say(memory, "I live in Malmö. I'm not allergic to nuts.", "Vera")
    memory.maintenance.rebuild(ME)
    assert state(memory, id) == state(memory, nuts) == "superseded"
    assert [one.text for one in memory.facts.list(ME, ["approved"])] == ["Vera lives in Malmö"]
