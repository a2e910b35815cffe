"""An event that a person writes anew says the same to all: block, recall, pages, exports."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from support.running_app import RunningApp
from taishi import Memory, Scope
from taishi.api_keys import Keys
from taishi.domain.edited_events import edited, retellings
from taishi.domain.pending_edits import PendingEdits
from taishi.server.app import create_app
from taishi.types import Partition, Record

ANN = Scope(user="ann", session="s1")
BOOKED = "the assistant's part: Taishi booked a table for five at Bella"
LEAKS = "Ann: The roof of the shed leaks"
BED_ZH = "医生说周三没床位，手术改到下周五了"
BED_NEW = "手术改到2026年6月19日了，医生说2026年6月17日没床位"


def told(memory: Memory, name: str, news: str | Sequence[str], did: str = "") -> Record:
    memory.end_turn(ANN, did, news, sender_name=name, time="2026-06-10T10:00:00Z")
    memory.drain()
    return memory.records.newest(ANN, kinds=["event"]).records[0]


def shown(memory: Memory, question: str) -> str:
    """The lines of the prompt block that tell something."""
    block = memory.context(ANN, question, deadline=5)
    return "\n".join(line for line in block.splitlines() if line.startswith("- "))


@pytest.mark.parametrize(
    ("name", "news", "text", "question", "new", "old"),
    [
        ("苏晓棠", [BED_ZH], lambda text: BED_NEW, "我手术是哪天", BED_NEW, "下周五"),
        ("苏晓棠", [BED_ZH], lambda text: text.partition("：")[0] + "：" + BED_NEW, "手术", BED_NEW,
         "周三"),
        ("阿杰", ["我周六去爬山"], lambda text: text.replace("13日", "14日"), "爬山",
         "阿杰2026年6月14日去爬山", "13日"),
        ("Ann", ["My exam is on 2026-06-13"], lambda text: text.replace("13", "14"), "exam",
         "exam is on 2026-06-14", "2026-06-13"),
        ("Ann", ["The dentist moved to 09:30", "I keep bees in Galway"],
         lambda text: text.replace("09:30", "11:15"), "dentist bees",
         "11:15; Ann keeps bees in Galway", "09:30"),
        ("Ann", ["The dentist moved to 09:30", "The roof leaks again"],
         lambda text: "The dentist moved to 11:15", "dentist roof",
         "Ann: The dentist moved to 11:15", "leaks"),
    ],
)  # fmt: skip
def test_P5_an_edited_event_says_what_the_person_wrote_and_nothing_else(
    open_memory: Callable[..., Memory],
    name: str,
    news: list[str],
    text: Callable[[str], str],
    question: str,
    new: str,
    old: str,
) -> None:
    memory = open_memory({"query.recall_timeout": 5.0})
    event = told(memory, name, news)
    words = text(event.text)
    assert words != event.text
    changed = memory.records.update(ANN, event.id, text=words, actor="person")
    assert changed.text == words
    assert new in shown(memory, question) and old not in shown(memory, question)
    hits = [hit for hit in memory.recall(ANN, question).hits if hit.kind == "event"]
    assert [hit.text for hit in hits] == [words]
    lines = [json.loads(line) for line in memory.transfer.export(ANN) if line.strip()]
    (exported,) = [one for one in lines if one.get("kind") == "event"]
    assert exported["text"] == words
    assert old not in json.dumps([exported["data"]["new_info"], exported["data"]["did_what"]])
    assert [one.text for one in memory.records.versions(ANN, event.id)] == [words, event.text]


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (("five", "six"), f"{BOOKED.replace('five', 'six')}; {LEAKS}"),
        (("the shed", "the barn"), f"{BOOKED}; {LEAKS.replace('the shed', 'the barn')}"),
        ((f"; {LEAKS}", ""), BOOKED),
        ((f"{BOOKED}; ", ""), LEAKS),
        ((f"five at Bella; {LEAKS}", "six, and the roof leaks"),
         "the assistant's part: Taishi booked a table for six, and the roof leaks"),
    ],
)  # fmt: skip
def test_what_the_assistant_did_is_not_put_into_a_persons_mouth(
    open_memory: Callable[..., Memory], change: tuple[str, str], line: str
) -> None:
    memory = open_memory({"query.recall_timeout": 5.0})
    event = told(
        memory, "Ann", "The roof of the shed leaks", "Taishi booked a table for five at Bella"
    )
    memory.records.update(ANN, event.id, text=event.text.replace(*change))
    assert event.text.endswith(f"{BOOKED}; {LEAKS}")
    assert shown(memory, "table at Bella roof of the shed").partition("] ")[2] == line


def test_a_time_or_name_that_a_person_puts_in_front_stays_there() -> None:
    header = "2026-06-10 10:00 (UTC), Ann: "
    event = _event(f"{header}the dentist is on Monday", ["the dentist is on Monday"])
    other = edited(event, "2026-06-11 10:00 (UTC), Bob: the dentist is on Monday")
    assert other.data["new_info"] == [other.text] and other.data["names_speakers"]
    same = edited(event, f"{header}the dentist is on Tuesday")
    assert same.data["new_info"] == ["the dentist is on Tuesday"]
    assert "names_speakers" not in same.data


def test_marks_and_notes_of_the_old_words_go_with_them() -> None:
    notes = [
        {"said": "Ann likes kiwi", "now": "Ann likes mango", "why": ""},
        {"said": "Ann lives in Rome", "now": "Ann lives in Oslo", "why": ""},
    ]
    event = _event("Ann likes kiwi; she moved to Rome", ["Ann likes kiwi; she moved to Rome"])
    event = replace(event, data={**event.data, "corrections": notes, "is_absolute": False})
    new = edited(event, "Ann likes plums; Ann moved to Rome")
    assert [one["said"] for one in new.data["corrections"]] == ["Ann lives in Rome"]
    assert new.data["is_absolute"] and new.data["warnings"] == []
    vague = edited(event, "Ann likes plums since yesterday")
    assert not vague.data["is_absolute"] and "yesterday" in vague.data["warnings"][0]
    assert edited(new, new.text) == new


def test_other_tellings_and_the_summary_say_what_became_of_it() -> None:
    event = _event("The dentist moved to 09:30; Bo has a cold", ["The dentist moved to 09:30",
                                                               "Bo has a cold"])  # fmt: skip
    event = replace(event, data={**event.data, "retained_turn": {
        "new_info": ["dentist is at 9:30 now", "Bo has a cold"]}})  # fmt: skip
    place = event.place
    beside = replace(event, id="t:1:2", text="Bo heard of it",
                     data={**event.data, "perspective_of": "t:1"})  # fmt: skip
    summary = Record(id="summary:s1", place=place, kind="summary", session="s1",
                     text="Ann: dentist is at 9:30 now. Bo has a cold.")  # fmt: skip
    elsewhere = replace(summary, id="summary:s2", session="s2")
    again = replace(event, id="t:2")
    records = PendingEdits(_Records([event, beside, summary, elsewhere, again]))
    edits = list(retellings(records, event, "The dentist moved to 11:15; Bo has a cold"))
    noted = {one.record.id: one.record.data["corrections"] for one in edits if one.record}
    assert {id: [one["now"] for one in notes] for id, notes in noted.items()} == {
        "t:1:2": ["The dentist moved to 11:15"],
        "summary:s1": ["The dentist moved to 11:15"],
    }
    gone = list(retellings(records, event, "Bo has a cold"))
    assert {one.record.data["corrections"][0]["now"] for one in gone if one.record} == {""}
    assert list(retellings(records, event, f"{event.text}!")) == []


def test_the_command_line_names_what_is_told_no_more(run: Callable[..., Result], tmp_path: Path
) -> None:  # fmt: skip
    here = ["--data", str(tmp_path / "data"), "--user", "ann"]
    with Memory.open(tmp_path / "data") as memory:
        scope = Scope(user="ann")
        news = ["The dentist moved to 09:30", "I live in Galway"]
        id = memory.end_turn(scope, new_info=news, sender_name="Ann")
        memory.drain()
    assert id is not None
    done = run("records", "update", id, "--text", "The dentist moved to 11:15", *here)
    assert done.exit_code == 0 and done.stdout.startswith("The dentist moved to 11:15\n")
    assert "no longer told: Ann lives in Galway" in done.stderr
    assert "learned from it, and still known" in done.stderr
    chinese = run("--lang", "zh", "records", "update", id, "--text", "see page 3", *here)
    assert "不再记有" not in chinese.stderr, "of one statement, it goes without saying"
    assert "仍然成立" in chinese.stderr


def test_over_a_server_it_is_the_same(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory({"query.recall_timeout": 5.0})
    event = told(memory, "Ann", "My exam is on 2026-06-13")
    app = create_app(memory, keys=Keys(memory.status()["folder"]))
    with RunningApp(app, memory.settings.server) as server, Memory.open(server.url) as remote:
        remote.records.update(ANN, event.id, text=event.text.replace("13", "14"))
        for one in (memory, remote):
            assert "2026-06-14" in shown(one, "exam") and "06-13" not in shown(one, "exam")


def test_what_was_edited_is_read_again_in_the_persons_words(
    open_memory: Callable[..., Memory],
) -> None:
    memory = open_memory()
    event = told(memory, "Ann", "I live in Galway")
    memory.records.update(ANN, event.id, text=event.text.replace("Galway", "Cork"))
    memory.maintenance.rebuild(ANN)
    event = memory.records.newest(ANN, kinds=["event"]).records[0]
    assert event.data["new_info"] == ["Ann lives in Cork"]


class _Records:
    def __init__(self, records: Sequence[Record]) -> None:
        self._records = records

    def get(self, place: Partition, id: str) -> Record | None:
        return next((one for one in self._records if one.id == id), None)

    def find(
        self, place: Partition, kinds: Sequence[str], states: Any = None, limit: int = 1000
    ) -> list[Record]:
        return [one for one in self._records if one.kind in kinds]


def _event(text: str, news: list[str]) -> Record:
    data = {"did_what": "", "new_info": news, "has_new_info": True}
    return Record(id="t:1", place=ANN.home, kind="event", text=text, speaker="Ann", user="ann",
                  session="s1", data=data)  # fmt: skip
