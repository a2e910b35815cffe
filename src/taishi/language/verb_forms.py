"""English verbs in the third person: "I fly" → "Ann flies", "I'd been" → "Ann had been".

The third person is regular but for four verbs. What needs lists is the other question: whether a
word after "I" is a present form at all. Past forms, modals and words that are no verbs stay.
"""

from __future__ import annotations

import re

_IRREGULAR = {
    "am": "is",
    "are": "is",
    "have": "has",
    "do": "does",
    "be": "is",
    "aren't": "isn't",
    "ain't": "isn't",
    "haven't": "hasn't",
    "don't": "doesn't",
    "quiz": "quizzes",
    "stomach": "stomachs",
}
_UNCHANGED = frozenset(
    """
can could will would shall should may might must ought cannot dare was were had did used is has
does can't couldn't won't wouldn't shan't shouldn't mightn't mustn't wasn't hadn't didn't isn't
hasn't doesn't and or but nor as in at on of with for to from by into onto about than then that
which who whom whose what when where why how if so because since until till unless while though
although before after during without within between through over under not no yes the a an this
these those my your his her its our their me him them us you he she it we they i myself too either
neither both all one two three here there alone more most much many some any such same other
another next last first yesterday today tomorrow tonight etc ok okay lol haha thanks sorry
""".split()
)
_SAME_IN_PAST = frozenset(
    """
beat bid broadcast burst cast cut forecast hit hurt let offset put quit read rid set shed
shut slit split spread thrust upset wed wet
""".split()
)
_PAST = frozenset(
    """
ate awoke became began bent bit bled blew bore bought bound bred broke brought built burnt came
caught chose clung crept dealt dreamt dove drank drew drove dug dwelt fed fell felt fled flew
flung forbade forgave forgot fought found froze gave got grew ground heard held hid hung kept
knelt knew laid leapt learnt led left lent lit lost made meant met misread misspoke misunderstood
mistook outgrew overate overcame overdid overheard overslept overtook paid proved ran rang redid
rebuilt rethought rewrote rode rose said sang sank sat saw sent sewed shone shook shot showed
shrank slept slid slung smelt snuck sold sought spat sped spelt spent spilt spoilt spoke sprang
spun stank stole stood strode struck strove stuck stung swam swept swore swung taught thought
threw told tore took underwent understood undertook undid undertook unwound upheld went wept
withdrew withheld woke won wore wound wove wrote wrung
""".split()
)
_PARTICIPLES = frozenset(
    """
awoken beaten been begun bitten blown born borne broken chosen done drawn driven drunk eaten
fallen flown forbidden forgiven forgotten frozen given gone gotten grown had hidden known mistaken
outgrown overcome overtaken proven ridden risen rung seen sewn shaken shown shrunk spoken sprung
stolen stricken sung sunk sworn swollen swum taken thrown torn undergone undone undertaken
withdrawn woken worn woven written
""".split()
)
_ED_BASES = frozenset(
    """
need feed bleed breed speed exceed proceed succeed seed weed heed knead embed shed shred wed sled
bed
""".split()
)
_ING_BASES = frozenset(
    "bring sing ring swing cling fling sting string ping wring spring sling wing".split()
)
_LY_VERBS = frozenset(
    """
apply rely fly reply supply comply multiply imply bully rally tally ally sully dally misapply
reapply jelly
""".split()
)
_ADVERBS = frozenset(
    """
also always never often still only sometimes already now just ever even almost quite rather soon
once twice both all too kinda sorta then maybe perhaps seldom thus therefore otherwise instead
indeed again hereby somehow somewhat anyway simply neither
lowkey highkey def defo deffo probs
""".split()
)
_HABIT = (
    r"(?i)\b(?:always|usually|often|never|sometimes|normally|generally|regularly|rarely|every"
    r"|each)\b"
)
_WOULD_ANYWAY = frozenset("put read let set cut hit quit come run become beat hurt".split())


def is_adverb(word: str) -> bool:
    """Whether a word may stand between "I" and its verb."""
    plain = word.lower()
    return plain in _ADVERBS or (plain.endswith("ly") and len(plain) > 4 and plain not in _LY_VERBS)


def is_past(word: str) -> bool:
    """Whether a word is a past form and nothing else."""
    plain = word.lower()
    return plain in _PAST or (plain.endswith("ed") and len(plain) > 3 and plain not in _ED_BASES)


def may_be_past(word: str) -> bool:
    """The same, or a form that is both ("put")."""
    return is_past(word) or word.lower() in _SAME_IN_PAST


def is_participle(word: str) -> bool:
    plain = word.lower()
    return plain in _PARTICIPLES or (is_past(plain) and plain not in ("ate", "went", "was"))


def third_person(verb: str, clause: str = "") -> str | None:
    """The verb after a name instead of after "I"; None if it stays as it is.

    "Read" and "put" are past forms as well: they change only in a clause that tells of a habit.
    """
    plain = verb.lower().replace("’", "'")
    if plain in _IRREGULAR:
        return _IRREGULAR[plain]
    if plain in _UNCHANGED or "'" in plain or is_past(plain) or plain in _PARTICIPLES:
        return None
    if plain in _SAME_IN_PAST and not re.search(_HABIT, clause):
        return "reads" if plain == "read" and _tells_of_now(clause) else None
    if re.search("[^su]s$", plain) or (plain.endswith("ing") and plain not in _ING_BASES):
        return None
    return regular_third_person(plain)


def _tells_of_now(clause: str) -> bool:
    """Whether a clause has present forms and no past one: keep it short, I read on my watch."""
    own = re.sub(r"[\"“‘][^\"”’]{0,200}[\"”’]", " ", clause.lower())
    words = re.findall(r"[a-z'’]+", own)
    past = any(is_past(word) or word in ("was", "were", "had", "did", "ago") for word in words)
    present = {"please", "am", "is", "are", "i'm", "i’m", "don't", "don’t", "have", "do", "lot"}
    return not past and not present.isdisjoint(words)


def regular_third_person(verb: str) -> str:
    if re.search("[^aeiou]y$", verb):
        return verb[:-1] + "ies"
    if re.search("(?:[sxz]|[cs]h|[^aeiou]o)$|^(?:go|do)$", verb):
        return verb + "es"
    return verb + "s"


def expand(tail: str, after: str, is_plural: bool = False) -> str:
    """What 'm, 're, 's, 've, 'll or 'd stands for before the words `after`."""
    words = [word for word in re.findall(r"[A-Za-z'’]+", after)[:4] if not is_adverb(word)]
    following = words[0].lower() if words else ""
    if tail == "ve":
        return "have" if is_plural else "has"
    if tail == "ll":
        return "will"
    if tail == "d":
        perfect = following == "better" or (
            is_participle(following) and following not in _WOULD_ANYWAY
        )
        return "had" if perfect else "would"
    if tail == "s" and _is_perfect(following, words[1:]):
        return "has"
    return "are" if is_plural else "is"


def _is_perfect(word: str, rest: list[str]) -> bool:
    """ "She's been", "she's finished the book"; not "she's tired"."""
    if word in ("been", "got", "had", "become", "gone", "seen", "done", "taken", "given"):
        return True
    takes_object = bool(rest) and rest[0].lower() in ("the", "a", "an", "my", "his", "her", "two")
    return is_participle(word) and takes_object
