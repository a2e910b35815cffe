"""Reads ahead what the first questions of a process need, until one deadline."""

from __future__ import annotations

import logging
import time
from functools import partial

from ..ports import CachingEmbedder, Store
from ..types import VisiblePartition
from .deadline import BoundedExecutor, Deadline
from .record_filter import RecordFilter
from .retriever import RecallRequest, Retriever

log = logging.getLogger("taishi")
# What the index of so many records takes to read is a good part of a question's deadline.
SLOW_RECORDS = 2000


def load_embedder(embedder: CachingEmbedder | None, text: str, deadline: Deadline) -> None:
    """It may hang on a network: it outlives neither the deadline nor the process."""
    if embedder is None:
        return
    executor = BoundedExecutor("warm-up", 1)
    try:
        executor.run(partial(embedder.queries, [text]), deadline)
    except Exception as error:  # an embedder of the caller's own may raise anything
        log.warning("the first question may go without the embedder: %s", error)
    finally:
        executor.close()


def load_largest(
    retriever: Retriever, store: Store, text: str, most_bytes: int, deadline: Deadline
) -> bool:
    """Ask each of the large chats and groups something, the largest first, until the indexes have
    so many bytes. Nobody is told the answers. False: the time was over before."""
    sizes = sorted(store.places(), key=lambda one: one[1], reverse=True)
    for place, _ in [one for one in sizes if one[1] >= SLOW_RECORDS]:
        if retriever.stats()["bytes"] >= most_bytes:
            return True
        visible = (VisiblePartition(place),)
        wanted = RecordFilter(now=time.time())
        request = RecallRequest(text, partial(tuple, visible), 1, wanted, floor=0.0)
        if retriever.search(request, deadline).level == "empty":
            return False
    return True
