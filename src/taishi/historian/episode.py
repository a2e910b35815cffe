"""What surrounds an event: who took part, how it ended, what came of it, how much it matters (F2);
and the same event as others in it would tell it (E1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..domain.drafts import Episode, Perspective
from ..language.gate import check
from ..types import Job
from .coerce import items_of, line_of, share_of, text_of, texts_of
from .evidence import Evidence
from .participants import Participants

MOST_PERSPECTIVES = 3
_MOST_PEOPLE, _MOST_ARTIFACTS = 12, 8
_TEXT, _OUTCOME, _ARTIFACT = 2000, 300, 200


def episode_by_rule(job: Job, cast: Participants) -> Episode:
    """Who took part: the sender, the bot where it did something, and whoever spoke.

    How much it matters is not guessed, except where the turn was forced into the memory.
    """
    bot = (cast.bot,) if job.action_summary.strip() else ()
    sender = (cast.sender,) if cast.sender else ()
    people = tuple(dict.fromkeys((*sender, *cast.others, *bot)))[:_MOST_PEOPLE]
    return Episode(participants=people, importance=0.9 if job.force else None)


def episode_of(answer: Mapping[str, Any], evidence: Evidence, ruled: Episode) -> Episode:
    """What the model says of it, as far as the turn bears it out; the rest as the rules have it."""
    people = texts_of(answer.get("participants"), _MOST_PEOPLE, 80)
    named = tuple(name for name in people if _is_known(name, evidence))
    artifacts = texts_of(answer.get("artifacts"), _MOST_ARTIFACTS, _ARTIFACT)
    outcome = line_of(answer.get("outcome"), _OUTCOME)
    importance = answer.get("importance")
    judged = isinstance(importance, (int, float)) and not isinstance(importance, bool)
    return Episode(
        participants=tuple(dict.fromkeys((*ruled.participants, *named)))[:_MOST_PEOPLE],
        outcome="" if _is_bad(outcome, evidence) else outcome,
        artifacts=tuple(one for one in artifacts if evidence.quotes(one)),
        importance=share_of(importance, 0.5) if judged else ruled.importance,
    )


def perspectives_of(
    value: Any, evidence: Evidence, canonical_text: str
) -> tuple[tuple[Perspective, ...], tuple[str, ...]]:
    """Those that pass the check of any text and say something else; a warning for each other."""
    found: dict[str, Perspective] = {}
    warnings = []
    for item in items_of(value, MOST_PERSPECTIVES * 2):
        whose, text = line_of(item.get("whose"), 80), text_of(item.get("text"), _TEXT)
        if not text or text == canonical_text:
            continue
        if not _is_known(whose, evidence) or _is_bad(text, evidence):
            warnings.append(f"perspective dropped, not borne out by the input: {text[:80]}")
        else:
            found.setdefault(whose.casefold(), Perspective(whose, text))
    return tuple(found.values())[:MOST_PERSPECTIVES], tuple(warnings)


def _is_known(name: str, evidence: Evidence) -> bool:
    return bool(name) and not evidence.strange(f"the {name}") and evidence.quotes_name(name)


def _is_bad(text: str, evidence: Evidence) -> bool:
    return bool(text) and bool(check(text, evidence.names) or evidence.invented(text))
