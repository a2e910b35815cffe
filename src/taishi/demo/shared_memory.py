"""Two short chapters of the demo: agents share what they know, and learn which way works."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from taishi import Memory, Scope

WORKSPACE = "workshop"  # apart from the story: what is shared is recalled in every chat
SAIL = "The spare sail is kept in the red locker"
LOFT = "The spare sail is kept in the loft"
QUESTION = "Where is the spare sail kept?"
LEAK = "the hull leaks"
STEPS = {
    "Pump and patch": ["pump the water out", "patch the plank from inside"],
    "Pull and caulk": ["pull the boat ashore", "caulk the seam from outside"],
}


@dataclass(frozen=True, slots=True)
class SharedShow:
    """What the two chapters did; `failures` is empty if it was as promised."""

    before: tuple[str, ...]  # recalled while it was only proposed
    state: str
    after: tuple[str, ...]
    conflict: tuple[str, str]
    settled: tuple[str, ...]
    audit: tuple[tuple[str, str, str], ...]  # what, by whom, why
    first_way: str
    way_after_failures: str
    to_review: tuple[str, ...]
    steps: tuple[str, ...]

    @property
    def failures(self) -> tuple[str, ...]:
        faults = []
        if self.before or self.after != (SAIL,) or self.settled != (LOFT,):
            faults.append("shared memory: recalled what was not approved, or missed what was")
        if self.first_way == self.way_after_failures or self.to_review != (self.first_way,):
            faults.append("a procedure that failed three times did not sink")
        return tuple(faults)


def play_shared(memory: Memory) -> SharedShow:
    rigger, mate, crew = (
        Scope(agent=name, workspace=WORKSPACE) for name in ("rigger", "mate", "crew")
    )
    person: dict[str, Any] = {"actor": "person", "door": "demo"}
    first = memory.shared.propose(rigger, SAIL, "project_context", topic="spare sail") or ""
    before = _recalled(memory, crew)
    state = memory.shared.approve(crew, first, reason="seen there today", **person)
    after = _recalled(memory, crew)
    other = memory.shared.propose(mate, LOFT, "project_context", topic="spare sail") or ""
    ((old, new),) = memory.shared.conflicts(crew, actor="person")
    memory.shared.resolve(crew, other, first, reason="it was moved", **person)
    acts = memory.shared.audit(crew, other, actor="person")
    ways = _ways(memory, rigger)
    first_way = ways[0]
    for _ in range(3):
        memory.procedures.used(rigger, _id(memory, rigger, first_way), worked=False)
    best = _ways(memory, rigger)[0]
    shared = memory.procedures.share(rigger, _id(memory, rigger, best)) or ""
    memory.shared.approve(crew, shared, **person)
    hits = memory.recall(crew, LEAK, kinds=["procedure"], deadline=10.0).hits
    return SharedShow(
        before=before,
        state=state,
        after=after,
        conflict=(old.text, new.text),
        settled=_recalled(memory, crew),
        audit=tuple((act.did, act.by, act.reason) for act in acts),
        first_way=first_way,
        way_after_failures=best,
        to_review=tuple(str(one.data["name"]) for one in memory.procedures.review(rigger)),
        steps=tuple(str(step) for hit in hits for step in hit.metadata["steps"]),
    )


def _recalled(memory: Memory, scope: Scope) -> tuple[str, ...]:
    found = memory.recall(scope, QUESTION, kinds=["fact"], deadline=10.0)
    return tuple(hit.text for hit in found.hits)


def _ways(memory: Memory, scope: Scope) -> list[str]:
    """The two ways of working, as recall ranks them."""
    if not memory.procedures.list(scope):
        for name, steps in STEPS.items():
            numbered = "; ".join(f"{number}. {step}" for number, step in enumerate(steps, 1))
            data = {"name": name, "trigger": LEAK, "steps": steps}
            text = f"{name} (when: {LEAK}): {numbered}"
            memory.remember(scope, text, kind="procedure", metadata=data)
        memory.drain()
    hits = memory.recall(scope, LEAK, kinds=["procedure"], deadline=10.0).hits
    return [str(hit.metadata["name"]) for hit in hits]


def _id(memory: Memory, scope: Scope, name: str) -> str:
    own = [one for one in memory.procedures.list(scope) if one.place == scope.home]
    return next(one.id for one in own if one.data["name"] == name)
