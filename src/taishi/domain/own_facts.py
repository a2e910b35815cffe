"""What a user says of himself is about the user's id, whatever the display name is.

Statements have the name of the moment in their text and as their subject. They are compared with
those of a later turn as if they had been said under the name of that turn.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from ..types import Record
from .fact_lifecycle import having
from .text_identity import normal

ABOUT_USER = "about_user"  # in the data of a fact: it is about its `user`, who said it


@dataclass(frozen=True, slots=True)
class Teller:
    """Who tells a turn: the user's id, and the name that their statements have now."""

    user: str | None
    name: str | None

    def owns(self, fact: Record) -> bool:
        """Whether the teller said this of himself, under whatever name."""
        if self.user is None or fact.user != self.user:
            return False
        told = fact.data.get(ABOUT_USER)
        if told is None:  # a fact of an older version; nobody else speaks in a private chat
            is_private = fact.place.kind == "private" and fact.place.id == self.user
            return is_private and fact.data.get("by_self") is True
        return told is True

    def is_of_namesake(self, fact: Record) -> bool:
        """Whether another user of the same name said this of himself."""
        return (
            fact.data.get(ABOUT_USER) is True
            and fact.user != self.user
            and bool(self.name)
            and fact.data.get("subject") == self.name
        )

    def as_named_now(self, fact: Record) -> Record:
        """The teller's own fact as it would be said today; any other as it is."""
        before = str(fact.data.get("subject") or "")
        if not before or not self.name or before == self.name or not self.owns(fact):
            return fact
        return renamed(fact, before, self.name)

    def names(self, facts: Iterable[Record]) -> list[str]:
        """The present name, and those under which the teller said something of himself."""
        own = (str(fact.data.get("subject") or "") for fact in facts if self.owns(fact))
        return [name for name in dict.fromkeys([self.name or "", *own]) if name]


def renamed(fact: Record, before: str, name: str) -> Record:
    """The fact about `name`: a later mention may be a value, as in "Ann's name is Ann"."""
    start = r"(?<![A-Za-z0-9])" if before[0].isascii() else ""
    end = r"(?![A-Za-z0-9])" if before[-1].isascii() else ""
    text = re.sub(f"{start}{re.escape(before)}{end}", lambda _: name, fact.text, count=1)
    return replace(having(fact, subject=name), text=text)


def user_meant(fact: Record, text: str) -> str | None:
    """The user in whose mouth alone a text says the fact: in a group, "I moved to Porto" of two
    users says two things. None: in anybody's, as it names whom it is about."""
    subject = normal(str(fact.data.get("subject") or ""))
    is_named = bool(subject) and subject in normal(text)
    return None if is_named or fact.place.kind != "group" else fact.user


def may_be_of(user: str | None, record: Record) -> bool:
    """Whether a record is this user's, as far as it is known whose it is."""
    return user is None or record.user is None or record.user == user


def is_of_one_subject(one: Record, other: Record) -> bool:
    """Whether both are about the same one: by the user's id if both have it, else by name."""
    if one.data.get(ABOUT_USER) is True and other.data.get(ABOUT_USER) is True:
        return one.user == other.user
    return str(one.data.get("subject") or "") == str(other.data.get("subject") or "")
