"""What the services of one open memory share: parts, settings in force, clock, checks."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from .domain.deletion_marks import Marks
from .domain.forgotten_filter import ForgottenFilter
from .errors import ClosedError, RefusedError, ScopeError, StorageError
from .exported import Backup
from .historian.prompt_loader import Prompts
from .language.redaction.redactor import Redactor
from .language.token_bound import Counter
from .observe.metrics import Metrics
from .observe.tracing import tracing
from .ports import (
    ArchiveStore,
    CachingEmbedder,
    ChatModel,
    CopyMark,
    DocumentReader,
    Embedder,
    FileStore,
    JobQueue,
    LedgerQueue,
    Leftovers,
    Locks,
    OutsideEngine,
    PartitionSearch,
    ProcessBoard,
    ProfilePages,
    ProfileTransfer,
    Reranker,
    SharedState,
    Store,
    StoredBytes,
    TextCache,
)
from .recall.vector_index import VectorIndex
from .settings import Settings, is_on_for
from .times import TimeLike, to_epoch
from .types import Scope

log = logging.getLogger("taishi")


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of one open memory, each by its port."""

    address: str  # where all of it is, for people: without a password
    folder: Path  # on this machine: all of it, or what a memory in a database needs locally
    store: Store
    queue: JobQueue
    profiles: ProfilePages
    pages: ProfileTransfer
    locks: Locks
    archive: ArchiveStore
    originals: FileStore  # the files of documents
    reader: DocumentReader
    processes: ProcessBoard
    leftovers: Leftovers
    stored_bytes: StoredBytes
    copy_mark: CopyMark
    embedder: Embedder | None
    embedder_note: str
    chat: ChatModel | None
    intent: ChatModel | None
    query: ChatModel | None
    ledger: LedgerQueue
    reranker: Reranker | None
    prompts: Prompts
    read_only: bool  # for as long as it is open, as media are
    # The whole folder as a new one, while it is in use; True: with what is in an object store.
    copy_to: Callable[[Path, bool], Backup]
    close: Callable[[], None]  # the store and what it shares with the other parts
    partition_search: PartitionSearch | None = None  # where the store's database can
    outside: tuple[OutsideEngine, ...] = ()  # engines that may be away for a while
    shared_state: SharedState | None = None  # what the servers of this memory agree on
    # Whether nothing can be written now: a database may be so for a while, and writable again.
    is_read_only: Callable[[], bool] = lambda: False


class TextCaches:
    """Every cache of text of one memory, so that `forget` and its proof miss none.

    Whoever caches text registers itself here when it is built.
    """

    def __init__(self) -> None:
        self._caches: dict[str, TextCache] = {}

    def register(self, name: str, cache: TextCache) -> None:
        self._caches[name] = cache

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._caches)

    def clear(self) -> None:
        for cache in self._caches.values():
            cache.clear_text()

    def texts(self) -> Iterator[str]:
        for cache in self._caches.values():
            yield from cache.cached_texts()


class TokenCounting(Protocol):
    """Counts tokens as the model of the host does, as far as its vocabulary is there."""

    def chosen(self, tokenizer: str) -> Counter: ...
    def note(self, tokenizer: str) -> str: ...


class Runtime:
    """Services read `settings` at each call: they change while the memory is open (C2)."""

    def __init__(
        self,
        parts: Parts,
        settings: Settings,
        clock: Callable[[], float],
        embedder: CachingEmbedder | None,
        tokens: TokenCounting,
        metrics: Metrics,
    ) -> None:
        self.parts = parts
        self.settings = settings
        self.clock = clock
        self.zone = settings.zone()
        self.embedder = embedder
        self.tokens = tokens
        self.metrics = metrics
        self.tracing = tracing(settings.telemetry)
        redaction = settings.redaction
        self.redactor = Redactor(email=redaction.email, phone=redaction.phone)
        self.text_caches = TextCaches()
        self.vectors = VectorIndex()
        self._lock = threading.Lock()
        self._closed = False

    def close_once(self) -> bool:
        """True for the first caller; from then on `check_open` raises."""
        with self._lock:
            was_open, self._closed = not self._closed, True
        return was_open

    def now(self, given: TimeLike | None = None) -> float:
        return self.clock() if given is None else to_epoch(given, self.zone)

    def is_on(self, scope: Scope) -> bool:
        """Whether memory works in this scope: `memory.enabled` and the lists of scopes (C3, C4)."""
        self.check_scope(scope)
        return is_on_for(self.settings.memory, scope)

    def check_scope(self, scope: Scope) -> None:
        self.check_open()
        if not isinstance(scope, Scope):
            raise ScopeError(
                "the first argument must be a Scope, such as Scope(user='ann'), not "
                f"{type(scope).__name__}"
            )

    def check_open(self) -> None:
        if self._closed:
            raise ClosedError("this memory was closed; open it again with Memory.open(…)")

    def forgotten(self) -> ForgottenFilter:
        """Recognises what was deleted, so that it is not taken in again."""
        deletions = self.parts.store.deletions
        return ForgottenFilter(Marks(deletions.key()), deletions.times)

    @contextmanager
    def recording_refusals(self, scope: Scope, actor: str, door: str) -> Iterator[None]:
        """A write that is refused inside is put on record, and the error raised on."""
        try:
            yield
        except RefusedError as error:
            self._record_refusal(scope, actor, door, error.reason)
            raise

    def _record_refusal(self, scope: Scope, actor: str, door: str, reason: str) -> None:
        """A failure here is only logged: the caller is owed the reason of the refusal."""
        partition_label = Marks(self.parts.store.deletions.key()).place(scope.home).hex()
        row = (self.clock(), actor, door, reason, scope.home.kind, partition_label)
        try:
            self.parts.store.refusals.add(row)
        except StorageError as error:
            log.warning("a refused write could not be recorded: %s", error)
