"""Clients that ask without a pause, each on a connection of its own; in a process of their own.

They speak just enough HTTP, without streams or tasks, and read no more of an answer than is
counted: a client library would use up the processor that is to be measured.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import sys
import time
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any, cast
from urllib.parse import urlsplit

from benchmarks.corpus import natural_questions

TURN_EVERY = 10
MAX_ERRORS = 20
RETRY_SECONDS = 1.0  # what the server's Retry-After says, at the least
OVERLOADED = b"urn:taishi:problem:overloaded"
LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
LEVEL = re.compile(rb'"level": ?"([\w-]+)"')
# A turn that says nothing new has no id: {"id":null,"kept":false}
ACCEPTED = re.compile(rb'"id": ?(?:"([^"]+)"|null)')


@dataclass(slots=True)
class Told:
    """What came back."""

    recalls: list[float] = field(default_factory=list)  # seconds
    turns: list[float] = field(default_factory=list)
    accepted: list[str] = field(default_factory=list)
    levels: dict[str, int] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    shed: int = 0  # told to come back later

    @property
    def count(self) -> int:
        return len(self.recalls) + len(self.turns)

    def added(self, other: Told) -> Told:
        names = ("recalls", "turns", "accepted", "errors")
        lists = {name: getattr(self, name) + getattr(other, name) for name in names}
        levels = dict(Counter(self.levels) + Counter(other.levels))
        return Told(**lists, levels=levels, shed=self.shed + other.shed)


class Client(asyncio.Protocol):
    """One connection: the answer to a request sends the next one, until the time is over."""

    def __init__(self, requests: Requests, number: int, told: Told, end: float) -> None:
        self._requests = requests
        self._told = told
        self._random = random.Random(number)
        self._end = end
        self._received = b""
        self._is_turn = False
        self._start = 0.0
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._ask()

    def connection_lost(self, error: Exception | None) -> None:
        if not self.done.done():
            self._note_error(f"the connection was closed: {error}")
            self.done.set_result(None)

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, found, body = self._received.partition(b"\r\n\r\n")
        length = LENGTH.search(head)
        if not found or length is None or len(body) < int(length[1]):
            return
        self._received = b""
        is_shed = self._count(int(head[9:12]), body)
        if time.perf_counter() >= self._end:
            self.done.set_result(None)
            self._transport.close()
        elif is_shed:
            asyncio.get_running_loop().call_later(RETRY_SECONDS, self._ask)
        else:
            self._ask()

    def _ask(self) -> None:
        self._is_turn, request = self._requests.choose(self._random)
        self._start = time.perf_counter()
        self._transport.write(request)

    def _count(self, status: int, body: bytes) -> bool:
        """True: told to come back later."""
        seconds = time.perf_counter() - self._start
        if status == 503 and OVERLOADED in body:
            self._told.shed += 1
            return True
        told = (ACCEPTED if self._is_turn else LEVEL).search(body)
        if status >= 300 or told is None:
            self._note_error(f"{status} {body[:200]!r}")
        elif self._is_turn:
            self._told.turns.append(seconds)
            if told[1] is not None:
                self._told.accepted.append(told[1].decode())
        else:
            self._told.recalls.append(seconds)
            level = told[1].decode()
            self._told.levels[level] = self._told.levels.get(level, 0) + 1
        return False

    def _note_error(self, what: str) -> None:
        if len(self._told.errors) < MAX_ERRORS:
            self._told.errors.append(what)


class Requests:
    """Every request that the clients may make, as it goes over the wire."""

    def __init__(self, plan: dict[str, Any]) -> None:
        self._host = urlsplit(plan["url"]).netloc
        path = "/bare" if plan["what"] == "bare" else "/v1/recall"
        questions = natural_questions(256)
        scope = plan["scope"]
        self._recalls = [self._request(path, {"scope": scope, "query": q}) for q in questions]
        self._turns = [
            self._request("/v1/turns", {"scope": scope, "new_info": q})
            for q in questions
            if plan["what"] == "mixed"
        ]

    def choose(self, chance: random.Random) -> tuple[bool, bytes]:
        """Whether it ends a turn, and the request."""
        is_turn = bool(self._turns) and chance.randrange(TURN_EVERY) == 0
        return is_turn, chance.choice(self._turns if is_turn else self._recalls)

    def _request(self, path: str, content: dict[str, Any]) -> bytes:
        body = json.dumps(content).encode()
        head = (
            f"POST {path} HTTP/1.1\r\nHost: {self._host}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        return head.encode() + body


async def ask(plan: dict[str, Any]) -> Told:
    told, requests, host = Told(), Requests(plan), urlsplit(plan["url"])
    end = time.perf_counter() + plan["seconds"]
    clients = [Client(requests, number, told, end) for number in range(plan["clients"])]
    loop = asyncio.get_running_loop()
    for client in clients:
        await loop.create_connection(lambda client=client: client, host.hostname, host.port)  # type: ignore[misc]
    await asyncio.gather(*(client.done for client in clients))
    return told


if __name__ == "__main__":
    print(json.dumps(asdict(asyncio.run(ask(json.load(sys.stdin))))))
