"""One model's endpoint over HTTP: a request is sent once, never retried here.

A whole answer must arrive within the timeout, however slowly it drips, and within a size; what
goes wrong on the way becomes an Answer with status 0, so that the caller has one thing to judge.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any

import httpx

from ..errors import ModelError, ModelMissingError
from ..language.text import one_line
from ..settings.schema import ModelSettings

MAX_ANSWER_BYTES = 8 * 1024 * 1024
LONGEST_EXCERPT = 300
NO_ANSWER = 0
SHORTEST_KEY = 4
RETRY_STATUSES = frozenset({NO_ANSWER, 408, 409, 425, 429, 500, 502, 503, 504, 529})


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back. `status` 0: nothing did, and `text` says why."""

    status: int
    text: str
    seconds: float
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300

    @property
    def passing(self) -> bool:
        """Whether the same request may well succeed a moment later."""
        return self.status in RETRY_STATUSES

    @property
    def words(self) -> str:
        """The server's own explanation, as far as it gave one."""
        try:
            error = json.loads(self.text)
            error = error.get("error", error.get("detail", error))
            said = error.get("message", error) if isinstance(error, dict) else error
        except (ValueError, AttributeError, RecursionError):
            said = self.text
        return one_line(str(said)[: 4 * LONGEST_EXCERPT], LONGEST_EXCERPT)

    def retry_after(self) -> float | None:
        """Seconds that the server asks us to wait, given as such or as a date."""
        asked = self.headers.get("retry-after", "")
        try:
            seconds = float(asked)
        except ValueError:
            try:
                # Counted from the server's own clock: ours may be wrong.
                until, now = (parsedate_to_datetime(x) for x in (asked, self.headers["date"]))
                seconds = (until - now).total_seconds()
            except (ValueError, TypeError, KeyError):
                return None
        # False for "nan", too.
        return seconds if seconds >= 0 else None


class Endpoint:
    """One model at one address: its key, timeout, concurrency and the pause between requests."""

    def __init__(
        self,
        settings: ModelSettings,
        section: str,
        path: str,
        what: str,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        max_bytes: int = MAX_ANSWER_BYTES,
        bounded: bool = True,
    ) -> None:
        """`path` is what follows the address; `what` is the model as messages call it. Unless
        `bounded`, the caller sees to it that there are not too many requests at a time."""
        self.settings = settings
        self.section = section
        self._what = what
        self._address = _address(settings.api_url, path, what, section)
        self._clock = clock
        self._sleep = sleep
        self._max_bytes = max_bytes
        self._slots: AbstractContextManager[Any] = (
            threading.BoundedSemaphore(max(1, settings.concurrency)) if bounded else nullcontext()
        )
        self._pace = threading.Lock()
        self._free_at = 0.0
        self._client = httpx.Client(
            headers=_headers(settings.api_key, section), timeout=settings.timeout_seconds
        )

    @property
    def closed(self) -> bool:
        return self._client.is_closed

    @property
    def host(self) -> str:
        return self._address.host

    def redact(self, words: str) -> str:
        """Without the key. Shorter than this it is a placeholder, and part of common words."""
        key = self.settings.api_key
        return words.replace(key, "***") if len(key) >= SHORTEST_KEY else words

    def post(self, body: Mapping[str, Any]) -> Answer:
        """Send it once, when a slot is free and the pause is over."""
        content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        with self._slots:
            self._wait_for_turn()
            began = self._clock()
            try:
                return self._exchange(content, began)
            except httpx.TimeoutException:
                words = f"no answer within {self.settings.timeout_seconds:g} s (timeout_seconds)"
            except (httpx.HTTPError, UnicodeError) as error:
                # UnicodeError: a host name that no network can look up.
                words = f"the connection failed: {error or type(error).__name__}"
            except RuntimeError as error:
                # What a closed client raises.
                raise ModelError(f"{self._what} was closed ({error}): open it again") from None
            return Answer(NO_ANSWER, self.redact(words), self._clock() - began)

    def close(self) -> None:
        self._client.close()

    def _exchange(self, content: bytes, began: float) -> Answer:
        json_headers = {"Content-Type": "application/json"}
        pieces: list[bytes] = []
        size = 0
        with self._client.stream(
            "POST", self._address, content=content, headers=json_headers
        ) as response:
            for piece in response.iter_bytes():
                pieces.append(piece)
                size += len(piece)
                if size > self._max_bytes:
                    raise httpx.DecodingError(f"an answer of more than {self._max_bytes} bytes")
                if self._clock() - began > self.settings.timeout_seconds:
                    raise httpx.ReadTimeout("the answer did not end in time")
        text = b"".join(pieces).decode("utf-8", "replace")
        if not response.is_success:
            text = self.redact(text)  # before anybody cuts it: half a key is still a secret
        headers = {name.lower(): value for name, value in response.headers.items()}
        return Answer(response.status_code, text, self._clock() - began, headers)

    def _wait_for_turn(self) -> None:
        pause = self.settings.queue_interval_seconds
        if pause <= 0:
            return
        with self._pace:
            now = self._clock()
            start = max(now, self._free_at)
            self._free_at = start + pause
        if start > now:
            self._sleep(start - now)


def _address(api_url: str, path: str, what: str, section: str) -> httpx.URL:
    """The whole address; people also paste it with the path already on."""
    base = api_url.rstrip("/")
    try:
        url = httpx.URL(base if base.endswith(path) else base + path)
        usable = url.scheme in ("http", "https") and bool(url.host)
    except (httpx.InvalidURL, UnicodeError):
        usable = False
    if not usable:
        raise ModelMissingError(
            f"{what} has no valid address: set api_url in [{section}] "
            "to something like http://127.0.0.1:8080/v1"
        )
    return url


def _headers(api_key: str, section: str) -> dict[str, str]:
    if not (api_key.isascii() and api_key.isprintable()):
        raise ModelMissingError(
            f"api_key in [{section}] contains invalid characters: copy it again"
        )
    return {"Authorization": f"Bearer {api_key}"} if api_key else {}
