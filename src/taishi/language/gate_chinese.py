"""Chinese words that lose their meaning out of context.

Chinese has no spaces, so a gate word counts only where no longer word holds it: 他 in 吉他 is no
pronoun, 现在 in 出现在 is no time. The scan eats the longest word it knows at each place; words
listed only to be eaten whole are in `_ZH_PLAIN`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from .gate_faults import Reason
from .spoken_days import SOME_DAY, SPOKEN_DAY

HAN = "\u3400-\u9fff"
_ZH_FOLD = str.maketrans(  # traditional forms of the characters below
    "現這裡裏剛後當邊們個週幾兩點發處體實會時經機頻來線證說聰內妳牠祂與號節結開術畢業變聲離鐘兒趕",
    "现这里里刚后当边们个周几两点发处体实会时经机频来线证说聪内你它它与号节结开术毕业变声离钟儿赶",
)
_ZH_PRONOUNS = """
我俩 你俩 他俩 她俩 咱俩 我仨 你仨 他仨 佢 佢哋 我哋 你哋 我们 咱们 俺们 你们 您们 他们 她们 它们
我 咱 俺 你 您 他 她 它 这位 那位
"""
_ZH_TIMES = """
尋日 寻日 琴日 噚日 聽日 听日 前晚 后晚
今天 今日 今儿 今早 今晨 今晚 今夜 今年 今春 今夏 今秋 今冬 昨天 昨日 昨儿 昨晚 昨夜 昨晨 前天
大前天 明天 明日 明儿 明早 明晨 明晚 明年 后天 大后天 后年 去年 前年 大前年 刚才 刚刚 刚 方才 现在
如今 目前 眼下 稍后 待会儿 待会 等会儿 等会 等一会儿 过会儿 过一会儿 最近 近来 近日 近期 不久前
前不久 前几天 前两天 前些天 前些日子 前阵子 前一阵子 前一阵 前段时间 前一段时间 前段日子
这阵子 这几天 这两天 近几天 近两天 近些天 这段时间 过几天 过两天 改天
"""
_ZH_PLACES = "这里 那里 这儿 那儿 这边 那边 本地 当地 本群 本频道 此处 此地 这个群 那个群 这个频道"
# Eaten whole: words that hold a gate word, and words whose last character could begin one.
_ZH_PLAIN = """
自我 忘我 无我 敌我 超我 我行我素 唯我独尊 舍我其谁 时不我待 尔虞我诈 卿卿我我 你死我活 你来我往
你追我赶 你情我愿 物我两忘 来自 亲自 独自 各自 擅自 出自 暗自 迷你 尤其 极其 其他 其它 吉他 他者
他汀 他山之石 他加禄 他妈的 利他 排他 无他 别无他 另有他 作他用 维他命 维他奶 马耳他 犹他 达科他
头孢他啶 他莫昔芬 他达拉非 他克莫司 安排 编排 胜利 顺利 权利 福利 便利 有利 流利 她时代 她综艺
这位置 那位置 这位数 今日头条 今日说法 今日资本 今日美术馆 昨日重现 明日方舟 明日之后 明日之子
明日之星 明日黄花 明日香 明天系 聪明 光明 透明 黎明 清明 昆明
前天津 后天性 后天免疫 后天习得 后天形成 后天培养 后天因素 后天环境 前年均
后年均 后年薪 前年薪 后年产 后年收 之后 以后 最后 然后 随后 今后 背后 午后 饭后 皇后 此后 先后
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
    r"(?<=[玩服戏])我的世界|我的世界(?![里中观都只很没变崩塌因从不太是完毁就充])|他人(?![很呢在不挺真])|他国(?![庆内外籍语家])|他日(?![子常语本均])",
    r"他方(?![便案向才法])|他处(?![理于在事境分罚方])|他律(?!师)|他杀(?=案|的|[，。、]|$)",
    r"[说证声文发表注查指阐简]明(?!天(?![气空然花])|年(?![龄轻纪代份级])|[早晚]|日(?!期))",
    r"他乡(?!下)|后天努力(?![学工])|他信(?=政府|派|家族|集团)|她经济(?!独|困|条|上|状|压|学|系)|她力量(?![大小不])",
    r"明天生(?![日效])|明天赋|明天天(?![气空津黑亮冷热])|明年(?:龄|轻|级|薪|纪(?!念))|明儿[子童女]",
    r"雨后(?!天(?![晴空气])|年)|(?<=[小晓阿])明(?=[天日早晚年儿])|先天[与和或及、，]?后天|前天线(?![上下路])",
    r"刚度(?![过假])|刚体(?![验检])|当地铁(?!路)|当地球(?![队迷员场赛])|当地面(?![包积临条食])",
    r"[当本]地图(?!书)|此处(?:理|分|罚|境|于|置)|[上下本]周期|[这那]群(?!里)",
    r"本地(?=化|部署|[大小]?模型|语言模型|文件|缓存|环境|服务|运行|开发|存储|仓库|数据|变量|磁盘|硬盘)",
    r"本地(?=网络|主机|机房|端口|调试|测试|编译|构建|安装|分支|代码|推理|向量|索引|优先|备份|日志|路径|目录|账户)",
    r"[到至]本地(?![\u3400-\u9fff])|(?<=[\u3400-\u9fff\ufffcA-Za-z0-9])(?:本人|日前)",
    r"(?:[0-9]{4}|[〇零一二三四五六七八九]{4})年|[0-9一二三四五六七八九十]{1,3}月(?:[0-9]{1,2}[日号])?",
)
_ZH_PLAIN_SAYINGS = (  # 你 is nobody in these
    rf"(?<![{HAN}])你(?:[看瞧想说](?=[，,])|说(?=这(?:叫|算|人|事|都)|[气怪巧烦逗]不|是不是)"
    r"|懂[的得](?![\u3400-\u9fff])|知道[吗吧](?=[，。,.？?！!]|$)|情我愿)"
    rf"|我的(?:老?天(?![{HAN}]*[气空])|妈呀|乖乖)|(?<![{HAN}])我(?:[去靠擦晕]|勒个去?)(?=[，,！!。~～\s]|$)"
)
_ZH_LATER = (
    r"(?<![每个满岁圆])(?:月[底初末]|月中(?!旬|国|学|心))|(?<![每个])年(?:[底末]|[初中](?![\u3400-\u9fff]*级))"
    r"|(?<![每个逢小老])(?<![日号]的)周末(?!都|愉快|快乐"
    r"|一般|通常|[总经]?常|总是|喜欢|爱|习惯|基本|大多|不?上班|不?加班|版)|[上下](?:次|回)(?!数(?!学)|[序品于合])"
    r"|回头(?![率客路看草车是一望见])|改日"
    rf"|{SOME_DAY}|{SPOKEN_DAY}|这[几两]年(?!级)来?"
    r"|(?<![了等过好坐睡玩])一会儿?(?=[去再就要见来回到给把跟和])|到时候?|届时|过(?:阵子|些(?:天|日子|时候)|一?段(?:时间|日子)|一?阵)|早些时候|不久后"
)
_ZH_THEN = (  # passes after a date: it points into the text
    r"那(?:天(?![津气空生才使堂鹅花文分]|下[第无])|[晚夜](?![餐饭霞辈会宴])|年(?![轻龄纪级])|时候?(?![间刻髦尚速区代])|会儿|阵子|段时间)"
    r"|当(?:时(?![间刻区代髦尚])|天(?![线空气津使才]|下[第无])|晚|年(?![轻龄纪级]))"
)
_ZH_NEAR = r"(?<![^，。！？；：、\s在住去到就逛找从])附近|老地方|[这那]个?地方"
_ZH_SLANG_I = (  # 偶, 窝 for 我, only before what a person does
    rf"(?<![{HAN}])[偶窝](?=也|觉得|想|要|喜欢|不想|不要|是|的|真的|今天|昨天|明天|知道|以为|认为)"
)
_ZH_PERIOD = (
    r"(?:上上|下下|上|下|本|这)个?(?:(?:周|星期|礼拜)(?:末|[一二三四五六日天](?![起直样定般]))?"
    r"(?![期刊边围])|季度|学期)|(?:(?:上上|下下|上|下)个?月|本月|这个月)(?![份球亮经])"
)
_ZH_PLAIN_FIRST = (
    "说证声文发表注查指阐简你您我他她明先后前刚当本此上下这那到至日0-9〇零一二三四五六七八九十"
    "月年周回改届过早不附老偶窝雨赶大"
)
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
    plain = f"(?=[{_ZH_PLAIN_FIRST}])(?:{'|'.join(_ZH_PLAIN_PATTERNS)}|{_ZH_PLAIN_SAYINGS})"
    return re.compile(
        f"(?=[{''.join(by_first)}{_ZH_PLAIN_FIRST}{_ZH_FIGURES}])(?:(?P<plain>{plain})"
        f"|(?P<ago>{_ZH_AGO})|(?P<span>{_ZH_PERIOD})|(?P<this>{_ZH_BARE_THIS})"
        f"|(?P<slang>{_ZH_SLANG_I})|(?P<near>{_ZH_NEAR})|(?P<later>{_ZH_LATER})"
        f"|(?P<then>{_ZH_THEN})"
        f"|{words})"
    )


def chinese_words(masked: str) -> Iterator[tuple[Reason, int, int]]:
    text = masked.translate(_ZH_FOLD)
    reasons = _chinese_reasons()
    for match in _chinese().finditer(text):
        kind, start = match.lastgroup, match.start()
        if kind is None:
            word = match[0]
            reason = reasons[word]
            if reason and not (word in "最近刚" and _is_other_sense(word, text, start)):
                yield reason, start, match.end()
        elif (reason := _REASONS.get(kind)) and not _is_anchored(kind, text, start):
            yield reason, start, match.end()


_REASONS: dict[str, Reason] = {
    "this": "pronoun",
    "slang": "pronoun",
    "near": "relative_place",
    "span": "relative_time",
    "ago": "relative_time",
    "later": "relative_time",
    "then": "relative_time",
}


def _is_anchored(kind: str, text: str, start: int) -> bool:
    """Whether the text itself says from when: 会议两小时后, or a date before 当时."""
    if kind == "ago":
        return re.search(_ZH_EVENT, text[max(0, start - 12) : start].rstrip()) is not None
    return (
        kind == "then"
        and re.search(r"\d[年月日]|\d{4}-", text[max(0, start - 80) : start]) is not None
    )


_ZH_OPENS = "(?:^|[，。；！？,;!?\\s]|[对跟和与给像让])$"
_ZH_ANY_SUCH = (
    f"[{HAN}]{{1,6}}?的(?:(?:新)?(?:人|朋友|同学|同事|孩子|学生|情侣|夫妻|小孩|宝宝|婴儿)(?!了)"
    f"|[{HAN}]{{1,4}}?(?:都|总|往往|一般|通常|容易|会))"
)


def _is_other_sense(word: str, text: str, start: int) -> bool:
    """刚 as the end of a name, 最近 as "nearest"."""
    end = start + len(word)
    before, after = text[max(0, start - 14) : start], text[end : end + 8]
    if word == "最近":
        nearest = r"的?(?:地铁|车站|医院|超市|机场|城市|出口|加油站|路线|便利店|药店|邻)"
        from_there = r"[离距靠][^，。；！？,;!?\n]*$"
        return bool(re.search(from_there, before) or re.match(nearest, after))
    named = rf"[小阿志建永卫]$|(?:^|[^{HAN}]|[和跟与找给对是])[{SURNAMES}]$"
    if re.search(_ZH_OPENS, before) and re.match(_ZH_ANY_SUCH, text[end : end + 16]):
        return True  # 刚认识的人会觉得…: whoever that is, whenever
    return not re.match(f"[{HAN}]", after) or bool(re.search(named, before[-2:]))
