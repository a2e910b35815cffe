"""A bucket and a prefix in it, by address, with errors as ours and a note of how it is doing."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import partial
from typing import Any, TypeVar
from urllib.parse import parse_qs, unquote, urlsplit

from ...errors import InputError, MissingExtraError, StorageError
from ...language.lazy_regex import lazy_compile
from ...observe.repeated_trouble import RepeatedTrouble
from ...ports.shared_state import EngineAnswer, EngineState

log = logging.getLogger("taishi.files")
T = TypeVar("T")
CONNECT = timedelta(seconds=2)
REQUEST = timedelta(seconds=10)  # of one part; a server that hangs is noticed after it
RETRIES = 2
RETRY_FOR = timedelta(seconds=8)
PROBE_SECONDS = 1.0
MAX_PROBE_SECONDS = 30.0
PART_BYTES = 8 << 20  # what is larger is sent in parts
PARTS_AT_ONCE = 2
READ_BYTES = 1 << 20
DELETE_AT_ONCE = 1000
DEFAULT_REGION = "us-east-1"
NO_BUCKET = "NoSuchBucket"  # in the answer of a server to everything but a HEAD
_DENIED = lazy_compile(r"\b(?:401 Unauthorized|403 Forbidden)\b")  # for a listing, a generic error
_BUCKET = lazy_compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]", re.ASCII)
_PREFIX_NAME = lazy_compile(r"(?!\.)[\w.=-]+", re.ASCII)
_WRONG = (
    "{key} is no address in S3; write s3://BUCKET/PREFIX, with ?endpoint=https://HOST and "
    "&region=NAME where it is not Amazon's. Keys come from AWS_ACCESS_KEY_ID and "
    "AWS_SECRET_ACCESS_KEY"
)


class S3Bucket:
    """Paths are below the prefix. Implements ports.OutsideEngine. For many threads."""

    name = "files"

    def __init__(self, address: str, key: str = "storage.files") -> None:
        bucket, self.prefix, options = _parsed(address, key)
        self.address = f"s3://{bucket}/{self.prefix}".rstrip("/")
        self._store = _store(bucket, self.prefix, options)
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._is_down = False
        self._trouble = RepeatedTrouble(log)

    @property
    def state(self) -> EngineState:
        return "degraded" if self._is_down else "ok"

    def look(self) -> None:
        """A request to a bucket may take seconds: the next one that is needed tells."""

    def close(self) -> None:
        self._closed.set()

    def put(self, path: str, data: bytes, attributes: dict[str, str]) -> None:
        """Whole when this returns, or not there; in parts if it is large."""
        import obstore

        self.run(
            lambda: obstore.put(
                self._store,
                path,
                data,
                attributes=attributes,
                chunk_size=PART_BYTES,
                max_concurrency=PARTS_AT_ONCE,
            )
        )

    def put_stream(self, path: str, pieces: Iterable[bytes], attributes: dict[str, str]) -> None:
        """The same of what is made while it is sent; nothing is there if making it fails."""
        with self.writing(path, attributes) as write:
            for piece in pieces:
                write(piece)

    @contextmanager
    def writing(self, path: str, attributes: dict[str, str]) -> Iterator[Callable[[bytes], object]]:
        """A file that is sent as it is written, in bounded memory; none if the block fails."""
        import obstore

        writer = obstore.open_writer(
            self._store,
            path,
            attributes=attributes,
            buffer_size=PART_BYTES,
            max_concurrency=PARTS_AT_ONCE,
        )
        writer.__enter__()
        try:
            yield lambda piece: self.run(partial(writer.write, piece))
        except BaseException as error:
            with suppress(StorageError):  # the first error is the one to report
                self.run(partial(writer.__exit__, type(error), error, None))
            raise
        self.run(partial(writer.__exit__, None, None, None))

    def get(self, path: str) -> tuple[bytes, dict[str, str]] | None:
        import obstore

        def read() -> tuple[bytes, dict[str, str]]:
            found = obstore.get(self._store, path)
            return bytes(found.bytes()), {str(k): str(v) for k, v in found.attributes.items()}

        return self.run(read)

    def stream(self, path: str, until: int | None = None) -> Iterator[bytes]:
        """The first `until` bytes, or all of them, in pieces; nothing if there is no such file."""
        import obstore

        options: Any = None if until is None else {"range": (0, until)}
        found = (
            None
            if until == 0
            else self.run(lambda: obstore.get(self._store, path, options=options))
        )
        if found is None:
            return
        pieces = iter(found.stream(min_chunk_size=READ_BYTES))
        while (piece := self.run(lambda: next(pieces, b""))) is not None and len(piece):
            yield bytes(piece)

    def read_range(self, path: str, start: int, end: int) -> bytes:
        import obstore

        found = self.run(lambda: obstore.get_range(self._store, path, start=start, end=end))
        return b"" if found is None else bytes(found)

    def size(self, path: str) -> int | None:
        import obstore

        found = self.run(lambda: obstore.head(self._store, path))
        return None if found is None else int(found["size"])

    def list(self, folder: str) -> list[tuple[str, int]]:
        """The paths below a folder with their sizes, in no order."""
        import obstore

        found = self.run(
            lambda: [
                (str(one["path"]), int(one["size"]))
                for some in obstore.list(self._store, prefix=folder or None)
                for one in some
            ]
        )
        return found or []

    def delete(self, paths: Iterable[str]) -> None:
        import obstore

        todo = list(paths)
        for at in range(0, len(todo), DELETE_AT_ONCE):
            some = todo[at : at + DELETE_AT_ONCE]
            self.run(lambda some=some: obstore.delete(self._store, some))  # type: ignore[misc]

    def link(self, path: str, seconds: float) -> str:
        """Whoever has it may read the file for so long, without a key. Asks no server."""
        import obstore

        lifetime = timedelta(seconds=seconds)
        return str(self.run(lambda: obstore.sign(self._store, "GET", path, lifetime)))

    def run(self, work: Callable[[], T]) -> T | None:
        """None: there is no such file. Other errors of the driver become StorageErrors."""
        from obstore.exceptions import BaseError, NotFoundError

        try:
            result = work()
        except (NotFoundError, FileNotFoundError) as error:
            if NO_BUCKET in str(error):
                raise self._failed(error) from error
            return None
        except (BaseError, OSError) as error:
            raise self._failed(error) from error
        self._is_down = False
        return result

    def _failed(self, error: Exception) -> StorageError:
        with self._lock:
            is_news, self._is_down = not self._is_down, True
        is_missing = NO_BUCKET in str(error)
        reason = "the bucket does not exist: create it" if is_missing else _reason(error)
        if not self._closed.is_set():
            self._trouble.met("%s cannot be used: %s", self.address, reason)
        if is_news and not self._closed.is_set():
            threading.Thread(target=self._probe, name="taishi-files-probe", daemon=True).start()
        if is_missing:
            return StorageError(f"{self.address}: {reason}, or correct the address")
        return StorageError(
            f"{self.address} cannot be read or written ({reason}); check that the S3 server runs, "
            "its address and its keys"
        )

    def _probe(self) -> None:
        """Ask from time to time, so that the status does not stay as it was."""
        pause = PROBE_SECONDS
        while not self._closed.wait(pause):
            if not self._is_down or self.answers():
                self._trouble.over("%s answers again", self.address)
                return
            pause = min(pause * 2, MAX_PROBE_SECONDS)

    def ask_in_background(self) -> None:
        """A missing bucket or wrong keys are logged, and seen in the status, at the start already,
        and nobody waits for it."""
        threading.Thread(target=self.answers, name="taishi-files-first", daemon=True).start()

    def answers(self) -> bool:
        try:
            self.list("taishi-probe")  # a HEAD would not tell a missing bucket from a missing file
        except StorageError:
            return False
        return not self._is_down or self._mark_up()

    def ask(self) -> tuple[EngineAnswer, str]:
        """How the server answers now, and what it said when it refused our keys."""
        try:
            self.list("taishi-probe")
        except StorageError as error:
            cause = error.__cause__
            if NO_BUCKET in str(cause):
                return "missing", ""
            if _DENIED.search(str(cause)):
                return "refused", _code(str(cause)) or "403"
            return "away", ""
        return "ok", ""

    def _mark_up(self) -> bool:
        """A missing file is an answer, too."""
        self._is_down = False
        return True


def _reason(error: Exception) -> str:
    """What went wrong, without the request's address, which is long and says a file's name."""
    text = str(error)
    first = text.partition("\n")[0].rpartition(" - ")[2].partition("<")[0].strip(" :")
    said = re.sub(r"https?://\S+", "…", first)[:200]
    code = _code(text)
    return f"{said}, {code}" if code and code not in said else said


def _code(text: str) -> str:
    """The server's own word for a fault, in the XML of its answer."""
    found = re.search(r"<Code>(\w{1,100})</Code>", text)
    return found[1] if found else ""


def _parsed(address: str, key: str) -> tuple[str, str, dict[str, str]]:
    try:
        parts = urlsplit(address)
        query = parse_qs(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
        has_user = parts.username is not None or parts.password is not None or parts.port
    except ValueError:
        raise InputError(_WRONG.format(key=key)) from None
    prefix = unquote(parts.path).strip("/")
    names = prefix.split("/") if prefix else []
    if (
        parts.scheme.lower() != "s3"
        or has_user
        or parts.fragment
        or not _BUCKET.fullmatch(parts.netloc)
        or not query.keys() <= {"endpoint", "region"}
        or any(
            not re.fullmatch(r"[\w.=-]+", name, re.ASCII) or name in (".", "..") for name in names
        )
    ):
        raise InputError(_WRONG.format(key=key))
    options = {name: values[-1] for name, values in query.items() if values[-1]}
    if "endpoint" in options and not re.match(r"https?://[^@\s]+\Z", options["endpoint"]):
        raise InputError(_WRONG.format(key=key))
    return parts.netloc, prefix, options


def _store(bucket: str, prefix: str, options: dict[str, str]) -> Any:
    """Keys, and what the address does not say, come from the usual AWS_* variables."""
    try:
        from obstore.store import S3Store
    except ModuleNotFoundError as error:
        raise MissingExtraError("files in S3", "s3") from error
    given: dict[str, Any] = dict(options)
    return S3Store(
        bucket,
        prefix=prefix or None,
        client_options={"allow_http": True, "connect_timeout": CONNECT, "timeout": REQUEST},
        retry_config={"max_retries": RETRIES, "retry_timeout": RETRY_FOR},
        **given,
    )
