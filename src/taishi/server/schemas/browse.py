"""Models for looking through a memory: listings, counts, partitions, the settings form, keys."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import ConfigDict, Field

from ...api_keys import Key
from ...exported import MeaningMap
from ...ports import PartitionDigest, PartitionInfo
from .common import Id, RequestModel, ResponseModel, ScopeQuery, Time, to_utc
from .curate import FactState
from .memories import KindName

Rights = Literal["read", "write", "admin"]


class BrowseQuery(ScopeQuery):
    """Which memories to list, newest first."""

    kinds: list[KindName] | None = Field(default=None, description="Only these kinds.")
    states: list[FactState] | None = Field(default=None, description="Only in these states.")
    person: Id | None = Field(default=None, description="Only what belongs to this user.")
    tag: str | None = Field(default=None, max_length=1000, description="Only with this tag.")
    text: str | None = Field(
        default=None, max_length=1000, description="Only what has these words, as they stand."
    )
    time_from: Time | None = None
    time_to: Time | None = None
    min_confidence: float | None = Field(default=None, ge=0, le=1)
    expired: bool = Field(
        default=False, description="Only what is in force by its state, but has ended."
    )
    in_session: Id | None = Field(default=None, description="Only records of this session.")
    filters: str | None = Field(
        default=None, max_length=100_000, description="Only records that fit; a JSON object."
    )
    order_by: Literal["arrival", "created", "updated"] = Field(
        default="arrival", description="The last to come first, or the newest by this time."
    )
    after: str | None = Field(default=None, max_length=80, description="`next` of the page before.")
    limit: int = Field(default=100, ge=1, le=1000)
    preview: bool = Field(
        default=False, description="Long texts and long lists are cut, for a list of cards."
    )


class MapQuery(ScopeQuery):
    kinds: list[KindName] | None = Field(default=None, description="Only these kinds.")
    limit: int = Field(default=2000, ge=1, le=2000)


class MapPointOut(ResponseModel):
    """A memory, its text cut, and where it lies by meaning, each from -1 to 1."""

    id: str
    kind: str
    state: str
    text: str
    time: datetime | None
    x: float
    y: float


class MapOut(ResponseModel):
    points: list[MapPointOut] = Field(description="Near ones say similar things.")
    without: int = Field(description="Records that have no vector (yet).")

    @classmethod
    def of(cls, found: MeaningMap, text_chars: int = 200) -> MapOut:
        return cls(
            points=[
                MapPointOut(
                    id=point.record.id,
                    kind=point.record.kind,
                    state=point.record.state,
                    text=point.record.text[:text_chars],
                    time=to_utc(point.record.time or point.record.created),
                    x=round(point.x, 4),
                    y=round(point.y, 4),
                )
                for point in found.points
            ],
            without=found.without,
        )


class QueueHealth(ResponseModel):
    pending: int
    processing: int
    failed: int
    oldest_seconds: float = Field(description="Age of the oldest job that is not done.")


class SummaryOut(ResponseModel):
    """A place at a glance, and how the engine behind it is doing."""

    total: int
    kinds: dict[str, int]
    states: dict[str, int]
    mean_confidence: float | None = Field(description="Of the facts in force; null: there is none.")
    expired: int = Field(description="In force by its state, but its time has ended.")
    growth: dict[str, int] = Field(description="Records by the day (UTC) they were stored.")
    enabled: bool
    read_only: bool
    has_proxy: bool = Field(description="Whether /openai/v1 has a model behind it.")
    max_body_mb: int = Field(description="How large a file may be that is sent.")
    timezone: str = Field(description="In which days are meant where no zone is named.")
    queue: QueueHealth | None = Field(description="Only for a key of the whole server.")
    degraded: dict[str, str] = Field(description="What does not work at the moment, and why.")

    @classmethod
    def of(cls, digest: PartitionDigest, **engine: Any) -> SummaryOut:
        return cls(
            total=digest.total,
            kinds=dict(digest.kinds),
            states=dict(digest.states),
            mean_confidence=digest.mean_confidence,
            expired=digest.expired,
            growth=dict(digest.growth),
            **engine,
        )


class ChangesOut(ResponseModel):
    """Two equal answers: nothing changed meanwhile."""

    records: int = Field(description="Counts every write to the scope's own place.")
    shared: int = Field(description="The same for what the workspace shares with this scope.")
    jobs: int = Field(description="Jobs that wait or are at hand.")
    failed: int = Field(description="Jobs that were given up.")


class PartitionOut(ResponseModel):
    """A chat, a group, an agent, or what the workspace shares."""

    kind: str = Field(description="private, group, agent or workspace")
    id: str = Field(description="Of the user, the group or the agent; empty: shared.")
    records: int
    last_time: datetime | None = Field(description="When the newest was stored.")
    name: str = Field(description="As on the page of the user or group; empty: not known.")

    @classmethod
    def of(cls, info: PartitionInfo) -> PartitionOut:
        return cls(
            kind=info.partition.kind,
            id=info.partition.id,
            records=info.records,
            last_time=to_utc(info.last_time),
            name=info.name,
        )


class PartitionsOut(ResponseModel):
    workspace: str
    partitions: list[PartitionOut]


class SettingOut(ResponseModel):
    """One field of the form."""

    key: str = Field(description="Dotted, as a change names it.")
    type: str = Field(description="boolean, integer, number, string or choice")
    value: Any = Field(description="In force; a secret that is set is ***.")
    default: Any
    low: float | None
    high: float | None
    choices: list[str]
    secret: bool
    live: bool = Field(description="Takes effect at once; else after a restart.")
    set_by: str | None = Field(description="Who set it: the file, or something stronger.")
    en: str
    zh: str


class SettingsSectionOut(ResponseModel):
    key: str
    en: str
    zh: str
    fields: list[SettingOut]


class SettingsFormOut(ResponseModel):
    file: str | None = Field(description="The file that a change is written into; null: none.")
    sections: list[SettingsSectionOut]


class KeyOut(ResponseModel):
    """A key without its secret."""

    id: str
    name: str
    workspace: str | None = Field(description="Null: every workspace.")
    rights: str
    user: str | None
    group: str | None
    agent: str | None
    created: datetime | None
    expires: datetime | None
    revoked: datetime | None
    as_person: bool

    @classmethod
    def of(cls, key: Key) -> KeyOut:
        return cls(
            id=key.id,
            name=key.name,
            workspace=key.workspace,
            rights=key.rights,
            user=key.user,
            group=key.group,
            agent=key.agent,
            created=to_utc(key.created),
            expires=to_utc(key.expires),
            revoked=to_utc(key.revoked),
            as_person=key.as_person,
        )


class KeysOut(ResponseModel):
    keys: list[KeyOut]


class KeyIn(RequestModel):
    """What the new key opens."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: str = Field(
        min_length=1, max_length=100, pattern=r"^[^\x00-\x1f\x7f\ufffd]*\S[^\x00-\x1f\x7f\ufffd]*$"
    )
    workspace: Id | None = Field(default=None, description="Null: every workspace.")
    rights: Rights = "write"
    user: Id | None = None
    group: Id | None = None
    agent: Id | None = None
    as_person: bool | None = Field(
        default=None, description="Writes and decides as a person; null: only an admin key does."
    )


class NewKeyOut(ResponseModel):
    key: KeyOut
    secret: str = Field(description="Shown this once; only its hash is kept.")
