"""Chinese words that need context to be understood. All patterns read folded text."""

from __future__ import annotations

import re

from .context_words import ContextWord
from .lazy_regex import lazy_compile
from .yearly_days import NEEDS_NO_YEAR_ZH

_FOLD = str.maketrans(
    "這個間過兩禮號點節慶時後鐘開臘條隻張種場門單雙車書藥飯課錢遊戲機電東價務題項層頓",
    "这个间过两礼号点节庆时后钟开腊条只张种场门单双车书药饭课钱游戏机电东价务题项层顿",
)
_HAN = "\u3400-\u9fff"
_FIGURE = "一二三四五六七八九十"
_YEAR = r"\d{4}年|(?<!\d)(?:19|20)\d\d-"
_HABIT = "每|一般|通常|平时|习惯|总是|经常|常常|往往|固定|逢|天天|年年|从不|从来|一到|历年"
_HABIT += "|(?:以后|今后|往后)(?:都|就)?(?:改|固定|周|星期|礼拜)"
_TASTE = f"喜欢|最爱|讨厌|节日|习俗|传统|生日|纪念日|出生|{NEEDS_NO_YEAR_ZH}"
_MEASURE = (
    "个家套条件部款次波间段句张份块台辆道场支座栋门届批期种类些首篇双杯碗瓶颗口顿笔幅片项局集章页"
    "帮伙堆趟遍番副层班架封枚盘锅盒袋"
)
_NOUN = (
    "游戏|手机|电脑|电影|代码|软件|app|东西|价格|价钱|味道|餐厅|酒店|视频|照片|城市|学校|孩子|老师|医生"
    "|项目|方案|需求|问题|天气|公司|老板|题目|系统|模型|接口|文件|合同|操作|玩意|年头|水平|速度|质量"
    "|服务|态度|女的|男的|老头|小子|丫头|破|啥|bug|ppt|人(?!家)|[店房车货歌剧书题药菜饭票课图猫狗事活钱话价]"
)
_STOP = "的是很太好真也都就不在有被把和跟与了吗呢吧啊要会想可得还又最到给让叫说做没挺超别千怎删改写"
_PART = "凌晨|清晨|早上|上午|中午|下午|傍晚|晚上|半夜|夜里"
_MINUTES = "[0-5][0-9]分?|[0-9一二三四五六七八九]分|[二三四五]?十[一二三四五六七八九]?分?|[一三]刻"
_CLOCK_END = f"半|钟|整|多|{_MINUTES}"
_NO_CLOCK = (  # after 三点: three points, or a decimal
    "建议|意见|要求|原因|理由|好处|坏处|不|共识|想法|看法|需要|注意|希望|感受|收获|疑问|说明|体会|内容"
    f"|一线|优点|缺点|水|血|光|数|是|[、：:]"
    f"|(?!{_MINUTES})[{_FIGURE}零〇0-9]"
)
_FEAST = (
    "清明|双11|双十一|双12|双十二|中秋|过年|春节|国庆|元旦|端午|五一(?!班)|618|元宵|七夕|圣诞|除夕|跨年"
    "|暑假|寒假|劳动节|重阳|腊月|正月"
)
_LENGTH = "天|周|星期|礼拜|月|年(?!级)|小时|分钟|钟头|季度|学期"
_DAYS = "天|周|星期|礼拜|月|年(?!级)|日子"
_COUNT = f"(?:[0-9]{{1,3}}|[{_FIGURE}两俩仨几半]{{1,3}})"
# Where a word of time begins that could also be the end of another: 年前, but not 三年前 or 去年前.
_OPENS = f"(?:(?<![{_HAN}0-9])|(?<=[我你他她它们咱俺就还也都是在到等从说跟和]))"


def fold(text: str) -> str:
    """Traditional forms as simplified ones; every offset stays."""
    return text.translate(_FOLD)


def _compiled(*patterns: str) -> re.Pattern[str]:
    return lazy_compile("|".join(patterns))


def _is_named_before(match: re.Match[str], before: str) -> bool:
    """一只猫……这只猫; 2026年3月1日那次; 小明这人; a name right before 那."""
    noun = match["noun"] or match["thing"]
    if noun and (noun in before or (noun == "人" and before.endswith("\ufffc"))):
        return True
    placed = rf"{_YEAR}[0-9月]*[日号]?$|\ufffc$"
    return match["open"][0] == "那" and re.search(placed, before[-14:]) is not None


def _is_dated_in_clause(match: re.Match[str], before: str) -> bool:
    return re.search(_YEAR, re.split("[，,]", before)[-1]) is not None


def _follows_clause(match: re.Match[str], before: str) -> bool:
    return re.search("[，,。；;！？\n]", before) is not None


_DATED = _compiled(_YEAR, _HABIT)
_TIMELESS = _compiled(_YEAR, _HABIT, _TASTE)

CHINESE: tuple[ContextWord, ...] = (
    ContextWord(
        lazy_compile(
            rf"(?P<open>(?:[这那](?:(?P<thing>{_NOUN})|(?:[{_FIGURE}两几0-9]{{0,2}})"
            rf"(?:[{_MEASURE}]|只(?![能好有是要])|本(?!来)|根(?!本)|回(?![来去家复]))"
            rf"(?P<noun>(?:(?![{_STOP}])[{_HAN}]){{0,2}}))"
            rf"|[呢嗰][个间只条件种部本张次度排阵啲日晚年](?:(?![{_STOP}])[{_HAN}]){{0,2}}))"
        ),
        "which one was not said",
        None,
        _is_named_before,
    ),
    ContextWord(
        lazy_compile(
            rf"(?P<open>(?:{_PART})(?:[{_FIGURE}两]{{1,3}}|[0-9]{{1,2}})点(?:{_CLOCK_END})?"
            rf"|(?<![每第点差有快{_FIGURE}百千万0-9:：.])(?:一点(?=半|钟|整)"
            rf"|(?:[二两三四五六七八九]|十[一二]?|二十[一二三四]?|1[0-9]|2[0-4]|[1-9])点"
            rf"(?!{_NO_CLOCK}))(?:{_CLOCK_END})?)"
        ),
        "of which day was not said",
        _compiled(_YEAR, _HABIT, "起床|营业|打烊"),
    ),
    ContextWord(
        lazy_compile(
            rf"(?P<open>{_PART})(?=[{_HAN}\ufffc]{{0,10}}(?:了|没|[吃喝买看做来去]的|要|得去|开会|聚餐|聚聚|出发|集合|见面|见$))"
        ),
        "of which day was not said",
        _DATED,
    ),
    ContextWord(
        lazy_compile(
            rf"(?<![年个第0-9{_FIGURE}])(?P<open>(?:1[0-2]|[1-9]|十[一二]?|[二三四五六七八九]|一(?=月[份底初]))月"
            rf"(?:份|底|初|末|[上中下]旬|(?:[0-9]{{1,2}}|[{_FIGURE}]{{1,3}})[日号]?)?)(?![饼亮球嫂经薪租供怀])"
        ),
        "of which year was not said",
        _TIMELESS,
    ),
    ContextWord(
        lazy_compile(
            rf"(?<![0-9第月零百#{_FIGURE}])(?P<open>(?:二十[一二三四五六七八九]?|三十一?|十[一二三四五六七八九]?"
            rf"|[{_FIGURE}]|3[01]|[12][0-9]|[1-9])号)(?![线楼院门店选码车机房桌位员公馆厅球电字染])"
        ),
        "of which month was not said",
        _DATED,
    ),
    ContextWord(
        lazy_compile(
            r"(?P<open>(?<![最当年])初[四五六七八九十]|(?<=大年)初[一二三]|初[一二三](?=[早晚回去开]|拜年)"
            r"|廿[一二三四五六七八九])"
        ),
        "of which month and year was not said",
        _TIMELESS,
    ),
    ContextWord(
        lazy_compile(rf"(?<![叫名吃煮包])(?P<open>{_FEAST})(?!上河图|晚会|快乐|安康|作业)"),
        "of which year was not said",
        _TIMELESS,
    ),
    ContextWord(
        lazy_compile(
            rf"(?P<open>(?:再过[多个]?|过多|(?:(?<![{_HAN}])|(?<=[等想就]))过个?){_COUNT}个?半?(?:{_LENGTH})"
            rf"|(?<![每相间阻])隔个?{_COUNT}个?(?:{_DAYS})(?![^，。；！？\n]{{0,8}}[次回趟遍])"
            rf"|{_OPENS}[前后头](?:{_COUNT}个?|些)(?:{_DAYS}))"
        ),
        "it counts from the day it was said",
        None,
        _is_dated_in_clause,
    ),
    ContextWord(
        lazy_compile(
            f"(?P<open>{_OPENS}(?:[年节][前后](?![线台])|[年月]内|年关|年根|(?:[来开]年(?![会轻龄级度货])|[转头]年))"
            "|年后(?=[换再去回搬入离开])|入[春夏秋冬伏](?:以来|之后|以后|后)?|开春|(?<=[等到])[春夏秋冬]天)"
        ),
        "of which year was not said",
        _TIMELESS,
    ),
    ContextWord(
        lazy_compile(
            f"(?P<open>{_OPENS}[赶等]?哪天(?=[我咱\ufffc去来请带再得要把给有])(?![^，。；！\n]{{0,40}}[？?吗呢])"
            f"|{_OPENS}[晚迟]些时候|这附近|附近(?=有|哪|的|新|那)|(?<![比越更太再])晚[点些](?=再|给|去|来|回|说|联)|啱啱|頭先|头先)"
        ),
        "it points at the moment or the place of the chat",
        _DATED,
    ),
    ContextWord(
        lazy_compile(rf"(?P<open>{_PART})(?=的(?:聚|会|课|局|饭|飞机|火车|高铁|票|活动|比赛|约))"),
        "of which day was not said",
        _DATED,
        _is_dated_in_clause,
    ),
    ContextWord(
        lazy_compile(f"{_OPENS}(?P<open>过后)(?!悔)"),
        "it points at another message",
        _DATED,
        _follows_clause,
    ),
    ContextWord(
        lazy_compile(r"(?P<open>也一样|同上)(?=[的啊呀吧哈~～\s]*$)"),
        "it points at another message",
        None,
        _follows_clause,
    ),
)
