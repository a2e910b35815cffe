"""A correction holds: the public tests `correction.*`, in both languages.

Eight shapes: a value replaced, a taste turned round, a thing retracted, a part superseded, a time
that ended, two sources of equal weight, a person's own decision, an end without anything new. Each
is asked at once, after every background job, a new index and a restart, and after the first day's
words were fed in again by another way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html import unescape

import pytest

from support.surfaces import DAY, Chat, said_as_current, surfaces
from taishi import Memory, Message, Scope
from taishi.types import Record

ANN = Scope(user="ann", session="s1")
CLUB = Scope(group="club", user="ann")
Open = Callable[..., Memory]
SLOW_MACHINE = {"query.recall_timeout": 5.0}


@dataclass(frozen=True)
class Shape:
    """What is said on the first day and on the third; what holds then, and what does not."""

    name: str
    first: str
    third: str
    stale: str
    holds: tuple[str, ...]
    query: str
    old_state: str = "superseded"


SHAPES = {
    "replacement": Shape("Ann", "I live in Berlin.", "I moved to Lisbon.", "Ann lives in Berlin",
                         ("Ann lives in Lisbon",), "where does Ann live, in Berlin?"),
    "polarity": Shape("Ann", "I love coriander.", "I can't stand coriander now.",
                      "Ann loves coriander", ("Ann can't stand coriander",), "Ann and coriander"),
    "retraction": Shape("Ann", "My sister is a doctor.", "I misspoke, I don't have a sister.",
                        "Ann's sister is a doctor", (), "who is Ann's sister, a doctor?",
                        "rejected"),
    "partial": Shape("Ann", "I'm an engineer at Acme.", "I got promoted to manager.",
                     "Ann is an engineer at Acme", ("Ann works as manager", "Ann works at Acme"),
                     "what does Ann do at Acme, engineer?"),
    "bounded": Shape("Ann", "I am vegetarian.", "I'm not vegetarian anymore since 2026.",
                     "Ann is vegetarian", (), "is Ann vegetarian?"),
    "ended": Shape("Ann", "I work at Acme.", "I quit Acme.", "Ann works at Acme", (),
                   "where does Ann work, at Acme?"),
    "replacement zh": Shape("小安", "我住在柏林", "我搬到里斯本了", "小安住在柏林",
                            ("小安住在里斯本",), "小安住在哪里，柏林吗？"),
    "polarity zh": Shape("小安", "我喜欢香菜", "我现在受不了香菜了", "小安喜欢香菜",
                         ("小安受不了香菜了",), "小安喜欢香菜吗？"),
    "retraction zh": Shape("小安", "我姐姐是医生", "我说错了，我没有姐姐", "小安的姐姐是医生", (),
                           "小安的姐姐是医生吗？", "rejected"),
    "partial zh": Shape("小安", "我是工程师", "我升职当经理了", "小安是工程师", ("小安担任经理",),
                        "小安做什么工作，是工程师吗？"),
    "bounded zh": Shape("小安", "我吃素", "我2026年起不吃素了", "小安吃素", (), "小安吃素吗？"),
    "ended zh": Shape("小安", "我在腾讯上班", "我从腾讯离职了", "小安在腾讯上班", (),
                      "小安在腾讯上班吗？"),
}  # fmt: skip
EACH = pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)


def corrected(memory: Memory, shape: Shape, scope: Scope = ANN) -> None:
    """The answer is current, the old value is nowhere said as if it held, and is not lost."""
    current = [one.text for one in memory.facts.list(scope, ["approved"])]
    assert shape.stale not in current
    assert set(shape.holds) <= set(current)
    shown = surfaces(memory, scope, f"{shape.query} {' '.join(shape.holds)}")
    assert said_as_current(shown, shape.stale) == []
    for text in shape.holds:
        assert said_as_current(shown[:1], text), "the block says what holds"
    (old,) = [one for one in memory.facts.list(scope) if one.text == shape.stale]
    assert old.state == shape.old_state, "history is kept"
    assert any(shape.stale in text for text in shown), (
        "and may be asked for, with what became of it"
    )


def settled(memory: Memory, open_memory: Open) -> Memory:
    """Every background job, a new index, a restart."""
    assert memory.drain(30)
    memory.sessions.end(ANN)
    memory._services.upkeep.expire()
    memory._services.upkeep.summarise_due()
    memory.close()
    again = open_memory(SLOW_MACHINE)
    again.maintenance.reembed()
    return again


@EACH
def test_atlas_correction_survives_reindex(open_memory: Open, shape: Shape) -> None:
    memory = open_memory(SLOW_MACHINE)
    chat = Chat(memory, ANN, shape.name)
    chat.tell(shape.first)
    first = chat.time
    before = surfaces(memory, ANN, shape.query)
    assert said_as_current(before, shape.stale), "the control: it was current"
    chat.tell(shape.third, gap=2 * DAY)
    corrected(memory, shape)
    memory = settled(memory, open_memory)
    corrected(memory, shape)
    refeed(memory, shape, first)
    corrected(memory, shape)


def refeed(memory: Memory, shape: Shape, first: float) -> None:
    """The first day's material once more, with its own time: a transcript that is synced again."""
    said = Message(shape.first, shape.name, first, speaker_id="ann")
    memory.end_turn(ANN, new_info=shape.first, messages=[said], sender_name=shape.name, time=first)
    memory.consider(ANN, [said], sender_name=shape.name, time=first)
    memory.sessions.add_messages(ANN, [said])
    assert memory.drain(30)
    memory.sessions.end(ANN)


@pytest.mark.parametrize("gap", [60.0, 180 * DAY], ids=["minutes", "months"])
@EACH
def test_atlas_correction_whatever_the_time_between(
    open_memory: Open, shape: Shape, gap: float
) -> None:
    memory = open_memory(SLOW_MACHINE)
    chat = Chat(memory, ANN, shape.name)
    chat.tell(shape.first)
    chat.tell(shape.third, gap=gap)
    corrected(memory, shape)


def test_atlas_correction_of_equal_weight_is_left_to_a_person(open_memory: Open) -> None:
    """Neither is lost, and neither is said as if it were certain that the other is wrong."""
    memory = open_memory(SLOW_MACHINE)
    for name, said in (("Bob", "Ann lives in Cork"), ("Eve", "Ann lives in Oslo")):
        chat = Chat(memory, Scope(group="club", user=name.lower()), name)
        chat.tell(said)
    for again in (False, True):
        memory = settled(memory, open_memory) if again else memory
        ((held, doubted),) = memory.facts.conflicts(CLUB)
        assert (held.text, doubted.text) == ("Ann lives in Cork", "Ann lives in Oslo")
        assert said_as_current([memory.context(CLUB, "Ann lives in Cork?")], "Cork")
    memory.facts.resolve(CLUB, doubted.id, held.id)
    assert [one.text for one in memory.facts.list(CLUB, ["approved"])] == ["Ann lives in Oslo"]
    shown = [memory.context(CLUB, "where does Ann live, Cork?")]
    assert said_as_current(shown, "Ann lives in Cork") == []


@pytest.mark.parametrize(
    ("name", "said", "old", "new"),
    [("Ann", "I live in Berlin.", "Ann lives in Berlin", "Ann lives in Bergen"),
     ("小安", "我住在柏林", "小安住在柏林", "小安住在伯尔尼")],
)  # fmt: skip
def test_atlas_correction_by_a_persons_own_decision(
    open_memory: Open, name: str, said: str, old: str, new: str
) -> None:
    memory = open_memory(SLOW_MACHINE)
    chat = Chat(memory, ANN, name)
    chat.tell(said)
    (fact,) = memory.facts.list(ANN, ["approved"])
    memory.facts.correct(ANN, fact.id, new)
    for again in (False, True):
        memory = settled(memory, open_memory) if again else memory
        shown = surfaces(memory, ANN, f"{old} {new}?")
        assert said_as_current(shown, old) == [] and said_as_current(shown, new)
        assert [one.text for one in memory.facts.list(ANN, ["approved"])] == [new]
        assert memory.facts.list(ANN, ["rejected"])[0].text == old
    Chat(memory, ANN, name).tell(said)
    assert [one.text for one in memory.facts.list(ANN, ["approved"])] == [new]


RETRACTIONS = {
    "misspoke": ("My sister is a doctor.", "I misspoke, I do not have a sister.", "sister"),
    "the other way round": (
        "My sister is a doctor.",
        "I don't have a sister, I misspoke.",
        "sister",
    ),
    "was wrong": ("I live in Berlin.", "I was wrong, I don't live in Berlin.", "Berlin"),
    "about": ("I live in Berlin.", "Forget what I said about Berlin, that was wrong.", "Berlin"),
    "about, not true": ("I live in Berlin.", "What I said about Berlin wasn't true.", "Berlin"),
    "the last": ("I live in Berlin.", "Scratch that.", "Berlin"),
    "just said": ("I live in Berlin.", "What I just said is wrong.", "Berlin"),
    "without a fact": ("We met Laura at the pier.", "Forget what I said about Laura.", "Laura"),
    "说错了": ("我姐姐是医生", "我说错了，我没有姐姐", "姐姐"),
    "刚才": ("我住在柏林", "刚才说的不对", "柏林"),
    "关于": ("我住在柏林", "忘掉我说的关于柏林的事，那是错的", "柏林"),
    "记错了": ("我住在柏林", "我记错了，我不住在柏林", "柏林"),
    "口误": ("我吃素", "口误，我不是吃素的", "吃素"),
}


@pytest.mark.parametrize(("first", "takes_back", "word"), RETRACTIONS.values(), ids=RETRACTIONS)
def test_atlas_correction_retraction_without_replacement(
    open_memory: Open, first: str, takes_back: str, word: str
) -> None:
    name = "Ann" if first.isascii() else "小安"
    memory = open_memory(SLOW_MACHINE)
    chat = Chat(memory, ANN, name)
    chat.tell("I like tea." if name == "Ann" else "我喜欢茶", first)
    kept = [one for one in chat.facts() if word not in one]
    assert kept and told_as_current(memory, word), "the control: it was current"
    began = chat.time
    chat.tell(takes_back, gap=300.0)
    gone(memory, word)
    assert [one for one in chat.facts() if word not in one] == kept, "and nothing else went"
    memory = settled(memory, open_memory)
    gone(memory, word)
    chat = Chat(memory, ANN, name)
    chat.tell(first, at=began)  # the original material, with its time
    memory = settled(memory, open_memory)
    if name != "Ann" or "Laura" not in word:  # without a fact there is nothing to hold it against
        gone(memory, word)


@pytest.mark.parametrize("first, takes_back", [("I live in Berlin.", "Scratch that."),
                                               ("我住在柏林", "我说错了")])  # fmt: skip
def test_atlas_correction_a_retraction_is_lifted_by_whoever_made_it(
    open_memory: Open, first: str, takes_back: str
) -> None:
    """Said again by the same person it holds again, without a note; not by another's word."""
    name = "Ann" if first.isascii() else "小安"
    memory = open_memory(SLOW_MACHINE)
    chat = Chat(memory, CLUB, name)
    chat.tell(first)
    known = chat.facts()
    chat.tell(takes_back, gap=300.0)
    assert chat.facts() == [] and chat.facts("rejected") == known
    other = Chat(memory, Scope(group="club", user="bob"), "Bob")
    other.tell(known[0], at=chat.time + 60)
    assert chat.facts() == []
    chat.tell(first)
    assert (chat.facts(), chat.facts("rejected")) == (known, [])
    told = [hit.text for hit in memory.search_events(CLUB, first).hits]
    assert not any("withdrawn" in one or "撤回" in one for one in told)
    (fact,) = memory.facts.list(CLUB, ["approved"])
    chat.tell(takes_back, gap=300.0)
    memory.facts.reject(CLUB, fact.id)
    chat.tell(first)
    assert chat.facts() == [], "what a person rejected by hand stays rejected"


def gone(memory: Memory, word: str) -> None:
    assert [one.text for one in memory.facts.list(ANN, ["approved"]) if word in one.text] == []
    assert told_as_current(memory, word) == []


def told_as_current(memory: Memory, word: str) -> list[str]:
    """What says it, but for the words that took it back."""
    taking_back = ("misspoke", "wrong", "forget", "scratch", "错", "不对", "口误", "n't")
    shown = said_as_current(surfaces(memory, ANN, f"{word} Ann 小安"), word)
    return [one for one in shown if not any(by in unescape(one).lower() for by in taking_back)]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("I live in Berlin.", "What you said about Berlin is wrong."),
        ("I live in Berlin.", "You said I live in Berlin, that's wrong."),
        ("I live in Berlin.", "I was wrong about the weather."),
        ("I live in Berlin.", "Bob misspoke, he doesn't have a sister."),
        ("I live in Berlin.", "Was I wrong?"),
        ("I live in Berlin.", "If I misspoke, tell me."),
        ("My sister is a doctor.", "I misspoke, I don't have a brother."),
        ("我住在柏林", "你刚才说的不对"),
        ("我住在柏林", "我说错了，我没有姐姐"),
    ],
)
def test_atlas_correction_of_something_else_takes_nothing_back(
    open_memory: Open, first: str, second: str
) -> None:
    memory = open_memory(SLOW_MACHINE)
    chat = Chat(memory, ANN, "Ann" if first.isascii() else "小安")
    chat.tell(first)
    known = chat.facts()
    assert known
    chat.tell(second, gap=300.0)
    assert set(known) <= set(chat.facts())


def test_atlas_correction_in_a_group_takes_back_ones_own_words_only(open_memory: Open) -> None:
    memory = open_memory(SLOW_MACHINE)
    ann = Chat(memory, CLUB)
    bob = Chat(memory, Scope(group="club", user="bob"), "Bob")
    ann.tell("I live in Berlin.")
    bob.tell("I live in Berlin.")
    bob.tell("Forget what I said about Berlin.", gap=300.0)
    assert ann.facts() == ["Ann lives in Berlin"]
    assert ann.facts("rejected") == ["Bob lives in Berlin"]


def test_atlas_correction_by_a_model_takes_nothing_back(open_memory: Open) -> None:
    """Words that a model says were the person's, without a message of theirs."""
    memory = open_memory(SLOW_MACHINE)
    Chat(memory, ANN).tell("I live in Berlin.")
    memory.end_turn(ANN, new_info="I misspoke, I do not live in Berlin.", sender_name="Ann",
                    actor="model")  # fmt: skip
    assert memory.drain(30)
    assert [one.state for one in facts_of(memory, "Berlin")] == ["approved"]


def facts_of(memory: Memory, word: str) -> list[Record]:
    return [one for one in memory.facts.list(ANN) if word in one.text]
