"""Tells whether the words before a colon name a person who speaks, or a topic: 老周：… and 提醒：….

Only what is plainly somebody is taken for a name: a topic taken for one would make the speaker's
own words somebody else's.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from .first_names import is_first_name
from .gate_chinese import SURNAMES
from .lazy_regex import lazy_compile

_HAN = "\u3400-\u9fff"
RELATIVES = (
    r"(?:妈妈?|爸爸?|母亲|父亲|爷爷|奶奶|外公|外婆|姥姥|姥爷|哥哥?|姐姐?|弟弟?|妹妹?|叔叔|舅舅|阿姨|姨妈?"
    r"|姑姑|儿子|女儿|闺女|公公|婆婆|岳父|岳母|嫂子|姐夫|表[哥姐弟妹]|堂[哥姐弟妹]"
    r"|老公|老婆|媳妇|对象|男朋友|女朋友|男友|女友)"
)
ROLES = (
    r"(?:(?:大学|高中)?(?:朋友|闺蜜|同事|同学|室友|邻居|老板|领导|上司|导师|老师|班主任|医生|大夫|护士|房东"
    r"|客户|客服|律师|中介|经理|主任|教练|组长|群主|管理员|网友|楼主|HR))"
)
_TITLES = (
    r"(?:总|工|哥|姐|叔|姨|婶|爷|董|导|队|局|老师|老板|经理|医生|大夫|主任|律师|教授|师傅|阿姨|叔叔|先生|女士"
    r"|小姐|同学|博士|校长|院长|教练|组长|部长|科长|处长|书记|护士|警官|法官|秘书)"
)
_NAMED_ZH = lazy_compile(
    rf"(?:(?:[老小阿](?![家实是早了区时学说心型米里白知记规注结贴标组程朋孩事故节费计票店吃食板师总])"
    rf"[{_HAN}](?:哥|姐|总|工)?)"
    rf"|[{SURNAMES}][{_HAN}]?{_TITLES}|[{SURNAMES}][{_HAN}]{{1,2}}|(?:我的?)?(?:{RELATIVES}|{ROLES}))"
)
# Words that begin like a surname; as labels they are topics.
_TOPICS_ZH = frozenset(
    """
王者 王牌 张家 张贴 张力 张开 刘海 陈述 陈列 杨树 黄色 黄金 黄昏 黄油 周末 周一
周二 周三 周四 周五 周六 周日 周天 周报 周会 周年 周边 周围 周期 周岁 周知 周计
周记 吴语 徐州 孙子 孙女 胡说 胡同 朱红 高中 高考 高兴 高铁 高峰 高级 高度 高血
高温 高数 高薪 高管 高三 高二 高一 高效 高质 林业 何时 何地 何况 何必 何处 何故
郭家 马上 马路 马拉 马桶 马甲 马年 马克 罗马 梁山 宋朝 宋体 郑重 郑州 谢谢 谢绝
韩国 韩语 韩剧 唐朝 唐山 唐诗 于是 于此 董事 程序 程度 曹操 许可 许愿 许多 许久
沈阳 曾经 彭博 吕梁 苏州 苏打 卢布 蒋家 蔡家 贾家 丁克 丁点 魏晋 薛家 叶子 叶酸
阎王 余额 余下 余生 余地 潘多 杜绝 戴上 夏天 夏季 夏令 夏至 钟点 钟表 汪汪 田地
田径 任务 任何 任职 任命 姜汤 姜茶 范围 范例 范文 方案 方法 方向 方便 方面 方式
方言 方针 方块 石头 石油 谭家 廖家 邹家 熊猫 金额 金融 金钱 金价 金牌 陆续 陆地
孔子 白天 白酒 白菜 白色 白班 白话 崔家 康复 毛病 毛利 邱家 秦朝 江苏 江西 江南
江湖 史料 史上 历史 顾客 顾虑 侯选 孟子 龙年 龙虾 龙头 万一 万分 万幸 万圣 段落
段子 段位 雷雨 雷区 雷达 钱包 钱数 汤圆 汤料 尹家 黎明 易错 易经 常见 常用 常识
常备 常规 常住 常驻 常州 武汉 武术 武器 乔装 乔迁 贺卡 贺词 贺岁 赖床 文件 文章
文化 文案 文科 文字 文艺 汤底 叶落 田园 石膏 江边 方圆 金鱼 金毛 熊孩 马术 马达
夏装 温州 文献 任期 任教 程式 余款
""".split()
)
_TOPIC_ENDS_ZH = frozenset("是说的了时前后中里上下间处点类型率性法")
_OTHERS_ZH = frozenset("他 她 他们 她们 人家 别人 对方 有人 某人 TA ta".split())
_OTHERS_EN = frozenset(
    """
mum mom mother dad father grandma grandpa sister brother wife husband boss teacher doctor
he she they somebody someone
""".split()
)
_TITLED_EN = lazy_compile(r"(?:Mr|Mrs|Ms|Dr|Prof)\.? [A-Z][\w'’-]{1,20}")
_HANDLE = lazy_compile(r"(?=\w*[\d_])[A-Za-z][A-Za-z0-9_]{2,24}")
_ID_BEHIND = lazy_compile(r"[(（]\d{5,12}[)）]$|<[^<>\s]{3,60}@[^<>\s]{1,60}>$")


def names_person(label: str, known: Collection[str] = ()) -> bool:
    """Whether a label is plainly the name of somebody; `known` are people of the conversation."""
    name = _ID_BEHIND.sub("", label.strip()).strip(" \t[]【】()（）*<>")
    if not name or len(name) > 40:
        return False
    if name.startswith("@"):
        return len(name) > 1
    if name in known or name in _OTHERS_ZH:
        return True
    return _in_chinese(name) if re.search(f"[{_HAN}]", name) else _in_english(name)


def _in_chinese(name: str) -> bool:
    if name[:2] in _TOPICS_ZH or not _NAMED_ZH.fullmatch(name):
        return False
    return len(name) < 3 or name[-1] not in _TOPIC_ENDS_ZH


def _in_english(name: str) -> bool:
    if name.casefold() in _OTHERS_EN or _TITLED_EN.fullmatch(name):
        return True
    words = name.split()
    if len(words) <= 3 and name[:1].isupper() and is_first_name(words[0]):
        return all(word[:1].isupper() for word in words)
    return _HANDLE.fullmatch(name) is not None and not re.fullmatch(
        "(?i)(?:v|step|day|q|p)_?\\d+", name
    )
