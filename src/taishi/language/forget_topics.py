"""The patterns of requests to forget all about somebody or something; see `forget_requests`.

"Forget everything about Mara", "delete what you know about the merger", 把关于小敏的都忘掉. In work
on files "delete everything about the cache in utils.py" asks for something else: without a word of
memory only a name counts, and only at the end of the sentence.
"""

from __future__ import annotations

from .lazy_regex import lazy_compile

_ALL = r"(?:everything|anything|all(?: of it)?|whatever|what)"
_DELETE = r"(?:delete|remove|erase|wipe|clear|purge|drop)"
_KNOWN = (
    r"(?:that )?(?:you|taishi)(?:['’]ve| have)?(?: ever)? (?:know|remember|have|got"
    r"|stored|saved|kept"
    r"|learn(?:ed|t)|noted|recorded)(?: stored| saved| noted| in memory)?"
)
_ABOUT = r"(?:about|of|on|concerning|regarding)"
_MEMORIES = r"(?:memor(?:y|ies)|remembered facts?|stored facts?)"
_NAME = r"(?-i:[A-Z][a-zà-ÿ'’]+(?:[ -][A-Z][a-zà-ÿ'’]+){0,3})"
_SOMEBODY = rf"(?:{_NAME}|him|her|them)"
_END = (
    r"(?:[\s,]*(?:please|pls|now|again|for good|completely|entirely|forever|thanks?(?: you)?))*\W*$"
)
# What a file or a program has, not a memory.
_IN_FILES = (
    r"(?!.*(?:\b(?:in|from|out of) (?:the |this |that |our |all )?[\w./-]*(?:\.\w"
    r"|files?\b|code|repo|docs?\b|tests?\b|readme|config|branch|module|page|table|database)))"
)
TOPIC = lazy_compile(
    rf"(?i){_IN_FILES}(?:"
    rf"forget\s+(?:absolutely |completely )?{_ALL} (?:{_KNOWN} |there is )?{_ABOUT} \S"
    rf"|{_DELETE}\s+{_ALL} {_KNOWN} {_ABOUT} \S"
    rf"|{_DELETE}\s+(?:all|every|any)(?: of)?(?: the| your)? {_MEMORIES} {_ABOUT} \S"
    rf"|{_DELETE}\s+(?:everything|all|anything) (?:there is )?about {_SOMEBODY}{_END}"
    rf"|forget\s+(?:all )?about {_SOMEBODY}{_END}"
    rf"|forget\s+{_NAME}{_END})"
)
TOPIC_REPORT = lazy_compile(
    rf"(?i){_IN_FILES}(?:"
    rf"\b(?:deleted|removed|erased|wiped|cleared|purged|forgot|forgotten) (?:everything|all)"
    rf"(?: that)? (?:i|we|taishi|it|is)\b.{{0,40}}?\b{_ABOUT} \S"
    rf"|\b(?:forgot|forgotten) (?:everything|all)(?: there (?:is|was))? {_ABOUT} \S"
    rf"|\b(?:deleted|removed|erased|wiped|cleared|purged) (?:everything|all) about {_SOMEBODY}"
    rf"(?: (?:as|at|on|from|upon) .{{0,60}})?{_END}"
    rf"|\b(?:deleted|removed|erased|wiped|forgot|forgotten) (?:(?:all|the|\d+|every|both|these) )*"
    rf"{_MEMORIES} {_ABOUT} \S"
    r"|\bnothing (?:is|more is) remembered (?:about|of)\b"
    rf"|\beverything about .{{1,60}}? (?:is|was|has been) (?:gone|deleted|removed|erased"
    rf"|forgotten)\b)"
)
_RETOLD_VERB = rf"(?:forget|{_DELETE})"
TOPIC_RETOLD = lazy_compile(
    r"(?i)^\W*(?:(?:the )?user|(?!i\b)\w+) (?:(?:has )?asked|asks|wants?|wanted|requested)"
    rf"(?: (?:me|us|you|claude|that))? (?:to )?{_RETOLD_VERB} (?:everything|all|anything)"
    rf"(?: \w+){{0,4}}? {_ABOUT} {_SOMEBODY}"
)

_FORGET_ZH = "(?:忘掉|忘记|忘却|忘光)"
_DELETE_ZH = "(?:删除?掉?|删了|清除|清掉|抹去|抹掉|移除|去掉)"
WORK_ZH = (  # what is deleted in work on files
    "代码|文件|函数|接口|解析|测试|配置|模块|目录|文档|注释|日志|缓存|变量|依赖|分支|数据库|样式|组件"
    "|脚本|字段|表格|图片|页面|[._/\\\\`]"
)
_TOPIC = f"(?!.{{0,40}}?(?:{WORK_ZH}))[^，。；！？,;!?]{{1,30}}?"
_ALL_ZH = (
    "(?:一切|所有(?:的?(?:事情?|记忆|信息|内容|资料|东西))?|全部(?:的?(?:事情?|记忆|信息"
    "|内容|资料))?|事情?|记忆|记录|信息|内容|资料)"
)
_ABOUT_ZH = "(?:关于|有关)"
TOPIC_ZH = lazy_compile(
    "(?:彻底|完全|统统|全部|永远|都)?(?:"
    f"{_FORGET_ZH}(?:你)?(?:所有|全部|一切)?(?:知道的)?(?:所有|全部|一切)?{_ABOUT_ZH}(?![^。！]*了[。！]?$)."
    f"|{_FORGET_ZH}{_TOPIC}的{_ALL_ZH}\\W*$"
    f"|(?:把|将)(?:所有|全部|你知道的|你记得的)*(?:{_ABOUT_ZH}|跟|和){_TOPIC}(?:有关)?的?{_ALL_ZH}?"
    f"(?:都|全|全都|全部|统统|给我|彻底)*(?:{_FORGET_ZH}|忘了|{_DELETE_ZH})(?:了|掉|吧)*\\W*$"
    f"|{_DELETE_ZH}(?:掉|了)?(?:你)?(?:所有|全部|一切)?(?:知道的|记得的|记住的)?{_ABOUT_ZH}{_TOPIC}的?{_ALL_ZH}(?:吧)?\\W*$"
    f"|(?:别|不要)(?:再)?(?:记住|记录|记|保存|存)(?:任何)?{_ABOUT_ZH}.)"
)
TOPIC_REPORT_ZH = lazy_compile(
    f"(?!.*(?:{WORK_ZH}))(?:(?:已经?|全部|都)(?:为你|帮你|替你)?(?:把|将)?{_ABOUT_ZH}.{{1,30}}?"
    "(?:忘|删|清除|抹)"
    f"|{_ABOUT_ZH}.{{1,30}}?(?:已经?|都|全部|全)+(?:被)?(?:忘|删|清除|抹))"
)
