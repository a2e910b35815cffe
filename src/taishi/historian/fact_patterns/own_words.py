"""Extracts what the speaker says about the real world: no quotes, code, mails or hypotheses.

Facts are learned only from this. Dropping a doubtful sentence loses a fact, which is better than
learning a false one (H4, H6).
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache

from ...language import jokes, questions
from ...language.bot_commands import commands_bot
from ...language.final_particles import without_final_particles
from ...language.gate import HAN
from ...language.laughter import without_laughter, without_names_of_laughter
from ...language.quoted_text import quoted_stretches
from .refutations import without_refutations

READ_CHARS = 4000  # also keeps the patterns below cheap on hostile input
_MAIL_HEADER = (
    r"(?im)^(?:from|to|cc|subject|date|sent|发件人|收件人|抄送|主题|日期|发送时间)\s*[:：]"
)
_ROLE_LINE = rf"(?m)^[^\S\n]*[\[【]?[\w{HAN}][\w .{HAN}-]{{0,20}}[\]】]?\s*[:：]"
_FORWARDED = (
    r"(?im)^[-*\t ]*(?:original message|begin forwarded message|forwarded message|fwd?\s*:|转发"
    r"|以下是转发"
    r"|转自|原始邮件)|^on .{5,80} wrote:"
)
_TASK = (  # what follows is material to work on, not about the speaker
    r"(?i)\b(?:translat|summari[sz]|proofread|rewrit|rephras|paraphras|forward|lyric|song|poem"
    r"|stor(?:y|ies)"
    r"|novel|essay|begins? with|starts? with|example|sentence|paragraph|e-?mail|letter|message"
    r"|article|post"
    r"|review|grammar|prompt|dialogue|script|caption|headline|quote|transcript|log)\w*\b"
    r"|翻译|总结|润色|改写|校对|转发|歌词|歌里|故事|小说|作文|开头|例句|例如|比如|句子|这段|邮件"
    r"|来信|文章|日志|台词"
    r"|文案|造句|语法|聊天记录"
)
_TASK_FIRST = (
    r"(?i)^\W*(?:please |can you |could you )?(?:translate|summari[sz]e|proofread|rewrite"
    r"|rephrase|paraphrase"
    r"|fix the grammar|continue|complete|classify|analy[sz]e)\b"
    r"|^\W*(?:请|帮我|麻烦|你)*(?:把|将)?[^，。]{0,6}(?:翻译|总结|润色|改写|校对|续写|分析)"
)


def own_words(text: str, speaker: str | None = None, known: Collection[str] = ()) -> str:
    """The text without what others wrote; empty if all of it may be somebody else's. `known` are
    the people of the conversation."""
    text = _code().sub(" ", without_earlier_joke(text[:READ_CHARS]))
    for start, end in reversed(quoted_stretches(text, speaker, known)):
        text = f"{text[:start]}\n{text[end:]}"
    text = re.sub(r"(?m)^[^\S\n]*(?:>|&gt;|\|).*$", " ", text)
    if len(re.findall(_MAIL_HEADER, text)) >= 2 or len(re.findall(_ROLE_LINE, text)) >= 2:
        return ""
    if commands_bot(text) or re.match(_TASK_FIRST, text) or _is_addressed_to(speaker, text):
        return ""
    forwarded = re.search(_FORWARDED, text)
    text = text[: forwarded.start()] if forwarded else text
    text = without_refutations(_quotes().sub(_unquoted, _before_material(text)))
    return without_final_particles(text)


@cache
def _code() -> re.Pattern[str]:
    return re.compile(
        r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]{1,300}`"
        r"|<([A-Za-z_][\w-]{0,40})(?: [^>\n]{0,200})?>.*?(?:</\1>|\Z)",
        re.DOTALL,
    )


def _is_addressed_to(speaker: str | None, text: str) -> bool:
    """ "Hi Ann, …" sent by Ann is a letter that she received."""
    if not speaker:
        return False
    greeting = (
        rf"(?i)^\W*(?:hi|hello|hey|dear|亲爱的|你好"
        rf"|嗨)?[,，\s]*{re.escape(speaker)}\s*[,，:：!！\n]"
    )
    return re.match(greeting, text) is not None


def _before_material(text: str) -> str:
    """The text before a colon that introduces material to work on."""
    begin = 0  # of the sentence
    for mark in re.finditer(r"[.!?。！？\n]|[:：](?!//)", text):
        if mark[0] not in ":：":
            begin = mark.end()
        elif re.search(_TASK, text[max(begin, mark.start() - 120) : mark.start()]):
            return text[:begin]
    return text


@cache
def _quotes() -> re.Pattern[str]:
    pairs = ("「」", "『』", "“”", '""')
    return re.compile("|".join(f"{pair[0]}[^{pair}\n]{{1,400}}{pair[1]}" for pair in pairs))


def _unquoted(match: re.Match[str]) -> str:
    """Keep a quoted title or word; remove quoted speech."""
    inside = match[0][1:-1]
    speech = r"(?i)\b(?:i|i['’]m|my|me|we|you|he|she|they|is|are)\b|我|他|她|[。！？!?，]|你(?=.)"
    return " … " if re.search(speech, inside) or len(inside) > 40 else match[0]


_QUESTION = (
    r"[?？]\s*$|(?i:^\W*(?:do|does|did|is|are|am|was|were|can|could|will|would|should|have|has"
    r"|who|what|where"
    r"|when did|when do|when is|why|how|which|whose)\b)|[吗么嘛]\s*[。.!！~]*$|什么|哪里|哪儿"
    r"|哪个|哪些|几点|多少"
    r"|是不是|(?<!没)有没有|要不要|能不能|(?<!不)对不对|好不好|对吧|是吧|怎么|为何|为啥|谁(?![都也])"
    r"|(?i:,\s*right\W*$)"
)
_HYPOTHETICAL = (
    r"(?i:\b(?:maybe|perhaps|probably|i guess|suspect|apparently|seems?|not sure|if|suppose"
    r"|supposing|imagine|pretend|pretending|assume|assuming|unless"
    r"|hypothetical(?:ly)?"
    r"|let['’]?s say|let us say|say that i|wish(?:es|ed)?|as if|as though|in theory|for instance"
    r"|for example|e\.g\."
    r"|as an? (?:user|customer|admin|visitor|developer),|would|wouldn['’]t|could|might|may have"
    r"|i['’]d|almost"
    r"|nearly|role-?play|act as|in (?:my|a) dream|dreamt|dreamed|in (?:the|a|this) (?:movie|film"
    r"|game|book|story|show))\b)"
    r"|如果|要是|假如|假设|假使|倘若|万一|比方说|打个比方|就当|当作我|好比|希望我|真希望|但愿"
    r"|要不是|的话|作为用户|作为一[名个]?"
    r"|扮演|好想|差点|险些|梦见|梦到|梦里|做梦|若我|若是|怀疑|估计|好像|似乎|恐怕|不确定|可能"
    r"|也许|或许|大概|说不定|恨不得|想象"
)
_REPORTED = (
    r"(?i:\b(?:says?|said|saying|told|tells|wrote|writes|thinks?|thought|claims?|claimed"
    r"|according to|asked|asks"
    r"|heard|reads:|goes:|quote|quoting|mentioned|believes?|they call)\b)"
    r"|(?<![会能爱])说(?!话|明|英|法|日|韩|德|俄|西|粤|普|汉|中|一口|一点|点|得|实话|真的|起来"
    r"|不)|写道|告诉"
    r"|听说|据说|认为|觉得我|问我|问他|声称|转述|提到过"
)
_NOT_SERIOUS = (
    r"(?i:\b(?:lol|lmao|rofl|haha\w*|hehe\w*|just kidding|jk|obviously|yeah,? right|as if"
    r"|sarcasm|kidding|not!)\b"
    r"|^\W*(?:oh )?(?:great|wow|sure|nice|fantastic|wonderful|brilliant)\b[,!.]|^oh (?:great|how"
    r"|yes)\b|/s\s*$)"
    r"|呵呵|哈哈|嘿嘿|开玩笑|才怪|打钱|笑死|狗头|\[doge\]|[😂🤣😅🙄🙃🤡🤪😜😏]"
)


_ONLY_A_JOKE = (  # after a statement, or before it as a title
    r"(?i)(?:^|[.!?,;。！？，；]\s*)"
    r"(?:i['’]?m |i was |it was |it['’]?s |that was |just |only |a ){0,3}"
    r"(?:kidding|joking|jk|joke)\W*$|^\W*(?:joke|jokes? aside|pun)\s*[:：]"
    r"|开(?:个|了个)?玩笑(?:的|啦|呢|而已)?\W*$|^\W*(?:笑话|段子)\s*[:：]"
)
_AND_YOU = (  # a question back after a statement
    r"(?i)[,，]?\s*(?:and |so )?(?:who else|anyone else|(?:what|how) about you(?: all| guys)?"
    r"|and you|you|what do you think"
    r"|还有谁|你们?呢|大家呢|有人(?:一样)?吗|有没有一样的|有同好吗)\s*[?？]*$"
)


def without_question_back(sentence: str) -> str:
    """ "I live in Cork, who else?" → "I live in Cork"."""
    statement = re.sub(_AND_YOU, "", sentence)
    return statement if len(statement) >= 4 else sentence


def is_question(sentence: str) -> bool:
    return re.search(_QUESTION, sentence) is not None or questions.is_question(sentence)


def is_hypothetical(sentence: str) -> bool:
    """Whether the sentence is hypothetical or uncertain."""
    return re.search(_HYPOTHETICAL, sentence) is not None


def is_reported(sentence: str) -> bool:
    """Whether the sentence reports somebody else's words."""
    return re.search(_REPORTED, sentence) is not None


def is_not_stated(sentence: str, plain: str | None = None) -> bool:
    """Whether the sentence asks, supposes or reports; `plain` is it without what leads into it."""
    reported = sentence if plain is None else plain
    return is_question(sentence) or is_hypothetical(sentence) or is_reported(reported)


_DENIES_EARLIER = (
    r"(?i)^\W*(?:没有没有|没有?啦?[，,]|不是不是|不是的?[，,]|哪有|假的"
    r"|(?:no[, ]+){1,3}(?=i\b|we\b|my\b)|not really|of course not)"
)
_JOKED = (
    r"(?i)[，,。；;.!！—–\s-]+(?:(?:我|之前|刚才|上次|那是|就是|是|只是)*开(?:个|了个)?玩笑(?:的|啦|呢|而已)*"
    r"|(?:i was |that was |it was |just |only ){0,3}(?:kidding|joking|a joke))\W*$"
)


# What was made up was said before, if the words say when, or deny something: 我没女朋友，乱说的.
_ONCE_SAID = "之前|上次|昨天|前天|刚才|刚刚|那天|前面|上回|当时"
_MADE_UP = (
    rf"[，,。；;！!～~\s](?P<when>(?:我|那|都|全|是|就是|只是|随口|跟你们?|和你们?|{_ONCE_SAID})*)"
    r"(?:瞎说|乱说|胡说|瞎讲|乱讲|瞎编|吹牛|吹(?=的)|瞎扯|胡扯)(?:的|呢|而已|啦|了|哈|嘛|过)*\W*$"
    r"|(?i:[,.;!—–\s-](?:(?:i|that|it) was (?:just |only )?(?:making (?:it|that) up|showing off"
    r"|bragging|lying|talking (?:nonsense|rubbish|garbage)|exaggerating)"
    r"|i (?:just |only )?(?:made (?:it|that) up|lied|exaggerated))"
    r"(?P<then> (?:yesterday|before|earlier|last time|the other day|back then))?\W*$)"
)
_DENIES = (
    r"^\W*(?:(?:其实|啊|哎呀?|唉|好吧)[，,]?)*我?(?:其实|根本|还|才|压根|并)*(?:没(?!错)|不(?!但|仅|光|错)|哪)|^\W*其实"
    r"|(?i:^\W*(?:(?:actually|in fact|no|well|ok|okay)[, ]+)?i"
    r" (?:(?:do|am|can|have) not|(?:do|ca|have)n['’]t)\b"
    r"|^\W*(?:(?:actually|in fact|no|well|ok|okay)[, ]+)?i(?:['’]m not|['’]ve never| never| have no"
    r"| cannot)\b|^\W*actually\b)"
)


def without_earlier_joke(text: str) -> str:
    """没有没有，我还没结婚，开玩笑的: what is denied was the joke, the denial is meant."""
    if re.match(_DENIES_EARLIER, text):
        text = re.sub(_JOKED, "", text)
    made_up = re.search(_MADE_UP, text)
    return text[: made_up.start()] if made_up and _is_of_earlier(text, made_up) else text


def is_of_itself_or_earlier(text: str) -> bool:
    """Whether what was made up may be the denial itself: it counts only against what is known."""
    made_up = re.search(_MADE_UP, text)
    return made_up is not None and not _says_when(made_up)


def _is_of_earlier(text: str, made_up: re.Match[str]) -> bool:
    return _says_when(made_up) or re.match(_DENIES, text) is not None


def _says_when(made_up: re.Match[str]) -> bool:
    return bool(made_up["then"]) or re.search(_ONCE_SAID, made_up["when"] or "") is not None


# 别跟我开玩笑 asks for none, 没开玩笑 says that it is none.
_NO_JOKE = (
    r"(?:(?:别|不要|不许|不准|甭|不是|不想|少)[^，。；！!]{0,6}?|(?<!有)(?:没有?|不)(?:在|是|跟你|和你)*)开玩笑"
    r"|(?i:\b(?:not|don['’]t|never|no more|stop) (?:\w+ ){0,2}(?:kidding|joking|jokes?)\b)"
)


def is_a_joke(text: str) -> bool:
    """Whether the text says that it was not meant: "I live on Mars. Just kidding."."""
    meant = re.sub(_NO_JOKE, " ", without_laughter(text.strip()[:READ_CHARS]))
    if (made_up := re.search(_MADE_UP, meant)) and not _is_of_earlier(meant, made_up):
        return True
    return re.search(_ONLY_A_JOKE, meant) is not None


def is_not_serious(sentence: str) -> bool:
    meant = without_names_of_laughter(re.sub(_NO_JOKE, " ", sentence))
    return re.search(_NOT_SERIOUS, meant) is not None or jokes.is_joke(sentence)
