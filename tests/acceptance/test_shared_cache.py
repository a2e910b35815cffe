"""Several processes of one memory with a shared cache: Redis or Valkey (B1, Q6, S3, O2)."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import redis

from support.engine_valkey import OwnValkey, own_valkey, valkey
from support.hash_embedder import HashEmbedder
from taishi import Memory, Scope
from taishi.backends.redis.link import RedisLink
from taishi.errors import InputError, StorageError
from taishi.settings.form import form_sections
from taishi.types import Hit

__all__ = ["own_valkey", "valkey"]

Open = Callable[..., Memory]
ANN, BOB = Scope(user="ann"), Scope(user="bob")
PATIENT = {"query.recall_timeout": 5.0}


class CountingEmbedder(HashEmbedder):
    """Counts the questions that it had to embed."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def embed(self, texts: Any, kind: Any) -> Any:
        if kind == "query":
            self.asked += texts
        return super().embed(texts, kind)


def looks(memory: Memory, cache: str) -> tuple[int, int]:
    """Hits and misses of a cache."""
    read = memory._services.runtime.metrics.cache.read()
    return int(read.get((cache, "hit"), 0)), int(read.get((cache, "miss"), 0))


def texts(memory: Memory, scope: Scope, query: str) -> list[str]:
    return [hit.text for hit in memory.recall(scope, query).hits]


def state(memory: Memory) -> str:
    return str(memory.status(records=False)["engines"]["cache"]["state"])


def wait_for(test: Callable[[], bool], seconds: float = 15.0) -> None:
    until = time.monotonic() + seconds
    while not test():
        assert time.monotonic() < until, "not in time"
        time.sleep(0.02)


@pytest.fixture
def two(open_memory: Open, valkey: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Memory, Memory]:
    """Two memories on one folder, each with its own connections, as two servers have them."""
    monkeypatch.setattr("taishi.backends.redis.link.RedisLink.__init__.__defaults__", (5.0, 0.5))
    changes = {**PATIENT, "storage.cache": valkey}
    first = open_memory(changes, embedder=CountingEmbedder())
    first.remember(ANN, "Ann moved to Oslo in May")
    first.remember(ANN, "Ann plays the cello")
    first.drain()
    return first, open_memory(changes, embedder=CountingEmbedder())


def hits_of(memory: Memory, scope: Scope, query: str) -> list[Hit]:
    return list(memory.recall(scope, query).hits)


def test_Q6_what_one_server_found_another_need_not_look_for(two: tuple[Memory, Memory]) -> None:
    first, second = two
    found = first.recall(ANN, "where does Ann live?")
    again = second.recall(ANN, "where does Ann live?")
    assert found.hits
    assert looks(second, "shared results") == (1, 0)
    assert [hit.text for hit in again.hits] == [hit.text for hit in found.hits]
    assert [hit.score for hit in again.hits] == [hit.score for hit in found.hits]
    assert (again.level, again.intent) == (found.level, found.intent)
    assert second._services.runtime.parts.embedder.asked == []  # type: ignore[union-attr]


def test_Q6_a_question_is_embedded_once_for_all_servers(two: tuple[Memory, Memory]) -> None:
    first, second = two
    first.recall(ANN, "where does Ann live?", 3)
    second.recall(ANN, "where does Ann live?", 4)  # another answer, the same vector
    assert looks(second, "shared results") == (0, 1)
    assert looks(second, "shared vectors")[0] >= 1
    assert second._services.runtime.parts.embedder.asked == []  # type: ignore[union-attr]


def test_Q6_a_write_on_one_server_is_in_the_next_answer_of_another(
    two: tuple[Memory, Memory],
) -> None:
    first, second = two
    query = "which instrument does Ann play?"
    for n in range(3):
        writer, reader = (first, second) if n % 2 else (second, first)
        texts(reader, ANN, query)
        texts(writer, ANN, query)
        writer.remember(ANN, f"Ann plays instrument number {n} now")
        assert any(f"number {n} " in text for text in texts(reader, ANN, query)), n
        records = [hit.id for hit in hits_of(reader, ANN, query) if f"number {n} " in hit.text]
        writer.forget(ANN, records[0])
        assert not any(f"number {n} " in text for text in texts(reader, ANN, query)), n


def test_S3_an_answer_is_only_for_who_may_read_the_same(two: tuple[Memory, Memory]) -> None:
    first, second = two
    query = "where does Ann live?"
    assert texts(first, ANN, query)
    strangers = [BOB, Scope(user="ann", workspace="other"), Scope(group="ann"), Scope(agent="ann")]
    for scope in strangers:
        assert texts(second, scope, query) == []
        assert texts(first, scope, query) == []


def test_S3_what_others_put_into_the_cache_is_not_shown(
    two: tuple[Memory, Memory], valkey: str
) -> None:
    """Whoever can write to the server knows neither the names nor the seal."""
    first, second = two
    query = "where does Ann live?"
    right = texts(first, ANN, query)
    client = redis.Redis.from_url(valkey)
    sealing = first._services.runtime.parts.shared_state.sealing  # type: ignore[union-attr]
    names = list(client.scan_iter(f"{sealing.prefix}result:*"))
    assert names
    first.remember(BOB, "Bob's number is 4711")
    bobs = texts(first, BOB, "what is Bob's number?")
    other = next(n for n in client.scan_iter(f"{sealing.prefix}result:*") if n not in names)
    for name in names:  # Bob's answer under Ann's name; then bytes of the attacker's own
        client.set(name, client.get(other), keepttl=True)
    assert texts(second, ANN, query) == right
    for name in names:
        client.set(name, b"x" * 16 + b'{"hits":[]}', keepttl=True)
    second._services.retriever._results.clear()
    assert texts(second, ANN, query) == right
    assert bobs
    client.close()


def test_O2_neither_names_nor_values_hold_a_text(two: tuple[Memory, Memory], valkey: str) -> None:
    first, _ = two
    assert texts(first, ANN, "where does Ann with the cello live?")
    client = redis.Redis.from_url(valkey)
    sealing = first._services.runtime.parts.shared_state.sealing  # type: ignore[union-attr]
    names = list(client.scan_iter(f"{sealing.prefix}*"))
    assert len(names) >= 2
    stored = b"\n".join([*names, *(client.get(n) for n in names if client.type(n) == b"string")])
    for word in (b"Oslo", b"cello", b"live", b"where"):
        assert word not in stored
    assert all(0 < client.ttl(n) <= 86_400 for n in names if b":result:" in n or b":vector-" in n)
    client.close()


def test_O2_forget_empties_the_cache_and_proves_it(two: tuple[Memory, Memory], valkey: str) -> None:
    first, second = two
    for memory in two:
        assert texts(memory, ANN, "where does Ann live?")
    client = redis.Redis.from_url(valkey)
    sealing = first._services.runtime.parts.shared_state.sealing  # type: ignore[union-attr]
    state = second._services.runtime.parts.shared_state
    assert state is not None
    state.claim("k", b"d", "me", 60)
    state.finish("k", "me", b'[200, "text/plain"]\nAnn moved to Oslo in May', 600)
    caches = first._services.runtime.text_caches
    assert any("Oslo" in text for text in caches.texts())
    words = first.deletions.traces(ANN)
    first.forget(ANN)
    kinds = {name.split(b":")[2] for name in client.scan_iter(f"{sealing.prefix}*")}
    assert kinds == {b"once", b"value"}, "that it was done, and when it was cleared"
    assert not any("Oslo" in text for text in caches.texts())
    claim = state.claim("k", b"d", "other", 60)
    assert (claim.mine, claim.done, claim.answer) == (False, True, None)
    assert first.deletions.prove(ANN, words).found == ()
    client.close()


@pytest.mark.thorough
def test_O2_without_the_cache_nothing_is_proved_and_it_is_emptied_when_it_is_back(
    open_memory: Open, own_valkey: OwnValkey
) -> None:
    changes = {**PATIENT, "storage.cache": own_valkey.url}
    memory = open_memory(changes)
    memory.remember(ANN, "Ann moved to Oslo in May")
    assert texts(memory, ANN, "where does Ann live?")
    client = redis.Redis.from_url(own_valkey.url)
    assert client.dbsize() >= 2
    words = memory.deletions.traces(ANN)
    own_valkey.hang()
    with pytest.raises(StorageError, match="does not answer, so what it holds is not known"):
        memory.deletions.traces(ANN)  # before a deletion that could not be proved
    memory.forget(ANN)
    with pytest.raises(StorageError, match="does not answer, so what it holds is not known"):
        memory.deletions.prove(ANN, words)
    own_valkey.go_on()
    wait_for(lambda: state(memory) == "ok")
    kinds = {name.split(b":")[2] for name in client.scan_iter("*")}
    assert kinds <= {b"value"}
    assert memory.deletions.prove(ANN, words).found == ()
    client.close()


@pytest.mark.thorough
def test_O2_a_deletion_that_the_cache_missed_is_made_up_for_by_the_next_process(
    open_memory: Open, valkey: str
) -> None:
    memory = open_memory({**PATIENT, "storage.cache": valkey})
    memory.remember(ANN, "Ann moved to Oslo in May")
    assert texts(memory, ANN, "where does Ann live?")
    sealing = memory._services.runtime.parts.shared_state.sealing  # type: ignore[union-attr]
    memory.close()
    alone = open_memory(PATIENT)  # as if the cache had been away all the time
    alone.forget(ANN)
    alone.close()
    client = redis.Redis.from_url(valkey)
    assert list(client.scan_iter(f"{sealing.prefix}result:*")), "the control"
    open_memory({**PATIENT, "storage.cache": valkey})
    wait_for(lambda: not list(client.scan_iter(f"{sealing.prefix}result:*")))
    client.close()


@pytest.mark.parametrize("how", [pytest.param("kill", marks=pytest.mark.thorough), "hang"])
def test_Q3_recall_keeps_its_deadline_while_the_cache_is_away(
    open_memory: Open, own_valkey: OwnValkey, how: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Under load: nothing raises, nothing is late, one line in the log, and it comes back."""
    memory = open_memory({"storage.cache": own_valkey.url, "query.recall_timeout": 1.0})
    for n in range(20):
        memory.remember(ANN, f"Ann's note number {n} is about town {n}")
    memory.drain()
    texts(memory, ANN, "warm up")
    took: list[float] = []
    faults: list[object] = []
    ending = threading.Event()

    def ask(thread: int) -> None:
        n = 0
        while not ending.is_set():
            n += 1
            begun = time.perf_counter()
            try:
                found = memory.recall(ANN, f"what is in town {n % 20}? {thread} {n}")
                if not found.hits:
                    faults.append(found.paths)
            except Exception as error:
                faults.append(error)
            took.append(time.perf_counter() - begun)
            time.sleep(0.005)

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(3)]
    with caplog.at_level(logging.WARNING, "taishi"):
        for thread in threads:
            thread.start()
        time.sleep(0.3)
        getattr(own_valkey, how)()
        wait_for(lambda: state(memory) == "degraded")
        time.sleep(0.5)
        own_valkey.start() if how == "kill" else own_valkey.go_on()
        wait_for(lambda: state(memory) == "ok")
        time.sleep(0.2)
        ending.set()
        for thread in threads:
            thread.join()
    assert faults == []
    assert max(took) < 1.0
    told = [r.message for r in caplog.records if r.name == "taishi.cache"]
    assert sum("goes on without it" in line for line in told) <= 3, told
    assert any("answers again" in line for line in told)
    before = looks(memory, "shared results")
    memory._services.retriever._results.clear()
    texts(memory, ANN, "what is in town 3?")
    memory._services.retriever._results.clear()
    texts(memory, ANN, "what is in town 3?")
    assert looks(memory, "shared results")[0] == before[0] + 1, "it is used again"


def test_Q3_a_memory_opens_without_its_cache(open_memory: Open, tmp_path: Path) -> None:
    memory = open_memory({**PATIENT, "storage.cache": "redis://:hunter2secret@127.0.0.1:1/0"})
    memory.remember(ANN, "Ann moved to Oslo in May")
    assert texts(memory, ANN, "where does Ann live?") == ["Ann moved to Oslo in May"]
    assert state(memory) == "degraded"
    shown = [str(memory.status()), repr(memory.settings), str(list(form_sections(memory.settings)))]
    assert not any("hunter2secret" in one for one in shown)


@pytest.mark.parametrize(
    "address",
    ["http://127.0.0.1", "redis://", "redis://h:99999999/0", "redis://h/x", "redis://h/0?a=1", "x"],
)
def test_C1_an_address_that_is_none_is_refused(open_memory: Open, address: str) -> None:
    with pytest.raises(InputError, match=r"storage\.cache .*redis://HOST:PORT/0"):
        open_memory({"storage.cache": address})


def test_C3_switched_off_nothing_is_asked(open_memory: Open) -> None:
    memory = open_memory({"storage.cache": "redis://127.0.0.1:1/0", "memory.enabled": False})
    assert memory.status()["engines"] == {}
    assert memory.shared_state is None


def test_O1_a_cache_that_stays_away_is_logged_again(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("taishi.observe.repeated_trouble.AGAIN_SECONDS", 0.5)
    link = RedisLink("redis://127.0.0.1:1/0", probe_seconds=0.05)
    with caplog.at_level(logging.WARNING, "taishi.cache"):
        link.look()
        wait_for(lambda: caplog.text.count("goes on without it") >= 3)
    link.close()
    times = [r.created for r in caplog.records if "goes on without it" in r.message]
    assert all(later - earlier >= 0.45 for earlier, later in pairwise(times)), times


def test_O2_a_proof_waits_for_a_cache_that_is_slow(
    open_memory: Open, own_valkey: OwnValkey
) -> None:
    """Recall goes on without it after a moment; a proof is worth waiting for."""
    memory = open_memory({**PATIENT, "storage.cache": own_valkey.url})
    memory.remember(ANN, "Ann moved to Oslo in May")
    words = memory.deletions.traces(ANN)
    memory.forget(ANN)
    own_valkey.hang()
    threading.Timer(0.7, own_valkey.go_on).start()
    assert memory.deletions.prove(ANN, words).found == ()


def test_Q6_a_wrong_password_of_the_cache_is_called_that(
    open_memory: Open, own_valkey: OwnValkey, caplog: pytest.LogCaptureFixture
) -> None:
    client = redis.Redis.from_url(own_valkey.url)
    client.config_set("requirepass", "right")
    with caplog.at_level(logging.WARNING, "taishi.cache"):
        memory = open_memory({**PATIENT, "storage.cache": own_valkey.url})
        memory.remember(ANN, "Ann moved to Oslo in May")
        assert texts(memory, ANN, "where does Ann live?")
        wait_for(lambda: "goes on without it" in caplog.text)
    assert "refuses the user or the password" in caplog.text
    assert "does not answer" not in caplog.text
    client.close()
