"""One connection pool to Redis or Valkey that never makes a caller wait for long.

A call that fails or takes longer than `timeout` marks the link as down: from then on every call
fails at once, and a thread tries from time to time whether the server is back.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar
from urllib.parse import unquote, urlsplit

from ...errors import InputError, MissingExtraError
from ...observe.repeated_trouble import RepeatedTrouble
from ...ports.shared_state import EngineAnswer, EngineState, SharedStateError

log = logging.getLogger("taishi.cache")
T = TypeVar("T")
TIMEOUT = 0.05  # a third of recall's deadline
PATIENT_TIMEOUT = 5.0  # of a question whose answer is worth waiting for
PING_SECONDS = 2.0  # of a health check, which nobody waits for
PROBE_SECONDS = 0.5
MAX_PROBE_SECONDS = 5.0
COMPLAIN_EVERY = 60.0
MAX_CONNECTIONS = 64
DEFAULT_PORT = 6379


class RedisLink:
    """For many threads. Implements ports.OutsideEngine."""

    name = "cache"

    def __init__(
        self, url: str, timeout: float = TIMEOUT, probe_seconds: float = PROBE_SECONDS
    ) -> None:
        self._url = url
        self.address, self._client = connect(url, timeout)
        self._probe_seconds = probe_seconds
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._is_down = False
        self._is_due = False
        self._complained_at = 0.0
        self._away = RepeatedTrouble(log)
        self._before_use: list[Callable[[Any], None]] = []

    @property
    def state(self) -> EngineState:
        return "degraded" if self._is_down else "ok"

    def look(self) -> None:
        with suppress(SharedStateError):
            self.run(lambda client: client.ping())

    def before_use(self, work: Callable[[Any], None]) -> None:
        """Have something done when the server is back, before anything else is asked of it; if
        `catch_up` was called meanwhile."""
        self._before_use.append(work)

    def catch_up(self) -> None:
        """Something that had to be done could not be."""
        with self._lock:
            self._is_due = True
        self._lose(None)

    def run(self, work: Callable[[Any], T]) -> T:
        """`work(client)`, or SharedStateError, at once if the server did not answer before."""
        import redis

        if self._is_down or self._closed.is_set():
            raise SharedStateError(f"{self.address} does not answer")
        try:
            return work(self._client)
        except redis.exceptions.ResponseError as error:
            # It answers, but refuses: no memory left, no permission, read-only.
            self._complain("%s refuses a command (%s); see its settings", error)
            raise SharedStateError(str(error)) from error
        except (redis.exceptions.RedisError, OSError, ValueError) as error:
            self._lose(error)
            raise SharedStateError(f"{self.address} does not answer: {error}") from error

    def run_patiently(self, work: Callable[[Any], T]) -> T:
        """For a person's question, such as what is left of somebody: on a connection of its own,
        even if recall goes on without the server right now."""
        import redis

        _, client = connect(self._url, PATIENT_TIMEOUT)
        try:
            return work(client)
        except (redis.exceptions.RedisError, OSError, ValueError) as error:
            raise SharedStateError(f"{self.address} does not answer: {error}") from error
        finally:
            client.close()

    def close(self) -> None:
        self._closed.set()
        self._client.close()

    def _lose(self, error: Exception | None) -> None:
        """Without an error, only what is due keeps it from being used."""
        with self._lock:
            if self._is_down or self._closed.is_set():
                return
            self._is_down = True
        if error is not None:
            self._tell_away(error)
        pause = 0.0 if error is None else self._probe_seconds
        threading.Thread(
            target=self._probe, args=(pause,), name="taishi-cache-probe", daemon=True
        ).start()

    def _probe(self, pause: float) -> None:
        while not self._closed.wait(pause):
            try:
                self._client.ping()
                self._return()
            except Exception as error:  # whatever it is: not yet
                self._tell_away(error)
                pause = min(max(pause, self._probe_seconds) * 1.5, MAX_PROBE_SECONDS)
                continue
            self._away.over("the shared cache %s answers again", self.address)
            return

    def _tell_away(self, error: Exception) -> None:
        text = "the shared cache %s %s: this process goes on without it"
        self._away.met(text, self.address, _why(error))

    def _return(self) -> None:
        """To use, as soon as nothing is left to do first."""
        while True:
            with self._lock:
                if not self._is_due:
                    self._is_down = False
                    return
                self._is_due = False
            try:
                for work in self._before_use:
                    work(self._client)
            except BaseException:
                self._is_due = True
                raise

    def _complain(self, text: str, error: Exception) -> None:
        now = time.monotonic()
        if not self._complained_at or now - self._complained_at > COMPLAIN_EVERY:
            self._complained_at = now
            log.warning(text, self.address, error)


def _why(error: Exception) -> str:
    import redis

    if isinstance(error, redis.exceptions.AuthenticationError):
        return "refuses the user or the password in storage.cache"
    return f"does not answer ({type(error).__name__})"


def ping(url: str, timeout: float = PING_SECONDS) -> tuple[str, EngineAnswer, str]:
    """Asks once: the address without a password, how the server answers, and what it said when it
    refused."""
    address, client = connect(url, timeout)
    import redis

    try:
        client.ping()
    except (redis.exceptions.AuthenticationError, redis.exceptions.ResponseError) as error:
        return address, "refused", str(error)[:200]
    except (redis.exceptions.RedisError, OSError, ValueError):
        return address, "away", ""
    finally:
        client.close()
    return address, "ok", ""


def connect(url: str, timeout: float) -> tuple[str, Any]:
    """The address without a password, and a client that has not connected yet."""
    try:
        import redis
        from redis.backoff import NoBackoff
        from redis.retry import Retry
    except ModuleNotFoundError as error:
        raise MissingExtraError("a cache in Redis or Valkey", "redis") from error
    try:
        parts = urlsplit(url)
        port = parts.port or DEFAULT_PORT
        database = int(parts.path.strip("/") or 0)
    except ValueError:
        parts, port, database = urlsplit(""), 0, -1
    if parts.scheme not in ("redis", "rediss") or not parts.hostname or database < 0 or parts.query:
        raise InputError(
            "storage.cache is not a valid address; write redis://HOST:PORT/0, or rediss:// "
            "for TLS, with user and password before the host if it needs them"
        )
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    client = redis.Redis(
        host=parts.hostname,
        port=port,
        db=database,
        username=unquote(parts.username) if parts.username else None,
        password=unquote(parts.password) if parts.password else None,
        ssl=parts.scheme == "rediss",
        socket_timeout=timeout,
        socket_connect_timeout=timeout,
        retry=Retry(NoBackoff(), 0),
        max_connections=MAX_CONNECTIONS,
        client_name="taishi",
        protocol=2,
    )
    return f"{parts.scheme}://{host}:{port}/{database}", client
