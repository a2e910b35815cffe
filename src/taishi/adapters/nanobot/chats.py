"""Which scope a chat of nanobot's is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...errors import InputError
from ...types import Scope


@dataclass(frozen=True, slots=True)
class Chat:
    """A conversation by nanobot's key for it, such as `telegram:-100123`, and who speaks."""

    session_key: str
    sender_id: str = ""

    def __post_init__(self) -> None:
        channel, _, chat = self.session_key.partition(":")
        if not channel.strip() or not chat.strip():
            raise InputError(
                f"{self.session_key!r:.60} is no key of a session; use one such as telegram:42"
            )

    @property
    def user(self) -> str | None:
        """The sender with their channel. Channels append a name, which may change, after a bar."""
        id = self.sender_id.partition("|")[0]
        return f"{self.session_key.partition(':')[0]}:{id}" if id else None


ScopeOf = Callable[[Chat], Scope]


def scope_of(chat: Chat) -> Scope:
    """Each session is a group of its own: it sees what was said in it, and nothing else.

    nanobot does not say which chats are private, and its own archive names the session alone. A
    rule that needs to know the sender would put one chat's memory into two places.
    """
    return Scope(group=chat.session_key, user=chat.user)
