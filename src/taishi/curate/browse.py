"""Looking through one place as a person does: newest first, filtered, with counts on top."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from typing import Any

from ..domain import arguments
from ..domain.filter_matching import matches
from ..domain.filter_parser import parse_filters
from ..errors import InputError
from ..exported import MapPoint, MeaningMap, Page
from ..ingest.records import checked_confidence
from ..ports import ListingFilter, PartitionDigest, TextCache
from ..ports.browse import ORDERS
from ..ports.filter_expression import names_field
from ..runtime import Runtime
from ..times import TimeLike, to_epoch
from ..types import KINDS, Record, Scope, clean_id, known_names
from .cursors import cursor_of, position_of

MAX_PAGE = 1000
MAX_MAP = 2000
MAX_TEXT_CHARS = 1000
GROWTH_DAYS = 30
STATES = ("approved", "candidate", "conflict", "rejected", "superseded")


class Browser:
    """`redacted` gives a record as it may be shown, whatever rules it was stored under."""

    def __init__(self, runtime: Runtime, redacted: Callable[[Record], Record]) -> None:
        self._runtime = runtime
        self._store = runtime.parts.store
        self._redacted = redacted
        if isinstance(self._store.browse, TextCache):
            runtime.text_caches.register("texts that listings are searched in", self._store.browse)

    def newest(self, scope: Scope, only: ListingFilter, after: str | None, limit: int) -> Page:
        self._runtime.check_scope(scope)
        arguments.whole_number(limit, "limit", MAX_PAGE)
        number, at = position_of(after, only.order_by)
        rows = self._store.browse.newest(scope.home, only, number, limit + 1, at)
        shown = [self._redacted(record) for _, record in rows[:limit]]
        # Or a search would tell, letter by letter, what redaction takes out of an old record.
        shown = [record for record in shown if matches(only.filters, record)]
        if only.text is not None:
            words = only.text.lower()
            shown = [record for record in shown if words in record.text.lower()]
        more = len(rows) > limit
        return Page(tuple(shown), cursor_of(*rows[limit - 1], only.order_by) if more else None)

    def map(self, scope: Scope, kinds: Collection[str] | None, limit: int) -> MeaningMap:
        self._runtime.check_scope(scope)
        arguments.whole_number(limit, "limit", MAX_MAP)
        now = self._runtime.clock()
        only = ListingFilter(kinds=known_names(kinds, KINDS, "kinds"), deleted_at=now)
        rows = self._store.browse.newest(scope.home, only, 0, limit)
        codes = self._store.browse.codes(scope.home, [number for number, _ in rows])
        sizes = Counter(map(len, codes.values()))
        size = sizes.most_common(1)[0][0] if sizes else 0  # another size: of another model
        shown = [
            (record, code) for number, record in rows if len(code := codes.get(number, b"")) == size
        ]
        if not size:
            return MeaningMap(without=len(rows))
        from .meaning_map import positions  # numpy: not for whoever only lists

        places = positions([code for _, code in shown])
        points = (
            MapPoint(self._redacted(record), x, y)
            for (record, _), (x, y) in zip(shown, places, strict=True)
        )
        return MeaningMap(tuple(points), len(rows) - len(shown))

    def digest(self, scope: Scope) -> PartitionDigest:
        self._runtime.check_scope(scope)
        return self._store.browse.digest(scope.home, self._runtime.clock(), GROWTH_DAYS)

    def change_count(self, scope: Scope) -> int:
        self._runtime.check_scope(scope)
        state = self._store.states([scope.home]).get(scope.home)
        return 0 if state is None else state.seq

    def filter(
        self,
        kinds: Collection[str] | None,
        states: Collection[str] | None,
        user: str | int | None,
        tag: str | None,
        text: str | None,
        time_from: TimeLike | None,
        time_to: TimeLike | None,
        min_confidence: float | None,
        expired: bool,
        session: str | int | None = None,
        filters: Mapping[str, Any] | None = None,
        order_by: str = "arrival",
    ) -> ListingFilter:
        """What a caller asked for, checked; InputError says what cannot be used."""
        runtime = self._runtime
        now, asked = runtime.clock(), parse_filters(filters, runtime.zone)
        if order_by not in ORDERS:
            raise InputError(f"unknown order_by {order_by!r:.40}; use {', '.join(ORDERS)}")
        return ListingFilter(
            kinds=known_names(kinds, KINDS, "kinds"),
            states=known_names(states, STATES, "states"),
            user=clean_id(user, "user"),
            tag=_words(tag, "tag"),
            text=_words(text, "text"),
            time_from=None if time_from is None else to_epoch(time_from, runtime.zone),
            time_to=None if time_to is None else to_epoch(time_to, runtime.zone),
            min_confidence=None if min_confidence is None else checked_confidence(min_confidence),
            expired_at=now if expired else None,
            session=clean_id(session, "session"),
            filters=asked,
            deleted_at=None if expired or names_field(asked, "expires") else now,
            order_by=order_by,
        )


def _words(text: str | None, what: str) -> str | None:
    """Nothing but spaces does not narrow. A half character or a NUL is in no stored text."""
    if text is None or not arguments.text(text, what).strip():
        return None
    if len(text) > MAX_TEXT_CHARS:
        raise InputError(f"{what} is too long to look for; use at most {MAX_TEXT_CHARS} characters")
    return text.strip().encode("utf-8", "replace").decode().replace("\0", "?")
