"""`forget` reaches what killed processes and given-up jobs left behind: no byte stays (O2)."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fault.kill_lives import settings
from taishi import Memory, Scope
from taishi.disk import process_identity

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
ANN, BEN = Scope(user="ann-1708"), Scope(user="ben-4211")
SECRET = "the violin is under the stairs"
CHINESE = "小提琴藏在楼梯下面的红色箱子里"
Open = Callable[..., Memory]


def doomed(verb: Callable[[Memory], object], at: str, folder: Path) -> Callable[[], None]:
    """A process that waits, does it, and dies as it is about to give a file like `at` its name.

    Born before this process opens a memory, as a fork should take no threads along.
    """
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.read(reading, 1)
        give = Path.replace

        def replace(self: Path, target: Path) -> Path:
            if Path(target).match(at):
                os._exit(9)
            return give(self, target)

        Path.replace = replace  # type: ignore[assignment,method-assign]
        verb(Memory.open(folder, settings()))
        os._exit(0)

    def go() -> None:
        os.write(writing, b"x")
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 9, "it lived on"
        os.close(reading)
        os.close(writing)

    return go


def holding(folder: Path, *words: str) -> set[str]:
    """The files with these words, as UTF-8 or as JSON writes them; no code of ours looks."""
    forms = [form for word in words for form in (word.encode(), json.dumps(word)[1:-1].encode())]
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.name for path in found if any(form in path.read_bytes() for form in forms)}


WRITERS: dict[str, tuple[Callable[[Memory, str], object], str]] = {
    "a job": (lambda m, words: m.end_turn(ANN, words), "queues/pending/*.json"),
    "a page": (lambda m, words: m.profiles.set(ANN, f"- {words}"), "profiles/users/*.md"),
    "a snapshot": (lambda m, words: (m.profiles.set(ANN, f"- {words}"), m.profiles.set(ANN, "- x")),
                   "profiles/history/users/*/*.md"),
}  # fmt: skip


@pytest.mark.parametrize("words", [SECRET, CHINESE], ids=["English", "Chinese"])
@pytest.mark.parametrize("what", WRITERS)
def test_O2_forget_reaches_the_files_of_killed_writers(
    tmp_path: Path, what: str, words: str
) -> None:
    verb, at = WRITERS[what]
    folder = tmp_path / "data"
    die = doomed(lambda memory: verb(memory, words), at, folder)
    with Memory.open(folder, settings()) as memory:
        memory.profiles.set(BEN, "- plays go", name="Ben")
        die()
        [left] = folder.rglob("*.tmp")
        assert left.name in holding(folder, words)
        memory.forget(ANN)
        assert holding(folder, words, "ann-1708") == set()
        assert not list(folder.rglob("*.tmp"))
        page = memory.get_profile(BEN, "user", "ben-4211")
        assert page is not None, "nobody else lost anything"


@pytest.mark.parametrize("what", WRITERS)
def test_W5_the_next_start_alone_removes_them(tmp_path: Path, what: str) -> None:
    verb, at = WRITERS[what]
    folder = tmp_path / "data"
    doomed(lambda memory: verb(memory, SECRET), at, folder)()
    assert len(list(folder.rglob("*.tmp"))) == 1
    with Memory.open(folder, settings()) as memory:
        memory.drain(20)
        assert not list(folder.rglob("*.tmp"))


def test_O2_those_of_a_living_process_stay(open_memory: Open, tmp_path: Path) -> None:
    """A put under way in this very process: swept, it would be lost after it was promised."""
    memory = open_memory(embedder=None)
    name = f"a.json.{process_identity.process_mark()}-0badc0de.tmp"
    temp = tmp_path / "data" / "queues" / "pending" / name
    temp.write_text("on its way")
    os.utime(temp, (1, 1))
    open_memory(embedder=None).drain(5)
    memory.forget(BEN)
    assert temp.exists()


def test_W5_what_was_left_before_the_machine_was_started_anew_goes_when_it_is_old(
    open_memory: Open, tmp_path: Path
) -> None:
    """Its marks name a machine that is no more; those of another one that works here are young."""
    open_memory(embedder=None).close()
    data = tmp_path / "data"
    mark = f"{'0' * 12}-4711-5"
    page = data / "profiles" / "default" / "user"
    page.mkdir(parents=True, exist_ok=True)
    names = [data / f"keys.json.{mark}-0badc0de.tmp", page / f"a.md.{mark}-0badc0de.tmp",
             data / "processes" / f"{mark}-0badc0de.json",
             data / "processes" / f"{mark}-0badc0de.tmp"]  # fmt: skip
    own = data / "notes.tmp"
    for path in (*names, own):
        path.write_text("{}")
    with open_memory(embedder=None) as memory:
        memory.drain(5)
        assert all(path.exists() for path in names), "their process may be at work elsewhere"
    for path in (*names, own):
        os.utime(path, (1, 1))
    with open_memory(embedder=None) as memory:
        memory.drain(5)
        assert [path.name for path in names if path.exists()] == []
    assert own.exists(), "a file of the folder's owner"


def name_of(number: int) -> str:
    return f"{number:020d}-{number:012x}.1.1.json"


def test_O2_forget_reaches_jobs_that_were_given_up(open_memory: Open, tmp_path: Path) -> None:
    """Also one that nobody can read, of whose words nothing else is known: it says whose it is."""
    folder = tmp_path / "data"
    memory = open_memory({"historian.job_max_retries": 0}, embedder=None)
    memory._services.worker._historian = None  # type: ignore[assignment]
    for scope in (ANN, BEN):
        memory.end_turn(scope, f"{SECRET} of {scope.user}", request_id=scope.user)
    while memory._services.worker.step():
        pass
    assert memory.status()["queue"]["failed"] == 2
    failed = folder / "queues" / "failed"
    torn = '{"request_id":"x","user_id":"%s","workspace":"%s","action_summary":"a red bicycle'
    rows = [("ann-1708", "default"), ("ben-4211", "default"), ("ann-1708", "elsewhere")]
    for number, row in enumerate(rows, 1):
        (failed / name_of(number)).write_text(torn % row)
        (failed / f"{name_of(number)[:33]}.reason.txt").write_text("not JSON: a red bicycle")
    memory.forget(ANN)
    assert not (failed / name_of(1)).exists()
    assert (failed / name_of(2)).exists(), "another's"
    assert (failed / name_of(3)).exists(), "somebody of that name in another workspace"
    assert {path.stem[:33] for path in failed.iterdir()} >= {name_of(n)[:33] for n in (2, 3)}
    assert holding(folder, f"{SECRET} of ann-1708") == set()
    assert holding(folder, f"{SECRET} of ben-4211"), "the positive control"
    assert memory.status()["queue"]["failed"] == 3
