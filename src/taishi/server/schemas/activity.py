"""Models for what happened over time: growth by kind and day, latency by the minute."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from ...observe.minutes import Activity, MinuteLatency, MinutePeak
from .common import ResponseModel, ScopeQuery, to_utc


class ActivityQuery(ScopeQuery):
    days: int = Field(default=30, ge=1, le=400)


class MinuteLatencyOut(ResponseModel):
    start: datetime | None = Field(description="Of the minute.")
    count: int
    p50_ms: float
    p95_ms: float

    @classmethod
    def of(cls, minute: MinuteLatency) -> MinuteLatencyOut:
        return cls(
            start=to_utc(minute.start),
            count=minute.count,
            p50_ms=minute.p50_ms,
            p95_ms=minute.p95_ms,
        )


class MinutePeakOut(ResponseModel):
    start: datetime | None = Field(description="Of the minute.")
    most: float

    @classmethod
    def of(cls, minute: MinutePeak) -> MinutePeakOut:
        return cls(start=to_utc(minute.start), most=round(minute.most, 3))


class ProcessActivity(ResponseModel):
    """Of this process since it started, three hours at most; minutes without data are left out."""

    recall: list[MinuteLatencyOut]
    end_turn: list[MinuteLatencyOut]
    queue_age: list[MinutePeakOut] = Field(description="Seconds that the oldest job has waited.")

    @classmethod
    def of(cls, activity: Activity) -> ProcessActivity:
        return cls(
            recall=[MinuteLatencyOut.of(one) for one in activity.recall],
            end_turn=[MinuteLatencyOut.of(one) for one in activity.end_turn],
            queue_age=[MinutePeakOut.of(one) for one in activity.queue_age],
        )


class ActivityOut(ResponseModel):
    growth: dict[str, dict[str, int]] = Field(description="By kind: records by the day (UTC).")
    process: ProcessActivity | None = Field(description="Only for a key of the whole server.")

    @classmethod
    def of(cls, growth: dict[str, dict[str, int]], activity: Activity | None) -> ActivityOut:
        process = ProcessActivity.of(activity) if activity is not None else None
        return cls(growth=growth, process=process)
