"""How a drafted fact stands to what is known: new, the same, newer, or against it (F1).

The model decides over a short list; where its answer makes no sense, and where there is no model,
the rules do.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from ..language.segment import terms
from ..ports import ChatModel, Tool
from .answers import items_of, line_of, number_of
from .categories import SINGLE_VALUED
from .draft import FactDraft
from .prompt_files import Prompts

Action = Literal["add", "confirm", "supersede", "conflict", "ignore"]
ACTIONS: tuple[Action, ...] = ("add", "confirm", "supersede", "conflict", "ignore")
MOST_KNOWN = 12
_SAME = 0.85
_CHARS = 400


@dataclass(frozen=True, slots=True)
class Known:
    """A stored fact as the judge sees it; times are ISO or empty."""

    index: int
    id: str
    content: str
    category: str = "other"
    state: str = "approved"
    valid_from: str = ""
    last_confirmed: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """What to do with a drafted fact; `known_id` is the stored one it is about."""

    action: Action
    known_id: str | None = None
    reason: str = ""


JUDGE_FACTS = Tool(
    "judge_facts",
    "Say how each drafted statement stands to the known ones.",
    {
        "type": "object",
        "properties": {
            "decisions": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "index": {"type": "integer", "description": "index in facts"},
                        "action": {"type": "string", "enum": list(ACTIONS)},
                        "known": {"type": ["integer", "null"], "description": "index in known"},
                        "reason": {"type": ["string", "null"]},
                    },
                    "required": ["index", "action"],
                },
            }
        },
        "required": ["decisions"],
    },
)


def judge(
    model: ChatModel,
    prompts: Prompts,
    language: str,
    drafts: Sequence[FactDraft],
    known: Sequence[Known],
) -> list[Decision]:
    """One decision for each draft. Without anything to compare with, no model is asked."""
    ruled = judge_by_rule(drafts, known)
    if not drafts or not known:
        return ruled
    data = {"facts": [_draft(i, d) for i, d in enumerate(drafts)], "known": _known(known)}
    messages = prompts.messages("extract", language, data=data)
    answer = model.structured("extract", messages, JUDGE_FACTS)
    by_index = {one.index: one for one in known}
    given: dict[int, Decision] = {}
    for item in items_of(answer.get("decisions"), 4 * len(drafts)):
        index = number_of(item.get("index"))
        decision = _decision(item, by_index)
        if index is not None and decision is not None:
            given.setdefault(index, decision)
    return [given.get(index, decision) for index, decision in enumerate(ruled)]


def _draft(index: int, draft: FactDraft) -> dict[str, Any]:
    return {
        "index": index,
        "content": draft.content[:_CHARS],
        "category": draft.category,
        "subject": draft.subject,
        "valid_from": draft.valid_from,
        "valid_to": draft.valid_to,
        "quote": draft.quote[:_CHARS],
    }


def _known(known: Sequence[Known]) -> list[dict[str, Any]]:
    return [
        {
            "index": one.index,
            "content": one.content[:_CHARS],
            "category": one.category,
            "state": one.state,
            "valid_from": one.valid_from,
            "last_confirmed": one.last_confirmed,
        }
        for one in known[:MOST_KNOWN]
    ]


def _decision(item: dict[str, Any], known: dict[int, Known]) -> Decision | None:
    """The model's decision, if it can be carried out; what a person rejected stays rejected."""
    action = next((a for a in ACTIONS if a == line_of(item.get("action"), 20).lower()), None)
    about = known.get(number) if (number := number_of(item.get("known"))) is not None else None
    reason = line_of(item.get("reason"), 200)
    if action == "add":
        return Decision("add", None, reason)
    if action == "ignore":
        return Decision("ignore", about.id if about else None, reason)
    if action is None or about is None or about.state == "superseded":
        return None
    if about.state == "rejected":
        return Decision("ignore", about.id, reason)
    return Decision(action, about.id, reason)


def judge_by_rule(drafts: Sequence[FactDraft], known: Sequence[Known]) -> list[Decision]:
    """The same without a model: the same words, or another value where there can be only one."""
    decisions: list[Decision] = []
    earlier: list[str] = []
    for draft in drafts:
        if any(_is_same(draft.content, content) for content in earlier):
            decisions.append(Decision("ignore", None, "said twice in one turn"))
        else:
            decisions.append(_by_rule(draft, known))
        earlier.append(draft.content)
    return decisions


def _by_rule(draft: FactDraft, known: Sequence[Known]) -> Decision:
    standing = [one for one in known if one.state != "superseded"]
    standing.sort(key=lambda one: one.state == "rejected", reverse=True)
    for one in standing:
        if _is_same(draft.content, one.content) or _is_same_value(draft, one):
            if one.state == "rejected":
                return Decision("ignore", one.id, "a person rejected this")
            return Decision("confirm", one.id, "says the same")
    for one in standing:
        if one.state != "rejected" and _contradicts(draft, one):
            if _is_past(draft, one):
                return Decision("add", None, "tells of an earlier time")
            if _says_it_changed(draft, one):
                return Decision("supersede", one.id, "says that it changed")
            return Decision("conflict", one.id, "another value, and nothing says which is right")
    return Decision("add", None, "nothing known says this")


# Comparing statements

_NOT = (
    r"\b(?:no longer|not|no|never|cannot|without|dislikes?|hates?)\b|n['’]t\b"
    r"|(?<!差)不(?![错过仅但同久])|没(?!关)|无法|讨厌|从未"
)
_CHANGED = (
    r"(?i)\b(?:moved|moving|now|changed|switched|became|new|since|no longer|anymore|instead"
    r"|left|quit|started|joined|turned|renamed)\b"
    r"|搬|改成|改为|改到|改用|换成|换了|换到|变成|现在|如今|不再|跳槽|入职|离职|新的?|开始|从此|转到"
)
_PAST = r"(?i)\b(?:used to|formerly|previously|lived|worked|was|were|had been)\b|曾|以前|之前|原来"
_DATE = (
    r"\d{4}-\d\d-\d\d(?: \d\d:\d\d)?|\d{4}年(?:\d{1,2}月)?(?:\d{1,2}[日号])?"
    r"|\b(?:since|as of|in|on) (?:[A-Z][a-z]+ )?\d{4}\b|(?:截至|自)\s*"
)
_ORIGIN = r"(?i)\bfrom [^,;.]{1,60}?(?= to )|从[^，。；到]{1,20}?(?=搬|迁|到|换|改|跳)"
_FILLER_ZH = (
    "住在|居住在|定居在?|家住|搬到了?|搬去了?|迁到|移居到?|目前|现在|如今|已经?|上班|工作|任职|就职|入职|公司"
    "|职业|名字|姓名|本名|年龄|今年|生日|电话|手机|号码|邮箱|伴侣|丈夫|妻子|男朋友|女朋友|对象|改成了?|改为"
    "|换成了?|换到了?|变成了?|是|叫做?|在|的|了|为|一[名位个]|岁"
)


@cache
def _filler() -> frozenset[str]:
    """Words that every statement of a single-valued category may have, whatever the value."""
    return frozenset(
        terms(
            "lives living live resides resided residence home moved move moving now currently "
            "since town city works work working worked at as job company employer employed name "
            "named called is was age aged years year old birthday born phone telephone number "
            "email address mail partner wife husband girlfriend boyfriend married changed became "
            "new switched joined"
        )
    )


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _is_same(one: str, other: str) -> bool:
    """Mostly the same words, the same numbers, and both or neither denied."""
    first, second = set(terms(one[:_CHARS])), set(terms(other[:_CHARS]))
    if not first or not second:
        return False
    shared = len(first & second) / max(len(first), len(second))
    same_figures = _figures(one) == _figures(other)
    return shared >= _SAME and same_figures and _is_denied(one) == _is_denied(other)


def _figures(text: str) -> set[str]:
    return set(re.findall(r"\d+", _folded(re.sub(_DATE, " ", text[:_CHARS]))))


def _is_denied(text: str) -> bool:
    return len(re.findall(_NOT, _folded(text[:_CHARS]))) % 2 == 1


def _value(content: str, subject: str) -> set[str]:
    """What is said of the subject, without the words that every such statement has."""
    text = re.sub(_ORIGIN, " ", re.sub(_DATE, " ", content[:_CHARS]))
    text = _folded(text).replace(_folded(subject), " ")
    return set(terms(re.sub(_FILLER_ZH, " ", text))) - _filler()


def _head(content: str, subject: str) -> str | None:
    """Whom a statement is about: "ann", or "ann's sister"."""
    text, name = _folded(content[:_CHARS]), re.escape(_folded(subject))
    relative = "妈|爸|哥|姐|弟|妹|父|母|儿|女|朋友|同事|爷|奶"
    pattern = rf"(?<![a-z0-9]){name}(?![a-z0-9])(?:['’]s \w+|的(?:{relative}).)?"
    found = re.search(pattern, text)
    return found[0] if found else None


def _is_comparable(draft: FactDraft, one: Known) -> bool:
    if draft.category not in SINGLE_VALUED or draft.category != one.category or not draft.subject:
        return False
    head = _head(draft.content, draft.subject)
    return head is not None and head == _head(one.content, draft.subject)


def _is_same_value(draft: FactDraft, one: Known) -> bool:
    if not _is_comparable(draft, one) or _is_denied(draft.content) != _is_denied(one.content):
        return False
    first, second = _value(draft.content, draft.subject), _value(one.content, draft.subject)
    return bool(first) and bool(second) and (first <= second or second <= first)


def _contradicts(draft: FactDraft, one: Known) -> bool:
    """Another value of what has one value, or the same statement denied."""
    if _is_comparable(draft, one):
        return True
    first = set(terms(re.sub(_NOT, " ", _folded(draft.content[:_CHARS]))))
    second = set(terms(re.sub(_NOT, " ", _folded(one.content[:_CHARS]))))
    if not first or not second or _is_denied(draft.content) == _is_denied(one.content):
        return False
    return len(first & second) / max(len(first), len(second)) >= _SAME


def _is_past(draft: FactDraft, one: Known) -> bool:
    """Whether the draft tells how it was, and the known one how it is."""
    if draft.valid_to and (not one.valid_from or draft.valid_to <= one.valid_from[:10]):
        return True
    return re.search(_PAST, draft.content) is not None and not re.search(_CHANGED, draft.content)


def _says_it_changed(draft: FactDraft, one: Known) -> bool:
    since = one.valid_from or one.last_confirmed
    if draft.valid_from and since and draft.valid_from > since[:10]:
        return True
    return re.search(_CHANGED, f"{draft.content}\n{draft.quote}"[: 2 * _CHARS]) is not None
