"""What every part of the public door shares: the parts, the clock, the checks."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path

from .assembly import build
from .background import Loop
from .embedding import CachedEmbedder
from .errors import ClosedError, ScopeError
from .historian import rules
from .intake import Intake
from .keeper import Keeper
from .language.redact import Redactor
from .models.breaker import Breaker
from .ports import Embedder
from .recall.indexes import Indexes
from .recall.recaller import Recaller
from .rooms.observations import ObservationLane
from .rooms.profiles import Profiles
from .settings import Settings
from .times import TimeLike, to_epoch
from .types import Place, Scope
from .worker import Worker


class Core:
    """The parts of one open memory."""

    def __init__(
        self,
        address: str | Path,
        settings: Settings,
        embedder: Embedder | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.settings = settings
        self._clock = clock
        self._zone = settings.zone()
        self._lock = threading.Lock()
        self._closed = False
        self._parts = parts = build(address, settings, embedder)
        redaction = settings.redaction
        self._redactor = Redactor(email=redaction.email, phone=redaction.phone)
        self._intake = Intake(self._redactor, self._zone, settings.historian)
        chosen = parts.embedder
        self._embedder = CachedEmbedder(chosen, settings.cache.embedding_hours) if chosen else None
        self._recaller = self._build_recaller()
        self._observations = ObservationLane(settings.observation.queue_max)
        self._keeper = Keeper(
            parts.store, parts.queue, self._embedder, self._observations, self._preview
        )
        self._profiles = Profiles(parts.profiles, parts.store, clock)
        self._worker = Worker(parts.queue, parts.store, rules.write, clock)
        self._requests: OrderedDict[tuple[Place, str], int] = OrderedDict()
        self._workers: list[Loop] = []
        self._keeper.adopt()

    def _build_recaller(self) -> Recaller:
        embedder, store = self._embedder, self._parts.store
        if embedder is None:
            indexes = Indexes(store, None, (), self.settings.index.memory_mb << 20)
            return Recaller(store, indexes, None, lambda: self.settings.query)
        query, breaker = embedder.query, Breaker()
        return Recaller(
            store,
            Indexes(store, embedder.name, embedder.blocks, self.settings.index.memory_mb << 20),
            lambda text: breaker.call(lambda: query(text)),
            lambda: self.settings.query,
        )

    def _preview(self, value: object) -> str:
        return self._redactor.preview(value, self.settings.observation.preview_chars)

    def _now(self, given: TimeLike | None) -> float:
        return self._clock() if given is None else to_epoch(given, self._zone)

    def _check_scope(self, scope: Scope) -> None:
        self._check_open()
        if not isinstance(scope, Scope):
            raise ScopeError(f"the first argument must be a Scope, not {type(scope).__name__}")

    def _check_open(self) -> None:
        if self._closed:
            raise ClosedError("this memory was closed; open it again with Memory.open(…)")
