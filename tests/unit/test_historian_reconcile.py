"""How drafted facts stand to known ones, by a model and by rule; and facts found by pattern."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from taishi.domain.drafts import FactDraft
from taishi.errors import ModelError
from taishi.historian.prompt_loader import Prompts
from taishi.historian.reconcile import KnownFact, reconcile, reconcile_by_rule
from taishi.historian.rule_writer import write
from taishi.historian.statement_comparison import StatementComparison
from taishi.ports import Tool
from taishi.types import Job

PROMPTS = Prompts.load()


class Stub:
    def __init__(self, answer: Mapping[str, Any] | Exception) -> None:
        self.answer = answer
        self.asked: list[str] = []

    def structured(
        self, task: str, messages: Sequence[Mapping[str, str]], tool: Tool
    ) -> dict[str, Any]:
        assert (task, tool.name) == ("extract", "judge_facts")
        self.asked.append(messages[-1]["content"])
        if isinstance(self.answer, Exception):
            raise self.answer
        return dict(self.answer)

    def close(self) -> None: ...


def lives(place: str, **changes: Any) -> FactDraft:
    values = {"content": f"Ann lives in {place}", "category": "residence", "subject": "Ann"}
    return FactDraft(**(values | changes))


def known(content: str, category: str = "residence", **changes: Any) -> KnownFact:
    return KnownFact(
        **({"index": 0, "id": "fact-1", "content": content, "category": category} | changes)
    )


BERLIN = known("Ann lives in Berlin", valid_from="2025-01-01")


def decided(draft: FactDraft, *facts: KnownFact) -> tuple[str, str | None]:
    (decision,) = reconcile_by_rule([draft], facts)
    return decision.action, decision.known_id


def test_F1_the_model_decides_one_by_one() -> None:
    drafts = [lives("Oslo"), FactDraft("Ann likes tea"), FactDraft("Ann is Ann")]
    model = Stub(
        {
            "decisions": [
                {"index": 2, "action": "ignore", "reason": "says nothing"},
                {"index": "0", "action": "Supersede", "known": "0", "reason": "moved"},
                {"index": 1, "action": "add"},
            ]
        }
    )
    found = reconcile(model, PROMPTS, "en", drafts, [BERLIN])
    assert [(d.action, d.known_id) for d in found] == [
        ("supersede", "fact-1"),
        ("add", None),
        ("ignore", None),
    ]
    assert found[0].reason == "moved"
    assert '"Ann lives in Berlin"' in model.asked[0]


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"decisions": "none"},
        {"decisions": [{"index": 0, "action": "confirm", "known": 7}]},
        {"decisions": [{"index": 0, "action": "confirm"}]},
        {"decisions": [{"index": 0, "action": "destroy", "known": 0}]},
        {"decisions": [{"index": 9, "action": "add"}, None, 3, {"action": "add"}]},
    ],
)
def test_F1_nonsense_falls_back_to_the_rules(answer: dict[str, Any]) -> None:
    moved = lives("Oslo", quote="I moved to Oslo")
    found = reconcile(Stub(answer), PROMPTS, "en", [moved], [BERLIN])
    assert [(d.action, d.known_id) for d in found] == [("supersede", "fact-1")]


def test_P5_a_model_cannot_bring_back_what_was_rejected() -> None:
    rejected = known("Ann lives in Oslo", state="rejected")
    for action in ("confirm", "supersede", "conflict"):
        model = Stub({"decisions": [{"index": 0, "action": action, "known": 0}]})
        (found,) = reconcile(model, PROMPTS, "en", [lives("Oslo")], [rejected])
        assert (found.action, found.known_id) == ("ignore", "fact-1")


def test_F1_with_nothing_to_compare_no_model_is_asked() -> None:
    model = Stub(ModelError("down"))
    assert [d.action for d in reconcile(model, PROMPTS, "en", [lives("Oslo")], [])] == ["add"]
    assert reconcile(model, PROMPTS, "en", [], [BERLIN]) == []
    with pytest.raises(ModelError):
        reconcile(model, PROMPTS, "en", [lives("Oslo")], [BERLIN])


@pytest.mark.parametrize(
    ("draft", "fact", "action"),
    [
        (lives("Berlin"), BERLIN, "confirm"),
        (lives("Berlin", content="Ann moved to Berlin"), BERLIN, "confirm"),
        (lives("Oslo", quote="I moved to Oslo"), BERLIN, "supersede"),
        (lives("Oslo", content="Ann moved from Berlin to Oslo"), BERLIN, "supersede"),
        (lives("Oslo", valid_from="2026-02-19"), BERLIN, "supersede"),
        (lives("Oslo"), BERLIN, "conflict"),
        (lives("Oslo", content="Ann lived in Oslo"), BERLIN, "add"),
        (lives("Oslo", valid_to="2024-06-01"), BERLIN, "add"),
        (lives("Oslo"), known("Bob lives in Berlin"), "add"),
        (lives("Oslo"), known("Ann's sister lives in Berlin"), "add"),
        (lives("Oslo"), known("Anna lives in Berlin"), "add"),
        (lives("Oslo"), known("Ann likes Berlin", "user_preference"), "add"),
        (lives("Oslo"), known("Ann lives in Berlin", state="superseded"), "add"),
        (lives("Berlin"), known("Ann lives in Berlin", state="rejected"), "ignore"),
        (FactDraft("安住在奥斯陆", "residence", "安"), known("安住在柏林"), "conflict"),
        (FactDraft("安搬到了奥斯陆", "residence", "安"), known("安住在柏林"), "supersede"),
        (FactDraft("安从柏林搬到奥斯陆", "residence", "安"), known("安住在奥斯陆"), "confirm"),
        (FactDraft("安的电话改成13800000002", "phone", "安"),
         known("安的电话是13800000001", "phone"), "supersede"),
        (FactDraft("安的妈妈住在奥斯陆", "residence", "安"), known("安住在柏林"), "add"),
        (FactDraft("Ann works at Acme now", "employer", "Ann"),
         known("Ann works at Globex", "employer"), "supersede"),
        (FactDraft("Ann likes tea"), known("Ann likes coffee", "other"), "add"),
        (FactDraft("Ann likes green tea"), known("Ann likes green tea.", "other"), "confirm"),
        (FactDraft("Ann does not like tea"), known("Ann likes tea", "other"), "conflict"),
        (FactDraft("Ann no longer likes tea"), known("Ann likes tea", "other"), "supersede"),
        (FactDraft("安不喜欢喝绿茶"), known("安喜欢喝绿茶", "other"), "conflict"),
        (FactDraft("Ann has 3 cats at home"), known("Ann has 2 cats at home", "other"), "add"),
        (FactDraft(""), known("", "other"), "add"),
    ],
)  # fmt: skip
def test_F1_by_rule(draft: FactDraft, fact: KnownFact, action: str) -> None:
    found, about = decided(draft, fact)
    assert found == action
    assert about == (None if action == "add" else "fact-1")


def mine(draft: FactDraft) -> FactDraft:
    return replace(draft, by_self=True)


@pytest.mark.parametrize(
    ("draft", "fact", "action"),
    [
        (lives("Oslo"), BERLIN, "supersede"),
        (lives("Oslo", content="Ann lived in Oslo"), BERLIN, "add"),
        (FactDraft("Ann hates tea", "user_preference", "Ann"),
         known("Ann loves tea", "user_preference"), "supersede"),
        (FactDraft("Ann loves tea", "user_preference", "Ann"),
         known("Ann likes tea", "user_preference"), "confirm"),
        (FactDraft("安不喜欢喝美式了", "user_preference", "安"),
         known("安喜欢喝美式", "user_preference"), "supersede"),
        (FactDraft("Ann no longer drinks coffee", "habit", "Ann"),
         known("Ann drinks coffee every morning", "habit"), "supersede"),
        (FactDraft("Ann no longer drinks coffee", "habit", "Ann"),
         known("Ann drinks tea every morning", "habit"), "add"),
        (FactDraft("Ann's wife is a teacher", "partner", "Ann"),
         known("Ann's wife is called Laura", "partner"), "add"),
        (FactDraft("Ann's wife is called Eve", "partner", "Ann"),
         known("Ann's wife is called Laura", "partner"), "supersede"),
        (FactDraft("Ann will move to Oslo in April 2026", "plan", "Ann"), BERLIN, "add"),
    ],
)  # fmt: skip
def test_P5_what_a_person_says_of_himself_stands(
    draft: FactDraft, fact: KnownFact, action: str
) -> None:
    assert decided(mine(draft), fact)[0] == action


def ended(draft: FactDraft, *facts: KnownFact) -> tuple[str, ...]:
    (decision,) = reconcile_by_rule([draft], facts)
    return decision.ends


def test_P5_a_retraction_ends_what_it_names_and_adds_nothing() -> None:
    gone = lives("", content="Ann no longer lives in Berlin", value="Berlin", retracts=True)
    (decision,) = reconcile_by_rule([gone], [BERLIN])
    assert (decision.action, decision.ends) == ("ignore", ("fact-1",))
    assert ended(replace(gone, value="Cork"), BERLIN) == ()
    assert ended(replace(gone, value=""), BERLIN) == ("fact-1",)
    assert ended(gone, known("Bob lives in Berlin", subject="Bob")) == ()
    assert ended(gone, known("Ann lives in Berlin", state="rejected")) == ()


def test_P5_used_to_ends_what_was_known_as_current() -> None:
    once = mine(FactDraft("Ann used to live in Berlin", "history", "Ann"))
    assert ended(once, BERLIN) == ("fact-1",)
    assert ended(once, known("Ann lives in Cork")) == ()


def test_F1_the_person_settles_a_conflict_for_one_side() -> None:
    other = known("Ann lives in Oslo", id="fact-2", index=1, state="conflict")
    (decision,) = reconcile_by_rule([mine(lives("Oslo"))], [BERLIN, other])
    assert (decision.action, decision.known_id, decision.ends) == ("confirm", "fact-2", ("fact-1",))
    (decision,) = reconcile_by_rule([lives("Oslo")], [BERLIN, other])
    assert (decision.action, decision.ends) == ("confirm", ())


def asks(words: str, *tags: str, **changes: Any) -> FactDraft:
    return FactDraft(
        f'Ann asks: "{words}"', "instruction", "Ann", tags=tags, by_self=True, **changes
    )


def asked(words: str, *tags: str) -> KnownFact:
    return known(f'Ann asks: "{words}"', "instruction", tags=tags, subject="Ann")


@pytest.mark.parametrize(
    ("draft", "fact", "action"),
    [
        (asks("answer in English", "language"), asked("answer in Chinese", "language"),
         "supersede"),
        (asks("answer in English", "language"), asked("Please answer in English", "language"),
         "confirm"),
        (asks("use no emojis", "emoji"), asked("answer in Chinese", "language"), "add"),
        (asks("comment in English when I ask for code", "language", "conditional"),
         asked("answer in Chinese", "language"), "add"),
        (asks("never mention cats"), asked("mention cats"), "supersede"),
        (asks("mention dogs"), asked("mention cats"), "add"),
        (asks("answer in English", "language"), known("Ann likes English", "other"), "add"),
    ],
)  # fmt: skip
def test_H8_later_instructions_on_the_same_matter(
    draft: FactDraft, fact: KnownFact, action: str
) -> None:
    assert decided(draft, fact)[0] == action


def test_H8_an_instruction_is_withdrawn_by_its_matter_or_its_words() -> None:
    withdrawn = asks("you can answer in any language again", "language", retracts=True)
    assert ended(withdrawn, asked("answer in Chinese", "language")) == ("fact-1",)
    assert ended(withdrawn, asked("use no emojis", "emoji")) == ()
    by_words = asks("you don't have to mention cats anymore", retracts=True)
    assert ended(by_words, asked("always mention cats")) == ("fact-1",)


def test_P5_a_rejected_statement_wins_over_a_standing_one() -> None:
    standing = known("Ann lives in Berlin")
    rejected = known("Ann lives in Berlin.", id="fact-2", index=1, state="rejected")
    assert decided(lives("Berlin"), standing, rejected) == ("ignore", "fact-2")


def test_F1_the_same_twice_in_one_turn_is_one_fact() -> None:
    first, second = reconcile_by_rule([lives("Oslo"), lives("Oslo")], [])
    assert (first.action, second.action) == ("add", "ignore")


def job(*news: str, **changes: Any) -> Job:
    values: dict[str, Any] = {
        "request_id": "r1",
        "end_seq": 1,
        "action_summary": "",
        "new_info": news,
        "timestamp_utc": "2026-02-20T06:30:00+00:00",
        "timestamp_local": "2026-02-20T14:30:00+08:00",
        "timezone": "Asia/Shanghai",
        "epoch": 1771569000.0,
        "workspace": "default",
        "request_type": "private",
        "user_id": "u7",
        "sender_name": "Ann",
        "bot_name": "Mochi",
    }
    return Job(**(values | changes))


@pytest.mark.parametrize(
    ("said", "content", "category", "life"),
    [
        ("I moved from Berlin to Oslo", "Ann lives in Oslo", "residence", "lasting"),
        ("I live in New York with my cat", "Ann lives in New York", "residence", "lasting"),
        ("I really like tea", "Ann really likes tea", "user_preference", "lasting"),
        ("I don't like tea", "Ann doesn't like tea", "user_preference", "lasting"),
        ("I prefer trains", "Ann prefers trains", "user_preference", "lasting"),
        ("I work at Acme", "Ann works at Acme", "employer", "lasting"),
        ("I work as a nurse", "Ann works as a nurse", "job", "lasting"),
        ("I am allergic to nuts", "Ann is allergic to nuts", "health", "lasting"),
        ("My birthday is May 5", "Ann's birthday is May 5", "birthday", "lasting"),
        ("I own two boats", "Ann owns two boats", "possession", "lasting"),
        ("I speak Norwegian", "Ann speaks Norwegian", "language", "lasting"),
        ("Bob speaks French", "Bob speaks French", "language", "lasting"),
        ("I'm tired today", "Ann is tired on 2026-02-20", "mood", "mood"),
        ("I decided to quit", "Ann decided to quit", "decision", "decision"),
        ("I will call Bob on Monday", "Ann will call Bob on 2026-02-23", "plan", "follow_up"),
        ("Remember this: I park on level 3", "Ann parks on level 3", "other", "lasting"),
        ("我从柏林搬到了奥斯陆", "Ann住在奥斯陆", "residence", "lasting"),
        ("我上周搬到奥斯陆了", "Ann住在奥斯陆", "residence", "lasting"),
        ("我住在上海", "Ann住在上海", "residence", "lasting"),
        ("我很喜欢爬山", "Ann很喜欢爬山", "user_preference", "lasting"),
        ("我不喜欢香菜", "Ann不喜欢香菜", "user_preference", "lasting"),
        ("我在邮局上班", "Ann在邮局上班", "employer", "lasting"),
        ("我对花生过敏", "Ann对花生过敏", "health", "lasting"),
        ("我的生日是5月5日", "Ann的生日是5月5日", "birthday", "lasting"),
        ("我养了两只猫", "Ann养了两只猫", "possession", "lasting"),
        ("我会说法语", "Ann会说法语", "language", "lasting"),
        ("我今天很累", "Ann 2026年2月20日很累", "mood", "mood"),
        ("我对猫毛过敏，别去猫咖了", "Ann对猫毛过敏", "health", "lasting"),
        ("No nuts please, Bob is allergic to nuts", "Bob is allergic to nuts", "health", "lasting"),
        ("我决定辞职", "Ann决定辞职", "decision", "decision"),
        ("我明天要给银行打电话", "Ann 2026年2月21日要给银行打电话", "plan", "follow_up"),
        ("记得周一交报告", "记得2026年2月23日交报告", "plan", "follow_up"),
        ("记住这个：我的车停在三层", "Ann的车停在三层", "other", "lasting"),
    ],
)
def test_H4_facts_without_a_model(said: str, content: str, category: str, life: str) -> None:
    (found,) = write(job(said)).facts
    assert (found.content, found.category, found.life) == (content, category, life)
    assert found.quote == said
    assert found.subject in ("Ann", "Bob")


@pytest.mark.parametrize(
    "said",
    [
        "he likes tea",
        "I moved the sofa to the wall",
        "I don't know",
        "The weather is nice",
        "What a day",
        "I work at home",
        "I have 214 photos and wet shoes",
        "If the train is late, Bob works at Acme",
        "今天天气不错",
        "我有点事",
        "他住在上海",
        "",
        "\0",
        "x" * 100_000,
    ],
)
def test_H4_what_is_not_sure_is_no_fact(said: str) -> None:
    assert write(job(said)).facts == ()


def test_F1_a_move_is_valid_from_its_date() -> None:
    assert write(job("I moved to Oslo yesterday")).facts[0].valid_from == "2026-02-19"
    assert write(job("I moved to Oslo")).facts[0].valid_from == "2026-02-20"
    assert write(job("我上周搬到奥斯陆了")).facts[0].valid_from == "2026-02-09"


def test_H4_several_items_keep_their_own_quotes() -> None:
    facts = write(job("I like tea. I work at Acme.", "", "I like tea", "我对花生过敏")).facts
    assert [(fact.content, fact.quote) for fact in facts] == [
        ("Ann likes tea", "I like tea. I work at Acme."),
        ("Ann works at Acme", "I like tea. I work at Acme."),
        ("Ann对花生过敏", "我对花生过敏"),
    ]


def test_F4_what_is_to_be_remembered_lasts() -> None:
    (fact,) = write(job("I decided to quit, remember this")).facts
    assert (fact.life, fact.confidence) == ("lasting", 0.9)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "Ann's sister Ida likes roasted sardines from Oslo",
            "Ann's sister Ida likes roasted lentils from Oslo",
        ),
        (
            "Ann keeps the spare house keys in the blue kitchen drawer",
            "Ann keeps the spare house keys in the red kitchen drawer",
        ),
        ("林薇的妹妹喜欢云南蒸莲藕", "林薇的妹妹喜欢云南烤莲藕"),
        ("林薇对云南蒸无花果过敏", "林薇对云南烤无花果过敏"),
    ],
)
def test_F1_one_word_for_another_is_another_statement(one: str, other: str) -> None:
    assert not StatementComparison().is_same(one, other)
    assert StatementComparison().is_same(one, one), "the control"


def test_F1_a_denial_is_of_the_same_thing() -> None:
    eats = "Ann eats roasted sardines from the old harbour market on Sundays"
    assert StatementComparison().is_denial_of(eats.replace("eats", "does not eat"), eats)
    lentils = "Ann does not eat roasted lentils from the old harbour market on Sundays"
    assert not StatementComparison().is_denial_of(lentils, eats)
