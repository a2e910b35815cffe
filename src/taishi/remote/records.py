"""Records of a server: listed, looked at, put right."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import EllipsisType
from typing import Any

from ..domain import arguments
from ..exported import Evidence, MeaningMap, Page, Version
from ..ports import PartitionDigest
from ..times import TimeLike
from ..types import Hit, Record, Scope, clean_id
from .answers import Counters, Growth, MapAnswer, Summary
from .noun import Noun
from .searches import ONE
from .server import Route, encoded, plain_filters, plain_metadata, sendable_time, time_in_query
from .wire import EvidenceAnswer, PageAnswer, RecordAnswer, Related, Versions

LIST = Route("GET", "/memories", PageAnswer)
NEWEST = Route("GET", "/browse", PageAnswer)
MAP = Route("GET", "/map", MapAnswer)
SUMMARY = Route("GET", "/summary", Summary)
ACTIVITY = Route("GET", "/activity", Growth)
CHANGES = Route("GET", "/changes", Counters)
UPDATE = Route("PATCH", "/memories/{}", RecordAnswer, repeatable=True)
VERSIONS = Route("GET", "/memories/{}/history", Versions)
RELATED = Route("GET", "/memories/{}/related", Related)
EVIDENCE = Route("GET", "/memories/{}/evidence", EvidenceAnswer)


class RemoteRecords(Noun):
    def list(
        self,
        scope: Scope,
        kinds: Collection[str] | None = None,
        after: str | None = None,
        limit: int = 100,
    ) -> Page:
        found = self._server.call(LIST, scope, kinds=kinds, after=after, limit=limit)
        return found.page(self._server.home(scope))

    def newest(
        self,
        scope: Scope,
        kinds: Collection[str] | None = None,
        states: Collection[str] | None = None,
        user: str | int | None = None,
        tag: str | None = None,
        text: str | None = None,
        time_from: TimeLike | None = None,
        time_to: TimeLike | None = None,
        min_confidence: float | None = None,
        expired: bool = False,
        after: str | None = None,
        limit: int = 100,
        *,
        session: str | int | None = None,
        filters: Mapping[str, Any] | None = None,
        order_by: str = "arrival",
    ) -> Page:
        fields: dict[str, Any] = {
            "kinds": kinds,
            "states": states,
            "person": clean_id(user, "user"),
            "tag": None if tag is None else arguments.text(tag, "tag"),
            "text": None if text is None else arguments.text(text, "text"),
        }
        fields |= {"time_from": time_in_query(time_from), "time_to": time_in_query(time_to)}
        fields |= {"min_confidence": min_confidence, "expired": bool(expired), "after": after}
        fields |= {"in_session": clean_id(session, "session"), "order_by": order_by}
        if filters is not None:
            fields["filters"] = encoded(plain_filters(filters)).decode()
        found = self._server.call(NEWEST, scope, limit=limit, **fields)
        return found.page(self._server.home(scope))

    def map(
        self, scope: Scope, kinds: Collection[str] | None = None, limit: int = 2000
    ) -> MeaningMap:
        found = self._server.call(MAP, scope, kinds=kinds, limit=limit)
        return found.map(self._server.home(scope))

    def digest(self, scope: Scope) -> PartitionDigest:
        found = self._server.call(SUMMARY, scope)
        return PartitionDigest(
            found.total,
            found.kinds,
            found.states,
            found.mean_confidence,
            found.expired,
            found.growth,
        )

    def growth(self, scope: Scope, days: int = 30) -> dict[str, dict[str, int]]:
        return self._server.call(ACTIVITY, scope, days=days).growth

    def change_count(self, scope: Scope) -> int:
        return self._server.call(CHANGES, scope).records

    def get(self, scope: Scope, id: str) -> Record | None:
        if not str(id).strip():
            return None
        found = self._server.find(ONE, scope, id)
        return None if found is None else found.record(self._server.home(scope))

    def update(
        self,
        scope: Scope,
        id: str,
        text: str | None = None,
        time: TimeLike | None = None,
        speaker: str | None = None,
        confidence: float | None = None,
        metadata: Mapping[str, Any] | None = None,
        *,
        expires: TimeLike | EllipsisType | None = ...,
        actor: str = "host",
        door: str = "python",
    ) -> Record:
        """None as `expires` is sent: it means never."""
        fields: dict[str, Any] = {"text": text, "speaker": speaker, "confidence": confidence}
        fields |= {
            "time": sendable_time(time),
            "metadata": None if metadata is None else plain_metadata(metadata),
        }
        never = {} if isinstance(expires, EllipsisType) else {"expires": sendable_time(expires)}
        found = self._server.call(UPDATE, scope, id, actor=actor, body=never, **fields)
        return found.record(self._server.home(scope))

    def versions(self, scope: Scope, id: str) -> tuple[Version, ...]:
        return self._server.call(VERSIONS, scope, id).values()

    def related(self, scope: Scope, id: str, limit: int = 5) -> tuple[Hit, ...]:
        return tuple(self._server.call(RELATED, scope, id, limit=limit).related)

    def evidence(self, scope: Scope, id: str) -> Evidence:
        return self._server.call(EVIDENCE, scope, id).evidence()
