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
        default=None, max_length=1000, description="Only what contains exactly this text."
    )
    time_from: Time | None = None
    time_to: Time | None = None
    min_confidence: float | None = Field(default=None, ge=0, le=1)
    expired: bool = Field(
        default=False, description="Only what is still in force by its state, but has expired."
    )
    in_session: Id | None = Field(default=None, description="Only records of this session.")
    filters: str | None = Field(
        default=None, max_length=100_000, description="Only matching records; a JSON object."
    )
    order_by: Literal["arrival", "created", "updated"] = Field(
        default="arrival", description="By arrival, last first, or by this time, newest first."
    )
    after: str | None = Field(
        default=None, max_length=80, description="`next` of the previous page."
    )
    limit: int = Field(default=100, ge=1, le=1000)
    preview: bool = Field(
        default=False, description="Long texts and long lists are shortened, for a list of cards."
    )


class MapQuery(ScopeQuery):
    kinds: list[KindName] | None = Field(default=None, description="Only these kinds.")
    limit: int = Field(default=2000, ge=1, le=2000)


class MapPointOut(ResponseModel):
    """A memory, its text shortened, and its position by meaning, from -1 to 1."""

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
    oldest_seconds: float = Field(description="Age of the oldest unfinished job.")


class SummaryOut(ResponseModel):
    """A partition at a glance, and the state of the engine behind it."""

    total: int
    kinds: dict[str, int]
    states: dict[str, int]
    mean_confidence: float | None = Field(description="Of the facts in force; null: there is none.")
    expired: int = Field(description="Still in force by their state, but expired.")
    growth: dict[str, int] = Field(description="Records by the day (UTC) they were stored.")
    enabled: bool
    read_only: bool
    has_proxy: bool = Field(description="Whether /openai/v1 has a model behind it.")
    max_body_mb: int = Field(description="The largest file that may be sent.")
    timezone: str = Field(description="Used for dates without a zone.")
    queue: QueueHealth | None = Field(description="Only for a key of the whole server.")
    degraded: dict[str, str] = Field(description="What is not working right now, and why.")

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
    """If two answers are equal, nothing changed in between."""

    records: int = Field(description="Counts every write to the scope's partition.")
    shared: int = Field(description="The same for what the workspace shares with this scope.")
    jobs: int = Field(description="Jobs that are waiting or running.")
    failed: int = Field(description="Jobs that failed.")


class PartitionOut(ResponseModel):
    """A private chat, a group, an agent, or the workspace's shared memory."""

    kind: str = Field(description="private, group, agent or workspace")
    id: str = Field(description="The user's, the group's or the agent's id; empty: shared.")
    records: int
    last_time: datetime | None = Field(description="When the newest was stored.")
    name: str = Field(description="From the profile of the user or group; empty: not known.")

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

    key: str = Field(description="The dotted key, as in a change.")
    type: str = Field(description="boolean, integer, number, string or choice")
    value: Any = Field(description="The value in force; a secret is shown as ***.")
    default: Any
    low: float | None
    high: float | None
    choices: list[str]
    secret: bool
    live: bool = Field(description="Takes effect immediately; else after a restart.")
    set_by: str | None = Field(description="Where it is set: the file, or what overrides it.")
    en: str
    zh: str


class SettingsSectionOut(ResponseModel):
    key: str
    en: str
    zh: str
    fields: list[SettingOut]


class SettingsFormOut(ResponseModel):
    file: str | None = Field(description="The file that changes are written to; null: none.")
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
    """What the new key may do."""

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
        default=None,
        description="Writes and decides as a person; null: if it is an admin key.",
    )


class NewKeyOut(ResponseModel):
    key: KeyOut
    secret: str = Field(description="Shown only once; only its hash is stored.")
