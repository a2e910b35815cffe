"""Lines of a user's page that say what somebody else said, and not whom the page is about.

A page is about one person. A line that states what another user of the group stated, in the same
words, and that its own person never said, is on the wrong page. Nothing here stores.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from ..language.analyzer import has_cjk
from ..types import Partition, Record
from .corrections import CORRECTIONS, corrections_of
from .fact_lifecycle import SHARED, having, ids_in
from .line_acl import EVERYWHERE, Statement
from .own_facts import ABOUT_USER
from .profile_lines import bare, clauses
from .text_identity import normal, same

TellerOf = Callable[[str], str | None]


class GroupStatements:
    """What the users of one group stated. `teller_of` gives the user of one of its events."""

    def __init__(self, place: Partition, facts: Iterable[Record], teller_of: TellerOf) -> None:
        self.mark = f"group:{place.id}"
        self._teller_of = teller_of
        self._by_words: dict[str, list[Record]] = {}
        for fact in facts:
            if SHARED not in fact.data and fact.place == place:
                self._by_words.setdefault(normal(fact.text), []).append(fact)

    def said_by(self, user: str) -> frozenset[str]:
        """What this user stated and nobody else, as `normal` words."""
        return frozenset(
            words
            for words, facts in self._by_words.items()
            if words and all(self._is_only_of(user, one) for one in facts)
        )

    def _is_only_of(self, user: str, fact: Record) -> bool:
        tellers = {self._teller_of(id) for id in ids_in(fact, "sources")} - {None}
        return fact.user == user and tellers <= {user}

    def of_page(
        self, user: str, names: Collection[str], private: Sequence[Record]
    ) -> PageStatements:
        """For the page of a user of these names; `private` are facts told in private with them."""
        return PageStatements(self, user, names, private)

    def said(self, words: str) -> Sequence[Record]:
        return self._by_words.get(words, ())

    def facts_of(self, user: str) -> list[Record]:
        return [one for facts in self._by_words.values() for one in facts if one.user == user]

    def is_told_by(self, user: str, fact: Record) -> bool:
        return any(self._teller_of(id) == user for id in ids_in(fact, "sources"))


def without_notes(event: Record, said: Collection[str]) -> Record:
    """An event without notes in these words, given as `normal` words. What somebody else said in it
    has ended nevertheless; what holds instead is not told."""
    before = corrections_of(event.data)
    left = [
        {**one, "now": "" if normal(one["now"]) in said else one["now"]}
        for one in before
        if normal(one["said"]) not in said
    ]
    return event if left == before else having(event, **{CORRECTIONS: left})


class PageStatements:
    """Tells what is another's on one page."""

    def __init__(
        self,
        group: GroupStatements,
        user: str,
        names: Collection[str],
        private: Sequence[Record],
    ) -> None:
        self._group = group
        self._user = user
        self._names = names
        own = [one.text for one in (*private, *group.facts_of(user))]
        self._own = {words for one in own for words in (normal(one), bare(one, names))}

    def left(self, line: Statement, of_user: str | None = None) -> Statement | None:
        """The line without what strayed into it from others, or from this one of them; None: there
        is nothing left. What was learned elsewhere, too, stays there."""
        mark = self._group.mark
        if mark not in line.marks or EVERYWHERE in line.marks or not line.is_statement:
            return line
        if self._is_stray(line.said, of_user):
            others = line.marks - {mark}
            return line._replace(marks=others) if others else None
        parts = clauses(line.said) if line.marks == {mark} else []
        kept = [one for one in parts if not self._is_stray(one, of_user)]
        if len(kept) == len(parts):
            return line
        indent = line.text[: line.text.find(line.said)]
        text = ("；" if has_cjk(line.said) else "; ").join(kept)
        return line._replace(text=f"{indent}{text}") if kept else None

    def _is_stray(self, text: str, of_user: str | None) -> bool:
        said = self._group.said(normal(text))
        if not said or any(map(self._may_be_own, said)):
            return False
        if of_user is not None and all(one.user != of_user for one in said):
            return False
        return normal(text) not in self._own  # a person may have written it there by hand

    def _may_be_own(self, fact: Record) -> bool:
        """Whether the person said it, too, or it is about the person, or that cannot be told."""
        user, data = self._user, fact.data
        if fact.user in (None, user) or self._group.is_told_by(user, fact):
            return True
        subject = str(data.get("subject") or "")
        is_named = any(same(subject, name) for name in self._names if name)
        return not subject or (is_named and data.get(ABOUT_USER) is not True)
