"""Decides whether a conversation contains anything worth remembering (W9)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from ..language.analyzer import terms
from ..language.bot_commands import commands_bot
from ..language.chat_markup import without_address
from ..language.courtesies import says_nothing
from ..language.jokes import is_joke
from ..language.laughter import without_laughter
from ..language.lazy_regex import lazy_compile
from ..language.questions import stated
from ..ports import ChatModel, Tool
from ..types import Job, Message
from .changes import tells_of_change
from .coerce import bool_of, line_of, texts_of
from .evidence import Evidence
from .fact_patterns import facts_by_rule
from .fact_patterns.bare_values import meant_value
from .fact_patterns.instructions import instruction_in
from .fact_patterns.omitted_subjects import tells_of_the_speaker
from .fact_patterns.own_events import tells_of_event
from .fact_patterns.two_people import lacks_other, names_other
from .next_messages import as_meant
from .prompt_loader import Prompts
from .timed_plans import names_a_plan
from .transcript import own_and_quoted, transcript

MAX_ITEMS = 8
_ITEM_CHARS = 400
_READ_CHARS = 2000
_TAUGHT_CHARS = 120
_EVERYDAY = frozenset(  # in many facts, and no subject of any
    """喜欢 不喜 现在 已经 今天 明天 昨天 时候 有点 觉得 知道 可以 因为 所以 但是 就是 不是 没有
    还是 一个 这个 那个 什么 我们 大家 自己 名字 字是 的名 要求 不要 一下 一起 真的 非常 特别 比较
    like love hate prefer want name thing time day today now year old good great work""".split()
)

# A thing of one character is known by what is done with it: 不喝酒, 最近开始喝一点酒了.
_ONE_CHARACTER = lazy_compile(r"(?:[吃喝抽碰养骑弹]|对)(?P<what>[\u3400-\u9fff])(?:过敏)?[。]?$")
_OF_CHARACTER = "[吃喝抽碰养骑弹戒对][^，。；]{{0,4}}{0}|{0}[^，。；]{{0,4}}(?:过敏|[吃喝抽碰戒])"

Known = Callable[[str], Sequence[str]]  # the facts in force about a speaker


def _nothing(speaker: str) -> Sequence[str]:
    return ()


DECIDE = Tool(
    "decide",
    "Say whether there is something to remember, and what.",
    {
        "type": "object",
        "properties": {
            "should_remember": {"type": "boolean"},
            "reason": {"type": "string"},
            "new_info": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["should_remember", "reason", "new_info"],
    },
)


@dataclass(frozen=True, slots=True)
class SalienceDecision:
    """Whether to remember, why, and what."""

    should_remember: bool
    reason: str
    new_info: tuple[str, ...] = ()


def decide(
    model: ChatModel, prompts: Prompts, language: str, messages: Sequence[Message]
) -> SalienceDecision:
    """The decision and the items to keep, in one model call. Invented items are dropped."""
    if not any(message.text.strip() for message in messages):
        return SalienceDecision(False, "nothing was said")
    chat = prompts.messages("decide", language, data={"messages": transcript(messages)})
    answer = model.structured("decide", chat, DECIDE)
    reason = line_of(answer.get("reason"), 300)
    if not bool_of(answer.get("should_remember")):
        return SalienceDecision(False, reason)
    evidence = Evidence.of_messages(messages, "", None)
    items = texts_of(answer.get("new_info"), MAX_ITEMS, _ITEM_CHARS)
    supported = tuple(item for item in items if not evidence.invented(item))
    supported = supported or decide_by_rule(messages).new_info
    return (
        SalienceDecision(True, reason, supported)
        if supported
        else SalienceDecision(False, "nothing of it was said")
    )


_KEYWORDS = {
    "preference": (
        r"\b(?:like|likes|love|loves|prefer|prefers|hate|hates|favou?rite|allergic"
        r"|can['’]t stand|don['’]t like)\b|喜欢|讨厌|偏爱|最爱|爱吃|爱喝|不吃|过敏|受不了|习惯"
    ),
    "appointment": (
        r"\b(?:appointment|meeting|meet (?:at|on|me|you)|at \d{1,2}(?::\d\d)? ?(?:am|pm)|deadline"
        r"|due|book(?:ed)?|reserv\w+|remind me|don['’]t forget)\b"
        r"|约好|约在|约了(?=\S{2})|预约|(?<![在去])开会(?!去了|中)|会议|截止|见面|提醒我|别忘了|记得"
    ),
    "plan": (
        r"\b(?:plan(?:s|ning)? to|going to|will (?:go|move|start|travel|visit|call|send)"
        r"|next (?:week|month|year)|decided|want to learn|goal)\b"
        r"|打算|计划|准备|决定|下周|下个月|明年|目标|想学"
    ),
    "relationship": (
        r"\bmy (?:wife|husband|partner|girlfriend|boyfriend|mother|mom|mum|father|dad|sister"
        r"|brother|son|daughter|friend|boss|colleague|dog|cat)\b|\b(?:married|engaged|broke up)\b"
        r"|我的?(?:妈|爸|老婆|老公|女朋友|男朋友|儿子|女儿|哥|姐|弟|妹|朋友|同事|老板|猫|狗)"
        r"|结婚|订婚|分手|离婚"
    ),
    "fact": (
        r"\b(?:i am a|i['’]m a|i live|i work|i moved|my name is|call me|my birthday|i was born"
        r"|i have an?|i own|i speak|my (?:phone|address|email)|remember (?:this|that))\b"
        r"|我叫|我是|我住|我家|搬到|我在\S{1,12}(?:上班|工作)|生日|电话是|邮箱"
        r"|我有一?[只条辆个]|我养|记住"
    ),
}


@cache
def _keywords() -> dict[str, re.Pattern[str]]:
    return {kind: re.compile(words, re.IGNORECASE) for kind, words in _KEYWORDS.items()}


def decide_by_rule(
    messages: Sequence[Message], known: Known = _nothing, bot: str = ""
) -> SalienceDecision:
    """By keywords: sentences about a person, a wish, a date or a plan, what happened to the
    speaker, what changed, ended or is denied, and what is about something known of the speaker.

    Questions, jokes and orders to the bot tell of nothing. What others are quoted to have said is
    kept with the line that tells who they are, or not at all. `bot`: the name that may stand before
    what is said to it.
    """
    kinds_by_sentence: dict[str, str] = {}
    plain = [message for message in messages if not commands_bot(message.text[:_READ_CHARS])]
    subjects = _Subjects(known)
    before = ("", "")
    for speaker, text, said in as_meant(own_and_quoted(plain)):
        for sentence in said:
            statement = without_address(stated(sentence))
            if len(statement) < 4 or is_joke(sentence):
                before = ("", "")
                continue
            if kind := _kind(statement, speaker, subjects) or _told(statement, bot):
                if before[0] == speaker and lacks_other(statement) and names_other(before[1]):
                    kinds_by_sentence.setdefault(before[1][:_ITEM_CHARS], kind)
                kept = statement[:_ITEM_CHARS] if text == sentence else text
                kinds_by_sentence.setdefault(kept, kind)
            before = (speaker, statement) if text == sentence else ("", "")
    if not kinds_by_sentence:
        return SalienceDecision(
            False, "no preference, fact, appointment, plan, relationship or change was told"
        )
    selected = list(kinds_by_sentence)[-MAX_ITEMS:]
    kinds = ", ".join(dict.fromkeys(kinds_by_sentence[sentence] for sentence in selected))
    return SalienceDecision(True, f"tells of: {kinds}", tuple(selected))


def _kind(said: str, speaker: str, subjects: _Subjects) -> str | None:
    sentence = without_laughter(said)
    kind = next((kind for kind, words in _keywords().items() if words.search(sentence)), None)
    if kind:
        return kind
    if instruction_in(sentence):
        return "instruction"
    if meant_value(sentence):
        return "correction"
    if tells_of_event(sentence) or tells_of_the_speaker(sentence):
        return "event"
    if tells_of_change(said):
        return "change"
    if names_a_plan(sentence):
        return "plan"
    if not says_nothing(sentence) and subjects.are_in(sentence, speaker):
        return "something known"
    return "fact" if _teaches(sentence, speaker) else None


def _told(sentence: str, bot: str) -> str | None:
    """小桨，以后叫我舟哥: what the bot is told to do."""
    words = without_address(sentence, bot) if bot else sentence
    return "instruction" if words != sentence and instruction_in(words) else None


class _Subjects:
    """What is known of each speaker, as words that say what it is about."""

    def __init__(self, known: Known) -> None:
        self._known = known
        self._words_by_speaker: dict[str, frozenset[str]] = {}
        self._characters_by_speaker: dict[str, frozenset[str]] = {}

    def are_in(self, sentence: str, speaker: str) -> bool:
        if speaker not in self._words_by_speaker:
            texts = self._known(speaker)
            words = frozenset(word for text in texts for word in subject_words(text))
            self._words_by_speaker[speaker] = words - frozenset(terms(speaker))
            self._characters_by_speaker[speaker] = frozenset(
                found["what"] for found in map(_ONE_CHARACTER.search, texts) if found
            )
        if not self._words_by_speaker[speaker].isdisjoint(subject_words(sentence)):
            return True
        return any(
            re.search(_OF_CHARACTER.format(character), sentence)
            for character in self._characters_by_speaker[speaker]
        )


def subject_words(text: str) -> frozenset[str]:
    """The words of a text but single characters and those that are in texts about anything."""
    return frozenset(term for term in terms(text[:_ITEM_CHARS]) if len(term) > 1) - _EVERYDAY


def _teaches(sentence: str, speaker: str) -> bool:
    """Whether the rules would learn a fact from it: what `end_turn` learns, this keeps."""
    if len(sentence) > _TAUGHT_CHARS:
        return False
    jobs = (_job(sentence, speaker, request_type) for request_type in ("private", "group"))
    return any(
        one.category != "mood" and not (one.only_against or one.leaves)
        for job in jobs
        for one in facts_by_rule(job)
    )


def _job(sentence: str, speaker: str, request_type: str) -> Job:
    return Job(
        request_id="",
        end_seq=1,
        action_summary="",
        new_info=(sentence,),
        timestamp_utc="",
        timestamp_local="",
        timezone="UTC",
        epoch=0.0,
        workspace="",
        request_type=request_type,
        user_id="",
        sender_name=speaker,
        group_id="group" if request_type == "group" else None,
        group_name="group" if request_type == "group" else None,
    )
