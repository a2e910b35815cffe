"""The words by which statements name one person: "the user", 用户, an id, a name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from .lazy_regex import lazy_compile

_USER = lazy_compile(
    r"(?:the )?user(?=['’]s\b|\s)(?! id\b)|(?:用户|用戶|对方|使用者)(?![名量界体群数])",
    re.IGNORECASE,
)
_I = lazy_compile(r"(?P<my>my|our)\b|(?:i|we)\b(?!['’])", re.IGNORECASE)
_ZH_I = lazy_compile("我(?:们|的)?")


@dataclass(frozen=True, slots=True)
class PersonNames:
    """`name` stands for all of them."""

    name: str
    others: tuple[str, ...] = ()

    @classmethod
    def of(cls, user: str, names: Iterable[str] = ()) -> PersonNames:
        """Of a user by their id, and what they are known as; the first of these is shown."""
        known = [one for one in dict.fromkeys(names) if one]
        name = known[0] if known else user[:1].upper() + user[1:]
        others = {*known, user, f"user {user}", f"用户{user}"} - {""}
        return cls(name, tuple(sorted(others, key=len, reverse=True)))

    def named(self, text: str) -> str:
        """The statement with the name in front, if another word for the person stands there; "I"
        stays."""
        given = text.lstrip()
        if (found := _USER.match(given)) is not None:
            return f"{self.name}{given[found.end() :]}"
        for other in self.others:
            rest = given[len(other) :]
            is_whole = not rest[:1].isalnum() or not other.isascii() or not rest.isascii()
            if other and given[: len(other)].casefold() == other.casefold() and is_whole:
                return f"{self.name}{rest}"
        return given

    def fully_named(self, text: str) -> str:
        """Also for "I" and "my"."""
        given = self.named(text)
        if (found := _I.match(given)) is not None:
            return f"{self.name}{chr(39) + 's' if found['my'] else ''}{given[found.end() :]}"
        if (found := _ZH_I.match(given)) is not None:
            return f"{self.name}{'的' if found[0].endswith('的') else ''}{given[found.end() :]}"
        return given
