"""Log formats: JSON lines for machines or text for people, each with the id of its request.

Route templates, not paths; the id of a key, not the key; nothing of what users said.
"""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, Literal, TextIO

Form = Literal["json", "text"]
FORMS: tuple[Form, ...] = ("json", "text")
# The `extra` fields of a log call that are written, in this order.
REQUEST_FIELDS = ("method", "route", "status", "ms", "key")
WORK_FIELDS = ("done", "retried", "failed", "waiting", "unembedded")
FIELDS = (*REQUEST_FIELDS, *WORK_FIELDS)
# Covered by our own lines, or with URLs that do not belong in a log.
QUIET = ("uvicorn.access", "httpx", "httpcore", "mcp.server.streamable_http_manager")
# A line for every try to connect; that a database is away is told once, by ourselves.
SILENT = ("psycopg.pool",)
# The id of the request that this thread or task works for; "" outside of one.
current_request: ContextVar[str] = ContextVar("taishi_request", default="")

_SECRETS = re.compile(
    r"\b(tsk_[0-9a-f]{1,32})_[\w\-]{8,}|\b(sk)-[\w\-]{8,}|\b(bearer)\s+[^\s\"',}\]]{4,}",
    re.IGNORECASE,
)


def configure_logging(form: str = "text", stream: TextIO | None = None) -> None:
    """Send everything this process logs to stderr, in one format."""
    if form not in FORMS:
        raise ValueError(f"unknown form {form!r:.40}; use {' or '.join(FORMS)}")
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLines() if form == "json" else TextLines())
    root = logging.getLogger()
    for existing in root.handlers[:]:
        root.removeHandler(existing)
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    for name in ("uvicorn", "uvicorn.error", *QUIET):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True
    for name in QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
    for name in SILENT:
        logging.getLogger(name).setLevel(logging.ERROR)


@contextmanager
def logging_as(form: str) -> Iterator[None]:
    """The same until the end of the block; then everything is logged as before."""
    root, ours = logging.getLogger(), logging.getLogger("taishi")
    before = root.handlers[:], root.level, ours.handlers[:]
    ours.handlers.clear()  # or every line would be logged twice
    configure_logging(form)
    try:
        yield
    finally:
        root.handlers[:], ours.handlers[:] = before[0], before[2]
        root.setLevel(before[1])


class JsonLines(logging.Formatter):
    """One JSON object per line."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": _timestamp(record).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": without_secrets(record.getMessage()),
        }
        if request := _request_id(record):
            line["request_id"] = request
        line |= {name: value for name in FIELDS if (value := _extra(record, name)) is not None}
        if record.exc_info:
            line["error"] = without_secrets(self.formatException(record.exc_info))
        return json.dumps(line, ensure_ascii=True)


class TextLines(logging.Formatter):
    """For a person at a terminal; a traceback on the lines below."""

    def format(self, record: logging.LogRecord) -> str:
        when = _timestamp(record).astimezone().strftime("%Y-%m-%d %H:%M:%S")
        message = " ".join(without_secrets(record.getMessage()).split())
        line = f"{when} {record.levelname.lower():7} {record.name}: {message}"
        if (ms := _extra(record, "ms")) is not None:
            line += f" {ms} ms"
        if request := _request_id(record):
            line += f" [{request}]"
        if record.exc_info:
            line += "\n" + without_secrets(self.formatException(record.exc_info))
        return line


def without_secrets(text: str) -> str:
    """Mask keys that reached a message through an error; their prefix stays."""
    return _SECRETS.sub(lambda m: f"{m[1] or m[2] or m[3]}-***", text)


def _timestamp(record: logging.LogRecord) -> datetime:
    return datetime.fromtimestamp(record.created, UTC)


def _extra(record: logging.LogRecord, name: str) -> Any:
    return getattr(record, name, None)


def _request_id(record: logging.LogRecord) -> str:
    return str(_extra(record, "request_id") or current_request.get())
