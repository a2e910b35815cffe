"""Whose word a request is follows from the key that was shown, by every door of a server."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest

from server.conftest import Served
from support.scripted_upstream import ScriptedUpstream
from taishi import Message, Scope
from taishi.errors import InputError, RefusedError

ANN = Scope(user="ann")
KEYS = {"model": {"as_person": False}, "host": {"as_person": True}}
LONG = "I like tea. " * 20


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """A text is too long soon, so that who sent it is found among the refusals."""
    monkeypatch.setattr("taishi.ingest.job_builder.MAX_TEXT_CHARS", 100)


@pytest.fixture
def proxied(serve: Callable[..., Served]) -> Iterator[Callable[..., Served]]:
    with ScriptedUpstream() as upstream:
        yield lambda record: serve({"proxy.upstream_url": upstream.url, "proxy.record": record})


def refusals(served: Served) -> list[tuple[str, str, str]]:
    return [(one.actor, one.door, one.reason) for one in served.memory.deletions.refusals()]


def chat(served: Served, text: str, shown: dict[str, str]) -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": text}]}
    headers = {**shown, "X-Taishi-User": "ann"}
    answer = served.client.post("/openai/v1/chat/completions", json=body, headers=headers)
    assert answer.status_code == 200, answer.text


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.01)


@pytest.mark.parametrize("record", ["statements", "consider"])
@pytest.mark.parametrize("actor", KEYS)
def test_T2_a_turn_of_the_proxy_is_told_by_whoever_holds_the_key(
    proxied: Callable[[str], Served], short: None, actor: str, record: str
) -> None:
    served = proxied(record)
    _, shown = served.key(user="ann", rights="write", **KEYS[actor])
    chat(served, LONG, shown)
    until(lambda: bool(refusals(served)))
    assert refusals(served) == [(actor, "proxy", "too_long")]


def test_T2_without_keys_a_turn_of_the_proxy_is_the_hosts(
    proxied: Callable[[str], Served], short: None
) -> None:
    served = proxied("statements")
    chat(served, LONG, {})
    until(lambda: bool(refusals(served)))
    assert refusals(served) == [("host", "proxy", "too_long")]


@pytest.mark.parametrize("actor", KEYS)
def test_T2_what_a_person_says_through_the_proxy_is_theirs_whoever_passes_it_on(
    proxied: Callable[[str], Served], actor: str
) -> None:
    served = proxied("statements")
    _, shown = served.key(user="ann", rights="write", **KEYS[actor])
    chat(served, "I live in Berlin.", shown)
    until(lambda: served.memory.drain(10) and bool(served.memory.facts.list(ANN, ["approved"])))
    (fact,) = served.memory.facts.list(ANN, ["approved"])
    assert "Berlin" in fact.text and fact.data.get("recorded_by") != "model"


@pytest.mark.parametrize("actor", KEYS)
def test_W9_a_considered_turn_is_told_by_whoever_holds_the_key(
    served: Served, short: None, actor: str
) -> None:
    _, shown = served.key(user="ann", rights="write", **KEYS[actor])
    body = {"scope": {"user": "ann"}, "messages": [{"text": LONG, "speaker": "Ann"}]}
    answer = served.client.post("/v1/turns/consider", json=body, headers=shown)
    assert answer.status_code == 400
    assert refusals(served) == [(actor, "rest", "too_long")]


def test_W9_consider_takes_who_tells_it_and_by_which_door(served: Served, short: None) -> None:
    said = [Message(LONG, "Ann")]
    with pytest.raises(RefusedError):
        served.memory.consider(ANN, said, actor="model", door="tool")
    with pytest.raises(RefusedError):
        served.memory.consider(ANN, said)
    assert refusals(served) == [("host", "python", "too_long"), ("model", "tool", "too_long")]
    with pytest.raises(InputError, match="actor"):
        served.memory.consider(ANN, [Message("I like tea.", "Ann")], actor="king")


def forget(served: Served, route: str, id: str, shown: dict[str, str]) -> int:
    if route == "DELETE":
        asked = served.client.delete(f"/v1/memories/{id}", params={"user": "ann"}, headers=shown)
    else:
        body = {"scope": {"user": "ann"}, "id": id}
        asked = served.client.post("/v1/forget", json=body, headers=shown)
    return asked.status_code


@pytest.mark.parametrize("route", ["DELETE", "POST"])
def test_O2_only_a_person_forgets_by_rest_what_a_person_rejected(
    served: Served, route: str
) -> None:
    memory = served.memory
    told, tomb = (memory.remember(ANN, text, kind="fact") or ""
                  for text in ("Ann likes tea", "Ann owns a boat"))  # fmt: skip
    memory.facts.reject(ANN, tomb)
    model, as_model = served.key(rights="write", **KEYS["model"])
    person, as_person = served.key(rights="write", as_person=True)
    assert forget(served, route, tomb, as_model) == 403
    assert memory.records.get(ANN, tomb) is not None and not memory.deletions.list()
    assert refusals(served) == [("model", "rest", "authority")]
    assert forget(served, route, told, as_model) == 200  # what is no tombstone goes
    assert forget(served, route, tomb, as_person) == 200
    assert memory.records.get(ANN, tomb) is None
    noted = [(one.actor, one.door) for one in memory.deletions.list()]
    assert noted == [(person.id, "rest"), (model.id, "rest")], "which key it was is kept"


def test_O2_without_keys_whoever_runs_the_server_forgets_what_was_rejected(served: Served) -> None:
    tomb = served.memory.remember(ANN, "Ann owns a boat", kind="fact") or ""
    served.memory.facts.reject(ANN, tomb)
    assert forget(served, "POST", tomb, {}) == 200
    assert [(one.actor, one.door) for one in served.memory.deletions.list()] == [("open", "rest")]
