"""What came out for each contender, and ratios between two of them with their spread."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.measure import Spread

Repeats = list[list[float]]  # seconds, a list for each repeat


@dataclass(slots=True)
class Figures:
    """One contender at one size. `out` says why there is no more of it."""

    name: str
    searches: dict[str, Repeats] = field(default_factory=dict)
    overlaps: dict[str, list[float]] = field(default_factory=dict)
    unanswered: dict[str, int] = field(default_factory=dict)
    cpu: dict[str, float] = field(default_factory=dict)  # seconds of all threads, all searches
    writes: dict[str, Repeats] = field(default_factory=dict)
    ingest: float | None = None
    disk_bytes: int | None = None
    out: str = ""

    def spread(self, way: str) -> Spread | None:
        return _whole(self.searches.get(way, []))

    def write_spread(self, way: str = "one") -> Spread | None:
        return _whole(self.writes.get(way, []))

    def exactness(self, way: str) -> float | None:
        found = self.overlaps.get(way)
        return statistics.fmean(found) if found else None

    def cpu_ms(self, way: str) -> float | None:
        """Mean CPU time of a search: what a busy machine blurs least."""
        count = sum(map(len, self.searches.get(way, [])))
        return self.cpu[way] / count * 1000 if count and way in self.cpu else None

    def as_dict(self) -> dict[str, Any]:
        return {
            "searches": {way: _told(repeats) for way, repeats in self.searches.items()},
            "overlap_at_10": {way: self.exactness(way) for way in self.overlaps},
            "cpu_ms": {way: self.cpu_ms(way) for way in self.cpu},
            "unanswered": self.unanswered,
            "writes": {way: _told(repeats) for way, repeats in self.writes.items()},
            "ingest_per_second": self.ingest,
            "disk_bytes": self.disk_bytes,
            "out": self.out,
        }


@dataclass(frozen=True, slots=True)
class Ratio:
    """How many times as long A took as B, a ratio of medians for each repeat."""

    middle: float
    low: float
    high: float

    @staticmethod
    def of(slower: Repeats, faster: Repeats) -> Ratio | None:
        pairs = zip(slower, faster, strict=False)
        ratios = [statistics.median(a) / statistics.median(b) for a, b in pairs if a and b]
        if not ratios:
            return None
        return Ratio(statistics.median(ratios), min(ratios), max(ratios))

    def __str__(self) -> str:
        return f"{self.middle:.1f} ({self.low:.1f} – {self.high:.1f})"


def _whole(repeats: Sequence[Sequence[float]]) -> Spread | None:
    seconds = [second for repeat in repeats for second in repeat]
    return Spread.of(seconds) if seconds else None


def _told(repeats: Repeats) -> dict[str, Any]:
    whole = _whole(repeats)
    each = [Spread.of(repeat).as_dict() for repeat in repeats if repeat]
    return {"all": whole.as_dict() if whole else None, "repeats": each}
