"""The vector engine as a whole: verified, rebuilt, proved clean (`taishi index`)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..errors import InputError, StorageError
from ..transfer.progress import Progress, unwatched
from .vector_feed import VectorFeed

SAMPLE = 20  # vectors compared in each partition


@dataclass(frozen=True, slots=True)
class VectorIndexCheck:
    """A vector engine compared with the store: how many vectors each has; how many the engine
    lacks, has of an older revision, or has without a record; and of a sample of vectors how many
    differ."""

    engine: str
    partitions: int
    stored: int
    indexed: int
    missing: int
    outdated: int
    extra: int
    sampled: int
    different: int

    @property
    def ok(self) -> bool:
        return not (self.missing or self.outdated or self.extra or self.different)


class VectorIndex:
    """Without a feed, vectors are searched in this process and there is nothing to look after."""

    def __init__(self, feed: VectorFeed | None = None) -> None:
        self._feed = feed

    def verify(self, progress: Progress = unwatched) -> VectorIndexCheck:
        """Feed what waits, then compare every number and revision, and a sample of vectors."""
        feed = self._used()
        chooser = random.Random(0)
        with feed.paused():
            feed.feed_all()
            states = feed.states()
            found: Counter[str] = Counter()
            for done, no in enumerate(sorted(states)):
                progress(done, len(states))
                found += _compared(feed, no, chooser)
            indexed = feed.engine.count()
        progress(len(states), len(states))
        # What is in none of the store's partitions belongs to no record, either.
        found["extra"] += max(0, indexed - found["indexed"])
        names = ("stored", "missing", "outdated", "extra", "sampled", "different")
        counts = {name: found[name] for name in names}
        return VectorIndexCheck(feed.engine.address, len(states), indexed=indexed, **counts)

    def rebuild(self, progress: Progress = unwatched) -> int:
        """Empty the engine and feed it everything; how many vectors it has then. Recall goes on by
        words meanwhile."""
        feed = self._used()
        feed.restart()
        with feed.paused():
            feed.feed_all(progress)
        return feed.engine.count()

    @property
    def feed(self) -> Callable[[], bool] | None:
        """A pass for the background; None: there is nothing to feed."""
        return None if self._feed is None else self._feed.run

    def restart(self) -> None:
        """Every vector is computed again: the engine's are invalid."""
        if self._feed is not None:
            self._feed.restart()

    def settle(self) -> None:
        """Something was erased: it leaves the engine, too, now or as soon as that answers."""
        if self._feed is not None:
            self._feed.settle()

    @property
    def address(self) -> str:
        """Of the engine; empty: vectors are searched in this process."""
        return "" if self._feed is None else self._feed.engine.address

    def check(self) -> None:
        """Raises StorageError if the engine does not answer."""
        if self._feed is not None and not self._feed.settle():
            raise StorageError(
                f"{self.address} does not answer, so what it holds is not known; start it, or wait "
                "until it is back, and ask again"
            )

    def remnants(self) -> str:
        """What the engine still has of removed records; empty: nothing."""
        if self._feed is None:
            return ""
        if not self._feed.settle():
            return "not reached; vectors of removed records are removed when it answers"
        try:
            extra = self.verify().extra
        except StorageError as error:
            return str(error)
        return f"{extra} vectors of no record" if extra else ""

    def status(self) -> dict[str, Any]:
        """The engine, its vectors, how many changes it lacks, and why it does not answer."""
        feed = self._feed
        if feed is None:
            return {"engine": "", "vectors": 0, "lag": 0, "failure": ""}
        return {
            "engine": feed.engine.address,
            "vectors": feed.count,
            "lag": feed.lag,
            "failure": feed.failure,
        }

    def _used(self) -> VectorFeed:
        if self._feed is None:
            raise InputError(
                "vectors are searched in this process (storage.vectors is empty, or there is no "
                "embedder), so there is no engine; `taishi rebuild` rebuilds the index"
            )
        return self._feed


def _compared(feed: VectorFeed, no: int, chooser: random.Random) -> Counter[str]:
    there = feed.engine.entries(no)
    found = Counter(indexed=len(there))
    _, batches = feed.stored(no)
    left = SAMPLE
    for batch in batches:
        same = []
        for number, revision, _ in batch:
            found["stored"] += 1
            known = there.pop(number, None)
            if known == revision:
                same.append(number)
            else:
                found["missing" if known is None else "outdated"] += 1
        some = chooser.sample(same, min(left, len(same)))
        left -= len(some)
        found["sampled"] += len(some)
        found["different"] += len(feed.differing(batch, some))
    found["extra"] = len(there)
    return found
