"""The recall-echo guard (H6): what memory itself said is no evidence for what it says."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence

from ..language.segment import terms
from ..types import Job, Place
from .sameness import quoted_by_person

COVERED = 0.8
PER_PLACE = 200
PLACES = 1000
MAX_CHARS = 4000


class Echoes:
    """The texts that recall handed out lately, place by place; bounded, for many threads."""

    def __init__(self, per_place: int = PER_PLACE, places: int = PLACES) -> None:
        self._per_place = per_place
        self._most = places
        self._places: OrderedDict[Place, OrderedDict[str, None]] = OrderedDict()
        self._lock = threading.Lock()

    def add(self, place: Place, texts: Iterable[str]) -> None:
        with self._lock:
            told = self._places.setdefault(place, OrderedDict())
            self._places.move_to_end(place)
            for text in texts:
                told[text[:MAX_CHARS]] = None
                told.move_to_end(text[:MAX_CHARS])
            while len(told) > self._per_place:
                told.popitem(last=False)
            while len(self._places) > self._most:
                self._places.popitem(last=False)

    def recent(self, place: Place) -> tuple[str, ...]:
        """Oldest first."""
        with self._lock:
            return tuple(self._places.get(place, ()))

    def texts(self) -> list[str]:
        with self._lock:
            return [text for told in self._places.values() for text in told]

    def forget(self, matches: Callable[[Place], bool] = lambda place: True) -> None:
        with self._lock:
            for place in [place for place in self._places if matches(place)]:
                del self._places[place]


def is_echo(text: str, quote: str, recalled: Sequence[str], job: Job) -> bool:
    """A statement, or its evidence, that came out of recall and that no person said anew."""
    if not recalled or quoted_by_person(quote, job):
        return False
    wanted = [found for found in (_words(text), _words(quote)) if found]
    if not wanted:
        return False
    for told in recalled:
        known = _words(told)
        if any(len(one & known) >= COVERED * len(one) for one in wanted):
            return True
    return False


def _words(text: str) -> set[str]:
    return set(terms(text[:MAX_CHARS]))
