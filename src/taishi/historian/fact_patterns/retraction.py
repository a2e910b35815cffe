"""Recognises retractions: what a person takes back, or ends, without a replacement (P5).

"I misspoke, I do not have a sister", "forget what I said about Berlin", 我说错了，我没有姐姐,
刚才说的不对. Only what the speaker said: "what you said is wrong" retracts nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from ...language.analyzer import has_cjk
from ...language.chat_markup import without_address
from ...language.normalise import squeezed
from ...language.text import sentence_pieces, storable
from ...types import Job
from .. import statement_comparison
from ..participants import Participants, local_time
from .bare_values import BareValue, meant_value
from .chinese_parts import ACQUAINTANCES, PARTNER, PET, RELATIVES
from .conditions import Allowed
from .correction_words import is_marked, without_mark
from .denials import Denial, Predicate
from .denials import denied as plain_denials
from .framed_corrections import framed_correction
from .lost_pets import LostPet, lost_pets
from .not_but import both_said
from .own_words import is_hypothetical, own_words
from .refutations import refutes
from .renamed_pets import other_name
from .short_corrections import contrast
from .validity import is_ahead
from .value_corrections import NewValue
from .withdrawn_jokes import after_a_joke, withdraws_a_joke
from .withdrawn_topics import WithdrawnTopic, requests_in

_READ_CHARS = 1000
_MAX_ITEMS = 40
_MAX_WORDS = 6
_WRONG = (
    r"(?:(?:was|is|were|are) (?:wrong|untrue|false|incorrect|a mistake|a lie|a joke|nonsense"
    r"|made up|not (?:true|right|correct|so|the case))"
    r"|(?:was|is|were|are)n['’]t (?:true|right|correct|so|the case))"
)
_SAID = r"(?:said|told you|mentioned|wrote|was saying)"
_THING = r"(?:what(?:ever)?|everything|anything|all(?: that)?|the (?:thing|things|part|stuff))"
# The topic of what is said to be wrong, up to a comma.
_WRONG_ABOUT = (
    rf"(?i)\b{_THING} (?:that )?i(?:['’]ve| have)?(?: just)? {_SAID}(?: earlier| before)?"
    rf" (?:about|regarding|on) (?P<about>[^,;.!?—]{{2,60}}?) {_WRONG}",
    "(?<![你您他她它])(?:我)?(?:刚才|刚刚|之前|前面|上次|以前)?(?:我)?(?:说|讲|提)(?:过|到)?的?"
    "(?:关于|有关)(?P<about>[^，。；！,;]{1,20}?)的?(?:事情?|话|内容)?(?:是|都是|都)?(?:不对|错的|错了|有误|假的|不是真的|不属实)",
    r"(?i)\bi (?:was|am) (?:just |only )?(?:joking|kidding) about (?P<about>[^,;.!?—]{2,40}?)"
    r"(?=\s*(?:[,;.!—–]|$))",
    "(?:我)(?:刚才|刚刚|之前|前面|上次)?(?:关于|有关)(?P<about>[^，。；！,;]{1,20}?)(?:说|讲)的话?(?:是|都是|都)?"
    "(?:不对|错的|错了|有误|假的|不是真的|不属实)",
)
_CLAUSE_ENDS = r"(?=\s*(?:[,;.!:—–-]|$|(?:and|actually|sorry|because|that)\b))"
# The speaker was wrong; a denial next to it says about what.
_WAS_WRONG = (
    r"(?i)\bi (?:was (?:wrong|mistaken|confused|lying)|made (?:a mistake|an error)|lied)"
    rf"{_CLAUSE_ENDS}"
    r"|\bmy mistake\b|我(?:刚才|刚刚|之前)?(?:记|搞|弄)错了?"
)
# "Don't forget what I said" and "people forget what I said" ask for nothing of the sort.
_ASKED = (
    r"(?:^\W*|[,;:.!—–-]\s*|\b(?:please|pls|just|so|and|but|then|ok|okay|actually|wait|no|oops|sorry"
    r"|(?:can|could|would) you|you can|you may|you should) )"
)
# The speaker misspoke; without a denial it is the last statement.
_SAID_WRONG = (
    rf"(?i)\bi (?:misspoke|mis-spoke|misstated (?:that|it)|(?:got|said) (?:that|it|this) wrong"
    rf"|take (?:that|it) back){_CLAUSE_ENDS}"
    rf"|\b(?:what|the thing|everything) i(?: just)? {_SAID}(?: earlier| before)? {_WRONG}"
    rf"|{_ASKED}(?:forget|ignore|disregard|scratch|strike) {_THING} i(?: just)? {_SAID}\b"
    r"(?! (?:about|regarding|on|to)\b)|\b(?:scratch|strike) that\b"
    r"|(?<![你您他她它们])(?:刚才|刚刚|之前|前面|上面)(?:我)?(?:说|讲)(?:的|错)(?:话|那句)?(?:都|是|全)*"
    r"(?:不对|错的?|有误|不算|不是真的|假的|了)"
    r"|我(?:刚才|刚刚|之前)?(?:说|讲)错了?|我?口误|当我没说|收回(?:我)?(?:刚才|前面)?的?话"
    r"|(?:^|[，。；！,;\s])(?:请|你|就|都|还是|麻烦|那|算了)*(?:忘[掉了记]|忽略|无视|收回|撤回|别管|不用管)"
    r"(?:刚才|刚刚|之前|前面|上面)?我(?:刚才|刚刚|之前|前面|上面)?(?:说|讲)过?的?"
    r"(?:话|那些话?|那句话?|一切|都)?(?:吧|好吗)*(?=[，。；！,;\s]|$)"
)
_DENIAL = re.compile(
    r"(?i)(?:^|[,;:.!—–-]\s*|\b(?:actually|because|since|and|that|as)\s+)"
    r"(?:(?:i|we|my \w{1,30})\s+(?:(?:do|did|am|was|is|have|does|can) ?not"
    r"|(?:do|did|was|is|have|does|ca)n['’]t|have no|never|had no)|i['’]m not)"
    r"\s+(?P<what>[^,;.!?—]{2,80})"
)
_DENIAL_ZH = re.compile(
    "(?<!当)我(?:其实|根本|们|家|现在|的)?(?:并没有|并没|没有|从没|从来没|没|并不是|不是|并不|从不|不)"
    "(?P<what>[^，。；！,;!?？]{1,20})"
)
# "My cat isn't called Momo", 我的猫不叫团子: only a statement that gives this name is wrong.
_NAME_DENIAL = re.compile(
    r"(?:^|[,;:.!—–-]\s*)(?:[Aa]ctually,? )?[Mm]y (?P<who>(?:[\w'’-]+ ){0,2}?[\w-]+)"
    r"(?:['’]s name)? (?:is not|isn['’]t|was not|wasn['’]t)(?: called| named)?"
    r" (?P<name>[A-Z][\w'’-]+)(?=\s*(?:[,;.!—–-]|$))"
)
_NAME_DENIAL_ZH = re.compile(
    rf"(?:^|[，。；！,;：:])(?:其实)?我(?:的|家的?)?(?P<who>{PARTNER}|{RELATIVES}|{ACQUAINTANCES}|{PET})"
    r"(?:的名字)?(?:其实)?(?:并)?不(?:是)?叫(?P<name>[^，。；！,;!?？\s]{1,8}?)(?=[，。；！,;\s]|$)"
)
_GIVES_NAME = r"(?i)\b(?:called|named|name)\b"
# "I'm not allergic to mango, I'm allergic to pineapple", 我不是对芒果过敏，是对菠萝过敏
_NOT_BUT = re.compile(
    r"(?i)(?:^|[,;:.!—–-]\s*)(?:actually,? )?i(?:['’]m| am) not (?P<what>[^,;.!?—]{3,60}),"
    r"\s*(?:but )?i(?:['’]m| am) (?P<but>[^,;.!?—]{3,60})"
)
_NOT_BUT_ZH = re.compile(
    "(?:^|[，。；！,;：:])(?:其实)?我(?:其实|根本)?并?不是(?P<what>[^，。；！,;!?？]{2,16})[，,]"
    "(?:我|而|应该)*是(?P<but>[^，。；！,;!?？]{2,16})"
)
_FILLER_ZH = re.compile("^(?:一个|一名|一位|什么|任何|在|是|有|去|过)+|(?:了|的|过|啊|呀|吧)+$")
_ASKS = r"[?？]\s*$|[吗么]\s*$"
_CLAUSES = re.compile(r"[^,;.!?，。；！？\n]+")
_IS_OF_OTHERS = r"(?i)\b(?:you|he|she|they) (?:just )?(?:said|told|mentioned|wrote)\b"


# "I am not vegetarian anymore", 我不再吃素了: it was true, and no longer is.
_ENDED = re.compile(
    r"(?i)(?:^|[,;:.!—–-]\s*)i(?:['’]m| am| do|['’]ve| have)? ?"
    r"(?:(?P<not>not|don['’]t|no longer)|n['’]t)"
    r" (?P<what>[^,;.!?—]{2,60}?)(?P<end> (?:any ?more|any longer))?"
    r"(?: (?:since|as of|from) [^,;.!?—]{2,30})?\s*(?=[,;.!—–-]|$)"
)
_ENDED_ZH = re.compile(
    "(?:^|[，。；！,;])我(?:自?从?[^，。；！,;我]{0,10}?(?:起|开始|以后|之后))?(?:现在|已经?|早就?)?"
    "(?:不再(?P<again>[^，。；！,;]{2,16}?)|不(?P<what>[^，。；！,;]{2,16}?)(?=了))了?(?=[，。；！,;\\s]|$)"
)


@dataclass(frozen=True, slots=True)
class Retraction:
    """What is retracted: statements with all of these terms, or that contain these words.

    With neither, the speaker's last statement, as far as `reach` says: all of it, if no more is
    said than that it was wrong; what is of the kind that the turn now states; or also its only
    fact.
    `categories`: also every fact of these that is about `whose`. `ended`: it was true before; then,
    or if `is_exact`, a statement has to say exactly this, and nothing else. `names`: it has to give
    somebody this name. `value` was meant instead of `words`; `topic` are words that say in what
    statement, `kind` is its predicate, of the speaker's if `is_own`.
    `topic` with `is_joke`: only statements with one of these words.
    `denied` is what was denied in so many words, as of now, by `said`.
    """

    terms: frozenset[str] = frozenset()
    words: str = ""
    categories: frozenset[str] = frozenset()
    whose: str = ""
    ended: bool = False
    is_exact: bool = False
    reach: Literal["all", "kind", "kind or only"] = "all"
    names: str = ""
    value: str = ""
    topic: frozenset[str] = frozenset()
    kind: str = ""
    is_own: bool = False
    denied: Predicate | Allowed | None = None
    new_value: NewValue | BareValue | None = None  # instead of the one of its form just said
    is_joke: bool = False  # what was said directly before was none of it true
    lost: LostPet | None = None
    said: str = ""

    @property
    def is_of_the_last(self) -> bool:
        return not (self.terms or self.words or self.categories or self.denied or self.lost)

    def is_on_topic(self, text: str) -> bool:
        """Whether a statement has a word of what the joke was about."""
        found = set(statement_comparison.terms(statement_comparison.folded(text)))
        return not self.topic or any(
            word in squeezed(text) if has_cjk(word) else word in found for word in self.topic
        )

    def is_of(self, text: str, category: str = "", subject: str = "") -> bool:
        """Whether a statement is retracted."""
        if self.denied is not None:
            return self.denied.is_of(text, subject)
        if self.lost is not None:
            return category == "possession" and self.lost.is_of(text)
        if category in self.categories and subject == self.whose:
            return True
        if self.names and self.words:
            return self.names in text and squeezed(text).endswith(self.words)
        if self.names and not re.search(_GIVES_NAME, text):
            return False
        if self.ended or self.is_exact:
            return self._matches_exactly(text, subject)
        if self.words:
            return self.words in squeezed(text[: statement_comparison.CHARS])
        text_terms = statement_comparison.core(text) | set(
            statement_comparison.terms(statement_comparison.folded(text))
        )
        return bool(self.terms) and (self.terms <= text_terms or self.terms == {category})

    def may_be_of(self, text: str, subject: str) -> bool:
        """Whether a statement about the subject may be retracted, whatever category it has."""
        if not subject:
            return False
        if self.lost is not None:
            return self.lost.is_of(text)
        return self.whose == subject or self.is_of(text, "", subject)

    def _matches_exactly(self, text: str, subject: str) -> bool:
        if statement_comparison.is_denied(text) or not subject:
            return False
        if self.words:
            folded = squeezed(text[: statement_comparison.CHARS])
            return (
                folded.removeprefix(squeezed(subject[: statement_comparison.CHARS])) == self.words
            )
        return (
            statement_comparison.core(text) - set(statement_comparison.terms(subject)) == self.terms
        )


def retractions(job: Job) -> tuple[Retraction, ...]:
    """The retractions by the sender of a turn."""
    participants = Participants.of(job)
    local, _ = local_time(job)
    texts = dict.fromkeys(storable(one).strip() for one in (*job.new_info, job.source_message))
    unique = (
        one
        for item in list(texts)[:_MAX_ITEMS]
        for one in _of_text(without_address(item, participants.bot), participants, local)
    )
    return tuple(dict.fromkeys(unique))


def _of_text(text: str, participants: Participants, local: datetime) -> Iterator[Retraction]:
    if withdraws_a_joke(text):
        yield Retraction(is_joke=True)
        return
    sender = participants.sender
    others = participants.rewrite_context(local, by_bot=False).people_besides_bot
    own_text = own_words(text[:_READ_CHARS], sender, others)
    own_text = "".join(map(both_said, sentence_pieces(own_text)))
    contradicts = refutes(text[:_READ_CHARS])
    if topic := _denied_topic(own_words(after_a_joke(text[:_READ_CHARS]), sender, others)):
        yield Retraction(is_joke=True, topic=topic)
        return
    requests = requests_in(own_text)
    if (
        not own_text.strip()
        or re.search(_ASKS, own_text)
        or is_hypothetical(requests.rest.replace("说的话", "说的"))
    ):
        return
    if re.search(_IS_OF_OTHERS, own_text):
        return
    put_right = framed_correction(own_text)
    if put_right is not None:
        old, new = put_right.old, put_right.new
        yield Retraction(words=old, value=new, kind=put_right.kind, is_own=put_right.is_own)
        if not put_right.is_own:
            return
    elif renamed := other_name(own_text):
        yield Retraction(words=renamed.old, value=renamed.new, kind=renamed.kind)
        return
    elif replaced := contrast(own_text):
        yield Retraction(words=replaced.old, value=replaced.new, topic=replaced.topic)
        return
    if new_value := meant_value(own_text):
        is_wrong = isinstance(new_value, BareValue) and re.search(_SAID_WRONG, own_text)
        yield Retraction(new_value=new_value, reach="kind or only" if is_wrong else "kind")
        return
    so_far = _without_plans(own_text, local)
    yield from (Retraction(lost=one, ended=True) for one in lost_pets(so_far))
    yield from _wrong_names(own_text)
    wrong = [match["about"] for pattern in _WRONG_ABOUT for match in re.finditer(pattern, own_text)]
    topics = [*requests.topics, *map(WithdrawnTopic.of, wrong)]
    by_topic = [
        retraction
        for retraction in (_topic_retraction(topic, sender) for topic in topics)
        if not retraction.is_of_the_last
    ]
    yield from by_topic
    said_wrong = re.search(_SAID_WRONG, own_text)
    is_correction = said_wrong or re.search(_WAS_WRONG, own_text) or is_marked(own_text)
    if topics or not is_correction:
        yield from _endings(so_far)
        yield from _contrasted(so_far)
        yield from map(_denied, plain_denials(so_far, contradicts))
        return
    rest = without_mark(own_text)
    denied = [one for one in _denials(so_far) if not one.is_of_the_last]
    if denied:
        yield from denied
        yield from map(_denied, plain_denials(so_far, contradicts))
    elif said_wrong:
        yield Retraction(reach="kind or only" if _says_more(rest) else "all")
    elif rest.strip():
        yield Retraction(reach="kind")


def _without_plans(text: str, local: datetime) -> str:
    """Without clauses about what is to come: 我下个月起不住杭州了 ends nothing yet."""
    return _CLAUSES.sub(lambda clause: " " if is_ahead(clause[0], local) else clause[0], text)


_ONLY_WRONG = rf"(?:{_SAID_WRONG[4:]}|(?:sorry|oops|no|wait|ok|抱歉|不好意思|对不起|啊|哦))"


def _says_more(rest: str) -> bool:
    """Whether more is said than that it was wrong, and sorry."""
    return re.search(r"\w", re.sub(rf"(?i){_ONLY_WRONG}", " ", rest)) is not None


def _denied(denial: Denial) -> Retraction:
    return Retraction(denied=denial.what, said=denial.said, ended=True)


def _wrong_names(own_text: str) -> Iterator[Retraction]:
    for match in _NAME_DENIAL.finditer(own_text):
        terms = statement_comparison.core(f"{match['who']} {match['name']}")
        yield Retraction(terms, names=match["who"])
    for match in _NAME_DENIAL_ZH.finditer(own_text):
        yield Retraction(words=f"叫{squeezed(match['name'])}", names=match["who"])


def _contrasted(own_text: str) -> Iterator[Retraction]:
    """Not this, but that, in one frame: 不是对芒果过敏，是对菠萝过敏."""
    for match in _NOT_BUT.finditer(own_text):
        terms = statement_comparison.core(match["what"])
        if terms & statement_comparison.core(match["but"]):
            yield Retraction(frozenset(terms), is_exact=True)
    for match in _NOT_BUT_ZH.finditer(own_text):
        what, but = match["what"], match["but"]
        if what[0] == but[0] and what[-1] == but[-1]:
            yield Retraction(words=squeezed(what), is_exact=True)


def _topic_retraction(topic: WithdrawnTopic, sender: str | None) -> Retraction:
    if has_cjk(topic.words):
        found = _of_words(re.sub("^我(?:的|家)?", "", topic.words))
    else:
        found = _of_terms(topic.words)
    categories = topic.categories if sender else frozenset()
    return replace(found, categories=categories, whose=sender or "")


def _denials(own_text: str) -> Iterator[Retraction]:
    for match in _DENIAL.finditer(own_text):
        yield _of_terms(match["what"])
    for match in _DENIAL_ZH.finditer(own_text):
        yield _of_words(match["what"])


def _endings(own_text: str) -> Iterator[Retraction]:
    for match in _ENDED.finditer(own_text):
        if match["end"] or (match["not"] or "").lower() == "no longer":
            terms = statement_comparison.core(match["what"])
            if 0 < len(terms) <= _MAX_WORDS:
                yield Retraction(frozenset(terms), ended=True)
    for match in _ENDED_ZH.finditer(own_text):
        words = squeezed(match["again"] or match["what"] or "")
        if len(words) >= 2:
            yield Retraction(words=words, ended=True)


def _denied_topic(own_text: str) -> frozenset[str]:
    """The words of what is denied after a joke was taken back."""
    denials = list(_denials(own_text))
    return frozenset(
        word for one in denials for word in (*one.terms, *([one.words] if one.words else ()))
    )


def _of_terms(text: str) -> Retraction:
    terms = statement_comparison.core(text)
    return Retraction(frozenset(terms)) if len(terms) <= _MAX_WORDS else Retraction()


def _of_words(text: str) -> Retraction:
    words = _FILLER_ZH.sub("", squeezed(text[: statement_comparison.CHARS]))
    return Retraction(words=words)
