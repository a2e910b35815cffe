"""What the web pages ask for: listings, counts, chats, changes, the settings form, keys."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from server.conftest import Served
from support.running_app import RunningApp
from taishi import Memory, Scope, load
from taishi.api_keys import Keys
from taishi.server import change_stream
from taishi.server.app import create_app

ANN = {"user": "ann"}


def ids(answer: httpx.Response) -> list[str]:
    assert answer.status_code == 200, answer.text
    return [item["id"] for item in answer.json()["items"]]


@pytest.fixture
def told(served: Served) -> Served:
    ann = Scope(user="ann")
    items: list[dict[str, Any]] = [
        {"id": f"n{number}", "text": f"Note {number} about TEA", "kind": "note",
         "time": f"2026-01-{number + 1:02}T00:00:00Z", "confidence": number / 10,
         "metadata": {"tags": ["odd" if number % 2 else "even"]}}
        for number in range(10)
    ]  # fmt: skip
    served.memory.remember_many(ann, items)
    served.memory.remember(ann, "Ann likes 茶", kind="fact", id="f1")
    served.memory.remember(Scope(group="club"), "The club meets on Mondays", kind="fact", id="g1")
    return served


def test_Q10_newest_first_a_page_at_a_time(told: Served) -> None:
    first = told.client.get("/v1/browse", params={**ANN, "limit": 4})
    assert ids(first) == ["f1", "n9", "n8", "n7"]
    seen = ids(first)
    while after := first.json()["next"]:
        first = told.client.get("/v1/browse", params={**ANN, "limit": 4, "after": after})
        seen += ids(first)
    assert seen == ["f1", *(f"n{number}" for number in range(9, -1, -1))]


@pytest.mark.parametrize(("narrowed", "left"), [
    ({"kinds": "fact"}, ["f1"]),
    ({"text": "tea", "limit": 2}, ["n9", "n8"]),
    ({"text": "茶"}, ["f1"]),
    ({"tag": "odd", "min_confidence": 0.6}, ["n9", "n7"]),
    ({"time_from": "2026-01-03T00:00:00Z", "time_to": "2026-01-04T00:00:00Z"}, ["n3", "n2"]),
    ({"states": "rejected"}, []),
    ({"person": "bob"}, []),
    ({"text": "a\x00b"}, []),
    ({"text": "%"}, []),
    ({"tag": "' OR 1=1 --"}, []),
])  # fmt: skip
def test_Q10_filters(told: Served, narrowed: dict[str, Any], left: list[str]) -> None:
    assert ids(told.client.get("/v1/browse", params={**ANN, **narrowed})) == left


def test_a_preview_is_small_whatever_is_stored(served: Served) -> None:
    tags = [f"tag {number}" for number in range(10_000)]
    served.memory.remember(Scope(user="ann"), "x" * 1_000_000, kind="note",
                           metadata={"tags": tags, "a": {"b": {"c": {"d": "deep"}}}})  # fmt: skip
    whole = served.client.get("/v1/browse", params=ANN)
    cut = served.client.get("/v1/browse", params={**ANN, "preview": True})
    assert len(whole.content) > 1_000_000 and len(cut.content) < 3000
    (item,) = cut.json()["items"]
    assert item["text"] == "x" * 599 + "…" and item["metadata"]["tags"] == tags[:12]


def test_S3_a_listing_without_a_scope_is_an_error(told: Served) -> None:
    for path in ("/v1/browse", "/v1/summary", "/v1/changes"):
        assert told.client.get(path).status_code == 400, path


def test_a_search_does_not_find_what_redaction_takes_out(served: Served) -> None:
    """Letter by letter it would tell what an old record holds."""
    secret = "sk-proj-" + "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb3dEf6h"
    store = served.memory._services.runtime.parts.store
    from taishi.types import Edit, Record

    home = Scope(user="ann").home
    store.apply([Edit("put", Record("old", home, "note", f"my key is {secret}", redaction=0))])
    assert ids(served.client.get("/v1/browse", params={**ANN, "text": "my key"})) == ["old"]
    assert secret not in served.client.get("/v1/browse", params=ANN).text
    assert ids(served.client.get("/v1/browse", params={**ANN, "text": secret[:12]})) == []


def test_O1_a_place_at_a_glance(told: Served) -> None:
    told.memory.facts.reject(Scope(user="ann"), "f1")
    for number, confidence in enumerate((0.5, 1.0)):
        told.memory.remember(Scope(user="ann"), f"mild {number}", id=f"m{number}",
                             confidence=confidence)  # fmt: skip
    answer = told.client.get("/v1/summary", params=ANN).json()
    assert answer["total"] == 13
    assert answer["kinds"] == {"fact": 3, "note": 10}
    assert answer["states"] == {"approved": 12, "rejected": 1}
    assert answer["mean_confidence"] == pytest.approx(0.75)  # of facts in force
    assert sum(answer["growth"].values()) == 13 and len(answer["growth"]) == 30
    assert answer["queue"]["failed"] == 0
    assert answer["degraded"] == {}
    nobody = told.client.get("/v1/summary", params={"user": "nobody"}).json()
    assert (nobody["total"], nobody["mean_confidence"], nobody["growth"]) == (0, None, {})


def test_partitions_show_a_narrow_key_its_own(told: Served) -> None:
    every = told.client.get("/v1/partitions").json()["partitions"]
    assert [(one["kind"], one["id"], one["records"]) for one in every] == [
        ("group", "club", 1), ("private", "ann", 11)]  # fmt: skip
    _, shown = told.key(user="ann", rights="read")
    own = told.client.get("/v1/partitions", headers=shown).json()["partitions"]
    assert [(one["kind"], one["id"]) for one in own] == [("private", "ann")]


def test_C1_the_form_has_every_setting_and_no_secret(serve: Callable[..., Served]) -> None:
    served = serve({"models.chat.api_key": "sk-very-secret", "query.recall_top_k": 7})
    answer = served.client.get("/v1/settings/form")
    assert "sk-very-secret" not in answer.text
    fields = {f["key"]: f for section in answer.json()["sections"] for f in section["fields"]}
    assert len(fields) > 80
    assert fields["models.chat.api_key"] | {"value": "***", "secret": True} == (
        fields["models.chat.api_key"])  # fmt: skip
    top_k = fields["query.recall_top_k"]
    assert (top_k["value"], top_k["type"], top_k["live"]) == (7, "integer", True)
    assert top_k["en"] and top_k["zh"] and top_k["set_by"]
    assert fields["memory.language"]["type"] == "choice"
    assert not fields["server.port"]["live"]


def test_keys_are_made_and_withdrawn(served: Served) -> None:
    client = served.client
    refused = client.post("/v1/keys", json={"name": "bot", "rights": "write"})
    assert refused.status_code == 400 and not served.keys.set_up  # nobody could make another
    made = client.post("/v1/keys", json={"name": "me", "rights": "admin"})
    assert made.status_code == 201
    assert client.get("/v1/keys").status_code == 401
    mine = {"Authorization": f"Bearer {made.json()['secret']}"}
    bot = {"name": "bot", "workspace": "default", "user": "ann"}
    other = client.post("/v1/keys", json=bot, headers=mine).json()
    listed = client.get("/v1/keys", headers=mine)
    assert [key["name"] for key in listed.json()["keys"]] == ["me", "bot"]
    assert other["secret"] not in listed.text and "sha256" not in listed.text
    path = f"/v1/keys/{other['key']['id']}/revoke"
    assert client.post(path, headers=mine).json()["revoked"]
    theirs = {"X-API-Key": other["secret"]}
    assert client.get("/v1/whoami", headers=theirs).status_code == 401
    own = made.json()["key"]["id"]
    assert client.post(f"/v1/keys/{own}/revoke", headers=mine).status_code == 400
    assert client.post("/v1/keys/nothing/revoke", headers=mine).status_code == 404


@pytest.fixture
def running(tmp_path: Path) -> Iterator[tuple[RunningApp, Memory, Any]]:
    settings = load(environ={}, overrides={"models.embedding.kind": "none"})
    with Memory.open(tmp_path / "data", settings) as memory:
        app = create_app(memory, keys=Keys(tmp_path / "data"))
        with RunningApp(app) as server:
            yield server, memory, app


def test_a_stream_tells_of_a_change_and_ends_when_the_server_closes(
    running: tuple[RunningApp, Memory, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    server, memory, app = running
    closing: list[bool] = []
    app.state.is_closing = lambda: bool(closing)
    monkeypatch.setattr(change_stream, "LOOK_SECONDS", 0.02)
    monkeypatch.setattr(change_stream, "HEARTBEAT_SECONDS", 0.1)
    headers = {"Accept": "text/event-stream"}
    url = f"http://{server.address[0]}:{server.address[1]}/v1/changes"
    with httpx.stream("GET", url, params=ANN, headers=headers, timeout=5) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        lines = answer.iter_lines()
        first = json.loads(next(line for line in lines if line.startswith("data: "))[6:])
        memory.remember(Scope(user="bob"), "elsewhere")
        assert next(line for line in lines if line).startswith(":")  # a heartbeat, no event
        memory.remember(Scope(user="ann"), "here")
        second = json.loads(next(line for line in lines if line.startswith("data: "))[6:])
        assert second["records"] > first["records"]
        closing.append(True)
        assert [line for line in lines if line.startswith("data:")] == []
    assert app.state.streams == 0


def test_streams_are_bounded(
    running: tuple[RunningApp, Memory, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    server, _, app = running
    app.state.streams = change_stream.MAX_STREAMS
    url = f"http://{server.address[0]}:{server.address[1]}/v1/changes"
    answer = httpx.get(url, params=ANN, headers={"Accept": "text/event-stream"})
    assert answer.status_code == 503 and answer.headers["retry-after"]
    app.state.streams = 0
