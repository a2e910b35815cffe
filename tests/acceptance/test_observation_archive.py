"""W7: tool runs older than observation.max_age_days go to files that can be read and imported."""

from __future__ import annotations

import errno
import json
import logging
import os
import stat
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from taishi import Memory, Scope
from taishi.backends import archive_files
from taishi.backends.archive_files import ArchiveFiles
from taishi.backends.sqlite import SqliteStore
from taishi.cli import taishi
from taishi.language.redaction import redactor
from taishi.transfer import observation_archive
from taishi.transfer.format import read_line
from taishi.transfer.observation_archive import ObservationArchive
from taishi.types import Edit, Partition, Record

ANN, BEN = Scope(user="ann-4711", session="s1"), Scope(user="ben-4712")
CLUB = Scope(group="club", user="ann-4711")
DAY = 86_400.0
OCTOBER = 1_792_800_000.0  # 2026-10-23T22:40:00Z
SECRET = "Bluebird77"
Open = Callable[..., Memory]


class Clock:
    def __init__(self, now: float = OCTOBER) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(open_memory: Open, clock: Clock) -> Memory:
    return open_memory(clock=clock)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data"


def observe(memory: Memory, scope: Scope, result: str) -> None:
    memory.observe(scope, "weather", {"city": "Oslo"}, result)
    list(memory.transfer.export())  # what was accepted is in the store before its lines are


def expire(memory: Memory) -> int:
    """What upkeep does every few minutes; how many were archived, as no life ends here."""
    return memory._services.upkeep.expire()


def store_of(memory: Memory) -> SqliteStore:
    return memory._services.runtime.parts.store


def archive_of(memory: Memory) -> ObservationArchive:
    return memory._services.upkeep._archive


def texts(memory: Memory, scope: Scope = ANN) -> list[str]:
    found = memory.records.list(scope, kinds=["observation"], limit=1000).records
    return sorted(one.text.partition(" → ")[2] for one in found)


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "archive").glob("*"))


def archived(folder: Path) -> list[str]:
    """The results of the archived runs, in the order of the files."""
    lines = [
        json.loads(line)
        for path in sorted((folder / "archive").glob("*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    return [line["data"]["result"] for line in lines if line["type"] == "record"]


def import_file(folder: Path, file: Path) -> Result:
    env = {"TAISHI_DATA": str(folder), "TAISHI__MODELS__EMBEDDING__KIND": "none", "LANG": "en_US",
           "TAISHI__OBSERVATION__MAX_AGE_DAYS": "0"}  # fmt: skip
    return CliRunner().invoke(taishi, ["import", str(file)], env=env)


# -- the age --------------------------------------------------------------------------------------


def test_W7_a_tool_run_is_kept_until_its_age_and_then_archived(
    memory: Memory, clock: Clock, folder: Path
) -> None:
    observe(memory, ANN, "rain in Oslo 奥斯陆有雨")
    clock.now += 29.9 * DAY
    observe(memory, ANN, "sun in Oslo")
    assert expire(memory) == 0
    assert (len(texts(memory)), files(folder)) == (2, [])
    clock.now += 0.2 * DAY
    assert expire(memory) == 1
    assert texts(memory) == ["sun in Oslo"]
    assert files(folder) == ["observations-2026-10.jsonl"]
    assert archived(folder) == ["rain in Oslo 奥斯陆有雨"]
    hits = memory.recall(ANN, "Oslo", kinds=["observation"], deadline=5.0).hits
    assert [hit.text.partition(" → ")[2] for hit in hits] == ["sun in Oslo"]
    assert expire(memory) == 0


def test_W7_the_status_says_how_many_were_archived(
    memory: Memory, clock: Clock, folder: Path
) -> None:
    assert memory.status()["archive"] == {
        "files": 0, "tool_runs": 0, "oldest": "", "newest": "",
    }  # fmt: skip
    for number in range(5):
        observe(memory, ANN, f"rain {number}")
        clock.now += 20 * DAY
    expire(memory)
    told = memory.status()["archive"]
    assert (told["files"], told["tool_runs"]) == (len(files(folder)), len(archived(folder))) == (
        3, 4,
    )  # fmt: skip
    assert (told["oldest"], told["newest"]) == ("2026-10", "2026-12")
    assert memory.status()["records"]["observation"] == 1
    memory.forget(ANN)
    assert memory.status()["archive"]["tool_runs"] == 0
    env = {"TAISHI_DATA": str(folder), "TAISHI__MODELS__EMBEDDING__KIND": "none"}
    for language, words in (("en", "archive"), ("zh", "归档")):
        shown = CliRunner().invoke(taishi, ["status", "--lang", language], env=env)
        assert words in shown.output


def test_W7_zero_days_keep_tool_runs_for_ever(
    open_memory: Open, clock: Clock, folder: Path
) -> None:
    memory = open_memory({"observation.max_age_days": 0}, clock=clock)
    observe(memory, ANN, "rain in Oslo")
    clock.now += 3000 * DAY
    assert expire(memory) == 0
    assert (texts(memory), files(folder)) == (["rain in Oslo"], [])


def test_W7_only_tool_runs_are_archived(memory: Memory, clock: Clock, folder: Path) -> None:
    memory.remember(ANN, "Ann lives in Oslo")
    observe(memory, ANN, "rain in Oslo")
    clock.now += 400 * DAY
    assert expire(memory) == 1
    assert [fact.text for fact in memory.facts.list(ANN)] == ["Ann lives in Oslo"]
    assert archived(folder) == ["rain in Oslo"]


def test_W7_each_month_has_its_file_and_files_grow(
    memory: Memory, clock: Clock, folder: Path
) -> None:
    for days in (0, 0, 20, 0):
        clock.now += days * DAY
        observe(memory, ANN, f"run at {clock.now}")
    clock.now += 31 * DAY
    assert expire(memory) == 4
    observe(memory, BEN, "a late one")
    clock.now += 31 * DAY
    assert expire(memory) == 1
    names = [f"observations-{month}.jsonl" for month in ("2026-10", "2026-11", "2026-12")]
    assert files(folder) == names
    counts = [len((folder / "archive" / name).read_bytes().splitlines()) - 2 for name in names]
    assert counts == [2, 2, 1]


def test_W7_many_are_archived_in_batches_and_some_at_a_time(
    memory: Memory, clock: Clock, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("taishi.ingest.upkeep.ARCHIVED_AT_ONCE", 1000)
    home = ANN.home
    put = [Record(f"obs-{n}", home, "observation", f"run {n}", time=OCTOBER) for n in range(1200)]
    store_of(memory).apply([Edit("put", one) for one in put])
    clock.now += 31 * DAY
    assert expire(memory) == 1000
    assert expire(memory) == 200
    result = import_file(folder.parent / "other", next((folder / "archive").iterdir()))
    assert result.exit_code == 0, result.output


def test_W7_upkeep_does_it_by_itself_and_says_how_many(
    memory: Memory, clock: Clock, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    observe(memory, ANN, "rain in Oslo")
    clock.now += 31 * DAY
    with caplog.at_level(logging.INFO, "taishi.upkeep"):
        memory.start_worker()
        end = time.monotonic() + 20
        while "1 tool runs" not in caplog.text and time.monotonic() < end:
            time.sleep(0.02)
    assert archived(folder) == ["rain in Oslo"]
    assert "1 tool runs older than 30 days were archived" in caplog.messages


# -- reading it back ------------------------------------------------------------------------------


def test_W7_an_archived_file_is_an_export_that_import_takes_back(
    memory: Memory, clock: Clock, folder: Path, tmp_path: Path
) -> None:
    for result in ("rain in Oslo", "奥斯陆有雨"):
        observe(memory, ANN, result)
    before = {one.id: one for one in memory.records.list(ANN, kinds=["observation"]).records}
    clock.now += 31 * DAY
    expire(memory)
    assert memory.records.list(ANN, kinds=["observation"]).records == ()
    file = folder / "archive" / "observations-2026-10.jsonl"
    assert "奥斯陆有雨" in file.read_text(encoding="utf-8")
    memory.close()
    for _ in range(2):  # safe to repeat
        result = import_file(folder, file)
        assert result.exit_code == 0, result.output
    with Memory.open(folder, memory.settings, clock=clock) as again:
        back = {one.id: one for one in again.records.list(ANN, kinds=["observation"]).records}
    shown = ("place", "kind", "text", "time", "created", "user", "session", "data")
    assert {id: [getattr(one, name) for name in shown] for id, one in back.items()} == {
        id: [getattr(one, name) for name in shown] for id, one in before.items()
    }


def test_W7_what_today_s_rules_find_is_not_archived(
    open_memory: Open, clock: Clock, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as old_rules:
        old_rules.setattr(redactor, "VERSION", 1)
        old_rules.setattr(redactor, "find_sensitive", lambda text, email, phone: iter(()))
        memory = open_memory(clock=clock)
        observe(memory, ANN, f"my password is {SECRET}")
        memory.close()
    memory = open_memory(clock=clock)
    record = store_of(memory).find(ANN.home, ("observation",))[0]
    assert SECRET in record.text, "the control: it is stored as it was"
    clock.now += 31 * DAY
    assert expire(memory) == 1
    assert len(archived(folder)) == 1
    assert SECRET.encode() not in b"".join(p.read_bytes() for p in (folder / "archive").iterdir())


# -- crashes --------------------------------------------------------------------------------------


def test_W5_killed_between_the_write_and_the_removal_nothing_is_lost_or_doubled(
    memory: Memory, clock: Clock, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    observe(memory, ANN, "rain in Oslo")
    observe(memory, ANN, "sun in Oslo")
    clock.now += 31 * DAY

    def killed(*_: Any, **__: Any) -> int:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(SqliteStore, "apply", killed)
        with pytest.raises(KeyboardInterrupt):
            archive_of(memory).archive(ANN.home, clock.now - 30 * DAY)
    assert len(texts(memory)) == len(archived(folder)) == 2, "in both"
    assert expire(memory) == 2
    assert (texts(memory), len(archived(folder))) == ([], 4)
    memory.close()
    result = import_file(folder, folder / "archive" / "observations-2026-10.jsonl")
    assert result.exit_code == 0, result.output
    with Memory.open(folder, memory.settings, clock=clock) as again:
        assert texts(again) == ["rain in Oslo", "sun in Oslo"]


@pytest.mark.parametrize("lost", [1, 40, 150, 600, 10_000])
def test_W5_a_file_that_was_cut_short_goes_on_after_its_last_whole_line(
    memory: Memory, clock: Clock, folder: Path, tmp_path: Path, lost: int
) -> None:
    """What was cut off had not been removed from the store: it is archived again."""
    observe(memory, ANN, "rain in Oslo")
    clock.now += 31 * DAY
    expire(memory)
    file = folder / "archive" / "observations-2026-10.jsonl"
    whole = file.read_bytes()
    file.write_bytes(whole[: max(0, len(whole) - lost)])
    left = archived_whole(file)
    clock.now = OCTOBER
    observe(memory, ANN, "sun in Oslo")
    clock.now += 31 * DAY
    assert expire(memory) == 1
    assert archived(folder) == [*left, "sun in Oslo"]
    result = import_file(tmp_path / "other", file)
    assert result.exit_code == 0, result.output


def archived_whole(file: Path) -> list[str]:
    lines = [json.loads(one) for one in file.read_bytes().splitlines(True) if one[-1:] == b"\n"]
    return [line["data"]["result"] for line in lines if line["type"] == "record"]


def test_W5_zeros_that_a_power_cut_left_are_cut_off_and_a_bad_line_in_between_stays(
    memory: Memory, clock: Clock, folder: Path
) -> None:
    observe(memory, ANN, "rain in Oslo")
    clock.now += 31 * DAY
    expire(memory)
    file = folder / "archive" / "observations-2026-10.jsonl"
    header, record, _ = file.read_bytes().splitlines(True)
    file.write_bytes(header + b"damaged\n" + record + b"\0\0\0\0 half\n\0\0")
    clock.now = OCTOBER
    observe(memory, ANN, "sun in Oslo")
    clock.now += 31 * DAY
    expire(memory)
    lines = file.read_bytes().splitlines(True)
    assert lines[:3] == [header, b"damaged\n", record]
    assert json.loads(lines[-1])["counts"] == {"record": 3}
    assert len(lines) == 5


def refuse(*_: Any) -> None:
    raise PermissionError(errno.EACCES, "Permission denied")


def test_W7_in_a_folder_that_cannot_be_written_tool_runs_stay(
    memory: Memory,
    clock: Clock,
    folder: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    observe(memory, ANN, "rain in Oslo")
    clock.now += 31 * DAY
    with monkeypatch.context() as patched:  # root may write anywhere, so that a mode says nothing
        patched.setattr(archive_files, "make_folder", refuse)
        assert expire(memory) == 0
    (folder / "archive").write_bytes(b"a file in its place")
    assert expire(memory) == 0
    assert [m.count("could not be archived") for m in caplog.messages] == [1, 1]
    assert texts(memory) == ["rain in Oslo"]
    (folder / "archive").unlink()
    assert expire(memory) == 1
    assert archived(folder) == ["rain in Oslo"]


@pytest.mark.skipif(sys.platform == "win32", reason="needs permissions as on POSIX")
def test_R2_the_archive_is_its_owner_s_alone(memory: Memory, clock: Clock, folder: Path) -> None:
    old_mask = os.umask(0)
    try:
        for _ in range(2):
            observe(memory, ANN, "rain in Oslo")
            clock.now += 31 * DAY
            expire(memory)
        memory.forget(ANN, json.loads(first_line(folder))["id"])
    finally:
        os.umask(old_mask)
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (folder / "archive").iterdir()}
    assert (stat.S_IMODE((folder / "archive").stat().st_mode), modes) == (0o700, {0o600})


def first_line(folder: Path) -> bytes:
    """Of the records of the first file."""
    return next(iter(sorted((folder / "archive").iterdir()))).read_bytes().splitlines()[1]


# -- forgetting -----------------------------------------------------------------------------------

RAIN, SUN, SNOW = (
    "heavy rain over the harbour of Oslo",
    "sunshine on the quays of Bergen all day",
    "snow on the pass above Voss since dawn",
)


@pytest.fixture
def filled(memory: Memory, clock: Clock) -> Memory:
    """Ann's, Ben's and the club's runs, archived."""
    for scope, result in ((ANN, RAIN), (BEN, SUN), (CLUB, SNOW)):
        observe(memory, scope, result)
    clock.now += 31 * DAY
    assert expire(memory) == 3
    return memory


def test_O2_forgetting_a_person_reaches_the_archive_and_the_proof_looks_there(
    filled: Memory, folder: Path
) -> None:
    phrases = filled.deletions.traces(ANN)
    assert any("rain" in phrase for phrase in phrases), "known by what is archived alone"
    proof = filled.deletions.prove(ANN, phrases)
    assert {one.place for one in proof.found} >= {"archive"}, "the control: it is there"
    assert filled.forget(ANN) == 2
    assert archived(folder) == [SUN]
    proof = filled.deletions.prove(ANN, phrases)
    assert (bool(proof), proof.found) == (True, ())
    assert filled.forget(BEN) == 1
    assert files(folder) == []


def test_O2_forgetting_a_group_or_one_record_reaches_the_archive(
    filled: Memory, folder: Path
) -> None:
    assert filled.forget(Scope(group="club")) == 1
    assert archived(folder) == [RAIN, SUN]
    found = read_line(first_line(folder))
    assert filled.forget(BEN, found.record.id) == 0, "not of this place"  # type: ignore[union-attr]
    assert filled.forget(ANN, found.record.id) == 1  # type: ignore[union-attr]
    assert archived(folder) == [SUN]
    assert [one.what for one in filled.deletions.list()][:1] == ["record"]


def test_O2_what_was_forgotten_is_not_imported_from_an_older_copy_of_the_archive(
    filled: Memory, folder: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes((folder / "archive" / "observations-2026-10.jsonl").read_bytes())
    filled.forget(ANN)
    done = filled.transfer.import_records(copy.read_bytes().splitlines(True))
    assert (dict(done.forgotten), dict(done.added)) == ({"record": 2}, {"record": 1})


def test_O2_copies_in_other_workspaces_go_with_the_original(
    memory: Memory, clock: Clock, folder: Path
) -> None:
    observe(memory, ANN, RAIN)
    observe(memory, BEN, SUN)
    memory.transfer.import_records(list(memory.transfer.export()), remap={"default": "team"})
    observe(memory, Scope(user=ANN.user, workspace="team"), "her own in team")
    clock.now += 31 * DAY
    assert expire(memory) == 5
    memory.forget(ANN)
    assert sorted(archived(folder)) == sorted([SUN, SUN, "her own in team"])


def test_O2_forgetting_waits_for_what_is_on_its_way_to_the_archive(
    memory: Memory, clock: Clock, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store is emptied while upkeep has the records in its hands: forget finds the lines."""
    observe(memory, ANN, RAIN)
    clock.now += 31 * DAY
    append = ArchiveFiles.append

    def forgotten_meanwhile(self: ArchiveFiles, name: str, after: int, data: bytes) -> None:
        store_of(memory).erasure.forget_user("default", str(ANN.user))
        append(self, name, after, data)

    monkeypatch.setattr(ArchiveFiles, "append", forgotten_meanwhile)
    expire(memory)
    assert archived(folder) == [RAIN]
    assert memory.forget(ANN) == 1
    assert archived(folder) == []


def test_O2_a_damaged_line_that_names_the_person_goes_with_them(
    filled: Memory, folder: Path
) -> None:
    file = folder / "archive" / "observations-2026-10.jsonl"
    header, *records, end = file.read_bytes().splitlines(True)
    damaged = [record[:-30] + b"\n" for record in records]
    file.write_bytes(b"".join([header, *damaged, *records, end]))
    filled.forget(ANN)
    lines = file.read_bytes().splitlines(True)
    bens = [line for line in (*damaged, *records) if b"ben-4712" in line]
    assert (lines[1:-1], len(bens)) == (bens, 2)
    assert json.loads(lines[-1])["counts"] == {"record": 2}


def test_O2_the_torn_end_of_a_file_goes_with_whoever_is_forgotten(
    filled: Memory, folder: Path
) -> None:
    """It may be anybody's, and its record is still in the store."""
    file = folder / "archive" / "observations-2026-10.jsonl"
    header, *records, _ = file.read_bytes().splitlines(True)
    file.write_bytes(b"".join([header, *records, records[0][:120]]))
    filled.forget(Scope(user="nobody"))
    assert file.read_bytes().splitlines(True)[1:-1] == records


def test_O2_ids_that_json_escapes_are_found(memory: Memory, clock: Clock, folder: Path) -> None:
    odd = [Scope(user='安"\\n'), Scope(user="安")]
    for scope in odd:
        observe(memory, scope, RAIN)
    clock.now += 31 * DAY
    assert expire(memory) == 2
    assert [memory.forget(scope) for scope in odd] == [1, 1]
    assert files(folder) == []


def test_files_of_others_in_the_folder_are_left_alone(filled: Memory, folder: Path) -> None:
    other = folder / "archive" / "my-notes.jsonl"
    other.write_bytes(b"not ours\n")
    filled.forget(ANN)
    filled.forget(BEN)
    assert files(folder) == ["my-notes.jsonl"]
    assert other.read_bytes() == b"not ours\n"


def test_R1_a_rescan_reads_the_archive_again(
    open_memory: Open, clock: Clock, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as old_rules:
        old_rules.setattr(redactor, "VERSION", 1)
        old_rules.setattr(redactor, "find_sensitive", lambda text, email, phone: iter(()))
        memory = open_memory(clock=clock)
        observe(memory, ANN, f"my password is {SECRET}")
        observe(memory, BEN, SUN)
        clock.now += 31 * DAY
        assert expire(memory) == 2
        memory.close()
    file = folder / "archive" / "observations-2026-10.jsonl"
    assert SECRET.encode() in file.read_bytes(), "the control"
    memory = open_memory(clock=clock)
    assert memory.maintenance.rescan().texts == 1
    assert SECRET.encode() not in file.read_bytes()
    assert len(archived(folder)) == 2
    assert memory.maintenance.rescan().texts == 0


# -- around it ------------------------------------------------------------------------------------


def test_O2_a_backup_has_the_archive(filled: Memory, tmp_path: Path, folder: Path) -> None:
    filled.transfer.backup(tmp_path / "copy")
    assert archived(tmp_path / "copy") == archived(folder)
    assert sorted(archived(folder)) == sorted([RAIN, SUN, SNOW])


def test_W7_a_record_without_a_time_has_no_age(memory: Memory, clock: Clock) -> None:
    put = Record("obs-x", Partition("default", "private", "ann"), "observation", "no time")
    store_of(memory).apply([Edit("put", put)])
    clock.now += 4000 * DAY
    assert expire(memory) == 0
    assert store_of(memory).get(put.place, "obs-x") is not None


def test_one_batch_is_bounded(memory: Memory, clock: Clock) -> None:
    for number in range(3):
        observe(memory, ANN, f"run {number}")
    limit = clock.now + DAY
    assert archive_of(memory).archive(ANN.home, limit, 2) == 2
    assert archive_of(memory).archive(ANN.home, limit, 2) == 1
    assert archive_of(memory).archive(ANN.home, limit, 2) == 0
    assert observation_archive.BATCH <= 500
