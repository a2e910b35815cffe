"""F5: whatever is proposed, approved, rejected, replaced and settled, in any order: recall gives
out what is approved at that moment, to everybody in the workspace, and nothing else."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.hash_embedder import HashEmbedder
from taishi import InputError, Memory, Scope

WORLDS = 30
MARK = re.compile(r"zz\d+zz")
QUERIES = ("teapots on the shelf", "how were teapots kept in May 2026?", "去年 teapots", "")
VERBS = ("propose", "propose", "propose", "approve", "approve", "reject", "supersede", "resolve",
         "both", "recall", "recall")  # fmt: skip
STEP = st.tuples(
    st.sampled_from(VERBS),
    st.integers(0, 6),
    st.integers(0, 20),
    st.integers(0, 20),
    st.sampled_from((None, 0.3, 0.6, 0.9)),
    st.sampled_from(("", "", "shelf", "lid")),
)
STEPS = st.lists(STEP, min_size=5, max_size=25)


def scopes(workspace: str) -> tuple[Scope, ...]:
    named: tuple[dict[str, Any], ...] = (
        {"agent": "a"}, {"agent": "b"}, {"agent": "lead"}, {"user": "ann"},
        {"user": "ann", "agent": "a"}, {"group": "g", "user": "bob"}, {"shared": True},
    )  # fmt: skip
    return tuple(Scope(workspace=workspace, **one) for one in named)


class World:
    """One workspace. What is approved is read from the entries themselves, by their ids; what a
    recall may give out is judged by its words."""

    def __init__(self, number: int, memories: tuple[Memory, Memory]) -> None:
        self.memories = memories
        self.scopes = scopes(f"w{number}")
        self.ids: list[str] = []
        self.ever_approved: set[str] = set()
        self.hits = 0

    def play(self, steps: list[Any], marks: itertools.count[int]) -> None:
        for turn, (verb, who, one, other, confidence, topic) in enumerate(steps):
            memory, scope = self.memories[turn % 2], self.scopes[who]
            actor = "model" if who % 2 else "host"
            try:
                self.do(memory, scope, actor, verb, one, other, confidence, topic, next(marks))
            except InputError:
                pass  # no coordinator, or no longer open
        self.note()
        for scope in self.scopes:
            for memory in self.memories:
                self.ask(memory, scope)

    def do(
        self, memory: Memory, scope: Scope, actor: str, verb: str, one: int, other: int,
        confidence: float | None, topic: str, mark: int,
    ) -> None:  # fmt: skip
        if verb == "recall":
            self.note()
            self.ask(memory, scope)
            return
        if verb == "propose":
            text = f"teapots zz{mark}zz stand on the shelf"
            options: dict[str, Any] = {"topic": topic, "confidence": confidence, "actor": actor}
            self.ids.append(memory.shared.propose(scope, text, "convention", **options) or "")
            return
        if not self.ids:
            return
        id, second = self.ids[one % len(self.ids)], self.ids[other % len(self.ids)]
        if verb == "approve":
            memory.shared.approve(scope, id, actor=actor)
        elif verb == "reject":
            memory.shared.reject(scope, id, actor=actor)
        elif verb == "supersede":
            text = f"teapots zz{mark}zz hang from the shelf"
            self.ids.append(memory.shared.supersede(scope, id, text, actor=actor))
        else:
            memory.shared.resolve(scope, id, second, both=verb == "both", actor=actor)
        self.note()

    def note(self) -> None:
        self.ever_approved |= set(self.approved())

    def approved(self) -> list[str]:
        entries = self.memories[0].shared.list(self.scopes[6], states=("approved",))
        return [MARK.findall(one.text)[0] for one in entries]

    def ask(self, memory: Memory, scope: Scope) -> None:
        now, before = set(self.approved()), self.ever_approved
        for query in QUERIES:
            hits = memory.recall(scope, query, top_k=100, floor=0.0).hits
            seen = {mark for hit in hits for mark in MARK.findall(hit.text)}
            self.hits += len(seen)
            # A question about the past may find what was approved then, and nothing else.
            assert seen <= (now if query == QUERIES[0] else before), (scope, query)
            if query == QUERIES[0]:
                assert seen == now, (scope, "what is approved is found by everybody")
        block = memory.context(scope, QUERIES[0], max_tokens=4000)
        assert set(MARK.findall(block)) <= now


def test_F5_an_unapproved_entry_is_never_recalled(open_memory: Callable[..., Memory]) -> None:
    changes = {"shared.coordinators": "person, agent:lead", "query.recall_timeout": 30.0}
    memories = (open_memory(changes, HashEmbedder()), open_memory(changes, None))
    worlds: list[World] = []
    marks = itertools.count(1)

    @settings(max_examples=WORLDS, deadline=None, database=None,
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(STEPS)
    def play(steps: list[Any]) -> None:
        worlds.append(World(len(worlds), memories))
        worlds[-1].play(steps, marks)

    play()
    assert len(worlds) >= WORLDS
    assert sum(world.hits for world in worlds) > 5 * WORLDS, "the control: approved ones are found"
    approved = sum(len(world.ever_approved) for world in worlds)
    assert approved > WORLDS / 6 and sum(len(world.ids) for world in worlds) > 2 * approved
