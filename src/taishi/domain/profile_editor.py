"""An editor for one page that merges many facts by rule without parsing the page each time.

The result is that of a merge job by job: what is new goes to the end of what the scope sees; what
the scope does not see stays as it is, above, and is widened where it says the same (S4).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ..types import Scope
from . import line_acl
from .line_acl import Statement
from .text_identity import bullet_key

_NO_VIEW = ("none", None)
_OPENS, _CLOSES = "<!--", "-->"


class PageEditor:
    """One page while its lock is held. The key of each line is computed once."""

    def __init__(self, body: str) -> None:
        self._keys: dict[str, str] = {}
        self.replace(body)

    def replace(self, body: str) -> None:
        self._hidden: list[Statement] = []
        self._shown = line_acl.parse(body)
        self._view: tuple[str, str | None] = _NO_VIEW
        self._known_marks: dict[str, frozenset[str]] | None = None

    @property
    def body(self) -> str:
        return line_acl.render([*self._hidden, *self._shown])

    def add(
        self,
        statements: Sequence[str],
        scope: Scope | None,
        is_refused: Callable[[str], bool] = lambda key: False,
    ) -> bool:
        """Adds statements, each once, as learned in `scope`; True if the page changed.

        Without a scope nothing is marked: a group's own page is the group's. A new line whose key
        is refused is left out.
        """
        changed = self._turn_to(scope)
        new = [text for text in dict.fromkeys(statements) if bullet_key(text) not in self._plain]
        for line in (line for text in new for line in _lines(text, scope is not None)):
            changed = self._put(line, scope, is_refused) or changed
        self._strip()
        return changed

    def _put(self, line: Statement, scope: Scope | None, is_refused: Callable[[str], bool]) -> bool:
        key = self._key(line.text)
        if key in self._at and key not in self._marks and scope is not None:
            at = self._at[key]
            self._hidden[at] = line_acl.widened(self._hidden[at], scope)
            self._view = _NO_VIEW  # it is seen from here on
            return True
        if is_refused(key) and key not in self._marks and key not in self._above:
            return False
        if scope is not None:
            own = line_acl.mark_of(scope)
            marks = own if self._is_uniform else self._marks.get(key, own)
            line = line._replace(marks=marks)
        self._append(line)
        return True

    def _turn_to(self, scope: Scope | None) -> bool:
        """Sorts lines that this scope may not see above those it sees; True if any moved."""
        view = ("group", None) if scope is None else (scope.home.kind, scope.group)
        if view == self._view:
            return False
        before = [*self._hidden, *self._shown]
        self._hidden, shown = ([], before) if scope is None else self._parted(before, scope)
        self._view = view
        keys = [self._key(line.text) for line in self._hidden]
        self._above = frozenset(keys)
        self._at = {
            key: at
            for at, key in enumerate(keys)
            if key and not line_acl.is_heading(self._hidden[at])
        }
        own = None if scope is None else line_acl.mark_of(scope)
        self._is_uniform = all(own is None or line.marks == own for line in shown)
        self._shown, self._known_marks = shown, None
        if not self._is_uniform:  # lines that say the same are shown to the same
            shown = [line._replace(marks=self._marks[self._key(line.text)]) for line in shown]
        self._shown = _without_blank_ends(shown)
        self._plain = {bullet_key(part) for line in self._shown for part in line.text.splitlines()}
        return before != [*self._hidden, *self._shown]

    @property
    def _marks(self) -> dict[str, frozenset[str]]:
        """Marks of the visible lines by key; computed on demand, as keys are expensive."""
        if self._known_marks is None:
            self._known_marks = {self._key(line.text): line.marks for line in self._shown}
        return self._known_marks

    def _append(self, line: Statement) -> None:
        self._shown.append(line)
        if self._known_marks is not None:
            self._known_marks[self._key(line.text)] = line.marks
        self._plain.update(map(bullet_key, line.text.splitlines()))

    def _strip(self) -> None:
        """As a page is stripped that is written and read."""
        for lines in (self._hidden, self._shown):
            if lines:
                lines[0] = lines[0]._replace(text=lines[0].text.lstrip())
                return

    def _parted(
        self, lines: Sequence[Statement], scope: Scope
    ) -> tuple[list[Statement], list[Statement]]:
        seen: dict[frozenset[str], bool] = {}  # few marks, many lines
        hidden: list[Statement] = []
        shown: list[Statement] = []
        for line in lines:
            if line.marks not in seen:
                seen[line.marks] = line_acl.may_show(line, scope)
            if seen[line.marks]:
                shown.append(_bare(line))
            elif line.text.strip():
                hidden.append(line)
        return hidden, shown

    def _key(self, text: str) -> str:
        key = self._keys.get(text)
        if key is None:
            key = self._keys[text] = Statement(text).key
        return key


def _lines(statement: str, marked: bool) -> Iterator[Statement]:
    """A statement as lines. On a page with marks, marks in its words are only words."""
    for line in line_acl.parse(f"- {statement}"):
        yield _bare(line)._replace(marks=frozenset()) if marked else line


def _bare(line: Statement) -> Statement:
    if _OPENS not in line.text and _CLOSES not in line.text:
        return line
    text = line_acl.parse(line.text)[0].text
    return line._replace(text=text.replace(_OPENS, " ").replace(_CLOSES, " ").rstrip())


def _without_blank_ends(lines: list[Statement]) -> list[Statement]:
    first, end = 0, len(lines)
    while first < end and not lines[first].text:
        first += 1
    while end > first and not lines[end - 1].text:
        end -= 1
    return lines[first:end]
