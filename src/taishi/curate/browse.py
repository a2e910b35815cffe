"""Looking through one place as a person does: newest first, filtered, with counts on top."""

from __future__ import annotations

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections import Counter
from collections.abc import Callable, Collection

from ..errors import InputError
from ..exported import MapPoint, MeaningMap, Page
from ..ingest.job_builder import whole_number
from ..ingest.records import checked_confidence
from ..ports import ListingFilter, PartitionDigest
from ..runtime import Runtime
from ..times import TimeLike, to_epoch
from ..types import KINDS, Record, Scope, clean_id

MAX_PAGE = 1000
MAX_MAP = 2000
MAX_TEXT_CHARS = 1000
GROWTH_DAYS = 30
CURSOR = "v1:"
STATES = ("approved", "candidate", "conflict", "rejected", "superseded")


class Browser:
    """`redacted` gives a record as it may be shown, whatever rules it was stored under."""

    def __init__(self, runtime: Runtime, redacted: Callable[[Record], Record]) -> None:
        self._runtime = runtime
        self._store = runtime.parts.store
        self._redacted = redacted

    def newest(self, scope: Scope, only: ListingFilter, after: str | None, limit: int) -> Page:
        self._runtime.check_scope(scope)
        whole_number(limit, "limit", MAX_PAGE)
        rows = self._store.browse.newest(scope.home, only, number_of(after), limit + 1)
        shown = [self._redacted(record) for _, record in rows[:limit]]
        if only.text is not None:
            # Or a search would tell, letter by letter, what redaction takes out of an old record.
            words = only.text.lower()
            shown = [record for record in shown if words in record.text.lower()]
        more = len(rows) > limit
        return Page(tuple(shown), cursor_of(rows[limit - 1][0]) if more else None)

    def map(self, scope: Scope, kinds: Collection[str] | None, limit: int) -> MeaningMap:
        self._runtime.check_scope(scope)
        whole_number(limit, "limit", MAX_MAP)
        only = ListingFilter(kinds=_known(kinds, KINDS, "kinds"))
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
    ) -> ListingFilter:
        """What a caller asked for, checked; InputError says what cannot be used."""
        runtime = self._runtime
        return ListingFilter(
            kinds=_known(kinds, KINDS, "kinds"),
            states=_known(states, STATES, "states"),
            user=clean_id(user, "user"),
            tag=_words(tag, "tag"),
            text=_words(text, "text"),
            time_from=None if time_from is None else to_epoch(time_from, runtime.zone),
            time_to=None if time_to is None else to_epoch(time_to, runtime.zone),
            min_confidence=None if min_confidence is None else checked_confidence(min_confidence),
            expired_at=runtime.clock() if expired else None,
        )


def _known(
    given: Collection[str] | None, known: Collection[str], what: str
) -> Collection[str] | None:
    if given is not None and (unknown := set(given) - set(known)):
        raise InputError(f"unknown {what} {sorted(unknown)}; use some of {', '.join(known)}")
    return given


def _words(text: str | None, what: str) -> str | None:
    """Nothing but spaces does not narrow. A half character or a NUL is in no stored text."""
    if text is None or not text.strip():
        return None
    if len(text) > MAX_TEXT_CHARS:
        raise InputError(f"{what} is too long to look for; use at most {MAX_TEXT_CHARS} characters")
    return text.strip().encode("utf-8", "replace").decode().replace("\0", "?")


def cursor_of(number: int) -> str:
    return urlsafe_b64encode(f"{CURSOR}{number}".encode()).decode().rstrip("=")


def number_of(cursor: str | None) -> int:
    """A cursor is only a number: one from elsewhere shows nothing that is not here."""
    if cursor is None:
        return 0
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        text = urlsafe_b64decode(padded).decode("ascii")
        if len(text) < 30 and text.startswith(CURSOR):
            return min(max(int(text.removeprefix(CURSOR)), 0), 2**62)
    except (binascii.Error, ValueError):
        pass
    raise InputError("this cursor is not one of ours; take `next` from the page before")
