"""R1: what was stored under older redaction rules is shown redacted, and a rescan takes it off
the disk."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from support.hash_embedder import HashEmbedder
from taishi import AsyncMemory, Memory, Message, Scope
from taishi.cli import taishi
from taishi.erase.rescan import _Tally
from taishi.language import analyzer
from taishi.language.redaction import patterns, redactor
from taishi.ports import IndexRow
from taishi.transfer.progress import unwatched
from taishi.types import Edit, Partition, Record

ANN = Scope(user="ann", session="s1")
KITCHEN = Scope(group="kitchen", user="ann", session="s2")
SECRETS = ("Zk3nV8qLw0xR5tYb", "Bluebird77", "482913774", "Fjord_8812", "qL82kkXs", "Mo0nCake88")
KEY, PASSWORD, CODE, PAGE, WAITING, FAILED = SECRETS
Open = Callable[..., Memory]


@pytest.fixture
def no_rules(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """Rules that find nothing, under a number of their own; calling it brings today's back."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(redactor, "VERSION", 1)
        patched.setattr(redactor, "find_sensitive", lambda text, email, phone: iter(()))
        yield patched.undo


def write_old(memory: Memory) -> None:
    """A secret in everything that is kept."""
    memory.remember(ANN, f"the token is {KEY}", metadata={"note": [f"token: {KEY}"]})
    said = Message(f"my password is {PASSWORD}", "Ann", 5.0, "m1", "ann")
    memory.end_turn(KITCHEN, new_info=said.text, sender_name="Ann", messages=[said])
    memory.drain()
    fact = f"Ann's verification code is {CODE}"
    quote = {"quote": f"my verification code is {CODE}", "subject": "Ann"}
    home = Partition("default", "private", "ann")
    memory._services.runtime.parts.store.apply(
        [Edit("put", Record("f1", home, "fact", fact, data=quote))]
    )
    for body in (f"- her password is {PAGE}", f"- her password is {PAGE}\n- likes tea"):
        memory.profiles.set(ANN, body, name="Ann")
    fail_one(memory, Scope(user="dan"), f"Dan's password is {FAILED}")
    told = Message(f"the password is {WAITING}", "Ann", 6.0, "m2", "ann")
    memory.end_turn(ANN, new_info=f"so {told.text}", messages=[told])


def fail_one(memory: Memory, scope: Scope, text: str) -> None:
    """Leave a job in failed, with a reason that repeats its text."""
    memory.end_turn(scope, new_info=text)
    queue = memory._services.runtime.parts.queue
    lease = queue.claim()
    assert lease is not None
    queue.max_retries = 0
    assert not queue.retry(lease, f"the model said no to: {text}")


def on_disk(folder: Path) -> set[str]:
    """Which secrets are in some file of the folder, byte by byte."""
    content = b"\n".join(p.read_bytes() for p in folder.rglob("*") if p.is_file())
    return {secret for secret in SECRETS if secret.encode() in content}


@pytest.fixture
def old_folder(tmp_path: Path, no_rules: Callable[[], None]) -> Path:
    folder = tmp_path / "data"
    with Memory.open(folder, embedder=HashEmbedder()) as memory:
        write_old(memory)
    no_rules()
    assert on_disk(folder) == set(SECRETS)
    return folder


def shown(memory: Memory) -> str:
    """Everything that is shown of it by any verb."""
    scopes = (ANN, KITCHEN)
    parts = [memory.recall(scope, word, top_k=20) for scope in scopes for word in ("password",)]
    parts += [memory.recall(ANN, "token verification code", top_k=20)]
    blocks = [memory.context(scope, "password token code") for scope in scopes]
    lists = [memory.records.list(scope) for scope in scopes]
    pages = [memory.get_profile(ANN, "user", "ann")]
    return "\n".join([*map(repr, parts), *blocks, *map(repr, lists), *map(repr, pages),
                      *memory.transfer.export()])  # fmt: skip


def test_R1_texts_of_older_rules_are_shown_redacted(old_folder: Path) -> None:
    with Memory.open(old_folder, embedder=HashEmbedder()) as memory:
        text = shown(memory)
        assert "[redacted:" in text and "password is" in text
        assert [secret for secret in SECRETS if secret in text] == []


def test_R1_a_rescan_takes_them_off_the_disk(old_folder: Path) -> None:
    seen: list[tuple[int, int]] = []
    with Memory.open(old_folder, embedder=HashEmbedder()) as memory:
        done = memory.maintenance.rescan(lambda count, of: seen.append((count, of)))
        assert done.records >= 3 and done.jobs == 2 and done.pages >= 2 and done.texts >= 1
        assert seen[0][0] == 0 and seen[-1][0] == seen[-1][1] == done.looked
        assert [one.what for one in memory.deletions.list()] == ["rescan"]
        assert memory.deletions.list()[0].removed == done.changed
        text = shown(memory)
        assert "[redacted:" in text and not [one for one in SECRETS if one in text]
        found = memory.recall(ANN, KEY, top_k=5)
        assert all(KEY not in hit.text for hit in found.hits)
        assert on_disk(old_folder) == set()
        assert memory.maintenance.rescan().changed == 0
    assert on_disk(old_folder) == set()


def words_on_shelf(memory: Memory) -> bytes:
    place = Partition("default", "private", "ann")
    no = memory._services.runtime.parts.store.states([place])[place].no
    rows = memory._services.runtime.parts.store.snapshot(no, None).rows.values()
    return b"".join(IndexRow._make(row).terms for run in rows for row in run)


def test_R1_the_words_of_a_secret_are_in_no_index_after_a_rescan(old_folder: Path) -> None:
    word = analyzer.pack(analyzer.terms(KEY))
    with Memory.open(old_folder, embedder=HashEmbedder()) as memory:
        assert word in words_on_shelf(memory), "the control: it is there before"
        memory.maintenance.rescan()
        memory.drain()
        assert word not in words_on_shelf(memory)
        assert analyzer.pack(analyzer.terms("verification")) in words_on_shelf(memory)


def test_R1_a_running_process_rescans_by_itself(old_folder: Path) -> None:
    with Memory.open(old_folder, embedder=HashEmbedder()) as memory:
        memory.start_worker()
        assert memory.drain(30)
        memory.stop_worker()
        assert on_disk(old_folder) - {WAITING} == set()
        assert [one.door for one in memory.deletions.list()] == ["upkeep"]
    with Memory.open(old_folder, embedder=HashEmbedder()) as memory:
        memory.start_worker()
        assert memory.drain(30)
        assert len(memory.deletions.list()) == 1, "once is enough"


def waiting(memory: Memory) -> int:
    runtime = memory._services.runtime
    return runtime.parts.store.rescan.waiting(runtime.redactor.stamp)


def test_R1_a_rescan_goes_on_after_a_kill(
    old_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("taishi.erase.rescan.RECORDS_AT_ONCE", 1)
    with Memory.open(old_folder, embedder=HashEmbedder()) as memory:
        steps = memory.maintenance._rescanning._rescan_steps(_Tally(), unwatched, "python")
        for _ in range(8):
            next(steps)
        waits = waiting(memory)
    with Memory.open(old_folder, embedder=HashEmbedder()) as memory:
        assert 0 < waits == waiting(memory)
        assert memory.maintenance.rescan().looked == waits
        assert on_disk(old_folder) == set()


def test_R1_taishi_rescan_says_what_it_did(old_folder: Path) -> None:
    def run(*arguments: str) -> str:
        result = CliRunner().invoke(taishi, ["--data", str(old_folder), "--lang", "en", *arguments])
        assert result.exit_code == 0, result.output
        return result.stdout

    done = json.loads(run("rescan", "--json"))
    assert done["records"] >= 3 and done["left"] == []
    assert "0 changed" in run("rescan")
    assert "rescan" in run("deletions")
    assert on_disk(old_folder) == set()


def test_R1_rescan_is_there_for_asyncio(tmp_path: Path) -> None:
    async def work() -> int:
        memory = await AsyncMemory.open(tmp_path / "data")
        async with memory:
            return (await memory.maintenance.rescan()).changed

    assert asyncio.run(work()) == 0


def test_rules_of_today_find_each_of_them() -> None:
    """The control of this file: what was hidden from the old rules is seen by the new ones."""
    assert list(patterns.find_sensitive(f"my password is {PASSWORD}", email=False, phone=False))
