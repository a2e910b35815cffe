"""What the archive of tool runs asks of the files it is kept in."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.engine_s3 import s3, s3_keys, s3_server
from taishi.backends.archive_files import TAIL_BYTES, ArchiveFiles
from taishi.backends.s3.archive import S3Archive
from taishi.backends.s3.bucket import S3Bucket
from taishi.errors import StorageError
from taishi.ports import ArchiveStore

__all__ = ["s3", "s3_keys", "s3_server"]

OCTOBER, NOVEMBER = "observations-2026-10", "observations-2026-11"


@pytest.fixture
def files(tmp_path: Path) -> ArchiveFiles:
    return ArchiveFiles(tmp_path / "archive")


@pytest.fixture(params=["folder", "s3"])
def archive(request: pytest.FixtureRequest, tmp_path: Path) -> ArchiveStore:
    if request.param == "folder":
        (tmp_path / "archive").mkdir()
        return ArchiveFiles(tmp_path / "archive")
    bucket = S3Bucket(request.getfixturevalue("s3"))
    request.addfinalizer(bucket.close)
    return S3Archive(bucket, "archive")


def test_without_a_file_there_is_nothing(archive: ArchiveStore) -> None:
    files = archive
    assert files.names() == []
    assert list(files.lines(OCTOBER)) == []
    assert files.last_line(OCTOBER) == (0, b"")
    files.remove(OCTOBER)
    assert files.names() == []


def test_what_is_appended_comes_after_the_bytes_that_are_kept(archive: ArchiveStore) -> None:
    files = archive
    files.append(OCTOBER, 0, b"one\nend\n")
    assert files.last_line(OCTOBER) == (4, b"end\n")
    files.append(OCTOBER, 4, "二\nend\n".encode())
    files.append(NOVEMBER, 0, b"other\n")
    assert list(files.lines(OCTOBER)) == [b"one\n", "二\n".encode(), b"end\n"]
    files.append(OCTOBER, 4, b"x")
    assert list(files.lines(OCTOBER)) == [b"one\n", b"x"], "and nothing that was behind"
    assert files.names() == [OCTOBER, NOVEMBER]


@pytest.mark.parametrize(
    ("content", "begin", "last"),
    [
        (b"one", 0, b"one"),
        (b"one\n", 0, b"one\n"),
        (b"one\ntwo", 4, b"two"),
        (b"one\n\n", 4, b"\n"),
        (b"x" * TAIL_BYTES + b"\ntwo\n", TAIL_BYTES + 1, b"two\n"),
    ],
)
def test_the_last_line_may_be_cut_short(
    archive: ArchiveStore, content: bytes, begin: int, last: bytes
) -> None:
    archive.append(OCTOBER, 0, content)
    assert archive.last_line(OCTOBER) == (begin, last)


def test_many_appends_read_as_one_file(archive: ArchiveStore) -> None:
    expected = b""
    for n in range(6):
        after, last = archive.last_line(OCTOBER)
        assert (after, last) == (len(expected), b"end\n" if n else b"")
        new = f"{n} 二\n".encode() * 3
        archive.append(OCTOBER, after, new + b"end\n")
        expected += new
    assert b"".join(archive.lines(OCTOBER)) == expected + b"end\n"
    archive.append(OCTOBER, 5, b"anew\n")
    assert b"".join(archive.lines(OCTOBER)) == expected[:5] + b"anew\n"
    assert archive.last_line(OCTOBER)[1] == (expected[:5] + b"anew\n").split(b"\n")[-2] + b"\n"


def test_O2_a_rewrite_is_whole_or_not_there_and_leaves_nothing_old(archive: ArchiveStore) -> None:
    archive.append(OCTOBER, 0, b"one\ntwo\n")
    archive.append(OCTOBER, 8, b"three\n")
    archive.replace(OCTOBER, (line for line in archive.lines(OCTOBER) if line != b"one\n"))
    assert list(archive.lines(OCTOBER)) == [b"two\n", b"three\n"]

    def broken() -> Iterator[bytes]:
        yield b"half\n" * 2_000_000  # a first part is sent
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        archive.replace(OCTOBER, broken())
    assert list(archive.lines(OCTOBER)) == [b"two\n", b"three\n"]
    archive.append(OCTOBER, 4, b"four\n")
    assert list(archive.lines(OCTOBER)) == [b"two\n", b"four\n"]
    archive.remove(OCTOBER)
    assert archive.names() == []
    assert list(archive.lines(OCTOBER)) == []


def test_O2_what_a_killed_rewrite_left_in_a_bucket_is_neither_read_nor_kept(s3: str) -> None:
    bucket = S3Bucket(s3)
    archive = S3Archive(bucket, "archive")
    archive.append(OCTOBER, 0, b"secret\nrest\n")
    old = {path for path, _ in bucket.list("archive")}
    bucket.put(f"archive/{OCTOBER}/00000001-000000000000000", b"rest\n", {})  # and then it died
    assert list(archive.lines(OCTOBER)) == [b"rest\n"]
    assert archive.names() == [OCTOBER]
    assert not old & {path for path, _ in bucket.list("archive")}
    bucket.put("archive/notes.txt", b"somebody's", {})
    assert archive.names() == [OCTOBER]
    bucket.close()


def test_it_is_on_the_disk_when_append_returns(
    files: ArchiveFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    sync = os.fsync

    def noted(handle: int) -> None:
        synced.append(os.fstat(handle).st_size)
        sync(handle)

    monkeypatch.setattr(os, "fsync", noted)
    files.append(OCTOBER, 0, b"twelve bytes")
    assert 12 in synced


def test_a_file_is_replaced_whole_or_not_at_all(files: ArchiveFiles) -> None:
    files.append(OCTOBER, 0, b"one\ntwo\n")
    files.replace(OCTOBER, (line for line in files.lines(OCTOBER) if line != b"one\n"))
    assert list(files.lines(OCTOBER)) == [b"two\n"]

    def broken() -> Iterator[bytes]:
        yield b"half\n"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        files.replace(OCTOBER, broken())
    assert list(files.lines(OCTOBER)) == [b"two\n"]
    assert [path.name for path in files.folder.iterdir()] == [f"{OCTOBER}.jsonl"]
    files.remove(OCTOBER)
    assert list(files.folder.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="whether a process lives is asked on POSIX")
def test_what_a_killed_rewrite_left_is_swept_by_the_next(files: ArchiveFiles) -> None:
    pid = os.fork()
    if pid == 0:

        def dying() -> Iterator[bytes]:
            yield b"half\n"
            os.kill(os.getpid(), 9)

        files.append(OCTOBER, 0, b"one\n")
        files.replace(OCTOBER, dying())
        os._exit(3)
    assert os.WIFSIGNALED(os.waitpid(pid, 0)[1])
    assert len(list(files.folder.glob("*.tmp"))) == 1, "the control"
    files.replace(OCTOBER, [b"one\n"])
    assert [path.name for path in files.folder.iterdir()] == [f"{OCTOBER}.jsonl"]


def test_other_files_of_the_folder_are_not_ours(files: ArchiveFiles) -> None:
    files.append(OCTOBER, 0, b"one\n")
    for name in ("export.jsonl", "observations-2026-1.jsonl", "observations-2026-10.jsonl.bak"):
        (files.folder / name).write_bytes(b"mine\n")
    assert files.names() == [OCTOBER]


def test_a_disk_that_refuses_is_named(tmp_path: Path) -> None:
    (tmp_path / "archive").write_bytes(b"a file where the folder should be")
    files = ArchiveFiles(tmp_path / "archive")
    with pytest.raises(StorageError, match=r"archive cannot be written .*permissions"):
        files.append(OCTOBER, 0, b"one\n")
