"""Clients that ask without a pause, each on a connection of its own; in a process of their own.

They speak just enough HTTP: a client library would use up the processor that is to be measured.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any
from urllib.parse import urlsplit

from benchmarks.corpus import natural_questions

TURN_EVERY = 10
MAX_ERRORS = 20
RETRY_SECONDS = 1.0  # what the server's Retry-After says, at the least


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


class Client:
    def __init__(self, plan: dict[str, Any], number: int, told: Told) -> None:
        self._plan = plan
        self._told = told
        self._random = random.Random(number)
        self._questions = natural_questions(256)
        self._host = urlsplit(plan["url"])

    async def run(self, end: float) -> None:
        reader, writer = await asyncio.open_connection(self._host.hostname, self._host.port)
        while time.perf_counter() < end:
            await self._ask(reader, writer)
        writer.close()

    async def _ask(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        question = self._random.choice(self._questions)
        is_turn = self._plan["what"] == "mixed" and self._random.randrange(TURN_EVERY) == 0
        body: dict[str, Any] = {"scope": self._plan["scope"]}
        body["new_info" if is_turn else "query"] = question
        path = {"bare": "/bare"}.get(self._plan["what"], "/v1/turns" if is_turn else "/v1/recall")
        start = time.perf_counter()
        writer.write(self._request(path, json.dumps(body).encode()))
        status, answer = await self._answer(reader)
        seconds = time.perf_counter() - start
        if status == 503 and b"urn:taishi:problem:overloaded" in answer:
            self._told.shed += 1
            await asyncio.sleep(RETRY_SECONDS)
            return
        if status >= 300:
            if len(self._told.errors) < MAX_ERRORS:
                self._told.errors.append(f"{status} {answer[:200]!r}")
            return
        told = json.loads(answer)
        (self._told.turns if is_turn else self._told.recalls).append(seconds)
        if is_turn:
            self._told.accepted.append(told["id"])
        else:
            self._told.levels[told["level"]] = self._told.levels.get(told["level"], 0) + 1

    def _request(self, path: str, body: bytes) -> bytes:
        head = (
            f"POST {path} HTTP/1.1\r\nHost: {self._host.netloc}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        return head.encode() + body

    async def _answer(self, reader: asyncio.StreamReader) -> tuple[int, bytes]:
        head = await reader.readuntil(b"\r\n\r\n")
        lines = head.lower().split(b"\r\n")
        size = next(
            int(line.split(b":")[1]) for line in lines if line.startswith(b"content-length")
        )
        return int(head[9:12]), await reader.readexactly(size)


async def ask(plan: dict[str, Any]) -> Told:
    told = Told()
    end = time.perf_counter() + plan["seconds"]
    await asyncio.gather(*(Client(plan, n, told).run(end) for n in range(plan["clients"])))
    return told


if __name__ == "__main__":
    print(json.dumps(asdict(asyncio.run(ask(json.load(sys.stdin))))))
