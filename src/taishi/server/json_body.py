"""Strict JSON request bodies: checks content type, encoding, nesting and numbers before a route
runs."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from starlette.requests import Request

from ..language.text import well_formed
from .problems import Problem

MAX_DEPTH = 32
_JSON = re.compile(r"application/([\w.!#$&^-]+\+)?json\s*(;.*)?", re.IGNORECASE)
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_HUGE_NUMBER = re.compile(rb"\d[eE]\+?\d{3}")


class StrictRequest(Request):
    """A request whose body is parsed and checked before its route runs."""

    _parsed: Any = None

    async def load(self) -> None:
        raw = await self.body()
        if not raw:
            return
        if not _JSON.fullmatch(self.headers.get("content-type", "").strip()):
            raise Problem(
                415, "media-type", "Only JSON is taken", "send it as Content-Type: application/json"
            )
        self._parsed = parse(raw)

    async def json(self) -> Any:
        return self._parsed


def parse(raw: bytes) -> Any:
    """The value of a JSON text. Lone surrogates, left by truncated emoji, are replaced."""
    try:
        value = json.loads(raw.decode("utf-8"), parse_constant=_reject_constant)
    except UnicodeDecodeError as error:
        raise _json_problem("the body is not UTF-8; encode it as UTF-8") from error
    except RecursionError as error:
        raise _json_problem(f"nested too deep; at most {MAX_DEPTH} levels are taken") from error
    except ValueError as error:
        raise _json_problem(f"the body is not JSON: {str(error)[:200]}") from error
    suspicious = _SURROGATE.search(raw) or _HUGE_NUMBER.search(raw)
    if suspicious or raw.count(b"[") + raw.count(b"{") > MAX_DEPTH:
        return _validated(value, 0)
    return value


def _validated(value: Any, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise _json_problem(f"nested too deep; at most {MAX_DEPTH} levels are taken")
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise _json_problem("a number is too large; send one that a double can hold")
    if isinstance(value, list):
        return [_validated(item, depth + 1) for item in value]
    if isinstance(value, dict):
        return {well_formed(key): _validated(item, depth + 1) for key, item in value.items()}
    return value


def _reject_constant(constant: str) -> Any:
    raise ValueError(f"{constant} is not a JSON number")


def _json_problem(detail: str) -> Problem:
    return Problem(400, "json", "The body cannot be read", detail)
