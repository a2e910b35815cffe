"""Chinese time expressions: the table of rules."""

from __future__ import annotations

from functools import cache

from ..spoken_days import SPOKEN_DAY
from . import chinese_builders as b
from .holidays import chinese_feasts
from .numbers import CHINESE_NUMBER as N
from .rules import DIGIT, Rule, rule

_NUMERALS = frozenset("零〇一二两三四五六七八九十百廿卅") | {DIGIT}
_UNIT = (
    "(?:秒钟?|分钟|刻钟|个?半?小时|个?半?钟头|天|日|个?半?星期|个?半?礼拜|周|个半?月|年|个?季度)"
)
_STEP = (
    r"(?!0[0-9]\s*年|[12][0-9]{3}\s*年)"
    rf"(?:{N}\s*{_UNIT}半?|半个?(?:小时|钟头|月|年|天))"
)
_A_FEW = (  # 过两天 is "in a few days"
    "[两俩]个?(?:天|日|周|星期|礼拜|月|年|季度)(?![半零又多0-9一二三四五六七八九十])"
)
_LENGTH = rf"{_STEP}(?:[又零多余]?{_STEP}){{0,5}}"
_PARTS = (
    "凌晨|清晨|早晨|早上|早间|上午|中午|正午|午后|下午|傍晚|晚上|晚间|夜里|夜晚|夜间|深夜|半夜"
    "|午夜|晏昼"
)
_SHIFT = "(?P<s>上上|下下|上|下|这|本|今(?=个))"
_SHIFTS = "上下这本今"
_WEEK = "(?:周|个?星期|个?礼拜)"
_WEEKDAY = "(?:一(?![定起直样共切般下些边律块])|[二三四五六天]|日(?![常程记期本]))(?!个|天|月)"
_MONTH = "(?:十[一二]|十|[一二三四五六七八九]|1[0-2]|0?[1-9])"
_DAY = (
    "(?:二十[一二三四五六七八九]?|三十一?|十[一二三四五六七八九]?|[一二三四五六七八九]"
    "|3[01]|[12][0-9]|0?[1-9])"
)
_FULL_YEAR = "(?:[12][0-9]{3}|[一二][零〇一二三四五六七八九]{3})"
_SHORT_YEAR = "(?:[0-9]{2}|[零〇九八七一二][零〇一二三四五六七八九])"
_ALONE = r"(?<![0-9.])(?<![零一二三四五六七八九十百])"
_NO_DIGIT = r"(?<![0-9.])"
_UPON = "上(?![班课学线映台车船飞火高岗场网街山海市门菜任传厕])"  # 昨晚上, but 今晚上班


@cache
def chinese_rules() -> tuple[Rule, ...]:
    """All rules; where two match equally far, the earlier one wins."""
    feasts = sorted(chinese_feasts(), key=len, reverse=True)
    return (
        *_day_rules(),
        *_week_rules(),
        *_month_and_year_rules(),
        *_part_rules(),
        *_length_rules(),
        *_clock_rules(),
        rule(
            rf"(?<![零一二三四五六七八九十0-9])(?<![吃煮包])(?<![吃煮包]了)(?<![王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗])(?P<f>{'|'.join(feasts)})"
            "(?!档|版|款|装|礼|树|老人|路|村|粥|蒜|月饼|快乐)",
            b.feast,
            {name[0] for name in feasts},
        ),
        *_lunar_rules(),
    )


def _lunar_rules() -> tuple[Rule, ...]:
    """A lunar date shows by its calendar's name, by 正月, 冬月, 腊月 or by 初 and 廿."""
    first = "初[一二三四五六七八九十]"
    marked = f"{first}|廿[一二三四五六七八九]?"
    later = "十[一二三四五六七八九]?|二十[一二三四五六七八九]?|三十"
    year = rf"(?:(?P<y>{_FULL_YEAR})\s*年的?)?"
    return (
        rule(
            rf"(?:农历|阴历|旧历)的?{year}(?:大年)?(?:(?P<m>正|冬|腊|{_MONTH})月)(?P<d>{marked}|{later})",
            b.lunar_date,
            "农阴旧",
            "月",
        ),
        rule(
            rf"{_NO_DIGIT}{year}(?P<m>正|冬|腊)月(?P<d>{marked}|{later})",
            b.lunar_date,
            _NUMERALS | set("正冬腊"),
            "月",
        ),
        rule(
            rf"{_NO_DIGIT}{year}(?P<m>{_MONTH})月(?P<d>{marked})", b.lunar_date, _NUMERALS, "初廿"
        ),
        rule(f"大年(?P<m>)(?P<y>)(?P<d>{first})", b.lunar_date, "大", "初"),
    )


def _day_rules() -> tuple[Rule, ...]:
    return (
        rule(
            "(?P<w>大前天|前天(?!线)|前日|后日(?!本)|[听寻琴]日|[昨今]儿个?|(?<![赶改])明儿个?"
            f"|{SPOKEN_DAY}|昨[天日]|今[天日](?!头条)|明[天日](?!之后》)|大后天"
            "|后天(?!性|形成|养成|努力))",
            b.day_word,
            "大前昨今明后听寻琴",
        ),
        rule(
            f"(?P<d>今|昨|明|前|后|当|听|寻|琴)(?P<p>(?:晚|早)(?:{_UPON})?|晨|夜里?)(?!点|已|就)",
            b.short_part,
            "今昨明前后当听寻琴",
        ),
        rule(
            "每(?:一?个?|隔[一二两三四五六七八九十0-9]*个?)(?:周|星期|礼拜|天|日|月|年|晚|小时)"
            "末?[一二三四五六日天]?",
            b.repeated,
            "每",
        ),
        rule("刚才|刚刚(?!好|才)|现在|目前|此刻|此时此刻|眼下|当前", b.now, "刚现目此眼当"),
        rule("(?<![离距])最近(?!邻|点|的|距离|端|一[次个场回]|几)|近来|近日", b.recently, "最近"),
        rule(
            rf"{_NO_DIGIT}(?:(?P<y>{_FULL_YEAR}|{_SHORT_YEAR})\s*年\s*的?\s*)?"
            rf"(?P<m>{_MONTH})\s*月\s*(?P<d>{_DAY})\s*[日号](?!线|楼|院)",
            b.month_day,
            _NUMERALS,
            "月",
        ),
        rule(
            rf"{_NO_DIGIT}(?:(?P<y>{_FULL_YEAR})\s*年)?(?P<m>{_MONTH})月"
            r"(?P<d>二?十[一二三四五六七八九]?|三十一?|[12][0-9]|3[01])(?![0-9.%一-鿿])",
            b.month_day,
            _NUMERALS,
            "月",
        ),
        rule(
            rf"{_ALONE}(?<![a-z#第每])(?P<d>{_DAY})\s*(?P<k>[日号])(?!线|楼|院|门|店|选手|码|车|机"
            "|房|桌|位|员|公|文|馆|厅|本|元|军|常|报|子|期)",
            b.day_of_month,
            _NUMERALS,
            "日号",
        ),
    )


def _week_rules() -> tuple[Rule, ...]:
    named = "周星礼"
    return (
        rule(
            rf"{_SHIFT}(?:一|个)?{_WEEK}(?P<d>{_WEEKDAY}|[1-6](?![0-9个天年月]))",
            b.weekday_in_week,
            _SHIFTS,
            named,
        ),
        rule(
            "(?:(?<=[周期拜][一二三四五六日天])|(?<![每第一二两三四五六七八九十几0-9双单]))(?:周|星期|礼拜)"
            rf"(?P<d>{_WEEKDAY}(?!周|年|岁))",
            b.weekday,
            named,
        ),
        rule(rf"{_SHIFT}?(?:一|个)?(?:周|星期|礼拜)末", b.weekend, _SHIFTS + named, "末"),
        rule(rf"{_SHIFT}(?:一|个)?{_WEEK}(?!{_WEEKDAY}|[末年岁围])", b.week, _SHIFTS, named),
        rule(
            rf"{_SHIFT}(?:一|个)?(?P<u>月|季度|(?<=个)半年)(?!份?费|球|台|亮)",
            b.shifted_unit,
            _SHIFTS,
            "月季半",
        ),
    )


def _month_and_year_rules() -> tuple[Rule, ...]:
    return (
        rule(
            "(?P<w>大前年|前年|去年|今年|明年|后年|大后年|本年度?|(?<![以一])下一年"
            "|(?<![马以一])上一年)",
            b.year_word,
            "大前去今明后本下上",
            "年",
        ),
        rule(rf"{_NO_DIGIT}(?P<y>{_FULL_YEAR})\s*年(?!代|级)", b.year, _NUMERALS, "年"),
        rule(
            rf"{_ALONE}(?P<y>0[0-9]|[零〇九八][零〇一二三四五六七八九]|9[0-9])\s*年(?!代|级|前|后)",
            b.year,
            _NUMERALS,
            "年",
        ),
        rule(
            rf"{_ALONE}(?P<y>0[0-9]|[零〇][零〇一二三四五六七八九])\s*年(?=以?之?[前后])",
            b.year,
            _NUMERALS,
            "年",
        ),
        rule(
            rf"{_NO_DIGIT}(?P<y>{_FULL_YEAR}|{_SHORT_YEAR})\s*年\s*(?P<m>{_MONTH})\s*月份?",
            b.year_month,
            _NUMERALS,
            "月",
        ),
        rule(
            rf"{_ALONE}(?<![个每小阿老])(?P<m>{_MONTH})\s*月份?"
            r"(?!\s*[0-9一二三四五六七八九十]+[日号]|大|球|亮|饼)",
            b.month,
            _NUMERALS,
            "月",
        ),
        rule(
            rf"(?P<c>上个?世纪|{N}世纪)?(?P<d>[2-9]0|[二三四五六七八九]十|[12][0-9][0-9]0)年代",
            b.decade,
            _NUMERALS | {"上"},
            "代",
        ),
        rule(rf"(?P<c>{N})世纪(?!初|中|末)", b.century, _NUMERALS, "纪"),
    )


def _part_rules() -> tuple[Rule, ...]:
    """Parts of years, months and weeks."""
    edges = "初底末旬"
    return (
        rule(
            "(?P<n>第?[一二三四1-4])季度|(?P<h>[上下前后])半年",
            b.quarter_or_half,
            "第一二三四上下前后" + DIGIT,
            "季半",
        ),
        rule("(?P<h>[上下前后])半(?P<u>个?月|周|个?星期)", b.half_unit, "上下前后", "半"),
        rule("(?P<s>[春夏秋冬])(?:天|季)", b.season, "春夏秋冬"),
        rule(
            "(?<=[月年份])的?[年月]?(?P<e>初|底|末|中旬|上旬|下旬)(?!级|恋|中|次|始|步|衷|心)",
            b.edge,
            "的年月初底末中上下",
            edges,
        ),
        rule("(?<=[月年份])的?[年月]?(?P<e>中)(?=[,、。]|$|的)", b.edge, "的年月中", "中"),
        rule(
            "(?P<u>年|月)(?P<e>初|中旬|底|末|上旬|下旬)(?!级|恋|次|步|衷|[一二三四五六七八九十])",
            b.bare_edge,
            "年月",
            edges,
        ),
        rule(
            rf"(?P<n>第{N}|最后一|头一)个?(?:(?:周|星期|礼拜)(?P<w>[一二三四五六日天])"
            "|(?P<u>周|星期|礼拜|月|季度|天))",
            b.nth,
            "第最头",
        ),
    )


def _length_rules() -> tuple[Rule, ...]:
    return (
        rule(
            rf"{_NO_DIGIT}(?P<l>{_LENGTH})"
            "(?P<k>之?前(?![往面台])|以前|之?后(?![来面台])|以后|过后)",
            b.from_now,
            _NUMERALS | {"半"},
            "前后",
        ),
        rule(
            "(?P<k>过去|最近|近|前|之前|(?<![马以一])[上下](?=[两三四五六七八九十2-9])|未来|接下来"
            rf"|今后|往后|之后|后|以后)(?:的|这)?\s*(?P<l>{_LENGTH})(?!前|后|之|以)",
            b.stretch,
            "过最近前之上下未接今往后以",
        ),
        rule(
            rf"(?:再过|过)(?!{_A_FEW})(?P<l>{_LENGTH})(?P<k>)(?=[就我你他她要能可]|[,，。]|$)",
            b.from_now,
            "再过",
        ),
        rule(rf"最[后近]\s*(?P<l>{_LENGTH})", b.last_stretch, "最"),
        rule(rf"{_NO_DIGIT}(?P<l>{_LENGTH})(?:之内|以内|内)", b.within, _NUMERALS | {"半"}, "内"),
        rule(
            "上个?(?P<l>小时|钟头|分钟)|下个?(?P<n>小时|钟头|分钟)",
            b.neighbour_hour,
            "上下",
            "时钟",
        ),
    )


def _clock_rules() -> tuple[Rule, ...]:
    hour = "(?:二十[一二三四]?|十[一二三四五六七八九]?|[零〇一二两三四五六七八九]|[012]?[0-9])"
    minute = (
        "(?:[二三四五]十[一二三四五六七八九]?|十[一二三四五六七八九]?"
        "|[零〇]?[一二三四五六七八九]|[0-5]?[0-9])"
    )
    return (
        rule(
            rf"(?<![^周期拜初十]一)(?<!^一)(?<!整)(?<!整个)(?<!半个)(?P<p>{_PARTS})(?!好|茶|觉|安)",
            b.part,
            "凌清早上中正午下傍晚夜深半晏",
            "晨早午晚夜昼",
        ),
        rule(
            "(?<=[日号天一二三四五六末])(?P<p>早(?![已安上晨间点就餐饭茶期教])|晚(?![安上间点就餐饭宴会霞班年辈期]))",
            b.part,
            "早晚",
        ),
        rule(
            rf"{_ALONE}(?<![有差])(?P<a>{hour})\s*(?P<k>点钟|点整|点|时(?![间候代常刻期机而])钟?)"
            rf"(?:(?P<q>半|[一三]刻)|(?P<b>{minute})"
            rf"(?:分(?!之|钟|享|别|手|开|析)(?:(?P<c>{minute})秒)?|(?![0-9个分点%年月天建意])))?",
            b.clock,
            _NUMERALS,
            "点时",
        ),
        rule(
            rf"{_NO_DIGIT}(?P<a>{hour})(?:点(?P<b>半)?)?\s*[到至-]\s*(?P<c>{hour})点(?P<d>半)?"
            "(?!建|意)",
            b.clock_range,
            _NUMERALS,
            "点",
        ),
    )
