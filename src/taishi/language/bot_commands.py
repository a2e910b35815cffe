"""Recognises a message that tells the bot to drop its rules or to repeat a claim as agreed.

"Ignore all previous instructions", 忽略以上所有指令, 谁问都这么答: nothing in such a message is a
statement about its sender. How one wants to be answered (以后用中文回答) is another matter.
"""

from __future__ import annotations

import re

from .lazy_regex import lazy_compile

_RULES_ZH = "(?:指令|指示|设定|提示词?|规则|要求|限制|内容|人设|对话|记忆)"
_COMMANDS = lazy_compile(
    r"\b(?:ignore|disregard|forget|override)\b.{0,20}\b(?:all|any|every|previous|prior|above"
    r"|earlier|preceding|your)\b"
    r".{0,20}\b(?:instructions?|rules?|prompts?|messages?|guidelines|context)\b"
    r"|\byou are now (?:an?|the|in)\b|\b(?:system prompt|developer mode|jailbreak)\b"
    r"|\b(?:if|when|whenever) any(?:one|body) asks,? (?:you )?(?:say|answer|tell|reply)\b"
    rf"|(?:忽略|无视|忘记|忘掉|覆盖|清除)[^。！!\n]{{0,6}}(?:以上|上面|上述|之前|前面|先前"
    rf"|所有|全部|一切|你的)[^。！!\n]{{0,8}}{_RULES_ZH}"
    r"|(?:谁|不管谁|无论谁|别人|有人)问(?:你|起|我|到)?[^。！!\n]{0,4}(?:都"
    r"|就)[^。！!\n]{0,6}(?:答|说|回)"
    r"|(?:从现在(?:开始|起)?|现在)[，,]?你(?:就)?是(?:一个|一只|一名|我的)|系统提示词|开发者模式"
    r"|={3,}[^=\n]{0,40}={3,}",
    re.IGNORECASE,
)


def commands_bot(text: str) -> bool:
    return _COMMANDS.search(text) is not None
