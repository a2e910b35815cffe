"""HTTP to one server: a pool of connections, a time limit for each call, retries where safe."""

from __future__ import annotations

import random
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime

import httpx

from ..errors import ClosedError, UnreachableError
from ..times import Deadline
from .address import ServerAddress
from .problems import TRANSIENT, Problem, problem_in

TRIES = 5
FIRST_PAUSE = 0.1
LONGEST_PAUSE = 2.0
CONNECT_SECONDS = 10.0
MAX_ANSWER_BYTES = 256 << 20
MAX_CONNECTIONS = 32
NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
GATEWAY = (502, 503, 504)
NO_TLS = ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE")


class LateError(UnreachableError):
    """The server did not answer in the time that the call had."""


@dataclass(frozen=True, slots=True)
class Call:
    """One request. `repeatable`: sending it twice does no more than sending it once."""

    method: str
    path: str
    seconds: float
    params: tuple[tuple[str, str], ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes | Iterable[bytes] | None = None
    repeatable: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole response."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def problem(self) -> Problem | None:
        if self.status < 400:
            return None
        return problem_in(self.headers.get("content-type", ""), self.body)

    def is_transient(self, repeatable: bool) -> bool:
        """Whether to send the request again: refused before it was looked at, or without harm."""
        if self.status == 429:
            problem = self.problem
            return problem is None or problem.code in TRANSIENT
        if self.status not in GATEWAY or not repeatable:
            return False
        return (problem := self.problem) is None or problem.code in TRANSIENT

    @property
    def retry_after(self) -> float:
        """Seconds that the server asks for, given as such or as a date; 0: it does not say."""
        asked = self.headers.get("retry-after", "")
        try:
            seconds = float(asked)
        except ValueError:
            try:
                until, now = (parsedate_to_datetime(x) for x in (asked, self.headers["date"]))
                seconds = (until - now).total_seconds()
            except (ValueError, TypeError, KeyError):
                return 0.0
        return seconds if seconds > 0 else 0.0  # "nan" as well


class Transport:
    """Sends calls. Redirects are not followed: the key is for this server and no other."""

    def __init__(
        self,
        address: ServerAddress,
        key: str | None,
        language: str = "",
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.address = address
        self.has_key = key is not None
        self._sleep = sleep
        self._closed = threading.Event()
        headers = {"User-Agent": "taishi-python"}
        if key is not None:
            headers["Authorization"] = f"Bearer {key}"
        if language:
            headers["Accept-Language"] = language
        self._http = httpx.Client(
            headers=headers,
            follow_redirects=False,
            trust_env=not address.is_local,
            limits=httpx.Limits(max_connections=MAX_CONNECTIONS),
        )

    def close(self) -> None:
        self._closed.set()
        self._http.close()

    def check_open(self) -> None:
        if self._closed.is_set():
            raise ClosedError("this memory was closed; open it again")

    def send(self, call: Call) -> Answer:
        """The response, whatever its status. Raises UnreachableError if there is none."""
        deadline = Deadline(call.seconds, time.monotonic)
        for attempt in range(TRIES):
            last = attempt == TRIES - 1
            asked = 0.0
            try:
                answer = self._once(call, deadline)
            except httpx.TransportError as error:
                again = call.repeatable or isinstance(error, NOT_SENT)
                if last or not again or _is_certificate(error) or not deadline.left:
                    raise self._unreachable(error, deadline) from error
            else:
                if last or not answer.is_transient(call.repeatable):
                    return answer
                asked = answer.retry_after
                if asked >= deadline.left:
                    return answer
            self._pause(attempt, asked, deadline)
        raise AssertionError("the last attempt returns or raises")

    @contextmanager
    def stream(self, call: Call) -> Iterator[httpx.Response]:
        """A response that is read piece by piece; `seconds` is for each piece. Never repeated."""
        self.check_open()
        deadline = Deadline(call.seconds, time.monotonic)
        try:
            with self._http.stream(
                call.method,
                self._url(call),
                timeout=self._timeout(call.seconds),
                headers=dict(call.headers),
                content=call.content,
            ) as response:
                yield response
        except httpx.TransportError as error:
            raise self._unreachable(error, deadline) from error

    def _once(self, call: Call, deadline: Deadline) -> Answer:
        self.check_open()
        with self._http.stream(
            call.method,
            self._url(call),
            timeout=self._timeout(deadline.left),
            headers=dict(call.headers),
            content=call.content,
        ) as response:
            pieces, size = [], 0
            for piece in response.iter_bytes():
                pieces.append(piece)
                size += len(piece)
                if size > MAX_ANSWER_BYTES:
                    raise UnreachableError(f"{self.address.url} sends more than was asked for")
                if not deadline.left:
                    raise httpx.ReadTimeout("the response came too slowly")
        return Answer(response.status_code, response.headers, b"".join(pieces))

    def _url(self, call: Call) -> httpx.URL:
        return httpx.URL(self.address.url + call.path, params=list(call.params) or None)

    def _timeout(self, seconds: float) -> httpx.Timeout:
        least = max(seconds, 0.001)
        return httpx.Timeout(least, connect=min(least, CONNECT_SECONDS))

    def _pause(self, attempt: int, asked: float, deadline: Deadline) -> None:
        """Longer each time, and never the same in two clients."""
        backoff = min(FIRST_PAUSE * 2**attempt, LONGEST_PAUSE) * random.uniform(0.5, 1.0)
        self._sleep(min(max(asked, backoff), deadline.left))

    def _unreachable(self, error: httpx.TransportError, deadline: Deadline) -> UnreachableError:
        url = self.address.url
        if _is_certificate(error):
            return UnreachableError(f"the certificate of {url} cannot be trusted: {error}")
        if _is_plain_http(error):
            instead = url.replace("https://", "http://", 1)
            return UnreachableError(f"{url} speaks http, not https; write {instead}")
        if isinstance(error, httpx.TimeoutException):
            seconds = deadline.spent_ms / 1000
            return LateError(f"{url} did not answer within {seconds:.2f} seconds; try again")
        why = str(error) or type(error).__name__
        return UnreachableError(f"{url} does not answer ({why}); is `taishi serve` running there?")


def _is_certificate(error: BaseException) -> bool:
    return any(isinstance(one, ssl.SSLCertVerificationError) for one in _causes(error))


def _is_plain_http(error: BaseException) -> bool:
    """Whether the answer to a TLS greeting was no TLS."""
    return any(isinstance(one, ssl.SSLError) and one.reason in NO_TLS for one in _causes(error))


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
