"""Adds the missing subject to notes such as "Loved the film", and a name for "the user".

A bot notes "Looked up the weather for the user"; years later nobody knows who looked, and for whom.
What the bot did gets the bot as its subject. "The user" is the sender; in what the sender said
only where it plainly means that person and not the users of some product.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .lazy_regex import lazy_compile
from .text import sentence_pieces
from .text_edits import Edit, apply_edits
from .verb_forms import is_adverb, is_past, may_be_past

_NOT_THE_USER = (
    r"(?:[ -](?:interface|experience|names?|ids?|accounts?|tables?|data(?:base)?|agents?|groups?"
    r"|guides?|manual"
    r"|stor(?:y|ies)|inputs?|models?|profiles?|settings?|lists?|pages?|roles?|base"
    r"|research|testing|flows?"
    r"|sessions?|tokens?|space|mode|logins?|registration|permissions?|management|menus?"
    r"|panel)\b|-|\w)"
)
_THE_USER = lazy_compile(
    rf"(?<![\w-])(?P<the>[Tt]he )?(?P<user>[Uu]ser)(?!{_NOT_THE_USER})(?=(?P<after>[ .,;:!?'’)]|$))"
)
_AFTER_BARE_USER = (
    r"(?:['’]s|[.,;:!?)]|$| (?:with|about|to|in|on|for|how|what|why|where|an?|the|that|and"
    r"|by|of|is|was|has|had"
    r"|their|his|her|through|if|when|whether|some|more|two|three|\w{3,20}ed"
    r"|\w{2,20}[^s\W]s|asked|said|told|wrote|sent"
    r"|bought|went|felt|got|made|gave|left|lost|found|thought|knew|chose)\b)"
)
_OF_SOME_USER = (
    r"(?i)\b(?:an?|each|every|any|new|another|other|no|per|end|power|super|root|this|that|one) $"
)
_SOFTWARE_EN = (
    r" (?:clicks?|logs?|logged|signs?|opens?|enters?|press(?:es)?|selects?|submits?|types"
    r"|uploads?|taps?|scrolls?"
    r"|registers?|navigates?|can|must|should|may|sees|gets|receives|has to|needs to)\b"
    r"|['’]s (?:password|account|session"
    r"|token|id|data|input|request|browser|device|permissions?|query|screen|role)\b"
)
_USER_ZH = lazy_compile(
    r"(?<![新老该各每个位名有部他多大数端])(?:用户|使用者)(?!名|量|界面|体验|群|数|端|侧|画像|手册|协议|组|态|表|们|权限|管理|注册|登录|调研|研究"
    r"|中心|故事|增长|留存|反馈率|行为|标识|信息表|隐私|指南|[A-Za-z0-9])"
)
_USER_ZH_SELF = (
    r"(?:^|(?<=[。！？；\n]))用户(?=喜欢|爱|讨厌|不喜欢|不爱|不吃|很|非常|对[^，。]{1,12}(?:过敏|感兴趣)|是|住|家|来自|养|有"
    r"|想|打算|计划|准备|说|提到|表示|叫|姓|毕业|从事|会|在[^，。]{1,12}(?:工作|上班|上学|读)|的(?!密码|账号|数据|会话|请求|浏览器"
    r"|设备|权限|屏幕|角色|输入|订单))"
)
_FOLD = str.maketrans(  # traditional forms of the characters of these rules
    "戶幫給為設訂尋查詢薦紹釋提醒訴討論慰議譯寫畫發錄記總結講說讓聽勸創刪計確認詢問導協處絕勵誇歉謝檢載傳裝啟買點個執優潤補擬並將對與",
    "户帮给为设订寻查询荐绍释提醒诉讨论慰议译写画发录记总结讲说让听劝创删计确认询问导协处绝励夸歉谢检载传装启买点个执优润补拟并将对与",
)
_I = r"(?<![A-Za-z])(?:I|i|[Mm]y|[Ww]e|[Oo]ur|me)(?![A-Za-z])|我|咱|俺"


def name_user(text: str, name: str | None, *, in_summary: bool) -> str:
    """The text with the sender's name for "the user" and 用户, where that is who is meant."""
    if name is None or not re.search("[Uu]ser|用户|用戶|使用者", text):
        return text
    if not in_summary and re.search(_I, text):
        return text  # who says "I" does not call himself the user
    edits = [
        Edit(match.start(), match.end(), name)
        for match in _THE_USER.finditer(text)
        if (_is_sender(match) if in_summary else _is_speaker(match))
    ]
    chinese = _USER_ZH if in_summary else re.compile(_USER_ZH_SELF)
    edits += [Edit(*match.span(), name) for match in chinese.finditer(text.translate(_FOLD))]
    return apply_edits(text, edits)


def _is_sender(match: re.Match[str]) -> bool:
    before, after = (
        match.string[max(0, match.start() - 8) : match.start()],
        match.string[match.end() :],
    )
    if match["the"]:
        return True
    return not re.search(_OF_SOME_USER, before) and bool(re.match(_AFTER_BARE_USER, after[:24]))


def _is_speaker(match: re.Match[str]) -> bool:
    """A sentence of its own about "the user", and not one about software."""
    before, after = (
        match.string[max(0, match.start() - 3) : match.start()],
        match.string[match.end() :],
    )
    begins = re.search(r"(?:^|[.!?;\n]\s*)$", before) is not None
    capital = match[0][0].isupper() or not before
    told = re.match(_AFTER_BARE_USER, after[:24])
    return begins and capital and bool(told) and not re.match(_SOFTWARE_EN, after[:24])


_MARK = lazy_compile(r"\s*(?:[-*•·]|\d{1,2}[.、)])?\s*")
_AFTER_PAST = lazy_compile(
    r" (?:the|an?|my|your|his|her|their|our|its|this|that|these|those|to|in|on|at|for|with"
    r"|from|by|about|up|out|off"
    r"|into|over|back|down|away|how|what|why|where|when|if|whether|him|them|it|me|you|us"
    r"|some|all|two|three|four|five"
    r"|several|another|\d|[A-Z\"'“‘`])"
)
_FINITE = r"\b(?:is|are|was|were|has|have|will|can|would|should)\b"
_STATES = frozenset(  # as a first word "is …", not "did …"
    """
married engaged divorced retired tired bored excited interested worried scared confused pleased
disappointed based used supposed located related allowed blessed exhausted stressed annoyed
surprised stuck born fried baked boiled mixed united limited advanced required updated attached
red bed
""".split()
)


_THE_BOT = (
    r"^(\s*)(?:(?:[Tt]he )?(?:[Aa]ssistant|[Cc]hatbot|[Bb]ot)(?= [a-z])"
    r"|(?:AI)?助手(?![A-Za-z0-9])|机器人|機器人)"
)


def bot_did(text: str, bot: str) -> str:
    """A summary of what was done, with the bot as subject where it has none.

    Once a sentence has a subject of its own, those after it may go on about that one: they stay.
    """
    parts: list[str] = []
    open_ended = True
    for piece in sentence_pieces(text):
        fragment = re.sub(_THE_BOT, lambda found: found[1] + bot, piece, count=1)
        start = _subjectless(fragment, deeds=True) if open_ended else None
        open_ended = start is not None
        if start is not None:
            fragment = _with_subject(fragment, start, bot, is_first=not parts)
        parts.append(fragment)
    return "".join(parts)


def speaker_said(text: str, speaker: str | None) -> str:
    """ "Loved the film" → "Ann loved the film", where only the speaker can be meant."""
    first = next(iter(sentence_pieces(text)), "")
    if not first or speaker is None or re.search("[?？]", first):
        return text
    word = re.match(r"[A-Za-z'’]+", text)
    doing = re.match(_DOING, text)
    if doing and not re.search(_FINITE, first):
        return f"{speaker} is {text[0].lower()}{text[1:]}"
    if word and re.match(_STATE_OF_SPEAKER, text):
        return f"{speaker} {text[0].lower()}{text[1:]}"
    start = _subjectless(first, deeds=False)
    if start is None:
        return text
    return _with_subject(text, start, speaker, is_first=True)


_DOING = (
    r"(?:Going|Looking|Thinking|Trying|Working|Moving|Getting|Feeling|Planning|Learning"
    r"|Waiting|Heading|Leaving"
    r"|Watching|Reading|Playing|Making|Considering|Hoping|Staying|Living|Studying|Sitting)"
    r" (?:to|about|for|in|at|on|home|out|back|a|an|the|my|with|through|ready|better|sick|tired)\b"
)
_STATE_OF_SPEAKER = (
    r"(?:Likes|Loves|Hates|Prefers|Wants|Enjoys|Owns|Speaks|Dislikes|Lives (?:in|with"
    r"|near)|Works (?:at|for|as|in)"
    r"|Studies (?!are|is|were|show)|Is (?:allergic|vegan|vegetarian|an? |from|married"
    r"|afraid|\d)|Has (?:an? |two |three |\d))"
    r" ?(?!(?:you|he|she|it|we|they|are|is|were|was)\b)\S"
)


def _with_subject(fragment: str, start: int, name: str, is_first: bool) -> str:
    head, rest = fragment[:start], fragment[start:]
    if not re.match("[A-Za-z]", rest):
        space = " " if re.match("[A-Za-z0-9]", rest) else ""
        return f"{head}{name}{space}{rest}"
    subject = name[0].upper() + name[1:] if rest[0].isupper() else name
    return f"{head}{subject} {rest[0].lower()}{rest[1:]}"


def _subjectless(fragment: str, *, deeds: bool) -> int | None:
    """Where a sentence begins that has a verb and no subject; None for any other."""
    mark = _MARK.match(fragment)
    start = mark.end() if mark else 0
    if deeds and _DEED_ZH.match(fragment.translate(_FOLD), start):
        return start
    words = list(_words(fragment, start))
    if not words:
        return None
    position = 0
    while position < min(2, len(words) - 1) and is_adverb(words[position][0]):
        position += 1
    verb, end = words[position]
    after = fragment[end : end + 24]
    if not (may_be_past(verb) if deeds else is_past(verb)):
        return None
    if verb.lower() in _STATES and not re.match(" (?:the|an?|my|your|his|her|their) ", after):
        return None
    sure = _AFTER_PAST.match(after) or re.match(r"\s*(?:$|[.,;!])", after)
    return start if sure or not re.search(_FINITE, fragment[end:]) else None


def _words(fragment: str, start: int) -> Iterator[tuple[str, int]]:
    for match in re.compile(r"([A-Za-z]+)(?![\w'’])\s?").finditer(fragment, start, start + 60):
        if match.start() > start and fragment[match.start() - 1] not in " ,":
            return
        yield match[1], match.end(1)


_DEED_ZH = lazy_compile(
    "(?:已经?|成功|又|还|也|并|再次|主动|先|顺便|及时|详细地?|简单地?|耐心地?|一起|随后|然后|最后|接着){0,3}"
    "(?:(?:帮|给|为|替|向|陪|跟|与|和|对|把|将|根据|按照?|针对|通过|请|让|叫|听|劝)(?!于|什么)"
    "|(?:回答|回复|答复|查询|查找|查看|查|搜索|搜|推荐|解释|介绍|提醒|告诉|告知|讨论|聊|安慰|安抚|建议|分析|翻译|写|画|生成|设置|设定|设"
    "|记录|记下|记住|整理|总结|讲解|讲|说明|提供|发送|发|安排|预订|预约|订|创建|新建|修改|修复|更新|删除|添加|计算|算|完成|确认|询问|问"
    "|教|指导|协助|帮助|制定|列出|列|打开|关闭|播放|调用|执行|处理|答应|拒绝|祝|鼓励|夸|道歉|感谢|检查|下载|上传|部署|安装|重启|找到|找|买"
    "|点|做|送|分享|转发|通知|约|取消|调整|优化|润色|改写|改|续写|撰写|编写|起草|估算|比较|对比|评价|点评|纠正|补充|模拟|扮演|唱|讲述)"
    "(?!结果|功能|失败|成功|列表|题|完成|机器人|者|员|服务|系统|工具|单|法))"
)
