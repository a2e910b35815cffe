"""Whether two entries of shared memory contradict each other, by rule (F5).

They do if both name the same topic and say different things, if one denies the other, or if two
conventions differ in one thing only: "indent with tabs", "indent with spaces". A coordinator
decides then; two entries that differ in more are left alone.
"""

from __future__ import annotations

import re

from ..domain.shared_memory import are_comparable, are_settled, says_the_same, topic_of, type_of
from ..domain.text_identity import normal
from ..language.analyzer import has_cjk
from ..language.common_prefix import common_prefix_length
from ..types import Record
from .statement_comparison import StatementComparison, folded, terms

# What many conventions say without naming anything; what is left is what they are about.
_RULE_WORDS = (
    r"\b(?:please|always|must|should|shall|we|use|uses|using|prefer|only|every|each|all|any|our"
    r"|the|a|an|in|with|for|be|is|are)\b"
    r"|请|一律|统一|必须|应该|应当|应|都|要|使用|采用|用|只|我们|全部|所有"
)
SUBJECT_WORDS = 2  # the least that two conventions share
ONE_THING = 2  # words, or Chinese characters and their pairs: see `_own_words`


def opposes(one: Record, other: Record) -> bool:
    if one.kind != other.kind or type_of(one) != type_of(other) or not are_comparable(one, other):
        return False
    if are_settled(one, other) or says_the_same(one, other):
        return False
    topics = normal(topic_of(one)), normal(topic_of(other))
    if all(topics):
        return topics[0] == topics[1]
    compare = StatementComparison()
    if compare.is_denial_of(one.text, other.text):
        return True
    return type_of(one) == "convention" and _differ_in_one_thing(one.text, other.text)


def _differ_in_one_thing(one: str, other: str) -> bool:
    if has_cjk(one) != has_cjk(other):
        return False
    split = _characters if has_cjk(one) else _words
    first, second = split(one), split(other)
    start = common_prefix_length(first, second)
    rest_one, rest_other = first[start:], second[start:]
    end = common_prefix_length(rest_one[::-1], rest_other[::-1])
    own_one, own_other = len(rest_one) - end, len(rest_other) - end
    most = ONE_THING * (2 if has_cjk(one) else 1)
    same_words = set(_about(first[:start])) | set(_about(first[len(first) - end :]))
    least = SUBJECT_WORDS * (2 if has_cjk(one) else 1)
    return 0 < own_one <= most and 0 < own_other <= most and len(same_words) >= least


def _words(text: str) -> list[str]:
    return re.findall(r"[\w./+#-]+", folded(text).rstrip("."))


def _characters(text: str) -> list[str]:
    return re.findall(r"[a-z0-9_.+#-]+|[^\W_]", normal(text))


def _about(tokens: list[str]) -> list[str]:
    joined = "".join(tokens) if tokens and has_cjk("".join(tokens)) else " ".join(tokens)
    bare = re.sub(_RULE_WORDS, " ", joined)
    return list(bare.replace(" ", "")) if has_cjk(bare) else terms(bare)
