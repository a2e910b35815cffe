"""The gate: does a text stay true when it is read years later, by somebody who was not there? (H3)

It finds words that point at the moment, the place or the people of a conversation. What was made
up is found by `drift`.

Chinese has no spaces, so a gate word counts only where no longer word holds it: 他 in 吉他 is no
pronoun, 现在 in 出现在 is no time. The scan eats the longest word it knows at each place; words
listed only to be eaten whole are in `_ZH_PLAIN`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal, cast

from .bare_days import bare_days

Reason = Literal[
    "pronoun", "relative_time", "relative_place", "drift", "polarity", "weekday", "role"
]


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that would not stay true out of context."""

    reason: Reason
    word: str
    start: int
    end: int


def check(text: str, allow: Collection[str] = ()) -> list[Fault]:
    """Words that lose their meaning out of context, in order. Quotes and `allow` pass."""
    masked = mask(text, allow)
    found = [
        Fault(reason, text[start:end], start, end)
        for scan in (_chinese_words, _english_words)
        for reason, start, end in scan(masked)
    ]
    found += [Fault("relative_time", text[a:b], a, b) for a, b in bare_days(masked)]
    return sorted(found, key=lambda fault: fault.start)


def mask(text: str, allow: Collection[str] = ()) -> str:
    """The text with quotes, addresses and allowed names blanked out; every offset stays."""
    names = sorted({name for name in allow if name.strip()}, key=len, reverse=True)
    if names:
        text = re.sub("|".join(map(_whole, names)), _blank, text)
    return _quoted().sub(_blank, text)


_BLANK = "\ufffc"  # neither letter, digit, space nor punctuation


def _blank(match: re.Match[str]) -> str:
    return _BLANK * len(match[0])


def _whole(name: str) -> str:
    """A name, but not inside a longer Latin word."""
    left = r"(?<![A-Za-z0-9_])" if re.match("[A-Za-z0-9_]", name) else ""
    right = r"(?![A-Za-z0-9_])" if re.match("[A-Za-z0-9_]", name[-1]) else ""
    return left + re.escape(name) + right


@cache
def _quoted() -> re.Pattern[str]:
    pairs = ("《》", "〈〉", "「」", "『』", "“”", "‘’", '""', "``")
    quotes = [f"{pair[0]}[^{pair}\n]{{1,200}}{pair[1]}" for pair in pairs]
    quotes.append(r"(?<![A-Za-z0-9’'])'(?! )(?:[^'\n]|(?<=\w)'(?=\w)){1,100}'(?![A-Za-z0-9])")
    quotes.append(r"(?<![A-Za-z0-9])(?:https?|ftp)://[^\s，。；）》」]+")
    return re.compile("|".join(quotes))


# Chinese

HAN = "\u3400-\u9fff"
_ZH_FOLD = str.maketrans(  # traditional forms of the characters below
    "現這裡裏剛後當邊們個週幾兩點發處體實會時經機頻來線證說聰內妳牠祂與號節結開術畢業變聲離鐘",
    "现这里里刚后当边们个周几两点发处体实会时经机频来线证说聪内你它它与号节结开术毕业变声离钟",
)
_ZH_PRONOUNS = "我们 咱们 俺们 你们 您们 他们 她们 它们 我 咱 俺 你 您 他 她 它 这位 那位"
_ZH_TIMES = """
今天 今日 今儿 今早 今晨 今晚 今夜 今年 今春 今夏 今秋 今冬 昨天 昨日 昨儿 昨晚 昨夜 昨晨 前天
大前天 明天 明日 明儿 明早 明晨 明晚 明年 后天 大后天 后年 去年 前年 大前年 刚才 刚刚 刚 方才 现在
如今 目前 眼下 稍后 待会儿 待会 等会儿 等会 等一会儿 过会儿 过一会儿 最近 近来 近日 近期 不久前
前不久 前几天 前两天 前些天 前阵子 这阵子 这几天 这两天 过几天 过两天 改天 前段时间 这段时间
"""
_ZH_PLACES = "这里 那里 这儿 那儿 这边 那边 本地 当地 本群 本频道 此处 此地 这个群 那个群 这个频道"
# Eaten whole: words that hold a gate word, and words whose last character could begin one.
_ZH_PLAIN = """
自我 忘我 无我 敌我 超我 我行我素 唯我独尊 舍我其谁 时不我待 尔虞我诈 卿卿我我 你死我活 你来我往
你追我赶 你情我愿 物我两忘 来自 亲自 独自 各自 擅自 出自 暗自 迷你 尤其 极其 其他 其它 吉他 他者
他汀 他山之石 他加禄 他妈的 利他 排他 无他 别无他 另有他 作他用 维他命 维他奶 马耳他 犹他 达科他
头孢他啶 他莫昔芬 他达拉非 他克莫司 安排 编排 胜利 顺利 权利 福利 便利 有利 流利 她时代 她综艺
这位置 那位置 这位数 今日头条 今日说法 今日资本 今日美术馆 昨日重现 明日方舟 明日之后 明日之子
明日之星 明日黄花 明日香 明天系 说明 证明 声明 聪明 文明 光明 透明 黎明 发明 表明 清明 昆明 简明
阐明 注明 查明 指明 前天津 后天性 后天免疫 后天习得 后天形成 后天培养 后天因素 后天环境 前年均
后年均 后年薪 前年薪 后年产 后年收 之后 以后 最后 然后 随后 今后 背后 午后 雨后 饭后 皇后 此后 先后
事后 日后 幕后 售后 课后 之前 以前 提前 当前 眼前 面前 生前 从前 此前 过去 失去 出去 回去 下去 上去
进去 金刚 刚果 刚好 刚刚好 刚性 刚需 刚强 阳刚 刚毅 刚烈 刚柔 刚劲 刚玉 刚正不阿 刚直不阿
现在完成时 现在进行时 现在完成进行时 一般现在时 现在时 现在分词 出现 体现 表现 发现 实现 呈现 展现
再现 涌现 显现 重现 浮现 变现 兑现 闪现 提现 最近邻 最近公共祖先 最近最少使用 最近距离 最近点
最近整数 近日点 日本 基本 资本 成本 版本 样本 文本 脚本 课本 剧本 原本 书本 根本 标本 副本 账本
一本 这本 那本 几本 上月球 月亮 晚上 早上 马上 以上 线上 网上 天上 楼上 身上 路上 以下 线下 天下
地下 如下 之下 适当 相当 恰当 妥当 正当 应当 得当 充当 当地址 当地震 当地板 这儿子 那儿子 这儿童
那儿童 这里程 那里程 这边缘 那边缘 这边界 那边界 因此 如此 彼此 从此 至此 为此 生日 节日 工作日
假日
"""
# The same, where what follows decides: 他国 is a word, 他国庆 is not.
_ZH_PLAIN_PATTERNS = (
    r"(?<![对为比给待])[你您]好(?![\u3400-\u9fff])|(?<![对为比给待])[你您]好(?=[啊呀哈吗]|世界)",
    r"(?<=[玩服戏])我的世界|他人(?![很呢在不挺真])|他国(?![庆内外籍语家])|他日(?![子常语本均])",
    r"他方(?![便案向才法])|他处(?![理于在事境分罚方])|他律(?!师)|他杀(?=案|的|[，。、]|$)",
    r"他乡(?!下)|后天努力(?![学工])|他信(?=政府|派|家族|集团)|她经济(?!独|困|条|上|状|压|学|系)|她力量(?![大小不])",
    r"明天生(?![日效])|明天赋|明天天(?![气空津黑亮冷热])|明年(?:龄|轻|级|薪|纪(?!念))|明儿[子童女]",
    r"(?<=[小晓阿])明(?=[天日早晚年儿])|先天[与和或及、，]?后天|前天线(?![上下路])",
    r"刚度(?![过假])|刚体(?![验检])|当地铁(?!路)|当地球(?![队迷员场赛])|当地面(?![包积临条食])",
    r"[当本]地图(?!书)|此处(?:理|分|罚|境|于|置)|[上下本]周期|[这那]群(?!里)",
    r"本地(?=化|部署|[大小]?模型|语言模型|文件|缓存|环境|服务|运行|开发|存储|仓库|数据|变量|磁盘|硬盘)",
    r"本地(?=网络|主机|机房|端口|调试|测试|编译|构建|安装|分支|代码|推理|向量|索引|优先|备份|日志|路径|目录|账户)",
    r"[到至]本地(?![\u3400-\u9fff])|(?<=[\u3400-\u9fff\ufffcA-Za-z0-9])(?:本人|日前)",
    r"(?:[0-9]{4}|[〇零一二三四五六七八九]{4})年|[0-9一二三四五六七八九十]{1,3}月(?:[0-9]{1,2}[日号])?",
)
_ZH_PERIOD = (
    r"(?:上上|下下|上|下|本|这)个?(?:(?:周|星期|礼拜)(?:末|[一二三四五六日天](?![起直样定般]))?"
    r"(?![期刊边围])|季度|学期)|(?:(?:上上|下下|上|下)个?月|本月|这个月)(?![份球亮经])"
)
_ZH_PLAIN_FIRST = "你您我他她明先后前刚当本此上下这那到至日0-9〇零一二三四五六七八九十"
_ZH_FIGURES = "0-9〇零一二两三四五六七八九十百千几半数"
_ZH_AGO = (
    rf"(?<![0-9])[{_ZH_FIGURES}]{{1,8}}[多来]?(?:个月|个?半?(?:秒钟?|分钟|刻钟|小时|钟头"
    r"|天|晚|周|星期|礼拜|年|学期|季度))多?[之以]?(?:前(?![端锋台沿言途提缀景置任后])|后(?![端台代续缀卫备门果勤期]))"
)
_ZH_BARE_THIS = r"(?:(?<=[。！？\n])|^)[这那](?=[是很真太])"
SURNAMES = (
    "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余"
    "潘杜戴夏钟汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文"
)
_ZH_EVENT = (  # "two hours after the meeting" is anchored by the meeting
    r"(?:手术|会议|比赛|婚礼|毕业|入职|离职|出生|事故|考试|开始|结束|发布|完成|发生|到达|上线|提交|下单|付款|起床|起飞"
    r"|服药|训练|开会|活动|成立|第|[日号年月]|\d|了)[的了]?(?:之后|之前)?$"
)


@cache
def _chinese_reasons() -> dict[str, Reason | None]:
    """Every Chinese word the scan knows, with what is wrong with it."""
    lists: tuple[tuple[str, Reason | None], ...] = (
        (_ZH_PRONOUNS + " 本人", "pronoun"),
        (_ZH_TIMES + " 日前", "relative_time"),
        (_ZH_PLACES, "relative_place"),
        (_ZH_PLAIN, None),
    )
    return {word: reason for words, reason in lists for word in words.split()}


@cache
def _chinese() -> re.Pattern[str]:
    """One branch for each first character, longest word first, so that a position costs little."""
    by_first: dict[str, list[str]] = {}
    for word in sorted(_chinese_reasons(), key=len, reverse=True):
        by_first.setdefault(word[0], []).append(word[1:])
    words = "|".join(f"{first}(?:{'|'.join(rests)})" for first, rests in by_first.items())
    plain = f"(?=[{_ZH_PLAIN_FIRST}])(?:{'|'.join(_ZH_PLAIN_PATTERNS)})"
    return re.compile(
        f"(?=[{''.join(by_first)}{_ZH_PLAIN_FIRST}{_ZH_FIGURES}])(?:(?P<plain>{plain})"
        f"|(?P<ago>{_ZH_AGO})|(?P<span>{_ZH_PERIOD})|(?P<this>{_ZH_BARE_THIS})|{words})"
    )


def _chinese_words(masked: str) -> Iterator[tuple[Reason, int, int]]:
    text = masked.translate(_ZH_FOLD)
    reasons = _chinese_reasons()
    for match in _chinese().finditer(text):
        kind, start = match.lastgroup, match.start()
        if kind is None:
            word = match[0]
            reason = reasons[word]
            if reason and not (word in "最近刚" and _is_other_sense(word, text, start)):
                yield reason, start, match.end()
        elif kind == "this":
            yield "pronoun", start, match.end()
        elif kind == "span" or (
            kind == "ago" and not re.search(_ZH_EVENT, text[max(0, start - 12) : start].rstrip())
        ):
            yield "relative_time", start, match.end()


def _is_other_sense(word: str, text: str, start: int) -> bool:
    """刚 as the end of a name, 最近 as "nearest"."""
    end = start + len(word)
    before, after = text[max(0, start - 14) : start], text[end : end + 8]
    if word == "最近":
        nearest = r"的?(?:地铁|车站|医院|超市|机场|城市|出口|加油站|路线|便利店|药店|邻)"
        from_there = r"[离距靠][^，。；！？,;!?\n]*$"
        return bool(re.search(from_there, before) or re.match(nearest, after))
    named = rf"[小阿志建永卫]$|(?:^|[^{HAN}]|[和跟与找给对是])[{SURNAMES}]$"
    return not re.match(f"[{HAN}]", after) or bool(re.search(named, before[-2:]))


# English

MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_LEFT, _RIGHT = r"(?<![A-Za-zÀ-ɏ0-9_@#-])", r"(?![A-Za-zÀ-ɏ0-9_-]|\.[A-Za-z0-9]|@)"
_EN_PRONOUN = (
    r"(?:i|you|he|she|it|we|they)(?:['’](?:m|s|re|ve|ll|d))?|me|him|her|them|us|my|your|his|its|their"
    r"|our|yours|hers|theirs|ours|mine|myself|yourself|yourselves|himself|herself|itself|ourselves"
    r"|themselves|y['’]all|let['’]s|(?:this|that)['’](?:s|ll|d)|(?:this|that|these|those)(?=\s+(?:is"
    r"|are|was|were|(?:is|are|was|does)n['’]t|won['’]t|will|would|can|could|should|might|has|had|does"
    r"|did|means|meant|makes|made|seems|seemed|sounds|sounded|looks|looked|works|worked|helps|helped"
    r"|happened)\b)"
)
_EN_COUNT = (
    r"(?:\d{1,6}|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|half an?|several"
    r"|many|(?:a )?few|(?:a )?couple(?: of)?|some)"
)
_EN_UNIT = r"(?:second|minute|hour|day|night|week|weekend|fortnight|month|quarter|year|decade)s?"
_EN_PERIOD = (
    r"(?:week|weekend|month|year|quarter|semester|spring|summer|autumn|fall|winter|night|morning"
    r"|afternoon|evening|decade|(?:mon|tues|wednes|thurs|fri|satur|sun)day|mon|tue|wed|thu"
    r"|fri|january|february|march|april|(?<!this )may|june|july|august|september|october|november"
    r"|december)"
)
_EN_PAST = (
    r"(?!(?:tired|bored|excited|interested|confused|worried|scared|based|limited|wanted|needed|liked"
    r"|loved)\b)(?:[a-z]{2,20}ed|got|came|went|saw|bought|sold|left|began|found|heard|told|met|made|took"
    r"|ate|won|lost|sent|wrote|read|broke|had|gave|became|finished|now)\b"
)
_EN_TIME = (
    r"(?:the )?day (?:before yesterday|after tomorrow)|today|yesterday|tomorrow|tonight|tmrw?"
    r"|(?:right |just )?now|recently|lately|currently|nowadays|these days|the other day"
    r"|at the moment|week before last|week after next|later|(?:a (?:long )?while|"
    rf"{_EN_COUNT}\s+(?:and a half )?{_EN_UNIT})\s+ago|ago"
    rf"|(?:last|next|this|(?<=the )past|coming)\s(?:past |coming )?{_EN_PERIOD}"
    rf"(?!\s+(?:of|in (?:{'|'.join(MONTHS)})[a-z]*)\b)"
    rf"|(?:last|past|next)\s{_EN_COUNT}\s{_EN_UNIT}|just(?=\s+{_EN_PAST})"
)
_EN_PLACE = (
    r"here(?:['’]s)?|there(?!['’]|\s+(?:is|are|was|were|isn|aren|wasn|weren|will|would|won|has|have|had"
    r"|may|might|can|could|should|must|exists?|existed|seems?|seemed|appears?|appeared|remains?"
    r"|remained|used|be)\b)|locally(?!\s+(?:hosted|deployed|installed|stored|cached|compact|optimal|linear))"
    r"|this (?:group|channel|chat|place)(?! of\b)"
)


@cache
def _english() -> re.Pattern[str]:
    return re.compile(
        f"(?=[a-z0-9]){_LEFT}(?:(?P<pronoun>{_EN_PRONOUN})|(?P<relative_place>{_EN_PLACE})"
        f"|(?P<relative_time>{_EN_TIME})){_RIGHT}"
    )


def _english_words(masked: str) -> Iterator[tuple[Reason, int, int]]:
    lower = masked.translate(_LOWER)
    shouting = lower != masked and not re.search("[a-z]", masked)
    for match in _english().finditer(lower):
        start, end = match.span()
        word, before = masked[start:end], masked[max(0, start - 24) : start]
        if word in _ACRONYMS and not (shouting and word != "US"):
            continue
        if _is_part_of_name(word, before, masked[end : end + 3]):
            continue
        excuse = _EN_EXCUSES.get(re.split("['’]", match[0])[0])
        if excuse and re.search(excuse, f"{before}\0{word}\0{masked[end : end + 24]}"):
            continue
        yield cast(Reason, match.lastgroup), start, end


_LOWER = {ord(upper): ord(upper.lower()) for upper in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
_ACRONYMS = frozenset(("IT", "US", "ME", "HE", "MY"))


def _is_part_of_name(word: str, before: str, after: str) -> bool:
    """USA Today, Edge of Tomorrow, Kai He, He Wei, Dr. He."""
    if not word[0].isupper() or word.isupper() or word[:2] in ("I'", "I’"):
        return False
    if word == "He" and re.match(r" [A-Z][a-z]", after):
        return True
    name = r"\b(?:(?:Mr|Mrs|Ms|Dr|Prof)\.?|[A-Z][\w’']*|[A-Z]\w* (?:of|the|and|in|to)) $"
    return " " not in word and re.search(name, before) is not None


# What excuses a word: matched against "before NUL word NUL after".
_EN_CLAUSE = r"(?:^|[.!?;:,\n(]\s*|\b(?:and|but|so|because)\s)"
_EN_BARE = rf"(?s)^(?!.*{_EN_CLAUSE}\0)|\0that\0 is,"
_EN_EXCUSES = {
    "i": r"\0I\0(?:/|\)|\.\s+[A-Z])|\b(?:War|Type|Part|Chapter|Phase|Volume|Book|Act|Class|Level"
    r"|Grade|Stage|Category|Article|Section|Table|Figure|Appendix|Elizabeth|Napoleon|Charles|George"
    r"|James|William|Nicholas|Francis|Peter|Henry) \0I\0|['’]\0"
    r"|\0i\0(?! [a-z]{2})|\0i\0 (?:in|and|or|is|as)\b",
    "mine": r"(?s)^(?!.*(?:\b(?:is|was|are|were|of|be|not|['’]s) |[.!?]\s|^)\0mine\0)",
    "now": r"\0 (?:known as|called)\b",
    "just": r"\bnot \0",
    "later": r"\0 (?:than|versions?|chapters|years|models?|stages?|releases|editions|life|works"
    r"|(?:on|in) (?:\d{4}|[A-Z]))|\b(?:sooner )?or \0|\d and \0",
    "there": r"(?i)(?:(?:^|[.!?;:,\n]\s*)(?:is|are|was|were|will|(?:is|are)n['’]t)"
    r"|\b(?:hi|hello|hey)) \0",
    "here": r"(?i)(?:^|[.!?;:\n]\s*|\b(?:and|so|well|ok|okay),? )"
    r"\0here(?:['’]s\0|\0 (?:is|are|was|were|comes?|goes)\b)",
    "that": _EN_BARE,
    "those": _EN_BARE,
}
