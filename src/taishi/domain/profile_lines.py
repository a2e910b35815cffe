"""Matches lines of pages with facts, and finds what a person changed.

A page is prose for people: no ids are written into it. A line and a fact belong together if the
line says the fact, in the same words but for bullet, case, punctuation and the name of whom the
page is about. A line that a model drew together from several facts says each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

from ..language.analyzer import has_cjk, terms
from ..language.lazy_regex import lazy_compile
from . import line_acl
from .line_acl import Statement
from .text_identity import normal

LINE_CHARS = 600  # of a longer line, only the whole is compared
MOST_CLAUSES = 12
MOST_HEAD = 4  # words, or characters of Chinese: "likes", "is allergic to", 喜欢吃
_CLAUSE = lazy_compile(
    r"[,;，；、。：:]+|\.(?=\s|$)|\s+(?:and|or|as well as)\s+|(?:以及|还有|并且|和|与|及)"
)


LIKE = 0.5
_DENIAL = lazy_compile(
    r"(?i)\b(?:not|never|no|cannot|without|dislikes?|hates?|avoids?)\b|n['’]t\b|[不没无未别]|讨厌"
)


class LineChange(NamedTuple):
    """A line that a person removed (no `after`), added (no `before`) or changed."""

    before: Statement | None
    after: Statement | None


def bare(text: str, subjects: Collection[str] = ()) -> str:
    """A statement without its subject: "Ann likes tea" and "Likes tea" are the same."""
    words = normal(text)
    for subject in sorted(filter(None, map(normal, subjects)), key=len, reverse=True):
        if words.startswith(subject):
            rest = words[len(subject) :]
            if rest.startswith(" s "):  # Ann's sister
                return words
            if rest.strip() and (rest.startswith(" ") or has_cjk(rest[:1])):
                return rest.strip()
    return words


def readings(line: str, subjects: Collection[str] = ()) -> frozenset[str]:
    """All that a line says, as `bare` statements: itself, and what is drawn together in it.

    "Likes kiwi, tea and jazz" also says "likes tea". Words keep their order and their negation.
    """
    whole = frozenset({normal(line), bare(line, subjects)})
    if len(line) > LINE_CHARS:
        return whole
    parts = [one for part in _CLAUSE.split(line) if (one := bare(part, subjects))]
    if not 1 < len(parts) <= MOST_CLAUSES:
        return whole
    heads = list(_heads(parts[0]))
    joined = (f"{head}{part}" for head in heads for part in parts[1:])
    return whole.union(parts, joined)


def clauses(line: str) -> list[str]:
    """What is drawn together in a line, in its own words; nothing if it says one thing."""
    if len(line) > LINE_CHARS:
        return []
    parts = [one.strip() for one in _CLAUSE.split(line) if normal(one)]
    return parts if 1 < len(parts) <= MOST_CLAUSES else []


def _heads(clause: str) -> Iterator[str]:
    """What the first of a list may share with the others: its first words."""
    if has_cjk(clause):
        yield from (clause[:n] for n in range(1, min(MOST_HEAD, len(clause) - 1) + 1))
        return
    words = clause.split()
    yield from (" ".join(words[:n]) + " " for n in range(1, min(MOST_HEAD, len(words) - 1) + 1))


def says(line: Statement, statement: str, subjects: Collection[str] = ()) -> bool:
    """Whether a line of a page says this statement."""
    return line.is_statement and is_among(readings(line.said, subjects), statement, subjects)


def is_among(read: frozenset[str], statement: str, subjects: Collection[str] = ()) -> bool:
    """Whether a statement is one of the `readings` of a line."""
    return any(words in read for words in (normal(statement), bare(statement, subjects)) if words)


def restated(
    body: str,
    old: str,
    new: str,
    split: Callable[[Statement], tuple[Statement | None, Statement | None]],
    subjects: Collection[str] = (),
    others: Sequence[str] = (),
    held: Sequence[str] | None = None,
) -> str:
    """The page with `new` in the place of each line that says `old`; no `new`: without it.

    `split` tells of a line which part is meant, and which was learned elsewhere and stays.
    `others` are statements that still hold and belong on this page: those that were drawn together
    with the old one in one line get lines of their own. `held` are all that hold where it was
    learned, of whomever they are: a line that says one of these is no rewording of `old`.
    """
    held = others if held is None else held
    page = line_acl.parse(body)
    stale = {line.key for line in page if says(line, old, subjects)}
    stale = stale or _reworded(page, old, subjects, held)
    stays = [one for one in page if one.key not in stale]
    there = {one.key for one in stays}
    lines: list[Statement] = []
    for line in page:
        meant, rest = split(line) if line.key in stale else (None, line)
        if rest is not None:
            lines.append(rest)
        if meant is None:
            continue
        left = _held_in(line, old, others, stays, subjects)
        for text in [*([new] if new else []), *left]:
            made = Statement(f"{_indent(line)}{line_acl.plain(text)}", meant.marks)
            if made.key not in there:
                there.add(made.key)
                lines.append(made)
    return line_acl.render(lines)


def _held_in(
    line: Statement,
    old: str,
    others: Sequence[str],
    stays: Sequence[Statement],
    subjects: Collection[str],
) -> list[str]:
    """The statements that hold and were in this line, but are in none that stays. A line that says
    `old` and no more had no other in it, however like it is."""
    read = readings(line.said, subjects)
    is_only = bare(line.said, subjects) == bare(old, subjects)
    found = []
    for text in others:
        share = 1.0 if is_among(read, text, subjects) else 0.0
        share = share if share or is_only else likeness(line, text, subjects)
        if share >= LIKE and all(likeness(one, text, subjects) < share for one in stays):
            found.append(text)
    return found


def _reworded(
    page: Sequence[Statement], old: str, subjects: Collection[str], others: Sequence[str]
) -> set[str]:
    """The line that a model made of a statement in other words: it shares most with it, at least
    half, and no statement that holds is said there word for word."""
    held = {words for text in others for words in (normal(text), bare(text, subjects))}
    free = [one for one in page if one.is_statement and bare(one.said, subjects) not in held]
    best = max((likeness(one, old, subjects) for one in free), default=0.0)
    return (
        {one.key for one in free if likeness(one, old, subjects) == best} if best >= LIKE else set()
    )


def likeness(line: Statement, statement: str, subjects: Collection[str] = ()) -> float:
    """The share of a statement's words that a line has; none if one denies and the other not."""
    if not line.is_statement or _denies(line.said) != _denies(statement):
        return 0.0
    wanted = set(terms(bare(statement, subjects)[:LINE_CHARS]))
    found = set(terms(bare(line.said, subjects)[:LINE_CHARS]))
    return len(wanted & found) / len(wanted) if wanted else 0.0


def _denies(text: str) -> bool:
    return _DENIAL.search(text[:LINE_CHARS]) is not None


def _indent(line: Statement) -> str:
    """The bullet and indentation of a line, kept by the line that replaces it."""
    return line.text[: len(line.text) - len(line.text.lstrip(" \t>-*+•"))] or "- "


def changes(before: str, after: str) -> list[LineChange]:
    """What a person did to a page, line by line.

    A line that was written where another was taken out, and shares a word with it, is that line
    put right; else one was taken out and the other is new.
    """
    old, new = _statements(before), _statements(after)
    gone, come = _gaps(old, new), _gaps(new, old)
    found = []
    for gap, lines in gone.items():
        written = come.get(gap, [])
        for line in lines:
            heir = next((one for one in written if _is_akin(line, one)), None)
            if heir is not None:
                written.remove(heir)
            found.append(LineChange(line, heir))
    return [*found, *(LineChange(None, one) for lines in come.values() for one in lines)]


def _statements(body: str) -> dict[str, Statement]:
    return {one.key: one for one in line_acl.parse(body) if one.is_statement}


def _gaps(these: dict[str, Statement], those: dict[str, Statement]) -> dict[str, list[Statement]]:
    """The lines of one page that are not on the other, by the common line before them."""
    gaps: dict[str, list[Statement]] = {}
    last = ""
    for key, line in these.items():
        if key in those:
            last = key
        else:
            gaps.setdefault(last, []).append(line)
    return gaps


def _is_akin(one: Statement, other: Statement) -> bool:
    shared = set(terms(one.said[:LINE_CHARS])) & set(terms(other.said[:LINE_CHARS]))
    return bool(shared)
