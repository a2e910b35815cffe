"""Response language from `Accept-Language`: English, or Chinese if that is preferred."""

from __future__ import annotations

from collections.abc import Mapping

MAX_RANGES = 20


def language_of(headers: Mapping[str, str]) -> str:
    """zh if `Accept-Language` prefers Chinese to English, else en."""
    best, chosen = 0.0, "en"
    for language_range in headers.get("accept-language", "")[:500].split(",")[:MAX_RANGES]:
        tag, _, weight = language_range.partition(";")
        name = tag.strip().lower().split("-")[0]
        if name in ("zh", "en") and (quality := _quality(weight)) > best:
            best, chosen = quality, name
    return chosen


def _quality(weight: str) -> float:
    """The number of `q=0.8`; 1 without one, 0 for what cannot be read."""
    name, _, value = weight.strip().partition("=")
    if not name:
        return 1.0
    digits = value.strip()
    return min(float(digits), 1.0) if digits.replace(".", "", 1).isdecimal() else 0.0
