"""A second search engine, as plain as can be: it shows that recall needs no more than its ports.

`BruteForceVectors` compares a question with every vector, `BruteForceSource` counts words besides.
Both hold everything in lists, as a database would in tables.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taishi.ports import CandidateRequest, Candidates, Embedder, SearchSnapshot, VectorSearch
from taishi.ports.candidates import Floats, Mask, RecordsByNumber, Rows, RunBlocking
from taishi.times import Deadline
from taishi.types import Level, Partition, Record, VisiblePartition


class BruteForceVectors:
    """Implements ports.VectorSearch."""

    def __init__(self) -> None:
        self._model = ""
        self._vectors: dict[int, tuple[int, Floats]] = {}

    def put(self, model: str, vectors: Sequence[tuple[int, int, Floats]]) -> None:
        if model != self._model:
            self._model = model
            self._vectors.clear()
        for number, revision, vector in vectors:
            if number not in self._vectors or self._vectors[number][0] < revision:
                self._vectors[number] = revision, vector

    def remove(self, numbers: Collection[int]) -> None:
        for number in numbers:
            self._vectors.pop(number, None)

    def search(
        self,
        partition: int,
        queries: Sequence[Floats],
        k: int,
        allowed: Collection[int] | None = None,
    ) -> list[tuple[int, float]]:
        found = []
        for number, (_, vector) in self._vectors.items():
            if number >> 32 == partition and (allowed is None or number in allowed):
                whole, *parts = (float(query @ vector) for query in queries)
                found.append((number, (whole + max(parts)) / 2 if parts else whole))
        return sorted(found, key=lambda pair: -pair[1])[: max(k, 0)]


@dataclass(frozen=True)
class Found:
    """The rows of one answer, with their columns. Implements ports.CandidateDetails."""

    by_number: dict[int, Record]
    vectors_by_number: dict[int, Floats]
    has_passages: bool = False

    def identities(self, rows: Rows) -> list[tuple[int, int]]:
        return [(number, 1) for number in rows.tolist()]

    def said(self, rows: Rows) -> Mask:
        speakers = [self.by_number[number].speaker for number in rows.tolist()]
        return np.array([name not in (None, "assistant") for name in speakers], np.bool_)

    def trust(self, rows: Rows) -> Floats | None:
        return None

    def shared(self, rows: Rows) -> Mask:
        kinds = [self.by_number[number].place.kind for number in rows.tolist()]
        return np.array([kind == "workspace" for kind in kinds], np.bool_)

    def vectors(self, rows: Rows) -> NDArray[Any]:
        return np.array([self.vectors_by_number[number] for number in rows.tolist()], np.float32)

    def passage(self, row: int) -> int | None:
        return None

    def records(self, rows: Rows, run_blocking: RunBlocking) -> RecordsByNumber:
        return run_blocking(lambda: {number: self.by_number[number] for number in rows.tolist()})


class BruteForceSource:
    """Implements ports.CandidateSource over a list of records: k by words, k by vector."""

    def __init__(
        self, records: Sequence[Record], embedder: Embedder, vectors: VectorSearch | None = None
    ) -> None:
        self._embedder = embedder
        self._search = vectors or BruteForceVectors()
        places = sorted({record.place for record in records}, key=repr)
        self._numbers = {place: at for at, place in enumerate(places, start=1)}
        self._records = {
            self._numbers[record.place] << 32 | at: record for at, record in enumerate(records)
        }
        texts = [record.text for record in records]
        self._vectors = dict(zip(self._records, embedder.embed(texts, "document"), strict=True))
        self._search.put("m", [(number, 1, row) for number, row in self._vectors.items()])

    @property
    def uses_vectors(self) -> bool:
        return True

    def warm_snapshot(self, request: CandidateRequest) -> SearchSnapshot | None:
        return None

    def snapshot(self, request: CandidateRequest, deadline: Deadline) -> SearchSnapshot:
        return SearchSnapshot(request.visible(), len(self._records), intent_matters=False)

    def held_snapshot(self, request: CandidateRequest) -> SearchSnapshot | None:
        return None

    def candidates(
        self, request: CandidateRequest, snapshot: SearchSnapshot, deadline: Deadline
    ) -> Candidates | None:
        numbers = {
            number: record
            for number, record in self._records.items()
            if _may_see(record, snapshot.visible)
        }
        if not numbers:
            return None
        wanted = {
            number: record for number, record in numbers.items() if _is_wanted(record, request)
        }
        asked = _words(request.text)
        coverage = {n: len(asked & _words(r.text)) / len(asked or " ") for n, r in wanted.items()}
        by_words = sorted((n for n in wanted if coverage[n]), key=lambda n: -coverage[n])
        cosines = self._cosines(request, wanted)
        ranked = {
            "keyword": by_words[: request.count],
            "vector": sorted(cosines, key=lambda n: -cosines[n])[: request.count],
            "recency": sorted(wanted, key=lambda n: -(wanted[n].time or 0.0))[:5],
        }
        return self._columns(wanted, ranked, coverage, cosines)

    def _cosines(self, request: CandidateRequest, wanted: dict[int, Record]) -> dict[int, float]:
        query = self._embedder.embed([request.text], "query")[0]
        found: dict[int, float] = {}
        for partition in {number >> 32 for number in wanted}:
            found |= dict(self._search.search(partition, [query], request.count, wanted))
        return found

    def _columns(
        self,
        wanted: dict[int, Record],
        ranked: dict[str, list[int]],
        coverage: dict[int, float],
        cosines: dict[int, float],
    ) -> Candidates:
        rows = sorted({number for numbers in ranked.values() for number in numbers})
        records = [wanted[number] for number in rows]
        kinds = sorted({record.kind for record in records})
        words = np.array([coverage[number] for number in rows], np.float32)
        near = np.array([max(0.0, cosines.get(number, 0.0)) for number in rows], np.float32)
        level: Level = "hybrid"
        return Candidates(
            rows=np.array(rows, np.int64),
            ranked={path: np.array(numbers, np.int64) for path, numbers in ranked.items()},
            times=np.array([np.nan if r.time is None else r.time for r in records], np.float64),
            sessions=np.full(len(rows), -1),
            session_count=0,
            kinds=np.array([kinds.index(record.kind) for record in records], np.int64),
            kind_names=kinds,
            first=np.zeros(len(rows), np.bool_),
            unembedded=np.zeros(len(rows), np.bool_),
            cosine=near,
            nearness=near,
            coverage=words,
            around=words,
            session_coverage=words,
            details=Found(wanted, self._vectors),
            paths={"keyword": "ok", "recency": "ok", "vector": "ok"},
            level=level,
        )

    def forget(self, partition: Partition, changed: Sequence[Partition]) -> None:
        gone = [number for number, r in self._records.items() if r.place == partition]
        self._search.remove(gone)
        for number in gone:
            del self._records[number]

    def forget_texts(self) -> None:
        """The records are the store here."""

    def stats(self) -> dict[str, int]:
        return {"rows": len(self._records)}

    def close(self) -> None:
        self._embedder.close()


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def _may_see(record: Record, visible: Sequence[VisiblePartition]) -> bool:
    return any(
        one.place == record.place and one.only_user in (None, record.user) for one in visible
    )


def _is_true(record: Record, request: CandidateRequest) -> bool:
    """Now, or at some time of what was asked about the past."""
    wanted = request.filter
    since, until = (
        default if given is None else given
        for given, default in ((record.since, -np.inf), (record.until, np.inf))
    )
    if wanted.asked is None:
        return record.state in wanted.states and until > wanted.now
    begin, end = wanted.asked
    held = record.state in wanted.states or (record.state == "superseded" and until > since)
    return held and since < end and until > begin


def _is_wanted(record: Record, request: CandidateRequest) -> bool:
    wanted = request.filter
    return (
        _is_true(record, request)
        and (wanted.kinds is None or record.kind in wanted.kinds)
        and (wanted.time_from is None or (record.time or -np.inf) >= wanted.time_from)
        and (wanted.time_to is None or (record.time or np.inf) <= wanted.time_to)
    )
