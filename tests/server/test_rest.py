"""REST under /v1: what goes in comes out; paging, repeats, limits, input that means harm."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from server.conftest import Served
from taishi import Memory, Scope
from taishi.server import idempotency
from taishi.server.problems import Problem
from taishi.server.rate_limit import RateLimiter

U7 = {"user": "u7"}
JSON = {"Content-Type": "application/json"}


def post(served: Served, path: str, body: dict[str, Any], status: int = 200, **headers: str) -> Any:
    answer = served.client.post(f"/v1{path}", json=body, headers=headers)
    assert answer.status_code == status, answer.text
    return answer.json()


def test_W1_a_turn_is_accepted_and_can_be_found(served: Served) -> None:
    told = post(served, "/turns", {"scope": U7, "new_info": "Ann moved to Oslo"}, 202)
    assert told["kept"] and told["id"].endswith(":1")
    served.memory.drain()
    found = post(served, "/recall", {"scope": U7, "query": "where does Ann live? Oslo?"})
    assert told["id"] in [hit["id"] for hit in found["hits"]]
    assert post(served, "/recall", {"scope": {"user": "u8"}, "query": "Oslo"})["hits"] == []
    assert "Oslo" in post(served, "/context", {"scope": U7, "query": "Oslo"})["block"]
    assert post(served, "/events/search", {"scope": U7, "query": "Oslo"})["hits"]


def test_W1_nothing_to_keep(served: Served) -> None:
    assert post(served, "/turns", {"scope": U7}, 202) == {"id": None, "kept": False}


def test_W9_consider_and_W7_observe_and_W8_session(served: Served) -> None:
    spoken = [{"text": "记住：我喜欢茶", "speaker": "安", "time": 1_700_000_000, "id": 5}]
    assert post(served, "/turns/consider", {"scope": U7, "messages": spoken}, 202)["kept"]
    seen = {"scope": U7, "tool": "weather", "arguments": {"city": "Oslo"}, "result": [1, None]}
    assert post(served, "/observations", seen, 202) == {"accepted": True}
    served.memory.drain()
    page = served.client.get("/v1/memories", params={"user": "u7", "kinds": "observation"}).json()
    assert "weather" in page["items"][0]["text"]
    scope = {"user": "u7", "session": "s1"}
    post(served, "/turns", {"scope": scope, "new_info": "tea", "messages": spoken}, 202)
    said = {"scope": scope, "messages": [{"text": "good night", "speaker": "Ann", "id": "last"}]}
    assert post(served, "/sessions/messages", said) == {"added": 1}
    assert post(served, "/sessions/messages", said) == {"added": 0}
    assert post(served, "/sessions/end", {"scope": scope}) == {"summarised": True}
    post(served, "/sessions/end", {"scope": U7}, 400)


def test_memories_are_kept_changed_and_forgotten(served: Served) -> None:
    note = {
        "scope": U7,
        "text": "Ann likes tea",
        "kind": "note",
        "source": 12,
        "metadata": {"a": 1},
    }
    id = post(served, "/memories", note, 201)["id"]
    path = f"/v1/memories/{id}"
    got = served.client.get(path, params=U7).json()
    assert (got["text"], got["source"], got["metadata"]) == ("Ann likes tea", "12", {"a": 1})
    changed = served.client.patch(path, json={"scope": U7, "text": "Ann likes coffee"})
    assert changed.json()["text"] == "Ann likes coffee"
    assert changed.json()["metadata"]["a"] == 1
    history = served.client.get(f"{path}/history", params=U7).json()["versions"]
    assert [one["text"] for one in history] == ["Ann likes coffee", "Ann likes tea"]
    assert history[0]["until"] is None and history[1]["until"] is not None
    served.memory.drain()
    assert "coffee" in post(served, "/recall", {"scope": U7, "query": "coffee"})["hits"][0]["text"]
    assert served.client.delete(path, params=U7).json() == {
        "removed": 1,
        "went": [],
        "changed": [],
        "still_told_by": [],
    }
    for answer in (served.client.delete(path, params=U7), served.client.get(path, params=U7),
                   served.client.get(f"{path}/history", params=U7)):  # fmt: skip
        assert answer.status_code == 404
        assert answer.json()["type"] == "urn:taishi:problem:not-found"


def test_facts_are_changed_as_facts_are(served: Served) -> None:
    id = post(served, "/memories", {"scope": U7, "text": "Ann lives in Oslo"}, 201)["id"]
    answer = served.client.patch(f"/v1/memories/{id}", json={"scope": U7, "text": "x"})
    assert answer.status_code == 400 and "/v1/facts/{id}/correct" in answer.json()["detail"]
    new = post(served, f"/facts/{id}/correct", {"scope": U7, "text": "Ann lives in Rome"}, 201)
    versions = served.client.get(f"/v1/memories/{new['id']}/history", params=U7).json()["versions"]
    assert [one["text"] for one in versions] == ["Ann lives in Rome", "Ann lives in Oslo"]
    listed = served.client.get("/v1/facts", params={**U7, "states": "approved"}).json()["facts"]
    assert [one["id"] for one in listed] == [new["id"]]
    assert post(served, f"/facts/{new['id']}/reject", {"scope": U7}) == {"done": True}
    assert post(served, f"/facts/{new['id']}/approve", {"scope": U7}) == {"done": True}
    post(served, "/facts/nothing/approve", {"scope": U7}, 404)
    assert served.client.get("/v1/facts/conflicts", params=U7).json() == {"conflicts": []}
    post(served, "/facts/conflicts/resolve", {"scope": U7, "keep": "x", "drop": "y"}, 404)


def test_F3_a_procedure_gets_feedback(served: Served) -> None:
    id = post(served, "/memories", {"scope": U7, "text": "boil water", "kind": "procedure"}, 201)
    told = post(served, f"/procedures/{id['id']}/feedback", {"scope": U7, "worked": True})
    assert 0 < told["success_rate"] <= 1
    post(served, "/procedures/none/feedback", {"scope": U7, "worked": True}, 404)


def test_ids_may_hold_anything_that_an_id_may(served: Served) -> None:
    for id in ("a/b", "../../etc/passwd", "茶 茶", "x?y#z", "history", "bulk"):
        post(
            served, "/memories", {"scope": U7, "text": f"about {id}", "kind": "note", "id": id}, 201
        )
        answer = served.client.get(f"/v1/memories/{quote(id, safe='')}", params=U7)
        assert answer.json()["text"] == f"about {id}", answer.text


def test_paging_shows_every_record_once(served: Served) -> None:
    items = [{"text": f"note {n}", "kind": "note" if n % 3 else "event"} for n in range(25)]
    ids = post(served, "/memories/bulk", {"scope": U7, "items": items}, 201)["ids"]
    for kinds, limit in ((None, 10), (None, 25), (["event"], 2), (["fact"], 5), (None, 1)):
        seen, after = [], None
        for _ in range(40):
            params = {**U7, "limit": limit, "after": after, "kinds": kinds}
            asked = {name: value for name, value in params.items() if value is not None}
            page = served.client.get("/v1/memories", params=asked).json()
            assert len(page["items"]) <= limit
            seen += [one["id"] for one in page["items"]]
            after = page["next"]
            if after is None:
                break
        wanted = [id for id, item in zip(ids, items, strict=True)
                  if kinds is None or item["kind"] in kinds]  # fmt: skip
        assert seen == wanted


def test_many_are_notes_and_one_is_a_fact_as_in_python(served: Served) -> None:
    one = post(served, "/memories", {"scope": U7, "text": "Ann likes tea"}, 201)["id"]
    body = {"scope": U7, "items": [{"text": "Ann likes rain"}]}
    many = post(served, "/memories/bulk", body, 201)["ids"]
    kinds = [
        served.client.get(f"/v1/memories/{id}", params=U7).json()["kind"] for id in (one, *many)
    ]
    assert kinds == ["fact", "note"]
    patch = {"scope": U7, "text": "Ann likes snow"}
    assert served.client.patch(f"/v1/memories/{many[0]}", json=patch).status_code == 200


@pytest.mark.parametrize("cursor", ["x", "é", "AAAA", "djE6eA", "-1", "dj" * 30])
def test_a_foreign_cursor_is_refused(steady: Served, cursor: str) -> None:
    answer = steady.client.get("/v1/memories", params={**U7, "after": cursor})
    assert answer.status_code in (400, 422), answer.text


def test_a_page_never_ends_early_when_a_kind_is_rare(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    from taishi.curate import records

    monkeypatch.setattr(records, "SCAN", 4)
    monkeypatch.setattr(records, "SCANS_A_PAGE", 2)
    items = [{"text": f"n{n}", "kind": "note"} for n in range(30)]
    items.append({"text": "rare", "kind": "event"})
    post(served, "/memories/bulk", {"scope": U7, "items": items}, 201)
    after, seen, pages = None, [], 0
    while pages == 0 or after:
        page = served.memory.records.list(Scope(**U7), ["event"], after, 3)
        seen += [one.text for one in page.records]
        after, pages = page.next, pages + 1
    assert seen == ["rare"] and 1 < pages < 30


def test_profiles_from_end_to_end(served: Served) -> None:
    page = "/v1/profiles/user/u7"
    assert served.client.get(page).status_code == 404
    put = served.client.put(page, json={"body": "- likes tea", "name": "Ann", "tags": ["vip"]})
    assert put.json()["name"] == "Ann"
    served.client.put(page, json={"body": "- likes tea\n- lives in Oslo", "name": "Ann"})
    source = served.client.get(f"{page}/source").json()
    stale = {"body": "- lives in Rome", "updated_at": "2000-01-01"}
    assert served.client.patch(page, json=stale).status_code == 409
    edited = served.client.patch(
        page, json={"body": "- lives in Oslo", "updated_at": source["updated_at"]}
    )
    assert "tea" not in edited.json()["body"]
    revisions = served.client.get(f"{page}/revisions").json()["revisions"]
    assert len(revisions) == 2
    diff = served.client.get(f"{page}/revisions/{revisions[0]}/diff").json()["diff"]
    assert "tea" in diff
    back = served.client.post(f"{page}/revisions/{revisions[-1]}/rollback")
    assert back.json()["body"].strip() == "- likes tea"
    found = post(served, "/profiles/search", {"scope": U7, "query": "tea"})
    assert found["hits"][0]["id"] == "user:u7"
    assert served.client.get(f"{page}/revisions/nope/diff").status_code == 400


def test_jobs_are_listed_and_retried(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    post(served, "/turns", {"scope": U7, "new_info": "Ann"}, 202)
    (job,) = served.client.get("/v1/jobs", params={"state": "pending"}).json()["jobs"]
    assert job["job"]["user_id"] == "u7"
    assert served.client.post(f"/v1/jobs/{job['name']}/retry").status_code == 404
    assert served.client.get("/v1/ledger").json() == {"rows": []}
    assert served.client.get("/v1/check").json() == {"result": "ok"}


def test_forget_and_links(served: Served) -> None:
    post(served, "/memories", {"scope": {"group": "g1", "user": "u7"}, "text": "Ann fell"}, 201)
    seen = {"scope": U7, "query": "fell"}
    assert not post(served, "/recall", seen)["hits"]
    answer = served.client.put("/v1/links", json={"scope": U7, "on": True})
    assert answer.json() == {"done": True}
    assert post(served, "/recall", seen)["hits"]
    assert post(served, "/forget", {"scope": U7})["removed"] >= 1
    assert not post(served, "/recall", seen)["hits"]


def test_O2_a_key_of_a_group_does_not_forget_the_group_for_one_person(served: Served) -> None:
    for user in ("u7", "u8"):
        post(
            served,
            "/memories",
            {"scope": {"group": "g1", "user": user}, "text": f"{user} fell"},
            201,
        )
    for bound in ({"group": "g1"}, {"group": "g1", "user": "u7"}):
        _, shown = served.key(rights="write", **bound)
        for scope in (U7, {}) if "user" in bound else (U7,):
            answer = served.client.post("/v1/forget", json={"scope": scope}, headers=shown)
            assert answer.status_code == 403 and "whole group" in answer.json()["detail"]
        assert served.client.get("/v1/whoami", headers=shown).status_code == 200
    _, shown = served.key(rights="write", group="g1")
    assert (
        served.client.post("/v1/forget", json={"scope": {}}, headers=shown).json()["removed"] >= 2
    )


def test_status_and_whoami(served: Served) -> None:
    assert served.client.get("/v1/whoami").json()["rights"] == "admin"
    assert served.client.get("/v1/status").json()["details"]["queue"]["pending"] == 0
    _, shown = served.key(workspace="w", rights="admin", user="u7")
    told = served.client.get("/v1/status", headers=shown).json()
    assert told["details"] is None
    who = served.client.get("/v1/whoami", headers=shown).json()
    assert (who["workspace"], who["user"], who["rights"]) == ("w", "u7", "admin")


# -- repeats -----------------------------------------------------------------------------------


def test_a_turn_that_is_sent_again_is_kept_once(served: Served) -> None:
    body = {"scope": U7, "new_info": "Ann moved to Oslo"}
    first = served.client.post("/v1/turns", json=body, headers={"Idempotency-Key": "k1"})
    again = served.client.post("/v1/turns", json=body, headers={"Idempotency-Key": "k1"})
    assert first.json() == again.json()
    assert again.headers["Idempotency-Replayed"] == "true"
    assert "Idempotency-Replayed" not in first.headers
    other = served.client.post(
        "/v1/turns", json={**body, "new_info": "x"}, headers={"Idempotency-Key": "k1"}
    )
    assert other.status_code == 422
    assert other.json()["type"] == "urn:taishi:problem:idempotency-mismatch"
    served.client.post("/v1/turns", json=body, headers={"Idempotency-Key": "k2"})
    assert len(served.memory.jobs.list()) == 2


def test_W5_a_turn_sent_again_after_a_crash_is_kept_once(serve: Callable[..., Served]) -> None:
    """A second server on the same folder has no answers in its memory: the store must know."""
    body = {"scope": U7, "new_info": "Ann moved to Oslo", "request_id": "r1"}
    first = serve()
    told = first.client.post("/v1/turns", json=body, headers={"Idempotency-Key": "k1"}).json()
    second = serve()  # the job waits
    again = second.client.post("/v1/turns", json=body, headers={"Idempotency-Key": "k1"}).json()
    assert again == told
    assert len(second.memory.jobs.list()) == 1
    second.memory.drain()
    third = serve()  # the event is written
    again = third.client.post("/v1/turns", json=body, headers={"Idempotency-Key": "k1"}).json()
    assert again == told
    assert third.memory.jobs.list() == []
    items = {"scope": U7, "items": [{"text": text, "kind": "fact"} for text in "ab"]}
    ids = [one.client.post("/v1/memories/bulk", json=items, headers={"Idempotency-Key": "k"}).json()
           for one in (first, third)]  # fmt: skip
    assert ids[0] == ids[1]
    kept = [one.text for one in third.memory.facts.list(Scope(**U7))]
    assert sorted(kept) == ["Ann lives in Oslo", "a", "b"]


def test_the_same_request_at_the_same_time_is_done_once(served: Served) -> None:
    body = {"scope": U7, "new_info": "Ann"}
    answers: list[Any] = []

    def send() -> None:
        answer = served.client.post("/v1/turns", json=body, headers={"Idempotency-Key": "k"})
        answers.append(answer.json())

    threads = [threading.Thread(target=send) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 8 and all(one == answers[0] for one in answers)
    assert len(served.memory.jobs.list()) == 1


def test_keys_of_two_callers_do_not_meet(served: Served) -> None:
    body = {"new_info": "Ann"}
    sent = {"Idempotency-Key": "same"}
    ids = set()
    for user in ("u1", "u2"):
        _, shown = served.key(user=user)
        answer = served.client.post("/v1/turns", json=body, headers={**shown, **sent})
        assert "Idempotency-Replayed" not in answer.headers
        ids.add(answer.json()["id"])
    assert len(ids) == 2


def test_a_refused_request_may_be_sent_again_with_its_key(served: Served) -> None:
    sent = {"Idempotency-Key": "k"}
    assert served.client.post("/v1/turns", json={"new_info": "x"}, headers=sent).status_code == 400
    body = {"scope": U7, "new_info": "x"}
    assert served.client.post("/v1/turns", json=body, headers=sent).status_code == 202


@pytest.mark.parametrize("key", ["", " ", "x" * 201, "é"])
def test_a_key_that_cannot_be_used_is_refused(steady: Served, key: str) -> None:
    headers = {"Idempotency-Key": key.encode("utf-8")}
    answer = steady.client.post("/v1/turns", json={"scope": U7, "new_info": "x"}, headers=headers)
    assert answer.status_code == 400


def test_kept_answers_are_bounded(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idempotency, "MAX_ENTRIES", 3)
    for number in range(10):
        post(
            served, "/memories", {"scope": U7, "text": "x"}, 201, **{"Idempotency-Key": str(number)}
        )
    kept = served.app.state.idempotency
    assert len(kept._entries) <= 3
    assert kept._bytes == sum(len(e.answer[2]) for e in kept._entries.values())


# -- limits ------------------------------------------------------------------------------------


def test_a_key_may_ask_so_often_and_no_more(serve: Callable[..., Served]) -> None:
    served = serve({"server.rate_per_minute": 3})
    _, shown = served.key()
    codes = [served.client.get("/v1/whoami", headers=shown).status_code for _ in range(4)]
    assert codes == [200, 200, 200, 429]
    answer = served.client.get("/v1/whoami", headers=shown)
    assert int(answer.headers["Retry-After"]) > 0
    assert answer.json()["type"] == "urn:taishi:problem:too-many-requests"
    _, other = served.key()
    assert served.client.get("/v1/whoami", headers=other).status_code == 200


def test_a_bucket_fills_again() -> None:
    now = [0.0]
    rates = RateLimiter(60, clock=lambda: now[0])
    for _ in range(60):
        rates.take("a")
    with pytest.raises(Problem):
        rates.take("a")
    now[0] = 1.0
    rates.take("a")
    with pytest.raises(Problem):
        rates.take("a")


def test_large_bodies_are_refused(serve: Callable[..., Served]) -> None:
    served = serve({"server.max_body_mb": 1})

    def pieces() -> Iterator[bytes]:
        for _ in range(20):
            yield b"x" * 100_000

    for content in (b"x" * 1_100_000, pieces()):
        answer = served.client.post("/v1/recall", content=content, headers=JSON)
        assert answer.status_code == 413, answer.text
        assert answer.json()["type"] == "urn:taishi:problem:too-large"
    fits = json.dumps({"scope": U7, "text": "x" * 900_000, "kind": "note"})
    answer = served.client.post("/v1/memories", content=fits, headers=JSON)
    assert answer.status_code == 201


def test_request_ids_come_back_if_they_are_sane(steady: Served) -> None:
    for sent, same in (("abc-1.2:3", True), ("x" * 129, False), ("a b", False), ("a\tb", False)):
        answer = steady.client.get("/v1/nowhere", headers={"X-Request-ID": sent})
        told = answer.headers["X-Request-ID"]
        assert (told == sent) is same
        assert answer.json()["request_id"] == told


# -- input that means harm ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"", 422),
        (b"{", 400),
        (b"nonsense", 400),
        (b"\xff\xfe", 400),
        (b"[]", 422),
        (b"null", 422),
        (b'{"scope": {"user": "u7"}, "query": NaN}', 400),
        (b'{"scope": {"user": "u7"}, "query": "x", "floor": Infinity}', 400),
        (b'{"scope": {"user": "u7"}, "query": "x", "floor": 1e999}', 400),
        (b'{"scope": {"user": "u7"}, "query": "x", "top_k": ' + b"9" * 5000 + b"}", 400),
        (b'{"scope": {"user": "u7"}, "query": "x", "top_k": 1' + b"0" * 400 + b"}", 422),
        (b'{"scope": {"user": "u7"}, "query": "x", "top_k": true}', 422),
        (b'{"scope": {"user": "u\\u0000"}, "query": "x"}', 422),
        (b'{"scope": {"user": true}, "query": "x"}', 422),
        (b'{"scope": {"user": ["u7"]}, "query": "x"}', 422),
        (b'{"scope": {}, "query": "x"}', 400),
        (b'{"scope": {"user": " "}, "query": "x"}', 400),
        (b'{"query": "x"}', 400),
        (b'{"scope": {"user": "u7", "shared": true}, "query": "x"}', 400),
        (b'{"scope": {"user": "u7"}, "query": "x", "time_from": "yesterday"}', 400),
        (b'{"scope": {"user": "u7"}, "query": "x", "kinds": ["secret"]}', 422),
        (b"[" * 200_000, 400),
        (b'{"a":' * 50_000, 400),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_refused_in_words(
    steady: Served, content: bytes, status: int
) -> None:
    answer = steady.client.post("/v1/recall", content=content, headers=JSON)
    assert answer.status_code == status, answer.text
    problem = answer.json()
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert problem["type"].startswith("urn:taishi:problem:") and problem["detail"]
    assert problem["status"] == status and problem["request_id"]


def test_half_characters_and_nul_are_replaced(served: Served) -> None:
    raw = rb'{"scope":{"user":"u7"},"text":"tea \ud83d \u0000 \ud83c\udf75 end","kind":"note"}'
    answer = served.client.post("/v1/memories", content=raw, headers=JSON)
    assert answer.status_code == 201, answer.text
    (kept,) = served.client.get("/v1/memories", params=U7).json()["items"]
    assert kept["text"] == "tea \ufffd \ufffd \U0001f375 end"
    for body in (
        rb'{"scope":{"user":"u7\ud800"},"query":"x"}',
        rb'{"scope":{"user":"u7"},"\udc00":1}',
    ):
        assert served.client.post("/v1/recall", content=body, headers=JSON).status_code < 500


def test_deep_data_is_refused_and_large_data_is_not(served: Served) -> None:
    for depth, status in ((20, 201), (40, 400), (900, 400)):
        data: Any = 1
        for _ in range(depth):
            data = {"a": data}
        body = json.dumps({"scope": U7, "text": "x", "metadata": data})
        answer = served.client.post("/v1/memories", content=body, headers=JSON)
        assert answer.status_code == status, (depth, answer.text)
    body = json.dumps({"scope": U7, "text": "x", "metadata": {str(n): n for n in range(5000)}})
    assert served.client.post("/v1/memories", content=body, headers=JSON).status_code == 201


def test_huge_numbers_in_data_do_no_harm(served: Served) -> None:
    body = b'{"scope":{"user":"u7"},"text":"x","metadata":{"n":1' + b"0" * 600 + b"}}"
    assert served.client.post("/v1/memories", content=body, headers=JSON).status_code == 201
    assert served.client.get("/v1/memories", params=U7).status_code == 200


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "", "json",
                                  "multipart/form-data; boundary=x", "application/jsonx"],
                         )  # fmt: skip
def test_only_json_is_taken(steady: Served, kind: str) -> None:
    body = json.dumps({"scope": U7, "query": "x"}).encode()
    answer = steady.client.post("/v1/recall", content=body, headers={"Content-Type": kind})
    assert answer.status_code == 415
    good = steady.client.post(
        "/v1/recall", content=body, headers={"Content-Type": "application/json; charset=utf-8"}
    )
    assert good.status_code == 200


@pytest.mark.parametrize(
    ("body", "near"),
    [
        ({"scope": U7, "qery": "x", "query": "x"}, "query"),
        ({"scope": {"usr": "u7"}, "query": "x"}, "user"),
        ({"scope": U7, "query": "x", "topk": 3}, "top_k"),
    ],
)
def test_unknown_names_are_refused_with_the_nearest(
    steady: Served, body: dict[str, Any], near: str
) -> None:
    answer = steady.client.post("/v1/recall", json=body)
    assert answer.status_code == 422
    assert f"did you mean {near!r}" in answer.json()["detail"]
    asked = steady.client.get("/v1/memories", params={"usr": "u7"})
    assert "did you mean 'user'" in asked.json()["detail"]


def test_a_name_of_a_megabyte_is_refused_at_once(steady: Served) -> None:
    began = time.monotonic()
    answer = steady.client.post("/v1/recall", json={"scope": U7, "q" * 1_000_000: 1, "query": "x"})
    assert answer.status_code == 422 and len(answer.content) < 2000
    assert time.monotonic() - began < 5


def test_nothing_of_a_refused_value_comes_back(steady: Served) -> None:
    secret = "sk-" + "a" * 40
    answer = steady.client.post("/v1/recall", json={"scope": U7, "query": 1, "floor": secret})
    assert answer.status_code == 422 and secret not in answer.text


@pytest.mark.parametrize("id", ["..%2F..%2Fetc", "%00", ".hidden", "a%0Ab", "CON", "a%5Cb"])
def test_P4_ids_that_could_leave_the_folder(steady: Served, id: str) -> None:
    for answer in (
        steady.client.put(f"/v1/profiles/user/{id}", json={"body": "x"}),
        steady.client.get(f"/v1/profiles/user/{id}"),
        steady.client.get(f"/v1/profiles/user/{id}/revisions"),
    ):
        assert answer.status_code < 500, answer.text
    folder = steady.memory.status()["folder"]
    assert not list(Path(folder).parent.glob("etc*"))


def test_keys_are_not_taken_from_the_address(served: Served) -> None:
    _, shown = served.key()
    secret = shown["Authorization"].removeprefix("Bearer ")
    for name in ("key", "api_key", "token", "x-api-key", "authorization"):
        assert served.client.get("/v1/whoami", params={name: secret}).status_code == 401
    assert served.client.get("/v1/whoami", headers={"X-API-Key": secret}).status_code == 200


def test_a_closed_memory_says_so(served: Served) -> None:
    served.memory.close()
    answer = served.client.post("/v1/recall", json={"scope": U7, "query": "x"})
    assert answer.status_code == 503
    assert answer.json()["type"] == "urn:taishi:problem:closing"


def test_a_bug_is_a_problem_too(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("secret inside")

    from fastapi.testclient import TestClient

    monkeypatch.setattr(Memory, "status", broken)
    client = TestClient(served.app, raise_server_exceptions=False)
    answer = client.get("/v1/status")
    assert answer.status_code == 500
    assert answer.json()["type"] == "urn:taishi:problem:bug"
    assert "secret inside" not in answer.text


# -- who may call without keys -------------------------------------------------------------------


CALLS = [
    ("127.0.0.1:8321", None, 200),
    ("localhost", None, 200),
    ("[::1]:80", None, 200),
    ("mine.lan", None, 200),
    ("evil.example", None, 403),
    ("", None, 403),
    ("localhost.evil.example", None, 403),
    ("127.0.0.1", "https://evil.example", 403),
    ("127.0.0.1", "null", 403),
    ("127.0.0.1", "http://localhost:3000", 403),
    ("127.0.0.1:8321", "http://localhost:8321", 200),
    ("127.0.0.1", "https://app.example", 200),
]


def test_without_keys_a_web_page_gets_nowhere(serve: Callable[..., Served]) -> None:
    served = serve({"server.cors_origins": "https://app.example"}, hosts=["mine.lan"])
    for host, origin, status in CALLS:
        headers = {"Host": host, **({"Origin": origin} if origin else {})}
        answer = served.client.get("/v1/whoami", headers=headers)
        assert answer.status_code == status, (host, origin)
    _, shown = served.key()  # with keys any name will do: a stranger's page does not have them
    answer = served.client.get("/v1/whoami", headers={**shown, "Host": "memory.example"})
    assert answer.status_code == 200


def test_cors_is_off_unless_asked_for(serve: Callable[..., Served]) -> None:
    asked = {"Origin": "https://app.example", "Access-Control-Request-Method": "POST"}
    off = serve().client.options("/v1/recall", headers=asked)
    assert "access-control-allow-origin" not in off.headers
    on = serve({"server.cors_origins": "https://app.example"}).client
    answer = on.options("/v1/recall", headers=asked)
    assert answer.headers["access-control-allow-origin"] == "https://app.example"
    other = on.options("/v1/recall", headers={**asked, "Origin": "https://evil.example"})
    assert "access-control-allow-origin" not in other.headers


def test_a_switched_off_memory_answers(serve: Callable[..., Served]) -> None:
    served = serve({"memory.enabled": False})
    assert post(served, "/turns", {"scope": U7, "new_info": "x"}, 202)["kept"] is False
    assert post(served, "/recall", {"scope": U7, "query": "x"})["hits"] == []
