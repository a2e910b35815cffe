"""A document's file over REST: passed on, or as a redirect to S3 (K1)."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest

from server.conftest import Served
from support.engine_s3 import s3, s3_keys, s3_server

__all__ = ["s3", "s3_keys", "s3_server"]

RULES = b"# Rules\n\nThe zeppelin leaves at nine."


def put(served: Served, **scope: str) -> str:
    query = {"name": "rules.md", **scope}
    answer = served.client.post("/v1/documents", params=query, content=RULES)
    assert answer.status_code == 201, answer.text
    return f"/v1/documents/{answer.json()['document']['id']}/original"


@pytest.mark.thorough
def test_K1_a_file_in_s3_is_passed_on_or_linked_to(serve: Callable[..., Served], s3: str) -> None:
    served = serve({"storage.files": s3})
    path = put(served, group="office")
    plain = served.client.get(path, params={"group": "office"})
    assert (plain.status_code, plain.content) == (200, RULES)
    query = {"group": "office", "link": "true"}
    answer = served.client.get(path, params=query, follow_redirects=False)
    assert (answer.status_code, answer.headers["cache-control"]) == (307, "no-store")
    assert httpx.get(answer.headers["location"]).content == RULES
    other = served.client.get(
        path, params={"group": "other", "link": "true"}, follow_redirects=False
    )
    assert other.status_code == 404
    status = served.client.get("/v1/status").json()["details"]["engines"]["files"]
    assert status["state"] == "ok" and "?" not in status["address"]


def test_K1_a_file_in_the_folder_is_passed_on_in_any_case(served: Served) -> None:
    path = put(served, group="office")
    answer = served.client.get(path, params={"group": "office", "link": "true"})
    assert (answer.status_code, answer.content) == (200, RULES)
