"""Classifies the intent of a question by rules, and which kinds of records it favours (Q5).

The first rule that fits decides. The rules look for how people ask, in English and in Chinese;
a plain question about what happened fits none, and then nothing is favoured. A wrong guess costs
little, as the weights are mild.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from ..exported import IntentDecision
from ..language.lazy_regex import lazy_compile
from ..language.possessive import possessive

Intent = Literal["new_task", "follow_up", "bug", "preference", "across_agents", "other"]

# What is wanted is said early; the rest may be a pasted file.
MAX_CHARS = 400
# Longer than this it is no mere "and the second one?".
SHORT_CHARS = 24

WEIGHTS: Mapping[Intent, Mapping[str, float]] = MappingProxyType(
    {
        "new_task": {"procedure": 1.12, "fact": 1.06},
        "follow_up": {"turn": 1.1, "short_term": 1.1, "summary": 1.08, "event": 1.06},
        "bug": {"observation": 1.1, "chunk": 1.08, "event": 1.06},
        "preference": {"profile": 1.12, "short_term": 1.1, "fact": 1.08},
        "across_agents": {"procedure": 1.1},
        "other": {},
    }
)
SHARED_WEIGHT = 1.12
SHARED = "shared"  # whatever the workspace approved
# What each intent asks for. One place among the hits is for the best of these, if it is relevant at
# all; "working" and "scratchpad" are for whoever puts a prompt together.
ASKS: Mapping[Intent, tuple[str, ...]] = MappingProxyType(
    {
        "new_task": ("procedure", "fact", "scratchpad"),
        "follow_up": ("working", "scratchpad", "turn", "event", "summary", "short_term"),
        "bug": ("event", "chunk", "observation"),
        "preference": ("fact", "short_term", "profile"),
        "across_agents": (SHARED, "procedure"),
        "other": (),
    }
)
# Of these, what has a place of its own if it is nearly as relevant: the others are found in any
# case.
RESERVED: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "new_task": ("procedure",),
        "follow_up": (),
        "bug": ("chunk",),
        "preference": (),
        "across_agents": (SHARED,),
        "other": (),
    }
)
FAVOURED = frozenset(kind for weights in WEIGHTS.values() for kind in weights)


def kind_weights(intent: Intent) -> Mapping[str, float]:
    """What a record's score is multiplied with, by its kind; 1 for a kind that is not there."""
    return WEIGHTS[intent]


def decision(intent: Intent, by: str) -> IntentDecision:
    favoured = dict(WEIGHTS[intent])
    if intent == "across_agents":
        favoured[SHARED] = SHARED_WEIGHT
    return IntentDecision(intent, by, MappingProxyType(favoured), ASKS[intent])


def shared_weight(intent: Intent) -> float:
    """The same for what lives in the workspace's shared place, whatever its kind."""
    return SHARED_WEIGHT if intent == "across_agents" else 1.0


def intent_of(text: str) -> Intent:
    asked = text[:MAX_CHARS].strip().lower()
    if asked.isascii():
        return _english(asked)
    asked = asked.replace("’", "'")
    return _chinese(asked) if _CJK.search(asked) else _english(asked)


_CJK = lazy_compile("[\u3400-\u9fff]")


def _words(*alternatives: str) -> re.Pattern[str]:
    return lazy_compile(rf"\b(?:{'|'.join(alternatives)})\b")


# --- English ---

_AGENTS = _words(
    r"(?:other|another|different|which|all|all the|every) (?:\w+ )?(?:agent|bot|assistant)s?",
    # People who are called agents are called so by their trade.
    r"(?:the|our|a) (?!travel|real|estate|press|sales|ticket|booking|insurance|secret|free)\w+"
    r" (?:agent|bot)",
    r"(?:team|company|workspace)(?:'s)? (?:\w+ )?(?:convention|guideline|policy|standard|rule)s?",
    r"(?:our|project) (?:coding |naming )?(?:convention|guideline)s?",
    r"(?:everyone|anyone|someone|somebody|anybody)(?: else)? (?:on|in) (?:the|our) \w+",
    r"shared (?:memory|memories|knowledge|decision|procedure|convention|context|note)s?",
    r"(?:the|our|these) agents|(?:the|our|your) team (?:has|have|uses?|agreed|decided)",
    r"coordinator|across agents|known issues?|(?:whole|entire|for the|in the) workspace",
)
# TypeError, IOException; "error" alone is said of much, and terror is none.
_NAMED_ERROR = lazy_compile(r"error(?<=\werror)(?<!\bterror)\b|exception(?<=\wexception)\b")
_STRONG_BUG = _words(
    r"traceback|stack ?trace|segfault|segmentation fault|core dumped?|exit code|errno",
    r"(?:error|status|http|a|an) [45]\d\d|(?:permission|access) denied",
    r"50[0234]s|infinite loop|could not find|upside down",
    r"connection (?:refused|reset)|out of memory|memory leak|no such file|null pointer",
)
_BUG = _words(
    r"bugs?|buggy|errors?|exceptions?|regression|broken|glitch(?:es)?|flaky|corrupt(?:ed)?",
    r"crash(?:es|ed|ing)?|freez(?:es|ing)|hangs?|fails?|failed|failing|throws|unresponsive",
    r"stuck (?:at|on|in)|time[sd]? ?out|gets? killed|goes (?:black|blank)|blank (?:page|screen)",
    r"(?:something|what)(?:'s| is| went| goes)? wrong|wrong with|(?:so|too|very|really) slow",
    r"(?:is|are|went) down|does nothing|nothing happens|(?:dies|died) with|disappears|unexpected",
    r"wrong (?:totals?|results?|values?|output|numbers?|answers?|data)",
    r"keeps? (?:saying|getting|growing|restarting|disconnecting|showing|asking|returning)",
    r"(?:not|n't|stopped|never) (?:\w+ )?(?:work|working|load|loading|respond|responding|start)",
    r"(?:won't|can't|cannot|unable to|doesn't) (?:start|boot|open|load|compile|connect|log ?in|"
    r"log in|install|build|run|save|respond|work|show|appear|print)",
)
_PREFERENCE = _words(
    r"favou?rites?|prefer(?:s|red|ences?)?|(?:would|'d) rather|from now on|taste in|can't stand",
    r"(?:i|we|he|she|they|who) (?:also |really |just |don't |do not |doesn't |absolutely )*+"
    r"(?:like|love|hate|enjoy|dislike)s?(?! to ask| you to)",
    r"(?:do|does) (?:\w+ ){1,3}(?:like|love|hate|enjoy|dislike|usually|normally)",
    r"i (?:usually|normally|always|never|mostly|don't|tend to) (?:eat|drink|use|take|order|wear|"
    r"read|buy|work|want|drive|sleep)|how does \w+ take",
    r"(?:is|am|are|'m|'re) (?:\w+ )?into(?! an? | the | his | her | my | their )|fan of",
    r"allergic to|(?:a|am|is|i'm) (?:vegan|vegetarian)",
    r"(?:my|his|her|their) (?:usual|habits?|tastes?|preferred|go-to)",
    r"(?:always|never) (?:use|answer|reply|respond|write|call|send|give)",
    r"(?:don't|do not|stop) (?:call|use|using|calling|send|sending)|call me",
    r"(?:do|does|did) (?:\w+ ){1,3}like (?:more|better|best|most)|morning person|night owl",
    r"address me|when you (?:answer|reply|talk|write|speak)",
    r"keep (?:it|your \w+|the \w+|\w+) (?:short|brief|simple|concise|formal|informal)",
)
_WOULD_LIKE = lazy_compile(r"would (?:you|i|we) like|'d like|would like")
_COUNTS = lazy_compile(r"when|how (?:many|long|much)|which event|where|what time")
_FOLLOW_START = lazy_compile(
    r"(?:please )?(?:continue|go on|go ahead|carry on|keep going|proceed|resume|and|then|again|"
    r"more|what else|what next|what about|how about|so (?:what|then|now|how)|tell me more|say that|"
    r"same|yes|yep|no|sure|ok|okay|next|instead|which of (?:those|these|them)|are you sure|"
    r"do the same)(?:[,.!? ]|$)"
    r"|(?:is|are) (?:that|this|those) |makes sense"
    r"|(?:why|really|how so)(?: not| so)?[.!?]*$"
    r"|(?:please |can you |could you |now )*+(?:shorten|expand|simplify|rephrase|repeat|translate|"
    r"rewrite|redo|change|undo|explain|clarify|elaborate|make|do|try|say)"
    r" (?:it|that|them|those|this[.!?]*$)"
)
_FOLLOW = _words(
    r"(?:you|we) (?:\w+ )?(?:mentioned|suggested|recommended)",
    r"as (?:you|i|we) (?:just )?(?:said|discussed)",
    r"(?:you|we) (?:just|were just) \w+|i just (?:said|asked|told|sent|showed|wrote)|just now",
    r"(?:moment|minute|minutes|seconds) ago|previous (?:conversation|chat|message)",
    r"(?:that|your|the|this) (?:last|previous|earlier|above) (?:point|answer|step|message|option|"
    r"one|suggestion|example|part|question|reply|idea)",
    r"(?:the|that) (?:first|second|third|other|next|last) (?:option|one|point|step|approach|way)",
    r"what (?:did|do) you mean|(?:the|do|for) same for|pick up (?:where|from)|where we stopped",
    r"the (?:former|latter)|where were we|le(?:ft|ave) off|we were (?:discussing|talking)",
    r"(?:explain|say|repeat|show|do) (?:that|it|this)(?: \w+){0,2} again|back to (?:that|what|our)",
    r"(?:first|second|third|last) (?:thing|part)|any (?:other|more|further) (?:ideas|options)",
    r"(?:of|about|by) (?:that|this|those|these|them)(?=[?.!]*$)|what (?:comes|should i do) next",
    r"what's next|one step|expand on|last time we",
)
_TASK_VERB = (
    r"(?:write|create|build|make|draft|design|plan|set up|implement|add|generate|prepare|develop|"
    r"organi[sz]e|refactor|translate|summari[sz]e|convert|deploy|install|configure|migrate|book|"
    r"schedule|compose|draw|research|compare|fix|optimi[sz]e|rewrite|automate|review|analy[sz]e|"
    r"start|begin|port|document|rename|remove|update|improve|order|list|calculate|put together|"
    r"sketch|outline|give me an?|come up with|find me|brainstorm|prototype|integrate|edit|format|"
    r"export|import|clean up|sort|extract|suggest|recommend|invent|name|turn|check|look up|search)"
)
_REQUEST = possessive(
    r"(?:please|kindly|hey|hi|ok|okay|now|so|just|let's|let us|help me|help us|time to|"
    r"(?:can|could|would|will) (?:you|we)|(?:i|we)(?:'d| would)? (?:like|want|need|have|plan)"
    r"(?: you)? to|i'm (?:about|going|planning) to|i want|i need|we need)[ ,]++"
)
# A first word that is none of these, before "a" or "the", is a verb: "produce a table".
_NO_VERB = (
    r"(?!(?:wh\w+|how|is|are|was|were|did|do|does|has|have|had|can|could|would|will|should|i|you|he|"
    r"she|we|they|it|that|this|in|on|at|for|with|from|of|to|about|by|after|before|since|if|and|but|"
    r"or|so|not|also|like|than|as|into|over|under|all|some|any|during|until|between|because|tell|"
    r"remind|remember|forget|know|say|show|hello|thanks|through|near|\w+(?:s|ed|ing)) )"
)
_TASK = lazy_compile(
    rf"{_REQUEST}(?:{_TASK_VERB}\b|how (?:do|can|should|would) (?:i|we) {_NO_VERB}\w+|"
    rf"{_NO_VERB}\w+ (?:out |up )?(?:an?|the|this|these|our|my|me|us|some|two|three) |"
    r"(?<=want to )(?!know|ask|talk|tell|say|confirm|follow|thank|remember|hear|see)\w|"
    r"(?<=need )(?:an?|some) |(?<=want )(?:an?|some) |new (?:task|project)\b)"
)
# "What did …", "when was …": about what happened, whatever words come after.
_PAST = lazy_compile(
    r"(?:so |and |ok |okay )?(?:when|who|whom|whose|where|which|what|how)\b(?: \w+){0,3}?"
    r" (?:did|was|were|had|has|have|is)\b"
    r"|(?:did|was|were|had|has|have|would|is|are) "
)


def _english(asked: str) -> Intent:
    if _AGENTS.search(asked):
        return "across_agents"
    if _NAMED_ERROR.search(asked) or _STRONG_BUG.search(asked):
        return "bug"
    if not _PAST.match(asked) and _BUG.search(asked):
        return "bug"
    if _FOLLOW.search(asked):
        return "follow_up"
    if _PREFERENCE.search(asked) and not (_WOULD_LIKE.search(asked) or _COUNTS.match(asked)):
        return "preference"
    if len(asked) <= 2 * SHORT_CHARS and _FOLLOW_START.match(asked):
        return "follow_up"
    return "new_task" if _TASK.match(asked) else "other"


# --- Chinese ---

_ZH_AGENTS = lazy_compile(
    r"(?:其他|其它|别的|另一个|另外一?个|另一位|所有|各个|每个|哪个)的?\w{0,4}?"
    r"(?:智能体|机器人|助手|助理|agent|bot)"
    r"|(?:客服|测试|规划|编程|代码|运维|研究|评审|销售|财务|翻译|调研|写作)(?:机器人|助手|助理)"
    r"|智能体(?:的|是|给|说|怎么|有|上次|那边|之前|都|会)"
    r"|(?:团队|小组|组里|项目组?|公司|部门|全员|大家|工作区)\w{0,10}?"
    r"(?:约定|规范|惯例|规定|共识|决定|守则|已知问题)"
    r"|共享(?:的)?(?:记忆|知识|经验|流程|决定|约定)|协调(?:员|者|人)"
)
_ZH_STRONG_BUG = lazy_compile(
    r"报错|报了?个?错|[报回] ?[45]\d\d|崩溃|闪退|卡死|死机|死循环|空指针|段错误|堆栈|白屏|乱码"
    r"|\bbug\b|编译(?:失败|不过|不通过|错误)|跑不(?:起来|通|过|了)|异常"
    r"|(?<!\d)50[0234](?![\d元块人个万天米年])|内存(?:泄漏|溢出)|宕机|权限不足|死锁|锁死"
    r"|[45]\d\d ?错误|错误码"
)
_ZH_BUG = lazy_compile(
    r"(?:[打进连登装上用查存删改发收]|加载|显示|启动)不(?:开|去|上|了|出|全)|坏了|退出了|不见了|收不到|卡纸|少了|不(?:工作|管用|好使|生效|显示)"
    r"|失灵|失效|没反应|没有反应|提示\w{0,6}?(?:错误|失败)|超时|崩了|挂了|卡住|卡顿|出错|出故障|转圈|数据丢|丢数据|不能用|没生效"
    r"|(?:很|太|特别|突然|越来越)[^，。？]{0,2}[慢卡]|(?:与|和|跟|不)[^，。？]{0,4}预期|一直(?:跳转|重启|重试)"
    r"|无法(?:启动|连接|打开|登录|访问|加载|运行|安装|编译|保存|使用)"
    r"|(?:部署|构建|测试|安装|运行|登录|上传|下载|请求|更新|同步|推送|断言|导出|启动)\w{0,4}?失败"
)
_ZH_PREFERENCE = lazy_compile(
    r"喜欢(?!.{0,8}的人)|喜爱|最?爱(?:吃|喝|看|听|玩|用|穿)|讨厌|偏好|偏爱|更愿意|口味|忌口|过敏|反感"
    r"|不(?:吃|喝|爱|能吃|习惯|太能|太想)|接受不了|一律|不加(?:糖|冰|辣|葱)|受不了|宁愿|宁可|讲究|中意|青睐|素食|吃素|热衷|最爱|看重|别给我"
    r"|(?:一般|通常|平时)都?(?:喝|吃|用|点|穿|看)|习惯(?:用|喝|吃|早|晚|在|先)|我的习惯"
    r"|以后\w{0,4}?(?:都|别|不要|请|就)|别再?(?:叫我|用)|(?:请|就)(?:叫|称呼)我"
    r"|(?:说话|回答|回复)\w{0,4}?(?:简洁|简短|详细|正式|短)"
)
_ZH_FOLLOW = lazy_compile(
    r"刚才(?:说|讲|提|聊|那|的|你|我们|讨论)|刚刚(?:说|提|讲|那|你|的)|你刚"
    r"|上一?(?:条|句|个问题|个回答)|上面(?:说|提|的)|前面(?:说|提|讲)|你说的|换[个种](?:说法|方式|角度)|举个?例"
    r"|(?:上次|上回|之前|前面)\w{0,4}?(?:说|聊|讲|谈|讨论)到|(?:说|聊|讲|谈|讨论)到(?:哪|什么)"
    r"|再(?:说|讲|发|解释|来|看)一?(?:次|遍|下)|再.{1,3}一?点|上次我们|第[一二三四五六七八九十\d][点条步]"
)
_ZH_FOLLOW_START = lazy_compile(
    r"继续|接着|接下来|下一步|然后|还有|再(?:来|说|讲|详细)|所以呢|为什么呢|详细|具体(?:点|说)|展开"
    r"|[好行嗯对](?:的|吧)?[，,。]|可以[，,]|[好行嗯对](?:的|吧)?$|后来(?:呢|怎么样)|第.{1,4}呢"
    r"|那么?(?![个位些家次天款本]).{0,18}(?:呢|怎么样|怎么办|行吗|可以吗)|那个呢|那我"
)
_ZH_VERB = (
    "(?:写|做|设计|生成|创建|新建|制定|规划|整理|翻译|搭|开发|实现|部署|准备|起草|画|安排|订|预订|预约"
    "|优化|重构|分析|总结|加|添加|改写|制作|建立|配置|安装|策划|列|编写|拟|搜集|收集|修改|更新|迁移"
    "|对比|开始|推荐|起个|取个|一[个份张篇套段])"
)
_ZH_ASK = (
    "(?:请|麻烦|劳驾|帮忙|帮我|帮|替我|给我|为我|能不能|能否|可不可以|可以|你|我们|咱们|我想|我要|我需要"
    "|我打算|我准备|需要|想|要|来|现在|先)"
)
_ZH_TASK = lazy_compile(
    # Without a request before it, a verb may be part of a name: it must have an object to count.
    rf"{_ZH_VERB}(?:[一个份张篇段出好下成这]|上)|(?:写|编写|优化|重构|实现|新建|添加|修改|整理|总结|起草)"
    rf"|{_ZH_ASK}++(?:{_ZH_VERB}|[把给为].{{1,15}}?{_ZH_VERB})"
    rf"|请?[把给为].{{1,15}}?{_ZH_VERB}|(?:怎么|如何){_ZH_VERB}"
    r"|(?:.{1,20}[，,])?(?:请?帮我|请?帮忙|替我|请你|麻烦|给我)|我要(?:申请|办|学|去)"
    r"|(?![^，]{0,5}[他她昨前]).{0,12}?[写做画出列起编建拟][一几]?[个份张篇段套首]"
)
_ZH_PAST = lazy_compile(r"什么时候|何时|哪天|哪年|几号|谁|多久|多少")


def _chinese(asked: str) -> Intent:
    if _ZH_AGENTS.search(asked):
        return "across_agents"
    if _NAMED_ERROR.search(asked) or _ZH_STRONG_BUG.search(asked):
        return "bug"
    if _ZH_BUG.search(asked) and not _ZH_PAST.search(asked):
        return "bug"
    if _ZH_FOLLOW.search(asked):
        return "follow_up"
    if _ZH_PREFERENCE.search(asked):
        return "preference"
    if len(asked) <= SHORT_CHARS and _ZH_FOLLOW_START.match(asked):
        return "follow_up"
    return "new_task" if _ZH_TASK.match(asked) else "other"
