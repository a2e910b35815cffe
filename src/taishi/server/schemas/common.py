"""Fields shared by many requests and responses: ids, times, scope."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from ...errors import InputError
from ...times import to_datetime
from ...types import MAX_ID_CHARS, Scope, clean_id
from ..auth import Caller

MAX_MESSAGES = 1000
MAX_ITEMS = 1000
MAX_SOURCE_CHARS = 4000
REPLACEMENT_CHARACTER = "\ufffd"  # what a lone surrogate becomes when a body is parsed
_ID_SCHEMA = {
    "anyOf": [
        {"type": "string", "maxLength": MAX_ID_CHARS, "pattern": r"^[^\x00-\x1f\x7f\ufffd]*$"},
        {"type": "integer"},
    ]
}


def _id(value: object) -> object:
    """Bots send numbers as ids; they are stored as text."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _check_id(text: str) -> str:
    clean_id(text, "an id")  # its message becomes part of a 422
    return _check_whole(text)


def _check_whole(text: str) -> str:
    if REPLACEMENT_CHARACTER in text:
        raise ValueError("an id holds half a character; such ids would be taken for one another")
    return text


Id = Annotated[str, BeforeValidator(_id), AfterValidator(_check_id), WithJsonSchema(_ID_SCHEMA)]
Source = Annotated[
    str,
    BeforeValidator(_id),
    Field(max_length=MAX_SOURCE_CHARS),
    AfterValidator(_check_whole),
    WithJsonSchema(
        {"anyOf": [{"type": "string", "maxLength": MAX_SOURCE_CHARS}, {"type": "integer"}]}
    ),
]
Time = Annotated[
    str | float,
    Field(
        union_mode="left_to_right",
        description="ISO 8601, or seconds since 1970. Without a zone: the server's timezone.",
        examples=["2026-02-20T14:30:00+08:00"],
    ),
]


def _describe_defaults(schema: dict[str, Any]) -> None:
    """Say a default in words: generators of clients require a field that has `default`."""
    for field in schema.get("properties", {}).values():
        default = field.pop("default", None)
        if default:
            words = field.get("description", "").rstrip(".")
            said = f"Default: {str(default).lower() if default is True else default}."
            field["description"] = f"{words}. {said}" if words else said


class RequestModel(BaseModel):
    """What a caller sends. A name that is not known is refused, not skipped, and "3" is no 3."""

    model_config = ConfigDict(
        extra="forbid", allow_inf_nan=False, strict=True, json_schema_extra=_describe_defaults
    )


class ResponseModel(BaseModel):
    """What a caller gets."""

    model_config = ConfigDict(frozen=True)


class ScopeIn(RequestModel):
    """Who is speaking, and where.

    `user` alone is a private chat; `group` (with `user` for who speaks) a group; `agent` an
    agent's own memory; `shared` the memory of the whole workspace. A key that is bound to one of
    them fills it in and refuses any other, so with such a key the scope may be left out.
    """

    user: Id | None = Field(default=None, description="The user who speaks.", examples=["u7"])
    group: Id | None = Field(default=None, description="The group chat.", examples=["g42"])
    agent: Id | None = Field(default=None, description="An agent.")
    session: Id | None = Field(default=None, description="The session, for its summary.")
    workspace: Id | None = Field(default=None, description="The workspace; 'default' if left out.")
    shared: bool = Field(default=False, description="The whole workspace's memory.")

    def of(self, caller: Caller) -> Scope:
        """As far as this caller's key reaches."""
        return caller.scope(
            self.user, self.group, self.agent, self.session, self.workspace, self.shared
        )


class ScopeQuery(ScopeIn):
    """Who is speaking, and where, in a query string: there everything is text."""

    model_config = ConfigDict(strict=False)


class ScopedIn(RequestModel):
    """A body with a scope."""

    scope: ScopeIn = Field(default_factory=ScopeIn)


class Done(ResponseModel):
    """The request was carried out."""

    done: bool = True


def to_utc(epoch: float | None) -> datetime | None:
    return None if epoch is None else to_datetime(epoch, UTC)


Data = dict[str, Any]
Filters = Field(
    default=None,
    description="Only matching records: fields, metadata.NAME, and/or/not; see Filter memories.",
    examples=[{"kind": "fact", "metadata.project": {"in": ["apollo", "gemini"]}}],
)


def filters_of(text: str | None) -> Data | None:
    """Filters in an address are JSON."""
    if text is None or not text.strip():
        return None
    try:
        given: Data = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError('filters must be a JSON object such as {"kind": "fact"}') from None
    return given
