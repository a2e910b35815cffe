"""Answers from the old list of summaries while memory is off (C3)."""

from __future__ import annotations

import logging

from ..errors import TaishiError
from ..legacy.end_summaries import EndSummaries
from ..types import Level, Recall
from .deadline import Deadline
from .filter_matches import is_wanted
from .hit_builder import HitBuilder
from .request import RecallRequest

log = logging.getLogger("taishi")


def answer_from_legacy(
    legacy: EndSummaries, hit_builder: HitBuilder, request: RecallRequest, deadline: Deadline
) -> Recall:
    """By the words of the list, or the newest of it."""
    wanted = request.wanted
    try:
        found = legacy.find(
            request.text,
            request.visible(),
            request.top_k,
            wanted.kinds,
            wanted.time_from,
            wanted.time_to,
            request.floor,
        )
    except TaishiError as error:
        log.warning("recall goes without the old list: %s", error)
        return Recall((), "empty", {"legacy": "failed"}, deadline.spent_ms)
    hits = tuple(
        hit_builder.hit(record, score) for record, score in found if is_wanted(record, wanted)
    )
    level: Level = "keyword" if hits else "empty"
    return Recall(hits, level, {"legacy": "ok"}, deadline.spent_ms)
