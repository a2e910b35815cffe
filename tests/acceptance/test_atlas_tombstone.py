"""What a person rejected stays rejected, in both languages: the public tests `tombstone.*`."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from support.surfaces import BEGIN, DAY, Chat, said_as_current, surfaces
from taishi import Memory, Message, Scope, tools
from taishi.errors import RefusedError
from taishi.types import Record

ANN = Scope(user="ann", session="s1")
Open = Callable[..., Memory]
SLOW_MACHINE = {"query.recall_timeout": 5.0}
STORIES = [
    (
        "Ann",
        "I live in Berlin.",
        "Ann lives in Berlin",
        "I live in Lisbon.",
        "where does Ann live?",
    ),
    ("小安", "我住在柏林", "小安住在柏林", "我住在里斯本", "小安住在哪里？"),
    ("Ann", "I like green tea.", "Ann likes green tea", "I like coffee.", "what does Ann drink?"),
]
STORY = pytest.mark.parametrize("story", STORIES, ids=["en", "zh", "taste"])


def rejected(chat: Chat, said: str, fact: str) -> Record:
    """The person says it, it is known, and a person rejects it."""
    chat.tell(said)
    found = next(one for one in chat.memory.facts.list(ANN, ["approved"]) if one.text == fact)
    query = STORIES[0][4]
    assert said_as_current(surfaces(chat.memory, ANN, f"{query} {fact}"), fact), "shown before"
    chat.memory.facts.reject(ANN, found.id)
    return found


def units(memory: Memory) -> list[Record]:
    """Memory units; events are evidence and stay."""
    kinds = ["fact", "note", "short_term", "procedure", "profile"]
    return list(memory.records.list(ANN, kinds=kinds, limit=1000).records)


def inactive(memory: Memory, fact: Record, query: str) -> None:
    now = memory.records.get(ANN, fact.id)
    assert now is not None and now.state == "rejected" and now.data["rejected_at"]
    assert said_as_current(surfaces(memory, ANN, f"{query} {fact.text}"), fact.text) == []


@STORY
def test_atlas_tombstone_reextraction_stays_inactive(
    open_memory: Open, story: tuple[str, ...]
) -> None:
    name, said, fact, other, query = story
    memory = open_memory(SLOW_MACHINE)
    chat = Chat(memory, ANN, name)
    tomb = rejected(chat, said, fact)
    inactive(memory, tomb, query)
    chat.tell(said, said)
    memory.consider(ANN, [Message(said, name, speaker_id="ann")], sender_name=name)
    memory.sessions.add_messages(ANN, [Message(said, name, time=chat.time + n) for n in range(5)])
    assert memory.drain(30)
    memory.sessions.end(ANN)
    assert memory.get(ANN, "summary:s1") is not None
    inactive(memory, tomb, query)
    chat.tell(other)
    assert chat.facts() != [], "the control: something else is learned as before"


@STORY
def test_atlas_tombstone_no_second_memory_unit(open_memory: Open, story: tuple[str, ...]) -> None:
    name, said, fact, other, _ = story
    memory = open_memory(SLOW_MACHINE)
    chat = Chat(memory, ANN, name)
    rejected(chat, said, fact)
    before = {one.id for one in units(memory)}
    events = len(memory.records.list(ANN, kinds=["event"]).records)
    chat.tell(said, said, said)
    assert {one.id for one in units(memory)} == before, "collided: it lands on the rejected unit"
    (now,) = memory.facts.list(ANN, ["rejected"])
    assert now.data["restated"]["count"] == 3 and now.data["evidence_count"] == 1
    assert len(memory.records.list(ANN, kinds=["event"]).records) == events + 3, "evidence is kept"
    chat.tell(other)
    assert {one.id for one in units(memory)} > before, "the control"


@STORY
def test_atlas_tombstone_laundering_sequence(open_memory: Open, story: tuple[str, ...]) -> None:
    name, said, fact, other, query = story
    memory = open_memory(SLOW_MACHINE)
    chat = Chat(memory, ANN, name)
    tomb = rejected(chat, said, fact)
    launder(chat, tomb, said, other)
    inactive(memory, tomb, query)
    memory.close()
    memory = open_memory(SLOW_MACHINE)
    inactive(memory, tomb, query)
    memory.facts.approve(ANN, tomb.id)  # the one way back, and a person's
    assert said_as_current(surfaces(memory, ANN, f"{query} {fact}"), fact)
    chat = Chat(memory, ANN, name)
    chat.tell(said)
    assert fact in chat.facts()


def launder(chat: Chat, tomb: Record, said: str, other: str) -> None:
    """Another value, then the old one again, corroborated, by everybody and everything."""
    memory = chat.memory
    chat.tell(other, said, said)
    for kind in ("fact", "note"):
        with pytest.raises(RefusedError):
            memory.remember(ANN, tomb.text, kind=kind)
        tools.dispatch(memory, "remember", {"text": tomb.text, "kind": kind}, ANN)
    with pytest.raises(RefusedError):
        memory.remember(ANN, "anything", id=tomb.id)
    held = next(iter(memory.facts.list(ANN, ["approved"])))
    names = tools.ALL_TOOLS
    tools.dispatch(memory, "correct", {"id": held.id, "text": tomb.text}, ANN, names=names)
    tools.dispatch(memory, "correct", {"id": tomb.id, "text": "x is y"}, ANN, names=names)
    tools.dispatch(memory, "forget", {"id": tomb.id}, ANN, names=names)
    tools.dispatch(memory, "end", {"new_info": [tomb.text]}, ANN, turn={"sender_name": chat.name})
    assert memory.drain(30)


def test_atlas_tombstone_survives_ttl_and_prune(open_memory: Open) -> None:
    now = [BEGIN]
    memory = open_memory(SLOW_MACHINE, clock=lambda: now[0])
    name, said, fact, other, query = STORIES[0]
    chat = Chat(memory, ANN, name)
    tomb = rejected(chat, said, fact)
    memory.remember(ANN, "Ann is tired", kind="short_term", metadata={"expires": BEGIN + DAY})
    now[0] += 20 * 365 * DAY  # past every life, half-life, age limit and sweep there is
    memory._services.upkeep.expire()
    memory._services.upkeep.summarise_due()
    assert not memory.records.list(ANN, kinds=["short_term"]).records, "the control: lives did end"
    memory.close()
    memory = open_memory(SLOW_MACHINE, clock=lambda: now[0])
    chat = Chat(memory, ANN, name)
    chat.time = now[0]
    memory.maintenance.reembed()
    launder(chat, tomb, said, other)
    inactive(memory, tomb, query)


WHOLE = "Ann lives in Berlin"
SPELLINGS = {
    "zero width": "Ann li\u200bves in Ber\u200clin",
    "soft hyphen": "Ann lives in Ber\u00adlin",
    "joiner and bom": "A\u200dnn lives in Berlin\ufeff",
    "variation selector": "Ann lives in B\ufe0ferlin",
    "tag characters": "Ann lives in Berlin\U000e0041",
    "bidi marks": "\u202aAnn lives\u202c in Berlin",
    "Cyrillic": "Аnn livеs in Веrlіn",
    "whole word Cyrillic": "Ann lives in Вегlіп",
    "Greek": "Αnn livεs in Βerlin",
    "full width": "Ａｎｎ　ｌｉｖｅｓ　ｉｎ　Ｂｅｒｌｉｎ",
    "mathematical": "𝐀𝐧𝐧 𝓁𝒾𝓋ℯ𝓈 𝔦𝔫 𝙱𝚎𝚛𝚕𝚒𝚗",
    "small capitals": "Aɴɴ ʟives in Berlin",
    "circled": "Ⓐⓝⓝ lives in 🅱erlin",
    "combining marks": "A\u0301nn lives in Be\u0308rlin",
    "stacked marks": "Ann lives in B\u0316\u0317\u0318e\u0319rlin",
    "precomposed accents": "Ánn livés in Bérlîn",
    "case": "ANN LIVES IN BERLIN",
    "spaces inside words": "A nn lives in Ber lin",
    "spaces": "  Ann   lives\tin \u00a0Berlin  ",
    "punctuation": "Ann, lives in Berlin!!",
}


@pytest.mark.parametrize("spelt", SPELLINGS.values(), ids=SPELLINGS)
def test_atlas_tombstone_key_normalization_attack(open_memory: Open, spelt: str) -> None:
    memory = open_memory(SLOW_MACHINE)
    chat = Chat(memory, ANN)
    tomb = rejected(chat, STORIES[0][1], WHOLE)
    before = {one.id for one in units(memory)}
    for kind in ("fact", "note", "short_term"):
        with pytest.raises(RefusedError):
            memory.remember(ANN, spelt, kind=kind)
    tools.dispatch(memory, "remember", {"text": spelt}, ANN)
    chat.tell(spelt)
    memory.end_turn(ANN, new_info=spelt, sender_name="Bob")
    assert memory.drain(30)
    assert {one.id for one in units(memory)} == before
    now = memory.records.get(ANN, tomb.id)
    assert now is not None and now.state == "rejected"


def test_atlas_tombstone_key_normalization_attack_in_chinese(open_memory: Open) -> None:
    memory = open_memory(SLOW_MACHINE)
    chat = Chat(memory, ANN, "小安")
    rejected(chat, "我住在柏林", "小安住在柏林")
    for spelt in (
        "小安住在\u200b柏林",
        "小安 住在 柏林。",
        "「小安住在柏林」",
        "小安住在柏\u00ad林",
    ):
        with pytest.raises(RefusedError):
            memory.remember(ANN, spelt)
    assert memory.remember(ANN, "小安住在柏里") is not None, "the control: another word"


@pytest.mark.parametrize(
    "other",
    ["Ann lives in Bern", "Ann does not live in Berlin", "Bob lives in Berlin",
     "Ann worked in Berlin",
     "Ann lives in Berlin 2", "Berlin is where Ann has her home", "Анна живет в Берлине"],
)  # fmt: skip
def test_atlas_tombstone_key_stops_a_statement_and_no_other(open_memory: Open, other: str) -> None:
    """The paraphrase passes, too: it is another statement."""
    memory = open_memory(SLOW_MACHINE)
    rejected(Chat(memory, ANN), STORIES[0][1], WHOLE)
    assert memory.remember(ANN, other) is not None


def test_atlas_tombstone_a_rejection_is_taken_back_by_a_person_only(open_memory: Open) -> None:
    memory = open_memory(SLOW_MACHINE)
    tomb = rejected(Chat(memory, ANN), STORIES[0][1], WHOLE)
    for actor in ("model", "host"):
        with pytest.raises(RefusedError):
            memory.remember(ANN, WHOLE, actor=actor)
    with pytest.raises(RefusedError):
        memory.facts.approve(ANN, tomb.id, actor="model")
    assert memory.remember(ANN, WHOLE, actor="person") == tomb.id, "no second unit"
    now = memory.records.get(ANN, tomb.id)
    assert now is not None and now.state == "approved" and now.data["recorded_by"] == "person"
    memory.facts.reject(ANN, tomb.id)
    page = memory.profiles.source(ANN)
    memory.profiles.edit(ANN, f"{page.body if page else ''}\n- {WHOLE}\n", page)
    now = memory.records.get(ANN, tomb.id)
    assert now is not None and now.state == "approved", "a line on the page is a person's word"


def test_atlas_tombstone_a_standing_instruction_that_was_rejected(open_memory: Open) -> None:
    memory = open_memory(SLOW_MACHINE)
    chat = Chat(memory, ANN)
    chat.tell("Always answer in French.")
    (fact,) = memory.facts.list(ANN, ["approved"])
    assert "French" in memory.context(ANN, "hello")
    memory.facts.reject(ANN, fact.id)
    chat.tell("Always answer in French.", "ALWAYS answer in Frеnch.")
    assert said_as_current([memory.context(ANN, "hello")], "answer in French") == []
    assert [one.state for one in memory.facts.list(ANN)] == ["rejected"]
    chat.tell("Always answer in German.")
    assert "German" in memory.context(ANN, "hello"), "the control"


def test_atlas_tombstone_looking_it_up_costs_next_to_nothing(open_memory: Open) -> None:
    """At every write of the place, however many records it has; as do conflicts, for each block."""
    memory = open_memory(SLOW_MACHINE, embedder=None)
    memory.remember_many(ANN, ({"text": f"note {n} of Ann"} for n in range(20_000)))

    def spent(state: str) -> float:
        begun = time.process_time()
        memory._services.runtime.parts.store.find(ANN.home, ("fact",), (state,), 100)
        return time.process_time() - begun

    scan = spent("candidate")
    for state in ("rejected", "conflict"):
        usual = sorted(spent(state) for _ in range(30))[15]
        assert usual * 10 < scan, f"{state}: by its index, not by a scan"
