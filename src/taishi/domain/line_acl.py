"""Access control by line: which statements of a user's page may be shown in which scope (S4).

The page is Markdown, a statement a line. A line that was learned in a group ends with
`<!-- group:g42 -->` (or several: `<!-- group:g1 group:g2 -->`), one that may be shown to all with
`<!-- everywhere -->`; a line without a mark was learned in private and is shown only there. What
was said in private and in a group has both: `<!-- group:g42 private -->`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import unquote

from ..language.lazy_regex import lazy_compile
from ..language.text import one_line
from ..types import Scope
from .text_identity import normal

EVERYWHERE = "everywhere"
PRIVATE = "private"
_MARK = lazy_compile(r"<!--[ \t]*((?:(?:group:[^\s<>]+|everywhere|private)[ \t]*)+)-->[ \t]*$")
_BULLET = lazy_compile(
    r"^[ \t>]*(?:(?:[-*+•·–—‣◦]|\d{1,9}(?:[.)．](?=[ \t])|、))[ \t\u3000]*(?:\[[ xX]\][ \t]+)?)?"
)
# "(95 %, 12 sources)", as a block shows it and a person may copy it.
_EVIDENCE = lazy_compile(r"[ \t]*[(（][ \t]*\d{1,3}[ \t]*[%％][^()（）]{0,40}[)）][ \t]*$")
_EVIDENCE_CHARS = 60
_HEADING = lazy_compile(r"[ \t]{0,3}(?:#{1,6}(?:[ \t]|$)|={3,}[ \t]*$|-{3,}[ \t]*$|```|~~~|<!--)")
_PLAIN_IN_ID = frozenset("_.@:+=")
MARK_CHARS = 4000  # a mark is short and at the end of its line: a long line is not searched whole


class Statement(NamedTuple):
    """One line of a page: what it says, and where it may be shown."""

    text: str
    marks: frozenset[str] = frozenset()

    @property
    def key(self) -> str:
        """What it says, whatever the bullet, the punctuation and a note on its evidence."""
        return normal(self.said)

    @property
    def said(self) -> str:
        """The statement alone, in its own words."""
        text = _BULLET.sub("", self.text, count=1).strip()
        tail = len(text) - _EVIDENCE_CHARS
        found = _EVIDENCE.search(text, max(tail, 0))
        return text[: found.start()] if found else text

    @property
    def is_statement(self) -> bool:
        """Whether the line says something; a heading, a rule or a fence does not."""
        return not is_heading(self) and bool(self.key)


def is_heading(line: Statement) -> bool:
    return _HEADING.match(line.text) is not None


def parse(body: str) -> list[Statement]:
    blank = Statement("")
    lines = body.replace("\r\n", "\n").split("\n")
    return [_parse_line(line) if line else blank for line in lines]


def _parse_line(line: str) -> Statement:
    text = line.rstrip()
    if not text.endswith("-->"):
        return Statement(text)
    cut = max(0, len(line) - MARK_CHARS)
    start = line.rfind("<!--", cut)
    found = _MARK.match(line, start) if start >= 0 else None
    if found is None:
        return Statement(line.rstrip())
    marks = frozenset(unquote(mark) for mark in found[1].split())
    return Statement(line[:start].rstrip(), marks)


def render(statements: Iterable[Statement]) -> str:
    return "\n".join(_line(one) for one in statements).strip("\n")


def _line(statement: Statement) -> str:
    if statement.marks <= {PRIVATE} or not statement.text.strip():
        return statement.text
    marks = " ".join(sorted(_written(mark) for mark in statement.marks))
    return f"{statement.text} <!-- {marks} -->"


def _written(mark: str) -> str:
    """Escapes a group id, so that it cannot close the comment that it is written in."""
    if mark in (EVERYWHERE, PRIVATE):
        return mark
    id = mark.removeprefix("group:")
    safe = "".join(c if c.isalnum() or c in _PLAIN_IN_ID else _escaped(c) for c in id)
    return f"group:{safe}"


def _escaped(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "replace"))


def mark_of(scope: Scope) -> frozenset[str]:
    """The mark of what is learned in this scope; none in private."""
    return frozenset({f"group:{scope.group}"}) if scope.group else frozenset()


def mark(statement: str, scope: Scope) -> str:
    """A statement as a line of the page. Marks inside the statement itself are removed."""
    return _line(Statement(plain(statement), mark_of(scope)))


def plain(statement: str) -> str:
    """One line that can neither carry a mark nor open a comment."""
    return one_line(statement.replace("<!--", " ").replace("-->", " "))


def may_show(statement: Statement, scope: Scope, linked: bool = False) -> bool:
    """What was learned in a group is shown there, what was learned in private is shown in private;
    `linked`: the person let the two know each other (S2)."""
    marks = statement.marks
    if EVERYWHERE in marks:
        return True
    if scope.home.kind == "private":
        return linked or not marks or PRIVATE in marks
    if scope.home.kind != "group":
        return False
    return bool(marks & mark_of(scope)) or (linked and (not marks or PRIVATE in marks))


def visible(body: str, scope: Scope, linked: bool = False) -> str:
    """The page as this scope may see it, without the marks."""
    return shown(parse(body), scope, linked)


def shown(lines: Iterable[Statement], scope: Scope, linked: bool = False) -> str:
    """The same for a page that is parsed already."""
    seen: dict[frozenset[str], bool] = {}  # few marks, many lines
    texts = []
    for one in lines:
        if one.marks not in seen:
            seen[one.marks] = may_show(one, scope, linked)
        if seen[one.marks]:
            texts.append(one.text)
    return "\n".join(texts).strip("\n")


def plain_body(body: str) -> str:
    """The whole page without the marks: for a group's own page."""
    return "\n".join(one.text for one in parse(body)).strip("\n")


def groups_in(lines: Iterable[Statement]) -> frozenset[str]:
    """Ids of the groups that some line of the page may be shown in."""
    marks = frozenset(mark for one in lines for mark in one.marks)
    return frozenset(mark[6:] for mark in marks if mark.startswith("group:"))


def rewritten(body: str, text: str, scope: Scope) -> str:
    """The page after what `visible` showed was replaced by `text`.

    Lines the scope does not see stay as they are; a line that says what it said keeps its marks;
    a new one gets the marks of this scope. So a rewording can narrow who sees it, never widen.
    What is said here and was known elsewhere stays one line, shown in both.
    """
    old = parse(body)
    hidden = [one for one in old if not may_show(one, scope) and one.text.strip()]
    at = {one.key: n for n, one in enumerate(hidden) if one.is_statement}
    marks = {one.key: one.marks for one in old if may_show(one, scope)}
    new = []
    for one in parse(text):
        said = Statement(one.text.replace("<!--", " ").replace("-->", " ").rstrip())
        if said.key in at and said.key not in marks:
            there = hidden[at[said.key]]
            hidden[at[said.key]] = widened(there, scope)
        else:
            new.append(said._replace(marks=marks.get(said.key, mark_of(scope))))
    return render([*hidden, *new])


def split(statement: Statement, mark: str) -> tuple[Statement | None, Statement | None]:
    """The part of a line that was learned where `mark` says, and the part that was elsewhere."""
    marks = statement.marks or frozenset({PRIVATE})
    if EVERYWHERE in marks or marks == {mark}:
        return statement, None
    if mark not in marks:
        return None, statement
    own = frozenset() if mark == PRIVATE else frozenset({mark})
    return statement._replace(marks=own), statement._replace(marks=marks - {mark})


def widened(statement: Statement, scope: Scope) -> Statement:
    """The statement, visible in this scope as well."""
    private = frozenset({PRIVATE})
    return statement._replace(marks=(statement.marks or private) | (mark_of(scope) or private))


def added(body: str, statements: Iterable[str], scope: Scope | None) -> str:
    """The page with these statements added, each once.

    One that is there already, and is now said where it was not shown, is shown there from now on.
    Without a scope nothing is marked: a group's own page is the group's.
    """
    marks = mark_of(scope) if scope else frozenset()
    lines = parse(body.strip("\n")) if body.strip() else []
    at = {one.key: n for n, one in enumerate(lines)}
    for text in statements:
        new = Statement(f"- {plain(Statement(text).said)}", marks)
        if not new.key:
            continue
        if new.key not in at:
            at[new.key] = len(lines)
            lines.append(new)
        elif scope and not may_show(lines[at[new.key]], scope):
            lines[at[new.key]] = widened(lines[at[new.key]], scope)
    return render(lines)


def without(body: str, keys: frozenset[str], keep: frozenset[str] = frozenset()) -> str:
    """The page without the statements of these keys, but for those in `keep`."""
    return render(one for one in parse(body) if one.key not in keys or one.key in keep)


def keys(body: str) -> frozenset[str]:
    return frozenset(one.key for one in parse(body) if one.key)
