"""A forgotten person's name goes from what the engine itself wrote down of others' turns (O2)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from taishi import Memory, Message, Scope
from taishi.types import Edit

XIAOHUI, SHI, NAMESAKE = (Scope(user=id, group="anglers") for id in ("11", "12", "13"))
PERSON = Scope(user="11")
NAME = "慕容小卉"


def tell(memory: Memory, scope: Scope, name: str | None, text: str, *before: Message) -> None:
    said = Message(text, speaker=name, speaker_id=scope.user, time="2026-03-14 20:05")
    memory.consider(
        scope, [*before, said], sender_name=name, group_name="钓友", time="2026-03-14 20:05"
    )
    assert memory.drain(30)


def asked(name: str, id: str | None = "11", text: str = "周末有人去水库吗") -> Message:
    return Message(text, speaker=name, speaker_id=id, time="2026-03-14 20:01")


def events(memory: Memory) -> list[dict[str, Any]]:
    lines = map(json.loads, memory.transfer.export())
    return [one for one in lines if one.get("kind") == "event"]


def participants(memory: Memory) -> list[list[str]]:
    return [one["data"]["context"]["participants"] for one in events(memory)]


def holds(folder: Path, word: str) -> list[str]:
    files = (file for file in folder.rglob("*") if file.is_file())
    return [file.name for file in files if word.encode() in file.read_bytes()]


@pytest.fixture(params=[True, False], ids=["with own turns", "without"])
def filled(memory: Memory, request: pytest.FixtureRequest) -> Iterator[Memory]:
    if request.param:
        tell(memory, XIAOHUI, NAME, "我住在宁波")
    tell(memory, SHI, "阿拾", "我周末去水库钓鱼，我不吃香菜", asked(NAME))
    tell(memory, SHI, "阿拾", "我搬到鄞州了", asked(NAME, text="哈哈"))
    yield memory


def test_O2_the_name_goes_from_the_events_of_others(filled: Memory, tmp_path: Path) -> None:
    words = filled.deletions.traces(PERSON)
    assert NAME in words
    assert NAME in "".join(filled.transfer.export())
    filled.forget(PERSON, actor="person")
    assert filled.deletions.prove(PERSON, words)
    assert participants(filled) == [["阿拾"], ["阿拾"]]
    found = filled.recall(SHI, "水库", kinds=["event"]).hits
    assert [hit.metadata["context"]["participants"] for hit in found] == [["阿拾"]]
    assert NAME not in "".join(filled.transfer.export())
    assert not holds(tmp_path, NAME) and not holds(tmp_path, "周末有人去水库吗")


def test_O2_the_proof_finds_a_name_that_is_left(filled: Memory) -> None:
    words = filled.deletions.traces(PERSON)
    store = filled._services.runtime.parts.store
    left = list(store.find(SHI.home, ("event",)))
    filled.forget(PERSON, actor="person")
    assert filled.deletions.prove(PERSON, words)
    for event in left:
        turn = {**event.data["retained_turn"], "messages": []}
        if event.user == "12":
            store.apply([Edit("put", replace(event, data={**event.data, "retained_turn": turn}))])
    found = filled.deletions.prove(PERSON, words).found
    assert {one.what for one in found} == {NAME}


def test_O2_a_name_within_what_others_say_is_theirs(memory: Memory) -> None:
    tell(memory, XIAOHUI, NAME, "我住在宁波")
    tell(memory, SHI, "阿拾", f"我上周和{NAME}去了水库钓鱼", asked(NAME))
    words = memory.deletions.traces(PERSON)
    memory.forget(PERSON, actor="person")
    proof = memory.deletions.prove(PERSON, words)
    assert proof, proof.found
    [event] = events(memory)
    assert NAME in event["text"] and event["data"]["context"]["participants"] == ["阿拾"]


@pytest.mark.parametrize("id", ["13", None])
def test_O2_somebody_else_of_the_same_name_keeps_it(memory: Memory, id: str | None) -> None:
    tell(memory, NAMESAKE, "小卉", "我周末去水库钓鱼", asked("小卉"))
    tell(memory, SHI, "阿拾", "我搬到鄞州了", asked("小卉", id))
    words = memory.deletions.traces(PERSON)
    memory.forget(PERSON, actor="person")
    assert memory.deletions.prove(PERSON, words)
    assert participants(memory) == [["小卉"], ["阿拾", "小卉"]]


def test_O2_another_workspace_keeps_it(memory: Memory) -> None:
    tell(memory, replace(SHI, workspace="w2"), "阿拾", "我搬到鄞州了", asked(NAME))
    tell(memory, XIAOHUI, NAME, "我住在宁波")
    memory.forget(PERSON, actor="person")
    assert participants(memory) == [["阿拾", NAME]]


def test_O2_a_long_name_of_many_words(memory: Memory) -> None:
    name = "Wilhelmina Featherstonehaugh-Cholmondeley"
    tell(memory, SHI, "Ash", "I moved to Yinzhou", asked(name, text="Who goes to the lake?"))
    words = memory.deletions.traces(PERSON)
    memory.forget(PERSON, actor="person")
    assert memory.deletions.prove(PERSON, words)
    assert participants(memory) == [["Ash"]]


def test_O2_what_waits_in_the_queue_has_no_name_left(memory: Memory, tmp_path: Path) -> None:
    tell(memory, XIAOHUI, NAME, "我住在宁波")
    said = Message("我搬到鄞州了", speaker="阿拾", speaker_id="12", time="2026-03-14 20:05")
    memory.consider(SHI, [asked(NAME), said], sender_name="阿拾", time="2026-03-14 20:05")
    memory.forget(PERSON, actor="person")
    assert not holds(tmp_path, NAME)
    assert memory.drain(30) and participants(memory) == [["阿拾"]]


def test_O2_an_older_export_does_not_bring_the_name_back(filled: Memory) -> None:
    lines = list(filled.transfer.export())
    filled.forget(PERSON, actor="person")
    filled.transfer.import_records(lines)
    assert participants(filled) == [["阿拾"], ["阿拾"]]
    assert NAME not in "".join(filled.transfer.export())


def test_O2_the_event_as_it_was_for_the_person_goes(
    memory: Memory, open_memory: Callable[..., Memory]
) -> None:
    tell(memory, XIAOHUI, NAME, "我住在宁波")
    tell(memory, SHI, "阿拾", "我把鱼竿借出去了", asked(NAME))
    store = memory._services.runtime.parts.store
    [event] = [one for one in store.find(SHI.home, ("event",)) if one.user == "12"]
    data = {key: value for key, value in event.data.items() if key != "retained_turn"}
    for number, whose in enumerate((NAME, "阿拾"), start=1):
        told = replace(event, id=f"{event.id}:{number}", owner=f"o{number}")
        more = {**data, "perspective": whose, "perspective_of": event.id}
        store.apply([Edit("put", replace(told, data=more))])
    memory.forget(PERSON, actor="person")
    assert [one["data"].get("perspective") for one in events(memory)] == [None, "阿拾"]
    assert participants(memory) == [["阿拾"], ["阿拾"]]
