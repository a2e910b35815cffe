"""The off switch, the old list beside the memory, and the way out of it (C3)."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from support.sizes import few_and_many
from taishi import Memory, Scope, load
from taishi.errors import CorruptError, InputError
from taishi.tools import dispatch

ANN = Scope(user="ann")
CLUB = Scope(group="club", user="ann")
OFF = {"memory.enabled": False}
LIST = {"memory.legacy_end_summaries": True}
SECRET = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH"

Open = Callable[..., Memory]


def listed(folder: Path) -> list[Any]:
    found: list[Any] = json.loads((folder / "end_summaries.json").read_text(encoding="utf-8"))
    return found


# -- off --------------------------------------------------------------------------------------


def test_C3_off_keeps_and_finds_nothing_and_the_jobs_stay(
    open_memory: Open, tmp_path: Path
) -> None:
    on = open_memory()
    on.end_turn(ANN, "Ann moved to Oslo.")
    on.profiles.set(ANN, "Lives in Oslo.")
    waiting = on.status()["queue"]["pending"]
    on.close()
    off = open_memory(OFF)
    off.start_worker()
    assert off.end_turn(ANN, "Ann moved to Rome.") is None
    assert off.consider(ANN, [{"text": "I like tea"}]) is None
    assert off.sessions.end(Scope(user="ann", session="s")) is False
    off.observe(ANN, "search", {}, "found")
    for found in (
        off.recall(ANN, "Oslo"), off.search_events(ANN, "Oslo"), off.search_profiles(ANN, "Oslo"),
    ):  # fmt: skip
        assert (found.hits, found.level, found.paths) == ((), "empty", {"memory": "off"})
    assert off.context(ANN, "where does Ann live?") == ""
    off.drain(5)
    assert off.status()["queue"]["pending"] == waiting == 1
    assert off.status()["observations"]["waiting"] == 0
    assert not (tmp_path / "data" / "end_summaries.json").exists()
    off.close()
    again = open_memory()
    again.drain()
    assert [hit.kind for hit in again.recall(ANN, "Oslo", deadline=5, kinds=["event"]).hits]


def test_C3_off_still_asks_for_a_scope(open_memory: Open) -> None:
    off = open_memory(OFF)
    for verb in (off.recall, off.end_turn, off.search_events, off.context):
        with pytest.raises(InputError):
            verb("ann", "Oslo")  # type: ignore[arg-type]


def test_C3_off_loads_no_model_and_no_index(tmp_path: Path) -> None:
    """In a process of its own: what was imported tells."""
    script = """
import json, sys, threading
from taishi import Memory, Scope, load
settings = load(environ={}, overrides={"memory.enabled": False, "memory.data": sys.argv[1],
    "models.chat.api_url": "http://127.0.0.1:9", "models.rerank.api_url": "http://127.0.0.1:9"})
with Memory.open(settings=settings) as memory:
    memory.start_worker()
    memory.end_turn(Scope(user="ann"), "Ann moved to Oslo.")
    memory.observe(Scope(user="ann"), "search", {}, "found")
    memory.recall(Scope(user="ann"), "Oslo")
    loaded = [m for m in ("onnxruntime", "tokenizers", "httpx", "taishi.models.local.embedder",
              "taishi.models.chat.model", "taishi.models.reranker") if m in sys.modules]
    threads = sorted(t.name for t in threading.enumerate() if t.name.startswith("taishi"))
    print(json.dumps([loaded, threads, memory.status()["index"]["places"],
                      memory.status()["embedder"]]))
"""
    run = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "data")],
        check=True, capture_output=True, text=True, cwd=tmp_path,
    )  # fmt: skip
    loaded, threads, places, embedder = json.loads(run.stdout)
    assert loaded == []
    assert threads == ["taishi-settings"]
    assert places == 0
    assert embedder == {"on": False, "note": "off (memory.enabled = false)"}


# -- the old list -----------------------------------------------------------------------------


def test_C3_the_list_is_written_beside_the_memory(open_memory: Open, tmp_path: Path) -> None:
    memory = open_memory(LIST)
    memory.end_turn(CLUB, "The club met.", ["Ann brings the oars"], sender_name="Ann",
                    request_id="r1", time="2026-02-20T14:30:00+08:00")  # fmt: skip
    memory.end_turn(ANN, new_info="Ann likes tea", summary="")
    memory.consider(ANN, [{"text": "I like tea"}])
    memory.close()
    club, ann = listed(tmp_path / "data")
    assert club == {
        "summary": "The club met.", "new_info": ["Ann brings the oars"],
        "time": "2026-02-20T14:30:00+08:00", "workspace": "default", "request_type": "group",
        "user_id": "ann", "group_id": "club", "sender_id": "ann", "sender_name": "Ann",
        "id": "r1:1", "schema_version": "final_v1",
    }  # fmt: skip
    assert (ann["summary"], ann["user_id"], "group_id" in ann) == ("Ann likes tea", "ann", False)


def test_C3_nothing_is_written_while_the_switch_is_off(open_memory: Open, tmp_path: Path) -> None:
    memory = open_memory()
    memory.end_turn(ANN, "Ann moved to Oslo.")
    memory.drain()
    memory.close()
    assert not (tmp_path / "data" / "end_summaries.json").exists()


def test_C3_off_with_the_list_recalls_from_it(open_memory: Open) -> None:
    off = open_memory(OFF | LIST)
    for day, text in enumerate(("Ann moved to Oslo.", "安喜欢喝绿茶。", "The ferry was late."), 1):
        assert off.end_turn(ANN, text, time=f"2026-03-0{day}T10:00:00+08:00") is None
    found = off.recall(ANN, "where is Oslo?")
    assert [hit.text for hit in found.hits] == ["Ann moved to Oslo."]
    assert (found.level, found.paths) == ("keyword", {"legacy": "ok"})
    assert found.hits[0].kind == "event"
    assert [hit.text for hit in off.recall(ANN, "绿茶").hits] == ["安喜欢喝绿茶。"]
    # Nothing said in these words: the newest, as old bots showed them.
    newest = off.recall(ANN, "zebra", top_k=2).hits
    assert [hit.text for hit in newest] == ["The ferry was late.", "安喜欢喝绿茶。"]
    assert off.recall(ANN, "zebra", floor=0.1).hits == ()
    assert off.recall(ANN, "Oslo", kinds=["fact"]).hits == ()
    assert off.search_profiles(ANN, "Oslo").hits == ()
    assert off.recall(ANN, "Oslo", time_from="2026-03-02").hits[0].text == "The ferry was late."
    assert "Ann moved to Oslo." in off.context(ANN, "Oslo")
    assert off.search_events(ANN, "Oslo", target_user_id="bob").hits == ()


def test_S_the_list_keeps_scopes_apart(open_memory: Open) -> None:
    off = open_memory(OFF | LIST)
    off.end_turn(ANN, "Ann's secret is Oslo.")
    off.end_turn(CLUB, "The club goes to Oslo.")
    off.end_turn(Scope(group="other", user="ann"), "The others go to Oslo.")
    off.end_turn(Scope(user="ann", workspace="w2"), "In another workspace: Oslo.")
    off.end_turn(Scope(shared=True), "Everybody knows Oslo.")
    off.end_turn(Scope(agent="a1"), "The agent knows Oslo.")

    def seen(scope: Scope) -> set[str]:
        return {hit.text for hit in off.recall(scope, "Oslo", top_k=50).hits}

    assert seen(ANN) == {"Ann's secret is Oslo.", "Everybody knows Oslo."}
    assert seen(CLUB) == {"The club goes to Oslo.", "Everybody knows Oslo."}
    assert seen(Scope(user="bob")) == {"Everybody knows Oslo."}
    assert seen(Scope(user="ann", workspace="w2")) == {"In another workspace: Oslo."}
    assert seen(Scope(agent="a1")) == {"The agent knows Oslo.", "Everybody knows Oslo."}
    assert seen(Scope(agent="a2")) == {"Everybody knows Oslo."}
    off.set_link(ANN, True)
    assert "Ann's secret is Oslo." in seen(CLUB)
    assert "Ann's secret is Oslo." not in seen(Scope(group="club", user="bob"))


def test_R1_the_list_holds_no_secret(open_memory: Open, tmp_path: Path) -> None:
    off = open_memory(OFF | LIST)
    off.end_turn(ANN, f"The key is {SECRET}", [f"again: {SECRET}"], sender_name=f"Ann {SECRET}")
    assert SECRET not in (tmp_path / "data" / "end_summaries.json").read_text("utf-8")


def test_R1_what_others_wrote_is_redacted_when_it_is_shown(
    open_memory: Open, tmp_path: Path
) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    old = [{"summary": f"Oslo, and the key {SECRET}", "user_id": "ann"}]
    (folder / "end_summaries.json").write_text(json.dumps(old), encoding="utf-8")
    hit = open_memory(OFF | LIST).recall(ANN, "Oslo").hits[0]
    assert "Oslo" in hit.text
    assert SECRET not in hit.text


def test_C3_the_list_is_bounded_and_what_is_not_ours_stays(
    open_memory: Open, tmp_path: Path
) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    old = ["an old text", {"summary": "an old entry", "user_id": 17, "odd": [1, {"a": None}]}]
    (folder / "end_summaries.json").write_text(json.dumps(old), encoding="utf-8")
    off = open_memory(OFF | LIST | {"memory.legacy_keep": 3})
    for number in range(8):
        off.end_turn(ANN, f"turn {number}")
    kept = listed(folder)
    assert kept[:2] == old
    assert [entry["summary"] for entry in kept[2:]] == ["turn 5", "turn 6", "turn 7"]
    # A text that does not say whose it is can be shown to nobody; a number is an id.
    assert off.recall(Scope(user=17), "old", top_k=9).hits[0].text == "an old entry"  # type: ignore[arg-type]
    assert all("old" not in hit.text for hit in off.recall(ANN, "old", top_k=9).hits)


def test_C3_a_damaged_list_is_left_alone_and_breaks_nothing(
    open_memory: Open, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    file = folder / "end_summaries.json"
    file.write_text('[{"summary": "half of', encoding="utf-8")
    off = open_memory(OFF | LIST)
    assert off.end_turn(ANN, "Ann moved to Oslo.") is None
    assert "not JSON" in caplog.text
    found = off.recall(ANN, "Oslo")
    assert (found.hits, found.level, found.paths) == ((), "empty", {"legacy": "failed"})
    with pytest.raises(CorruptError):
        off.forget(ANN)  # it cannot be said that nothing is left
    assert file.read_text(encoding="utf-8") == '[{"summary": "half of'


def test_C3_a_list_in_another_form_is_read_but_not_written_over(
    open_memory: Open, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    file = folder / "end_summaries.json"
    text = '{"version": 2, "summaries": [{"summary": "Ann moved to Oslo.", "user_id": "ann"}]}'
    file.write_text(text, encoding="utf-8")
    off = open_memory(OFF | LIST)
    assert off.recall(ANN, "Oslo").hits[0].text == "Ann moved to Oslo."
    off.end_turn(ANN, "Ann moved to Rome.")
    assert "not a plain JSON list" in caplog.text
    assert file.read_text(encoding="utf-8") == text


def test_C3_half_characters_of_others_survive(open_memory: Open, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "end_summaries.json").write_text('["half \\ud800 of it"]', encoding="utf-8")
    off = open_memory(OFF | LIST)
    off.end_turn(ANN, "安搬到了奥斯陆")
    old, new = listed(folder)
    assert (old, new["summary"]) == ("half \ud800 of it", "安搬到了奥斯陆")


def _write_turns(folder: str, name: str, turns: int) -> None:
    settings = load(environ={}, overrides={"memory.enabled": False,
                                           "memory.legacy_end_summaries": True,
                                           "memory.legacy_keep": 1000})  # fmt: skip
    with Memory.open(folder, settings) as memory:
        for number in range(turns):
            memory.end_turn(Scope(user=name), f"{name} {number}")


def test_C3_several_processes_write_one_list(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    names = ("ann", "bob", "cleo")
    processes = [spawn.Process(target=_write_turns, args=(str(tmp_path / "data"), name, 25))
                 for name in names]  # fmt: skip
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
        assert process.exitcode == 0
    summaries = [entry["summary"] for entry in listed(tmp_path / "data")]
    assert sorted(summaries) == sorted(f"{name} {n}" for name in names for n in range(25))


def test_O2_forget_takes_a_person_out_of_the_list(open_memory: Open, tmp_path: Path) -> None:
    memory = open_memory(LIST)
    memory.end_turn(ANN, "Ann's secret is Oslo.")
    memory.end_turn(CLUB, "Ann told the club of Oslo.")
    memory.end_turn(Scope(group="club"), "Bob was told.", sender_id="bob")
    memory.end_turn(Scope(user="bob"), "Bob was told.")
    memory.drain()
    assert len(listed(tmp_path / "data")) == 4
    memory.forget(ANN)
    assert b"Oslo" not in (tmp_path / "data" / "end_summaries.json").read_bytes()
    assert [entry["summary"] for entry in listed(tmp_path / "data")] == ["Bob was told."] * 2
    memory.forget(Scope(user="bob"))
    assert listed(tmp_path / "data") == []
    memory.end_turn(CLUB, "The club met again.", request_id="r7")
    memory.drain()
    memory.forget(CLUB, "r7:1")
    assert listed(tmp_path / "data") == []


# -- migration --------------------------------------------------------------------------------

OLD: list[Any] = [
    {"summary": "Ann moved to Oslo yesterday.", "timestamp": "2026-02-20T14:30:00+08:00",
     "user_id": "ann", "sender_name": "Ann"},
    {"action_summary": "答应明天带雨伞", "time": 1771569000, "group_id": 987654, "user_id": 123},
    {"text": "in milliseconds", "created_at": 1771569000000, "user_id": "ann"},
    {"content": "as people write it", "date": "2026/2/20 14:30", "user_id": "ann"},
    {"summary": "no time at all, yesterday", "user_id": "ann"},
    {"summary": "an odd time", "time": "the day after", "user_id": "ann", "group_id": 0},
    "a text alone",
    {"summary": "  "},
    42,
    {"summary": "twice", "time": "2026-02-20", "user_id": "ann"},
    {"summary": "twice", "time": "2026-02-20", "user_id": "ann"},
]  # fmt: skip


@pytest.fixture
def old(tmp_path: Path) -> Path:
    file = tmp_path / "end_summaries.json"
    file.write_text(json.dumps(OLD, ensure_ascii=False), encoding="utf-8")
    return file


def events(memory: Memory, scope: Scope) -> dict[str, Any]:
    return {
        record.text: record for _, record in memory._services.runtime.parts.store.scan(scope.home)
    }


def test_C3_migration_brings_everything_in_at_its_own_time(memory: Memory, old: Path) -> None:
    done = memory.transfer.migrate_end_summaries(old, Scope(user="nobody"))
    assert (done.total, done.added, done.already, done.without_time) == (11, 9, 0, 3)
    assert [number for number, _ in done.broken] == [8, 9]
    assert all(reason for _, reason in done.broken)
    ann = events(memory, ANN)
    moved = next(r for text, r in ann.items() if "Oslo" in text)
    assert moved.time == datetime(2026, 2, 20, 6, 30, tzinfo=UTC).timestamp()
    assert "2026-02-19" in moved.text and "yesterday" not in moved.text
    assert moved.data["is_absolute"] is True
    assert moved.data["original"] == "Ann moved to Oslo yesterday."
    assert moved.kind == "event"
    times = {r.time for text, r in ann.items() if "millis" in text or "people" in text}
    assert len(times) == 1 and times == {moved.time}
    group = next(iter(events(memory, Scope(group=987654)).values()))  # type: ignore[arg-type]
    assert "雨伞" in group.text and "明天" not in group.text
    assert (group.user, group.data["group_id"]) == ("123", "987654")
    assert [*events(memory, Scope(user="nobody"))] == ["a text alone"]
    assert (
        len(
            [1 for r in memory._services.runtime.parts.store.scan(ANN.home) if "twice" in r[1].text]
        )
        == 2
    )


def test_C3_migration_dates_nothing_by_the_day_of_the_import(memory: Memory, old: Path) -> None:
    memory.transfer.migrate_end_summaries(old, ANN)
    record = events(memory, ANN)["no time at all, yesterday"]
    assert record.time is None
    assert record.data["is_absolute"] is False
    odd = events(memory, ANN)["an odd time"]
    assert (odd.time, odd.data["odd_time"], odd.data["is_absolute"]) == (
        None,
        "the day after",
        True,
    )
    memory.drain()
    assert memory.recall(ANN, "an odd time").hits[0].time is None


def test_C3_migration_is_idempotent(memory: Memory, old: Path) -> None:
    first = memory.transfer.migrate_end_summaries(old, ANN)
    before = memory.status()["records"]
    again = memory.transfer.migrate_end_summaries(old, ANN)
    assert (again.added, again.already) == (0, first.added)
    # The list grew and lost its head meanwhile: only what is new comes in.
    old.write_text(json.dumps([*OLD[2:], "one more"]), encoding="utf-8")
    third = memory.transfer.migrate_end_summaries(old, ANN)
    assert third.added == 1
    assert memory.status()["records"]["event"] == before["event"] + 1


def test_C3_a_dry_run_writes_nothing(memory: Memory, old: Path) -> None:
    done = memory.transfer.migrate_end_summaries(old, ANN, dry_run=True)
    assert done.added == 9
    assert memory.status()["records"].get("event", 0) == 0
    assert memory.transfer.migrate_end_summaries(old, ANN) == done


def test_S3_an_entry_without_an_owner_is_never_given_one(memory: Memory, old: Path) -> None:
    done = memory.transfer.migrate_end_summaries(old)
    assert dict(done.broken)[7].startswith("it does not say whose it is")
    assert done.added == 8


def test_C3_what_we_wrote_ourselves_is_not_brought_in_twice(
    open_memory: Open, tmp_path: Path
) -> None:
    memory = open_memory(LIST)
    memory.end_turn(CLUB, "The club met.")
    memory.drain()
    done = memory.transfer.migrate_end_summaries(tmp_path / "data" / "end_summaries.json")
    assert (done.added, done.already) == (0, 1)


def test_C3_what_was_written_while_off_comes_in(open_memory: Open, tmp_path: Path) -> None:
    off = open_memory(OFF | LIST)
    off.end_turn(CLUB, "The club met.", ["Bob has a new boat"], sender_name="Bob")
    with pytest.raises(InputError, match="switch it on"):
        off.transfer.migrate_end_summaries(tmp_path / "data" / "end_summaries.json")
    off.close()
    on = open_memory({"query.recall_timeout": 5.0})
    assert on.transfer.migrate_end_summaries(tmp_path / "data" / "end_summaries.json").added == 1
    on.drain()
    assert "boat" in on.recall(CLUB, "boat").hits[0].text


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b'{"summaries": ["a"]}', b'{"summary": "a", "new_info": ["b", "c"]}',
     b'{"summary": "a"}\n{"summary": "b"}\n',
     b"\xef\xbb\xbf[\"a\"]"],
)  # fmt: skip
def test_C3_other_forms_of_the_list_are_read(memory: Memory, old: Path, content: bytes) -> None:
    old.write_bytes(content)
    assert memory.transfer.migrate_end_summaries(old, ANN).broken == ()


@pytest.mark.parametrize(
    "content", [b"nonsense", b"17", b"\xff\xfe", b"[" * 100_000, b'{"a": [], "b": []}', b'["a'],
)  # fmt: skip
def test_C3_a_file_of_rubbish_is_refused(memory: Memory, old: Path, content: bytes) -> None:
    old.write_bytes(content)
    with pytest.raises(InputError, match="end_summaries"):
        memory.transfer.migrate_end_summaries(old, ANN)


def test_C3_hostile_entries_are_broken_or_clean(memory: Memory, old: Path) -> None:
    hostile = [
        {"summary": "a\0b\ud800", "user_id": "ann"},
        {"summary": "x" * 1_000_000, "user_id": "ann"},
        {"summary": "x", "user_id": "a\nb"},
        {"summary": "x", "user_id": "y" * 1000},
        {"summary": "x", "user_id": True},
        {"summary": "x", "user_id": "ann", "time": 1e300},
        {"summary": "x", "user_id": "ann", "time": -1e300},
        {"summary": "x", "user_id": "ann", "time": "9" * 5000},
        {"summary": {"a": 1}},
        {"summary": f"the key {SECRET}", "user_id": "ann"},
        None, [], {}, True,
    ]  # fmt: skip
    old.write_text(json.dumps(hostile), encoding="utf-8")
    done = memory.transfer.migrate_end_summaries(old)
    assert [number for number, _ in done.broken] == [3, 4, 5, 9, 11, 12, 13, 14]
    assert SECRET not in str(list(events(memory, ANN).values()))


def write_old_list(file: Path, count: int) -> None:
    entries = [
        {"summary": f"第 {n} 次：安昨天去了奥斯陆" if n % 2 else f"visit {n}: Ann left yesterday",
         "timestamp": 1_700_000_000 + n * 3600, "user_id": "ann", "sender_name": "Ann"}
        for n in range(count)
    ]  # fmt: skip
    file.write_text(json.dumps(entries, ensure_ascii=False), encoding="utf-8")


@pytest.mark.parametrize("count", few_and_many(1000, 10_000))
def test_C3_thousands_of_entries_with_progress(open_memory: Open, old: Path, count: int) -> None:
    write_old_list(old, count)
    memory = open_memory(embedder=None)
    seen: list[tuple[int, int]] = []
    done = memory.transfer.migrate_end_summaries(old, progress=lambda at, of: seen.append((at, of)))
    assert (done.added, done.broken, done.not_absolute) == (count, (), 0)
    assert seen[-1] == (count, count)
    assert len(seen) >= count // 500 and seen == sorted(seen)
    assert memory.status()["records"]["event"] == count


@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL there")
@pytest.mark.parametrize("count", few_and_many(2000, 5000))
def test_C3_killed_in_the_middle_and_run_again(
    open_memory: Open, old: Path, tmp_path: Path, count: int
) -> None:
    write_old_list(old, count)
    command = [sys.executable, "-c", "from taishi.cli import main; main()", "--data",
               str(tmp_path / "data"), "migrate", "end-summaries", str(old)]  # fmt: skip
    environ = {**os.environ, "TAISHI__MODELS__EMBEDDING__KIND": "none"}
    process = subprocess.Popen(command, env=environ, cwd=tmp_path,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
    memory = open_memory(embedder=None)
    end = time.monotonic() + 60
    while memory.status()["records"].get("event", 0) < 400 and time.monotonic() < end:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    there = memory.status()["records"]["event"]
    assert 400 <= there < count
    done = memory.transfer.migrate_end_summaries(old)
    assert (done.already, done.added) == (there, count - there)
    assert memory.status()["records"]["event"] == count


def test_C3_tools_reach_the_old_list_while_memory_is_off(
    open_memory: Callable[..., Memory],
) -> None:
    off = {"memory.enabled": False, "memory.legacy_end_summaries": True}
    memory = open_memory(off)
    scope = Scope(user="ann")
    told = {"action_summary": "Ann booked the ferry to Oslo", "new_info": ""}
    assert "old list" in dispatch(memory, "end", told, scope)
    assert "ferry" in dispatch(memory, "search_events", {"query": "ferry"}, scope)
    assert "ferry" not in dispatch(memory, "search_events", {"query": "ferry"}, Scope(user="bob"))
    assert "switched off" in dispatch(memory, "remember", {"text": "tea"}, scope)
