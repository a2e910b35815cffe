"""The conditions of a listing on rows of `records` (alias r)."""

from __future__ import annotations

from typing import Any

from ...ports import ListingFilter
from .filter_sql import compiled

ORDER_KEYS = {"arrival": "", "created": "r.created", "updated": "coalesce(r.updated, r.created)"}
_CONDITIONS = {
    "kinds": "r.kind = ANY (%(kinds)s::text[])",
    "states": "r.state = ANY (%(states)s::text[])",
    "user": "r.user_id = %(user)s",
    "time_from": "coalesce(r.time, r.created) >= %(time_from)s",
    "time_to": "coalesce(r.time, r.created) <= %(time_to)s",
    "min_confidence": "r.confidence >= %(min_confidence)s",
    "expired_at": "r.state = 'approved' AND least(r.until, r.expires) <= %(expired_at)s",
    "deleted_at": "(r.expires IS NULL OR r.expires > %(deleted_at)s)",
    "session": "r.session = %(session)s",
    # With the collation "C" only Latin letters have a case.
    "text": 'strpos(lower(r.text), lower(%(text)s::text COLLATE "C")) > 0',
    "tag": "%(tag)s = ANY (r.tags)",
}


def listing_conditions(only: ListingFilter) -> tuple[str, dict[str, Any]]:
    """Each begins with AND."""
    values = {name: value for name in _CONDITIONS if (value := getattr(only, name)) is not None}
    parts = [_CONDITIONS[name] for name in values]
    for name in ("kinds", "states"):
        if name in values:
            values[name] = list(values[name])
    if only.filters is not None:
        condition, given = compiled(only.filters)
        parts.append(condition)
        values |= given
    return "".join(f" AND {part}" for part in parts), values
