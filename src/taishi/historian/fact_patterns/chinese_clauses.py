"""Splits a Chinese sentence into clauses that each say whom they are about.

A clause without a subject takes that of the clause before: 我儿子叫豆豆，今年三岁. After somebody
was introduced (我有个同事老李，住在通州) it may be about that one, so it takes none and teaches
nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

from ...language.gate import HAN
from .chinese_parts import ACQUAINTANCES, JOB, PARTNER, PET, RELATIVES
from .named_relatives import relative_before_zh
from .partings import of_the_speaker_zh
from .shared_subjects import chinese_parts
from .single_roles import of_the_new_one_zh

_MOMENT = (
    "(?:现在|目前|如今|眼下|刚刚|(?<![小阿老大志])刚(?!好|才|需|性|了|$)|最近|近来|终于|其实|眼下"
    "|这阵子|这段时间|现如今)"
)
_KIN = rf"(?:爸妈|父母|{PARTNER}|{RELATIVES}|{ACQUAINTANCES})"
_SUBJECT = (  # "my son" goes on as "my son", not as "I"
    rf"我(?!们)(?:(?:的|家的?)?(?:{_KIN}|猫咪?|狗狗?|小猫|小狗)|家)?"
)
# Somebody of the speaker's who is no relative and no friend: 我教练……
_MY_OTHER = rf"我(?:的|家的?)?(?:{JOB})(?!了|过|的|一|出)"
# What is the speaker's, so that 不是甲，是乙 says of it that it is the second.
_MINE = (
    rf"(?:我的[^，不]{{1,10}}?|我家?(?:{_KIN}|{PET})?的?(?:(?:阳历|阴历|农历|公历|出生)?(?:生日|日期)"
    r"|名字|大名|小名|姓名|老家|家乡|籍贯|职业|工作|专业|母语|时区|手机号?|电话|邮箱|微信号?|地址))"
)
_ELIDED = (
    r"(?:不吃|不喝|不抽|在|住在?|养了?|会|喜欢|讨厌|今年|是一?[名个位]|有|搬|从|来自|老家|也"
    r"|还|平时|每|对|做|当|学|爱|去了|入职|跳槽|最|很|一直|特别|毕业|从小|正在|懂|开(?!始|心|玩|会|学|门|店|了|车)"
    r"|不会(?=开车|游泳|做饭|说|弹|拉|吹|唱|跳|画|骑|下棋|滑)"
    r"|(?:[上这本]个?(?:周末?|星期|礼拜|月)[一二三四五六日天末初底]?|昨[天晚]|前[天晚]|今[天年]|去年|前(?:阵子|段时间))"
    r"(?:已经?|刚刚?)?(?:搬(?:到|去|来|回)|入职|跳槽))"
)
# Of the one partner of now, after the one of before: 我前女友叫小禾，女朋友叫小朵.
_FORMER_ZH = re.compile(rf"我(?:的)?(?:前任?|上一?任|上一?个|以前的)(?:{PARTNER}|女友|男友|任)")
_BEING = (
    rf"(?:{_KIN}|{PET}|{JOB}|人(?!生|民|工|际|体)|男生|女生|男孩|女孩|小孩|哥们|闺密|兄弟|姐妹"
    r"|双胞胎|龙凤胎|老乡|网友|群友|阿姨|大爷|大妈|徒弟|粉丝|亲戚|队友|战友|租客|同行|恩人|偶像)"
)
_COUNT = r"(?:[一两二三四五六七八九十几\d]|好几|好多|很多|许多)*"
_MEETS = (
    r"(?:还|也|又|家|新|刚)*(?:有|认识|养|遇到|遇见|碰到|碰见|交|请|雇|找|领养|收养|捡|救|抱|买|带"
    r"|生|见|娶|嫁|收|招|谈|处|多)(?:养|助|到|过|了|来)*"
)
_ONE = re.compile(rf"{_MEETS}一?(?:个|位|名|只|条|匹|头)[^，]{{0,8}}?{_BEING}$")
_COUNTED = re.compile(rf"{_MEETS}{_COUNT}(?:个|位|名|只|条|匹|头|群|对|窝|些)(?P<what>[^，]+)")
_UNCOUNTED = re.compile(rf"{_MEETS}{_KIN}")
_TOGETHER = re.compile(rf"(?:和|跟|与|同)(?:我的?|一个|个)?(?:{_KIN}|[小老阿][{HAN}])")
_NOT_A_BEING = (
    r"习惯|毛病|爱好|特点|优点|缺点|目标|梦想|愿望|想法|计划|问题|事|房|屋|店|公司|厂|工作|项目|机会"
    r"|车|手术|会议|面试|考试|快递|包|手机|电脑|相机|琴|吉他|院|园|地方|号|班|证|病|炎|症|痛|癖"
    r"|技能|特长|天赋|兴趣|怪癖|原则|规矩|账号|群|网站|频道|博客|小目标"
)
_ANIMAL = re.compile(rf"{_MEETS}{_COUNT}(?:只|条|匹|头|窝|个)?[^，]{{0,8}}?{PET}")
_ONLY_PEOPLE_DO = re.compile(
    r"(?:一直|也|还)?(?:在[^，]{1,16}(?:上班|工作|读书|上学|读研|读博|读大学|实习)|是一?[名个位]|会说"
    r"|毕业|入职|跳槽|学|懂|还有[一两二三四五六七八九十几\d]*[个位名只条])"
)
_ONE_MORE = re.compile(r"(?:还|也)(?:有|养了?)[一两二三四五六七八九十几\d]*[个位名只条]")
_OTHER = re.compile(
    rf"(?:他|她|它|你|您|咱|我们|大家|对方|人家|别人|{_MY_OTHER}|{_KIN}|{PET}"
    rf"|(?:[小老阿][{HAN}]|[{HAN}]{{2,3}}?)(?=喜欢|讨厌|住|在|是|对|养|会|叫|有|爱|很|也))"
)
_NAMED = re.compile(
    rf"(?:它|他|她)?的?(?:名字)?(?:名叫|取名叫?|起名叫?|叫做?|名字是)"
    rf"(?!了|他|她|你|我|人|外卖|车|滴滴|不|上|来|醒|出|一|什么|谁|停|做|声|得|着|的)"
    rf"(?P<name>[{HAN}]{{1,4}}|[A-Za-z][A-Za-z' -]{{0,14}})$"
)
TIMES_OF_WHAT = (  # how much of what stands before: 每天练一小时
    r"每(?:天|日|晚|周|月|年|个?星期|个?礼拜|个月|次)(?:都|要|大概|差不多|坚持|至少)*"
    r"(?:练习?|去|学|上|做|花|打|弹|背|看|读|写|画|唱|跳)?"
    r"(?:[一二两三四五六七八九十半几\d.]+(?:个?半?(?:小时|钟头)|分钟|次|遍|节课?|页|公里|千米|圈|组|个))"
    r"(?:左右)?$"
)


@cache
def _subject() -> re.Pattern[str]:
    return re.compile(_SUBJECT)


def chinese_clauses(sentence: str, plain: Callable[[str], str]) -> Iterator[str]:
    """The clauses, each with its subject as far as that is sure. `plain` takes off what only leads
    into a clause."""
    found: list[str] = []
    subject = ""
    parts = re.split("[，,、](?=[^、]{2})" if "、" not in sentence else "[，,]", sentence)
    for part in (one for whole in parts for one in chinese_parts(whole.strip())):
        part = of_the_speaker_zh(_of_now(plain(re.sub(_MOMENT, "", part.strip()))))
        before = found[-1] if found else ""
        if other := _other_name(part, before):
            found.append(other)
            continue
        if name := _NAMED.match(part):
            _name(found, subject, name["name"], part)
            continue
        if before and re.match(TIMES_OF_WHAT, part):
            found[-1] = f"{before}，{part}"
            continue
        if relative := relative_before_zh(part, before):
            part = f"{relative}{part[1:]}"
        part = _after_denial(part, before)
        if _FORMER_ZH.match(before) and re.match(rf"{PARTNER}(?:的名字)?(?:叫|是|姓)", part):
            part = f"我{part}"
        own = _subject().match(part)
        if own and not re.match(_MY_OTHER, part):
            subject = own[0]
        elif _goes_on(part, subject, before):
            part = f"{subject}{part}"
        elif _OTHER.match(part):
            subject = ""
        found.append(part)
    yield from found


def _of_now(part: str) -> str:
    """我新女朋友叫小丽: of the one partner, who is another one now.
    我是对花粉过敏的: 我对花粉过敏."""
    part = of_the_new_one_zh(re.sub(rf"^我(?:的)?(?:新交?的?|现任)(?={PARTNER})", "我的", part))
    return re.sub(r"^我是(对[^，。；]{1,12}(?:过敏|不耐受))的?$", r"我\1", part)


def _goes_on(part: str, subject: str, before: str) -> bool:
    """Whether a clause without a subject is about whom the one before was about."""
    if not subject or not re.match(_ELIDED, part):
        return False
    said = before[len(subject) :] if before.startswith(subject) else before
    return not introduces(said) or _is_of_the_speaker(part, said)


def _is_of_the_speaker(part: str, said: str) -> bool:
    """One more of the kind, or what no animal does."""
    if _ONE_MORE.match(part):
        return True
    return _ANIMAL.match(said) is not None and _ONLY_PEOPLE_DO.match(part) is not None


def introduces(said: str) -> bool:
    """Whether what is said of a subject brings in somebody whom the next clause may be about."""
    if _UNCOUNTED.match(said) or _TOGETHER.match(said):
        return True
    counted = _COUNTED.match(said)
    if counted is None:
        return False
    is_being = re.match(rf".{{0,8}}?{_BEING}(?!的)", counted["what"]) is not None
    return is_being or re.search(_NOT_A_BEING, counted["what"]) is None


def _name(found: list[str], subject: str, name: str, part: str) -> None:
    """叫墨水 says the name of the one cat that was just introduced, or of 我女儿."""
    before = found[-1] if found else ""
    if _ONE.fullmatch(before.removeprefix(subject)) and subject:
        found[-1] = f"{before}叫{name}"
    elif subject and (subject not in ("我", "我家") or re.match("我(?:姓|不叫|本名)", before)):
        found.append(f"{subject}叫{name}")
    else:
        found.append(part)


def _other_name(part: str, before: str) -> str:
    """我的狗不叫旺财，叫来福: 我的狗叫来福."""
    of = re.match("(?P<of>我[^，不]{0,10}?)(?:其实|并)*不(?:是)?叫", before)
    name = re.match("(?:而|应该|其实)*(?:是)?叫(?P<name>[^，]{1,10})$", part)
    return f"{of['of']}叫{name['name']}" if of and name else ""


_VERB = "住在|住|在|会说|会讲|会弹|会|说|学|用|喜欢喝|喜欢吃|喜欢|讨厌|养|喝|吃|来自"
_DENIED_VERB = re.compile(
    rf"我(?:其实|现在|根本|并)*不(?P<be>是)?(?P<verb>{_VERB}|)(?P<old>[^，]{{1,12}}?)"
    r"(?P<tail>上班|工作|读书|上学)?"
)
_BUT = re.compile(rf"(?P<but>而)?(?:应该)?是(?P<same>{_VERB}|)(?P<value>[^，]{{1,14}})")


def _in_place_of(part: str, before: str) -> str:
    """我不会说丹麦语，而是瑞典语: 我会说瑞典语; 我不是护士，而是医生: 我是医生."""
    denied, but = _DENIED_VERB.fullmatch(before), _BUT.fullmatch(part)
    if denied is None or but is None or re.match("因为|由于|为了|想|要|不|对|从|做", but["value"]):
        return ""
    verb, same, value = denied["verb"], but["same"], but["value"]
    if same and same[0] != verb[:1]:
        return ""
    if not verb:
        is_somebody = re.fullmatch(rf".{{0,8}}?(?:{JOB}|[{HAN}]人)", value) is not None
        return f"我是{value}" if denied["be"] and is_somebody else ""
    if not but["but"]:
        return ""
    tail = denied["tail"] or ""
    return f"我{same or verb}{value.removesuffix(tail) if tail else value}{tail}"


def _after_denial(part: str, before: str) -> str:
    """不是对芒果过敏，是对菠萝过敏: the second says it without 是. 我的名字不是李雷，是李磊: it is
    about what the first was about."""
    about = re.match(rf"(?P<what>{_MINE})(?:其实|并|根本)*不(?P<be>[是在])", before)
    if about and (said := re.match("(?:而|应该|其实)*(?P<be>[是在])(?P<value>[^，]{1,16})$", part)):
        return f"{about['what']}{said['be']}{said['value']}"
    if stated := _in_place_of(part, before):
        return stated
    if not re.match("我(?:其实|根本)?(?:并)?不是", before):
        return part
    return re.sub(
        "^(?:我)?(?:而|应该)?是(?=对|在|住|喜欢|讨厌|养|来自|从|做|学|用|爱|会)", "我", part
    )
