"""Living documents: an agent's MEMORY.md and notes, by path, with versions."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from taishi import InputError, Memory, Scope, VersionError
from taishi.errors import RefusedError

BOT = Scope(agent="coder")
ANN = Scope(user="ann")


def test_T5_a_note_is_written_read_listed_and_removed(memory: Memory) -> None:
    assert memory.notes.read(BOT) is None
    first = memory.notes.write(BOT, "MEMORY.md", "# Me\n\nI prefer tabs.", expected_version=0)
    assert first is not None and first.version == 1
    memory.notes.write(BOT, "notes/plan.md", "# Plan\n\nShip the parser on Friday.")
    assert memory.notes.read(BOT) == first
    assert [one.path for one in memory.notes.list(BOT)] == ["MEMORY.md", "notes/plan.md"]
    assert memory.notes.read(ANN) is None and memory.notes.list(ANN) == []
    assert memory.knowledge.list(BOT) == [], "notes are not documents that somebody added"
    hit = memory.knowledge.search(BOT, "when does the parser ship?").hits[0]
    assert "Friday" in hit.text
    assert hit.metadata["citation"] == "notes/plan.md › Plan"
    assert memory.notes.remove(BOT, "notes/plan.md")
    assert not memory.notes.remove(BOT, "notes/plan.md")
    assert not any("Friday" in one.text for one in memory.knowledge.search(BOT, "Friday").hits)
    assert memory.notes.remove(BOT, "MEMORY.md")
    assert memory.records.list(BOT).records == ()


def test_T5_a_write_on_an_old_version_is_refused_and_history_is_kept(memory: Memory) -> None:
    memory.notes.write(BOT, "MEMORY.md", "one")
    memory.notes.write(BOT, "MEMORY.md", "two", expected_version=1)
    with pytest.raises(VersionError, match="version 2, not 1"):
        memory.notes.write(BOT, "MEMORY.md", "three", expected_version=1)
    with pytest.raises(VersionError):
        memory.notes.write(BOT, "MEMORY.md", "new", expected_version=0)
    for n in range(3, 20):
        memory.notes.write(BOT, "MEMORY.md", f"text {n}")
    versions = memory.notes.history(BOT, "MEMORY.md")
    assert [one.version for one in versions] == list(range(19, 8, -1))
    assert versions[1].text == "text 18"
    assert memory.notes.history(BOT, "notes/none.md") == []


def test_T5_what_two_append_at_once_is_all_there(memory: Memory) -> None:
    def add(name: str) -> None:
        for n in range(8):
            memory.notes.append(BOT, "notes/log.md", f"- {name}{n}")

    threads = [threading.Thread(target=add, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    note = memory.notes.read(BOT, "notes/log.md")
    assert note is not None and note.version == 16
    assert sorted(note.text.split()) == sorted(
        ["-"] * 16 + [f"{c}{n}" for c in "ab" for n in range(8)]
    )


def test_T5_the_head_of_memory_md_is_in_every_block_of_its_scope(open_memory: Any) -> None:
    memory = open_memory({"query.recall_timeout": 5.0, "knowledge.notes_head_tokens": 30})
    lines = ["# Me", "- I answer in short sentences.", *(f"- Rule {n} is long." for n in range(50))]
    memory.notes.write(BOT, "MEMORY.md", "\n".join(lines))
    memory.drain()
    block = memory.context(BOT, "an unrelated question about sailing")
    assert "Own notes (MEMORY.md):" in block
    assert "I answer in short sentences." in block
    assert "Rule 49" not in block
    assert "short sentences" not in memory.context(ANN, "an unrelated question about sailing")
    assert "Rule 49" in memory.knowledge.search(BOT, "Rule 49").hits[0].text


def test_T5_an_empty_note_is_a_note(memory: Memory) -> None:
    memory.notes.write(BOT, "MEMORY.md", "words that go")
    memory.notes.write(BOT, "MEMORY.md", "")
    note = memory.notes.read(BOT)
    assert note is not None and (note.text, note.version) == ("", 2)
    assert memory.knowledge.search(BOT, "words that go").hits == ()


@pytest.mark.parametrize(
    "path",
    ["", "/etc/passwd.md", "../x.md", "a/../b.md", "a//b.md", "a\\b.md", "a\0.md",
     " a.md", "notes/ a.md", "notes /a", "a\u200bb.md", "a\u202egpj.md", "e\u0301.md", "a/",
     "keys/sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD.md", "notes/" + "x" * 300 + ".md",
     "a/./b.md", 7, None, "\udc80.md"],
)  # fmt: skip
def test_T5_odd_paths_are_refused(memory: Memory, path: Any) -> None:
    for verb in (memory.notes.read, memory.notes.remove, memory.notes.history):
        with pytest.raises(InputError):
            verb(BOT, path)
    with pytest.raises(InputError):
        memory.notes.write(BOT, path, "text")


def test_T5_secrets_and_megabytes_are_not_kept(memory: Memory) -> None:
    secret = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"
    note = memory.notes.write(BOT, "MEMORY.md", f"key {secret}")
    assert note is not None and secret not in note.text
    with pytest.raises(RefusedError):
        memory.notes.append(BOT, "MEMORY.md", "a" * 1_000_000)
    with pytest.raises(InputError):
        memory.notes.write(BOT, "MEMORY.md", 7)  # type: ignore[arg-type]


def test_O2_notes_go_with_export_and_forget(open_memory: Any, tmp_path: Any) -> None:
    memory = open_memory()
    memory.notes.write(BOT, "MEMORY.md", "An elderberry bush.")
    memory.notes.write(BOT, "MEMORY.md", "A quince tree stands there.")
    other = open_memory(folder=tmp_path / "other")
    other.transfer.import_records(list(memory.transfer.export()))
    assert other.notes.history(BOT, "MEMORY.md") == memory.notes.history(BOT, "MEMORY.md")
    words = memory.deletions.traces(BOT)
    memory.forget(BOT)
    assert memory.deletions.prove(BOT, [*words, "elderberry bush", "quince tree"]).found == ()
    assert memory.notes.read(BOT) is None
