"""What a person says of himself changes what is known: taken back, moved on, planned, settled (P5).

And standing instructions, which a block shows whatever the question is like (H8).
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from taishi import Memory, Message, Scope

DAY = 86_400.0
BEGIN = 1_773_800_000.0  # 2026-03-18
ANN, GROUP = Scope(user="ann"), Scope(group="g42", user="ann")


class Chat:
    """Somebody tells one thing a day."""

    def __init__(self, memory: Memory, scope: Scope = ANN) -> None:
        self.memory = memory
        self.scope = scope
        self.time = BEGIN

    def tell(self, *said: str, name: str = "Ann", scope: Scope | None = None) -> None:
        for text in said:
            self.time += DAY
            self.memory.end_turn(
                scope or self.scope,
                new_info=text,
                messages=[Message(text, name, self.time)],
                sender_name=name,
                bot_name="Mochi",
                group_name="Hikers" if self.scope.group else None,
                time=self.time,
            )
            self.memory.drain(30)

    def facts(self, *states: str) -> list[str]:
        found = self.memory.facts.list(self.scope, states or ("approved",))
        return sorted(fact.text for fact in found)

    def block(self, question: str = "what is the weather like?") -> str:
        return self.memory.context(self.scope, question, now=self.time + DAY)


@pytest.fixture
def chat(memory: Memory) -> Iterator[Chat]:
    yield Chat(memory)


@pytest.mark.parametrize(
    ("before", "after", "ended"),
    [
        ("I live in Cork.", "I don't live in Cork anymore.", "Ann lives in Cork"),
        ("I live in Cork.", "I no longer live in Cork", "Ann lives in Cork"),
        ("I work at Google", "I quit Google", "Ann works at Google"),
        ("I work at Google", "I quit.", "Ann works at Google"),
        ("I work for Intel", "I got laid off yesterday", "Ann works at Intel"),
        ("我在腾讯上班", "我从腾讯离职了", "Ann在腾讯上班"),
        ("我在腾讯上班", "我辞职了", "Ann在腾讯上班"),
        ("我住在北京", "我已经不住在北京了", "Ann住在北京"),
        ("我男朋友叫张伟", "我分手了", "Ann的男朋友叫张伟"),
    ],
)
def test_P5_a_negation_leaves_nothing_current(
    chat: Chat, before: str, after: str, ended: str
) -> None:
    chat.tell(before)
    assert chat.facts() == [ended]
    chat.tell(after)
    assert chat.facts() == []
    (fact,) = chat.memory.facts.list(ANN, ("superseded",))
    assert fact.text == ended and fact.data["valid_to"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("I work at Google", "I quit smoking"),
        ("I work at Google", "I don't work at Acme anymore"),
        ("I live in Cork", "My sister doesn't live in Cork anymore"),
        ("我在腾讯上班", "我从百度离职了"),
    ],
)
def test_P5_a_negation_of_something_else_ends_nothing(chat: Chat, before: str, after: str) -> None:
    chat.tell(before)
    known = chat.facts()
    chat.tell(after)
    assert set(known) <= set(chat.facts())


@pytest.mark.parametrize(
    ("before", "after", "now"),
    [
        ("I live in Cork", "I live in Dublin", "Ann lives in Dublin"),
        ("我在腾讯上班", "我跳槽到小米了", "Ann在小米工作"),
        ("我喜欢喝美式", "我现在不喜欢喝美式了", "Ann不喜欢喝美式了"),
        ("I love olives", "I hate olives", "Ann hates olives"),
        ("My wife's name is Laura", "I'm divorced", "Ann is divorced"),
        ("I live in Cork", "I used to live in Cork", "Ann used to live in Cork"),
    ],
)
def test_P5_what_a_person_says_now_of_himself_stands(
    chat: Chat, before: str, after: str, now: str
) -> None:
    chat.tell(before, after)
    assert chat.facts() == [now]
    assert chat.facts("conflict") == []


@pytest.mark.parametrize(
    ("before", "plan", "known"),
    [
        ("我住在北京", "我下个月初要搬家到浦东", "Ann住在北京"),
        ("I live in Cork", "I'm moving to Berlin next month", "Ann lives in Cork"),
        ("I work at Acme", "I'm going to start at Microsoft in May", "Ann works at Acme"),
    ],
)
def test_P5_a_plan_is_not_yet_a_fact(chat: Chat, before: str, plan: str, known: str) -> None:
    chat.tell(before, plan)
    chat.time += 90 * DAY  # the date passes, and nobody said that it happened
    current = chat.memory.facts.list(ANN, ("approved",))
    assert known in [fact.text for fact in current]
    assert "plan" in [fact.data["category"] for fact in current]


def test_F1_near_same_statements_confirm(chat: Chat) -> None:
    chat.tell("I like tea", "I love tea", "I really like tea!")
    (fact,) = chat.memory.facts.list(ANN, ("approved",))
    assert fact.data["evidence_count"] == 3


def test_F1_a_conflict_is_settled_by_the_person_it_is_about(memory: Memory) -> None:
    chat = Chat(memory, GROUP)
    bob, eve = Scope(group="g42", user="bob"), Scope(group="g42", user="eve")
    chat.tell("Ann lives in Cork", name="Bob", scope=bob)
    chat.tell("Ann lives in Oslo", name="Eve", scope=eve)
    assert chat.facts() == ["Ann lives in Cork"]
    assert chat.facts("conflict") == ["Ann lives in Oslo"]
    chat.tell("I live in Oslo")
    assert chat.facts() == ["Ann lives in Oslo"]
    assert chat.facts("superseded") == ["Ann lives in Cork"]
    assert memory.facts.conflicts(GROUP) == []


def test_F1_a_conflict_is_settled_by_clearly_more_evidence(memory: Memory) -> None:
    chat = Chat(memory, GROUP)
    bob, eve = Scope(group="g42", user="bob"), Scope(group="g42", user="eve")
    chat.tell("Ann lives in Cork", name="Bob", scope=bob)
    chat.tell("Ann lives in Oslo", name="Eve", scope=eve)
    chat.tell("Ann lives in Oslo", name="Max", scope=Scope(group="g42", user="max"))
    assert chat.facts() == ["Ann lives in Cork"]  # two against one: not yet
    chat.tell("Ann lives in Oslo", name="Ida", scope=Scope(group="g42", user="ida"))
    assert chat.facts() == ["Ann lives in Oslo"]


# -- standing instructions


def test_H8_a_block_shows_instructions_whatever_the_question_is_like(chat: Chat) -> None:
    chat.tell("Always answer in Chinese.", "When I ask for code, use type hints.", "I like tea")
    block = chat.block("what is the weather like?")
    assert 'Ann asks: "Always answer in Chinese"' in block
    assert "use type hints" in block
    assert block.index("Always answer") < block.rindex("Ann likes tea")


@pytest.mark.parametrize(
    ("first", "second", "left"),
    [
        ("Always answer in Chinese.", "answer in English from now on", "answer in English"),
        ("以后都用中文回答我", "以后用英文回复我", "英文"),
        ("Please keep your answers short", "From now on give long answers", "long answers"),
    ],
)
def test_H8_a_later_instruction_on_the_same_matter_stands(
    chat: Chat, first: str, second: str, left: str
) -> None:
    chat.tell(first, "Never use emojis", second)
    found = chat.facts()
    assert len(found) == 2 and any(left in one for one in found)
    assert any("emojis" in one for one in found)
    assert len(chat.facts("superseded")) == 1


@pytest.mark.parametrize(
    ("given", "withdrawn"),
    [
        ("Always answer in Chinese.", "you can answer in any language again"),
        ("以后都用中文回答我", "不用再用中文了"),
        ("Never use emojis", "you don't have to avoid emojis anymore"),
    ],
)
def test_H8_an_instruction_can_be_withdrawn(chat: Chat, given: str, withdrawn: str) -> None:
    chat.tell(given)
    assert len(chat.facts()) == 1
    chat.tell(withdrawn)
    assert chat.facts() == []
    shown = [line for line in chat.block().splitlines() if "asks" in line or "要求" in line]
    assert all("no longer so" in line or "已不再" in line for line in shown)


def test_H8_an_instruction_is_rejected_and_corrected_like_a_fact(chat: Chat) -> None:
    chat.tell("Always answer in Chinese.", "Never use emojis")
    by_text = {fact.text: fact.id for fact in chat.memory.facts.list(ANN, ("approved",))}
    chat.memory.facts.reject(ANN, by_text['Ann asks: "Never use emojis"'])
    new = chat.memory.facts.correct(
        ANN, by_text['Ann asks: "Always answer in Chinese"'], "Ann asks: answer in French"
    )
    assert new.startswith("instruction-")
    block = chat.block()
    assert "answer in French" in block
    assert "emojis" not in block.split("Matching events")[0]


def test_H8_in_a_group_each_has_their_own_and_all_have_the_group_s(memory: Memory) -> None:
    chat = Chat(memory, GROUP)
    bob = Scope(group="g42", user="bob")
    chat.tell("Always answer in Chinese.")
    chat.tell("Never use emojis", name="Bob", scope=bob)
    chat.tell("From now on remind everyone in this group of the rules")
    of_ann = memory.context(GROUP, "hello", now=chat.time)
    of_bob = memory.context(bob, "hello", now=chat.time)
    assert "answer in Chinese" in of_ann.split("Matching events")[0]
    assert 'Bob asks: "Never use emojis"' not in of_ann
    assert 'Bob asks: "Never use emojis"' in of_bob
    assert 'Ann asks: "Always answer in Chinese"' not in of_bob
    assert "remind everyone" in of_ann and "remind everyone" in of_bob


def test_H8_many_instructions_take_a_part_of_the_block_only(chat: Chat) -> None:
    topics = "birds trees rivers stones clouds roads ships bells lamps doors".split()
    chat.tell(*(f"Always mention {topic} when I ask about {topic}" for topic in topics))
    block = chat.block("tell me about lamps")
    assert block.count("Ann asks:") == 8
    assert "mention lamps" in block.splitlines()[2]


def test_O2_instructions_are_forgotten_with_the_person(chat: Chat) -> None:
    chat.tell("Always answer in Chinese.")
    chat.memory.forget(ANN)
    assert chat.block() == ""
