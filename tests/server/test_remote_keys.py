"""A client's key decides what it reaches, as with any client of the REST API."""

from __future__ import annotations

import inspect
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

import httpx
import pytest

from support.hash_embedder import HashEmbedder
from support.running_app import RunningApp
from taishi import InputError, Memory, Scope
from taishi.api_keys import Keys
from taishi.assembly.service_list import Services
from taishi.errors import (
    ForbiddenError,
    RefusedError,
    ScopeError,
    UnknownKeyError,
    UnsupportedError,
)
from taishi.ports import Vector
from taishi.remote.services import RemoteServices
from taishi.server.app import create_app

ANN, BOB = Scope(user="ann"), Scope(user="bob")
# What the REST API does not have.
MISSING = """profiles.faults sessions.messages sessions.summary jobs.idle_seconds
    jobs.longest_silence knowledge.sync
    knowledge.original_link deletions.refusals deletions.register_cache deletions.traces
    deletions.prove transfer.backup transfer.copy_to transfer.migrate_end_summaries
    transfer.import_chats
    maintenance.activity maintenance.rescan maintenance.verify_vectors maintenance.rebuild_vectors
    maintenance.check_files configuration.apply configuration.watch""".split()


@dataclass
class Site:
    engine: Memory
    keys: Keys
    url: str

    def open(self, **binding: Any) -> Memory:
        _, secret = self.keys.create("test", **binding)
        return Memory.open(self.url, self.engine.settings, api_key=secret)


@pytest.fixture
def site(open_memory: Callable[..., Memory]) -> Iterator[Site]:
    engine = open_memory({"query.recall_timeout": 5.0})
    keys = Keys(engine.status()["folder"])
    with RunningApp(create_app(engine, keys=keys), engine.settings.server) as server:
        yield Site(engine, keys, server.url)


def test_a_key_that_is_not_known(site: Site) -> None:
    site.keys.create("owner", rights="admin")
    for wrong, what in ((None, "TAISHI_API_KEY"), ("", "api_key="), ("tsk_wrong", "keys list")):
        with pytest.raises(UnknownKeyError, match=what) as refused:
            Memory.open(site.url, site.engine.settings, api_key=wrong)
        assert str(refused.value).startswith(site.url)


def test_a_key_for_one_user_reaches_no_other(site: Site) -> None:
    with site.open(user="ann", rights="write") as memory:
        memory.remember(ANN, "Ann moved to Oslo")
        assert memory.recall(ANN, "Oslo", deadline=20).hits
        assert memory.warm_up(seconds=20)
        for forbidden in (memory.remember, memory.recall):
            with pytest.raises(ForbiddenError):
                forbidden(BOB, "x")
        assert "queue" not in memory.status()
        with pytest.raises(ForbiddenError, match="wait"):
            memory.drain(1)
    with site.open(user="ann", rights="read") as reader, pytest.raises(ForbiddenError):
        reader.remember(ANN, "x")


def test_a_key_for_a_workspace_fills_it_in(site: Site) -> None:
    with site.open(workspace="acme", rights="write") as memory:
        memory.remember(ANN, "Ann moved to Oslo")
        (hit,) = memory.recall(ANN, "Oslo", deadline=20).hits
        assert hit.metadata["place"] == "acme/private:ann"
        (record,) = memory.records.list(ANN).records
        assert record.place.workspace == "acme"
        assert [info.partition.workspace for info in memory.partitions()] == ["acme"]
    assert site.engine.records.list(ANN).records == ()
    assert len(site.engine.records.list(Scope(user="ann", workspace="acme")).records) == 1


def test_what_a_model_says_stays_a_models_whatever_the_key(site: Site) -> None:
    with site.open(rights="admin") as memory:
        fact = memory.remember(ANN, "Ann is a pilot")
        memory.facts.reject(ANN, str(fact))
        with pytest.raises(RefusedError) as refused:
            memory.remember(ANN, "Ann is a pilot", actor="model")
        assert refused.value.reason == "rejected"
        with pytest.raises(RefusedError):
            memory.facts.approve(ANN, str(fact), actor="model")
        memory.facts.approve(ANN, str(fact))
    (row, *_) = site.engine.deletions.refusals()
    assert (row.actor, row.door) == ("model", "rest")


def test_a_client_may_ask_for_less_trust_and_for_nothing_else(site: Site) -> None:
    answer = httpx.get(f"{site.url}/v1/whoami", headers={"X-Taishi-Actor": "person"})
    assert (answer.status_code, "model" in answer.json()["detail"]) == (400, True)


def test_errors_are_in_the_language_of_the_settings(
    site: Site, make_settings: Callable[..., Any]
) -> None:
    settings = make_settings({"memory.language": "zh"})
    with Memory.open(site.url, settings) as memory, pytest.raises(InputError, match="应不小于"):
        memory.recall(ANN, "x", top_k=0)


# -- the verbs ----------------------------------------------------------------------------------


def verbs(value: object) -> dict[str, Any]:
    members = inspect.getmembers(value, callable)
    return {name: member for name, member in members if name[0] != "_"}


def shape(verb: Any) -> list[tuple[str, Any, Any]]:
    return [(p.name, p.kind, p.default) for p in inspect.signature(verb).parameters.values()]


def test_the_nouns_have_the_same_verbs_with_the_same_arguments(site: Site) -> None:
    compared = 0
    with Memory.open(site.url, site.engine.settings) as remote:
        nouns = [name for name in vars(remote) if name[0] != "_"]
        assert nouns == [name for name in vars(site.engine) if name[0] != "_"]
        for noun in nouns:
            local, other = verbs(getattr(site.engine, noun)), verbs(getattr(remote, noun))
            assert local.keys() - other.keys() == set(), noun
            for name in local:
                if f"{noun}.{name}" in MISSING:
                    with pytest.raises(UnsupportedError, match=f"{noun}.{name}"):
                        other[name]()
                else:
                    assert shape(local[name]) == shape(other[name]), f"{noun}.{name}"
                    compared += 1
        with pytest.raises(UnsupportedError, match="metrics"):
            remote.metrics()
    assert compared > 40


def test_the_services_behind_the_verbs_take_the_same_arguments(site: Site) -> None:
    """`Memory` passes most arguments by position, so that names alone do not tell."""
    inside = {"retriever", "worker", "upkeep", "background", "threads", "pages"}
    names = {field.name for field in fields(RemoteServices)}
    assert {field.name for field in fields(Services)} - names == inside
    with Memory.open(site.url, site.engine.settings) as remote:
        called = {
            "recall": "recall search_events search_profiles get_profile get warm_up",
            "context": "brief",
            "turns": "end_turn consider observe set_link",
            "remember": "remember_many",
            "forgetting": "forget",
            "working": "check append messages history latest get end clear is_on",
            "lifecycle": "start_worker stop_worker drain close",
            "status": "partitions",
            "runtime": "is_on",
        }
        for service, methods in called.items():
            own = getattr(site.engine._services, service)
            other = getattr(remote._services, service)
            for method in methods.split():
                assert shape(getattr(own, method)) == shape(getattr(other, method)), method


class SlowEmbedder(HashEmbedder):
    def embed(self, texts: Sequence[str], kind: Literal["query", "document"]) -> Vector:
        if kind == "document":
            time.sleep(1.0)
        return super().embed(texts, kind)


def test_warm_up_waits_on_the_server_for_what_was_just_stored(
    open_memory: Callable[..., Memory],
) -> None:
    engine = open_memory({"query.recall_timeout": 5.0}, SlowEmbedder)
    keys = Keys(engine.status()["folder"])
    with RunningApp(create_app(engine, keys=keys), engine.settings.server) as server:
        _, secret = keys.create("bot", rights="write")
        with Memory.open(server.url, engine.settings, api_key=secret) as remote:
            for text in ("Ann has two grandsons", "Ann rows", "Ann likes tea"):
                remote.remember(ANN, text)
            assert remote.warm_up(ANN, 0.1) is False, "it does not say so before"
            assert remote.warm_up(ANN)
            assert not engine.status()["records"]["unembedded"]


def test_what_a_key_of_a_bot_stores_keeps_its_labels_or_is_refused_by_name(site: Site) -> None:
    with site.open(rights="write") as bot:
        labels = {"tags": ["bike"], "n": 3, "type": "x", "related": ["y"], "colour": "red"}
        id = bot.remember(ANN, "Oda's bike lock is 4-digit", metadata=labels)
        kept = bot.records.get(ANN, id or "")
        assert kept is not None and kept.data == {**labels, "recorded_by": "model"}
        found = bot.recall(ANN, "bike lock", filters={"tags": "bike"}, deadline=5)
        assert [hit.id for hit in found.hits] == [id]
        assert [one.id for one in bot.records.newest(ANN, tag="bike").records] == [id]
        for name in ("category", "subject", "sources", "recorded_by", "shared"):
            with pytest.raises(RefusedError, match=name) as refused:
                bot.remember(ANN, "Ann rows a canoe", metadata={name: "x"})
            assert refused.value.reason == "claim"
        note = {"category": "instruction", "subject": "canoe"}
        id = bot.remember(ANN, "Ann rows a canoe", kind="note", metadata=note)
        assert bot.records.get(ANN, id or "").data == {**note, "recorded_by": "model"}  # type: ignore[union-attr]
        assert "canoe" in bot.context(ANN, "canoe", deadline=5), "no label hides a note"


def test_forgetting_says_how_many_keys_went(site: Site) -> None:
    _, secret = site.keys.create("anns", user="ann", workspace="default", rights="write")
    site.engine.remember(ANN, "Ann rows")
    with site.open(rights="write") as bot:
        answer = httpx.post(
            f"{site.url}/v1/forget",
            json={"scope": {"user": "ann"}},
            headers={"Authorization": f"Bearer {site.keys.create('b', rights='write')[1]}"},
        ).json()
        assert (answer["removed"], answer["keys"]) == (2, 1)
        assert bot.records.newest(ANN).records == ()
    with pytest.raises(UnknownKeyError):
        Memory.open(site.url, site.engine.settings, api_key=secret)


@pytest.mark.parametrize(
    ("binding", "tried", "own"),
    [
        ({"user": "ann"}, BOB, "user='ann'"),
        ({"user": "ann"}, Scope(user="ann", group="club"), "user='ann'"),
        ({"user": "ann"}, Scope(agent="a1"), "user='ann'"),
        ({"agent": "a1"}, BOB, "agent='a1'"),
        ({"agent": "a1"}, Scope(agent="a2"), "agent='a1'"),
        ({"group": "club", "user": "ann"}, Scope(group="club", user="bob"), "group='club'"),
    ],
)
def test_S3_a_bound_key_names_the_scope_to_use_and_guesses_none(
    site: Site, binding: dict[str, Any], tried: Scope, own: str
) -> None:
    field, _, value = own.partition("=")
    in_json = f'"{field}": {value}'.replace("'", '"')
    with site.open(**binding) as memory:
        if tried != Scope(agent="a1"):
            with pytest.raises(ForbiddenError, match=re.escape(in_json)):
                memory.recall(tried, "x", deadline=5)
        nowhere: Any = None
        for verb in (memory.recall, memory.context, memory.remember, memory.end_turn):
            with pytest.raises(ScopeError, match=re.escape(own)):
                verb(nowhere, "x")
        for read in (memory.records.newest, memory.facts.list, memory.session, memory.forget):
            with pytest.raises(ScopeError, match=re.escape(own)):
                read(nowhere)
        assert memory.recall(Scope(**binding), "x", deadline=5).hits == ()


def test_a_key_of_a_workspace_names_it(site: Site) -> None:
    with site.open(workspace="acme") as memory:
        with pytest.raises(ForbiddenError, match="workspace='acme'"):
            memory.records.newest(Scope(user="ann", workspace="other"))
        assert memory.records.newest(Scope(user="ann")).records == ()
