"""Models for recall, the prompt block and searches."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from ...context_block.skipped_paths import empty_note, skipped_note
from ...exported import BlockTokens, IntentDecision
from ...observe.stage_times import Stage
from ...types import Brief, Explained, Hit, Recall
from .common import Data, Filters, Id, ResponseModel, ScopedIn, ScopeQuery, Time
from .memories import KindName

TopK = Field(
    default=None, ge=1, le=1000, description="How many at most; as in the settings if left out."
)
Deadline = Field(default=None, ge=0, le=60, description="Seconds; late paths are left out.")
Now = Field(default=None, description="What 'today' means; now if left out.")
Query = Field(max_length=20_000, examples=["Where does Ann live?"])


class RecallIn(ScopedIn):
    """A question from a scope. Only what that scope may see is found."""

    query: str = Query
    top_k: int | None = TopK
    kinds: list[KindName] | None = None
    time_from: Time | None = None
    time_to: Time | None = None
    now: Time | None = Now
    deadline: float | None = Deadline
    floor: float | None = Field(
        default=None, ge=0, le=1, description="Minimum similarity; 0: none."
    )
    filters: Data | None = Filters
    explain: bool = Field(
        default=False, description="Also explain each hit, and what was dropped; slower."
    )


class ContextIn(ScopedIn):
    """What the block is for, and how large it may be."""

    query: str = Query
    max_tokens: int | None = Field(
        default=None,
        ge=0,
        le=1_000_000,
        description="Never exceeded; counted with query.tokenizer.",
    )
    form: Literal["text", "xml", "markdown"] = "text"
    now: Time | None = None
    deadline: float | None = Deadline
    language: Literal["auto", "en", "zh"] | None = None
    filters: Data | None = Filters
    explain: bool = Field(default=False, description="Also count tokens and time stages; slower.")
    hits: bool = Field(default=False, description="Also send the records that were found.")


class WarmUpIn(ScopedIn):
    """What is loaded before somebody asks."""

    seconds: float = Field(default=10.0, ge=0, le=30, description="Wait at most so many seconds.")


class WarmUpOut(ResponseModel):
    warm: bool = Field(description="Whether all of it was done in that time.")


class StageOut(ResponseModel):
    """A stage of a recall; stages that run in parallel overlap in time."""

    name: str
    start_ms: float = Field(description="Since the call began.")
    took_ms: float

    @classmethod
    def of(cls, stage: Stage) -> StageOut:
        return cls(
            name=stage.name,
            start_ms=round(stage.start_ms, 3),
            took_ms=round(stage.took_ms, 3),
        )


class BlockTokensOut(ResponseModel):
    """What a block costs, as the counter of its budget counts: `frame` and `sections` add up."""

    total: int
    limit: int
    frame: int = Field(description="The fence, and what the whole counts other than its parts.")
    sections: dict[str, int]

    @classmethod
    def of(cls, tokens: BlockTokens) -> BlockTokensOut:
        return cls(
            total=tokens.total,
            limit=tokens.limit,
            frame=tokens.frame,
            sections=dict(tokens.sections),
        )


class Searched(ResponseModel):
    """How a search went: what was skipped because it was late or failed, and a note about it."""

    level: str = Field(description="hybrid, keyword, profile-only or empty.")
    paths: dict[str, str]
    skipped: dict[str, str] = Field(description="The paths that were `late` or `failed`.")
    note: str | None = Field(description="What was skipped, in the language that was asked for.")
    stages: list[StageOut] = Field(default_factory=list, description="Only with `explain`.")


class ContextOut(Searched):
    """A block for the user's turn: reference, not instructions. It is empty if nothing is known, if
    nothing was found in time, or if nothing fits into the budget: `reason` and `note` say which."""

    block: str
    reason: str | None = Field(description="Why the block is empty: off, nothing or budget.")
    tokens: BlockTokensOut | None = Field(default=None, description="Only with `explain`.")
    hits: list[HitOut] = Field(default_factory=list, description="Only with `hits`.")
    took_ms: float

    @classmethod
    def of(cls, brief: Brief, language: str, hits: bool = False) -> ContextOut:
        searched = _searched(brief.recall, language)
        note = empty_note(brief, language) or searched["note"]
        return cls(
            block=brief.text,
            reason=brief.reason or None,
            tokens=BlockTokensOut.of(brief.tokens) if brief.tokens else None,
            hits=[HitOut.of(hit) for hit in brief.recall.hits] if hits else [],
            took_ms=brief.recall.took_ms,
            **(searched | {"note": note}),
        )


class EventsIn(ScopedIn):
    """Events, narrowed to a user or a group; never wider than the scope."""

    query: str = Query
    target_user_id: Id | None = None
    target_group_id: Id | None = None
    top_k: int | None = TopK
    time_from: Time | None = None
    time_to: Time | None = None
    now: Time | None = Now
    deadline: float | None = Deadline


class ProfilesIn(ScopedIn):
    """Profiles by meaning."""

    query: str = Query
    entity_type: Literal["user", "group"] | None = None
    entity_id: Id | None = None
    top_k: int | None = TopK
    now: Time | None = Now
    deadline: float | None = Deadline


class HitOut(ResponseModel):
    """One recalled record."""

    id: str
    text: str
    score: float = Field(description="0 to 1; higher is better.")
    kind: str
    time: datetime | None
    created: datetime | None = Field(None, description="When it was stored.")
    updated: datetime | None = Field(None, description="When it was last changed.")
    expires: datetime | None = Field(None, description="When it is deleted; null: never.")
    speaker: str | None
    source: str | None
    redacted: list[str] = Field(
        default_factory=list, description="Kinds of secrets that were removed from it."
    )
    passage: tuple[int, int] | None = Field(
        None, description="The part of a long text that matched: from which character to which."
    )
    metadata: Data

    @classmethod
    def of(cls, hit: Hit) -> HitOut:
        return cls(
            id=hit.id,
            text=hit.text,
            score=hit.score,
            kind=hit.kind,
            time=hit.time,
            created=hit.created,
            updated=hit.updated,
            expires=hit.expires,
            redacted=list(hit.redacted),
            speaker=hit.speaker,
            source=hit.source,
            passage=hit.passage,
            metadata=dict(hit.metadata),
        )


class RelatedQuery(ScopeQuery):
    limit: int = Field(default=5, ge=1, le=50)


class RelatedOut(ResponseModel):
    related: list[HitOut] = Field(description="The most similar first.")


class ExplainedOut(ResponseModel):
    """Why a record is among the hits or, if `dropped` says so, is not."""

    id: str
    text: str
    score: float
    paths: dict[str, int]
    cosine: float
    coverage: float
    around: float
    age_factor: float
    kind_factor: float
    trust_factor: float
    company: float
    moment: float
    passage: tuple[int, int] | None = None
    dropped: str | None

    @classmethod
    def of(cls, explained: Explained) -> ExplainedOut:
        names = (name for name in cls.model_fields if name != "paths")
        return cls(
            paths=dict(explained.paths), **{name: getattr(explained, name) for name in names}
        )


class IntentOut(ResponseModel):
    """The detected intent of the question, and what it favours."""

    name: str
    by: str = Field(description="rules, or model")
    favours: dict[str, float] = Field(description="The factor of each favoured kind.")
    asks: list[str] = Field(
        description="What it asks for: kinds; `shared`; `working` and `scratchpad`, the host's own."
    )

    @classmethod
    def of(cls, intent: IntentDecision) -> IntentOut:
        return cls(
            name=intent.name, by=intent.by, favours=dict(intent.favours), asks=list(intent.asks)
        )


class RecallOut(Searched):
    """What was found, and how: which paths answered, at which level, how fast."""

    hits: list[HitOut]
    took_ms: float
    explain: list[ExplainedOut] = Field(default_factory=list)
    weights: dict[str, float] = Field(default_factory=dict)
    intent: IntentOut | None = Field(
        default=None, description="The detected intent of the question; null: nothing was searched."
    )

    @classmethod
    def of(cls, recall: Recall, language: str) -> RecallOut:
        return cls(
            hits=[HitOut.of(hit) for hit in recall.hits],
            **_searched(recall, language),
            took_ms=recall.took_ms,
            explain=[ExplainedOut.of(explained) for explained in recall.explain],
            weights=dict(recall.weights),
            intent=IntentOut.of(recall.intent) if recall.intent else None,
        )


def _searched(recall: Recall, language: str) -> Data:
    return {
        "level": recall.level,
        "paths": {name: str(outcome) for name, outcome in recall.paths.items()},
        "skipped": recall.skipped,
        "note": skipped_note(recall, language) or None,
        "stages": [StageOut.of(stage) for stage in recall.stages],
    }
