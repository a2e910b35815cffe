"""A folder of 200 files in five formats and two languages, kept in step (K1)."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.document_factory import ENCRYPTED, MadeFile, made_file, pdf_file, write_folder
from taishi import Memory, Scope, load

ANN = Scope(user="ann")
COUNT = 200
Synced = tuple[Memory, Path, list[MadeFile]]


@pytest.fixture(scope="module")
def synced(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Synced]:
    home = tmp_path_factory.mktemp("folder")
    files = write_folder(home / "docs", COUNT)
    settings = load(environ={}, overrides={"models.embedding.kind": "none"})
    with Memory.open(home / "data", settings) as memory:
        report = memory.knowledge.sync(ANN, home / "docs")
        assert (len(report.added), report.problems) == (COUNT, ())
        yield memory, home / "docs", files


def chunks(memory: Memory) -> dict[str, tuple[str, float]]:
    found: dict[str, tuple[str, float]] = {}
    after = None
    while True:
        page = memory.records.list(ANN, kinds=["chunk"], after=after, limit=1000)
        found |= {one.id: (one.text, one.created) for one in page.records}
        after = page.next
        if after is None:
            return found


def test_K1_every_file_is_found_and_cited_with_its_section_and_page(
    synced: Synced,
) -> None:
    memory, _, files = synced
    for file in files[:: COUNT // 20]:
        hit = memory.knowledge.search(ANN, file.marker, neighbours=0, deadline=5.0).hits[0]
        assert file.marker in hit.text
        assert file.name in hit.metadata["citation"]
        if file.name.endswith(".pdf"):
            assert hit.metadata["page"] == 1 and hit.metadata["citation"].endswith(", p. 1")
        elif not file.name.endswith(".txt"):
            assert file.sections[0].title in hit.metadata["section"]


def test_K1_a_second_sync_touches_none_and_then_exactly_what_changed(
    synced: Synced,
) -> None:
    memory, docs, files = synced
    before = chunks(memory)
    again = memory.knowledge.sync(ANN, docs)
    assert (again.touched, again.unchanged, again.chunks, again.problems) == (0, COUNT, 0, ())
    assert chunks(memory) == before

    paths = {file.name: next(docs.rglob(file.name)) for file in files}
    edited, shrunk, gone, renamed = files[0], files[4], files[7], files[11]  # md, docx, html, txt
    text = paths[edited.name].read_text(encoding="utf-8")
    paths[edited.name].write_text(text.replace(edited.marker, "QX99999"), encoding="utf-8")
    small = made_file(4, "docx", "en", seed=8)
    paths[shrunk.name].write_bytes(small.data)
    paths[gone.name].unlink()
    target = paths[renamed.name].with_name("renamed.txt")
    shutil.move(paths[renamed.name], target)
    (docs / "locked.pdf").write_bytes(pdf_file(["secret"], trailer=ENCRYPTED))
    (docs / "empty.md").write_bytes(b"")

    def named(path: Path) -> str:
        return f"docs/{path.relative_to(docs).as_posix()}"

    done = memory.knowledge.sync(ANN, docs)
    assert sorted(done.changed) == sorted([named(paths[edited.name]), named(paths[shrunk.name])])
    assert sorted(done.removed) == sorted([named(paths[gone.name]), named(paths[renamed.name])])
    assert done.added == (named(target),)
    assert done.unchanged == COUNT - 4
    assert sorted(problem.name for problem in done.problems) == ["docs/empty.md", "docs/locked.pdf"]
    assert "encrypt" in next(p.reason for p in done.problems if "locked" in p.name).lower()

    known = [paths[file.name] for file in (edited, shrunk, gone, renamed)]
    touched = {named(path) for path in (*known, target)}
    after = chunks(memory)
    differing = {id for id in before.keys() | after.keys() if before.get(id) != after.get(id)}
    names = set()
    for id in differing:
        record = memory.records.get(ANN, id)
        if record is not None:
            names.add(record.data["name"])
    assert names <= touched
    assert memory.knowledge.search(ANN, "QX99999", deadline=5.0).hits
    marked = memory.knowledge.search(ANN, gone.marker, deadline=5.0, floor=0.0).hits
    assert not any(gone.marker in hit.text for hit in marked)
    documents = memory.knowledge.list(ANN)
    assert len(documents) == COUNT - 1
    assert sum(one.chunks for one in documents) == len(after)


def test_K1_pages_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "half.pdf").write_bytes(pdf_file([["The pump is red."], [], []]))
    settings = load(environ={}, overrides={"models.embedding.kind": "none"})
    with Memory.open(tmp_path / "data", settings) as memory:
        report = memory.knowledge.sync(ANN, tmp_path / "docs")
        assert [(one.name, one.reason[:13]) for one in report.warnings] == [
            ("docs/half.pdf", "2 of 3 pages ")
        ]
        info = memory.knowledge.get(ANN, "docs/half.pdf")
        assert info is not None and info.warnings == (report.warnings[0].reason,)
        again = memory.knowledge.sync(ANN, tmp_path / "docs")
        assert (again.touched, again.warnings) == (0, report.warnings)
