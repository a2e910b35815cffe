"""Notes as pages by path: exact text, compare-and-set, renames, folders, repeated operations."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from taishi import InputError, Memory, OperationError, Scope, VersionError
from taishi.errors import RefusedError
from taishi.ports.knowledge import NoteRemoval

BOT, ANN = Scope(agent="coder"), Scope(user="ann")
SECRET = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"


def paths(memory: Memory, scope: Scope = BOT, **only: Any) -> list[str]:
    return [note.path for note in memory.notes.list(scope, **only)]


@pytest.mark.parametrize(
    "text",
    ["", "\n", "a\r\nb\r\n", "a\rb", "tail  \n\n\n", "\ttab\x0b\x0c",
     "😀👩‍👩‍👧 é e\u0301", "\ufeffbom",
     "%PDF-1.7 is how it begins", "PK\x03\x04", "<html><body>x", "太史公曰：\u3000究",
     "\x1b[0m \x7f"],
)  # fmt: skip
@pytest.mark.parametrize("path", ["a.md", "a.txt", "data.json", "x.pdf", "无扩展名", ".hidden/x y"])
def test_T5_a_text_is_given_back_exactly(memory: Memory, path: str, text: str) -> None:
    written = memory.notes.write(BOT, path, text)
    assert written is not None and written.text == text and written.redacted == ()
    assert memory.notes.read(BOT, path) == written


def test_T5_what_cannot_be_kept_is_said(memory: Memory) -> None:
    note = memory.notes.write(BOT, "a.env", f"OPENAI_API_KEY={SECRET}\nPORT=1")
    assert note is not None and SECRET not in note.text and "PORT=1" in note.text
    assert note.redacted and all(f"[redacted:{kind}]" in note.text for kind in note.redacted)
    again = memory.notes.read(BOT, "a.env")
    assert again == note
    assert note.redacted != () and memory.notes.write(BOT, "b", "x\0y\ud800").redacted == (  # type: ignore[union-attr]
        "unstorable",
    )


def test_T5_removal_compares_versions_and_leaves_nothing(memory: Memory) -> None:
    memory.notes.write(BOT, "a.md", "one")
    memory.notes.write(BOT, "a.md", "two")
    with pytest.raises(VersionError, match="version 2, not 1") as refused:
        memory.notes.remove(BOT, "a.md", expected_version=1)
    assert refused.value.version == 2
    assert memory.notes.remove(BOT, "a.md", expected_version=2) == NoteRemoval(1)
    assert memory.notes.remove(BOT, "a.md", expected_version=0) == NoteRemoval(0)
    assert memory.notes.history(BOT, "a.md") == []
    assert memory.records.list(BOT).records == ()
    with pytest.raises(VersionError) as refused:
        memory.notes.remove(BOT, "a.md", expected_version=2)
    assert refused.value.version == 0


def test_T5_a_version_never_comes_back_with_another_text(memory: Memory) -> None:
    """Whoever read version 1 must not overwrite the note that took the place of that one."""
    memory.notes.write(BOT, "a.md", "first")
    memory.notes.remove(BOT, "a.md")
    new = memory.notes.write(BOT, "a.md", "second", expected_version=0)
    assert new is not None and new.version == 2 and not new.existed
    with pytest.raises(VersionError):
        memory.notes.write(BOT, "a.md", "on the first", expected_version=1)
    memory.notes.write(BOT, "b.md", "other")
    memory.notes.rename(BOT, "a.md", "c.md")
    third = memory.notes.write(BOT, "a.md", "third", expected_version=0)
    assert third is not None and third.version == 3
    (moved,) = memory.notes.rename(BOT, "b.md", "d.md")
    assert moved.version > 2


def test_T5_a_note_is_renamed_with_its_history_and_is_found_there(memory: Memory) -> None:
    memory.notes.write(BOT, "drafts/a.md", "# Plan\n\nThe parser ships on Monday.")
    memory.notes.write(BOT, "drafts/a.md", "# Plan\n\nThe parser ships on Friday.")
    (moved,) = memory.notes.rename(BOT, "drafts/a.md", "plan.txt", expected_version=2)
    assert (moved.path, moved.version, moved.text[-7:]) == ("plan.txt", 3, "Friday.")
    assert paths(memory) == ["plan.txt"]
    assert [one.version for one in memory.notes.history(BOT, "plan.txt")] == [3, 2, 1]
    assert {one.path for one in memory.notes.history(BOT, "plan.txt")} == {"plan.txt"}
    assert memory.notes.read(BOT, "drafts/a.md") is None
    hits = memory.knowledge.search(BOT, "when does the parser ship?").hits
    assert {hit.metadata["name"] for hit in hits} == {"plan.txt"}
    assert memory.notes.rename(BOT, "drafts/a.md", "x.md") == []
    with pytest.raises(VersionError, match=r"plan\.txt has version 3"):
        memory.notes.rename(BOT, "plan.txt", "x.md", expected_version=2)


def test_T5_a_folder_is_renamed_and_removed_whole(memory: Memory) -> None:
    for path in ("a/1.md", "a/b/2.txt", "ab/3.md", "top.md"):
        memory.notes.write(BOT, path, f"text of {path}")
    moved = memory.notes.rename(BOT, "a", "z/deep")
    assert [note.path for note in moved] == ["z/deep/1.md", "z/deep/b/2.txt"]
    assert paths(memory) == ["ab/3.md", "top.md", "z/deep/1.md", "z/deep/b/2.txt"]
    for old, new in (("z", "z/y"), ("top.md", "top.md/x")):
        with pytest.raises(InputError, match="inside"):
            memory.notes.rename(BOT, old, new)
    with pytest.raises(VersionError, match="exists already") as taken:
        memory.notes.rename(BOT, "ab/3.md", "top.md")
    assert taken.value.version == 1
    with pytest.raises(InputError, match="is a folder already"):
        memory.notes.rename(BOT, "ab/3.md", "z/deep")
    with pytest.raises(InputError, match="is a note, so nothing"):
        memory.notes.rename(BOT, "ab", "top.md/ab")
    with pytest.raises(InputError, match="folder=True"):
        memory.notes.remove(BOT, "z")
    assert memory.notes.remove(BOT, "z", folder=True).removed == 2
    assert memory.notes.remove(BOT, "z", folder=True).removed == 0
    with pytest.raises(InputError, match="leave expected_version out"):
        memory.notes.remove(BOT, "ab", folder=True, expected_version=1)
    memory.notes.write(ANN, "hers.md", "stays")
    assert memory.notes.remove(BOT, "", folder=True).removed == 2
    assert paths(memory) == [] and paths(memory, ANN) == ["hers.md"]
    assert memory.records.list(BOT).records == ()
    with pytest.raises(InputError):
        memory.notes.remove(BOT, "")


def test_T5_a_path_is_a_note_or_a_folder(memory: Memory) -> None:
    memory.notes.write(BOT, "a/b.md", "x")
    with pytest.raises(InputError, match="a is a folder"):
        memory.notes.write(BOT, "a", "x")
    with pytest.raises(InputError, match=r"a/b\.md is a note"):
        memory.notes.append(BOT, "a/b.md/c/d", "x")
    memory.notes.write(ANN, "a", "another scope is another place")


def test_T5_notes_are_listed_by_prefix_and_limit(memory: Memory) -> None:
    for path in ("b/2.md", "b/1.md", "b.md", "a.md", "日记/一.md"):
        memory.notes.write(BOT, path, "x")
    assert paths(memory) == ["a.md", "b.md", "b/1.md", "b/2.md", "日记/一.md"]
    assert paths(memory, prefix="b/") == ["b/1.md", "b/2.md"]
    assert paths(memory, prefix="b", limit=2) == ["b.md", "b/1.md"]
    assert paths(memory, prefix="none") == []
    for limit in (0, -1, True, 10**6):
        with pytest.raises(InputError):
            memory.notes.list(BOT, limit=limit)
    with pytest.raises(InputError):
        memory.notes.list(BOT, prefix=7)  # type: ignore[arg-type]


def test_T5_notes_are_searched_in_both_languages_and_only_their_own(memory: Memory) -> None:
    shared = Scope(shared=True)
    memory.notes.write(BOT, "work/plan.md", "# Plan\n\nThe parser ships on Friday.")
    memory.notes.write(BOT, "家/账.txt", "房租每月三千二百元，五号付。")
    memory.notes.write(BOT, "config.json", '{"retries": 3}')
    memory.notes.write(shared, "work/plan.md", "The parser of everybody ships on Friday.")
    memory.knowledge.add(BOT, "The parser ships on Friday, says the handbook.", name="handbook.txt")
    found, *others = memory.notes.search(BOT, "when does the parser ship?")
    assert found.path not in {one.path for one in others}, "each note once"
    assert (found.path, found.version) == ("work/plan.md", 1)
    assert "parser ships on Friday" in found.snippet and 0 < found.score <= 1
    assert memory.notes.search(BOT, "房租")[0].path == "家/账.txt"
    assert memory.notes.search(BOT, "retries")[0].path == "config.json"
    assert {one.path for one in memory.notes.search(BOT, "parser", prefix="家/")} <= {"家/账.txt"}
    assert memory.notes.search(ANN, "parser") == []
    assert len(memory.notes.search(BOT, "Friday retries 房租", limit=1)) <= 1
    memory.notes.remove(BOT, "work/plan.md")
    assert "work/plan.md" not in {one.path for one in memory.notes.search(BOT, "parser")}
    for bad in ({"limit": 0}, {"prefix": None}):
        with pytest.raises(InputError):
            memory.notes.search(BOT, "x", **bad)  # type: ignore[arg-type]


def test_T5_a_repeated_operation_changes_nothing(memory: Memory) -> None:
    first = memory.notes.write(BOT, "a.md", "one", expected_version=0, operation="op-1")
    assert first is not None and not first.replayed and not first.existed
    memory.notes.write(BOT, "a.md", "two")
    again = memory.notes.write(BOT, "a.md", "one", expected_version=0, operation="op-1")
    assert again is not None and again == first and again.replayed and not again.existed
    assert memory.notes.read(BOT, "a.md").text == "two"  # type: ignore[union-attr]
    with pytest.raises(OperationError, match="op-1"):
        memory.notes.write(BOT, "a.md", "other", operation="op-1")
    with pytest.raises(OperationError):
        memory.notes.remove(BOT, "a.md", operation="op-1")
    assert memory.notes.write(ANN, "a.md", "x", operation="op-1").replayed is False  # type: ignore[union-attr]
    for _ in range(2):
        memory.notes.append(BOT, "log.md", "- line", operation="op-2")
    assert memory.notes.read(BOT, "log.md").text == "- line"  # type: ignore[union-attr]
    moved = memory.notes.rename(BOT, "log.md", "log/1.md", operation="op-3")
    assert [one.replayed for one in moved] == [False]
    moved = memory.notes.rename(BOT, "log.md", "log/1.md", operation="op-3")
    assert [(one.path, one.replayed) for one in moved] == [("log/1.md", True)]
    assert memory.notes.remove(BOT, "a.md", operation="op-4") == NoteRemoval(1)
    memory.notes.write(BOT, "a.md", "new")
    assert memory.notes.remove(BOT, "a.md", operation="op-4") == NoteRemoval(1, replayed=True)
    assert memory.notes.read(BOT, "a.md") is not None


def test_T5_an_operation_is_known_by_its_id_and_fingerprint(memory: Memory) -> None:
    assert memory.notes.operation(BOT, "op") is None
    memory.notes.write(BOT, "a.md", "one", operation="op", fingerprint="append x")
    known = memory.notes.operation(BOT, "op", "append x")
    assert known is not None and (known.id, known.version, known.count) == ("op", 1, 0)
    assert memory.notes.operation(BOT, "op") == known
    assert memory.notes.operation(ANN, "op") is None
    with pytest.raises(OperationError):
        memory.notes.operation(BOT, "op", "append y")
    replay = memory.notes.write(BOT, "a.md", "longer", operation="op", fingerprint="append x")
    assert replay is not None and (replay.text, replay.replayed) == ("one", True)
    assert memory.notes.read(BOT, "a.md").operation == "op"  # type: ignore[union-attr]
    names = ("", SECRET, "a\n", "x" * 300)
    for bad in ({"fingerprint": "x"}, *({"operation": name} for name in names)):
        with pytest.raises(InputError):
            memory.notes.write(BOT, "a.md", "x", **bad)


def test_T5_a_write_whose_receipt_was_lost_is_recognised(memory: Memory) -> None:
    """As after a kill between the write and its receipt."""
    first = memory.notes.write(BOT, "a.md", "one", operation="op")
    forget_receipts(memory)
    again = memory.notes.write(BOT, "a.md", "one", expected_version=0, operation="op")
    assert again is not None and again.replayed and again == first
    with pytest.raises(OperationError):
        memory.notes.write(BOT, "a.md", "other", operation="op")


def forget_receipts(memory: Memory) -> None:
    database: Any = memory._services.runtime.parts.store.erasure._db  # type: ignore[attr-defined]
    is_postgres = hasattr(database, "transaction")
    with database.transaction("default") if is_postgres else database.writing(()) as connection:
        connection.execute("DELETE FROM note_receipts")


def test_T5_a_block_has_a_description_and_a_limit(memory: Memory) -> None:
    block = {"description": "What I know about the person", "max_chars": 20}
    note = memory.notes.write(BOT, "blocks/human", "Ann likes tea.", **block)
    assert note is not None and (note.description, note.max_chars) == tuple(block.values())
    with pytest.raises(RefusedError, match="at most 20"):
        memory.notes.append(BOT, "blocks/human", "and much more")
    kept = memory.notes.write(BOT, "blocks/human", "Ann likes coffee.")
    assert kept is not None and (kept.description, kept.max_chars) == tuple(block.values())
    free = memory.notes.write(BOT, "blocks/human", "x" * 50, description="", max_chars=0)
    assert free is not None and (free.description, free.max_chars) == ("", None)
    for bad in ({"max_chars": -1}, {"max_chars": True}, {"max_chars": 10**7}, {"description": 7}):
        with pytest.raises(InputError):
            memory.notes.write(BOT, "blocks/human", "x", **bad)


def test_O2_receipts_go_with_the_scope_and_have_no_words(memory: Memory) -> None:
    memory.notes.write(BOT, "a.md", "An elderberry bush.", operation="op-elderberry")
    memory.notes.remove(BOT, "a.md")
    assert memory.notes.operation(BOT, "op-elderberry") is not None
    remains = memory.deletions.prove(BOT, ["elderberry"]).found
    assert all(one.what.endswith(("row", "rows")) for one in remains), remains
    memory.forget(BOT)
    assert memory.notes.operation(BOT, "op-elderberry") is None


WRITER = """
import json, sys
from taishi import Memory, Scope, VersionError
from taishi.settings import load
address, name = sys.argv[1:]
with Memory.open(address, load(overrides={"models.embedding.kind": "none"})) as memory:
    bot, won = Scope(agent="coder"), []
    print("ready", flush=True)
    sys.stdin.readline()
    for version in range(1, 26):
        try:
            memory.notes.write(bot, "race.md", f"{name} {version}", expected_version=version)
            won.append(version)
        except VersionError as error:
            assert error.version >= version
        while memory.notes.read(bot, "race.md").version <= version:
            pass
    print(json.dumps(won), flush=True)
"""


def test_T5_of_two_processes_exactly_one_wins_each_version(
    open_memory: Callable[..., Memory], address_of: Callable[[Path], str], tmp_path: Path
) -> None:
    memory = open_memory()
    memory.notes.write(BOT, "race.md", "start")
    address = address_of(tmp_path / "data")
    command = [sys.executable, "-c", WRITER, address]
    both = [
        subprocess.Popen([*command, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for name in "ab"
    ]
    for one in both:
        assert one.stdout is not None and one.stdout.readline() == "ready\n"
    for one in both:
        assert one.stdin is not None
        one.stdin.write("go\n")
        one.stdin.flush()
    won = [json.loads(one.communicate(timeout=120)[0]) for one in both]
    assert sorted(won[0] + won[1]) == list(range(1, 26))
    note = memory.notes.read(BOT, "race.md")
    assert note is not None and note.version == 26
