"""W1–W3, W6, W7 and Q7: what the foreground promises, seen through the public door."""

from __future__ import annotations

import asyncio
import inspect
import json
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from support.hash_embedder import HashEmbedder
from taishi import AsyncMemory, Memory, Message, Scope, StorageError
from taishi.job_codec import decode
from taishi.ports import Vector
from taishi.types import SCHEMA_VERSION, Job

ANN = Scope(user="ann")
GROUP = Scope(group="g42", user="u7", session="s1", workspace="w")


def jobs(folder: Path) -> list[Job]:
    return [decode(path.read_bytes()) for path in sorted((folder / "queues/pending").iterdir())]


def wait_until(condition: Callable[[], bool], seconds: float = 10.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.01)


# -- W1 ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("new_info", ["", "  \n", [], ["", " "], (), None])
def test_W1_nothing_is_queued_when_both_texts_are_empty(
    memory: Memory, tmp_path: Path, new_info: Any
) -> None:
    assert memory.end_turn(ANN, " ", new_info, messages=[Message("hello")], force=True) is None
    assert jobs(tmp_path / "data") == []
    memory.drain()
    assert memory.status()["records"] == {"unembedded": 0}


def test_W1_either_text_alone_makes_one_job(memory: Memory, tmp_path: Path) -> None:
    assert memory.end_turn(ANN, action_summary="Ann asked for tea") is not None
    assert memory.end_turn(ANN, new_info="Ann moved to Oslo") is not None
    first, second = jobs(tmp_path / "data")
    assert (first.action_summary, first.new_info, first.has_new_info) == (
        "Ann asked for tea", (), False,
    )  # fmt: skip
    assert (second.action_summary, second.new_info, second.has_new_info) == (
        "", ("Ann moved to Oslo",), True,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("one", ("one",)),
        (["one", " two ", ""], ("one", "two")),
        (("one", None), ("one",)),
        ({"one": 1}.keys(), ("one",)),
        (iter(["one", "two"]), ("one", "two")),
    ],
    ids=["text", "list", "tuple", "keys", "iterator"],
)
def test_W1_new_info_is_a_text_or_several(
    memory: Memory, tmp_path: Path, given: Any, kept: tuple[str, ...]
) -> None:
    memory.end_turn(ANN, new_info=given)
    (job,) = jobs(tmp_path / "data")
    assert job.new_info == kept


def test_W1_summary_is_the_old_name_and_action_summary_wins(memory: Memory, tmp_path: Path) -> None:
    memory.end_turn(ANN, summary="the old field")
    memory.end_turn(ANN, "the new field", summary="the old field")
    assert [job.action_summary for job in jobs(tmp_path / "data")] == [
        "the old field", "the new field",
    ]  # fmt: skip


def test_W1_off_keeps_nothing_and_pending_jobs_stay(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    memory.end_turn(ANN, "Ann asked for tea")
    memory.close()
    off = open_memory({"memory.enabled": False})
    assert off.end_turn(ANN, "not kept") is None
    off.observe(ANN, "tool", {}, "not kept")
    assert off.recall(ANN, "tea").level == "empty"
    off.start_worker()
    assert off.status()["queue"]["pending"] == 1


# -- W2 ----------------------------------------------------------------------------------------


def test_W2_a_job_holds_all_that_the_historian_will_need(memory: Memory, tmp_path: Path) -> None:
    messages = [
        {"text": f"message {n}", "speaker": "Ann", "id": f"m{n}", "speaker_id": "u7",
         "time": f"2026-02-20T14:{n:02d}:00+08:00"}
        for n in range(20)
    ]  # fmt: skip
    messages.append({"text": "x" * 900 + "END", "speaker": "Bob", "id": "m20"})
    id = memory.end_turn(
        GROUP, "told the weather", ["Ann moved"], messages, force=True, request_id="r1",
        time="2026-02-20T14:30:00+08:00", sender_id="u7", sender_name="Ann", group_name="Tea club",
        bot_name="Taishi", location="Oslo",
    )  # fmt: skip
    (job,) = jobs(tmp_path / "data")
    assert id == job.event_id == "r1:1"
    assert (job.request_id, job.end_seq) == ("r1", 1)
    assert (job.action_summary, job.new_info, job.has_new_info) == (
        "told the weather", ("Ann moved",), True,
    )  # fmt: skip
    assert job.timestamp_utc == "2026-02-20T06:30:00+00:00"
    assert job.timestamp_local == "2026-02-20T14:30:00+08:00"
    assert (job.timezone, job.epoch) == ("Asia/Shanghai", 1771569000.0)
    assert (job.workspace, job.request_type) == ("w", "group")
    assert (job.user_id, job.group_id, job.session_id) == ("u7", "g42", "s1")
    assert (job.sender_id, job.sender_name) == ("u7", "Ann")
    assert (job.group_name, job.bot_name, job.location) == ("Tea club", "Taishi", "Oslo")
    assert job.source_message == "x" * 800
    assert len(job.recent_messages) == 12
    first = job.recent_messages[0]
    assert (first["text"], first["speaker"], first["id"]) == ("message 9", "Ann", "m9")
    assert first["time"] == 1771567740.0
    assert job.message_ids == tuple(f"m{n}" for n in range(9, 21))
    assert (job.force, job.schema_version) == (True, SCHEMA_VERSION) == (True, "final_v1")


def test_W2_a_turn_without_a_time_has_that_of_its_newest_message(
    memory: Memory, tmp_path: Path
) -> None:
    said = [
        Message("I fly tomorrow", "Ann", time="2026-02-19T10:00:00+00:00"),
        Message("Have fun", "Mochi", time="2026-02-20T10:00:00+00:00"),
        Message("Bye", "Ann"),
    ]
    memory.end_turn(ANN, new_info="I fly tomorrow", messages=said)
    memory.end_turn(ANN, new_info="I fly tomorrow", messages=said, time="2026-03-01T10:00:00+00:00")
    memory.end_turn(ANN, new_info="I fly tomorrow", messages=[Message("hi")])
    newest, given, now = jobs(tmp_path / "data")
    assert newest.timestamp_utc == "2026-02-20T10:00:00+00:00"
    assert given.timestamp_utc == "2026-03-01T10:00:00+00:00"
    assert now.timestamp_utc > "2026-03-01"
    memory.drain()
    event = memory.get(ANN, newest.event_id)
    assert event is not None and event.text.endswith("Ann flies on 2026-02-20")


def test_W2_what_was_given_later_does_not_change_a_job(memory: Memory, tmp_path: Path) -> None:
    message = {"text": "Ann likes tea"}
    news = ["Ann moved"]
    memory.end_turn(ANN, "x", news, [message])
    message["text"], news[0] = "changed", "changed"
    (job,) = jobs(tmp_path / "data")
    assert (job.source_message, job.new_info) == ("Ann likes tea", ("Ann moved",))


def test_W2_end_seq_rises_within_a_request_and_place(memory: Memory) -> None:
    assert [memory.end_turn(ANN, "x", request_id="r") for _ in range(3)] == ["r:1", "r:2", "r:3"]
    assert memory.end_turn(Scope(user="bob"), "x", request_id="r") == "r:1"
    assert memory.end_turn(ANN, "x", request_id="r2") == "r2:1"
    one, other = memory.end_turn(ANN, "x"), memory.end_turn(ANN, "x")
    assert one != other, "a request without an id gets its own"


def test_W2_end_seq_goes_on_after_reopening(open_memory: Callable[..., Memory]) -> None:
    first = open_memory()
    assert [first.end_turn(ANN, f"turn {n}", request_id="r") for n in (1, 2)] == ["r:1", "r:2"]
    first.drain(20)
    first.close()
    second = open_memory()
    assert second.end_turn(ANN, "turn 3", request_id="r") == "r:3"
    second.drain(20)
    texts = [hit.text for n in (1, 2, 3) if (hit := second.get(ANN, f"r:{n}"))]
    assert [text[-6:] for text in texts] == ["turn 1", "turn 2", "turn 3"]


def test_W2_end_seq_goes_on_when_the_last_process_was_killed_before_it_landed(
    open_memory: Callable[..., Memory], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The turn is in the queue alone: its number is taken all the same."""
    monkeypatch.setattr("taishi.ingest.background.BackgroundTasks.store_turns", lambda self: False)
    first = open_memory()
    first.end_turn(ANN, "turn 1", request_id="r")
    second = open_memory()
    id = second.end_turn(ANN, "turn 2", request_id="r")
    monkeypatch.undo()
    second.drain(20)
    assert id == "r:2"
    assert {kept.text[-6:] for n in (1, 2) if (kept := second.get(ANN, f"r:{n}"))} == {
        "turn 1", "turn 2",
    }  # fmt: skip


def test_W5_two_processes_in_one_request_lose_no_turn(open_memory: Callable[..., Memory]) -> None:
    one, other = open_memory(), open_memory()
    ids = []
    for n in range(6):
        memory = (one, other)[n % 2]
        ids.append(memory.end_turn(ANN, f"turn {n}", request_id="r"))
        wait_until(lambda: memory.get(ANN, str(ids[-1])) is not None)  # noqa: B023
    one.drain(20)
    texts = [hit.text for id in ids if id and (hit := one.get(ANN, id))]
    assert {text[-6:] for text in texts} == {f"turn {n}" for n in range(6)}
    assert len(set(ids)) == 6


def test_W2_threads_in_one_request_get_numbers_of_their_own(memory: Memory) -> None:
    ids: list[str | None] = []
    threads = [
        threading.Thread(target=lambda: ids.append(memory.end_turn(ANN, "x", request_id="r")))
        for _ in range(12)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(ids) == {f"r:{n}" for n in range(1, 13)}


# -- W3 ----------------------------------------------------------------------------------------

SECRET = "sk-proj-Q7wErTyUiOpAsDfGhJkLzXcVbNm1234567890abcd"
PASSWORD = "hunter2-Zq81xWv"


def bytes_of(folder: Path) -> bytes:
    return b"\n".join(p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file())


def test_W3_a_secret_never_touches_the_disk(memory: Memory, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    memory.end_turn(
        GROUP, f"set the key {SECRET}", [f"password={PASSWORD} for Ann"],
        [Message(f"my key is {SECRET}", speaker=f"Ann {SECRET}", id="m1")],
        sender_name=f"Ann {SECRET}", group_name=f"password={PASSWORD}", location=SECRET,
        bot_name=f"bot {SECRET}",
    )  # fmt: skip
    memory.remember(ANN, f"key {SECRET}", speaker=SECRET, metadata={"password": PASSWORD})
    memory.profiles.set(ANN, f"key {SECRET}", name=SECRET, tags=[SECRET])
    memory.observe(ANN, "curl", {"authorization": f"Bearer {SECRET}"}, {"password": PASSWORD})
    wait_until(lambda: memory.status()["observations"]["waiting"] == 0)
    pending = bytes_of(folder)
    assert b"set the key" in pending, "the job is there"
    assert SECRET.encode() not in pending
    assert PASSWORD.encode() not in pending
    memory.drain(20)
    memory.close()
    after = bytes_of(folder)
    assert SECRET.encode() not in after
    assert PASSWORD.encode() not in after


def test_W3_a_secret_is_cut_out_before_a_message_is_cut_short(
    memory: Memory, tmp_path: Path
) -> None:
    """Half a key, left by a cut at 800 characters, would no longer look like one."""
    memory.end_turn(ANN, "x", messages=[Message("y" * 780 + " " + SECRET)])
    (job,) = jobs(tmp_path / "data")
    assert SECRET[:12] not in job.source_message


# -- W6 ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "asked"), [("Ann baked bread", "bread"), ("小明爱吃火锅", "火锅")]
)
def test_W6_a_raw_turn_is_found_before_any_worker_and_then_replaced(
    memory: Memory, said: str, asked: str
) -> None:
    id = memory.end_turn(ANN, said)
    wait_until(lambda: bool(memory.recall(ANN, asked).hits))
    (raw,) = memory.recall(ANN, asked).hits
    assert (raw.id, raw.kind, raw.text) == (id, "turn", said)
    assert memory.status()["queue"]["pending"] == 1
    assert memory.status()["readable_after_ms"] > 0
    memory.drain(20)
    (event,) = memory.recall(ANN, asked).hits
    assert (event.id, event.kind) == (id, "event")
    assert event.text != said
    assert event.metadata["schema_version"] == "final_v1"
    assert memory.status()["records"] == {"event": 1, "unembedded": 0}


@pytest.mark.parametrize(
    ("did", "said", "line"),
    [
        (
            "Tell me more.",
            "My sister Mia lives in Bergen.",
            "Tell me more; Gil: My sister Mia lives in Bergen.",
        ),
        ("问了她的近况。", "妹妹住在卑尔根。", "问了她的近况；Gil：妹妹住在卑尔根。"),
        ("Asked about Mia in Bergen.", "", "Asked about Mia in Bergen."),
        ("", "My sister Mia lives in Bergen.", "Gil: My sister Mia lives in Bergen."),
    ],
)
def test_W6_what_the_bot_did_is_not_put_into_the_speakers_mouth(
    memory: Memory, did: str, said: str, line: str
) -> None:
    memory.end_turn(ANN, did, said, sender_name="Gil", wait=20)
    town = "Bergen" if "Bergen" in line else "卑尔根"
    (told,) = (one for one in memory.context(ANN, town).splitlines() if town in one)
    assert told.endswith(line) and told.count("Gil") == line.count("Gil")


def test_W6_a_turn_that_lands_late_does_not_overwrite_its_event(
    open_memory: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("taishi.ingest.background.BackgroundTasks.store_turns", lambda self: False)
    slow, quick = open_memory(), open_memory()
    id = slow.end_turn(ANN, "Ann baked bread")
    quick.drain(20)
    monkeypatch.undo()
    slow._services.background.store_turns()
    hit = slow.get(ANN, str(id))
    assert hit is not None
    assert hit.kind == "event"


def test_W6_the_worker_in_the_background_does_the_same(memory: Memory) -> None:
    with memory.start_worker():
        id = memory.end_turn(ANN, "Ann baked bread")
        wait_until(lambda: (hit := memory.get(ANN, str(id))) is not None and hit.kind == "event")
        wait_until(lambda: memory.status()["jobs"]["done"] == 1)
        assert memory.status()["queue"]["processing"] == 0


def test_W6_what_is_written_one_by_one_gets_its_vectors_without_being_asked(
    memory: Memory,
) -> None:
    for n in range(150):  # more than one batch of the embedder's
        memory.remember(ANN, f"Ann baked loaf number {n}")
    wait_until(lambda: memory.status()["records"]["unembedded"] == 0, 3.0)
    memory.remember(ANN, "Ann baked one more")
    wait_until(lambda: memory.status()["records"]["unembedded"] == 0, 1.0)


# -- W7 ----------------------------------------------------------------------------------------


def test_W7_the_lane_is_bounded_and_counts_what_it_drops(
    open_memory: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory({"observation.queue_max": 10})
    real = type(memory._services.background).store_turns
    monkeypatch.setattr("taishi.ingest.background.BackgroundTasks.store_turns", lambda self: False)
    memory._services.background._loops.clear()
    for n in range(25):
        memory.observe(ANN, "tool", {"n": n}, f"result {n}")
    assert memory.status()["observations"] == {"waiting": 10, "dropped": 15}
    monkeypatch.setattr("taishi.ingest.background.BackgroundTasks.store_turns", real)
    memory.drain()
    found = memory.recall(ANN, "result", kinds=["observation"], top_k=50, floor=0.0).hits
    numbers = {int(json.loads(hit.metadata["arguments"])["n"]) for hit in found}
    assert numbers <= set(range(15, 25)), "the oldest were dropped"
    assert memory.status()["records"]["observation"] == 10


def test_W7_observations_survive_a_store_that_fails_for_a_while(
    open_memory: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tool run may be dropped only when the lane is full, and then it is counted."""
    memory = open_memory()
    store = memory._services.runtime.parts.store
    real = store.apply

    def refuse(edits: Any, **_: Any) -> int:
        raise StorageError("the disk is full")

    monkeypatch.setattr(store, "apply", refuse)
    memory.observe(ANN, "tool", {}, "the result is 42")
    time.sleep(0.3)
    monkeypatch.setattr(store, "apply", real)
    memory.drain(10)
    status = memory.status()
    assert status["records"].get("observation", 0) + status["observations"]["dropped"] == 1


class Odd:
    def __repr__(self) -> str:
        raise RuntimeError("no words for it")


@pytest.mark.parametrize(
    "result",
    ["text", {"a": [1, {"b": 2}]}, [1, 2], b"\xff\x00", None, 42, float("nan"), Odd(), {1, 2},
     "\ud800\x00", "x" * 100_000, {"k" * 1000: "v" * 100_000}],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_W7_results_of_any_type_are_previewed(memory: Memory, result: Any) -> None:
    memory.observe(ANN, "hammer", {"nail": 1}, result)
    memory.end_turn(ANN, "Ann asked for tea")
    memory.drain(20)
    (hit,) = memory.recall(ANN, "hammer", kinds=["observation"], floor=0.0).hits
    assert len(hit.metadata["result"]) <= 500
    assert memory.recall(ANN, "tea", kinds=["event"], floor=0.0).hits


def test_W7_previews_are_redacted_before_they_are_cut(memory: Memory) -> None:
    memory.observe(ANN, "curl", {}, "y" * 480 + " " + SECRET)
    memory.observe(ANN, "curl", {"api_key": PASSWORD}, {"headers": {"Authorization": SECRET}})
    memory.drain(20)
    found = memory.recall(ANN, "curl", kinds=["observation"], floor=0.0, top_k=10).hits
    assert len(found) == 2
    for hit in found:
        shown = json.dumps(dict(hit.metadata), default=str) + hit.text
        assert SECRET[:12] not in shown
        assert PASSWORD not in shown


# -- the async face ----------------------------------------------------------------------------


def verbs(cls: type) -> set[str]:
    return {name for name in dir(cls) if not name.startswith("_") and callable(getattr(cls, name))}


def test_T2_the_async_face_has_the_same_verbs_and_signatures(memory: Memory) -> None:
    face = AsyncMemory(memory)
    for name in sorted(verbs(Memory) - {"open"}):
        one, other = getattr(memory, name), getattr(face, name)
        assert inspect.signature(one).parameters == inspect.signature(other).parameters, name


def test_T2_the_async_face_works(tmp_path: Path, make_settings: Callable[..., Any]) -> None:
    async def live() -> None:
        settings = make_settings({"query.recall_timeout": 5.0})
        async with await AsyncMemory.open(
            tmp_path / "data", settings, embedder=HashEmbedder()
        ) as memory:
            await memory.start_worker()
            id = await memory.end_turn(ANN, "Ann baked bread", new_info="Ann moved to Oslo")
            ids = await memory.remember_many(ANN, [{"text": f"note {n} on tea"} for n in range(3)])
            memory.observe(ANN, "oven", {"heat": 220}, "done")
            await memory.drain()
            assert (await memory.status())["jobs"]["retried"] == 0
            found = await asyncio.gather(*(memory.recall(ANN, "bread Oslo") for _ in range(20)))
            assert all(id in {hit.id for hit in recall.hits} for recall in found)
            assert "Oslo" in await memory.context(ANN, "Oslo")
            assert await memory.get(ANN, ids[0]) is not None
            assert await memory.forget(ANN, ids[0]) == 1
            assert await memory.maintenance.check() == "ok"
            await memory.stop_worker()

    asyncio.run(live())


# -- Q7 ----------------------------------------------------------------------------------------


class GatedEmbedder(HashEmbedder):
    """Embeds documents only while the gate is open, so that a test sees the time before."""

    def __init__(self, name: str) -> None:
        super().__init__(name, 48)
        self.gate = threading.Event()

    def embed(self, texts: Sequence[str], kind: Any) -> Vector:
        if kind == "document":
            assert self.gate.wait(30)
        return super().embed(texts, kind)


TEXTS = {"Ann moved to Oslo", "小明喜欢吃火锅", "Bob repairs clocks in Bergen"}


def test_Q7_another_model_re_embeds_while_keywords_serve(
    open_memory: Callable[..., Memory],
) -> None:
    changes = {"query.recall_timeout": 5.0}
    first = open_memory(changes)
    first.remember_many(ANN, [{"text": text} for text in sorted(TEXTS)])
    first.drain()
    assert first.recall(ANN, "Oslo").level == "hybrid"
    assert first.status()["index"]["vectors"] == 3
    first.close()
    embedder = GatedEmbedder("hash-2")
    second = open_memory(changes, embedder)
    assert second.status()["records"] == {"note": 3, "unembedded": 3}
    assert {second.recall(ANN, text).hits[0].text for text in TEXTS} == TEXTS
    assert second.status()["index"]["vectors"] == 0, "old vectors are not compared with new ones"
    embedder.gate.set()
    wait_until(lambda: second.status()["records"]["unembedded"] == 0)
    assert {second.recall(ANN, text).hits[0].text for text in TEXTS} == TEXTS
    assert second.status()["index"]["vectors"] == 3


def test_Q7_a_boot_without_an_embedder_leaves_vectors_and_texts_alone(
    open_memory: Callable[..., Memory],
) -> None:
    first = open_memory()
    first.remember_many(ANN, [{"text": text} for text in sorted(TEXTS)])
    first.drain()
    first.close()
    without = open_memory(embedder=None)
    assert {without.recall(ANN, text).hits[0].text for text in TEXTS} == TEXTS
    assert without.recall(ANN, "Oslo").level == "keyword"
    late = without.remember(ANN, "Eve arrived while the model was away")
    without.drain()
    without.close()
    counting = HashEmbedder()
    seen: list[str] = []
    real = counting.embed
    counting.embed = lambda texts, kind: (seen.extend(texts), real(texts, kind))[1]  # type: ignore[method-assign]
    third = open_memory(embedder=counting)
    third.drain()
    assert seen == ["Eve arrived while the model was away"], "the others kept their vectors"
    assert third.status()["records"]["unembedded"] == 0
    assert third.get(ANN, late) is not None
