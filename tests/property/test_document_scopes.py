"""S3 for documents: whatever is added, synced, removed and searched, nothing crosses scopes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.hash_embedder import HashEmbedder
from taishi import Memory, Scope, load

SCOPES = (
    Scope(user="ann"),
    Scope(user="bob"),
    Scope(group="ann"),  # the same id, another place
    Scope(group="club", user="ann"),
    Scope(agent="ann"),
    Scope(shared=True),
    Scope(user="ann", workspace="other"),
)
NAMES = ("guide.txt", "notes/plan.md")
STEP = st.tuples(
    st.sampled_from(("add", "note", "remove", "unnote", "search")),
    st.integers(0, len(SCOPES) - 1),
)
MAY_SEE_SHARED = [scope.workspace == "default" for scope in SCOPES]


def visible(at: int) -> set[int]:
    shared = {5} if MAY_SEE_SHARED[at] else set()
    return {at} | shared


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(STEP, min_size=5, max_size=25))
def test_S3_documents_and_notes_never_cross_scopes(
    tmp_path_factory: Any, steps: list[tuple[str, int]]
) -> None:
    folder: Path = tmp_path_factory.mktemp("scopes")
    options = {"models.embedding.kind": "none", "query.recall_timeout": 10.0}
    chosen = load(environ={}, overrides=options)
    with Memory.open(folder, chosen, embedder=HashEmbedder()) as memory:
        kept: dict[str, set[int]] = {name: set() for name in NAMES}
        for action, at in steps:
            scope, secret = SCOPES[at], f"mark{at}mark"
            if action == "add":
                memory.knowledge.add(scope, f"the treasure is {secret}", name=NAMES[0])
                kept[NAMES[0]].add(at)
            elif action == "note":
                memory.notes.write(scope, NAMES[1], f"the treasure is {secret}")
                kept[NAMES[1]].add(at)
            elif action == "remove":
                assert memory.knowledge.remove(scope, NAMES[0]) is (at in kept[NAMES[0]])
                kept[NAMES[0]].discard(at)
            elif action == "unnote":
                assert bool(memory.notes.remove(scope, NAMES[1])) is (at in kept[NAMES[1]])
                kept[NAMES[1]].discard(at)
        present = kept[NAMES[0]] | kept[NAMES[1]]
        for at, scope in enumerate(SCOPES):
            allowed = visible(at)
            found = [
                *memory.knowledge.search(scope, "the treasure", top_k=50, floor=0.0).hits,
                *memory.recall(scope, "the treasure", top_k=50, floor=0.0).hits,
            ]
            told = " ".join(hit.text for hit in found) + memory.context(scope, "the treasure is")
            seen = {one for one in range(len(SCOPES)) if f"mark{one}mark" in told}
            assert seen <= allowed & present
            assert seen == allowed & present, "the control: what is there is found"
            assert (memory.knowledge.get(scope, NAMES[0]) is not None) is (at in kept[NAMES[0]])
            assert (memory.notes.read(scope, NAMES[1]) is not None) is (at in kept[NAMES[1]])
            assert (memory.knowledge.original(scope, NAMES[0]) is not None) is (
                at in kept[NAMES[0]]
            )
