"""`taishi copy` from a folder into PostgreSQL and back: the exports are equal byte by byte (O2)."""

from __future__ import annotations

import json
import socket
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from acceptance.test_copy import ENVIRON, lived, settings
from support.engine_postgres import postgres as postgres
from support.engine_postgres import postgres_engine as postgres_engine
from support.hash_embedder import HashEmbedder
from taishi import Memory, Scope
from taishi.api_keys import Keys
from taishi.cli import taishi
from taishi.errors import StorageError
from taishi.ports import Call

PEOPLE, AT_ONCE = 30, 1000


def opened(address: Path | str) -> Memory:
    return Memory.open(address, settings(), embedder=HashEmbedder())


def exported(address: Path | str) -> list[str]:
    """All lines but the header, which has the time of the export."""
    with opened(address) as memory:
        return list(memory.transfer.export())[1:]


def filled(folder: Path, records: int) -> None:
    """Something of every kind, and so many records of many people in three workspaces."""
    lived(folder)
    with Memory.open(folder, settings()) as memory:
        for number in range(PEOPLE):
            scope = Scope(user=f"p{number}", workspace=f"w{number % 3}", session=f"s{number}")
            share = records // PEOPLE
            for start in range(0, share, AT_ONCE):
                texts = range(start, min(start + AT_ONCE, share))
                memory.remember_many(
                    scope,
                    [{"text": f"Anna {number} saw bird {n} 第{n}只鸟", "kind": "fact"}
                     for n in texts],
                )  # fmt: skip
        memory._services.runtime.parts.store.ledger.add(
            Call("write", "small", True, 1.5, 120, 30, "json", 0.01)
        )


def copy(source: Path | str, target: Path | str) -> dict[str, Any]:
    done = CliRunner(env=ENVIRON).invoke(taishi, ["copy", str(source), str(target), "--json"])
    assert done.exit_code == 0, done.output
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def there_and_back(
    tmp_path: Path, postgres: str, records: int, monkeypatch: pytest.MonkeyPatch
) -> dict[str, float]:
    monkeypatch.setenv("TAISHI__STORAGE__FOLDER", str(tmp_path / "local"))
    first, last = tmp_path / "first", tmp_path / "last"
    filled(first, records)
    before = exported(first)
    times = [time.monotonic()]
    for source, target in ((first, postgres), (postgres, last)):
        told = copy(source, target)
        times.append(time.monotonic())
        assert told["same_order"] and told["passes"] == 1 and not told["left_out"], told
        assert told["keys"] == 1 and told["archives"] == 1 and told["deletions"] >= 1
    types = {json.loads(line)["type"] for line in before}
    wanted = {"record", "message", "session", "link", "profile", "job", "original", "ledger"}
    assert types >= wanted, wanted - types
    assert exported(last) == before == exported(first)
    with opened(first) as here, opened(last) as there:
        assert here.deletions.list() == there.deletions.list()
        ann = Scope(user="ann", session="s1")
        assert len(there.profiles.revisions(ann)) == len(here.profiles.revisions(ann)) >= 1
    assert [key.id for key in Keys(last).list()] == [key.id for key in Keys(first).list()]
    lines = len(before)
    return {
        "lines": lines,
        "to PostgreSQL, lines/s": round(lines / (times[1] - times[0])),
        "back, lines/s": round(lines / (times[2] - times[1])),
    }


def test_O2_a_folder_goes_to_postgres_and_back(
    tmp_path: Path, postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    print(there_and_back(tmp_path, postgres, 800, monkeypatch))


def test_O2_an_interrupted_copy_is_refused_on_every_machine(
    tmp_path: Path, postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each machine has a local folder of its own; the mark is in the database."""
    source = tmp_path / "one"
    lived(source)

    def on_machine(name: str) -> None:
        monkeypatch.setenv("TAISHI__STORAGE__FOLDER", str(tmp_path / name))

    def stop(stage: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    on_machine("first")
    with opened(source) as here, opened(postgres) as there, pytest.raises(KeyboardInterrupt):
        here.transfer.copy_to(there.transfer, progress=stop)
    for machine in ("first", "second"):
        on_machine(machine)
        with pytest.raises(StorageError, match="not complete") as refused:
            opened(postgres)
        said = str(refused.value)
        assert f"Continue it: `taishi copy {source} postgresql://" in said
        assert f"{socket.gethostname()}:{source}" in said
        environ = {**ENVIRON, "TAISHI_DATA": postgres, "LANG": "zh_CN.UTF-8"}
        done = CliRunner(env=environ).invoke(taishi, ["status"])
        assert done.exit_code == 1 and "放弃复制" in done.stderr, done.output
    other = tmp_path / "other"
    with opened(other) as memory:
        memory.remember(Scope(user="eve"), "another memory")
    refused_too = CliRunner(env=ENVIRON).invoke(taishi, ["copy", str(other), postgres])
    assert refused_too.exit_code == 2 and f":{source}; go on with that" in refused_too.stderr
    copy(source, postgres)  # from the second machine
    on_machine("third")
    assert exported(postgres) == exported(source)


def test_O2_what_was_copied_so_far_can_be_used(
    tmp_path: Path, postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TAISHI__STORAGE__FOLDER", str(tmp_path / "local"))
    source = tmp_path / "one"
    lived(source)

    def stop(stage: str, done: int, total: int) -> None:
        if stage == "checking":
            raise KeyboardInterrupt

    with opened(source) as here, opened(postgres) as there, pytest.raises(KeyboardInterrupt):
        here.transfer.copy_to(there.transfer, progress=stop)
    give_up = ["copy", "--give-up", str(source), postgres]
    done = CliRunner(env=ENVIRON).invoke(taishi, give_up)
    assert done.exit_code == 0 and "given up: postgresql://" in done.stdout, done.output
    with opened(postgres) as memory:
        assert memory.recall(Scope(user="ann"), "moved to Oslo").hits


@pytest.mark.thorough
@pytest.mark.timeout(900)
def test_O2_100_000_records_go_to_postgres_and_back(
    tmp_path: Path, postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    print(there_and_back(tmp_path, postgres, 100_000, monkeypatch))
