"""Makes, in the background, what stands for the older messages of a session (M2).

One segment at a time, each stored as soon as it is made: after a kill the next one is made, and
what is there is not made twice.
"""

from __future__ import annotations

import logging
import threading
from dataclasses import replace

from ..context_block.block import sanitize_line
from ..domain.message_units import next_segment
from ..errors import ModelError, TaishiError
from ..historian.compress import compress, compress_by_rule
from ..ingest.background import BackgroundTasks
from ..ports import Compression, MadeBy, Overview, StoredMessage
from ..runtime import Runtime
from ..times import to_datetime
from ..types import Partition
from .foreground import Foreground

log = logging.getLogger("taishi.working")
PAGE = 1200  # more messages than a segment with its tool results has
SOME_RESULTS = 10  # as most have
MODEL_PAUSE_SECONDS = 60.0
REMADE_AT_ONCE = 50
NO_OVERVIEW = Overview()


class Compressor:
    def __init__(
        self, runtime: Runtime, background: BackgroundTasks, foreground: Foreground
    ) -> None:
        self._runtime = runtime
        self._store = runtime.parts.store.working
        self._background = background
        self._foreground = foreground
        self._wanted: dict[tuple[Partition, str], None] = {}
        self._lock = threading.Lock()
        self._is_scheduled = False
        self._model_down_until = 0.0

    def want(self, place: Partition, session: str) -> None:
        """Compress what there is of this session, soon."""
        with self._lock:
            self._wanted[place, session] = None
            if self._is_scheduled:
                return
            self._is_scheduled = True
        self._background.submit(self._run)

    def _run(self) -> None:
        """One segment of one session; then others have their turn."""
        with self._lock:
            wanted = next(iter(self._wanted), None)
            if wanted is None:
                self._is_scheduled = False
                return
            del self._wanted[wanted]
        try:
            if self.compress_next(*wanted):
                with self._lock:
                    self._wanted[wanted] = None
        except TaishiError as error:
            log.warning("a session was not compressed, later again: %s", error)
        self._background.submit(self._run)

    def compress_next(self, place: Partition, session: str) -> bool:
        """Make the next segment; False if there is none to make."""
        with self._runtime.parts.locks.hold(f"compress {session} of {place}"):
            return self._remake(place, session) or self._make(place, session)

    def _make(self, place: Partition, session: str) -> bool:
        settings = self._runtime.settings.working
        before = self._store.compressions(place, session, 1)
        after = before[-1].last if before else 0
        size, keep = settings.segment_messages, settings.keep_recent_tight
        segment: list[StoredMessage] = []
        for most in (size + keep + SOME_RESULTS, PAGE):
            self._foreground.give_way()
            page = self._store.messages(place, session, after, most)
            segment = next_segment(page, size, keep)
            if segment or len(page) < most:
                break
        else:
            segment = page[: PAGE - keep]
        if not segment:
            return False
        return self._put(place, session, segment, before[-1] if before else None)

    def _remake(self, place: Partition, session: str) -> bool:
        """What rules made while the model was down, the model makes again: the oldest first."""
        if self._runtime.parts.chat is None or not self._is_model_up():
            return False
        known = self._store.compressions(place, session, REMADE_AT_ONCE)
        for n, one in enumerate(known):
            if one.made_by == "rules" and (n > 0 or one.count == self._size(place, session, one)):
                segment = [
                    m
                    for m in self._store.messages(place, session, one.first - 1, PAGE)
                    if m.number <= one.last
                ]
                before = known[n - 1] if n else None
                return self._put(place, session, segment, before, ("model",))
        return False

    def _size(self, place: Partition, session: str, one: Compression) -> int:
        page = self._store.messages(place, session, one.first - 1, PAGE)
        return sum(message.number <= one.last for message in page)

    def _put(
        self,
        place: Partition,
        session: str,
        segment: list[StoredMessage],
        before: Compression | None,
        allowed: tuple[MadeBy, ...] = ("model", "rules"),
    ) -> bool:
        previous = before.overview if before else NO_OVERVIEW
        made = self._compress(segment, previous, allowed)
        if made is None:
            return False
        text, overview, made_by = made
        self._foreground.give_way()
        return self._store.add_compression(
            place,
            session,
            Compression(
                first=segment[0].number,
                last=segment[-1].number,
                count=(before.count if before else 0) + len(segment),
                segment=self._clean(text),
                overview=self._clean_overview(overview),
                made_by=made_by,
                time=self._runtime.clock(),
            ),
        )

    def _compress(
        self, segment: list[StoredMessage], previous: Overview, allowed: tuple[MadeBy, ...]
    ) -> tuple[str, Overview, MadeBy] | None:
        messages = [one.message for one in segment]
        parts = self._runtime.parts
        if parts.chat is not None and self._is_model_up():
            now = to_datetime(self._runtime.clock(), self._runtime.zone)
            try:
                return *compress(parts.chat, parts.prompts, messages, previous, now), "model"
            except ModelError as error:
                self._model_down_until = self._runtime.clock() + MODEL_PAUSE_SECONDS
                log.warning("a session is compressed by rules until the model answers: %s", error)
        if "rules" not in allowed:
            return None
        return *compress_by_rule(messages, previous, self._foreground.give_way), "rules"

    def _is_model_up(self) -> bool:
        return self._runtime.clock() >= self._model_down_until

    def _clean(self, text: str) -> str:
        """Safe to stand in a prompt, and without what newer rules would redact."""
        lines = []
        for line in text.splitlines():
            self._foreground.give_way()
            lines.append(sanitize_line(self._runtime.redactor.text(line)))
        return "\n".join(line for line in lines if line)

    def _clean_overview(self, overview: Overview) -> Overview:
        def each(items: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(clean for item in items if (clean := self._clean(item)))

        return replace(
            overview,
            summary=self._clean(overview.summary),
            decisions=each(overview.decisions),
            todos=each(overview.todos),
            agreements=each(overview.agreements),
        )
