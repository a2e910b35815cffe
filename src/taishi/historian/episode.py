"""Event context: participants, outcome, artifacts, importance (F2) and perspectives (E1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..domain.drafts import Episode, Perspective
from ..language.gate import check
from ..types import Job
from .coerce import fraction_of, items_of, line_of, text_of, texts_of
from .evidence import Evidence
from .participants import Participants

MAX_PERSPECTIVES = 3
_MAX_PEOPLE, _MAX_ARTIFACTS = 12, 8
_TEXT, _OUTCOME, _ARTIFACT = 2000, 300, 200


def episode_by_rule(job: Job, cast: Participants) -> Episode:
    """Participants: the sender, the bot if it did something, and whoever spoke.

    Importance is not guessed, except for turns with `force`.
    """
    bot = (cast.bot,) if job.action_summary.strip() else ()
    sender = (cast.sender,) if cast.sender else ()
    people = tuple(dict.fromkeys((*sender, *cast.others, *bot)))[:_MAX_PEOPLE]
    return Episode(participants=people, importance=0.9 if job.force else None)


def episode_of(answer: Mapping[str, Any], evidence: Evidence, by_rule: Episode) -> Episode:
    """The model's episode where the turn supports it; the rule-based one for the rest."""
    people = texts_of(answer.get("participants"), _MAX_PEOPLE, 80)
    known_people = tuple(name for name in people if _is_known(name, evidence))
    artifacts = texts_of(answer.get("artifacts"), _MAX_ARTIFACTS, _ARTIFACT)
    outcome = line_of(answer.get("outcome"), _OUTCOME)
    importance = answer.get("importance")
    is_rated = isinstance(importance, (int, float)) and not isinstance(importance, bool)
    return Episode(
        participants=tuple(dict.fromkeys((*by_rule.participants, *known_people)))[:_MAX_PEOPLE],
        outcome="" if _is_bad(outcome, evidence) else outcome,
        artifacts=tuple(artifact for artifact in artifacts if evidence.quotes(artifact)),
        importance=fraction_of(importance, 0.5) if is_rated else by_rule.importance,
    )


def perspectives_of(
    value: Any, evidence: Evidence, canonical_text: str
) -> tuple[tuple[Perspective, ...], tuple[str, ...]]:
    """Perspectives that pass the checks and differ from the text; a warning for each other one."""
    accepted: dict[str, Perspective] = {}
    warnings = []
    for item in items_of(value, MAX_PERSPECTIVES * 2):
        whose, text = line_of(item.get("whose"), 80), text_of(item.get("text"), _TEXT)
        if not text or text == canonical_text:
            continue
        if not _is_known(whose, evidence) or _is_bad(text, evidence):
            warnings.append(f"perspective dropped, not borne out by the input: {text[:80]}")
        else:
            accepted.setdefault(whose.casefold(), Perspective(whose, text))
    return tuple(accepted.values())[:MAX_PERSPECTIVES], tuple(warnings)


def _is_known(name: str, evidence: Evidence) -> bool:
    return bool(name) and not evidence.unknown_terms(f"the {name}") and evidence.quotes_name(name)


def _is_bad(text: str, evidence: Evidence) -> bool:
    return bool(text) and bool(check(text, evidence.names) or evidence.invented(text))
