"""The fields of one line of an export, each taken once and checked."""

from __future__ import annotations

import base64
import binascii
import math
import re
from collections.abc import Mapping, Sequence
from datetime import UTC
from typing import Any

from ..errors import InputError, TimeError
from ..ingest.job_builder import clean_text
from ..language.text import well_formed
from ..times import to_epoch
from ..types import KINDS, Partition, clean_id

MAX_VECTOR_BYTES = 64 * 1024
MAX_WHOLE = 2**53  # what every JSON reader keeps exact
PLACES = ("private", "group", "agent", "workspace")
STATES = ("approved", "candidate", "conflict", "rejected", "superseded")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_QUEUE_ID = re.compile(r"\d{20}-[0-9a-f]{12}", re.ASCII)
_REVISION = re.compile(r"\d{8}T\d{6}\.\d{6}Z", re.ASCII)
_MISSING = object()


class Fields:
    """`take` what is expected, then `finish`: a field that nobody took is refused."""

    def __init__(self, values: dict[str, Any]) -> None:
        self._values = values

    def take(self, name: str) -> Any:
        found = self._values.pop(name, _MISSING)
        if found is _MISSING:
            raise InputError(f"the field {name!r} is missing")
        return found

    def finish(self) -> None:
        if self._values:
            name = min(map(str, self._values))
            raise InputError(
                f"unknown field {name!r:.60}; take it out, or import with the Taishi that wrote it"
            )

    # -- text and ids --------------------------------------------------------------------------

    def raw(self, name: str) -> str:
        """Text as it is, but for half characters, which cannot be stored."""
        value = self.take(name)
        if not isinstance(value, str):
            raise InputError(f"{name} must be text, not {type(value).__name__}")
        return well_formed(value)

    def maybe_raw(self, name: str) -> str | None:
        return None if self.maybe(name) else self.raw(name)

    def text(self, name: str) -> str:
        """Text that was or could have been said: no NUL either, and of a length we take."""
        value = self.take(name)
        if not isinstance(value, str):
            raise InputError(f"{name} must be text, not {type(value).__name__}")
        return clean_text(value, name)

    def maybe_text(self, name: str) -> str | None:
        return None if self.maybe(name) else self.text(name)

    def id(self, name: str) -> str:
        value = self.take(name)
        if not isinstance(value, str) or clean_id(value, name) is None:
            raise InputError(f"{name} must be text that is not empty")
        return value

    def maybe_id(self, name: str) -> str | None:
        return None if self.maybe(name) else self.id(name)

    def maybe(self, name: str) -> bool:
        """Whether the field is there and null; it is then taken."""
        if self._values.get(name, _MISSING) is None:
            self.take(name)
            return True
        return False

    def one_of(self, name: str, known: Sequence[str]) -> str:
        value = self.take(name)
        if value not in known or not isinstance(value, str):
            raise InputError(f"{name} {value!r:.40} is not known; use one of {', '.join(known)}")
        return value

    def kind(self, name: str) -> str:
        return self.one_of(name, KINDS)

    def state(self, name: str) -> str:
        return self.one_of(name, STATES)

    def place(self) -> Partition:
        workspace = self.id("workspace")
        kind = self.one_of("place", PLACES)
        if kind == "workspace":
            if self.take("place_id") != "":
                raise InputError("place_id must be empty where the place is the whole workspace")
            return Partition(workspace, "workspace")
        return Partition(workspace, kind, self.id("place_id"))  # type: ignore[arg-type]

    def day(self, name: str) -> str:
        return self._matching(name, _DAY, "a day such as 2026-02-20")

    def queue_id(self, name: str) -> str:
        return self._matching(name, _QUEUE_ID, "a queue id: 20 digits, a dash, 12 hex digits")

    def _matching(self, name: str, pattern: re.Pattern[str], what: str) -> str:
        value = self.take(name)
        if not isinstance(value, str) or not pattern.fullmatch(value):
            raise InputError(f"{name} {value!r:.60} must be {what}")
        return value

    # -- numbers and times ---------------------------------------------------------------------

    def number(self, name: str) -> float:
        value = self.take(name)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise InputError(f"{name} must be a number, not {type(value).__name__}")
        if not -1e15 < value < 1e15 or math.isnan(value):
            raise InputError(f"{name} is out of range")
        return float(value)

    def whole(self, name: str) -> int:
        value = self.take(name)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_WHOLE:
            raise InputError(f"{name} must be a whole number from 0 up")
        return value

    def flag(self, name: str) -> bool:
        value = self.take(name)
        if not isinstance(value, bool):
            raise InputError(f"{name} must be true or false")
        return value

    def time(self, name: str) -> float | None:
        """The epoch; or, in a line written by hand, only the ISO time beside it."""
        iso = self._values.pop(f"{name}_iso", None)
        if name not in self._values and iso is not None:
            self._values[name] = self._from_iso(name, iso)
        return None if self.maybe(name) else self.number(name)

    def _from_iso(self, name: str, iso: object) -> float:
        if not isinstance(iso, str):
            raise InputError(f"{name}_iso must be an ISO time")
        try:
            return to_epoch(iso, UTC)
        except TimeError as error:
            raise InputError(f"{name}_iso: {error}") from error

    # -- lists and objects ---------------------------------------------------------------------

    def mapping(self, name: str) -> Mapping[str, Any]:
        value = self.take(name)
        if not isinstance(value, dict):
            raise InputError(f"{name} must be an object, not {type(value).__name__}")
        return value

    def counts(self, name: str) -> dict[str, int]:
        inner = Fields(dict(self.mapping(name)))
        return {key: inner.whole(key) for key in list(inner._values)}

    def texts(self, name: str) -> tuple[str, ...]:
        value = self.take(name)
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise InputError(f"{name} must be a list of texts")
        return tuple(value)

    def snapshots(self, name: str) -> tuple[tuple[str, str], ...]:
        value = self.take(name)
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            raise InputError(f"{name} must be a list of objects with revision and page")
        found = []
        for one in value:
            inner = Fields(dict(one))
            revision = inner._matching("revision", _REVISION, "a time: 20260220T143000.000000Z")
            found.append((revision, inner.text("page")))
            inner.finish()
        return tuple(found)

    def vector(self, name: str) -> bytes | None:
        """Numbers of four bytes each, as base64; the field may be left out."""
        if name not in self._values:
            return None
        try:
            data = base64.b64decode(self.raw(name), validate=True)
        except (binascii.Error, ValueError) as error:
            raise InputError(f"{name} is not base64") from error
        if not data or len(data) % 4 or len(data) > MAX_VECTOR_BYTES:
            raise InputError(f"{name} is no vector: it must be float32 numbers")
        return data
