"""mem0's REST API: every route asks for a key, keeps to what it is bound to, and takes no nonsense.

What mem0's own clients make of it is in tests/adapters/test_mem0.py.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server.conftest import Served
from support.hash_embedder import HashEmbedder
from taishi import Scope
from taishi.server.mem0_api.routes import _ROUTES, mem0_router

TOKEN = "Authorization"
VERSIONED = [(method, path) for method, path, _ in _ROUTES if path.startswith("/v")]
BODIES: dict[str, Any] = {
    "add": {"messages": "planted", "user_id": "ann", "infer": False},
    "search": {"query": "tea", "filters": {"user_id": "ann"}},
    "list_page": {"filters": {"user_id": "ann"}},
    "update": {"text": "planted"},
    "update_batch": {"memories": [{"memory_id": "user:ann:note", "text": "planted"}]},
    "delete_batch": {"memories": [{"memory_id": "user:ann:note"}]},
}
READS = {"ping", "search", "list_page", "list_newest", "get", "history", "entities"}
OPEN_TO_ALL_KEYS = {"ping", "entities"}


def seed(served: Served) -> None:
    for user in ("ann", "ben"):
        served.memory.remember(Scope(user=user), f"tea of {user}", kind="note", id="note")


def send(served: Served, route: tuple[str, str, Any], headers: dict[str, str]) -> Any:
    """A request about ann that would do something if it were let in."""
    method, path, handler = route
    for name, value in (("{memory_id}", "user:ann:note"), ("{entity}/{name}", "user/ann")):
        path = path.replace(name, value)
    about = handler.__name__ in ("delete_all", "list_newest")
    return served.client.request(
        method,
        f"/mem0{path}",
        headers=headers,
        json=BODIES.get(handler.__name__),
        params={"user_id": "ann"} if about else None,
    )


def picture(served: Served) -> list[tuple[str, str]]:
    scopes = (Scope(user="ann"), Scope(user="ben"))
    return [(r.id, r.text) for scope in scopes for r in served.memory.records.list(scope).records]


def named(route: tuple[str, str, Any]) -> str:
    return f"{route[0]} {route[1]}"


@pytest.mark.parametrize("route", _ROUTES, ids=named)
def test_S3_a_key_reaches_what_it_is_bound_to(served: Served, route: tuple[str, str, Any]) -> None:
    seed(served)
    name, before = route[2].__name__, picture(served)
    _, reader = served.key(rights="read")
    _, stranger = served.key(user="ben", rights="admin")
    _, elsewhere = served.key(workspace="other", rights="admin")
    _, owner = served.key(user="ann", rights="admin")

    assert send(served, route, {}).status_code == 401
    assert send(served, route, {TOKEN: "Token tsk_wrong"}).status_code == 401
    assert send(served, route, reader).status_code == (200 if name in READS else 403)
    for shown in (stranger, elsewhere):
        answer = send(served, route, shown)
        assert "tea of ann" not in answer.text
        if shown is stranger and name not in OPEN_TO_ALL_KEYS:
            assert answer.status_code == 403, answer.text
    assert picture(served) == before
    assert send(served, route, owner).status_code == 200
    assert (picture(served) == before) == (name in READS)


def test_a_key_for_one_user_says_for_whom_it_is(served: Served) -> None:
    for binding, own in (({"user": "ann"}, "user_id='ann'"), ({"agent": "quill"}, "agent_id='q")):
        _, bound = served.key(rights="write", **binding)
        asked = {"messages": "tea", "user_id": "ben"}
        answer = served.client.post("/mem0/v3/memories/add/", headers=bound, json=asked)
        assert answer.status_code == 403 and own in answer.json()["detail"], answer.text


def test_what_would_change_the_prompts_is_refused_with_what_to_do(steady: Served) -> None:
    asked = {"messages": "tea", "user_id": "ann", "custom_instructions": "only tea"}
    answer = steady.client.post("/mem0/v3/memories/add/", json=asked)
    assert answer.status_code == 400 and "change-prompts" in answer.json()["detail"], answer.text


def test_the_workspace_of_a_key_is_its_own(served: Served) -> None:
    seed(served)
    _, elsewhere = served.key(workspace="other", rights="admin")
    asked = {"filters": {"user_id": "ann"}}
    answer = served.client.post("/mem0/v3/memories/", headers=elsewhere, json=asked)
    assert answer.json()["results"] == []
    forced = {**elsewhere, "X-Taishi-Workspace": "default"}
    assert served.client.post("/mem0/v3/memories/", headers=forced, json=asked).status_code == 403
    _, everywhere = served.key(workspace=None, rights="admin")
    chosen = {**everywhere, "X-Taishi-Workspace": "other"}
    assert served.client.get("/mem0/v1/ping/", headers=chosen).json()["project_id"] == "other"


def test_without_keys_any_key_of_a_client_is_taken(served: Served) -> None:
    answer = served.client.get("/v1/ping/", headers={TOKEN: "Token whatever"})
    assert answer.json()["status"] == "ok"


@pytest.mark.parametrize(("method", "path"), VERSIONED)
def test_only_the_scheme_of_mem0_leads_from_our_paths_to_its(
    served: Served, method: str, path: str
) -> None:
    """A path such as /v1/memories/x/ is one of ours, too: an id may end with a slash."""
    _, shown = served.key(rights="admin")
    path = path.replace("{memory_id}", "x").replace("{entity}/{name}", "user/ann")
    theirs = {TOKEN: shown[TOKEN].replace("Bearer", "Token")}
    answers = [
        served.client.request(method, path, headers=headers, json={} if method == "PUT" else None)
        for headers in (shown, theirs)
    ]
    kinds = [one.headers["content-type"].split(";")[0] for one in answers]
    assert kinds == ["application/problem+json", "application/json"]


def test_the_scheme_of_mem0_is_unknown_elsewhere(served: Served) -> None:
    _, shown = served.key(rights="admin", workspace=None)
    theirs = {TOKEN: shown[TOKEN].replace("Bearer", "token")}
    for path in ("/metrics", "/openai/v1/models"):
        assert served.client.get(path, headers=theirs).status_code == 401
    assert served.client.get("/v1/status", headers=theirs).status_code == 404
    assert served.client.get("/mem0/v1/ping/", headers=theirs).status_code == 200


def test_it_can_be_switched_off(serve: Callable[..., Served]) -> None:
    served = serve({"server.mem0_api": False})
    for headers in ({}, {TOKEN: "Token x"}):
        assert served.client.get("/mem0/v1/ping/", headers=headers).status_code == 404
        assert served.client.get("/v1/ping/", headers=headers).status_code == 404


def test_none_of_its_routes_is_in_our_description(served: Served) -> None:
    assert len(mem0_router().routes) > 0
    assert not [path for path in served.app.openapi()["paths"] if "mem0" in path]


DEEP: Any = 1
for _ in range(40):
    DEEP = {"OR": [DEEP]} if isinstance(DEEP, dict) else {"a": DEEP}
ANN = {"user_id": "ann"}
HOSTILE_FILTERS: list[Any] = [
    {},
    [ANN],
    {"user_id": ["ann"]},
    {**ANN, **DEEP},
    {**ANN, "AND": {"a": 1}},
    {**ANN, "x": {"gt": {}}},
    {**ANN, "x": {"in": "abc"}},
    {**ANN, "x": {"icontains": 3}},
    {**ANN, "x": {}},
    {**ANN, "": 1},
    {**ANN, 'a"b': 1},
    {**ANN, "created_at": ["soon"]},
    {**ANN, "kind": "unknown"},
    {**ANN, "id": {"in": [{}]}},
    {**ANN, "OR": [{"a": 1}] * 100},
]
HOSTILE: list[tuple[str, str, Any]] = [
    ("POST", "/v3/memories/add/", body)
    for body in (
        None,
        [],
        "text",
        {},
        {"messages": "x"},
        {"messages": None, **ANN},
        {"messages": 7, **ANN},
        {"messages": [[]], **ANN},
        {"messages": [{"role": [], "content": "x"}], **ANN},
        {"messages": [{"role": "user", "content": {"a": 1}}, 3], **ANN},
        {"messages": [{"content": 1.5}], **ANN},
        {"messages": "x", "user_id": {"$ne": None}},
        {"messages": "x", "user_id": "a\x00b"},
        {"messages": "x", "user_id": "a" * 300},
        {"messages": "x", **ANN, "metadata": "text"},
        {"messages": "x", **ANN, "infer": "no"},
        {"messages": "x", **ANN, "timestamp": 1e300, "infer": False},
        {"messages": "x", **ANN, "timestamp": "soon", "infer": False},
        {"messages": "x", **ANN, "expiration_date": "9999-12-31", "infer": False},
        {"messages": "x", **ANN, "expiration_date": "2030-13-45"},
        {"messages": "x", **ANN, "memory_type": "semantic"},
        {"messages": "x", **ANN, "custom_categories": [{"food": "what people eat"}]},
        {"messages": "x", **ANN, "filters": {"user_id": "ben"}},
        {"messages": ["x"] * 2000, **ANN},
    )
] + [
    ("POST", path, {**asked, "filters": filters})
    for path, asked in (("/v3/memories/", {}), ("/v3/memories/search/", {"query": "tea"}))
    for filters in HOSTILE_FILTERS
] + [
    ("POST", "/v3/memories/search/", {"query": "tea", "filters": ANN, **wrong})
    for wrong in ({"query": ""}, {"query": 3}, {"top_k": -1}, {"threshold": "high"}, {"unknown": 1})
] + [
    ("PUT", "/v1/memories/user:ann:note/", body)
    for body in ({}, {"text": ""}, {"text": 3}, {"metadata": []}, {"expiration_date": "x"})
] + [
    (method, "/v1/batch/", body)
    for method in ("PUT", "DELETE")
    for body in (
        {},
        {"memories": []},
        {"memories": [{}]},
        {"memories": [{"memory_id": None}]},
        {"memories": [{"memory_id": "user:ann:unknown", "text": "x"}]},
        {"memories": [{"memory_id": "user:ann:note", "text": "x"}] * 1001},
    )
] + [
    (method, f"/v1/memories/{id}/", None)
    for method in ("GET", "DELETE")
    for id in ("x", "user", "user:", "user::", "shared::x", "user:%00:x", "a" * 3000, "..", "%2e")
] + [
    ("DELETE", f"/v1/memories/?{query}", None)
    for query in ("", "user_id=", "filters=x", "filters=(((", "filters=%5B1%5D", "app_id=x",
                  "filters=%7B%22a%22%3A1%7D", "filters=" + "(" * 3000)
]  # fmt: skip


@pytest.mark.parametrize(("method", "path", "body"), HOSTILE)
def test_nonsense_is_refused_in_words_and_changes_nothing(
    steady: Served, method: str, path: str, body: Any
) -> None:
    seed(steady)
    before = picture(steady)
    answer = steady.client.request(method, f"/mem0{path}", json=body)
    assert 400 <= answer.status_code < 500, answer.text
    assert answer.headers["content-type"].startswith("application/json")
    assert answer.json()["detail"]
    assert picture(steady) == before


@pytest.mark.parametrize(
    ("raw", "kind"),
    [(b"{", "application/json"), (b"{}", "text/plain"), (b"\xff", "application/json")],
)
def test_a_body_that_is_not_json_is_refused(steady: Served, raw: bytes, kind: str) -> None:
    path, headers = "/mem0/v3/memories/add/", {"Content-Type": kind}
    assert steady.client.post(path, content=raw, headers=headers).status_code in (400, 415)


NAMES = st.sampled_from(
    ["user_id", "AND", "OR", "NOT", "metadata", "id", "created_at", "x", "in", "gt", "icontains"]
)
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.one_of(NAMES, st.text()), inner, max_size=3)
    ),
    max_leaves=12,
)


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(JSON, JSON)
def test_whatever_comes_no_answer_is_a_mistake_of_ours(
    steady: Served, one: Any, other: Any
) -> None:
    """An exception in a route would fail this test by itself."""
    bodies = [
        ("/mem0/v3/memories/", {"filters": {"x": one, **ANN, "AND": other}}),
        ("/mem0/v3/memories/", one),
        ("/mem0/search", {"query": "tea", "filters": {**ANN, "OR": [{"x": one}, other]}}),
        ("/mem0/memories", {"messages": one, "metadata": {"x": other}, "infer": False, **ANN}),
    ]
    for path, body in bodies:
        try:
            raw = json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
        except ValueError:  # half a character, or a number that is none
            continue
        answer = steady.client.post(path, content=raw, headers={"Content-Type": "application/json"})
        assert answer.status_code < 500, answer.text


def test_a_model_s_key_changes_its_own_memories_alone(served: Served) -> None:
    """A key without a person's right is a model's: see docs/explanation/security.md."""
    _, model = served.key(rights="write", as_person=False)
    served.memory.remember(Scope(user="ann"), "tea", kind="note", id="hers", actor="person")
    made = served.client.post(
        "/mem0/memories", headers=model, json={**BODIES["add"], "metadata": {"category": "food"}}
    ).json()["results"][0]
    changed = served.client.put(f"/mem0/memories/{made['id']}", headers=model, json={"text": "b"})
    assert changed.json()["metadata"] == {"category": "food"}
    chinese = {**model, "Accept-Language": "zh"}
    for headers, words in ((model, "not written by a model"), (chinese, "不是由模型写入")):
        refused = served.client.put(
            "/mem0/memories/user:ann:hers", headers=headers, json={"text": "b"}
        )
        assert refused.status_code == 403 and words in refused.json()["detail"], refused.text
        assert "leave the id out" not in refused.text


def test_the_open_source_server_s_routes(served: Served) -> None:
    _, shown = served.key(rights="admin")
    headers = {"X-API-Key": shown[TOKEN].removeprefix("Bearer ")}

    def ask(method: str, path: str, **options: Any) -> Any:
        answer = served.client.request(method, f"/mem0{path}", headers=headers, **options)
        assert answer.status_code == 200, answer.text
        return answer.json()

    said = {
        "messages": [{"role": "user", "content": "绿茶很好喝"}],
        "user_id": "ann",
        "infer": False,
    }
    id = ask("POST", "/memories", json=said)["results"][0]["id"]
    assert ask("GET", "/memories", params={"user_id": "ann"})["results"][0]["id"] == id
    found = ask("POST", "/search", json={"query": "绿茶", "user_id": "ann"})
    assert found["results"][0]["memory"] == "绿茶很好喝"
    ask("PUT", f"/memories/{id}", json={"text": "红茶很好喝"})
    assert ask("GET", f"/memories/{id}")["memory"] == "红茶很好喝"
    assert len(ask("GET", f"/memories/{id}/history")) == 2
    ask("DELETE", f"/memories/{id}")
    assert ask("GET", "/memories", params={"user_id": "ann"})["results"] == []
    ask("DELETE", "/memories", params={"user_id": "ann"})


@pytest.mark.parametrize("as_person", [True, False])
def test_the_old_id_of_a_fact_leads_to_its_correction(served: Served, as_person: bool) -> None:
    served.memory.start_worker()
    _, headers = served.key(rights="write", user="ann", as_person=as_person)
    said = {"messages": "I live in Bonn.", "user_id": "ann"}
    added = served.client.post("/mem0/memories", json=said, headers=headers).json()["results"]
    old = next(one["id"] for one in added if one["kind"] == "fact")
    if not as_person:  # what a person said is not the model's to change
        kept = served.memory.remember(Scope(user="ann"), "ann lives in Bonn", actor="model")
        old = f"user:ann:{kept}"
    at = f"/mem0/memories/{old}"
    answer = served.client.put(at, json={"text": "ann lives in Köln"}, headers=headers)
    assert answer.status_code == 200, answer.text
    assert served.client.get(at, headers=headers).json()["memory"] == "ann lives in Köln"
    rows = served.client.get(f"{at}/history", headers=headers).json()
    assert [row["event"] for row in rows] == ["ADD", "UPDATE"]
    both = {"memories": [{"memory_id": one} for one in (old, answer.json()["id"])]}
    gone = served.client.request("DELETE", "/mem0/v1/batch/", json=both, headers=headers)
    assert gone.status_code == 200, gone.text
    assert served.client.get(at, headers=headers).status_code == 404
    assert "Köln" not in str(served.memory.facts.list(Scope(user="ann")))


def test_what_was_added_can_be_searched_by_meaning_at_once(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    embed = HashEmbedder.embed

    def late(self: HashEmbedder, texts: Any, kind: Any) -> Any:
        time.sleep(0.3 if kind == "document" else 0)
        return embed(self, texts, kind)

    monkeypatch.setattr(HashEmbedder, "embed", late)
    served.memory.start_worker()
    said = {"messages": "I love rowing.", "user_id": "ann"}
    assert served.client.post("/mem0/memories", json=said).json()["results"]
    assert served.memory.status()["records"]["unembedded"] == 0


def test_replaced_facts_are_neither_listed_nor_found(served: Served) -> None:
    scope, headers = Scope(user="ann"), served.key(rights="read", user="ann")[1]
    old = served.memory.remember(scope, "ann lives in Bonn", actor="model")
    served.memory.facts.correct(scope, old, "ann lives in Köln", actor="model")
    asked = {"query": "where did ann live in 2024?", "user_id": "ann"}
    listed = served.client.get("/mem0/memories", params={"user_id": "ann"}, headers=headers)
    found = served.client.post("/mem0/search", json=asked, headers=headers)
    for answer in (listed, found):
        assert answer.status_code == 200, answer.text
        assert [one["memory"] for one in answer.json()["results"]] == ["ann lives in Köln"]
