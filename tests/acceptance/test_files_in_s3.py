"""Originals, archives and exports in S3, on a real server (B1, K1, O2)."""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner, Result

from support.engine_postgres import PostgresEngine
from support.engine_s3 import KEY, SECRET, s3, s3_address, s3_keys, s3_server, start_s3
from support.engine_valkey import start_valkey
from support.engines import stop
from support.worker_processes import running, until
from taishi import Memory, Scope
from taishi.backends.s3.bucket import S3Bucket
from taishi.backends.s3.files import S3Files
from taishi.cli import taishi
from taishi.doctor.checks import run_checks
from taishi.doctor.engine_checks import lost_files
from taishi.doctor.findings import Finding
from taishi.errors import InputError, StorageError
from taishi.settings import load

__all__ = ["s3", "s3_keys", "s3_server"]

Open = Callable[..., Memory]
OFFICE = Scope(group="office")
NOWHERE = "s3://taishi-test/x?endpoint=http://127.0.0.1:9&region=us-east-1"
RULES = "# Rules\n\nThe zeppelin leaves at nine."
DAY = 86_400.0


def paths(address: str, folder: str = "") -> list[str]:
    bucket = S3Bucket(address)
    found = [path for path, _ in bucket.list(folder)]
    bucket.close()
    return sorted(found)


def engine(memory: Memory) -> str:
    return str(memory.status(records=False)["engines"]["files"]["state"])


@pytest.fixture
def memory(open_memory: Open, s3: str) -> Memory:
    return open_memory({"storage.files": s3, "query.recall_timeout": 5.0})


def test_K1_an_original_is_in_the_bucket_and_nowhere_else(
    memory: Memory, s3: str, tmp_path: Path
) -> None:
    info = memory.knowledge.add(OFFICE, RULES, name="rules.md")
    assert info is not None and info.original
    assert memory.knowledge.original(OFFICE, "rules.md") == RULES.encode()
    assert len(paths(s3, "originals")) == 1
    assert not (tmp_path / "data" / "originals").exists()
    assert "office" not in paths(s3)[0] and "rules" not in paths(s3)[0]
    assert memory.knowledge.search(OFFICE, "when does the zeppelin leave?").hits
    assert memory.knowledge.original(Scope(group="other"), "rules.md") is None
    assert memory.knowledge.remove(OFFICE, "rules.md")
    assert paths(s3) == []


@pytest.mark.thorough
def test_K1_a_large_file_goes_in_parts_and_is_checked_when_it_is_read(s3: str) -> None:
    bucket = S3Bucket(s3)
    files = S3Files(bucket, "files")
    data = os.urandom(1 << 20) * 18 + b"end"
    files.put("large", data)
    assert files.get("large") == data
    found = bucket.get("files/large")
    assert found is not None and found[1]["sha256"] == hashlib.sha256(data).hexdigest()
    bucket.put("files/large", data[:-1], {"sha256": found[1]["sha256"]})
    with pytest.raises(StorageError, match="checksum differs"):
        files.get("large")
    bucket.close()


@pytest.mark.thorough
def test_K1_a_link_gives_the_file_to_anybody_for_a_while(memory: Memory) -> None:
    memory.knowledge.add(OFFICE, RULES, name="rules.md")
    link = memory.knowledge.original_link(OFFICE, "rules.md")
    brief = memory.knowledge.original_link(OFFICE, "rules.md", 1)
    assert link is not None and brief is not None
    answer = httpx.get(link)
    assert (answer.status_code, answer.content) == (200, RULES.encode())
    assert answer.headers["content-disposition"] == "attachment"
    assert httpx.get(link.replace("/originals/", "/")).status_code in (403, 404)
    assert SECRET not in link
    time.sleep(2.1)
    assert httpx.get(brief).status_code == 403, "it has expired"
    assert memory.knowledge.original_link(OFFICE, "nothing.md") is None
    for seconds in (0, -1, 3601, float("nan")):
        with pytest.raises(InputError):
            memory.knowledge.original_link(OFFICE, "rules.md", seconds)


def test_O2_forget_takes_originals_off_the_bucket_and_proves_it(memory: Memory, s3: str) -> None:
    ann = Scope(user="ann-4711")
    memory.knowledge.add(ann, "The brass sextants of Ann are from old ships.", name="ann.txt")
    memory.knowledge.add(OFFICE, RULES, name="rules.md")
    words = memory.deletions.traces(ann)
    assert any("brass sextants" in word for word in words)
    before = memory.deletions.prove(ann, words)
    assert any(one.place.startswith(("originals", "s3://")) for one in before.found), "the control"
    memory.forget(ann)
    proof = memory.deletions.prove(ann, words)
    assert proof.found == ()
    assert any(place.startswith("every byte of s3://") for place in proof.places)
    assert len(paths(s3)) == 1 and memory.knowledge.original(OFFICE, "rules.md")
    # A copy that nothing knows of is found, too.
    bucket = S3Bucket(s3)
    S3Files(bucket, "originals").put("stray/file", b"The brass sextants of Ann are from old ships.")
    bucket.close()
    left = memory.deletions.prove(ann, words).found
    assert left and all(one.place.endswith("stray/file") for one in left)
    assert "belong to no document" in memory.maintenance.check_files()


def test_K1_without_the_server_nothing_is_half_kept_and_it_is_said(
    open_memory: Open, s3_keys: None
) -> None:
    memory = open_memory({"storage.files": NOWHERE, "query.recall_timeout": 5.0})
    memory.remember(OFFICE, "The office has a zeppelin")
    with pytest.raises(StorageError, match=r"s3://taishi-test/x cannot be .*check that the S3"):
        memory.knowledge.add(OFFICE, RULES, name="rules.md")
    assert memory.knowledge.list(OFFICE) == []
    assert memory.knowledge.search(OFFICE, "zeppelin leaves").hits == ()
    assert engine(memory) == "degraded"
    assert memory.recall(OFFICE, "zeppelin").hits
    assert "cannot be read or written" in memory.maintenance.check_files()
    with pytest.raises(StorageError):
        memory.forget(OFFICE)
    assert memory.recall(OFFICE, "zeppelin").hits, "nothing is forgotten by halves"


@pytest.mark.thorough
def test_K1_a_document_that_is_searched_is_found_while_the_server_is_away(
    open_memory: Open, s3: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory({"storage.files": s3, "query.recall_timeout": 5.0})
    memory.knowledge.add(OFFICE, RULES, name="rules.md")
    bucket: Any = next(one for one in memory._services.runtime.parts.outside)
    working, away = bucket._store, S3Bucket(NOWHERE)._store
    bucket._store = away
    assert memory.knowledge.search(OFFICE, "when does the zeppelin leave?").hits
    with pytest.raises(StorageError):
        memory.knowledge.original(OFFICE, "rules.md")
    with pytest.raises(StorageError):
        memory.knowledge.add(OFFICE, RULES + " Bring a coat.", name="rules.md")
    assert [one.state for one in memory.knowledge.list(OFFICE)] == ["ready"], "as it was"
    # It goes away in the middle: what is new is taken back, what was there can be completed.
    put = S3Bucket.put
    monkeypatch.setattr(S3Bucket, "put", _fails)
    bucket._store = working
    with pytest.raises(StorageError, match=r"'new\.md' was not added"):
        memory.knowledge.add(OFFICE, "A new page about marmots.", name="new.md")
    assert [one.name for one in memory.knowledge.list(OFFICE)] == ["rules.md"]
    found = memory.knowledge.search(OFFICE, "marmots").hits
    assert not any("marmots" in hit.text for hit in found)
    with pytest.raises(StorageError, match="add it again to complete it"):
        memory.knowledge.add(OFFICE, RULES + " Bring a coat.", name="rules.md")
    monkeypatch.setattr(S3Bucket, "put", put)
    info = memory.knowledge.add(OFFICE, RULES + " Bring a coat.", name="rules.md")
    assert info is not None and info.state == "ready"
    assert memory.knowledge.original(OFFICE, "rules.md") == (RULES + " Bring a coat.").encode()
    assert engine(memory) == "ok"
    assert memory.maintenance.check_files() == "ok"


def _fails(self: S3Bucket, *_: object) -> None:
    raise StorageError("the bucket is gone")


@pytest.mark.thorough
def test_O2_archived_tool_runs_are_in_the_bucket_and_forgotten_there(
    open_memory: Open, s3: str
) -> None:
    now = [1_790_000_000.0]
    changes = {"storage.files": s3, "observation.max_age_days": 30, "query.recall_timeout": 5.0}
    memory = open_memory(changes, clock=lambda: now[0])
    ann, bob = Scope(user="ann-4711"), Scope(user="bob-4712")
    for scope in (ann, bob):
        memory.observe(scope, "shell", {"command": f"list sextants of {scope.user}"}, "done")
    memory.drain()
    now[0] += 40 * DAY
    assert memory._services.upkeep.expire() == 2
    assert memory.status()["archive"]["tool_runs"] == 2
    assert paths(s3, "archive")
    memory.forget(ann)
    left = "".join(memory._services.upkeep._archive.lines())  # type: ignore[union-attr]
    assert "bob-4712" in left and "ann-4711" not in left
    bucket = S3Bucket(s3)
    stored = b"".join((bucket.get(path) or (b"", {}))[0] for path in paths(s3))
    bucket.close()
    assert b"bob-4712" in stored and b"ann-4711" not in stored


@pytest.fixture
def cli(
    tmp_path: Path, run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., str]:
    monkeypatch.setenv("TAISHI__MODELS__EMBEDDING__KIND", "none")

    def call(*arguments: str, data: str = "data", fails: bool = False) -> str:
        result = run(*arguments, "--data", tmp_path / data)
        assert (result.exit_code != 0) == fails, result.output
        return " ".join(result.output.split())

    return call


@pytest.mark.thorough
def test_O2_an_export_goes_to_a_bucket_and_comes_back(
    cli: Callable[..., str], s3: str, tmp_path: Path
) -> None:
    base, _, query = s3.partition("?")
    target = f"{base}/exports/all.jsonl?{query}"
    for n in range(3):
        cli("remember", "--user", "ann", f"Ann's note {n} is about 西湖")
    cli("export", target)
    assert paths(s3) == ["exports/all.jsonl"]
    assert "--force" in cli("export", target, fails=True)
    cli("export", target, "--force")
    cli("import", target, data="copy")
    local = tmp_path / "copy.jsonl"
    cli("export", str(local), data="copy")
    lines = [json.loads(line) for line in local.read_text().splitlines()]
    assert sum(line.get("type") == "record" for line in lines) == 3
    missing = cli("import", f"{base}/exports/none.jsonl?{query}", data="copy", fails=True)
    assert "is not there" in missing
    assert "names no file" in cli("export", f"{base}/", fails=True)


@pytest.mark.thorough
def test_O2_an_export_that_fails_leaves_nothing(
    memory: Memory, s3: str, make_settings: Callable[..., Any]
) -> None:
    from taishi.assembly.shared_storage import RemoteFile

    base = s3.partition("?")[0]
    remote = RemoteFile(f"{base}/half.jsonl", make_settings({"storage.files": s3}))
    with pytest.raises(RuntimeError), remote.writing() as out:
        out.write("x" * (20 << 20))
        raise RuntimeError("killed")
    assert paths(s3) == []
    with remote.writing() as out:
        for n in range(100_000):
            out.write(f"{n:0100}\n")
    assert [len(line) for line in remote.lines()] == [101] * 100_000


@pytest.mark.parametrize(
    "address",
    [
        "https://bucket",
        "s3://",
        "s3://a",
        "s3://key:secret@bucket/x",
        "s3://bucket/../x",
        "s3://bucket/a?endpoint=ftp://x",
        "s3://bucket/a?endpoint=http://u:p@x",
        "s3://bucket/a?acl=public",
        "s3://Bucket_1/x",
        "s3://bucket/a b",
    ],
)
def test_C1_an_address_that_is_none_is_refused(open_memory: Open, address: str) -> None:
    with pytest.raises(InputError, match=r"storage\.files is no address in S3") as caught:
        open_memory({"storage.files": address})
    assert "secret" not in str(caught.value).replace("SECRET", "")


@pytest.mark.thorough
def test_O2_doctor_tells_of_engines_that_are_away(
    tmp_path: Path, s3: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = str(tmp_path / "data")

    def findings(files: str, cache: str) -> dict[str, str]:
        settings = {"storage.files": files, "storage.cache": cache, "memory.data": folder}
        quiet = {"models.embedding.kind": "none"}
        found = run_checks(lambda **more: load(environ={}, overrides=settings | quiet | more))
        return {one.check: one.level for one in found}

    with Memory.open(folder, load(environ={}, overrides={"models.embedding.kind": "none"})) as one:
        one.remember(OFFICE, "there")
    assert findings(s3, "")["files"] == "ok"
    away = findings(NOWHERE, "redis://127.0.0.1:1/0")
    assert (away["files"], away["cache"]) == ("problem", "warning")


def asked(tmp_path: Path, **changes: str) -> dict[str, Finding]:
    """What doctor finds where no memory has been made yet."""
    storage = {f"storage.{name}": address for name, address in changes.items()}
    base = {"memory.data": str(tmp_path / "new"), "models.embedding.kind": "none"}
    found = run_checks(lambda **more: load(environ={}, overrides=base | storage | more))
    return {one.check: one for one in found}


def test_O2_doctor_asks_the_bucket_before_the_first_write(
    tmp_path: Path, s3: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert asked(tmp_path, files=s3)["files"].level == "ok"
    none = asked(tmp_path, files=s3.replace("taishi-test/", "taishi-none/"))["files"]
    assert (none.level, "the bucket does not exist" in none.text("en")) == ("problem", True)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
    refused = asked(tmp_path, files=s3)["files"]
    assert refused.level == "problem"
    assert "refuses our keys" in refused.text("en") and "AWS_SECRET" in refused.text("en")
    assert "does not answer" not in refused.text("en") and "拒绝了密钥" in refused.text("zh")
    assert not (tmp_path / "new").exists()


def test_O2_an_error_says_the_servers_code_and_no_markup(
    s3: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
    bucket = S3Bucket(s3)
    try:
        with pytest.raises(StorageError) as raised:
            bucket.put("file", b"x", {})
    finally:
        bucket.close()
    for said in (str(raised.value), caplog.text):
        assert "403 Forbidden, SignatureDoesNotMatch" in said and "<" not in said


@pytest.mark.skipif(sys.platform == "win32", reason="stops processes as on POSIX")
def test_O1_a_server_without_its_bucket_says_so_at_the_start(tmp_path: Path, s3: str) -> None:
    none = s3.replace("taishi-test/", "taishi-none/")
    with running(tmp_path / "data", TAISHI__STORAGE__FILES=none) as server:
        until(lambda: "the bucket does not exist" in server.log.read_text())
        told = httpx.get(f"{server.url}/v1/status").json()
        assert told["details"]["engines"]["files"]["state"] == "degraded"


def test_O2_a_proof_names_the_tables_and_the_bucket(
    tmp_path: Path, s3: str, postgres_engine: PostgresEngine
) -> None:
    env = {
        "TAISHI__STORAGE__FILES": s3,
        "TAISHI__STORAGE__FOLDER": str(tmp_path / "state"),
        "TAISHI__MODELS__EMBEDDING__KIND": "none",
        "LANG": "en_US",
    }
    (tmp_path / "ann.txt").write_text("The brass sextants of Ann are from old ships.")
    (tmp_path / "rules.md").write_text(RULES)
    with postgres_engine.database() as address:
        for words in (
            ("knowledge", "add", str(tmp_path / "ann.txt"), "--user", "ann-4711"),
            ("knowledge", "add", str(tmp_path / "rules.md"), "--group", "office"),
            ("forget", "--user", "ann-4711", "--yes", "--prove"),
        ):
            done = CliRunner().invoke(taishi, ["--data", address, *words], env=env)
            assert done.exit_code == 0, done.output
    assert re.search(r"every table of the database, \d+ files?, ", done.stdout)
    assert " 0 found" in done.stdout


def test_O2_doctor_tells_a_wrong_password_of_the_cache(tmp_path: Path) -> None:
    pytest.importorskip("redis")
    folder = tmp_path / "valkey"
    folder.mkdir()
    server = start_valkey(folder, 0, "--requirepass", "right")
    try:
        at = server["url"].partition("://")[2]
        assert asked(tmp_path, cache=f"redis://:right@{at}")["cache"].level == "ok"
        for address in (f"redis://:wrong@{at}", f"redis://{at}"):
            refused = asked(tmp_path, cache=address)["cache"]
            assert refused.level == "warning"
            assert "refuses the connection" in refused.text("en")
            assert "password" in refused.text("en") and "密码" in refused.text("zh")
            assert "wrong" not in refused.text("en").replace("WRONGPASS", "")
    finally:
        stop(server["pid"])
    assert "does not answer" in asked(tmp_path, cache=f"redis://{at}")["cache"].text("en")


def test_O2_a_bucket_that_is_not_there_is_said(tmp_path: Path, s3: str) -> None:
    address = s3.replace("taishi-test/", "taishi-none/")
    settings = {"storage.files": address, "memory.data": str(tmp_path / "data")}
    quiet = {"models.embedding.kind": "none"}
    loaded = load(environ={}, overrides=settings | quiet)
    with Memory.open(settings=loaded) as one:
        one.remember(OFFICE, "there")
        assert "the bucket does not exist: create it" in one.maintenance.check_files()
    found = run_checks(lambda **more: load(environ={}, overrides=settings | quiet | more))
    (files,) = [one for one in found if one.check == "files"]
    assert files.level == "problem" and "does not exist" in files.message.en
    assert "create it" in files.advice.en and "start it" not in files.advice.en
    bucket = S3Bucket(address)
    assert not bucket.answers()
    bucket.close()


# -- a server of a test's own, killed in the middle ------------------------------------------------


@pytest.fixture
def own_s3(tmp_path: Path, s3_keys: None) -> Iterator[dict[str, Any]]:
    folder = tmp_path / "s3"
    folder.mkdir()
    server = start_s3(folder)
    yield server
    os.kill(server["pid"], signal.SIGKILL)


@pytest.mark.thorough
def test_K1_a_server_that_hangs_is_told_and_comes_back(
    open_memory: Open, own_s3: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    from datetime import timedelta

    monkeypatch.setattr("taishi.backends.s3.bucket.REQUEST", timedelta(seconds=2))
    address = s3_address(own_s3["endpoint"])
    memory = open_memory({"storage.files": address, "query.recall_timeout": 1.0})
    memory.knowledge.add(OFFICE, RULES, name="rules.md")
    os.kill(own_s3["pid"], signal.SIGSTOP)
    try:
        begun = time.monotonic()
        with pytest.raises(StorageError):
            memory.knowledge.add(OFFICE, "About marmots.", name="new.md")
        assert time.monotonic() - begun < 15
        assert memory.knowledge.search(OFFICE, "when does the zeppelin leave?").hits
        assert engine(memory) == "degraded"
    finally:
        os.kill(own_s3["pid"], signal.SIGCONT)
    until = time.monotonic() + 30
    while engine(memory) != "ok" and time.monotonic() < until:
        time.sleep(0.1)
    assert memory.knowledge.original(OFFICE, "rules.md") == RULES.encode()
    assert memory.knowledge.add(OFFICE, "About marmots.", name="new.md")


CHILD = """
import sys
from taishi import Memory, Scope, load
memory = Memory.open(sys.argv[1], load(environ={}, overrides={
    "models.embedding.kind": "none", "storage.files": sys.argv[2]}))
print("open", flush=True)
for n in range(1000):
    text = f"# Part {n}\\n\\n" + f"word{n} " * 3000
    memory.knowledge.add(Scope(group="office"), text, f"p{n}.md")
"""


@pytest.mark.thorough
def test_K1_killed_in_the_middle_of_an_import_no_file_is_lost(
    open_memory: Open, s3: str, tmp_path: Path
) -> None:
    folder = tmp_path / "data"
    for n in range(4):
        environment = {**os.environ, "AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET}
        with subprocess.Popen(
            [sys.executable, "-c", CHILD, str(folder), s3],
            env=environment,
            stdout=subprocess.PIPE,
        ) as child:
            assert child.stdout and child.stdout.readline() == b"open\n"
            time.sleep(0.3 + 0.13 * n)
            child.kill()
    memory = open_memory({"storage.files": s3}, embedder=None)
    assert memory.maintenance.check_files() == "ok", "every file has its manifest"
    documents = memory.knowledge.list(OFFICE)
    assert documents
    for one in documents:
        if one.state == "ready":
            assert memory.knowledge.original(OFFICE, one.id) is not None
    memory.forget(OFFICE)
    assert paths(s3) == []
    assert not list(memory._services.runtime.parts.originals.list())


# -- backups -------------------------------------------------------------------------------------


def test_O2_a_backup_has_the_originals_and_what_is_lost_in_the_bucket_is_read_from_it(
    open_memory: Open, s3: str, tmp_path: Path
) -> None:
    memory = open_memory({"storage.files": s3})
    memory.knowledge.add(OFFICE, RULES, name="rules.md")
    archive = memory._services.runtime.parts.archive
    archive.replace("observations-2025-01", [b'{"type":"header"}\n', b'{"type":"end"}\n'])
    made = memory.transfer.backup(tmp_path / "backup")
    bare = memory.transfer.backup(tmp_path / "bare", originals=False)
    assert made.files == bare.files + 2
    memory.close()

    def opened(folder: str, files: str) -> Memory:
        overrides = {"storage.files": files, "models.embedding.kind": "none"}
        return Memory.open(tmp_path / folder, load(overrides=overrides))

    with opened("backup", "") as restored:  # by itself
        assert restored.maintenance.check_files() == "ok"
        assert restored.knowledge.original(OFFICE, "rules.md") == RULES.encode()
        assert restored._services.runtime.parts.archive.names() == ["observations-2025-01"]
    bucket = S3Bucket(s3)
    S3Files(bucket, "originals").clear()  # it is gone, and everything is set up as it was
    bucket.close()
    with opened("bare", s3) as restored:
        assert "have no original in s3://" in restored.maintenance.check_files()
    with opened("backup", s3) as restored:
        assert restored.maintenance.check_files() == "ok"
        assert restored.knowledge.original(OFFICE, "rules.md") == RULES.encode()
        restored.forget(OFFICE)
        assert restored.maintenance.check_files() == "ok"
    assert not any((tmp_path / "backup" / "originals").rglob("*"))


def test_K1_originals_from_before_the_bucket_are_read_and_replaced_there(
    open_memory: Open, s3: str, tmp_path: Path
) -> None:
    memory = open_memory()
    memory.knowledge.add(OFFICE, RULES, name="rules.md")
    memory.close()
    memory = open_memory({"storage.files": s3})
    assert memory.knowledge.original(OFFICE, "rules.md") == RULES.encode()
    assert memory.maintenance.check_files() == "ok" and paths(s3) == []
    newer = RULES.replace("nine", "ten")
    memory.knowledge.add(OFFICE, newer, name="rules.md")
    assert memory.knowledge.original(OFFICE, "rules.md") == newer.encode()
    assert len(paths(s3, "originals")) == 1
    assert not [one for one in (tmp_path / "data" / "originals").rglob("*") if one.is_file()]


def test_O2_doctor_says_what_a_restored_backup_does_not_know(
    open_memory: Open, s3: str, tmp_path: Path
) -> None:
    """A document that was added after the backup is in the bucket alone."""
    memory = open_memory({"storage.files": s3})
    memory.transfer.backup(tmp_path / "backup")
    memory.knowledge.add(OFFICE, RULES, name="rules.md")
    memory.close()
    settings = {"storage.files": s3, "models.embedding.kind": "none"}
    with Memory.open(tmp_path / "backup", load(overrides=settings)) as restored:
        (finding,) = lost_files(restored)
    assert finding.level == "warning" and "belong to no document" in finding.message.en
    assert finding.advice is not None and "an older backup was restored" in finding.advice.en
    assert "恢复了较早的备份" in finding.advice.zh
