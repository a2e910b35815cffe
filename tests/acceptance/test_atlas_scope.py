"""The portable acceptance tests of the ids `scope.*`: nothing crosses a scope, by any door (S1–S4).

Each asserts by absence and has a control: where it may be seen, the same probe finds it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from support.served_process import call, call_tools, served
from taishi import InputError, Memory, Scope
from taishi.api_keys import Keys

Probe = Callable[[Memory, Scope, str], str]
SAID = "the vault code word is"
PAIRS = [
    (Scope(user="ann", workspace="acme"), Scope(user="ann", workspace="zeta")),
    (Scope(user="ann"), Scope(user="bob")),
    (Scope(user="ann"), Scope(user="ANN")),
    (Scope(user="ann"), Scope(group="club", user="ann")),
    (Scope(group="club", user="ann"), Scope(user="ann")),
    (Scope(group="club", user="ann"), Scope(group="pub", user="ann")),
    (Scope(agent="ann"), Scope(user="ann")),
    (Scope(shared=True, workspace="acme"), Scope(user="ann", workspace="zeta")),
]


def probes(memory: Memory, scope: Scope, query: str, ids: list[str]) -> Iterator[tuple[str, str]]:
    """All that the engine says in a scope, by each of its ways."""
    yield "recall", str(memory.recall(scope, query, top_k=200, floor=0.0))
    yield "explain", str(memory.recall(scope, query, top_k=50, floor=0.0, explain=True))
    yield "recency", str(memory.recall(scope, "", top_k=200, floor=0.0))
    for form in ("text", "markdown", "xml"):
        yield f"block {form}", memory.context(scope, query, 4000, form)  # type: ignore[arg-type]
    yield "events", str(memory.search_events(scope, query, top_k=200))
    targets = {"target_user_id": "ann", "target_group_id": "club"}
    yield "events of a target", str(memory.search_events(scope, query, top_k=200, **targets))
    yield "pages", str(memory.search_profiles(scope, query, top_k=200))
    for entity in (("user", "ann"), ("group", "club")):
        yield f"page of {entity}", str(memory.get_profile(scope, *entity))
    yield "listing", str(memory.records.list(scope, limit=1000))
    yield "facts", str(memory.facts.list(scope))
    yield "export", "".join(map(_without_group_lines, memory.transfer.export(scope)))
    for id in ids:
        yield f"get {id}", str(memory.get(scope, id))
        yield f"record {id}", str(memory.records.get(scope, id))
        try:
            yield f"evidence {id}", str(memory.records.evidence(scope, id))
        except InputError:
            yield f"evidence {id}", ""


def _without_group_lines(line: str) -> str:
    """A person's page is one file, and its export is the file: a line that was learned in a group
    is in it, marked so that only the group is shown it (S4)."""
    kept = [part for part in line.split("\\n") if not re.search(r"<!-- group:\w+ -->", part)]
    return "\\n".join(kept) if '"profile"' in line else line


@pytest.mark.parametrize(("mine", "other"), PAIRS, ids=str)
def test_atlas_scope_cross_tenant_absent(memory: Memory, mine: Scope, other: Scope) -> None:
    token = "Zirkonaut4817"
    ids = [
        memory.remember(mine, f"{SAID} {token}", kind=kind, id=f"{kind}-1") or ""
        for kind in ("fact", "note", "procedure")
    ]
    ids.append(
        memory.end_turn(mine, new_info=f"My cat is called {token}.", sender_name="Ann") or ""
    )
    if mine.home.kind in ("private", "group"):
        memory.profiles.set(mine, f"- {SAID} {token}", name=token)
    memory.remember(other, f"{SAID} something else", id="own")
    memory.drain()
    query = f"{SAID} {token}"
    seen = {name for name, said in probes(memory, mine, query, ids) if token in said}
    assert {"recall", "recency", "block text", "listing", "export", f"record {ids[0]}"} <= seen
    # A question may be told back, never an answer.
    found = dict(probes(memory, other, query, ids))
    assert "something else" in found["recall"]
    leaks = [name for name, said in found.items() if token in said]
    assert not leaks


def test_atlas_scope_caller_cannot_widen(tmp_path: Path) -> None:
    """Keys of one scope, another's scope in every argument: over real HTTP, and by MCP."""
    folder = tmp_path / "data"
    folder.mkdir()
    keys = Keys(folder)
    secrets = {
        "ann": keys.create("ann", user="ann", rights="admin")[1],
        "bob": keys.create("bob", user="bob", rights="admin")[1],
        "acme": keys.create("acme", workspace="acme", rights="admin")[1],
    }
    tokens = {"ann": "Quorvex7719", "bob": "Vantablik3302"}
    with served(folder) as address:
        for name, token in tokens.items():
            body = {"text": f"{SAID} {token}", "scope": {"user": name}, "id": f"id-{name}"}
            assert call(address, secrets[name], "POST", "/v1/memories", json=body).is_success
            page = {"body": f"- {SAID} {token}"}
            answer = call(address, secrets[name], "PUT", f"/v1/profiles/user/{name}", json=page)
            assert answer.is_success, answer.text
        before = _export(address, secrets["bob"])
        assert tokens["bob"] in before, "the control: bob's own key finds it"
        asked = list(_widened(address, secrets["ann"]))
        for what, answer in asked:
            assert answer.status_code < 500, what
            assert tokens["bob"] not in answer.text, what
        assert sum(answer.status_code in (403, 404, 422) for _, answer in asked) > len(asked) // 2
        for what, answer in _widened(address, secrets["acme"]):
            assert not any(token in answer.text for token in tokens.values()), what
        _tools_stay_inside(address, secrets, tokens)
        assert _export(address, secrets["bob"]) == before, "nothing was written over there"


def _widened(address: str, secret: str) -> Iterator[tuple[str, httpx.Response]]:
    """Reads and writes that name somebody else, a wildcard, nobody, or everybody."""
    scopes = [{"user": "bob"}, {"user": "*"}, {"user": "%"}, {"user": ""}, {}, {"shared": True},
              {"user": "bob", "workspace": "default"}, {"workspace": "*", "user": "bob"},
              {"user": "ann,bob"}, {"user": ["bob"]}, {"user": "ann", "group": "bob"},
              {"agent": "bob"}, {"user": None}, {"user": "ann", "workspace": ""}]  # fmt: skip
    for scope in scopes:
        for path, body in (
            ("/v1/recall", {"query": SAID, "top_k": 100, "floor": 0.0}),
            ("/v1/context", {"query": SAID}),
            ("/v1/events/search", {"query": SAID, "target_user_id": "bob"}),
            ("/v1/profiles/search", {"query": SAID, "entity_id": "bob"}),
            ("/v1/turns", {"new_info": "planted"}),
            ("/v1/forget", {"id": "id-bob"}),
        ):
            given = {**body, "scope": scope}
            yield f"POST {path} {scope}", call(address, secret, "POST", path, json=given)
        plain = {key: value for key, value in scope.items() if isinstance(value, (str, bool))}
        for path in ("/v1/memories", "/v1/memories/id-bob", "/v1/memories/id-bob/evidence",
                     "/v1/memories/user:bob/evidence", "/v1/facts", "/v1/export"):  # fmt: skip
            yield f"GET {path} {plain}", call(address, secret, "GET", path, params=plain)
        answer = call(address, secret, "DELETE", "/v1/memories/id-bob", params=plain)
        yield f"DELETE {plain}", answer
    for path in ("/v1/profiles/user/bob", "/v1/profiles/user/bob/source", "/v1/deletions",
                 "/v1/ledger", "/v1/jobs"):  # fmt: skip
        yield f"GET {path}", call(address, secret, "GET", path)
    named = {"X-Taishi-User": "bob"}
    yield "header", call(address, secret, "GET", "/v1/memories", headers=named)


def _tools_stay_inside(address: str, secrets: dict[str, str], tokens: dict[str, str]) -> None:
    calls = [
        ("recall", {"query": SAID}),
        ("search_events", {"query": SAID, "target_user_id": "bob", "target_group_id": "*"}),
        ("get_profile", {"entity_type": "user", "entity_id": "bob"}),
        ("search_profiles", {"query": SAID, "entity_id": "bob"}),
        ("recall", {"query": SAID, "user": "bob", "scope": {"user": "bob"}, "workspace": "*"}),
        ("forget", {"id": "id-bob"}),
    ]
    said = call_tools(address, secrets["ann"], calls)
    assert tokens["ann"] in said[0]
    assert not any(tokens["bob"] in one for one in said), said
    assert tokens["bob"] in call_tools(address, secrets["bob"], calls[:1])[0]
    for header, value in (("X-Taishi-User", "bob"), ("X-Taishi-Workspace", "*")):
        with pytest.raises(BaseExceptionGroup):
            call_tools(address, secrets["ann"], calls, **{header: value})


def _export(address: str, secret: str) -> str:
    lines = call(address, secret, "GET", "/v1/export").text
    return re.sub(r'"exported_at":[^,]*,|"time":[0-9.]+,', "", lines.partition("\n")[2])


def test_atlas_scope_background_respects_boundary(
    open_memory: Callable[..., Memory], tmp_path: Path
) -> None:
    """Extraction, summaries, promotion, embedding, packs, rebuild: each stays in its own place."""
    memory = open_memory({"query.recall_timeout": 5.0, "short_term.promote_after_sessions": 2})
    scopes = {
        "Quorvex7719": Scope(user="ann", session="s1"),
        "Vantablik3302": Scope(user="bob", session="s1"),
        "Zirkonaut4817": Scope(group="club", user="cid", session="s1"),
        "Plimbor9954": Scope(user="ann", session="s1", workspace="acme"),
    }
    for token, scope in scopes.items():
        for number, text in enumerate(
            ("I live in Cork.", f"My dog is called {token}.", f"I am sad about {token} today.")
        ):
            message = {"text": text, "speaker": "Ann", "id": f"m{number}"}
            memory.end_turn(scope, "", text, [message], sender_name="Ann", group_name="Club",
                            request_id=f"r{number}")  # fmt: skip
    memory.drain()
    question = "the dog, Cork, sad: " + " ".join(scopes)
    for scope in scopes.values():
        memory.sessions.end(scope)
    for _ in range(2):  # what is asked twice comes from the caches
        for session in ("a", "b"):
            for scope in scopes.values():
                memory.recall(Scope(scope.user, scope.group, session=session,
                                    workspace=scope.workspace), question)  # fmt: skip
    memory.drain()
    memory.maintenance.rebuild()
    memory.drain()
    for token, scope in scopes.items():
        others = set(scopes) - {token}
        kept = memory.records.list(scope, limit=1000).records
        kinds = {one.kind for one in kept if token in one.text}
        assert {"event", "fact", "profile", "summary"} <= kinds, (token, kinds)
        said = {
            "records": str(kept),
            "export": "".join(memory.transfer.export(scope)),
            "block": memory.context(scope, question, 4000),
            "recall": str(memory.recall(scope, question, top_k=200, floor=0.0)),
            "page": str(memory.get_profile(scope, "user", scope.user or "")),
            "evidence": str([memory.records.evidence(scope, one.id) for one in kept]),
        }
        unseen = [name for name, text in said.items() if token not in text]
        assert not unseen, "the control: its own is there"
        leaks = [(name, one) for name, text in said.items() for one in others if one in text]
        assert not leaks
        for fact in memory.facts.list(scope):
            own = {one.id for one in kept}
            assert set(fact.data["sources"]) <= own, "evidence comes from the same place"
            assert fact.data["evidence_count"] == len(fact.data["sources"])
