"""Filters, ends, orders and redactions over REST (Q10, R2)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fastapi.testclient import TestClient

from server.conftest import Served

ANN = {"user": "ann"}


@pytest.fixture
def kept(served: Served) -> TestClient:
    client = served.client
    items = [
        {"text": f"a trip to {place}", "id": place, "kind": "note", "session": session,
         "metadata": {"place": {"name": place}, "days": days}}
        for place, session, days in (("oslo", "s1", 3), ("rome", "s1", 7), ("cork", "s2", 9))
    ]  # fmt: skip
    assert client.post("/v1/memories/bulk", json={"scope": ANN, "items": items}).status_code == 201
    return client


def found(client: TestClient, filters: Any, path: str = "/v1/recall") -> list[str]:
    asked = {"scope": ANN, "query": "a trip", "filters": filters, "deadline": 10}
    response = client.post(path, json=asked)
    assert response.status_code == 200, response.text
    return sorted(hit["id"] for hit in response.json()["hits"])


def browsed(client: TestClient, **query: Any) -> Any:
    response = client.get("/v1/browse", params={**ANN, **query})
    assert response.status_code == 200, response.text
    return response.json()


def test_Q10_recall_and_the_prompt_block_are_filtered(kept: TestClient) -> None:
    assert found(kept, {"metadata.place.name": "rome"}) == ["rome"]
    assert found(kept, {"metadata.days": {"gt": 3}, "session": "s1"}) == ["rome"]
    assert found(kept, {"not": {"session": "s1"}}) == ["cork"]
    asked = {"scope": ANN, "query": "a trip", "filters": {"id": "cork"}, "deadline": 10}
    block = kept.post("/v1/context", json=asked).json()["block"]
    assert "cork" in block and "oslo" not in block


def test_Q10_listings_are_filtered_ordered_and_paged(kept: TestClient) -> None:
    wanted = json.dumps({"metadata.days": {"gte": 7}})
    assert [one["id"] for one in browsed(kept, filters=wanted)["items"]] == ["cork", "rome"]
    assert [one["id"] for one in browsed(kept, in_session="s1", limit=1)["items"]] == ["rome"]
    change = {"scope": ANN, "text": "a longer trip to oslo"}
    kept.patch("/v1/memories/oslo", json=change).raise_for_status()
    first = browsed(kept, order_by="updated", limit=2)
    rest = browsed(kept, order_by="updated", after=first["next"])
    assert [one["id"] for one in (*first["items"], *rest["items"])] == ["oslo", "cork", "rome"]
    oslo = first["items"][0]
    assert oslo["updated"] > oslo["created"] and oslo["expires"] is None


@pytest.mark.parametrize(
    "filters", [{"knd": 1}, {"kind": {"is": "fact"}}, {"and": []}, [1], "kind"]
)
def test_Q10_a_filter_that_cannot_be_used_is_a_422(kept: TestClient, filters: Any) -> None:
    asked = {"scope": ANN, "query": "a trip", "filters": filters}
    for path in ("/v1/recall", "/v1/context"):
        response = kept.post(path, json=asked)
        assert response.status_code in (400, 422), response.text
    for text in (json.dumps(filters), "{", "[" * 2000):
        response = kept.get("/v1/browse", params={**ANN, "filters": text})
        assert response.status_code in (400, 422), response.text
        assert "filters" in response.text


def test_Q10_an_end_is_set_moved_and_taken_back(kept: TestClient) -> None:
    body = {"scope": ANN, "text": "for a while", "id": "w", "kind": "note",
            "expires": "2099-01-01T00:00:00Z"}  # fmt: skip
    kept.post("/v1/memories", json=body).raise_for_status()
    assert kept.get("/v1/memories/w", params=ANN).json()["expires"] == "2099-01-01T00:00:00Z"
    for change, expires in (
        ({"text": "for a long while"}, "2099-01-01T00:00:00Z"),
        ({"expires": "2098-01-01T00:00:00Z"}, "2098-01-01T00:00:00Z"),
        ({"expires": None}, None),
    ):
        response = kept.patch("/v1/memories/w", json={"scope": ANN, **change})
        assert response.json()["expires"] == expires
    late = kept.post("/v1/memories", json={**body, "expires": "2001-01-01"})
    assert late.status_code in (400, 422) and "past" in late.text


def test_R2_what_was_redacted_is_said(kept: TestClient) -> None:
    secret = {"text": "my password is hunter2secret", "id": "s", "kind": "note"}
    answer = kept.post("/v1/memories", json={"scope": ANN, **secret}).json()
    assert answer == {"id": "s", "redacted": ["password"]}
    items = [secret, {"text": "nothing to hide", "id": "p", "metadata": {"api_key": "abc"}}]
    answer = kept.post("/v1/memories/bulk", json={"scope": ANN, "items": items}).json()
    assert set(answer["redacted"]) == {"s", "p"} and answer["redacted"]["s"] == ["password"]
    assert kept.get("/v1/memories/s", params=ANN).json()["redacted"] == ["password"]
    asked = {"scope": ANN, "query": "password", "deadline": 10, "filters": {"id": "s"}}
    (hit,) = kept.post("/v1/recall", json=asked).json()["hits"]
    assert hit["redacted"] == ["password"] and 0 <= hit["score"] <= 1
    assert hit["created"] is not None and hit["updated"] is not None
