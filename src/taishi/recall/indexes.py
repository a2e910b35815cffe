"""The place indexes that are in memory, fresh on every use and bounded in bytes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..ports import Shelf, Store
from ..types import Place
from .place_index import PlaceIndex


@dataclass(slots=True)
class _Slot:
    """A place's index and the lock under which it catches up."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    index: PlaceIndex | None = None


class Indexes:
    """Least recently used places leave first; the one in use always stays."""

    def __init__(
        self, store: Store, model: str | None, blocks: Sequence[int], max_bytes: int
    ) -> None:
        self._store = store
        self._model = model
        self._blocks = tuple(blocks)
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._by_place: OrderedDict[Place, _Slot] = OrderedDict()

    def fresh(self, places: Sequence[Place]) -> dict[Place, PlaceIndex]:
        """The index of each place that has records, caught up with the store."""
        return {
            place: self._caught_up(place, shelf)
            for place, shelf in self._store.shelves(places).items()
        }

    def _caught_up(self, place: Place, shelf: Shelf) -> PlaceIndex:
        with self._lock:
            slot = self._by_place.setdefault(place, _Slot())
            self._by_place.move_to_end(place)
        index = slot.index
        if index is not None and index.seq >= shelf.seq:
            return index
        with slot.lock:
            index = slot.index
            if index is not None and index.seq >= shelf.seq:
                return index
            if index is not None and not index.worn:
                changes = self._store.changes(index.no, index.seq, self._model)
                if changes is not None:
                    index.follow(changes)
                    return index
            index = PlaceIndex.load(self._store, shelf.no, self._model, self._blocks)
            slot.index = index
        self._make_room(keep=place)
        return index

    def _make_room(self, keep: Place) -> None:
        with self._lock:
            sizes = {p: slot.index.nbytes for p, slot in self._by_place.items() if slot.index}
            total = sum(sizes.values())
            for place, size in sizes.items():
                if total <= self._max_bytes:
                    return
                if place != keep:
                    del self._by_place[place]
                    total -= size

    def stats(self) -> dict[str, int]:
        with self._lock:
            indexes = [slot.index for slot in self._by_place.values() if slot.index]
        return {
            "places": len(indexes),
            "rows": sum(index.rows for index in indexes),
            "vectors": sum(index.vector_count for index in indexes),
            "bytes": sum(index.nbytes for index in indexes),
        }
