"""What every store of profile pages must do, in files and in tables (P1, P3, P4, P6)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from support.engine_postgres import postgres as postgres
from support.engine_postgres import postgres_engine as postgres_engine
from taishi.backends.postgres.database import Database
from taishi.backends.postgres.locks import AdvisoryLocks
from taishi.backends.postgres.profiles import ProfileTables
from taishi.backends.profile_files.files import ProfileFiles
from taishi.backends.profile_files.transfer import ProfileFilesTransfer
from taishi.errors import BusyError, CorruptError, InputError
from taishi.exported import ExportedProfile, ExportScope
from taishi.ports import ProfileKey
from taishi.types import Profile

Pages = ProfileFiles | ProfileTables
ANN = ProfileKey("default", "user", "1708213363")
FIRST = Profile("user", "1708213363", "Ann", ("climber", "挪威"), "Lives in Oslo.\n\n喜欢爬山。")
SECOND = replace(FIRST, body="Lives in Bergen.")


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 2, 20, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=("files", "postgres"))
def open_pages(
    request: pytest.FixtureRequest, tmp_path: Path, clock: Clock
) -> Iterator[Callable[[], Pages]]:
    """Opens the same pages each time, as another process would."""
    stack = ExitStack()

    def open_one() -> Pages:
        if request.param == "files":
            return ProfileFiles(tmp_path, clock=clock)
        database = Database(request.getfixturevalue("postgres"))
        stack.callback(database.close)
        locks = AdvisoryLocks(database)
        stack.callback(locks.close)
        return ProfileTables(database, locks, clock=clock)

    with stack:
        yield open_one


@pytest.fixture
def pages(open_pages: Callable[[], Pages]) -> Pages:
    return open_pages()


def test_P1_write_and_read_back(pages: Pages) -> None:
    assert pages.read(*ANN) is None and pages.stamp(*ANN) == ()
    written = pages.write(FIRST)
    assert pages.read(*ANN) == written
    assert written == replace(FIRST, updated_at="2026-02-20T12:00:00+00:00")
    assert pages.list() == [ANN]
    assert "1708213363" in pages.where(ANN)


def test_P1_workspaces_are_apart(pages: Pages) -> None:
    pages.write(FIRST)
    pages.write(replace(SECOND, workspace="team/red"))
    assert pages.read("team/red", "user", ANN.entity_id) != pages.read(*ANN)
    assert pages.list("team/red") == [ProfileKey("team/red", "user", ANN.entity_id)]
    assert tuple(pages.workspaces()) == ("default", "team/red")


def test_P1_an_edit_on_another_server_is_not_overwritten(
    pages: Pages, open_pages: Callable[[], Pages]
) -> None:
    pages.write(FIRST)
    stamp = pages.stamp(*ANN)
    other = open_pages()
    assert other.stamp(*ANN) == stamp
    other.write(replace(SECOND, body="Lives in Bergen now, says Ann herself."), stamp)
    until = time.monotonic() + 5
    while pages.stamp(*ANN) == stamp and time.monotonic() < until:
        time.sleep(0.01)
    assert pages.stamp(*ANN) != stamp
    with pytest.raises(BusyError, match="in the meantime"):
        pages.write(SECOND, stamp)
    found = pages.read(*ANN)
    assert found is not None and "herself" in found.body
    with pytest.raises(BusyError):
        pages.write(SECOND, ())


def test_P3_five_snapshots_are_kept_in_order_whatever_the_clock_says(
    pages: Pages, clock: Clock
) -> None:
    for number in range(8):
        pages.write(replace(FIRST, body=f"Version {number}."))
        clock.now -= timedelta(hours=1)
    names = pages.revisions(*ANN)
    assert len(names) == 5 and list(names) == sorted(names, reverse=True)
    bodies = [pages.read_revision(*ANN, name).body for name in names]
    assert bodies == [f"Version {n}." for n in (6, 5, 4, 3, 2)]


def test_P3_diff_and_rollback(pages: Pages) -> None:
    pages.write(FIRST)
    pages.write(SECOND)
    (name,) = pages.revisions(*ANN)
    assert "-Lives in Oslo.\n" in pages.diff(*ANN, name)
    assert "+Lives in Bergen.\n" in pages.diff(*ANN, name)
    assert pages.rollback(*ANN, name).body == FIRST.body
    assert len(pages.revisions(*ANN)) == 2, "what was there is kept, too"
    for wrong in ("", "x", "../x", "20260220T120000.000000Z\n", "20250220T120000.000000Z"):
        with pytest.raises(InputError):
            pages.rollback(*ANN, wrong)


def test_P3_an_amended_page_leaves_nothing_of_the_old_one(pages: Pages) -> None:
    pages.write(replace(FIRST, body="- secret one"))
    pages.write(replace(FIRST, body="- secret two"))
    (revision,) = pages.revisions(*ANN)
    pages.amend(replace(FIRST, body="- fine"))
    pages.amend(replace(FIRST, body="- was fine"), revision)
    assert pages.revisions(*ANN) == (revision,)
    kept = [pages.raw(*ANN) or b"", pages.raw(*ANN, revision) or b""]
    assert not any(b"secret" in data for data in kept)


def test_P6_a_broken_page_is_read_and_named(pages: Pages) -> None:
    pages.put_raw(ANN, b'---\nname: "Ann\n---\n\nLikes tea.\n')
    found = pages.read(*ANN)
    assert found is not None and "Likes tea." in found.body
    assert [fault.kind for fault in pages.faults(ANN)] == ["front_broken"]
    assert pages.is_whole(*ANN)
    pages.put_raw(ANN, b"  \n")
    assert not pages.is_whole(*ANN)


def test_P6_nobody_is_shown_the_page_of_another(pages: Pages) -> None:
    pages.write(FIRST)
    bob = ProfileKey("default", "user", "bob")
    pages.put_raw(bob, pages.raw(*ANN) or b"")
    with pytest.raises(CorruptError, match="is the page of user"):
        pages.read(*bob)
    assert [fault.kind for fault in pages.faults(bob)] == ["other"]


def test_P5_delete_takes_the_history_along(pages: Pages) -> None:
    pages.write(FIRST)
    pages.write(SECOND)
    assert pages.delete(*ANN) and not pages.delete(*ANN)
    assert pages.read(*ANN) is None and pages.revisions(*ANN) == ()
    assert pages.remembered("default") == ()


@pytest.mark.parametrize("hostile", ["", "../x", "/etc/passwd", "a\0b", "x" * 5000, "..", "C:\\x"])
def test_P4_hostile_ids_are_refused_by_all(pages: Pages, hostile: str) -> None:
    with pytest.raises(InputError):
        pages.read("default", "user", hostile)
    with pytest.raises(InputError):
        pages.write(replace(FIRST, entity_id=hostile))
    with pytest.raises(InputError):
        pages.read("default", "robot", "x")


def test_H5_the_lock_serialises_read_merge_and_write(
    pages: Pages, open_pages: Callable[[], Pages]
) -> None:
    def add(own: Pages) -> None:
        for _ in range(5):
            with own.locked(*ANN):
                page = own.read(*ANN)
                old = page.body if page else ""
                own.write(replace(FIRST, body=f"{old}\n- one more"))

    threads = [threading.Thread(target=add, args=(own,)) for own in (pages, pages, open_pages())]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = pages.read(*ANN)
    assert found is not None and found.body.count("one more") == 15
    with pages.locked(*ANN), pytest.raises(BusyError), open_pages().locked(*ANN, timeout=0.05):
        pass


def test_O2_pages_travel_with_their_snapshots(pages: Pages, tmp_path: Path) -> None:
    pages.write(FIRST)
    pages.write(SECOND)
    pages.write(Profile("group", "g/1", body="group", workspace="red"))
    transfer = ProfileFilesTransfer(pages)
    moved = [
        one
        for one in transfer.pages(transfer.entities(ExportScope()))
        if isinstance(one, ExportedProfile)
    ]
    assert [(one.entity_id, len(one.snapshots)) for one in moved] == [("1708213363", 1), ("g/1", 0)]
    target = ProfileFilesTransfer(ProfileFiles(tmp_path / "elsewhere"))
    assert [target.take_in(one, overwrite=False) for one in moved] == ["added"] * 2
    assert list(target.pages(target.entities(ExportScope()))) == moved
    assert [transfer.take_in(one, overwrite=False) for one in moved] == ["same"] * 2
    assert transfer.rewrite(ANN, lambda text: text.replace("Oslo", "Rome")) == 1
    assert transfer.rewrite(ANN, lambda text: text) == 0
