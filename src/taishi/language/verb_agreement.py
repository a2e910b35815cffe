"""Makes the verb agree when a pronoun becomes a name: "do I like" → "does Ann like"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .lazy_regex import lazy_compile
from .text_edits import Edit, capital_like
from .verb_forms import is_adverb, is_past, third_person

_ASKED = (
    r"(?i)(?<![\w'’])((?:are|were|have|do)n['’]t|am|are|were|have|do|did|can|could|will"
    r"|would|should"
    r"|may|might|must|shall|was|had|(?:did|could|would|should|can)n?['’]t|won['’]t) $"
)
_ASIDE = r",[^,.!?;:\n]{1,24},"  # I, for one, like jazz
_WORD = lazy_compile(r"\s+([A-Za-z]+(?:['’][tT])?)(?![\w'’])")
_HEDGE = lazy_compile(
    r"(?i)\s+(?:no longer|not only|kind of|sort of|at least|of course|more or less)\b"
)
_CLAUSE_BEFORE = (
    r"(?i)(?:^|[.!?;:,(\n]|\b(?:that|because|when|if|so|but|and|or|as|than|where|while"
    r"|since|how|why|what|who"
    r"|whether|until|before|after|once|though|although|think|thinks|thought|know|knows"
    r"|knew|hope|hopes"
    r"|guess|bet|say|says|said|believe|sure|glad|sorry|afraid|wish|everything|all|thing"
    r"|way|time|do|does"
    r"|did|are|were|is|have|had|has|can|could|will|would|should|hey|hi|yes|no|well|ok)) ?$"
)
_PARTNER = (  # what stands before "and I" where both are the subject
    r"(?:^|[.!?;:,(\n] ?|\b(?i:that|because|when|if|so|but|where|while|how|why|do|are|have|did|can"
    r"|should|will|were|both|and|then|now|yesterday|today|ago) )"
    r"(?P<partner>(?:[Mm]y|[Tt]he|[Aa]n?|[Hh]is|[Hh]er|[Tt]heir|[Oo]ur|[Yy]our) (?:[\w’'-]+ ){1,3}"
    r"|(?:[A-Z][\w’'-]* ){1,3}(?:[a-z][\w-]* )?|(?:[Yy]ou|[Hh]e|[Ss]he|[Tt]hey|[Mm]e) )and $"
)
_FINITE = frozenset("is are was were has had".split())
_DETERMINERS = frozenset("my the a an his her their our your".split())
_OTHER_CLAUSE = (
    r"(?i)\b(?:to|will|can|could|would|should|may|might|must|that|who|which|what|i|you|he"
    r"|she|it|we|they"
    r"|when|if|because|while|where|how|let|help)\b|[.;:!?\n]"
)
_SECOND = lazy_compile(  # "and work at", "and still mix up", ", still have"
    r"(?i)(?P<link>,? (?:and|or|but)|,(?= (?:still|never|also|always)\b)"
    r"|,(?= (?:make|take|get|eat|go"
    r"|read|write|buy|sell|teach|bake|wear|have) ))"
    r"(?P<adverb> (?:then|also|often|usually|sometimes|still|never|always|really|just|only|even))?"
    r" (?P<verb>[a-z]+(?:['’]t)?)(?=(?P<after>(?: [a-z'’]+)?))"
)
_ONLY_VERBS = frozenset(
    """
live have am go do eat speak teach prefer enjoy make take get use read write listen bake think know
feel find keep want need own collect learn grow sell buy pay wear meet earn bring give send
sing swim
""".split()
)
_ALSO_NOUNS = frozenset(
    """
work drink study drive cook sleep hope help love like hate play run walk ride watch try stay start
leave stand visit plan travel commute sit come mix
""".split()
)
_DEGREES = frozenset(("very", "so"))  # "I so want that", but also "I very happy"
_MEANT = frozenset("wish agree miss wanted needed loved hated".split())
_AFTER_VERB = frozenset(
    """
a an the my your his her their our this that to in at on for with from by as into about up out off
it him them me us every all two three some many much more less mostly well not never often there
here home back
""".split()
)


def agree(text: str, start: int, end: int, pronoun: str) -> Iterator[Edit]:
    """The verb forms that must change when text[start:end], an "I" or "you", becomes a name."""
    before = text[max(0, start - 80) : start]
    asked = re.search(_ASKED, before[-12:])
    if asked and not _is_object(pronoun, before[: -len(asked[0])], asked[1]):
        verb = _form(asked[1], pronoun, "")
        if verb:
            first = start - len(asked[0])
            yield Edit(first, first + len(asked[1]), capital_like(asked[1], verb))
        return
    if pronoun == "you" and not re.search(_CLAUSE_BEFORE, before):
        return
    if pronoun == "i" and has_partner(before):
        return
    following = _verb_after(text, end)
    if following is None:
        return
    clause = text[max(0, start - 120) : end + 120]
    verb = _form(following[1], pronoun, clause)
    if following[1].lower() == "ain't" and text.startswith(" got", following.end()):
        verb = "hasn't"
    if verb and verb.endswith("n't"):
        yield Edit(following.start(1), following.end(1), verb)
        return
    if verb:
        yield Edit(following.start(1), following.end(1), verb)
    elif not is_past(following[1]):
        return
    yield from joined(text, following.end(1), clause)


def has_partner(before: str) -> bool:
    """Whether an "I" after these words is one of two subjects: my wife and I, Tom and I."""
    found = re.search(_PARTNER, before)
    if found is None:
        return False
    first, *rest = found["partner"].split()
    if _FINITE.intersection(rest[1:]):
        return False  # my name is Ann and I
    if not rest or (len(rest) == 1 and first[0].islower()):
        return True  # my dogs and I, Tom and I
    if rest[-1][0].isupper() or re.search("['’]s?$", [first, *rest][-2]):
        return True  # Tom Reed and I, Tom's sister and I
    if first.lower() in _DETERMINERS:
        return len(rest) == 1 or not (is_past(rest[-1]) or re.search("[^s]s$", rest[-1]))
    return False  # Tom runs and I


def _is_object(pronoun: str, before: str, aux: str) -> bool:
    """I can do you a favour: no question."""
    return pronoun == "you" and aux.lower() in ("do", "have") and before.rstrip().endswith("can")


def _form(verb: str, pronoun: str, clause: str) -> str | None:
    plain = verb.lower().replace("’", "'")
    if pronoun == "you" and plain in ("were", "weren't"):
        return plain.replace("were", "was")
    if plain == "be":
        return None
    return third_person(verb, clause)


def _verb_after(text: str, end: int) -> re.Match[str] | None:
    """The first word after the pronoun that can be its verb."""
    if aside := re.compile(_ASIDE).match(text, end):
        end = aside.end()
    for _ in range(4):
        if hedge := _HEDGE.match(text, end):
            end = hedge.end()
            continue
        word = _WORD.match(text, end)
        if word and word[1].lower() in _DEGREES:
            following = _WORD.match(text, word.end())
            is_verb = following and following[1].lower() in _ONLY_VERBS | _ALSO_NOUNS | _MEANT
            return following if is_verb else None
        if word is None or not is_adverb(word[1]):
            return word
        end = word.end()
    return None


def joined(text: str, end: int, clause: str) -> Iterator[Edit]:
    """More verbs of the same subject: lives in Oslo and works at Acme."""
    for match in _SECOND.finditer(text, end, end + 100):
        if re.search(_OTHER_CLAUSE, text[end : match.start()]):
            return
        is_adjacent = match.start() == end and "," not in match["link"]
        form = third_person(match["verb"], clause) if _is_verb(match, is_adjacent) else None
        if form:
            yield Edit(match.start("verb"), match.end("verb"), form)


def _is_verb(match: re.Match[str], is_adjacent: bool) -> bool:
    """Not every word after "and" is one: I play guitar and piano."""
    verb, after = match["verb"].lower(), match["after"].strip().lower()
    if match["adverb"] and verb not in _AFTER_VERB:
        return True
    if verb.endswith(("n't", "n’t")) or verb in _ONLY_VERBS:
        return True
    return verb in _ALSO_NOUNS and (is_adjacent or after in _AFTER_VERB or is_adverb(after))
