"""Splits a text into clauses and marks what each of them negates or only plans."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .analyzer import STOP_WORDS, terms
from .lazy_regex import lazy_compile

_HAN = "\u3400-\u9fff"
_MOST_CLAUSES = 400
_CUT = lazy_compile(
    r"[,，。；;!?！？\n:：（）()]+|\.(?=\s|$)"
    r"|\b(?:and|but|because|so|although|though|while|whereas|which|who|that|since|if|or)\b"
    r"|但是?|不过(?!敏)|而且|并且|因为|所以|因此|虽然|或者|可是|然后",
    re.IGNORECASE,
)
_TOKEN = lazy_compile(rf"[A-Za-z][A-Za-z]*(?:['’][A-Za-z]+)?|\d[\d.,:]*|[{_HAN}]")
# Words that hold a "no" and deny nothing, or ask.
_NO_DENIAL = lazy_compile(
    r"\b(?:not only|not just|no doubt|why not|can['’]?t wait|no problem|no worries|no\.\s?\d)\b"
    r"|不错|不仅|不但|不过(?!敏)|不久|不同|不少|差不多|不断|不得不|忍不住|不好意思|没问题|没事|没关系|对不起|了不起"
    r"|来不及|不止|不光|不管|不论|无论|别人|别的|特别|分别|区别|性别|级别|告别|别墅|无锡|非常|非洲|除非"
    r"|([\u3400-\u9fff])[不没]\1|有没有|无人机|无线|未来|未必|不小心|不如|没想到|不一会",
    re.IGNORECASE,
)
_EN_AUX = frozenset(
    """yesterday today tomorrow tonight last next ago now week month year day is are was were be
    been being am do does did will would can could has have had should may might must shall to
    going able want wants wanted like really even yet so very the a an any more longer ever again
    still get gets me my you your i we he she they it actually currently all at in on of for done
    having doing anymore already also too am pm one o clock monday tuesday wednesday thursday
    friday saturday sunday""".split()
)
_EN_NO = frozenset("not never no nobody nothing none neither nor without cannot".split())
_EN_NO_INFORMAL = frozenset(
    "dont didnt doesnt cant wont isnt arent wasnt werent havent hasnt couldnt wouldnt".split()
)
_ZH_FUNCTION = frozenset(
    "的了着过在是也都就和与跟及把被将对向从到于给为等个只本这那有再能会想要可以太很曾敢肯愿我你您他她它们说"
    "起时后前里上下中得地之而已经还又请让吧呢吗啊呀哦用由往以因此并但其该每某"
    "年月日号周星期天时分点半零〇一二两三四五六七八九十百千万"
)
_ZH_NO = lazy_compile("从不|不再|没有|尚未|并非|无法|无需|毫无|不要|[不没未别勿莫甭](?!$)|沒")
# What can carry a "no" without saying it; more than enough, so that no right answer is refused.
_NEGATIVE = lazy_compile(
    r"\b(?:fail\w*|refus\w*|reject\w*|declin\w*|den(?:y|ies|ied)|down|quit\w*|stop\w*|cancel\w*|off"
    r"|unable|un(?:success|willing|happy|avail|paid|like|abl)\w*|dislik\w*|hat(?:e|es|ed)|avoid\w*"
    r"|lack\w*|miss\w*|end(?:s|ed|ing)?|ceas\w*|left|leav\w*|instead|rather|hardly|rarely|barely"
    r"|allerg\w*|forb\w+|ban\w*|prohibit\w*|less|los[et]\w*|resign\w*|dropp?\w*|skip\w*"
    r"|g[ia]ve\w* up|against|except\w*|absen\w*|former|ex|previous\w*|used to|out|only|abandon\w*"
    r"|oppos\w*|object\w*|away|over|missed|intoleran\w*|averse|stand|impossible|due|owe\w*)\b"
    r"|拒|停|取消|戒|忌|避|缺|失败|失|放弃|离|禁|讨厌|反对|否|除|免|退|辞|谢绝|落选|落榜|嫌|欠|过敏|以前|曾|原来|原本|本来"
    r"|差|少|亏|损|跌|错过|告吹|泡汤|推掉|改|换|难",
    re.IGNORECASE,
)
_PLAN = lazy_compile(
    r"\b(?:plan(?:s|ned|ning)?|will|shall|going to|gonna|intend\w*|want(?:s|ed)? to"
    r"|hop(?:e|es|ing|ed)|would|might|may|consider\w*|aim\w*|expect\w*|schedul\w*|propos\w*|suggest\w*|decid\w*"
    r"|think\w*|tomorrow|next|soon|about to|due|book\w*|reserv\w*|wish\w*|promis\w*|agree\w*|can"
    r"|could|if|need\w*|should|to be|let['’]s)\b|['’]ll\b"
    r"|(?:\b(?:am|are|is)|['’](?:m|re|s))\s(?=\w{2,15}ing\b)"
    r"|打算|计划|准备|想|将|要|会|预计|希望|预定|预订|约|明天|后天|明年|明早|明晚|下周|下个|下月|月底|年底|拟|可能|考虑"
    r"|决定|提议|建议|定于|定在|安排|之前|前还|前后",
    re.IGNORECASE,
)
_ZH_DONE = lazy_compile("了|过(?!敏|年|节|生日|大寿|来|去|程)|已经?")
_PASTS = """
be:was,were,been go:went,gone buy:bought get:got,gotten give:gave,given take:took,taken come:came
see:saw,seen meet:met make:made do:did,done have:had say:said tell:told find:found lose:lost
win:won leave:left sell:sold pay:paid send:sent spend:spent keep:kept begin:began,begun run:ran
eat:ate,eaten drink:drank,drunk drive:drove,driven fly:flew,flown write:wrote,written
speak:spoke,spoken break:broke,broken choose:chose,chosen forget:forgot,forgotten sleep:slept
feel:felt hear:heard hold:held know:knew,known learn:learnt lend:lent build:built teach:taught
think:thought bring:brought catch:caught fall:fell,fallen grow:grew,grown sing:sang,sung
swim:swam,swum sit:sat stand:stood understand:understood wear:wore,worn become:became
wake:woke,woken ride:rode,ridden rise:rose,risen draw:drew,drawn throw:threw,thrown
hide:hid,hidden bite:bit,bitten blow:blew,blown fight:fought deal:dealt mean:meant
shake:shook,shaken show:shown steal:stole,stolen tear:tore,torn dig:dug stick:stuck
"""
_IRREGULAR = {
    past: base
    for base, _, pasts in (entry.partition(":") for entry in _PASTS.split())
    for past in pasts.split(",")
}


@dataclass(frozen=True, slots=True)
class Clause:
    """`words` are stems and Chinese characters; `denied` are those behind a "no", `planned` those
    behind a plan, `done` the verbs in the past."""

    text: str
    start: int
    words: frozenset[str]
    denied: tuple[str, ...]
    denied_text: str
    denies_verb: bool
    planned: tuple[str, ...]
    done: frozenset[str]

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    def has_negative(self, but: str = "") -> bool:
        """Whether anything in it, apart from the word `but`, can carry a "no"."""
        if self.denied:
            return True
        return any(but not in _stems(found[0]) for found in _NEGATIVE.finditer(self.text))


def clauses(text: str) -> list[Clause]:
    found: list[Clause] = []
    for start, end in _pieces(text):
        piece = text[start:end]
        if piece.strip():
            found.append(_clause(piece, start))
        if len(found) >= _MOST_CLAUSES:
            break
    return found


def content(text: str) -> frozenset[str]:
    """The content words of a text: stems, and single Chinese characters."""
    return frozenset(_content(text))


def overlap(one: Clause, other: Clause) -> int:
    return len(one.words & other.words)


def lemma(word: str) -> str:
    """The base form of a word: buy for bought and buys."""
    lower = word.lower()
    found = terms(_IRREGULAR.get(lower, lower))
    return found[0] if found else lower


def is_past(word: str) -> bool:
    lower = word.lower()
    return lower in _IRREGULAR or (lower.endswith("ed") and len(lower) > 4)


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for cut in _CUT.finditer(text):
        yield start, cut.start()
        start = cut.end()
    yield start, len(text)


def _clause(piece: str, start: int) -> Clause:
    plain = _NO_DENIAL.sub(lambda match: "\ufffc" * len(match[0]), piece)
    at, denies_verb = _denial(plain)
    plan = _PLAN.search(plain)
    done = frozenset(_done(piece))
    is_planned = plan is not None and not (_ZH_DONE.search(piece) or done)
    return Clause(
        piece,
        start,
        frozenset(_content(piece)),
        tuple(_content(plain[at:])) if at >= 0 else (),
        plain[at:] if at >= 0 else "",
        denies_verb,
        tuple(_content(piece[plan.end() :])) if plan and is_planned else (),
        done,
    )


def _denial(plain: str) -> tuple[int, bool]:
    """Where what is denied begins, -1 for nowhere; and whether a verb is denied, not a thing."""
    chinese = _ZH_NO.search(plain)
    if chinese:
        return chinese.end(), True
    before = ""
    for token in _TOKEN.finditer(plain):
        word = token[0].lower().replace("’", "'")
        if word in _EN_NO or word in _EN_NO_INFORMAL or word.endswith("n't"):
            verb = word not in _EN_NO or word in ("never", "cannot") or (word == "not" and before)
            is_longer = re.match(" longer", plain[token.end() : token.end() + 8], re.I)
            return token.end(), bool(verb or is_longer)
        before = word
    return -1, False


def _content(piece: str) -> Iterator[str]:
    for token in _TOKEN.finditer(piece):
        word = token[0]
        if word[0] >= "\u3400":
            if word not in _ZH_FUNCTION:
                yield word
        elif word[0].isalpha() and not _is_empty(word.lower()):
            yield lemma(word)


def _is_empty(word: str) -> bool:
    """Whether a word says nothing by itself; "won" is a stop word only as what "won't" leaves."""
    return word in _EN_AUX or (word in STOP_WORDS and word not in _IRREGULAR)


def _stems(text: str) -> set[str]:
    return set(_content(text)) | {text}


def _done(piece: str) -> Iterator[str]:
    """Verbs in the past; for Chinese, all of a clause that says 了 or 已经."""
    for token in _TOKEN.finditer(piece):
        word = token[0].lower()
        if is_past(word):
            yield lemma(word)
    if _ZH_DONE.search(piece):
        yield "了"
