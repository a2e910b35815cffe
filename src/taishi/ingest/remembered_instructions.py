"""A standing instruction that a model keeps with `remember` is kept as one (H8).

"Always run the tests before you commit", or told of the person: "The user wants me to answer in
Chinese". Only for a place with a person in it: an instruction is somebody's.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ..domain.fact_lifecycle import INSTRUCTION, having, id_prefix
from ..domain.filter_matching import tags_of
from ..domain.instructions import CONDITIONAL
from ..domain.text_identity import stable_id
from ..historian.fact_patterns.instructions import Instruction, instruction_in
from ..historian.fact_patterns.work_instructions import is_work_instruction
from ..language.lazy_regex import lazy_compile
from ..language.text import one_line, sentences
from ..types import Record

MOST_CHARS = 280  # a longer text is no single instruction
_TOLD = lazy_compile(
    r"(?P<who>(?:the )?user|[A-Z][\w'’-]+) (?:"
    r"(?:wants?|would like|expects?|asks?|asked|requires?|told|requested|instructed)"
    r" (?:me|us|you|claude|the (?:assistant|agent|bot|model)) (?P<how>(?:not )?to (?:please )?)"
    r"|(?:asks?|asked|insists?|requires?|requested|wants?)(?: me| you)? that (?:i|you|we|claude"
    r"|the (?:assistant|agent)) (?:should |must )?"
    r"|(?:asks?|asked|says?|said)(?: me)?: ?[\"“]?)(?P<rest>.+)",
    re.IGNORECASE,
)
_TOLD_ZH = lazy_compile(
    r"(?P<who>用户|对方|[^，。\s]{2,4}?)(?:要求|希望|想让|让|要|叫|请|吩咐)(?:我|你|助手|Claude)?(?:们)?[：:，]?[“\"]?(?P<rest>.+)"
)


def as_instruction(record: Record) -> Record:
    """The fact as a standing instruction of its user, if its words are one."""
    if record.user is None or record.kind != "fact" or len(record.text) > MOST_CHARS:
        return record
    found = told_instruction(record.text)
    if found is None or found.is_withdrawn:
        return record
    ours = [*found.topics, *([CONDITIONAL] if found.is_conditional else [])]
    tags = list(dict.fromkeys([*tags_of(record.data), *ours]))
    kept = having(record, category=INSTRUCTION, subject=record.user, tags=tags)
    prefix = id_prefix(INSTRUCTION)
    if record.id.startswith(prefix):
        return kept
    return replace(kept, id=stable_id(prefix, record.place, record.id, record.text))


def told_instruction(text: str) -> Instruction | None:
    """What the text tells a bot to do from now on; it says nothing else."""
    words = one_line(text).strip()
    if len(list(sentences(words))) != 1:
        return None
    if (found := instruction_in(words)) is not None:
        return found
    told = _TOLD.fullmatch(words) or _TOLD_ZH.fullmatch(words)
    if told is None:
        return None
    rest = told["rest"].strip(' "“”.。!！')
    if (told.groupdict().get("how") or "").startswith("not"):
        rest = f"never {rest}"
    found = instruction_in(rest)
    if found is not None or not is_work_instruction(rest.lower(), is_reported=True):
        return found
    return Instruction(rest, (), False, False, False)
