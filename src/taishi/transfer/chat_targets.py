"""Where the chats of an import go: whose memory, which group, or nowhere."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from ..errors import InputError
from ..importers.fields import digest
from ..importers.values import Conversation, ImportedMessage
from ..types import MAX_ID_CHARS, Scope, clean_id

MAX_PREFIX_CHARS = 64
FORMS = "user:ID, group:ID, agent:ID, peer or skip"


@dataclass(frozen=True)
class ChatTargets:
    """`given` is the scope that the caller named. Without it, groups go to a group of their own
    id, and private chats need an owner. `chats` maps titles or ids, as patterns, to a target.
    `user_prefix` goes before the user ids of the export, as the host writes them: "QQClient:"."""

    workspace: str
    given: Scope | None = None
    chats: Mapping[str, str] = field(default_factory=dict)
    self_names: Collection[str] = ()
    bot_names: Collection[str] = ()
    user_prefix: str = ""

    def __post_init__(self) -> None:
        if clean_id(self.user_prefix, "user_prefix") and len(self.user_prefix) > MAX_PREFIX_CHARS:
            raise InputError(f"user_prefix may have at most {MAX_PREFIX_CHARS} characters")
        for target in self.chats.values():
            self._named(target, Conversation("", peer="x"))

    def scope_of(self, talk: Conversation) -> Scope | None:
        """None: it is left out."""
        target = self._mapped(talk)
        if target is not None:
            return self._named(target, talk)
        given = self.given
        if given is not None and (given.user is None or given.group is not None):
            return given  # a group, an agent or shared memory takes all of it
        if talk.kind == "group":
            return Scope(group=talk.id, workspace=self.workspace)
        if talk.kind == "agent" and talk.owner:
            return Scope(agent=talk.owner, workspace=self.workspace)
        if given is not None:
            return given
        if talk.owner:
            return Scope(user=self.user_id(talk.owner), workspace=self.workspace)
        raise InputError(
            f"whose memory does the private chat {talk.title or talk.id!r:.80} belong in? Name the "
            "user (--user ID), or map the chat (--chat 'NAME=user:ID'); --chat '*=peer' puts each "
            "private chat into the memory of the other side, as a bot's owner wants it"
        )

    def _mapped(self, talk: Conversation) -> str | None:
        for pattern, target in self.chats.items():
            if any(_matches(one, pattern) for one in (talk.title, talk.id) if one):
                return target
        return None

    def _named(self, target: str, talk: Conversation) -> Scope | None:
        kind, _, id = target.partition(":")
        if target == "skip":
            return None
        if target == "peer":
            if talk.kind == "group":
                return Scope(group=talk.id, workspace=self.workspace)
            peer = talk.peer or talk.owner or talk.id
            return Scope(user=self.user_id(peer), workspace=self.workspace)
        if clean_id(id, "the id of a target"):
            if kind == "user":
                return Scope(user=id, workspace=self.workspace)
            if kind == "group":
                return Scope(group=id, workspace=self.workspace)
            if kind == "agent":
                return Scope(agent=id, workspace=self.workspace)
        raise InputError(f"a chat cannot go to {target!r:.60}; use {FORMS}")

    def is_self(self, message: ImportedMessage) -> bool:
        named = {message.speaker, message.speaker_id} & set(self.self_names)
        return bool(named) or message.is_self

    def is_bot(self, message: ImportedMessage) -> bool:
        """In a chat that belongs to the other side, whoever exported it is the bot."""
        named = {message.speaker, message.speaker_id} & set(self.bot_names)
        if named or message.is_bot:
            return True
        return self.is_self(message) and self._mapped(message.conversation) == "peer"

    def user_of(self, message: ImportedMessage, scope: Scope) -> str | None:
        """Whose words they are, so that `forget` finds them in a group."""
        if scope.group is None:
            return scope.user
        if self.is_self(message) and self.given is not None and self.given.user:
            return self.given.user
        return self.user_id(message.speaker_id) if message.speaker_id else message.speaker

    def user_id(self, id: str) -> str:
        """As the host writes it; one that is written that way already stays."""
        prefix = self.user_prefix
        if not prefix or (prefix.endswith(":") and id.startswith(prefix)):
            return id
        whole = f"{prefix}{id}"
        return whole if len(whole) <= MAX_ID_CHARS else f"{prefix}{digest(id)}"

    def is_by_title(self, talk: Conversation, scope: Scope) -> bool:
        """Whether the title of a chat became the id of its group or user, as no other is known."""
        return talk.is_by_title and scope.home.id in (talk.id, self.user_id(talk.id))

    def missing_prefix(self, message: ImportedMessage, scope: Scope) -> str:
        """What the group's id has before its colon, and the speaker's has not; "" if nothing."""
        prefix, colon, rest = (scope.group or "").partition(":")
        user = self.user_of(message, scope)
        if not (prefix and colon and rest) or not message.speaker_id or not user or ":" in user:
            return ""
        return "" if self.is_self(message) else prefix + colon


def _matches(label: str, pattern: str) -> bool:
    return label == pattern or fnmatchcase(label, pattern)
