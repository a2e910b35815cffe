"""`taishi copy`: from one address to another, verified, and again after a kill (O2)."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest
from click.testing import CliRunner, Result

from support.hash_embedder import HashEmbedder
from taishi import Memory, Scope, Settings, load
from taishi.api_keys import Keys
from taishi.cli import taishi
from taishi.doctor.engine_checks import lost_files
from taishi.errors import BusyError, InputError, StorageError
from taishi.transfer.copy_marker import CopyMarker

ANN = Scope(user="ann", session="s1")
TEAM = Scope(group="team", user="bob")
ENVIRON = {"TAISHI__MODELS__EMBEDDING__KIND": "none", "LANG": "en_US.UTF-8"}
START = [sys.executable, "-c", "from taishi.cli import main; main()"]


def settings() -> Settings:
    return load(overrides={"models.embedding.kind": "none"})


def opened(folder: Path, resume_copy: bool = False) -> Memory:
    return Memory.open(folder, settings(), embedder=HashEmbedder(), resume_copy=resume_copy)


def lived(folder: Path) -> None:
    """A memory with something of every kind."""
    with opened(folder) as memory:
        memory.end_turn(
            ANN, new_info="I moved to Oslo and I am allergic to nuts", sender_name="Ann"
        )
        memory.end_turn(TEAM, new_info="My dog is called Rex", sender_name="Bob")
        memory.drain()
        fact = memory.remember(ANN, "Ann plays the cello on 2026-03-01", kind="fact")
        memory.remember(ANN, "Ann keeps bees", kind="fact")
        memory.remember(TEAM, "长" * 600, kind="note")
        wrong = memory.remember(TEAM, "Bob hates tea", kind="fact")
        memory.facts.reject(TEAM, wrong)
        memory.forget(ANN, fact)
        memory.session(ANN).append([{"role": "user", "content": "hello", "id": "m1"}])
        memory.session(ANN).scratchpad.patch(current_goal="ship")
        memory.profiles.set(ANN, "# Ann\n\n- lives in Oslo\n")
        memory.profiles.set(ANN, "# Ann\n\n- lives in Oslo, likes bees\n")
        memory.knowledge.add(ANN, b"# Bees\n\nThey make honey.\n", name="bees.md")
        memory.set_link(Scope(user="bob"), True)
        memory.drain()
    with opened(folder) as memory:  # and a turn that waits
        memory.end_turn(ANN, new_info="I bought a boat", sender_name="Ann")
        archive = memory._services.runtime.parts.archive
        archive.replace("observations-2025-01", [b'{"type":"header"}\n', b'{"type":"end"}\n'])
    Keys(folder).create("bot", None, "admin")


def exported(folder: Path) -> list[str]:
    """All lines but the header, which has the time of the export."""
    with opened(folder) as memory:
        return list(memory.transfer.export())[1:]


def vectors_of(folder: Path) -> dict[str, str]:
    """Of short texts: a long one is embedded anew, passage by passage."""
    with Memory.open(folder, settings(), embedder=HashEmbedder()) as memory:
        lines = map(json.loads, memory.transfer.export(vectors=True))
        return {line["id"]: line["vector"] for line in lines
                if "vector" in line and len(line["text"]) <= 400}  # fmt: skip


def copy(source: Path, target: Path) -> Any:
    with opened(source) as here, opened(target, resume_copy=True) as there:
        return here.transfer.copy_to(there.transfer)


def run(*arguments: str) -> Result:
    return CliRunner(env=ENVIRON).invoke(taishi, ["copy", *arguments])


def test_O2_a_copy_of_a_copy_is_equal_byte_by_byte(tmp_path: Path) -> None:
    first, second, third = (tmp_path / name for name in ("one", "two", "three"))
    lived(first)
    before, vectors = exported(first), vectors_of(first)
    for source, target in ((first, second), (second, third)):
        done = copy(source, target)
        assert done.same_order and done.passes == 1 and not done.left_out
    types = {json.loads(line)["type"] for line in before}
    assert types >= {"record", "message", "session", "link", "profile", "job", "original"}
    assert exported(third) == before == exported(first)
    with Memory.open(third, settings()) as memory:  # without an embedder: what came along
        assert memory.status()["records"]["unembedded"] < len(vectors) > 3
    assert vectors_of(third) == vectors
    assert (third / "archive/observations-2025-01.jsonl").read_bytes().count(b"\n") == 2
    assert not (third / "copying.json").exists()


def test_O2_what_was_forgotten_stays_forgotten_in_the_copy(tmp_path: Path) -> None:
    source, target = tmp_path / "one", tmp_path / "two"
    with opened(source) as memory:
        gone = memory.remember(ANN, "Ann plays the cello", kind="fact")
        lines = list(memory.transfer.export())
        memory.forget(ANN, gone)
    copy(source, target)
    with opened(target) as memory, opened(source) as original:
        assert memory.deletions.list() == original.deletions.list() != []
        assert memory.transfer.import_records(lines).forgotten == {"record": 1}


def test_O2_the_command_takes_keys_and_prompts_along(tmp_path: Path) -> None:
    source, target = tmp_path / "one", tmp_path / "two"
    with opened(source) as memory:
        memory.remember(ANN, "Ann keeps bees")
    _, secret = Keys(source).create("bot", None, "admin")
    (source / "prompts").mkdir(exist_ok=True)
    (source / "prompts" / "note.txt").write_text("mine")
    done = run(str(source), str(target))
    assert done.exit_code == 0 and "copied and verified" in done.stdout, done.output
    assert Keys(target).find(secret) and (target / "prompts/note.txt").read_text() == "mine"
    told = json.loads(run(str(target), str(tmp_path / "three"), "--json").stdout)
    assert told["counts"] == {"record": 1} and told["keys"] == 1 and len(told["checksum"]) == 64


def test_O2_writers_of_the_source_are_told(tmp_path: Path) -> None:
    source = tmp_path / "one"
    with opened(source) as memory:
        memory.remember(ANN, "Ann keeps bees")
        done = run(str(source), str(tmp_path / "two"))
    assert "1 process has the source open" in done.stderr and "is not in the copy" in done.stderr
    alone = run(str(source), str(tmp_path / "three"), "--json")
    assert alone.exit_code == 0 and "source open" not in alone.stderr


def test_O2_an_interrupted_copy_goes_on_and_follows_the_source(tmp_path: Path) -> None:
    source, target = tmp_path / "one", tmp_path / "two"
    lived(source)

    def stop(stage: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    with opened(source) as here, opened(target) as there, pytest.raises(KeyboardInterrupt):
        here.transfer.copy_to(there.transfer, progress=stop)
    assert (target / "copying.json").exists()
    with pytest.raises(StorageError, match=r"not complete\. Continue it: `taishi copy ") as refused:
        opened(target)
    assert f"{source} {target}" in str(refused.value)
    done = CliRunner(env=ENVIRON).invoke(taishi, ["--data", str(target), "status"])
    assert done.exit_code != 0 and "not complete" in done.stderr
    with opened(source) as memory:  # meanwhile
        bees = memory.recall(ANN, "keeps bees").hits[0]
        memory.forget(ANN, bees.id)
        memory.remember(ANN, "Ann sold the bees", kind="fact")
    done = copy(source, target)
    assert done.removed >= 1 and exported(source) == exported(target)
    assert done.passes == 2 and not (target / "copying.json").exists()


def test_O2_a_part_of_a_copy_opens_without_its_marker(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.remember(ANN, "Ann keeps bees")
    marker = tmp_path / "copying.json"
    for content in ("", "{}", '{"source": "0123456789abcdef", "begun": 0}'):
        marker.write_text(content)
        with pytest.raises(StorageError, match="give it up and use what is there: `taishi "):
            opened(tmp_path)
    given_up = run("--give-up", "a source that is gone", str(tmp_path))
    assert given_up.exit_code == 0 and "can be opened" in given_up.stdout, given_up.output
    with opened(tmp_path) as memory:
        assert memory.recall(ANN, "bees").hits
    again = run("--give-up", "a source that is gone", str(tmp_path))
    assert again.exit_code == 2 and "nothing to give up" in again.stderr
    nowhere = run("--give-up", "a source that is gone", str(tmp_path / "nowhere"))
    assert nowhere.exit_code == 2 and not (tmp_path / "nowhere").exists()


def test_O2_two_copies_into_one_target_do_not_run_at_once(tmp_path: Path) -> None:
    source, target = tmp_path / "one", tmp_path / "two"
    with opened(source) as memory:
        memory.remember(ANN, "Ann keeps bees")
    refused = []

    def second(stage: str, done: int, total: int) -> None:
        if not refused:
            with pytest.raises(BusyError) as error:
                copy(source, target)
            refused.append(str(error.value))

    with opened(source) as here, opened(target) as there:
        here.transfer.copy_to(there.transfer, progress=second)
    assert "a copy into this memory" in refused[0]


def test_O2_a_document_without_its_original_is_said(tmp_path: Path) -> None:
    source = tmp_path / "one"
    with opened(source) as memory:
        memory.knowledge.add(ANN, b"# Bees\n\nThey make honey.\n", name="bees.md")
        assert memory.maintenance.check_files() == "ok"
        memory._services.runtime.parts.originals.clear()
        said = "1 documents have no original in the memory's own store, such as bees.md"
        assert memory.maintenance.check_files() == said
        (finding,) = lost_files(memory)
        assert finding.level == "problem" and "1 个文档" in finding.message.zh
        assert finding.message.en == said and finding.message.zh.endswith("例如 bees.md")
    refused = run(str(source), str(tmp_path / "two"))
    assert refused.exit_code == 2 and said in refused.stderr
    assert not (tmp_path / "two" / "copying.json").exists()
    lost = "the file of the document bees.md: not in the memory's own store"
    for file in ("-", str(tmp_path / "out.jsonl")):
        data = ["--data", str(source)]
        done = CliRunner(env=ENVIRON).invoke(taishi, [*data, "export", file])
        assert done.exit_code == 1 and f"left out: {lost}" in done.stderr
        assert "the export lacks 1 thing" in done.stderr
    lines = (tmp_path / "out.jsonl").read_text().splitlines()
    assert json.loads(lines[-1])["left_out"] == [lost]


def test_O2_nothing_to_look_for_is_no_proof(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.remember(ANN, "Ann keeps bees in the garden")
    forget = ["--data", str(tmp_path), "forget", "--user", "ann", "--yes", "--prove"]
    done = CliRunner(env=ENVIRON).invoke(taishi, forget)
    assert done.exit_code == 0 and "for 1 phrase: 0 found" in done.stdout, done.output
    again = CliRunner(env=ENVIRON).invoke(taishi, forget)
    assert again.exit_code == 2 and "this proves nothing" in again.stderr
    assert "found" not in again.stdout


def test_O2_a_source_that_never_rests_is_said(tmp_path: Path) -> None:
    source, target = tmp_path / "one", tmp_path / "two"
    with opened(source) as here, opened(target) as there:
        here.remember(ANN, "Ann keeps bees")

        def write(stage: str, done: int, total: int) -> None:
            here.remember(ANN, f"another one {os.urandom(4).hex()}")

        with pytest.raises(StorageError, match=r"record: \d+ and \d+.*run it again"):
            here.transfer.copy_to(there.transfer, progress=write)


def test_O2_a_target_that_holds_something_else_is_refused(tmp_path: Path) -> None:
    one, two, three = (tmp_path / name for name in ("one", "two", "three"))
    for folder in (one, two):
        with opened(folder) as memory:
            memory.remember(ANN, f"in {folder.name}")
    with pytest.raises(InputError, match="holds a memory already"):
        copy(one, two)
    with opened(one) as memory, pytest.raises(InputError, match="the same memory"):
        memory.transfer.copy_to(memory.transfer)
    three.mkdir()
    (three / "copying.json").write_text('{"source": "0123456789abcdef", "begun": 0}')
    with pytest.raises(InputError, match="a part of a copy of 0123456789abcdef"):
        copy(one, three)


def test_O2_part_of_a_copy_is_not_continued_from_a_memory_of_the_same_origin(
    tmp_path: Path,
) -> None:
    """A copy has the identity of its source, and may have gone its own way since."""
    one, two, part, moved = (tmp_path / name for name in ("one", "two", "part", "moved"))
    with opened(one) as memory:
        memory.remember(ANN, "Ann keeps bees")
    copy(one, two)
    with opened(two) as memory:
        memory.remember(ANN, "Ann sold the bees")
    copy(one, part)
    with closing(apsw.Connection(str(one / "taishi.db"))) as database:
        key = bytes(database.execute("SELECT key FROM forgotten_key").get)
    marker = CopyMarker.of(hashlib.sha256(key).hexdigest()[:16], str(one), one)
    (part / "copying.json").write_bytes(marker.content(0.0))
    with pytest.raises(InputError, match=r"a part of a copy of .*one; go on with that"):
        copy(two, part)
    assert (part / "copying.json").exists()
    wrong = run("--give-up", str(two), str(part))
    assert wrong.exit_code == 2 and f"--give-up {one} {part}" in wrong.stderr
    assert (part / "copying.json").exists()
    one.rename(moved)
    assert copy(moved, part).counts and exported(moved) == exported(part)
    assert not (part / "copying.json").exists()


@pytest.mark.parametrize("pair, said", [
    (("{0}/a", "{0}/a"), "the same memory"),
    (("{0}/a", "{0}/./b/../a"), "the same memory"),
    (("{0}/nowhere", "{0}/b"), "there is no memory at"),
    (("{0}/empty", "{0}/b"), "there is no memory at"),
    (("{0}/a\0", "{0}/b"), "NUL"),
])  # fmt: skip
def test_O2_a_wrong_address_makes_nothing(tmp_path: Path, pair: tuple[str, str], said: str) -> None:
    import re

    (tmp_path / "empty").mkdir()
    with opened(tmp_path / "a") as memory:
        memory.remember(ANN, "Ann keeps bees")
    source, target = (one.format(tmp_path) for one in pair)
    done = run(source, target)
    assert done.exit_code == 2 and re.search(said, done.stderr), done.output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "empty"]
    assert not any((tmp_path / "empty").iterdir())


def copied(folder: Path) -> int:
    """How many records are in a folder that another process writes to."""
    try:
        path = str(folder / "taishi.db")
        with closing(apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)) as connection:
            return int(connection.execute("SELECT count(*) FROM records").get)
    except apsw.Error:  # not there yet
        return 0


@pytest.mark.thorough
def test_O2_killed_half_way_and_run_again(tmp_path: Path) -> None:
    source, target = tmp_path / "one", tmp_path / "two"
    with Memory.open(source, settings()) as memory:
        for start in range(0, 20_000, 2000):
            memory.remember_many(
                ANN, [{"text": f"fact number {n} of Ann"} for n in range(start, start + 2000)]
            )
    command = [*START, "copy", str(source), str(target)]
    environ = {**os.environ, **ENVIRON}
    for lines in (2_000, 8_000, 15_000):  # killed once so many of them are in the target
        with subprocess.Popen(command, env=environ, stderr=subprocess.DEVNULL) as process:
            while process.poll() is None and copied(target) < lines:
                time.sleep(0.01)
            assert process.poll() is None, "it was done before it could be killed"
            process.send_signal(signal.SIGKILL)
    done = subprocess.run(command, env=environ, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert exported(source) == exported(target)
