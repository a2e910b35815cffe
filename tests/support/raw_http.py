"""HTTP as bytes on a socket: what no client library would send, and what came back for it."""

from __future__ import annotations

import json
import socket
from dataclasses import dataclass
from typing import Any

Address = tuple[str, int]


@dataclass(frozen=True)
class Answer:
    """What came back for one request; status 0: the line was closed without a word."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


GONE = Answer(0, {}, b"")


class RawClient:
    """One connection. `with RawClient(address) as client: client.send(b"GET …")`."""

    def __init__(self, address: Address, timeout: float = 20.0) -> None:
        self.socket = socket.create_connection(address, timeout)
        self._reader = self.socket.makefile("rb")

    def __enter__(self) -> RawClient:
        return self

    def __exit__(self, *_: object) -> None:
        self._reader.close()
        self.socket.close()

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def ask(self, data: bytes) -> Answer:
        try:
            self.send(data)
        except OSError:
            pass  # hung up meanwhile; what was said before can still be read
        return self.read(data.startswith(b"HEAD "))

    def read(self, is_head: bool = False) -> Answer:
        """The next answer on this line."""
        try:
            return self._read(is_head)
        except ConnectionError:
            return GONE

    def _read(self, is_head: bool) -> Answer:
        first = self._reader.readline()
        if not first:
            return GONE
        headers: dict[str, str] = {}
        while (line := self._reader.readline().decode("latin-1").strip()) != "":
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        status = int(first.split()[1])
        if 100 <= status < 200:
            return self._read(is_head)
        if is_head or status in (204, 304):
            return Answer(status, headers, b"")
        return Answer(status, headers, self._body(headers))

    def _body(self, headers: dict[str, str]) -> bytes:
        if headers.get("transfer-encoding") == "chunked":
            return b"".join(iter(self._chunk, b""))
        if "content-length" in headers:
            return self._reader.read(int(headers["content-length"]))
        return self._reader.read()

    def _chunk(self) -> bytes:
        size = int(self._reader.readline().split(b";")[0], 16)
        data = self._reader.read(size)
        self._reader.readline()
        return data

    def is_closed(self) -> bool:
        """Whether the server has hung up (it waits for that as long as the timeout)."""
        try:
            return self._reader.read(1) == b""
        except ConnectionError:
            return True


def request(
    method: str, target: str, headers: dict[str, str] | None = None, body: bytes = b""
) -> bytes:
    """A request as it stands on the line; `headers` may name the Host."""
    given = {"Host": "127.0.0.1", **(headers or {})}
    if body or method in ("POST", "PUT", "PATCH"):
        given.setdefault("Content-Length", str(len(body)))
    lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in given.items())]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body
