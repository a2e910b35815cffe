"""kill -9 while a folder is synced: nothing is lost, nothing is there twice (K1)."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from support.document_factory import write_folder
from taishi import Memory, Scope, load

ANN = Scope(user="ann")
OFF = {"models.embedding.kind": "none"}
PROGRAM = """
import sys
from taishi import Memory, Scope, load

def tell(done, total):
    print(done, flush=True)

settings = load(environ={}, overrides={"models.embedding.kind": "none"})
with Memory.open(sys.argv[1], settings) as memory:
    memory.knowledge.sync(Scope(user="ann"), sys.argv[2], progress=tell)
    print("done", flush=True)
"""


def content(folder: Path) -> tuple[set[tuple[str, str, str]], dict[str, bytes | None]]:
    """All records of the scope, and the files of its documents."""
    with Memory.open(folder, load(environ={}, overrides=OFF)) as memory:
        records, after = set(), None
        while True:
            page = memory.records.list(ANN, after=after, limit=1000)
            for one in page.records:
                data = {key: value for key, value in one.data.items() if key != "root"}
                key = (one.id, one.text, str(sorted(data.items())))
                assert key not in records
                records.add(key)
            after = page.next
            if after is None:
                break
        documents = memory.knowledge.list(ANN)
        assert all(one.state == "ready" for one in documents)
        files = {one.name: memory.knowledge.original(ANN, one.id) for one in documents}
        assert memory.maintenance.check() == "ok"
    return records, files


@pytest.fixture(scope="module")
def docs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made") / "docs"
    write_folder(folder, 10)
    long = "\n\n".join(f"Paragraph {n} tells of the year {1000 + n}. " * 4 for n in range(2600))
    (folder / "a-long-one.txt").write_text(long)
    return folder


def sync(data: Path, docs: Path, kill_after: int | None) -> bool:
    """Whether it was killed before it was done."""
    command = [sys.executable, "-c", PROGRAM, str(data), str(docs)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for number, line in enumerate(process.stdout):
            if line == "done\n":
                break
            if number == kill_after:
                process.send_signal(signal.SIGKILL)
        process.wait(60)
    return process.returncode == -signal.SIGKILL


def test_K1_killed_during_a_sync_nothing_is_lost_and_nothing_doubled(
    tmp_path: Path, docs: Path
) -> None:
    assert not sync(tmp_path / "clean", docs, None)
    expected = content(tmp_path / "clean")
    assert len(expected[0]) > 600 and len(expected[1]) == 11
    killed = sum(sync(tmp_path / "data", docs, at) for at in (3, 1500, 2620))
    assert killed >= 2, "the control: it was killed on the way"
    assert not sync(tmp_path / "data", docs, None)
    assert content(tmp_path / "data") == expected
    with Memory.open(tmp_path / "data", load(environ={}, overrides=OFF)) as memory:
        assert memory.knowledge.sync(ANN, docs).touched == 0
        for one in memory.knowledge.list(ANN):
            assert memory.knowledge.remove(ANN, one.id)
        assert memory.records.list(ANN).records == ()
    assert not [path for path in (tmp_path / "data" / "originals").rglob("*") if path.is_file()]
