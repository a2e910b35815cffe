"""What a store, a queue and a profile folder promise to whoever moves them (O2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from support.stores import OpenStore
from taishi.backends.file_queue.queue import FileQueue
from taishi.backends.profile_files.files import ProfileFiles
from taishi.backends.profile_files.transfer import ProfileFilesTransfer
from taishi.backends.sqlite import SqliteStore
from taishi.errors import InputError, QueueError
from taishi.exported import (
    ExportedCalls,
    ExportedJob,
    ExportedLink,
    ExportedMessage,
    ExportedProfile,
    ExportedRecord,
    ExportedSession,
    ExportScope,
)
from taishi.ports import Embedded, Row, Store, Transfer
from taishi.types import Edit, Job, Message, Partition, Profile, Record, Scope

ANN = Partition("default", "private", "ann")
GROUP = Partition("default", "group", "g42")
ALL = ExportScope()
RED = Partition("red", "private", "ann")


@pytest.fixture
def store(open_store: OpenStore) -> Store:
    return open_store()


def record(id: str, text: str = "text", place: Partition = ANN, **more: object) -> Record:
    return Record(id, place, "fact", text, time=5.0, created=1.0, **more)  # type: ignore[arg-type]


ROWS: list[Row] = [
    ExportedRecord(record("a", "Ann's", updated=2.0, expires=9.0, data={"b": [1]})),
    ExportedRecord(record("b", "her words", updated=1.0, owner="job-1")),
    ExportedMessage(GROUP, "s", "Ann", "ann", "hello", 2.0, "m1", False),
    ExportedMessage(GROUP, "s", None, None, "same", 3.0, None, False),
    ExportedMessage(GROUP, "s", None, None, "same", 3.0, None, False),
    ExportedSession(GROUP, "s", 4.0, "they said hello"),
    ExportedLink("default", "ann"),
    ExportedCalls("2026-03-01", "rewrite", "gpt", "tool", 3, 1, 10, 2, 1.5, 0.25, "429"),
]


def all_of(store: Store, extent: ExportScope = ALL, model: str | None = None) -> list[Row]:
    with store.transfer.look(extent, model) as look:
        return [*look.records(), *look.messages(), *look.sessions(), *look.links(), *look.ledger()]


def test_O2_rows_come_out_as_they_came_in(store: Store) -> None:
    transfer: Transfer = store.transfer
    assert transfer.take_in(ROWS, overwrite=False, model=None) == ["added"] * len(ROWS)
    found = all_of(store)
    assert sorted(map(str, found)) == sorted(map(str, ROWS))
    assert transfer.take_in(ROWS, overwrite=False, model=None) == ["same"] * len(ROWS)
    assert transfer.take_in(ROWS, overwrite=True, model=None) == ["same"] * len(ROWS)
    assert all_of(store) == found
    with transfer.look(ExportScope()) as look:
        assert look.counts() == {"record": 2, "message": 3, "session": 1, "link": 1, "ledger": 1}


def test_O2_a_dry_run_says_the_same_and_writes_nothing(store: Store) -> None:
    taken = store.transfer.take_in(ROWS, overwrite=False, model=None, dry=True)
    assert taken == ["added"] * len(ROWS)
    assert all_of(store) == []


def test_O2_what_differs_is_kept_or_overwritten(store: Store) -> None:
    store.transfer.take_in(ROWS, overwrite=False, model=None)
    other: list[Row] = [
        ExportedRecord(record("a", "other words")),
        ExportedRecord(record("b", "other words", owner="job-2")),
        ExportedRecord(record("c", "other words", owner="job-1")),
        ExportedSession(GROUP, "s", 9.0, "another summary"),
    ]
    assert store.transfer.take_in(other, overwrite=False, model=None) == ["kept"] * 4
    taken = store.transfer.take_in(other, overwrite=True, model=None)
    assert taken == ["replaced", "kept", "kept", "replaced"]
    there = store.get(ANN, "a")
    assert there is not None and there.text == "other words"
    assert store.get(ANN, "c") is None
    assert store.sessions.session_summary(GROUP, "s") == "another summary"


def test_O2_a_look_is_one_moment(store: Store) -> None:
    store.apply([Edit("put", record(str(n))) for n in range(3)])
    with store.transfer.look(ExportScope()) as look:
        counted = look.counts()
        store.apply([Edit("put", record(str(n))) for n in range(10)])
        assert counted["record"] == len(list(look.records())) == 3


def test_S3_an_extent_shows_nothing_else(store: Store) -> None:
    store.transfer.take_in(ROWS, overwrite=False, model=None)
    store.apply([Edit("put", record("r", place=RED))])
    places = {
        row.record.place
        for row in all_of(store, ExportScope("red"))
        if isinstance(row, ExportedRecord)
    }
    assert places == {RED}
    assert [type(row) for row in all_of(store, ExportScope("default", GROUP))] == [
        ExportedMessage, ExportedMessage, ExportedMessage, ExportedSession,
    ]  # fmt: skip


def test_Q9_a_long_text_that_comes_in_waits_for_its_passages(store: Store) -> None:
    long = record("a", text="The harbour office opens at nine. " * 30)
    rows = [ExportedRecord(long, stored=b"code"), ExportedRecord(record("b"), stored=b"code")]
    store.transfer.take_in(rows, overwrite=False, model="m")
    assert [item.text for item in store.unembedded(5)] == [long.text]


def test_Q7_vectors_travel_only_under_their_models_name(
    store: Store, open_store: OpenStore
) -> None:
    store.apply([Edit("put", record("a"))])
    (waiting,) = store.unembedded(5)
    store.put_vectors("m", [Embedded(waiting.number, waiting.revision, b"code")])
    (row,) = all_of(store, model="m")
    assert isinstance(row, ExportedRecord) and row.stored == b"code"
    (bare,) = all_of(store, model="other")
    assert isinstance(bare, ExportedRecord) and bare.stored is None
    other = open_store(name="other")
    other.transfer.take_in([row], overwrite=False, model=None)
    assert len(other.unembedded(5)) == 1
    other.transfer.take_in([row], overwrite=False, model="m")
    assert other.unembedded(5) == [] and all_of(other, model="m") == [row]
    assert other.void_vectors() == 1
    assert len(other.unembedded(5)) == 1 and all_of(other, model="m") == [replace(row, stored=None)]


def test_O2_a_copy_is_whole_while_others_write(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "taishi.db")
    store.apply([Edit("put", record(str(n))) for n in range(50)])
    assert store.copy_to(tmp_path / "copy.db") == {"fact": 50}
    copy = SqliteStore(tmp_path / "copy.db")
    assert all_of(copy) == all_of(store)
    copy.close()
    store.close()


def test_O2_a_forgotten_place_keeps_no_id_and_begins_anew(store: Store) -> None:
    store.apply([Edit("put", record("a", user="ann"))])
    assert store.erasure.mentions("default", ANN, "ann")["records"] == 1
    assert [one.id for one in store.erasure.belongings(ANN, "ann")] == ["a"]
    (number,) = [number for number, _ in store.scan(ANN)]
    store.erasure.forget_user("default", "ann")
    assert set(store.erasure.mentions("default", ANN, "ann").values()) == {0}
    assert store.places() == []
    store.apply([Edit("put", record("a", "anew"))])
    ((again, kept),) = store.scan(ANN)
    assert again != number and kept.text == "anew"
    assert store.fetch([number, again], [ANN]) == {again: kept}
    assert store.fetch([again], [GROUP]) == {}


def test_O2_a_speaker_without_an_id_is_known_by_name(store: Store) -> None:
    store.sessions.add_messages(GROUP, "s", [Message("mine", "Ann"), Message("his", "Ben")])
    store.erasure.forget_user("default", "ann", ["Ann"])
    left = store.sessions.take_messages(GROUP, "s")
    assert [one.message.text for one in left] == ["his"]


# -- the queue ---------------------------------------------------------------------------------


def job(name: str, user: str = "ann") -> Job:
    return Job(
        name, 1, name, (), "2026-03-01T00:00:00+00:00", "2026-03-01T08:00:00+08:00",
        "Asia/Shanghai", 5.0, "default", "private", user_id=user,
    )  # fmt: skip


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[FileQueue]:
    opened = FileQueue(tmp_path / "queue", max_retries=0)
    yield opened
    opened.close()


def test_O2_jobs_travel_with_their_state_and_are_taken_in_once(
    queue: FileQueue, tmp_path: Path
) -> None:
    for name in ("given up", "at hand", "waits"):
        queue.put(job(name))
    failed, held = queue.claim(), queue.claim()
    assert failed is not None and held is not None
    queue.retry(failed, "no model")
    moved, unreadable = queue.transfer.jobs()
    assert [(one.job.request_id, one.failed) for one in moved] == [
        ("at hand", False), ("waits", False), ("given up", True),
    ]  # fmt: skip
    assert "no model" in moved[-1].reason and unreadable == []
    other = FileQueue(tmp_path / "other")
    assert [other.transfer.take_in(one, dry=True) for one in moved] == ["added"] * 3
    assert other.counts() == {"pending": 0, "processing": 0, "failed": 0}
    assert [other.transfer.take_in(one) for one in moved] == ["added"] * 3
    assert [other.transfer.take_in(one) for one in moved] == ["same"] * 3
    assert other.counts() == {"pending": 2, "processing": 0, "failed": 1}
    assert other.transfer.copy_to(tmp_path / "third") == 3
    third = FileQueue(tmp_path / "third")
    assert third.transfer.jobs() == other.transfer.jobs()
    taken = other.claim()
    assert taken is not None and taken.job.request_id == "at hand"
    other.close()
    third.close()


def test_O2_a_rewritten_job_keeps_its_place_and_takes_the_lease_away(queue: FileQueue) -> None:
    for name in ("one", "two", "three"):
        queue.put(job(name))
    held = queue.claim()
    assert held is not None

    def shorter(given: Job) -> Job | None:
        return None if given.request_id == "two" else job(given.request_id.upper())

    assert {one.request_id for one in queue.transfer.rewrite(shorter)} == {"ONE", "THREE"}
    with pytest.raises(QueueError, match="another worker"):
        queue.extend(held)
    assert [one.request_id for one in queue.pending_jobs()] == ["ONE", "two", "THREE"]


# -- the pages ---------------------------------------------------------------------------------


def test_O2_pages_travel_with_their_snapshots_and_a_persons_own_lines(tmp_path: Path) -> None:
    files = ProfileFiles(tmp_path / "one")
    for body in ("first", "second", "third"):
        files.write(Profile("user", "ann", "Ann", ("a",), body))
    files.write(Profile("group", "g/1", body="group", workspace="red"))
    path = tmp_path / "one" / "users" / "ann.md"
    path.write_text(path.read_text().replace("name:", "shoe_size: 40\nname:"))
    pages = ProfileFilesTransfer(files)
    moved = [
        one
        for one in pages.pages(pages.entities(ExportScope()))
        if isinstance(one, ExportedProfile)
    ]
    assert [(one.entity_id, len(one.snapshots)) for one in moved] == [("ann", 2), ("g/1", 0)]
    target = ProfileFilesTransfer(ProfileFiles(tmp_path / "two"))
    assert [target.take_in(one, overwrite=False) for one in moved] == ["added"] * 2
    assert [target.take_in(one, overwrite=False) for one in moved] == ["same"] * 2
    assert list(target.pages(target.entities(ExportScope()))) == moved
    assert "shoe_size: 40" in (tmp_path / "two" / "users" / "ann.md").read_text()
    assert [one.entity_id for one in target.entities(ExportScope("red"))] == ["g/1"]
    with pytest.raises(InputError, match="could leave"):
        target.check(ExportedProfile("default", "user", "../x", None))
    with pytest.raises(InputError, match="says that it is about user"):
        target.check(ExportedProfile("default", "user", "bob", moved[0].page))


def test_O2_a_page_that_cannot_be_read_stays_behind_and_is_named(tmp_path: Path) -> None:
    files = ProfileFiles(tmp_path)
    files.write(Profile("user", "ann", body="- fine"))
    (tmp_path / "users" / "bob.md").mkdir()
    (tmp_path / "users" / "eve.md").write_bytes("没有抬头".encode("gbk"))
    pages = ProfileFilesTransfer(files)
    told = list(pages.pages(pages.entities(ExportScope())))
    assert isinstance(told[0], ExportedProfile)
    assert isinstance(told[1], str) and told[1].startswith("profile user:bob: ")
    assert isinstance(told[2], ExportedProfile) and told[2].page == "没有抬头"


def test_O2_an_amended_page_leaves_nothing_of_the_old_one(tmp_path: Path) -> None:
    files = ProfileFiles(tmp_path)
    files.write(Profile("group", "g", body="- secret one"))
    files.write(Profile("group", "g", body="- secret two"))
    (revision,) = files.revisions("default", "group", "g")
    files.amend(Profile("group", "g", body="- fine"))
    files.amend(Profile("group", "g", body="- was fine"), revision)
    assert files.revisions("default", "group", "g") == (revision,)
    assert not [p for p in tmp_path.rglob("*.md") if "secret" in p.read_text()]


def test_S_a_scope_is_no_wider_than_its_place() -> None:
    extent = ExportScope("default", Scope(user="ann").home)
    assert extent.holds(ANN) and not extent.holds(GROUP) and not extent.holds(RED)
    assert ExportScope("red").holds(RED) and not ExportScope("red").holds(ANN)
    assert ExportScope().holds(ANN) and ExportScope().holds(RED)
    assert ExportedJob("1", False, 0, 0.0, "", job("x")).job.scope.home == ANN
