"""Strict request framing against HTTP request smuggling.

When a server and the proxy in front of it disagree on where a request ends, the rest is taken for
somebody else's next request. Whatever two parsers may read differently is refused here, before it
is parsed.
"""

from __future__ import annotations

import re

import h11

MAX_HEAD_BYTES = 16 << 10  # request line and headers together
_END = re.compile(rb"\n\r?\n")
_BARE = re.compile(rb"(?<!\r)\n|\r(?!\n)")
_FOLDED = re.compile(rb"\n[ \t]")
_FRAMING = re.compile(rb"\n(content-length|transfer-encoding)[ \t]*:([^\r\n]*)", re.IGNORECASE)
_LENGTH = re.compile(rb"[0-9]{1,18}")


def framing_fault(received: bytes) -> str | None:
    """What is wrong with the request head at the start of `received`; None if nothing is, or if the
    head is still incomplete."""
    end = _END.search(received)
    if end is None:
        return None
    head = received[: end.end()]
    if _BARE.search(head):
        return "a line of the head does not end in CR LF"
    if _FOLDED.search(head):
        return "a header goes on in the next line; send it in one"
    return _length_fault(head)


def _length_fault(head: bytes) -> str | None:
    headers = [(name.lower(), value.strip(b" \t")) for name, value in _FRAMING.findall(head)]
    lengths = [value for name, value in headers if name == b"content-length"]
    codings = [value.lower() for name, value in headers if name == b"transfer-encoding"]
    if lengths and codings:
        return "both Content-Length and Transfer-Encoding are there; send one of them"
    if len(lengths) > 1 or (lengths and not _LENGTH.fullmatch(lengths[0])):
        return "Content-Length is not one plain number; send it once"
    if codings and codings != [b"chunked"]:
        return "Transfer-Encoding is not `chunked`, once"
    if codings and not head.partition(b"\r\n")[0].endswith(b"HTTP/1.1"):
        return "Transfer-Encoding needs HTTP/1.1"
    return None


class StrictConnection(h11.Connection):
    """h11 accepts some of these: lines that end in LF alone, folded headers, and both ways of
    giving a length (of which it ignores one). This subclass refuses them."""

    fault: str | None = None
    payload = 0  # bytes of bodies so far, without chunk framing

    def next_event(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        if self.their_state is h11.IDLE:
            received, _ = self.trailing_data
            self.fault = framing_fault(received) if received else None
            if self.fault is not None:
                raise h11.RemoteProtocolError(self.fault)
        event = super().next_event()
        if isinstance(event, h11.Data):
            self.payload += len(event.data)
        return event
