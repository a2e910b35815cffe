"""What a bot writes, and in what manner it is asked to: "answers under five lines", "commit
messages in the imperative", 提交信息用英文.

Words like these ask for nothing by themselves: who reads them has to know that they were asked for.
What is asked of commit messages says nothing of answers.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...language.lazy_regex import lazy_compile
from .english_words import LANGUAGES, alternation

MOST_CHARS = 200
_OUTPUTS = {  # by what its topics are called; "" is what is said to the person
    "": (
        r"answers|replies|responses|explanations",
        "回答|回复|答复|答案|解释",
    ),
    "commit messages": (
        r"commit (?:messages?|titles?|subjects?|descriptions?)|commits",
        r"提交(?:信息|说明|消息|记录|标题)|commit ?(?:message|信息|消息|说明)?",
    ),
    "code comments": (
        r"(?:code|inline) comments|comments in (?:the |my |your )?code|docstrings?",
        "(?:代码)?注释|文档字符串|docstring",
    ),
    "names in code": (
        r"(?:variable|function|class|method|branch|file|column|table) names?|identifiers",
        "(?:变量|函数|类|方法|分支|文件|字段|表)名称?|标识符",
    ),
    "pull requests": (
        r"(?:PR|pull request|merge request|MR) (?:descriptions?|titles?|bod(?:y|ies))"
        r"|PRs|pull requests|merge requests",
        "(?:PR|合并请求|拉取请求)(?:的?(?:描述|标题|说明))?",
    ),
    "summaries": (r"summaries", "总结|摘要"),
    "code": (r"code(?: (?:examples|samples|snippets))?", "代码示例|示例代码|代码"),
}
_OUTPUT = "|".join(english for english, _ in _OUTPUTS.values())
_OUTPUT_ZH = "|".join(chinese for _, chinese in reversed(_OUTPUTS.values()))
# Topics of which each kind of text has its own.
_OF_A_TEXT = frozenset(("language", "length", "format", "tone", "spelling", "emoji"))

_KIND = r"(?:(?:British|American|simplified|traditional|plain|simple|formal|informal) )?"
_LANGUAGE = rf"{_KIND}(?:{alternation(LANGUAGES)})"
_STYLE = (
    r"(?:the )?(?:imperative|indicative)(?: mood| form)?|(?:the )?(?:present|past) tense"
    r"|(?:the )?(?:active|passive) voice|(?:the )?(?:first|third) person|prose|plain text|markdown"
    r"|(?:full|complete|short) sentences|(?:short )?paragraphs|bullet ?points|bullets|lists|tables"
    r"|(?:lower|upper|title|sentence|camel|snake|kebab|pascal)[ _-]?case|all caps"
    r"|(?:an? |the )?conventional[ -]commits?(?: format| style)?"
)
_NUMBER = r"(?:\d{1,4}|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty)"
_UNIT = (
    r"(?:short )?(?:lines?|words?|sentences?|paragraphs?|characters?|chars|bullets?|bullet points?)"
)
_AMOUNT = rf"{_NUMBER} {_UNIT}(?: (?:each|long|or (?:less|fewer|shorter)|at most))?"
_LIMIT = (
    r"(?:under|below|within|at most|at max|up to|max(?:imum)?(?: of)?|(?:limited|kept) to"
    r"|(?:no|not) (?:longer|more) than|(?:less|fewer|shorter) than)"
)
_SIZE = (
    r"(?:very |more |less |as )?(?:short|shorter|brief|briefer|concise|terse|succinct|compact|long"
    r"|longer|detailed|formal|informal|casual|polite|friendly|direct|blunt|simple|plain"
    r"|plain-text)(?: as possible)?"
)
_PARTS = (
    r"(?:emojis?|emoticons|markdown|jargon|bullets|bullet points|lists|tables|headings|headers"
    r"|(?:type )?(?:hints|annotations)|comments|docstrings|examples|sources|citations|references"
    r"|links|apologies|disclaimers|caveats|greetings|pleasantries|filler|exclamation marks"
    r"|explanations|abbreviations)"
)
_MANNER_ONE = (
    rf"(?:only )?in (?:{_LANGUAGE}|{_STYLE})(?: only)?"
    rf"|(?:(?:to be|to stay|kept|be) )?(?:{_SIZE}(?:(?:,| and|, and| but) {_SIZE})*)"
    rf"|(?:(?:to be|to stay|kept|of|with|in) )?{_LIMIT} {_AMOUNT}|(?:in|to) {_AMOUNT}"
    rf"|with(?:out)?(?: any| the| no| more| fewer)? {_PARTS}(?:(?:,| and| or) {_PARTS})*"
    r"|as (?:bullets|bullet points|lists|tables|prose|plain text)"
)
_END = r"(?:,? (?:please|always|from now on|by default|every time|in (?:the )?future|too))*"
_MANNER = (
    rf"(?:always |to (?:always )?be (?:written )?)?(?:{_MANNER_ONE})"
    rf"(?:(?:,| and|, and) (?:{_MANNER_ONE}))*{_END}"
)
_WHOSE = r"(?:(?:all|any|every)(?: of)? )?(?:(?:my|your|his|her|their|the assistant['’]s) )?"
_ASKED_FOR = rf"(?i:{_WHOSE})(?i:{_OUTPUT}) (?i:{_MANNER})"
_BARE = lazy_compile(
    rf"{_ASKED_FOR}|(?i:{_WHOSE}{_SIZE}(?:(?:,| and|, and) {_SIZE})* (?:{_OUTPUT}){_END})"
    rf"|(?i:no {_PARTS} in {_WHOSE}(?:{_OUTPUT}){_END})"
)
_DO = r"(?i:(?:please |always |only )*)"
_THE = r"(?i:the )?"
_TOLD_TO = lazy_compile(
    rf"{_DO}(?i:keep|make|write|phrase|format|give(?: (?:me|us|him|her|them))?|provide|limit|use)"
    rf" (?:{_THE}{_ASKED_FOR}|(?i:{_WHOSE}{_SIZE}(?:,? (?:and )?{_SIZE})* (?:{_OUTPUT}){_END}))"
    rf"|{_DO}(?i:answer|reply|respond)(?i: (?:to )?(?:me|us|him|her|them|questions))?"
    rf" (?i:{_MANNER})"
)

_LANGUAGE_ZH = (
    "(?:简体|繁体|英式|美式)?"
    "(?:中文|英文|英语|日语|日文|法语|德语|韩语|俄语|西班牙语|粤语|汉语|普通话)"
)
_STYLE_ZH = (
    "(?:祈使[句式]|祈使语气|现在时|过去时|主动语态|被动语态|第[一三]人称|列表|要点|表格|纯文本|markdown|段落"
    "|完整句子|短句|[大小]写|(?:大|小)?驼峰|蛇形|下划线|敬语|口语|书面语)(?:命名法?|格式|形式|语气|风格)?"
)
_NUMBER_ZH = "(?:\\d{1,4}|[一二两三四五六七八九十百]{1,4})"
_AMOUNT_ZH = f"{_NUMBER_ZH}(?:行|句话?|个?字符?|段|个?词|条|点)"
_SIZE_ZH = (
    "(?:再|更|尽量|要|得|写得?)*"
    "(?:简短|简洁|精简|简明|详细|具体|正式|口语化|直接|[短长]一?[点些])(?:一?[点些])?"
)
_PARTS_ZH = (
    "(?:表情(?:符号|包)?|emoji|markdown|列表|表格|标题|行话|类型(?:注解|标注|提示)|注释|例子|示例|来源|出处|引用"
    "|链接|客套话?|废话|感叹号|敬语)"
)
_MUST_ZH = "(?:都|一律|统一|尽量|全部|只|要|得|应该?|需要|必须|保持|最好|始终|总是|以后|今后|能)*"
_MANNER_ZH = (
    rf"{_MUST_ZH}(?:(?:用|使用|采用|写成|以|按)(?:{_LANGUAGE_ZH}|{_STYLE_ZH})(?:来)?(?:写|书写|编写|撰写|回答|回复)?"
    rf"|{_SIZE_ZH}(?:(?:、|而且|并且|又|和)?{_SIZE_ZH})*"
    rf"|(?:不要?|不能|不得|别|不可)(?:超过|多于|长于){_AMOUNT_ZH}"
    rf"|(?:控制|限制|保持)?在{_AMOUNT_ZH}(?:以内|之内|以下|内)|(?:控制|限制)到{_AMOUNT_ZH}"
    rf"|最多(?:写|用)?{_AMOUNT_ZH}|少于{_AMOUNT_ZH}"
    rf"|(?:不要?|别|不能)(?:再)?(?:带|加|用|使用|有|含|写){_PARTS_ZH}|(?:要|得)?(?:带上?|加上?|附上?|注明){_PARTS_ZH})"
)
_WHOSE_ZH = "(?:(?:我|你|助手)的?|所有的?|把|将|给[她他我]的)*"
_ASKED_FOR_ZH = lazy_compile(
    rf"(?i){_WHOSE_ZH}(?:(?:写|起)的?)?(?:{_OUTPUT_ZH})(?:的?(?:语言|格式|长度|篇幅))?[，,]?{_MANNER_ZH}"
    rf"(?:[，,、]?(?:并且?|而且)?{_MANNER_ZH})?"
    rf"|(?i:{_WHOSE_ZH}{_MUST_ZH}(?:用|使用|以)(?:{_LANGUAGE_ZH}|{_STYLE_ZH})(?:来)?(?:写|书写|编写|撰写|起|做)(?:{_OUTPUT_ZH}))"
    rf"|(?i:{_MUST_ZH}(?:用|使用)(?:{_LANGUAGE_ZH})(?:来)?(?:回答|回复)(?:[她他我]|问题)*)"
)
_OF_OUTPUT = {
    name: lazy_compile(rf"(?i)\b(?:{english})\b|(?<![A-Za-z])(?:{chinese})(?![A-Za-z])")
    for name, (english, chinese) in _OUTPUTS.items()
    if name
}
_LIMITS_LENGTH = lazy_compile(
    rf"(?i)\b{_LIMIT} {_AMOUNT}|\b(?:in|to) {_AMOUNT}"
    rf"|(?:超过|多于|长于|[在到]|最多(?:写|用)?|少于){_AMOUNT_ZH}"
)
_OF_ANSWERS = lazy_compile(
    rf"(?i)\b(?:{_OUTPUTS[''][0]}|answer|reply|respond|speak|talk)\b|{_OUTPUTS[''][1]}"
)


def is_asked_for(words: str) -> bool:
    """Whether the words are something that a bot writes and how: "answers in Chinese"."""
    text = words[:MOST_CHARS]
    return bool(_BARE.fullmatch(text) or _ASKED_FOR_ZH.fullmatch(text))


def is_told_to(words: str) -> bool:
    """Whether the words tell a bot how to write something: "keep answers under five lines"."""
    text = words[:MOST_CHARS]
    return bool(_TOLD_TO.fullmatch(text) or _ASKED_FOR_ZH.fullmatch(text))


def limits_length(words: str) -> bool:
    """ "Under five lines", 不超过五行."""
    return _LIMITS_LENGTH.search(words[:MOST_CHARS]) is not None


def of_their_output(topics: Iterable[str], words: str) -> tuple[str, ...]:
    """The topics, of one kind of text if the words name one: the language of commit messages is
    another matter than that of answers."""
    text = words[:MOST_CHARS]
    named = [name for name, pattern in _OF_OUTPUT.items() if pattern.search(text)]
    if not named or _OF_ANSWERS.search(text):
        return tuple(topics)
    return tuple(f"{one} of {named[0]}" if one in _OF_A_TEXT else one for one in topics)
