"""Working memory over REST (M1–M3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from server.conftest import Served

SCOPE = {"user": "ann", "session": "s1"}
TALK = [{"role": "system", "content": "be brief"}, {"role": "user", "content": "hello", "id": "m1"}]


@pytest.fixture
def ask(served: Served) -> Callable[..., Any]:
    _, shown = served.key(rights="write", user="ann")

    def call(method: str, path: str, code: int = 200, **extra: Any) -> Any:
        headers = {**shown, **extra.pop("headers", {})}
        answer = served.client.request(method, f"/v1/sessions{path}", headers=headers, **extra)
        assert answer.status_code == code, answer.text
        return answer.json()

    return call


def test_M1_messages_are_appended_sent_and_read_back(ask: Callable[..., Any]) -> None:
    body = {"scope": SCOPE, "messages": TALK}
    once = {"headers": {"Idempotency-Key": "k1"}}
    first = ask("POST", "/append", json=body, **once)
    assert ask("POST", "/append", json=body, **once) == first and first["ids"][1] == "m1"
    window = ask("POST", "/window", json={"scope": SCOPE, "max_tokens": 1000})
    wire = [{"role": one["role"], "content": one["content"]} for one in TALK]
    assert window["messages"] == wire and (window["level"], window["budget"]) == ("none", 700)
    found = ask("GET", "/history", params={**SCOPE, "limit": 1})["messages"]
    assert found[0]["message"] == wire[0]
    rest = ask("GET", "/history", params={**SCOPE, "after": found[0]["number"]})["messages"]
    assert [one["id"] for one in rest] == ["m1"]
    assert ask("GET", "/history/m1", params=SCOPE)["message"] == wire[1]
    ask("GET", "/history/nobody's", 404, params=SCOPE)
    (listed,) = ask("GET", "", params={"user": "ann"})["sessions"]
    assert (listed["session"], listed["messages"]) == ("s1", 2)
    assert ask("POST", "/end", json={"scope": SCOPE, "learn": True}) == {"summarised": True}
    assert ask("DELETE", "", params=SCOPE) == {"removed": 2}


def test_M3_the_scratchpad_is_patched(ask: Callable[..., Any]) -> None:
    change = {"current_goal": "ship", "decisions": [{"what": "SQLite", "why": "there"}]}
    assert ask("PATCH", "/scratchpad", json={"scope": SCOPE, **change})["current_goal"] == "ship"
    found = ask("PATCH", "/scratchpad", json={"scope": SCOPE, "current_goal": None})
    assert found["current_goal"] == "" and found["decisions"] == change["decisions"]
    ask("DELETE", "/scratchpad", params=SCOPE)
    assert ask("GET", "/scratchpad", params=SCOPE)["decisions"] == []


def test_M1_what_is_wrong_is_said(ask: Callable[..., Any]) -> None:
    ask("POST", "/append", 422, json={"scope": SCOPE, "messages": []})
    wrong = {"scope": SCOPE, "messages": [{"role": "king", "content": "x"}]}
    assert "use one of" in str(ask("POST", "/append", 400, json=wrong))
    ask("POST", "/append", 400, json={"scope": {"user": "ann"}, "messages": TALK})
    other = {"scope": SCOPE, "messages": [{**TALK[1], "speaker_id": "bob"}]}
    ask("POST", "/append", 403, json=other)
    ask("PATCH", "/scratchpad", 422, json={"scope": SCOPE, "goal": "x"})
    ask("POST", "/window", 422, json={"scope": SCOPE, "max_tokens": 0})
