"""The half of a run that lives in a peer's own process: it builds, answers and times itself.

One command a line comes in, one answer a line goes out. Times are taken here, around the peer's
own call and nothing else, so that the pipe costs nobody anything.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

TOP = 10


@dataclass(frozen=True, slots=True)
class Query:
    text: str
    vector: NDArray[np.float32]
    group: str


class Records:
    """What everybody is given: `size` records to begin with, the others to be written singly."""

    def __init__(self, folder: Path, size: int) -> None:
        words = json.loads((folder / "texts.json").read_text(encoding="utf-8"))
        self.size = size
        self.texts: list[str] = words["texts"]
        self.groups: list[str] = words["groups"]
        self.vectors: NDArray[np.float32] = np.load(folder / "vectors.npy")
        asked = np.load(folder / "queries.npy")
        self.queries = [
            Query(text, vector, group)
            for text, vector, group in zip(
                words["questions"], asked, words["question_groups"], strict=True
            )
        ]

    @property
    def width(self) -> int:
        return int(self.vectors.shape[1])

    def embedder(self) -> Callable[[str], NDArray[np.float32]]:
        """For those who ask one: every text's vector, ready-made."""
        known = dict(zip(self.texts, self.vectors, strict=True))
        known.update((query.text, query.vector) for query in self.queries)
        return known.__getitem__


class Peer(Protocol):
    """One product, used in the plain way, without tuning.

    `searches` and `writes` are the ways of it that are timed. A search's answer may be anything
    that holds texts and `numbers_of` can read record numbers from, best first. `build` returns
    the records a second, if it measured that over a part; otherwise the whole of it counts.
    """

    @property
    def searches(self) -> Mapping[str, Callable[[Query], Any]]: ...

    @property
    def writes(self) -> Mapping[str, Callable[[int], object]]: ...

    def build(self) -> float | None: ...

    def numbers_of(self, answer: Any) -> Sequence[int]: ...

    def close(self) -> None: ...


def serve(make: Callable[[Records, Path, Sequence[str]], Peer]) -> None:
    """`python -m … RECORDS FOLDER SIZE [options…]`: obey the commands on standard input."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints is no answer
    given, folder, size, *options = sys.argv[1:]
    records = Records(Path(given), int(size))
    peer = make(records, Path(folder), options)
    for line in sys.stdin:
        try:
            answer = _obey(peer, records, json.loads(line))
        except Exception as error:  # whatever a peer raises is for the table
            answer = {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def _obey(peer: Peer, records: Records, command: Mapping[str, Any]) -> dict[str, Any]:
    what = command["do"]
    if what == "build":
        start = time.perf_counter()
        rate = peer.build()
        seconds = time.perf_counter() - start
        return {"seconds": seconds, "rate": rate or records.size / seconds}
    if what == "close":
        peer.close()
        return {}
    numbers = range(command["from"], command["to"])
    if what == "write":
        times, _ = _timed(peer.writes[command["way"]], numbers, command["budget"])
        return {"seconds": times}
    queries = [records.queries[number] for number in numbers]
    start = time.process_time()
    times, answers = _timed(peer.searches[command["way"]], queries, command["budget"])
    cpu = time.process_time() - start
    found = [list(peer.numbers_of(answer)) for answer in answers]
    return {"seconds": times, "cpu": cpu, "found": found}


def _timed(
    work: Callable[[Any], Any], inputs: Sequence[Any], budget: float
) -> tuple[list[float], list[Any]]:
    """One call an input; a slow peer is stopped when its time is up, not before the first."""
    times: list[float] = []
    answers = []
    end = time.perf_counter() + budget
    for value in inputs:
        start = time.perf_counter()
        answers.append(work(value))
        now = time.perf_counter()
        times.append(now - start)
        if now > end:
            break
    return times, answers
