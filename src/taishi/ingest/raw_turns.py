"""Raw turns whose job ended with nothing to keep.

A turn is queued first and stored a moment later, by the process that it was told. A worker, of this
process or another, may have dismissed it in between. So whoever stores a turn looks afterwards
whether its job is still open, and the worker deletes the turn once more after its job is done: of
the two, the later one finds what the other did. What is left if one of them is killed goes with
upkeep.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Sequence

from ..domain import events
from ..errors import TaishiError
from ..ports import JobQueue, Store
from ..types import Edit, Job, Partition

log = logging.getLogger("taishi.background")


class RawTurns:
    def __init__(self, store: Store, queue: JobQueue) -> None:
        self._store = store
        self._queue = queue

    def store(self, jobs: Sequence[Job], others: Sequence[Edit] = ()) -> None:
        """Write them, with other edits, in one transaction."""
        self._store.apply([*map(events.land_turn, jobs), *others], erases=False)
        try:
            self._delete_dismissed([job for job in jobs if job.task == "consider"])
        except (OSError, TaishiError) as error:  # they are stored, which is what was asked
            log.warning("raw turns that are not to be kept go with upkeep: %s", error)

    def _delete_dismissed(self, jobs: Sequence[Job]) -> None:
        told: dict[Partition, list[Job]] = defaultdict(list)
        for job in jobs:
            told[job.scope.home].append(job)
        for place, some in told.items():
            prefix = some[0].request_id if len(some) == 1 else ""
            open_ids = set(self._queue.turn_ids(place, prefix))
            over = [job for job in some if job.event_id not in open_ids]
            self._store.apply([events.unland_turn(job) for job in over], erases=False)

    def delete_left_over(self) -> int:
        """Delete those whose job is neither open nor failed, everywhere; how many. One that another
        worker takes up meanwhile is an event by then, and stays."""
        return sum(self._delete_left_over_in(place) for place, _ in self._store.places())

    def _delete_left_over_in(self, place: Partition) -> int:
        turns = [turn for turn in self._store.find(place, ("turn",)) if events.is_undecided(turn)]
        if not turns:
            return 0
        open_ids = set(self._queue.turn_ids(place, ""))  # read after the turns: a job comes first
        over = [turn for turn in turns if turn.id not in open_ids]
        if not over:
            return 0
        failed = {one.job.job_id for one in self._queue.failed_jobs() if one.job is not None}
        edits = [Edit("unland", turn) for turn in over if turn.owner not in failed]
        return self._store.apply(edits, erases=False)
