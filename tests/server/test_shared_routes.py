"""Shared memory and procedures over REST: who may decide follows from the key (F5, F3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from server.conftest import Served
from taishi import Scope


def served_team(serve: Callable[..., Served]) -> Served:
    return serve({"shared.coordinators": "person, agent:lead", "server.rate_per_minute": 0})


def post(served: Served, path: str, shown: Any, **body: Any) -> Any:
    return served.client.post(f"/v1{path}", json=body, headers=shown)


def test_F5_an_agent_decides_only_with_a_key_that_is_bound_to_it(
    serve: Callable[..., Served],
) -> None:
    served = served_team(serve)
    _, program = served.key(workspace="default", rights="write")
    lead, own = served.key(workspace="default", rights="write", agent="lead")
    _, person = served.key(workspace="default", rights="write", as_person=True)
    _, ann = served.key(workspace="default", rights="write", user="ann", as_person=True)
    coder = {"agent": "coder"}
    made = post(served, "/shared", program, scope=coder, text="Lunch is at noon").json()["id"]
    path = f"/shared/{made}/approve"
    for shown, scope in ((program, {"agent": "lead"}), (program, coder), (ann, {"user": "ann"})):
        assert post(served, path, shown, scope=scope).status_code == 403
    assert served.client.get("/v1/shared", params={"user": "ann"}, headers=ann).json() == {
        "entries": []}  # fmt: skip
    listed = served.client.get("/v1/shared", headers=own).json()["entries"]
    assert [one["state"] for one in listed] == ["candidate"]
    assert post(served, path, own, reason="agreed").json() == {"state": "approved"}
    acts = served.client.get(f"/v1/shared/{made}/audit", headers=own).json()["audit"]
    assert [(act["did"], act["by"], act["door"]) for act in acts] == [
        ("proposed", "agent:coder", "rest"), ("approved", "agent:lead", "rest"),
    ]  # fmt: skip
    rival = post(served, "/shared", program, scope={"agent": "tester"}, confidence=0.1,
                 text="Lunch is not at noon").json()["id"]  # fmt: skip
    team = {"shared": True}
    assert post(served, f"/shared/{rival}/approve", person, scope=team).json() == {
        "state": "conflict"}  # fmt: skip
    (pair,) = served.client.get("/v1/shared/conflicts", params=team, headers=person).json()[
        "conflicts"]  # fmt: skip
    assert (pair["older"]["id"], pair["newer"]["id"]) == (made, rival)
    settled = {"scope": team, "keep": made, "drop": rival}
    assert post(served, "/shared/conflicts/resolve", person, **settled).status_code == 200
    hits = post(served, "/recall", ann, query="lunch").json()["hits"]
    assert [hit["text"] for hit in hits] == ["Lunch is at noon"]
    replaced = post(served, f"/shared/{made}/supersede", person, scope=team, text="Lunch at one")
    assert replaced.status_code == 201
    assert post(served, f"/shared/{replaced.json()['id']}/reject", own).status_code == 200
    assert post(served, "/recall", ann, query="lunch", floor=0).json()["hits"] == []
    assert post(served, "/shared/nothing/approve", own).status_code == 404
    assert lead.agent == "lead"


def test_S3_a_key_of_a_user_opens_no_agent_s_memory(serve: Callable[..., Served]) -> None:
    served = served_team(serve)
    served.memory.remember(Scope(agent="coder"), "tea: what the coder keeps")
    served.memory.remember(Scope(user="ann"), "tea: what Ann said")
    asked = {"query": "tea", "floor": 0.0, "scope": {"user": "ann", "agent": "coder"}}
    _, ann = served.key(workspace="default", rights="read", user="ann")
    _, both = served.key(workspace="default", rights="read", user="ann", agent="coder")
    seen = [len(post(served, "/recall", shown, **asked).json()["hits"]) for shown in (ann, both)]
    assert seen == [1, 2]


def test_F3_procedures_over_rest(serve: Callable[..., Served]) -> None:
    served = served_team(serve)
    id = served.memory.remember(Scope(agent="ops"), "Roll back: 1. stop", kind="procedure")
    _, ops = served.key(workspace="default", rights="write", agent="ops")
    assert served.client.get("/v1/procedures", headers=ops).json()["procedures"][0]["id"] == id
    for worked in (True, False, False):
        used = post(served, f"/procedures/{id}/used", ops, worked=worked)
    assert used.json()["metadata"]["usage_count"] == 3
    review = served.client.get("/v1/procedures/review", headers=ops).json()["procedures"]
    assert [one["id"] for one in review] == [id]
    shared = post(served, f"/procedures/{id}/share", ops).json()["id"]
    served.memory.shared.approve(Scope(agent="lead"), shared)
    _, ann = served.key(workspace="default", rights="write", user="ann")
    found = served.client.get(f"/v1/procedures/{shared}", headers=ann).json()
    assert (found["id"], found["metadata"]["usage_count"]) == (shared, 0)
    assert post(served, f"/procedures/{id}/used", ann).status_code == 404
