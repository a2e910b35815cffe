"""Recognises standing instructions (H8): how a person wants the bot to act from now on.

"Always answer in Chinese", "when I ask for code, use type hints", 以后都用中文回答, 别再用表情了.
A one-off request ("translate this") does not count, so every pattern here says that it lasts, or is
about the manner of answering as such.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from .answer_style import style_in, style_topics
from .bot_outputs import limits_length, of_their_output
from .changed_requests import allows, with_plain_address
from .english_words import LANGUAGES, alternation
from .work_instructions import is_work_instruction

CONDITIONAL = "conditional"
FOR_ALL = "for_all"

_ACT = (  # what a bot can be told to do; excludes "never mind" and "always a pleasure"
    r"(?:answer|reply|respond|use|write|speak|talk|call|address|refer|give|send|show|include|add"
    r"|explain|cite|keep|put"
    r"|avoid|assume|format|translate|ask|tell|say|mention|start|end|begin|greet|remind|provide"
    r"|make|be|quote|check|list"
    r"|sign|apologi[sz]e|return|suggest|recommend|generate|wrap|indent|comment|name|treat"
    r"|consider|remember|spell|convert"
    r"|present|structure|follow|test|verify|double-check|confirm|warn|link|break|highlight|stick"
    r"|summari[sz]e"
    r"|interrupt|repeat|mix|switch|lecture|judge|correct|flatter|recite|reveal|spoil|share|post"
    r"|ping|mute|message|text|offer|insert|omit|skip|round|draw|render|output|print|document"
    r"|annotate|type|prefer|limit|read|draft|propose|choose|pick|set|order|sort)"
)
_OPENING = (
    r"(?:(?:please|pls|and|so|ok|okay|also|hey|but|btw|kindly|just|(?:can|could|would|will)"
    r" you(?: please)?|i(?:['’]d| would) like you to|i (?:want|need|expect) you to|i(?:['’]d|"
    r" would)? prefer"
    r" (?:that you|if you|you to)|you (?:should"
    r"|must|have to|need to)|make sure (?:to|you|that you)|remember to|try to|be sure to|\w+,(?="
    r" (?:please|always|never|don)))[ ,]+)*"
)
_FROM_NOW_ON = (
    r"(?:from now on(?:wards)?|from here on(?: out)?|going forward|in (?:the )?future|henceforth"
    r"|from today(?: on)?|for all future \w+|in all (?:your |future )+\w+|for the rest of (?:our"
    r"|this) (?:chat|conversation)s?)"
)
_CHAFF = r"(?:jok(?:e|ing)|kid(?:ding)?|teas(?:e|ing)|mak(?:e|ing) (?:fun|jokes)|flirt(?:ing)?)\b"
_LASTING_END = (
    rf"(?:{_FROM_NOW_ON}|any ?more|again|every time|each time|at all times|ever|always|by default)"
)
_MANNER = (
    rf"(?:answer|reply|respond|speak|talk|chat)(?: to me| with me| me| back)?(?: only)? in"
    rf" (?:(?:british|american|simplified|traditional|plain|simple) )?"
    rf"(?:{alternation(LANGUAGES).lower()})\b"
    r"|(?:keep|make) (?:your|the|all|all your) (?:answers?|repl(?:y|ies)|responses?|messages?"
    r"|explanations?|code)\b"
    r"|call me \w|(?:use|stick to|write in) (?:british|american|metric|imperial|simple|plain"
    r"|formal|informal|gender)\b"
    r"|(?:don['’]t|do not) (?:use (?:any )?(?:emojis?|emoticons|jargon|markdown|exclamation"
    r"|bullet)|call me|apologi[sz]e|sugar-?coat|give me spoilers|spoil)\b"
    r"|be (?:more )?(?:brief|concise|short|direct|formal|informal|polite|honest with me)\b"
)


@cache
def _english() -> tuple[re.Pattern[str], ...]:
    rows = (
        rf"{_OPENING}{_FROM_NOW_ON},? (?:please )?(?:you (?:should|must|can) )?(?:only |always "
        rf"|never |don['’]t |do not |no more |stop )*(?:ever )?{_ACT}\b",
        rf"{_OPENING}(?:always|never|don['’]t ever|do not ever|only ever) (?:ever )?{_ACT}\b(?!"
        rf" (?:a |an |the )?(?:pleasure|mind)\b)",
        rf"{_OPENING}(?:(?:don['’]t|do not|no longer|only) )?(?:ever )?{_ACT}\b(?!.*\b(?:this"
        rf"|that|it) (?:file|one|time)\b).*[ ,]{_LASTING_END}(?: please)?$",
        rf"{_OPENING}stop (?:mentioning|bringing up|talking about|suggesting|recommending) \w",
        rf"{_OPENING}stop (?:\w+ing)\b(?! (?:it|this|that|here|now)\b)(?=.*\b(?:me|my|your|you"
        rf"|messages?|answers?|replies|emojis?|in)\b)",
        rf"{_OPENING}(?:(?:when(?:ever)?|every time|each time|any ?time|as soon as) (?:i|you)|if"
        rf" i) (?:ask|show|say|send|want|request|write|give|answer|reply|mention|post|paste"
        rf"|share|explain|generate|need|talk|tell|use|make|cite|translate|review|suggest"
        rf"|recommend|code|am|do|are|don)\b[^,]{{0,80}}, ?(?:please |then |you should |you must"
        rf" )*(?:always |never |don['’]t |do not |only |also )*{_ACT}\b",
        rf"{_OPENING}(?:always |never |don['’]t |do not |only )*{_ACT}\b.{{2,80}}? (?:whenever"
        rf"|every time|each time|any ?time) (?:i|you)\b",
        rf"{_OPENING}(?:when|while|whenever) \w+ing\b[^,]{{0,60}}, ?(?:please )?(?:always |never "
        rf"|don['’]t |do not |only )*{_ACT}\b",
        rf"{_OPENING}(?:{_MANNER})",
        rf"{_OPENING}you (?:can|may) (?:just )?call me \w",
        rf"{_OPENING}{_FROM_NOW_ON},? (?:please )?(?:don['’]t|do not|never|stop|no more) {_CHAFF}",
        rf"{_OPENING}next time,? (?:please )?(?:don['’]t|do not|never) (?:{_CHAFF}|(?:call|address"
        r"|use|send me|give me|remind me|spoil)\b)",
    )
    return tuple(re.compile(rf"^(?:{row})") for row in rows)


_ACT_ZH = (
    r"(?:用|回答|回复|答|说|讲|写|叫|称呼|喊|加|附|带|给|发|提醒|解释|标|注明|引用|使用|使|采用"
    r"|保持|尽量|避免|省略|列|翻译|问|道歉|剧透|称|输出|生成|提供|推荐|假设|默认|当作|记得|先"
    r"|直接|简短|简洁"
    r"|详细|总结|检查|确认|@|艾特|打扰|催|劝|跟|和|对|把|按|以|换成|改用|改成|遵守|遵循|显示"
    r"|展示|包含|重复|评价|夸|骂|客气|啰嗦|废话|卖萌|结尾|开头|分点|署名|复制|发送|推送|画|讲解"
    r"|举例|写成|起|念|批评|建议|拒绝|偷懒|敷衍|回(?=我的?(?:消息|信息|话(?!题)|微信)|复))"
)
_FROM_NOW_ON_ZH = (
    r"(?:以后|今后|往后|从今以后|从今往后|从现在(?:开始|起)|从今天(?:开始|起)|之后|接下来|将来"
    r"|日后)"
)
# "Afterwards" is also said of one day: 之后明天再说. It lasts with a word that says so.
_AFTERWARDS_ZH = (
    "(?!(?:之后|接下来|将来|日后)(?![^。，]{0,6}(?:请|你|您|都|一律|别|不要|务必|每次|只)))"
)
_TOPIC_ZH = "(?:提(?!前|高|升|交|出|供|取|示|醒)[起到及]?|聊起?|谈论?|说起)(?![了啦吧]|$)"
# What is done to the speaker, again and again: 别老叫我宝子, 下次别给我发长图.
_TO_ME_ZH = (
    r"(?:(?:给|跟|和|对|拿|冲|管)我(?!们|[家妈爸哥姐弟妹])[^。了]{1,16}"
    r"|(?:叫|喊|称呼)我(?!去|来|起|回|吃|喝|出|上|下|玩|看|一起|别|不|做|滚|干|什么|妈|爸|了)[^，。]{1,12}"
    r"|(?:催|提醒|夸|怼|打断|艾特|@|吐槽|教育|安慰)我(?!们|[家妈爸哥姐弟妹])[^。]{0,12})"
)
_BOT_ZH = (
    r"(?:请|麻烦|拜托|你|您|千万|一定|务必|记得|记住|都|也|就|要|得|可以|能不能|希望你|我希望你"
    r"|我要你|我想让你|那|帮我|必须|应该|，|,|\s)*"
)


@cache
def _chinese() -> tuple[re.Pattern[str], ...]:
    rows = (
        rf"{_BOT_ZH}{_AFTERWARDS_ZH}{_FROM_NOW_ON_ZH}{_BOT_ZH}(?!再说|见|吧|我(?!问|让|说|要你|发|提|叫|一)|他|她|它"
        rf"|会|可能)[^。]{{0,24}}?{_ACT_ZH}(?!不完)",
        rf"{_BOT_ZH}(?:别再|不要再|不许再|不准再|甭再|少再)[^。]{{0,16}}?(?:{_ACT_ZH}|{_TOPIC_ZH})",
        rf"{_BOT_ZH}{_FROM_NOW_ON_ZH}{_BOT_ZH}(?:别|不要|不许|不准)[^。]{{0,10}}?{_TOPIC_ZH}",
        rf"{_BOT_ZH}(?:别|不要|不许|不准|甭)(?:老是?|总是?|一直|天天|整天|动不动就?){_TO_ME_ZH}",
        rf"{_BOT_ZH}(?:{_FROM_NOW_ON_ZH}|下次|下回){_BOT_ZH}(?:别|不要|不许|不准|甭)再?{_TO_ME_ZH}",
        rf"{_BOT_ZH}(?:千万|永远|绝对|一律|始终|总是|一直)(?:都)?(?:要|得|不要|别|不能|不许|用"
        rf"|使用)+[^。]{{0,16}}",
        rf"{_BOT_ZH}(?:每次|每回|每当|每逢|凡是|只要)[^。]{{1,30}}?(?:都|就|请|记得|一律"
        rf"|要)(?:请|要|得|不要|别|记得|给我|帮我|先)*[^。]{{0,4}}?{_ACT_ZH}",
        rf"(?:当|在|如果)?(?:我|你)(?:问|让你|叫你|要你|说|发|提到|写|给|请你|需要|回答|回复"
        rf"|推荐|讲|展示)[^。]{{0,24}}?(?:时候?|的话|时)[，,]?(?:你|请|就|都|要|得|不要|别|务必"
        rf"|记得|一定|先|给我|帮我)+[^。]{{0,4}}?{_ACT_ZH}",
        rf"[^，。我他她你]{{2,14}}(?:的时候|时)[，,]?(?:请|务必|记得|都要|一定要|先|不要|别)+"
        rf"[^。]{{0,4}}?{_ACT_ZH}",
        rf"{_BOT_ZH}(?:只|全程|统一|尽量|一律)?(?:使用|用)(?:简体|繁体|英式|美式)?(?:中文|英文|英语|日语"
        rf"|日文|法语|德语|韩语|粤语|西班牙语|俄语|普通话|汉语|文言文|大白话)(?:来|跟我|和我"
        rf"|给我)*(?:回答|回复|交流|说话|沟通|聊天?|解释|写)",
        rf"{_BOT_ZH}(?:回答|回复|说话|解释|代码|答案)(?:我|的时候|时|请|都|要|得|尽量|务必"
        rf"|一定)*(?:简短|简洁|详细|短一?点|精简|直接|正式|口语化|温柔|用|不要|别|带|加|附)",
        rf"{_BOT_ZH}(?:跟|和|对)我(?:说话|聊天|讲话|交流)[^。]{{0,4}}(?:不要|别|请|要|用)",
        rf"{_BOT_ZH}(?:别|不要|不许|禁止)(?:给我|跟我|对我|在[^。]{{1,10}})*(?:用表情|发表情"
        rf"|加表情|用敬语|用您|剧透|道歉|说教|啰嗦|说废话|卖萌|发语音|发提醒|用markdown|用繁体"
        rf"|叫我|提醒我)",
        r"(?:每天|晚上|早上|上午|下午|凌晨|半夜|工作日|周末|上班)[^。]{0,12}(?:不要"
        r"|别)(?:再)?(?:给我|跟我|对我)?(?:发|打|推送|提醒|@|艾特|打扰|联系)",
        r"(?:温度|单位|日期|时间|代码|变量|注释|回答|回复|价格|金额|数字|标题|答案"
        r"|文件)[^。我]{0,4}(?:一律|都|统一|始终|全部)(?:要|请)?(?:用|加|写|保留|不要|以)",
        r"^(?:你?们?(?:以后|今后)?(?:请|就|都|可以|直接)*(?:叫|喊|称呼)我)(?!去|来|起|回|吃|别"
        r"|不|做|滚|干|什么|妈|爸)[^，。]{1,12}",
    )
    return tuple(re.compile(rf"^(?:{row})") for row in rows)


_WITHDRAWN = (
    r"(?i)^(?:ok,? |okay,? |please |and |so )*(?:you (?:can|may)(?: now)? (?:"
    r"call me (?P<name>[\w'’ -]{1,30}?) again"
    r"|(?:answer|reply|respond|speak|write|use|give|send|call|mention|suggest|recommend"
    r"|talk|include|add|remind|share|show|ask) .*?\b(?:again"
    r"|in any (?:language|format)|in"
    r" whatever)|stop \w+ing)"
    r"|(?:you )?(?:don['’]t|do not|no longer) (?:have|need) to (?:always )?\w+|(?:there['’]s "
    r"|there is )?no need to (?:always )?\w+.* (?:any ?more|any longer|now)|(?:it['’]s|it is)"
    r" (?:ok|okay|fine) to \w+ .*\bagain"
    r"|feel free to \w+ .*\bagain|(?:forget|ignore|drop|cancel) (?:about )?(?:the|my|that)"
    r" .*?(?:rule|instruction|request|preference|thing about))"
)
_WITHDRAWN_ZH = (
    r"^(?:好了|行了|那|现在|你|您|以后|今后|，|,)*(?:(?:不用|不必|不需要|无需|没必要)(?:再|一直"
    r"|总是|每次)[^。]{1,20}|(?:不用|不必|不需要)[^。]{2,16}了"
    r"|可以不用?再?[^。]{1,16}了|可以(?:再|又|继续)?(?:叫|喊|称呼)我(?P<name>[^，。]{1,12}?)了|可以(?:重新|恢复|继续|随便)[^。]{1,16}|取消[^。]{0,12}(?:要求"
    r"|规则|设定|指令|限制)|恢复(?:正常|原来|默认)|用(?:什么|哪种)语言都(?:行|可以))"
)
# 算了，还是给我推荐奶茶吧: what was forbidden is allowed again.
RELENTS = re.compile(
    r"(?:^|[“\"])(?:(?:算了|好吧|行吧|那|嗯)[，,！!\s]*)*还是(?:继续|接着|可以|恢复)?"
    rf"(?:给我|跟我|和我|对我|帮我)?{_ACT_ZH}[^。]{{1,16}}"
    r"|(?i:(?:^|[“\"])(?:(?:never ?mind|actually|on second thought|ok|okay)[, ]+)+(?:please )?"
    rf"(?:do|go ahead and|you (?:can|may)) {_ACT}\b)"
)
_TOPICS = (
    (
        "language",
        rf"(?i)\b(?:{alternation(LANGUAGES)})\b|\bany language\b|(?:中|英|日|法|德|韩|俄)文|(?:英"
        rf"|日|法|德|韩|粤|俄|西班牙|汉)语|普通话|文言文|什么语言|哪种语言",
    ),
    (
        "length",
        r"(?i)\b(?:short|brief|concise|long|detailed|verbose|length|briefly)\b|简短|简洁|详细"
        r"|啰嗦|精简|废话|短一?点|长一?点",
    ),
    (
        "name",
        r"(?i)\bcall me\b|\baddress me\b|叫我|称呼我|喊我",
    ),
    (
        "emoji",
        r"(?i)\bemo(?:ji|ticon)s?\b|表情|颜文字",
    ),
    (
        "units",
        r"(?i)\b(?:metric|imperial|celsius|fahrenheit|kilomet|miles)\w*|公制|英制|摄氏|华氏",
    ),
    (
        "format",
        r"(?i)\b(?:bullets?|bullet points?|lists?|tables?|markdown|plain text|prose)\b|列表|表格"
        r"|分点|纯文本|markdown",
    ),
    (
        "spelling",
        r"(?i)\b(?:british|american)\b",
    ),
    (
        "tone",
        r"(?i)\b(?:formal|informal|casual|polite)\w*\b|正式|口语|客气|敬语|您",
    ),
    (
        "sources",
        r"(?i)\b(?:sources?|citations?|cite|references)\b|来源|出处|引用",
    ),
    (
        "reminders",
        r"(?i)\breminders?\b|提醒",
    ),
    (
        "apologies",
        r"(?i)\bapolog\w+|\bsay(?:ing)? sorry\b|道歉",
    ),
    (
        "spoilers",
        r"(?i)\bspoil\w*|剧透",
    ),
)
_CONDITION = (
    r"(?i)^\W*(?:\w+ ){0,2}?(?:when(?:ever)?|every time|each time|any ?time|if|as soon as) (?:i"
    r"|you)\b|\b(?:when|whenever|every time|each time) (?:i|you)\b"
    r"|每次|每当|每逢|凡是|只要|时候|的话"
)
_FOR_ALL = (
    r"(?i)\b(?:every(?:one|body)|all of us|this group|the group|our group|us all)\b|大家|本群"
    r"|群里|我们|咱们|所有人|各位"
)


@dataclass(frozen=True, slots=True)
class Instruction:
    """An instruction in the person's words; `topics` say which others it may replace."""

    words: str
    topics: tuple[str, ...]
    is_withdrawn: bool
    is_conditional: bool
    is_for_all: bool
    name: str = ""  # that may be used again; other instructions about names stay
    only_against: bool = False  # holds only against a known one that it contradicts


def instruction_in(sentence: str) -> Instruction | None:
    words = with_plain_address(sentence.strip(" ,，.。!！~;；?？…"))
    lowered = words.lower().replace("’", "'")
    withdrawn = re.match(_WITHDRAWN, words) or re.match(_WITHDRAWN_ZH, words)
    withdrawn = withdrawn or RELENTS.match(words) or _allowed(words)
    style = None if sentence.rstrip().endswith(("?", "？")) else style_in(words)
    is_withdrawn = style == "withdrawn" or (withdrawn is not None and style is None)
    is_lasting = any(pattern.match(lowered) for pattern in _english())
    is_lasting = is_lasting or any(pattern.match(words) for pattern in _chinese())
    is_lasting = is_lasting or is_work_instruction(lowered)
    is_instruction = is_lasting or is_withdrawn
    if style is None and (not is_instruction or _is_no_instruction(lowered)):
        return None
    return Instruction(
        words,
        tuple(
            dict.fromkeys(
                (*topics_of(words), *(of_their_output(style_topics(words), words) if style else ()))
            )
        ),
        is_withdrawn,
        re.search(_CONDITION, words) is not None,
        re.search(_FOR_ALL, words) is not None,
        (withdrawn.groupdict().get("name") or "").strip() if withdrawn else "",
        style == "asked instead" and not is_lasting,
    )


def _allowed(words: str) -> re.Match[str] | None:
    """可以发表情包了: only of what bots are asked to do or not to do."""
    what = allows(words)
    is_of_bots = what and (topics_of(what) or re.match(f"{_ACT_ZH}|{_TOPIC_ZH}", what))
    return re.match(".*", words, re.DOTALL) if is_of_bots else None


def topics_of(words: str) -> tuple[str, ...]:
    found = dict.fromkeys(topic for topic, pattern in _TOPICS if re.search(pattern, words))
    if limits_length(words):
        found["length"] = None
    return of_their_output(found, words)


def as_told(words: str) -> Instruction:
    """Of words that are known to be asked of a bot: "answers under five lines"."""
    topics = dict.fromkeys((*topics_of(words), *of_their_output(style_topics(words), words)))
    is_conditional, is_for_all = (
        re.search(pattern, words) is not None for pattern in (_CONDITION, _FOR_ALL)
    )
    return Instruction(words, tuple(topics), False, is_conditional, is_for_all)


_ENCOURAGEMENT = (
    r"\b(?:don'?t|never) (?:worry|mind|bother|give up|say never|look back|be afraid|be sorry)\b"
    r"|\b(?:don'?t|never) forget\b|\blet me know\b|\b(?:take care|be careful|be good)\b"
    r"|\blet'?s\b|别担心|别客气|不要紧|别急|别怕|再说吧|别生气|别难过"
)


_OFFER_ZH = (
    r"(?!.*(?:请|别|不要|不许))[^，。]{0,6}?(?:给|跟|陪|找|发|送|告诉|通知|带)你(?!自己|的|们)"
)
_MOVED_ZH = (  # 以后改成周六爬山 is about the appointment
    r"(?!.*(?:提醒|推送|发|播|汇报|报告|你))[^，。]{0,10}?[改换][成到在为]?"
    r"每?(?:周|星期|礼拜|月|早|晚|上午|下午|隔)"
)
_ONCE = (
    r"\b(?:this|that) (?:time|table|file|one|text|e-?mail|question|section|paragraph|function"
    r"|answer"
    r"|reply|case|list|code|message)\b|\bjust (?:this )?once\b|\bfor now\b"
    r"|这次|这回|这张|这段|这篇|这个(?:表|文件|问题|回答|函数)|暂时"
)
_FOR_GOOD = (
    r"\b(?:always|never|from now on|in (?:the )?future|whenever|every time)\b|以后|今后|每次|都"
)


def _is_no_instruction(lowered: str) -> bool:
    """Encouragement in the form of a request ("never give up"), an offer (以后给你带奶茶), or a
    one-off request."""
    if RELENTS.match(lowered):
        return False
    if re.match(_OFFER_ZH, lowered) or re.match(_MOVED_ZH, lowered):
        return True
    if re.search(_ENCOURAGEMENT, lowered):
        return True
    return re.search(_ONCE, lowered) is not None and not re.search(_FOR_GOOD, lowered)
