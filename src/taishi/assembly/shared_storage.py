"""Engines outside the data folder: a cache that servers share (Redis, Valkey), files in S3."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import IO, Any, cast

from ..backends.files_in_two_places import FilesInTwoPlaces
from ..backends.redis.cache import RedisCache
from ..backends.redis.link import RedisLink
from ..backends.redis.sealing import Sealing
from ..backends.redis.shared_state import RedisSharedState
from ..backends.s3.archive import S3Archive
from ..backends.s3.bucket import S3Bucket
from ..backends.s3.files import S3Files
from ..backends.two_level_cache import TwoLevelCache
from ..errors import InputError
from ..ports import ArchiveStore, Cache, Embedder, FileStore, OutsideEngine, Store
from ..recall.shared_results import SharedResults
from ..runtime import Parts, Runtime
from ..settings import Settings

Count = Callable[[str, str], None]
ORIGINALS_IN_BUCKET = "originals"
ARCHIVE_IN_BUCKET = "archive"
WRITE_BYTES = 1 << 20
STAYING = ("serve", "work")  # roles of processes that stay


# -- files -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Files:
    originals: FileStore
    archive: ArchiveStore
    engines: tuple[OutsideEngine, ...] = ()


def open_files(settings: Settings, originals: FileStore, archive: ArchiveStore) -> Files:
    """Beside the records or, with `storage.files`, in a bucket. Nothing is asked of the bucket
    until a file is."""
    address = settings.storage.files
    if not address or not settings.memory.enabled:
        return Files(originals, archive)
    bucket = S3Bucket(address)
    if settings.machine.role in STAYING:
        bucket.ask_in_background()
    both = FilesInTwoPlaces(S3Files(bucket, ORIGINALS_IN_BUCKET), originals)
    return Files(both, S3Archive(bucket, ARCHIVE_IN_BUCKET), (bucket,))


class RemoteFile:
    """An export at an address such as s3://BUCKET/PREFIX/NAME.jsonl, written and read as it is
    made, in bounded memory."""

    def __init__(self, address: str, settings: Settings) -> None:
        path, _, query = address.partition("?")
        folder, _, self._name = path.rpartition("/")
        if not re.fullmatch(r"(?!\.)[\w.=-]{1,250}", self._name, re.ASCII) or folder == "s3:/":
            raise InputError(f"{path[:200]} names no file; write s3://BUCKET/PREFIX/NAME.jsonl")
        self._bucket = S3Bucket(
            f"{folder}?{query or _query_of(settings, folder)}".rstrip("?"), path
        )

    def exists(self) -> bool:
        return self._bucket.size(self._name) is not None

    @contextmanager
    def writing(self) -> Iterator[IO[str]]:
        with self._bucket.writing(self._name, {"Content-Type": "application/x-ndjson"}) as write:
            pieces = io.BufferedWriter(_Pieces(write), WRITE_BYTES)
            with io.TextIOWrapper(pieces, "utf-8", newline="\n") as text:
                yield text
                text.flush()

    def lines(self) -> Iterator[bytes]:
        if not self.exists():
            raise InputError(f"{self._bucket.address}/{self._name} is not there; correct the name")
        rest = b""
        for piece in self._bucket.stream(self._name):
            *whole, rest = (rest + piece).split(b"\n")
            yield from (line + b"\n" for line in whole)
        if rest:
            yield rest


class _Pieces(io.RawIOBase):
    def __init__(self, write: Callable[[bytes], object]) -> None:
        self._write = write

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._write(bytes(data))
        return len(data)


def _query_of(settings: Settings, folder: str) -> str:
    """The endpoint and the region of `storage.files`, if it is the same bucket."""
    own, _, query = settings.storage.files.partition("?")
    return query if own.split("/")[:3] == folder.split("/")[:3] else ""


# -- the cache -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SharedCaches:
    """What is in a shared cache: vectors of questions, answers of recall, the servers' state."""

    link: RedisLink
    sealing: Sealing
    state: RedisSharedState

    @property
    def engines(self) -> tuple[OutsideEngine, ...]:
        return (self.link,)

    def catch_up(self, store: Store) -> Callable[[], None]:
        """Clears what was deleted while the server could not be told."""
        return lambda: self.state.catch_up(store.deletions.newest())

    def vectors(self, near: Cache, embedder: Embedder, count: Count) -> Cache:
        model = sha256(f"{embedder.name}\0{embedder.dimensions}".encode()).hexdigest()[:12]
        far = RedisCache(self.link, self.sealing, f"vector-{model}")
        return TwoLevelCache(near, far, looked_up=lambda result: count("shared vectors", result))

    def results(self, runtime: Runtime) -> SharedResults | None:
        minutes = runtime.settings.cache.results_minutes
        if not minutes:
            return None
        from importlib.metadata import version

        parts, models = runtime.parts, runtime.settings.models
        embedder = "" if runtime.embedder is None else runtime.embedder.name
        made_by = "\0".join(
            (
                version("taishi"),
                embedder,
                "" if parts.reranker is None else models.rerank.model_name,
                "" if parts.intent is None else models.chat.for_task("intent").model_name,
            )
        )
        cache = RedisCache(self.link, self.sealing, "result")
        return SharedResults(cache, parts.store.get, minutes, made_by)


@dataclass(frozen=True, slots=True)
class NoCache:
    """Every process has its own."""

    state: None = None
    engines: tuple[OutsideEngine, ...] = ()


def open_cache(settings: Settings, store: Store, read_only: bool) -> SharedCaches | NoCache:
    """Nothing is asked of the server until something is looked up."""
    address = settings.storage.cache
    if not address or not settings.memory.enabled:
        return NoCache()
    if not address.lower().startswith(("redis://", "rediss://")):
        raise InputError("storage.cache is not a valid address; write redis://HOST:PORT/0")
    link, sealing = RedisLink(address), Sealing(store.deletions.key())
    return SharedCaches(link, sealing, RedisSharedState(link, sealing))


def shared_caches(parts: Parts) -> SharedCaches | None:
    for engine in parts.outside:
        if isinstance(engine, RedisLink):
            state = cast(RedisSharedState, parts.shared_state)
            return SharedCaches(engine, state.sealing, state)
    return None
