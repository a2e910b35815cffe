"""没 before a verb tells of what was not done, before a noun of what there is none of: 周六没出门,
周六没车位. The second has no tense, nor has its 了; the same holds for 有: 周六有事了. In English
what somebody reports is in the past tense whenever it holds: "he said there was no bed on Friday".
"""

from __future__ import annotations

import re

from ..lazy_regex import lazy_compile

# What one has or has not done. Booking is not among it: 周六没抢到票 is told before that Saturday.
_VERBS = (
    "[去到来回出进起上下睡吃喝做写读看听玩跑跳走坐站开停发寄送收接打拿带给换洗穿见碰遇赢输陪批理练唱喊管抽动养救掉哭笑疼痛咳吐骂吵醒躺"
    "歇等赶追逃躲帮教背记懂找修擦扫拖晒煮炒剪刷骑游爬钓踢签付还借存取提转拍录传删改填答能敢再"
    "关挤敲拆装弄搞拉推丢断变涨跌用劝骗偷哄遛喂逛淋浇种投捡扔交搬飞]"
    "|买(?!到|着|[^，,。]{0,3}票|卖|家)|怎么(?!样)|咋|好好|太(?!阳)|参加|通过|休息(?!室|区|日)|加班|迟到|旷课|完成|坚持|成功"
    "|刮风|生[气病]|失眠|熬夜|感冒|锻炼|运动(?![会场员])|学习|复习|过来|过去|遵守|影响|耽误|赶上"
)
_NOUNS = (  # begin like a verb
    "[去住出]处|来[源由电]|回[应音程]|出[租口息路入席]|进[展度口]|上[限铺座下]|下[文限铺午]|[吃喝玩穿住坐用看做写读听带]的|吃饭的"
    "|看[台头点]|听[说众力]|玩[具头]|跑道|走道|坐[票位]|站[票台位]|开[水关放课班通设场]|停[车机][位场坪]|发[票言货车]|送[货餐]"
    "|收[入费据成音款]|接[送待驳]|打[印车折烊]|洗(?:手|衣[机房液])|陪[练护同]|理[由发]|练习|管[理道]|抽[奖屉纸]|动[车静作力机]"
    "|救[援护]|等级|帮[手助]|教[室练材师授]|背[景包]|记[录者忆]|修理|拍[摄档]|录[音像]|传[单真]|答[案辩]|骑手|游[客戏]|游泳[馆池]"
    "|签[证售名]|存[货款粮]|提[示前]|转[机播]|给力|能[力量]"
    "|关[系门的]|装[备修]|推[荐送]|断[点水]|变[化动]|用[处户品电]|投[影票资]|交[通情集流]|飞机"
)
_DOES = f"(?={_VERBS})(?!{_NOUNS})"
NOT_DONE = f"(?<!有)没{_DOES}|(?<!有)没有{_DOES}(?![^，,。]{{0,6}}的)"
_LACKS = lazy_compile(f"(?<!有)没(?!{_DOES}|有{_DOES}|错|准备|关系)")
_NO_LONGER = lazy_compile(
    f"((?<!有)没(?!{_DOES}|有{_DOES})[^，,。]{{0,8}}?|(?<!没)有(?![了过人点些约])[^，,。]{{1,4}})了(?=[啊呀哦哈吧嘛呢]?$)"
)
_STRONG = frozenset("会 要 将 打算 准备 计划".split())

_REPORTED = lazy_compile(
    r"\b(?:said|told|heard|wrote|replied|explained|announced|mentioned|thought)\b[^.;!?]{0,60}?"
    r"\b(?:there (?:was|were)|(?:was|were) (?:not )?(?:free|available|full|fully|closed|open|booked"
    r"|busy|off)|(?:wasn|weren)['’]?t|didn['’]?t have|had no"
    r"|had (?:an?|the|another|some|two|three) "
    r"|(?:was|were) no)\b"
)
_REMAINING = lazy_compile(
    r"\b(?:no|not|any|some|few|many|much|only|one|two|three|\d{1,4}|nothing|none|is|are)"
    r" (?:[a-z]+ ){0,3}left\b"
)


def lacks(clause: str) -> bool:
    """Whether a clause says what there is none of."""
    return _LACKS.search(clause) is not None


def without_change(clause: str) -> str:
    """周六没场地了 → 周六没场地: here 了 says that it is so by now."""
    return _NO_LONGER.sub(r"\1", clause)


def is_sure_to_come(found: re.Match[str]) -> bool:
    """Whether a word for what is to come says so of what there is none of, too: 周六没人会来."""
    return found[0] in _STRONG


def is_reported_state(before: str) -> bool:
    """Whether the English words before a day report how something is, in the past tense."""
    return _REPORTED.search(before) is not None


def without_remaining(text: str) -> str:
    """ "No tickets left": nobody left."""
    return _REMAINING.sub(" ", text)
