"""Reconciles drafted facts with known ones by rule: what confirms, replaces or ends what (F1,
P5)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from ..domain.drafts import FactDraft, Reconciliation
from ..domain.text_identity import has_words
from ..language.analyzer import has_cjk
from ..language.text import sentences
from . import statement_comparison, told_ages
from .categories import INSTRUCTION, SINGLE_VALUED
from .ended_jobs import EMPLOYER, JOB, ended_by_leaving, ended_by_past_role, ended_with_employer
from .fact_patterns.answer_style import may_both_hold
from .fact_patterns.changed_requests import allows
from .fact_patterns.correction_words import denied_value, puts_right, spells
from .fact_patterns.instructions import RELENTS
from .fact_patterns.renamed_pets import is_other_name_of, is_renaming
from .known_facts import KnownFact as KnownFact
from .known_facts import has_subject, ids_of, is_left, of_subject
from .moved_habits import is_moved_habit
from .name_comparison import tells_other_name
from .other_names import other_name, replaced_holders, tells_other_holder, tells_same_holder
from .statement_comparison import StatementComparison
from .told_ages import told_age
from .told_preferences import is_changed_to, is_turned_round


def reconcile_by_rule(
    drafts: Sequence[FactDraft], known: Sequence[KnownFact]
) -> list[Reconciliation]:
    """One decision for each draft: same words, or another value of a single-valued category."""
    decisions: list[Reconciliation] = []
    earlier: list[FactDraft] = []
    compare = StatementComparison()
    for draft in drafts:
        if any(_is_duplicate(draft, other, compare) for other in earlier):
            decisions.append(Reconciliation("ignore", None, "said twice in one turn"))
        else:
            decisions.append(_decide(draft, known, compare))
        earlier.append(draft)
    return decisions


def _is_duplicate(draft: FactDraft, other: FactDraft, compare: StatementComparison) -> bool:
    return draft.retracts == other.retracts and compare.is_same(draft.content, other.content)


def _decide(
    draft: FactDraft, known: Sequence[KnownFact], compare: StatementComparison
) -> Reconciliation:
    current = [fact for fact in known if fact.state != "superseded"]
    current.sort(key=lambda fact: fact.state == "rejected", reverse=True)
    if draft.retracts:
        open_to_it = [fact for fact in current if draft.by_self or not fact.is_stored]
        return Reconciliation(
            "ignore", None, "tells what is no longer so", _retracted(draft, open_to_it, compare)
        )
    if draft.leaves and not any(is_left(draft, fact) for fact in current):
        return Reconciliation("ignore", None, "leaves nothing that is known")
    match = next((fact for fact in current if _is_same_statement(draft, fact, compare)), None)
    if match is not None and match.state == "rejected":
        return Reconciliation("ignore", match.id, "a person rejected this")
    standing = [fact for fact in current if fact.state != "rejected"]
    contradicted = [fact for fact in standing if _contradicts(draft, fact, compare)]
    contradicted = contradicted or _corrected(draft, standing) or replaced_holders(draft, standing)
    if match is not None:
        # A person's statement about themselves settles a conflict; others' only count as evidence.
        ended_ids = (
            ids_of(
                fact
                for fact in contradicted
                if fact is not match and _is_surely_newer_age(draft, fact)
            )
            if draft.by_self
            else ()
        )
        return Reconciliation("confirm", match.id, "says the same", ended_ids)
    if not contradicted and (other := other_name(draft, standing)):
        return other
    if not contradicted and draft.only_against:
        return Reconciliation("ignore", None, "contradicts nothing that is known")
    if not contradicted:
        return Reconciliation(
            "add", None, "nothing known says this", _ended_by(draft, current, compare)
        )
    return _decide_contradiction(draft, contradicted, current)


def _decide_contradiction(
    draft: FactDraft, contradicted: Sequence[KnownFact], current: Sequence[KnownFact]
) -> Reconciliation:
    first = contradicted[0]
    if _is_past(draft, first):
        return Reconciliation("add", None, "tells of an earlier time")
    if not _is_surely_newer_age(draft, first):
        return Reconciliation("conflict", first.id, "another age, and nothing says of whom")
    if draft.by_self or (_says_it_changed(draft, first) and not first.is_stored):
        rest = ids_of(one for one in contradicted[1:] if draft.by_self or not one.is_stored)
        if draft.category == EMPLOYER:
            facts = of_subject(draft, current)
            facts = [one for one in facts if draft.by_self or not one.is_stored]
            rest += ended_with_employer(contradicted, facts, draft.subject)
        return Reconciliation("supersede", first.id, "says how it is from now on", rest)
    return Reconciliation("conflict", first.id, "another value, and nothing says which is right")


def _is_surely_newer_age(draft: FactDraft, fact: KnownFact) -> bool:
    new, old = (told_age(text, draft.subject) for text in (draft.content, fact.content))
    return new is None or old is None or told_ages.replaces(new, old, draft.quote)


def _corrected(draft: FactDraft, standing: Sequence[KnownFact]) -> list[KnownFact]:
    """ "Sorry, my dog is called Max", "…, not Rex": what it puts right, if that is one fact.
    Without such a word there may be two dogs."""
    if not draft.by_self or not draft.quote:
        return []
    alike = [
        fact for fact in standing if fact.category == draft.category and has_subject(draft, fact)
    ]
    old = denied_value(draft.quote)
    if old:
        found = [fact for fact in alike if _differs_in(draft.content, fact.content, old)]
    elif puts_right(draft.quote) or spells(draft.quote):
        found = [fact for fact in alike if _is_other_value(draft.content, fact.content)]
    elif _says_it_moved(draft):  # "my friend is Tom now" is one more
        found = [fact for fact in alike if _is_other_place(draft.content, fact.content)]
    else:
        found = []
    if not found and is_renaming(draft.quote):
        found = [fact for fact in alike if is_other_name_of(draft.content, fact.content)]
    return found if len(found) == 1 else []


def _says_it_moved(draft: FactDraft) -> bool:
    """Whether the sentence that names the place has a word of change: not "… I have a new car"."""
    placed = statement_comparison.placed(draft.content)
    return placed is not None and any(
        placed[1] in statement_comparison.folded(sentence)
        and re.search(statement_comparison.CHANGED, sentence) is not None
        for sentence in sentences(draft.quote)
    )


def _differs_in(content: str, known: str, old: str) -> bool:
    """Whether both say the same but for this value: Tessa is another than Tess."""
    before, value, after = known.partition(old)
    if not has_cjk(old) and re.search(rf"\w{re.escape(old)}|{re.escape(old)}(?!e?s\b)\w", known):
        return False  # "pea" is no part of "peanuts"
    before = re.sub(r"\ban? $", "", before)
    if not value or not content.startswith(before) or not content.endswith(after):
        return False
    new = content[len(before) : len(content) - len(after)]
    is_kept = new == old if has_cjk(old) else has_words(new, old)
    is_limited = old[0].islower() and re.search(_LIMITS, new) is not None
    return bool(new) and not is_kept and not is_limited


_LIMITS = r"(?i)\b(?:in|on|at|for|when|while|if|with|without|because|than|every|only|but|and|or)\b"


def _is_other_value(content: str, known: str) -> bool:
    """Whether both name the same one, or say where he lives or works, and differently."""
    one, other = statement_comparison.called(content), statement_comparison.called(known)
    return _differ(one, other) or _is_other_place(content, known)


def _is_other_place(content: str, known: str) -> bool:
    return _differ(statement_comparison.placed(content), statement_comparison.placed(known))


def _differ(one: tuple[str, str] | None, other: tuple[str, str] | None) -> bool:
    """Whether both are of the same one, with another value."""
    return one is not None and other is not None and one[0] == other[0] and one[1] != other[1]


def _retracted(
    draft: FactDraft, current: Sequence[KnownFact], compare: StatementComparison
) -> tuple[str, ...]:
    """Facts that a retraction ends: same category and person, with the value if one was named."""
    value_terms = set(statement_comparison.terms(draft.value))
    candidates = [
        fact
        for fact in current
        if fact.state != "rejected" and fact.category == draft.category and has_subject(draft, fact)
    ]
    if draft.category == INSTRUCTION:
        return ids_of(fact for fact in candidates if _is_withdrawn(draft, fact, compare))
    if draft.category in (EMPLOYER, JOB):
        return ended_by_leaving(draft, of_subject(draft, current))
    if draft.category not in SINGLE_VALUED and not value_terms:
        return ()
    return ids_of(
        fact for fact in candidates if value_terms <= set(statement_comparison.terms(fact.content))
    )


def _ended_by(
    draft: FactDraft, current: Sequence[KnownFact], compare: StatementComparison
) -> tuple[str, ...]:
    """ "Used to live in Cork" ends "lives in Cork", "is divorced" ends "Ann's wife is Laura"."""
    if not draft.by_self:
        return ()
    no_partner = r"(?i)\b(?:divorced|single|widowed)\b|离婚|离异|单身|丧偶"
    if draft.category == "partner" and re.search(no_partner, draft.content):
        return ids_of(
            fact for fact in current if fact.category == "partner" and has_subject(draft, fact)
        )
    if draft.category != "history":
        return ()
    roles = ended_by_past_role(draft, of_subject(draft, current))
    past_terms = compare.core(re.sub(statement_comparison.PAST, " ", draft.content))
    return roles + ids_of(
        fact
        for fact in current
        if fact.id not in roles
        and fact.category in SINGLE_VALUED
        and has_subject(draft, fact)
        and len(compare.core(fact.content) - {"live", "work"}) > 1
        and compare.core(fact.content) - {"live", "work"} <= past_terms
    )


def _is_withdrawn(draft: FactDraft, fact: KnownFact, compare: StatementComparison) -> bool:
    topics = _topics(draft.tags) & _topics(fact.tags)
    if RELENTS.search(draft.content) or allows(_instruction_text(draft.content)):
        return _allows(_instruction_text(draft.content), _instruction_text(fact.content), compare)
    if topics:
        return draft.value in fact.content  # which name may be used again
    draft_terms, fact_terms = (
        compare.core(_instruction_text(draft.content)),
        compare.core(_instruction_text(fact.content)),
    )
    return (
        not _topics(draft.tags)
        and bool(fact_terms)
        and len(draft_terms & fact_terms) >= len(fact_terms) / 2
    )


def _allows(allowed: str, instruction: str, compare: StatementComparison) -> bool:
    """Whether just that was forbidden which is now allowed."""
    if not re.search(_FORBIDS, instruction):
        return False
    forbidden = compare.core(re.sub(rf"{_FORBIDS}|再|了|以后|今后|请|都", " ", instruction))
    return bool(forbidden) and forbidden <= compare.core(allowed)


_FORBIDS = r"(?i)别|不要|不许|不准|甭|不用|\b(?:don['’]?t|do not|never|stop|no more)\b"
_NAMED = r"(?i)\b(?:name is|name['’]s|called|named)\b|叫|名字"
_STATUS = (
    r"(?i)\b(?:married|engaged|divorced|single|widowed|dating)\b|结婚|订婚|离婚|已婚|未婚|单身"
    r"|离异"
)


def _is_same_statement(draft: FactDraft, fact: KnownFact, compare: StatementComparison) -> bool:
    if draft.category == INSTRUCTION or fact.category == INSTRUCTION:
        same_words = compare.core(_instruction_text(draft.content)) == compare.core(
            _instruction_text(fact.content)
        )
        same_sense = compare.is_denied(draft.content) == compare.is_denied(fact.content)
        return (
            draft.category == fact.category
            and has_subject(draft, fact)
            and same_words
            and same_sense
        )
    if has_subject(draft, fact) and (
        tells_other_name(draft, fact.category, fact.content) or tells_other_holder(draft, fact)
    ):
        return False
    if has_subject(draft, fact) and tells_same_holder(draft, fact):
        return True
    return compare.is_same(draft.content, fact.content) or _is_same_value(draft, fact, compare)


def _is_comparable(draft: FactDraft, fact: KnownFact) -> bool:
    if draft.category != fact.category or not draft.subject:
        return False
    if age := told_age(draft.content, draft.subject):
        known_age = told_age(fact.content, draft.subject)
        return known_age is not None and told_ages.is_of_one(age, known_age)
    if single := statement_comparison.single_value(draft.content, draft.subject):
        other = statement_comparison.single_value(fact.content, draft.subject)
        return other is not None and single[0] == other[0]
    if draft.category not in SINGLE_VALUED:
        return False
    head = statement_comparison.head(draft.content, draft.subject)
    if head is None or head != statement_comparison.head(fact.content, draft.subject):
        return False
    # Partner facts may be a name, a job or a status: compare only the same aspect.
    return draft.category != "partner" or any(
        re.search(aspect, draft.content) and re.search(aspect, fact.content)
        for aspect in (_NAMED, _STATUS)
    )


def _is_same_value(draft: FactDraft, fact: KnownFact, compare: StatementComparison) -> bool:
    if not _is_comparable(draft, fact) or tells_other_name(draft, fact.category, fact.content):
        return False
    if compare.is_denied(draft.content) != compare.is_denied(fact.content):
        return False
    first, second = (_value(text, draft) for text in (draft.content, fact.content))
    return bool(first) and bool(second) and (first <= second or second <= first)


def _value(content: str, draft: FactDraft) -> AbstractSet[str]:
    if draft.category == "birthday" and (day := statement_comparison.day_terms(content)):
        return day
    if age := told_age(content, draft.subject):
        return {f"{age.number} {age.unit}"}
    single = statement_comparison.single_value(content, draft.subject)
    return single[1] if single else statement_comparison.value_terms(content, draft.subject)


def _contradicts(draft: FactDraft, fact: KnownFact, compare: StatementComparison) -> bool:
    """Another value of a single-valued category, its denial, or its end; a plan ends nothing."""
    if draft.category == "plan" and fact.category != "plan":
        return False
    if draft.category == INSTRUCTION or fact.category == INSTRUCTION:
        return draft.category == fact.category and _replaces(draft, fact, compare)
    if _is_comparable(draft, fact):
        return not _is_same_value(draft, fact, compare)
    if compare.is_denial_of(draft.content, fact.content):
        return True
    if not has_subject(draft, fact):
        return False
    return (
        compare.is_end_of(draft.content, fact.content)
        or is_moved_habit(draft, fact)
        or is_turned_round(draft.content, fact.content)
        or (draft.by_self and is_changed_to(draft.content, fact.content, draft.quote))
    )


def _replaces(draft: FactDraft, fact: KnownFact, compare: StatementComparison) -> bool:
    """A later instruction by the same person on the same topic and condition."""
    if not has_subject(draft, fact) or ("conditional" in draft.tags) != (
        "conditional" in fact.tags
    ):
        return False
    topics, fact_topics = _topics(draft.tags), _topics(fact.tags)
    if "conditional" in draft.tags:
        return compare.is_denial_of(
            _instruction_text(draft.content), _instruction_text(fact.content)
        )
    if fact_topics and topics:
        words = (_instruction_text(draft.content), _instruction_text(fact.content))
        if "language" in topics & fact_topics:
            fact_topics -= {"spelling"}  # which is of the language that was asked for
        return fact_topics <= topics and not may_both_hold(*words)
    return compare.is_denial_of(_instruction_text(draft.content), _instruction_text(fact.content))


def _topics(tags: Iterable[str]) -> set[str]:
    return set(tags) - {"conditional", "for_all"}


_POLITE = (
    r"(?i)\b(?:please|always|from now on|in (?:the )?future|going forward)\b"
    "|请|以后|今后|都|一律|始终|从现在开始"
)


def _instruction_text(content: str) -> str:
    """The instruction without its author, politeness and start."""
    return re.sub(_POLITE, " ", re.split("[:：]", content, maxsplit=1)[-1])


def _is_past(draft: FactDraft, fact: KnownFact) -> bool:
    """Whether the draft is about the past and the known fact about the present."""
    since = fact.valid_from or fact.last_confirmed
    if draft.category == "birthday":
        return False  # "was born" is no past that has ended
    if draft.valid_to and (not since or draft.valid_to <= since[:10]):
        return True
    is_past = re.search(statement_comparison.PAST, draft.content) is not None
    return is_past and not re.search(statement_comparison.CHANGED, draft.content)


def _says_it_changed(draft: FactDraft, fact: KnownFact) -> bool:
    since = fact.valid_from or fact.last_confirmed
    if draft.valid_from and since and draft.valid_from > since[:10]:
        return True
    text = f"{draft.content}\n{draft.quote}"[: 2 * statement_comparison.CHARS]
    return (
        draft.category != INSTRUCTION and re.search(statement_comparison.CHANGED, text) is not None
    )
