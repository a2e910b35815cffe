"""Reconciles drafted facts with known ones, with a model: new, same, newer or contradicting (F1).

The model decides over a short list; the rules decide where its answer is invalid, and where there
is no model.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..domain.drafts import ACTIONS, FactDraft, Reconciliation
from ..ports import ChatModel, Tool
from .coerce import items_of, line_of, number_of
from .prompt_loader import Prompts
from .reconcile_rules import KnownFact as KnownFact
from .reconcile_rules import reconcile_by_rule as reconcile_by_rule
from .statement_comparison import CHARS as _CHARS

MAX_KNOWN = 12


RECONCILE_FACTS = Tool(
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


def reconcile(
    model: ChatModel,
    prompts: Prompts,
    language: str,
    drafts: Sequence[FactDraft],
    known: Sequence[KnownFact],
) -> list[Reconciliation]:
    """One decision for each draft. Without known facts no model is called."""
    by_rule = reconcile_by_rule(drafts, known)
    if not drafts or not known:
        return by_rule
    data = {"facts": [_draft_data(i, d) for i, d in enumerate(drafts)], "known": _known_data(known)}
    messages = prompts.messages("extract", language, data=data)
    answer = model.structured("extract", messages, RECONCILE_FACTS)
    by_index = {fact.index: fact for fact in known}
    decisions: dict[int, Reconciliation] = {}
    for item in items_of(answer.get("decisions"), 4 * len(drafts)):
        index = number_of(item.get("index"))
        decision = _decision(item, by_index)
        if index is not None and decision is not None:
            decisions.setdefault(index, decision)
    return [  # whether what somebody left is known, the rules can tell
        decision if draft.leaves else decisions.get(index, decision)
        for index, (draft, decision) in enumerate(zip(drafts, by_rule, strict=True))
    ]


def _draft_data(index: int, draft: FactDraft) -> dict[str, Any]:
    return {
        "index": index,
        "content": draft.content[:_CHARS],
        "category": draft.category,
        "subject": draft.subject,
        "valid_from": draft.valid_from,
        "valid_to": draft.valid_to,
        "quote": draft.quote[:_CHARS],
    }


def _known_data(facts: Sequence[KnownFact]) -> list[dict[str, Any]]:
    return [
        {
            "index": fact.index,
            "content": fact.content[:_CHARS],
            "category": fact.category,
            "state": fact.state,
            "valid_from": fact.valid_from,
            "last_confirmed": fact.last_confirmed,
        }
        for fact in facts[:MAX_KNOWN]
    ]


def _decision(item: dict[str, Any], known: dict[int, KnownFact]) -> Reconciliation | None:
    """The model's decision, if it is valid; what a person rejected stays rejected."""
    action = next((a for a in ACTIONS if a == line_of(item.get("action"), 20).lower()), None)
    target = known.get(number) if (number := number_of(item.get("known"))) is not None else None
    reason = line_of(item.get("reason"), 200)
    if action == "add":
        return Reconciliation("add", None, reason)
    if action == "ignore":
        return Reconciliation("ignore", target.id if target else None, reason)
    if action is None or target is None or target.state == "superseded":
        return None
    if target.state == "rejected":
        return Reconciliation("ignore", target.id, reason)
    return Reconciliation(action, target.id, reason)
