"""What of a page is shown where, and that it is found there (P4, S2, S4)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.hash_embedder import HashEmbedder
from taishi import Memory, Scope, load
from taishi.domain.fact_lifecycle import new_fact
from taishi.ingest.job_builder import Turn
from taishi.ingest.profile_updates import PageWork
from taishi.types import Edit

GROUP, OTHER = Scope(group="g1", user="ann"), Scope(group="g2", user="bob")
ANN, BOB = Scope(user="ann"), Scope(user="bob")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    overrides = {"query.recall_timeout": 10.0, "query.min_similarity": 0.0}
    with Memory.open(
        tmp_path, load(environ={}, overrides=overrides), embedder=HashEmbedder()
    ) as opened:
        yield opened


def say(memory: Memory, scope: Scope, text: str, name: str, **details: str) -> None:
    who = {"sender_id": scope.user, "sender_name": name}
    messages = [{"text": text, "speaker": name, "speaker_id": scope.user}]
    memory.end_turn(scope, new_info=text, messages=messages, **who, **details)
    memory.drain()


def seen(memory: Memory, scope: Scope, query: str, **more: object) -> str:
    """All that is told in a scope."""
    parts = [memory.context(scope, query)]
    parts += [hit.text for hit in memory.recall(scope, query, top_k=50).hits]
    parts += [hit.text for hit in memory.search_profiles(scope, query, **more).hits]
    parts += [str(hit.metadata) for hit in memory.search_profiles(scope, query).hits]
    for kind, id in (("user", "ann"), ("user", "bob"), ("group", "g1")):
        page = memory.get_profile(scope, kind, id)
        parts += [page.body, page.name, *page.tags] if page else []
    parts += [str(record) for record in memory.records.list(scope).records]
    return "\n".join(parts)


def test_P4_a_group_finds_each_members_page_by_what_was_said_there(memory: Memory) -> None:
    say(memory, GROUP, "I like hiking", "Ann")
    say(memory, Scope(group="g1", user="bob"), "I like chess", "Bob")
    say(memory, ANN, "I like olives", "Ann")
    found = memory.search_profiles(Scope(group="g1", user="eve"), "who likes hiking?")
    first = found.hits[0]
    assert (first.id, first.metadata["name"]) == ("user:ann", "Ann")
    assert first.text.splitlines()[-1] == "- Ann likes hiking"
    assert {hit.id for hit in found.hits} == {"user:ann", "user:bob"}
    only = memory.search_profiles(GROUP, "likes", entity_type="user", entity_id="bob", top_k=1)
    assert [hit.id for hit in only.hits] == ["user:bob"]
    assert "olives" not in seen(memory, GROUP, "olives hiking chess likes")
    assert not memory.search_profiles(OTHER, "hiking").hits


def test_S2_what_was_learned_in_a_group_is_not_shown_in_private_unless_linked(
    memory: Memory,
) -> None:
    say(memory, GROUP, "I like hiking", "Ann")
    say(memory, ANN, "I like olives", "Ann")
    query = "what does Ann like, hiking or olives?"
    assert "hiking" not in seen(memory, ANN, query.replace("hiking", "walks"))
    assert "olives" not in seen(memory, GROUP, query.replace("olives", "fruit"))
    memory.set_link(ANN, True)
    for scope in (ANN, GROUP):
        told = seen(memory, scope, query)
        assert "Ann likes hiking" in told and "Ann likes olives" in told
    block = memory.context(ANN, query)
    assert block.count("hiking") == block.count("olives") == 1, "each once"
    memory.set_link(ANN, False)
    assert "hiking" not in seen(memory, ANN, "what does Ann like?")


def test_S4_said_in_both_it_is_shown_in_both(memory: Memory) -> None:
    for scope in (GROUP, ANN):
        say(memory, scope, "I like hiking", "Ann")
    assert memory.profiles.source(ANN).body.count("hiking") == 1  # type: ignore[union-attr]
    for scope in (GROUP, ANN):
        page = memory.get_profile(scope, "user", "ann")
        assert page and page.body == "- Ann likes hiking"


def test_S4_a_correction_in_a_group_leaves_the_private_line(memory: Memory) -> None:
    for scope in (GROUP, ANN):
        say(memory, scope, "I like hiking", "Ann")
    (fact,) = memory.facts.list(GROUP)
    memory.facts.correct(GROUP, fact.id, "Ann likes sailing")
    here, private = memory.get_profile(GROUP, "user", "ann"), memory.get_profile(ANN, "user", "ann")
    assert here and private
    assert (here.body, private.body) == ("- Ann likes sailing", "- Ann likes hiking")
    assert "hiking" not in "".join(
        h.text for h in memory.recall(GROUP, "hiking", kinds=["fact"]).hits
    )


def test_P1_names_and_tags_are_filled(memory: Memory) -> None:
    say(memory, ANN, "I live in Oslo", "Ann")
    say(memory, GROUP, "I like hiking", "Ann", group_name="Walkers")
    page = memory.get_profile(ANN, "user", "ann")
    assert page
    assert page.name == "Ann"
    assert "residence" in page.tags
    memory.profiles.set(ANN, page.body, "Anna", page.tags)
    say(memory, ANN, "I like olives", "Ann")
    assert memory.get_profile(ANN, "user", "ann").name == "Anna", "a person's name for it stays"  # type: ignore[union-attr]


def test_P1_a_group_page_has_the_groups_name(memory: Memory) -> None:
    fact = new_fact("Walkers meet on Fridays", GROUP.home, "r:1", 1.0, "ann", subject="Walkers")
    turn = Turn(
        GROUP,
        new_info="x",
        sender_id="ann",
        sender_name="Ann",
        group_name="Walkers",
        request_id="r",
    )
    job = memory._services.turns._job(turn)
    assert job
    memory._services.runtime.parts.store.apply([Edit("put", fact)])
    assert memory._services.worker._pages.update([PageWork(job, (fact,), (), lambda: None)]) == {}
    page = memory.get_profile(GROUP, "group", "g1")
    assert page
    assert (page.name, page.body) == ("Walkers", "- Walkers meet on Fridays")
