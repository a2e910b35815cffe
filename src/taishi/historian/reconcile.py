"""How a drafted fact stands to what is known: new, the same, newer, or against it (F1).

The model decides over a short list; where its answer makes no sense, and where there is no model,
the rules do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..domain.drafts import ACTIONS, FactDraft, Reconciliation
from ..ports import ChatModel, Tool
from .coerce import items_of, line_of, number_of
from .prompt_loader import Prompts
from .reconcile_rules import KnownFact as KnownFact
from .reconcile_rules import judge_by_rule as judge_by_rule
from .statement_comparison import CHARS as _CHARS

MOST_KNOWN = 12


JUDGE_FACTS = Tool(
    "judge_facts",
    "Say how each drafted statement stands to the known ones.",
    {
        "type": "object",
        "properties": {
            "decisions": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "index": {"type": "integer", "description": "index in facts"},
                        "action": {"type": "string", "enum": list(ACTIONS)},
                        "known": {"type": ["integer", "null"], "description": "index in known"},
                        "reason": {"type": ["string", "null"]},
                    },
                    "required": ["index", "action"],
                },
            }
        },
        "required": ["decisions"],
    },
)


def judge(
    model: ChatModel,
    prompts: Prompts,
    language: str,
    drafts: Sequence[FactDraft],
    known: Sequence[KnownFact],
) -> list[Reconciliation]:
    """One decision for each draft. Without anything to compare with, no model is asked."""
    ruled = judge_by_rule(drafts, known)
    if not drafts or not known:
        return ruled
    data = {"facts": [_draft(i, d) for i, d in enumerate(drafts)], "known": _known(known)}
    messages = prompts.messages("extract", language, data=data)
    answer = model.structured("extract", messages, JUDGE_FACTS)
    by_index = {one.index: one for one in known}
    given: dict[int, Reconciliation] = {}
    for item in items_of(answer.get("decisions"), 4 * len(drafts)):
        index = number_of(item.get("index"))
        decision = _decision(item, by_index)
        if index is not None and decision is not None:
            given.setdefault(index, decision)
    return [given.get(index, decision) for index, decision in enumerate(ruled)]


def _draft(index: int, draft: FactDraft) -> dict[str, Any]:
    return {
        "index": index,
        "content": draft.content[:_CHARS],
        "category": draft.category,
        "subject": draft.subject,
        "valid_from": draft.valid_from,
        "valid_to": draft.valid_to,
        "quote": draft.quote[:_CHARS],
    }


def _known(known: Sequence[KnownFact]) -> list[dict[str, Any]]:
    return [
        {
            "index": one.index,
            "content": one.content[:_CHARS],
            "category": one.category,
            "state": one.state,
            "valid_from": one.valid_from,
            "last_confirmed": one.last_confirmed,
        }
        for one in known[:MOST_KNOWN]
    ]


def _decision(item: dict[str, Any], known: dict[int, KnownFact]) -> Reconciliation | None:
    """The model's decision, if it can be carried out; what a person rejected stays rejected."""
    action = next((a for a in ACTIONS if a == line_of(item.get("action"), 20).lower()), None)
    about = known.get(number) if (number := number_of(item.get("known"))) is not None else None
    reason = line_of(item.get("reason"), 200)
    if action == "add":
        return Reconciliation("add", None, reason)
    if action == "ignore":
        return Reconciliation("ignore", about.id if about else None, reason)
    if action is None or about is None or about.state == "superseded":
        return None
    if about.state == "rejected":
        return Reconciliation("ignore", about.id, reason)
    return Reconciliation(action, about.id, reason)
