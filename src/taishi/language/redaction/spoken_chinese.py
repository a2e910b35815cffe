"""Secrets said in Chinese: 密码是…, wifi密码…, 验证码…, …是我的密码, 助记词：…

The words around a value are Chinese and the value is mostly not, so the value is the run of ASCII
characters that follows the name and its link. Where the value is Chinese as well, only a colon,
quotes or the word 口令 tell it from a sentence about passwords.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .everyday_words import CHINESE_PROSE, FIGURATIVE
from .placeholders import is_placeholder
from .spoken_codes import more_numbers
from .spoken_english import second_guess
from .value_shapes import looks_chosen, looks_like_key

Span = tuple[int, int, str]

_PASSWORDS = "密码|口令|密令|通行码|账密|帐密"
_CODES = (
    "验证码|校验码|动态码|动态密码|提取码|取件码|取货码|安全码|pin码?|cvv2?码?|cvc|确认码|登录码|"
    "后三位|解锁码|开门码|动态口令|备用码|备份码|恢复码|救援码|短信码|短信里?的码|收到的码|发来的码|验证器|puk码?|一次性密码|门禁码|开锁码"
)
_KEYS = "密钥|秘钥|私钥|令牌|授权码|激活码|token|(?<![a-z])key|序列号密钥|凭证"
_NAME = re.compile(
    f"(?P<password>{_PASSWORDS})|(?P<code>{_CODES})|(?P<key>{_KEYS})"
    "|(?P<seed>助记词)|(?P<answer>密保(?:问题)?(?:的?答案|(?=[^，。？?\r\n]{0,6}(?:填|写|设|答)的?是)))"
)
_ANSWER = re.compile(
    r"[ ]?(?:我?都?(?:填|写|设|答)的?)?(?:是|为|[:：])[ ]?(?:[^\W\d_]{1,8}?(?:叫|是))?"
    r"(?![啥什哪谁不没怎忘])(\w{1,16})"
)
_GAP = (
    r"(?:(?:换|改|变|发来|收到|来|发)了?了[，,：:]?|给你[：:]|显示的?是?|上面|其实|实际上?|说白了|真的|永远|始终|暂时|依然|依旧|仍然?|刚刚?|有|分别|就是|直接|统统|全都?|"
    r"我设的|没变，还|没改，还|还是老样子，|还是那个，|还是|一直|现在|目前|统一|默认|初始|应该|"
    r"好像|大概|可能|都|(?:给|发)你了?[，,]?|如下|是小写的|已经?|我|也|就|我的|是我的?生日[，,]?|小写|"
    r"(?:改|换|变)了[，,]现在|给我改成){0,3}[ ]?"
)
_LINK = (
    r"[ \t]{0,2}(?:(?P<colon>[:：=])"
    r"|(?P<changed>被?(?:改|换|设|设置|重置|修改|更新)(?:成|为|的是)了?)"
    r"|(?P<verb>就?还?是|为|叫)|→|->)?[ \t]{0,2}[:：]?[ \t]{0,2}"
)
_VALUE = (
    r"(?:(?P<quote>[“「『\"'])(?P<quoted>[^”」』\"'\r\n]{1,64})[”」』\"']"
    r"|(?P<plain>[!#-+\--:=?-~]{1,64}+))"
)
_AFTER = re.compile(_GAP + _LINK + _VALUE)
_REST = re.compile(r"[A-Za-z0-9_+/=~-]*+")  # a value is judged by its opening; all of it goes
_UNITS = tuple("位个字次天年月的种把条分秒小行元块倍人米寸％%级层")
_CJK_VALUE = re.compile(
    r"(?P<colon>[ ]?[:：][ ]?)?(?:是|就是|为)?(?P<value>[\u4e00-\u9fff]{2,12})(?=[，。！!,.\s]|$)"
)
# What is shared by a link has four signs.
_SHARED = ("链接", "网盘", "分享", "提取", "访问", "会议")
_REPEATED = re.compile(
    r"(?:就?是|就|都是?|为|[:：])?[ ]?[一二两三四五六七八九十0-9]{1,2}个([0-9])(?![0-9])"
)
_SEED_ENGLISH = re.compile(
    r"[^a-zA-Z\r\n]{0,4}([a-zA-Z]{3,8}(?:[ ,，、]{1,2}[a-zA-Z]{3,8}){11,23})(?![a-zA-Z])"
)
_SEED_CHINESE = re.compile(
    r"[是为：:，, ]{0,3}([\u4e00-\u9fff](?:[ ,，、][\u4e00-\u9fff]){11,23})(?![\u4e00-\u9fff])"
)
# 助记词我抄给你：…; what is said before the colon.
_SEED_SAID = re.compile(r"[^:：\r\n。！？a-zA-Z]{1,20}(?=[:：，,])")
_GROUPED_CODE = re.compile(r"[0-9]{1,4}(?:-[0-9]{1,4}){1,3}(?![0-9])")
_CODE = re.compile(r"(?=[A-Za-z]{0,7}[0-9])[A-Za-z0-9]{3,10}(?:[ ][0-9]{2,4})?[#*]?")


def find_said_chinese(text: str, lowered: str) -> Iterator[Span]:
    position = 0
    while named := _NAME.search(lowered, position):
        position = named.end()
        found = _after_name(text, named, position)
        if found is not None:
            start, end, label = found
            more = _REST.match(text, end) if label != "code" else None
            position = more.end() if more else end
            yield start, position, label
            if label == "password":
                yield from second_guess(text, position)
    yield from _before_name(text)


def _after_name(text: str, named: re.Match[str], end: int) -> Span | None:
    if named["seed"]:
        return _seed(text, end)
    if named["answer"]:
        answer = _ANSWER.match(text, end)
        return (answer.start(1), answer.end(1), "secret") if answer else None
    if named["password"] and (repeated := _REPEATED.match(text, end)):
        return repeated.start(1), repeated.end(1), "password"
    match = _AFTER.match(text, end)
    if match is None:
        return _chinese_value(text, named, end)
    start, stop = match.span("quoted" if match["quoted"] is not None else "plain")
    if match["plain"]:
        if named["key"] and (more := text.find("&", start, stop)) > 0:
            stop = more  # the next field of a query
        stop = start + len(text[start:stop].rstrip(",;:)]}>.\"'"))
    value = text[start:stop]
    if len(value) < 3 or is_placeholder(value):
        return None
    shared = text[: named.start()].endswith(_SHARED)
    linked = bool(match["colon"] or match["changed"] or match["verb"]) or shared
    if match["quoted"] is not None:
        told = linked or (len(value) >= 4 and value[0] not in CHINESE_PROSE)
        return (start, stop, "password") if named["password"] and told else None
    if text[stop : stop + 1] in _UNITS and text[stop : stop + 1]:
        return None
    if named["password"]:
        return _password(text, start, stop, linked)
    if named["code"]:
        return _code(text, named["code"], start, linked)
    least = 10 if linked else 16
    if looks_like_key(value, least) or (named["key"] in ("授权码", "激活码") and len(value) >= 10):
        return start, stop, "token" if named["key"] in ("令牌", "token") else "secret"
    return None


def _password(text: str, start: int, stop: int, linked: bool) -> Span | None:
    value = text[start:stop]
    pair = re.compile(r"[\w.@-]{2,40}[ ]?[/|][ ]?([!-~]{4,64})").match(text, start)
    if pair and looks_chosen(pair[1], 4):
        return pair.start(1), pair.end(1), "password"
    least = 1 if linked else 2  # groups after the first
    if re.fullmatch(rf"[0-9]{{1,3}}(?:-[0-9]{{1,3}}){{{least},4}}[#*]?", value):
        return start, stop, "password"
    digits = re.fullmatch(r"([0-9]{4,20})[#*]?", value)
    if (
        digits
        or looks_chosen(value, 4 if linked else 5)
        or (linked and re.search(r"[0-9]", value) and len(value) >= 4)
    ):
        return start, stop, "password"
    spoken = linked and re.fullmatch("[A-Za-z]{4,32}", value) is not None
    ends = (
        re.match(r"[ ]?(?:[，。！？,.;；、\r\n]|$|[哦啊呀吧了哈嘛])", text[stop : stop + 2])
        is not None
    )
    return (start, stop, "password") if spoken and ends else None


def _code(text: str, name: str, start: int, linked: bool) -> Span | None:
    grouped = _GROUPED_CODE.match(text, start)
    if grouped and name.startswith("取"):
        return start, grouped.end(), "code"
    code = _CODE.match(text, start)
    if code is None or text[code.end() : code.end() + 1] in _UNITS:
        return None
    plain = code[0].rstrip("#*")
    least = 3 if name.startswith(("cvv", "cvc", "安全码", "后三位")) else 4
    if len(plain) < least or (plain.isalpha()):
        return None
    listed = name.startswith(("备", "恢复", "救援")) or text[:start][-12:].find("备用") >= 0
    return start, more_numbers(text, code.end()) if listed else code.end(), "code"


def _chinese_value(text: str, named: re.Match[str], end: int) -> Span | None:
    """`口令是天王盖地虎`; after 密码 a colon is needed, since 密码是… may go on as a sentence."""
    match = _CJK_VALUE.match(text, end)
    if match is None or named["password"] is None or match.start("value") == end:
        return None
    value = match["value"]
    told = named[0] == "口令" or match["colon"]
    if not told or value[0] in CHINESE_PROSE or value[-1] in "的了吗呢啊" or is_placeholder(value):
        return None
    if text[: named.start()].endswith(FIGURATIVE):
        return None
    return match.start("value"), match.end("value"), "password"


def _seed(text: str, end: int) -> Span | None:
    said = _SEED_SAID.match(text, end)
    for start in (end, said.end() if said else end):
        for pattern in (_SEED_ENGLISH, _SEED_CHINESE):
            if words := pattern.match(text, start):
                return words.start(1), words.end(1), "seed-phrase"
    return None


_BACK = re.compile(
    r"(?<![!-~])([!-~]{4,64}+)[ ]?(?:这个)?(?:就是|是|做|作为?|当)"
    r"(?:我|你|他|她|咱们?|我们|你们|您)?的?"
    r"[^\s，。！？,!-~]{0,8}?(密码|口令|验证码|密钥|令牌|提取码|动态码)"
    r"(?![学器表哈破本管框策机])"
)


def _before_name(text: str) -> Iterator[Span]:
    for match in _BACK.finditer(text):
        value = match[1]
        digits = value.isdigit() and 4 <= len(value) <= 8
        if (digits or looks_chosen(value, 4)) and not is_placeholder(value):
            label = "code" if match[2].endswith("码") and digits else "password"
            yield match.start(1), match.end(1), label
