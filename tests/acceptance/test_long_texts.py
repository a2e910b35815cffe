"""Q9: long texts are searched by passage; a record stays one record."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.hash_embedder import HashEmbedder
from taishi import Memory, Scope
from taishi.language.passages import cut

ANN = Scope(user="ann")
Open = Callable[..., Memory]

CHAT = "We talked about the weather and about nothing much in particular that afternoon. "
NEEDLE = "The spare key of the boathouse hangs behind the green barometer."
LONG = CHAT * 12 + NEEDLE + " " + CHAT * 12
QUESTION = "where hangs the spare key of the boathouse"
闲聊 = "那天下午我们聊了聊天气，没有什么特别的事情。"
中文长文 = 闲聊 * 40 + "船屋的备用钥匙挂在绿色气压计后面。" + 闲聊 * 40


def remembered(memory: Memory, text: str, **fields: Any) -> str:
    id = memory.remember(ANN, text, kind="note", **fields)
    memory.drain()
    return id


def found_in(memory: Memory, question: str = QUESTION) -> str:
    """The passage that the first hit shows."""
    first = memory.recall(ANN, question).hits[0]
    assert first.passage is not None
    return first.text[first.passage.start : first.passage.end]


@pytest.mark.parametrize("embedder", [HashEmbedder, None], ids=["hybrid", "keyword"])
@pytest.mark.parametrize(
    ("text", "question", "needle"),
    [(LONG, QUESTION, "green barometer"), (中文长文, "船屋的备用钥匙挂在哪里", "绿色气压计")],
    ids=["en", "zh"],
)
def test_Q9_the_passage_that_matched_is_told_and_shown(
    open_memory: Open, embedder: Any, text: str, question: str, needle: str
) -> None:
    memory = open_memory({"query.recall_timeout": 5.0}, embedder)
    id = remembered(memory, text)
    (hit,) = memory.recall(ANN, question, floor=0.0).hits
    assert (hit.id, hit.text) == (id, text), "a record stays one record"
    assert hit.passage in cut(text)
    assert needle in hit.excerpt
    assert hit.excerpt.startswith("…") and hit.excerpt.endswith("…")
    block = memory.context(ANN, question)
    assert needle in block
    assert len(block) < len(text)


def test_Q9_a_short_text_has_no_passage(memory: Memory) -> None:
    remembered(memory, NEEDLE)
    (hit,) = memory.recall(ANN, QUESTION).hits
    assert hit.passage is None
    assert hit.excerpt == NEEDLE


def test_Q9_one_passage_beats_texts_that_are_near_as_a_whole(memory: Memory) -> None:
    for n in range(8):
        memory.remember(ANN, f"{CHAT} We met at the boathouse, number {n}.")
    id = remembered(memory, LONG)
    assert memory.recall(ANN, QUESTION).hits[0].id == id


def test_Q9_passages_are_counted_beside_records(memory: Memory) -> None:
    remembered(memory, LONG)
    remembered(memory, NEEDLE)
    memory.recall(ANN, QUESTION)
    status = memory.status()
    assert status["index"]["rows"] == 2
    assert status["index"]["passages"] == len(cut(LONG))
    assert status["records"]["note"] == 2


def test_Q9_explain_names_the_passage(memory: Memory) -> None:
    remembered(memory, LONG)
    found = memory.recall(ANN, QUESTION, explain=True)
    (one,) = found.explain
    assert one.passage == found.hits[0].passage
    assert one.passage is not None


def test_Q9_a_changed_text_is_cut_anew(memory: Memory) -> None:
    id = remembered(memory, LONG)
    assert "barometer" in found_in(memory)
    memory.records.update(ANN, id, text=LONG.replace("barometer", "thermometer"))
    memory.drain()
    assert "green thermometer" in found_in(memory)
    memory.records.update(ANN, id, text=NEEDLE)
    memory.drain()
    assert memory.recall(ANN, QUESTION).hits[0].passage is None


def test_Q9_a_passage_is_gone_with_its_record(memory: Memory) -> None:
    id = remembered(memory, LONG)
    found_in(memory)
    memory.forget(ANN, id=id)
    assert memory.recall(ANN, QUESTION, floor=0.0).hits == ()
    remembered(memory, LONG)
    found_in(memory)
    memory.forget(ANN)
    assert memory.deletions.prove(ANN, ["green barometer"])
    assert memory.recall(ANN, QUESTION, floor=0.0).hits == ()


def test_Q9_another_process_sees_the_passages(open_memory: Open) -> None:
    one, other = open_memory(), open_memory()
    other.recall(ANN, QUESTION)
    remembered(one, LONG)
    assert "barometer" in found_in(other)
    again = open_memory()
    assert "barometer" in found_in(again)


def test_Q9_passages_are_embedded_again_with_the_text(open_memory: Open) -> None:
    memory = open_memory()
    remembered(memory, LONG)
    assert memory.maintenance.reembed() == 1
    assert "barometer" in found_in(memory), "its words are still there"
    memory.drain()
    assert "barometer" in found_in(memory)
    assert memory.status()["index"]["passages"] == len(cut(LONG))


def test_Q9_an_imported_text_gets_its_passages(open_memory: Open, tmp_path: Path) -> None:
    memory = open_memory()
    remembered(memory, LONG)
    remembered(memory, "Ann sails on Sundays")
    lines = list(memory.transfer.export(vectors=True))
    other = open_memory(folder=tmp_path / "other")
    other.transfer.import_records(lines)
    assert other.status()["records"]["unembedded"] == 1, "only the long one waits"
    other.drain()
    assert "barometer" in found_in(other)
    assert other.status()["index"]["passages"] == len(cut(LONG))


def test_Q9_what_is_redacted_on_the_way_out_is_in_no_passage(open_memory: Open) -> None:
    secret = "sk-abcdefghijklmnopqrstuvwx1234567890"
    text = CHAT * 12 + f"The key of the boathouse gate is {secret} and nothing else. " + CHAT * 12
    memory = open_memory()
    remembered(memory, text)
    (hit,) = memory.recall(ANN, "the key of the boathouse gate", floor=0.0).hits
    assert secret not in hit.text + hit.excerpt
    assert "boathouse gate" in hit.excerpt


def test_Q9_the_same_question_again_tells_the_same_passage(open_memory: Open) -> None:
    memory = open_memory({"cache.results_minutes": 5.0})
    remembered(memory, LONG)
    first, second = (memory.recall(ANN, QUESTION).hits[0] for _ in range(2))
    assert first.passage == second.passage is not None
