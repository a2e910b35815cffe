"""Who speaks and where (`Scope`), and where that is stored (`Partition`)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from .errors import InputError, ScopeError

MAX_ID_CHARS = 256
MAX_RECORD_ID_CHARS = 320  # ours are made of a caller's: "summary:SESSION", "REQUEST:NUMBER"
_NOT_IN_IDS = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")

PlaceKind = Literal["private", "group", "agent", "workspace"]


def clean_id(value: object, what: str) -> str | None:
    """An id as it is stored: a string, or None. Numbers are accepted, because bots pass them."""
    if value is None:
        return None
    if type(value) is str and len(value) <= MAX_ID_CHARS and value.isalnum():
        return value  # as most are
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise InputError(f"{what} must be a string or an integer, not {type(value).__name__}")
    text = str(value)
    if not text.strip():
        return None
    most = MAX_RECORD_ID_CHARS if what == "id" else MAX_ID_CHARS
    if len(text) > most:
        raise InputError(f"{what} is {len(text)} characters long; at most {most} are kept")
    if _NOT_IN_IDS.search(text):
        raise InputError(f"{what} contains a control character; pass the id as the host gives it")
    return text


@dataclass(frozen=True, slots=True, order=True)
class Partition:
    """Where a record is stored. Every record is in exactly one partition (S1)."""

    workspace: str
    kind: PlaceKind
    id: str = ""

    def __hash__(self) -> int:
        return hash(self.id)  # asked for all the time, and nearly as good as all three

    def __str__(self) -> str:
        """Unique whatever the ids are, because deletion marks are derived from it."""
        workspace = self.workspace.replace("%", "%25").replace("/", "%2F")
        return f"{workspace}/{self.kind}:{self.id}" if self.id else f"{workspace}/shared"


@dataclass(frozen=True, slots=True)
class VisiblePartition:
    """A partition that a reader may see; with `only_user`, only that user's records in it."""

    place: Partition
    only_user: str | None = None


@dataclass(frozen=True, slots=True)
class Scope:
    """Who is speaking, and where. A group takes precedence over a user, a user over an agent."""

    user: str | None = None
    group: str | None = None
    agent: str | None = None
    session: str | None = None
    workspace: str = "default"
    shared: bool = False

    def __post_init__(self) -> None:
        for name in ("user", "group", "agent", "session", "workspace"):
            given = getattr(self, name)
            cleaned = clean_id(given, name)
            if cleaned is not given:
                object.__setattr__(self, name, cleaned)
        if self.workspace is None:
            raise ScopeError("workspace is empty; leave it out to use 'default'")
        if not (self.user or self.group or self.agent or self.shared):
            raise ScopeError(
                "no scope: pass Scope(user=…) for a private chat, Scope(group=…, user=…) for a "
                "group, Scope(agent=…) for an agent, or Scope(shared=True) for the workspace"
            )
        if self.shared and (self.user or self.group or self.agent):
            raise ScopeError("shared=True is the whole workspace; leave user, group and agent out")

    @property
    def home(self) -> Partition:
        """The partition that this scope writes to."""
        if self.shared:
            return Partition(self.workspace, "workspace")
        if self.group:
            return Partition(self.workspace, "group", self.group)
        if self.user:
            return Partition(self.workspace, "private", self.user)
        return Partition(self.workspace, "agent", self.agent or "")

    @property
    def commons(self) -> Partition:
        """The workspace's shared partition, which every scope in it may read."""
        return Partition(self.workspace, "workspace")

    @property
    def request_type(self) -> str:
        return self.home.kind
