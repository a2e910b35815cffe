"""What a store of files must do, whatever holds it: whole files, exact keys, nothing outside."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from support.engine_postgres import postgres as postgres
from support.engine_postgres import postgres_engine as postgres_engine
from support.engine_s3 import s3, s3_keys, s3_server
from taishi.backends.files_in_two_places import FilesInTwoPlaces
from taishi.backends.folder_files import FolderFiles
from taishi.backends.postgres.database import Database
from taishi.backends.postgres.files import FileTable
from taishi.backends.s3.bucket import S3Bucket
from taishi.backends.s3.files import S3Files
from taishi.disk import durable_io, process_identity
from taishi.errors import InputError, StorageError
from taishi.ports import FileStore
from taishi.ports.files import MAX_KEY_BYTES, checked_key

__all__ = ["s3", "s3_keys", "s3_server"]


def in_folder(request: pytest.FixtureRequest) -> FileStore:
    return FolderFiles(request.getfixturevalue("tmp_path") / "files")


def in_postgres(request: pytest.FixtureRequest) -> FileStore:
    database = Database(request.getfixturevalue("postgres"))
    request.addfinalizer(database.close)
    return FileTable(database)


def in_bucket(request: pytest.FixtureRequest) -> FileStore:
    bucket = S3Bucket(request.getfixturevalue("s3"))
    request.addfinalizer(bucket.close)
    return S3Files(bucket, "files")


def in_two_places(request: pytest.FixtureRequest) -> FileStore:
    folder = request.getfixturevalue("tmp_path")
    return FilesInTwoPlaces(FolderFiles(folder / "files"), FolderFiles(folder / "rest"))


BACKENDS: dict[str, Callable[[pytest.FixtureRequest], FileStore]] = {
    "folder": in_folder,
    "postgres": in_postgres,
    "s3": in_bucket,
    "two places": in_two_places,
}

GOOD = [
    "a",
    "documents/42/page-1.png",
    "文档/第一章 总则.md",
    "A/a",
    "CON",
    "nul.txt",
    "com1/lpt9",
    ".hidden",
    "trailing.",
    "half.tmp",
    "with space/and%41percent",
    'a:b*c?d|e<f>g"h',
    "é/e\u0301",
    "ß/ſ/K",
    "~/etc",
    "-rf",
    "...",
    "$HOME/`id`",
    "/".join("a" * 200),
    "名" * 50,
]
HOSTILE = [
    "",
    "/",
    "/etc/passwd",
    "a/",
    "a//b",
    ".",
    "..",
    "../a",
    "a/../b",
    "a/..",
    "a/./b",
    "..\\a",
    "a\\b",
    "C:\\x",
    "a\0b",
    "a\nb",
    "a\x7f",
    "\ud800",
    "x" * (MAX_KEY_BYTES + 1),
]


# Starting the server and asking it takes a while; tests/acceptance/test_files_in_s3.py always does.
@pytest.fixture(params=["folder", "postgres", pytest.param("s3", marks=pytest.mark.thorough)])
def files(request: pytest.FixtureRequest) -> FileStore:
    return BACKENDS[request.param](request)


@pytest.mark.parametrize("key", GOOD)
def test_what_is_put_is_got(files: FileStore, key: str) -> None:
    assert files.get(key) is None
    assert not files.exists(key)
    files.put(key, b"old")
    files.put(key, b"\0new\xff")
    assert files.get(key) == b"\0new\xff"
    assert files.exists(key)
    assert list(files.list()) == [key]
    assert files.delete(key)
    assert not files.delete(key)
    assert files.get(key) is None
    assert list(files.list()) == []


def test_all_keys_are_files_of_their_own(files: FileStore) -> None:
    keys = [*GOOD, "a/b", "a/b/c", "a%", "a%/b", "%61", "documents"]
    for key in keys:
        files.put(key, key.encode())
    assert {key: files.get(key) for key in keys} == {key: key.encode() for key in keys}
    assert list(files.list()) == sorted(keys)


@pytest.mark.parametrize("key", HOSTILE)
def test_P4_a_hostile_key_is_refused_by_every_verb(
    files: FileStore, key: str, tmp_path: Path
) -> None:
    files.put("there", b"1")
    before = sorted(tmp_path.rglob("*"))
    verbs: list[Callable[[], object]] = [
        lambda: files.put(key, b"x"),
        lambda: files.get(key),
        lambda: files.exists(key),
        lambda: files.delete(key),
    ]
    for verb in verbs:
        with pytest.raises(InputError):
            verb()
    assert sorted(tmp_path.rglob("*")) == before
    assert files.get("there") == b"1"


@pytest.mark.parametrize("key", [None, 5, b"a", ("a",)])
def test_P4_a_key_is_text(key: object) -> None:
    with pytest.raises(InputError):
        checked_key(key)  # type: ignore[arg-type]


def test_the_list_is_by_the_first_characters(files: FileStore) -> None:
    for key in ("a/1", "a/2", "ab/1", "b", "文/一", "文/二"):
        files.put(key, b"")
    assert list(files.list("a/")) == ["a/1", "a/2"]
    assert list(files.list("a")) == ["a/1", "a/2", "ab/1"]
    assert list(files.list("文/一")) == ["文/一"]
    assert list(files.list("b")) == ["b"]
    assert list(files.list("a/1")) == ["a/1"]
    for prefix in ("c", "A", "/", "..", "../", "a/../", "//", "\0", "a/" * 2000, "\ud800/"):
        assert list(files.list(prefix)) == [], prefix[:20]


def test_O2_clear_leaves_nothing_and_it_works_on(files: FileStore) -> None:
    files.clear()
    for key in ("a", "b/c", "b/d/e"):
        files.put(key, b"secret")
    files.clear()
    assert list(files.list()) == []
    assert files.get("b/c") is None
    files.put("b/c", b"2")
    assert files.get("b/c") == b"2"


def test_threads_put_delete_and_read_at_once(files: FileStore) -> None:
    faults: list[object] = []
    contents = {b"x" * 5000, b"y" * 7000, None}

    def use(n: int) -> None:
        try:
            for _ in range(25):
                files.put("shared/dir/file", b"x" * 5000 if n % 2 else b"y" * 7000)
                if (got := files.get("shared/dir/file")) not in contents:
                    faults.append(got)
                files.delete("shared/dir/file")
                files.list()
        except Exception as error:
            faults.append(error)

    threads = [threading.Thread(target=use, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []


@effort(max_examples=200, deadline=None)
@given(st.lists(st.text(max_size=30), min_size=1, max_size=4), st.data())
def test_P4_no_key_leaves_the_folder_and_none_is_taken_for_another(
    tmp_path_factory: pytest.TempPathFactory, keys: list[str], data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("keys")
    files = FolderFiles(folder / "in" / "files")
    (folder / "outside").write_bytes(b"untouched")
    stored: dict[str, bytes] = {}
    for n, key in enumerate(keys):
        try:
            files.put(key, str(n).encode())
        except InputError:
            continue
        stored[key] = str(n).encode()
    assert {key: files.get(key) for key in stored} == stored
    assert list(files.list()) == sorted(stored)
    assert sorted(path.name for path in folder.iterdir()) in (["outside"], ["in", "outside"])
    names = [path.relative_to(folder).as_posix().casefold() for path in folder.rglob("*")]
    assert len(names) == len(set(names)), "distinct where the file system folds case, too"


def test_a_write_that_fails_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = FolderFiles(tmp_path / "files")
    files.put("a/b", b"old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(durable_io, "_write_synced", full)
    with pytest.raises(StorageError, match="space"):
        files.put("a/b", b"new")
    assert files.get("a/b") == b"old"


def test_O2_no_name_of_a_deleted_key_is_left_on_disk(tmp_path: Path) -> None:
    files = FolderFiles(tmp_path / "files")
    files.put("user-4711/deep/er", b"1")
    files.put("user-4712/x", b"1")
    files.delete("user-4711/deep/er")
    left = [path.name for path in tmp_path.rglob("*")]
    assert any("4712" in name for name in left)
    assert not any("4711" in name for name in left)


@pytest.mark.skipif(os.name == "nt", reason="permissions are others there")
def test_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    FolderFiles(tmp_path / "files").put("a/b", b"1")
    for path in (tmp_path / "files").rglob("*"):
        assert path.stat().st_mode & 0o077 == 0


def test_half_written_and_strange_files_are_not_listed(tmp_path: Path) -> None:
    files = FolderFiles(tmp_path)
    files.put("real", b"1")
    (tmp_path / f"real.{process_identity.process_mark()}-00000000.tmp").write_bytes(b"half")
    (tmp_path / "README.TXT").write_bytes(b"somebody's")
    (tmp_path / "plain folder").mkdir()
    assert list(files.list()) == ["real"]
