"""Odd ids over REST: served, or refused with 422 before anything is kept (P4, S1)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tables.odd_ids import NO_PAGE, REFUSED, TRICKY

Served = Any


def test_P4_odd_ids_are_served(served: Served) -> None:
    ids = (*TRICKY, *NO_PAGE)
    for number, id in enumerate(ids):
        body = {"scope": {"user": id}, "new_info": f"I live in Town{number:03d}q"}
        answer = served.client.post("/v1/turns", json=body)
        assert answer.status_code == 202, (id, answer.text)
    assert served.memory.drain(60)
    assert served.memory.status()["queue"]["failed"] == 0
    for number, id in enumerate(ids):
        asked = {"scope": {"user": id}, "query": f"Town{number:03d}q"}
        texts = served.client.post("/v1/recall", json=asked).text
        assert f"Town{number:03d}q" in texts, id
        assert not [n for n in range(len(ids)) if n != number and f"Town{n:03d}q" in texts], id


@pytest.mark.parametrize("id", REFUSED, ids=lambda id: ascii(id)[:20])
def test_S1_what_is_no_id_is_refused(served: Served, id: Any) -> None:
    if isinstance(id, bytes):
        pytest.skip("JSON has no bytes")
    body = json.dumps({"scope": {"user": id}, "new_info": "I live in Oslo"})
    answer = served.client.post(
        "/v1/turns", content=body, headers={"Content-Type": "application/json"}
    )
    assert answer.status_code in (400, 413, 422), answer.text
    assert len(answer.text) < 3000
    assert served.memory.status()["queue"]["pending"] == 0
