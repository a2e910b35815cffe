"""Sentences that each teach another fact, in both languages, and contradict none of the others."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle, product

_WHENCE_EN = "Cork Oslo Bergen Lisbon Porto Lima Quito Dakar Nice Turin".split()
_KINDS_EN = (
    "smoked salted roasted grilled pickled candied steamed frozen toasted spiced "
    "peeled braised minced curried stewed dried baked glazed stuffed chopped"
).split()
_THINGS_EN = (
    "almonds aubergines beans biscuits carrots cashews chestnuts cherries crackers dumplings figs "
    "herrings lentils mushrooms mussels noodles olives pears pretzels sardines sprouts turnips"
).split()
_SAID_EN = ("I like {}.", "I love {}.", "I can't stand {}.", "I'm allergic to {}.", "I hate {}.",
            "I collect recipes for {}.", "My sister Ida likes {}.")  # fmt: skip
_WHENCE_ZH = "四川 云南 湖南 广东 东北 山西 泉州 潮州 西安 昆明".split()
_KINDS_ZH = (
    "烤 炸 腌 蒸 冻 煎 炖 卤 熏 糖渍 凉拌 油焖 清炒 红烧 水煮 干煸 醋溜 盐焗 白灼 酱爆"
).split()
_THINGS_ZH = (
    "茄子 豆腐 莲藕 土豆 蘑菇 核桃 花生 橄榄 饺子 面条 牡蛎 带鱼 樱桃 无花果 扁豆 芦笋 萝卜 "
    "南瓜 香肠 奶酪 豌豆 蚕豆"
).split()
_SAID_ZH = ("我喜欢{}。", "我讨厌{}。", "我爱吃{}。", "我对{}过敏。", "我妹妹喜欢{}。",
            "我受不了{}。")  # fmt: skip


def english() -> list[str]:
    return _said(_SAID_EN, [f"{kind} {thing} from {whence}" for whence, kind, thing in
                            product(_WHENCE_EN, _KINDS_EN, _THINGS_EN)])  # fmt: skip


def chinese() -> list[str]:
    return _said(_SAID_ZH, ["".join(words) for words in
                            product(_WHENCE_ZH, _KINDS_ZH, _THINGS_ZH)])  # fmt: skip


def _said(forms: Sequence[str], things: Sequence[str]) -> list[str]:
    """Each thing once, so that nobody likes what he hates."""
    return [form.format(thing) for form, thing in zip(cycle(forms), things, strict=False)]
