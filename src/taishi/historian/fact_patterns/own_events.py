"""Recognises what happened, or will happen, to the speaker: worth a record without a model (W9).

A change of life ("I quit my job", 我辞职了), or something with its day (我昨天签了合同). What one
does all day (eating, sleeping, coming and going) is small talk.
"""

from __future__ import annotations

import re
from functools import cache

from ...language.spoken_days import SPOKEN_DAYS
from .own_words import is_hypothetical, is_not_serious, is_question

_CHARS = 300
_MINE_ZH = (
    r"^(?:(?:对了|另外|还有|其实|跟你说|告诉你)[，,]?)*(?:我们?|咱们?|俺)(?:的|家)?"
    r"(?:妈妈?|爸爸?|爷爷|奶奶|外公|外婆|姥姥|姥爷|哥哥?|姐姐?|弟弟?|妹妹?|儿子|女儿|孩子|老公|老婆"
    r"|男朋友|女朋友|对象|朋友|同事|老板|猫|狗)?"
)
_CHANGE_ZH = (
    r"(?:辞职|离职|裸辞|入职|跳槽|升职|退休|失业|被裁|被开除|被录取|录取|考上|考过|通过|落榜|毕业"
    r"|怀孕|生了|当爸|当妈|确诊|住院|出院|做手术|骨折|受伤|报名|签了|签下|拿到|收到|领了|领证|买了"
    r"|卖了|换了|搬家|搬走|开业|开学|转正|转岗|订了|预订了|定了|丢了|弄丢|被偷|获奖|得奖|得了|赢了"
    r"|输了|戒了|加入了|学会|拿了|中了|租了|捡了|领养了)"
)
_TRAVELS_ZH = (
    r"(?:要|想|准备|打算)(?:一个人)?[去回到](?!上|睡|吃|洗|拿|买|厕|接|取|看看|哪|什么)[\u3400-\u9fff]{2,6}"
    r"(?:玩|旅游|旅行|出差|留学|读书|工作|度假|过年|探亲|考试|面试)"
)
_DAY_ZH = (
    rf"(?:{SPOKEN_DAYS}|昨[天晚日]|前[天晚]|大前天|明[天晚早日]|后天|大后天|[上下这本]个?(?:周|星期|礼拜|月|学期|季度)"
    r"|去年|明年|前年|后年|[寒暑]假|端午节?|国庆节?|十一(?=[去回要想不])|五一|中秋节?|七夕|元旦|春节"
    r"|过年|清明节?|情人节|圣诞节?|年[底初后]|月[底初]|周末|(?:周|星期|礼拜)[一二三四五六日天末]|今[晚早]|今天|今年"
    r"|[\d一二三四五六七八九十]{1,3}(?:月|号|日)|[\d一二三四五六七八九十]{1,3}点)"
)
_HAPPENS_ZH = (
    r"了(?!$)|了$|要|会(?!不会)|得(?=去|交|开|参加)|有(?!点|些|空|时间|事|人)|去|约|参加|考|面试|手术|出差"
    r"|求婚|结婚|加班|不回|飞|搬|交|签|见|体检|复查|复诊|开会|回(?!来|头)|飞机|高铁|火车|航班|演出|比赛|婚礼|答辩|上课"
)
_CHAT_ZH = (
    r"再(?:说|聊|来|看|跟|和|告诉)|笑死|知道|明白|懂了|好累|困|累|睡|吃|喝|洗|醒|起床|到家|下班|上班"
    r"|看到|来了|回来|走了|忘了|想了|觉得|以为|告诉你|跟你说|问你|找你|谢"
)
_MINE_EN = (
    r"(?i)^\W*(?:(?:btw|by the way|oh|so|well|also|and|guess what|fyi|actually)\b[,!:\s]*)*"
    r"(?:(?:i|we)\b|i['’]m|we['’]re|i['’]ve|we['’]ve|i['’]ll|we['’]ll"
    r"|(?:my|our) (?:wife|husband|partner|girlfriend|boyfriend|mother|mom|mum|father|dad|sister"
    r"|brother|son|daughter|kids?|grandma|grandpa|friend|boss|colleague|dog|cat)\b)"
)
_CHANGE_EN = (
    r"(?i)\b(?:quit (?:my|the|smoking|drinking)|resigned|retired|got (?:a (?:new )?job|the job"
    r"|hired"
    r"|fired|laid off|promoted|engaged|married|divorced|accepted|into [A-Z]|my (?:licen[cs]e|degree"
    r"|results|visa))|passed (?:my|the)|failed (?:my|the)|graduated|enrolled|signed (?:the|a|my)"
    r"|adopted|gave birth|pregnant|diagnosed|had (?:surgery|an operation|an accident|a baby)"
    r"|broke (?:my|up)|bought (?:a|an|the|our|my) (?!coffee|tea|beer|snack|drink|sandwich)"
    r"|sold (?:the|my|our)|lost my|won (?:the|a|an|my)|moved (?:in|out|to)|signed up|started at"
    r"|joined|was accepted|were accepted|turned \d\d)\b"
)
_DAY_EN = (
    r"(?i)\b(?:yesterday|tomorrow|tonight|today|this (?:morning|afternoon|evening|week|weekend"
    r"|month|year)|(?:last|next) (?:night|week|weekend|month|year"
    r"|(?:mon|tues|wednes|thurs|fri|satur"
    r"|sun)day)|(?:on )?(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:in|on) (?:january|february"
    r"|march|april|may|june|july|august|september|october|november|december)|at \d{1,2}(?::\d\d)?"
    r" ?(?:am|pm)|in (?:\d+|two|three|a few) (?:days|weeks|months))\b"
)
_HAPPENS_EN = (
    r"(?i)\b(?:have (?:an?|my|the|to)|['’]ll|will|going to|am (?:flying|meeting|seeing|starting"
    r"|having|leaving|moving|visiting|taking|giving|getting)"
    r"|(?:['’]m|['’]re|are) (?:flying|meeting|seeing"
    r"|starting|having|leaving|moving|visiting|taking|giving|getting|travelling|traveling|driving)"
    r"|\w{3,20}ed|went|had|met|saw|bought|sold|got|lost|won|left|flew|drove|took|gave|began|ran"
    r"|found|broke|paid|sent)\b"
)
_CHAT_EN = (
    r"(?i)\b(?:thanks?|kidding|joking|talk to you|see you|tell you|ask you|let you know|get back to"
    r"|tired|fine|ok|okay|bored|sleepy|hungry|ate|slept|woke|asked you|told you)\b"
)


@cache
def _pattern(source: str) -> re.Pattern[str]:
    return re.compile(source)


def tells_of_event(sentence: str) -> bool:
    """Whether the speaker states what happened to them, or is about to."""
    text = sentence[:_CHARS]
    if is_question(text) or is_hypothetical(text) or is_not_serious(text):
        return False
    return _in_chinese(text) or _in_english(text)


def _in_chinese(text: str) -> bool:
    mine = _pattern(_MINE_ZH).match(text)
    if mine is None:
        return False
    rest = text[mine.end() :]
    if _pattern(_CHANGE_ZH).search(rest) and "没" not in rest[:4]:
        return True
    if _pattern(_TRAVELS_ZH).match(rest):
        return True
    days = _pattern(_DAY_ZH).findall(rest)
    happens = _pattern(_HAPPENS_ZH).search(rest) is not None
    return bool(days) and happens and not _pattern(_CHAT_ZH).search(rest)


def _in_english(text: str) -> bool:
    mine = _pattern(_MINE_EN).match(text)
    if mine is None or _pattern(_CHAT_EN).search(text):
        return False
    rest = text[mine.start() :]
    if _pattern(_CHANGE_EN).search(rest):
        return True
    return bool(_pattern(_DAY_EN).search(rest) and _pattern(_HAPPENS_EN).search(rest))
