"""Recognises what changes, ends, moves or denies something: worth a record without a model (W9).

Who drops "the trip is off" or 聚餐取消了 goes on believing what was said before.
"""

from __future__ import annotations

import re

from ..language.lazy_regex import lazy_compile
from ..language.moved_plans import retimed
from .fact_patterns.own_words import is_hypothetical, is_not_serious

_CHARS = 300
_ENDS = r"(?=$|[，。！!,~～…\s])"
_MINE = r"(?:我们?|咱们?|俺|我[家妈爸哥姐弟妹]|他们?|她们?)"

_WHEN_ZH = (
    r"(?:[上下这本]{0,2}个?(?:周|星期|礼拜)[一二三四五六日天末]|明[天晚早]|大?后天|今[天晚]|下个?月"
    r"|[\d一二三四五六七八九十]{1,3}[月号日点])"
)
_CHANGED_ZH = lazy_compile(
    r"取消(?!关注)|推迟|延期|延后|顺延|提前(?:到|至|了)|挪到|调到|改签|改期|改约|改行|作废"
    r"|泡汤|[黄吹鸽]了" + _ENDS + r"|改(?:到|成|在|为)(?!什么)|改[吃喝学用坐名]"
    r"|(?:时间|地点|场地|地方|日期|计划|航班|行程)[^，。]{0,3}[改变换]了"
    r"|换(?:到|成|了|工作|公司|手机|号|城市|房|车|专业|老师|教练)"
    r"|(?:车|房子?|店|公司|琴|吉他|相机|电脑|手机|股票|基金)(?:子)?(?:已经|昨天|前天|上周|上个?月|刚刚?|都|也|给|被我|我)*"
    r"(?:卖|处理|转让|报废|过户)(?:掉|出去)?了"
    r"|戒(?!指|备|心|律|尺)|搬(?:去|到|家|走|回|出|进|来|离)|分手|离婚|复婚|复合|和好了|绝交"
    r"|单身|脱单"
    r"|离职|辞职|裸辞|退学|休学|转学|转行|退出|退租|退婚|退掉|解约|停业|歇业|倒闭|关门了|关店"
    r"|(?:以后|今后|往后)[^，。！!？?再]{0,8}(?:每|周|星期|礼拜)(?!围|边|到)"
    r"|推到(?=" + _WHEN_ZH + r")|改(?=" + _WHEN_ZH + r")"
    r"|"
    + _WHEN_ZH
    + r"[^，。]{0,8}?(?:[去来到赶]不(?:了|成)|没(?:空|时间)|不行(?=了))了?"
    + _ENDS
    + r"|停办|停了"
    + _ENDS
    + r"|[涨降]到|涨价|走丢|去世|过世|不再(?!说|聊|见|理|打)"
    r"|没[^，。有]{1,4}成(?!功|绩|熟)|闹掰|改[^，。天了]{1,4}了|换人|没在[^，。]{1,8}(?:上班"
    r"|工作|上学|读)|晚点|误点|航班晚|放弃了|变成(?!这样|这个|那样)|[定约订]在\S{2}|复读|没在一起"
)
# Any other change of the speaker: 我从腾讯走了, 健身卡我转让了; no moods, nor what one does all
# day.
_BECAME_ZH = lazy_compile(
    r"^(?=.{6})[^，。]{0,12}我(?!先|快|马上|要|也|就|都|刚|去|来|这|那|真|好|太|人"
    r"|又)[^，。！!]{2,20}了" + _ENDS
)
_ALL_DAY_ZH = lazy_compile(
    r"吃|喝|睡|醒|起床|洗|到家|到了|下班|上班|看|听|玩|打游戏|开黑|出门|下楼|来了|困|累|饿|死"
    r"|哭|笑|懂|明白|知道|忘|服|撤|溜"
    r"|说|问|发|错|信|麻|裂|晕|酸|醉|疯|傻|懵|急|怕|爱了|行了|完了|等|找到|想|记住|感动|破防"
    r"|无语|尽力|谢|太|忍|绷|准备好|习惯了"
)
# 受不了了, 走不动了: what cannot be done is no change; 不聊了, 不想了 is chat.
_NO_MORE_ZH = lazy_compile(
    r"(?<![受忍睡吃走等看听说做干想记回进出搞弄买打起赶了差对好绷顶])不"
    r"(?!聊|说|知道|懂|明白|行|好|得了|错|早|管|理|想|要|用|敢|打扰|客气|信|急|困|饿|累|痛|疼"
    r"|逗|闹|陪你|跟你|和你|扯|多|开玩笑|过|一样|见|至于|许|准|能|可能|是)"
    r"[^，。！!了]{1,12}了" + _ENDS
)
_NOW_CAN_ZH = lazy_compile(
    rf"{_MINE}[^，。]{{0,4}}(?:(?:现在|又|终于|已经)(?:能|可以|会|敢)|能[吃喝开跑走]|会[做说开弹])"
    r"(?!走了|睡|下班|回家|休息|开始|吃饭|安心|放心|喘)[^，。了]{1,10}了" + _ENDS
)
_DENIED_ZH = lazy_compile(
    rf"{_MINE}(?:真的?|根本|从来|还|也|并|压根|早就?|可)*"
    r"(?:没有(?!事|意见|问题|时间|空|钱|办法|意思|想|看|听|懂|注意|睡|吃|笑|骂|生气|心情|啊"
    r"|呀|哦|了|用|那么|这么|你)\w"
    r"|没(?:结婚|离婚|分手|离职|辞职|搬|怀孕|过敏|答应|说过|养|抽烟|报名|买|去过|谈过|当过|在一起)"
    r"|不是(?!说|故意|这个?意思|那个?意思|很|太|不|想|要|针对|人|吧|来|在|刚|才|已经|早|你|他"
    r"|她|让|跟|和你|告诉|傻|滚|怕|没)\w)"
    rf"|不是[^，。]{{1,12}}[，,](?:而|应该)?是\w|不是{_MINE}\w|明明[是就不没]\w{{2}}"
    r"|(?:胡说|瞎说|乱说|瞎传|乱传|造谣|谣言|不是真的|假的|没有的事"
    r"|哪有)[^，。]{0,4}[，,！!。\s]\S{4}"
    rf"|{_MINE}哪有\w{{2}}|才没有?\w{{2}}"
)
_DAY = r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|today|tonight|\d)"
_CHANGED_EN = lazy_compile(
    r"\bfrom now on,? (?:it|the|we|I|our|my)\b[^,.!?]{1,60}?\b(?:on|every|at)\b"
    r"|\b(?:cancell?ed|cancell?ing|call(?:ed|ing) (?:[\w' ]{1,20} )?off|postponed|rescheduled"
    r"|delayed (?:to|until|till|by)"
    r"|pushed (?:back|to|forward)|(?:brought|moved) forward|moved (?:to|up|out|in|back|from|into)"
    r"|swapped|switched (?:to|from|jobs)|no longer|quit (?!it\b|that\b|being)|gave up"
    r"|given up|giving up"
    r"|stopped \w+ing|dropped out|broke up|broken up|split up|divorced|separated"
    r"|(?:single|back together|married) (?:now|again)|got rid of|sold (?:my|our|the)"
    r"|clos(?:ed|ing) down"
    r"|shut down|went (?:up|down) to|ran away|passed away|resigned|retired|fired|laid off"
    r"|can(?:['’]?t|not) make it(?: to \w+)? (?:on|this|tomorrow|tonight|next)"
    r"|won['’]?t make it|" + _DAY + r" (?:no longer works|doesn['’]?t work)(?: for (?:me|us))?"
    r"|changed (?:my|our|jobs?|schools?|the (?:date|time|place|venue|plan))|after all"
    r"|turns? out|i was wrong|withdrew|unsubscribed|bumped to|raised (?:my|our|the)"
    r"|finished (?:my|school|uni)"
    r"|(?:i|we)(?:['’]ve| have) (?:gone|become|joined|dropped|left|ended|started)"
    r"|change of plans?|handed in (?:my|our) notice|cut out \w+|not happening|isn['’]?t happening"
    r"|shifted|died|taking a break from|done with \w+ing|shut (?:its|their) doors|gave (?:my"
    r"|our|the) (?:\w+ ){1,2}away"
    r"|lost (?:my|our|the) (?:job|apartment|flat|house|baby|case|game|match|phone|wallet"
    r"|keys?)|new (?:number|job|place|flat|apartment"
    r"|car|boss|phone|roommate|school|address)|instead of|take (?:that|it) back|scratch that"
    r"|correction)\b"
    r"|\b(?:the|our|my|dinner|lunch|tonight|tomorrow) ?(?:\w+ ){0,3}(?:is|are"
    r"|['’]s) off\b(?! (?:the|my|his|to)\b)"
    r"|^(?:it|dinner|lunch)['’]?s off\b"
    r"|\bI(?:['’]?m| am) off (?!to\b|now\b|today\b|tomorrow\b|work\b|for\b|home\b|then\b"
    r"|again\b|soon\b|next\b|on\b)\w{3}"
    r"|\bI(?:['’]?ve)? (?:just )?left (?:my (?:job|husband|wife)|[A-Z]\w+)"
    r"|\bI(?:['’]?m| am) (?:now )?back (?:in|at) [A-Z]|^no more \w+ for me\b|\b(?:beat"
    r"|got over) my\b"
    r"|\bI can \w+ .{0,40}\b(?:now|again)\b|\b(?:is|are|['’]s) (?:at|on|in) .{1,20} now\b"
    r"|\bit['’]?s (?:on )?\w+ now, not\b",
    re.IGNORECASE,
)
_DENIED_EN = lazy_compile(
    r"\b(?:(?:n['’]?t|not|never) .{1,60}\bany ?(?:more|longer))\b"
    r"|\bI(?:['’]?m| am) not (?:going|coming|the \w|an? \w|from\b|in \w|at \w|married|single"
    r"|allergic"
    r"|moving|leaving|joining|pregnant|vegan|vegetarian)(?! to lie)"
    r"|\bI (?:don['’]?t|do not|haven['’]?t|have not) (?:have|own|got|live|work|smoke|drink"
    r"|eat|like|play|use)"
    r" (?!time\b|an? clue|any (?:idea|clue)|an? idea|words\b|anything|money\b|a problem|it\b"
    r"|that\b|this\b|to\b|you\b)\w"
    r"|\bwe(?:['’]?re| are) not (?:together|going|coming|dating|married|friends|moving)\b"
    r"|\bI never (?:\w{3,}ed|said|told|went|had|lived|worked|liked|agreed|promised|owned"
    r"|smoked|married|was)\b"
    rf"|\bnot (?:on |at )?{_DAY}|\b(?:that['’]?s|it['’]?s) not true\b"
    r"|^(?:no|nope|wrong|nonsense|not true|rubbish)[,!. ]+(?:actually,? )?(?:i|it['’]s|it was"
    r"|we|my|he|she|the)\b"
    r"(?! (?:don['’]?t|didn['’]?t|do not)? ?(?:know|think|mean|guess|care|agree)| fine| ok"
    r"| good| cool).{6}"
    rf"|^(?:well,? )?actually,? (?:it|the|my|our|we|I)\b.{{0,30}}(?:\bis|['’]s|\bare|\bwas"
    rf"|\bmeet|\blive|\bwork)\b.{{0,20}}"
    rf"(?:\bat\b|\bon\b|\bin\b|{_DAY})",
    re.IGNORECASE,
)
_CHAT = lazy_compile(
    r"\b(?:can(?:['’]?t|not) (?:even|take|deal|stand|do|wait|stop)|lie\b|gonna lie"
    r"|i['’]?m (?:so )?done(?! with \w+ing)|feel(?:ing)? like)\b"
    r"|没有没有|不是不是|不是吧|笑死|没忍住|算了吧",
    re.IGNORECASE,
)


def tells_of_change(sentence: str) -> bool:
    """Whether something is said to be different from before, to be over, or not to be so."""
    text = sentence[:_CHARS]
    if is_hypothetical(text) or is_not_serious(text) or _CHAT.search(text):
        return False
    if _BECAME_ZH.search(text) and not _ALL_DAY_ZH.search(text):
        return True
    patterns = (_CHANGED_ZH, _NO_MORE_ZH, _NOW_CAN_ZH, _DENIED_ZH, _CHANGED_EN, _DENIED_EN)
    return any(pattern.search(text) for pattern in patterns) or bool(retimed(text))
