"""The historian with a model: the turn rewritten, checked, and sent back when it fails (H1 to H3).

The model proposes; nothing it says is believed unread. Its text must pass the gate and name nothing
that was not in the input; a fact must quote the input; what the rules wrote stands by.
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
_MOST_FAULTS = 20
_MOST_NEWS = 20
_WARNINGS = 20
# Tokens for each part of the prompt, so that no input makes it grow.
_ACTION, _NEWS, _SOURCE, _MESSAGES, _MESSAGE = 1000, 1500, 400, 2000, 300


def _strings(description: str) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "string"}, "description": description}


def _one_of(names: Iterable[str]) -> str:
    """Asked for, not demanded: a model's own word is read as "other", the rest is still good."""
    return "one of: " + ", ".join(names)


def _object(required: tuple[str, ...], **properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


_TEXT: dict[str, Any] = {"type": "string"}
_MAYBE: dict[str, Any] = {"type": ["string", "null"]}
RECORD_TURN = Tool(
    "record_turn",
    "Keep the record of one exchange.",
    _object(
        # The last one too: an answer that was cut off lacks it, and must not pass for a whole one.
        ("did_what", "new_info", "canonical_text", "facts", "procedures"),
        did_what={**_TEXT, "description": "what the bot did"},
        participants=_strings("names of those who took part"),
        outcome={**_MAYBE, "description": "how it ended, in one sentence; empty if open"},
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
                valid_from={**_MAYBE, "description": "ISO date, or empty"},
                valid_to={**_MAYBE, "description": "ISO date, or empty"},
                life={**_TEXT, "description": _one_of(LIVES)},
                tags=_strings("a few words to find it by"),
            ),
        },
        procedures={
            "type": "array",
            "items": _object(
                ("name", "steps", "quote"),
                name=_TEXT,
                trigger=_MAYBE,
                steps=_strings("in order"),
                quote=_TEXT,
            ),
        },
    ),
)


@dataclass(frozen=True, slots=True)
class _Said:
    """What the model answered, in our types."""

    did_what: str
    new_info: tuple[str, ...]
    canonical_text: str
    faults: list[dict[str, str]]
    answer: Mapping[str, Any]

    @classmethod
    def of(cls, answer: Mapping[str, Any], evidence: Evidence) -> _Said:
        news = texts_of(answer.get("new_info"), _MOST_NEWS, 2000)
        text = text_of(answer.get("canonical_text"), TEXT_CHARS + 1)
        done = text_of(answer.get("did_what"), TEXT_CHARS)
        return cls(done, news, text, faults_in(text, evidence), answer)

    @property
    def is_unfit(self) -> bool:
        """Whether the rules' words are better: it is empty, endless, or makes something up.

        An open question or a doubted date is not: a rule's guess must not replace a right answer.
        """
        return self.harm[0] > 1

    @property
    def harm(self) -> tuple[int, int]:
        """How bad its faults are, then how many there are."""
        return max(map(_harm, self.faults), default=0), len(self.faults)


class ModelWriter:
    """Writes drafts with a model, and with the rules where the model cannot be brought to it."""

    def __init__(
        self, model: ChatModel, prompts: Prompts, max_revisions: Callable[[], int]
    ) -> None:
        self._model = model
        self._prompts = prompts
        self._max_revisions = max_revisions

    def write(self, job: Job) -> Draft:
        """The turn as the model tells it. ModelError passes through: the job is tried again."""
        cast = Participants.of(job)
        local, zone_warnings = local_time(job)
        ruled = rule_writer.write(job)
        evidence = Evidence.of(job, cast, local)
        now = f"{local:%Y-%m-%d %H:%M} {local:%A} ({zone_of(local)})"
        data: dict[str, Any] = {"job": _job(job, cast, now), "draft": _draft(ruled), "faults": []}
        limit, revisions = max(0, self._max_revisions()), 0
        best: _Said | None = None
        while True:
            messages = self._prompts.messages("rewrite", cast.language, data=data, now=now)
            said = _Said.of(self._model.structured("rewrite", messages, RECORD_TURN), evidence)
            best = said if best is None or said.harm <= best.harm else best
            if not said.faults or revisions >= limit:
                break
            revisions += 1
            data = data | {"faults": said.faults, "last": fit(said.canonical_text, _NEWS)}
        said, answer, faults = best, best.answer, best.faults
        facts, dropped = facts_of(answer.get("facts"), evidence, cast, local)
        procedures, refused = procedures_of(answer.get("procedures"), evidence, cast, local)
        perspectives, unborne = perspectives_of(
            answer.get("perspectives"), evidence, said.canonical_text
        )
        warnings = (*zone_warnings, *_complaints(faults), *dropped, *refused, *unborne)
        return Draft(
            did_what=(_sound((said.did_what,), evidence) or (ruled.did_what,))[0],
            new_info=_sound(said.new_info, evidence) or ruled.new_info,
            canonical_text=ruled.canonical_text if said.is_unfit else said.canonical_text,
            is_absolute=not faults,
            warnings=warnings[:_WARNINGS],
            facts=facts,
            procedures=procedures,
            revisions=revisions,
            perspectives=perspectives,
            episode=episode_of(answer, evidence, ruled.episode),
        )


def faults_in(text: str, evidence: Evidence) -> list[dict[str, str]]:
    """What is wrong with a text, in the words that the model is told."""
    if not any(char.isalnum() for char in text):
        return [{"reason": "empty", "word": "canonical_text"}]
    if len(text) > TEXT_CHARS:
        return [{"reason": "too long", "word": f"at most {TEXT_CHARS} characters"}]
    found = {(fault.reason, fault.word[:60]) for fault in _all_faults(text, evidence)}
    return [{"reason": reason, "word": word} for reason, word in sorted(found)][:_MOST_FAULTS]


def _all_faults(text: str, evidence: Evidence) -> list[Fault]:
    return check(text, evidence.names) + evidence.invented(text)


_OPEN = frozenset(("pronoun", "relative_time", "relative_place", "weekday"))


def _harm(fault: Mapping[str, str]) -> int:
    """3 for no text at all, 2 for what was made up, 1 for an open question or a doubted date."""
    if fault["reason"] in ("empty", "too long"):
        return 3
    is_time = fault["reason"] == "drift" and states_time(fault["word"])
    return 1 if is_time or fault["reason"] in _OPEN else 2


def _complaints(faults: list[dict[str, str]]) -> tuple[str, ...]:
    said = {
        "drift": "not in the input",
        "empty": "the model left empty",
        "polarity": "not what was said",
        "role": "not who did it",
        "weekday": "not that day of the week",
    }
    return tuple(
        f"{said.get(fault['reason'], fault['reason'] + ' not resolved')}: {fault['word']}"
        for fault in faults
    )


def _sound(items: tuple[str, ...], evidence: Evidence) -> tuple[str, ...]:
    return tuple(item for item in items if item and not _all_faults(item, evidence))


def _job(job: Job, cast: Participants, now: str) -> dict[str, Any]:
    """The turn for the prompt, each part cut to its share."""
    return {
        "when": now,
        "where": job.request_type,
        "sender": cast.sender,
        "bot": cast.bot,
        "group": cast.group,
        "location": cast.location,
        "people": list(cast.others[:20]),
        "action_summary": _cut(job.action_summary, _ACTION),
        "new_info": _cut_all(job.new_info, _NEWS),
        "source_message": _cut(job.source_message, _SOURCE),
        "messages": _messages(job),
    }


def _messages(job: Job) -> list[dict[str, Any]]:
    """The latest messages that fit, in the order they were said."""
    kept: list[dict[str, Any]] = []
    left = _MESSAGES
    for message in reversed(job.recent_messages[-12:]):
        text = _cut(text_of(message.get("text"), 100_000), min(_MESSAGE, left))
        if not text:
            break
        left -= max(20, len(text) // 3)
        speaker = text_of(message.get("speaker"), 80) or text_of(message.get("speaker_id"), 80)
        kept.append({"speaker": speaker, "time": _said_at(message, job), "text": text})
    return kept[::-1]


def _said_at(message: Mapping[str, Any], job: Job) -> str:
    moment = Evidence.moment(message, job)
    return f"{moment:%Y-%m-%d %H:%M}" if moment else ""


def _draft(ruled: Draft) -> dict[str, Any]:
    return {
        "did_what": _cut(ruled.did_what, _ACTION),
        "new_info": _cut_all(ruled.new_info, _NEWS),
        "canonical_text": _cut(ruled.canonical_text, _NEWS),
    }


def _cut(text: str, tokens: int) -> str:
    return fit(storable(text[: max(0, tokens) * 12]), tokens) if tokens > 0 else ""


def _cut_all(items: tuple[str, ...], tokens: int) -> list[str]:
    share = max(40, tokens // max(1, min(len(items), _MOST_NEWS)))
    return [_cut(item, share) for item in items[:_MOST_NEWS]]
