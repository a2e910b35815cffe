"""Writes a turn with a language model: rewrite, check, send back on faults (H1 to H3).

Nothing the model says is accepted unchecked. Its text must pass the gate and name nothing that was
not in the input; a fact must quote the input; the rule-based draft is the fallback.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..domain.drafts import Draft
from ..language.gate import Fault, check
from ..language.stated_dates import states_time
from ..language.text import storable
from ..language.token_count import fit
from ..ports import ChatModel, Tool
from ..types import Job
from . import rule_writer
from .categories import CATEGORIES, LIVES
from .coerce import text_of, texts_of
from .episode import episode_of, perspectives_of
from .evidence import Evidence
from .grounding import facts_of, procedures_of
from .participants import Participants, local_time, zone_of
from .prompt_loader import Prompts

TEXT_CHARS = 6000
_MAX_FAULTS = 20
_MAX_NEWS = 20
_MAX_WARNINGS = 20
# Token budget of each part of the prompt, so that its size is bounded.
_ACTION_TOKENS, _NEWS_TOKENS, _SOURCE_TOKENS, _ALL_MESSAGE_TOKENS, _MESSAGE_TOKENS = (
    1000,
    1500,
    400,
    2000,
    300,
)


def _strings(description: str) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "string"}, "description": description}


def _one_of(names: Iterable[str]) -> str:
    """A hint, not an enum: an unknown value becomes "other", and the rest is still usable."""
    return "one of: " + ", ".join(names)


def _object(required: tuple[str, ...], **properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


_TEXT: dict[str, Any] = {"type": "string"}
_OPTIONAL_TEXT: dict[str, Any] = {"type": ["string", "null"]}
RECORD_TURN = Tool(
    "record_turn",
    "Keep the record of one exchange.",
    _object(
        # The last one too: a truncated answer lacks it, and must not pass as complete.
        ("did_what", "new_info", "canonical_text", "facts", "procedures"),
        did_what={**_TEXT, "description": "what the bot did"},
        participants=_strings("names of those who took part"),
        outcome={**_OPTIONAL_TEXT, "description": "how it ended, in one sentence; empty if open"},
        artifacts=_strings("files, links, orders or documents that came of it, as they were named"),
        importance={"type": ["number", "null"], "description": "0 to 1: how much it matters later"},
        perspectives={
            "type": "array",
            "items": _object(("whose", "text"), whose=_TEXT, text=_TEXT),
            "description": "only where the event means different things to people in it",
        },
        new_info=_strings("what became known, one statement each"),
        canonical_text={**_TEXT, "description": "who, when, where and what, in absolute words"},
        facts={
            "type": "array",
            "items": _object(
                ("content", "category", "subject", "quote"),
                content=_TEXT,
                category={**_TEXT, "description": _one_of(CATEGORIES)},
                subject=_TEXT,
                quote={**_TEXT, "description": "copied from the data, word for word"},
                confidence={"type": ["number", "null"], "description": "0 to 1"},
                valid_from={**_OPTIONAL_TEXT, "description": "ISO date, or empty"},
                valid_to={**_OPTIONAL_TEXT, "description": "ISO date, or empty"},
                life={**_TEXT, "description": _one_of(LIVES)},
                tags=_strings("a few words to find it by"),
            ),
        },
        procedures={
            "type": "array",
            "items": _object(
                ("name", "steps", "quote"),
                name=_TEXT,
                trigger=_OPTIONAL_TEXT,
                steps=_strings("in order"),
                quote=_TEXT,
            ),
        },
    ),
)


@dataclass(frozen=True, slots=True)
class _ModelAnswer:
    """The model's answer in our types, with the faults of its text."""

    did_what: str
    new_info: tuple[str, ...]
    canonical_text: str
    faults: list[dict[str, str]]
    answer: Mapping[str, Any]

    @classmethod
    def of(cls, answer: Mapping[str, Any], evidence: Evidence) -> _ModelAnswer:
        new_info = texts_of(answer.get("new_info"), _MAX_NEWS, 2000)
        text = text_of(answer.get("canonical_text"), TEXT_CHARS + 1)
        did_what = text_of(answer.get("did_what"), TEXT_CHARS)
        return cls(did_what, new_info, text, faults_in(text, evidence), answer)

    @property
    def is_unfit(self) -> bool:
        """Whether the rule-based text is better: the answer is empty, too long or invents
        something.

        An unresolved word or a doubtful date is no reason: a rule's guess must not replace a right
        answer.
        """
        return self.severity[0] > 1

    @property
    def severity(self) -> tuple[int, int]:
        """The worst fault's severity, then the number of faults."""
        return max(map(_severity, self.faults), default=0), len(self.faults)


class ModelWriter:
    """Writes drafts with a model, and falls back to the rules where its answer is unfit."""

    def __init__(
        self, model: ChatModel, prompts: Prompts, max_revisions: Callable[[], int]
    ) -> None:
        self._model = model
        self._prompts = prompts
        self._max_revisions = max_revisions

    def write(self, job: Job) -> Draft:
        """The turn as the model writes it. ModelError propagates: the job is retried."""
        participants = Participants.of(job)
        local, zone_warnings = local_time(job)
        rule_draft = rule_writer.write(job)
        evidence = Evidence.of(job, participants, local)
        now = f"{local:%Y-%m-%d %H:%M} {local:%A} ({zone_of(local)})"
        data: dict[str, Any] = {
            "job": _job_data(job, participants, now),
            "draft": _draft_data(rule_draft),
            "faults": [],
        }
        limit, revisions = max(0, self._max_revisions()), 0
        best: _ModelAnswer | None = None
        while True:
            messages = self._prompts.messages("rewrite", participants.language, data=data, now=now)
            current = _ModelAnswer.of(
                self._model.structured("rewrite", messages, RECORD_TURN), evidence
            )
            best = current if best is None or current.severity <= best.severity else best
            if not current.faults or revisions >= limit:
                break
            revisions += 1
            data = data | {
                "faults": current.faults,
                "last": fit(current.canonical_text, _NEWS_TOKENS),
            }
        current, answer, faults = best, best.answer, best.faults
        facts, dropped_facts = facts_of(answer.get("facts"), evidence, participants, local)
        procedures, dropped_procedures = procedures_of(
            answer.get("procedures"), evidence, participants, local
        )
        perspectives, dropped_perspectives = perspectives_of(
            answer.get("perspectives"), evidence, current.canonical_text
        )
        warnings = (
            *zone_warnings,
            *_fault_warnings(faults),
            *dropped_facts,
            *dropped_procedures,
            *dropped_perspectives,
        )
        return Draft(
            did_what=(_without_faults((current.did_what,), evidence) or (rule_draft.did_what,))[0],
            new_info=_without_faults(current.new_info, evidence) or rule_draft.new_info,
            canonical_text=rule_draft.canonical_text
            if current.is_unfit
            else current.canonical_text,
            is_absolute=not faults,
            warnings=warnings[:_MAX_WARNINGS],
            facts=facts,
            procedures=procedures,
            revisions=revisions,
            perspectives=perspectives,
            episode=episode_of(answer, evidence, rule_draft.episode),
        )


def faults_in(text: str, evidence: Evidence) -> list[dict[str, str]]:
    """The faults of a text, as they are reported to the model."""
    if not any(char.isalnum() for char in text):
        return [{"reason": "empty", "word": "canonical_text"}]
    if len(text) > TEXT_CHARS:
        return [{"reason": "too long", "word": f"at most {TEXT_CHARS} characters"}]
    unique = {(fault.reason, fault.word[:60]) for fault in _all_faults(text, evidence)}
    return [{"reason": reason, "word": word} for reason, word in sorted(unique)][:_MAX_FAULTS]


def _all_faults(text: str, evidence: Evidence) -> list[Fault]:
    return check(text, evidence.names) + evidence.invented(text)


_UNRESOLVED = frozenset(("pronoun", "relative_time", "relative_place", "weekday"))


def _severity(fault: Mapping[str, str]) -> int:
    """3 for no usable text, 2 for something invented, 1 for an unresolved word or doubtful date."""
    if fault["reason"] in ("empty", "too long"):
        return 3
    is_time = fault["reason"] == "drift" and states_time(fault["word"])
    return 1 if is_time or fault["reason"] in _UNRESOLVED else 2


def _fault_warnings(faults: list[dict[str, str]]) -> tuple[str, ...]:
    descriptions = {
        "drift": "not in the input",
        "empty": "the model left empty",
        "polarity": "not what was said",
        "role": "not who did it",
        "weekday": "not that day of the week",
    }
    return tuple(
        f"{descriptions.get(fault['reason'], fault['reason'] + ' not resolved')}: {fault['word']}"
        for fault in faults
    )


def _without_faults(items: tuple[str, ...], evidence: Evidence) -> tuple[str, ...]:
    return tuple(item for item in items if item and not _all_faults(item, evidence))


def _job_data(job: Job, participants: Participants, now: str) -> dict[str, Any]:
    """The turn for the prompt, each part truncated to its budget."""
    return {
        "when": now,
        "where": job.request_type,
        "sender": participants.sender,
        "bot": participants.bot,
        "group": participants.group,
        "location": participants.location,
        "people": list(participants.others[:20]),
        "action_summary": _truncate(job.action_summary, _ACTION_TOKENS),
        "new_info": _truncate_all(job.new_info, _NEWS_TOKENS),
        "source_message": _truncate(job.source_message, _SOURCE_TOKENS),
        "messages": _messages(job),
    }


def _messages(job: Job) -> list[dict[str, Any]]:
    """The latest messages that fit the budget, oldest first."""
    selected: list[dict[str, Any]] = []
    budget = _ALL_MESSAGE_TOKENS
    for message in reversed(job.recent_messages[-12:]):
        text = _truncate(text_of(message.get("text"), 100_000), min(_MESSAGE_TOKENS, budget))
        if not text:
            break
        budget -= max(20, len(text) // 3)
        speaker = text_of(message.get("speaker"), 80) or text_of(message.get("speaker_id"), 80)
        selected.append({"speaker": speaker, "time": _message_time(message, job), "text": text})
    return selected[::-1]


def _message_time(message: Mapping[str, Any], job: Job) -> str:
    moment = Evidence.moment(message, job)
    return f"{moment:%Y-%m-%d %H:%M}" if moment else ""


def _draft_data(rule_draft: Draft) -> dict[str, Any]:
    return {
        "did_what": _truncate(rule_draft.did_what, _ACTION_TOKENS),
        "new_info": _truncate_all(rule_draft.new_info, _NEWS_TOKENS),
        "canonical_text": _truncate(rule_draft.canonical_text, _NEWS_TOKENS),
    }


def _truncate(text: str, tokens: int) -> str:
    return fit(storable(text[: max(0, tokens) * 12]), tokens) if tokens > 0 else ""


def _truncate_all(items: tuple[str, ...], tokens: int) -> list[str]:
    share = max(40, tokens // max(1, min(len(items), _MAX_NEWS)))
    return [_truncate(item, share) for item in items[:_MAX_NEWS]]
