"""Documents: taken in, kept in step with a folder, searched with neighbours and citations."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from taishi import BusyError, DocumentError, InputError, Memory, Scope, load

SHARED = Scope(shared=True)
ANN = Scope(user="ann")
GUIDE = """# Kettle guide

The kettle is made of steel and holds two litres.

## Warranty

The warranty of the kettle lasts thirty months from the day of sale.

It covers the heating coil and the lid.

## Cleaning

Boil vinegar in it once a month, then rinse it well.
"""
CHINESE = """# 水壶说明

## 保修

水壶的保修期为三十个月，自购买之日起计算。

## 清洁

每月用白醋煮沸一次，然后冲洗干净。
"""


def texts(memory: Memory, scope: Scope, query: str, **options: Any) -> list[str]:
    return [hit.text for hit in memory.knowledge.search(scope, query, **options).hits]


def records(memory: Memory, scope: Scope, kind: str) -> list[str]:
    return [one.id for one in memory.records.list(scope, kinds=[kind], limit=1000).records]


def test_K1_a_document_is_added_listed_read_back_and_removed(memory: Memory) -> None:
    info = memory.knowledge.add(ANN, GUIDE, name="guide.md")
    assert info is not None
    assert (info.name, info.title, info.state) == ("guide.md", "Kettle guide", "ready")
    assert info.chunks == len(records(memory, ANN, "chunk")) > 1
    assert [one.id for one in memory.knowledge.list(ANN)] == [info.id]
    assert memory.knowledge.get(ANN, "guide.md") == memory.knowledge.get(ANN, info.id)
    assert memory.knowledge.original(ANN, info.id) == GUIDE.encode()
    assert info.summary.startswith("The kettle is made of steel")
    assert info.summary_by == "extract"

    assert memory.knowledge.remove(ANN, info.id)
    assert not memory.knowledge.remove(ANN, info.id)
    assert memory.knowledge.list(ANN) == []
    assert memory.knowledge.original(ANN, info.id) is None
    assert records(memory, ANN, "chunk") == records(memory, ANN, "document") == []
    assert texts(memory, ANN, "warranty of the kettle") == []


def test_K1_a_document_is_read_chunk_by_chunk(memory: Memory) -> None:
    info = memory.knowledge.add(ANN, GUIDE, name="guide.md")
    assert info is not None
    chunks = memory.knowledge.chunks(ANN, "guide.md")
    assert chunks is not None and [one.number for one in chunks] == list(range(info.chunks))
    assert chunks[1].section[-1:] == ("Warranty",) and "thirty months" in chunks[1].text
    assert "Kettle guide ›" not in chunks[1].text and chunks[1].page is None
    assert memory.knowledge.chunks(ANN, info.id, start=1, limit=1) == chunks[1:2]
    assert memory.knowledge.chunks(ANN, info.id, start=info.chunks) == []
    assert memory.knowledge.chunks(SHARED, info.id) is None
    for wrong in ({"start": -1}, {"limit": 0}, {"limit": 1001}, {"start": True}):
        with pytest.raises(InputError, match="whole number"):
            memory.knowledge.chunks(ANN, info.id, **wrong)  # type: ignore[arg-type]


def test_K2_a_hit_has_its_neighbours_its_titles_and_where_it_is_from(memory: Memory) -> None:
    memory.knowledge.add(ANN, GUIDE, name="guide.md")
    memory.drain()
    alone = memory.knowledge.search(ANN, "how long does the warranty last?", neighbours=0).hits[0]
    assert (
        alone.text
        == (
            "Kettle guide › Warranty\n"
            "The warranty of the kettle lasts thirty months from the day of sale."
        )
        or "It covers the heating coil" in alone.text
    )
    assert alone.metadata["citation"] == "guide.md › Kettle guide › Warranty"
    hit = memory.knowledge.search(ANN, "how long does the warranty last?").hits[0]
    assert "lasts thirty months" in hit.metadata["matched"]
    assert "heating coil" in hit.text
    assert len(hit.metadata["chunks"]) > 1


def test_K2_a_section_title_is_searched(memory: Memory) -> None:
    memory.knowledge.add(ANN, GUIDE, name="guide.md")
    hit = memory.knowledge.search(ANN, "cleaning", neighbours=0).hits[0]
    assert "vinegar" in hit.text
    memory.knowledge.add(ANN, CHINESE, name="说明.md")
    hit = memory.knowledge.search(ANN, "清洁", neighbours=0).hits[0]
    assert "白醋" in hit.text
    assert hit.metadata["citation"] == "说明.md › 水壶说明 › 清洁"


def test_K1_the_same_again_changes_nothing_and_an_edit_only_what_it_edits(memory: Memory) -> None:
    memory.knowledge.add(ANN, GUIDE, name="guide.md")
    memory.drain()
    before = memory.status()["records"]
    memory.knowledge.add(ANN, GUIDE, name="guide.md")
    assert memory.status()["records"] == before
    memory.knowledge.add(ANN, GUIDE.replace("thirty", "forty"), name="guide.md")
    assert memory.status()["records"]["unembedded"] <= 2  # the chunk, and the manifest
    assert "forty months" in texts(memory, ANN, "how long is the warranty")[0]
    assert all("thirty" not in one for one in texts(memory, ANN, "thirty months"))


def test_K1_a_shorter_document_leaves_no_chunk_behind(memory: Memory) -> None:
    memory.knowledge.add(ANN, GUIDE, name="guide.md")
    short = memory.knowledge.add(ANN, "# Kettle\n\nNothing to say.", name="guide.md")
    assert short is not None
    assert len(records(memory, ANN, "chunk")) == short.chunks == 1
    assert not any("vinegar" in one for one in texts(memory, ANN, "vinegar", floor=0.0))


def test_S2_documents_never_cross_scopes(memory: Memory) -> None:
    club = Scope(group="club", user="ann")
    memory.knowledge.add(ANN, GUIDE, name="guide.md")
    memory.knowledge.add(club, "# Club\n\nThe club meets on Mondays.", name="club.md")
    memory.knowledge.add(SHARED, "# Office\n\nThe office closes at six.", name="office.md")
    memory.drain()
    assert texts(memory, club, "when does the club meet?", neighbours=0)
    for scope in (club, Scope(user="bob"), Scope(agent="a"), SHARED):
        found = texts(memory, scope, "kettle warranty months vinegar", top_k=50, floor=0.0)
        assert not any("kettle" in one.lower() for one in found)
        assert memory.knowledge.get(scope, "guide.md") is None
        assert memory.knowledge.original(scope, "guide.md") is None
        assert not memory.knowledge.remove(scope, "guide.md")
    for scope in (ANN, club, Scope(user="bob")):
        assert any("six" in one for one in texts(memory, scope, "when does the office close?"))


def test_R1_a_secret_is_in_no_chunk_and_in_no_original(memory: Memory, tmp_path: Path) -> None:
    secret = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"
    memory.knowledge.add(ANN, f"# Keys\n\nThe key is {secret} for now.", name="keys.md")
    kept = memory.knowledge.original(ANN, "keys.md")
    assert kept is not None and b"[redacted:" in kept
    memory.close()
    for path in (tmp_path / "data").rglob("*"):
        assert not path.is_file() or secret.encode() not in path.read_bytes(), path


@pytest.mark.parametrize("name", ["", " ", "a\0b", "x" * 300, 7.5, None])
def test_a_name_that_cannot_be_kept_is_refused(memory: Memory, name: Any) -> None:
    with pytest.raises(InputError):
        memory.knowledge.add(ANN, "text", name=name)


@pytest.mark.parametrize("data", [b"", b" \n ", b"\x89PNG\r\n\x1a\n" + bytes(range(256))])
def test_an_empty_or_unreadable_document_is_refused_with_its_name(
    memory: Memory, data: bytes
) -> None:
    with pytest.raises(DocumentError, match=r"odd\.md"):
        memory.knowledge.add(ANN, data, name="odd.md")
    assert memory.knowledge.list(ANN) == []


def test_odd_sources_are_refused(memory: Memory, tmp_path: Path) -> None:
    for source in (None, 7, ["a"]):
        with pytest.raises(InputError):
            memory.knowledge.add(ANN, source, name="a.md")  # type: ignore[arg-type]
    with pytest.raises(DocumentError, match="cannot be read"):
        memory.knowledge.add(ANN, tmp_path / "none.md")
    with pytest.raises(InputError, match="not a folder"):
        memory.knowledge.sync(ANN, tmp_path / "none")


def test_C3_off_stores_nothing(open_memory: Any, tmp_path: Path) -> None:
    memory = open_memory({"memory.enabled": False})
    assert memory.knowledge.add(ANN, GUIDE, name="guide.md") is None
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text(GUIDE)
    assert memory.knowledge.sync(ANN, tmp_path / "docs").touched == 0
    assert memory.knowledge.search(ANN, "kettle").hits == ()
    assert not (tmp_path / "data" / "originals").exists()


# -- a folder ---------------------------------------------------------------------------------


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    (folder / "deep" / "er").mkdir(parents=True)
    (folder / "guide.md").write_text(GUIDE, encoding="utf-8")
    (folder / "deep" / "说明.md").write_text(CHINESE, encoding="utf-8")
    (folder / "deep" / "er" / "plain.txt").write_text("Rinse the filter weekly.", encoding="utf-8")
    return folder


def test_K1_a_second_sync_touches_nothing(memory: Memory, docs: Path) -> None:
    seen: list[tuple[int, int]] = []
    first = memory.knowledge.sync(ANN, docs, progress=lambda *at: seen.append(at))
    assert sorted(first.added) == ["docs/deep/er/plain.txt", "docs/deep/说明.md", "docs/guide.md"]
    assert first.problems == ()
    assert seen[0][0] == 0 and seen[-1][0] == seen[-1][1] > 0
    assert [at for at, _ in seen] == sorted(at for at, _ in seen)
    memory.drain()
    before = memory.status()
    for path in docs.rglob("*"):
        os.utime(path, (1, 1))  # the date does not count
    second = memory.knowledge.sync(ANN, docs)
    assert (second.touched, second.unchanged, second.chunks) == (0, 3, 0)
    assert memory.status()["records"] == before["records"]


def test_K1_what_was_edited_renamed_or_deleted_changes_and_nothing_else(
    memory: Memory, docs: Path
) -> None:
    memory.knowledge.sync(ANN, docs)
    (docs / "guide.md").write_text(GUIDE.replace("thirty", "forty"), encoding="utf-8")
    (docs / "deep" / "er" / "plain.txt").rename(docs / "filter.txt")
    (docs / "deep" / "说明.md").unlink()
    done = memory.knowledge.sync(ANN, docs)
    assert done.changed == ("docs/guide.md",)
    assert done.added == ("docs/filter.txt",)
    assert sorted(done.removed) == ["docs/deep/er/plain.txt", "docs/deep/说明.md"]
    assert [one.name for one in memory.knowledge.list(ANN)] == ["docs/filter.txt", "docs/guide.md"]
    assert not any("保修" in one for one in texts(memory, ANN, "保修期", floor=0.0))
    originals = [path for path in memory_folder(memory).rglob("originals/**/*") if path.is_file()]
    assert len(originals) == 2


def memory_folder(memory: Memory) -> Path:
    return Path(memory.status()["folder"])


def test_K1_links_pipes_and_hidden_files_are_not_read(
    memory: Memory, docs: Path, tmp_path: Path
) -> None:
    (tmp_path / "secret.md").write_text("The treasure is under the oak.")
    (docs / "link.md").symlink_to(tmp_path / "secret.md")
    (docs / "linked").symlink_to(tmp_path)
    os.mkfifo(docs / "pipe.md")
    (docs / ".hidden.md").write_text("A hidden treasure.")
    (docs / "broken.md").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    report = memory.knowledge.sync(ANN, docs)
    assert len(report.added) == 3
    lines = {problem.name: problem.reason for problem in report.problems}
    assert set(lines) == {"link.md", "linked", "pipe.md", "docs/broken.md"}
    assert "links are not followed" in lines["link.md"]
    assert not any("treasure" in one for one in texts(memory, ANN, "treasure", floor=0.0))
    with pytest.raises(DocumentError):
        memory.knowledge.add(ANN, docs / "link.md")


def test_K1_a_file_that_broke_keeps_what_was_known(memory: Memory, docs: Path) -> None:
    memory.knowledge.sync(ANN, docs)
    (docs / "guide.md").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    report = memory.knowledge.sync(ANN, docs)
    assert [problem.name for problem in report.problems] == ["docs/guide.md"]
    assert report.touched == 0
    assert "thirty months" in texts(memory, ANN, "how long is the warranty")[0]


def test_two_folders_of_one_name_do_not_remove_each_other(
    memory: Memory, docs: Path, tmp_path: Path
) -> None:
    memory.knowledge.sync(ANN, docs)
    other = tmp_path / "other" / "docs"
    other.mkdir(parents=True)
    (other / "a.md").write_text("# A\n\nAn apple.")
    with pytest.raises(InputError, match="name="):
        memory.knowledge.sync(ANN, other)
    assert memory.knowledge.sync(ANN, other, name="fruit").added == ("fruit/a.md",)
    assert len(memory.knowledge.list(ANN)) == 4


# -- looked after like everything else ----------------------------------------------------------


def test_O2_export_and_import_carry_documents_chunks_and_files(
    open_memory: Any, tmp_path: Path
) -> None:
    memory = open_memory()
    memory.knowledge.add(ANN, GUIDE, name="guide.md")
    memory.knowledge.add(SHARED, b"%PDF? \xff".replace(b"\xff", b"!"), name="odd.txt")
    lines = list(memory.transfer.export())
    other = open_memory(folder=tmp_path / "other")
    done = other.transfer.import_records(lines)
    assert done.added["original"] == 2
    assert other.knowledge.list(ANN) == memory.knowledge.list(ANN)
    assert other.knowledge.original(ANN, "guide.md") == GUIDE.encode()
    assert list(other.transfer.export())[1:-1] == lines[1:-1]
    again = other.transfer.import_records(lines)
    assert again.same["original"] == 2 and not again.added
    unchanged = other.knowledge.add(ANN, GUIDE, name="guide.md")
    assert unchanged == memory.knowledge.get(ANN, "guide.md")


def test_O2_a_backup_has_the_files(open_memory: Any, tmp_path: Path) -> None:
    memory = open_memory()
    memory.knowledge.add(ANN, GUIDE, name="guide.md")
    memory.transfer.backup(tmp_path / "copy")
    copy = open_memory(folder=tmp_path / "copy")
    assert copy.knowledge.original(ANN, "guide.md") == GUIDE.encode()


def test_O2_a_person_is_forgotten_with_their_documents_and_it_is_proved(memory: Memory) -> None:
    ann, bob = Scope(user="ann-1234567"), Scope(user="bob-1234567")
    club = Scope(group="club", user="ann-1234567")
    memory.knowledge.add(ann, GUIDE, name="guide.md")
    memory.knowledge.add(club, "# Club\n\nThe club meets under the bridge.", name="club.md")
    memory.knowledge.add(bob, CHINESE, name="说明.md")
    memory.drain()
    words = memory.deletions.traces(ann)
    assert any("heating coil" in one for one in words), words
    assert memory.forget(ann) >= 6
    proof = memory.deletions.prove(ann, words)
    assert proof.found == (), proof.found
    assert memory.knowledge.list(ann) == memory.knowledge.list(club) == []
    files = [path for path in memory_folder(memory).rglob("originals/**/*") if path.is_file()]
    assert len(files) == 1
    assert memory.knowledge.original(bob, "说明.md") == CHINESE.encode()


def test_O2_forgetting_a_group_takes_its_documents(memory: Memory) -> None:
    club = Scope(group="club")
    memory.knowledge.add(club, GUIDE, name="guide.md")
    memory.forget(club)
    assert not [path for path in memory_folder(memory).rglob("originals/**/*") if path.is_file()]
    assert memory.knowledge.list(club) == []
    assert memory.knowledge.add(club, GUIDE, name="guide.md") is not None


def test_O2_forgetting_one_chunk_takes_the_file_which_has_its_words(memory: Memory) -> None:
    info = memory.knowledge.add(ANN, GUIDE, name="guide.md")
    assert info is not None
    chunk = memory.knowledge.search(ANN, "vinegar", neighbours=0).hits[0]
    assert memory.forget(ANN, chunk.id) == 1
    assert memory.knowledge.original(ANN, info.id) is None
    left = memory.knowledge.get(ANN, info.id)
    assert left is not None and not left.original
    assert not any("vinegar" in one for one in texts(memory, ANN, "vinegar", floor=0.0))
    assert memory.forget(ANN, info.id) == info.chunks  # the others, and the manifest
    assert memory.knowledge.list(ANN) == []


def test_R1_a_rescan_reads_the_files_too(
    open_memory: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    memory = open_memory()
    mail = "ann.lee@example.org"
    memory.knowledge.add(ANN, f"# Mail\n\nWrite to {mail} please.", name="mail.md")
    memory.close()
    memory = open_memory({"redaction.email": True})
    memory.maintenance.rescan()
    kept = memory.knowledge.original(ANN, "mail.md")
    assert kept is not None and mail.encode() not in kept
    memory.close()
    for path in (tmp_path / "data").rglob("*"):
        assert not path.is_file() or mail.encode() not in path.read_bytes(), path


# -- beside the chat's own memory ---------------------------------------------------------------


def test_K2_the_block_quotes_documents_in_a_part_of_their_own_within_the_budget(
    memory: Memory,
) -> None:
    memory.knowledge.add(ANN, GUIDE, name="guide.md")
    memory.remember(ANN, "Ann bought a kettle in March")
    memory.drain()
    block = memory.context(ANN, "how long is the warranty of the kettle?")
    assert "From documents:" in block
    assert "- [guide.md › Kettle guide › Warranty] The warranty of the kettle lasts" in block
    assert "Ann bought a kettle in March" in block
    assert "文档摘录" in memory.context(ANN, "how long is the warranty?", language="zh")
    assert "<documents>" in memory.context(ANN, "how long is the warranty?", form="xml")


def test_Q1_a_large_knowledge_base_does_not_displace_what_was_said(memory: Memory) -> None:
    text = "\n\n".join(f"Kettle number {n} was sold in March with a warranty." for n in range(300))
    memory.knowledge.add(ANN, f"# Sales\n\n{text}", name="sales.md")
    memory.remember(ANN, "Ann bought a kettle with a warranty")
    memory.drain()
    hits = memory.recall(ANN, "which kettle with a warranty was sold in March?", top_k=4).hits
    kinds = [hit.kind for hit in hits]
    assert "fact" in kinds
    assert kinds.count("chunk") + kinds.count("document") <= 3
    only = memory.recall(ANN, "kettle sold in March", kinds=["chunk"], top_k=4).hits
    assert {hit.kind for hit in only} == {"chunk"}
    assert all(hit.metadata["citation"].startswith("sales.md") for hit in only)


def test_O2_what_is_forgotten_while_it_is_read_does_not_come_back(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    importer = memory.knowledge._importer
    write = importer._write_chunks

    def forgotten_meanwhile(*arguments: Any) -> Any:
        done = write(*arguments)
        memory.forget(ANN)
        return done

    monkeypatch.setattr(importer, "_write_chunks", forgotten_meanwhile)
    with pytest.raises(BusyError, match="add it again"):
        memory.knowledge.add(ANN, GUIDE, name="guide.md")
    assert memory.records.list(ANN).records == ()
    assert not [path for path in memory_folder(memory).rglob("originals/**/*") if path.is_file()]


def test_K1_documents_may_come_from_somebody_elses_export(memory: Memory, tmp_path: Path) -> None:
    """Data of any shape in the records of a document is no reason to fail."""
    memory.knowledge.add(ANN, GUIDE, name="guide.md")
    memory.notes.write(ANN, "MEMORY.md", "# Me")
    lines = [json.loads(line) for line in memory.transfer.export()]
    odd: list[Any] = [None, -1, 10**30, True, "x", [], {"a": 1}, 1.5]
    for number, line in enumerate(line for line in lines if line["type"] == "record"):
        line["data"] = {key: odd[(number + at) % len(odd)] for at, key in enumerate(line["data"])}
    lines[-1]["counts"] = {
        kind: sum(line["type"] == kind for line in lines[1:-1]) for kind in ("record", "original")
    }
    settings = load(environ={}, overrides={"models.embedding.kind": "none"})
    with Memory.open(tmp_path / "other", settings) as other:
        other.transfer.import_records(map(json.dumps, lines))
        assert len(other.knowledge.list(ANN)) + len(other.notes.list(ANN)) == 2
        other.knowledge.search(ANN, "kettle warranty", floor=0.0, deadline=5.0)
        assert other.context(ANN, "kettle warranty", deadline=5.0) is not None
        for path in ("MEMORY.md", "notes/x.md"):
            other.notes.history(ANN, path)
            other.notes.append(ANN, path, "more")
        other.knowledge.add(ANN, GUIDE, name="guide.md")
        found = other.knowledge.search(ANN, "how long is the warranty", deadline=5.0).hits
        assert "thirty months" in found[0].text
        for one in other.knowledge.list(ANN):
            assert other.knowledge.remove(ANN, one.id)
