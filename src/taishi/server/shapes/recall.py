"""Questions and what is found."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Literal

from pydantic import Field

from ...types import Explained, Hit, Recall
from .common import Answer, Data, Id, ScopedIn, Time
from .memories import KindName

TopK = Field(
    default=None, ge=1, le=1000, description="How many at most; the settings' number if absent."
)
Query = Field(max_length=20_000, examples=["Where does Ann live?"])


class RecallIn(ScopedIn):
    """A question, from a scope. Only what that scope may see is found."""

    query: str = Query
    top_k: int | None = TopK
    kinds: list[KindName] | None = None
    time_from: Time | None = None
    time_to: Time | None = None
    now: Time | None = Field(default=None, description="What 'today' means; now if left out.")
    deadline: float | None = Field(
        default=None, ge=0, le=60, description="Seconds; late paths are left out."
    )
    floor: float | None = Field(default=None, ge=0, le=1, description="Least likeness; 0: none.")
    explain: bool = Field(default=False, description="Also say why, and what was dropped; slower.")


class ContextIn(ScopedIn):
    """What to put before the model in this turn."""

    query: str = Query
    max_tokens: int | None = Field(default=None, ge=0, le=1_000_000)
    form: Literal["text", "xml", "markdown"] = "text"
    now: Time | None = None
    deadline: float | None = Field(default=None, ge=0, le=60)
    language: Literal["auto", "en", "zh"] | None = None


class ContextOut(Answer):
    """A block for the user's turn: reference, not instructions. Empty when nothing is known."""

    block: str


class EventsIn(ScopedIn):
    """Events, narrowed to a user or a group; never wider than the scope."""

    query: str = Query
    target_user_id: Id | None = None
    target_group_id: Id | None = None
    top_k: int | None = TopK
    time_from: Time | None = None
    time_to: Time | None = None


class ProfilesIn(ScopedIn):
    """Profiles by meaning."""

    query: str = Query
    entity_type: Literal["user", "group"] | None = None
    entity_id: Id | None = None
    top_k: int | None = TopK


class HitOut(Answer):
    """One recalled record."""

    id: str
    text: str
    score: float
    kind: str
    time: datetime | None
    speaker: str | None
    source: str | None
    passage: tuple[int, int] | None = Field(
        None, description="The part of a long text that matched: from which character to which."
    )
    metadata: Data

    @classmethod
    def of(cls, hit: Hit) -> HitOut:
        return cls(
            id=hit.id, text=hit.text, score=hit.score, kind=hit.kind, time=hit.time,
            speaker=hit.speaker, source=hit.source, passage=hit.passage,
            metadata=dict(hit.metadata),
        )  # fmt: skip


class ExplainedOut(Answer):
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
    def of(cls, one: Explained) -> ExplainedOut:
        names = (name for name in cls.model_fields if name != "paths")
        return cls(paths=dict(one.paths), **{name: getattr(one, name) for name in names})


class RecallOut(Answer):
    """What was found, and how: which paths answered, at which level, how fast."""

    hits: list[HitOut]
    level: str = Field(description="hybrid, keyword, profile-only or empty.")
    paths: dict[str, str]
    took_ms: float
    explain: list[ExplainedOut] = Field(default_factory=list)
    weights: dict[str, float] = Field(default_factory=dict)

    @classmethod
    def of(cls, found: Recall) -> RecallOut:
        return cls(
            hits=[HitOut.of(hit) for hit in found.hits],
            level=found.level,
            paths=_plain(found.paths),
            took_ms=found.took_ms,
            explain=[ExplainedOut.of(one) for one in found.explain],
            weights=dict(found.weights),
        )


def _plain(paths: Mapping[str, object]) -> dict[str, str]:
    return {name: str(said) for name, said in paths.items()}
