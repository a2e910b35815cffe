"""Puts in the subject that a Chinese speaker leaves out, where only one reading is possible.

In a private chat 搬到广州了 is said of the speaker, and so is 记错了，生日其实是8月23号. In a
group, after somebody else was spoken of, or with more in the clause, it may be about another.
"""

from __future__ import annotations

from ...language.gate import HAN
from ...language.lazy_regex import lazy_compile
from ...types import Job
from .chinese_parts import ACQUAINTANCES, JOB, PARTNER, PET, RELATIVES

_WHEN = (
    r"(?:(?:[上这本]个?(?:周末?|星期|礼拜|月|学期)[一二三四五六日天末初底]?|昨[天晚]|前[天晚]"
    r"|今[天年]|去年|前(?:阵子|段时间)|最近|刚刚?|\d{1,2}月(?:\d{1,2}[号日])?)[，,]?)?"
)
_ADVERBS = "(?:已经?|刚刚?|终于|现在|目前|都|又|也|就)*"
_VALUE = (
    r"(?!(?:这|那|哪|什么|家|外|一起|网|路|里|床|学校|医院))"
    rf"(?:(?![的是真很太好吗呢吧么])[{HAN}A-Za-z0-9·]){{2,10}}?"
)
_LIVES = rf"搬家了|搬(?:到|去|来|回)了?{_VALUE}了?|(?:住在?|家住|定居在?){_VALUE}了?"
_WORKS = (
    rf"在{_VALUE}(?:上班|工作|实习|任职|读书|上学|读研)了?|跳槽(?:到|去)了?{_VALUE}了?|入职了?{_VALUE}了?"
    r"|(?:离职|辞职|裸辞|退休|失业|转正)了"
)
_LIFE = (
    r"(?:结婚|离婚|订婚|领证|怀孕|毕业|脱单|单身)了"
    rf"|养了?[一二两三几]?[只条](?:{PET}|[{HAN}]{{1,4}})(?:[，,]?(?:名字)?叫{_VALUE})?"
)
_OWN_ZH = lazy_compile(
    rf"{_WHEN}{_ADVERBS}(?:{_LIVES}|{_WORKS}|{_LIFE})(?=[，,。！!~～]|$)(?!.*(?:听说|据说))"
)
# What was put right belongs to whom it was said of: the speaker.
_OWN_ATTRIBUTE_ZH = lazy_compile(
    r"(?:(?:阳历|阴历|农历)?生日|老家|家乡|籍贯|名字|年龄|职业|专业|公司|单位|母语|时区"
    rf"|{PARTNER}|{PET})(?:的?名字)?(?:其实|应该|实际上)?(?:是|在|叫)"
)
_OF_ANOTHER = lazy_compile(
    rf"他|她|它|你(?!好|们好)|大家|有人|人家|{PARTNER}|{RELATIVES}|{ACQUAINTANCES}"
    rf"|[小老阿](?![家实是早了区时学说心型米里]|根廷|姆斯|拉伯)[{HAN}]|[某谁]|(?:[个位名]|我)(?:{JOB})"
    r"|\b(?:he|she|they|you|who|my (?!name|job|home|birthday|age|place)\w+)\b"
)


def with_subject(sentence: str, is_marked: bool) -> str:
    """The sentence with 我 before what is plainly said of the speaker. `is_marked`: it puts right
    what was said before."""
    plain = sentence.strip()
    if _OWN_ZH.match(plain) or (is_marked and _OWN_ATTRIBUTE_ZH.match(plain)):
        return f"我{plain}"
    return sentence


def tells_of_the_speaker(sentence: str) -> bool:
    """Whether a sentence without a subject says where somebody lives or works, or what happened in
    a life: worth a record, whoever it is about."""
    return _OWN_ZH.match(sentence.strip()) is not None


def speaks_of_another(text: str) -> bool:
    """Whether somebody else is spoken of, whom the next words may be about."""
    return _OF_ANOTHER.search(text) is not None


def may_omit_subject(job: Job, item: str) -> bool:
    """Whether nobody but the speaker can be meant where no subject is said: in a private chat, if
    the messages before speak of nobody else."""
    if job.request_type != "private":
        return False
    before: list[str] = []
    for message in job.recent_messages:
        text = str(message.get("text") or "")
        if item and item in text:
            break
        before.append(text)
    return not any(speaks_of_another(text) for text in before[-2:])
