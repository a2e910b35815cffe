"""A standing instruction that a model keeps with `remember` is kept as one (H8).

"Always run the tests before you commit", or told of the person: "The user wants me to answer in
Chinese", "Ann wants commit messages in the imperative". Only for a place with a person in it: an
instruction is somebody's. One that says otherwise than a known one waits for a person.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ..domain import instructions
from ..domain.drafts import FactDraft
from ..domain.fact_lifecycle import INSTRUCTION, having, id_prefix
from ..domain.filter_matching import tags_of
from ..domain.instructions import CONDITIONAL
from ..domain.own_facts import ABOUT_USER
from ..domain.text_identity import stable_id
from ..historian.fact_patterns.bot_outputs import is_asked_for, is_told_to
from ..historian.fact_patterns.instructions import Instruction, as_told, instruction_in
from ..historian.fact_patterns.work_instructions import is_work_instruction
from ..historian.reconcile import KnownFact, reconcile_by_rule
from ..language.lazy_regex import lazy_compile
from ..language.text import one_line, sentences
from ..ports import Store
from ..types import Record
from .stored_facts import MOST_FACTS

MOST_CHARS = 280  # a longer text is no single instruction
_WHO = r"(?P<who>(?:the )?user|I|we|[A-Z][\w'’-]+)"
_TOLD = lazy_compile(
    rf"{_WHO} (?:"
    r"(?:wants?|would like|expects?|asks?|asked|requires?|told|requested|instructed)"
    r" (?:me|us|you|claude|the (?:assistant|agent|bot|model)) (?P<how>(?:not )?to (?:please )?)"
    r"|(?:asks?|asked|insists?|requires?|requested|wants?)(?: me| you)? that (?:i|you|we|claude"
    r"|the (?:assistant|agent)) (?:should |must )?"
    r"|(?:asks?|asked|says?|said)(?: me)?: ?[\"“]?)(?P<rest>.+)",
    re.IGNORECASE,
)
# Of what a bot writes it need not be said who is to write it: "Ann wants answers in Chinese".
_ASKED_FOR = lazy_compile(
    rf"{_WHO} (?:(?:always )?(?:wants?|prefers?|requires?|asks? for|asked for|insists? on)"
    r"|would (?:like|prefer)) (?P<rest>.+)",
    re.IGNORECASE,
)
_TOLD_ZH = lazy_compile(
    r"(?P<who>用户|对方|[^，。\s]{2,4}?)(?:要求|希望|想让|让|要|叫|请|吩咐|更?喜欢|偏好)(?P<me>(?:我|你|助手|Claude)(?:们)?)?[：:，]?[“\"]?(?P<rest>.+)"
)
_LIKES_ZH = lazy_compile(r".{1,6}?(?:更?喜欢|偏好)")
_USER = lazy_compile(r"(?i)(?:the )?user|i|we|everyone|everybody|用户|对方|我们?|咱们|大家|所有人")
# Whom these words name is not who talks with the assistant, or nobody knows who it is.
_NO_NAME = frozenset(
    """he she it they you who nobody somebody someone anybody people
    boss management team 没人 没有人 有人 他 她 它 他们 她们 你 你们 谁 老板 领导 上司
    同事 客户 老师 经理 团队 公司 家人 妈妈 爸爸 朋友""".split()
)


def as_instruction(record: Record, store: Store) -> Record | None:
    """The fact as a standing instruction of its user; None if its words are none."""
    if record.user is None or record.kind != "fact" or len(record.text) > MOST_CHARS:
        return None
    found = told_instruction(record.text)
    if found is None or found.is_withdrawn:
        return None
    if not is_addressed(record.text) and not _is_of_user(record, store):
        return None
    ours = [*found.topics, *([CONDITIONAL] if found.is_conditional else [])]
    tags = list(dict.fromkeys([*tags_of(record.data), *ours]))
    kept = having(record, category=INSTRUCTION, subject=record.user, tags=tags)
    prefix = id_prefix(INSTRUCTION)
    if not record.id.startswith(prefix):
        kept = replace(kept, id=stable_id(prefix, record.place, record.id, record.text))
    return _compared(kept, found, ours, store)


def _compared(record: Record, found: Instruction, tags: Sequence[str], store: Store) -> Record:
    """In conflict with those of the same user that it contradicts: a model's word ends none."""
    own = [
        one
        for one in instructions.standing(store, record.place)
        if one.user == record.user and one.id != record.id
    ]
    known = [KnownFact.of(index, _as_asked(one)) for index, one in enumerate(own)]
    draft = FactDraft(found.words, INSTRUCTION, str(record.user), tags=tuple(tags))
    (decision,) = reconcile_by_rule([draft], known)
    if decision.action not in ("conflict", "supersede") or decision.known_id is None:
        return record
    rivals = list(dict.fromkeys((decision.known_id, *decision.ends)))
    return replace(having(record, conflict_with=rivals), state="conflict")


def _as_asked(instruction: Record) -> Record:
    """What was asked, without who asked for it."""
    found = told_instruction(instruction.text)
    words = found.words if found is not None else instruction.text
    return replace(having(instruction, subject=instruction.user), text=words)


def is_addressed(text: str) -> bool:
    """Whether the words say themselves that they are for the assistant."""
    words = one_line(text).strip()
    if instruction_in(words) is not None or _TOLD.fullmatch(words):
        return True
    told = _TOLD_ZH.fullmatch(words)
    return told is not None and bool(told["me"])


def _is_of_user(record: Record, store: Store) -> bool:
    """Whether who wants it may be the record's user: by "the user", by id, or by a name they go by.
    Where no name is known, whoever talks with the assistant in private is meant."""
    words = one_line(record.text).strip()
    told = _ASKED_FOR.fullmatch(words) or _TOLD_ZH.fullmatch(words)
    who = told["who"].casefold() if told is not None else ""
    if who in _NO_NAME:
        return False
    if _USER.fullmatch(who) or who == (record.user or "").casefold():
        return True
    known = store.find(record.place, ("fact",), ("approved",), MOST_FACTS)
    own = [one for one in known if one.user == record.user]
    named = (
        one.data.get("subject")
        for one in own
        if one.data.get("by_self") or one.data.get(ABOUT_USER)
    )
    names = {str(name).casefold() for name in named if name}
    return who in names if names else record.place.kind == "private"


def told_instruction(text: str) -> Instruction | None:
    """What the text tells a bot to do from now on; it says nothing else."""
    words = one_line(text).strip()
    if len(list(sentences(words))) != 1:
        return None
    if (found := instruction_in(words)) is not None:
        return found
    asked_for = _ASKED_FOR.fullmatch(words)
    if asked_for is not None and is_asked_for(_bare(asked_for["rest"])):
        return as_told(_bare(asked_for["rest"]))
    told = _TOLD.fullmatch(words) or _TOLD_ZH.fullmatch(words)
    if told is None:
        return None
    rest = _bare(told["rest"])
    if (told.groupdict().get("how") or "").startswith("not"):
        rest = f"never {rest}"
    if is_told_to(rest):
        return as_told(rest)
    if _LIKES_ZH.match(words):
        return None
    found = instruction_in(rest)
    if found is not None or not is_work_instruction(rest.lower(), is_reported=True):
        return found
    return Instruction(rest, (), False, False, False)


def _bare(rest: str) -> str:
    return rest.strip(' "“”.。!！')
