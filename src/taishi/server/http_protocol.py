"""The HTTP/1.1 connection of `taishi serve`: uvicorn's, with timeouts and strict framing.

uvicorn limits only how long an idle connection is kept after a response. A connection that sends
nothing, or a byte a second, would be held forever, and a process can have only some hundreds.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import h11
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from ..settings import ServerSettings
from .problems import Problem, render
from .request_framing import MAX_HEAD_BYTES, StrictConnection

LINGER_SECONDS = 5.0  # for the last bytes of a response, before the connection is aborted
SPARE_CONNECTIONS = 100  # above the limit these get a 503; any more are aborted at once
REQUEST_ID = "X-Request-ID"
Phase = Literal["head", "body"]
Count = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """How long a client may take, and how many may be connected at once."""

    head_seconds: float = 10.0
    body_seconds: float = 20.0
    body_bytes_per_second: int = 1000
    send_seconds: float = 60.0
    connections: int = 500
    count: Count = lambda reason: None  # called with the reason for each refused client

    @classmethod
    def of(cls, server: ServerSettings, count: Count) -> ConnectionLimits:
        return cls(
            server.header_seconds,
            server.body_seconds,
            server.body_bytes_per_second,
            server.send_seconds,
            server.max_connections,
            count,
        )

    def seconds(self, phase: Phase, received: int) -> float:
        """A large body over a slow connection may take long, as long as data keeps arriving."""
        if phase == "head":
            return self.head_seconds
        return self.body_seconds + received / self.body_bytes_per_second


class LimitedProtocol(H11Protocol):
    """An HTTP connection with timeouts; `limits` are set by `protocol_class`."""

    limits: ClassVar[ConnectionLimits]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.conn: StrictConnection = StrictConnection(h11.SERVER, MAX_HEAD_BYTES)
        self._phase: Phase | None = None
        self._started = 0.0
        self._payload_before = 0
        self._timer: asyncio.TimerHandle | None = None
        self._send_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        over = len(self.connections) - self.limits.connections
        if over > SPARE_CONNECTIONS:
            self.limits.count("connections")
            transport.abort()
        elif over > 0:
            self.app = self._refuse_connection
        self._enter("head")

    def connection_lost(self, exc: Exception | None) -> None:
        self._enter(None)
        self._stop_send_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._update_phase()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._update_phase()

    def pause_writing(self) -> None:
        """The client does not read its response: start the send timeout."""
        super().pause_writing()
        self._stop_send_timer()
        self._send_timer = self.loop.call_later(self.limits.send_seconds, self._abort_unread)

    def resume_writing(self) -> None:
        self._stop_send_timer()
        super().resume_writing()

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        self._abort_later()

    def send_400_response(self, msg: str) -> None:
        """uvicorn calls this for anything that is not HTTP."""
        self.limits.count("framing")
        detail = self.conn.fault or "this is not HTTP/1.1 as the RFCs have it"
        self._refuse(Problem(400, "framing", "This request cannot be read", detail))

    def _update_phase(self) -> None:
        """Start the timer of the part of the request that is awaited now, if any."""
        state, waiting = self.conn.their_state, not self.transport.is_closing()
        if waiting and state is h11.SEND_BODY:
            self._enter("body")
        elif waiting and state is h11.IDLE and self.conn.trailing_data[0]:
            self._enter("head")
        else:
            self._enter(None)

    def _enter(self, phase: Phase | None) -> None:
        if phase == self._phase:
            return
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._phase = phase
        self._restart_clock()
        if phase is not None:
            self._start_timer(self.limits.seconds(phase, 0))

    def _restart_clock(self) -> None:
        self._started, self._payload_before = self.loop.time(), self.conn.payload

    def _start_timer(self, seconds: float) -> None:
        self._timer = self.loop.call_later(seconds, self._check_timeout)

    def _check_timeout(self) -> None:
        """Time out, unless enough arrived meanwhile, or reading is paused on our side."""
        if self._phase is None:
            return
        if self.flow.read_paused:
            self._restart_clock()
        received = self.conn.payload - self._payload_before
        end = self._started + self.limits.seconds(self._phase, received)
        if end > self.loop.time():
            self._start_timer(end - self.loop.time())
        else:
            self._timed_out(self._phase)

    def _timed_out(self, phase: Phase) -> None:
        self.limits.count(f"{phase}_timeout")
        name = "server.header_seconds" if phase == "head" else "server.body_seconds"
        detail = f"the {phase} of the request did not come in time; send it again ({name})"
        if phase == "head" and not self.conn.trailing_data[0]:
            self._close()  # nothing was sent, so there is no request to answer
        else:
            self._refuse(Problem(408, "timeout", "The request came too slowly", detail))

    def _abort_unread(self) -> None:
        self.limits.count("send_timeout")
        self.transport.abort()

    def _refuse(self, problem: Problem) -> None:
        """Send the problem, if no response has begun, and close the connection."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            answer = _rendered(problem)
            head = h11.Response(status_code=problem.status, headers=answer.raw_headers)
            for event in (head, h11.Data(data=bytes(answer.body)), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        self._close()

    def _close(self) -> None:
        self._enter(None)
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.transport.close()
        self._abort_later()

    def _abort_later(self) -> None:
        """`close` waits until everything was sent; a client that does not read would block it."""
        self.loop.call_later(LINGER_SECONDS, self.transport.abort)

    def _stop_send_timer(self) -> None:
        if self._send_timer is not None:
            self._send_timer.cancel()
            self._send_timer = None

    async def _refuse_connection(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.limits.count("connections")
        problem = Problem(
            503,
            "overloaded",
            "Too many connections",
            "too many clients are connected at once; try again in 1 s, or raise "
            "server.max_connections",
            {"Retry-After": "1", "Connection": "close"},
        )
        await render(problem, HTTPConnection(scope))(scope, receive, send)


def protocol_class(bounds: ConnectionLimits) -> type[LimitedProtocol]:
    """For `uvicorn.Config(http=…)`, which takes a class and instantiates it per connection."""

    class ConfiguredProtocol(LimitedProtocol):
        limits = bounds

    return ConfiguredProtocol


def _rendered(problem: Problem) -> Response:
    """The problem as a route would send it, without request headers: they were never read."""
    request_id = uuid.uuid4().hex
    scope = {"type": "http", "path": "/", "headers": [], "state": {"request_id": request_id}}
    answer = render(problem, HTTPConnection(scope))
    answer.headers[REQUEST_ID] = request_id
    answer.headers["Connection"] = "close"
    return answer
