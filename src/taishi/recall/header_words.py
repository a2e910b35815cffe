"""Words that every event of a group has: its header names the time and the group. They do not tell
one event from another, but in a short event they are most of what there is.

Where some record says such a word beyond the header, the others lose most of what it counts. A word
that is in headers alone asks for the group itself ("what happened in the Badminton Club?").
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from .bm25 import COMMON_FROM, PRIOR_ROWS, Floats, TermMatches, rarity
from .partition_index import PartitionIndex
from .topk import Mask

HEADER_SHARE = np.float32(0.25)
# In so many of the events, and of so many: fewer are shown all together.
NEARLY_EVERY = 0.95
MIN_EVENTS = 4
MOST_COUNTED = 255
_NONE = np.uint8(0)


def less_for_headers(found: TermMatches, index: PartitionIndex, rows: int) -> TermMatches:
    """The matches, of which the occurrences that nearly every event has are taken off. Not of some
    rows of a partition, where every event has the words that were searched for."""
    if not index.holds_all or rows > COMMON_FROM:
        return found
    found = found.before(index.pieces.end_of(rows))
    events = _events(index, rows)
    if not len(found.rows) or events.sum() < MIN_EVENTS:
        return found
    terms, count = found.terms, len(found.frequencies)
    owners = index.pieces.rows_of(found.rows)
    # Of a long event, the first piece has the header; those of a term are in order.
    is_first = np.diff(owners, prepend=-1) != 0
    is_first |= np.diff(terms, prepend=-1) != 0
    is_header = events[owners] & is_first
    held = np.bincount(terms[is_header], minlength=count)
    is_header &= (held >= NEARLY_EVERY * events.sum())[terms]
    least = np.full(count, MOST_COUNTED, np.uint8)
    np.minimum.at(least, terms[is_header], found.counts[is_header])
    is_bare = is_header & (found.counts == least[terms])
    is_said = np.bincount(terms[~is_bare], minlength=count) > 0
    if not (is_bare & is_said[terms]).any():
        return found
    is_bare &= is_said[terms]
    return replace(
        found,
        counts=found.counts - np.where(is_header & ~is_bare & is_said[terms], least[terms], _NONE),
        shares=np.where(is_bare, HEADER_SHARE, np.float32(1)),
        boosts=_boosts(found, np.bincount(terms[is_bare], minlength=count), index.rows),
    )


def _events(index: PartitionIndex, rows: int) -> Mask:
    kinds = index.kinds.names
    code = kinds.index("event") if "event" in kinds else -1
    return np.equal(index.kinds_of(rows), code)


def _boosts(found: TermMatches, bare: NDArray[np.int64], total: int) -> Floats:
    """A term is as rare as the texts that say it."""
    all_texts = rarity(found.frequencies, total, PRIOR_ROWS)
    boosts = rarity(found.frequencies - bare, total, PRIOR_ROWS) / all_texts
    return boosts if found.boosts is None else boosts * found.boosts
