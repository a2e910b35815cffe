"""Keys x scopes x every route (S3): a key never reaches outside what it is bound to.

The routes come from the app's own description. A route without a plan here fails the test, so
that none can be added and forgotten.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import pytest
from fastapi.testclient import TestClient

from server.conftest import Served, route_names
from taishi import Memory, Scope
from taishi.api_keys import Key

# What a request is about; "workspace of any": a key narrower than it sees its own part.
Level = Literal["scope", "workspace", "workspace of any", "server", "self"]


@dataclass(frozen=True)
class Target:
    """A place, and the word that only its records hold."""

    name: str
    scope: Scope

    @property
    def mark(self) -> str:
        return f"mark{self.name}mark"

    @property
    def asked(self) -> dict[str, Any]:
        named = {name: getattr(self.scope, name) for name in ("user", "group", "agent")}
        asked = {name: id for name, id in named.items() if id} | {"workspace": self.scope.workspace}
        return asked | ({"shared": True} if self.scope.shared else {})

    @property
    def page(self) -> tuple[str, str] | None:
        kinds = {"private": "user", "group": "group"}
        home = self.scope.home
        return (kinds[home.kind], home.id) if home.kind in kinds else None


TARGETS = [
    Target("au1", Scope(user="u1", workspace="a")),
    Target("au2", Scope(user="u2", workspace="a")),
    Target("ag1", Scope(group="g1", workspace="a")),
    Target("ag2", Scope(group="g2", workspace="a")),
    Target("aa1", Scope(agent="a1", workspace="a")),
    Target("aa2", Scope(agent="a2", workspace="a")),
    Target("ashared", Scope(shared=True, workspace="a")),
    Target("bu1", Scope(user="u1", workspace="b")),
    Target("bshared", Scope(shared=True, workspace="b")),
]
BINDINGS: dict[str, dict[str, Any]] = {
    "read": {"workspace": "a", "rights": "read"},
    "write": {"workspace": "a", "rights": "write"},
    "admin": {"workspace": "a", "rights": "admin"},
    "user": {"workspace": "a", "rights": "admin", "user": "u1"},
    "user read": {"workspace": "a", "rights": "read", "user": "u1"},
    "group": {"workspace": "a", "rights": "admin", "group": "g1"},
    "agent": {"workspace": "a", "rights": "admin", "agent": "a1"},
    "member": {"workspace": "a", "rights": "admin", "group": "g1", "user": "u1"},
    "owner": {"workspace": None, "rights": "admin"},
}


@dataclass(frozen=True)
class Plan:
    """What a route needs, and how it is asked about a target."""

    right: str
    level: Level = "scope"
    body: dict[str, Any] | None = None
    query: dict[str, Any] | None = None
    about: str = "fact"  # what {id} stands for
    lines: bool = False  # takes an export
    raw: bytes | None = None  # takes bytes


READ, WRITE = Plan("read", query={}), Plan("write", body={})
PLANS: dict[str, Plan] = {
    "POST /v1/turns": Plan("write", body={"new_info": "planted"}),
    "POST /v1/turns/consider": Plan("write", body={"messages": [{"text": "planted"}]}),
    "GET /v1/turns/known": Plan("read", query={"request_id": "r"}),
    "POST /v1/observations": Plan("write", body={"tool": "planted"}),
    "POST /v1/sessions/end": Plan("write", body={}),
    "GET /v1/sessions": READ,
    "DELETE /v1/sessions": Plan("write", query={}),
    "POST /v1/sessions/append": Plan(
        "write", body={"messages": [{"role": "user", "content": "planted"}]}
    ),
    "POST /v1/sessions/pop": Plan("write", body={}),
    "POST /v1/sessions/window": Plan("read", body={"max_tokens": 4000}),
    "GET /v1/sessions/history": READ,
    "GET /v1/sessions/history/{id}": READ,
    "GET /v1/sessions/scratchpad": READ,
    "PATCH /v1/sessions/scratchpad": Plan("write", body={"current_goal": "planted"}),
    "DELETE /v1/sessions/scratchpad": Plan("write", query={}),
    "POST /v1/sessions/messages": Plan("write", body={"messages": [{"text": "hello"}]}),
    "POST /v1/recall": Plan("read", body={"query": "mark tea", "top_k": 100, "floor": 0.0}),
    "POST /v1/context": Plan("read", body={"query": "mark tea"}),
    "POST /v1/events/search": Plan("read", body={"query": "mark tea", "top_k": 100}),
    "POST /v1/profiles/search": Plan("read", body={"query": "mark tea", "top_k": 100}),
    "POST /v1/warm-up": Plan("read", body={"seconds": 5}),
    "POST /v1/memories": Plan("write", body={"text": "planted"}),
    "POST /v1/memories/bulk": Plan("write", body={"items": [{"text": "planted"}]}),
    "GET /v1/memories": Plan("read", query={"limit": 1000}),
    "GET /v1/memories/{id}": READ,
    "GET /v1/memories/{id}/history": READ,
    "GET /v1/memories/{id}/evidence": READ,
    "GET /v1/memories/{id}/related": READ,
    "GET /v1/activity": READ,
    "PATCH /v1/memories/{id}": Plan("write", body={"text": "planted"}, about="note"),
    "DELETE /v1/memories/{id}": Plan("write", query={}),
    "GET /v1/profiles/{entity_type}/{entity_id}": READ,
    "PUT /v1/profiles/{entity_type}/{entity_id}": Plan("write", body={"body": "planted"}),
    "PATCH /v1/profiles/{entity_type}/{entity_id}": Plan("write", body={"body": "planted"}),
    "GET /v1/profiles/{entity_type}/{entity_id}/source": READ,
    "GET /v1/profiles/{entity_type}/{entity_id}/revisions": READ,
    "GET /v1/profiles/{entity_type}/{entity_id}/revisions/{revision}/diff": READ,
    "POST /v1/profiles/{entity_type}/{entity_id}/revisions/{revision}/rollback": WRITE,
    "POST /v1/documents/search": Plan(
        "read", body={"query": "mark tea", "top_k": 100, "floor": 0.0}
    ),
    "POST /v1/documents": Plan("write", query={"name": "planted.txt"}, raw=b"planted"),
    "GET /v1/documents": READ,
    "GET /v1/documents/{id}": Plan("read", query={}, about="guide.txt"),
    "GET /v1/documents/{id}/chunks": Plan("read", query={}, about="guide.txt"),
    "GET /v1/documents/{id}/original": Plan("read", query={}, about="guide.txt"),
    "DELETE /v1/documents/{id}": Plan("write", query={}, about="guide.txt"),
    "GET /v1/notes": READ,
    "GET /v1/note-operations": Plan("read", query={"operation": "planted"}),
    "DELETE /v1/notes": Plan("write", query={}),
    "POST /v1/notes/search": Plan("read", body={"query": "mark tea"}),
    "POST /v1/notes/rename": Plan("write", body={"path": "MEMORY.md", "new_path": "planted.md"}),
    "GET /v1/notes/{path}": READ,
    "GET /v1/notes/{path}/history": READ,
    "PUT /v1/notes/{path}": Plan("write", body={"text": "planted"}),
    "DELETE /v1/notes/{path}": Plan("write", query={}),
    "GET /v1/facts": READ,
    "GET /v1/facts/conflicts": READ,
    "POST /v1/facts/conflicts/resolve": Plan("write", body={"keep": "other", "drop": "fact"}),
    "POST /v1/facts/{id}/approve": WRITE,
    "POST /v1/facts/{id}/reject": WRITE,
    "POST /v1/facts/{id}/correct": Plan("write", body={"text": "planted"}),
    "POST /v1/shared": Plan("write", body={"text": "proposed to all"}),
    "GET /v1/shared": READ,
    "GET /v1/shared/conflicts": READ,
    "POST /v1/shared/conflicts/resolve": Plan(
        "write", body={"keep": "shared", "drop": "rival", "both": True}, about="shared"
    ),
    "POST /v1/shared/{id}/approve": Plan("write", body={}, about="rival"),
    "POST /v1/shared/{id}/reject": Plan("write", body={}, about="shared"),
    "POST /v1/shared/{id}/supersede": Plan("write", body={"text": "planted"}, about="shared"),
    "GET /v1/shared/{id}/audit": Plan("read", query={}, about="shared"),
    "GET /v1/procedures": READ,
    "GET /v1/procedures/review": READ,
    "GET /v1/procedures/{id}": Plan("read", query={}, about="procedure"),
    "POST /v1/procedures/{id}/used": Plan("write", body={"worked": True}, about="procedure"),
    "POST /v1/procedures/{id}/feedback": Plan("write", body={"worked": True}, about="procedure"),
    "POST /v1/procedures/{id}/share": Plan("write", body={}, about="procedure"),
    "POST /v1/forget": WRITE,
    "PUT /v1/links": Plan("write", body={"on": True}),
    "GET /v1/export": Plan("admin", query={}),
    "POST /v1/import": Plan("admin", "workspace", lines=True),
    "POST /v1/backup": Plan("admin", "server"),
    "POST /v1/reembed": Plan("admin", "server"),
    "POST /v1/rebuild": Plan("admin", "server", query={"dry_run": True}),
    "GET /v1/settings": Plan("admin", "server"),
    "PUT /v1/settings": Plan("admin", "server", body={"changes": {"query.recall_top_k": 9}}),
    "GET /v1/jobs": Plan("admin", "workspace", query={}),
    "POST /v1/jobs/{name}/retry": Plan("admin", "workspace"),
    "GET /v1/ledger": Plan("admin", "server"),
    "GET /v1/check": Plan("admin", "server"),
    "GET /v1/deletions": Plan("admin", "server"),
    "POST /v1/deletions/forgotten": Plan("read", body={"ids": {"fact": None, "gone": None}}),
    "GET /v1/deletions/similar-users": READ,
    "GET /v1/browse": Plan("read", query={"limit": 1000}),
    "GET /v1/map": READ,
    "GET /v1/summary": READ,
    "GET /v1/changes": READ,
    "GET /v1/partitions": Plan("read", "workspace of any", query={}),
    "GET /v1/settings/form": Plan("admin", "server"),
    "GET /v1/keys": Plan("admin", "server"),
    "POST /v1/keys": Plan("admin", "server", body={"name": "planted", "rights": "admin"}),
    "POST /v1/keys/{name}/revoke": Plan("admin", "server"),
    "GET /v1/connections": Plan("admin", "server"),
    "DELETE /v1/connections/{name}": Plan("admin", "server"),
    "GET /v1/status": Plan("read", "self"),
    "GET /v1/whoami": Plan("read", "self"),
}
CHANGES = {
    name
    for name, plan in PLANS.items()
    if plan.right != "read" and plan.level == "scope" and name != "GET /v1/export"
}
# What a narrow key may propose lands, unapproved, in what the workspace shares; a coordinator
# decides about it, and no narrow key of a person is one.
PROPOSALS = {"POST /v1/shared", "POST /v1/procedures/{id}/share"}
DECISIONS = {
    name for name, plan in PLANS.items() if plan.right == "write" and "/v1/shared/" in name
}
FOR_THE_OWNER = {"POST /v1/backup", "POST /v1/reembed", "POST /v1/rebuild", "PUT /v1/settings",
                 "POST /v1/keys"}  # fmt: skip
# Numbers and ids, no words.
COUNTS = {"GET /v1/summary", "GET /v1/changes", "GET /v1/activity", "GET /v1/turns/known",
          "POST /v1/deletions/forgotten", "GET /v1/deletions/similar-users",
          "GET /v1/note-operations"}  # fmt: skip
WORKSPACE_A = Scope(shared=True, workspace="a")
HOLDER = {"read": 0, "write": 1, "admin": 2}


def seed(memory: Memory) -> None:
    """The same ids in every place: only the scope tells them apart."""
    for target in TARGETS:
        scope = target.scope
        ids = {"fact": "fact", "other": "fact", "note": "note", "procedure": "procedure",
               "event": "event"}  # fmt: skip
        memory.remember_many(scope, [
            {"text": f"tea {target.mark} {id}", "kind": kind, "id": id} for id, kind in ids.items()
        ])  # fmt: skip
        if target.page:
            memory.profiles.set(scope, f"- likes tea {target.mark}", name=target.mark)
            memory.profiles.set(scope, f"- likes tea {target.mark} a lot", name=target.mark)
        memory.knowledge.add(scope, f"tea {target.mark}", name="guide.txt")
        memory.notes.write(scope, "MEMORY.md", f"tea {target.mark}")
        memory.end_turn(scope, new_info=f"tea {target.mark}", request_id="r")
        if scope.shared:
            agent = Scope(agent="a9", workspace=scope.workspace)
            for text in ("shared", "rival"):
                said = f"tea {target.mark} {text}"
                memory.shared.propose(agent, said, "convention", topic="tea", confidence=0.5)
            memory.shared.approve(scope, entry(memory, target, "shared"))
        session = memory.session(replace(scope, session="s"))
        session.append({"role": "user", "content": f"tea {target.mark}", "id": "fact"})
        session.scratchpad.patch(current_goal=f"tea {target.mark}")
        named = memory.session(replace(scope, session=target.mark))
        named.append({"role": "user", "content": "tea"})
    land(memory)


def entry(memory: Memory, target: Target, which: str) -> str:
    """The id of one of the two entries of the target's workspace, which contradict each other."""
    commons = Scope(shared=True, workspace=target.scope.workspace)
    found = [one.id for one in memory.shared.list(commons) if one.text.endswith(which)]
    return found[0] if found else "gone"


def land(memory: Memory) -> None:
    """What was accepted is among the records."""
    while memory._services.background.store_turns():
        pass


def reaches(key: Key, target: Target) -> bool:
    """Written apart from the code it tests, from the rules as the documentation has them."""
    home = target.scope.home
    if key.workspace is not None and home.workspace != key.workspace:
        return False
    if key.group:
        return (home.kind, home.id) == ("group", key.group)
    if key.user:
        return (home.kind, home.id) == ("private", key.user)
    if key.agent:
        return (home.kind, home.id) == ("agent", key.agent)
    return True


def fills_in(key: Key, target: Target) -> bool:
    """Whether a request about that target becomes one about the key's own place, because it names
    only what does not contradict the key: a speaker in the key's group, an agent that helps."""
    scope = target.scope
    if key.workspace not in (None, scope.workspace) or scope.shared or reaches(key, target):
        return False
    if key.group:
        return scope.group is None and (scope.user is None or key.user in (None, scope.user))
    return bool(key.user and scope.home.kind == "agent")


def sees(key: Key, target: Target) -> bool:
    """What a key may find: what it reaches, and what the workspace shares."""
    commons = target.scope.shared and key.workspace in (None, target.scope.workspace)
    return reaches(key, target) or commons


def allowed(name: str, plan: Plan, key: Key, target: Target) -> bool:
    if HOLDER[key.rights] < HOLDER[plan.right]:
        return False
    if plan.level == "self":
        return True
    if plan.level == "workspace of any":
        return key.workspace in (None, target.scope.workspace)
    if plan.level == "workspace":
        return not key.is_narrow and key.workspace in (None, target.scope.workspace)
    if plan.level == "server":
        return not key.is_narrow and key.workspace is None
    if name in DECISIONS and (key.is_narrow or not key.as_person):
        return False
    if name == "POST /v1/forget" and target.scope.shared:
        return reaches(key, target) and key.rights == "admin"
    if name == "PUT /v1/links" and key.group:
        return False
    return reaches(key, target)


def send(client: TestClient, memory: Memory, name: str, target: Target, shown: Any) -> Any:
    """One request about a target; None where the route has nothing to do with such a one."""
    method, path = name.split()
    plan = PLANS[name]
    if "{entity_type}" in path:
        if target.page is None:
            return None
        path = path.replace("{entity_type}", target.page[0]).replace("{entity_id}", target.page[1])
        if "{revision}" in path:
            path = path.replace("{revision}", memory.profiles.revisions(target.scope)[0])
        asked = {"workspace": target.scope.workspace}
        extra: dict[str, Any] = {"json": plan.body | asked} if plan.body is not None else {
            "params": asked}  # fmt: skip
    elif plan.lines:
        params = {"workspace": target.scope.workspace, "replace": True}
        lines = "\n".join(memory.transfer.export(target.scope))
        headers = {**shown, "Content-Type": "application/x-ndjson"}
        return client.post(path, params=params, content=lines, headers=headers)
    elif plan.level == "scope":
        about = entry(memory, target, plan.about) if "/shared" in path else plan.about
        path = path.replace("{id}", about).replace("{path}", "MEMORY.md")
        body = dict(plan.body or {})
        if name == "POST /v1/shared/conflicts/resolve":
            body |= {which: entry(memory, target, body[which]) for which in ("keep", "drop")}
        session = {"session": "s"} if "sessions" in path else {}
        scope = target.asked | session
        extra = {"params": scope | plan.query} if plan.query is not None else {
            "json": body | {"scope": scope}}  # fmt: skip
        extra |= {"content": plan.raw} if plan.raw is not None else {}
    else:
        path = path.replace("{name}", "nothing")
        workspace = {"workspace": target.scope.workspace}
        extra = {"params": workspace} if plan.query is not None else {}
        extra |= {"json": plan.body} if plan.body is not None else {}
    return client.request(method, path, headers=shown, **extra)


def picture(memory: Memory) -> dict[str, Any]:
    """Everything that is kept, place by place."""
    kept: dict[str, Any] = {}
    for target in TARGETS:
        page = memory.records.list(target.scope, limit=1000)
        records = [(one.id, one.text, one.state, str(dict(one.data))) for one in page.records]
        body = memory.profiles.source(target.scope) if target.page else None
        session = memory.session(replace(target.scope, session="s"))
        said = (session.history(), session.scratchpad.get())
        kept[target.name] = (records, body, said, memory._services.runtime.parts.store.linked(
            target.scope.workspace, target.scope.user or ""))  # fmt: skip
    kept["jobs"] = sorted(json.dumps(job, default=str) for job in memory.jobs.list())
    return kept


def marks_in(text: str) -> set[str]:
    return {target.name for target in TARGETS if target.mark in text}


@pytest.fixture
def seeded(serve: Callable[..., Served]) -> Served:
    limits = {"server.rate_per_minute": 0, "server.failed_keys_per_minute": 0}
    served = serve({**limits, "profile.revision_keep": 50})
    seed(served.memory)
    return served


def every(served: Served) -> Iterator[tuple[str, Key, dict[str, str], Target]]:
    keys = {name: served.key(**binding) for name, binding in BINDINGS.items()}
    for name in PLANS:
        for key, shown in keys.values():
            for target in TARGETS:
                yield name, key, shown, target


def test_every_route_has_a_plan(served: Served) -> None:
    assert route_names(served.app) == set(PLANS), "give the new route a plan in this file"


def test_S3_what_a_key_may_not_do_is_refused_and_changes_nothing(seeded: Served) -> None:
    before = picture(seeded.memory)
    tried = 0
    for name, key, shown, target in every(seeded):
        about_scope = PLANS[name].level == "scope"
        if allowed(name, PLANS[name], key, target) or (about_scope and fills_in(key, target)):
            continue
        answer = send(seeded.client, seeded.memory, name, target, shown)
        if answer is None:
            continue
        tried += 1
        told = f"{name} with {key} about {target.name}: {answer.status_code} {answer.text[:300]}"
        if name.startswith("GET /v1/profiles") and answer.status_code == 404:
            assert key.is_narrow, told  # a view from its own scope, in which there is nothing
        elif "jobs/{name}" in name and key.rights == "admin" and not key.is_narrow:
            assert answer.status_code == 404, told  # there is none for them; see below
        else:
            assert answer.status_code == 403, told
        assert not marks_in(answer.text), told
    assert tried > 1000
    land(seeded.memory)
    assert picture(seeded.memory) == before


def test_S3_what_is_filled_in_stays_inside_the_key(seeded: Served) -> None:
    """A request that names only a speaker or a helper is about the key's own place."""
    before = picture(seeded.memory)
    own = {"jobs"}
    tried = 0
    for name, key, shown, target in every(seeded):
        if PLANS[name].level != "scope" or not fills_in(key, target):
            continue
        answer = send(seeded.client, seeded.memory, name, target, shown)
        if answer is None:
            continue
        tried += 1
        own |= {one.name for one in TARGETS if reaches(key, one)}
        told = f"{name} with {key} about {target.name}: {answer.status_code} {answer.text[:300]}"
        assert answer.status_code < 500, told
        assert marks_in(answer.text) <= {one.name for one in TARGETS if sees(key, one)}, told
    assert tried > 200
    land(seeded.memory)
    after = picture(seeded.memory)
    assert {name for name in before if before[name] != after[name]} <= own
    left = marks_in(str(after["jobs"]))
    assert left >= {one.name for one in TARGETS} - own


def test_S3_what_a_key_may_do_shows_nothing_of_other_places(seeded: Served) -> None:
    asked = 0
    for name, key, shown, target in every(seeded):
        if name in CHANGES | FOR_THE_OWNER or not allowed(name, PLANS[name], key, target):
            continue
        answer = send(seeded.client, seeded.memory, name, target, shown)
        if answer is None:
            continue
        asked += 1
        told = f"{name} with {key} about {target.name}: {answer.status_code} {answer.text[:300]}"
        assert answer.status_code in (200, 404), told
        if PLANS[name].level == "scope" and "conflicts" not in name and name not in COUNTS:
            nothing = ("events" in name and target.scope.shared) or "/audit" in name
            nothing = nothing or "/review" in name or "/warm-up" in name
            if name == "GET /v1/shared":
                assert marks_in(answer.text) == {f"{target.scope.workspace}shared"}, told
                continue
            assert target.name in marks_in(answer.text) or nothing or "diff" in name or (
                "profiles/search" in name or "revisions" in name), told  # fmt: skip
        seen = {t.name for t in TARGETS if sees(key, t)}
        assert marks_in(answer.text) <= seen, told
        if PLANS[name].level == "scope":
            here = {t.name for t in TARGETS if t.scope.workspace == target.scope.workspace
                    and (t == target or t.scope.shared)}  # fmt: skip
            assert marks_in(answer.text) <= here, told
    assert asked > 300


def test_S3_a_change_stays_where_it_was_asked_for(seeded: Served) -> None:
    """Each changing route, with the narrowest key for it: only that place is another afterwards."""
    last = {"DELETE /v1/memories/{id}": 1, "POST /v1/notes/rename": 1, "DELETE /v1/notes": 2,
            "POST /v1/forget": 2}  # fmt: skip
    keys = {binding: seeded.key(**BINDINGS[binding]) for binding in ("user", "group", "agent")}
    before = picture(seeded.memory)
    for name in sorted(CHANGES, key=lambda name: (last.get(name, 0), name)):
        for binding, (key, shown) in keys.items():
            (target,) = [one for one in TARGETS if reaches(key, one)]
            answer = send(seeded.client, seeded.memory, name, target, shown)
            if answer is None:
                continue
            if (name, binding) == ("PUT /v1/links", "agent"):
                assert answer.status_code == 400
            elif not allowed(name, PLANS[name], key, target):
                assert answer.status_code == 403
            else:
                assert answer.status_code in (200, 201, 202), (name, answer.text)
            land(seeded.memory)
            after = picture(seeded.memory)
            changed = {one for one in before if before[one] != after[one]}
            proposed = {"ashared"} if name in PROPOSALS or name == "POST /v1/forget" else set()
            assert changed <= {target.name, "jobs"} | proposed, (name, binding)
            if name in PROPOSALS:
                states = [one.state for one in seeded.memory.shared.list(WORKSPACE_A)]
                assert states.count("approved") == 1, "what is proposed is not yet recalled"
            gone = set(before["jobs"]) - set(after["jobs"])
            assert marks_in(str(gone)) <= {target.name}, (name, binding)
            before = after


def test_without_a_good_key_every_route_is_shut(seeded: Served) -> None:
    key, revoked = seeded.key(**BINDINGS["owner"])
    assert seeded.client.get("/v1/whoami", headers=revoked).status_code == 200
    seeded.keys.revoke(key.id)
    before = picture(seeded.memory)
    for headers in (
        {},
        revoked,
        {"Authorization": "Bearer tsk_x_y"},
        {"X-API-Key": "x"},
        {"Authorization": "Basic dTpw"},
    ):
        for name in PLANS:
            answer = send(seeded.client, seeded.memory, name, TARGETS[0], headers)
            assert answer.status_code == 401, (name, answer.text)
            assert answer.headers["WWW-Authenticate"] == "Bearer"
            assert not marks_in(answer.text)
    assert picture(seeded.memory) == before


STRETCHES: list[tuple[str, str, dict[str, Any]]] = [
    ("user", "/turns", {"new_info": "x", "sender_id": "u2"}),
    ("user", "/turns/consider", {"messages": [{"text": "x"}], "sender_id": "u2"}),
    ("user", "/memories", {"text": "x", "user": "u2"}),
    ("user", "/memories/bulk", {"items": [{"text": "x", "user": "u2"}]}),
    ("agent", "/turns", {"new_info": "x", "sender_id": "u1"}),
    ("agent", "/memories", {"text": "x", "user": "u1"}),
    ("member", "/turns", {"new_info": "x", "sender_id": "u2"}),
    ("group", "/recall", {"query": "tea", "scope": {"group": "g1", "workspace": "b"}}),
    ("write", "/recall", {"query": "tea", "scope": {"user": "u1", "workspace": "b"}}),
]


def test_the_body_cannot_stretch_a_key(seeded: Served) -> None:
    before = picture(seeded.memory)
    for binding, path, body in STRETCHES:
        _, shown = seeded.key(**BINDINGS[binding])
        answer = seeded.client.post(f"/v1{path}", json=body, headers=shown)
        assert answer.status_code == 403, (path, body, answer.text)
    assert picture(seeded.memory) == before


def test_what_the_bot_said_may_be_sent_along(seeded: Served) -> None:
    _, shown = seeded.key(**BINDINGS["user"])
    spoken = [{"text": "tea?", "speaker_id": "u1"}, {"text": "Yes.", "speaker_id": "bot"}]
    body = {"new_info": "tea", "messages": spoken}
    assert seeded.client.post("/v1/turns", json=body, headers=shown).status_code == 202


def test_jobs_of_other_workspaces_are_not_shown(seeded: Served) -> None:
    _, shown = seeded.key(**BINDINGS["admin"])
    jobs = seeded.client.get("/v1/jobs", headers=shown).json()["jobs"]
    assert jobs and {job["job"]["workspace"] for job in jobs} == {"a"}
    _, owner = seeded.key(**BINDINGS["owner"])
    every_job = seeded.client.get("/v1/jobs", headers=owner).json()["jobs"]
    assert {job["job"]["workspace"] for job in every_job} == {"a", "b"}


def test_a_failed_job_is_retried_only_from_its_own_workspace(serve: Callable[..., Served]) -> None:
    served = serve({"historian.job_max_retries": 0})
    served.memory.end_turn(Scope(user="u1", workspace="b"), new_info="tea")
    queue = served.memory._services.runtime.parts.queue
    lease = queue.claim()
    assert lease is not None and not queue.retry(lease, "given up")
    (job,) = served.memory.jobs.list()
    path = f"/v1/jobs/{job['name']}/retry"
    for binding, status in (("admin", 404), ("user", 403), ("owner", 200)):
        _, shown = served.key(**BINDINGS[binding])
        assert [one["state"] for one in served.memory.jobs.list()] == ["failed"]
        assert served.client.post(path, headers=shown).status_code == status
    assert [one["state"] for one in served.memory.jobs.list()] == ["pending"]


def test_a_bound_key_needs_no_scope(seeded: Served) -> None:
    for binding in ("user", "group", "agent"):
        key, shown = seeded.key(**BINDINGS[binding])
        places = {str(one.scope.home) for one in TARGETS if sees(key, one)}
        told = seeded.client.post("/v1/recall", json={"query": "tea"}, headers=shown).json()
        assert told["hits"]
        assert {hit["metadata"]["place"] for hit in told["hits"]} <= places
