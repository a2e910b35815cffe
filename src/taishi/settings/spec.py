"""How a setting is declared: its default, its limits and its meaning in two languages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from ipaddress import ip_network
from typing import Any, NamedTuple, TypeVar
from zoneinfo import ZoneInfo

T = TypeVar("T", bool, int, float, str)
Key = tuple[str, ...]
NO_LIMIT = 10**9


@dataclass(frozen=True)
class Spec:
    """What a setting may hold, and what it means."""

    default: Any
    en: str
    zh: str
    low: float = 0
    high: float = NO_LIMIT
    choices: tuple[str, ...] = ()
    check: Callable[[Any], str | None] | None = None
    secret: bool = False

    @property
    def expected(self) -> str:
        if self.choices:
            return "one of " + ", ".join(self.choices)
        if isinstance(self.default, bool):
            return "true or false"
        if isinstance(self.default, str):
            return "text, not empty" if self.low else "text"
        noun = "a whole number" if isinstance(self.default, int) else "a number"
        upper = f"to {self.high:g}" if self.high < NO_LIMIT else "up"
        return f"{noun} from {self.low:g} {upper}"

    def accept(self, value: Any) -> Any:
        """The value as it is kept. Raises ValueError with what is expected instead."""
        kind = type(self.default)
        if kind is float and type(value) is int and abs(value) <= NO_LIMIT:
            value = float(value)
        size = len(value.strip()) if isinstance(value, str) else value
        if type(value) is not kind or (self.choices and value not in self.choices):
            raise ValueError(f"expected {self.expected}")
        if kind is not bool and not self.low <= size <= self.high:
            raise ValueError(f"expected {self.expected}")
        if kind is str and re.search("[\0\ud800-\udfff]", value):
            raise ValueError("expected text without NUL and without broken characters")
        if self.check and (complaint := self.check(value)):
            raise ValueError(complaint)
        return value


class Section(NamedTuple):
    """A table of the file. An optional one takes what it lacks from the table around it."""

    cls: type[Any]
    en: str
    zh: str
    optional: bool = False


def setting(default: T, en: str, zh: str, **limits: Any) -> T:
    """A field that carries its own documentation and limits."""
    spec = Spec(default, en, zh, **limits)
    return field(default=default, repr=not spec.secret, metadata={"spec": spec})


def section(cls: type[Any], en: str, zh: str, optional: bool = False) -> Any:
    spec = {"spec": Section(cls, en, zh, optional)}
    return (
        field(default=None, metadata=spec)
        if optional
        else field(default_factory=cls, metadata=spec)
    )


def only_true(value: bool) -> str | None:
    return None if value else "secrets are always removed; delete this line"


def web_address(value: str) -> str | None:
    if value and not re.match("https?://", value, re.IGNORECASE):
        return "expected an address that begins with http:// or https://"
    has_user = "@" in value.partition("//")[2].partition("/")[0]
    return "keep user and password out of the address; use api_key" if has_user else None


def public_origin(value: str) -> str | None:
    """Tokens are sent there, so only this machine may be reached without TLS."""
    found = re.fullmatch(r"(https?)://(\[[0-9a-f:]+\]|[a-z0-9.-]+)(?::\d{1,5})?", value)
    if not value:
        return None
    if found is None:
        return "expected https://NAME or https://NAME:PORT, in small letters, and no path"
    is_local = found[2] in ("localhost", "127.0.0.1", "[::1]")
    return None if found[1] == "https" or is_local else "use https; http is for this machine only"


def proxy_addresses(value: str) -> str | None:
    """A name would never match: the server knows its peers by their addresses."""
    for part in filter(None, (part.strip() for part in value.split(","))):
        try:
            if part != "*":
                ip_network(part, strict=False)
        except ValueError:
            return (
                f"{part!r:.60} is no address; write addresses or networks such as 127.0.0.1 or "
                "10.244.0.0/16, separated by commas; * trusts everybody"
            )
    return None


def header_text(value: str) -> str | None:
    fits = value.isascii() and value.isprintable() and value == value.strip()
    return None if fits else "expected printable ASCII; look for a stray space or line break"


SCOPE_KINDS = ("user", "group", "agent", "workspace")


def scope_list(value: str) -> str | None:
    for part in filter(None, (part.strip() for part in value.split(","))):
        kind, _, id = (piece.strip() for piece in part.partition(":"))
        if kind not in SCOPE_KINDS or not id:
            return (
                f"{part!r:.60} names no scope; write group:ID, user:ID, agent:ID or "
                "workspace:NAME, separated by commas; * is every one"
            )
    return None


def is_zone(name: str) -> bool:
    try:
        return bool(ZoneInfo(name))
    except (KeyError, ValueError, OSError):
        return False


def zone_name(value: str) -> str | None:
    fits = value == "auto" or is_zone(value)
    return None if fits else 'expected "auto" or an IANA name such as "Asia/Shanghai"'


def flatten(table: Mapping[str, Any], prefix: Key = ()) -> Iterator[tuple[Key, Any]]:
    for name, value in table.items():
        if isinstance(value, Mapping) and value:
            yield from flatten(value, (*prefix, name))
        else:
            yield (*prefix, name), value


def walk(cls: type[Any], prefix: Key = ()) -> Iterator[tuple[Key, Spec | Section]]:
    for one in fields(cls):
        if spec := one.metadata.get("spec"):
            yield (*prefix, one.name), spec
            if isinstance(spec, Section):
                yield from walk(spec.cls, (*prefix, one.name))
