"""Words that follow "the password is" in ordinary talk and are no password."""

from __future__ import annotations

EVERYDAY = frozenset(
    "yes no unknown missing empty blank hidden invalid valid wrong incorrect correct right expired "
    "weak strong short long needed mandatory secret safe secure known lost reset set unset changed "
    "same different too not very now still also never always only a an the in on what that this to "
    "your my his her our their here there important simple easy hard fine good bad ok okay private "
    "public unique default tbd n/a na see click enter type use based field input terrible stupid "
    "awful great gone broken stuck old new dead late early bigger better worse longer shorter "
    "complicated obvious cool nice weird random funny ridiculous annoying crazy tough rubbish "
    "useless generic common trash garbage written stored saved up down off out back working ready "
    "done it if when where why how who because something anything nothing everything somewhere "
    "everywhere and or but so as at by for from of with without within than then just probably "
    "maybe usually basically actually really pretty quite enough more less most least all both "
    "each every some any many few one two three four five six seven eight nine ten".split()
)
WORD_ENDINGS = ("ed", "ing", "able", "ible", "ary", "ory", "less", "ful", "ous", "ier")
# How a sentence about a password goes on in Chinese: 密码是不是…, 密码：请联系…
CHINESE_PROSE = (
    "请不未无没忘是需要已见同由的什吗呢太很可会应在有和与及或被怎哪谁为找重设"
    "每随多你我他她写贴放问用努坚"
)
# 财富密码, 成功的密码: a recipe.
_RECIPES = ("财富", "流量", "通关", "幸福", "成功", "爆款", "健康", "长寿")
FIGURATIVE = (*_RECIPES, *(f"{word}的" for word in _RECIPES))
