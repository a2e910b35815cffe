"""The goals that a run is held against."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from benchmarks.measure import Row
from benchmarks.peers.figures import Figures, Ratio, Repeats
from benchmarks.peers.line_up import OURS, OURS_ONE_SCOPE

FLOOR = "floor"
READ = "read"
SYNC = "fsync"
LARGE = 100_000

RECALL_TIMES = 5.0
VECTOR_TIMES = 15.0
WRITE_TIMES = 5.0
LANGGRAPH_TIMES = {False: 1.0, True: 3.0}  # by whether the store is large
SCAN_FLOORS = 4.0


def rows(size: int, all_figures: Mapping[str, Figures]) -> list[Row]:
    return list(_rows(size, all_figures))


def _rows(size: int, told: Mapping[str, Figures]) -> Iterator[Row]:
    ours = told[OURS]
    exact = ours.exactness("vectors") or 0.0
    for name in ("chromadb", "lancedb", "mem0"):
        if peer := told.get(name):
            what = f"{name}'s vector search / our whole recall"
            yield _row(what, _searches(peer, ours, "filtered"), RECALL_TIMES, peer)
            theirs = peer.exactness("filtered")
            if theirs is not None:
                told_apart = f"{exact:.4f} against {theirs:.4f}"
                yield Row("… our overlap@10 against theirs", told_apart, "≥", exact >= theirs)
    if peer := told.get("langgraph sqlite"):
        what = "langgraph sqlite's search / our whole recall"
        times = LANGGRAPH_TIMES[size >= LARGE]
        yield _row(what, _searches(peer, ours, "filtered"), times, peer)
    for name in ("chromadb", "lancedb"):
        if peer := told.get(name):
            what = f"{name}'s vector search / our vector path"
            yield _row(what, _searches(peer, ours, "vectors"), VECTOR_TIMES, peer)
    for name in ("chromadb", "lancedb", "mem0 on chromadb"):
        if peer := told.get(name):
            written = peer.writes.get("one", [])
            what = f"{name}'s write / our remember"
            yield _row(what, Ratio.of(written, ours.writes.get("one", [])), WRITE_TIMES, peer)
            whole = Ratio.of(written, ours.writes.get("one, vector too", []))
            yield Row("… / our remember and its vector", str(whole or "–"))
    yield from _floor_rows(size, told)


def _floor_rows(size: int, told: Mapping[str, Figures]) -> Iterator[Row]:
    floor = told[FLOOR]
    if scan := told.get(OURS_ONE_SCOPE):
        repeats = scan.searches.get("unfiltered vectors", [])
        ratio = Ratio.of(repeats, floor.searches.get(READ, []))
        what = f"our unfiltered vector scan of {size:,} / one read of its bytes"
        if ratio is None or size < LARGE:
            yield Row(what, str(ratio or scan.out))
        else:
            yield Row(what, str(ratio), f"≤ {SCAN_FLOORS:g}", ratio.middle <= SCAN_FLOORS)
    sync = Ratio.of(told[OURS].writes.get("one", []), floor.writes.get(SYNC, []))
    yield Row("our remember / one fsync", str(sync or "–"))


def _searches(peer: Figures, ours: Figures, way: str) -> Ratio | None:
    theirs: Repeats = peer.searches.get("filtered", [])
    return Ratio.of(theirs, ours.searches.get(way, []))


def _row(what: str, ratio: Ratio | None, times: float, peer: Figures) -> Row:
    bar = f"≥ {times:g}"
    if ratio is None:
        return Row(what, peer.out or "not measured", bar)
    return Row(what, str(ratio), bar, ratio.middle >= times)
